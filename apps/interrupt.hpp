#pragma once
// Ends a run from outside: Ctrl-C and SIGTERM as a stop token, and limits where nothing looks at them.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "apps/answer.hpp"

namespace matchcount::app {

// Interrupt, once made, has a thread of its own to which SIGINT and SIGTERM (and SIGHUP, unless it is ignored, as under
// nohup) go. While a run watches the token they raise it; a run that has not ended two seconds later, a second signal,
// or a signal while nothing watches ends the process with exit status 3. SIGXFSZ and SIGPIPE are ignored, so that a
// write that fails is an error like any other.
//
// Make one, first thing in main, so that every thread inherits the signal mask. Throws Unable where not even this
// thread can be had.
class Interrupt {
 public:
  Interrupt();
  // No limit and no signal ends the process from here on.
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Returns a token for a run that watches it from now on.
  std::stop_token watch();
  // A run that is ended has a file to write first: it gets a minute instead of two seconds.
  void allow_writing() { state_->grace_s = 60; }

  struct Limits {
    double time_s = std::numeric_limits<double>::infinity();  // since this was made
    double grace_s = 0.5;                                     // after it
    std::uint64_t memory_bytes = 0;                           // 0: none
  };
  // Ends the process with exit status 3 where it passes a limit all the same, whatever it does, but for a Writing: the
  // grace after the time (two seconds after what was written then), and where the memory that it has for itself
  // alone passes the limit, or 64 MB where that is less. Once a process. What polls its limits ends before that, with a
  // better message.
  void keep(Limits limits);

  // Sets how the process says why it ends, instead of a line on stderr: called on a thread of this, once, while the
  // others go on; none of them is Writing then.
  void say_with(std::function<void(const Failure&)> say);
  // Keeps what is to be said behind the reason, such as how to resume.
  void advise(std::string advice);

 private:
  struct State {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    std::stop_source source;
    std::atomic<bool> watched{false};
    std::atomic<int> grace_s{2};
    std::atomic<bool> over{false};
    std::mutex mutex;  // of what follows, and of the end
    std::function<void(const Failure&)> say;
    std::string advice;
  };
  // Wait on a thread of their own for a signal, and for a limit that is passed.
  static void wait_for_signal(State& state);
  static void watch_limits(State& state, const Limits& limits);
  // Ends the process unless the run has ended by itself; by a line on stderr if an answer is half written, or then not
  // at all. Returns if it does not.
  static void end_process(State& state, Failure failure, bool even_while_writing);

  std::shared_ptr<State> state_;
};

}  // namespace matchcount::app
