#include "approx/estimation.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "approx/statistics.hpp"
#include "core/amounts.hpp"
#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

// The first look at the error is taken after that many samples of a block.
constexpr std::uint64_t first_samples = 1024;
// One thread's population takes this share of the memory limit; a function of the limit alone, so that threads do not
// show.
constexpr double memory_share = 1.0 / 64;
// Samples take longer than in pilot runs where the cache does not hold those of all threads.
constexpr double slower = 3;
// Pilot runs and the first populations take so long by pair of a slot and one of its target's: a step adds up what its
// neighbours' neighbours send. Half a minute of the 150,000 edges of a cubic graph.
constexpr double seconds_a_pair_of_slots = 3.3e-5;
// GPUs are started where they are not asked for if samples are predicted to take longer without.
constexpr double worth_a_gpu_s = 2;

ScaledReal from_log(double log_value) {
  if (log_value == -infinity) return {};
  const double exponent = std::floor(log_value / std::numbers::ln2);
  return {DoubleDouble(std::exp(log_value - exponent * std::numbers::ln2)), static_cast<std::int64_t>(exponent)};
}

// Writes as many digits as tell any two doubles apart.
std::string all_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string part(std::size_t block) { return "block " + std::to_string(block + 1); }

void require(bool holds, const std::string& found, const std::string& expected) {
  if (!holds) throw InputError(found, expected);
}

// Blocks draw from different streams.
std::uint64_t block_seed(std::uint64_t seed, std::uint64_t block) { return block == 0 ? seed : Random(seed, ~block)(); }

