#pragma once
// Finds the Pfaffian of a graph's skew matrix of integers, exactly: one elimination says how, residues modulo many
// primes say what (permanent/planar/shared_replay.hpp).

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/cpu/entry_table.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/shared_replay.hpp"

namespace matchcount {

// Throws InputError where a plan, or so many entries, are those of another graph.
void check_fits(const UndirectedGraph& graph, std::size_t num_entries, const KasteleynPlan& plan);

inline GaussianInteger times(const GaussianInteger& a, int re, int im) {
  return {a.re * re - a.im * im, a.im * re + a.re * im};
}
// Multiplies the entries of twisted edges by i.
std::vector<GaussianInteger> turned_entries(const EntryTable& table, const SurfacePfaffians& surface);

struct CyclicSymmetry;

// Entries, and the bound on their hafnian's parts by which residues are counted.
struct PfaffianProblem {
  const UndirectedGraph& graph;
  const EntryTable& table;
  double log2_bound;
  const ReplayPlace& place;
  const CyclicSymmetry* symmetry = nullptr;  // of the entries, where one is known
};

// Returns the Pfaffian of the matrix of entries so directed, vertices in their own order.
GaussianInteger pfaffian(const PfaffianProblem& problem, const std::vector<std::int8_t>& orientation,
                         const KasteleynPlan& plan, const RunContext& run);

}  // namespace matchcount
