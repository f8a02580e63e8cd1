// The families that graph/generate.hpp has by name alone: their edges by definition, and their known counts.

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/integer.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

using Numbers = std::vector<double>;

UndirectedGraph made(const char* name, const Numbers& numbers, std::uint64_t seed = 1) {
  const auto graph = family_graph(name, numbers, seed);
  const auto* bipartite = std::get_if<BipartiteGraph>(&graph);
  return bipartite ? UndirectedGraph::from_bipartite(*bipartite) : std::get<UndirectedGraph>(graph);
}

Integer count(const char* name, const Numbers& numbers) { return test::hafnian_by_oracle(made(name, numbers)); }

bool is_regular(const UndirectedGraph& graph, std::size_t degree) {
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    if (graph.neighbours(v).size() != degree) return false;
  }
  return true;
}

bool is_connected(const UndirectedGraph& graph) {
  std::vector<Vertex> queue{0};
  std::set<Vertex> seen{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex other : graph.neighbours(queue[i])) {
      if (seen.insert(other).second) queue.push_back(other);
    }
  }
  return seen.size() == graph.num_vertices();
}

// Checks that the edges are the pairs of n vertices that are joined by definition.
void check_edges(const char* name, const Numbers& numbers, Vertex n,
                 const std::function<bool(Vertex u, Vertex v)>& are_joined) {
  CAPTURE(name, numbers);
  const UndirectedGraph graph = std::get<UndirectedGraph>(family_graph(name, numbers));
  CHECK(graph.num_vertices() == n);
  CHECK(graph.edges() == test::graph_where(n, are_joined).edges());
}

TEST_CASE("boards of rooks, bishops and queens have the moves of these pieces") {
  for (const Vertex height : {0u, 1u, 2u, 3u, 5u, 8u}) {
    for (const Vertex width : {0u, 1u, 2u, 3u, 7u}) {
      const auto along = [&](Vertex u, Vertex v) { return u / width == v / width || u % width == v % width; };
      const auto across = [&](Vertex u, Vertex v) {
        const auto falls = [&](Vertex w) { return w / width + width - w % width; };
        const auto rises = [&](Vertex w) { return w / width + w % width; };
        return falls(u) == falls(v) || rises(u) == rises(v);
      };
      const Numbers size{1.0 * height, 1.0 * width};
      check_edges("rook", size, height * width, along);
      check_edges("bishop", size, height * width, across);
      check_edges("queen", size, height * width, [&](Vertex u, Vertex v) { return along(u, v) || across(u, v); });
    }
  }
  CHECK(count("rook", {2, 2}) == 2);
  CHECK(count("rook", {2, 3}) == 4);  // a prism
  CHECK(count("rook", {1, 8}) == 105);
  CHECK(count("bishop", {2, 2}) == 1);
  CHECK(count("queen", {2, 2}) == 3);
}

TEST_CASE("paths, cycles, ladders and prisms have their closed forms") {
  Integer fibonacci = 1, before = 0;  // of ladders
  std::vector<Integer> lucas{2, 1};   // of prisms
  for (Vertex n = 0; n <= 9; ++n) {
    CAPTURE(n);
    const Numbers size{1.0 * n};
    CHECK(made("path", size).num_vertices() == n);
    CHECK(made("path", size).num_edges() == (n == 0 ? 0 : n - 1));
    CHECK(count("path", size) == (n % 2 == 0 ? 1 : 0));
    CHECK(made("ladder", size).num_vertices() == 2 * n);
    CHECK(count("ladder", size) == fibonacci);
    fibonacci += std::exchange(before, fibonacci);
    if (n > 1) lucas.push_back(lucas[n - 1] + lucas[n - 2]);
    if (n == 1 || n == 2) {
      CHECK_THROWS_AS(made("cycle", size), InputError);
      CHECK_THROWS_AS(made("prism", size), InputError);
    } else if (n > 2) {
      CHECK(is_regular(made("cycle", size), 2));
      CHECK(is_connected(made("cycle", size)));
      CHECK(count("cycle", size) == (n % 2 == 0 ? 2 : 0));
      CHECK(is_regular(made("prism", size), 3));
      CHECK(count("prism", size) == lucas[n] + (n % 2 == 0 ? 2 : 0));
    }
  }
  CHECK(made("cycle", {0}).num_vertices() == 0);
  for (const double n : {31, 32, 33, 63, 64, 65}) {
    CHECK(std::holds_alternative<BipartiteGraph>(family_graph("cycle", Numbers{n})) == (static_cast<int>(n) % 2 == 0));
    CHECK(made("prism", {n}).num_edges() == static_cast<EdgeId>(3 * n));
  }
}

