#pragma once
// Chooses the primes below 2^50 by which inclusion-exclusion counts on CPUs, and takes residues to doubles and back.

#include <cstdint>
#include <vector>

namespace matchcount::subsets {

// Returns as many primes as tell integers of at most 2^log2_bound apart.
std::vector<std::uint64_t> primes_for(double log2_bound);

// Convert a residue to [-prime / 2, prime / 2], and back.
double balanced_residue(std::int64_t value, std::uint64_t prime);
std::uint64_t residue_of(double balanced, std::uint64_t prime);

}  // namespace matchcount::subsets
