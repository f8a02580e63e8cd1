// Expansions into smaller permanents, against the definition.

#include "matching/expand.hpp"

#include <cmath>

#include "graph/generate.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;

namespace {

Integer permanent_of(const ExpandedTerm<std::int64_t>& term) {
  const auto n = static_cast<std::size_t>(term.block.pattern.num_rows());
  std::vector<Integer> dense(n * n, Integer(0));
  for (Vertex row = 0; row < n; ++row) {
    EdgeId edge = term.block.pattern.row_begin(row);
    for (const Vertex column : term.block.pattern.row(row)) dense[row * n + column] = term.block.entries[edge++];
  }
  Integer value = reference::permanent_by_expansion(dense, n);
  for (const std::int64_t factor : term.factors) value *= Integer(factor);
  return value;
}

constexpr std::uint64_t seed = 20261122;

}  // namespace

TEST_CASE("terms of an expansion add up to the permanent") {
  for (std::size_t n = 1; n <= 8; ++n) {
    for (const test::Family family : test::all_families) {
      const auto instance = test::integer_instance(family, test::IntegerWeights::mixed, n, seed);
      INFO(to_string(instance));
      const Integer truth = test::exact_permanent(instance);
      for (const Vertex degree : {1u, 2u, 3u, 4u}) {
        for (const Vertex rows : {1u, 3u, 8u}) {
          CAPTURE(degree, rows);
          Integer sum = 0;
          expand<std::int64_t>(test::block_of(instance), {degree, rows}, [&](ExpandedTerm<std::int64_t>&& term) {
            // It was expanded as far as it was asked to be.
            CHECK(term.block.pattern.num_rows() <= n);
            sum += permanent_of(term);
          });
          CHECK(sum == truth);
        }
      }
    }
  }
}

TEST_CASE("a row of three entries gives two matrices, and one of four gives two, of one row less") {
  for (const Vertex degree : {3u, 4u}) {
    const auto graph = test::bipartite_where(6, 6, [&](Vertex i, Vertex j) { return i > 0 || j < degree; });
    const ExpansionSize size = expansion_size(graph, {4, 5}, seed);
    CHECK(size.terms == 2);
    CHECK(size.mean_rows == 5);
    CHECK(size.most_rows == 5);
    CHECK_FALSE(size.estimated);
    CHECK(expansion_size(graph, {2, 5}, seed).terms == 1);
  }
}

TEST_CASE("a merged entry that would not fit ends an expansion") {
  const std::int64_t large = std::int64_t{1} << 40;
  const auto graph = BipartiteGraph::from_dense(3, 3,
                                                std::vector<std::int64_t>{large, large + 1, 0, large, large + 3,  //
                                                                          large, 1, large, large + 5});
  const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
  std::vector<Vertex> sizes;
  expand<std::int64_t>({graph.pattern(), weights}, {4, 1},
                       [&](ExpandedTerm<std::int64_t>&& term) { sizes.push_back(term.block.pattern.num_rows()); });
  CHECK(sizes == std::vector<Vertex>{3});
}

TEST_CASE("the number of terms of a large expansion is estimated, near what it is") {
  // 2^11 and more: too many to be counted, few enough to be gone through here.
  const BipartiteGraph graph = random_regular_graph(30, 4, 5);
  const ExpandOptions options{4, 12};
  double terms = 0, rows = 0;
  const std::vector<std::int64_t> ones(graph.num_edges(), 1);
  expand<std::int64_t>({graph, ones}, options, [&](ExpandedTerm<std::int64_t>&& term) {
    terms += 1;
    rows += term.block.pattern.num_rows();
  });
  const ExpansionSize size = expansion_size(graph, options, seed);
  REQUIRE(size.estimated);
  CAPTURE(terms, size.terms);
  // A thousand walks, whose weights differ by small factors.
  CHECK(std::fabs(std::log(size.terms / terms)) < 0.5);
  CHECK(std::fabs(size.mean_rows - rows / terms) < 1);
}

TEST_CASE("options of an expansion that are out of range are refused") {
  const BipartiteGraph graph = complete_graph(3, 3);
  CHECK_THROWS_AS(expansion_size(graph, {0, 1}, seed), InputError);
  CHECK_THROWS_AS(expansion_size(graph, {5, 1}, seed), InputError);
  CHECK_THROWS_AS(expansion_size(graph, {4, 0}, seed), InputError);
}
