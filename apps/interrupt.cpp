#include "apps/interrupt.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <thread>

namespace matchcount::app {
namespace {

[[noreturn]] void end_process() {
  constexpr char message[] = "matchcount: interrupted\n";
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(3);
  _exit(3);
}

}  // namespace

Interrupt::Interrupt() : state_(std::make_shared<State>()) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // A shell without job control starts background jobs with SIGINT ignored, and an ignored signal can't be waited for.
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Detached: it waits for a signal until the process ends, and owns what it touches.
  std::thread([state = state_, signals] {
    int number = 0;
    sigwait(&signals, &number);
    if (!state->watched) end_process();
    state->source.request_stop();
    const timespec grace{state->grace_s, 0};
    sigtimedwait(&signals, nullptr, &grace);
    end_process();
  }).detach();
}

std::stop_token Interrupt::watch() {
  state_->watched = true;
  return state_->source.get_token();
}

}  // namespace matchcount::app
