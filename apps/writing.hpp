#pragma once
// Keeps the end of the process and what it writes apart.

#include <chrono>

namespace matchcount::app {

// Writing marks, while one lives, that an answer or a checkpoint is being written, and no limit ends the process. One
// thread at a time in the process has some; others wait.
class Writing {
 public:
  Writing();
  ~Writing();
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // Says whether nothing is being written; nothing is then written any more but by this thread.
  static bool end();
  // Says when something was written last; the clock's beginning if nothing was.
  static std::chrono::steady_clock::time_point last();
};

}  // namespace matchcount::app
