// A question is taken apart into connected graphs (engine/matching_parts.hpp). Each is summed up by the frontier method
// for matchings that need not be perfect, along a tree decomposition where one sum is asked for or, where that is
// predicted to take less, completed to a larger graph whose perfect matchings are counted by any method.
//
// What is exact is counted in Gaussian integers: with T the common denominator of all weights, edges are multiplied by
// T where every matching of a kind has as many of them, or where sums are told apart by that number, and by T^2,
// vertices by T, where they are not. Reals and complex numbers are summed up in floating point, or as they are held,
// which are fractions, where sums of several sizes are asked for or nothing may be rounded.

#include "permanent/engine/sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/completed_matchings.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/matching_parts.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/trees/sums.hpp"

namespace matchcount {
namespace {

using Wanted = MatchingQuestion::Wanted;
using Polynomial = std::vector<GaussianInteger>;

constexpr double infinity = std::numeric_limits<double>::infinity();
// A method that takes no longer is not compared with others, nor is the speed of this machine measured.
constexpr double momentary_s = 0.02;
// The search for an order takes this share of the time limit.
constexpr double search_share_of_time = 0.1;
// Double-doubles are taken by themselves where they take no longer.
constexpr double cheap_s = 1;

GaussianInteger times(const GaussianInteger& a, const GaussianInteger& b) {
  if (a.im.sign() == 0 && b.im.sign() == 0) return {a.re * b.re, 0};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Polynomial times(const Polynomial& a, const Polynomial& b, const RunContext& run) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    run.check();
    for (std::size_t j = 0; j < b.size(); ++j) add_multiple(1, times(a[i], b[j]), product[i + j]);
  }
  return product;
}
Integer power(const Integer& base, std::size_t exponent) { return pow(base, static_cast<unsigned>(exponent)); }

class MatchingSums {
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
  }

