#include "apps/answer.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

#include "apps/options.hpp"
#include "apps/text.hpp"
#include "graph/output.hpp"

namespace matchcount::app {

namespace {

constexpr int bad_input = 2, unable = 3, device_failed = 4;

// A message may quote anything that stood on the command line; its own lines stay apart.
std::string without_controls(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    text += printable(std::string(message.substr(0, end)));
    if (end < message.size()) text += '\n';
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

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

Failure current_failure(const std::string& program) {
  try {
    throw;
  } catch (const UsageError& error) {
    Failure result{bad_input, "usage", error.what()};
    result.advice = "see " + program + (error.command().empty() ? "" : " " + error.command()) + " --help";
    return result;
  } catch (const InputError& error) {
    Failure result{bad_input, "input", error.what()};
    result.file = error.file();
    result.line = error.line();
    result.found = error.found();
    result.expected = error.expected();
    return result;
  } catch (const DeviceError& error) {
    return {device_failed, "device", error.what()};
  } catch (const OverLimit& error) {
    Failure result{unable, "limit", error.what()};
    if (error.is_forecast()) result.forecast = {error.seconds(), error.memory_bytes()};
    return result;
  } catch (const Cancelled& error) {
    // The caller is a person here, or another program.
    const bool is_plain = std::string_view(error.what()) == "cancelled by the caller";
    return {unable, "interrupted", is_plain ? "interrupted" : error.what()};
  } catch (const NotCompiled& error) {
    return {unable, "not_compiled", error.what()};
  } catch (const std::bad_alloc&) {
    return {unable, "memory", "there is not enough memory"};
  } catch (const std::exception& error) {
    return {unable, "unable", error.what()};
  }
}

void complain(const std::string& program, const Failure& failure) {
  std::string text = program + ": " + without_controls(failure.message) + "\n";
  if (!failure.advice.empty()) text += without_controls(failure.advice) + "\n";
  std::fputs(fitted(text, columns_of(STDERR_FILENO)).c_str(), stderr);
}

int exit_status(const std::string& program, const std::function<int()>& work,
                const std::function<void(const Failure&)>& tell) {
  try {
    return work();
  } catch (...) {
    const Failure failure = current_failure(program);
    tell(failure);
    return failure.status;
  }
}

Writing::Writing() { writing_mutex().lock(); }
Writing::~Writing() {
  last_end() = Clock::now().time_since_epoch().count();
  writing_mutex().unlock();
}

bool Writing::end() { return writing_mutex().try_lock(); }
Clock::time_point Writing::last() { return Clock::time_point(Clock::duration(last_end())); }

void write_picture(const std::string& file, const std::string& svg) {
  const Writing writing;
  write_file(file, [&](const TextSink& sink) { sink(svg); });
}

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
