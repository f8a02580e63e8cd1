// A question is taken apart into connected graphs (engine/matching_parts.hpp). Each is summed up by the frontier method
// for matchings that need not be perfect, along a tree decomposition or by pairs of vertices where one sum is asked for
// or, if that is predicted to take less, completed to a larger graph whose perfect matchings any method counts.
//
// What is exact is counted in Gaussian integers: with T the common denominator of all weights, edges are multiplied by
// T where every matching of a kind has as many of them, or where sums are told apart by that number, and by T^2,
// vertices by T, where they are not. Reals and complex numbers are summed up in floating point, or as they are held,
// which are fractions, where sums of several sizes are asked for or nothing may be rounded.

#include "permanent/engine/answer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "permanent/engine/completed_graph.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/matching_parts.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/trees/sums.hpp"

namespace matchcount {
namespace {

using Wanted = MatchingQuestion::Wanted;
using Polynomial = GaussianPolynomial;

// A method that takes no longer is not compared with others, nor is the speed of this machine measured.
constexpr double momentary_s = 0.02;
// The search for an order takes this share of the time limit.
constexpr double search_share_of_time = 0.1;
// Double-doubles are taken by themselves where they take no longer.
constexpr double cheap_matchings_s = 1;
// The frontier method sums up smaller graphs in a moment; sums by pairs take a prime below 2^24 for every 24 bits.
constexpr Vertex fewest_pair_vertices = 16;
constexpr double most_pair_bits = 1e5;
// GPUs are looked for where the CPU takes longer.
constexpr double worth_a_gpu_s = 1;

Integer power(const Integer& base, std::size_t exponent) { return pow(base, static_cast<unsigned>(exponent)); }

class MatchingSums {
  using By = MatchingsBy;

 public:
  MatchingSums(MatchingParts parts, const Question& question, const RunContext& run)
      : parts_(std::move(parts)), question_(question), run_(run) {
    in_floats_ = parts_.is_inexact && question.options.run.precision != Precision::exact &&
                 question.matchings != MatchingKind::by_size;
    for (const MatchingPart& part : parts_.parts) {
      in_floats_ = in_floats_ && part.question.wanted == Wanted::sum &&
                   floats_hold(as_entries(part.weights.edges), as_entries(part.weights.vertices));
    }
    if (in_floats_) return;
    for (const MatchingPart& part : parts_.parts) denominator_ = lcm(denominator_, part.weights.common_denominator());
    for (MatchingPart& part : parts_.parts) part.question.is_uniform = std::apply(are_uniform, scaled(part.weights));
  }

  void prepare(Plan& plan) {
    refuse_what_is_not_kept();
    const CountOptions& options = question_.options;
    const std::size_t num_vertices = plan.vertices + plan.rows + plan.columns;
    require_order_of(options, num_vertices);
    const std::vector<Vertex> places = options.order ? places_in(*options.order) : std::vector<Vertex>();
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      const std::vector<Vertex>& names = parts_.parts[i].names;
      Prepared& prepared = prepared_.emplace_back();
      if (options.order) prepared.order = order_among(places, names);
      add_block(plan, prepare(i));
      if (!options.wants_order) continue;
      const bool by_tree = prepared.by == By::tree;
      for (const Vertex v : by_tree ? prepared.trees.order : prepared.native.sequence) plan.order.push_back(names[v]);
    }
    if (options.wants_order) put_others_first(plan.order, num_vertices);
  }

  // Refuses what would pass a limit, before anything is counted.
  void keep_limits(const Plan& plan) const {
    if (std::isinf(plan.seconds)) throw Unable("no method applies: " + plan.blocks.front().forecasts.front().reason);
    require_within_limits("this", {plan.seconds, plan.memory_bytes}, run_);
  }

  void count(MatchingResult& result) {
    if (in_floats_) {
      result.run.value = in_floats(result.run);
      return;
    }
    const Sums sums = exactly(false, result.run);
    check_small_sizes(sums);
    const std::vector<double> errors = errors_of(sums, result.run);
    MatchingSum total = exact_answer(sums.total, sums.of_total, parts_.kind(), log2_total(errors));
    result.run.value = std::move(total.value);
    result.fraction = std::move(total.fraction);
    if (question_.matchings != MatchingKind::by_size) return;
    for (std::size_t k = 0; k <= parts_.maximum_matching; ++k)
      result.by_size.push_back(exact_answer(sums.by_pairs[k], power(denominator_, k), parts_.kind(), errors[k]));
  }

