#pragma once
// Finds permanents and hafnians by a frontier (transfer-matrix) method: time and memory grow with the width of the
// graph, not its size.
//
// All vertices, rows and columns mixed, are processed in some order. The frontier is the set of unprocessed vertices
// with a processed neighbour; a state says which of them are matched already. Storing the bits of columns complemented,
// every state after a step has exactly k = frontier columns + processed columns - processed rows bits set out of the
// frontier's width w, so that C(w, k) bounds the states before any work is done. In a graph that is not bipartite only
// the parity of that number is known, and that at most as many frontier vertices are matched as were processed.

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "permanent/method.hpp"

namespace matchcount {

struct FrontierOrder {
  std::vector<Vertex> sequence;                         // vertex v < rows is row v, otherwise column v - rows
  FrontierStrategy strategy = FrontierStrategy::mixed;  // the one that won
  std::uint32_t max_width = 0;
  double log2_peak_states = 0;           // bound on the states of the largest layer
  double log2_transitions = 0;           // bound on state transitions in all
  double log2_transitions_of_start = 0;  // of the best order that the search started from; with twins 0
  // Empty, or for each vertex the twin that is matched before it, or unmatched. Twins are vertices of one side with the
  // same neighbours and equal entries; here only of the side that comes last in the sequence. A class of m of them then
  // has m + 1 states instead of 2^m. The sparse engine alone knows them.
  std::vector<Vertex> twin_before;
};

// Says how hard an order is searched for.
struct OrderEffort {
  // Counts of more than 2^this are of no interest: another method is cheaper.
  double useful_log2_transitions = std::numeric_limits<double>::infinity();
  // Most time of the search on one core of the machine of the cost models, beyond the first order, which there always
  // is.
  double most_seconds = std::numeric_limits<double>::infinity();
  // Counts of many times 2^this transitions on one core, or the memory, are refused: their orders are not searched for
  // long. No function: there is memory for any layer.
  double affordable_log2_transitions = std::numeric_limits<double>::infinity();
  std::function<bool(double states)> has_memory_for = {};
  // Time of the search whatever it saves; 0: as long as it pays.
  double seconds = 0;
  // Says, for a search of more than a moment, how long a transition takes where it takes less than on one core. It is
  // asked once. No function: nowhere.
  std::function<double()> transition_s_elsewhere = {};
  // Small layers matter more than few transitions: the search makes the sum of the cubes of the steps' transitions
  // small.
  bool for_memory = false;
};

// Searches for an order with few transitions: greedy from many starts, the best of which are reordered segment by
// segment; more effort the more expensive the count (a small share of its predicted cost, measured in evaluations, so
// that the result is a function of the arguments alone, on any number of threads), less where it gains little. Never
// throws for a large graph: the order found may be too wide to count. Throws as run.check() does.
FrontierOrder find_frontier_order(const BipartiteGraph& pattern, FrontierStrategy strategy, std::uint64_t seed,
                                  const RunContext& run, const OrderEffort& effort = {});

// The same for any graph, whose vertices are then all of one kind: v is vertex v, the strategy `mixed`.
FrontierOrder find_frontier_order(const UndirectedGraph& pattern, std::uint64_t seed, const RunContext& run,
                                  const OrderEffort& effort = {});

// Says what an order of all vertices costs, rows before columns in one numbering.
FrontierOrder frontier_order_along(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence);
FrontierOrder frontier_order_along(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence);

// Finds for every vertex, numbered as in a sequence, the last one before it that is its twin, or unmatched; empty if
// there are no twins. O(edges log vertices).
template <class Entry>
std::vector<Vertex> find_twins(const Block<Entry>& block);
// Returns the bits that classes of m twins save at the most, m - log2(m + 1) each: for columns, in an order of rows
// first, and for rows, in one of columns first; the larger.
double bits_saved(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before);

// The same search among orders with all rows, or all columns, first, with the twins of the other side matched in turn
// (`mixed` is searched as `automatic`; a side without twins is no candidate). The sequence is empty where there is no
// candidate. An effort of no seconds at most asks for greedy orders as they are.
FrontierOrder find_twins_order(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before,
                               FrontierStrategy strategy, std::uint64_t seed, const RunContext& run,
                               const OrderEffort& effort = {});

// Computes along an order the permanent of a square block or, along one without twins, the hafnian of any other graph:
// the sum over its perfect matchings of the product of their entries. Throws InputError for an order of another block,
// Unable when the states pass run.options().memory_limit_bytes, and as run.check() does.
//
// Integers are exact: they wrap modulo 2^64k, with k grown as the values grow; or, where that takes more time or does
// not fit into memory, and by FrontierEngine::lean, they are counted modulo primes, a pass for some of them at a time.
// On `gpus`, if any, always so, orders with twins in sorted layers. Reals and complex numbers have a
// proven error bound, and require scaled entries as permanent_ryser does; compensated is double_double. Of several GPUs
// the first is taken, or all together if it has no room.
Value sum_frontier(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine, Precision precision,
                   const RunContext& run, const std::vector<DeviceInfo>& gpus = {});

}  // namespace matchcount
