#include "graph/generators/lattice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "graph/generators/families.hpp"
#include "graph/weights.hpp"

namespace matchcount {

// The lattices. Every generator lists its edges row by row with ascending columns, so that building a graph from them
// sorts nothing. In the lattices a vertex's number on its side is half its number among all vertices in reading order:
// neighbours in reading order have different colours wherever a line has even length or the next line starts with the
// other colour.

using namespace generators;

BipartiteGraph grid_graph(Vertex height, Vertex width) { return grid3d_graph(1, height, width); }

BipartiteGraph torus_graph(Vertex height, Vertex width) {
  auto graph = lattice_graph("grid", height, width, Boundary::torus);
  if (auto* bipartite = std::get_if<BipartiteGraph>(&graph)) return std::move(*bipartite);
  throw InputError("a torus of " + times({height, width}), "even lengths: odd ones are not bipartite");
}

namespace generators {

AnyGraph joined(const Region& region, const std::vector<Region::Place>& steps, const Region::Place& period) {
  const bool is_bipartite = period.x % 2 == 0 && period.y % 2 == 0 && period.z % 2 == 0;
  std::vector<Vertex> number;  // of a vertex on its side, in reading order
  std::array<Vertex, 2> count{};
  struct Line {
    Region::Ends ends;
    std::size_t begin;
  };
  std::vector<Line> lines;
  for (std::int64_t x = 0; x < region.height; ++x) {
    for (std::int64_t y = 0; y < region.depth; ++y) {
      const Line& line = lines.emplace_back(Line{region.ends(x, y), number.size()});
      for (std::int64_t z = line.ends.first; z < line.ends.last; ++z)
        number.push_back(count[is_bipartite ? static_cast<std::size_t>(region.colour({x, y, z})) : 0]++);
    }
  }
  std::vector<Edge> edges;
  edges.reserve(count[0] * steps.size());
  const auto within = [](std::int64_t place, std::int64_t length) {
    return length == 0 ? place : (place + length) % length;
  };
  region.for_each([&, at = std::size_t{0}](const Region::Place& place) mutable {
    const Vertex here = number[at++];
    if (is_bipartite && region.colour(place) != 0) return;
    for (const Region::Place& step : steps) {
      const std::int64_t x = within(place.x + step.x, period.x), y = within(place.y + step.y, period.y),
                         z = within(place.z + step.z, period.z);
      if (x < 0 || x >= region.height || y < 0 || y >= region.depth) continue;
      const auto& [ends, begin] = lines[static_cast<std::size_t>(x * region.depth + y)];
      if (z < ends.first || z >= ends.last) continue;
      const Vertex there = number[begin + static_cast<std::size_t>(z - ends.first)];
      if (is_bipartite || here < there) edges.push_back({here, there});
    }
  });
  if (is_bipartite) return BipartiteGraph::from_edges(count[0], count[1], std::move(edges));
  return UndirectedGraph::from_edges(count[0], std::move(edges));
}

Region box_region(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {c == 0 ? 0 : a, b, [=](std::int64_t, std::int64_t) { return Region::Ends{0, c}; }};
}

Region hexagon_region(std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto ends = [=](std::int64_t x, std::int64_t y) {
    return Region::Ends{std::max<std::int64_t>(0, c - x - y), std::min(b + c, a + b + c - x - y)};
  };
  return {a + c, 2, ends, true};
}

Region aztec_region(std::int64_t n) {
  const auto start = [=](std::int64_t line) { return line < n ? n - 1 - line : line - n; };
  return {2 * n, 1, [=](std::int64_t x, std::int64_t) { return Region::Ends{start(x), 2 * n - start(x)}; }};
}

}  // namespace generators

BipartiteGraph grid3d_graph(Vertex a, Vertex b, Vertex c) {
  const double total = 1.0 * a * b * c;
  check_size("a grid of " + times({a, b, c}), 0.5 * total, 0.5 * total, 3 * total);
  return std::get<BipartiteGraph>(joined(box_region(a, b, c), beside));
}

BipartiteGraph knight_graph(Vertex height, Vertex width) {
  return std::get<BipartiteGraph>(lattice_graph("knight", height, width));
}

UndirectedGraph king_graph(Vertex height, Vertex width) {
  return std::get<UndirectedGraph>(lattice_graph("king", height, width));
}

BipartiteGraph hexagon_graph(Vertex a, Vertex b, Vertex c) {
  const double side = 1.0 * a * b + 1.0 * b * c + 1.0 * c * a;
  check_size("a hexagon of " + times({a, b, c}), side, side, 3 * side);
  return std::get<BipartiteGraph>(joined(hexagon_region(a, b, c), {{-1, 1, 0}, {0, 1, -1}, {0, 1, 0}}));
}

BipartiteGraph aztec_graph(Vertex order) {
  const double side = 1.0 * order * (1.0 + order);
  check_size("an Aztec diamond of order " + std::to_string(order), side, side, 4.0 * order * order);
  return std::get<BipartiteGraph>(joined(aztec_region(order), {{-1, 0, 0}, {0, 0, -1}, {0, 0, 1}, {1, 0, 0}}));
}

BipartiteGraph hypercube_graph(Vertex dimension) {
  if (dimension > 32) throw InputError("dimension " + std::to_string(dimension), "a dimension of at most 32");
  const double side = std::ldexp(0.5, static_cast<int>(dimension));
  check_size("a hypercube of dimension " + std::to_string(dimension), side, side, side * dimension);
  const std::uint64_t num_vertices = std::uint64_t{1} << dimension;
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(side * dimension));
  for (std::uint64_t v = 0; v < num_vertices; ++v) {
    if (std::popcount(v) % 2 != 0) continue;
    const auto row = static_cast<Vertex>(v / 2);
    // Ascending: clearing a bit gives less, the higher the bit the less; setting one gives more.
    for (Vertex bit = dimension; bit-- > 0;) {
      if (v >> bit & 1) edges.push_back({row, static_cast<Vertex>((v ^ std::uint64_t{1} << bit) / 2)});
    }
    for (Vertex bit = 0; bit < dimension; ++bit) {
      if (!(v >> bit & 1)) edges.push_back({row, static_cast<Vertex>((v ^ std::uint64_t{1} << bit) / 2)});
    }
  }
  const auto num_columns = static_cast<Vertex>(num_vertices / 2);
  return BipartiteGraph::from_edges(static_cast<Vertex>(num_vertices - num_columns), num_columns, std::move(edges));
}

