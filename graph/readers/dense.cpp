// Dense text is what numpy.savetxt and spreadsheets write: a line of numbers for every row of a matrix. Complex numbers
// stand there as (1.0e+00-2.0e+00j), 1-2j or 1-2i. Names above and beside the numbers (table_names.hpp) are kept.

#include "graph/readers/dense.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/real.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/table_names.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* entry_expectation = "a number";

bool is_complex_unit(char c) { return c == 'j' || c == 'i' || c == 'J' || c == 'I'; }

bool parse_finite(std::string_view text, DoubleDouble& value) {
  return parse_real(text.data(), text.data() + text.size(), value);
}

bool is_infinite_or_nan(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return equal_ignoring_case(text, "nan") || equal_ignoring_case(text, "inf") || equal_ignoring_case(text, "infinity");
}

bool is_fraction(std::string_view text) {
  Rational value;
  return text.find('/') != text.npos && parse_fraction(text, value);
}

// (a+bj), a+bj, bj, with i for j; an absent b is 1. Not a real number alone.
bool parse_complex(std::string_view text, ComplexDoubleDouble& value) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
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
  if (!real.empty() && !parse_finite(real, value.re)) return false;
  if (real.empty()) value.re = DoubleDouble();
  if (imaginary.empty() || imaginary == "+" || imaginary == "-") {
    value.im = DoubleDouble(imaginary == "-" ? -1.0 : 1.0);
    return true;
  }
  return parse_finite(imaginary, value.im);
}

bool is_number(std::string_view text) {
  DoubleDouble real;
  ComplexDoubleDouble complex;
  return parse_finite(text, real) || is_infinite_or_nan(text) || is_fraction(text) || parse_complex(text, complex);
}

// What may well be a number: the reader looks closer.
bool starts_like_number(std::string_view text) {
  if (!text.empty() && text[0] == '(') text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return (!text.empty() && is_digit(text[0])) || is_infinite_or_nan(text);
}

// Gives the fields of a line one by one.
class FieldScanner {
 public:
  // A line has one kind of separator: the delimiter asked for, else its commas or semicolons, else blanks.
  FieldScanner(const char* line, char delimiter) : p_(line), separator_(delimiter == 0 ? ' ' : delimiter) {
    const char* end = p_;
    bool comma = false;
    bool semicolon = false;
    for (; *end != '\n'; ++end) {
      comma = comma || *end == ',';
      semicolon = semicolon || *end == ';';
      if (*end == '#' || *end == '%') break;  // no number has such a character
    }
    end_ = end;
    if (delimiter != 0) return;
    is_mixed_ = comma && semicolon;
    if (comma) separator_ = ',';
    if (semicolon) separator_ = ';';
  }

  bool is_mixed() const { return is_mixed_; }  // commas and semicolons
  // An empty field is one, where something separates it from others. False at the end of the line.
  bool next(std::string_view& field) {
    while (p_ != end_ && is_padding(*p_)) ++p_;
    if (p_ == end_ && !expects_field_) return false;
    const char* const start = p_;
    if (separator_ == ' ') {
      while (p_ != end_ && !is_blank(*p_)) ++p_;
      field = {start, p_};
      return true;
    }
    while (p_ != end_ && *p_ != separator_) ++p_;
    const char* last = p_;
    while (last != start && is_padding(last[-1])) --last;
    field = {start, last};
    expects_field_ = p_ != end_;
    if (expects_field_) ++p_;
    return true;
  }

 private:
  bool is_padding(char c) const { return is_blank(c) && (c != separator_ || c == ' '); }

  const char* p_;
  const char* end_ = nullptr;
  char separator_;
  bool is_mixed_ = false;
  bool expects_field_ = false;  // behind a separator
};

bool start(Cursor& cursor, const InputOptions& options) {
  if (!cursor.skip_to_data("#%")) return false;
  if (!options.header.value_or(false)) return true;
  cursor.next_line();
  return cursor.skip_to_data("#%");
}

// How many numbers a line has; 0 where something else stands among them.
template <class IsNumber>
std::size_t count_numbers(const char* line, char delimiter, IsNumber&& is_number_text) {
  FieldScanner fields(line, delimiter);
  if (fields.is_mixed()) return 0;
  std::size_t count = 0;
  for (std::string_view field; fields.next(field); ++count) {
    if (!is_number_text(field)) return 0;
  }
  return count;
}

