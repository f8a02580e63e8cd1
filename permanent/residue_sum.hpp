#pragma once
// Finds an integer from residues that threads and ranks share group by group, and a checkpoint keeps; proves upper
// bounds on permanents, from which the number of residues of an exact count follows. Private to permanent/.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

// Returns an upper bound on log2 of the permanent of |entries|: the least of the products of row sums and of column
// sums of |entries|, and of the product over rows (or over columns) of max|entry| (d!)^(1/d), d being the entries of
// the row (Bregman 1973, Minc's conjecture). Rounded up. -infinity where a row or column is empty; 0 for the 0 x 0
// matrix. Requires a square block. O(edges).
// Magnitudes are by EdgeId, not negative and finite.
double log2_sum_bound(const BipartiteGraph& pattern, const std::vector<double>& magnitudes);

// Returns an upper bound on log2 of the hafnian of |entries|: half of the same bound on the permanent of the symmetric
// matrix, rounded up. haf^2 <= per for entries that are not negative: two perfect matchings together are disjoint even
// cycles and doubled edges, and with every cycle directed so that its least vertex leaves by the first matching, they
// are a permutation of the vertices with the same product of entries, from which both can be read again (for 0/1
// matrices Alon and Friedland 2008, doi:10.37236/889). -infinity where a vertex has no edge. O(edges).
// `is_column`, where it is not empty, tells the sides of a bipartite graph, whose permanent is bounded then.
double log2_sum_bound(const UndirectedGraph& pattern, const std::vector<double>& magnitudes,
                      const std::vector<bool>& is_column = {});

// Magnitudes of integers, to 2^-53, and of other entries.
std::vector<double> magnitudes_of(const std::vector<std::int64_t>& entries);
template <class Entry>
std::vector<double> magnitudes_of(const std::vector<Entry>& entries) {
  std::vector<double> magnitudes;
  for (const Entry& entry : entries) magnitudes.push_back(entry.magnitude);
  return magnitudes;
}
// Says whether the value is that of the magnitudes, to a factor of (1 + 2^-30)^n and rounding.
inline bool is_own_magnitude(const std::vector<RealEntry>& entries) {
  return std::ranges::all_of(entries, [](const RealEntry& entry) {
    return entry.value.hi >= 0 && entry.magnitude <= entry.value.hi * (1 + 0x1p-30);
  });
}
inline bool is_own_magnitude(const std::vector<ComplexEntry>&) { return false; }
// Bounds the value of a block of either shape.
template <class AnyBlock>
double log2_sum_bound(const AnyBlock& block) {
  return log2_sum_bound(block.pattern, magnitudes_of(block.entries));
}

// Primes are below this; residues in Montgomery's form (1985), r 2^32 for r.
inline constexpr std::uint64_t sum_prime_limit = std::uint64_t{1} << 31;
struct MontgomeryModulus {
  explicit MontgomeryModulus(std::uint64_t of);
  // Returns value / 2^32; value is below 2^32 times the prime.
  std::uint32_t reduced(std::uint64_t value) const {
    const std::uint32_t q = static_cast<std::uint32_t>(value) * inverse;
    const std::uint32_t high = static_cast<std::uint32_t>(value >> 32),
                        back = static_cast<std::uint32_t>((std::uint64_t{q} * prime) >> 32);
    return high >= back ? high - back : high + prime - back;
  }
  std::uint32_t times(std::uint32_t a, std::uint32_t b) const { return reduced(std::uint64_t{a} * b); }
  std::uint32_t plus(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  std::uint32_t form(std::int64_t value) const;

  std::uint32_t prime;
  std::uint32_t inverse = 1;  // of the prime, modulo 2^32
};

// Returns how many such primes determine an integer of at most 2^log2_bound, sign included.
std::size_t num_sum_primes(double log2_bound);
// Returns how many primes a group has, at most `most`.
std::size_t primes_of_group(std::size_t primes, std::size_t most, int num_threads);

// Returns the integer of which residues_of(first, group) finds the residues modulo a group of the primes, the first of
// which is this one. `method` names the sum in progress and checkpoints, `what` says it in words.
using ResiduesOfGroup =
    std::function<std::vector<std::uint64_t>(std::size_t first, std::span<const std::uint64_t> group)>;
Integer sum_of_residues(const std::string& method, const std::string& what, std::span<const std::uint64_t> primes,
                        std::size_t most_of_group, const ResiduesOfGroup& residues_of, const RunContext& run);

}  // namespace matchcount
