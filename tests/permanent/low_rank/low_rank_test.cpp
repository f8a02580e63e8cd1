
#include "matchcount/count.hpp"
#include "permanent/low_rank/rank_sum.hpp"
#include "support/catch.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

CountOptions by(Method method) { return {.method = method, .run = {.num_threads = 2}}; }

template <class Entry>
BipartiteGraph matrix_of(Vertex n, Entry&& entry) {
  std::vector<Edge> edges;
  std::vector<std::int64_t> weights;
  for (Vertex i = 0; i < n; ++i) {
    for (Vertex j = 0; j < n; ++j) {
      if (entry(i, j) == 0) continue;
      edges.push_back({i, j});
      weights.push_back(entry(i, j));
    }
  }
  return BipartiteGraph::from_edges(n, n, std::move(edges), std::move(weights));
}

// The sum of `rank` products of random lines, some entries of which are 0.
BipartiteGraph random_of_rank(Vertex n, std::size_t rank, std::int64_t most, Random& random) {
  std::vector<std::int64_t> u, v;
  const auto draw = [&] {
    return static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
  };
  for (std::size_t i = 0; i < n * rank; ++i) u.push_back(draw()), v.push_back(draw());
  return matrix_of(n, [&](Vertex i, Vertex j) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < rank; ++k) sum += u[i * rank + k] * v[j * rank + k];
    return sum;
  });
}

}  // namespace

TEST_CASE("permanents of matrices of low rank are those of their expansion") {
  Random random(2701);
  int applied = 0;
  for (int round = 0; round < 400; ++round) {
    const auto n = static_cast<Vertex>(1 + random.below(8));
    const BipartiteGraph graph = random_of_rank(n, 1 + random.below(4), round % 3 == 0 ? 1000000 : 3, random);
    INFO(round << ": " << test::to_string(with_odd_cycles(graph)));
    where_it_applies(applied, [&] {
      REQUIRE(std::get<Integer>(permanent(graph, by(Method::low_rank)).value) ==
              std::get<Integer>(permanent(graph, by(Method::expansion)).value));
    });
  }
  REQUIRE(applied > 300);
}

TEST_CASE("larger matrices of low rank have the permanents that inclusion-exclusion finds, in integers and in reals") {
  Random random(2702);
  for (const std::size_t rank : {1, 2, 3, 5}) {
    const BipartiteGraph graph = random_of_rank(14, rank, 9, random);
    const Value found = permanent(graph, by(Method::low_rank)).value;
    REQUIRE(std::get<Integer>(found) == std::get<Integer>(permanent(graph, by(Method::staged)).value));
    std::vector<DoubleDouble> halves;
    for (const std::int64_t weight : std::get<std::vector<std::int64_t>>(graph.weights()))
      halves.emplace_back(0.5 * static_cast<double>(weight));
    const BipartiteGraph reals = graph.pattern().with_weights(std::move(halves));
    const RealValue real = std::get<RealValue>(permanent(reals, by(Method::low_rank)).value);
    ScaledReal truth = nearest_real(std::get<Integer>(found));
    if (!truth.is_zero()) truth.exponent -= 14;
    const ScaledReal difference = real.value + -truth;
    REQUIRE((difference.is_zero() || difference.log2_abs() <= real.log2_error));
  }
}

TEST_CASE("sums of two indices have rank 2, and other matrices are refused by their rank") {
  // i + j from 1 on: rank 2; n! times the sum over k of e_k e_(n - k) / C(n, k), e being elementary symmetric.
  const BipartiteGraph sums = matrix_of(60, [](Vertex i, Vertex j) { return std::int64_t{i} + j + 2; });
  std::vector<Integer> elementary{1};
  for (int i = 1; i <= 60; ++i) {
    elementary.push_back(0);
    for (std::size_t k = elementary.size() - 1; k > 0; --k) elementary[k] += i * elementary[k - 1];
  }
  Integer truth = 0;
  std::vector<Integer> factorial{1};
  for (int i = 1; i <= 60; ++i) factorial.push_back(i * factorial.back());
  for (std::size_t k = 0; k <= 60; ++k) truth += factorial[k] * factorial[60 - k] * elementary[k] * elementary[60 - k];
  const auto found = permanent(sums);
  REQUIRE(std::get<Integer>(found.value) == truth);
  Random random(2703);
  const BipartiteGraph full =
      matrix_of(30, [&](Vertex, Vertex) { return 1 + static_cast<std::int64_t>(random.below(9)); });
  REQUIRE_THROWS_AS(permanent(full, by(Method::low_rank)), Unable);
}

TEST_CASE("a rank that one prime hides is found by others") {
  // A rank of 2 modulo 2^31 - 1 and of 3 else.
  constexpr std::int64_t prime = 2147483647;
  matchcount::SquareMatrix matrix{3, {1, 2, 3, 4, 5, 6, 5, 7, 9 + prime}};
  const auto pivots = pivots_of(matrix, 2, RunContext());
  REQUIRE(pivots);
  REQUIRE(pivots->rows.size() == 2);
  REQUIRE_FALSE(permanent_of_low_rank(matrix, *pivots, 64, RunContext()));
  matrix.entries[8] = 9;
  REQUIRE(permanent_of_low_rank(matrix, *pivots, 64, RunContext()) ==
          Integer(1 * 5 * 9 + 1 * 6 * 7 + 2 * 4 * 9 + 2 * 6 * 5 + 3 * 4 * 7 + 3 * 5 * 5));
  REQUIRE_FALSE(pivots_of(matrix, 1, RunContext()));
  // All entries are 0 modulo it.
  REQUIRE_FALSE(pivots_of({2, {prime, 2 * prime, 3 * prime, prime}}, 2, RunContext()));
  REQUIRE(pivots_of({0, {}}, 2, RunContext()));
}

TEST_CASE("a matrix whose rank is low modulo the first prime alone is counted by another method") {
  Random random(11);
  for (const Vertex n : {12, 14, 17}) {
    const BipartiteGraph graph =
        matrix_of(n, [&](Vertex, Vertex) { return random.below(2) == 0 ? std::int64_t{1} : std::int64_t{1} << 31; });
    CAPTURE(n);
    const Result found = permanent(graph);
    CHECK(std::get<Integer>(found.value) == std::get<Integer>(permanent(graph, by(Method::staged)).value));
    CHECK(found.method != Method::low_rank);
    CHECK(found.plan.blocks.front().forecasts.front().method == found.method);
    CHECK_THROWS_AS(permanent(graph, by(Method::low_rank)), Unable);
  }
}
