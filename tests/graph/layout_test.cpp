#include "graph/layout.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "graph/output.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

namespace matchcount {
namespace {

using namespace test;

double distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

std::vector<Point> all_points(const LatticeLayout& layout) {
  std::vector<Point> points = layout.rows;
  points.insert(points.end(), layout.columns.begin(), layout.columns.end());
  return points;
}

double least_distance(const std::vector<Point>& points) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, distance(points[i], points[j]));
  }
  return least;
}

// All pairs of rows and columns at this distance are edges, and no others.
void check_neighbours(const std::string& words, const BipartiteGraph& graph, double length) {
  CAPTURE(words);
  const LatticeLayout layout = *lattice_layout(words);
  REQUIRE(layout.rows.size() == graph.num_rows());
  REQUIRE(layout.columns.size() == graph.num_columns());
  const auto shorter = [](double step, double period) {
    return period > 0 ? std::min(std::fabs(step), period - std::fabs(step)) : step;
  };
  std::vector<Edge> near;
  for (Vertex r = 0; r < graph.num_rows(); ++r) {
    for (Vertex c = 0; c < graph.num_columns(); ++c) {
      const double x = shorter(layout.rows[r].x - layout.columns[c].x, layout.period.x);
      const double y = shorter(layout.rows[r].y - layout.columns[c].y, layout.period.y);
      if (std::fabs(std::hypot(x, y) - length) < 1e-9) near.push_back({r, c});
    }
  }
  CHECK(near == graph.edges());
  CHECK(least_distance(all_points(layout)) > 0.9);
}

// Says whether two edges meet anywhere but in a common vertex. Exact if coordinates are integers below 2^26.
bool cross(const std::vector<Point>& points, const Edge& e, const Edge& f) {
  const auto side = [&](Vertex a, Vertex b, Vertex c) {
    const double area = (points[b].x - points[a].x) * (points[c].y - points[a].y) -
                        (points[b].y - points[a].y) * (points[c].x - points[a].x);
    return area > 1e-12 ? 1 : area < -1e-12 ? -1 : 0;
  };
  const auto between = [&](Vertex a, Vertex b, Vertex c) {
    return std::min(points[a].x, points[b].x) <= points[c].x && points[c].x <= std::max(points[a].x, points[b].x) &&
           std::min(points[a].y, points[b].y) <= points[c].y && points[c].y <= std::max(points[a].y, points[b].y);
  };
  for (const auto& [one, other] : {std::pair(e, f), std::pair(f, e)}) {
    for (const Vertex v : {other.row, other.column}) {
      if (v != one.row && v != one.column && side(one.row, one.column, v) == 0 && between(one.row, one.column, v))
        return true;
    }
  }
  if (e.row == f.row || e.row == f.column || e.column == f.row || e.column == f.column) return false;
  return side(e.row, e.column, f.row) * side(e.row, e.column, f.column) < 0 &&
         side(f.row, f.column, e.row) * side(f.row, f.column, e.column) < 0;
}

void check_planar(const UndirectedGraph& graph) {
  CAPTURE(to_string(graph));
  const std::optional<Layout> layout = planar_layout(graph);
  REQUIRE(layout);
  REQUIRE(layout->points.size() == graph.num_vertices());
  CHECK(least_distance(layout->points) > 0);
  for (const Edge& e : graph.edges()) {
    for (const Edge& f : graph.edges()) {
      if (e < f) REQUIRE_FALSE(cross(layout->points, e, f));
    }
  }
}

}  // namespace

TEST_CASE("neighbours of a generated lattice are those that its layout has side by side") {
  check_neighbours("grid 4 7", grid_graph(4, 7), 1);
  check_neighbours("grid 5 3", grid_graph(5, 3), 1);
  check_neighbours("torus 6 8", torus_graph(6, 8), 1);
  check_neighbours("aztec 5", aztec_graph(5), 1);
  check_neighbours("hexagon 2 3 4", hexagon_graph(2, 3, 4), 1);
  check_neighbours("hexagon 3 1 2", hexagon_graph(3, 1, 2), 1);
  check_neighbours("knight 5 6", knight_graph(5, 6), std::sqrt(5.0));
  check_neighbours("honeycomb 4 5", std::get<BipartiteGraph>(lattice_graph("honeycomb", 4, 5)), 1);
  check_neighbours("lieb 4 5", std::get<BipartiteGraph>(lattice_graph("lieb", 4, 5)), 1);
}

