#pragma once
// Stage is what a test and the program that it runs share, in a file that both map: the test advances the program's
// clock, sees that it waits for input, and holds it where its checkpoint has been written so many times. stage.cpp has
// the program's side.

#include <atomic>
#include <cstdint>

namespace matchcount::test {

struct Stage {
  static constexpr const char* variable = "MATCHCOUNT_TEST_STAGE";  // of the environment: the file

  std::atomic<std::int64_t> clock_ns{0};  // of the program; 0: the system's
  std::atomic<int> polls{0};              // for input
  std::atomic<int> writes{0};             // of its checkpoint
  std::atomic<int> hold_at{0};            // the program waits behind this write, as long as it stays here; 0: none
};

}  // namespace matchcount::test