// Whether lines of 2 or 3 numbers (`size`) could be edges or a matrix: as many lines, or decimals in the place of
// names. The matrix of an undirected graph has zeros on its diagonal and is symmetric, and then an edge would be given
// twice.
bool is_ambiguous(Cursor cursor, std::size_t size, const InputOptions& options, InputKind kind) {
  std::size_t rows = 0;
  bool zeros_and_ones = true, names = true;
  for (; cursor.skip_to_data("#%"); cursor.next_line(), ++rows) {
    std::size_t place = 0;
    const std::size_t columns = count_numbers(cursor.position(), options.delimiter, [&](std::string_view field) {
      zeros_and_ones = zeros_and_ones && (field == "0" || field == "1");
      names = names && (place++ >= 2 || field.find_first_of(".eEij/") == field.npos);
      return is_number(field);
    });
    if (columns != size) return false;
    if (rows > size && names) return false;
  }
  // Decimals in the place of names are hardly names.
  return !names || (rows == size && (kind != InputKind::undirected || zeros_and_ones));
}

// What a look at all lines of a text says that has as many numbers on each.
struct Lines {
  std::size_t rows = 0;
  bool zeros_and_ones = true;
  bool names_first = true;     // the first two columns are digits alone
  bool times_last = true;      // the last column has numbers as the seconds of a Unix clock are
  bool numbers_above = true;   // the first line is 0, 1, 2 and so on, or 1, 2, 3
  bool numbers_beside = true;  // so is the first column
  bool sets_beside = true;     // behind it stand naturals, on no line one of them twice
};

// Whether these fields, taken one by one, are 0, 1, 2 and so on, or 1, 2, 3.
class Counting {
 public:
  bool add(std::string_view field) {
    std::int64_t number = 0;
    if (!canonical_integer(field, number)) return false;
    if (!next_) next_ = number == 0 ? 0 : 1;
    return number == (*next_)++;
  }

 private:
  std::optional<std::int64_t> next_;
};

bool is_natural(std::string_view field) { return !field.empty() && std::ranges::all_of(field, is_digit); }

bool are_set_of_naturals(std::vector<std::string_view>& fields) {
  if (!std::ranges::all_of(fields, is_natural)) return false;
  std::ranges::sort(fields);
  return std::ranges::adjacent_find(fields) == fields.end();
}

// Nothing where a line has another length or no numbers.
std::optional<Lines> look_at(Cursor cursor, std::size_t columns, char delimiter) {
  constexpr std::size_t digits_of_time = 9;  // from 1973 on
  Lines lines;
  Counting above, beside;
  std::vector<std::string_view> others;  // of a line
  for (; cursor.skip_to_data("#%"); cursor.next_line(), ++lines.rows) {
    std::size_t place = 0;
    others.clear();
    const auto see = [&](std::string_view field) {
      lines.zeros_and_ones = lines.zeros_and_ones && (field == "0" || field == "1");
      if (place < 2 && !is_natural(field)) lines.names_first = false;
      if (place == 0) lines.numbers_beside = lines.numbers_beside && beside.add(field);
      if (place > 0 && lines.sets_beside) others.push_back(field);
      ++place;
      if (place == columns && (!is_natural(field) || field.size() < digits_of_time)) lines.times_last = false;
      if (lines.rows == 0) lines.numbers_above = lines.numbers_above && above.add(field);
      return starts_like_number(field);
    };
    if (count_numbers(cursor.position(), delimiter, see) != columns) return std::nullopt;
    lines.sets_beside = lines.sets_beside && lines.numbers_beside && are_set_of_naturals(others);
  }
  return lines;
}

// Whether lines of integers could be a vertex and its neighbours each: every neighbour heads a line that has the first
// one's name.
bool could_be_neighbours(Cursor cursor, char delimiter) {
  std::set<std::int64_t> heads;
  std::set<std::pair<std::int64_t, std::int64_t>> arcs;
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    FieldScanner fields(cursor.position(), delimiter);
    std::optional<std::int64_t> head;
    for (std::string_view field; fields.next(field);) {
      std::int64_t number = 0;
      if (!canonical_integer(field, number)) return false;
      if (!head) {
        head = number;
        if (!heads.insert(number).second) return false;
      } else if (number == *head || !arcs.insert({*head, number}).second) {
        return false;
      }
    }
  }
  return std::ranges::all_of(arcs, [&](const auto& arc) { return arcs.contains({arc.second, arc.first}); });
}

class DenseReader {
 public:
  DenseReader(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions, bool is_complex)
      : text_(text),
        options_(options),
        with_lines_(with_lines),
        as_fractions_(as_fractions),
        is_complex_(is_complex),
        values_(rule_for_reals(options, as_fractions)) {}

