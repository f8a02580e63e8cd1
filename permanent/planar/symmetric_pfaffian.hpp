#pragma once
// Finds a cyclic symmetry of a matrix on a graph in a surface, such as a translation of a lattice on a torus, and the
// Pfaffian of such a matrix as the product of many small determinants: of a torus of 256 x 256 vertices 256 of 128 rows
// and columns.

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "core/run.hpp"
#include "graph/planar.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/pfaffian.hpp"

namespace matchcount {

// CyclicSymmetry maps the graph to itself, colours and entries too, so that every vertex comes back after `order` steps
// and not before.
struct CyclicSymmetry {
  std::vector<Vertex> image;  // by vertex
  std::size_t order = 0;
};
// Finds one of at most most_order among those that keep the rotation and take the first edge somewhere near, of large
// order before small; nothing where none has at least 8. Entries are equal where places are. O(edges) for each of a few
// that are tried; throws as run.check() does.
std::optional<CyclicSymmetry> cyclic_symmetry(const UndirectedGraph& graph, const PlanarEmbedding& rotation,
                                              const std::vector<std::uint32_t>& places,
                                              const std::vector<bool>& is_column, std::size_t most_order,
                                              const RunContext& run);

// OrbitMatrices holds the matrices of the orbits: the entry of an edge is a polynomial in w, and their product over all
// w with w^order = wrap is the determinant of the large matrix.
struct OrbitMatrices {
  using Term = std::tuple<std::uint32_t, std::uint32_t, int>;  // exponent of w, place in the table, factor
  using Polynomial = std::vector<Term>;
  // On the vertices 2 a and 2 b + 1 for the entry of row a and column b, those of the orbits of vertices of each colour
  // or, if there are no colours, of all.
  struct Graph {
    UndirectedGraph graph;
    std::vector<std::uint32_t> places;  // by EdgeId, among the polynomials
    std::vector<std::int8_t> signs;     // by EdgeId, as a SkewMatrix has them
    std::vector<bool> is_column;
  };
  std::size_t order = 0, size = 0;  // the rows of a matrix
  int wrap = 1;                     // 1 or -1
  bool negated = false;             // the Pfaffian of the given matrix is that of the one of all orbits, or minus it
  std::vector<Polynomial> polynomials;  // the first is 0
  Graph blocks;
  Graph skew;  // where there are no colours: of vertices a and b, for w = 1 and w = -1
};
// Returns nothing where the matrix of edges so directed is not the same after the symmetry, up to signs of vertices.
std::optional<OrbitMatrices> orbit_matrices(const UndirectedGraph& graph, const CyclicSymmetry& symmetry,
                                            const std::vector<std::uint32_t>& places,
                                            const std::vector<std::int8_t>& orientation,
                                            const std::vector<bool>& is_column);

// Finds the symmetry of the entries of a graph on a surface, with so many primes for its integers; nothing where there
// is none that pays. O(edges).
std::optional<CyclicSymmetry> symmetry_of(const UndirectedGraph& graph, const EntryTable& table,
                                          const KasteleynPlan& plan, double log2_bound, const RunContext& run);

// Returns the multiplications and entries that the first Pfaffian takes modulo a prime, in parts by a symmetry; nothing
// where none is found.
std::optional<EliminationStructure> symmetric_structure(const UndirectedGraph& graph, const EntryTable& table,
                                                        const KasteleynPlan& plan, double log2_bound,
                                                        const RunContext& run);

// Returns what pfaffian() does; nothing where the matrix is not the same after the symmetry, up to signs of vertices.
std::optional<GaussianInteger> symmetric_pfaffian(const PfaffianProblem& problem, const CyclicSymmetry& symmetry,
                                                  const std::vector<std::int8_t>& orientation,
                                                  const KasteleynPlan& plan, const RunContext& run);

}  // namespace matchcount