  void prepare(Plan& plan) {
    refuse_what_is_not_kept();
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      prepare(i);
      plan.blocks.push_back(block_plan(i));
      const Forecast& first = plan.blocks.back().forecasts.front();
      plan.seconds += first.seconds;
      plan.memory_bytes = std::max(plan.memory_bytes, first.memory_bytes);
    }
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
    MatchingAnswer total = exact_answer(sums.total, sums.of_total, weights_of_all(), log2_total(errors));
    result.run.value = std::move(total.value);
    result.fraction = std::move(total.fraction);
    if (question_.matchings != MatchingKind::by_size) return;
    for (std::size_t k = 0; k <= parts_.maximum_matching; ++k) {
      MatchingAnswer one = exact_answer(sums.by_pairs[k], power(denominator_, k), weights_of_all(), errors[k]);
      result.by_size.push_back({std::move(one.value), std::move(one.fraction)});
    }
  }

 private:
  struct Prepared {
    MatchingPlan native;
    std::string why_not;  // the native sum does not apply
    TreeProgram trees;    // no bags: the sum along a tree does not apply
    double trees_s = infinity, trees_bytes = 0;
    bool is_by_tree = false;  // it is what is followed
    std::optional<Plan> completed;
    bool is_completed = false;  // it is what is followed
  };

  void refuse_what_is_not_kept() const {
    const CountOptions& count = question_.options;
    if (count.method != Method::automatic && count.method != Method::frontier && count.method != Method::trees &&
        !may_be_completed())
      throw Unable("such matchings are counted by the methods frontier and trees, not by " +
                   std::string(to_string(count.method)));
    if (count.run.device.kind == DeviceChoice::Kind::cuda && !may_be_completed())
      throw Unable("such matchings are counted on the CPU alone");
  }
  // A larger graph's perfect matchings are counted by calls that keep no checkpoint of ours and share nothing.
  bool may_be_completed() const {
    const Work* work = run_.work();
    const bool alone = !work || (work->num_ranks() == 1 && !work->keeps());
    return alone && std::ranges::all_of(parts_.parts, [&](const MatchingPart& part) {
             return can_be_completed(part, question_) && (part.question.wanted == Wanted::sum || !parts_.is_inexact) &&
                    (in_floats_ || !parts_.is_inexact);
           });
  }
  bool is_native_allowed() const {
    const CountOptions& count = question_.options;
    return (count.method == Method::automatic || count.method == Method::frontier) &&
           count.run.device.kind != DeviceChoice::Kind::cuda;
  }

  RunContext run_of(std::size_t i, bool magnitudes = false) const {
    return run_.in_part((magnitudes ? "magnitudes of component " : "component ") + std::to_string(i + 1));
  }

  void prepare(std::size_t i) {
    const MatchingPart& part = parts_.parts[i];
    Prepared prepared;
    constexpr Vertex least_vertices_of_trees_first = 400;
    const bool trees_first = part.question.pattern.num_vertices() >= least_vertices_of_trees_first;
    if (trees_first) plan_trees(part, infinity, prepared);
    const bool is_found = prepared.trees_s < momentary_s && run_.has_memory_for(prepared.trees_bytes);
    if (is_found && !question_.options.verify) {
      prepared.why_not = "a sum along a tree takes a moment";
    } else if (is_native_allowed()) {
      try {
        const CountOptions& options = question_.options;
        prepared.native = plan_matchings(part.question, log2_weight(part), parts_.is_complex, options.effort_s,
                                         run_of(i), search_share_of_time * options.run.time_limit_s, prepared.trees_s);
        if (in_floats_) prepared.native = plan_for_floats(std::move(prepared.native), doubles(prepared.native), run_);
        prepared.native.seconds *= scale(prepared.native.seconds);
      } catch (const OverLimit&) {
        throw;
      } catch (const Cancelled&) {
        throw;
      } catch (const Unable& error) {
        prepared.why_not = error.what();
        if (prepared.trees.bags.empty()) prepared.why_not += what_was_found(prepared.trees);
      }
    } else {
      prepared.why_not = "another method or device was asked for";
    }
    const bool applies = prepared.why_not.empty();
    bool fits = applies && run_.has_memory_for(prepared.native.memory_bytes);
    double least_s = applies ? prepared.native.seconds : infinity;
    if (!trees_first && (!fits || least_s > momentary_s)) plan_trees(part, fits ? least_s : infinity, prepared);
    if (!prepared.trees.bags.empty() && run_.has_memory_for(prepared.trees_bytes) &&
        (!fits || prepared.trees_s < least_s)) {
      prepared.is_by_tree = fits = true;
      least_s = prepared.trees_s;
    }
    if (may_be_completed() && question_.options.method != Method::frontier &&
        question_.options.method != Method::trees && (!fits || least_s > momentary_s)) {
      prepared.completed = plan_completed(part, question_);
      const Plan& other = *prepared.completed;
      const bool possible =
          std::ranges::all_of(other.blocks, [](const BlockPlan& block) { return block.forecasts.front().applies; });
      prepared.is_completed = possible && (!fits || other.seconds < least_s);
    }
    prepared_.push_back(std::move(prepared));
  }

  // Plans one sum along a tree decomposition. Ranks, and runs that are resumed, share the frontier method's work alone.
  void plan_trees(const MatchingPart& part, double useful_s, Prepared& prepared) const {
    const CountOptions& options = question_.options;
    const bool is_asked = options.method == Method::trees;
    const UndirectedGraph& graph = part.question.pattern;
    if (part.question.wanted != Wanted::sum || options.run.device.kind == DeviceChoice::Kind::cuda ||
        (!is_asked && (run_.work() || options.method != Method::automatic)))
      return;
    // Every vertex chooses one of its edges, of which each is chosen twice, or none.
    double log2_bound = log2_weight(part) * graph.num_vertices() / 2;
    for (Vertex v = 0; v < graph.num_vertices(); ++v)
      log2_bound += std::log2(1 + static_cast<double>(graph.neighbours(v).size())) / 2;
    prepared.trees =
        find_tree_program(graph, part.question.unmatched.may_be, false, log2_bound, useful_s, options.run.seed, run_);
    if (prepared.trees.bags.empty()) return;
    const double seconds =
        in_floats_ ? seconds_in_reals(prepared.trees, parts_.is_complex) + seconds_in_reals(prepared.trees, false)
                   : seconds_in_integers(prepared.trees) * (parts_.is_complex ? 4 : 1);
    prepared.trees_s = seconds * scale(seconds);
    prepared.trees_bytes =
        bytes_of(prepared.trees, in_floats_ ? sizeof(ScaledComplex) : sizeof(GaussianInteger) + log2_bound / 8);
  }

  double scale(double seconds) const {
    if (question_.options.throughput) return question_.options.throughput->frontier_scale;
    return seconds < momentary_s ? 1 : this_throughput().frontier_scale;
  }

  BlockPlan block_plan(std::size_t i) const {
    const MatchingPart& part = parts_.parts[i];
    const Prepared& prepared = prepared_[i];
    BlockPlan block;
    block.size = part.graph.num_vertices();
    block.bipartite = false;
    block.edges = part.graph.num_edges();
    Forecast native;
    native.method = Method::frontier;
    native.applies = prepared.why_not.empty();
    native.reason = native.applies ? prepared.native.description : prepared.why_not;
    native.seconds = native.applies ? prepared.native.seconds : infinity;
    native.memory_bytes = prepared.native.memory_bytes;
    native.log2_operations =
        std::log2(prepared.native.layout.dense_transitions + prepared.native.layout.sparse_transitions + 1);
    block.forecasts.push_back(std::move(native));
    if (!prepared.trees.bags.empty()) {
      Forecast trees;
      trees.method = Method::trees;
      trees.applies = true;
      trees.reason = description_of(prepared.trees);
      trees.seconds = prepared.trees_s;
      trees.memory_bytes = prepared.trees_bytes;
      trees.log2_operations = log2_operations_of(prepared.trees);
      block.forecasts.push_back(std::move(trees));
      if (prepared.is_by_tree) std::swap(block.forecasts[0], block.forecasts[1]);
    }
    if (prepared.completed) block.forecasts.push_back(forecast_of(*prepared.completed, part));
    if (prepared.is_completed) std::rotate(block.forecasts.begin(), block.forecasts.end() - 1, block.forecasts.end());
    return block;
  }

  // Returns the most expensive forecast of the completed graph's blocks, for all of them.
  static Forecast forecast_of(const Plan& plan, const MatchingPart& part) {
    Forecast result;
    result.method = Method::structure;
    result.applies = true;
    result.reason = "reductions leave nothing";
    for (const BlockPlan& block : plan.blocks) {
      const Forecast& first = block.forecasts.front();
      if (result.applies && (!first.applies || first.seconds >= result.seconds)) result = first;
    }
    const std::uint32_t more = part.question.unmatched.most;
    if (more > 0) result.reason = "with " + std::to_string(more) + " more vertices: " + result.reason;
    if (!result.applies) return result;
    result.seconds = plan.seconds;
    result.memory_bytes = plan.memory_bytes;
    return result;
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

  bool scales_vertices() const { return question_.matchings == MatchingKind::all; }
  std::pair<std::vector<GaussianInteger>, std::vector<GaussianInteger>> scaled(const MatchingWeights& weights) const {
    if (!scales_vertices()) return {times_multiple(weights.edges, denominator_), times_multiple(weights.vertices, 1)};
    return {times_multiple(weights.edges, denominator_ * denominator_), times_multiple(weights.vertices, denominator_)};
  }

  MatchingWeights weights_of_all() const {
    MatchingWeights weights;
    weights.is_complex = parts_.is_complex;
    weights.is_inexact = parts_.is_inexact;
    return weights;
  }

  Sums exactly(bool magnitudes, Result& result) {
    std::vector<Polynomial> factors;
    std::size_t pairs = 0, vertices = 0;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      const MatchingPart& part = parts_.parts[i];
      pairs += part.pairs;
      vertices += part.graph.num_vertices();
      if (prepared_[i].is_completed) {
        const Result one = count_completed(part, question_, run_);
        factors.push_back({{std::get<Integer>(one.value), 0}});
        note(one, result);
        continue;
      }
      const auto [edges, left_out] = scaled(magnitudes ? part.weights.magnitudes() : part.weights);
      if (prepared_[i].is_by_tree) {
        factors.push_back({sum_along_tree(prepared_[i].trees, edges, left_out, run_)});
      } else {
        factors.push_back(sum_matchings(part.question, prepared_[i].native, edges, left_out, run_of(i, magnitudes)));
      }
      if (magnitudes) continue;
      verify(i, factors.back(), edges, left_out);
      note_native(i, result, Precision::automatic);
    }
    Sums sums;
    sums.by_pairs = product_of(std::move(factors), Polynomial{{1, 0}},
                               [&](const Polynomial& a, const Polynomial& b) { return times(a, b, run_); });
    const Integer isolated = denominator(parts_.isolated.re) * denominator(parts_.isolated.im);
    const Polynomial constant = times_multiple(
        {magnitudes ? GaussianRational{abs(parts_.isolated.re) + abs(parts_.isolated.im), 0} : parts_.isolated},
        isolated);
    if (question_.matchings == MatchingKind::by_size) {
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
    if (question_.matchings != MatchingKind::by_size) return;
    GaussianInteger edges;
    for (const MatchingPart& part : parts_.parts) {
      for (const GaussianInteger& weight : scaled(part.weights).first) add_multiple(1, weight, edges);
    }
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

  void verify(std::size_t i, const Polynomial& value, const std::vector<GaussianInteger>& edges,
              const std::vector<GaussianInteger>& vertices) {
    if (!question_.options.verify) return;
    const MatchingPlan other = second_plan(i);
    if (!(sum_matchings(parts_.parts[i].question, other, edges, vertices, run_to_verify(i)) == value))
      throw Error("two sums of the same matchings differ; please report this graph");
  }
  RunContext run_to_verify(std::size_t i) const {
    return run_.in_part("verification of component " + std::to_string(i + 1));
  }
  // Backwards; where that is much wider, along the same order in other numbers, by sorted states alone.
  MatchingPlan second_plan(std::size_t i) {
    constexpr std::uint32_t much_wider = 4;
    const MatchingPlan& first = prepared_[i].native;
    if (prepared_[i].is_by_tree) {
      if (!prepared_[i].why_not.empty())
        throw Unable("no second method verifies a sum along a tree: " + prepared_[i].why_not);
      note_verified("frontier");
      return first;
    }
    const MatchingQuestion& question = parts_.parts[i].question;
    MatchingPlan plan = first;
    std::ranges::reverse(plan.sequence);
    plan.steps = matching_steps(question.pattern, plan.sequence, question.unmatched);
    if (plan.steps.max_width <= first.steps.max_width + much_wider && plan.steps.max_width <= max_sparse_width) {
      plan.layout = matching_layout(plan.steps);
      note_verified("frontier along another order");
      return plan;
    }
    plan = first;
    plan.layout.first_dense = plan.steps.steps.size();
    plan.in_integers = !first.in_integers && !parts_.is_complex && !in_floats_;
    note_verified("frontier in other numbers");
    return plan;
  }

  // -- In floating point.

  int doubles(const MatchingPlan& plan) const {
    const Precision asked = question_.options.run.precision;
    const int parts = parts_.is_complex ? 2 : 1;
    if (asked != Precision::automatic) return asked == Precision::float64 ? parts : 2 * parts;
    return plan_for_floats(plan, 2 * parts, RunContext(one_thread())).seconds <= cheap_s ? 2 * parts : parts;
  }
  static RunOptions one_thread() {
    RunOptions options;
    options.num_threads = 1;
    return options;
  }

  Value in_floats(Result& result) {
    ComplexValue total;
    total.value.re = nearest_real(parts_.isolated.re);
    total.value.im = nearest_real(parts_.isolated.im);
    total.log2_error = log2_abs(total.value) - 98;
    total.log2_magnitudes = log2_abs(total.value) + 1;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
      const MatchingPart& part = parts_.parts[i];
      ComplexValue value;
      if (prepared_[i].is_completed) {
        const Result one = count_completed(part, question_, run_);
        if (const auto* real = std::get_if<RealValue>(&one.value)) {
          value = {{real->value, {}}, real->log2_error, real->log2_magnitudes};
        } else {
          value = std::get<ComplexValue>(one.value);
        }
        note(one, result);
      } else {
        const std::vector<ComplexEntry> edges = as_entries(part.weights.edges);
        const std::vector<ComplexEntry> vertices = as_entries(part.weights.vertices);
        const int parts = parts_.is_complex ? 2 : 1;
        const bool in_doubles = !prepared_[i].is_by_tree && doubles(prepared_[i].native) == parts;
        const Precision precision = in_doubles ? Precision::float64 : Precision::double_double;
        value = prepared_[i].is_by_tree ? sum_along_tree(prepared_[i].trees, edges, vertices, !parts_.is_complex, run_)
                                        : sum_matchings(part.question, prepared_[i].native, edges, vertices,
                                                        !parts_.is_complex, precision, run_of(i));
        verify(i, value, edges, vertices, precision);
        note_native(i, result, precision);
      }
      total = times(total, value);
    }
    if (parts_.is_complex) return total;
    return RealValue{total.value.re, total.log2_error, total.log2_magnitudes};
  }
  void verify(std::size_t i, const ComplexValue& value, const std::vector<ComplexEntry>& edges,
              const std::vector<ComplexEntry>& vertices, Precision precision) {
    if (!question_.options.verify) return;
    const MatchingPlan plan = second_plan(i);
    const ComplexValue other =
        sum_matchings(parts_.parts[i].question, plan, edges, vertices, !parts_.is_complex, precision, run_to_verify(i));
    if (!agree(value, other)) throw Error("two sums of the same matchings differ; please report this graph");
  }

 public:
  // Says how something was counted a second time; empty: nothing was.
  const std::string& verified_by() const { return verified_by_; }

 private:
  void note_verified(const std::string& how) {
    if (verified_by_.find(how) == std::string::npos) verified_by_ += (verified_by_.empty() ? "by " : ", ") + how;
  }
  void note(const Result& one, Result& result) {
    for (const Check& check : one.checks) {
      if (check.kind == Check::Kind::verify) note_verified(check.detail.substr(check.detail.find("by ") + 3));
    }
    if (one.method != Method::structure) result.method = one.method;
    if (!one.gpus.empty()) result.gpus = one.gpus;
    result.blocks.push_back({one.method, one.blocks.empty() ? Precision::automatic : one.blocks.front().precision});
  }
  void note_native(std::size_t i, Result& result, Precision precision) const {
    result.method = prepared_[i].is_by_tree ? Method::trees : Method::frontier;
    result.blocks.push_back({result.method, precision});
  }

  MatchingParts parts_;
  const Question& question_;
  const RunContext& run_;
  std::vector<Prepared> prepared_;
  bool in_floats_ = false;
  std::string verified_by_;
  Integer denominator_ = 1;
};

