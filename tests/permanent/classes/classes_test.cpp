// Sums by classes against the definition, closed formulas and complements.

#include <algorithm>

#include "support/clock.hpp"
#include "support/closed_forms.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"
#include "support/oracles.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261124;

CountOptions by_classes(bool whole = false) { return test::by_method(Method::classes, whole); }

// Rows and columns, or vertices, of a few kinds, whose weights are those of their kinds times factors of their own.
SquareMatrix matrix_of_kinds(std::size_t n, std::size_t kinds, bool symmetric, bool scaled, Random& random) {
  SquareMatrix matrix{n};
  std::vector<std::int64_t> weight(kinds * kinds);
  for (std::size_t a = 0; a < kinds; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      weight[a * kinds + b] = static_cast<std::int64_t>(random.below(6)) - 2;
      weight[b * kinds + a] = symmetric ? weight[a * kinds + b] : static_cast<std::int64_t>(random.below(6)) - 2;
    }
  std::vector<std::size_t> of_row(n), of_column(n);
  std::vector<std::int64_t> row(n, 1), column(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    of_row[i] = random.below(kinds);
    of_column[i] = symmetric ? of_row[i] : random.below(kinds);
    if (!scaled) continue;
    row[i] = 1 + static_cast<std::int64_t>(random.below(5));
    column[i] = symmetric ? row[i] : -1 - static_cast<std::int64_t>(random.below(4));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      matrix.entries[i * n + j] =
          symmetric && i == j ? 0 : weight[of_row[i] * kinds + of_column[j]] * row[i] * column[j];
  return matrix;
}

Integer truth(const SquareMatrix& matrix, bool symmetric) {
  return symmetric ? reference::hafnian_by_expansion(matrix.integers(), matrix.n)
                   : reference::permanent_by_subsets(matrix.integers(), matrix.n);
}

BipartiteGraph ferrers(const std::vector<Vertex>& lengths) {
  const auto n = static_cast<Vertex>(lengths.size());
  return bipartite_where(n, n, [&](Vertex i, Vertex j) { return j < lengths[i]; });
}

TEST_CASE("Ferrers boards have the products of their free places, in one state") {
  Random random(seed, 0);
  for (const Vertex n : {2u, 3u, 17u, 64u, 150u}) {
    std::vector<Vertex> lengths;
    for (Vertex i = 0; i < n; ++i) lengths.push_back(std::max(i + 1, static_cast<Vertex>(1 + random.below(n))));
    std::ranges::sort(lengths);
    Integer product = 1;
    for (Vertex i = 0; i < n; ++i) product *= lengths[i] - i;
    CAPTURE(n, lengths);
    const Result result = count_perfect_matchings(ferrers(lengths), by_classes());
    CHECK(integer(result) == product);
    for (const BlockPlan& block : result.plan.blocks)
      CHECK_THAT(block.forecasts.front().reason, ContainsSubstring("2^0.0 states"));
  }
}

TEST_CASE("complete graphs and those without a matching are double factorials and what complements find") {
  for (const Vertex n : {4u, 6u, 12u, 40u, 64u}) {
    CAPTURE(n);
    CHECK(integer(count_perfect_matchings(complete(n), by_classes(true))) == odd_factorial(n / 2));
    CountOptions complement = by_classes(true);
    complement.method = Method::complement;
    const auto party = graph_where(n, [](Vertex i, Vertex j) { return i / 2 != j / 2; });
    if (n > 4)
      CHECK(integer(count_perfect_matchings(party, by_classes(true))) ==
            integer(count_perfect_matchings(party, complement)));
  }
}

TEST_CASE("matrices and graphs of few kinds have the permanents and hafnians of the definition") {
  Random random(seed, 1);
  int applied = 0, all = 0;
  for (std::size_t n = 2; n <= 10; ++n) {
    for (std::size_t kinds = 1; kinds <= 4; ++kinds) {
      for (int turn = 0; turn < 8; ++turn, ++all) {
        const bool symmetric = turn % 2 == 1 && n % 2 == 0, scaled = turn % 4 >= 2, whole = turn < 4;
        const auto matrix = matrix_of_kinds(n, kinds, symmetric, scaled, random);
        CAPTURE(n, kinds, symmetric, scaled, whole, matrix.entries);
        where_it_applies(applied, [&] {
          CHECK(truth(matrix, symmetric) ==
                integer(symmetric ? hafnian(graph_of<UndirectedGraph>(matrix), by_classes(whole))
                                  : permanent(graph_of<BipartiteGraph>(matrix), by_classes(whole))));
        });
      }
    }
  }
  CAPTURE(all);
  CHECK(applied > all * 3 / 4);
}

TEST_CASE("reals of few kinds have the permanents of the definition within their bounds") {
  Random random(seed, 2);
  for (std::size_t n = 3; n <= 9; ++n) {
    auto matrix = matrix_of_kinds(n, 2, false, false, random);
    for (std::int64_t& entry : matrix.entries) entry = entry == 0 ? 5 : entry;
    const Result result = permanent(graph_of<BipartiteGraph>(matrix, DoubleDouble(0.5)), by_classes(true));
    ScaledReal real = nearest_real(truth(matrix, false));
    if (!real.is_zero()) real.exponent -= static_cast<std::int64_t>(n);
    const RealValue& value = std::get<RealValue>(result.value);
    CAPTURE(n, matrix.entries);
    CHECK((value.value + -real).log2_abs() <= value.log2_error);
    CHECK(value.log2_error <= value.log2_magnitudes - 90);
  }
}

TEST_CASE("a sum by classes is verified, is the same on any number of threads, and keeps limits") {
  Random random(seed, 3);
  auto matrix = matrix_of_kinds(40, 3, false, true, random);
  for (std::int64_t& entry : matrix.entries) entry = entry == 0 ? 7 : entry;
  const auto graph = graph_of<BipartiteGraph>(matrix);
  CountOptions one = by_classes();
  one.run.num_threads = 1;
  CHECK(integer(permanent(graph, one)) == integer(permanent(graph, by_classes())));
  CountOptions verified = by_classes();
  verified.verify = true;
  CHECK(permanent(ferrers({3, 4, 5, 6, 7, 8, 9, 10, 10, 10}), verified).checks.back().passed);
  CountOptions stopped = by_classes();
  stopped.run.stop = test::raised_stop();
  CHECK_THROWS_AS(permanent(graph, stopped), Cancelled);
  CountOptions in_no_time = by_classes();
  test::StepClock clock;
  clock.end_at_look(2, in_no_time.run);
  CHECK_THROWS_AS(permanent(graph, in_no_time), OverLimit);
}

TEST_CASE("marginals and samples by classes are those of a list of all matchings") {
  Random random(seed, 5);
  int applied = 0, all = 0;
  for (std::size_t n = 2; n <= 6; ++n) {
    for (std::size_t kinds = 1; kinds <= 3; ++kinds) {
      for (int turn = 0; turn < 20; ++turn, ++all) {
        const bool symmetric = turn % 2 == 1, scaled = turn % 4 >= 2, is_sampled = turn >= 16;
        auto matrix = matrix_of_kinds(symmetric ? 2 * ((n + 2) / 2) : n, kinds, symmetric, scaled, random);
        if (is_sampled)
          for (std::int64_t& entry : matrix.entries) entry = std::abs(entry);
        CAPTURE(n, kinds, turn, matrix.entries);
        where_it_applies(applied, [&] {
          const auto check = [&](const auto& graph) {
            test::check_marginals(graph, Method::classes);
            if (is_sampled) test::check_samples(graph, Method::classes);
          };
          symmetric ? check(graph_of<UndirectedGraph>(matrix)) : check(graph_of<BipartiteGraph>(matrix));
        });
      }
    }
  }
  CAPTURE(all);
  CHECK(applied > all / 2);
}

TEST_CASE("random matrices have too many classes") {
  Random random(seed, 4);
  SquareMatrix matrix{40};
  for (std::int64_t& entry : matrix.entries) entry = random.below(2) == 0 ? 1 : 0;
  CHECK_THROWS_WITH(permanent(graph_of<BipartiteGraph>(matrix), by_classes()), ContainsSubstring("too many classes"));
}

}  // namespace
}  // namespace matchcount
