// Lattices with their sides joined: closed forms, other methods, and the surfaces on which they lie.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/surface.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;

namespace {

constexpr double pi = std::numbers::pi;
constexpr const char* lattice_names[] = {"grid", "triangular", "honeycomb", "kagome", "square-octagon", "lieb"};
constexpr Boundary boundaries[] = {Boundary::open, Boundary::cylinder, Boundary::torus, Boundary::moebius,
                                   Boundary::klein};

UndirectedGraph any_graph(const std::variant<BipartiteGraph, UndirectedGraph>& graph) {
  const auto* bipartite = std::get_if<BipartiteGraph>(&graph);
  return bipartite ? UndirectedGraph::from_bipartite(*bipartite) : std::get<UndirectedGraph>(graph);
}

double counted(const char* name, Vertex height, Vertex width, Boundary boundary, const Weights& weights = {}) {
  const UndirectedGraph graph = any_graph(lattice_graph(name, height, width, boundary, weights));
  return nearest_real(std::get<Integer>(hafnian(graph).value)).to_double();
}

// Kasteleyn 1961: a Pfaffian whose lines and columns close with the signs of a and b.
double square_pfaffian(int height, int width, double a, double b, double along = 1, double down = 1) {
  double product = 1;
  for (int k = 0; k < height; ++k) {
    for (int l = 0; l < width; ++l) {
      const double y = down * std::sin(2 * pi * (k + a) / height), x = along * std::sin(2 * pi * (l + b) / width);
      product *= std::pow(4 * x * x + 4 * y * y, 0.25);
    }
  }
  return product;
}

double square_torus(int height, int width, double along = 1, double down = 1) {
  double sum = 0;
  for (const auto& [a, b] : {std::pair(0.5, 0.5), {0.5, 0.0}, {0.0, 0.5}})
    sum += square_pfaffian(height, width, a, b, along, down) / 2;
  return sum;
}

double square_cylinder(int height, int width) {
  double product = 1;
  for (int k = 1; k <= height; ++k) {
    for (int l = 1; l <= width; ++l) {
      const double y = std::cos(pi * k / (height + 1)), x = std::sin(pi * (2 * l - 1) / width);
      product *= std::pow(4 * x * x + 4 * y * y, 0.25);
    }
  }
  return product;
}

// Lu and Wu 1999 (doi:10.1016/S0375-9601(99)00452-9), (4) and (5).
double square_twisted(int height, int width, bool klein) {
  std::complex<double> product(1, -1);
  for (int m = 1; m <= (height + 1) / 2; ++m) {
    const double x = klein ? std::sin((2 * m - 1) * pi / height) : std::cos(m * pi / (height + 1));
    const double sign = (height / 2 + m + 1) % 2 == 0 ? 1 : -1;
    for (int n = 1; n <= width; ++n)
      product *= std::complex<double>(2 * x, 2 * sign * std::sin((4 * n - 1) * pi / (2 * width)));
  }
  return product.real();
}

// Kasteleyn 1963 (doi:10.1063/1.1703953), sides even: sums over the signs with which both directions close.
double honeycomb_torus(int height, int width, double a, double b, double c) {
  double sum = 0;
  for (const auto& [y, x] : {std::pair(0.0, 0.0), {0.0, 0.5}, {0.5, 0.0}, {0.5, 0.5}}) {
    std::complex<double> product = 1;
    for (int k = 0; k < height; ++k) {
      for (int l = 0; l < width; ++l)
        product *= a + std::polar(b, 2 * pi * (l + x) / width) + std::polar(c, 2 * pi * (k + y) / height);
    }
    sum += (x == 0 && y == 0 ? -0.5 : 0.5) * product.real();
  }
  return sum;
}

}  // namespace

TEST_CASE("square lattices on every surface have the counts of the closed forms") {
  for (int height = 4; height <= 10; height += 2) {
    for (int width = 4; width <= 10; width += 2) {
      CAPTURE(height, width);
      const auto h = static_cast<Vertex>(height), w = static_cast<Vertex>(width);
      CHECK(counted("grid", h, w, Boundary::torus) == Approx(square_torus(height, width)).epsilon(1e-10));
      CHECK(counted("grid", h, w, Boundary::cylinder) == Approx(square_cylinder(height, width)).epsilon(1e-10));
      CHECK(counted("grid", h, w, Boundary::moebius) == Approx(square_twisted(height, width, false)).epsilon(1e-10));
      CHECK(counted("grid", h, w, Boundary::klein) == Approx(square_twisted(height, width, true)).epsilon(1e-10));
      CHECK(counted("grid", h, w - 1, Boundary::moebius) ==
            Approx(square_twisted(height, width - 1, false)).epsilon(1e-10));
    }
  }
  for (const Vertex height : {3, 5, 7})
    CHECK(counted("grid", height, 6, Boundary::cylinder) ==
          Approx(square_cylinder(static_cast<int>(height), 6)).epsilon(1e-10));
}

