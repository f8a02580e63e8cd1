#include "apps/answer.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

namespace matchcount::app {
namespace {

using Clock = std::chrono::steady_clock;

// One mutex for what the process writes and for its end.
std::recursive_mutex& writing_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}
std::atomic<Clock::rep>& last_end() {
  static std::atomic<Clock::rep> end{Clock::time_point::min().time_since_epoch().count()};
  return end;
}

std::atomic<std::uint64_t> num_answers{0};

}  // namespace

Writing::Writing() { writing_mutex().lock(); }
Writing::~Writing() {
  last_end() = Clock::now().time_since_epoch().count();
  writing_mutex().unlock();
}

bool Writing::end() { return writing_mutex().try_lock(); }
Clock::time_point Writing::last() { return Clock::time_point(Clock::duration(last_end())); }

void write_heading(std::string_view text) {
  const Writing writing;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw AnswerLost(std::string("standard output: the answer could not be written: ") + std::strerror(errno));
  }
}

void write_answer(std::string_view text) {
  const Writing writing;
  write_heading(text);
  ++num_answers;
}

std::uint64_t answers_written() { return num_answers; }

void write_failure(std::string_view text) noexcept {
  try {
    write_answer(text);
  } catch (const AnswerLost&) {
    // stderr has it all.
  }
}

}  // namespace matchcount::app