BipartiteGraph complete_graph(Vertex num_rows, Vertex num_columns) {
  check_size("a complete graph of " + times({num_rows, num_columns}), num_rows, num_columns,
             1.0 * num_rows * num_columns);
  std::vector<Edge> edges;
  edges.reserve(std::size_t{num_rows} * num_columns);
  for (Vertex row = 0; row < num_rows; ++row) {
    for (Vertex column = 0; column < num_columns; ++column) edges.push_back({row, column});
  }
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges));
}

BipartiteGraph band_graph(Vertex size, Vertex half_bandwidth) {
  const Vertex reach = size == 0 ? 0 : std::min(half_bandwidth, size - 1);
  check_size("a band of size " + std::to_string(size), size, size, (2.0 * reach + 1) * size);
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) {
    const Vertex first = row < reach ? 0 : row - reach;
    const Vertex last = size - 1 - row < reach ? size - 1 : row + reach;
    for (Vertex column = first; column <= last; ++column) edges.push_back({row, column});
  }
  return BipartiteGraph::from_edges(size, size, std::move(edges));
}

namespace generators {
namespace {

using enum Lattice::Colours;

const std::vector<Lattice::Place> one_place{{0, 0, 0, 0, 0}};
const Lattice lattices[] = {
    {"grid", {false, chessboard, 1, "01"}, one_place, {{0, 0, 0, 1, 0}, {0, 0, 1, 0, 1}}},
    {"king",
     {false, none, 1, "0132"},
     one_place,
     {{0, 0, 0, 1, 0}, {0, 0, 1, 0, 1}, {0, 0, 1, 1, 2}, {0, 0, 1, -1, 3}}},
    {"knight",
     {false, chessboard, 1, "1032"},
     one_place,
     {{0, 0, 1, 2, 0}, {0, 0, 1, -2, 1}, {0, 0, 2, 1, 2}, {0, 0, 2, -1, 3}}},
    {"triangular", {true, none, 1, "021"}, one_place, {{0, 0, 0, 1, 0}, {0, 0, 1, 0, 1}, {0, 0, 1, -1, 2}}},
    {"honeycomb",
     {true, places, std::numbers::sqrt3, "102"},
     {{0, 0, 0, 1, 0}, {2, 1.0 / 3, 1, 0, 0}},
     {{0, 1, 0, 0, 0}, {0, 1, 0, -1, 1}, {0, 1, -1, 0, 2}}},
    {"kagome",
     {true, none, 2, "021"},
     {{0, 0, 0, 1, 0}, {2, 0, 0, 0, 0}, {1, 0.5, 0, 2, 1}},
     {{0, 1, 0, 0, 0}, {1, 0, 0, 1, 0}, {0, 2, 0, 0, 1}, {2, 0, 1, 0, 1}, {1, 2, 0, 0, 2}, {2, 1, 1, -1, 2}}},
    {"square-octagon",
     {false, chessboard, 3, "0132"},
     {{2, -0.25, 0, 2, 0}, {3, 0, 1, 1, 0}, {2, 0.25, 0, 0, 0}, {1, 0, 1, 3, 0}},
     {{1, 3, 0, 1, 0}, {2, 0, 1, 0, 1}, {0, 1, 0, 0, 2}, {2, 3, 0, 0, 2}, {0, 3, 0, 0, 3}, {1, 2, 0, 0, 3}}},
    {"lieb",
     {false, places, 2, "01"},
     {{0, 0, 0, 0, 0}, {2, 0, 1, 1, 0}, {0, 0.5, 1, 2, 1}},
     {{0, 1, 0, 0, 0}, {1, 0, 0, 1, 0}, {0, 2, 0, 0, 1}, {2, 0, 1, 0, 1}}},
};

std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

}  // namespace

const Lattice* find_lattice(std::string_view name) {
  const auto* const found = std::ranges::find(lattices, name, &Lattice::name);
  return found == std::end(lattices) ? nullptr : found;
}

LatticePiece::LatticePiece(const Lattice& lattice, Vertex height, Vertex width, Boundary boundary)
    : lattice_(lattice),
      height_(height),
      width_(width),
      twisted_(boundary == Boundary::moebius || boundary == Boundary::klein),
      lines_close_(boundary == Boundary::torus || boundary == Boundary::klein),
      ends_close_(boundary != Boundary::open),
      slots_a_line_(twisted_ ? width_ + 3 : width_) {
  if (!twisted_) return;
  if (lines_close_ && lattice.shape.sheared && height % 2 != 0) {
    throw InputError(
        "a Klein bottle of " + std::to_string(height) + " lines of the lattice " + std::string(lattice.name),
        "an even number of lines, of which every other one stands half a cell to the right");
  }
  const int mirror = lattice.places[0].mirror;
  const std::int64_t there = x({height_ - 1 - lattice.places[0].lifted, 0, mirror});
  glide_ = 4 * width_ + floor_mod(x({0, 0, 0}) - there, 4);
}

std::optional<LatticePiece::Site> LatticePiece::at(Site site) const {
  if (!lines_close_ && !is_inside(site)) return std::nullopt;
  const auto line_of = [&](std::int64_t line) { return lines_close_ ? floor_mod(line, height_) : line; };
  if (!twisted_) {
    if ((site.cell < 0 || site.cell >= width_) && !ends_close_) return std::nullopt;
    return Site{line_of(site.line), ends_close_ ? floor_mod(site.cell, width_) : site.cell, site.place};
  }
  site = site_at(line_of(site.line), site.place, x(site));
  for (std::int64_t here = x(site); here < 0 || here >= glide_;) {
    here += here < 0 ? glide_ : -glide_;
    site = site_at(line_of(height_ - 1 - site.line - place(site).lifted), place(site).mirror, here);
  }
  return site;
}

// The colours of the lattice are those of the piece where whatever is joined has the same. A lattice's colours repeat
// every other line and cell, and so do the changes at a seam.
bool LatticePiece::is_bipartite() const {
  if (lattice_.shape.colours == none || (ends_close_ && (height_ == 0 || width_ == 0))) return false;
  for (std::int64_t line = 0; line < std::min<std::int64_t>(2, height_); ++line) {
    for (int at_place = 0; at_place < static_cast<int>(lattice_.places.size()); ++at_place) {
      for (const Site& beyond :
           {Site{line, width_, at_place}, {line, width_ + 1, at_place}, {line + height_, 0, at_place}}) {
        const std::optional<Site> found = at(beyond);
        if (found && colour(*found) != colour(beyond)) return false;
      }
    }
  }
  return true;
}

Point LatticePiece::point(const Site& site) const {
  const double line_height = lattice_.shape.sheared ? std::numbers::sqrt3 / 2 : 1;
  const double down = static_cast<double>(site.line) + place(site).y;
  return {lattice_.shape.scale * static_cast<double>(x(site)) / 4, -lattice_.shape.scale * line_height * down};
}

}  // namespace generators

