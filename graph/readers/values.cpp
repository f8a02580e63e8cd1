#include "graph/readers/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/numbers/real.hpp"
#include "graph/weights.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* wide_expectation = "an integer within 64 bits, -9223372036854775808 to 9223372036854775807";

// Reads what most files hold: digits with a point among them, at most 15, no exponent. The integer that they make and
// the power of ten are doubles then, and two divisions give their quotient to 2^-105; false for anything else.
bool parse_short_decimal(std::string_view text, DoubleDouble& value) {
  constexpr std::size_t max_digits = 15;
  constexpr double powers_of_ten[max_digits + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool signed_text = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view digits = text.substr(signed_text);
  if (digits.size() < 2 || digits.size() > max_digits + 1) return false;
  std::int64_t integer = 0;
  std::size_t point = digits.size();
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (is_digit(digits[i])) {
      integer = 10 * integer + (digits[i] - '0');
    } else if (digits[i] == '.' && point == digits.size()) {
      point = i;
    } else {
      return false;
    }
  }
  if (point == digits.size()) return false;
  const auto numerator = static_cast<double>(text[0] == '-' ? -integer : integer);
  const double denominator = powers_of_ten[digits.size() - 1 - point];
  const double quotient = numerator / denominator;
  value = fast_two_sum(quotient, std::fma(-quotient, denominator, numerator) / denominator);
  return true;
}

// Says whether it is read without an error.
bool is_held(std::string_view field) {
  DoubleDouble held;
  Rational value;
  return parse_real(field.data(), field.data() + field.size(), held) && parse_fraction(field, value) &&
         value == exactly(held.hi) + exactly(held.lo);
}

}  // namespace

DoubleDouble to_double_double(std::int64_t value) {
  return fast_two_sum(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(value & 0xFFFFFFFF));
}

bool parse_integer(std::string_view text, std::int64_t& value, bool& wide) {
  wide = false;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  wide = error == std::errc::result_out_of_range;
  return error == std::errc{};
}

DoubleDouble read_real(const Text& text, std::uint64_t line, std::string_view field) {
  DoubleDouble value;
  if (!parse_short_decimal(field, value) && !parse_real(field.data(), field.data() + field.size(), value)) {
    const bool has_comma =
        std::ranges::count(field, ',') == 1 && field.find_first_not_of("+-0123456789,") == field.npos;
    refuse(text, line, in_quotes(field),
           has_comma ? "a decimal point: decimal commas are not read" : "a finite number within the range of a double");
  }
  return value;
}

bool parse_fraction(std::string_view text, Rational& value) {
  constexpr std::size_t longest = 10'000;
  constexpr int largest_exponent = 400;
  if (text.size() > longest) return false;
  const bool negative = !text.empty() && text[0] == '-';
  std::string_view rest = text.substr(negative || (!text.empty() && text[0] == '+') ? 1 : 0);
  const auto integer = [](std::string_view digits) {
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);  // else it were octal
    return Integer(std::string(digits.substr(first)));
  };
  const auto only_digits = [](std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
  };
  Integer above, below = 1;
  if (const std::size_t bar = rest.find('/'); bar != std::string_view::npos) {
    if (!only_digits(rest.substr(0, bar)) || !only_digits(rest.substr(bar + 1))) return false;
    above = integer(rest.substr(0, bar));
    below = integer(rest.substr(bar + 1));
    if (below == 0) return false;
  } else {
    std::int64_t exponent = 0;
    bool wide = false;
    if (const std::size_t mark = rest.find_first_of("eEdD"); mark != std::string_view::npos) {
      if (!parse_integer(rest.substr(mark + 1), exponent, wide) || std::abs(exponent) > largest_exponent) return false;
      rest = rest.substr(0, mark);
    }
    std::string digits(rest);
    if (const std::size_t point = digits.find('.'); point != std::string::npos) {
      exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
      digits.erase(point, 1);
    }
    if (!only_digits(digits)) return false;
    above = integer(digits);
    const Integer power = pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    (exponent < 0 ? below : above) *= power;
  }
  value = Rational(negative ? Integer(-above) : above, below);
  return true;
}

bool is_number(std::string_view text) {
  if (!begins_number(text)) return false;  // most texts that are none
  std::int64_t integer = 0;
  bool wide = false;
  DoubleDouble real;
  Rational fraction;
  return parse_integer(text, integer, wide) || wide || parse_real(text.data(), text.data() + text.size(), real) ||
         (text.find('/') != text.npos && parse_fraction(text, fraction));
}

bool begins_number(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

Values::Values(const Source& source) : rule_(Rule::by_text) {
  const InputOptions& options = source.options;
  if (source.as_fractions) {
    rule_ = Rule::fractions;
  } else if (options.exact_decimals) {
    rule_ = options.duplicates == Duplicates::sum ? Rule::decimals_are : Rule::unheld_are;
  } else if (options.fractions) {
    rule_ = Rule::may_be_fractions;
  }
}

void Values::add_fraction(const Text& text, std::uint64_t line, std::string_view field, int sign) {
  Rational value;
  if (!parse_fraction(field, value)) {
    refuse(text, line, in_quotes(field), "a fraction such as -1/3, or a decimal number, as elsewhere in the file");
  }
  if (sign < 0) value = -value;
  std::int64_t place = 0;
  if (value != 0) {
    const auto [found, is_new] =
        place_of_fraction_.try_emplace(to_decimal(value), static_cast<std::int64_t>(fractions_.size()));
    if (is_new) fractions_.push_back(value);
    place = found->second;
  }
  integers_.push_back(place);
}

void Values::make_real() {
  if (are_real_) return;
  are_real_ = true;
  reserve_on_large_pages(reals_, integers_.capacity());
  for (const std::int64_t value : integers_) reals_.push_back(to_double_double(value));
  integers_ = {};
}

void Values::add(const Text& text, std::uint64_t line, std::string_view field, int sign) {
  std::int64_t value = 0;
  bool wide = false;
  const bool is_integer = parse_integer(field, value, wide);
  if (integers_asked_ && !is_integer && !wide) refuse(text, line, in_quotes(field), "an integer");
  if (rule_ == Rule::fractions) return add_fraction(text, line, field, sign);
  if (is_integer) {
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
  // Beyond the range of doubles too.
  constexpr std::size_t longest_real = 300;
  const bool is_fraction = rule_ == Rule::decimals_are || (rule_ == Rule::unheld_are && !is_held(field)) ||
                           integers_asked_ || (wide && field.size() > longest_real) ||
                           field.find('/') != std::string_view::npos;
  if (rule_ != Rule::by_text && is_fraction) throw FractionFound{};
  if (integers_asked_) refuse(text, line, in_quotes(field), wide_expectation);
  if (wide && wide_line_ == 0) {
    wide_line_ = line;
    wide_text_ = field.substr(0, 100);
  }
  if (!wide) only_integers_ = false;
  const DoubleDouble real = read_real(text, line, field);
  make_real();
  reals_.push_back(sign < 0 ? -real : real);
}

void Values::give(const Text& text, Parsed& parsed) {
  if (rule_ == Rule::fractions) parsed.fractions = std::move(fractions_);
  if (are_complex_) {
    parsed.weights = std::move(complex_);
  } else if (!are_real_) {
    parsed.weights = std::move(integers_);
  } else {
    if (only_integers_ && rule_ != Rule::by_text) throw FractionFound{};
    if (only_integers_) refuse(text, wide_line_, in_quotes(wide_text_), wide_expectation);
    parsed.weights = std::move(reals_);
  }
}

}  // namespace matchcount::readers
