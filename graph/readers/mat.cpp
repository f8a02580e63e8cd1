// MATLAB's .mat files of level 5 ("MAT-File Format", The MathWorks, 2019), which save -v6 and -v7 write: a head of 128
// bytes, then an element for every variable, compressed by zlib or not. A numeric matrix is read, full or sparse, a
// variable or the field of a struct; those of other kinds are passed over, and beside a matrix so are single numbers.
// MATLAB has hardly any type but double: a matrix whose values are all whole is one of integers, and a logical one a
// pattern without weights. Files of version 7.3 are HDF5 and not read.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "graph/readers/binary.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

class MatReader {
 public:
  explicit MatReader(const Source& source) : source_(source), text_(source.text) {}

  Parsed read() {
    std::string_view rest = whole(text_);
    if (rest.size() < head_bytes) fail("the end of the file within its head", "128 bytes");
    const std::string_view order = rest.substr(head_bytes - 2, 2);
    if (order != "IM" && order != "MI") fail("the order of bytes " + in_quotes(order), "IM or MI");
    is_swapped_ = (order == "IM") != (std::endian::native == std::endian::little);
    for (rest.remove_prefix(head_bytes); !rest.empty();) add_variable(take(rest), "", 0);
    const std::string& asked = source_.options.member;
    if (asked.empty() && !std::ranges::all_of(matrices_, is_number)) {
      for (const Matrix& matrix : matrices_)
        if (is_number(matrix)) pass_over(matrix.name, "a number or empty");
      std::erase_if(matrices_, is_number);
    }
    std::vector<std::string> names;
    for (const Matrix& matrix : matrices_) names.push_back(matrix.name);
    if (!asked.empty()) std::erase_if(matrices_, [&](const Matrix& matrix) { return matrix.name != asked; });
    if (matrices_.size() == 1) {
      Parsed parsed = parsed_of(matrices_[0]);
      if (asked.empty() && !passed_over_.empty())
        parsed.notes.push_back("beside " + in_quotes(matrices_[0].name) + " passed over: " + passed_over_);
      return parsed;
    }
    fail((asked.empty() ? "" : "not one variable " + in_quotes(asked) + " among ") + counted(names, "numeric variable"),
         "one matrix, or --member with the name of one");
  }