TEST_CASE("a king's layout is its board, and no two vertices of a cube fall together") {
  const LatticeLayout board = *lattice_layout("king 3 5");
  REQUIRE(board.rows.size() == 15);
  REQUIRE(board.columns.empty());
  const UndirectedGraph king = king_graph(3, 5);
  for (const Edge& edge : king.edges()) CHECK(distance(board.rows[edge.row], board.rows[edge.column]) < 1.5);
  for (const std::string words : {"grid3d 3 4 5", "hypercube 4", "hypercube 6", "hypercube 9", "hypercube 0"}) {
    CAPTURE(words);
    CHECK(least_distance(all_points(*lattice_layout(words))) > 0.01);
  }
}

TEST_CASE("a direction of a cube's edges is the same everywhere") {
  const LatticeLayout cube = *lattice_layout("hypercube 5");
  std::vector<std::pair<double, double>> steps;
  for (const Edge& edge : hypercube_graph(5).edges()) {
    const Point &a = cube.rows[edge.row], &b = cube.columns[edge.column];
    const double sign = a.y < b.y || (a.y == b.y && a.x < b.x) ? 1 : -1;
    steps.emplace_back(std::round(1e6 * sign * (b.x - a.x)), std::round(1e6 * sign * (b.y - a.y)));
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  CHECK(steps.size() == 5);
}

TEST_CASE("words that are no layout are none, and bad sizes of one are refused") {
  CHECK_FALSE(lattice_layout("spring"));
  CHECK_FALSE(lattice_layout("random 3 3 1"));
  CHECK_FALSE(lattice_layout(""));
  for (const std::string words :
       {"grid 3", "grid 3 4 5", "aztec", "grid 3 x", "grid -1 3", "hexagon 1 2", "grid 3 4x"}) {
    CAPTURE(words);
    CHECK_THROWS_AS(lattice_layout(words), InputError);
  }
  for (const std::string words : {"grid 3000000 3", "aztec 100000", "hypercube 40", "hexagon 4000000000 0 0",
                                  "grid 99999999999 0", "grid3d 99999999999 99999999999 0"}) {
    CAPTURE(words);
    CHECK_THROWS_AS(lattice_layout(words), Unable);
  }
}

TEST_CASE("edges of a planar layout do not cross") {
  check_planar(buckminsterfullerene());
  check_planar(dodecahedron());
  check_planar(triangular_grid(4, 5));
  check_planar(benzenoid({{0, 0}, {1, 0}, {0, 1}, {-1, 2}}));
  check_planar(wheel(7));
  check_planar(cycle(5));
  const auto from = [](Vertex n, std::vector<Edge> edges) { return UndirectedGraph::from_edges(n, std::move(edges)); };
  check_planar(from(0, {}));
  check_planar(from(1, {}));
  check_planar(from(2, {{0, 1}}));
  check_planar(from(3, {}));
  check_planar(from(5, {{0, 1}}));                                                  // vertices apart
  check_planar(from(8, {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {5, 6}, {6, 7}}));          // trees
  check_planar(from(7, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {5, 6}}));  // a vertex between two triangles
  check_planar(from(4, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}));
  const std::uint64_t seed = 6;
  Random random(seed, 0);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(seed, i);
    check_planar(random_planar(static_cast<Vertex>(3 + i / 2), 0.3 + 0.01 * i, random));
  }
}

TEST_CASE("a planar layout spreads faces of a 3-connected graph evenly") {
  const UndirectedGraph graph = buckminsterfullerene();
  const std::vector<Point> points = planar_layout(graph)->points;
  double shortest = 1e9;
  for (const Edge& edge : graph.edges()) shortest = std::min(shortest, distance(points[edge.row], points[edge.column]));
  CHECK(shortest > 0.04);  // of a circle of radius 1; on Boost's integer points no more than 2 / 116
}

TEST_CASE("graphs that are not planar have no planar layout") {
  CHECK_FALSE(planar_layout(complete(5)));
  CHECK_FALSE(planar_layout(petersen()));
  CHECK_FALSE(planar_layout(UndirectedGraph::from_bipartite(complete_graph(3, 3))));
}

TEST_CASE("columns and circles have a place for every vertex") {
  const std::vector<Point> two = two_column_layout(4, 2).points;
  REQUIRE(two.size() == 6);
  CHECK(two[0] == Point{0, 0});
  CHECK(two[3] == Point{0, -3});
  CHECK(two[4].x > 1.9);
  CHECK(two[4].y == -1);
  CHECK(least_distance(circle_layout(17).points) > 0.9);
  CHECK(circle_layout(0).points.empty());
}

