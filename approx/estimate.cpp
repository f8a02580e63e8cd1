// From a graph to an estimate: structure, small blocks exactly, samples of the others in chunks. A chunk is a range of
// sample numbers; chunks are summed in the order of their numbers, so that threads don't show.

#include "approx/estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "approx/cpu/sampler.hpp"
#include "approx/cuda/gpu_sampler.hpp"
#include "approx/statistics.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "matching/identity.hpp"
#include "permanent/permanent.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double log_of_2 = std::log(2.0);
// Of the largest samples, for the tail index.
constexpr std::size_t largest_kept = 4096;
// The first look at the error is taken after that many samples of a block, or populations.
constexpr std::uint64_t first_samples = 1024, first_populations = 16;
// Belief propagation converges in fewer rounds than a block is wide, or is stopped; the bracket then is wider.
constexpr int most_rounds = 1000;
// A pilot run draws that many samples with every candidate.
constexpr std::uint64_t pilot_samples = 128;
constexpr double tame_log_variance = 1;
// A population of N particles varies by about this over N of what the logarithms of guided samples do: 0.1 to 0.5 on
// grids of 32 to 64, cubes of 6 to 10, random regular graphs of degree 3 and 4, random ones of density 0.2 and eight
// public sparse matrices.
constexpr double variance_of_particles = 0.35;
// So that a population's own relative variance is about 0.1, and its mean near normal.
constexpr double particles_a_variance = 4;
constexpr int smallest_population = 16, largest_population = 4096;
constexpr double populations_a_run = 32;
constexpr double seconds_a_work = 4e-9;
// Of the memory limit, for one thread's population; a function of the limit alone, so that threads do not show.
constexpr double memory_share = 1.0 / 64;
// An edge looked at in a sample takes about 2 ns; a chunk about this many.
constexpr double edges_a_chunk = 1 << 19;
// GPUs are started where they are not asked for if samples are predicted to take longer without.
constexpr double worth_a_gpu_s = 2;
// Drawn there ahead of what is summed up, at 16 bytes each.
constexpr std::uint64_t most_ahead = 1 << 21;

ScaledReal from_log(double log_value) {
  if (log_value == -infinity) return {};
  const double exponent = std::floor(log_value / log_of_2);
  return {DoubleDouble(std::exp(log_value - exponent * log_of_2)), static_cast<std::int64_t>(exponent)};
}

ScaledReal from_integer(const Integer& value) {
  if (value == 0) return {};
  const auto top = static_cast<std::int64_t>(msb(value));
  const std::int64_t shift = std::max<std::int64_t>(top - 62, 0);
  return {DoubleDouble(static_cast<double>(static_cast<std::int64_t>(value >> static_cast<unsigned>(shift)))), shift};
}

void require(bool holds, const std::string& found, const std::string& expected) {
  if (!holds) throw InputError(found, expected);
}

void check(const EstimateOptions& options) {
  // Its quantile has to exist in doubles.
  require(options.confidence > 0 && 0.5 + options.confidence / 2 < 1,
          "confidence " + std::to_string(options.confidence), "a confidence between 0 and 1, such as 0.95");
  require(options.samples > 0 || (options.relative_error > 0 && std::isfinite(options.relative_error)),
          "relative error " + std::to_string(options.relative_error), "a relative error above 0, such as 0.01");
  require(options.scaling_interval >= 1, "scaling interval " + std::to_string(options.scaling_interval), "1 or more");
  require(options.scaling_rounds >= 0, "scaling rounds " + std::to_string(options.scaling_rounds), "0 or more");
  require(options.population == 0 || options.population >= 2, "population " + std::to_string(options.population),
          "2 or more, or 0 for a pilot run to choose");
}

// ---- The pruned blocks.

std::vector<RealEntry> positive_entries(const BipartiteGraph& graph) {
  std::vector<RealEntry> entries;
  entries.reserve(graph.num_edges());
  const auto add = [&](DoubleDouble weight) {
    if (weight.hi < 0) {
      throw InputError("the negative weight " + std::to_string(weight.hi),
                       "weights that are not negative: estimates of sums that cancel have no use");
    }
    entries.push_back({weight, weight.hi * (1 + 0x1p-51)});
  };
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.weights())) {
    for (const std::int64_t weight : *integers) add(static_cast<double>(weight));
  } else if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&graph.weights())) {
    for (const DoubleDouble& weight : *reals) add(weight);
  } else if (graph.weight_kind() == WeightKind::complex) {
    throw InputError("complex weights", "real weights that are not negative");
  } else {
    entries.assign(graph.num_edges(), {1.0, 1.0});
  }
  return entries;
}

