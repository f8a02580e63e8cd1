// Takes a graph apart for an estimate: structure, small blocks exactly, the others as samplers see them.

#include "approx/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "approx/bethe.hpp"
#include "approx/estimation.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount {
namespace {

bool is_whole(const DoubleDouble& value) { return value.lo == 0 && value.hi == std::floor(value.hi); }

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
  return {-sum * std::numbers::ln2 - 1e-9, std::exp2(log2_least)};
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

Start start_of(const Block<RealEntry>& block, const std::vector<double>& weights, const RunContext& run) {
  Start start{make_problem(block.pattern, weights, maximum_matching(block.pattern, run)), {}};
  propagate(start.problem, most_rounds(start.problem), run);
  start.bracket = bethe_bracket(start.problem, run);
  const Unevenness found = unevenness(block.pattern, weights, run);
  start.bracket.log_lower = std::max(start.bracket.log_lower, found.log_lower);
  start.least_scaled_weight = found.least_scaled_weight;
  propagate(start.problem, most_rounds(start.problem), run, guiding_share);
  return start;
}
// Brackets a hafnian: from below by the matching at hand; from above, the square of a hafnian is at most the permanent
// of the symmetric matrix, since its terms, two perfect matchings each, are those of the permutations all of whose
// cycles are even.
Start start_of(const GraphBlock<RealEntry>& block, const std::vector<double>& weights, const RunContext& run) {
  const GraphMatching perfect = maximum_matching(block.pattern, run);
  Start start{make_problem(block.pattern, weights, perfect), {}};
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
  propagate(start.problem, most_rounds(start.problem), run, guiding_share);
  return start;
}

template <class Graph>
Estimate estimated(const Graph& graph, const EstimateOptions& options, Work* work) {
  Estimation estimation(options, work);
  const RunContext& run = estimation.run();
  auto entries = positive_entries(graph);
  StructureOptions structure_options;
  // A scaled hafnian may have lost what counts.
  constexpr bool odd_cycles = std::is_same_v<Graph, UndirectedGraph>;
  structure_options.scaling = odd_cycles ? StructureOptions::Scaling::never : StructureOptions::Scaling::if_uneven;
  // Merged vertices have many edges of uneven weight: on the 24 x 24 grid guided samples vary twice as much with them.
  structure_options.reduce.degree2 = false;
  const Structure<RealEntry> structure(
      &graph, [&] { return std::move(entries); }, structure_options, run);
  Estimate& told = estimation.told();
  if (!structure.plan.has_perfect_matching()) {
    told.hall_violator = structure.plan.hall_violator;
    told.tutte_set = structure.plan.tutte_set;
    told.exact = true;
    told.log_value = told.bracket.log_lower = told.bracket.log_upper = -infinity;
    told.time_s.total = run.elapsed_s();
    return std::move(told);
  }
  estimation.multiply(ScaledReal(DoubleDouble(1.0), structure.scaling.exponent), std::exp2(structure.scaling.log2_lost),
                      structure.scaling.exponent == 0);
  told.reductions = structure.plan.reductions;
  for (const auto* factors : {&structure.reduced.factors, &structure.rest.factors}) {
    for (const RealEntry& factor : *factors) estimation.multiply(ScaledReal(factor.value), 0, is_whole(factor.value));
  }
  told.time_s.structure = estimation.lap();
  estimation.identify(structure.identity());
  // A small block is counted, another gets a sampler and adds to the bracket.
  const auto add = [&](const auto& block) {
    run.check();
    BlockEstimate result;
    result.size = size_of(block);
    result.bipartite = std::is_same_v<std::decay_t<decltype(block)>, Block<RealEntry>>;
    result.edges = block.pattern.num_edges();
    if (num_pairs(block) <= options.exact_rows)
      return estimation.add_counted(result, count_exactly(block, what_is_left(run)));
    // Published samples are drawn as they were published, by the weights as they are.
    const bool is_published = options.method != Estimator::automatic && options.method != Estimator::guided &&
                              !is_by_populations(options.method);
    auto [weights, scaling] = guiding_weights(block.pattern, block.entries, is_published, run);
    estimation.multiply(ScaledReal(DoubleDouble(1.0), scaling.exponent), std::exp2(scaling.log2_lost), true);
    estimation.add(result, start_of(block, weights, run));
  };
  for (const GraphBlock<RealEntry>& block : structure.rest.blocks) add(block);
  for (const Block<RealEntry>& block : structure.reduced.blocks) add(block);
  return estimation.result();
}

template <class Graph>
Estimate estimated_or_verified(const Graph& graph, const EstimateOptions& options, Work* work) {
  return verified(options, work,
                  [&](const EstimateOptions& how, Work* shared) { return estimated(graph, how, shared); });
}

}  // namespace

Estimate estimate_permanent(const Matrix& matrix, const EstimateOptions& options, Work* work) {
  return estimated_or_verified(matrix.drop_zeros(), options, work);
}

Estimate estimate_perfect_matchings(GraphView graph, const EstimateOptions& options, Work* work) {
  return std::visit([&](const auto* of) { return estimated_or_verified(of->pattern(), options, work); }, graph);
}

Estimate estimate_hafnian(const UndirectedGraph& graph, const EstimateOptions& options, Work* work) {
  return estimated_or_verified(graph.drop_zeros(), options, work);
}

Estimate estimate_cycle_covers(const Digraph& digraph, const EstimateOptions& options, Work* work) {
  return estimate_perfect_matchings(digraph.bipartite(), options, work);
}

}  // namespace matchcount
