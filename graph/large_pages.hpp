#pragma once
// Puts large arrays on large pages, where the system gives them on request: half of the time of reading 10^7 edges went
// into the faults of small ones.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace matchcount {

// Asks for large pages in memory that is yet to be touched; a hint, so that nothing can go wrong.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t worth_it = std::size_t{1} << 22;
  constexpr std::uintptr_t page = 4096;  // madvise refuses an address that is no multiple of the page size
  if (bytes < worth_it) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

template <class T>
void reserve_on_large_pages(std::vector<T>& vector, std::size_t count) {
  if (vector.capacity() >= count) return;
  vector.reserve(count);
  prefer_large_pages(vector.data() + vector.size(), (vector.capacity() - vector.size()) * sizeof(T));
}

// `count` values that are not initialised.
template <class T>
std::unique_ptr<T[]> make_on_large_pages(std::size_t count) {
  auto array = std::make_unique_for_overwrite<T[]>(count);
  prefer_large_pages(array.get(), count * sizeof(T));
  return array;
}

}  // namespace matchcount
