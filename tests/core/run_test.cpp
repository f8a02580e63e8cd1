#include "core/run.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using test::StepClock;

TEST_CASE("a given number of threads is taken, none means at least one, a negative number is refused") {
  RunOptions options;
  CHECK(resolve_num_threads(options) >= 1);
  CHECK(resolve_num_threads(options) <= static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  options.num_threads = 5;
  CHECK(resolve_num_threads(options) == 5);
  options.num_threads = -1;
  CHECK_THROWS_AS(resolve_num_threads(options), InputError);
  CHECK_THROWS_AS(RunContext(options), InputError);
}

TEST_CASE("a time limit that is no number is refused, none is infinite, and one below zero is over") {
  CHECK_THROWS_AS(RunContext({.time_limit_s = std::nan("")}), InputError);
  CHECK_NOTHROW(RunContext().check());
  CHECK_THROWS_AS(RunContext({.time_limit_s = -1}).check(), OverLimit);
}

TEST_CASE("a given memory limit is taken, none means nine tenths of what is available") {
  RunOptions options{.memory_limit_bytes = 12345};
  CHECK(resolve_memory_limit(options) == 12345);
  options.memory_limit_bytes = 0;
  // Other processes take and give back memory between the two calls; the factor two is for them.
  const std::uint64_t available = available_memory_bytes();
  CHECK(available > 1 << 20);
  CHECK(resolve_memory_limit(options) > available / 10 * 9 / 2);
  CHECK(resolve_memory_limit(options) / 2 < available / 10 * 9);
}

TEST_CASE("peak memory grows with what is used and never shrinks") {
  const std::uint64_t before = peak_memory_bytes();
  CHECK(before > 100'000);
  constexpr std::size_t more = 64 << 20;
  {
    std::vector<char> used(before + more, 1);
    CHECK(used[used.size() / 2] == 1);
  }
  const std::uint64_t after = peak_memory_bytes();
  CHECK(after >= before + more / 2);
  CHECK(after < 1000 * before + (std::uint64_t{1} << 40));
}

TEST_CASE("instruction sets have names and one of them is detected") {
  CHECK(to_string(Isa::baseline) == "baseline");
  CHECK(to_string(Isa::avx2) == "avx2");
  CHECK(to_string(Isa::avx512) == "avx512");
  CHECK(detected_isa() >= Isa::baseline);
  CHECK(detected_isa() <= Isa::avx512);
  CHECK(detected_isa() == detected_isa());
}

TEST_CASE("a context without limits lets everything pass") {
  const RunContext context;
  CHECK_NOTHROW(context.check());
  CHECK_NOTHROW(context.report("phase", 1, 2));
  CHECK(context.seconds_left() == std::numeric_limits<double>::infinity());
  CHECK(context.elapsed_s() >= 0);
}

TEST_CASE("a context throws OverLimit once the time is over, not before", "[timing]") {
  RunOptions options;
  StepClock clock;
  clock.drive(options);
  clock.advance(5);  // before the run
  options.time_limit_s = 1;
  const RunContext context(options);
  CHECK(context.seconds_left() == 1);
  clock.advance(1);
  CHECK_NOTHROW(context.check());
  CHECK(context.elapsed_s() == 1);
  clock.advance(0.5);
  CHECK(context.seconds_left() == -0.5);
  CHECK_THROWS_AS(context.report("phase", 1, 2), OverLimit);
  std::string message;
  try {
    context.check();
  } catch (const Cancelled&) {
    FAIL("a time limit is not a cancellation");
  } catch (const Unable& error) {
    message = error.what();
  }
  CHECK_THAT(message, ContainsSubstring("time limit is over"));
}

TEST_CASE("without a clock of its own a run goes by one that does not stand still", "[timing]") {
  const RunContext context;
  while (context.elapsed_s() == 0) std::this_thread::yield();
  CHECK(context.elapsed_s() > 0);
}

TEST_CASE("a raised stop token ends the work with Cancelled") {
  std::stop_source source;
  const RunContext context({.stop = source.get_token()});
  CHECK_NOTHROW(context.check());
  source.request_stop();
  CHECK_THROWS_AS(context.check(), Cancelled);
  CHECK_THROWS_AS(context.report("phase", 1, 2), Cancelled);
}

TEST_CASE("progress is reported at most ten times a second, with what was passed", "[timing]") {
  RunOptions options;
  StepClock clock;
  clock.drive(options);
  int calls = 0;
  options.on_progress = [&](const Progress& progress) {
    ++calls;
    CHECK(progress.phase == "frontier");
    CHECK(progress.done == 3);
    CHECK(progress.total == 8);
  };
  const RunContext context(options);
  for (int i = 0; i < 32; ++i) {  // to the end of the first second
    clock.advance(0x1p-5);
    context.report("frontier", 3, 8);
  }
  CHECK(calls == 8);  // every fourth step is the first behind a tenth of a second
}

TEST_CASE("threads that report at once never enter the callback together and never wait for it", "[timing]") {
  constexpr int num_threads = 4, most = 20;
  RunOptions options;
  StepClock clock(0.2);  // every report is due
  clock.drive(options);
  std::atomic<int> inside{0}, calls{0}, passed{0};
  std::atomic<bool> together{false};
  options.on_progress = [&](const Progress&) {
    if (++inside > 1) together = true;
    // The others pass by meanwhile, as long as they are there.
    for (const int before = passed; passed < before + num_threads - 1 && calls < most;) std::this_thread::yield();
    --inside;
    ++calls;
  };
  const RunContext context(options);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) {
      threads.emplace_back([&] {
        while (calls < most) {
          context.report("count", 1, 2);
          ++passed;
        }
      });
    }
  }
  CHECK_FALSE(together);
  CHECK(calls >= most);
}
