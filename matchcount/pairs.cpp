// P(e and f) is P(e) times P(f | e). In integers it is a quotient of sums, so that a connected part of 10^-30 has its
// digits; else it loses what the difference cancels, which its bound says.
//
// Conditions are met by maximum, lightest and heaviest matchings too, if the edge is in one of these: those with it are
// then as large, or as light, as those of the whole graph. If it is in none, they are of another size, and are not
// asked.

#include "matchcount/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "graph/vertices.hpp"
#include "matchcount/conditions.hpp"
#include "matchcount/marginals.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {

namespace {

template <class Graph>
Conditioned<Graph> reduced(const Graph& graph, const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  std::vector<Edge> edges;  // with the ends in one numbering
  for_each_edge(graph, [&](Vertex u, Vertex v, EdgeId) { edges.push_back({u, v}); });
  for (const auto* ids : {&with, &without}) {
    for (const EdgeId id : *ids) {
      if (id >= edges.size())
        throw InputError("the edge " + std::to_string(id), "one of " + std::to_string(edges.size()) + " edges");
    }
  }
  Conditioned<Graph> result;
  constexpr EdgeId none = ~EdgeId{0};
  std::vector<EdgeId> only(num_vertices(graph), none);  // by vertex, the edge that it has to have
  std::vector<bool> keep(edges.size(), true);
  for (const EdgeId id : with) {
    for (const Vertex end : {edges[id].row, edges[id].column}) {
      if (only[end] == none) result.always_matched.push_back(end);
      if (only[end] == none || only[end] == id)
        only[end] = id;
      else
        keep[only[end]] = false;
    }
  }
  for (const EdgeId id : without) keep[id] = false;
  for (EdgeId id = 0; id < edges.size(); ++id) {
    for (const Vertex end : {edges[id].row, edges[id].column})
      if (only[end] != none && only[end] != id) keep[id] = false;
    if (keep[id]) result.edges.push_back(id);
  }
  result.graph = graph.filtered(keep);
  return result;
}

bool is_nothing(const Value& sum) {
  if (const auto* integer = std::get_if<Integer>(&sum)) return *integer == 0;
  const auto* real = std::get_if<RealValue>(&sum);
  return real && real->value.is_zero() && !(real->log2_error > -std::numeric_limits<double>::infinity());
}

// Sets a double to a number, and the bound of its error.
void set(double& value, double& error, const Rational& number) {
  value = nearest_real(number).to_double();
  error = number == 0 ? 0 : std::fabs(value) * 0x1p-51 + 0x1p-1073;
}

// The variance p (1 - p) of an edge, and how far it may be off.
struct Variance {
  Variance(const EdgeMarginal& edge, const Value& of_all) {
    double without = 1 - edge.probability, without_error = edge.error + 0x1p-53;
    if (const auto* total = std::get_if<Integer>(&of_all))  // where p is next to 1 its double does not tell 1 - p
      set(without, without_error, Rational(*total - std::get<Integer>(edge.sum), *total));
    value = edge.probability * without;
    error = edge.probability * without_error + edge.error * (without + without_error) + value * 0x1p-51;
  }
  double value, error;
};

void set_correlation(PairMarginal& pair, const EdgeMarginal& e, const EdgeMarginal& f, const Value& total) {
  const Variance of_e(e, total), of_f(f, total);
  if (!(of_e.value > of_e.error) || !(of_f.value > of_f.error)) {
    pair.correlation = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const double deviations = std::sqrt(of_e.value) * std::sqrt(of_f.value);
  const double least = std::sqrt(of_e.value - of_e.error) * std::sqrt(of_f.value - of_f.error);
  const double quotient = pair.connected / deviations;
  pair.correlation = std::clamp(quotient, -1.0, 1.0);
  pair.correlation_error = pair.connected_error / least + std::fabs(pair.connected) * (1 / least - 1 / deviations) +
                           std::fabs(quotient) * 0x1p-49;
}

// `given`: f among the matchings with e.
void set_probabilities(PairMarginal& pair, const Marginals& of_all, const EdgeMarginal& e, const EdgeMarginal& f,
                       const EdgeMarginal& given) {
  const auto* total = std::get_if<Integer>(&of_all.total);
  if (const auto* both = std::get_if<Integer>(&pair.both.sum); total && both) {
    const Rational probability = Rational(*both, *total) * pair.unit / of_all.unit;
    const Integer product = std::get<Integer>(e.sum) * std::get<Integer>(f.sum);
    set(pair.both.probability, pair.both.error, probability);
    set(pair.connected, pair.connected_error, probability - Rational(product, *total * *total));
  } else {
    const double p = e.probability, more = given.probability - f.probability, of_more = given.error + f.error;
    pair.both.probability = p * given.probability;
    pair.both.error = p * given.error + e.error * (given.probability + given.error) + pair.both.probability * 0x1p-52 +
                      (pair.both.probability > 0 ? 0x1p-1073 : 0);
    pair.connected = p * more;
    pair.connected_error = p * of_more + e.error * (std::fabs(more) + of_more) + std::fabs(pair.connected) * 0x1p-51 +
                           (pair.connected != 0 ? 0x1p-1073 : 0);
  }
  set_correlation(pair, e, f, of_all.total);
}

template <class Graph>
std::vector<PairMarginal> found_pairs(const Graph& graph, const DistributionOptions& options, const Marginals& of_all,
                                      const std::vector<EdgePair>& pairs) {
  if (pairs.empty()) return {};
  if (options.rotation) throw InputError("a rotation system with pairs of edges", "one of the two");
  if (of_all.edges.size() != graph.num_edges()) throw InputError("marginals of another graph", "those of this one");
  std::vector<std::size_t> times(graph.num_edges(), 0);
  for (const EdgePair& pair : pairs) {
    if (const EdgeId larger = std::max(pair.first, pair.second); larger >= graph.num_edges())
      throw InputError("the edge " + std::to_string(larger), "one of " + std::to_string(graph.num_edges()) + " edges");
    ++times[pair.first];
    ++times[pair.second];
  }
  std::map<EdgeId, std::vector<std::size_t>> places;  // by the edge that stands in more pairs, of which there are less
  for (std::size_t i = 0; i < pairs.size(); ++i)
    places[times[pairs[i].second] > times[pairs[i].first] ? pairs[i].second : pairs[i].first].push_back(i);
  const RunContext run(options.run);
  const bool is_maximum = options.matchings == MatchingKind::maximum;
  const std::size_t size = is_maximum ? MatchingDistribution(graph, options).matching_size() : 0;
  std::vector<PairMarginal> result(pairs.size());
  double done = 0;
  for (const auto& [edge, mine] : places) {
    const auto all = static_cast<double>(places.size());
    run.report("pairs", done, all);
    if (done > 0)
      require_within_limits("the pairs of the edges that are left", {run.elapsed_s() / done * (all - done), 0}, run);
    ++done;
    std::optional<Marginals> found;
    std::vector<EdgeId> place(graph.num_edges(), no_edge);
    if (!of_all.are_probabilities || !is_nothing(of_all.edges[edge].sum)) {
      const auto given = conditioned(graph, {edge}, {});
      DistributionOptions how = options;
      how.run = what_is_left(run);
      how.run.on_progress = nullptr;
      if (options.matchings == MatchingKind::all)
        how.always_matched.insert(how.always_matched.end(), given.always_matched.begin(), given.always_matched.end());
      MatchingDistribution distribution(given.graph, how);
      if (!is_maximum || distribution.matching_size() == size) found = distribution.marginals();
      for (EdgeId id = 0; id < given.edges.size(); ++id) place[given.edges[id]] = id;
    }
    const EdgeMarginal none{std::visit([]<class V>(const V&) -> Value { return V{}; }, of_all.total), 0, 0};
    for (const std::size_t i : mine) {
      const EdgeId other = pairs[i].first == edge ? pairs[i].second : pairs[i].first;
      const EdgeMarginal& both = found && place[other] != no_edge ? found->edges[place[other]] : none;
      result[i].both.sum = both.sum;
      if (found) result[i].unit = found->unit;
      if (of_all.are_probabilities) set_probabilities(result[i], of_all, of_all.edges[edge], of_all.edges[other], both);
    }
  }
  return result;
}

}  // namespace

Conditioned<BipartiteGraph> conditioned(const BipartiteGraph& graph, const std::vector<EdgeId>& with,
                                        const std::vector<EdgeId>& without) {
  return reduced(graph, with, without);
}
Conditioned<UndirectedGraph> conditioned(const UndirectedGraph& graph, const std::vector<EdgeId>& with,
                                         const std::vector<EdgeId>& without) {
  return reduced(graph, with, without);
}

std::vector<PairMarginal> pair_marginals(GraphView view, const DistributionOptions& options, const Marginals& of_all,
                                         const std::vector<EdgePair>& pairs) {
  return std::visit([&](const auto* graph) { return found_pairs(*graph, options, of_all, pairs); }, view);
}

std::vector<EdgePair> near_pairs(GraphView view, Vertex most, const RunContext& run) {
  const UndirectedGraph graph = std::visit([](const auto* given) { return without_sides(given->pattern()); }, view);
  constexpr double bytes_of_pair = sizeof(EdgePair) + sizeof(PairMarginal) + 1500;  // with its line or its JSON
  std::vector<EdgePair> pairs;
  std::vector<EdgeId> reached_from(graph.num_vertices(), no_edge);  // the last edge that this vertex was near to
  for (EdgeId edge = 0; edge < graph.num_edges(); ++edge) {
    run.check();
    std::vector<Vertex> layer{graph.edges()[edge].row, graph.edges()[edge].column};
    const std::vector<Vertex> ends = layer;
    for (const Vertex end : ends) reached_from[end] = edge;
    std::vector<EdgeId> near;
    for (Vertex distance = 0; distance < most && !layer.empty(); ++distance) {
      std::vector<Vertex> next;
      for (const Vertex v : layer) {
        for (const Vertex w : graph.neighbours(v)) {
          if (std::exchange(reached_from[w], edge) == edge) continue;
          next.push_back(w);
          for (const EdgeId other : graph.incident_edges(w))
            if (other > edge) near.push_back(other);
        }
      }
      layer = std::move(next);
    }
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const EdgeId other : near) {
      const Edge& at = graph.edges()[other];
      if (std::ranges::count(ends, at.row) + std::ranges::count(ends, at.column) == 0) pairs.push_back({edge, other});
    }
    require_memory("so many pairs", static_cast<double>(pairs.size()) * bytes_of_pair, run);
  }
  return pairs;
}

}  // namespace matchcount
