#include "linear/parity.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "linear/bits/elimination.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20260401;

// Words of 64 columns and what surrounds them.
constexpr std::size_t edge_sizes[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200};

std::string label(std::size_t n) { return "n=" + std::to_string(n) + " seed=" + std::to_string(seed); }

using Bits = std::vector<std::vector<bool>>;

// Ones become a random odd integer, zeros a random even one, which is often 0 and then no edge or a stored zero.
BipartiteGraph with_parities(const Bits& bits, Random& random) {
  const std::size_t n = bits.size();
  std::vector<Edge> edges;
  std::vector<std::int64_t> weights;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const std::int64_t even = 2 * (static_cast<std::int64_t>(random.below(5)) - 2);
      if (!bits[r][c] && random.below(2) == 0) continue;
      edges.push_back({static_cast<Vertex>(r), static_cast<Vertex>(c)});
      weights.push_back(even + (bits[r][c] ? 1 : 0));
    }
  }
  return BipartiteGraph::from_edges(static_cast<Vertex>(n), static_cast<Vertex>(n), edges, weights);
}

// Draws a random lower times a random upper triangular matrix over GF(2), ones on both diagonals: of determinant 1.
Bits invertible_bits(std::size_t n, Random& random) {
  Bits lower(n, std::vector<bool>(n)), upper = lower, product = lower;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      lower[i][j] = i == j || (j < i && random.below(2) == 1);
      upper[i][j] = i == j || (j > i && random.below(2) == 1);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      if (!lower[i][k]) continue;
      for (std::size_t j = 0; j < n; ++j) product[i][j] = product[i][j] != upper[k][j];
    }
  }
  Bits shuffled;
  for (const std::size_t row : test::random_permutation(n, random)) shuffled.push_back(product[row]);
  return shuffled;
}

}  // namespace

TEST_CASE("the parity is that of the permanent by the oracle, n <= 12") {
  std::size_t odd = 0, even = 0;
  for (std::size_t n = 0; n <= 12; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        if (n > 9 && weights != test::all_integer_weights[(n + static_cast<std::size_t>(family)) % 5]) continue;
        const auto instance = test::integer_instance(family, weights, n, seed);
        INFO(to_string(instance));
        const bool truth = (abs(test::exact_permanent(instance)) & 1) != 0;
        CHECK(permanent_is_odd(instance.graph()) == truth);
        ++(truth ? odd : even);
      }
    }
  }
  CHECK(odd > 100);
  CHECK(even > 100);
}

TEST_CASE("tridiagonal ones have a Fibonacci number, odd unless 3 divides n + 1") {
  for (const std::size_t n : edge_sizes) {
    INFO(label(n));
    CHECK(permanent_is_odd(band_graph(static_cast<Vertex>(n), 1)) == ((n + 1) % 3 != 0));
  }
}

TEST_CASE("n! is even from 2 on, and derangements are odd in number exactly where n is even") {
  for (const std::size_t n : edge_sizes) {
    INFO(label(n));
    const auto size = static_cast<Vertex>(n);
    const BipartiteGraph complete = complete_graph(size, size);
    CHECK(permanent_is_odd(complete) == (n < 2));
    std::vector<Edge> edges;
    for (const Edge& edge : complete.edges()) {
      if (edge.row != edge.column) edges.push_back(edge);
    }
    CHECK(permanent_is_odd(BipartiteGraph::from_edges(size, size, edges)) == (n % 2 == 0));
  }
}

TEST_CASE("a shuffled triangular matrix is odd exactly where its diagonal is") {
  Random random(seed, 1);
  for (const std::size_t n : edge_sizes) {
    if (n == 0) continue;
    INFO(label(n));
    Bits triangle(n, std::vector<bool>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) triangle[i][j] = i == j || random.below(2) == 1;
    }
    const auto rows = test::random_permutation(n, random);
    const auto columns = test::random_permutation(n, random);
    const auto shuffled = [&] {
      Bits bits(n, std::vector<bool>(n));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) bits[rows[i]][columns[j]] = triangle[i][j];
      }
      return bits;
    };
    CHECK(permanent_is_odd(with_parities(shuffled(), random)));
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
      triangle[i][i] = false;
      CHECK_FALSE(permanent_is_odd(with_parities(shuffled(), random)));
      triangle[i][i] = true;
    }
  }
}

