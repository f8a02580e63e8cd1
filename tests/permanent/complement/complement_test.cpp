// Complements against the definition, closed formulas and other methods.

#include "permanent/reference/oracles.hpp"
#include "support/clock.hpp"
#include "support/closed_forms.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261123;

CountOptions by_complement(bool whole = false) { return test::by_method(Method::complement, whole); }

// Touchard 1934.
Integer menage(unsigned n) {
  Integer sum = 0;
  for (unsigned k = 0; k <= n; ++k) {
    const Integer term = 2 * n * binomial(2 * n - k, k) * factorial(n - k) / (2 * n - k);
    sum += k % 2 == 0 ? term : -term;
  }
  return sum;
}

// A matrix u v^T of small factors, some of them negative, in which so many random cells have other values.
SquareMatrix near_rank_one_matrix(std::size_t n, std::size_t changed, bool symmetric, Random& random) {
  const auto factor = [&] { return (random.below(4) == 0 ? -1 : 1) * static_cast<std::int64_t>(1 + random.below(6)); };
  SquareMatrix matrix{n};
  std::vector<std::int64_t> u(n), v(n);
  for (std::size_t i = 0; i < n; ++i) u[i] = factor(), v[i] = symmetric ? u[i] : factor();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) matrix.entries[i * n + j] = symmetric && i == j ? 0 : 3 * u[i] * v[j];
  for (std::size_t k = 0; k < changed; ++k) {
    const std::size_t i = random.below(n), j = random.below(n);
    if (symmetric && i == j) continue;
    matrix.entries[i * n + j] = static_cast<std::int64_t>(random.below(5)) - 2;
    if (symmetric) matrix.entries[j * n + i] = matrix.entries[i * n + j];
  }
  return matrix;
}
TEST_CASE("derangements and menage numbers are those of the closed formulas") {
  for (const Vertex n : {3u, 4u, 5u, 8u, 31u, 64u, 200u}) {
    CAPTURE(n);
    CHECK(integer(count_perfect_matchings(bipartite_where(n, n, [](Vertex i, Vertex j) { return i != j; }),
                                          by_complement())) == derangements(n));
  }
  for (const Vertex n : {5u, 6u, 9u, 33u, 65u, 150u}) {
    CAPTURE(n);
    const auto keep = [n](Vertex i, Vertex j) { return j != i && j != (i + 1) % n; };
    CHECK(integer(count_perfect_matchings(bipartite_where(n, n, keep), by_complement())) == menage(n));
  }
}

TEST_CASE("complete graphs and cocktail parties are those of the closed formulas") {
  for (const Vertex pairs : {2u, 3u, 10u, 32u, 100u}) {
    CAPTURE(pairs);
    Integer without_one = 0;
    for (unsigned k = 0; k <= pairs; ++k) {
      const Integer term = binomial(pairs, k) * odd_factorial(pairs - k);
      without_one += k % 2 == 0 ? term : -term;
    }
    const auto complete = graph_where(2 * pairs, [](Vertex, Vertex) { return true; });
    CHECK(integer(count_perfect_matchings(complete, by_complement(true))) == odd_factorial(pairs));
    if (pairs == 2) continue;  // a cycle
    const auto party = graph_where(2 * pairs, [](Vertex i, Vertex j) { return i / 2 != j / 2; });
    CHECK(integer(count_perfect_matchings(party, by_complement(true))) == without_one);
  }
}

TEST_CASE("complete multipartite graphs are sums over matchings inside the parts") {
  for (const std::vector<Vertex>& sizes :
       {std::vector<Vertex>{2, 2, 2}, {4, 3, 3}, {20, 20, 20}, {7, 9, 30, 12}, {1, 1, 1, 1, 30, 30}}) {
    std::vector<Vertex> part;
    for (Vertex i = 0; i < sizes.size(); ++i) part.insert(part.end(), sizes[i], i);
    // By size: matchings of a disjoint union of complete graphs, by multiplication.
    std::vector<Integer> inside{1};
    for (const Vertex size : sizes) {
      std::vector<Integer> product(inside.size() + size / 2);
      for (std::size_t a = 0; a < inside.size(); ++a)
        for (Vertex k = 0; 2 * k <= size; ++k) product[a + k] += inside[a] * binomial(size, 2 * k) * odd_factorial(k);
      inside = std::move(product);
    }
    Integer sum = 0;
    for (unsigned k = 0; k < inside.size(); ++k) {
      const Integer term = inside[k] * odd_factorial(static_cast<unsigned>(part.size()) / 2 - k);
      sum += k % 2 == 0 ? term : -term;
    }
    CAPTURE(sizes);
    const auto graph =
        graph_where(static_cast<Vertex>(part.size()), [&](Vertex i, Vertex j) { return part[i] != part[j]; });
    CHECK(integer(count_perfect_matchings(graph, by_complement(true))) == sum);
  }
}

