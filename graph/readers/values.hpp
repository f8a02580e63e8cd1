#pragma once
// Numbers of a file as weights: 64-bit integers while every text is an integer, double-doubles otherwise; or fractions.
// Private to graph/.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/numbers/integer.hpp"
#include "graph/large_pages.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Exact for every 64-bit integer.
DoubleDouble to_double_double(std::int64_t value);

// [+-]digits within 64 bits; `wide` tells an integer beyond them from a text that is no integer.
bool parse_integer(std::string_view text, std::int64_t& value, bool& wide);

// A finite real number, else InputError.
DoubleDouble read_real(const Text& text, std::uint64_t line, std::string_view field);

// Says whether a text is a number: an integer of any size, a real within the range of doubles or a fraction.
bool is_number(std::string_view text);

// Says whether a field begins as a number does; the rest of it its reader sees.
bool begins_number(std::string_view text);

// [+-]digits/digits, or a decimal number with an exponent within 400; exactly. At most 10,000 bytes.
bool parse_fraction(std::string_view text, Rational& value);

// A value turned out to be a fraction, or an integer beyond 64 bits among integers: the text is to be read again for
// fractions.
struct FractionFound {};

class Values {
 public:
  // may_be_fractions: as by_text, but FractionFound is thrown where fractions are to be read; unheld_are: at a decimal
  // that no double-double is, too; decimals_are: at all.
  enum class Rule { by_text, may_be_fractions, unheld_are, decimals_are, fractions };
  explicit Values(const Source& source);

  // Refuses what is no integer from now on.
  void only_integers() { integers_asked_ = true; }
  void reserve(std::size_t count) { reserve_on_large_pages(integers_, count); }
  // Appends the number in `field`; with sign = -1 its negative.
  void add(const Text& text, std::uint64_t line, std::string_view field, int sign = 1);
  // Says that all values are complex, and added as such.
  void only_complex() { are_complex_ = true; }
  void add(const ComplexDoubleDouble& value) { complex_.push_back(value); }
  // Moves the values into a reader's result, to be called once. Refuses an integer beyond 64 bits among texts that are
  // all integers.
  void give(const Text& text, Parsed& parsed);

 private:
  void add_fraction(const Text& text, std::uint64_t line, std::string_view field, int sign);
  void make_real();

  Rule rule_;
  bool integers_asked_ = false;
  bool are_complex_ = false;     // all values stand in complex_
  bool are_real_ = false;        // the values so far stand in reals_
  bool only_integers_ = true;    // every text so far was an integer
  std::uint64_t wide_line_ = 0;  // of the first integer beyond 64 bits
  std::string wide_text_;
  std::vector<std::int64_t> integers_;
  std::vector<DoubleDouble> reals_;
  std::vector<ComplexDoubleDouble> complex_;
  std::vector<Rational> fractions_{0};
  std::unordered_map<std::string, std::int64_t> place_of_fraction_;  // by its text in lowest terms
};

}  // namespace matchcount::readers
