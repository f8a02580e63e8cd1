#pragma once
// Says in which order a GPU's kernels close a bit matrix under composition: the blocks along the diagonal first, then
// what joins two of them, by two products, and so on.

#include <cstddef>

#include "linear/bits/cuda/bit_product_frame.hpp"

namespace matchcount::gpu {

// Rows and columns of blocks from `first` on; [A 0; B C] has the closure [A* 0; C* B A*, C*]. Together n^3 / 3 pairs of
// bits. `gpu` starts kernels in their order:
//   join(first, middle, last)  B = C* B A*, of rows [middle, last) and columns [first, middle)
template <class Gpu>
void queue_closure(Gpu& gpu, std::size_t first, std::size_t last) {
  if (last - first <= closed_rows) return;
  const std::size_t blocks = (last - first + closed_rows - 1) / closed_rows;
  const std::size_t middle = first + (blocks + 1) / 2 * closed_rows;
  queue_closure(gpu, first, middle);
  queue_closure(gpu, middle, last);
  gpu.join(first, middle, last);
}

}  // namespace matchcount::gpu