 private:
  struct Prepared {
    By by = By::layers;
    MatchingPlan native;
    std::string why_not;                               // the native sum does not apply
    TreeProgram trees;                                 // no bags: the sum along a tree does not apply
    std::shared_ptr<const std::vector<Vertex>> order;  // that was given
    std::vector<DeviceInfo> gpus;                      // that sum up by pairs; none: the CPU does
  };

  void refuse_what_is_not_kept() const {
    const CountOptions& count = question_.options;
    const std::string not_by = ", not by " + std::string(to_string(count.method));
    if (question_.matchings == MatchingKind::maximal && !is_allowed(By::layers))
      throw Unable("maximal matchings are counted by the method " + name_of(By::layers) + not_by);
    if (!is_any() && asked() == By::completion && !may_be_completed())
      throw Unable("such matchings are counted by the methods " + name_of(By::layers) + ", " + name_of(By::tree) +
                   " and " + name_of(By::pairs) + not_by);
    if (count.run.device.kind == DeviceChoice::Kind::cuda && !may_be_completed() &&
        !std::ranges::all_of(parts_.parts,
                             [&](const MatchingPart& part) { return may_be_by_pairs(part) || may_be_on_gpus(part); }))
      throw Unable("such matchings are counted on the CPU alone");
  }
  bool is_any() const { return question_.options.method == Method::automatic; }
  // Returns how the method that was asked for sums up: by completion alone where it has no sums of its own, or where
  // none was asked for.
  By asked() const { return is_any() ? By::completion : entry_of(question_.options.method).matchings; }
  bool is_allowed(By by) const { return is_any() || asked() == by; }
  static std::string name_of(By by) { return std::string(to_string(method_of(by))); }
  bool may_be_by_pairs(const MatchingPart& part) const {
    const CountOptions& count = question_.options;
    return is_allowed(By::pairs) && part.question.wanted == Wanted::sum && !part.question.unmatched.maximal &&
           policy_of(question_.matchings).of_every_size && part.graph.num_vertices() <= max_pair_vertices &&
           (in_floats_ || !parts_.is_complex) && !count.order && !count.wants_order;
  }
  bool is_alone() const { return !run_.work() || (run_.num_ranks() == 1 && !run_.work()->keeps()); }
  // A larger graph's perfect matchings are counted by calls that keep no checkpoint of ours and share nothing.
  bool may_be_completed() const {
    return is_alone() && !question_.options.order && !question_.options.wants_order &&
           std::ranges::all_of(parts_.parts, [&](const MatchingPart& part) {
             return can_be_completed(part, question_) && (part.question.wanted == Wanted::sum || !parts_.is_inexact) &&
                    (in_floats_ || !parts_.is_inexact);
           });
  }
  bool may_be_on_gpus(const MatchingPart& part) const {
    return part.question.wanted == Wanted::sum && !part.question.unmatched.maximal && !in_floats_;
  }
  bool is_native_allowed(const MatchingPart& part) const {
    return is_allowed(By::layers) &&
           (question_.options.run.device.kind != DeviceChoice::Kind::cuda || may_be_on_gpus(part));
  }

  RunContext run_of(std::size_t i, bool magnitudes = false) const {
    return run_.in_part((magnitudes ? "magnitudes of component " : "component ") + std::to_string(i + 1));
  }

  bool fits(const Forecast& forecast) const { return forecast.applies && run_.has_memory_for(forecast.memory_bytes); }
  bool is_momentary(const Forecast& forecast) const { return fits(forecast) && forecast.seconds <= momentary_s; }
  bool is_better(const Forecast& a, const Forecast& b) const { return !fits(b) || a.seconds < b.seconds; }