// Entries of very different magnitude are brought together, so that none overflows; an entry that would be lost beside
// the others stays as 2^-900 of them.
std::int64_t scale(const BipartiteGraph& pattern, std::vector<RealEntry>& entries, const RunContext& run) {
  bool wide = false;
  for (const RealEntry& entry : entries) wide = wide || entry.value.hi > 0x1p100 || entry.value.hi < 0x1p-100;
  if (!wide) return 0;
  std::vector<double> log2_magnitude;
  for (const RealEntry& entry : entries) log2_magnitude.push_back(std::log2(entry.value.hi));
  const Scaling scaling = maximum_product_scaling(pattern, log2_magnitude, run);
  std::int64_t exponent = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    exponent -= scaling.row_exponent[r];
    EdgeId edge = pattern.row_begin(r);
    for (const Vertex c : pattern.row(r)) {
      const int shift = scaling.row_exponent[r] + scaling.column_exponent[c];
      RealEntry& entry = entries[edge];
      if (log2_magnitude[edge] + shift < -900) {
        entry = {0x1p-900, 0x1p-900};
      } else {
        entry = {ldexp(entry.value, shift), std::ldexp(entry.magnitude, shift)};
      }
      ++edge;
    }
  }
  for (const int column_exponent : scaling.column_exponent) exponent -= column_exponent;
  return exponent;
}

constexpr double uneven = 0x1p-60;

// Of weights that differ by so much that samplers may never draw the matchings that count.
struct Unevenness {
  double log_lower = -infinity;  // of a certain lower bound: the heaviest perfect matching, rounded down
  double least_scaled_weight = 1;
};
Unevenness unevenness(const BipartiteGraph& pattern, const std::vector<double>& weights, const RunContext& run) {
  const auto [least, greatest] = std::minmax_element(weights.begin(), weights.end());
  if (*least >= uneven * *greatest) return {};
  std::vector<double> log2_weight;
  for (const double weight : weights) log2_weight.push_back(std::log2(weight));
  const Scaling scaling = maximum_product_scaling(pattern, log2_weight, run);
  double sum = 0, log2_least = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    sum += scaling.row_exponent[r] + scaling.column_exponent[r];
    EdgeId edge = pattern.row_begin(r);
    for (const Vertex c : pattern.row(r))
      log2_least = std::min(log2_least, log2_weight[edge++] + scaling.row_exponent[r] + scaling.column_exponent[c]);
  }
  return {-sum * log_of_2 - 1e-9, std::exp2(log2_least)};
}

ScaledReal count_exactly(const Block<RealEntry>& block, const RunOptions& run) {
  CountOptions count;
  count.run = run;
  bool integers = true;
  std::vector<std::int64_t> whole;
  std::vector<DoubleDouble> reals;
  for (const RealEntry& entry : block.entries) {
    reals.push_back(entry.value);
    integers =
        integers && entry.value.lo == 0 && entry.value.hi < 0x1p53 && entry.value.hi == std::floor(entry.value.hi);
    if (integers) whole.push_back(static_cast<std::int64_t>(entry.value.hi));
  }
  const Result result = permanent(
      integers ? block.pattern.with_weights(std::move(whole)) : block.pattern.with_weights(std::move(reals)), count);
  if (const auto* integer = std::get_if<Integer>(&result.value)) return from_integer(*integer);
  return std::get<RealValue>(result.value).value;
}

// ---- Samples.

// The time is over within a sample.
struct TimeOver {};

// What a range of samples leaves.
struct Drawn {
  SampleSums sums;
  std::vector<double> largest;  // logarithms, in falling order once keep_largest was called

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
    std::vector<double> both;
    std::merge(largest.begin(), largest.end(), later.largest.begin(), later.largest.end(), std::back_inserter(both),
               std::greater<>());
    largest = std::move(both);
    largest.resize(std::min(largest.size(), largest_kept));
  }
};

// As the record of a chunk (core/work.hpp).
Bytes as_bytes(const Drawn& drawn) {
  ByteWriter out;
  out.put(drawn.sums);
  out.put_vector(drawn.largest);
  return out.take();
}
Drawn drawn_of(const Bytes& record) {
  ByteReader in(record);
  const auto sums = in.get<SampleSums>();
  return {sums, in.get_vector<double>()};
}

// Draws ranges of samples of one block.
class BlockSampler {
 public:
  BlockSampler(Problem problem, std::uint64_t seed) : problem_(std::move(problem)), seed_(seed) {}

  const Problem& problem() const { return problem_; }
  const SampleOptions& options() const { return options_; }
  const SampleSums& sums() const { return sums_; }
  const std::vector<double>& largest() const { return largest_; }
  double work_a_sample() const { return work_a_sample_; }
  // Of a sample, by a pilot run; infinity where there was none.
  double expected_variance() const { return expected_variance_; }
  void use(std::unique_ptr<gpu::GpuSampler> gpus) { gpus_ = std::move(gpus); }
  bool on_gpus() const { return gpus_ != nullptr; }

