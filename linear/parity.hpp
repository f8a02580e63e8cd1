#pragma once
// Finds the parity of a permanent, which is the determinant modulo 2, and that of a hafnian, whose square modulo 2 it
// is: a check of exact counts that shares no code with them, and the parity of counts far beyond them.

#include <optional>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

struct ParityReport {
  std::optional<DeviceInfo> gpu;  // that something was eliminated on; nothing: the CPU did all
};

// Returns permanent(matrix) mod 2: the parity of the number of perfect matchings of a bipartite graph, edges of even
// weight counting as none. By elimination on packed bits (linear/bits/elimination.hpp): on two cores n = 8192 takes 0.2
// s. On the first GPU that run's options name, where they ask for one or the CPU would take seconds. Of large sparse
// matrices rows and columns with one or two ones are eliminated before, and parts that are not connected each by
// itself: a path of 10^6 vertices takes a second. Requires a square matrix without weights or with integer weights;
// throws InputError otherwise, OverLimit where n^2 / 4 bytes of a part of n rows pass the memory limit, and what
// run.check() throws.
bool permanent_is_odd(const BipartiteGraph& matrix, const RunContext& run = {}, ParityReport* report = nullptr);

// Returns hafnian(graph) mod 2, of any graph, as it is the Pfaffian modulo 2, and its square is the determinant. As
// above.
bool hafnian_is_odd(const UndirectedGraph& graph, const RunContext& run = {}, ParityReport* report = nullptr);

}  // namespace matchcount
