#include "graph/readers/names.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
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
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (is_digit(digits[i]))
      integer = 10 * integer + (digits[i] - '0');
    else if (digits[i] == '.' && point == digits.size())
      point = i;
    else
      return false;
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

// Returns at most 8 bytes as a number, zeros behind fewer.
std::uint64_t word(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  if (count == 8)
    std::memcpy(&value, bytes, 8);
  else
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

// Says whether a character prints as a blank and is none in ASCII.
bool is_wide_blank(std::uint32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

// Says whether a character prints as nothing.
bool is_invisible(std::uint32_t c) {
  return (c >= 0x80 && c <= 0x9F) || c == 0xAD || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

// Joins letters, or keeps them from joining, within words of Persian or Hindi.
bool is_joiner(std::uint32_t c) { return c == 0x200C || c == 0x200D; }

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
  constexpr std::string_view minus = "\xE2\x88\x92";  // U+2212, as typesetters have it
  if (text.starts_with('(')) text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with(minus)) text.remove_prefix(minus.size());
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

Values::Values(const Source& source) : rule_(Rule::by_text) {
  const InputOptions& options = source.options;
  if (source.as_fractions)
    rule_ = Rule::fractions;
  else if (options.exact_decimals)
    rule_ = options.duplicates == Duplicates::sum ? Rule::decimals_are : Rule::unheld_are;
  else if (options.fractions)
    rule_ = Rule::may_be_fractions;
}

void Values::add_fraction(const Text& text, std::uint64_t line, std::string_view field, int sign) {
  Rational value;
  if (!parse_fraction(field, value))
    refuse(text, line, in_quotes(field), "a fraction such as -1/3, or a decimal number, as elsewhere in the file");
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

bool canonical_integer(std::string_view name, std::int64_t& value) {
  const std::string_view digits = name.substr(name.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.size() > 18 || !is_digit(digits[0]) || (digits[0] == '0' && name.size() > 1))
    return false;
  return std::from_chars(name.data(), name.data() + name.size(), value).ptr == name.data() + name.size();
}

void check_name_text(const Text& text, std::uint64_t line, std::string_view name, SeenCharacters seen,
                     const char* remedy) {
  constexpr std::size_t longest_name = 4096;
  if (name.size() > longest_name) {
    refuse(text, line, "a name of " + std::to_string(name.size()) + " bytes",
           "at most " + std::to_string(longest_name) + " bytes");
  }
  if (!is_utf8(name)) refuse(text, line, "the name " + in_quotes(name), "text in ASCII or UTF-8");
  if (seen == SeenCharacters::all || std::ranges::none_of(name, [](char c) { return (c & 0x80) != 0; })) return;
  for (std::string_view rest = name; !rest.empty();) {
    const bool is_first = rest.size() == name.size();
    std::uint32_t c = 0;
    rest.remove_prefix(utf8_length(rest, c));
    const bool is_within = !is_first && !rest.empty();
    const bool is_blank = is_wide_blank(c) && !(seen == SeenCharacters::blanks_within && is_within);
    if (!is_blank && (!is_invisible(c) || is_wide_blank(c) || (is_joiner(c) && is_within))) continue;
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string code;
    for (int shift = 12; shift >= 0; shift -= 4) code += digits[(c >> shift) & 15];
    refuse(text, line,
           "the name " + in_quotes(name) + " with U+" + code +
               (is_blank ? ", a blank that is none in ASCII" : ", which can't be seen"),
           remedy);
  }
}

void refuse_edge_data(const Text& text, std::uint64_t line, std::string_view name) {
  if (name != "{}" && !(name.starts_with('{') && name.ends_with(':'))) return;
  refuse(text, line, in_quotes(name) + " in the place of a name, as networkx writes data in multi-line lists",
         "a file that networkx's write_edgelist or write_adjlist makes");
}

NameTable::Key NameTable::key(std::string_view name) const {
  const std::size_t first = std::min<std::size_t>(name.size(), 8);
  const std::size_t second = std::min<std::size_t>(name.size() - first, 8);
  Key key{name, {word(name.data(), first), word(name.data() + first, second)}, 0};
  // Multiplicative hashing; the odd constants are arbitrary.
  std::uint64_t mixed = key.words[0] * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 32) ^ key.words[1]) * 0xD6E8FEB86659FD93;
  if (name.size() > sizeof key.words)
    mixed = (mixed ^ (mixed >> 32) ^ std::hash<std::string_view>()(name)) * 0xD6E8FEB86659FD93;
  key.hash = static_cast<std::uint32_t>(mixed >> 32);
  __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]);
  return key;
}