  // Nothing where a complex number stands there and is_complex is false.
  std::optional<Parsed> read();

 private:
  bool add(std::string_view field, Vertex row, Vertex column, std::uint64_t line);
  void refuse_entry(std::string_view field, Vertex row, std::uint64_t line) const;
  void finish();

  const Text& text_;
  const InputOptions& options_;
  bool with_lines_;
  bool as_fractions_;
  bool is_complex_;
  bool all_ones_ = true;
  std::optional<TableNames> names_;
  Parsed parsed_;
  Values values_;
  std::vector<ComplexDoubleDouble> complex_values_;
};

void DenseReader::refuse_entry(std::string_view field, Vertex row, std::uint64_t line) const {
  if (field.empty()) refuse(text_, line, "an empty field", entry_expectation);
  refuse(text_, line, in_quotes(field),
         row == 0 && !options_.header && !names_ && !starts_like_number(field)
             ? "a number, or --header yes where the first line is a header"
             : entry_expectation);
}

bool DenseReader::add(std::string_view field, Vertex row, Vertex column, std::uint64_t line) {
  if (field == "0" && !options_.keep_zeros) return true;
  ComplexDoubleDouble complex;
  const bool may_be_complex = !field.empty() && (is_complex_unit(field.back()) || field.back() == ')');
  if (may_be_complex && !is_infinite_or_nan(field)) {
    if (!parse_complex(field, complex)) refuse_entry(field, row, line);
    if (!is_complex_) return false;
  } else if (!starts_like_number(field)) {
    refuse_entry(field, row, line);
  } else if (is_complex_) {
    complex = {read_real(text_, line, field), DoubleDouble()};
  }
  if (is_complex_) {
    if (as_fractions_) refuse(text_, line, "complex numbers beside fractions", "one or the other");
    complex_values_.push_back(complex);
  } else {
    values_.add(text_, line, field);
  }
  all_ones_ = all_ones_ && field == "1";
  parsed_.edges.push_back({row, column});
  if (with_lines_) parsed_.lines.push_back(line);
  return true;
}

std::optional<Parsed> DenseReader::read() {
  names_ = table_names(text_, options_);
  Cursor cursor(text_);
  if (!(names_ ? cursor.skip_to_data("#%") : start(cursor, options_)))
    refuse(text_, 0, "no number", "a line of numbers for every row of a matrix");
  const std::uint64_t first_line = cursor.line();
  if (names_) {
    parsed_.num_columns = static_cast<Vertex>(names_->columns.size());
    cursor.next_line();
  }
  // What begins like a comment is the name of a row where rows have names.
  for (const char* const marks = names_ ? "" : "#%"; cursor.skip_to_data(marks); cursor.next_line()) {
    const std::uint64_t line = cursor.line();
    if (names_) parsed_.row_labels.push_back(row_name(text_, cursor, names_->separator));
    FieldScanner fields(cursor.position(), names_ ? names_->separator : options_.delimiter);
    if (fields.is_mixed()) {
      refuse(text_, line, "commas and semicolons on one line",
             "one of them between numbers with decimal points, and a line for every row");
    }
    std::uint64_t columns = 0;
    for (std::string_view field; fields.next(field); ++columns) {
      if (columns == max_vertices) refuse(text_, line, "more numbers", "at most 2147483647 on a line");
      if (!add(field, parsed_.num_rows, static_cast<Vertex>(columns), line)) return std::nullopt;
    }
    if (parsed_.num_rows == 0 && !names_) parsed_.num_columns = static_cast<Vertex>(columns);
    if (columns != parsed_.num_columns) {
      refuse(text_, line, std::to_string(columns) + (columns == 1 ? " number" : " numbers"),
             std::to_string(parsed_.num_columns) + " as on line " + std::to_string(first_line) +
                 "; --format adjlist reads lists of neighbours");
    }
    ++parsed_.num_rows;
  }
  finish();
  return std::move(parsed_);
}

