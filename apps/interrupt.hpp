#pragma once
// Ctrl-C and SIGTERM as a stop token.

#include <atomic>
#include <memory>
#include <stop_token>

namespace matchcount::app {

// From its making on, SIGINT and SIGTERM go to a thread of its own. While a run watches the token they raise it; a run
// that has not ended two seconds later, a second signal, or a signal while nothing watches ends the process with exit
// status 3. Make one, first thing in main, so that every thread inherits the signal mask.
class Interrupt {
 public:
  Interrupt();

  // A token for a run that watches it from now on.
  std::stop_token watch();
  // A run that is ended has a file to write first: it gets a minute instead of two seconds.
  void allow_writing() { state_->grace_s = 60; }

 private:
  struct State {
    std::stop_source source;
    std::atomic<bool> watched{false};
    std::atomic<int> grace_s{2};
  };
  std::shared_ptr<State> state_;
};

}  // namespace matchcount::app
