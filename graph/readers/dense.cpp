// Dense text is what numpy.savetxt and spreadsheets write: a line of numbers for every row of a matrix. Every cell is a
// number: an integer, a decimal, a fraction, or a complex number as (1.0e+00-2.0e+00j), 1-2j, 1/2+1/3i or (1,-2). Names
// above and beside the numbers (plain.hpp) are kept.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/real.hpp"
#include "core/numbers/value.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* entry_expectation = "a number: 3, -2.5e-3, 1/3, 1+2i or (1,2)";

constexpr std::int64_t largest_exponent = 900;  // of a double-double, with room for its low part

bool is_complex_unit(char c) { return c == 'j' || c == 'i' || c == 'J' || c == 'I'; }

bool is_infinite_or_nan(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return equal_ignoring_case(text, "nan") || equal_ignoring_case(text, "inf") || equal_ignoring_case(text, "infinity");
}

// Reads a real number or a fraction, rounded to a double-double.
bool parse_part(std::string_view text, DoubleDouble& value) {
  if (text.find('/') == text.npos) return parse_real(text.data(), text.data() + text.size(), value);
  Rational fraction;
  if (!parse_fraction(text, fraction)) return false;
  const ScaledReal scaled = nearest_real(fraction);
  if (std::abs(scaled.exponent) > largest_exponent) return false;
  value = ldexp(scaled.mantissa, static_cast<int>(scaled.exponent));
  return true;
}

// Reads (a+bj), a+bj, bj, with i for j, an absent b being 1; or (a,b), unlike (a, b), which is a name of Python's. Not
// a real number alone.
bool parse_complex(std::string_view text, ComplexDoubleDouble& value) {
  if (text.find(' ') != text.npos) return false;
  const bool in_brackets = text.size() > 2 && text.front() == '(' && text.back() == ')';
  if (in_brackets) text = text.substr(1, text.size() - 2);
  if (const std::size_t comma = text.find(','); in_brackets && comma != text.npos)
    return parse_part(trimmed(text.substr(0, comma)), value.re) &&
           parse_part(trimmed(text.substr(comma + 1)), value.im);
  if (text.empty() || !is_complex_unit(text.back())) return false;
  text.remove_suffix(1);
  std::size_t split = text.size();
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] != '+' && text[i] != '-') continue;
    if (i > 0 && (text[i - 1] == 'e' || text[i - 1] == 'E')) continue;
    split = i;
    break;
  }
  const std::string_view real = split == text.size() ? std::string_view() : text.substr(0, split);
  const std::string_view imaginary = split == text.size() ? text : text.substr(split);
  if (!real.empty() && !parse_part(real, value.re)) return false;
  if (real.empty()) value.re = DoubleDouble();
  if (imaginary.empty() || imaginary == "+" || imaginary == "-") {
    value.im = DoubleDouble(imaginary == "-" ? -1.0 : 1.0);
    return true;
  }
  return parse_part(imaginary, value.im);
}

class DenseReader {
 public:
  DenseReader(const Source& source, bool is_complex)
      : source_(source),
        text_(source.text),
        options_(source.options),
        is_complex_(is_complex),
        parsed_(source),
        values_(source) {
    if (is_complex) values_.only_complex();
  }

