// Marginals, samples and lists of matchings that need not be perfect, against the list of all matchings.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Listed = std::vector<std::vector<EdgeId>>;

constexpr MatchingKind kinds[] = {MatchingKind::maximum, MatchingKind::saturating, MatchingKind::all,
                                  MatchingKind::lightest, MatchingKind::heaviest};

// The matchings of a kind with their weights, and what follows from them.
struct Truth {
  Listed matchings;  // in the order of lists, edges ascending
  std::vector<Rational> weights;
  std::vector<Rational> edges, vertices;  // sums
  Rational total = 0;

  // `smaller`: the vertices of the smaller side, of saturating ones. Vertices count `alone` in those of
  // MatchingKind::all.
  Truth(const UndirectedGraph& graph, MatchingKind kind, const std::vector<Rational>& weight,
        const std::vector<Rational>& alone, std::pair<Vertex, Vertex> smaller) {
    const bool is_tight = kind == MatchingKind::lightest || kind == MatchingKind::heaviest;
    std::vector<Rational> sums;
    for_each_matching(graph, !is_tight, [&](const std::vector<EdgeId>& found) {
      std::vector<bool> covered(graph.num_vertices(), false);
      for (const EdgeId edge : found) covered[graph.edges()[edge].row] = covered[graph.edges()[edge].column] = true;
      const auto is_covered = [&](Vertex v) { return covered[v]; };
      for (Vertex v = smaller.first; kind == MatchingKind::saturating && v < smaller.second; ++v) {
        if (!is_covered(v)) return;
      }
      Rational product = 1, sum = 0;
      for (const EdgeId edge : found) {
        product *= is_tight ? Rational(1) : weight[edge];
        sum += weight[edge];
      }
      for (Vertex v = 0; kind == MatchingKind::all && v < graph.num_vertices(); ++v) {
        if (!covered[v]) product *= alone[v];
      }
      matchings.push_back(found);
      weights.push_back(product);
      sums.push_back(kind == MatchingKind::lightest   ? -sum
                     : kind == MatchingKind::heaviest ? sum
                     : kind == MatchingKind::maximum  ? Rational(static_cast<std::int64_t>(found.size()))
                                                      : Rational(0));
    });
    Listed best;
    std::vector<Rational> best_weights;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != *std::ranges::max_element(sums)) continue;
      best.push_back(matchings[i]);
      best_weights.push_back(weights[i]);
    }
    matchings = std::move(best);
    weights = std::move(best_weights);
    edges.resize(graph.num_edges());
    vertices.resize(is_tight ? 0 : graph.num_vertices());
    for (std::size_t i = 0; i < matchings.size(); ++i) {
      total += weights[i];
      for (Rational& vertex : vertices) vertex += weights[i];
      for (const EdgeId edge : matchings[i]) {
        edges[edge] += weights[i];
        for (const Vertex v : {graph.edges()[edge].row, graph.edges()[edge].column}) {
          if (!is_tight) vertices[v] -= weights[i];
        }
      }
    }
  }
};

struct Instance {
  std::optional<BipartiteGraph> bipartite;
  UndirectedGraph graph;  // the same without sides
  std::vector<Rational> weights, alone;
  std::pair<Vertex, Vertex> smaller;
  DistributionOptions options;
};

template <class Ask>
auto with_graph(const Instance& instance, const Ask& ask) {
  return instance.bipartite ? ask(*instance.bipartite) : ask(instance.graph);
}

// Draws a graph of 0 to 8 vertices, with sides or not, weights of integers from 0 on, or fractions, or none.
Instance random_instance(MatchingKind kind, int round, Random& random) {
  Instance instance;
  const bool has_sides = kind == MatchingKind::saturating || round % 2 == 0;
  const double density = 0.2 + 0.7 * random.uniform();
  const bool is_weighted = round % 3 != 0;
  const auto n = static_cast<Vertex>(random.below(9));
  const auto rows = static_cast<Vertex>(random.below(n + 1));
  instance.graph = graph_where(
      n, [&](Vertex u, Vertex v) { return (!has_sides || (u < rows && v >= rows)) && random.uniform() < density; });
  std::vector<Edge> edges = instance.graph.edges();
  DistributionOptions& options = instance.options;
  options.matchings = kind;
  options.exact = true;
  static const std::vector<Rational> table{Rational(1, 2), Rational(2, 3), 3, 1};
  const bool has_fractions = is_weighted && round % 5 == 0;
  if (has_fractions) options.fractions = table;
  std::vector<std::int64_t> weights;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    weights.push_back(static_cast<std::int64_t>(random.below(4)));
    instance.weights.push_back(!is_weighted    ? Rational(1)
                               : has_fractions ? table[static_cast<std::size_t>(weights.back())]
                                               : Rational(weights.back()));
  }
  if (is_weighted) instance.graph = instance.graph.with_weights(weights);
  instance.alone.assign(n, 1);
  if (kind == MatchingKind::all && round % 4 == 1) {
    options.activity = round % 8 == 1 ? Rational(3) : Rational(2, 5);
    instance.alone.assign(n, options.activity);
  }
  if (kind == MatchingKind::all && round % 4 == 3 && !has_sides && !has_fractions) {
    std::vector<std::int64_t> loops;
    for (Vertex v = 0; v < n; ++v) {
      loops.push_back(static_cast<std::int64_t>(random.below(3)));
      instance.alone[v] = loops.back();
    }
    options.loops = loops;
  }
  if (has_sides) {
    for (Edge& edge : edges) edge.column -= rows;
    instance.bipartite = BipartiteGraph::from_edges(rows, n - rows, std::move(edges), instance.graph.weights());
    instance.smaller = rows <= n - rows ? std::pair(Vertex{0}, rows) : std::pair(rows, n);
  }
  return instance;
}