  // How a sample of some kind does in a pilot run: relative variance, as its logarithms suggest if that is larger, and
  // work. The logarithms' variance v would make it e^v where they were normal; they lean to the left, and e^(0.4 v) is
  // nearer to what many samples show: 6 at v = 5.4 (grid of 20), 16 at 8 (of 24), 13 at 6 (cube of 6), 5 at 3.9
  // (can__161), 8 at 3.1 (random 4-regular).
  struct Pilot {
    double variance = 0, log_variance = 0, work = 0;
  };
  Pilot pilot(const SampleOptions& options, std::uint64_t samples, const RunContext& run) const {
    Sampler sampler(problem_, options);
    SampleSums sums;
    double mean = 0, squares = 0, alive = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
      const double log_sample = sampler.log_sample(seed_ ^ pilot_seed, i, [&] { run.check(); });
      sums.add(log_sample);
      if (log_sample == -infinity) continue;
      const double change = log_sample - mean;
      mean += change / ++alive;
      squares += change * (log_sample - mean);
    }
    Pilot result;
    result.work = static_cast<double>(sampler.work()) / static_cast<double>(samples);
    result.log_variance = alive > 1 ? squares / (alive - 1) : infinity;
    const double by_logs =
        std::exp(std::min(0.4 * result.log_variance, 600.0)) * static_cast<double>(samples) / alive - 1;
    result.variance = alive > 1 ? std::max(sums.relative_variance(), by_logs) : infinity;
    return result;
  }

  void choose(const EstimateOptions& asked, double most_bytes, const RunContext& run) {
    options_.estimator = asked.method;
    options_.scaling_interval = asked.scaling_interval;
    options_.scaling_rounds = asked.scaling_rounds;
    if (asked.population != 0) options_.population = asked.population;
    const bool is_open = asked.method == Estimator::automatic;
    const bool sizes_population = asked.population == 0 && (is_open || asked.method == Estimator::population);
    if (!is_open && !sizes_population) {
      work_a_sample_ = pilot(options_, 1, run).work;
      return;
    }
    // Large blocks get short pilot runs.
    const auto samples = static_cast<std::uint64_t>(
        std::clamp(1e6 / static_cast<double>(problem_.target.size()), 4.0, double{pilot_samples}));
    const Pilot guided = pilot(with(Estimator::guided), samples, run);
    const Pilot pair = pilot(with(Estimator::population, 2), 1, run);
    Pilot population;
    population.variance = variance_of_particles * guided.log_variance / options_.population;
    population.work = pair.work / 2 * options_.population;
    // As large as the variance asks for, but so that many fit into the time, in powers of two of seconds so that the
    // time that reading took does not show, and into the memory.
    const double seconds = std::exp2(std::ceil(std::log2(asked.run.time_limit_s))) / populations_a_run;
    const auto fits = [&](int size) {
      return pair.work / 2 * size * seconds_a_work <= seconds && bytes(with(Estimator::population, size)) <= most_bytes;
    };
    if (sizes_population) {
      int size = smallest_population;
      while (size < largest_population && size < particles_a_variance * guided.log_variance && fits(2 * size))
        size *= 2;
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
    const Pilot plain = pilot(with(Estimator::rasmussen_plus), samples, run);
    take(Estimator::guided, guided);
    const auto gains = [&](const Pilot& other) {
      return other.variance * other.work < expected_variance_ * work_a_sample_;
    };
    // What varies widely says little of itself in a pilot run.
    if (plain.log_variance < tame_log_variance && gains(plain)) take(Estimator::rasmussen_plus, plain);
    if (asked.device.kind != DeviceChoice::Kind::cuda && fits(options_.population) && gains(population))
      take(Estimator::population, population);
  }

  std::uint64_t samples_a_chunk() const {
    return static_cast<std::uint64_t>(std::clamp(edges_a_chunk / std::max(work_a_sample_, 1.0), 1.0, 4096.0));
  }

  // How a sample is drawn: what a run that goes on, and other ranks, must do alike.
  std::string description() const {
    return std::string(to_string(options_.estimator)) + ", population " + std::to_string(options_.population) +
           ", scaling interval " + std::to_string(options_.scaling_interval) + ", rounds " +
           std::to_string(options_.scaling_rounds);
  }

  // Chooses as was chosen before, or first: pilot runs look at limits too.
  void agree(Work& work, const std::string& part) {
    ByteWriter out;
    out.put(options_.estimator);
    out.put(options_.population);
    out.put(work_a_sample_);
    const Bytes mine = out.take();
    const std::string agreed =
        work.decide(part + ", sampler", std::string(reinterpret_cast<const char*>(mine.data()), mine.size()));
    ByteReader in(std::as_bytes(std::span(agreed)));
    options_.estimator = in.get<Estimator>();
    options_.population = in.get<int>();
    work_a_sample_ = in.get<double>();
  }

  // Bytes of one thread's sampler.
  double bytes() const { return bytes(options_); }
  double bytes(const SampleOptions& options) const { return Sampler::bytes(problem_, options); }

  // Draws samples until there are `total`, or until `over` says so; then fewer, a contiguous range. GPUs draw some
  // ahead. `report` is told the share that is done.
  template <class Over, class Report>
  void draw(std::uint64_t total, const RunContext& run, Over&& over, Report&& report) {
    const std::uint64_t first = sums_.count, chunk_size = samples_a_chunk();
    if (total <= first) return;
    Job job;
    job.name = run.part() + ", samples " + std::to_string(first) + " to " + std::to_string(total - 1);
    job.description = description() + ", " + std::to_string(chunk_size) + " samples a chunk";
    job.num_pieces = (total - first + chunk_size - 1) / chunk_size;
    job.merge = [](const Bytes& earlier, const Bytes& later) {
      Drawn drawn = drawn_of(earlier);
      drawn.add(drawn_of(later));
      return as_bytes(drawn);
    };
    const int num_threads = run.num_threads();
    samplers_.resize(static_cast<std::size_t>(num_threads));
    const auto draw_chunks = [&](Pieces& pieces) {
      std::mutex mutex;  // of what GPUs drew
      const auto give = [&](std::uint64_t chunk, Drawn& drawn) {
        drawn.keep_largest();
        pieces.give(chunk, as_bytes(drawn));
        report(pieces.share_done());
      };
      parallel_until(static_cast<int>(std::min<std::uint64_t>(job.num_pieces, samplers_.size())), [&](int thread) {
        if (!gpus_ && over()) return false;
        std::unique_lock lock(mutex, std::defer_lock);
        if (gpus_) lock.lock();  // so that chunks come in rising order
        const bool alone = !run.work() || run.work()->num_ranks() == 1;
        // What other ranks may draw is not drawn ahead, so that a launch's chunks are taken at once.
        const auto chunks = pieces.take_some(gpus_ && !alone ? gpus_->range() / chunk_size + 1 : 1);
        if (!chunks) return false;
        const std::uint64_t begin = first + chunks->first * chunk_size,
                            end = std::min(total, first + chunks->end * chunk_size);
        if (gpus_) {
          const std::uint64_t drawn = draw_ahead(begin, end, alone ? std::min(total, begin + most_ahead) : end, over);
          const auto from = ahead_.begin() + static_cast<std::ptrdiff_t>(begin - ahead_from_);
          const std::vector<Sample> samples(from, from + static_cast<std::ptrdiff_t>(drawn));
          lock.unlock();
          for (std::uint64_t chunk = chunks->first; chunk < chunks->end; ++chunk) {
            const std::uint64_t at = (chunk - chunks->first) * chunk_size,
                                until = std::min(at + chunk_size, end - begin);
            if (until > drawn) return false;
            Drawn of_chunk;
            for (std::uint64_t i = at; i < until; ++i) of_chunk.add(samples[i].log());
            give(chunk, of_chunk);
          }
        } else {
          Drawn drawn;
          auto& sampler = samplers_[static_cast<std::size_t>(thread)];
          if (!sampler) sampler = std::make_unique<Sampler>(problem_, options_);
          try {
            for (std::uint64_t i = begin; i < end; ++i) {
              drawn.add(sampler->log_sample(seed_, i, [&] {
                if (over()) throw TimeOver{};
              }));
            }
          } catch (const TimeOver&) {
            return false;
          }
          give(chunks->first, drawn);
        }
        return true;
      });
    };
    Work here;
    const CompletedRanges::Prefix done = (run.work() ? run.work() : &here)->run(job, draw_chunks).prefix();
    if (done.num_pieces == 0) return;
    Drawn all{sums_, std::move(largest_)};
    all.add(drawn_of(done.record));
    sums_ = all.sums;
    largest_ = std::move(all.largest);
  }

 private:
  static constexpr std::uint64_t pilot_seed = 0x9e3779b97f4a7c15;

  // The options that are asked for, but for the estimator, and a size of population if it is one.
  SampleOptions with(Estimator estimator, int population = 2) const {
    SampleOptions options = options_;
    options.estimator = estimator;
    options.population = population;
    return options;
  }

  // Has samples [begin, end) in ahead_, and more up to `until`, or none of earlier numbers. Returns how many of the
  // former there are: fewer where `over` said so before.
  std::uint64_t draw_ahead(std::uint64_t begin, std::uint64_t end, std::uint64_t until,
                           const std::function<bool()>& over) {
    if (begin < ahead_from_ || begin > ahead_from_ + ahead_.size()) {
      ahead_.clear();
      ahead_from_ = begin;
    }
    while (ahead_from_ + ahead_.size() < end) {
      ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(begin - ahead_from_));
      ahead_from_ = begin;
      const std::uint64_t have = ahead_.size(), from = ahead_from_ + have;
      const std::uint64_t more = std::max(until, end) - from;
      ahead_.resize(have + more);
      const std::uint64_t drawn = gpus_->draw(seed_, from, std::span(ahead_).subspan(have), over);
      ahead_.resize(have + drawn);
      if (drawn < more) break;
    }
    return std::min(end, ahead_from_ + ahead_.size()) - begin;
  }

  Problem problem_;
  std::uint64_t seed_;
  SampleOptions options_;
  SampleSums sums_;
  double work_a_sample_ = 0, expected_variance_ = infinity;
  std::unique_ptr<gpu::GpuSampler> gpus_;
  std::vector<Sample> ahead_;  // drawn by GPUs, from number ahead_from_ on
  std::uint64_t ahead_from_ = 0;
  std::vector<double> largest_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
};