TEST_CASE("matrices near rank one have the permanents and hafnians of the definition") {
  Random random(seed, 0);
  int applied = 0, all = 0;
  for (std::size_t n = 2; n <= 8; ++n) {
    for (std::size_t changed = 0; changed <= 2 * n; changed += 2) {
      for (int turn = 0; turn < 4; ++turn, ++all) {
        const bool symmetric = turn % 2 == 1 && n % 2 == 0;
        const auto matrix = near_rank_one_matrix(n, changed, symmetric, random);
        CAPTURE(n, changed, symmetric, matrix.entries);
        const bool whole = turn < 2;
        where_it_applies(applied, [&] {
          const Integer value = symmetric ? integer(hafnian(graph_of<UndirectedGraph>(matrix), by_complement(whole)))
                                          : integer(permanent(graph_of<BipartiteGraph>(matrix), by_complement(whole)));
          CHECK(value == (symmetric ? reference::hafnian_by_expansion(matrix.integers(), n)
                                    : reference::permanent_by_expansion(matrix.integers(), n)));
        });
      }
    }
  }
  CAPTURE(all);
  CHECK(applied > all / 2);
}

TEST_CASE("reals near rank one have the permanents of the definition within their bounds") {
  Random random(seed, 1);
  int applied = 0, all = 0;
  for (std::size_t n = 3; n <= 8; ++n) {
    for (std::size_t changed = 0; changed <= n; ++changed, ++all) {
      const auto matrix = near_rank_one_matrix(n, changed, false, random);
      CAPTURE(n, changed, matrix.entries);
      // The entries are 3/8 times integers, and so is the permanent, n times over.
      where_it_applies(applied, [&] {
        const Result result = permanent(graph_of<BipartiteGraph>(matrix, DoubleDouble(0.375)), by_complement(true));
        const Integer truth =
            reference::permanent_by_expansion(matrix.integers(), n) * pow(Integer(3), static_cast<unsigned>(n));
        ScaledReal real = nearest_real(truth);
        if (!real.is_zero()) real.exponent -= 3 * static_cast<std::int64_t>(n);
        const RealValue& value = std::get<RealValue>(result.value);
        CHECK((value.value + -real).log2_abs() <= value.log2_error);
        CHECK(value.log2_error <= value.log2_magnitudes - 90);
      });
    }
  }
  CAPTURE(all);
  CHECK(applied > all / 2);
}

TEST_CASE("random cographs have as many perfect matchings as the frontier method finds") {
  Random random(seed, 2);
  int applied = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const Vertex n = 2 * (2 + static_cast<Vertex>(random.below(8)));
    // Joined or not at the deepest common node of a random binary tree over intervals.
    std::vector<std::vector<bool>> joined(n, std::vector<bool>(n));
    const auto grow = [&](auto&& self, Vertex first, Vertex last, bool join) -> void {
      if (last - first < 2) return;
      const Vertex middle = first + 1 + static_cast<Vertex>(random.below(last - first - 1));
      for (Vertex i = first; i < middle; ++i)
        for (Vertex j = middle; j < last; ++j) joined[i][j] = join;
      self(self, first, middle, random.below(2) == 0);
      self(self, middle, last, random.below(2) == 0);
    };
    grow(grow, 0, n, true);
    const auto graph = graph_where(n, [&](Vertex i, Vertex j) { return joined[i][j]; });
    const CountOptions frontier{.method = Method::frontier};
    CAPTURE(turn, n);
    where_it_applies(applied, [&] {
      const Integer value = integer(count_perfect_matchings(graph, by_complement(true)));
      CHECK(value == integer(count_perfect_matchings(graph, frontier)));
    });
  }
  CHECK(applied > 20);
}

TEST_CASE("marginals and samples by complements are those of a list of all matchings") {
  Random random(seed, 5);
  int applied = 0, all = 0;
  for (std::size_t n = 2; n <= 6; ++n) {
    for (std::size_t changed = 0; changed <= 2 * n; ++changed) {
      for (int turn = 0; turn < 8; ++turn, ++all) {
        const bool symmetric = turn % 2 == 1, are_ones = turn % 4 >= 2, is_sampled = turn >= 6;
        auto matrix = near_rank_one_matrix(symmetric ? 2 * ((n + 2) / 2) : n, changed, symmetric, random);
        for (std::int64_t& entry : matrix.entries) {
          if (is_sampled) entry = std::abs(entry);
          if (are_ones) entry = std::abs(entry) > 2 ? 1 : is_sampled ? entry % 2 : entry;
        }
        CAPTURE(n, changed, turn, matrix.entries);
        where_it_applies(applied, [&] {
          const auto check = [&](const auto& graph) {
            test::check_marginals(graph, Method::complement);
            if (is_sampled) test::check_samples(graph, Method::complement);
          };
          symmetric ? check(graph_of<UndirectedGraph>(matrix)) : check(graph_of<BipartiteGraph>(matrix));
        });
      }
    }
  }
  CAPTURE(all);
  CHECK(applied > all / 2);
}

