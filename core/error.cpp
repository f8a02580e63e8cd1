#include "core/error.hpp"

namespace matchcount {
namespace {

std::string message(const std::string& file, std::uint64_t line, const std::string& found,
                    const std::string& expected) {
  std::string text = file;
  if (line != 0) text += ":" + std::to_string(line);
  if (!text.empty()) text += ": ";
  return text + "found " + found + ", expected " + expected;
}

}  // namespace

InputError::InputError(std::string file, std::uint64_t line, std::string found, std::string expected)
    : Error(message(file, line, found, expected)),
      file_(std::move(file)),
      line_(line),
      found_(std::move(found)),
      expected_(std::move(expected)) {}

}  // namespace matchcount
