#include "core/parallel.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace matchcount;

TEST_CASE("every chunk is done exactly once, by a thread of the team, for any number of threads") {
  for (const int num_threads : {1, 2, 3, 5, 16}) {
    for (const std::uint64_t num_chunks : {0u, 1u, 2u, 31u, 32u, 33u, 1000u}) {
      CAPTURE(num_threads, num_chunks);
      const auto visits = std::make_unique<std::atomic<int>[]>(num_chunks + 1);
      std::atomic<bool> thread_in_range{true};
      parallel_for_chunks(num_threads, num_chunks, [&](std::uint64_t chunk, int thread) {
        visits[chunk]++;
        if (thread < 0 || thread >= num_threads) thread_in_range = false;
      });
      CHECK(thread_in_range);
      std::uint64_t once = 0;
      for (std::uint64_t chunk = 0; chunk < num_chunks; ++chunk) once += visits[chunk] == 1;
      CHECK(once == num_chunks);
    }
  }
}

TEST_CASE("an exception leaves the loop as what it was and stops the handing out of chunks") {
  for (const int num_threads : {1, 2, 5}) {
    CAPTURE(num_threads);
    std::atomic<std::uint64_t> done{0};
    constexpr std::uint64_t num_chunks = 100000000;  // far more than the test would sit through
    const auto run = [&] {
      parallel_for_chunks(num_threads, num_chunks, [&](std::uint64_t chunk, int) {
        if (chunk == 10) throw Unable("chunk ten");
        done++;
      });
    };
    CHECK_THROWS_AS(run(), Unable);
    CHECK(done < num_chunks - 1);
  }
}

TEST_CASE("when every thread throws one exception comes out") {
  const auto run = [] { parallel_for_chunks(4, 4, [](std::uint64_t, int) { throw std::logic_error("each"); }); };
  CHECK_THROWS_AS(run(), std::logic_error);
}

TEST_CASE("the loop can be used again after an exception") {
  CHECK_THROWS_AS(parallel_for_chunks(3, 9, [](std::uint64_t, int) { throw Error("once"); }), Error);
  std::atomic<int> done{0};
  parallel_for_chunks(3, 9, [&](std::uint64_t, int) { done++; });
  CHECK(done == 9);
}

TEST_CASE("where threads can't be had fewer do all of the work, and the process lives") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // No case before has found so many; root has no limit of processes.
    constexpr int wanted = 600;
    const rlimit one{1, 1};
    if (geteuid() == 0 && setuid(65534) != 0) _exit(100);
    if (setrlimit(RLIMIT_NPROC, &one) != 0) _exit(101);
    std::atomic<int> done{0};
    int most = 0;
    try {
      most = startable_threads(wanted);
      parallel_for_chunks(wanted, 1000, [&](std::uint64_t, int) { ++done; });
    } catch (...) {
      _exit(102);
    }
    _exit(most >= 1 && most < wanted && done == 1000 ? 0 : 103);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