TEST_CASE("complete graphs join different parts, and those of one part every two") {
  const std::vector<Numbers> lists{{0},       {1},       {2},       {3},          {33},
                                   {1, 1, 1}, {2, 3, 4}, {0, 0, 0}, {3, 0, 2, 5}, {65, 1, 31}};
  for (const Numbers& parts : lists) {
    std::vector<std::size_t> part_of;
    for (std::size_t i = 0; i < parts.size(); ++i) part_of.insert(part_of.end(), static_cast<std::size_t>(parts[i]), i);
    check_edges("complete", parts, static_cast<Vertex>(part_of.size()),
                [&](Vertex u, Vertex v) { return parts.size() == 1 || part_of[u] != part_of[v]; });
  }
  CHECK(std::get<BipartiteGraph>(family_graph("complete", Numbers{3, 5})).num_edges() == 15);
  Integer odd_factorial = 1;
  for (int n = 0; n <= 10; n += 2) {
    if (n > 0) odd_factorial *= n - 1;
    CHECK(count("complete", {1.0 * n}) == odd_factorial);
  }
  CHECK(count("complete", {2, 2, 2}) == 8);
  CHECK(count("complete", {1, 1, 4}) == 0);
  CHECK(count("complete", {1, 2, 3}) == 6);  // each of the three takes one of the others
}

TEST_CASE("circulants join what is a jump apart") {
  const std::vector<Numbers> lists{{0},    {1},       {3},         {2, 1},   {3, 1},
                                   {4, 2}, {8, 1, 4}, {31, 30, 3}, {64, 32}, {65, 1, 2, 64 / 3}};
  for (const Numbers& numbers : lists) {
    const auto n = static_cast<Vertex>(numbers[0]);
    check_edges("circulant", numbers, n, [&](Vertex u, Vertex v) {
      return std::any_of(numbers.begin() + 1, numbers.end(), [&](double jump) {
        return static_cast<Vertex>(jump) == v - u || static_cast<Vertex>(jump) == n - (v - u);
      });
    });
  }
  CHECK(count("circulant", {8, 1}) == 2);
  CHECK(count("circulant", {6, 1, 2}) == 8);  // an octahedron
  for (const Numbers& bad : std::vector<Numbers>{{5, 0}, {5, 5}, {5, 1, 1}, {5, 1, 4}, {1, 1}, {0, 1}})
    CHECK_THROWS_AS(made("circulant", bad), InputError);
}

TEST_CASE("Kneser's and Johnson's graphs join subsets by what they share") {
  for (Vertex n = 0; n <= 7; ++n) {
    for (Vertex k = 0; k <= n; ++k) {
      std::vector<std::uint64_t> sets;
      for (std::uint64_t set = 0; set < std::uint64_t{1} << n; ++set) {
        if (std::popcount(set) == static_cast<int>(k)) sets.push_back(set);
      }
      const auto size = static_cast<Vertex>(sets.size());
      const Numbers numbers{1.0 * n, 1.0 * k};
      check_edges("kneser", numbers, size, [&](Vertex u, Vertex v) { return (sets[u] & sets[v]) == 0; });
      check_edges("johnson", numbers, size, [&](Vertex u, Vertex v) { return std::popcount(sets[u] ^ sets[v]) == 2; });
    }
  }
  CHECK(count("kneser", {5, 2}) == 6);   // Petersen's graph
  CHECK(count("johnson", {4, 2}) == 8);  // an octahedron
  CHECK(made("kneser", {2, 3}).num_vertices() == 0);
  CHECK(made("johnson", {62, 1}).num_edges() == 62 * 61 / 2);
  CHECK(is_regular(made("kneser", {12, 4}), 70));
  CHECK_THROWS_AS(made("kneser", {63, 1}), InputError);
  CHECK_THROWS_AS(made("johnson", {62, 31}), InputError);
}

