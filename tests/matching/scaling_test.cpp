#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/small_graphs.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

using test::graph_of;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// The promise of the header: below 2 everywhere, and a perfect matching of entries of at least 1.
void check_scaling(const BipartiteGraph& graph, const std::vector<double>& log2_magnitude) {
  const Scaling scaling = maximum_product_scaling(graph, log2_magnitude);
  REQUIRE(scaling.row_exponent.size() == graph.num_rows());
  REQUIRE(scaling.column_exponent.size() == graph.num_columns());
  std::vector<Edge> large;
  EdgeId id = 0;
  bool all_below_two = true;
  for (const Edge& edge : graph.edges()) {
    const double log2 = log2_magnitude[id++];
    const double scaled = log2 + (scaling.row_exponent[edge.row] + scaling.column_exponent[edge.column]);
    all_below_two = all_below_two && scaled < 1;
    if (scaled >= 0) large.push_back(edge);
  }
  REQUIRE(all_below_two);
  REQUIRE(maximum_matching(graph_of(graph.num_rows(), graph.num_columns(), large)).is_perfect());
}

TEST_CASE("the empty graph scales to nothing") {
  const Scaling scaling = maximum_product_scaling({}, {});
  CHECK(scaling.row_exponent.empty());
  CHECK(scaling.column_exponent.empty());
}

TEST_CASE("ones are left alone") {
  const auto graph = graph_of(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const Scaling scaling = maximum_product_scaling(graph, std::vector<double>(4, 0.0));
  CHECK(scaling.row_exponent == std::vector<int>{0, 0});
  CHECK(scaling.column_exponent == std::vector<int>{0, 0});
}

TEST_CASE("a diagonal of wide range scales to ones") {
  const auto graph = graph_of(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  const std::vector<double> log2{-1000, 0, 1000};
  const Scaling scaling = maximum_product_scaling(graph, log2);
  for (Vertex i = 0; i < 3; ++i) CHECK(scaling.row_exponent[i] + scaling.column_exponent[i] == -log2[i]);
}

TEST_CASE("scaled entries are below 2 and hold a perfect matching of entries of at least 1") {
  const Vertex size = GENERATE(as<Vertex>{}, 1, 2, 5, 31, 32, 33, 63, 64, 65);
  const std::uint64_t seed = GENERATE(range(0, 30));
  Random random(seed, size);
  const auto columns = test::random_permutation<Vertex>(size, random);
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) edges.push_back({row, columns[row]});
  for (std::uint64_t i = random.below(6 * size); i > 0; --i) {
    edges.push_back({static_cast<Vertex>(random.below(size)), static_cast<Vertex>(random.below(size))});
  }
  const auto graph = BipartiteGraph::from_edges(size, size, edges, {}, Duplicates::one);
  const double range = std::ldexp(1, static_cast<int>(random.below(11)));
  std::vector<double> log2;
  std::ostringstream values;
  for (const Edge& edge : graph.edges()) {
    const bool planted = columns[edge.row] == edge.column;
    double value = (random.uniform() - 0.5) * 2 * range;
    if (seed % 3 == 0) value = std::round(value);
    if (!planted && random.below(5) == 0) value = minus_infinity;
    log2.push_back(value);
    values << " " << value;
  }
  CAPTURE(seed, test::to_text(graph), values.str());
  check_scaling(graph, log2);
}

TEST_CASE("a long chain of growing prices is scaled") {
  // A path: its one perfect matching is the diagonal, 2^-40 each, below entries of 1.
  const Vertex size = 20'000;
  const auto graph = test::path_graph(size);
  std::vector<double> log2;
  for (const Edge& edge : graph.edges()) log2.push_back(edge.row == edge.column ? -40 : 0);
  check_scaling(graph, log2);
}

TEST_CASE("what cannot be scaled is refused") {
  const auto graph = graph_of(2, 2, {{0, 0}, {0, 1}, {1, 0}});
  CHECK_THROWS_AS(maximum_product_scaling(graph, std::vector<double>{0, 0}), InputError);
  CHECK_THROWS_AS(maximum_product_scaling(graph, std::vector<double>{0, minus_infinity, 0}), InputError);
  CHECK_THROWS_AS(maximum_product_scaling(graph, std::vector<double>{0, 0, minus_infinity}), InputError);
  CHECK_THROWS_AS(maximum_product_scaling(graph, std::vector<double>{0, 0, -minus_infinity}), InputError);
  CHECK_THROWS_AS(maximum_product_scaling(graph, std::vector<double>{0, 0, std::nan("")}), InputError);
  CHECK_THROWS_AS(maximum_product_scaling(graph_of(1, 2, {{0, 0}}), std::vector<double>{0}), InputError);
  const auto deficient = graph_of(3, 3, {{0, 0}, {1, 0}, {2, 1}, {2, 2}});
  CHECK_THROWS_AS(maximum_product_scaling(deficient, std::vector<double>(4, 0.0)), InputError);
}

}  // namespace
}  // namespace matchcount
