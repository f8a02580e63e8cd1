#include "approx/block_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <mutex>
#include <span>
#include <utility>

#include "approx/cpu/annealing.hpp"
#include "approx/cpu/population.hpp"
#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"

namespace matchcount {
namespace {

// The tail index is taken from so many of the largest samples.
constexpr std::size_t largest_kept = 4096;
// A pilot run draws that many samples with every candidate.
constexpr std::uint64_t pilot_samples = 128;
constexpr std::uint64_t pilot_seed = 0x9e3779b97f4a7c15;
constexpr double tame_log_variance = 1;
// Small populations tell what far messages are worth, and how much vertices vary that may be left alone.
constexpr int pilot_populations = 8, fewest_pilot_populations = 2;
// None takes more than this share of the time limit: estimators that need longer are not drawn.
constexpr double share_a_pilot = 1.0 / 16;
// A population of N particles varies by about this over N of what the logarithms of guided samples do: 0.1 to 0.5 on
// grids of 32 to 64, cubes of 6 to 10, random regular graphs of degree 3 and 4, random ones of density 0.2 and eight
// public sparse matrices.
constexpr double variance_of_particles = 0.35;
// A population of so many particles has a relative variance of about 0.1, and a mean that is near normal.
constexpr double particles_a_variance = 4;
constexpr int smallest_population = 16, largest_population = 4096;
constexpr double populations_a_run = 32;
// The smallest are drawn where that many fit: if their logarithms vary by more than 1, these tell the mean all the
// same.
constexpr double fewest_populations = 4;
// Particles that the cache does not hold take longer.
constexpr double bytes_of_cache = 0x1p25, slower_from_memory = 3;
// An edge looked at in a sample takes about 2 ns; a chunk about this many.
constexpr double edges_a_chunk = 1 << 19;
// A multiprocessor has this many particles walk at once. Each takes this long for an edge that it looks at where
// messages stay near (H200: 1.5e-7 in the cube of side 50, 3.2e-7 on the 24 x 24 grid), and this many times as long
// where they go far (4.4e-7 in that cube, 5.7e-7 on a cubic graph of 50,000 rows).
constexpr double walks_of_multiprocessor = 24, seconds_a_work_of_gpu_walk = 2.5e-7, slower_far_on_gpus = 2;
// Single samples take less time on GPUs, for as many edges, than populations (1.2 times less on the 24 x 24 grid),
// which start with few of them besides.
constexpr double gpu_speed_of_singles = 1.5;
constexpr int largest_population_of_gpus = 1 << 16;
// The first populations on GPUs take this share of the time limit.
constexpr double share_of_first_populations = 1.0 / 3;
// Drawn by GPUs ahead of what is summed up, at 16 bytes each.
constexpr std::uint64_t most_ahead = 1 << 21;

// The time is over within a sample.
struct TimeOver {};
// A pilot run takes too much work.
struct WorkOver {};

// Drawn is the outcome of a range of samples, and the record of a chunk.
struct Drawn {
  SampleSums sums;
  std::vector<double> largest;  // logarithms, in falling order once keep_largest was called
  LogSums logs;

  auto fields() { return std::tie(sums, largest, logs); }