// Blocks draw from different streams.
std::uint64_t block_seed(std::uint64_t seed, std::uint64_t block) { return block == 0 ? seed : Random(seed, ~block)(); }

// What all blocks together say.
struct Moments {
  double variance = 0, third = 0, degrees = infinity;
  bool all_zero = false;
};
Moments moments_of(const std::vector<BlockSampler>& samplers, double confidence, RelativeInterval& interval) {
  Moments moments;
  double product = 1, satterthwaite = 0;
  for (const BlockSampler& sampler : samplers) {
    const SampleSums& sums = sampler.sums();
    const auto n = static_cast<double>(sums.count);
    moments.all_zero = moments.all_zero || sums.sum1 == 0;
    const double variance = sums.relative_variance() / n;
    product *= 1 + variance;
    moments.third += sums.relative_third() / (n * n);
    satterthwaite += variance * variance / (n - 1);
  }
  moments.variance = product - 1;
  if (satterthwaite > 0) moments.degrees = moments.variance * moments.variance / satterthwaite;
  interval = moments.all_zero || !std::isfinite(moments.variance)
                 ? RelativeInterval{0, infinity}
                 : skewed_interval(moments.variance, moments.third, std::max(moments.degrees, 1.0), confidence);
  return moments;
}

double arm(const RelativeInterval& interval) { return std::max(interval.high - 1, 1 - interval.low); }

