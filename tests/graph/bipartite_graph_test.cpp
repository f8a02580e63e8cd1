#include "graph/bipartite_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/permutations.hpp"

namespace matchcount {
namespace {

using Ints = std::vector<std::int64_t>;
using Reals = std::vector<DoubleDouble>;
using Complexes = std::vector<ComplexDoubleDouble>;

template <class T>
std::vector<T> list(std::span<const T> items) {
  return {items.begin(), items.end()};
}

const Ints& ints(const BipartiteGraph& graph) { return std::get<Ints>(graph.weights()); }

// Returns the first promise of the header about how the two compressed sides agree that is broken; empty where all are
// kept.
std::string broken_promise(const BipartiteGraph& graph) {
  const std::vector<Edge> edges = graph.edges();
  if (edges.size() != graph.num_edges()) return "edges() has num_edges() of them";
  if (!std::is_sorted(edges.begin(), edges.end())) return "edges ascend";
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return "edges are distinct";
  EdgeId id = 0;
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    if (graph.row_begin(row) != id) return "row_begin of row " + std::to_string(row);
    for (const Vertex column : graph.row(row)) {
      if (edges[id] != Edge{row, column}) return "edge " + std::to_string(id);
      ++id;
    }
  }
  if (id != graph.num_edges()) return "the rows hold every edge";
  EdgeId total = 0;
  for (Vertex column = 0; column < graph.num_columns(); ++column) {
    const auto rows = graph.column(column);
    const auto ids = graph.column_edges(column);
    if (rows.size() != ids.size() || !std::is_sorted(rows.begin(), rows.end())) {
      return "the order of column " + std::to_string(column);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (ids[i] >= edges.size() || edges[ids[i]] != Edge{rows[i], column})
        return "ids of column " + std::to_string(column);
    }
    total += rows.size();
  }
  return total == graph.num_edges() ? "" : "the columns hold every edge";
}

struct Instance {
  Vertex num_rows;
  Vertex num_columns;
  std::vector<Edge> edges;
  Ints weights;
};

// Draws edges, some of them repeated; weights may be 0.
Instance random_instance(std::uint64_t seed) {
  Random random(seed);
  const std::vector<Vertex> sizes{1, 2, 5, 31, 32, 33, 63, 64, 65, 1000, 5000, 70000};
  Instance instance{sizes[random.below(sizes.size())], sizes[random.below(sizes.size())], {}, {}};
  const std::uint64_t num_edges = random.below(300);
  for (std::uint64_t i = 0; i < num_edges; ++i) {
    instance.edges.push_back({static_cast<Vertex>(random.below(instance.num_rows)),
                              static_cast<Vertex>(random.below(instance.num_columns))});
    instance.weights.push_back(static_cast<std::int64_t>(random.below(7)) - 3);
  }
  return instance;
}

TEST_CASE("the default graph has no vertices and no edges") {
  const BipartiteGraph graph;
  CHECK(graph.num_rows() == 0);
  CHECK(graph.num_columns() == 0);
  CHECK(graph.num_edges() == 0);
  CHECK(graph.edges().empty());
  CHECK(graph.weight_kind() == WeightKind::none);
}

TEST_CASE("neighbours and edge ids of a small graph are as drawn") {
  //     0 1 2
  // 0   . x x
  // 1   x . .
  const BipartiteGraph graph = BipartiteGraph::from_edges(2, 3, {{1, 0}, {0, 2}, {0, 1}}, Ints{10, 2, 1});
  CHECK(list(graph.row(0)) == std::vector<Vertex>{1, 2});
  CHECK(list(graph.row(1)) == std::vector<Vertex>{0});
  CHECK(graph.row_begin(1) == 2);
  CHECK(list(graph.column(0)) == std::vector<Vertex>{1});
  CHECK(list(graph.column_edges(0)) == std::vector<EdgeId>{2});
  CHECK(list(graph.column_edges(2)) == std::vector<EdgeId>{1});
  CHECK(ints(graph) == Ints{1, 2, 10});
}

TEST_CASE("any order of the edges gives the same graph as a map does") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Instance instance = random_instance(seed);
    std::map<Edge, std::int64_t> sums;
    std::map<Edge, std::int64_t> firsts;
    std::map<Edge, std::int64_t> multiplicities;
    for (std::size_t i = 0; i < instance.edges.size(); ++i) {
      sums[instance.edges[i]] += instance.weights[i];
      firsts.emplace(instance.edges[i], instance.weights[i]);
      ++multiplicities[instance.edges[i]];
    }
    const auto require_equal = [&](const BipartiteGraph& graph, const std::map<Edge, std::int64_t>& expected) {
      REQUIRE(broken_promise(graph) == "");
      REQUIRE(graph.num_rows() == instance.num_rows);
      REQUIRE(graph.num_columns() == instance.num_columns);
      const std::vector<Edge> edges = graph.edges();
      REQUIRE(edges.size() == expected.size());
      std::size_t i = 0;
      for (const auto& [edge, weight] : expected) {
        REQUIRE(edges[i] == edge);
        if (graph.weight_kind() != WeightKind::none) REQUIRE(ints(graph)[i] == weight);
        ++i;
      }
    };
    const auto build = [&](Weights weights, Duplicates duplicates) {
      return BipartiteGraph::from_edges(instance.num_rows, instance.num_columns, instance.edges, std::move(weights),
                                        duplicates);
    };
    require_equal(build(instance.weights, Duplicates::sum), sums);
    require_equal(build(instance.weights, Duplicates::one), firsts);
    require_equal(build({}, Duplicates::one), firsts);
    require_equal(build({}, Duplicates::sum), multiplicities);
    if (sums.size() == instance.edges.size()) {
      require_equal(build(instance.weights, Duplicates::refuse), sums);
    } else {
      REQUIRE_THROWS_AS(build(instance.weights, Duplicates::refuse), InputError);
    }
  }
}

