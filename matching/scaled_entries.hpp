#pragma once
// Brings the entries of a matrix together by powers of two, so that products of them neither overflow nor underflow.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

// The permanent (or hafnian) is 2^exponent times that of the scaled entries. Entries that would be below 2^-900 were
// lifted to that; they make up at most 2^log2_lost of the scaled permanent.
struct EntryScaling {
  std::int64_t exponent = 0;
  double log2_lost = -std::numeric_limits<double>::infinity();
};

// Multiplies rows and columns so that magnitudes are below 2 and a perfect matching of magnitudes in [1, 2) exists
// (maximum_product_scaling, which throws where there is none). `entries` by EdgeId. Integers are left as they are.
//
// The vertices of any graph are multiplied by the scaling of its symmetric matrix: magnitudes are below 2. With r and c
// the exponents of that matrix, m 2^(r_u + c_v) and m 2^(r_v + c_u) are below 2, and so is their geometric mean
// m 2^(s_u + s_v), s = (r + c) / 2, rounded down to an integer. Unlike a permanent, a hafnian of scaled magnitudes may
// be small, where permutations with odd cycles outweigh matchings; what underflow loses is counted.
template <class Graph, class Entry>
EntryScaling scale_entries(const Graph& pattern, std::vector<Entry>& entries, const RunContext& run);

// Multiplies the vertices of a graph whose entries are above 0 by powers of two, by which the entries at each vertex
// have a sum near 1 (Sinkhorn and Knopp 1967, overrelaxed), or as near as so many sweeps bring them. Where edges are
// rare in matchings, their entries are then small.
void balance_entries(const UndirectedGraph& pattern, std::vector<RealEntry>& entries, double most_sweeps,
                     const RunContext& run);

}  // namespace matchcount
