// A generator numbers the vertices of each side in reading order, so that going through the cells in that order gives
// the place of each.

#include "graph/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "graph/generators/lattice.hpp"
#include "graph/readers/text.hpp"

namespace matchcount {
namespace {

constexpr double most_vertices = 1 << 22;

struct Family {
  std::string_view name;
  std::size_t num_sizes;
};
constexpr std::array families{Family{"grid3d", 3}, Family{"hexagon", 3}, Family{"aztec", 1}, Family{"hypercube", 1}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view word = readers::take_word(text); !word.empty(); word = readers::take_word(text))
    words.push_back(word);
  return words;
}

void require_drawable(double num_vertices, std::string_view words) {
  if (num_vertices > most_vertices)
    throw Unable("the layout '" + std::string(words) + "' has more vertices than a picture shows (2^22)");
}

using Sizes = std::vector<std::int64_t>;

LatticeLayout piece_of(const generators::Lattice& lattice, Vertex height, Vertex width, Boundary boundary) {
  const generators::LatticePiece piece(lattice, height, width, boundary);
  const bool bipartite = piece.is_bipartite();
  LatticeLayout layout;
  piece.for_each([&](const generators::LatticePiece::Site& site) {
    (bipartite && piece.colour(site) != 0 ? layout.columns : layout.rows).push_back(piece.point(site));
  });
  if (lattice.name == "grid") layout.cells = Layout::Cells::squares;
  if (lattice.name == "grid" && boundary == Boundary::torus)
    layout.period = {static_cast<double>(width), static_cast<double>(height)};
  return layout;
}

// Places the points of a region.
LatticeLayout region_of(const generators::Region& region, const std::function<Point(double, double, double)>& place) {
  LatticeLayout layout;
  region.for_each([&](const generators::Region::Place& at) {
    (region.colour(at) == 0 ? layout.rows : layout.columns)
        .push_back(place(static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z)));
  });
  return layout;
}

// Places layer behind layer, shifted to the upper right.
Point in_space(double x, double y, double z) { return {z + 0.42 * x, -y + 0.34 * x}; }

// Triangles with the lower corner (x, z) of the triangular lattice, which is turned so that a region of equal sides
// stands on a corner, as a heap of cubes does.
Point of_triangle(double x, double y, double z) {
  const double third = (1 + y) / 3;
  return {1.5 * (z + third), std::numbers::sqrt3 * (x + third + (z + third) / 2)};
}

// A bit is a step in a direction of its own; the lengths differ, so that no two words fall together.
LatticeLayout hypercube(std::int64_t dimension) {
  LatticeLayout layout;
  for (std::uint32_t word = 0; word < std::uint32_t{1} << dimension; ++word) {
    Point point;
    for (std::int64_t bit = 0; bit < dimension; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      const double angle = std::numbers::pi * (0.5 + static_cast<double>(bit)) / static_cast<double>(dimension);
      const double length = 1 + static_cast<double>(bit) / static_cast<double>(dimension);
      point.x += length * std::cos(angle);
      point.y += length * std::sin(angle);
    }
    (std::popcount(word) % 2 == 0 ? layout.rows : layout.columns).push_back(point);
  }
  return layout;
}

}  // namespace

bool is_lattice(std::string_view name) {
  return name == "torus" || has_boundaries(name) || std::ranges::find(families, name, &Family::name) != families.end();
}

std::optional<LatticeLayout> lattice_layout(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (words.empty() || !is_lattice(words[0])) return std::nullopt;
  Boundary boundary = words[0] == "torus" ? Boundary::torus : Boundary::open;
  const auto* const lattice = generators::find_lattice(words[0] == "torus" ? "grid" : words[0]);
  for (const auto& named : Names<Boundary>::all) {
    if (!lattice || words[0] == "torus" || words.back() != named.name) continue;
    boundary = named.value;
    words.pop_back();
  }
  const std::size_t num_sizes = lattice ? 2 : std::ranges::find(families, words[0], &Family::name)->num_sizes;
  const std::string found = "the layout '" + std::string(text) + "'";
  if (words.size() != num_sizes + 1)
    throw InputError(found, std::to_string(num_sizes) + " sizes of " + std::string(words[0]));
  Sizes size;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto value = readers::parse_natural(words[i]);
    if (!value || !std::in_range<std::int64_t>(*value)) throw InputError(found, "whole numbers from 0 behind its name");
    size.push_back(static_cast<std::int64_t>(*value));
  }
  const std::string_view name = words[0];
  const auto real = [&](std::size_t i) { return i < size.size() ? static_cast<double>(size[i]) : 1; };
  const double a = real(0), b = real(1), c = real(2),
               places = lattice ? static_cast<double>(lattice->places.size()) : c;
  // Empty lines take time too.
  require_drawable(name == "aztec"       ? 2 * a * (a + 1)
                   : name == "hypercube" ? std::exp2(a)
                   : name == "hexagon"   ? 2 * (a * b + b * c + c * a) + a + c
                                         : std::max(lattice ? a : a * b, a * b * places),
                   text);
  if (lattice) return piece_of(*lattice, static_cast<Vertex>(size[0]), static_cast<Vertex>(size[1]), boundary);
  if (name == "hypercube") return hypercube(size[0]);
  if (name == "grid3d") return region_of(generators::box_region(size[0], size[1], size[2]), in_space);
  const bool is_aztec = name == "aztec";
  LatticeLayout layout = is_aztec ? region_of(generators::aztec_region(size[0]),
                                              [](double x, double, double z) {
                                                return Point{z, -x};
                                              })
                                  : region_of(generators::hexagon_region(size[0], size[1], size[2]), of_triangle);
  layout.cells = is_aztec ? Layout::Cells::squares : Layout::Cells::triangles;
  return layout;
}

Layout two_column_layout(Vertex num_rows, Vertex num_columns) {
  const Vertex longer = std::max(num_rows, num_columns);
  const double width = std::max(2.0, 0.5 * longer);
  Layout layout;
  const auto put = [&](Vertex count, double x) {
    // The shorter column in the middle.
    const double top = -0.5 * (longer - count);
    for (Vertex v = 0; v < count; ++v) layout.points.push_back({x, top - v});
  };
  put(num_rows, 0);
  put(num_columns, width);
  return layout;
}

Layout circle_layout(Vertex num_vertices) {
  Layout layout;
  const double step = 2 * std::numbers::pi / std::max<Vertex>(1, num_vertices);
  const double radius = std::max(0.5, 1 / step);  // about 1 between neighbours
  for (Vertex v = 0; v < num_vertices; ++v)
    layout.points.push_back({radius * std::sin(step * v), radius * std::cos(step * v)});
  return layout;
}

}  // namespace matchcount
