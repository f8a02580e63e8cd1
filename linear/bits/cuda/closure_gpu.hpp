#pragma once
// Closes acyclic digraphs under reachability on a GPU, as bit matrices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "linear/bits/cuda/bit_product_frame.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// Closes the blocks along the diagonal first, then what joins two of them, by two products, and so on.
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

// Rows of bits on a device: row v has the vertices that v reaches, and v itself.
class ClosedRows {
 public:
  // Takes arcs targets[offsets[v]] up to targets[offsets[v + 1] - 1] of every vertex v, which lead to lower vertices.
  // Throws Unable where the device has no room (closure_device_bytes) or no route for products, and what run.check()
  // throws.
  ClosedRows(const DeviceInfo& device, std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> targets,
             const RunContext& run);

  // Sums, for every vertex, the sizes of those that it reaches, itself left out.
  std::vector<std::uint64_t> weighed(std::span<const std::uint32_t> sizes) const;
  // Rows from `first` on, as many as `to` has.
  void download(BitView to, std::size_t first) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Returns the bytes that it takes of the device beside the arcs: the matrix and half of it.
double closure_device_bytes(std::size_t num_vertices);

}  // namespace matchcount::gpu
