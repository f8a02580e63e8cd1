#include "permanent/engine/completed_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "graph/vertices.hpp"
#include "graph/weights.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/frontier/matchings.hpp"

namespace matchcount {
namespace {

// More edges, from new vertices to all that may be left alone, would make the graph much larger than it is.
constexpr std::size_t most_new_edges = 10'000'000;

// An edge of the completed graph. Where weights are fractions it is multiplied by the common denominator so often that
// all perfect matchings are by the same power of it.
struct NewEdge {
  Edge ends;
  GaussianRational weight = {1, 0};
  unsigned degree = 0;
};

// Weights as graphs have them: integers where all are, else the nearest double-doubles.
Weights as_weights(const std::vector<GaussianRational>& values, bool is_complex, bool is_inexact) {
  std::vector<std::int64_t> integers;
  if (!is_complex && !is_inexact) {
    for (const GaussianRational& value : values) {
      if (denominator(value.re) != 1 || abs(value.re) > Rational(std::numeric_limits<std::int64_t>::max())) break;
      integers.push_back(static_cast<std::int64_t>(numerator(value.re)));
    }
    if (integers.size() == values.size()) return integers;
  }
  std::vector<DoubleDouble> reals;
  std::vector<ComplexDoubleDouble> complex;
  for (const ComplexEntry& entry : as_entries(values)) {
    reals.push_back(entry.value.re);
    complex.push_back(entry.value);
  }
  if (is_complex) return complex;
  constexpr int most = 960;  // beyond it the low half of a double-double is not what it should be
  for (const GaussianRational& value : values)
    if (!is_inexact && value.re.sign() != 0 && std::abs(nearest_real(value.re).exponent) > most)
      throw InputError("a fraction or an integer beyond 1e288 as a weight", "values between 1e-288 and 1e288");
  return reals;
}

class Completing {
 public:
  Completing(const Question& question, const OrderEffort* effort, const RunContext& run)
      : question_(question), effort_(effort), run_(run), of_all_(policy_of(question.matchings).of_every_size) {}

  template <class Graph>
  CompletedGraph answer(const Graph& given) {
    describe(given, result_.plan);
    result_.num_vertices = result_.plan.rows + result_.plan.columns + result_.plan.vertices;
    if (policy_of(question_.matchings).parts == Policy::Parts::tight) {
      const std::vector<bool> keep = optimal_edges(question_, run_);
      for (EdgeId id = 0; id < keep.size(); ++id)
        if (keep[id]) result_.edges.push_back(id);
      result_.graph = given.pattern().filtered(keep);
      return std::move(result_);
    }
    result_.leaves_some_alone = true;
    const MatchingParts parts = matching_parts(given, question_, run_);
    result_.plan.maximum_matching = parts.maximum_matching;
    result_.plan.hall_violator = parts.hall_violator;
    if (parts.is_perfect) {
      const Weights none;
      for (GaussianRational& weight :
           exact_weights(question_.weighted ? given.weights() : none, given.num_edges(), question_.fractions))
        edges_.push_back({{}, std::move(weight), 1});
      result_.graph = given.with_weights(weights(parts));
      result_.edges.resize(given.num_edges());
      std::iota(result_.edges.begin(), result_.edges.end(), 0);
      return std::move(result_);
    }
    result_.has_new_vertices = true;
    if (!parts.hall_violator) complete(parts);
    std::vector<Edge> ends;
    for (const NewEdge& edge : edges_) ends.push_back(edge.ends);
    Weights of_edges = weights(parts);
    result_.graph = UndirectedGraph::from_edges(result_.num_vertices + num_new_, std::move(ends), std::move(of_edges));
    name_edges(without_sides(given));
    return std::move(result_);
  }

 private:
  Vertex new_vertex() { return result_.num_vertices + num_new_++; }
  void join_alone(Vertex v, Vertex other, const GaussianRational& weight) {
    edges_.push_back({{v, other}, weight, of_all_ ? 1u : 0u});
  }

