#pragma once
// Finds maximum matchings of bipartite graphs, with certificates that a stranger can check.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

inline constexpr Vertex unmatched = std::numeric_limits<Vertex>::max();

struct Matching {
  std::vector<Vertex> column_of_row;  // or unmatched
  std::vector<Vertex> row_of_column;  // or unmatched
  Vertex size = 0;

  bool is_perfect() const { return size == column_of_row.size() && size == row_of_column.size(); }
};

// Finds a maximum matching by Hopcroft and Karp (1973, doi:10.1137/0202019), O(edges sqrt(vertices)), started from a
// fewest-choices greedy matching. No recursion. The same graph gives the same matching. Throws as run.check() does,
// where one is given.
Matching maximum_matching(const BipartiteGraph& graph, const RunContext& run = {});

// Proves that there is no perfect matching: vertices of one side with fewer neighbours than members (Hall 1935).
struct HallViolator {
  bool of_rows = true;             // members are rows and neighbours columns, or the other way round
  std::vector<Vertex> members;     // ascending
  std::vector<Vertex> neighbours;  // ascending, exactly the neighbours of the members; fewer than the members
};

// Finds one from a maximum matching that leaves a vertex out: the vertices that alternating paths reach from one
// unmatched vertex of the side given; the smallest such set that is found in time linear in the edges. Throws
// InputError if no vertex of that side is unmatched or the matching is seen not to be maximum.
HallViolator hall_violator(const BipartiteGraph& graph, const Matching& maximum, bool of_rows);

// Checkers that share no code with the above. True: the certificate proves what it says.
bool is_matching(const BipartiteGraph& graph, const Matching& matching);
bool is_hall_violator(const BipartiteGraph& graph, const HallViolator& violator);

// Row and column scaling by powers of two, after Duff and Koster (1999, doi:10.1137/S0895479897317661) but by integer
// dual prices: with magnitudes m, every scaled magnitude m * 2^(row_exponent[r] + column_exponent[c]) is below 2, and a
// perfect matching of scaled magnitudes in [1, 2) exists, so that the permanent of the scaled magnitudes is at least 1.
// Exact with respect to the logarithms given. An exponent alone may be large where the sum is not: add first, then
// scale.
struct Scaling {
  std::vector<int> row_exponent;
  std::vector<int> column_exponent;
};
// `log2_magnitude` by EdgeId, -infinity for a zero entry (as if absent). Throws InputError where it has another length
// or an entry that is not the logarithm of a finite number, or where no perfect matching of nonzero entries exists;
// Unable where an exponent would not fit an int. Shortest augmenting paths, O(n m log n) at worst and far less as a
// rule.
Scaling maximum_product_scaling(const BipartiteGraph& graph, std::span<const double> log2_magnitude,
                                const RunContext& run = {});

// Dual prices of an assignment problem: of_row[r] + of_column[c] is at most the cost of every edge, and equal to it on
// all edges of some perfect matching. So that matching's cost, the least of all, is the sum of the prices, and others
// of that cost have such edges too.
struct AssignmentPrices {
  std::vector<std::int64_t> of_row, of_column;
};
// `costs` by EdgeId, below 2^61 / (rows + columns + 1) in magnitude. Throws InputError for another number of costs or
// larger ones, and where there is no perfect matching. Time as above.
AssignmentPrices assignment_prices(const BipartiteGraph& graph, std::vector<std::int64_t> costs,
                                   const RunContext& run = {});

}  // namespace matchcount