TEST_CASE("a comment before the data tells the layout, in what write_graph writes and in text of others") {
  CHECK(read_input_text("# layout: grid 2 2\na x\n", "test").layout == "grid 2 2");
  CHECK(read_input_text("# Layout : aztec 3  \n# layout: grid 2 2\na x\n", "test").layout == "aztec 3");
  CHECK(read_input_text("a x\n# layout: grid 2 2\n", "test").layout.empty());
  const auto written = [](InputFormat format, InputKind kind) {
    std::ostringstream stream;
    write_graph(stream, grid_graph(2, 3), format, kind, "grid 2 3");
    return read_input_text(stream.str(), "test").layout;
  };
  for (const InputFormat format : {InputFormat::edge_list, InputFormat::dense, InputFormat::matrix_market}) {
    CHECK(written(format, InputKind::bipartite) == "grid 2 3");
    CHECK(written(format, InputKind::undirected) == "grid 2 3");
  }
  CHECK(written(InputFormat::metis, InputKind::undirected) == "grid 2 3");
  CHECK(written(InputFormat::dimacs, InputKind::undirected).empty());
}

TEST_CASE("places of atoms are read where all have one") {
  const std::string head = "\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n";
  const std::string bonds = "  1  2  2  0\n  2  3  1  0\nM  END\n";
  const std::string first = "    1.5000   -2.2500    0.5000 C   0  0\n";
  const std::string hydrogen = "    9.0000    9.0000    0.0000 H   0  0\n";
  const Input input =
      read_input_text(head + first + "   -1.5000    0.0000    0.0000 C   0  0\n" + hydrogen + bonds, "test");
  CHECK(input.coordinates == std::vector<Point>{{1.5, -2.25}, {-1.5, 0}});
  const Input partly =
      read_input_text(head + first + "       ***    0.0000    0.0000 C   0  0\n" + hydrogen + bonds, "test");
  CHECK(partly.coordinates.empty());
  CHECK(partly.graph.num_edges() == 1);
  const Input other = read_input_text(
      "\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\nM  V30 BEGIN ATOM\n"
      "M  V30 1 C 0.5 -1 0 0\nM  V30 2 N 2 3.25 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 2 1 2\n"
      "M  V30 END BOND\nM  V30 END CTAB\nM  END\n",
      "test");
  CHECK(other.coordinates == std::vector<Point>{{0.5, -1}, {2, 3.25}});
}

TEST_CASE("coordinates stand by name in any order, or in the order of the vertices") {
  const Folder folder;
  const std::vector<std::string> names{"a", "b c", "d"};
  const auto read = [&](const std::string& text, const std::vector<std::string>& of = {"a", "b c", "d"}) {
    const std::string file = folder.path("places.txt");
    std::ofstream(file, std::ios::trunc) << text;
    return read_coordinates(file, of);
  };
  const std::vector<Point> expected{{1, 2}, {-0.5, 3e2}, {0, 0}};
  CHECK(read("# places\nd 0 0\n\"b c\" -0.5 3e2\n a,1, 2\n") == expected);
  CHECK(read("1 2\n\n-.5 300\n0\t0\n") == expected);
  CHECK(read("1 2\n3 4\n", {"1", "1"}) == std::vector<Point>{{1, 2}, {3, 4}});
  CHECK(read("\"say \"\"a\"\"\" 1 2\n", {"say \"a\""}) == std::vector<Point>{{1, 2}});
  const std::pair<std::string, std::string> bad[] = {{"a 1 2\nd 0 0\n", "no place for the vertex 'b c'"},
                                                     {"a 1 2\na 1 2\n", "'a' again, after line 1"},
                                                     {"e 1 2\n", "the name 'e'"},
                                                     {"a 1 nan\n", "nan"},
                                                     {"a 1 inf\n", "inf"},
                                                     {"a 1 1e999\n", "1e999"},
                                                     {"a 1\n", "'a'"},
                                                     {"1 2\n3 4\n5 6\n7 8\n", "a line more"},
                                                     {"1 2\n3 4\n", "no place for the vertex 'd'"},
                                                     {"a 1 2 3\n", "4 fields"},
                                                     {"1 2\nd 3 4\n", "3 fields"},
                                                     {"a,,1 2\n", "an empty field"},
                                                     {"\"a 1 2\n", "a quote"}};
  for (const auto& [text, found] : bad) {
    CAPTURE(text);
    CHECK_THROWS_AS(read(text), InputError);
    CHECK_THROWS_WITH(read(text), ContainsSubstring(found));
  }
  CHECK_THROWS_WITH(read("1 2 3\n", {"1", "1"}), ContainsSubstring("a row and of a column"));
  CHECK_THROWS_AS(read_coordinates(folder.path("none.txt"), names), InputError);
}

}  // namespace matchcount
