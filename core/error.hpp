#pragma once
// Names what can go wrong, as types. "Bad input" is never "unable here", and neither is ever a number.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

// Returns the name of a file as messages have it: control characters as \x1b, so that a name can't write what it likes
// on a terminal.
std::string printable(const std::string& name);

// Root of everything that this library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller's data or arguments are wrong. `file` is empty for data that came through the API, `line` counts from 1
// and is 0 where no line applies. The message reads "FILE:LINE: found FOUND, expected EXPECTED".
class InputError : public Error {
 public:
  InputError(std::string file, std::uint64_t line, std::string found, std::string expected);
  // Complains about arguments of the API: no file, no line.
  InputError(std::string found, std::string expected) : InputError({}, 0, std::move(found), std::move(expected)) {}

  const std::string& file() const { return file_; }
  std::uint64_t line() const { return line_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }

 private:
  std::string file_;
  std::uint64_t line_;
  std::string found_;
  std::string expected_;
};

// The question is well posed but this run can't answer it: too large for the limits given, time over, no method
// applies.
class Unable : public Error {
 public:
  using Error::Error;
};

// A time or memory limit was passed, or is predicted to be passed.
class OverLimit : public Unable {
 public:
  explicit OverLimit(const std::string& message) : Unable(message) {}
  // Takes the needs of the cheapest way.
  OverLimit(const std::string& message, double seconds, double memory_bytes)
      : Unable(message), is_forecast_(true), seconds_(seconds), memory_bytes_(memory_bytes) {}

  bool is_forecast() const { return is_forecast_; }
  double seconds() const { return seconds_; }
  double memory_bytes() const { return memory_bytes_; }

 private:
  bool is_forecast_ = false;
  double seconds_ = 0, memory_bytes_ = 0;
};

// The caller's stop token was raised while the work ran.
class Cancelled : public Unable {
 public:
  using Unable::Unable;
};

// A backend was asked for that this build does not have.
class NotCompiled : public Unable {
 public:
  using Unable::Unable;
};

// A device or a communicator failed under way.
class DeviceError : public Error {
 public:
  using Error::Error;
};

}  // namespace matchcount
