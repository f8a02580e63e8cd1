#include "permanent/engine/completed_matchings.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

// Beyond, the new vertices would make the graph much larger than it is.
constexpr std::uint32_t most_new_vertices = 24;

Weights with_ones(const Weights& weights, std::size_t count) {
  Weights result = weights;
  std::visit(
      [&](auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>)
          values.insert(values.end(), count, typename std::decay_t<decltype(values)>::value_type(1));
      },
      result);
  return result;
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