TEST_CASE("products of unit triangular matrices are odd, and even once a row is the sum of others") {
  Random random(seed, 2);
  for (const std::size_t n : edge_sizes) {
    INFO(label(n));
    Bits bits = invertible_bits(n, random);
    CHECK(permanent_is_odd(with_parities(bits, random)));
    CHECK(permanent_is_odd(with_parities(bits, random).transposed()));
    if (n == 0) continue;
    const std::size_t victim = random.below(n);
    bits[victim].assign(n, false);
    for (std::size_t other = 0; other < n; ++other) {
      if (other == victim || random.below(2) == 0) continue;
      for (std::size_t c = 0; c < n; ++c) bits[victim][c] = bits[victim][c] != bits[other][c];
    }
    CHECK_FALSE(permanent_is_odd(with_parities(bits, random)));
    CHECK_FALSE(permanent_is_odd(with_parities(bits, random).transposed()));
  }
}

TEST_CASE("signs and the ends of the 64-bit integers do not matter to the parity") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  const auto one_by_one = [](std::int64_t weight) {
    return permanent_is_odd(BipartiteGraph::from_edges(1, 1, {{0, 0}}, std::vector<std::int64_t>{weight}));
  };
  CHECK(one_by_one(most));
  CHECK(one_by_one(least + 1));
  CHECK(one_by_one(-1));
  CHECK_FALSE(one_by_one(least));
  CHECK_FALSE(one_by_one(-2));
  CHECK_FALSE(one_by_one(0));
}

TEST_CASE("the parity of a hafnian is that by the oracle, of graphs with odd cycles, weights and parallel edges") {
  Random random(seed, 3);
  std::size_t odd = 0, even = 0;
  for (int instance = 0; instance < 400; ++instance) {
    const auto n = static_cast<Vertex>(random.below(11));
    const UndirectedGraph plain = test::random_graph(n, 0.3 + 0.6 * random.uniform(), random);
    const UndirectedGraph graph = instance % 3 == 0 ? test::with_integers(plain, -4, 9, random) : plain;
    INFO(label(n) << " instance " << instance);
    const bool truth = (abs(test::hafnian_by_oracle(graph)) & 1) != 0;
    CHECK(hafnian_is_odd(graph) == truth);
    ++(truth ? odd : even);
  }
  CHECK(odd > 50);
  CHECK(even > 100);
}

TEST_CASE("closed forms have the parity of their hafnian") {
  for (const Vertex n : {2u, 4u, 64u, 66u, 130u, 514u}) {
    INFO(label(n));
    CHECK(hafnian_is_odd(test::complete(n)));  // (n - 1)!!
    CHECK_FALSE(hafnian_is_odd(test::complete(n + 1)));
    if (n >= 4) CHECK(hafnian_is_odd(test::wheel(n)));  // n - 1
    if (n >= 4) CHECK_FALSE(hafnian_is_odd(test::cycle(n)));
  }
  CHECK_FALSE(hafnian_is_odd(test::petersen()));  // 6
}