// A plain sentence where a block's samples are no base for an interval.
std::string warning_of(const BlockEstimate& block, const SampleSums& sums) {
  char text[320];
  if (sums.sum1 == 0) {
    std::snprintf(text, sizeof text,
                  "all %llu samples ran into dead ends: nothing is known beyond the bracket; another method is needed",
                  static_cast<unsigned long long>(sums.count));
    return text;
  }
  constexpr double believable_tail = 0.7, believable_share = 0.2, enough_effective = 50;
  const bool few = block.effective_samples < enough_effective && sums.relative_variance() > 1;
  if (block.least_scaled_weight < uneven) {
    return "weights differ by more than 2^60 however rows and columns are scaled: a few matchings may outweigh all "
           "that "
           "were drawn, and the interval is not to be believed; count exactly where that can be done";
  }
  if (block.tail_index <= believable_tail && block.largest_square_share <= believable_share && !few) return {};
  std::snprintf(
      text, sizeof text,
      "the samples are too heavy-tailed for the interval to be believed (effective samples %.3g of %llu, tail "
      "index %.2f, %.0f %% of the variance from one sample): the truth may be far above; use another method "
      "or many more samples",
      block.effective_samples, static_cast<unsigned long long>(sums.count), block.tail_index,
      100 * block.largest_square_share);
  return text;
}

class Estimation {
 public:
  Estimation(const BipartiteGraph& graph, const EstimateOptions& options, Work* work)
      : options_(options), run_(options.run, work), threads_(run_.num_threads()) {
    estimate_.seed = options.run.seed;
    estimate_.confidence = options.confidence;
    // A device that can't be had is refused even where nothing is left to sample.
    if (options.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.device);
    prepare(graph);
  }

  Estimate run() {
    if (!estimate_.hall_violator) {
      if (!samplers_.empty()) sample();
      finish();
    }
    estimate_.time_s.total = run_.elapsed_s();
    return std::move(estimate_);
  }

