#include "apps/answer.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "apps/writing.hpp"
#include "core/error.hpp"

namespace matchcount::app {

void write_answer(std::string_view text) {
  const Writing writing;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(std::string("standard output: the answer could not be written: ") + std::strerror(errno));
  }
}

void write_failure(std::string_view text) noexcept {
  try {
    write_answer(text);
  } catch (const Error&) {
    // stderr has it all.
  }
}

}  // namespace matchcount::app