TEST_CASE("tori of three dimensions join neighbours in every direction") {
  for (const Numbers& size : std::vector<Numbers>{{4, 4, 4}, {4, 6, 8}, {3, 3, 3}, {3, 4, 5}, {4, 4, 31}}) {
    const auto a = static_cast<Vertex>(size[0]), b = static_cast<Vertex>(size[1]), c = static_cast<Vertex>(size[2]);
    const auto distance = [](Vertex i, Vertex j, Vertex length) {
      const Vertex apart = i < j ? j - i : i - j;
      return std::min(apart, length - apart);
    };
    const auto are_joined = [&](Vertex u, Vertex v) {
      return distance(u / (b * c), v / (b * c), a) + distance(u / c % b, v / c % b, b) + distance(u % c, v % c, c) == 1;
    };
    const bool is_even = a % 2 == 0 && b % 2 == 0 && c % 2 == 0;
    if (!is_even) {
      check_edges("torus3d", size, a * b * c, are_joined);
      continue;
    }
    // Points u and u + 1, u even, are row and column u / 2, one or the other.
    const auto graph = std::get<BipartiteGraph>(family_graph("torus3d", size));
    std::vector<Edge> expected;
    for (Vertex u = 0; u < a * b * c; ++u) {
      for (Vertex v = 0; v < a * b * c && (u / (b * c) + u / c % b + u % c) % 2 == 0; ++v) {
        if (are_joined(u, v)) expected.push_back({u / 2, v / 2});
      }
    }
    std::sort(expected.begin(), expected.end());
    CHECK(graph.num_rows() == a * b * c / 2);
    CHECK(graph.num_columns() == a * b * c / 2);
    CHECK(graph.edges() == expected);
  }
  CHECK(made("torus3d", {0, 5, 5}).num_vertices() == 0);
  for (const Numbers& bad : std::vector<Numbers>{{2, 4, 4}, {4, 1, 4}, {4, 4, 2}, {2e9, 2e9, 2e9}})
    CHECK_THROWS_AS(made("torus3d", bad), InputError);
}

