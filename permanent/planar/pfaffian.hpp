#pragma once
// Finds the Pfaffian of a graph's skew matrix of integers, exactly: one elimination says how, residues modulo many
// primes say what, by replays that threads and ranks share and a checkpoint keeps.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// Returns how many primes of a replay have a product above 2^(log2_bound + 1).
double primes_for(double log2_bound);

// PfaffianResidues says how a Pfaffian is found modulo primes, maybe but for a sign.
struct PfaffianResidues {
  // 0 where a prime is of no use.
  using At = std::function<std::vector<std::uint64_t>(std::span<const ReplayModulus>, const RunContext&, Stretch)>;
  At at;
  double multiplications = 0;  // modulo a prime
  std::string name;            // tells signs and matrices apart
  bool complex = false;
  std::uint64_t step = 1;  // primes are 1 modulo this
};
// Does so by a program.
PfaffianResidues residues_by(const EliminationProgram& program, const EntryTable& table);

// Returns the integer of at most 2^log2_bound in real and imaginary part that has these residues, and adds to `report`
// what it took. Throws as hafnian_kasteleyn does.
GaussianInteger replay(KasteleynReport& report, const PfaffianResidues& residues, double log2_bound,
                       const RunContext& run);

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
  KasteleynReport& report;
  const CyclicSymmetry* symmetry = nullptr;  // of the entries, where one is known
};

// Returns the Pfaffian of the matrix of entries so directed, vertices in their own order.
GaussianInteger pfaffian(const PfaffianProblem& problem, const std::vector<std::int8_t>& orientation,
                         const KasteleynPlan& plan, const RunContext& run);

}  // namespace matchcount
