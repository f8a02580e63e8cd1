// Loaded before a program (LD_PRELOAD), in which it stands for functions of the system: the clock, the wait for input,
// and the renaming of a checkpoint that was written.

#include "apps/stage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

using matchcount::test::Stage;

namespace {

Stage* mapped() {
  const char* const file = getenv(Stage::variable);
  const int descriptor = file == nullptr ? -1 : open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* const memory = mmap(nullptr, sizeof(Stage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return memory == MAP_FAILED ? nullptr : static_cast<Stage*>(memory);
}

Stage* stage() {
  static Stage* const shared = mapped();
  return shared;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  constexpr std::int64_t ns_a_second = 1'000'000'000;
  const std::int64_t ns = clock == CLOCK_MONOTONIC && stage() != nullptr ? stage()->clock_ns.load() : 0;
  if (ns == 0) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  *time = {ns / ns_a_second, ns % ns_a_second};
  return 0;
}

extern "C" int poll(pollfd* files, nfds_t count, int patience_ms) {
  if (stage() != nullptr) ++stage()->polls;
  const timespec patience{patience_ms / 1000, patience_ms % 1000 * 1'000'000L};
  return ppoll(files, count, patience_ms < 0 ? nullptr : &patience, nullptr);
}
// Is called instead where the compiler looks for overflows.
extern "C" int __poll_chk(pollfd* files, nfds_t count, int patience_ms, std::size_t) {
  return poll(files, count, patience_ms);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  const int result = renameat(AT_FDCWD, from, AT_FDCWD, to);
  if (result != 0 || stage() == nullptr || !std::string_view(from).ends_with(".partial")) return result;
  const int writes = ++stage()->writes;
  while (stage()->hold_at == writes) usleep(500);
  return result;
}