TEST_CASE("large sparse matrices have the parity of their dense determinant, whole or in parts") {
  Random random(seed, 4);
  std::size_t odd = 0;
  constexpr Vertex n = 4500;
  for (int instance = 0; instance < 12; ++instance) {
    INFO(label(n) << " instance " << instance);
    // Ones beside a permutation: rows with one, two and more; short parts where they stay near.
    const auto columns = test::random_permutation(n, random);
    const Vertex reach = instance % 3 == 0 ? n : 40;
    std::set<Edge> places;
    for (Vertex r = 0; r < n; ++r) {
      places.insert({r, static_cast<Vertex>(columns[r])});
      const Vertex part = r / reach * reach;
      for (std::uint64_t more = random.below(instance % 2 == 0 ? 3 : 5); more > 0; --more) {
        const auto other = static_cast<Vertex>(part + random.below(std::min<Vertex>(reach, n - part)));
        // Every second part is a triangle, whose determinant is 1.
        if (instance % 2 == 1 || other < r) places.insert({r, static_cast<Vertex>(columns[other])});
      }
    }
    if (instance == 5) places.erase(places.begin());
    const std::vector<Edge> edges(places.begin(), places.end());
    std::vector<std::int64_t> weights(edges.size(), -3);
    for (std::size_t i = 0; i < weights.size() && instance % 2 == 1; i += 50)
      weights[i] = static_cast<std::int64_t>(random.below(3)) + 1;
    const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges, instance < 9 ? Weights() : Weights(weights));
    const bool truth = binary_determinant(BitMatrix::modulo_two(graph));
    CHECK(permanent_is_odd(graph) == truth);
    CHECK(permanent_is_odd(graph.transposed()) == truth);
    CHECK(hafnian_is_odd(UndirectedGraph::from_bipartite(graph)) == truth);
    odd += truth;
  }
  CHECK(odd >= 6);
  // 2000 complete graphs of six vertices have 15 matchings each, of eight 105, of four with a fifth vertex none.
  for (const Vertex size : {6u, 8u}) {
    std::vector<Edge> edges;
    for (Vertex part = 0; part < 2000; ++part) {
      for (Vertex u = 0; u < size; ++u) {
        for (Vertex v = u + 1; v < size; ++v) edges.push_back({part * size + u, part * size + v});
      }
    }
    CHECK(hafnian_is_odd(UndirectedGraph::from_edges(2000 * size, edges)));
    CHECK_FALSE(hafnian_is_odd(UndirectedGraph::from_edges(2000 * size + 2, edges)));
  }
}

TEST_CASE("parity ends when it is cancelled, and past the memory limit is refused with the size that would fit") {
  const BipartiteGraph band = band_graph(5000, 10);  // too many ones for lists
  const RunOptions options{.memory_limit_bytes = 1 << 20};
  CHECK_THROWS_AS(permanent_is_odd(band, RunContext(options)), OverLimit);
  CHECK_THROWS_AS(hafnian_is_odd(UndirectedGraph::from_bipartite(band), RunContext(options)), OverLimit);
  try {
    permanent_is_odd(band, RunContext(options));
  } catch (const OverLimit& error) {
    CHECK_THAT(error.what(), ContainsSubstring("the parity of a matrix of 5000 rows takes"));
    CHECK_THAT(error.what(), ContainsSubstring("1795 rows would fit"));
  }
  CHECK_THROWS_AS(permanent_is_odd(band, RunContext({.stop = test::raised_stop()})), Cancelled);
}

TEST_CASE("a matrix that is not square, and weights that are not integers, are bad input") {
  REQUIRE_THROWS_AS(permanent_is_odd(complete_graph(2, 3)), InputError);
  REQUIRE_THROWS_AS(permanent_is_odd(complete_graph(0, 1)), InputError);
  const std::vector<double> reals{1, 2, 3, 4};
  REQUIRE_THROWS_AS(permanent_is_odd(BipartiteGraph::from_dense(2, 2, reals)), InputError);
  const std::vector<ComplexDoubleDouble> complex(4, ComplexDoubleDouble{1.0, 1.0});
  REQUIRE_THROWS_AS(permanent_is_odd(BipartiteGraph::from_dense(2, 2, complex)), InputError);
  REQUIRE_THROWS_AS(hafnian_is_odd(UndirectedGraph::from_edges(2, {{0, 1}}, std::vector<DoubleDouble>{0.5})),
                    InputError);
}