TEST_CASE("fullerenes are cubic, have no ring below five, twelve of five, and their known counts") {
  struct Known {
    Numbers numbers;
    int count;  // -1: too many for a list
  };
  const Known fullerenes[] = {{{20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 36},
                              {{24, 1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 14}, 54},
                              {{26, 1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14, 15}, 63},
                              {{60, 1, 7, 9, 11, 13, 15, 18, 20, 22, 24, 26, 32}, -1},
                              {{70, 1, 7, 9, 11, 13, 15, 27, 29, 31, 33, 35, 37}, -1}};
  for (const auto& [numbers, known] : fullerenes) {
    CAPTURE(numbers);
    const UndirectedGraph graph = made("fullerene", numbers);
    CHECK(graph.num_vertices() == numbers[0]);
    CHECK(is_regular(graph, 3));
    CHECK(is_connected(graph));
    // Closed walks that go on without turning back, from their least vertex: each ring comes twice.
    std::map<std::size_t, int> rings;
    std::vector<Vertex> walk;
    const std::function<void()> go_on = [&] {
      for (const Vertex next : graph.neighbours(walk.back())) {
        if (next == walk.front() && walk.size() > 2) ++rings[walk.size()];
        if (next <= walk.front() || walk.size() == 6 || std::ranges::find(walk, next) != walk.end()) continue;
        walk.push_back(next);
        go_on();
        walk.pop_back();
      }
    };
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      walk = {v};
      go_on();
    }
    CHECK(rings[3] + rings[4] == 0);
    CHECK(rings[5] == 2 * 12);
    CHECK(rings[6] == 2 * (numbers[0] / 2 - 10));
    if (known >= 0) CHECK(count("fullerene", numbers) == known);
  }
  for (const Numbers& bad : std::vector<Numbers>{{20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                                                 {20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11},
                                                 {20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13},
                                                 {20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                                                 {21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                                 {18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                                 {22, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                                 {60, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                                 {60, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}})
    CHECK_THROWS_AS(made("fullerene", bad), InputError);
}

TEST_CASE("random trees are trees, each of them about equally often, and the same on every system") {
  for (const double n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 1000}) {
    const UndirectedGraph tree = made("tree", {n}, 5);
    CHECK(tree.num_vertices() == n);
    CHECK(tree.num_edges() == (n == 0 ? 0 : static_cast<EdgeId>(n - 1)));
    if (n > 0) CHECK(is_connected(tree));
  }
  // 16 on four vertices (Cayley): 16000 draws give 1000 +- 31 each.
  std::map<std::vector<Edge>, int> seen;
  for (std::uint64_t seed = 0; seed < 16000; ++seed) ++seen[made("tree", {4}, seed).edges()];
  CHECK(seen.size() == 16);
  for (const auto& [edges, times] : seen) CHECK(std::abs(times - 1000) < 6 * 31);
  CHECK(made("tree", {30}, 1).edges() != made("tree", {30}, 2).edges());
}

TEST_CASE("random graphs of one set of vertices have each pair with the stated probability") {
  CHECK(made("gnp", {0, 0.5}).num_vertices() == 0);
  CHECK(made("gnp", {1, 1}).num_edges() == 0);
  CHECK(made("gnp", {65, 0}).num_edges() == 0);
  CHECK(made("gnp", {65, 1}).edges() == made("complete", {65}).edges());
  CHECK(made("gnp", {33, 0.4}, 3).edges() == made("gnp", {33, 0.4}, 3).edges());
  constexpr int draws = 20000;
  constexpr double density = 0.3;
  std::map<Edge, int> times;
  int both = 0;  // of two pairs that come one after the other
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<Edge> edges = made("gnp", {4, density}, seed).edges();
    for (const Edge& edge : edges) ++times[edge];
    both += std::ranges::count(edges, Edge{0, 3}) + std::ranges::count(edges, Edge{1, 2}) == 2;
  }
  CHECK(times.size() == 6);
  for (const auto& [edge, number] : times)
    CHECK(std::abs(number - draws * density) < 6 * std::sqrt(draws * density * (1 - density)));
  CHECK(std::abs(both - draws * 0.09) < 6 * std::sqrt(draws * 0.09 * 0.91));
  const double mean = 0.01 * 2000 * 1999 / 2;
  CHECK(std::abs(static_cast<double>(made("gnp", {2000, 0.01}).num_edges()) - mean) < 6 * std::sqrt(mean));
}

TEST_CASE("a family takes as many numbers as it says, and no others") {
  CHECK(made("planar", {5}).edges() == made("planar", {5, 0.7}).edges());
  CHECK(made("grid", {2, 3}).num_edges() == 7);
  for (const auto& [name, numbers] : std::vector<std::pair<const char*, Numbers>>{{"cube", {3}},
                                                                                  {"grid", {2}},
                                                                                  {"grid", {2, 3, 4}},
                                                                                  {"grid", {2.5, 3}},
                                                                                  {"grid", {-1, 3}},
                                                                                  {"grid", {0x1p31, 3}},
                                                                                  {"grid", {std::nan(""), 3}},
                                                                                  {"complete", {}},
                                                                                  {"random", {3, 3}},
                                                                                  {"random", {3, 3, 1.5}},
                                                                                  {"gnp", {3, -0.5}},
                                                                                  {"planar", {3, 0.5, 1}}}) {
    CAPTURE(name, numbers);
    CHECK_THROWS_AS(family_graph(name, numbers), InputError);
  }
}

}  // namespace
}  // namespace matchcount