  void add(double log_sample) {
    sums.add(log_sample);
    if (log_sample != -infinity) largest.push_back(log_sample);
  }
  void keep_largest() {
    std::sort(largest.begin(), largest.end(), std::greater<>());
    largest.resize(std::min(largest.size(), largest_kept));
  }
  void add(const Drawn& later) {
    sums.add(later.sums);
    logs.add(later.logs);
    std::vector<double> both;
    std::merge(largest.begin(), largest.end(), later.largest.begin(), later.largest.end(), std::back_inserter(both),
               std::greater<>());
    largest = std::move(both);
    largest.resize(std::min(largest.size(), largest_kept));
  }
};

// Returns what two particles' logarithms vary by from stage to stage, in all; a dead end counts as a variance of 1.
double log_variance_of_pair(std::span<const double> increments) {
  double sum = 0, before = 0;
  for (std::size_t i = 0; i + 1 < increments.size(); i += 2) {
    const double apart = increments[i] - increments[i + 1];
    sum += std::isfinite(apart) ? (apart - before) * (apart - before) / 2 : 1;
    before = PopulationMean::replaces(std::array{1.0, std::exp(-std::fabs(apart))}) ? 0 : apart;
  }
  return sum;
}

// Keeps the mean and the variance of logarithms of samples.
struct SampleLogs {
  double count = 0, mean = 0, squares = 0;
  void add(double log_sample) {
    const double change = log_sample - mean;
    mean += change / ++count;
    squares += change * (log_sample - mean);
  }
  double variance() const { return count > 1 ? squares / (count - 1) : infinity; }
};

void require_drawn(const Problem& problem, Estimator estimator) {
  if (estimator == Estimator::automatic) return;
  if (!problem.bipartite && !takes_odd_cycles(estimator)) {
    throw Unable("the estimator " + std::string(to_string(estimator)) +
                 " has rows and columns, and a block has odd cycles: only guided samples, populations, annealing and "
                 "determinants are drawn there");
  }
  if (problem.alone != 0 && estimator != Estimator::annealing && estimator != Estimator::population)
    throw Unable("the estimator " + std::string(to_string(estimator)) +
                 " leaves no vertex alone: populations and annealing draw matchings of every size");
}

}  // namespace

// Tells how samples of some kind do in a pilot run: relative variance, as their logarithms suggest if that is larger,
// and work. The logarithms' variance v would make it e^v if they were normal; they lean to the left, and e^(0.4 v) is
// nearer to what many samples show: 6 at v = 5.4 (grid of 20), 16 at 8 (of 24), 13 at 6 (cube of 6), 5 at 3.9
// (can__161), 8 at 3.1 (random 4-regular).
// Infinite where no sample was done in time.
struct BlockSampler::Pilot {
  double variance = infinity, log_variance = infinity, work = infinity;
  double particle_log_variance = infinity;  // of a pair: of one particle's logarithm, without resampling
  double late_share = 0;                    // of a population: LogSums::late_share
};

BlockSampler::Pilot BlockSampler::pilot(const SampleOptions& options, std::uint64_t samples,
                                        const RunContext& run) const {
  const double bytes = Sampler::bytes(problem_, options), limit = static_cast<double>(run.memory_limit_bytes());
  if (bytes > limit) {
    throw OverLimit("one thread's sampler needs " + memory_amount(bytes) + ", and the memory limit is " +
                    memory_amount(limit));
  }
  const auto sampler = Sampler::make(problem_, options);
  SampleSums sums;
  SampleLogs logs;
  const auto poll = [&] {
    run.check();
    if (static_cast<double>(sampler->work()) > most_pilot_work_) throw WorkOver{};
  };
  try {
    while (sums.count < samples) {
      const double log_sample = sampler->log_sample(seed_ ^ pilot_seed, sums.count, poll);
      sums.add(log_sample);
      if (log_sample != -infinity) logs.add(log_sample);
    }
  } catch (const WorkOver&) {
    samples = sums.count;
  }
  Pilot result;
  if (samples == 0) return result;
  result.work = static_cast<double>(sampler->work()) / static_cast<double>(samples);
  if (options.estimator == Estimator::population && options.population == 2)
    result.particle_log_variance = log_variance_of_pair(sampler->log_increments());
  result.log_variance = logs.variance();
  const double by_logs =
      std::exp(std::min(0.4 * result.log_variance, 600.0)) * static_cast<double>(samples) / logs.count - 1;
  result.variance = logs.count > 1 ? std::max(sums.relative_variance(), by_logs) : infinity;
  return result;
}

// Large blocks get short pilot runs.
std::uint64_t BlockSampler::pilot_length() const {
  return static_cast<std::uint64_t>(
      std::clamp(1e6 / static_cast<double>(problem_.target.size()), 4.0, double{pilot_samples}));
}

double BlockSampler::choose_walks(double pair_work, bool on_gpus, const RunContext& run) {
  constexpr int most_particles = 16;
  // The messages of vertices with many neighbours take long and change little.
  constexpr double most_work = 4e7, largest_mean_degree = 12;
  if (static_cast<double>(problem_.target.size()) > largest_mean_degree * problem_.num_vertices()) return 1;
  const int particles =
      static_cast<int>(std::clamp(2 * most_work / (pilot_populations * pair_work), 2.0, 1.0 * most_particles));
  if (population_bytes(problem_, particles) > static_cast<double>(run.memory_limit_bytes())) return 1;
  const int populations =
      static_cast<int>(std::clamp(most_work / pair_work, 1.0 * fewest_pilot_populations, 1.0 * pilot_populations));
  const Pilot near = population_pilot(particles, populations, false, run),
              far = population_pilot(particles, populations, true, run);
  constexpr double clearly = 1.1;  // what pilot runs tell
  const double far_work = far.work * (on_gpus ? slower_far_on_gpus : 1);
  options_.far_messages = clearly * far.log_variance * far_work < near.log_variance * near.work;
  const Pilot& taken = options_.far_messages ? far : near;
  // With half of the particles before, the first part varies by twice as much and takes half of the time.
  constexpr double least_late_share = 0.5;
  options_.doubles = taken.late_share > least_late_share;
  return (options_.far_messages ? far.log_variance / near.log_variance : 1) *
         (options_.doubles ? 2 - taken.late_share : 1);
}

BlockSampler::Pilot BlockSampler::population_pilot(int particles, int populations, bool is_far,
                                                   const RunContext& run) const {
  const auto population = population_sampler(problem_, particles, is_far, options_.doubles);
  LogSums logs;
  for (int i = 0; i < populations; ++i) {
    population->log_sample(seed_ ^ pilot_seed, static_cast<std::uint64_t>(i), [&] { run.check(); });
    logs.add(population->log_pieces());
  }
  Pilot result;
  result.log_variance = logs.variance().value;
  result.late_share = logs.late_share();
  result.work = static_cast<double>(population->work()) / populations;
  return result;
}

void BlockSampler::choose(const EstimateOptions& asked, double most_bytes, const RunContext& run) {
  options_.estimator = asked.method;
  options_.scaling_interval = asked.scaling_interval;
  options_.scaling_rounds = asked.scaling_rounds;
  if (asked.population != 0) options_.population = asked.population;
  require_drawn(problem_, asked.method);
  const bool leaves_alone = problem_.alone != 0;
  if (asked.method == Estimator::annealing) return choose_annealing(asked, most_bytes, run);
  const bool is_open = asked.method == Estimator::automatic && !leaves_alone;
  if (leaves_alone) options_.estimator = Estimator::population;
  const bool sizes_population = asked.population == 0 && (is_open || options_.estimator == Estimator::population);
  if (!is_open && !sizes_population) {
    const bool population = options_.estimator == Estimator::population;
    work_a_sample_ = population ? pilot(with(Estimator::population, 2), 1, run).work / 2 * options_.population
                                : pilot(options_, 1, run).work;
    return;
  }
  // The limit is taken in powers of two of seconds, so that the time that reading took does not show.
  const double seconds = std::exp2(std::ceil(std::log2(asked.run.time_limit_s)));
  most_pilot_work_ = share_a_pilot * seconds / seconds_a_work;
  const std::uint64_t samples = pilot_length();
  const Pilot guided = leaves_alone ? Pilot() : pilot(with(Estimator::guided), samples, run);
  Pilot pair = pilot(with(Estimator::population, 2), 1, run);
  double log_variance = guided.log_variance;
  if (leaves_alone)
    log_variance = 2 / variance_of_particles * population_pilot(2, pilot_populations, false, run).log_variance;
  if (!leaves_alone) {
    const bool is_too_slow = pair.work == infinity;  // near messages are all brought up to date, far ones that change
    options_.far_messages = is_too_slow;
    if (!is_too_slow) log_variance *= choose_walks(pair.work, asked.run.device.kind == DeviceChoice::Kind::cuda, run);
    if (options_.far_messages) pair = pilot(with(Estimator::population, 2), 1, run);
    if (is_too_slow) log_variance = pair.particle_log_variance / variance_of_particles;
  }
  constexpr double steps_of_doubling = 5.0 / 8;
  if (options_.doubles) pair.work *= steps_of_doubling;
  Pilot population;
  population.variance = variance_of_particles * log_variance / options_.population;
  population.work = pair.work / 2 * options_.population;
  // A population is as large as the variance asks for, but so that many fit into the time and into the memory.
  const auto bytes_of = [&](int size) { return Sampler::bytes(problem_, with(Estimator::population, size)); };
  const auto seconds_of = [&](int size) {
    return pair.work / 2 * size * seconds_a_work * (bytes_of(size) > bytes_of_cache ? slower_from_memory : 1);
  };
  const auto fits = [&](int size) {
    const double populations = size > smallest_population ? populations_a_run : fewest_populations;
    return seconds_of(size) <= seconds / populations && bytes_of(size) <= most_bytes;
  };
  log_variance_ = log_variance;
  if (sizes_population) {
    const double enough = std::clamp(particles_a_variance * log_variance, 1.0 * smallest_population, 1e9);
    enough_s_ = populations_a_run * seconds_of(static_cast<int>(enough));
    int size = smallest_population;
    while (size < largest_population && size < particles_a_variance * log_variance && fits(2 * size)) size *= 2;
    population.variance *= static_cast<double>(options_.population) / size;
    population.work *= static_cast<double>(size) / options_.population;
    options_.population = size;
  }
  const auto take = [&](Estimator estimator, const Pilot& as) {
    options_.estimator = estimator;
    work_a_sample_ = as.work;
    expected_variance_ = as.variance;
  };
  if (!is_open) return take(Estimator::population, population);
  // The least error for the time.
  take(Estimator::guided, guided);
  const auto gains = [&](const Pilot& other) {
    return other.variance * other.work < expected_variance_ * work_a_sample_;
  };
  if (problem_.bipartite) {
    const Pilot plain = pilot(with(Estimator::rasmussen_plus), samples, run);
    // A short pilot run underestimates the variance of a heavy-tailed estimator.
    if (plain.log_variance < tame_log_variance && gains(plain)) take(Estimator::rasmussen_plus, plain);
  }
  const bool others_are_drawn = problem_.bipartite || asked.run.device.kind != DeviceChoice::Kind::cuda;
  if (!others_are_drawn || (fits(options_.population) && gains(population))) take(Estimator::population, population);
}

void BlockSampler::choose_annealing(const EstimateOptions& asked, double most_bytes, const RunContext& run) {
  // The run that finds the stages has few particles where the graph is large: much is alike from stage to stage.
  const auto pilots = static_cast<int>(std::clamp(edges_a_chunk / problem_.num_vertices(), 4.0, 16.0));
  const double seconds = std::exp2(std::ceil(std::log2(asked.run.time_limit_s)));
  const auto seconds_of = [&](std::size_t stages, double particles) {
    return Annealing::work(problem_, stages) * particles * seconds_a_work;
  };
  const std::size_t likely_stages = Annealing::likely_stages(problem_);
  const double needed_s = seconds_of(likely_stages, pilots + 2.0 * smallest_population);
  if (needed_s > asked.run.time_limit_s) {
    throw OverLimit("annealing is predicted to need " + time_amount(needed_s) +
                    " for two samples, and the time limit is " + time_amount(asked.run.time_limit_s));
  }
  options_.stages = Annealing::find_stages(problem_, problem_.alone != 0 ? 0 : problem_.size, pilots,
                                           seed_ ^ pilot_seed, [&] { run.check(); });
  const double wanted = particles_a_variance * Annealing::log_variance(options_.stages.size());
  const auto fits = [&](int size) {
    const double populations = size > smallest_population ? populations_a_run : fewest_populations;
    return seconds_of(options_.stages.size(), populations * size) <= seconds &&
           Annealing::bytes(problem_, size) <= most_bytes;
  };
  int size = smallest_population;
  while (asked.population == 0 && size < largest_population && size < wanted && fits(2 * size)) size *= 2;
  if (asked.population == 0) {
    options_.population = size;
    enough_s_ = seconds_of(options_.stages.size(), populations_a_run * std::max(wanted, 1.0 * smallest_population));
  }
  work_a_sample_ = Annealing::work(problem_, options_.stages.size()) * options_.population;
  expected_variance_ = wanted / particles_a_variance / options_.population;
}

double BlockSampler::enough_s(int threads, double drawn_s) const {
  const double predicted = gpu_populations_ ? enough_gpu_s_ : enough_s_ / threads;
  return std::max(predicted, drawn_s * std::max(2.0, populations_a_run / static_cast<double>(sums_.count)));
}

// Short pilot runs tell what the variances are times two, more or less, and so much does one of the two ways gain.
void BlockSampler::choose_for_gpus(const EstimateOptions& asked, const RunContext& run) {
  constexpr std::uint64_t singles = 4096;
  constexpr int particles = 64, populations = 16;
  constexpr double most_work = 1e8;
  const bool is_open = options_.estimator == Estimator::guided || options_.estimator == Estimator::population;
  if (asked.method != Estimator::automatic || !is_open || !problem_.bipartite) return;
  const double pair_work = pilot(with(Estimator::population, 2), 1, run).work;
  if (pair_work / 2 * particles * populations > std::min(most_work, most_pilot_work_)) return;
  const Pilot guided = pilot(with(Estimator::guided), singles, run),
              population = population_pilot(particles, populations, options_.far_messages, run);
  const double by_populations = population.log_variance * population.work, by_singles = guided.variance * guided.work;
  const bool gains = by_singles < gpu_speed_of_singles * by_populations;
  if (gains == (options_.estimator == Estimator::guided)) return;
  options_.estimator = gains ? Estimator::guided : Estimator::population;
  work_a_sample_ = gains ? guided.work : population.work / particles * options_.population;
  expected_variance_ = gains ? guided.variance : population.log_variance * particles / options_.population;
}

void BlockSampler::enlarge_population(const EstimateOptions& asked, double share, const std::vector<DeviceInfo>& gpus) {
  double room = std::numeric_limits<double>::infinity(), walks = 0;
  for (const DeviceInfo& device : gpus) {
    room = std::min(room, share * gpu::GpuPopulations::capacity(problem_, device));
    walks += share * walks_of_multiprocessor * device.multiprocessors;
  }
  const double rate = walks / gpu_seconds_a_work();
  const double work = work_a_sample_ / options_.population, wanted = particles_a_variance * log_variance_;
  const double in_time = share_of_first_populations * asked.run.time_limit_s * rate / work;
  const int before = options_.population;
  while (asked.population == 0 && options_.population < std::min(wanted, 1.0 * largest_population_of_gpus) &&
         2 * options_.population < std::min(room, in_time / fewest_populations))
    options_.population *= 2;
  const double larger = 1.0 * options_.population / before;
  work_a_sample_ *= larger;
  expected_variance_ /= larger;
  // Devices draw so many at once (approx/cuda/gpu_population.cpp).
  const double at_once = std::max(std::floor(2 * walks / options_.population), 1.0);
  const double first = std::clamp(in_time / options_.population, fewest_populations,
                                  std::max(at_once, static_cast<double>(first_populations_)));
  first_populations_ = static_cast<std::uint64_t>(first < at_once ? first : first - std::fmod(first, at_once));
  enough_gpu_s_ = populations_a_run * wanted * work / rate;
}

double BlockSampler::gpu_seconds_a_work() const {
  return seconds_a_work_of_gpu_walk * (options_.far_messages ? slower_far_on_gpus : 1);
}

bool BlockSampler::suits_gpus(double time_limit_s) const {
  const double walks = options_.estimator == Estimator::population ? options_.population : 1;
  return work_a_sample_ / walks * gpu_seconds_a_work() <= share_of_first_populations * time_limit_s;
}

void BlockSampler::use(const std::vector<DeviceContext>& gpus, double share) {
  if (options_.estimator == Estimator::population) {
    gpu_populations_ = std::make_unique<gpu::GpuPopulations>(problem_, options_, share, gpus);
  } else {
    gpus_ = std::make_unique<gpu::GpuSampler>(problem_, options_, gpus);
  }
}

std::uint64_t BlockSampler::samples_a_chunk() const {
  return static_cast<std::uint64_t>(std::clamp(edges_a_chunk / std::max(work_a_sample_, 1.0), 1.0, 4096.0));
}

// Describes how a sample is drawn: a run that goes on, and other ranks, must draw alike.
std::string BlockSampler::description() const {
  return std::string(to_string(options_.estimator)) + ", population " + std::to_string(options_.population) +
         (options_.far_messages ? " of far messages" : "") + (options_.doubles ? ", doubled late" : "") +
         ", scaling interval " + std::to_string(options_.scaling_interval) + ", rounds " +
         std::to_string(options_.scaling_rounds);
}

void BlockSampler::agree(const RunContext& run) {
  struct Choice {
    Estimator estimator;
    int population;
    bool far_messages, doubles;
    double work;
    std::uint64_t first_populations;
    std::vector<AnnealingStage> stages;
    auto fields() { return std::tie(estimator, population, far_messages, doubles, work, first_populations, stages); }
  };
  Choice mine{options_.estimator, options_.population, options_.far_messages,     options_.doubles,
              work_a_sample_,     first_populations_,  std::move(options_.stages)};
  std::tie(options_.estimator, options_.population, options_.far_messages, options_.doubles, work_a_sample_,
           first_populations_, options_.stages) = agreed(mine, "sampler", run).fields();
}

double BlockSampler::bytes() const { return Sampler::bytes(problem_, options_); }
double BlockSampler::bytes_drawn_ahead() const { return 1.0 * most_ahead * sizeof(Sample); }

// Returns the options that are asked for, but for the estimator, and a size of population if it is one.
SampleOptions BlockSampler::with(Estimator estimator, int population) const {
  SampleOptions options = options_;
  options.estimator = estimator;
  options.population = population;
  return options;
}

// One call of draw: the samples [first, total) as numbered chunks of a job.
class BlockSampler::Drawing {
 public:
  Drawing(BlockSampler& of, std::uint64_t total, const RunContext& run, const std::function<bool()>& over,
          const std::function<void(double)>& report)
      : of_(of),
        first_(of.sums_.count),
        total_(total),
        chunk_size_(of.samples_a_chunk()),
        over_(over),
        report_(report) {
    alone_ = run.num_ranks() == 1;
  }

