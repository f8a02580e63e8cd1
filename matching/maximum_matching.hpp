#pragma once
// Maximum matchings of bipartite graphs, with certificates that a stranger can check.

#include <limits>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

inline constexpr Vertex unmatched = std::numeric_limits<Vertex>::max();

struct Matching {
  std::vector<Vertex> column_of_row;  // or unmatched
  std::vector<Vertex> row_of_column;  // or unmatched
  Vertex size = 0;

  bool is_perfect() const { return size == column_of_row.size() && size == row_of_column.size(); }
};

// A maximum matching by Hopcroft and Karp (1973, doi:10.1137/0202019), O(edges sqrt(vertices)), started from a
// fewest-choices greedy matching. No recursion. The same graph gives the same matching.
Matching maximum_matching(const BipartiteGraph& graph);

// Why there is no perfect matching: vertices of one side with fewer neighbours than members (Hall 1935).
struct HallViolator {
  bool of_rows = true;              // members are rows and neighbours columns, or the other way round
  std::vector<Vertex> members;      // ascending
  std::vector<Vertex> neighbours;   // ascending, exactly the neighbours of the members; fewer than the members
};

// From a maximum matching that leaves a vertex out: the vertices that alternating paths reach from one unmatched vertex
// of the side given. Requires an unmatched vertex on that side.
HallViolator hall_violator(const BipartiteGraph& graph, const Matching& maximum, bool of_rows);

// Checkers that share nothing with the above. True: the certificate proves what it says.
bool is_matching(const BipartiteGraph& graph, const Matching& matching);
bool is_hall_violator(const BipartiteGraph& graph, const HallViolator& violator);

// Row and column scaling by powers of two (Duff and Koster 1999, doi:10.1137/S0895479897317661): with magnitudes m,
// every m * 2^(row_exponent[r] + column_exponent[c]) is at most 2 (up to rounding of the exponents) and a
// perfect matching of entries >= 1/2 exists, so the scaled permanent of the magnitudes is at least 2^-n.
struct Scaling {
  std::vector<int> row_exponent;
  std::vector<int> column_exponent;
};
// `log2_magnitude` by EdgeId, -infinity for a zero entry (as if absent). Requires a perfect matching of nonzero entries.
// Maximum-product matching by shortest augmenting paths, O(n (m + n log n)).
Scaling maximum_product_scaling(const BipartiteGraph& graph, std::span<const double> log2_magnitude);

}  // namespace matchcount
