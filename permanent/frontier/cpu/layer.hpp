#pragma once
// Holds the states of the frontier method between two steps, and the memory that they are in.

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Memory that is not touched before it is used: what is set aside beyond that costs address space only, so that a
// buffer that is asked for at its final size never moves. Large ones use large pages where the system has them, unless
// they are many: a virtual machine may have to ask its host for each large page that it has not used for a while, at
// seven times the price of clearing small ones (2.4 s a GB against 0.3 s, here).
template <class Slot>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(bool large_pages) : large_pages_(large_pages) {}
  Slot* data() const { return data_.get(); }
  std::size_t bytes() const { return used_ * sizeof(Slot); }  // touched so far

  // Contents are lost where the buffer must move. `final_size` is set aside at once if the system agrees.
  void resize(std::size_t size, std::size_t final_size) {
    if (size > capacity_) {
      release();
      final_size = std::max(size, final_size);
      if (!allocate(final_size) && !allocate(size)) {
        throw Unable("no memory for a layer of " + memory_amount(static_cast<double>(size * sizeof(Slot))));
      }
    }
    used_ = std::max(used_, size);
  }
  // Gives back the memory behind so many slots, whose contents are lost, but for less than a large page.
  void trim(std::size_t size) {
    const auto up = [](std::uintptr_t address) { return (address + large_page - 1) / large_page * large_page; };
    const std::uintptr_t begin = up(reinterpret_cast<std::uintptr_t>(data_.get() + size));
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(data_.get() + used_) / large_page * large_page;
    if (size >= used_ || begin >= end || madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED) != 0)
      return;
    used_ = size;
  }
  void release() {
    data_.reset();
    capacity_ = used_ = 0;
  }

 private:
  static constexpr std::size_t large_page = std::size_t{1} << 21;

  bool allocate(std::size_t size) {
    const std::size_t bytes = (size * sizeof(Slot) + large_page - 1) / large_page * large_page;
    const bool large = large_pages_ && size * sizeof(Slot) >= 4 * large_page;
    void* memory = large ? std::aligned_alloc(large_page, bytes) : std::malloc(size * sizeof(Slot));
    if (!memory) return false;
#ifdef MADV_HUGEPAGE
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    data_.reset(static_cast<Slot*>(memory));
    capacity_ = size;
    return true;
  }

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  bool large_pages_ = true;
  std::unique_ptr<Slot[], Free> data_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

// Describes the values of a layer of either kind. Sparse: `planes` slots a state, in the order of SparseStates. Dense:
// plane k of state i stands at [k * count + i].
struct LayerShape {
  bool is_dense = false;
  std::size_t count = 0;
  int planes = 1;
  std::vector<Vertex> layout;  // of a dense layer: the vertex at each position
};
template <class Slot>
struct Layer : LayerShape {
  std::vector<Slot> sparse;
  Buffer<Slot> dense;

  // Becomes dense, with so many states of so many planes; `most`: as many as it may come to have.
  void hold(std::size_t states, int planes_of_state, std::size_t most) {
    is_dense = true;
    count = states;
    planes = planes_of_state;
    dense.resize(count * static_cast<std::size_t>(planes), most * static_cast<std::size_t>(planes));
  }
  // Gives back what sorted states took.
  void release_sparse() { sparse = std::vector<Slot>(); }

  Slot* values() { return is_dense ? dense.data() : sparse.data(); }
  const Slot* values() const { return is_dense ? dense.data() : sparse.data(); }
  std::size_t plane_stride() const { return is_dense ? count : 1; }
  std::size_t element_stride() const { return is_dense ? 1 : static_cast<std::size_t>(planes); }
  std::size_t bytes() const { return sparse.capacity() * sizeof(Slot) + dense.bytes(); }
};

}  // namespace matchcount
