#include "graph/readers/values.hpp"

#include <limits>
#include <utility>

#include "core/real.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* wide_expectation = "an integer within 64 bits, -9223372036854775808 to 9223372036854775807";

}  // namespace

DoubleDouble to_double_double(std::int64_t value) {
  return fast_two_sum(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(value & 0xFFFFFFFF));
}

bool parse_integer(std::string_view text, std::int64_t& value, bool& wide) {
  wide = false;
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) i = 1;
  if (i == text.size()) return false;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  std::uint64_t magnitude = 0;
  for (; i < text.size(); ++i) {
    if (!is_digit(text[i])) {
      wide = false;
      return false;
    }
    const auto digit = static_cast<std::uint64_t>(text[i] - '0');
    if (magnitude > (top - digit) / 10) wide = true;
    if (!wide) magnitude = 10 * magnitude + digit;
  }
  if (!negative && magnitude == top) wide = true;
  if (wide) return false;
  value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

DoubleDouble read_real(const Text& text, std::uint64_t line, std::string_view field) {
  DoubleDouble value;
  if (!parse_real(field.data(), field.data() + field.size(), value)) {
    refuse(text, line, in_quotes(field), "a finite number within the range of a double");
  }
  return value;
}

void Values::make_real() {
  if (are_real_) return;
  are_real_ = true;
  reals_.reserve(integers_.capacity());
  for (const std::int64_t value : integers_) reals_.push_back(to_double_double(value));
  integers_ = {};
}

void Values::add(const Text& text, std::uint64_t line, std::string_view field, int sign) {
  std::int64_t value = 0;
  bool wide = false;
  if (parse_integer(field, value, wide)) {
    if (sign < 0 && value == std::numeric_limits<std::int64_t>::min() && !are_real_) {
      wide = true;  // its negative is
    } else if (are_real_) {
      reals_.push_back(sign < 0 ? -to_double_double(value) : to_double_double(value));
      return;
    } else {
      integers_.push_back(sign < 0 ? -value : value);
      return;
    }
  }
  if (rule_ == Rule::integer) refuse(text, line, in_quotes(field), wide ? wide_expectation : "an integer");
  if (wide && wide_line_ == 0) {
    wide_line_ = line;
    wide_text_ = field.substr(0, 100);
  }
  if (!wide) only_integers_ = false;
  const DoubleDouble real = read_real(text, line, field);
  make_real();
  reals_.push_back(sign < 0 ? -real : real);
}

Weights Values::take(const Text& text) {
  if (!are_real_) return std::move(integers_);
  if (only_integers_) refuse(text, wide_line_, in_quotes(wide_text_), wide_expectation);
  return std::move(reals_);
}

}  // namespace matchcount::readers
