#include "core/error.hpp"

#include <cstdio>

#include "core/bytes.hpp"
#include "core/names.hpp"

namespace matchcount {

namespace {

std::string message(const std::string& file, std::uint64_t line, const std::string& found,
                    const std::string& expected) {
  std::string text = printable(file);
  if (line != 0) text += ":" + std::to_string(line);
  if (!text.empty()) text += ": ";
  return text + "found " + found + ", expected " + expected;
}

}  // namespace

std::string Hash::hex() const {
  char text[33];
  const Value v = value();
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(v.first),
                static_cast<unsigned long long>(v.second));
  return text;
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string printable(const std::string& name) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(i < name.size() ? name[i] : 0); };
  std::size_t escaped = 0;  // bytes yet to be
  for (std::size_t i = 0; i < name.size(); ++i) {
    const unsigned char byte = byte_at(i);
    if (byte < 0x20 || byte == 0x7F) escaped = 1;
    // U+0080 to U+009F are control characters in two bytes.
    if (byte == 0xC2 && byte_at(i + 1) >= 0x80 && byte_at(i + 1) < 0xA0) escaped = 2;
    if (escaped > 0) {
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      --escaped;
    } else {
      text += name[i];
    }
  }
  return text;
}

InputError::InputError(std::string file, std::uint64_t line, std::string found, std::string expected)
    : Error(message(file, line, found, expected)),
      file_(std::move(file)),
      line_(line),
      found_(std::move(found)),
      expected_(std::move(expected)) {}

}  // namespace matchcount
