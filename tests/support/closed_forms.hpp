#pragma once
// Numbers that counts of well-known graphs are.

#include <utility>

#include "core/numbers/integer.hpp"

namespace matchcount::test {

inline Integer factorial(unsigned n) {
  Integer product = 1;
  for (unsigned i = 2; i <= n; ++i) product *= i;
  return product;
}

inline Integer binomial(unsigned n, unsigned k) { return factorial(n) / (factorial(k) * factorial(n - k)); }

// Counts the perfect matchings of a complete graph of so many pairs of vertices: (2 pairs - 1)!!.
inline Integer odd_factorial(unsigned pairs) { return factorial(2 * pairs) / (factorial(pairs) << pairs); }

// Returns F(n), with F(1) = F(2) = 1.
inline Integer fibonacci(unsigned n) {
  Integer previous = 0, current = 1;
  for (; n > 0; --n) {
    previous += current;
    std::swap(previous, current);
  }
  return previous;
}

inline Integer derangements(unsigned n) {
  Integer value = 1;
  for (unsigned i = 1; i <= n; ++i) value = i * value + (i % 2 == 0 ? 1 : -1);
  return value;
}

// Counts the plane partitions in an a x b x c box (MacMahon).
inline Integer plane_partitions(unsigned a, unsigned b, unsigned c) {
  Integer numerator = 1, denominator = 1;
  for (unsigned i = 1; i <= a; ++i) {
    for (unsigned j = 1; j <= b; ++j) {
      for (unsigned k = 1; k <= c; ++k) {
        numerator *= i + j + k - 1;
        denominator *= i + j + k - 2;
      }
    }
  }
  return numerator / denominator;
}

}  // namespace matchcount::test
