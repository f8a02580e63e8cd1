#pragma once
// Runs chunks on OpenMP threads, with exceptions carried out of the parallel region.

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#ifdef __SANITIZE_THREAD__
#include <functional>
#include <thread>
#include <vector>
#endif

namespace matchcount {

// Returns how many of so many threads, >= 1, the system lets this process have, this one included: OpenMP ends the
// process if a thread can't be had. The first answer stands for the process's life. Any number of threads may call it.
int startable_threads(int wanted);

// Calls body(thread) once on each of num_threads >= 1 threads; it does not throw.
template <class Body>
void on_team(int num_threads, const Body& body) {
#ifdef __SANITIZE_THREAD__  // it does not see where OpenMP's threads start and end
  std::vector<std::jthread> others;
  for (int thread = 1; thread < num_threads; ++thread) others.emplace_back(std::cref(body), thread);
  body(0);
#else
#pragma omp parallel num_threads(num_threads)
  body(omp_get_thread_num());
#endif
}

// Calls body(thread) on each of num_threads >= 1 threads, or as many as can be had, again and again until it returns
// false there, 0 <= thread < num_threads. The first exception ends it on every thread and is rethrown here.
template <class Body>
void parallel_until(int num_threads, Body&& body) {
  num_threads = startable_threads(num_threads);
  if (num_threads <= 1) {
    while (body(0)) {
    }
    return;
  }
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  on_team(num_threads, [&](int thread) {
    try {
      while (!failed.load(std::memory_order_relaxed) && body(thread)) {
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  });
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
