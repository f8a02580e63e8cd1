#pragma once
// Permanents by a frontier (transfer-matrix) method: time and memory grow with the width of the graph, not its size.
//
// All vertices, rows and columns mixed, are processed in some order. The frontier is the set of unprocessed vertices
// with a processed neighbour; a state says which of them are matched already. Storing the bits of columns complemented,
// every state after a step has exactly k = frontier columns + processed columns - processed rows bits set out of the
// frontier's width w, so that C(w, k) bounds the states before any work is done.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/value.hpp"

namespace matchcount {

// Which orders are tried.
enum class FrontierStrategy { automatic, mixed, rows, columns };

// How states are held.
enum class FrontierEngine {
  automatic,  // merge while a layer is sparse, ranked once it is filled
  merge,      // sorted states, successors k-way merged; masks of any width
  ranked      // a dense array over all C(w, k) states by combinatorial rank; w <= 62
};

struct FrontierOrder {
  std::vector<Vertex> sequence;                         // vertex v < rows is row v, otherwise column v - rows
  FrontierStrategy strategy = FrontierStrategy::mixed;  // the one that won
  std::uint32_t max_width = 0;
  double log2_peak_states = 0;  // bound on the states of the largest layer
  double log2_transitions = 0;  // bound on state transitions in all
};

// Searches for an order with few transitions: greedy from many starts, then simulated annealing; more effort the
// dearer the count (a small share of its predicted cost, measured in moves, so that the result is a function of the
// arguments alone), less where it gains little. Counts of more than 2^useful_log2_transitions are of no interest
// (another method is cheaper), and annealing takes about most_seconds for each strategy at the most. Never throws for a
// large graph: the order found may be too wide to count. Throws as Watch does.
FrontierOrder find_frontier_order(const BipartiteGraph& pattern, FrontierStrategy strategy, std::uint64_t seed,
                                  Watch& watch,
                                  double useful_log2_transitions = std::numeric_limits<double>::infinity(),
                                  double most_seconds = std::numeric_limits<double>::infinity());

// The permanent of a square block along an order. Throws Unable when the states pass run.memory_limit_bytes, and as
// Watch does. Exact: integers wrap modulo 2^64k, with k grown as the values grow, so that no residues are needed.
Integer permanent_frontier(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                           const RunOptions& run, Watch& watch);
// Reals and complex numbers with a proven error bound. Requires scaled entries as permanent_ryser does. compensated is
// double_double.
RealValue permanent_frontier(const Block<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                             Precision precision, const RunOptions& run, Watch& watch);
ComplexValue permanent_frontier(const Block<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                                Precision precision, const RunOptions& run, Watch& watch);

}  // namespace matchcount