bool has_boundaries(std::string_view name) { return find_lattice(name) != nullptr; }

std::variant<BipartiteGraph, UndirectedGraph> lattice_graph(std::string_view name, Vertex height, Vertex width,
                                                            Boundary boundary, const Weights& of_directions) {
  const Lattice* const lattice = find_lattice(name);
  if (!lattice) throw InputError("the lattice '" + std::string(name) + "'", "one with cells, as grid or honeycomb");
  const std::string what =
      "the " + std::string(to_string(boundary)) + " " + std::string(name) + " of " + times({height, width});
  const double cells = 1.0 * height * width;
  const auto sites = cells * static_cast<double>(lattice->places.size());
  const LatticePiece piece(*lattice, height, width, boundary);
  const bool bipartite = piece.is_bipartite();
  const double side = bipartite ? 0.5 * sites : sites;
  check_size(what, side, side, cells * static_cast<double>(lattice->bonds.size()));
  const bool twisted = boundary == Boundary::moebius || boundary == Boundary::klein;
  visit_values(of_directions, [&](const auto& values) {
    const std::string_view mirrored = lattice->shape.mirrored;
    if (values.size() != mirrored.size()) {
      throw InputError(std::to_string(values.size()) + " weights of directions",
                       std::to_string(mirrored.size()) + " for the lattice " + std::string(name));
    }
    for (std::size_t d = 0; d < values.size(); ++d) {
      const auto other = static_cast<std::size_t>(mirrored[d] - '0');
      if (twisted && !(values[d] == values[other])) {
        throw InputError("different weights of the directions " + std::to_string(d + 1) + " and " +
                             std::to_string(other + 1) + " of " + what,
                         "the same weight: behind the seam one is the other");
      }
    }
  });

  std::vector<Vertex> number(piece.num_slots());  // of a vertex on its side
  std::array<Vertex, 2> count{};
  piece.for_each([&](const LatticePiece::Site& site) {
    number[piece.slot(site)] = count[bipartite ? static_cast<std::size_t>(piece.colour(site)) : 0]++;
  });
  std::vector<Edge> edges;
  std::vector<EdgeId> directions;
  const bool is_weighted = of_directions.index() != 0;
  std::vector<std::pair<Vertex, EdgeId>> around;  // of a vertex: neighbour and direction
  piece.for_each([&](const LatticePiece::Site& site) {
    if (bipartite && piece.colour(site) != 0) return;
    const Vertex row = number[piece.slot(site)];
    around.clear();
    const auto join = [&](std::int64_t down, std::int64_t right, int place, int direction) {
      const auto found = piece.at({site.line + down, site.cell + right, place});
      if (found) around.push_back({number[piece.slot(*found)], static_cast<EdgeId>(direction)});
    };
    for (const auto& [from, to, down, right, direction] : lattice->bonds) {
      if (from == site.place) join(down, right, to, direction);
      if (to == site.place) join(-down, -right, from, direction);
    }
    std::ranges::sort(around);
    for (std::size_t i = 0; i < around.size(); ++i) {
      const auto& [other, direction] = around[i];
      if ((!bipartite && other == row) || (i > 0 && other == around[i - 1].first))
        throw InputError(what, "longer sides: here a vertex would be joined to another twice, or to itself");
      if (!bipartite && other < row) continue;
      edges.push_back({row, other});
      if (is_weighted) directions.push_back(direction);
    }
  });
  Weights weights = gather(of_directions, directions);
  if (bipartite) return BipartiteGraph::from_edges(count[0], count[1], std::move(edges), std::move(weights));
  return UndirectedGraph::from_edges(count[0], std::move(edges), std::move(weights));
}

}  // namespace matchcount
