#pragma once
// Adds up parts that threads compute, in an order that does not depend on the threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace matchcount {

// Returns part(0) + ... + part(count - 1), by the member add. Requires count >= 1.
template <class Body>
auto ordered_sum(int num_threads, std::uint64_t count, const Body& part) {
  constexpr std::uint64_t at_once = 64;
  decltype(part(0)) total;
  std::vector<decltype(total)> parts;
  for (std::uint64_t begin = 0; begin < count; begin += at_once) {
    parts.resize(std::min(at_once, count - begin));
    parallel_for_chunks(num_threads, parts.size(), [&](std::uint64_t i, int) { parts[i] = part(begin + i); });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (begin + i == 0)
        total = std::move(parts[i]);
      else
        total.add(parts[i]);
    }
  }
  return total;
}

}  // namespace matchcount