Vertex NameTable::id(const Key& key) {
  const Slot& found = slot_of(key.hash, key.words, key.name);
  if (found.next_id != 0) return found.next_id - 1;
  names_.push_back(key.name);
  slots_[static_cast<std::size_t>(&found - slots_.data())] = {{key.words[0], key.words[1]}, key.hash, size()};
  if (2 * names_.size() > slots_.size()) grow();
  return size() - 1;
}

bool NameTable::intersects(const NameTable& other) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    return slot.next_id != 0 && other.slot_of(slot.hash, slot.words, names_[slot.next_id - 1]).next_id != 0;
  });
}

void NameTable::grow() {
  const std::size_t size = std::max<std::size_t>(64, 2 * slots_.size());
  std::vector<Slot> grown;
  reserve_on_large_pages(grown, size);
  grown.resize(size);
  const std::size_t mask = size - 1;
  for (const Slot& slot : slots_) {
    if (slot.next_id == 0) continue;
    std::size_t place = slot.hash & mask;
    while (grown[place].next_id != 0) place = (place + 1) & mask;
    grown[place] = slot;
  }
  slots_ = std::move(grown);
}

std::vector<Vertex> NameTable::natural_order() {
  std::vector<Vertex> place(names_.size());
  std::iota(place.begin(), place.end(), Vertex{0});
  std::vector<std::int64_t> numbers(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!canonical_integer(names_[i], numbers[i])) return place;
  std::vector<Vertex> order = place;
  std::sort(order.begin(), order.end(), [&](Vertex a, Vertex b) { return numbers[a] < numbers[b]; });
  std::vector<std::string_view> names(names_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<Vertex>(i);
    names[i] = names_[order[i]];
  }
  names_ = std::move(names);
  return place;
}

std::vector<std::string> NameTable::labels() const {
  bool counting = true;
  for (std::size_t i = 0; i < names_.size() && counting; ++i) {
    std::int64_t number = 0;
    counting = canonical_integer(names_[i], number) && number == static_cast<std::int64_t>(i) + 1;
  }
  if (counting) return {};
  return {names_.begin(), names_.end()};
}

NumberRanks::NumberRanks(std::span<const Edge> edges, bool rows, bool columns, std::span<const std::uint32_t> others) {
  const auto for_each = [&](const auto& visit) {
    for (const std::uint32_t number : others) visit(number);
    for (const Edge& edge : edges) {
      if (rows) visit(edge.row);
      if (columns) visit(edge.column);
    }
  };
  std::uint32_t largest = 0;
  for_each([&](std::uint32_t number) { largest = std::max(largest, number); });
  const std::size_t words = std::size_t{largest} / 64 + 1;
  if (12 * words > 4096 + 16 * edges.size() + 8 * others.size()) {
    numbers_.reserve(((rows ? 1 : 0) + (columns ? 1 : 0)) * edges.size() + others.size());
    for_each([&](std::uint32_t number) { numbers_.push_back(number); });
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return;
  }
  bits_.resize(words);
  for_each([&](std::uint32_t number) { bits_[number / 64] |= std::uint64_t{1} << (number % 64); });
  for (std::size_t i = 0; i < words; ++i) {
    before_.push_back(size());
    for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1)
      numbers_.push_back(static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
  }
}

bool NumberRanks::intersects(const NumberRanks& other) const {
  auto one = numbers_.begin(), two = other.numbers_.begin();
  while (one != numbers_.end() && two != other.numbers_.end() && *one != *two) ++(*one < *two ? one : two);
  return one != numbers_.end() && two != other.numbers_.end();
}

std::vector<std::string> NumberRanks::labels() const {
  std::vector<std::string> labels;
  // n numbers of which the largest is n and none is 0: the numbers 1..n.
  if (numbers_.empty() || (numbers_.front() > 0 && numbers_.back() == numbers_.size())) return labels;
  labels.reserve(numbers_.size());
  for (const std::uint32_t number : numbers_) labels.push_back(std::to_string(number));
  return labels;
}

}  // namespace matchcount::readers
