#pragma once
// Computes, slowly and simply by design, permanents and hafnians from the definition, sharing no code with the methods
// that they verify and test. tests/support/oracles.hpp has more such.

#include <cstddef>
#include <functional>
#include <vector>

#include "core/numbers/integer.hpp"

namespace matchcount::reference {

// Sums over all permutations by expansion along rows, in any ring T (Integer, boost's cpp_rational, a double). Entries
// row-major, n x n; n! steps at worst: n up to about 10. `tick` is called once in some thousand steps.
template <class T>
T permanent_by_expansion(
    const std::vector<T>& entries, std::size_t n, const std::function<void()>& tick = [] {}) {
  constexpr std::size_t rows_a_tick = 7;
  std::vector<bool> used(n, false);
  auto expand = [&](auto&& self, std::size_t row) -> T {
    if (row == n) return T(1);
    if (row + rows_a_tick == n) tick();
    T sum(0);
    for (std::size_t column = 0; column < n; ++column) {
      const T& entry = entries[row * n + column];
      if (used[column] || entry == T(0)) continue;
      used[column] = true;
      sum += entry * self(self, row + 1);
      used[column] = false;
    }
    return sum;
  };
  return expand(expand, 0);
}

// Computes the hafnian: the sum over all perfect matchings of the product of their weights, by matching the least
// vertex that is left to each of the others. weights[u * n + v] for u < v is that of the edge, 0 where there is none;
// (n - 1)!! steps at worst: n up to about 14, 20 where edges are few. `tick` is called once in some thousand steps.
template <class T>
T hafnian_by_expansion(
    const std::vector<T>& weights, std::size_t n, const std::function<void()>& tick = [] {}) {
  constexpr std::size_t vertices_a_tick = 12;
  std::vector<bool> matched(n, false);
  auto expand = [&](auto&& self, std::size_t least, std::size_t left) -> T {
    while (least < n && matched[least]) ++least;
    if (least == n) return T(1);
    if (left == vertices_a_tick) tick();
    T sum(0);
    for (std::size_t other = least + 1; other < n; ++other) {
      const T& weight = weights[least * n + other];
      if (matched[other] || weight == T(0)) continue;
      matched[other] = true;
      sum += weight * self(self, least + 1, left - 2);
      matched[other] = false;
    }
    return sum;
  };
  return expand(expand, 0, n);
}

}  // namespace matchcount::reference