  Job job(const RunContext& run) const {
    Job job;
    job.name = run.part() + ", samples " + std::to_string(first_) + " to " + std::to_string(total_ - 1);
    job.description = of_.description() + ", " + std::to_string(chunk_size_) + " samples a chunk";
    job.num_pieces = num_chunks();
    job.merge = added_records<Drawn>;
    return job;
  }

  void run(Pieces& pieces) {
    const auto threads = static_cast<int>(std::min<std::uint64_t>(num_chunks(), of_.samplers_.size()));
    parallel_until(threads, [&](int thread) {
      if (of_.gpu_populations_) return draw_populations_on_gpus(pieces);
      return of_.gpus_ ? draw_chunks_on_gpus(pieces) : draw_chunk(pieces, static_cast<std::size_t>(thread));
    });
  }

 private:
  std::uint64_t num_chunks() const { return (total_ - first_ + chunk_size_ - 1) / chunk_size_; }

  void give(Pieces& pieces, std::uint64_t chunk, Drawn& drawn) {
    drawn.keep_largest();
    pieces.give(chunk, to_bytes(drawn));
    report_(pieces.share_done());
  }

  // False: there are none left, or the time is over.
  bool draw_chunk(Pieces& pieces, std::size_t thread) {
    if (over_()) return false;
    const auto chunk = pieces.take();
    if (!chunk) return false;
    const std::uint64_t begin = first_ + *chunk * chunk_size_, end = std::min(total_, begin + chunk_size_);
    Drawn drawn;
    auto& sampler = of_.samplers_[thread];
    if (!sampler) sampler = Sampler::make(of_.problem_, of_.options_);
    try {
      for (std::uint64_t i = begin; i < end; ++i) {
        drawn.add(sampler->log_sample(of_.seed_, i, [&] {
          if (over_()) throw TimeOver{};
        }));
        if (is_by_populations(of_.options_.estimator)) drawn.logs.add(sampler->log_pieces());
      }
    } catch (const TimeOver&) {
      return false;
    }
    give(pieces, *chunk, drawn);
    return true;
  }

