#pragma once
// Writes standard output, the answer, whole, or an error, and keeps the end of the process from what is being written;
// turns exceptions into what people and programs are told of them.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace matchcount::app {

// Tells what went wrong.
struct Failure {
  struct Forecast {
    double seconds = 0;
    double memory_bytes = 0;
  };

  int status = 3;  // 2: bad usage or bad input; 4: a failed device; 3: anything else that can't be done here
  std::string_view kind = {};  // usage, input, limit, interrupted, not_compiled, unable, memory, device
  std::string message = {};
  std::string advice = {};  // where help is; empty: nowhere
  std::string file = {};    // bad input: which file, line (0: none), what stood there and what was expected
  std::uint64_t line = 0;
  std::string found = {}, expected = {};
  std::optional<Forecast> forecast = {};  // of what would pass a limit
};

// Makes that of the exception that is being handled.
Failure current_failure(const std::string& program);

// Says it on stderr.
void complain(const std::string& program, const Failure& failure);

// Returns what `work` does; where it throws, the failure's status after `tell` has told of it.
int exit_status(const std::string& program, const std::function<int()>& work,
                const std::function<void(const Failure&)>& tell);

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

// Stdout takes no answer any more.
class AnswerLost : public Error {
 public:
  using Error::Error;
};

// Writes to stdout and flushes. Throws AnswerLost with the system's reason where that fails (a full disk, a closed
// pipe).
void write_answer(std::string_view text);

// Returns how many answers were written, whole; a failure is one.
std::uint64_t answers_written();

// Writes the picture that --svg asks for, whole or not at all: before the answer, so that an input has that or a
// failure. Throws as write_file does.
void write_picture(const std::string& file, const std::string& svg);

// Writes a heading above an answer. Throws as write_answer does.
void write_heading(std::string_view text);

// The same of a failure, which is told of on stderr too: if stdout fails, nothing more is said.
void write_failure(std::string_view text) noexcept;

}  // namespace matchcount::app