// Moments joins the samples of all blocks.
struct Moments {
  double variance = 0, third = 0, degrees = infinity;
  // Adds up blocks whose samples are summed up by their logarithms, beside the others.
  double log_variance = 0, log_degrees = infinity;
  bool all_zero = false;
};
Moments moments_of(const std::vector<BlockSampler>& samplers, double confidence, RelativeInterval& interval) {
  Moments moments;
  double product = 1, satterthwaite = 0;
  for (const BlockSampler& sampler : samplers) {
    const SampleSums& sums = sampler.sums();
    if (sampler.log_sums().is_log_normal()) {
      moments.log_variance += sampler.log_sums().log_mean_variance();
      moments.log_degrees = std::min(moments.log_degrees, sampler.log_sums().degrees());
      continue;
    }
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
  if (moments.log_variance > 0) {
    const double reach = student_quantile(0.5 + confidence / 2, moments.log_degrees) * std::sqrt(moments.log_variance);
    // The logarithms' interval, and how far the other reaches.
    interval.low *= std::exp(-reach);
    interval.high *= std::exp(reach);
    moments.variance = (1 + moments.variance) * std::exp(std::min(moments.log_variance, 600.0)) - 1;
  }
  return moments;
}

double arm(const RelativeInterval& interval) { return std::max(interval.high - 1, 1 - interval.low); }

// Returns a plain sentence if a block's samples are no base for an interval.
std::string warning_of(const BlockEstimate& block, const SampleSums& sums) {
  char text[320];
  if (sums.sum1 == 0) {
    std::snprintf(text, sizeof text,
                  "all %llu samples ran into dead ends: nothing is known beyond the bracket; another method is needed",
                  static_cast<unsigned long long>(sums.count));
    return text;
  }
  if (block.by_logarithms) return {};
  constexpr double believable_tail = 0.7, believable_share = 0.2, enough_effective = 50;
  const bool few = block.effective_samples < enough_effective && sums.relative_variance() > 1;
  if (block.least_scaled_weight < uneven) {
    return "weights differ by more than 2^60 however rows and columns are scaled: a few matchings may outweigh all "
           "that were drawn, and the interval is not to be believed; count exactly where that can be done";
  }
  if (is_by_determinants(block.method)) {
    return "the variance of determinants with random entries grows exponentially with the vertices, and samples that "
           "count may not have been drawn: the interval is not to be believed; other methods draw matchings";
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

// Says whether GPUs draw the samples of a block.
bool is_drawn_on_gpus(const BlockSampler& sampler) {
  const Estimator estimator = sampler.options().estimator;
  return estimator == Estimator::population || (sampler.problem().bipartite && gpu::draws(estimator));
}

}  // namespace

void check(const EstimateOptions& options) {
  require(options.method != Estimator::exact && options.method != Estimator::structure,
          "the estimator " + std::string(to_string(options.method)), listed(names_to_ask_for<Estimator>()));
  // Its quantile has to exist in doubles.
  require(options.confidence > 0 && 0.5 + options.confidence / 2 < 1,
          "confidence " + std::to_string(options.confidence), "a confidence between 0 and 1, such as 0.95");
  require(options.samples > 0 || (options.relative_error > 0 && std::isfinite(options.relative_error)),
          "relative error " + std::to_string(options.relative_error), "a relative error above 0, such as 0.01");
  require(options.run.precision == Precision::automatic, "precision " + std::string(to_string(options.run.precision)),
          "none: samples are doubles");
  require(options.scaling_interval >= 1, "scaling interval " + std::to_string(options.scaling_interval), "1 or more");
  require(options.scaling_rounds >= 0, "scaling rounds " + std::to_string(options.scaling_rounds), "0 or more");
  require(options.population == 0 || options.population >= 2, "population " + std::to_string(options.population),
          "2 or more, or 0 for a pilot run to choose");
}

// The second one takes no part in the work that is shared and saved, which knows one run alone.
Estimate verified(const EstimateOptions& options, Work* work,
                  const std::function<Estimate(const EstimateOptions& options, Work* work)>& estimate) {
  if (!options.verify) return estimate(options, work);
  // 2.3 times the reach of a 95 % interval are 4.5 standard errors.
  constexpr double wide = 2.3, coarser = 5, coarsest = 0.5;
  constexpr std::uint64_t enough_samples = 64;
  Stopwatch stopwatch;
  EstimateOptions once = options, again = options;
  once.verify = again.verify = false;
  once.run.time_limit_s = options.run.time_limit_s / 2;
  Estimate first = estimate(once, work);
  if (first.exact) {
    first.checks.push_back({Check::Kind::verify, true, "nothing was left to sample"});
    return first;
  }
  again.method = first.method == Estimator::annealing ? Estimator::automatic : Estimator::annealing;
  again.population = 0;
  again.samples = std::min(options.samples, enough_samples);
  again.confidence = first.confidence;
  again.relative_error = std::min(coarser * options.relative_error, std::max(coarsest, options.relative_error));
  again.run.device.kind = DeviceChoice::Kind::cpu;
  const double first_s = stopwatch.lap();
  again.run.time_limit_s = std::max(1e-3, options.run.time_limit_s - first_s);
  const Estimate second = estimate(again, nullptr);
  for (const Estimate* of : {&std::as_const(first), &second}) {
    if (of->unknown || !of->warning.empty())
      throw Unable("the estimate can't be verified: by " + std::string(to_string(of->method)) + ", " +
                   (of->warning.empty() ? "there is none" : of->warning));
  }
  const auto log_of = [](const ScaledReal& value) { return value.log2_abs() * std::numbers::ln2; };
  const bool is_above = first.log_value > second.log_value;
  const Estimate &low = is_above ? second : first, &high = is_above ? first : second;
  const double apart = high.log_value - low.log_value,
               reach = std::hypot(log_of(low.high) - low.log_value, high.log_value - log_of(high.low));
  char text[200];
  std::snprintf(text, sizeof text, "by %s, %.2g %% either way: e^%+.2g times the value by %s",
                std::string(to_string(second.method)).c_str(), 100 * second.relative_error,
                second.log_value - first.log_value, std::string(to_string(first.method)).c_str());
  if (!(apart <= wide * reach * normal_quantile(0.975) / normal_quantile(0.5 + first.confidence / 2)))
    throw Error("two estimates disagree; please report this graph: " + std::string(text));
  first.checks.push_back({Check::Kind::verify, true, text});
  first.time_s.total = first_s + stopwatch.lap();
  return first;
}

Estimation::Estimation(const EstimateOptions& options, Work* work)
    : options_(options), run_(resolved(options.run), work), threads_(run_.num_threads()) {
  check(options);
  estimate_.seed = options.run.seed;
  estimate_.confidence = options.confidence;
  if (options.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.run.device);
}

void Estimation::multiply(const ScaledReal& factor, double error, bool whole) {
  exact_ = exact_ * factor;
  exact_error_ += error;
  whole_ = whole_ && whole;
}

void Estimation::add_counted(BlockEstimate block, const RealValue& count) {
  multiply(count.value, relative_error(count), true);
  block.method = Estimator::exact;
  block.log_value = count.value.log2_abs() * std::numbers::ln2;
  if (samplers_.empty()) estimate_.method = Estimator::exact;
  estimate_.blocks.push_back(block);
}

void Estimation::add(BlockEstimate block, Start start) {
  block.least_scaled_weight = start.least_scaled_weight;
  bracket_.log_lower += start.bracket.log_lower;
  bracket_.log_upper += start.bracket.log_upper;
  samplers_.emplace_back(std::move(start.problem), block_seed(options_.run.seed, samplers_.size()));
  sampled_.push_back(estimate_.blocks.size());
  estimate_.blocks.push_back(block);
}

void Estimation::identify(const std::string& input) const {
  if (!run_.work()) return;
  run_.work()->identify({{"input", input},
                         {"seed", std::to_string(options_.run.seed)},
                         {"samples", std::to_string(options_.samples)},
                         {"relative error", all_digits(options_.relative_error)},
                         {"confidence", all_digits(options_.confidence)},
                         {"exact blocks", "of at most " + std::to_string(options_.exact_rows) + " rows"},
                         {"method", std::string(to_string(options_.method)) + ", scaling interval " +
                                        std::to_string(options_.scaling_interval) + ", rounds " +
                                        std::to_string(options_.scaling_rounds) + ", population " +
                                        std::to_string(options_.population)}});
}

Estimate Estimation::result() {
  const double log_exact = exact_.log2_abs() * std::numbers::ln2;
  estimate_.bracket = {bracket_.log_lower + log_exact, bracket_.log_upper + log_exact};
  estimate_.time_s.bracket = stopwatch_.lap();
  if (!samplers_.empty()) sample();
  finish();
  estimate_.time_s.total = run_.elapsed_s();
  return std::move(estimate_);
}

// Ranks end together, with an error; alone, what was drawn is what there is to say.
bool Estimation::over() const {
  const bool stopped = options_.run.stop.stop_requested();
  if (stopped && run_.num_ranks() > 1) throw Cancelled("cancelled by the caller");
  return stopped || run_.seconds_left() <= 0;
}
// Tells `report` the share that is done.
void Estimation::draw(BlockSampler& sampler, std::uint64_t total, const std::function<void(double)>& report) {
  const auto block = static_cast<std::size_t>(&sampler - samplers_.data());
  sampler.draw(
      total, run_.in_part(part(block)), [&] { return over(); }, report);
  if (sampler.sums().count == total) return;
  const bool stopped = options_.run.stop.stop_requested();
  // Nothing can be said before there are two.
  if (sampler.sums().count < 2 && stopped) throw Cancelled("cancelled before there were two samples of every block");
  if (sampler.sums().count < 2) {
    // The time so far, and that of two rounds of all threads.
    const double needed = run_.elapsed_s() + 2 * sampler.work_a_sample() * slower * seconds_a_work;
    throw Unable("the time limit was over before there were two samples of every block: about " + time_amount(needed) +
                 " would do" +
                 (std::isfinite(sampler.enough_s(threads_))
                      ? ", and about " + time_amount(sampler.enough_s(threads_)) + " for an interval to be believed"
                      : ""));
  }
  (stopped ? estimate_.interrupted : estimate_.out_of_time) = true;
}

// Predicts the time of all samples on the CPU.
double Estimation::predicted_s() const {
  double seconds = 0;
  for (const BlockSampler& sampler : samplers_) {
    const double reach = normal_quantile((1 + options_.confidence) / 2) / options_.relative_error;
    const double samples =
        options_.samples > 0 ? static_cast<double>(options_.samples) : sampler.expected_variance() * reach * reach;
    seconds += samples * sampler.work_a_sample() * seconds_a_work / threads_;
  }
  return std::min(seconds, run_.seconds_left());
}

// Settles which GPUs draw; populations are then as large as suits them.
void Estimation::choose_gpus() {
  const auto kind = options_.run.device.kind;
  if (kind == DeviceChoice::Kind::cuda && !std::all_of(samplers_.begin(), samplers_.end(), is_drawn_on_gpus))
    throw Unable("annealing, determinants, and single samples of graphs with odd cycles are drawn on the CPU alone");
  if (kind == DeviceChoice::Kind::cpu || std::none_of(samplers_.begin(), samplers_.end(), is_drawn_on_gpus)) return;
  const auto is_slow_there = [&](const BlockSampler& sampler) {
    return is_drawn_on_gpus(sampler) && !sampler.suits_gpus(options_.run.time_limit_s);
  };
  if (kind == DeviceChoice::Kind::automatic &&
      (predicted_s() < worth_a_gpu_s || std::any_of(samplers_.begin(), samplers_.end(), is_slow_there)))
    return;
  estimate_.gpus = choose_devices(options_.run.device);
  if (kind == DeviceChoice::Kind::automatic)
    std::erase_if(estimate_.gpus, [](const DeviceInfo& device) { return !gpu::sampler_image().runs_on(device); });
  if (estimate_.gpus.empty()) return;
  const double share = 1.0 / static_cast<double>(samplers_.size());
  for (BlockSampler& sampler : samplers_) {
    sampler.choose_for_gpus(options_, run_);
    if (sampler.options().estimator == Estimator::population)
      sampler.enlarge_population(options_, share, estimate_.gpus);
  }
}

void Estimation::use_gpus() {
  if (estimate_.gpus.empty()) return;
  std::vector<DeviceContext> contexts;
  for (const auto& context : start_contexts(estimate_.gpus)) contexts.push_back(context.get());
  for (BlockSampler& sampler : samplers_) {
    if (is_drawn_on_gpus(sampler)) sampler.use(contexts, 1.0 / static_cast<double>(samplers_.size()));
  }
  estimate_.time_s.start = stopwatch_.lap();
}

void Estimation::sample() {
  double bytes = 0;
  const auto limit = static_cast<double>(run_.memory_limit_bytes());
  try {
    for (BlockSampler& sampler : samplers_)
      sampler.choose(options_, memory_share * limit / static_cast<double>(samplers_.size()), run_);
  } catch (const Unable&) {
    if (run_.seconds_left() > 0 || options_.run.stop.stop_requested()) throw;
    double pairs = 0;
    for (const BlockSampler& sampler : samplers_) {
      const Problem& problem = sampler.problem();
      for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) pairs += std::pow(problem.degree(v), 2);
    }
    throw Unable("the time limit was over before the first samples: about " +
                 time_amount(2 * run_.elapsed_s() + pairs * seconds_a_pair_of_slots) + " would do");
  }
  choose_gpus();
  for (std::size_t i = 0; i < samplers_.size(); ++i) samplers_[i].agree(run_.in_part(part(i)));
  use_gpus();
  for (const BlockSampler& sampler : samplers_)
    bytes += sampler.on_gpus() ? sampler.bytes_drawn_ahead() : threads_ * sampler.bytes();
  require_memory("the samplers of " + std::to_string(threads_) + " threads", bytes, run_);
  if (options_.samples > 0) {
    const std::uint64_t total = std::max<std::uint64_t>(options_.samples, 2);
    const auto blocks = static_cast<double>(samplers_.size());
    double done = 0;
    for (BlockSampler& sampler : samplers_) {
      draw(sampler, ended() ? 2 : total, [&](double share) { report(done + share, blocks); });
      ++done;
    }
    return;
  }
  for (BlockSampler& sampler : samplers_) {
    const bool population = is_by_populations(sampler.options().estimator);
    draw(sampler, population ? sampler.first_populations() : first_samples, [](double) {});
  }
  while (!ended()) {
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

void Estimation::report(double done, double total) {
  if (run_.seconds_left() > 0) try {
      run_.report("samples", done, total);
    } catch (const Unable&) {
      // The time is over, or the caller stops the run: over() sees to that.
    }
}

void Estimation::finish() {
  estimate_.time_s.sample = stopwatch_.lap();
  if (samplers_.empty()) {
    estimate_.exact = true;
    estimate_.value = exact_;
    // Whole numbers below 2^52 are not rounded at all.
    constexpr double rounding = 0x1p-90;
    const bool rounded = exact_error_ > 0 || !whole_ || exact_.log2_abs() > 52;
    const DoubleDouble error = rounded ? exact_error_ + rounding : 0;
    estimate_.low = exact_ * ScaledReal(DoubleDouble(1) - error);
    estimate_.high = exact_ * ScaledReal(DoubleDouble(1) + error);
    estimate_.log_value = exact_.log2_abs() * std::numbers::ln2;
    return;
  }
  double log_sampled = 0, zeros = 0;
  estimate_.effective_samples = infinity;
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    const BlockSampler& sampler = samplers_[i];
    const SampleSums& sums = sampler.sums();
    BlockEstimate& block = estimate_.blocks[sampled_[i]];
    block.method = sampler.options().estimator;
    if (is_by_populations(block.method)) block.population = sampler.options().population;
    block.samples = sums.count;
    block.zeros = sums.zeros;
    block.by_logarithms = sampler.log_sums().is_log_normal();
    block.log_value = block.by_logarithms ? sampler.log_sums().log_mean() : sums.log_mean();
    block.relative_deviation = std::sqrt(sums.relative_variance());
    block.effective_samples = sums.effective_samples();
    block.tail_index = tail_index(sampler.largest(), sums.count);
    block.largest_square_share = sums.relative_variance() > 1e-12 ? sums.largest_square_share() : 0;
    if (i == 0) estimate_.method = block.method;
    if (estimate_.warning.empty()) {
      estimate_.warning = warning_of(block, sums);
      if (!estimate_.warning.empty() && std::isfinite(sampler.enough_s(threads_)))
        estimate_.warning += "; populations that can be believed take about " +
                             time_amount(sampler.enough_s(threads_, estimate_.time_s.sample));
    }
    log_sampled += block.log_value;
    zeros += static_cast<double>(sums.zeros);
    estimate_.samples += sums.count;
    estimate_.effective_samples = std::min(estimate_.effective_samples, block.effective_samples);
  }
  estimate_.zero_fraction = zeros / static_cast<double>(estimate_.samples);
  state_interval(log_sampled);
}

// States the interval of the samples, as far as it does not contradict what is certain.
void Estimation::state_interval(double log_sampled) {
  RelativeInterval interval;
  const Moments moments = moments_of(samplers_, options_.confidence, interval);
  estimate_.standard_error = std::sqrt(moments.variance);
  const auto& bracket = estimate_.bracket;
  const double log_value = log_sampled + exact_.log2_abs() * std::numbers::ln2;
  // Rounding of the samples' logarithms, so that samples without variance leave an interval that holds.
  const double rounding = 1e-15 * (100 + std::fabs(log_sampled));
  double log_low = interval.low == 0 ? bracket.log_lower : log_value + std::log(interval.low) - rounding;
  double log_high = std::isfinite(interval.high) ? log_value + std::log(interval.high) + rounding : bracket.log_upper;
  estimate_.unknown = moments.all_zero;
  // Samples that contradict what is certain are no base for anything.
  const bool contradicted = log_high < bracket.log_lower || log_low > bracket.log_upper;
  if (contradicted && estimate_.warning.empty()) estimate_.warning = "the samples' interval lies outside the bracket";
  if (contradicted || moments.all_zero) log_low = -infinity, log_high = infinity;
  log_low = std::max(log_low, bracket.log_lower);
  log_high = std::max(std::min(log_high, bracket.log_upper), log_low);
  estimate_.low = from_log(log_low);
  estimate_.high = from_log(log_high);
  estimate_.log_value = moments.all_zero ? -infinity : std::clamp(log_value, log_low, log_high);
  // A value that stands as it was drawn is the product of its factors, to the last bit.
  estimate_.value = estimate_.log_value == log_value ? exact_ * from_log(log_sampled) : from_log(estimate_.log_value);
  constexpr double up = 1 + 1e-12;  // more than the logarithms' rounding takes away
  estimate_.relative_error = moments.all_zero ? infinity
                                              : up * std::max(std::expm1(log_high - estimate_.log_value),
                                                              -std::expm1(log_low - estimate_.log_value));
}

}  // namespace matchcount
