#pragma once
// Computes, slowly and simply by design, permanents, hafnians, cycle covers and determinants from the definition,
// sharing no code with the methods they test.

#include <cstddef>
#include <vector>

#include "permanent/reference/oracles.hpp"

namespace matchcount::reference {

// Computes the permanent by recursion over subsets of columns: f(S) = sum over j in S of a[|S|-1][j] f(S - j). 2^n
// values: n up to about 22.
template <class T>
T permanent_by_subsets(const std::vector<T>& entries, std::size_t n) {
  std::vector<T> f(std::size_t{1} << n, T(0));
  f[0] = T(1);
  for (std::size_t set = 1; set < f.size(); ++set) {
    std::size_t members = 0;
    for (std::size_t column = 0; column < n; ++column) members += set >> column & 1;
    for (std::size_t column = 0; column < n; ++column) {
      const T& entry = entries[(members - 1) * n + column];
      if ((set >> column & 1) == 0 || entry == T(0)) continue;
      f[set] += entry * f[set ^ (std::size_t{1} << column)];
    }
  }
  return f.back();
}

// Sums over all sets of vertex-disjoint directed cycles through every vertex of the product of their arcs' weights, by
// walking: the cycle through the first vertex not yet covered is drawn arc by arc. Never speaks of permutations or
// matchings. weights[u * n + v] is that of the arc u -> v, 0 where there is none; n up to about 10.
template <class T>
T cycle_covers_by_walking(const std::vector<T>& weights, std::size_t n) {
  std::vector<bool> covered(n, false);
  auto walk = [&](auto&& self, std::size_t start, std::size_t at) -> T {
    T sum(0);
    for (std::size_t next = 0; next < n; ++next) {
      const T& weight = weights[at * n + next];
      if (weight == T(0)) continue;
      if (next == start) {  // the cycle is closed: draw the next one, if a vertex is left
        std::size_t first = 0;
        while (first < n && covered[first]) ++first;
        if (first == n) {
          sum += weight;
        } else {
          covered[first] = true;
          sum += weight * self(self, first, first);
          covered[first] = false;
        }
      } else if (!covered[next]) {
        covered[next] = true;
        sum += weight * self(self, start, next);
        covered[next] = false;
      }
    }
    return sum;
  };
  if (n == 0) return T(1);
  covered[0] = true;
  return walk(walk, 0, 0);
}

// Computes the determinant by expansion along the first row, in any ring T: n! steps, n up to about 8.
template <class T>
T determinant_by_expansion(const std::vector<T>& entries, std::size_t n) {
  if (n == 0) return T(1);
  T sum(0);
  for (std::size_t column = 0; column < n; ++column) {
    if (entries[column] == T(0)) continue;
    std::vector<T> minor;
    for (std::size_t i = n; i < n * n; ++i) {
      if (i % n != column) minor.push_back(entries[i]);
    }
    const T product = entries[column] * determinant_by_expansion(minor, n - 1);
    if (column % 2 == 0) {
      sum += product;
    } else {
      sum -= product;
    }
  }
  return sum;
}

// Computes the determinant of integers by elimination without fractions (Bareiss 1968, doi:10.2307/2004533): every
// division is exact. n^3 products of integers that grow with n.
inline Integer determinant_by_bareiss(std::vector<Integer> a, std::size_t n) {
  Integer before = 1;
  bool negative = false;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && a[pivot * n + k] == 0) ++pivot;
    if (pivot == n) return 0;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
      negative = !negative;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j)
        a[i * n + j] = (a[i * n + j] * a[k * n + k] - a[i * n + k] * a[k * n + j]) / before;
    }
    before = a[k * n + k];
  }
  return negative ? Integer(-before) : before;
}

}  // namespace matchcount::reference