  // Looks at the ways to sum up a part, of which the first forecast is followed.
  BlockPlan prepare(std::size_t i) {
    constexpr Vertex least_vertices_of_trees_first = 400;
    const MatchingPart& part = parts_.parts[i];
    const CountOptions& options = question_.options;
    Prepared& prepared = prepared_[i];
    const bool trees_first = part.graph.num_vertices() >= least_vertices_of_trees_first;
    Forecast pairs = plan_pairs(part, prepared);
    const double useful_s = fits(pairs) ? pairs.seconds : infinity;
    Forecast trees = not_applicable(method_of(By::tree), {});
    if (trees_first) trees = plan_trees(part, infinity, prepared);
    if (is_momentary(trees) && !options.verify)
      prepared.why_not = "a sum along a tree takes a moment";
    else if (is_native_allowed(part))
      plan_native(i, std::min(trees.seconds, useful_s), prepared);
    else
      prepared.why_not = "another method or device was asked for";
    Forecast native = not_applicable(method_of(By::layers), prepared.why_not);
    if (prepared.why_not.empty()) {
      const MatchingPlan& plan = prepared.native;
      const double log2_operations = std::log2(plan.layout.dense_transitions + plan.layout.sparse_transitions + 1);
      native = forecast_of(method_of(By::layers), {log2_operations, plan.seconds, plan.memory_bytes, plan.description});
      native.on_gpu = !plan.gpus.empty();
    }
    if (!trees_first && !is_momentary(native))
      trees = plan_trees(part, fits(native) ? std::min(native.seconds, useful_s) : useful_s, prepared);
    BlockPlan block{part.graph.num_vertices(), false, part.graph.num_edges(), Precision::automatic, {native}};
    std::vector<Forecast>& forecasts = block.forecasts;
    if (trees.applies) forecasts.push_back(trees);
    if (fits(trees) && is_better(trees, native)) {
      prepared.by = By::tree;
      std::swap(forecasts[0], forecasts[1]);
    }
    if (pairs.applies) {
      // Bounds are wider by pairs: they are for what the frontier method would sum up in doubles.
      const bool is_in_double_doubles = in_floats_ && native.applies && native.seconds <= cheap_matchings_s &&
                                        doubles(prepared.native) == (parts_.is_complex ? 4 : 2);
      const bool competes = !is_momentary(forecasts.front()) && !is_in_double_doubles;
      if (competes && !pairs.on_gpu) pairs.seconds *= scale(pairs.seconds, &Throughput::ryser_scale);
      const bool is_followed =
          agreed(competes && fits(pairs) && is_better(pairs, forecasts.front()), "by pairs", run_of(i));
      if (is_followed) prepared.by = By::pairs;
      forecasts.insert(is_followed ? forecasts.begin() : forecasts.end(), pairs);
    }
    if (may_be_completed() && asked() != By::layers && asked() != By::tree && !is_momentary(forecasts.front()) &&
        !(pairs.applies && asked() == By::pairs)) {
      Forecast completed = forecast_of_completed(count_completed(part, question_, run_, Until::plan).plan, part);
      const bool is_followed = completed.applies && is_better(completed, forecasts.front());
      if (is_followed) prepared.by = By::completion;
      forecasts.insert(is_followed ? forecasts.begin() : forecasts.end(), std::move(completed));
    }
    return block;
  }

  void plan_native(std::size_t i, double useful_s, Prepared& prepared) const {
    const MatchingPart& part = parts_.parts[i];
    const CountOptions& options = question_.options;
    try {
      prepared.native = plan_matchings(part.question, log2_weight(part), parts_.is_complex, options.effort_s, run_of(i),
                                       search_share_of_time * options.run.time_limit_s, useful_s, prepared.order.get());
      if (in_floats_) prepared.native = plan_for_floats(std::move(prepared.native), doubles(prepared.native), run_);
      if (prepared.native.gpus.empty()) {
        if (options.run.device.kind == DeviceChoice::Kind::cuda) throw Unable("layers are too small for a GPU");
        prepared.native.seconds *= scale(prepared.native.seconds);
      }
    } catch (const OverLimit&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const Unable& error) {
      prepared.why_not = error.what();
      if (prepared.trees.bags.empty()) prepared.why_not += what_was_found(prepared.trees);
    }
  }

