// Two threads, both detached: they own what they touch, and wait until the process ends. One waits for signals; the
// other, where there are limits, looks at the clock and at the memory a hundred times a second, and more often where
// the memory comes close to its limit, which costs less than a hundredth of a core. The library polls its limits in
// most that takes long; what it calls of others (a planarity test, a sort, the allocator) does not, and a hundred MB
// are used up between two polls.

#include "apps/interrupt.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/text.hpp"
#include "core/amounts.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_tick{10}, shortest_tick{1};
constexpr std::chrono::seconds grace_after_writing{2};
// No limit is kept below this, which a program takes that does next to nothing.
constexpr std::uint64_t least_memory = 64'000'000;
// Memory is taken up no faster, whatever the number of threads.
constexpr std::uint64_t bytes_a_ms = 20'000'000;
// A GPU's driver keeps as much for itself once it is loaded, which no option of ours makes less.
constexpr std::uint64_t driver_bytes = 600'000'000;

// Under sanitizers memory is mostly theirs.
constexpr bool sees_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

// The memory of this process alone: what is resident less what files and others share. 0 where the system does not say.
class OwnMemory {
 public:
  OwnMemory() : file_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  ~OwnMemory() {
    if (file_ >= 0) ::close(file_);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  std::uint64_t bytes() const {
    char text[128];
    const ssize_t length = file_ < 0 ? -1 : ::pread(file_, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = '\0';
    char* at = text;
    std::strtoull(at, &at, 10);  // all that is mapped
    const std::uint64_t resident = std::strtoull(at, &at, 10), shared = std::strtoull(at, &at, 10);
    return resident > shared ? (resident - shared) * page_ : 0;
  }

 private:
  int file_;
  std::uint64_t page_ = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
};

bool has_gpu_driver() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != nullptr) ::dlclose(driver);
  return driver != nullptr;
}

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  return signals;
}

void start_thread(std::function<void()> body) {
  try {
    std::thread(std::move(body)).detach();
  } catch (const std::system_error& error) {
    throw Unable(std::string("a thread that watches for signals and limits can't be started (") + error.what() + ")");
  }
}

}  // namespace

Interrupt::Interrupt() : state_(std::make_shared<State>()) {
  // A shell without job control starts background jobs with SIGINT ignored, and an ignored signal can't be waited for.
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  start_thread([state = state_] { wait_for_signal(*state); });
}

Interrupt::~Interrupt() {
  const std::lock_guard lock(state_->mutex);
  state_->over = true;
}

std::stop_token Interrupt::watch() {
  state_->watched = true;
  return state_->source.get_token();
}

void Interrupt::say_with(std::function<void(const Failure&)> say) {
  const std::lock_guard lock(state_->mutex);
  state_->say = std::move(say);
}

void Interrupt::advise(std::string advice) {
  const std::lock_guard lock(state_->mutex);
  state_->advice = std::move(advice);
}

void Interrupt::keep(Limits limits) {
  start_thread([state = state_, limits] { watch_limits(*state, limits); });
}

void Interrupt::end_process(State& state, Failure failure, bool even_while_writing) {
  // Held to the end: what is said with belongs to a run that ends by itself only where this has not begun.
  const std::lock_guard lock(state.mutex);
  if (state.over) return;
  const bool may_say = Writing::end();
  if (!may_say && !even_while_writing) return;
  failure.message += state.advice;
  try {
    if (state.say && may_say) {
      state.say(failure);
      _exit(failure.status);
    }
  } catch (...) {  // a line will do
  }
  // Not by way of stderr, which another thread may keep.
  const std::string text = "matchcount: " + failure.message + "\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(failure.status);
  _exit(failure.status);
}

void Interrupt::wait_for_signal(State& state) {
  const sigset_t signals = ending_signals();
  int number = 0;
  sigwait(&signals, &number);
  if (state.watched) {
    state.source.request_stop();
    // Whoever stops the process for a while, a shell or a debugger, ends a wait before its time.
    const Clock::time_point end = Clock::now() + std::chrono::seconds(state.grace_s);
    for (auto left = end - Clock::now(); left > Clock::duration::zero(); left = end - Clock::now()) {
      const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
      const timespec grace{whole.count(), std::chrono::nanoseconds(left - whole).count()};
      if (sigtimedwait(&signals, nullptr, &grace) >= 0) break;
    }
  }
  // Nothing is said into an answer that is half written.
  end_process(state, {.kind = "interrupted", .message = "interrupted"}, true);
}

void Interrupt::watch_limits(State& state, const Limits& limits) {
  const OwnMemory memory;
  const bool in_memory = limits.memory_bytes != 0 && sees_memory();
  const std::uint64_t most = std::max(limits.memory_bytes, least_memory);
  const Clock::time_point start = state.start;
  for (std::chrono::milliseconds tick = longest_tick; !state.over; std::this_thread::sleep_for(tick)) {
    std::string reason;
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double>(now - start).count() > limits.time_s + limits.grace_s &&
        now > Writing::last() + grace_after_writing) {
      reason = formatted("the time limit of %g s is over", limits.time_s);
    }
    const std::uint64_t used = in_memory ? memory.bytes() : 0;
    if (in_memory)
      tick = std::clamp(std::chrono::milliseconds(used < most ? (most - used) / bytes_a_ms : 0), shortest_tick,
                        longest_tick);
    if (used > most && in_memory && (used > most + driver_bytes || !has_gpu_driver())) {
      reason = "the memory limit of " + memory_amount(static_cast<double>(limits.memory_bytes)) +
               " is passed: " + memory_amount(static_cast<double>(used)) + " are in use";
    }
    if (!reason.empty()) end_process(state, {.kind = "limit", .message = reason}, false);
  }
}

}  // namespace matchcount::app