void DenseReader::finish() {
  check_vertex_counts(text_, 0, parsed_.num_rows, parsed_.num_columns);
  const InputKind kind = kind_of(options_);
  const bool one_set = kind == InputKind::directed || kind == InputKind::undirected;
  if (one_set && parsed_.num_rows != parsed_.num_columns) {
    refuse(text_, 0, std::to_string(parsed_.num_rows) + " rows and " + std::to_string(parsed_.num_columns) + " columns",
           kind == InputKind::directed ? "as many rows as columns in the matrix of a directed graph"
                                       : "as many rows as columns in the matrix of an undirected graph");
  }
  if (names_ && one_set && parsed_.row_labels != names_->columns) {
    refuse(text_, 0, "rows and columns with different names",
           "the same names in the same order above and beside the matrix of a graph");
  }
  if (names_ && one_set &&
      std::set<std::string>(names_->columns.begin(), names_->columns.end()).size() < parsed_.num_columns)
    refuse(text_, 0, "a name that stands above two columns", "a name for every vertex");
  if (names_ && kind != InputKind::undirected) parsed_.column_labels = names_->columns;
  if (kind == InputKind::undirected) parsed_.shape = Parsed::Shape::mirrored;
  if (is_complex_) {
    parsed_.weights = std::move(complex_values_);
  } else if (!all_ones_) {
    // Zeros and ones say where edges are, and are no weights.
    values_.give(text_, parsed_);
  }
}

// Refuses a line of words alone above lines of as many numbers, four or more, which is a header and no edge.
void refuse_header(const Text& text, Cursor cursor, char delimiter) {
  constexpr std::size_t least = 4;
  const auto is_word = [](std::string_view field) { return !field.empty() && !starts_like_number(field); };
  const std::size_t words = count_numbers(cursor.position(), delimiter, is_word);
  const std::uint64_t line = cursor.line();
  cursor.next_line();
  if (words < least || !cursor.skip_to_data("#%")) return;
  if (count_numbers(cursor.position(), delimiter, is_number) != words) return;
  refuse(text, line, "a line of " + std::to_string(words) + " words above lines of as many numbers",
         "--header yes where they head the columns of a matrix, or --format adjlist where each line has the neighbours "
         "of a vertex");
}

bool is_square(std::size_t number) {
  std::size_t root = 0;
  while (root * root < number) ++root;
  return root * root == number;
}

}  // namespace

bool is_dense(const Text& text, const InputOptions& options, InputKind kind) {
  Cursor cursor(text);
  if (!start(cursor, options)) return false;
  const std::size_t columns = count_numbers(cursor.position(), options.delimiter, is_number);
  const std::uint64_t first_line = cursor.line();
  if (columns == 0) {
    if (!options.header) refuse_header(text, cursor, options.delimiter);
    return false;
  }
  if (columns == 1) {
    cursor.next_line();
    return kind == InputKind::matrix && !cursor.skip_to_data("#%");
  }
  const std::string size = std::to_string(columns);
  if (columns < 4) {
    if (!is_ambiguous(cursor, columns, options, kind)) return false;
    refuse(text, first_line, "lines of " + size + " numbers that may be a matrix",
           "--format dense where they are its rows, or --format edgelist where every line is an edge");
  }
  const std::optional<Lines> lines = look_at(cursor, columns, options.delimiter);
  if (!lines) return false;
  if (columns == 4 && lines->names_first && !lines->zeros_and_ones && (lines->rows != columns || lines->times_last)) {
    refuse(text, first_line, "lines of 4 numbers, where each could be an edge with its weight and time",
           "--format dense where they are the rows of a matrix, or a first line '% sym', '% asym' or '% bip' as KONECT "
           "has it where they are edges");
  }
  if (!options.header && lines->numbers_above && lines->rows == columns + 1) {
    refuse(text, first_line, "a line of numbers in order before " + size + " lines of " + size,
           "--header yes where it numbers the columns of a matrix, or --header no where it is a row");
  }
  if (lines->numbers_beside && lines->rows + 1 == columns) {
    refuse(text, first_line, "numbers in order beside " + std::to_string(lines->rows) + " rows of as many numbers",
           "the matrix alone where they number its rows, or --format dense where they are entries");
  }
  if (lines->rows == 1 && is_square(columns)) {
    refuse(text, first_line, "a single line of " + size + " numbers, which may be all those of a square matrix",
           "a line for every row, or --format dense where they are one row");
  }
  if (could_be_neighbours(cursor, options.delimiter) ||
      (lines->sets_beside && lines->rows > 1 && !lines->zeros_and_ones)) {
    refuse(text, first_line, "lines of " + size + " numbers, where each could be a vertex and its neighbours",
           "--format dense where they are the rows of a matrix, or --format adjlist");
  }
  return true;
}

Parsed read_dense(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions) {
  if (std::optional<Parsed> parsed = DenseReader(text, options, with_lines, as_fractions, false).read()) {
    return std::move(*parsed);
  }
  return *DenseReader(text, options, with_lines, as_fractions, true).read();
}

}  // namespace matchcount::readers
