// Makes an estimate of a graph: structure, small blocks exactly, samples of the others until told to stop.

#include "approx/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <utility>

#include "approx/bethe.hpp"
#include "approx/block_sampler.hpp"
#include "approx/statistics.hpp"
#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount {
namespace {

const double log_of_2 = std::log(2.0);
// The first look at the error is taken after that many samples of a block, or populations.
constexpr std::uint64_t first_samples = 1024, first_populations = 16;
// Belief propagation converges in fewer rounds than a block is wide, or is stopped; the bracket then is wider.
constexpr int most_rounds = 1000;
// One thread's population takes this share of the memory limit; a function of the limit alone, so that threads do not
// show.
constexpr double memory_share = 1.0 / 64;
// GPUs are started where they are not asked for if samples are predicted to take longer without.
constexpr double worth_a_gpu_s = 2;

ScaledReal from_log(double log_value) {
  if (log_value == -infinity) return {};
  const double exponent = std::floor(log_value / log_of_2);
  return {DoubleDouble(std::exp(log_value - exponent * log_of_2)), static_cast<std::int64_t>(exponent)};
}

bool is_whole(const DoubleDouble& value) { return value.lo == 0 && value.hi == std::floor(value.hi); }

// Writes as many digits as tell any two doubles apart.
std::string all_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void require(bool holds, const std::string& found, const std::string& expected) {
  if (!holds) throw InputError(found, expected);
}

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

// ---- The pruned blocks.

template <class Graph>
std::vector<RealEntry> positive_entries(const Graph& graph) {
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

constexpr double uneven = 0x1p-60;

// Unevenness describes weights that differ by so much that samplers may never draw the matchings that count.
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

Vertex size_of(const Block<RealEntry>& block) { return block.pattern.num_rows(); }
Vertex size_of(const GraphBlock<RealEntry>& block) { return block.pattern.num_vertices(); }
Vertex num_pairs(const Block<RealEntry>& block) { return size_of(block); }
Vertex num_pairs(const GraphBlock<RealEntry>& block) { return size_of(block) / 2; }

template <class AnyBlock>
RealValue count_exactly(const AnyBlock& block, const RunOptions& run) {
  CountOptions count;
  count.run = run;
  bool integers = true;
  std::vector<std::int64_t> whole;
  std::vector<DoubleDouble> reals;
  for (const RealEntry& entry : block.entries) {
    reals.push_back(entry.value);
    integers = integers && entry.value.hi < 0x1p53 && is_whole(entry.value);
    if (integers) whole.push_back(static_cast<std::int64_t>(entry.value.hi));
  }
  const auto graph =
      integers ? block.pattern.with_weights(std::move(whole)) : block.pattern.with_weights(std::move(reals));
  const Result result = answer({&graph, count}).run;
  if (const auto* integer = std::get_if<Integer>(&result.value)) return {nearest_real(*integer)};
  return std::get<RealValue>(result.value);
}

// Start is a block before its samples, with the bounds that are certain.
struct Start {
  Problem problem;
  BetheBracket bracket;
  double least_scaled_weight = 1;
};
Start start_of(const Block<RealEntry>& block, const std::vector<double>& weights, const RunContext& run) {
  Start start{make_problem(block.pattern, weights, maximum_matching(block.pattern, run)), {}};
  propagate(start.problem, most_rounds, run);
  start.bracket = bethe_bracket(start.problem, run);
  const Unevenness found = unevenness(block.pattern, weights, run);
  start.bracket.log_lower = std::max(start.bracket.log_lower, found.log_lower);
  start.least_scaled_weight = found.least_scaled_weight;
  return start;
}
// Brackets a hafnian: from below by the matching at hand; from above, the square of a hafnian is at most the permanent
// of the symmetric matrix, since its terms, two perfect matchings each, are those of the permutations all of whose
// cycles are even.
Start start_of(const GraphBlock<RealEntry>& block, const std::vector<double>& weights, const RunContext& run) {
  const GraphMatching perfect = maximum_matching(block.pattern, run);
  Start start{make_problem(block.pattern, weights, perfect), {}};
  propagate(start.problem, most_rounds, run);
  const Problem& problem = start.problem;
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    for (std::uint32_t slot = problem.offset[v]; slot < problem.offset[v + 1]; ++slot) {
      if (v > perfect.partner[v] || problem.target[slot] != perfect.partner[v] || problem.weight[slot] == 1) continue;
      start.bracket.log_lower += std::log(problem.weight[slot]) - 1e-15;
    }
  }
  const BipartiteGraph matrix =
      block.pattern.with_weights(std::vector<DoubleDouble>(weights.begin(), weights.end())).symmetric_matrix();
  ReduceOptions as_it_is;
  as_it_is.degree2 = false;
  const Reduced<RealEntry> parts =
      reduce(matrix, positive_entries(matrix), maximum_matching(matrix, run), as_it_is, run);
  for (const RealEntry& factor : parts.factors) start.bracket.log_upper += std::log(factor.value.hi) / 2;
  for (const Block<RealEntry>& part : parts.blocks) {
    std::vector<double> of_part;
    for (const RealEntry& entry : part.entries) of_part.push_back(entry.value.hi);
    const Start of_permanent = start_of(part, of_part, run);
    start.bracket.log_upper += of_permanent.bracket.log_upper / 2;
    start.least_scaled_weight = std::min(start.least_scaled_weight, of_permanent.least_scaled_weight);
  }
  start.bracket.log_upper += 1e-9;
  return start;
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
           "that "
           "were drawn, and the interval is not to be believed; count exactly where that can be done";
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

class Estimation {
 public:
  template <class Graph>
  Estimation(const Graph& graph, const EstimateOptions& options, Work* work)
      : options_(options), run_(resolved(options.run), work), threads_(run_.num_threads()) {
    estimate_.seed = options.run.seed;
    estimate_.confidence = options.confidence;
    // A device that can't be had is refused even where nothing is left to sample.
    if (options.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.run.device);
    prepare(graph);
  }

  Estimate run() {
    if (!estimate_.hall_violator && !estimate_.tutte_set) {
      if (!samplers_.empty()) sample();
      finish();
    }
    estimate_.time_s.total = run_.elapsed_s();
    return std::move(estimate_);
  }

 private:
  template <class Graph>
  void prepare(const Graph& graph) {
    auto entries = positive_entries(graph);
    StructureOptions structure_options;
    // A scaled hafnian may have lost what counts.
    constexpr bool odd_cycles = std::is_same_v<Graph, UndirectedGraph>;
    structure_options.scaling = odd_cycles ? StructureOptions::Scaling::never : StructureOptions::Scaling::if_uneven;
    // Merged vertices have many edges of uneven weight: on the 24 x 24 grid guided samples vary twice as much with
    // them.
    structure_options.reduce.degree2 = false;
    const Structure<RealEntry> structure(
        &graph, [&] { return std::move(entries); }, structure_options, run_);
    if (!structure.plan.has_perfect_matching()) {
      estimate_.hall_violator = structure.plan.hall_violator;
      estimate_.tutte_set = structure.plan.tutte_set;
      estimate_.exact = true;
      estimate_.log_value = estimate_.bracket.log_lower = estimate_.bracket.log_upper = -infinity;
      return;
    }
    exact_ = ScaledReal(DoubleDouble(1.0), structure.scaling.exponent);
    estimate_.reductions = structure.plan.reductions;
    whole_ = structure.scaling.exponent == 0;
    exact_error_ = std::exp2(structure.scaling.log2_lost);
    for (const auto* factors : {&structure.reduced.factors, &structure.graph_factors}) {
      for (const RealEntry& factor : *factors) {
        exact_ = exact_ * ScaledReal(factor.value);
        whole_ = whole_ && is_whole(factor.value);
      }
    }
    estimate_.time_s.structure = stopwatch_.lap();
    if (run_.work()) run_.work()->identify(identity_of(structure));
    BetheBracket bracket{0, 0};
    for (const GraphBlock<RealEntry>& block : structure.graph_blocks) add_block(block, bracket);
    for (const Block<RealEntry>& block : structure.reduced.blocks) add_block(block, bracket);
    const double log_exact = exact_.log2_abs() * log_of_2;
    estimate_.bracket = {bracket.log_lower + log_exact, bracket.log_upper + log_exact};
    estimate_.time_s.bracket = stopwatch_.lap();
  }

  // A small block is counted, another gets a sampler and adds to the bracket.
  template <class AnyBlock>
  void add_block(const AnyBlock& block, BetheBracket& bracket) {
    run_.check();
    BlockEstimate result;
    result.size = size_of(block);
    result.bipartite = std::is_same_v<AnyBlock, Block<RealEntry>>;
    result.edges = block.pattern.num_edges();
    if (num_pairs(block) <= options_.exact_rows) {
      const RealValue counted = count_exactly(block, what_is_left(run_));
      const ScaledReal& value = counted.value;
      exact_ = exact_ * value;
      exact_error_ += relative_error(counted);
      result.method = Estimator::exact;
      result.log_value = value.log2_abs() * log_of_2;
      if (samplers_.empty()) estimate_.method = Estimator::exact;
    } else {
      std::vector<double> weights;
      for (const RealEntry& entry : block.entries) weights.push_back(entry.value.hi);
      Start start = start_of(block, weights, run_);
      result.least_scaled_weight = start.least_scaled_weight;
      bracket.log_lower += start.bracket.log_lower;
      bracket.log_upper += start.bracket.log_upper;
      samplers_.emplace_back(std::move(start.problem), block_seed(options_.run.seed, samplers_.size()));
      sampled_.push_back(estimate_.blocks.size());
    }
    estimate_.blocks.push_back(result);
  }

  // Names everything that a checkpoint's run depends on.
  std::vector<std::pair<std::string, std::string>> identity_of(const Structure<RealEntry>& structure) const {
    return {{"input", structure.identity()},
            {"seed", std::to_string(options_.run.seed)},
            {"samples", std::to_string(options_.samples)},
            {"relative error", all_digits(options_.relative_error)},
            {"confidence", all_digits(options_.confidence)},
            {"exact blocks", "of at most " + std::to_string(options_.exact_rows) + " rows"},
            {"method", std::string(to_string(options_.method)) + ", scaling interval " +
                           std::to_string(options_.scaling_interval) + ", rounds " +
                           std::to_string(options_.scaling_rounds) + ", population " +
                           std::to_string(options_.population)}};
  }

  // Ranks end together, with an error; alone, what was drawn is what there is to say.
  bool over() const {
    const bool stopped = options_.run.stop.stop_requested();
    if (stopped && run_.num_ranks() > 1) throw Cancelled("cancelled by the caller");
    return stopped || run_.seconds_left() <= 0;
  }
  bool ended() const { return estimate_.out_of_time || estimate_.interrupted; }

  static std::string part(std::size_t block) { return "block " + std::to_string(block + 1); }

  // Tells `report` the share that is done.
  template <class Report>
  void draw(BlockSampler& sampler, std::uint64_t total, Report&& report) {
    const auto block = static_cast<std::size_t>(&sampler - samplers_.data());
    sampler.draw(
        total, run_.in_part(part(block)), [&] { return over(); }, report);
    if (sampler.sums().count == total) return;
    const bool stopped = options_.run.stop.stop_requested();
    // Nothing can be said before there are two.
    if (sampler.sums().count < 2 && stopped) throw Cancelled("cancelled before there were two samples of every block");
    if (sampler.sums().count < 2) throw Unable("the time limit was over before there were two samples of every block");
    (stopped ? estimate_.interrupted : estimate_.out_of_time) = true;
  }

  // Predicts the time of all samples on the CPU.
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
    const auto kind = options_.run.device.kind;
    const auto is_drawn = [](const BlockSampler& sampler) {
      return sampler.problem().bipartite && gpu::draws(sampler.options().estimator);
    };
    if (kind == DeviceChoice::Kind::cuda && !std::all_of(samplers_.begin(), samplers_.end(), is_drawn))
      throw Unable("populations, determinants and samples of graphs with odd cycles are drawn on the CPU alone");
    if (kind == DeviceChoice::Kind::cpu || std::none_of(samplers_.begin(), samplers_.end(), is_drawn)) return;
    if (kind == DeviceChoice::Kind::automatic && predicted_s() < worth_a_gpu_s) return;
    estimate_.gpus = choose_devices(options_.run.device);
    if (kind == DeviceChoice::Kind::automatic)
      std::erase_if(estimate_.gpus, [](const DeviceInfo& device) { return !gpu::sampler_image().runs_on(device); });
    if (estimate_.gpus.empty()) return;
    std::vector<DeviceContext> contexts;
    for (const auto& context : start_contexts(estimate_.gpus)) contexts.push_back(context.get());
    for (BlockSampler& sampler : samplers_) {
      if (is_drawn(sampler))
        sampler.use(std::make_unique<gpu::GpuSampler>(sampler.problem(), sampler.options(), contexts));
    }
    estimate_.time_s.start = stopwatch_.lap();
  }

  void sample() {
    double bytes = 0;
    const auto limit = static_cast<double>(run_.memory_limit_bytes());
    for (BlockSampler& sampler : samplers_)
      sampler.choose(options_, memory_share * limit / static_cast<double>(samplers_.size()), run_);
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
      const bool population = sampler.options().estimator == Estimator::population;
      draw(sampler, population ? first_populations : first_samples, [](double) {});
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

  void report(double done, double total) {
    if (run_.seconds_left() > 0) try {
        run_.report("samples", done, total);
      } catch (const Unable&) {
        // The time is over, or the caller stops the run: over() sees to that.
      }
  }

  void finish() {
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
      block.by_logarithms = sampler.log_sums().is_log_normal();
      block.log_value = block.by_logarithms ? sampler.log_sums().log_mean() : sums.log_mean();
      block.relative_deviation = std::sqrt(sums.relative_variance());
      block.effective_samples = sums.effective_samples();
      block.tail_index = tail_index(sampler.largest(), sums.count);
      block.largest_square_share = sums.relative_variance() > 1e-12 ? sums.largest_square_share() : 0;
      if (i == 0) estimate_.method = block.method;
      if (estimate_.warning.empty()) estimate_.warning = warning_of(block, sums);
      log_sampled += block.log_value;
      zeros += static_cast<double>(sums.zeros);
      estimate_.samples += sums.count;
      estimate_.effective_samples = std::min(estimate_.effective_samples, block.effective_samples);
    }
    estimate_.zero_fraction = zeros / static_cast<double>(estimate_.samples);
    state_interval(log_sampled);
  }

  // States the interval of the samples, as far as it does not contradict what is certain.
  void state_interval(double log_sampled) {
    RelativeInterval interval;
    const Moments moments = moments_of(samplers_, options_.confidence, interval);
    estimate_.standard_error = std::sqrt(moments.variance);
    const auto& bracket = estimate_.bracket;
    const double log_value = log_sampled + exact_.log2_abs() * log_of_2;
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

  const EstimateOptions& options_;
  RunContext run_;
  int threads_;
  Stopwatch stopwatch_;
  Estimate estimate_;
  ScaledReal exact_;
  double exact_error_ = 0;  // relative, of the blocks
  bool whole_ = true;       // the factors beside the blocks
  std::vector<BlockSampler> samplers_;
  std::vector<std::size_t> sampled_;  // their places among the blocks
};

}  // namespace

Estimate estimate_permanent(const Matrix& matrix, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(matrix.drop_zeros(), options, work).run();
}

Estimate estimate_perfect_matchings(const BipartiteGraph& graph, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(graph.pattern(), options, work).run();
}

Estimate estimate_perfect_matchings(const UndirectedGraph& graph, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(graph.pattern(), options, work).run();
}

Estimate estimate_hafnian(const UndirectedGraph& graph, const EstimateOptions& options, Work* work) {
  check(options);
  return Estimation(graph.drop_zeros(), options, work).run();
}

Estimate estimate_cycle_covers(const Digraph& digraph, const EstimateOptions& options, Work* work) {
  return estimate_perfect_matchings(digraph.bipartite(), options, work);
}

}  // namespace matchcount