  void complete(const MatchingParts& parts) {
    std::vector<bool> is_in_part(result_.num_vertices, false);
    for (const Vertex v : question_.always_matched) is_in_part[v] = true;
    for (const MatchingPart& part : parts.parts) {
      run_.check();
      for (const Vertex name : part.names) is_in_part[name] = true;
      for (EdgeId id = 0; id < part.graph.num_edges(); ++id) {
        const Edge& edge = part.graph.edges()[id];
        edges_.push_back({{part.names[edge.row], part.names[edge.column]}, part.weights.edges[id], of_all_ ? 2u : 1u});
      }
      if (of_all_ || (part.question.unmatched.most > 1 && !part.is_column.empty()))
        add_path(part);
      else
        add_all(part);
    }
    const std::vector<GaussianRational> loops =
        question_.loops ? exact_weights(*question_.loops, result_.num_vertices, question_.fractions)
                        : std::vector<GaussianRational>();
    const GaussianRational activity{question_.activity ? *question_.activity : Rational(1), 0};
    for (Vertex v = 0; v < result_.num_vertices; ++v)
      if (!is_in_part[v]) join_alone(v, new_vertex(), loops.empty() ? activity : loops[v]);
  }

  void add_path(const MatchingPart& part) {
    std::vector<Vertex> sequence(part.names.size());
    std::iota(sequence.begin(), sequence.end(), 0);
    if (effort_) sequence = find_matching_order(part.question.pattern, *effort_, run_);
    const std::vector<bool>& may_be = part.question.unmatched.may_be;
    const auto count = static_cast<std::size_t>(std::ranges::count(may_be, true));
    const bool is_last_needed = (part.names.size() - count) % 2 == 0;
    Vertex before = unmatched;
    std::size_t place = 0;
    for (const Vertex v : sequence) {
      const Vertex name = part.names[v];
      if (may_be[v]) {
        const GaussianRational& weight = part.weights.vertices[v];
        const Vertex behind = ++place < count || is_last_needed ? new_vertex() : unmatched;
        for (const Vertex other : {before, behind})
          if (other != unmatched) join_alone(name, other, weight);
        if (before != unmatched) result_.order.push_back(before);
        if (before != unmatched && behind != unmatched) edges_.push_back({{before, behind}});
        before = behind;
      }
      result_.order.push_back(name);
    }
    if (before != unmatched) result_.order.push_back(before);
  }

  void add_all(const MatchingPart& part) {
    const std::vector<bool>& may_be = part.question.unmatched.may_be;
    const std::size_t most = part.question.unmatched.most;
    if (most * may_be.size() > most_new_edges)
      throw Unable("maximum matchings leave " + std::to_string(most) +
                   " vertices of a graph with odd cycles alone, which are too many");
    for (std::size_t i = 0; i < most; ++i) {
      const Vertex other = new_vertex();
      for (Vertex v = 0; v < may_be.size(); ++v)
        if (may_be[v]) join_alone(part.names[v], other, part.weights.vertices[v]);
      result_.ways *= i + 1;
    }
  }

  Weights weights(const MatchingParts& parts) {
    std::vector<GaussianRational> values;
    for (const NewEdge& edge : edges_) values.push_back(edge.weight);
    if (parts.is_inexact) return as_weights(values, parts.is_complex, true);
    const Integer multiple = MatchingWeights{values, {}}.common_denominator();
    if (multiple == 1) return as_weights(values, false, false);
    std::vector<GaussianRational> scaled = values;
    for (std::size_t i = 0; i < values.size(); ++i) scaled[i].re *= pow(multiple, edges_[i].degree);
    Weights result = as_weights(scaled, false, false);
    if (!std::holds_alternative<std::vector<std::int64_t>>(result)) return as_weights(values, false, false);
    result_.unit = Rational(1, pow(multiple, of_all_ ? result_.num_vertices : parts.maximum_matching));
    return result;
  }

