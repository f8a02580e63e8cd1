// A generator numbers the vertices of each side in reading order, so that going through the cells in that order gives
// the place of each.

#include "graph/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
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

// Places layer behind layer, shifted to the upper right.
LatticeLayout cubes(const Sizes& size) {
  constexpr Point behind{0.42, 0.34};
  LatticeLayout layout;
  for (std::int64_t x = 0; x < size[0]; ++x) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t z = 0; z < size[2]; ++z) {
        auto& side = (x + y + z) % 2 == 0 ? layout.rows : layout.columns;
        const auto depth = static_cast<double>(x);
        side.push_back({static_cast<double>(z) + behind.x * depth, static_cast<double>(-y) + behind.y * depth});
      }
    }
  }
  return layout;
}

// Triangles with the lower corner (x, y) of the triangular lattice, which is turned so that a region of equal sides
// stands on a corner, as a heap of cubes does.
LatticeLayout hexagon(std::int64_t a, std::int64_t b, std::int64_t c) {
  LatticeLayout layout;
  const auto put = [](std::vector<Point>& side, double x, double y) {
    side.push_back({1.5 * y, std::numbers::sqrt3 * (x + y / 2)});
  };
  for (std::int64_t x = 0; x < a + c; ++x) {
    for (const std::int64_t up : {0, 1}) {
      const std::int64_t first = std::max<std::int64_t>(0, c - x - up), last = std::min(b + c, a + b + c - x - up);
      for (std::int64_t y = first; y < last; ++y) {
        const double third = up == 0 ? 1.0 / 3 : 2.0 / 3;
        put(up == 0 ? layout.rows : layout.columns, static_cast<double>(x) + third, static_cast<double>(y) + third);
      }
    }
  }
  return layout;
}

LatticeLayout aztec(std::int64_t n) {
  LatticeLayout layout;
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    const std::int64_t start = i < n ? n - 1 - i : i - n;
    for (std::int64_t j = start; j < 2 * n - start; ++j) {
      auto& side = (i + j) % 2 == 0 ? layout.rows : layout.columns;
      side.push_back({static_cast<double>(j), static_cast<double>(-i)});
    }
  }
  return layout;
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
  const auto real = [&](std::size_t i) { return static_cast<double>(size[i]); };
  if (words[0] == "aztec") {
    require_drawable(2 * real(0) * (real(0) + 1), text);
    LatticeLayout layout = aztec(size[0]);
    layout.cells = Layout::Cells::squares;
    return layout;
  }
  if (words[0] == "hypercube") {
    require_drawable(std::exp2(real(0)), text);
    return hypercube(size[0]);
  }
  if (words[0] == "hexagon") {
    // Empty lines take time too.
    require_drawable(2 * (real(0) * real(1) + real(1) * real(2) + real(2) * real(0)) + real(0) + real(2), text);
    LatticeLayout layout = hexagon(size[0], size[1], size[2]);
    layout.cells = Layout::Cells::triangles;
    return layout;
  }
  double vertices = 1, lines = 1;
  for (std::size_t i = 0; i < size.size(); ++i) {
    vertices *= real(i);
    if (i + 1 < size.size()) lines *= real(i);
  }
  require_drawable(std::max(vertices, lines), text);
  if (!lattice) return cubes(size);
  require_drawable(vertices * static_cast<double>(lattice->places.size()), text);
  return piece_of(*lattice, static_cast<Vertex>(size[0]), static_cast<Vertex>(size[1]), boundary);
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
