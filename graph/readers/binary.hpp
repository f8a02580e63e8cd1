#pragma once
// Reads the numbers of binary files, and makes matrices of them. Private to graph/.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graph/readers/readers.hpp"

namespace matchcount::readers {

template <class T>
T number_at(const char* bytes, bool is_swapped) {
  std::array<char, sizeof(T)> raw;
  std::copy_n(bytes, sizeof(T), raw.begin());
  if (is_swapped) std::ranges::reverse(raw);
  return std::bit_cast<T>(raw);
}

template <class T>
DoubleDouble exact_at(const char* bytes, bool is_swapped) {
  const T value = number_at<T>(bytes, is_swapped);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return two_sum(static_cast<double>(Wide{value} >> 32) * 0x1p32, static_cast<std::uint32_t>(value));
  }
}

inline DoubleDouble half_at(const char* bytes, bool is_swapped) {
  const auto bits = number_at<std::uint16_t>(bytes, is_swapped);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

// One type of numbers, by its names in NumPy and MATLAB.
struct NumberType {
  std::string_view numpy;
  std::uint32_t matlab;  // 0: none
  std::uint32_t bytes;   // of a complex number both parts
  DoubleDouble (*read)(const char* bytes, bool is_swapped);
};
inline constexpr NumberType number_types[] = {
    {"b1", 0, 1, exact_at<std::uint8_t>},   {"i1", 1, 1, exact_at<std::int8_t>},   {"u1", 2, 1, exact_at<std::uint8_t>},
    {"i2", 3, 2, exact_at<std::int16_t>},   {"u2", 4, 2, exact_at<std::uint16_t>}, {"i4", 5, 4, exact_at<std::int32_t>},
    {"u4", 6, 4, exact_at<std::uint32_t>},  {"i8", 12, 8, exact_at<std::int64_t>}, {"f2", 0, 2, half_at},
    {"u8", 13, 8, exact_at<std::uint64_t>}, {"f4", 7, 4, exact_at<float>},         {"f8", 9, 8, exact_at<double>},
    {"c8", 0, 8, exact_at<float>},          {"c16", 0, 16, exact_at<double>}};

// Returns a whole number below 2^64.
inline __int128 whole_number(DoubleDouble value) {
  return static_cast<__int128>(value.hi) + static_cast<__int128>(value.lo);
}

// Adds an entry to a matrix whose weights, or none, are of one kind. A zero is an edge only where it is kept.
inline void add_entry(Parsed& parsed, const Edge& edge, DoubleDouble re, DoubleDouble im, bool keep_zeros) {
  if (re == 0 && im == 0 && (!keep_zeros || parsed.weights.index() == 0)) return;
  parsed.edges.push_back(edge);
  if (auto* const integers = std::get_if<std::vector<std::int64_t>>(&parsed.weights))
    integers->push_back(static_cast<std::int64_t>(whole_number(re)));
  if (auto* const reals = std::get_if<std::vector<DoubleDouble>>(&parsed.weights)) reals->push_back(re);
  if (auto* const complex = std::get_if<std::vector<ComplexDoubleDouble>>(&parsed.weights))
    complex->push_back({re, im});
}

// Returns the line of each entry of a matrix whose lines begin at these entries, the last of which is their number;
// nothing where that can't be.
inline std::optional<std::vector<std::int64_t>> lines_of(const Text& text, const std::vector<std::int64_t>& starts,
                                                         std::uint64_t num_lines, std::uint64_t most_entries) {
  if (starts.size() != num_lines + 1 || starts[0] != 0 || !std::ranges::is_sorted(starts) ||
      std::cmp_greater(starts.back(), most_entries))
    return std::nullopt;
  std::vector<std::int64_t> lines;
  for (std::size_t line = 0; line < num_lines; ++line) {
    if (line % 1024 == 0) text.check(lines.size() * sizeof(std::int64_t));
    lines.resize(static_cast<std::size_t>(starts[line + 1]), static_cast<std::int64_t>(line));
  }
  return lines;
}

}  // namespace matchcount::readers