 private:
  enum Type : std::uint32_t { of_flags = 6, of_matrix = 14, of_compressed = 15 };  // of elements
  enum Class : std::uint8_t { structure = 2, text = 4, sparse = 5, least_numeric = 5, most_numeric = 15, opaque = 17 };
  static constexpr std::size_t head_bytes = 128;
  struct Element {
    std::uint32_t type;
    std::string_view bytes;
  };
  struct Matrix {
    std::string name;
    std::uint8_t type = 0;
    bool is_complex = false, is_logical = false;
    std::uint64_t rows = 0, columns = 0;
    std::string_view rest;  // the elements of its values
  };
  static bool is_number(const Matrix& matrix) { return matrix.rows * matrix.columns <= 1; }

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    refuse(text_, 0, found, expected);
  }
  std::uint32_t word_at(const char* bytes) const { return number_at<std::uint32_t>(bytes, is_swapped_); }
  // Takes an element off: its type and size, or both in four bytes where no more than four follow, then its bytes.
  Element take(std::string_view& rest) const {
    const auto require = [&](bool condition) {
      if (!condition) fail("the end of the file within an element", "a whole .mat file");
    };
    require(rest.size() >= 8);
    const auto word = word_at(rest.data());
    const bool is_small = word >> 16 != 0;
    const std::uint64_t size = is_small ? word >> 16 : word_at(rest.data() + 4);
    const Element element{word & (is_small ? 0xFFFFu : ~0u), rest.substr(is_small ? 4 : 8).substr(0, size)};
    require(element.bytes.size() == size && (!is_small || size <= 4));
    const std::uint64_t whole = is_small ? 8 : 8 + (element.type == of_compressed ? size : (size + 7) / 8 * 8);
    rest.remove_prefix(std::min<std::uint64_t>(whole, rest.size()));
    return element;
  }
  void pass_over(const std::string& name, const char* what) {
    passed_over_ += (passed_over_.empty() ? "" : ", ") + in_quotes(name) + " (" + what + ")";
  }
  // Adds the matrices of a variable, or of the field of a struct, which has no name of its own.
  void add_variable(Element element, const std::string& field, int depth) {
    constexpr int deepest = 8;  // structs within structs
    if (element.type == of_compressed) {
      std::string_view inner = inflated_.emplace_back(text_.inflated(element.bytes));
      element = take(inner);
    }
    if (element.type != of_matrix) fail("an element of type " + std::to_string(element.type), "matrices alone");
    std::string_view rest = element.bytes;
    if (rest.empty()) return;
    const Element flags = take(rest);
    if (flags.type != of_flags || flags.bytes.size() != 8) fail("a variable without flags", "a whole .mat file");
    const auto word = word_at(flags.bytes.data());
    Matrix found;
    found.type = static_cast<std::uint8_t>(word & 0xFF);
    found.is_complex = (word & 0x800) != 0;
    found.is_logical = (word & 0x200) != 0;
    const Element shape = take(rest);  // or the name of an object, which has none
    found.name = printable(std::string(found.type == opaque ? shape.bytes : take(rest).bytes));
    if (depth > 0) found.name = field;
    found.rest = rest;
    if (found.name.empty()) return;  // the workspace of functions
    const bool has_two_sides = found.type != opaque && shape.bytes.size() == 8;
    if (has_two_sides) {
      found.rows = word_at(shape.bytes.data());
      found.columns = word_at(shape.bytes.data() + 4);
    }
    if (found.type == structure && found.rows == 1 && found.columns == 1 && depth < deepest)
      add_fields(rest, found.name, depth + 1);
    else if (found.type < least_numeric || found.type > most_numeric)
      pass_over(found.name, found.type == text ? "text" : found.type < text ? "cells or structs" : "an object");
    else if (!has_two_sides)
      pass_over(found.name, "an array of more dimensions");
    else
      matrices_.push_back(std::move(found));
  }
  // Adds those of a struct: the length of a name, the names, then the fields.
  void add_fields(std::string_view rest, const std::string& name, int depth) {
    const Element length = take(rest), names = take(rest);
    const std::size_t size = length.bytes.size() == 4 ? word_at(length.bytes.data()) : 0;
    if (size == 0 || names.bytes.size() % size != 0) fail("a struct without names of its fields", "a whole .mat file");
    for (std::size_t at = 0; at < names.bytes.size(); at += size) {
      const std::string_view key = names.bytes.substr(at, size);
      add_variable(take(rest), name + "." + printable(std::string(key.substr(0, key.find('\0')))), depth);
    }
  }

  // Returns the numbers of an element, exactly.
  std::vector<DoubleDouble> numbers(const Element& element) const {
    const auto* const type = std::ranges::find(number_types, element.type, &NumberType::matlab);
    if (type == std::end(number_types) || element.type == 0)
      fail("numbers of type " + std::to_string(element.type), "integers, single or double");
    if (element.bytes.size() % type->bytes != 0) fail("the end of an element within a number", "whole numbers");
    std::vector<DoubleDouble> result;
    for (std::size_t at = 0; at < element.bytes.size(); at += type->bytes) {
      constexpr std::size_t between_checks = std::size_t{1} << 20;
      if (at % between_checks == 0) text_.check(result.size() * sizeof(DoubleDouble));
      const DoubleDouble value = result.emplace_back(type->read(element.bytes.data() + at, is_swapped_));
      if (!std::isfinite(value.hi)) fail(std::isnan(value.hi) ? "NaN" : "inf", "finite numbers");
      if (type->numpy == "u8" && whole_number(value) > std::numeric_limits<std::int64_t>::max())
        fail(std::to_string(static_cast<std::uint64_t>(whole_number(value))), "integers up to 9223372036854775807");
    }
    return result;
  }
  // Returns places that ascend from 0 or are below `limit`, as a sparse matrix has them.
  std::vector<std::int64_t> indices(std::string_view& rest, std::uint64_t limit) const {
    std::vector<std::int64_t> result;
    for (const DoubleDouble& value : numbers(take(rest))) {
      if (value.hi < 0 || value.hi > static_cast<double>(limit))
        fail("an index out of range", "the places of a matrix");
      result.push_back(static_cast<std::int64_t>(value.hi));
    }
    return result;
  }

  Parsed parsed_of(const Matrix& found) const {
    Parsed parsed = begun_matrix(source_, found.rows, found.columns);
    std::string_view rest = found.rest;
    std::vector<Edge> places;
    if (found.type == sparse) {
      const std::vector<std::int64_t> rows = indices(rest, max_vertices), starts = indices(rest, rows.size());
      const auto columns = lines_of(text_, starts, found.columns, rows.size());
      if (!columns)
        fail("a sparse matrix with " + counted(starts.size(), "start") + " of columns", "them in order, and one more");
      for (std::size_t i = 0; i < columns->size(); ++i) {
        if (std::cmp_greater_equal(rows[i], found.rows))
          fail("row " + std::to_string(rows[i]) + " (from 0)", "rows of the matrix");
        places.push_back({static_cast<Vertex>(rows[i]), static_cast<Vertex>((*columns)[i])});
      }
    }
    std::vector<DoubleDouble> re = numbers(take(rest)), im;
    if (found.is_complex) im = numbers(take(rest));
    const std::uint64_t count = found.type == sparse ? places.size() : found.rows * found.columns;
    // A sparse matrix may have room for more.
    if (found.type == sparse ? re.size() < count : re.size() != count)
      fail(counted(re.size(), "value"), std::to_string(count) + " for the entries of the matrix");
    if (found.is_complex && im.size() != re.size()) fail("other imaginary parts than real ones", "as many");
    re.resize(count);
    const bool are_whole = std::ranges::all_of(re, [](const DoubleDouble& value) {
      return std::fabs(value.hi) < 0x1p63 && value.hi == std::floor(value.hi) && value.lo == std::floor(value.lo);
    });
    if (found.is_complex)
      parsed.weights = std::vector<ComplexDoubleDouble>();
    else if (!are_whole)
      parsed.weights = std::vector<DoubleDouble>();
    else if (!found.is_logical)
      parsed.weights = std::vector<std::int64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
      const Edge place = found.type == sparse
                             ? places[i]
                             : Edge{static_cast<Vertex>(i % found.rows), static_cast<Vertex>(i / found.rows)};
      add_entry(parsed, place, re[i], found.is_complex ? im[i] : DoubleDouble(),
                source_.options.keep_zeros && !found.is_logical);
    }
    return parsed;
  }

  const Source& source_;
  const Text& text_;
  bool is_swapped_ = false;
  std::deque<std::string> inflated_;
  std::vector<Matrix> matrices_;
  std::string passed_over_;
};

}  // namespace

bool is_mat(const Text& text, InputFormat) { return text.is_binary() && whole(text).starts_with("MATLAB 5.0"); }

Parsed read_mat(const Source& source) { return MatReader(source).read(); }

}  // namespace matchcount::readers