  // Plans one sum along a tree decomposition. Ranks, and runs that are resumed, share the frontier method's work alone.
  Forecast plan_trees(const MatchingPart& part, double useful_s, Prepared& prepared) const {
    const CountOptions& options = question_.options;
    const bool is_asked = asked() == By::tree;
    const UndirectedGraph& graph = part.question.pattern;
    const bool by_size = part.question.wanted == Wanted::by_pairs;
    if (part.question.wanted == Wanted::most_unmatched || part.question.unmatched.maximal ||
        (by_size && parts_.is_complex) || options.run.device.kind == DeviceChoice::Kind::cuda ||
        (!is_asked && (!is_alone() || !is_any())))
      return not_applicable(method_of(By::tree), {});
    // Sums of double-doubles need no bound.
    const auto [edges, vertices] =
        in_floats_ ? std::pair<std::vector<GaussianInteger>, std::vector<GaussianInteger>>() : scaled(part.weights);
    const double log2_bound = in_floats_ ? 0 : log2_bound_of_matchings(graph, edges, vertices);
    const TreeQuestion question{graph, part.question.unmatched.may_be, false, log2_bound, by_size};
    const TreeProgram& trees = prepared.trees = prepared.order
                                                    ? tree_program_along(question, *prepared.order, run_)
                                                    : find_tree_program(question, useful_s, options.run.seed, run_);
    if (trees.bags.empty()) return not_applicable(method_of(By::tree), {});
    if (by_size) {
      const double seconds = seconds_by_size(trees);
      return forecast_of(method_of(By::tree), {log2_operations_of(trees), seconds * scale(seconds), trees.by_size_bytes,
                                               description_of(trees) + " of polynomials"});
    }
    const double seconds = in_floats_ ? seconds_in_reals(trees, parts_.is_complex) + seconds_in_reals(trees, false)
                                      : seconds_in_integers(trees) * (parts_.is_complex ? 4 : 1);
    const double bytes = bytes_of(trees, in_floats_ ? sizeof(ScaledComplex) : sizeof(GaussianInteger) + log2_bound / 8);
    return forecast_of(method_of(By::tree),
                       {log2_operations_of(trees), seconds * scale(seconds), bytes, description_of(trees)});
  }

  // Predicts a sum by pairs of vertices, on the machine of the cost models or, where that is quicker, on GPUs.
  Forecast plan_pairs(const MatchingPart& part, Prepared& prepared) const {
    const CountOptions& options = question_.options;
    const Vertex vertices = part.graph.num_vertices();
    const bool on_cuda = options.run.device.kind == DeviceChoice::Kind::cuda;
    const Forecast nothing = not_applicable(method_of(By::pairs), {});
    if (!may_be_by_pairs(part) || (is_any() && vertices < fewest_pair_vertices && !on_cuda)) return nothing;
    NumberType number;
    if (in_floats_) {
      number.kind = parts_.is_complex ? WeightKind::complex : WeightKind::real;
      number.precision = pairs_precision();
    } else {
      const auto [edges, vertices_left_out] = scaled(part.weights);
      number.log2_bound = log2_matchings_bound(part.question.pattern, edges, vertices_left_out);
    }
    if (number.log2_bound > most_pair_bits) return nothing;
    const auto forecast = [&](std::vector<DeviceInfo> gpus) {
      return forecast_of(method_of(By::pairs),
                         cost_by_pairs(vertices, true, number, machine_of(run_, std::move(gpus))));
    };
    const Forecast on_cpu = forecast({});
    if (on_cuda ? vertices < fewest_gpu_pair_vertices : on_cpu.seconds < worth_a_gpu_s) return on_cpu;
    prepared.gpus = choose_devices(options.run.device);
    Forecast on_gpus = prepared.gpus.empty() ? nothing : forecast(prepared.gpus);
    on_gpus.on_gpu = true;
    if (on_gpus.seconds < (on_cuda ? infinity : on_cpu.seconds)) return on_gpus;
    prepared.gpus.clear();
    return on_cuda ? nothing : on_cpu;
  }
  Precision pairs_precision() const {
    return question_.options.run.precision == Precision::float64 ? Precision::float64 : Precision::double_double;
  }

  double scale(double seconds, double Throughput::*of_method = &Throughput::frontier_scale) const {
    if (question_.options.throughput) return (*question_.options.throughput).*of_method;
    return seconds < momentary_s ? 1 : this_throughput().*of_method;
  }

  // -- The sum of a part.

  struct Exactly {
    std::vector<GaussianInteger> edges, vertices;
    Precision precision = Precision::automatic;
  };
  struct InFloats {
    std::vector<ComplexEntry> edges, vertices;
    Precision precision;
  };