 private:
  void prepare(const BipartiteGraph& graph) {
    auto entries = positive_entries(graph);
    const Matching matching = maximum_matching(graph, run_);
    estimate_.method = "structure";
    if (!matching.is_perfect()) {
      estimate_.hall_violator = hall_violator(graph, matching, matching.size < graph.num_rows());
      estimate_.exact = true;
      estimate_.log_value = estimate_.bracket.log_lower = estimate_.bracket.log_upper = -infinity;
      return;
    }
    run_.check();
    exact_ = ScaledReal(DoubleDouble(1.0), scale(graph, entries, run_));
    ReduceOptions reduce_options;
    // Merged vertices have many edges of uneven weight: on the 24 x 24 grid guided samples vary twice as much with
    // them.
    reduce_options.degree2 = false;
    Reduced<RealEntry> reduced = reduce(graph, entries, matching, reduce_options, run_);
    estimate_.reductions = reduced.counts;
    for (const RealEntry& factor : reduced.factors) exact_ = exact_ * ScaledReal(factor.value);
    estimate_.time_s.structure = stopwatch_.lap();
    if (run_.work()) run_.work()->identify(identity_of(reduced));
    double log_bracket_low = 0, log_bracket_high = 0;
    for (const Block<RealEntry>& block : reduced.blocks) {
      run_.check();
      BlockEstimate result;
      result.size = block.pattern.num_rows();
      result.edges = block.pattern.num_edges();
      if (result.size <= options_.exact_rows) {
        RunOptions left = options_.run;
        left.time_limit_s = run_.seconds_left();
        const ScaledReal value = count_exactly(block, left);
        exact_ = exact_ * value;
        result.log_value = value.log2_abs() * log_of_2;
        if (samplers_.empty()) estimate_.method = "exact";
      } else {
        std::vector<double> weights;
        for (const RealEntry& entry : block.entries) weights.push_back(entry.value.hi);
        Problem problem = make_problem(block.pattern, weights, maximum_matching(block.pattern, run_));
        propagate(problem, most_rounds, run_);
        const BetheBracket bracket = bethe_bracket(problem, run_);
        const Unevenness found = unevenness(block.pattern, weights, run_);
        result.least_scaled_weight = found.least_scaled_weight;
        log_bracket_low += std::max(bracket.log_lower, found.log_lower);
        log_bracket_high += bracket.log_upper;
        samplers_.emplace_back(std::move(problem), block_seed(options_.run.seed, samplers_.size()));
        sampled_.push_back(estimate_.blocks.size());
      }
      estimate_.blocks.push_back(result);
    }
    const double log_exact = exact_.log2_abs() * log_of_2;
    estimate_.bracket = {log_bracket_low + log_exact, log_bracket_high + log_exact};
    estimate_.time_s.bracket = stopwatch_.lap();
  }

  // What this is a run of.
  std::vector<std::pair<std::string, std::string>> identity_of(const Reduced<RealEntry>& reduced) const {
    return {{"input", identity(reduced)},
            {"seed", std::to_string(options_.run.seed)},
            {"samples", std::to_string(options_.samples)},
            {"relative error", std::to_string(options_.relative_error)},
            {"exact blocks", "of at most " + std::to_string(options_.exact_rows) + " rows"},
            {"method", std::string(to_string(options_.method)) + ", scaling interval " +
                           std::to_string(options_.scaling_interval) + ", rounds " +
                           std::to_string(options_.scaling_rounds) + ", population " +
                           std::to_string(options_.population)}};
  }

  bool over() const {
    if (options_.run.stop.stop_requested()) throw Cancelled("cancelled by the caller");
    return run_.seconds_left() <= 0;
  }

  static std::string part(std::size_t block) { return "block " + std::to_string(block + 1); }

  // Tells `report` the share that is done.
  template <class Report>
  void draw(BlockSampler& sampler, std::uint64_t total, Report&& report) {
    const auto block = static_cast<std::size_t>(&sampler - samplers_.data());
    sampler.draw(
        total, run_.in_part(part(block)), [&] { return over(); }, report);
    // Nothing can be said before there are two.
    if (sampler.sums().count < 2) throw Unable("the time limit was over before there were two samples of every block");
    estimate_.out_of_time = estimate_.out_of_time || sampler.sums().count < total;
  }

  // What all samples are predicted to take on the CPU.
  double predicted_s() const {
    double seconds = 0;
    for (const BlockSampler& sampler : samplers_) {
      const double reach = normal_quantile((1 + options_.confidence) / 2) / options_.relative_error;
      const double samples =
          options_.samples > 0 ? static_cast<double>(options_.samples) : sampler.expected_variance() * reach * reach;
      seconds += samples * sampler.work_a_sample() * seconds_a_work / threads_;
    }
    return std::min(seconds, run_.seconds_left());
  }

