#pragma once
// Standard output: the answer, whole, or an error.

#include <string_view>

namespace matchcount::app {

// Writes to stdout and flushes. Throws Error with the system's reason where that fails (a full disk, a closed pipe).
void write_answer(std::string_view text);

// The same of a failure, which is told of on stderr too: if stdout fails, nothing more is said.
void write_failure(std::string_view text) noexcept;

}  // namespace matchcount::app