  Polynomial sum_along(std::size_t i, const MatchingPlan& plan, const Exactly& weights, const RunContext& run) const {
    return sum_matchings(parts_.parts[i].question, plan, weights.edges, weights.vertices, run);
  }
  ComplexValue sum_along(std::size_t i, const MatchingPlan& plan, const InFloats& weights,
                         const RunContext& run) const {
    return sum_matchings(parts_.parts[i].question, plan, weights.edges, weights.vertices, !parts_.is_complex,
                         weights.precision, run);
  }
  Polynomial sum_by_tree(std::size_t i, const Exactly& weights) const {
    const MatchingQuestion& question = parts_.parts[i].question;
    if (question.wanted == Wanted::by_pairs) {
      Polynomial sums;
      for (Integer& sum : sums_by_size_along_tree(prepared_[i].trees, weights.edges, weights.vertices, run_))
        sums.push_back({std::move(sum), 0});
      sums.resize(question.most_pairs + std::size_t{1});
      return sums;
    }
    return {sum_along_tree(prepared_[i].trees, weights.edges, weights.vertices, run_)};
  }
  ComplexValue sum_by_tree(std::size_t i, const InFloats& weights) const {
    return sum_along_tree(prepared_[i].trees, weights.edges, weights.vertices, !parts_.is_complex, run_);
  }
  Polynomial sum_by_pairs(std::size_t i, const Exactly& weights, const RunContext& run) const {
    return {
        matchings_by_pairs(parts_.parts[i].question.pattern, weights.edges, weights.vertices, run, prepared_[i].gpus)};
  }
  ComplexValue sum_by_pairs(std::size_t i, const InFloats& weights, const RunContext& run) const {
    return matchings_by_pairs(parts_.parts[i].question.pattern, weights.edges, weights.vertices, !parts_.is_complex,
                              weights.precision, run, prepared_[i].gpus);
  }
  static bool are_alike(const Polynomial& a, const Polynomial& b) { return a == b; }
  static bool are_alike(const ComplexValue& a, const ComplexValue& b) { return agree(a, b); }

  template <class Weights>
  auto sum_of(std::size_t i, const Weights& weights, bool magnitudes, Result& result) {
    const auto by = prepared_[i].by;
    const RunContext run = run_of(i, magnitudes);
    Stopwatch stopwatch;
    auto value = by == By::tree    ? sum_by_tree(i, weights)
                 : by == By::pairs ? sum_by_pairs(i, weights, run)
                                   : sum_along(i, prepared_[i].native, weights, run);
    if (magnitudes) return value;
    const double seconds = stopwatch.lap();
    if (question_.options.verify) {
      const RunContext again = run_.in_part("verification of component " + std::to_string(i + 1));
      if (!are_alike(value, sum_along(i, second_plan(i), weights, again)))
        throw Error("two sums of the same matchings differ; please report this graph");
    }
    result.method = method_of(by);
    const std::vector<DeviceInfo>& gpus = by == By::pairs ? prepared_[i].gpus : prepared_[i].native.gpus;
    if (by != By::tree && !gpus.empty()) result.gpus = gpus;
    result.blocks.push_back({result.method, weights.precision, seconds});
    return value;
  }

  Value count_as_perfect(std::size_t i, Result& result) {
    Stopwatch stopwatch;
    Result one = count_completed(parts_.parts[i], question_, run_, Until::value);
    for (const Check& check : one.checks)
      if (check.kind == Check::Kind::verify) verified_.note(check.detail.substr(check.detail.find("by ") + 3));
    if (one.method != Method::structure) result.method = one.method;
    if (!one.gpus.empty()) result.gpus = one.gpus;
    const Precision precision = one.blocks.empty() ? Precision::automatic : one.blocks.front().precision;
    result.blocks.push_back({one.method, precision, stopwatch.lap()});
    return std::move(one.value);
  }

  // -- Exactly.

  struct Sums {
    Polynomial by_pairs;  // times denominator_^k, for k edges
    GaussianInteger total;
    Integer of_total = 1;  // what it was multiplied by
  };

  // Bounds log2 of the magnitude of an integer edge, and of the square of that of a vertex.
  double log2_weight(const MatchingPart& part) const {
    if (in_floats_) return 0;
    const auto [edges, vertices] = scaled(part.weights);
    double most = 0;
    for (const GaussianInteger& value : edges)
      if (value != GaussianInteger{}) most = std::max(most, log2_abs(abs(value.re) + abs(value.im)));
    for (const GaussianInteger& value : vertices)
      if (value != GaussianInteger{}) most = std::max(most, 2 * log2_abs(abs(value.re) + abs(value.im)));
    return most;
  }

