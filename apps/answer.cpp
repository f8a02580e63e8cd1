#include "apps/answer.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "apps/writing.hpp"

namespace matchcount::app {

namespace {

std::atomic<std::uint64_t> num_answers{0};

}  // namespace

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
