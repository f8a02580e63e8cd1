#pragma once
// Runs chunks on OpenMP threads, with exceptions carried out of the parallel region.

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>

namespace matchcount {

// Calls body(thread) on each of num_threads >= 1 threads, again and again until it returns false there, 0 <= thread <
// num_threads. The first exception ends it on every thread and is rethrown here.
template <class Body>
void parallel_until(int num_threads, Body&& body) {
  if (num_threads <= 1) {
    while (body(0)) {
    }
    return;
  }
  std::atomic<bool> failed{false};
  std::exception_ptr error;
#pragma omp parallel num_threads(num_threads)
  {
    try {
      while (!failed.load(std::memory_order_relaxed) && body(omp_get_thread_num())) {
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

// Calls body(chunk, thread) for every chunk in [0, num_chunks), dynamically scheduled over num_threads >= 1 threads,
// 0 <= thread < num_threads. The first exception stops the handing out of chunks and is rethrown here.
template <class Body>
void parallel_for_chunks(int num_threads, std::uint64_t num_chunks, Body&& body) {
  std::atomic<std::uint64_t> next{0};
  parallel_until(num_chunks <= 1 ? 1 : num_threads, [&](int thread) {
    const std::uint64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= num_chunks) return false;
    body(chunk, thread);
    return true;
  });
}

}  // namespace matchcount
