#include "graph/generators/lattice.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "graph/generators/size.hpp"
#include "graph/weights.hpp"

namespace matchcount {
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

using generators::check_size;
using generators::find_lattice;
using generators::Lattice;
using generators::LatticePiece;
using generators::times;

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