  bool draw_chunks_on_gpus(Pieces& pieces) {
    std::unique_lock lock(mutex_);  // so that chunks come in rising order
    // Samples that other ranks may draw are not drawn ahead, so a launch's chunks are taken at once.
    const auto chunks = pieces.take_some(alone_ ? 1 : of_.gpus_->range() / chunk_size_ + 1);
    if (!chunks) return false;
    const std::uint64_t begin = first_ + chunks->first * chunk_size_,
                        end = std::min(total_, first_ + chunks->end * chunk_size_);
    const std::uint64_t drawn = draw_ahead(begin, end, alone_ ? std::min(total_, begin + samples_ahead()) : end);
    const auto from = of_.ahead_.begin() + static_cast<std::ptrdiff_t>(begin - of_.ahead_from_);
    const std::vector<Sample> samples(from, from + static_cast<std::ptrdiff_t>(drawn));
    lock.unlock();
    for (std::uint64_t chunk = chunks->first; chunk < chunks->end; ++chunk) {
      const std::uint64_t at = (chunk - chunks->first) * chunk_size_, until = std::min(at + chunk_size_, end - begin);
      if (until > drawn) return false;
      Drawn of_chunk;
      for (std::uint64_t i = at; i < until; ++i) of_chunk.add(samples[i].log());
      give(pieces, chunk, of_chunk);
    }
    return true;
  }