TEST_CASE("reals that are powers of two of their lines are ones as they are held") {
  SquareMatrix matrix{6};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) matrix.entries[i * 6 + j] = i == j ? 0 : std::int64_t{1} << (i + 2 * j);
  const Result result = permanent(graph_of<BipartiteGraph>(matrix, DoubleDouble(1.0)), by_complement(true));
  const Integer truth = derangements(6) << (15 + 30);
  CHECK((std::get<RealValue>(result.value).value + -nearest_real(truth)).is_zero());
  test::check_marginals(graph_of<BipartiteGraph>(matrix), Method::complement);
}

TEST_CASE("edges far heavier than the others are drawn by complements, or leave samples to other methods") {
  SquareMatrix matrix{8};
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) matrix.entries[i * 8 + j] = i != j;
  std::vector<DoubleDouble> weights(28, DoubleDouble(1.0));
  weights.front() = DoubleDouble(1e200);
  DistributionOptions options{.method = Method::complement};
  test::StepClock clock(1e-3);  // what takes for ever fails: a minute of polls
  clock.drive(options.run);
  options.run.time_limit_s = 60;
  MatchingDistribution far(graph_of<UndirectedGraph>(matrix).with_weights(weights), options);
  const std::vector<EdgeId> drawn = far.samples(0, 100);
  CHECK(std::ranges::count(drawn, EdgeId{0}) == 100);

  // One column is heavy in two rows, and accepts one of them.
  SquareMatrix heavy{16};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j)
      heavy.entries[i * 16 + j] = j == 0 && i < 2 ? std::int64_t{1'000'000'000'000} : i != j;
  const BipartiteGraph graph = graph_of<BipartiteGraph>(heavy);
  CHECK_THROWS_AS(MatchingDistribution(graph, options).samples(0, 1), Unable);
  options.method = Method::automatic;
  CHECK(MatchingDistribution(graph, options).samples(0, 10).size() == 160);
}

TEST_CASE("marginals of large boards by complements are those by classes") {
  const auto ring = [](Vertex i, Vertex j) { return (j + 40 - i) % 40 > 1; };
  const auto diagonal = [](Vertex i, Vertex j) { return i != j; };
  for (const BipartiteGraph& graph : {bipartite_where(40, 40, ring), bipartite_where(40, 40, diagonal)}) {
    std::vector<Marginals> found;
    for (const Method method : {Method::complement, Method::classes}) {
      found.push_back(MatchingDistribution(graph, {.exact = true, .method = method}).marginals());
    }
    for (EdgeId e = 0; e < graph.num_edges(); ++e)
      REQUIRE(std::get<Integer>(found[0].edges[e].sum) == std::get<Integer>(found[1].edges[e].sum));
  }
}

TEST_CASE("a complement is chosen, verified, planned and stopped like any method") {
  const auto keep = [](Vertex i, Vertex j) { return (i > j ? i - j : j - i) > 2; };
  const Result result = count_perfect_matchings(bipartite_where(18, 18, keep), {.verify = true});
  CHECK(result.checks.back().kind == Check::Kind::verify);
  CHECK(result.checks.back().passed);
  const BipartiteGraph large = bipartite_where(120, 120, keep);
  CHECK(plan_permanent(large, {.throughput = Throughput{}}).blocks.front().forecasts.front().method ==
        Method::complement);
  CountOptions stopped = by_complement();
  stopped.run.stop = test::raised_stop();
  CHECK_THROWS_AS(count_perfect_matchings(large, stopped), Cancelled);
  CountOptions in_no_time = by_complement();
  test::StepClock clock;
  clock.end_at_look(2, in_no_time.run);
  CHECK_THROWS_AS(count_perfect_matchings(large, in_no_time), OverLimit);
}

TEST_CASE("a sparse matrix, and one without structure, have no complement") {
  const BipartiteGraph sparse = bipartite_where(12, 12, [](Vertex i, Vertex j) { return (i + 12 - j) % 12 < 3; });
  CHECK_THROWS_AS(permanent(sparse, by_complement()), Unable);
  Random random(seed, 3);
  SquareMatrix dense{12};
  for (std::int64_t& entry : dense.entries) entry = static_cast<std::int64_t>(1 + random.below(1000));
  CHECK_THROWS_AS(permanent(graph_of<BipartiteGraph>(dense), by_complement()), Unable);
}

}  // namespace
}  // namespace matchcount
