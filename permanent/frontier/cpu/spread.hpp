#pragma once
// Chooses how the frontier method holds its numbers and what ranks do together on one run, and says what that would
// cost each.

#include <cstddef>
#include <utility>

#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

enum class FrontierSpread {
  first_rank,  // the first does it, the others wait
  residues,    // each the whole of it modulo some of the primes; also one alone, in less memory than words take
  partitioned  // each a part of the states: cpu/partitioned.hpp
};

struct SpreadCost {
  FrontierSpread spread = FrontierSpread::first_rank;
  double time = 1;                 // of what the first rank alone would take
  double memory_bytes = 0;         // of a rank
  std::size_t primes_at_once = 0;  // of residues: side by side; other primes take other passes
};

// Steps and tables beside the layers take about so many bytes.
constexpr double bytes_beside_layers = 9e5;

// Words of the values of a middle layer, which have about half the digits of the answer.
double words_of_state(double log2_bound);

inline std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
// Returns the fewest passes of at most `most` each, and how many these have.
inline std::pair<std::size_t, std::size_t> divided_evenly(std::size_t turns, std::size_t most) {
  const std::size_t passes = divided_up(turns, most);
  return {passes, divided_up(turns, passes)};
}

// Returns how many primes below residue_limit an integer of at most 2^log2_bound takes.
std::size_t residues_needed(double log2_bound);

// Says whether residues are held in one array that is rewritten in place (lean_cpu.hpp); if not, they are held as words
// are.
bool is_lean(const FrontierSteps& steps, FrontierEngine engine);
// Says whether residues may be of use on one process: layers are large enough, or the engine asks for them.
bool residues_may_pay(const FrontierSteps& steps, FrontierEngine engine);

// Returns the quickest that keeps, with what is beside the layers, within the memory limit of a rank, else the one that
// takes least memory. num_primes is 0 if residues are no choice. The result is a function of the arguments alone.
SpreadCost choose_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, int num_ranks, int num_threads, double memory_limit_bytes);

}  // namespace matchcount