  bool draw_populations_on_gpus(Pieces& pieces) {
    std::unique_lock lock(mutex_);  // the devices are drawn on by one thread
    const auto chunks = pieces.take_some(of_.gpu_populations_->range() / chunk_size_ + 1);
    if (!chunks) return false;
    const std::uint64_t begin = first_ + chunks->first * chunk_size_,
                        end = std::min(total_, first_ + chunks->end * chunk_size_);
    std::vector<gpu::DrawnPopulation> drawn(end - begin);
    drawn.resize(of_.gpu_populations_->draw(of_.seed_, begin, drawn, over_));
    for (std::uint64_t chunk = chunks->first; chunk < chunks->end; ++chunk) {
      const std::uint64_t at = (chunk - chunks->first) * chunk_size_, until = std::min(at + chunk_size_, end - begin);
      if (until > drawn.size()) return false;
      Drawn of_chunk;
      for (std::uint64_t i = at; i < until; ++i) {
        of_chunk.add(drawn[i].log_mean);
        of_chunk.logs.add(drawn[i].log_pieces);
      }
      give(pieces, chunk, of_chunk);
    }
    return true;
  }

  // Returns as many as a few launches draw, so that little is left to add up when the time is over.
  std::uint64_t samples_ahead() const { return std::min(most_ahead, 4 * of_.gpus_->range()); }

