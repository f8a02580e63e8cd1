#include "permanent/ryser/cpu/double_residues.hpp"

#include <algorithm>
#include <cstddef>

#include "core/numbers/residue.hpp"

namespace matchcount::subsets {
namespace {

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 50;

}  // namespace

std::vector<std::uint64_t> primes_for(double log2_bound) {
  return matchcount::primes_for(std::max(log2_bound, 0.0), prime_limit);
}

std::uint64_t residue_of(double balanced, std::uint64_t prime) {
  const auto value = static_cast<std::int64_t>(balanced);
  return value < 0 ? prime - static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
}

double balanced_residue(std::int64_t value, std::uint64_t prime) {
  const auto p = static_cast<std::int64_t>(prime);
  std::int64_t r = value % p;
  if (r > p / 2) r -= p;
  if (r < -(p / 2)) r += p;
  return static_cast<double>(r);
}

}  // namespace matchcount::subsets
