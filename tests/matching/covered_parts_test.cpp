#include "matching/covered_parts.hpp"

#include <set>
#include <type_traits>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

std::uint64_t num_matchings(const UndirectedGraph& graph) {
  std::uint64_t count = 0;
  for_each_perfect_matching(graph, [&](const std::vector<EdgeId>&) { ++count; });
  return count;
}

// Forced edges are in all matchings, those of the parts in some, others in none; and the counts multiply.
void require_covered(const UndirectedGraph& graph, const CoveredParts& parts) {
  INFO(test::to_string(graph));
  std::vector<std::uint64_t> with(graph.num_edges(), 0);
  std::uint64_t all = 0;
  for_each_perfect_matching(graph, [&](const std::vector<EdgeId>& edges) {
    ++all;
    for (const EdgeId edge : edges) ++with[edge];
  });
  std::set<EdgeId> named(parts.forced.begin(), parts.forced.end());
  for (const EdgeId edge : parts.forced) REQUIRE(with[edge] == all);
  std::uint64_t product = 1;
  for (const CoveredPart& part : parts.parts) {
    for (const EdgeId edge : part.edges) {
      REQUIRE(with[edge] > 0);
      REQUIRE(with[edge] < all);
      REQUIRE(named.insert(edge).second);
    }
    std::visit(
        [&](const auto& pattern) {
          constexpr bool is_bipartite = std::is_same_v<std::decay_t<decltype(pattern)>, BipartiteGraph>;
          // Edges of the pattern that meet stand for edges of the graph that meet.
          const std::vector<Edge> edges = pattern.edges();
          REQUIRE(edges.size() == part.edges.size());
          const auto meet = [](Edge a, Edge b) {
            const bool aligned = a.row == b.row || a.column == b.column;
            return is_bipartite ? aligned : aligned || a.row == b.column || a.column == b.row;
          };
          for (std::size_t i = 0; i < edges.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
              const Edge a = graph.edges()[part.edges[i]], b = graph.edges()[part.edges[j]];
              const bool given = a.row == b.row || a.column == b.column || a.row == b.column || a.column == b.row;
              REQUIRE(meet(edges[i], edges[j]) == given);
            }
          }
          if constexpr (is_bipartite) {
            product *= num_matchings(UndirectedGraph::from_bipartite(pattern));
          } else {
            product *= num_matchings(pattern);
          }
        },
        part.pattern);
  }
  REQUIRE(product == all);
  for (EdgeId edge = 0; edge < graph.num_edges(); ++edge) REQUIRE((named.count(edge) == 1) == (with[edge] > 0));
}

}  // namespace

TEST_CASE("parts have exactly the edges that are in some perfect matching, and forced ones are in all") {
  Random random(1330);
  const RunContext run;
  for (int round = 0; round < 300; ++round) {
    const UndirectedGraph graph =
        random_graph(static_cast<Vertex>(2 + 2 * (round % 5)), 0.15 + 0.1 * (round % 6), random);
    const GraphMatching matching = maximum_matching(graph, run);
    if (!matching.is_perfect()) {
      REQUIRE_THROWS_AS(covered_parts(graph, matching, run), InputError);
      continue;
    }
    require_covered(graph, covered_parts(graph, matching, run));
  }
  for (int round = 0; round < 200; ++round) {
    const Vertex n = static_cast<Vertex>(1 + round % 6);
    const BipartiteGraph graph =
        bipartite_where(n, n, [&](Vertex, Vertex) { return random.uniform() < 0.2 + 0.1 * (round % 5); });
    const Matching matching = maximum_matching(graph, run);
    if (!matching.is_perfect()) continue;
    require_covered(UndirectedGraph::from_bipartite(graph), covered_parts(graph, matching, run));
  }
}
