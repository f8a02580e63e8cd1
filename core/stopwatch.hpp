#pragma once
// Tells seconds of the wall clock, for reports.

#include <chrono>

namespace matchcount {

class Stopwatch {
 public:
  // Returns the seconds since the last call, or since the stopwatch was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace matchcount
