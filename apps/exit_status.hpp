#pragma once
// Turns exceptions into what people and programs are told of them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace matchcount::app