  bool scales_vertices() const { return policy_of(question_.matchings).weighs_unmatched; }
  std::pair<std::vector<GaussianInteger>, std::vector<GaussianInteger>> scaled(const MatchingWeights& weights) const {
    if (!scales_vertices()) return {times_multiple(weights.edges, denominator_), times_multiple(weights.vertices, 1)};
    return {times_multiple(weights.edges, denominator_ * denominator_), times_multiple(weights.vertices, denominator_)};
  }

  Sums exactly(bool magnitudes, Result& result) {
    std::vector<Polynomial> factors;
    std::size_t pairs = 0, vertices = 0;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      const MatchingPart& part = parts_.parts[i];
      pairs += part.pairs;
      vertices += part.graph.num_vertices();
      if (prepared_[i].by == By::completion) {
        factors.push_back({{std::get<Integer>(count_as_perfect(i, result)), 0}});
      } else {
        auto [edges, left_out] = scaled(magnitudes ? part.weights.magnitudes() : part.weights);
        factors.push_back(sum_of(i, Exactly{std::move(edges), std::move(left_out)}, magnitudes, result));
      }
    }
    Sums sums;
    sums.by_pairs = product_of(std::move(factors), Polynomial{{1, 0}},
                               [&](const Polynomial& a, const Polynomial& b) { return times(a, b, run_); });
    const Integer isolated = denominator(parts_.isolated.re) * denominator(parts_.isolated.im);
    const Polynomial constant = times_multiple(
        {magnitudes ? GaussianRational{abs(parts_.isolated.re) + abs(parts_.isolated.im), 0} : parts_.isolated},
        isolated);
    if (question_.matchings == MatchingKind::by_size) {
      if (constant.front() == GaussianInteger{}) sums.by_pairs.assign(sums.by_pairs.size(), {});
      for (std::size_t k = 0; k < sums.by_pairs.size(); ++k) {
        const Integer rest = power(denominator_, sums.by_pairs.size() - 1 - k);
        add_multiple(1, times(sums.by_pairs[k], {rest, 0}), sums.total);
      }
      sums.of_total = power(denominator_, sums.by_pairs.size() - 1);
      return sums;
    }
    sums.total = times(sums.by_pairs.front(), constant.front());
    sums.of_total = power(denominator_, scales_vertices() ? vertices : pairs) * isolated;
    return sums;
  }

  // There is one matching without edges, and those of one edge are the edges.
  void check_small_sizes(const Sums& sums) const {
    if (question_.matchings != MatchingKind::by_size || !question_.always_matched.empty()) return;
    GaussianInteger edges;
    for (const MatchingPart& part : parts_.parts)
      for (const GaussianInteger& weight : scaled(part.weights).first) add_multiple(1, weight, edges);
    const bool right =
        sums.by_pairs[0] == GaussianInteger{1, 0} && (sums.by_pairs.size() == 1 || sums.by_pairs[1] == edges);
    if (!right) throw Error("sums by size that begin with others than 1 and the edges; please report this graph");
  }