  // Edges of both graphs ascend.
  void name_edges(const UndirectedGraph& given) {
    EdgeId next = 0;
    for (const Edge& edge : std::get<UndirectedGraph>(result_.graph).edges()) {
      if (edge.column >= result_.num_vertices) {
        result_.edges.push_back(no_edge);
        continue;
      }
      while (given.edges()[next] != edge) ++next;
      result_.edges.push_back(next++);
    }
  }

  const Question& question_;
  const OrderEffort* effort_;
  const RunContext& run_;
  bool of_all_;
  CompletedGraph result_;
  std::vector<NewEdge> edges_;
  Vertex num_new_ = 0;
};

// More new vertices would make the graph much larger than it is.
constexpr std::uint32_t most_new_vertices = 24;

Weights with_ones(Weights weights, std::size_t count) {
  visit_values(weights, [&](auto& values) {
    values.insert(values.end(), count, typename std::decay_t<decltype(values)>::value_type(1));
  });
  return weights;
}

// Returns the graph with its new vertices: square where it has sides.
std::variant<BipartiteGraph, UndirectedGraph> completed(const MatchingPart& part) {
  const UndirectedGraph& graph = part.graph;
  const Vertex size = graph.num_vertices(), added = part.question.unmatched.most;
  std::vector<Edge> edges = graph.edges();
  for (Vertex v = 0; v < size; ++v) {
    if (!part.question.unmatched.may_be[v]) continue;
    for (Vertex k = 0; k < added; ++k) edges.push_back({v, size + k});
  }
  Weights weights = with_ones(graph.weights(), edges.size() - graph.num_edges());
  if (part.is_column.empty()) return UndirectedGraph::from_edges(size + added, std::move(edges), std::move(weights));
  // New vertices stand on the side of those that have to be matched.
  std::vector<bool> is_column = part.is_column;
  Vertex columns = 0;
  for (Vertex v = 0; v < size; ++v) columns += is_column[v];
  is_column.resize(std::size_t{size} + added, columns < size - columns);
  std::vector<Vertex> place;
  Vertex count[2] = {0, 0};
  for (const bool column : is_column) place.push_back(count[column]++);
  for (Edge& edge : edges) {
    if (is_column[edge.row]) std::swap(edge.row, edge.column);
    edge = {place[edge.row], place[edge.column]};
  }
  return BipartiteGraph::from_edges(count[0], count[1], std::move(edges), std::move(weights));
}

void divide_number(RealValue& value, const Integer& divisor) {
  value.value = value.value * nearest_real(Rational(1, divisor));
  value.log2_error = log2_sum(value.log2_error - log2_abs(divisor) + 1e-9, value.value.log2_abs() - 98);
}
void divide_number(ComplexValue& value, const Integer& divisor) {
  const ScaledReal factor = nearest_real(Rational(1, divisor));
  value.value = {value.value.re * factor, value.value.im * factor};
  value.log2_error = log2_sum(value.log2_error - log2_abs(divisor) + 1e-9, log2_abs(value.value) - 97);
}
void divide_number(Integer& value, const Integer& divisor) {
  if (value % divisor != 0) throw Error("a number of completed matchings that their multiplicity does not divide");
  value /= divisor;
}

}  // namespace

GraphView CompletedGraph::view() const {
  return std::visit([](const auto& given) { return GraphView(&given); }, graph);
}

CompletedGraph completed_graph(const Question& question, const OrderEffort* effort, const RunContext& run) {
  if (!policy_of(question.matchings).has_single_matchings)
    throw InputError("single matchings of the kind " + std::string(to_string(question.matchings)),
                     "all matchings, or those of another kind: only their sums are found");
  refuse_what_does_not_fit(question);
  return std::visit([&](const auto* given) { return Completing(question, effort, run).answer(*given); },
                    question.graph);
}

Marginals folded(const CompletedGraph& completed, const Marginals& found) {
  Marginals result{found.total, {}, {}, completed.unit, found.are_probabilities, found.method};
  EdgeMarginal nothing;
  std::visit([&]<class V>(const V&) { nothing.sum = zero<V>(); }, found.total);
  result.edges.assign(completed.plan.edges, nothing);
  if (completed.leaves_some_alone) result.vertices.assign(completed.num_vertices, nothing);
  for (EdgeId id = 0; id < completed.edges.size(); ++id) {
    if (completed.edges[id] != no_edge) {
      result.edges[completed.edges[id]] = found.edges[id];
      continue;
    }
    const Vertex alone = std::get<UndirectedGraph>(completed.graph).edges()[id].row;
    if (alone >= completed.num_vertices) continue;
    EdgeMarginal& vertex = result.vertices[alone];
    std::visit([&]<class V>(V& sum) { sum = plus(sum, std::get<V>(found.edges[id].sum)); }, vertex.sum);
    vertex.probability = std::min(1.0, vertex.probability + found.edges[id].probability);
    vertex.error += found.edges[id].error + vertex.probability * 0x1p-52;
  }
  divide(result.total, completed.ways);
  for (EdgeMarginal& edge : result.edges) divide(edge.sum, completed.ways);
  for (EdgeMarginal& vertex : result.vertices) divide(vertex.sum, completed.ways);
  return result;
}

std::vector<EdgeId> folded(const CompletedGraph& completed, const std::vector<EdgeId>& edges, std::size_t count,
                           std::size_t most) {
  std::vector<EdgeId> result(count * most, no_edge);
  const std::size_t size = count == 0 ? 0 : edges.size() / count;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t place = i * most;
    for (std::size_t e = i * size; e < (i + 1) * size; ++e)
      if (completed.edges[edges[e]] != no_edge) result[place++] = completed.edges[edges[e]];
  }
  return result;
}

