#pragma once
// Makes and draws orders.

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace matchcount::test {

template <class List>
void shuffle(List& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// Returns the numbers 0 to n - 1.
template <class Index = std::size_t>
std::vector<Index> ascending(std::size_t n) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

// Draws an order of them.
template <class Index = std::size_t>
std::vector<Index> random_permutation(std::size_t n, Random& random) {
  auto order = ascending<Index>(n);
  shuffle(order, random);
  return order;
}

}  // namespace matchcount::test
