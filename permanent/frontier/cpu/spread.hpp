#pragma once
// Chooses what ranks do together on one run of the frontier method, and says what that would cost each.

#include <cstddef>

#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

enum class FrontierSpread {
  first_rank,  // the first does it, the others wait
  residues,    // each the whole of it modulo some of the primes
  partitioned  // each a part of the states: cpu/partitioned.hpp
};

struct SpreadCost {
  FrontierSpread spread = FrontierSpread::first_rank;
  double time = 1;          // of what the first rank alone would take
  double memory_bytes = 0;  // of a rank
};

// Words of the values of a middle layer, which have about half the digits of the answer.
double words_of_state(double log2_bound);

// How many primes a count below 2^log2_bound is spread by, where it is: entries that are not 1 are not. 0: it is not.
std::size_t residues_to_spread(double log2_bound, bool all_ones);

// The quickest that keeps within the memory limit of a rank, else the one that needs least. num_primes is 0 where
// residues are no choice. A function of the steps and the arguments alone.
SpreadCost choose_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, int num_ranks, double memory_limit_bytes);

}  // namespace matchcount