// A lightest matching of a part with odd cycles is told by more than its edges.
bool is_refused(const Instance& instance) {
  try {
    with_graph(instance,
               [&](const auto& graph) { return MatchingDistribution(graph, instance.options).has_matching(); });
  } catch (const Unable&) {
    return true;
  }
  return false;
}

void require_sums(const std::vector<EdgeMarginal>& found, const std::vector<Rational>& sums, const Rational& total,
                  const Rational& unit) {
  REQUIRE(found.size() == sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    REQUIRE(Rational(std::get<Integer>(found[i].sum)) * unit == sums[i]);
    if (total == 0) continue;
    const double probability = nearest_real(sums[i] / total).to_double();
    REQUIRE(std::fabs(found[i].probability - probability) <= found[i].error + 1e-16);
    REQUIRE(found[i].error < 1e-9);
  }
}

void require_fair(MatchingDistribution& distribution, const Truth& truth) {
  constexpr std::size_t draws = 20'000;
  const std::size_t size = distribution.matching_size();
  const std::vector<EdgeId> edges = distribution.samples(0, draws);
  REQUIRE(edges.size() == size * draws);
  std::map<std::vector<EdgeId>, double> counts;
  for (std::size_t i = 0; i < draws; ++i) {
    std::vector<EdgeId> drawn(edges.begin() + static_cast<std::ptrdiff_t>(i * size),
                              edges.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    std::erase(drawn, no_edge);
    ++counts[drawn];
  }
  std::map<std::vector<EdgeId>, double> weights;
  for (std::size_t i = 0; i < truth.matchings.size(); ++i) {
    if (truth.weights[i] == 0) continue;
    std::vector<EdgeId> ascending = truth.matchings[i];
    std::ranges::sort(ascending);
    weights[ascending] = nearest_real(truth.weights[i] / truth.total).to_double();
  }
  require_spread(counts, weights);
}

Listed all_of(MatchingList list) {
  Listed result;
  while (list.next()) result.emplace_back(list.edges().begin(), list.edges().end());
  return result;
}

}  // namespace

TEST_CASE("marginals, samples and lists of every kind are those of all matchings one by one") {
  Random random(2027);
  for (int round = 0; round < 300; ++round) {
    const MatchingKind kind = kinds[round % 5];
    Instance instance = random_instance(kind, round / 5, random);
    INFO(to_string(kind) << " of " << test::to_string(instance.graph) << ", round " << round);
    const bool is_tight = kind == MatchingKind::lightest || kind == MatchingKind::heaviest;
    const Truth truth(instance.graph, kind, instance.weights, instance.alone, instance.smaller);
    if (is_tight && !instance.bipartite && is_refused(instance)) continue;
    with_graph(instance, [&](const auto& graph) {
      MatchingDistribution distribution(graph, instance.options);
      REQUIRE(distribution.has_matching() == (truth.total != 0));
      const Marginals marginals = distribution.marginals();
      REQUIRE(Rational(std::get<Integer>(marginals.total)) * marginals.unit == truth.total);
      REQUIRE(marginals.are_probabilities == (truth.total != 0));
      require_sums(marginals.edges, truth.edges, truth.total, marginals.unit);
      require_sums(marginals.vertices, truth.vertices, truth.total, marginals.unit);
      if (truth.total != 0 && round % 2 == 0) require_fair(distribution, truth);
      if (truth.total == 0) REQUIRE_THROWS_AS(distribution.samples(0, 1), Unable);
      const bool columns_lead = kind == MatchingKind::saturating && instance.smaller.first > 0;
      Listed listed = all_of(list_matchings(graph, kind, instance.options.fractions)), expected = truth.matchings;
      if (columns_lead) {  // another order, which tests/matching has
        for (Listed* list : {&listed, &expected}) {
          for (auto& edges : *list) std::ranges::sort(edges);
          std::ranges::sort(*list);
        }
      }
      REQUIRE(listed == expected);
      REQUIRE((distribution.hall_violator().has_value() || kind != MatchingKind::saturating || !listed.empty()));
      return 0;
    });
  }
}
