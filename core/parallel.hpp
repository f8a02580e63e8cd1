#pragma once
// Chunks over OpenMP threads, with exceptions carried out of the parallel region.

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>

namespace matchcount {

// Calls body(chunk, thread) for every chunk in [0, num_chunks), dynamically scheduled over num_threads >= 1 threads,
// 0 <= thread < num_threads. The first exception stops the handing out of chunks and is rethrown here.
template <class Body>
void parallel_for_chunks(int num_threads, std::uint64_t num_chunks, Body&& body) {
  if (num_threads <= 1 || num_chunks <= 1) {
    for (std::uint64_t chunk = 0; chunk < num_chunks; ++chunk) body(chunk, 0);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
#pragma omp parallel num_threads(num_threads)
  {
    const int thread = omp_get_thread_num();
    try {
      while (!failed.load(std::memory_order_relaxed)) {
        const std::uint64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= num_chunks) break;
        body(chunk, thread);
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace matchcount
