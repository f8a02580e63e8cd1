#pragma once
// Slow and simple by design: permanents from the definition, sharing no code with the methods they test.

#include <vector>

#include "core/integer.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount::reference {

// Sum over all permutations by expansion along rows, in any ring T (Integer, boost's cpp_rational, a double). Entries row-major, n x n;
// n! steps at worst: n up to about 10.
template <class T>
T permanent_by_expansion(const std::vector<T>& entries, int n) {
  std::vector<bool> used(static_cast<std::size_t>(n), false);
  auto expand = [&](auto&& self, int row) -> T {
    if (row == n) return T(1);
    T sum(0);
    for (int column = 0; column < n; ++column) {
      const T& entry = entries[static_cast<std::size_t>(row * n + column)];
      if (used[static_cast<std::size_t>(column)] || entry == T(0)) continue;
      used[static_cast<std::size_t>(column)] = true;
      sum += entry * self(self, row + 1);
      used[static_cast<std::size_t>(column)] = false;
    }
    return sum;
  };
  return expand(expand, 0);
}

// The same by recursion over subsets of columns: f(S) = sum over j in S of a[|S|-1][j] f(S - j). 2^n values: n up to about 22.
template <class T>
T permanent_by_subsets(const std::vector<T>& entries, int n) {
  std::vector<T> f(std::size_t{1} << n, T(0));
  f[0] = T(1);
  for (std::size_t set = 1; set < f.size(); ++set) {
    int row = -1;
    for (int j = 0; j < n; ++j) row += static_cast<int>(set >> j & 1);
    for (int j = 0; j < n; ++j) {
      if (set >> j & 1) f[set] += entries[static_cast<std::size_t>(row * n + j)] * f[set ^ (std::size_t{1} << j)];
    }
  }
  return f.back();
}

}  // namespace matchcount::reference