  // Returns, by coefficient, log2 of what the entries' own errors add up to.
  std::vector<double> errors_of(const Sums& sums, Result& result) {
    std::vector<double> errors(sums.by_pairs.size(), -infinity);
    if (!parts_.is_inexact || question_.options.run.precision == Precision::exact) return errors;
    constexpr double log2_entry_error = -100;
    const double in_term = std::log2(static_cast<double>(result.plan.vertices + 2));
    const Sums magnitudes = exactly(true, result);
    const bool by_size = question_.matchings == MatchingKind::by_size;
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const Integer& sum = by_size ? magnitudes.by_pairs[k].re : magnitudes.total.re;
      const Integer divisor = by_size ? power(denominator_, k) : magnitudes.of_total;
      errors[k] = log2_abs(sum) - log2_abs(divisor) + log2_entry_error + in_term + 1;
    }
    return errors;
  }
  static double log2_total(const std::vector<double>& errors) {
    double total = -infinity;
    for (const double error : errors) total = log2_sum(total, error);
    return total;
  }

  MatchingPlan second_plan(std::size_t i) {
    const MatchingPlan& first = prepared_[i].native;
    if (prepared_[i].by != By::layers) {
      if (!prepared_[i].why_not.empty())
        throw Unable("no second method verifies a sum along a tree or by pairs: " + prepared_[i].why_not);
      verified_.note(name_of(By::layers));
      return first;
    }
    auto [plan, is_backwards] = plan_again(parts_.parts[i].question, first, !parts_.is_complex && !in_floats_);
    verified_.note(name_of(By::layers) + (is_backwards ? " along another order" : " in other numbers"));
    return plan;
  }

  // -- In floating point.

  int doubles(const MatchingPlan& plan) const {
    const Precision asked = question_.options.run.precision;
    const int parts = parts_.is_complex ? 2 : 1;
    if (asked != Precision::automatic) return asked == Precision::float64 ? parts : 2 * parts;
    RunOptions one_thread;
    one_thread.num_threads = 1;
    return plan_for_floats(plan, 2 * parts, RunContext(one_thread)).seconds <= cheap_matchings_s ? 2 * parts : parts;
  }

  Value in_floats(Result& result) {
    ComplexValue total;
    total.value.re = nearest_real(parts_.isolated.re);
    total.value.im = nearest_real(parts_.isolated.im);
    total.log2_error = log2_abs(total.value) - 98;
    total.log2_magnitudes = log2_abs(total.value) + 1;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      const Prepared& prepared = prepared_[i];
      if (prepared.by == By::completion) {
        const Value value = count_as_perfect(i, result);
        const auto* real = std::get_if<RealValue>(&value);
        total = times(total, real ? ComplexValue{{real->value, {}}, real->log2_error, real->log2_magnitudes}
                                  : std::get<ComplexValue>(value));
        continue;
      }
      const MatchingWeights& weights = parts_.parts[i].weights;
      const bool in_doubles = prepared.by == By::pairs ? pairs_precision() == Precision::float64
                                                       : prepared.by == By::layers &&
                                                             doubles(prepared.native) == (parts_.is_complex ? 2 : 1);
      const InFloats entries{as_entries(weights.edges), as_entries(weights.vertices),
                             in_doubles ? Precision::float64 : Precision::double_double};
      total = times(total, sum_of(i, entries, false, result));
    }
    if (parts_.is_complex) return total;
    return RealValue{total.value.re, total.log2_error, total.log2_magnitudes};
  }

 public:
  // Says how something was counted a second time; empty: nothing was.
  const std::string& verified_by() const { return verified_.by; }

 private:
  MatchingParts parts_;
  const Question& question_;
  const RunContext& run_;
  std::vector<Prepared> prepared_;
  bool in_floats_ = false;
  Verified verified_;
  Integer denominator_ = 1;
};

Question perfect_of(const Question& question) {
  return {question.graph, question.options, MatchingKind::perfect, question.weighted, question.fractions};
}

}  // namespace

template <class Graph>
MatchingResult count_imperfect(const Graph& graph, const Question& question, Work* work, Until until) {
  const RunContext run = context_of(question.options.run, work, until);
  Stopwatch stopwatch;
  MatchingParts parts = matching_parts(graph, question, run);
  MatchingResult result;
  Plan& plan = result.run.plan;
  const Vertex size = parts.maximum_matching;
  if (parts.is_perfect) {
    result = answer(perfect_of(question), work, until);
    result.edges_of_each = size;
    return result;
  }
  describe(graph, plan);
  plan.maximum_matching = size;
  plan.hall_violator = parts.hall_violator;
  result.run.seed = question.options.run.seed;
  result.run.time_s.structure = stopwatch.lap();
  if (parts.hall_violator) {
    result.run.value = exact_answer({}, 1, parts.kind(), -infinity).value;
    if (question.options.wants_order) put_others_first(plan.order, plan.vertices + plan.rows + plan.columns);
    result.run.time_s.total = run.elapsed_s();
    return result;
  }
  if (!policy_of(question.matchings).of_every_size) result.edges_of_each = size;
  if (work && until == Until::value) identify(identity(parts, question), question.options, run);
  MatchingSums sums(std::move(parts), question, run);
  sums.prepare(plan);
  if (until == Until::plan) return result;
  result.run.time_s.order = stopwatch.lap();
  sums.keep_limits(plan);
  announce(question.options, plan);
  sums.count(result);
  if (!sums.verified_by().empty()) result.run.checks.push_back({Check::Kind::verify, true, sums.verified_by()});
  result.run.time_s.count = stopwatch.lap();
  result.run.time_s.total = run.elapsed_s();
  return result;
}

template MatchingResult count_imperfect(const BipartiteGraph&, const Question&, Work*, Until);
template MatchingResult count_imperfect(const UndirectedGraph&, const Question&, Work*, Until);

}  // namespace matchcount
