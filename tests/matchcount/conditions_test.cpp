// Conditions on edges: what they leave is counted against the list of all matchings, and adds up.

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.hpp"
#include "matchcount/conditions.hpp"
#include "matchcount/marginals.hpp"
#include "matchcount/matchings.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/random_instance.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::array kinds{MatchingKind::perfect, MatchingKind::saturating, MatchingKind::all, MatchingKind::by_size};

// Sums by size of the matchings of a kind that meet the conditions, by listing; of by_size, else in all at [0].
std::vector<Integer> listed_sums(const Instance& instance, MatchingKind kind, int activity,
                                 const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  const UndirectedGraph& graph = instance.graph;
  const Vertex n = graph.num_vertices(), columns = n - instance.rows;
  std::vector<Integer> sums(n / 2 + 1);
  for_each_matching(graph, kind != MatchingKind::perfect, [&](const std::vector<EdgeId>& edges) {
    const auto has = [&](EdgeId id) { return std::ranges::count(edges, id) > 0; };
    if (!std::ranges::all_of(with, has) || std::ranges::any_of(without, has)) return;
    if (kind == MatchingKind::saturating && edges.size() < std::min(instance.rows, columns)) return;
    Integer product = 1;
    for (const EdgeId edge : edges) product *= instance.weights[edge];
    if (kind == MatchingKind::all) product *= pow(Integer(activity), static_cast<unsigned>(n - 2 * edges.size()));
    sums[kind == MatchingKind::by_size ? edges.size() : 0] += product;
  });
  return sums;
}

// The same by the library.
std::vector<Integer> counted_sums(const Instance& instance, MatchingKind kind, int activity,
                                  const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  std::vector<Integer> sums(instance.graph.num_vertices() / 2 + 1);
  const auto count = [&](const auto& graph) {
    const auto given = conditioned(graph, with, without);
    MatchingOptions options{.kind = kind, .weighted = true};
    if (kind == MatchingKind::all) options.activity = activity;
    if (kind == MatchingKind::all || kind == MatchingKind::by_size) options.always_matched = given.always_matched;
    const MatchingResult result = count_matchings(given.graph, options);
    if (kind != MatchingKind::by_size) sums[0] = std::get<Integer>(result.run.value);
    for (std::size_t k = 0; k < result.by_size.size(); ++k) sums[k] = std::get<Integer>(result.by_size[k].value);
  };
  instance.bipartite ? count(*instance.bipartite) : count(instance.graph);
  return sums;
}

}  // namespace

TEST_CASE("matchings with and without edges are counted as they are listed, and deletion and contraction add up") {
  Random random(2028);
  for (int round = 0; round < 400; ++round) {
    const MatchingKind kind = kinds[static_cast<std::size_t>(round) % 4];
    const Instance instance = random_instance(kind == MatchingKind::saturating, random);
    const EdgeId num_edges = instance.graph.num_edges();
    if (num_edges == 0) continue;
    std::vector<EdgeId> with, without;
    for (EdgeId edge = 0; edge < num_edges; ++edge) {
      if (random.below(6) == 0) with.push_back(edge);  // which contradict each other now and then
      if (random.below(6) == 0) without.push_back(edge);
    }
    const int activity = 1 + static_cast<int>(random.below(3));
    INFO(to_string(kind) << " of " << test::to_string(instance.graph) << ", round " << round);
    const std::vector<Integer> given = counted_sums(instance, kind, activity, with, without);
    REQUIRE(given == listed_sums(instance, kind, activity, with, without));
    const EdgeId edge = random.below(num_edges);
    std::vector<EdgeId> with_edge = with, without_edge = without;
    with_edge.push_back(edge);
    without_edge.push_back(edge);
    const std::vector<Integer> contracted = counted_sums(instance, kind, activity, with_edge, without);
    const std::vector<Integer> deleted = counted_sums(instance, kind, activity, with, without_edge);
    for (std::size_t k = 0; k < given.size(); ++k) REQUIRE(given[k] == contracted[k] + deleted[k]);
  }
}

TEST_CASE("marginals, samples and lists meet conditions") {
  Random random(2029);
  for (int round = 0; round < 200; ++round) {
    const MatchingKind kind = kinds[static_cast<std::size_t>(round) % 3];
    const Instance instance = random_instance(kind == MatchingKind::saturating, random);
    const EdgeId num_edges = instance.graph.num_edges();
    if (num_edges == 0) continue;
    const std::vector<EdgeId> with{random.below(num_edges)}, without{random.below(num_edges)};
    INFO(to_string(kind) << " of " << test::to_string(instance.graph) << ", round " << round);
    const Integer total = listed_sums(instance, kind, 1, with, without)[0];
    const auto check = [&](const auto& graph) {
      const auto given = conditioned(graph, with, without);
      DistributionOptions options{.matchings = kind, .exact = true};
      if (kind == MatchingKind::all) options.always_matched = given.always_matched;
      MatchingDistribution distribution(given.graph, options);
      const Marginals marginals = distribution.marginals();
      REQUIRE(std::get<Integer>(marginals.total) == total);
      for (EdgeId edge = 0; edge < given.edges.size(); ++edge) {
        std::vector<EdgeId> both = with;
        both.push_back(given.edges[edge]);
        REQUIRE(std::get<Integer>(marginals.edges[edge].sum) == listed_sums(instance, kind, 1, both, without)[0]);
      }
      MatchingList list = list_matchings(given.graph, kind, {}, {}, options.always_matched);
      std::size_t listed = 0;
      const auto has_edge = [&](const auto& edges) {
        return std::ranges::count_if(edges,
                                     [&](EdgeId id) { return id != no_edge && given.edges[id] == with.front(); }) == 1;
      };
      while (list.next()) {
        ++listed;
        REQUIRE(has_edge(list.edges()));
      }
      Instance ones = instance;
      ones.weights.assign(num_edges, 1);
      REQUIRE(Integer(listed) == listed_sums(ones, kind, 1, with, without)[0]);
      if (total != 0) REQUIRE(has_edge(distribution.samples(0, 1)));
    };
    instance.bipartite ? check(*instance.bipartite) : check(instance.graph);
  }
}

TEST_CASE("conditions on edges that are not there, and for matchings that may become smaller, are refused") {
  const BipartiteGraph square = BipartiteGraph::from_edges(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  REQUIRE_THROWS_AS(conditioned(square, {4}, {}), InputError);
  REQUIRE_THROWS_AS(conditioned(square, {}, {4}), InputError);
  MatchingOptions options{.kind = MatchingKind::maximum, .always_matched = {0}};
  REQUIRE_THROWS_AS(count_matchings(square, options), InputError);
  options.kind = MatchingKind::all;
  options.always_matched = {4};
  REQUIRE_THROWS_AS(count_matchings(square, options), InputError);
}