TEST_CASE("unweighted edges stay unweighted under sum where none repeats") {
  const BipartiteGraph graph = BipartiteGraph::from_edges(2, 2, {{1, 1}, {0, 0}}, {}, Duplicates::sum);
  CHECK(graph.weight_kind() == WeightKind::none);
}

TEST_CASE("edges out of range are refused and named") {
  CHECK_THROWS_WITH(BipartiteGraph::from_edges(2, 2, {{0, 0}, {2, 1}}), ContainsSubstring("row 2"));
  CHECK_THROWS_WITH(BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 7}}), ContainsSubstring("column 7"));
  CHECK_THROWS_AS(BipartiteGraph::from_edges(0, 0, {{0, 0}}), InputError);
}

TEST_CASE("a repeated edge is refused and named") {
  CHECK_THROWS_WITH(BipartiteGraph::from_edges(3, 3, {{1, 2}, {0, 0}, {1, 2}}),
                    ContainsSubstring("row 1 and column 2") && ContainsSubstring("twice"));
}

TEST_CASE("weights of the wrong number or not finite are refused") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Ints{}), InputError);
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Ints{1, 2}), InputError);
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Reals{DoubleDouble(inf)}), InputError);
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Reals{DoubleDouble(1, nan)}), InputError);
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Complexes{{1.0, DoubleDouble(nan)}}), InputError);
  const BipartiteGraph graph = BipartiteGraph::from_edges(1, 1, {{0, 0}});
  CHECK_THROWS_AS(graph.with_weights(Ints{1, 2}), InputError);
  CHECK_THROWS_AS(graph.with_weights(Reals{DoubleDouble(-inf)}), InputError);
}

TEST_CASE("sums that leave their type's range are refused") {
  const std::vector<Edge> twice{{0, 0}, {0, 0}};
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, twice, Ints{most, 1}, Duplicates::sum), InputError);
  CHECK(ints(BipartiteGraph::from_edges(1, 1, twice, Ints{most, -1}, Duplicates::sum)) == Ints{most - 1});
  const DoubleDouble large(std::numeric_limits<double>::max());
  CHECK_THROWS_AS(BipartiteGraph::from_edges(1, 1, twice, Reals{large, large}, Duplicates::sum), InputError);
}