  // Nothing where a complex number stands there and is_complex is false.
  std::optional<Parsed> read() {
    names_ = table_names(text_, options_);
    Cursor cursor(text_);
    if (!cursor.skip_to_data("#%")) refuse(text_, 0, "no number", "a line of numbers for every row of a matrix");
    const std::uint64_t first_line = cursor.line();
    separator_ = names_ ? names_->separator : separator_in(options_, cursor.position());
    const char* const header = options_.header == true && !names_ ? cursor.position() : nullptr;
    if (names_) parsed_.num_columns = static_cast<Vertex>(names_->columns.size());
    if (names_ || header != nullptr) cursor.next_line();
    const char* behind = nullptr;  // the row before
    // If rows have names, one may begin like a comment.
    for (const char* const marks = names_ && names_->has_rows ? "" : "#%"; cursor.skip_to_data(marks);
         behind = cursor.position(), cursor.next_line()) {
      const std::uint64_t line = cursor.line();
      if (behind != nullptr) refuse_gap({behind, cursor.position()}, line);
      if (names_ && names_->has_rows) parsed_.row_labels.push_back(row_name(text_, cursor, names_->separator));
      if (names_ && names_->has_word_in_corner && begins_number(parsed_.row_labels.back())) {
        refuse(text_, line, in_quotes(parsed_.row_labels.back()) + " in the first column, where other rows have a name",
               "a name for every row, or the numbers of a matrix alone");
      }
      Fields fields = Fields::of_cells(cursor.position(), separator_);
      std::uint64_t columns = 0;
      for (std::string_view field; fields.next(field); ++columns) {
        if (columns == max_vertices) refuse(text_, line, "more numbers", "at most 2147483647 on a line");
        // An empty cell at the end of every line.
        if (field.empty() && columns > 0 && fields.is_over() && has_empty_end_.value_or(true)) {
          has_empty_end_ = true;
          break;
        }
        if (!add(field, parsed_.num_rows, static_cast<Vertex>(columns), line)) return std::nullopt;
      }
      has_empty_end_ = has_empty_end_.value_or(false);
      if (fields.is_broken() || columns == 0)
        refuse(text_, line,
               fields.is_broken() ? "a quote without an end, or something behind one" : "a row without numbers",
               entry_expectation);
      if (columns > 0 && belongs_to_number(fields.position()))
        refuse(text_, line, in_quotes({fields.position(), 1}) + " behind a number",
               "numbers alone, and a blank before a comment");
      if (parsed_.num_rows == 0 && !names_) parsed_.num_columns = static_cast<Vertex>(columns);
      if (columns != parsed_.num_columns) {
        refuse(text_, line, counted(columns, "number"),
               std::to_string(parsed_.num_columns) + " as on line " + std::to_string(first_line) +
                   "; --format adjlist reads lists of neighbours");
      }
      ++parsed_.num_rows;
    }
    if (header != nullptr && is_digit(*header))
      check_size_of_matrix(text_, options_, parsed_.num_rows, parsed_.num_columns);
    finish();
    return std::move(parsed_);
  }