MatchingList list_completed(GraphView graph, MatchingKind kind, std::span<const Rational> fractions,
                            std::span<const Vertex> always_matched, const RunContext& run) {
  const CountOptions options;
  const bool weighted = policy_of(kind).parts == Policy::Parts::tight;
  const Question question{graph,   options, kind,          weighted, weighted ? fractions : std::span<const Rational>(),
                          nullptr, nullptr, always_matched};
  CompletedGraph completed = completed_graph(question, nullptr, run);
  const auto* bipartite = std::get_if<BipartiteGraph>(&completed.graph);
  const UndirectedGraph whole =
      bipartite ? UndirectedGraph::from_bipartite(*bipartite) : std::get<UndirectedGraph>(std::move(completed.graph));
  return MatchingList(whole.pattern(), completed.num_vertices, std::move(completed.edges), run);
}

// ---- Maximum matchings, counted.

void divide(Value& value, const Integer& divisor) {
  if (divisor != 1) std::visit([&](auto& number) { divide_number(number, divisor); }, value);
}

bool can_be_completed(const MatchingPart& part, const Question& question) {
  return !policy_of(question.matchings).of_every_size && question.fractions.empty() &&
         part.question.unmatched.most <= most_new_vertices;
}

Result count_completed(const MatchingPart& part, const Question& question, const RunContext& run, Until until) {
  CountOptions options = what_is_left(question.options, run);
  options.on_forecast = nullptr;
  Result result = std::visit(
      [&](const auto& graph) {
        return answer({&graph, options}, nullptr, until).run;
      },
      completed(part));
  Integer ways = 1;
  for (std::uint32_t k = 2; k <= part.question.unmatched.most; ++k) ways *= k;
  divide(result.value, ways);
  return result;
}

Forecast forecast_of_completed(const Plan& plan, const MatchingPart& part) {
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

}  // namespace matchcount