TEST_CASE("sums of reals are rounded once, and refused where they cancel") {
  const auto sum = [](const auto& weights) {
    return BipartiteGraph::from_edges(1, 1, std::vector<Edge>(weights.size(), Edge{0, 0}), weights, Duplicates::sum)
        .weights();
  };
  CHECK(std::get<Reals>(sum(Reals{1.0, 0x1p-70, 0x1p-170, -0x1p-71})) == Reals{DoubleDouble(1, 0x1p-71)});
  CHECK(std::get<Reals>(sum(Reals(1000, DoubleDouble(0.5, 0x1p-60)))) == Reals{DoubleDouble(500, 1000 * 0x1p-60)});
  CHECK(std::get<Reals>(sum(Reals{2.0, -1.0, 0.25})) == Reals{1.25});
  CHECK(std::get<Reals>(sum(Reals{0.0, -0.0})) == Reals{0.0});
  const DoubleDouble i(1);
  CHECK(std::get<Complexes>(sum(Complexes{{1.0, i}, {1.0, -i}})) == Complexes{2.0});
  // 0.1 + 0.2 - 0.3 is 0, and their double-doubles' sum is not; 1e40 + 0.1 - 1e40 is not, and a double-double's is.
  const DoubleDouble tenth = DoubleDouble(1) / DoubleDouble(10);
  CHECK_THROWS_AS(sum(Reals{tenth, DoubleDouble(2) * tenth, -DoubleDouble(3) * tenth}), InputError);
  CHECK_THROWS_AS(sum(Reals{1e40, tenth, -1e40}), InputError);
  CHECK_THROWS_AS(sum(Reals{1.0, -1.0}), InputError);
  CHECK_THROWS_AS(sum(Reals{1e-307, 1e-307}), InputError);
  CHECK_THROWS_AS(sum(Complexes{{1.0, i}, {-1.0, i}, {1.0, -i}, {-0.5, -i}}), InputError);
}

TEST_CASE("a dense array becomes its nonzero entries, small fractions included") {
  const BipartiteGraph real = BipartiteGraph::from_dense(2, 2, std::vector<double>{0.25, 0.0, -0.0, -1e-300});
  CHECK(real.edges() == std::vector<Edge>{{0, 0}, {1, 1}});
  CHECK(std::get<Reals>(real.weights()) == Reals{DoubleDouble(0.25), DoubleDouble(-1e-300)});
  const BipartiteGraph integer = BipartiteGraph::from_dense(2, 3, std::vector<std::int64_t>{0, 1, 2, -3, 0, 0});
  CHECK(integer.edges() == std::vector<Edge>{{0, 1}, {0, 2}, {1, 0}});
  CHECK(ints(integer) == Ints{1, 2, -3});
  const BipartiteGraph complex = BipartiteGraph::from_dense(1, 2, Complexes{{0.0, DoubleDouble(0.5)}, {0.0, 0.0}});
  CHECK(complex.num_edges() == 1);
  CHECK_THROWS_AS(BipartiteGraph::from_dense(2, 2, Ints{1, 2, 3}), InputError);
  CHECK_THROWS_AS(BipartiteGraph::from_dense(1, 1, std::vector<double>{std::nan("")}), InputError);
  CHECK(BipartiteGraph::from_dense(0, 3, Ints{}).num_columns() == 3);
}