 private:
  // Refuses what may part two matrices: a blank line between rows, or a comment behind as many rows as columns.
  void refuse_gap(std::string_view between, std::uint64_t line) const {
    between.remove_prefix(between.find('\n') + 1);
    if (between.find('\n') == between.npos) return;
    while (!between.empty()) {
      const std::string_view one = between.substr(0, between.find('\n'));
      if (trimmed(one).empty() && one.size() < between.size())
        refuse(text_, line, "a blank line before a row", "one matrix, whose rows stand line by line");
      between.remove_prefix(std::min(one.size() + 1, between.size()));
    }
    if (parsed_.num_rows == parsed_.num_columns)
      refuse(text_, line, "a row behind a comment and as many rows as columns, which may begin another matrix",
             "one matrix without comments between its rows");
  }
  bool add(std::string_view field, Vertex row, Vertex column, std::uint64_t line) {
    if (field == "0" && !options_.keep_zeros) return true;
    if (is_no_edge(field, options_)) return true;
    ComplexDoubleDouble complex;
    const bool may_be_complex = !field.empty() && (is_complex_unit(field.back()) || field.back() == ')');
    if (may_be_complex && !is_infinite_or_nan(field)) {
      if (!parse_complex(field, complex)) refuse_entry(field, column, line);
      if (!is_complex_) return false;
    } else if (!is_entry(field)) {
      refuse_entry(field, column, line);
    } else if (is_complex_ && !parse_part(field, complex.re)) {
      read_real(text_, line, field);
    }
    if (is_complex_) {
      values_.add(complex);
    } else {
      values_.add(text_, line, field);
    }
    all_ones_ = all_ones_ && field == "1";
    parsed_.add_edge(row, column, line);
    return true;
  }
  [[noreturn]] void refuse_entry(std::string_view field, Vertex column, std::uint64_t line) const {
    // Tells what is infinite, or has a decimal comma, as such.
    if (is_infinite_or_nan(field) || (begins_number(field) && field.find(',') != field.npos))
      read_real(text_, line, field);
    const std::string found = field.empty() ? "an empty cell" : in_quotes(field);
    const bool may_be_name = options_.format == InputFormat::automatic && field.find_first_of("[](){}") == field.npos;
    refuse(text_, line, found + " in column " + std::to_string(column + 1),
           std::string(entry_expectation) + (may_be_name ? "; --format edgelist where the lines are edges" : "") +
               (parsed_.num_rows == 0 && !options_.header ? "; --header yes where the line is a header" : ""));
  }
  void finish() {
    check_vertex_counts(text_, 0, parsed_.num_rows, parsed_.num_columns);
    const InputKind kind = kind_of(options_);
    const bool one_set = kind == InputKind::directed || kind == InputKind::undirected;
    check_square(source_, 0, parsed_.num_rows, parsed_.num_columns);
    if (names_ && !names_->has_rows && one_set) parsed_.row_labels = names_->columns;
    if (names_ && one_set && parsed_.row_labels != names_->columns) {
      refuse(text_, 0, "rows and columns with different names",
             "the same names in the same order above and beside the matrix of a graph");
    }
    if (names_ && one_set &&
        std::set<std::string>(names_->columns.begin(), names_->columns.end()).size() < parsed_.num_columns)
      refuse(text_, 0, "a name that stands above two columns", "a name for every vertex");
    if (names_ && kind != InputKind::undirected) parsed_.column_labels = names_->columns;
    if (kind == InputKind::undirected) parsed_.shape = Parsed::Shape::mirrored;
    // Zeros and ones say where edges are, and are no weights.
    if (!all_ones_) values_.give(text_, parsed_);
  }

  const Source& source_;
  const Text& text_;
  const InputOptions& options_;
  bool is_complex_;
  bool all_ones_ = true;
  char separator_ = ' ';
  std::optional<bool> has_empty_end_;  // the lines end in an empty cell
  std::optional<TableNames> names_;
  Parsed parsed_;
  Values values_;
};

}  // namespace

bool is_entry(std::string_view text) {
  ComplexDoubleDouble complex;
  return is_number(text) || is_infinite_or_nan(text) || parse_complex(text, complex);
}

bool is_numeric(std::string_view cell) { return is_entry(cell) && (cell.size() > 1 || is_digit(cell[0])); }

bool is_pair(std::string_view cell) {
  std::string joined(cell);
  std::erase(joined, ' ');
  return cell.starts_with('(') && is_entry(joined);
}

bool is_finite_number(std::string_view cell) {
  return is_pair(cell) || (is_numeric(cell) && !is_infinite_or_nan(cell));
}

bool is_no_edge(std::string_view field, const InputOptions& options) {
  if (options.no_edge.empty()) return false;
  if (is_infinite_or_nan(options.no_edge)) {
    const auto plain = [](std::string_view text) {
      text.remove_prefix(text.starts_with('+') ? 1 : 0);
      return equal_ignoring_case(text, "infinity") ? std::string_view("inf") : text;
    };
    return equal_ignoring_case(plain(field), plain(options.no_edge));
  }
  Rational one, other;
  return parse_fraction(field, one) && parse_fraction(options.no_edge, other) && one == other;
}

Parsed read_dense(const Source& source) {
  std::optional<Parsed> parsed = DenseReader(source, false).read();
  return parsed ? std::move(*parsed) : *DenseReader(source, true).read();
}

}  // namespace matchcount::readers
