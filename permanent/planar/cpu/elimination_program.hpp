#pragma once
// Writes the Pfaffian of a sparse skew-symmetric matrix as a program without branches: found once, by eliminating
// modulo one prime, and replayed modulo all others. Multifrontal (Duff and Reid 1983, doi:10.1145/356044.356047) along
// a dissection, with pivots put off to the parent where none is left (delayed pivots). Private to permanent/.

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/cpu/elimination_front.hpp"
#include "permanent/planar/dissection.hpp"

namespace matchcount {

// A skew-symmetric matrix on the edges of a graph: entry (row, column) of edge id, row < column, is orientation[id]
// (1 or -1) times the value at places[id] in a table whose first value is 0, entry (column, row) its negative. Where
// is_column is not empty it colours the graph properly, and only the block of rows (the vertices of colour false) and
// columns is held: its determinant is the Pfaffian with vertices in pairs.
struct SkewMatrix {
  const UndirectedGraph& graph;
  const std::vector<std::uint32_t>& places;    // by EdgeId
  const std::vector<std::uint32_t>& residues;  // of the table, modulo the prime that is eliminated with
  const std::vector<std::int8_t>& orientation;
  const std::vector<bool>& is_column;
};

// EliminationStructure tells what a replay would cost, modulo one prime, when every pair of a row and a column in reach
// can be a pivot.
struct EliminationStructure {
  std::vector<std::vector<Vertex>> boundary;  // by node: vertices of later nodes that its subtree touches, ascending
  double multiplications = 0;                 // and as many subtractions
  double entries = 0;                         // of all fronts
  double pivots = 0;
  double peak_entries = 0;  // held at once
};
EliminationStructure analyse_elimination(const UndirectedGraph& graph, const std::vector<bool>& is_column,
                                         const Dissection& dissection);

// The value at this place of the table, or its negative.
struct EliminationValue {
  std::uint32_t place;
  bool negated;
};

struct EliminationProgram {
  bool skew = false;
  // Fronts, children, maps and entries stand in the order in which they are read.
  std::vector<EliminationFront> fronts;
  std::vector<EliminationChild> children;
  std::vector<std::uint32_t> maps;
  std::vector<EliminationEntry> entries;
  std::vector<EliminationValue> values;  // distinct

  std::vector<Vertex> rows_left, columns_left;  // by the last front
  bool complete = false;                        // every vertex was eliminated: the Pfaffian is not 0
  std::vector<Vertex> order;       // the vertices as they were eliminated, in pairs; an odd permutation negates
  std::uint64_t peak_entries = 0;  // of fronts and what is left for parents, at once
  double multiplications = 0;
  std::uint64_t residue = 0;  // the product of pivots modulo the prime that the program was found with, 0 if !complete
};

// The prime is below 2^25 so that products are exact in doubles. If the last node is kept, its front has all that is
// left over and no pivots. Throws as run.check() does.
inline constexpr std::uint64_t elimination_prime_limit = std::uint64_t{1} << 25;
EliminationProgram eliminate(const SkewMatrix& matrix, const Dissection& dissection,
                             const EliminationStructure& structure, std::uint64_t prime, const RunContext& run,
                             bool keeps_last = false);

}  // namespace matchcount