Question perfect_of(const Question& question) {
  return {question.graph, question.options, MatchingKind::perfect, question.weighted, question.fractions};
}

bool leaves_size_open(MatchingKind kind) { return kind == MatchingKind::all || kind == MatchingKind::by_size; }

}  // namespace

template <class Graph>
MatchingResult count_imperfect(const Graph& graph, const Question& question, Work* work) {
  const RunContext run(question.options.run, work);
  Stopwatch stopwatch;
  MatchingParts parts = matching_parts(graph, question, run);
  MatchingResult result;
  const Vertex size = parts.maximum_matching;
  if (!leaves_size_open(question.matchings)) result.edges_of_each = size;
  if (parts.is_perfect) {
    result = answer(perfect_of(question), work);
    result.edges_of_each = size;
    return result;
  }
  describe(graph, result.run.plan);
  result.run.plan.maximum_matching = size;
  result.run.plan.hall_violator = parts.hall_violator;
  result.run.seed = question.options.run.seed;
  result.run.time_s.structure = stopwatch.lap();
  if (parts.hall_violator) {
    result.run.value = exact_answer({}, 1, {{}, {}, parts.is_complex, parts.is_inexact}, -infinity).value;
    result.edges_of_each.reset();
    result.run.time_s.total = run.elapsed_s();
    return result;
  }
  if (work) identify(identity(parts, question), question.options, run);
  MatchingSums sums(std::move(parts), question, run);
  sums.prepare(result.run.plan);
  result.run.time_s.order = stopwatch.lap();
  sums.keep_limits(result.run.plan);
  if (question.options.on_forecast && !result.run.plan.blocks.empty()) {
    const auto slowest = std::ranges::max_element(
        result.run.plan.blocks, {}, [](const BlockPlan& block) { return block.forecasts.front().seconds; });
    question.options.on_forecast(slowest->forecasts.front(), result.run.plan.seconds);
  }
  sums.count(result);
  if (!sums.verified_by().empty()) result.run.checks.push_back({Check::Kind::verify, true, sums.verified_by()});
  result.run.time_s.count = stopwatch.lap();
  result.run.time_s.total = run.elapsed_s();
  return result;
}

template <class Graph>
Plan plan_imperfect(const Graph& graph, const Question& question, Work* work) {
  RunOptions unlimited = question.options.run;
  unlimited.time_limit_s = infinity;
  const RunContext run(unlimited, work);
  MatchingParts parts = matching_parts(graph, question, run);
  if (parts.is_perfect) return plan_answer(perfect_of(question), work);
  Plan plan;
  describe(graph, plan);
  plan.maximum_matching = parts.maximum_matching;
  plan.hall_violator = parts.hall_violator;
  if (!plan.hall_violator) MatchingSums(std::move(parts), question, run).prepare(plan);
  return plan;
}

template MatchingResult count_imperfect(const BipartiteGraph&, const Question&, Work*);
template MatchingResult count_imperfect(const UndirectedGraph&, const Question&, Work*);
template Plan plan_imperfect(const BipartiteGraph&, const Question&, Work*);
template Plan plan_imperfect(const UndirectedGraph&, const Question&, Work*);

}  // namespace matchcount
