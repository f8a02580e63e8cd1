// The families by name. Programs offer what stands here, in this order.

#include "graph/generators/families.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/run.hpp"
#include "graph/generate.hpp"

namespace matchcount::generators {

std::string times(std::initializer_list<Vertex> lengths) {
  std::string text;
  for (const Vertex length : lengths) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

void check_size(const std::string& what, double num_rows, double num_columns, double num_edges) {
  constexpr double limit = std::numeric_limits<Vertex>::max();
  if (num_rows > limit || num_columns > limit) throw InputError(what, "fewer than 2^32 vertices a side");
  // 20 bytes an edge and 8 a vertex in the graph, 8 an edge in the list that it is built from, 16 in the sorting by
  // column.
  const double needed = 44 * num_edges + 16 * (num_rows + num_columns);
  constexpr double small = 1 << 26;  // not worth asking
  if (needed > small && needed > static_cast<double>(available_memory_bytes())) {
    throw Unable(what + " needs about " + memory_amount(needed) + " of memory, more than is available");
  }
}

}  // namespace matchcount::generators

namespace matchcount {

using namespace generators;

namespace {

using Sizes = std::span<const Vertex>;
using Seed = std::uint64_t;

constexpr double usual_density = 0.7;  // of planar

template <const char* name>
AnyGraph lattice(Sizes n, double, Seed) {
  return lattice_graph(name, n[0], n[1]);
}

// Makes lines of the square lattice whose ends are joined, or not.
template <Vertex lines, Boundary boundary>
AnyGraph strip(Sizes n, double, Seed) {
  return lattice_graph("grid", lines, n[0], boundary);
}

template <bool straight, bool diagonal>
AnyGraph board(Sizes n, double, Seed) {
  return board_graph(n[0], n[1], straight, diagonal);
}

constexpr char king[] = "king", knight[] = "knight", triangular[] = "triangular", honeycomb[] = "honeycomb",
               kagome[] = "kagome", square_octagon[] = "square-octagon", lieb[] = "lieb";

const GraphFamily families[] = {
    {"grid", "H W", "square lattice, H x W vertices, neighbours joined: domino tilings",
     [](Sizes n, double, Seed) -> AnyGraph { return grid_graph(n[0], n[1]); }},
    {"torus", "H W", "the same, periodic both ways; both even and above 2",
     [](Sizes n, double, Seed) -> AnyGraph { return torus_graph(n[0], n[1]); }},
    {"grid3d", "A B C", "A x B x C vertices, neighbours joined",
     [](Sizes n, double, Seed) -> AnyGraph { return grid3d_graph(n[0], n[1], n[2]); }},
    {"torus3d", "A B C", "the same, periodic in all directions; each above 2",
     [](Sizes n, double, Seed) -> AnyGraph { return torus3d_graph(n[0], n[1], n[2]); }},
    {"path", "N", "N vertices in a line", strip<1, Boundary::open>},
    {"cycle", "N", "the same with its ends joined; N above 2", strip<1, Boundary::cylinder>},
    {"ladder", "N", "two lines of N vertices, joined by N rungs", strip<2, Boundary::open>},
    {"prism", "N", "the same with the ends of each line joined; N above 2", strip<2, Boundary::cylinder>},
    {knight, "H W", "H x W squares of a chessboard, joined by knights' moves", lattice<knight>},
    {king, "H W", "the same by kings' moves; it has odd cycles", lattice<king>},
    {"rook", "H W", "the same by rooks' moves", board<true, false>},
    {"bishop", "H W", "the same by bishops' moves", board<false, true>},
    {"queen", "H W", "the same by queens' moves", board<true, true>},
    {triangular, "H W", "triangular lattice, H lines of W vertices", lattice<triangular>},
    {honeycomb, "H W", "honeycomb, H lines of W cells of two vertices", lattice<honeycomb>},
    {kagome, "H W", "kagome lattice, of corner-sharing triangles; cells of three vertices", lattice<kagome>},
    {square_octagon, "H W", "squares and octagons (4.8.8); cells of four vertices", lattice<square_octagon>},
    {lieb, "H W", "square lattice with a vertex on every edge; cells of three vertices", lattice<lieb>},
    {"hexagon", "A B C", "honeycomb region: lozenge tilings, plane partitions in a box",
     [](Sizes n, double, Seed) -> AnyGraph { return hexagon_graph(n[0], n[1], n[2]); }},
    {"aztec", "N", "Aztec diamond of order N: 2^(N(N+1)/2) perfect matchings",
     [](Sizes n, double, Seed) -> AnyGraph { return aztec_graph(n[0]); }},
    {"hypercube", "D", "2^D vertices", [](Sizes n, double, Seed) -> AnyGraph { return hypercube_graph(n[0]); }},
    {"regular", "N D", "random, simple, N vertices a side, all of degree D",
     [](Sizes n, double, Seed seed) -> AnyGraph { return random_regular_graph(n[0], n[1], seed); }},
    {"random", "R C P", "every one of R x C edges with probability P",
     [](Sizes n, double p, Seed seed) -> AnyGraph { return random_graph(n[0], n[1], p, seed); }},
    {"band", "N W", "row i joined to the columns j with |i - j| <= W",
     [](Sizes n, double, Seed) -> AnyGraph { return band_graph(n[0], n[1]); }},
    {"complete", "N [N...]",
     "every two of N vertices joined; of several parts (two: rows and columns) all of different parts",
     [](Sizes n, double, Seed) -> AnyGraph { return multipartite_graph(n); }},
    {"circulant", "N [J...]", "i joined to i + J and i - J modulo N, for every jump J",
     [](Sizes n, double, Seed) -> AnyGraph { return circulant_graph(n); }},
    {"kneser", "N K", "the subsets of K of N elements, joined where they have none in common",
     [](Sizes n, double, Seed) -> AnyGraph { return subset_graph(n[0], n[1], 0); }},
    {"johnson", "N K", "the same, joined where they differ in one element",
     [](Sizes n, double, Seed) -> AnyGraph { return subset_graph(n[0], n[1], n[1] - 1); }},
    {"fullerene", "N F...",
     "N carbon atoms, the faces F of whose spiral, twelve, are pentagons and the others hexagons",
     [](Sizes n, double, Seed) -> AnyGraph { return fullerene_graph(n); }},
    {"tree", "N", "random, each tree on N numbered vertices alike",
     [](Sizes n, double, Seed seed) -> AnyGraph { return random_tree(n[0], seed); }},
    {"gnp", "N P", "every two of N vertices joined with probability P; it has odd cycles",
     [](Sizes n, double p, Seed seed) -> AnyGraph { return random_pairs(n[0], p, seed); }},
    {"planar", "N [P]",
     "random and planar with a perfect matching, N vertices a side; the share P of the edges that can go is kept, 0.7",
     [](Sizes n, double p, Seed seed) -> AnyGraph { return random_planar_graph(n[0], p, seed); }},
};

}  // namespace

std::span<const GraphFamily> graph_families() { return families; }

AnyGraph family_graph(std::string_view name, std::span<const double> numbers, std::uint64_t seed) {
  const auto* const family = std::ranges::find(families, name, &GraphFamily::name);
  if (family == std::end(families)) throw InputError("the kind '" + std::string(name) + "'", "one that is known");
  const std::string use = " in: generate " + std::string(name) + " " + std::string(family->arguments);
  std::vector<Vertex> sizes;
  double density = usual_density;
  std::size_t at = 0;
  std::istringstream arguments{std::string(family->arguments)};
  for (std::string argument; arguments >> argument;) {
    if (at == numbers.size() && argument.front() != '[') throw InputError("too few numbers", "more" + use);
    const bool repeats = argument.find("...") != argument.npos, is_density = argument.find('P') != argument.npos;
    for (bool is_next = at < numbers.size(); is_next; is_next = repeats && at < numbers.size()) {
      const double number = numbers[at++];
      char text[32];
      const std::string found(text, std::to_chars(text, std::end(text), number).ptr);
      if (is_density) {
        if (!(number >= 0 && number <= 1)) throw InputError("'" + found + "'", "a density from 0 to 1" + use);
        density = number;
      } else {
        if (!(number >= 0 && number < 0x1p31 && number == std::floor(number)))
          throw InputError("'" + found + "'", "a whole number from 0 to 2^31 - 1" + use);
        sizes.push_back(static_cast<Vertex>(number));
      }
    }
  }
  if (at < numbers.size())
    throw InputError(std::to_string(numbers.size()) + " numbers, too many", "no more than" + use);
  return family->make(sizes, density, seed);
}

}  // namespace matchcount
