#pragma once
// Makes the graphs that the field counts, by name. Those that are bipartite have rows and columns as the two colour
// classes; none but lattices has weights, and random ones can be added. A random one is a function of its arguments and
// seed alone, on every system. All throw InputError for arguments out of range and Unable for a graph that the memory
// does not hold; time and memory are linear in vertices and edges. A length of 0 gives the graph with no vertices.

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "core/api.hpp"
#include "core/names.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// height x width squares' corners as vertices, neighbours joined. Rows are the vertices with even i + j, numbered line
// by line. grid_graph(8, 8) has 12988816 perfect matchings (Kasteleyn 1961, doi:10.1016/0031-8914(61)90063-5).
BipartiteGraph grid_graph(Vertex height, Vertex width);
// The same with both directions periodic; both lengths even (else not bipartite) and, to have no parallel edges,
// above 2.
BipartiteGraph torus_graph(Vertex height, Vertex width);
// Makes a x b x c points of the cubic lattice. grid3d_graph(4, 4, 4) has 5051532105 perfect matchings.
BipartiteGraph grid3d_graph(Vertex a, Vertex b, Vertex c);
// Makes the squares of a height x width chessboard, joined where a knight moves from one to the other; rows as in
// grid_graph. knight_graph(8, 8) has 2849759680 perfect matchings.
BipartiteGraph knight_graph(Vertex height, Vertex width);
// The same for a king: squares that touch, at a corner too; numbered line by line. It has triangles, and
// king_graph(4, 4) has 280 perfect matchings.
UndirectedGraph king_graph(Vertex height, Vertex width);
// Boundary says which sides of a piece of a lattice are joined: the ends of its lines (cylinder), the first line to the
// last too (torus), the ends with the lines in opposite order (moebius), and both so (klein).
enum class Boundary { open, cylinder, torus, moebius, klein };
template <>
struct Names<Boundary> {
  static constexpr std::string_view what = "boundary";
  static constexpr Named<Boundary> all[] = {{Boundary::open, "open"},
                                            {Boundary::cylinder, "cylinder"},
                                            {Boundary::torus, "torus"},
                                            {Boundary::moebius, "moebius"},
                                            {Boundary::klein, "klein"}};
};
// Says whether lattice_graph has a lattice of that name: grid (square), triangular, honeycomb, kagome, square-octagon,
// lieb, and the boards of king and knight.
bool has_boundaries(std::string_view name);
// Makes height lines of width cells, which have 1, 1, 2, 3, 4, 3, 1 and 1 vertices in this order. Lines of the
// triangular lattice, the honeycomb and kagome run along an axis, each half a cell further right than the one before:
// open pieces are parallelograms. A seam that turns the lines upside down is a glide reflection by width cells, or by
// half a cell more where the lattice has no other: the triangular one with an even height, honeycomb and kagome with an
// odd one. A Klein bottle of these has an even height; a Moebius strip of kagome or lieb lacks the vertices below its
// last line, which have no mirror image. Bipartite where the cells' two colours go on over the seams. Weights, if any,
// are one for every direction, in this order: along the line, then the one that goes down, and where there are more,
// down to the right before down to the left; honeycomb: right and left along the zigzag, then between lines. Sides so
// short that edges would be double are refused, and on a twisted piece weights of two directions that the seam swaps if
// they differ.
std::variant<BipartiteGraph, UndirectedGraph> lattice_graph(std::string_view name, Vertex height, Vertex width,
                                                            Boundary boundary = Boundary::open,
                                                            const Weights& of_directions = {});

// Makes the honeycomb region whose perfect matchings are the plane partitions in an a x b x c box: MacMahon's prod
// (i+j+k-1)/(i+j+k-2) of them. ab+bc+ca vertices a side.
BipartiteGraph hexagon_graph(Vertex a, Vertex b, Vertex c);
// Makes the Aztec diamond of this order: order (order+1) vertices a side and 2^(order (order+1)/2) perfect matchings
// (Elkies, Kuperberg, Larsen and Propp 1992, doi:10.1023/A:1022420103267).
BipartiteGraph aztec_graph(Vertex order);
// Makes the 0/1 words of this length, joined where they differ in one letter; rows have an even number of ones.
// Dimension <= 32.
BipartiteGraph hypercube_graph(Vertex dimension);
BipartiteGraph complete_graph(Vertex num_rows, Vertex num_columns);
// Joins row i to the columns j with |i - j| <= half_bandwidth.
BipartiteGraph band_graph(Vertex size, Vertex half_bandwidth);
// Draws a graph that is random and simple, every vertex of this degree (<= size): a union of random permutations,
// repaired by random switches; for degree > size / 2 the complement of such a graph. Not exactly uniform over all
// regular graphs.
BipartiteGraph random_regular_graph(Vertex size, Vertex degree, std::uint64_t seed);
// Draws each edge with probability density, 0 <= density <= 1, independently; the density is taken to the nearest
// 2^-53. Time goes with the number of edges, not of pairs: 10^7 edges take about a second.
BipartiteGraph random_graph(Vertex num_rows, Vertex num_columns, double density, std::uint64_t seed);
// Draws a random planar bipartite graph with `size` vertices a side that has a perfect matching: a piece of the square
// grid, about as high as wide, in which a random tiling by dominoes stays and every other edge does with probability
// density.
BipartiteGraph random_planar_graph(Vertex size, double density, std::uint64_t seed);

// GraphFamily is one of the above by name, or another: boards of rooks, bishops and queens, cycles, prisms, circulants,
// Kneser's and Johnson's graphs, fullerenes, trees.
struct GraphFamily {
  std::string_view name;
  std::string_view arguments;  // "N [P]": lengths and, as P, a density; in brackets what may be left out; N...: several
  std::string_view summary;
  std::variant<BipartiteGraph, UndirectedGraph> (*make)(std::span<const Vertex> lengths, double density,
                                                        std::uint64_t seed);
};
std::span<const GraphFamily> graph_families();
// Makes a graph of a family, of the numbers that stand behind its name. Throws InputError for a name that no family
// has, for too few or too many numbers, and for others than the family takes.
std::variant<BipartiteGraph, UndirectedGraph> family_graph(std::string_view name, std::span<const double> numbers,
                                                           std::uint64_t seed = 1);

// Independent random weights.
struct RandomWeights {
  enum class Law {
    uniform,   // reals: the multiples of 2^-53 in [0, 1)
    normal,    // reals: mean 0, variance 1
    complex,   // both parts normal and independent, mean |w|^2 = 1: entries of a Gaussian matrix
    signs,     // integers: -1 or 1
    integers,  // of [low, high], 0 included where the range has it
  };
  Law law = Law::uniform;
  std::int64_t low = 0, high = 0;
};
template <>
struct Names<RandomWeights::Law> {
  using Law = RandomWeights::Law;
  static constexpr std::string_view what = "law";
  static constexpr Named<Law> all[] = {{Law::uniform, "uniform"},
                                       {Law::normal, "normal"},
                                       {Law::complex, "complex"},
                                       {Law::signs, "signs"},
                                       {Law::integers, "integers", false}};
};
// The same edges with random weights, drawn in order of EdgeId independently of the edges of the same seed. Throws
// InputError where low > high.
BipartiteGraph with_random_weights(const BipartiteGraph& graph, const RandomWeights& weights, std::uint64_t seed);
UndirectedGraph with_random_weights(const UndirectedGraph& graph, const RandomWeights& weights, std::uint64_t seed);

}  // namespace matchcount