TEST_CASE("weights by direction are those of the closed forms") {
  const std::vector<std::int64_t> two{2, 3}, three{1, 2, 3};
  CHECK(counted("grid", 4, 8, Boundary::torus, two) == Approx(square_torus(4, 8, 2, 3)).epsilon(1e-10));
  CHECK(counted("grid", 8, 4, Boundary::torus, two) == Approx(square_torus(8, 4, 2, 3)).epsilon(1e-10));
  for (const Vertex height : {4, 6}) {
    for (const Vertex width : {4, 6, 8}) {
      const auto h = static_cast<int>(height), w = static_cast<int>(width);
      CAPTURE(h, w);
      CHECK(counted("honeycomb", height, width, Boundary::torus) ==
            Approx(honeycomb_torus(h, w, 1, 1, 1)).epsilon(1e-10));
      CHECK(counted("honeycomb", height, width, Boundary::torus, three) ==
            Approx(honeycomb_torus(h, w, 1, 2, 3)).epsilon(1e-10));
    }
  }
}

TEST_CASE("small pieces of every lattice have the counts of an expansion") {
  int compared = 0;
  for (const char* name : lattice_names) {
    for (const Boundary boundary : boundaries) {
      for (const auto& [height, width] : {std::pair(2u, 3u), {3u, 3u}, {4u, 3u}, {4u, 4u}, {3u, 5u}, {2u, 7u}}) {
        CAPTURE(name, to_string(boundary), height, width);
        UndirectedGraph graph;
        try {
          graph = any_graph(lattice_graph(name, height, width, boundary));
        } catch (const InputError&) {
          continue;  // too short, or an odd Klein bottle
        }
        if (graph.num_vertices() > 24) continue;
        CHECK(std::get<Integer>(hafnian(graph).value) == test::hafnian_by_oracle(graph));
        ++compared;
      }
    }
  }
  CHECK(compared > 70);
}

TEST_CASE("lattices lie on the surfaces that their boundaries say, and look the same from all places of a closed one") {
  const std::size_t degrees[] = {4, 6, 3, 4, 3};
  for (std::size_t kind = 0; kind < 5; ++kind) {
    for (const Boundary boundary : boundaries) {
      const char* const name = lattice_names[kind];
      CAPTURE(name, to_string(boundary));
      const UndirectedGraph graph = any_graph(lattice_graph(name, 12, 13, boundary));
      const bool is_closed = boundary == Boundary::torus || boundary == Boundary::klein;
      for (Vertex v = 0; v < graph.num_vertices() && is_closed; ++v)
        REQUIRE(graph.neighbours(v).size() == degrees[kind]);
      if (!is_closed) {
        CHECK(planar_embedding(graph).has_value() == (boundary != Boundary::moebius));
        continue;
      }
      const auto found = surface_embedding(graph, 6, RunContext());
      REQUIRE(found);
      CHECK(euler_genus(graph, faces_of(graph, *found)) == 2);
      CHECK((std::ranges::count(found->twisted, true) > 0) == (boundary == Boundary::klein));
    }
  }
}

TEST_CASE("pieces of lattices are bipartite where colours go on over seams; those with double edges are refused") {
  const auto is_bipartite = [](const char* name, Vertex height, Vertex width, Boundary boundary) {
    return std::holds_alternative<BipartiteGraph>(lattice_graph(name, height, width, boundary));
  };
  CHECK(is_bipartite("grid", 4, 6, Boundary::torus));
  CHECK_FALSE(is_bipartite("grid", 4, 5, Boundary::torus));
  CHECK(is_bipartite("grid", 4, 5, Boundary::moebius));
  CHECK_FALSE(is_bipartite("grid", 4, 6, Boundary::moebius));
  CHECK(is_bipartite("honeycomb", 5, 7, Boundary::torus));
  CHECK_FALSE(is_bipartite("honeycomb", 4, 7, Boundary::klein));
  CHECK_FALSE(is_bipartite("square-octagon", 2, 1, Boundary::cylinder));
  CHECK_THROWS_AS(lattice_graph("grid", 2, 6, Boundary::torus), InputError);
  CHECK_THROWS_AS(lattice_graph("grid", 6, 1, Boundary::cylinder), InputError);
  CHECK_THROWS_AS(lattice_graph("honeycomb", 5, 6, Boundary::klein), InputError);
  CHECK_THROWS_AS(lattice_graph("cubic", 5, 6), InputError);
  const Weights same = std::vector<std::int64_t>{2, 3, 3}, other = std::vector<std::int64_t>{2, 3, 4};
  CHECK_NOTHROW(lattice_graph("triangular", 6, 6, Boundary::klein, same));
  CHECK_NOTHROW(lattice_graph("triangular", 6, 6, Boundary::torus, other));
  CHECK_THROWS_AS(lattice_graph("triangular", 6, 6, Boundary::klein, other), InputError);
  CHECK_THROWS_AS(lattice_graph("grid", 6, 6, Boundary::torus, other), InputError);
  // All of nothing is nothing, with any boundary.
  for (const Boundary boundary : boundaries)
    CHECK(any_graph(lattice_graph("honeycomb", 0, 1u << 31, boundary)).num_vertices() == 0);
}