  void use_gpus() {
    const auto kind = options_.device.kind;
    const auto is_drawn = [](const BlockSampler& sampler) { return gpu::draws(sampler.options().estimator); };
    if (kind == DeviceChoice::Kind::cuda && !std::all_of(samplers_.begin(), samplers_.end(), is_drawn))
      throw Unable("a population is drawn on the CPU alone: another method is needed for a GPU");
    if (kind == DeviceChoice::Kind::cpu || std::none_of(samplers_.begin(), samplers_.end(), is_drawn)) return;
    if (kind == DeviceChoice::Kind::automatic && predicted_s() < worth_a_gpu_s) return;
    estimate_.gpus = choose_devices(options_.device);
    if (kind == DeviceChoice::Kind::automatic)
      std::erase_if(estimate_.gpus, [](const DeviceInfo& device) { return !gpu::sampler_image().runs_on(device); });
    if (estimate_.gpus.empty()) return;
    std::vector<std::future<DeviceContext>> starting;
    for (const DeviceInfo& device : estimate_.gpus)
      starting.push_back(std::async(std::launch::async, [device] { return DeviceContext(device); }));
    std::vector<DeviceContext> contexts;
    for (auto& context : starting) contexts.push_back(context.get());
    for (BlockSampler& sampler : samplers_) {
      if (is_drawn(sampler))
        sampler.use(std::make_unique<gpu::GpuSampler>(sampler.problem(), sampler.options(), contexts));
    }
    estimate_.time_s.start = stopwatch_.lap();
  }

  void sample() {
    double bytes = 0;
    const auto limit = static_cast<double>(resolve_memory_limit(options_.run));
    for (BlockSampler& sampler : samplers_)
      sampler.choose(options_, memory_share * limit / static_cast<double>(samplers_.size()), run_);
    if (run_.work()) {
      for (std::size_t i = 0; i < samplers_.size(); ++i) samplers_[i].agree(*run_.work(), part(i));
    }
    use_gpus();
    for (const BlockSampler& sampler : samplers_)
      bytes += sampler.on_gpus() ? 1.0 * most_ahead * sizeof(Sample) : threads_ * sampler.bytes();
    if (bytes > limit) {
      char text[160];
      std::snprintf(text, sizeof text, "%d threads' samplers need %.3g MB, and the memory limit is %.3g MB", threads_,
                    bytes / 1048576, limit / 1048576);
      throw Unable(text);
    }
    if (options_.samples > 0) {
      const std::uint64_t total = std::max<std::uint64_t>(options_.samples, 2);
      const auto blocks = static_cast<double>(samplers_.size());
      double done = 0;
      for (BlockSampler& sampler : samplers_) {
        draw(sampler, estimate_.out_of_time ? 2 : total, [&](double share) { report(done + share, blocks); });
        ++done;
      }
      return;
    }
    for (BlockSampler& sampler : samplers_) {
      const bool population = sampler.options().estimator == Estimator::population;
      draw(sampler, population ? first_populations : first_samples, [](double) {});
    }
    while (!estimate_.out_of_time) {
      RelativeInterval interval;
      const Moments moments = moments_of(samplers_, options_.confidence, interval);
      const double now = moments.all_zero ? infinity : arm(interval);
      if (now <= options_.relative_error) break;
      report(std::min(1.0, std::pow(options_.relative_error / now, 2)), 1);
      // The block where a sample's work gains most gets a quarter more, or up to three times as many more where the
      // error asks for that: a GPU is not busy with few.
      BlockSampler* best = nullptr;
      double best_gain = -1;
      for (BlockSampler& sampler : samplers_) {
        const auto n = static_cast<double>(sampler.sums().count);
        const double variance = std::min(sampler.sums().relative_variance(), 1e30);
        const double gain = variance / (n * n * sampler.work_a_sample());
        if (gain > best_gain) {
          best_gain = gain;
          best = &sampler;
        }
      }
      const std::uint64_t count = best->sums().count;
      const double missing = std::clamp(0.9 * std::pow(now / options_.relative_error, 2) - 1, 0.25, 3.0);
      const auto more = static_cast<std::uint64_t>(missing * static_cast<double>(count));
      draw(*best, count + std::max(more, best->samples_a_chunk()), [](double) {});
    }
  }

  void report(double done, double total) {
    if (run_.seconds_left() > 0) try {
        run_.report("samples", done, total);
      } catch (const Cancelled&) {
        throw;
      } catch (const Unable&) {
        // The time is over, which ends the sampling alone.
      }
  }