  // Has samples [begin, end) in ahead_, and more up to `until`, or none of earlier numbers. Returns how many of the
  // former there are: fewer where the time was over before.
  std::uint64_t draw_ahead(std::uint64_t begin, std::uint64_t end, std::uint64_t until) {
    std::vector<Sample>& ahead = of_.ahead_;
    std::uint64_t& ahead_from = of_.ahead_from_;
    if (begin < ahead_from || begin > ahead_from + ahead.size()) {
      ahead.clear();
      ahead_from = begin;
    }
    while (ahead_from + ahead.size() < end) {
      ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(begin - ahead_from));
      ahead_from = begin;
      const std::uint64_t have = ahead.size(), from = ahead_from + have;
      const std::uint64_t more = std::max(until, end) - from;
      ahead.resize(have + more);
      const std::uint64_t drawn = of_.gpus_->draw(of_.seed_, from, std::span(ahead).subspan(have), over_);
      ahead.resize(have + drawn);
      if (drawn < more) break;
    }
    return std::min(end, ahead_from + ahead.size()) - begin;
  }

  BlockSampler& of_;
  std::uint64_t first_, total_, chunk_size_;
  const std::function<bool()>& over_;
  const std::function<void(double)>& report_;
  bool alone_;        // no other rank draws
  std::mutex mutex_;  // of what GPUs drew
};

void BlockSampler::draw(std::uint64_t total, const RunContext& run, const std::function<bool()>& over,
                        const std::function<void(double)>& report) {
  if (total <= sums_.count) return;
  samplers_.resize(static_cast<std::size_t>(run.num_threads()));
  Drawing drawing(*this, total, run, over, report);
  const auto done = run_job(drawing.job(run), run, [&](Pieces& pieces) { drawing.run(pieces); }).prefix();
  if (done.num_pieces == 0) return;
  Drawn all{sums_, std::move(largest_), std::move(log_sums_)};
  all.add(from_bytes<Drawn>(done.record));
  sums_ = all.sums;
  largest_ = std::move(all.largest);
  log_sums_ = std::move(all.logs);
}

}  // namespace matchcount
