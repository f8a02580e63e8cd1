#pragma once
// Walks over a piece of a periodic lattice, its sides joined or not. Private to graph/.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/generate.hpp"
#include "graph/generators/families.hpp"
#include "graph/layout.hpp"

namespace matchcount::generators {

// Region is a piece of a lattice: points of whole coordinates x and y, and z between the ends of its line (x, y).
struct Region {
  struct Place {
    std::int64_t x, y, z;
  };
  struct Ends {
    std::int64_t first, last;  // the line is empty unless first < last
  };
  // A point is a row, 0, or a column, 1.
  int colour(const Place& place) const { return (in_layers ? place.y : place.x + place.y + place.z) & 1; }
  // Calls visit(place) for the points in reading order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::int64_t x = 0; x < height; ++x) {
      for (std::int64_t y = 0; y < depth; ++y) {
        const Ends at = ends(x, y);
        for (std::int64_t z = at.first; z < at.last; ++z) visit(Place{x, y, z});
      }
    }
  }

  std::int64_t height, depth;  // of x and y
  std::function<Ends(std::int64_t x, std::int64_t y)> ends;
  bool in_layers = false;  // y is the colour, else all coordinates make it
};
Region box_region(std::int64_t a, std::int64_t b, std::int64_t c);
// Points (x, z) of the triangular lattice in axial coordinates with 0 <= x <= a + c, 0 <= z <= b + c and
// c <= x + z <= a + b + c have between them the triangles (x, z), (x+1, z), (x, z+1), where y is 0, and (x+1, z),
// (x, z+1), (x+1, z+1), where y is 1.
Region hexagon_region(std::int64_t a, std::int64_t b, std::int64_t c);
Region aztec_region(std::int64_t order);
// The steps to a point's neighbours in space, ascending.
inline const std::vector<Region::Place> beside{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
// Joins the points these steps apart, the rows to the columns, but for a region that an odd period closes; 0: none
// does.
AnyGraph joined(const Region& region, const std::vector<Region::Place>& steps, const Region::Place& period = {0, 0, 0});

// Lattice is a row of the table of lattices. Its cells stand in lines; in one that is sheared every line stands half a
// cell further right than the one before it.
struct Lattice {
  enum class Colours { none, places, chessboard };  // none: odd cycles; chessboard: of lines and cells too
  struct Place {
    int x;     // in quarters of a cell, from its left end
    double y;  // in lines, downwards
    int colour;
    int mirror;  // the place that it has in the mirror image, upside down, ...
    int lifted;  // ... in the line before it: 1; in the same: 0
  };
  // A bond joins a place of each cell to one of the cell so many lines below and so many cells to the right.
  struct Bond {
    int from, to, down, right, direction;
  };
  struct Shape {
    bool sheared;
    Colours colours;
    double scale;               // width of a cell in pictures
    std::string_view mirrored;  // directions in the mirror image, as digits
  };
  std::string_view name;
  Shape shape;
  std::vector<Place> places;
  std::vector<Bond> bonds;
};

// Returns null for a name that no lattice has.
const Lattice* find_lattice(std::string_view name);

// LatticePiece numbers the vertices of a piece with its sides joined. Twisted pieces are those of a glide reflection:
// it moves by the width (half a cell more where the lattice has no other) and turns upside down.
class LatticePiece {
 public:
  struct Site {
    std::int64_t line, cell;
    int place;
  };
  // Throws InputError where a twisted piece of a sheared lattice has an odd number of lines that close.
  LatticePiece(const Lattice& lattice, Vertex height, Vertex width, Boundary boundary);

  // Calls visit(site) for the vertices in reading order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::int64_t line = 0; line < height_ && width_ > 0; ++line) {
      const std::int64_t first = first_cell(line);
      for (std::int64_t cell = first; cell < first + slots_a_line_; ++cell) {
        for (int at = 0; at < static_cast<int>(lattice_.places.size()); ++at) {
          if (has({line, cell, at})) visit(Site{line, cell, at});
        }
      }
    }
  }
  // Returns the vertex that stands there, perhaps behind a seam; nothing beyond an open side.
  std::optional<Site> at(Site site) const;
  std::size_t slot(const Site& site) const {
    const std::int64_t cell = site.line * slots_a_line_ + site.cell - first_cell(site.line);
    return static_cast<std::size_t>(cell) * lattice_.places.size() + static_cast<std::size_t>(site.place);
  }
  std::size_t num_slots() const {
    return width_ == 0 ? 0 : static_cast<std::size_t>(height_ * slots_a_line_) * lattice_.places.size();
  }
  bool is_bipartite() const;
  int colour(const Site& site) const {
    const bool chessboard = lattice_.shape.colours == Lattice::Colours::chessboard;
    return static_cast<int>((chessboard ? site.line + site.cell : 0) + place(site).colour) & 1;
  }
  Point point(const Site& site) const;

 private:
  const Lattice::Place& place(const Site& site) const { return lattice_.places[static_cast<std::size_t>(site.place)]; }
  std::int64_t x(const Site& site) const {
    return 4 * site.cell + (lattice_.shape.sheared ? 2 * site.line : 0) + place(site).x;
  }
  std::int64_t first_cell(std::int64_t line) const {
    return !twisted_ ? 0 : lattice_.shape.sheared ? -(line / 2) - 1 : -1;
  }
  // Says whether a line of a piece whose sides are open has that place.
  bool is_inside(const Site& site) const {
    return site.line >= 0 && site.line + (twisted_ ? place(site).lifted : 0) < height_;
  }
  bool has(const Site& site) const {
    return !twisted_ || ((lines_close_ || is_inside(site)) && x(site) >= 0 && x(site) < glide_);
  }
  Site site_at(std::int64_t line, int place, std::int64_t x_there) const {
    return {line, (x_there - x({line, 0, place})) / 4, place};
  }

  const Lattice& lattice_;
  std::int64_t height_, width_;
  bool twisted_, lines_close_, ends_close_;
  std::int64_t slots_a_line_;
  std::int64_t glide_ = 0;  // quarters of a cell
};

}  // namespace matchcount::generators