  void finish() {
    estimate_.time_s.sample = stopwatch_.lap();
    if (samplers_.empty()) {
      estimate_.exact = true;
      estimate_.value = estimate_.low = estimate_.high = exact_;
      estimate_.log_value = exact_.log2_abs() * log_of_2;
      return;
    }
    double log_sampled = 0, zeros = 0;
    estimate_.effective_samples = infinity;
    for (std::size_t i = 0; i < samplers_.size(); ++i) {
      const BlockSampler& sampler = samplers_[i];
      const SampleSums& sums = sampler.sums();
      BlockEstimate& block = estimate_.blocks[sampled_[i]];
      block.method = sampler.options().estimator;
      if (block.method == Estimator::population) block.population = sampler.options().population;
      block.samples = sums.count;
      block.zeros = sums.zeros;
      block.log_value = sums.log_mean();
      block.relative_deviation = std::sqrt(sums.relative_variance());
      block.effective_samples = sums.effective_samples();
      block.tail_index = tail_index(sampler.largest(), sums.count);
      block.largest_square_share = sums.relative_variance() > 1e-12 ? sums.largest_square_share() : 0;
      if (i == 0) estimate_.method = to_string(block.method);
      if (estimate_.warning.empty()) estimate_.warning = warning_of(block, sums);
      log_sampled += block.log_value;
      zeros += static_cast<double>(sums.zeros);
      estimate_.samples += sums.count;
      estimate_.effective_samples = std::min(estimate_.effective_samples, block.effective_samples);
    }
    estimate_.zero_fraction = zeros / static_cast<double>(estimate_.samples);
    RelativeInterval interval;
    const Moments moments = moments_of(samplers_, options_.confidence, interval);
    estimate_.standard_error = std::sqrt(moments.variance);
    estimate_.relative_error = arm(interval);
    estimate_.value = exact_ * from_log(log_sampled);
    estimate_.log_value = log_sampled + exact_.log2_abs() * log_of_2;
    // Rounding of the samples' logarithms, so that samples without variance leave an interval that holds.
    const double rounding = 1e-15 * (100 + std::fabs(log_sampled));
    const auto& bracket = estimate_.bracket;
    const double log_low = moments.all_zero || interval.low == 0
                               ? bracket.log_lower
                               : estimate_.log_value + std::log(interval.low) - rounding;
    const double log_high = std::isfinite(interval.high) && !moments.all_zero
                                ? estimate_.log_value + std::log(interval.high) + rounding
                                : bracket.log_upper;
    // Samples that contradict what is certain are no base for anything.
    const bool contradicted = log_high < bracket.log_lower || log_low > bracket.log_upper;
    if (contradicted && estimate_.warning.empty()) estimate_.warning = "the samples' interval lies outside the bracket";
    estimate_.low = from_log(contradicted ? bracket.log_lower : std::max(log_low, bracket.log_lower));
    estimate_.high = from_log(contradicted ? bracket.log_upper : std::min(log_high, bracket.log_upper));
  }

  const EstimateOptions& options_;
  RunContext run_;
  int threads_;
  Stopwatch stopwatch_;
  Estimate estimate_;
  ScaledReal exact_;
  std::vector<BlockSampler> samplers_;
  std::vector<std::size_t> sampled_;  // their places among the blocks
};

constexpr Estimator estimators[] = {Estimator::automatic, Estimator::rasmussen,    Estimator::rasmussen_plus,
                                    Estimator::scaling,   Estimator::scaling_plus, Estimator::guided,
                                    Estimator::population};

}  // namespace

std::string_view to_string(Estimator estimator) {
  switch (estimator) {
    case Estimator::automatic:
      return "auto";
    case Estimator::rasmussen:
      return "rasmussen";
    case Estimator::rasmussen_plus:
      return "rasmussen+";
    case Estimator::scaling:
      return "scaling";
    case Estimator::scaling_plus:
      return "scaling+";
    case Estimator::guided:
      return "guided";
    case Estimator::population:
      return "population";
  }
  return "";
}

Estimator estimator_from_string(std::string_view name) {
  for (const Estimator estimator : estimators) {
    if (to_string(estimator) == name) return estimator;
  }
  throw InputError("estimator \"" + std::string(name) + "\"",
                   "auto, rasmussen, rasmussen+, scaling, scaling+, guided or population");
}

Estimate estimate_permanent(const Matrix& matrix, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(matrix.drop_zeros(), options, work).run();
}

Estimate estimate_perfect_matchings(const BipartiteGraph& graph, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(graph.pattern(), options, work).run();
}

Estimate estimate_cycle_covers(const Digraph& digraph, const EstimateOptions& options, Work* work) {
  return estimate_perfect_matchings(digraph.bipartite(), options, work);
}

}  // namespace matchcount
