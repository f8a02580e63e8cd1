#pragma once
// Makes entries of batches of dense matrices, and checks values of them.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/random.hpp"

namespace matchcount::test {

// Draws integers of up to so many bits; as doubles they are exact, so that the truth is an integer.
inline std::vector<std::int64_t> random_integers(Random& random, std::size_t count, int bits, bool negative) {
  std::vector<std::int64_t> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(random.below(std::uint64_t{1} << bits));
    entries.push_back(negative && random.below(2) == 1 ? -value : value);
  }
  return entries;
}

inline std::vector<std::int64_t> symmetric(std::vector<std::int64_t> entries, std::size_t n) {
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < u; ++v) entries[u * n + v] = entries[v * n + u];
  }
  return entries;
}

inline std::vector<Integer> big(const std::vector<std::int64_t>& entries) { return {entries.begin(), entries.end()}; }

// Says whether the bound holds, of an integer truth, and supports so many digits.
inline bool is_within(const RealValue& value, const Integer& truth, double relative) {
  const ScaledReal difference = value.value + -nearest_real(truth);
  if (truth == 0) return difference.log2_abs() <= value.log2_error;
  return difference.log2_abs() <= value.log2_error + 1e-6 && value.log2_error <= log2_abs(truth) + std::log2(relative);
}

// Sums over ways to leave vertices to their loops and to match the others.
template <class T>
T loop_hafnian(const std::vector<T>& a, std::size_t n, std::vector<bool>& used, std::size_t first) {
  while (first < n && used[first]) ++first;
  if (first == n) return T(Integer(1));
  used[first] = true;
  T sum = a[first * n + first] * loop_hafnian(a, n, used, first + 1);
  for (std::size_t v = first + 1; v < n; ++v) {
    if (used[v]) continue;
    used[v] = true;
    sum += a[first * n + v] * loop_hafnian(a, n, used, first + 1);
    used[v] = false;
  }
  used[first] = false;
  return sum;
}

inline std::vector<double> reals(const std::vector<std::int64_t>& entries) { return {entries.begin(), entries.end()}; }

}  // namespace matchcount::test