TEST_CASE("pattern, with_weights and drop_zeros touch the weights only as they say") {
  const BipartiteGraph graph = BipartiteGraph::from_edges(2, 2, {{0, 0}, {0, 1}, {1, 1}}, Ints{3, 0, 5});
  CHECK(graph.pattern().weight_kind() == WeightKind::none);
  CHECK(graph.pattern().edges() == graph.edges());
  const BipartiteGraph other = graph.with_weights(Reals{DoubleDouble(0.5), DoubleDouble(1), DoubleDouble(2)});
  CHECK(other.weight_kind() == WeightKind::real);
  const BipartiteGraph nonzero = graph.drop_zeros();
  CHECK(nonzero.edges() == std::vector<Edge>{{0, 0}, {1, 1}});
  CHECK(ints(nonzero) == Ints{3, 5});
  CHECK(graph.pattern().drop_zeros().num_edges() == 3);
  const BipartiteGraph complex =
      graph.with_weights(Complexes{{0.0, DoubleDouble(1)}, {0.0, 0.0}, {DoubleDouble(0, 0), DoubleDouble(-0.0)}});
  CHECK(complex.drop_zeros().edges() == std::vector<Edge>{{0, 0}});
}

TEST_CASE("transposing, cutting out and filtering agree with doing so edge by edge") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Instance instance = random_instance(seed);
    const BipartiteGraph graph = BipartiteGraph::from_edges(instance.num_rows, instance.num_columns, instance.edges,
                                                            instance.weights, Duplicates::sum);
    const std::vector<Edge> edges = graph.edges();
    const Ints weights = graph.num_edges() == 0 ? Ints{} : ints(graph);

    std::map<Edge, std::int64_t> expected;
    for (std::size_t i = 0; i < edges.size(); ++i) expected[{edges[i].column, edges[i].row}] = weights[i];
    const auto require_equal = [&](const BipartiteGraph& result) {
      REQUIRE(broken_promise(result) == "");
      std::map<Edge, std::int64_t> found;
      const std::vector<Edge> all = result.edges();
      for (std::size_t i = 0; i < all.size(); ++i) found[all[i]] = ints(result)[i];
      REQUIRE(found == expected);
    };
    require_equal(graph.transposed());

    Random random(seed, 1);
    std::vector<bool> keep(edges.size());
    expected.clear();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      keep[i] = random.below(2) == 0;
      if (keep[i]) expected[edges[i]] = weights[i];
    }
    require_equal(graph.filtered(keep));

    // A shuffled choice of either side, sometimes small against it.
    const auto choose = [&](Vertex size) {
      auto chosen = test::random_permutation<Vertex>(size, random);
      chosen.resize(random.below(2) == 0 ? random.below(size / 20 + 1) : random.below(std::uint64_t{size} + 1));
      return chosen;
    };
    const std::vector<Vertex> rows = choose(instance.num_rows);
    const std::vector<Vertex> columns = choose(instance.num_columns);
    std::map<Vertex, Vertex> row_place;
    std::map<Vertex, Vertex> column_place;
    for (std::size_t i = 0; i < rows.size(); ++i) row_place[rows[i]] = static_cast<Vertex>(i);
    for (std::size_t i = 0; i < columns.size(); ++i) column_place[columns[i]] = static_cast<Vertex>(i);
    expected.clear();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (row_place.count(edges[i].row) != 0 && column_place.count(edges[i].column) != 0) {
        expected[{row_place[edges[i].row], column_place[edges[i].column]}] = weights[i];
      }
    }
    const BipartiteGraph part = graph.induced(rows, columns);
    REQUIRE(part.num_rows() == rows.size());
    REQUIRE(part.num_columns() == columns.size());
    require_equal(part);
  }
}

TEST_CASE("a part with vertices out of range or repeated is refused") {
  const BipartiteGraph graph = BipartiteGraph::from_edges(100, 100, {{0, 0}});
  const std::vector<Vertex> good{0, 1};
  const std::vector<Vertex> far{0, 100};
  const std::vector<Vertex> twice{1, 1};
  std::vector<Vertex> many_twice(50);
  CHECK_THROWS_AS(graph.induced(good, far), InputError);
  CHECK_THROWS_AS(graph.induced(far, good), InputError);
  CHECK_THROWS_AS(graph.induced(good, twice), InputError);
  CHECK_THROWS_AS(graph.induced(many_twice, good), InputError);
  CHECK_THROWS_AS(graph.filtered(std::vector<bool>(2)), InputError);
}

}  // namespace
}  // namespace matchcount
