// Dense text is what numpy.savetxt and spreadsheets write: a line of numbers for every row of a matrix. Complex numbers
// stand there as (1.0e+00-2.0e+00j), 1-2j or 1-2i. Names above and beside the numbers (readings.hpp) are kept.

#include "graph/readers/readings.hpp"

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
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

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

bool is_entry(std::string_view text) {
  ComplexDoubleDouble complex;
  return is_number(text) || is_infinite_or_nan(text) || parse_complex(text, complex);
}

// Says whether a field may well be a number: the reader looks closer.
bool starts_like_number(std::string_view text) { return begins_number(text) || is_infinite_or_nan(text); }

bool start(Cursor& cursor, const InputOptions& options) {
  if (!cursor.skip_to_data("#%")) return false;
  if (!options.header.value_or(false)) return true;
  cursor.next_line();
  return cursor.skip_to_data("#%");
}

// How many numbers a line has; 0 where something else stands among them.
template <class IsNumber>
std::size_t count_numbers(const char* line, char delimiter, IsNumber&& is_number_text) {
  Fields fields = Fields::of_numbers(line, delimiter);
  if (fields.is_mixed()) return 0;
  std::size_t count = 0;
  for (std::string_view field; fields.next(field); ++count) {
    if (!is_number_text(field)) return 0;
  }
  return count;
}

// Describes the lines of a text that has as many numbers on each.
struct Lines {
  std::size_t rows = 0;
  bool zeros_and_ones = true;
  bool names_first = true;     // the first two columns are digits alone
  bool times_last = true;      // the last column has numbers as the seconds of a Unix clock are
  bool numbers_above = true;   // the first line is 0, 1, 2 and so on, or 1, 2, 3
  bool numbers_beside = true;  // so is the first column
  bool names_above = false;    // the first line has successive integers, in any order
  bool names_beside = false;   // so has the first column
  bool sets_beside = true;     // behind it stand naturals, on no line one of them twice
};

// Tells whether fields, taken one by one, are 0, 1, 2 and so on, or 1, 2, 3.
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

// Tells whether fields are successive integers, in any order.
class Numbering {
 public:
  void add(std::string_view field) {
    std::int64_t number = 0;
    are_integers_ = are_integers_ && canonical_integer(field, number);
    if (are_integers_) numbers_.push_back(number);
  }
  bool is_one() {
    if (!are_integers_ || numbers_.empty()) return false;
    std::ranges::sort(numbers_);
    return std::ranges::adjacent_find(numbers_, [](auto a, auto b) { return b - 1 != a; }) == numbers_.end();
  }

 private:
  bool are_integers_ = true;
  std::vector<std::int64_t> numbers_;
};

bool is_natural(std::string_view field) { return parse_natural(field).has_value(); }

bool is_printable(char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7F'; }

bool are_set_of_naturals(std::vector<std::string_view>& fields) {
  if (!std::ranges::all_of(fields, is_natural)) return false;
  std::ranges::sort(fields);
  return std::ranges::adjacent_find(fields) == fields.end();
}

// Tells whether lines that begin with two indices name the places of a matrix in order, one row or column after
// another, none of them empty and more of them than a matrix needs that has an entry in each.
class PlacesInOrder {
 public:
  void add(std::uint64_t major, std::uint64_t minor) {
    const bool is_next = major == major_ ? minor > minor_ : major == major_ + 1;
    in_order_ = in_order_ && is_next && major > 0 && minor > 0;
    major_ = major;
    minor_ = minor;
    minors_.insert(minor);
    ++count_;
  }
  explicit operator bool() const {
    return in_order_ && *minors_.rbegin() == minors_.size() && count_ >= major_ + minors_.size();
  }

 private:
  bool in_order_ = true;
  std::uint64_t major_ = 0, minor_ = 0, count_ = 0;
  std::set<std::uint64_t> minors_;
};

// Describes lines of 2 or 3 fields each.
class NarrowLines {
 public:
  explicit NarrowLines(std::size_t size) : size_(size) {}

  // False where a line has another number of fields, or a field that edge lists see to.
  bool add(const Cursor& cursor, char delimiter) {
    std::uint64_t indices[3] = {0, 0, 0};
    std::string_view fields[3];
    std::size_t count = 0;
    const auto keep = [&](std::string_view field) {
      if (count < size_) fields[count] = field;
      return ++count <= size_;
    };
    if (count_numbers(cursor.position(), delimiter, keep) != size_) return false;
    if (rows_ == 0)
      is_counted_above_ = std::all_of(fields, fields + size_, [this](auto field) { return above_.add(field); });
    is_counted_beside_ = is_counted_beside_ && beside_.add(fields[0]);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::string_view field = fields[i];
      const char* p = field.data();
      if (is_natural(field) ? scan_digits(p, indices[i]) : is_entry(field) && !is_infinite_or_nan(field)) {
        ++numbers_in_[i];
        const bool counts = (rows_ == 0 && is_counted_above_) || (i == 0 && size_ == 3 && is_counted_beside_);
        zeros_and_ones_ = zeros_and_ones_ && (field == "0" || field == "1" || counts);
        names_ = names_ && (i >= 2 || field.find_first_of(".eEij/") == field.npos);
        continue;
      }
      // Characters that no name may have, or that say it is a name, are left to others.
      if (field.empty() || field.front() == '"' || !std::ranges::all_of(field, is_printable) || !is_utf8(field))
        return false;
      if (others_++ == 0) {
        other_ = field;
        line_of_other_ = cursor.line();
      }
      if (rows_ == 0) ++others_above_;
    }
    by_rows_.add(indices[0], indices[1]);
    by_columns_.add(indices[1], indices[0]);
    if (rows_++ <= size_) cells_.emplace_back(fields, fields + size_);
    return true;
  }

  std::size_t rows() const { return rows_; }
  bool are_edges_of_sides() const { return names_ && !zeros_and_ones_; }
  // Words alone above numbers.
  bool have_header() const { return others_ == size_ && others_above_ == size_ && rows_ > 1; }
  // Names stand on the first line alone.
  bool are_names_above() const { return others_ > 0 && others_ == others_above_; }
  // Names stand in a column of their own, or are as many as numbers, words above them aside.
  bool are_names() const {
    const std::size_t above = others_above_ == size_ ? 1 : 0;
    return 2 * (others_ - above * size_) >= (rows_ - above) * size_ ||
           std::find(numbers_in_, numbers_in_ + size_, std::size_t{0}) != numbers_in_ + size_;
  }
  bool may_be_matrix(const InputOptions& options, InputKind kind) const {
    if (kind == InputKind::matrix) return others_ > 0 || !(by_rows_ || by_columns_);
    if (kind == InputKind::bipartite) {
      if (!names_ || rows_ == size_ || (rows_ > 1 && zeros_and_ones_)) return true;
      const bool is_near = rows_ > 1 && rows_ + 1 >= size_ && rows_ <= size_ + 1;
      if (is_counted_above_ && !options.header && rows_ == 4 && size_ == 3 && cells_[0][0] == "0") return true;
      // Nobody has said what a name in both columns is, and that is refused elsewhere.
      return is_near && (others_ > 0 || (!options.kind && !shares_name()));
    }
    const std::size_t above = is_counted_above_ && !options.header && rows_ == size_ + 1 ? 1 : 0;
    const std::size_t beside = is_counted_beside_ && size_ == 3 && rows_ == 2 ? 1 : 0;
    if (rows_ - above != size_ - beside) return false;
    const bool is_square = above + beside == 0, is_undirected = kind == InputKind::undirected;
    if (others_ > 0 || (is_square && !is_undirected)) return true;
    if (zeros_and_ones_ || (is_square && !names_)) return true;
    // Each edge of an undirected graph stands in its matrix twice. With numbers above or beside, 0 1 and 1 2 are edges.
    const bool may_be_twice = options.loops || options.duplicates != Duplicates::refuse;
    if (is_undirected) return is_symmetric(above, beside) && (may_be_twice || (!is_square && size_ == 3));
    return size_ == 3 && cells_[0][0] == "0";
  }
  [[noreturn]] void refuse_as_matrix(const Text& text, std::uint64_t first_line) const {
    const std::string lines = "lines of " + std::to_string(size_) + " numbers";
    if (others_ > 0) {
      refuse(text, line_of_other_, in_quotes(other_) + " among " + lines + ", which may be a matrix",
             "a number where they are its rows, or --format edgelist where every line is an edge and this is a name");
    }
    refuse(text, first_line, lines + " that may be a matrix",
           "--format dense where they are its rows, or --format edgelist where every line is an edge");
  }

 private:
  bool shares_name() const {
    return std::ranges::any_of(cells_, [this](const auto& one) {
      return std::ranges::any_of(cells_, [&one](const auto& other) { return one[0] == other[1]; });
    });
  }
  bool is_symmetric(std::size_t above, std::size_t beside) const {
    for (std::size_t i = above; i < rows_; ++i) {
      for (std::size_t j = beside; j < size_; ++j)
        if (cells_[i][j] != cells_[j - beside + above][i - above + beside]) return false;
    }
    return true;
  }

  std::size_t size_;
  std::size_t rows_ = 0;
  std::size_t others_ = 0, others_above_ = 0;  // fields that are no numbers; those on the first line
  std::size_t numbers_in_[3] = {0, 0, 0};
  bool zeros_and_ones_ = true;  // but for numbers that count rows or columns
  bool names_ = true;           // the first two numbers may be: they are no decimals
  bool is_counted_above_ = true, is_counted_beside_ = true;
  Counting above_, beside_;
  PlacesInOrder by_rows_, by_columns_;
  std::vector<std::vector<std::string_view>> cells_;  // of the first lines
  std::string_view other_;
  std::uint64_t line_of_other_ = 0;
};

// Refuses lines of 2 or 3 numbers (`size`) that could be edges or a matrix, also where a few cells are none: for a
// matrix of rows and columns any such lines but a list of its places in order; for a graph with two sides as many lines
// as numbers on them, one more or less, zeros and ones alone, or decimals in the place of names; for one set of
// vertices as many lines as numbers. The matrix of an undirected graph is symmetric, and then an edge would be given
// twice.
void refuse_narrow(const Text& text, Cursor cursor, std::size_t size, const InputOptions& options) {
  constexpr std::size_t longest_matrix = 1000;
  const InputKind kind = kind_of(options);
  const std::uint64_t first_line = cursor.line();
  NarrowLines lines(size);
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    if (!lines.add(cursor, delimiter_of(options))) return;
    const bool is_long = kind == InputKind::matrix      ? lines.rows() > longest_matrix
                         : kind == InputKind::bipartite ? lines.rows() > size + 1 && lines.are_edges_of_sides()
                                                        : lines.rows() > size + 1;
    if (is_long) return;
  }
  // Somebody says that the first line is none.
  if (options.header == false && lines.are_names_above()) return;
  if (!options.header && lines.have_header()) {
    refuse(text, first_line, "a line of words above lines of numbers, which looks like a header",
           "--header yes to pass it over, or --header no where it is an edge");
  }
  if (!lines.are_names() && lines.may_be_matrix(options, kind)) lines.refuse_as_matrix(text, first_line);
}

// Nothing where a line has another length or no numbers.
std::optional<Lines> look_at(Cursor cursor, std::size_t columns, char delimiter) {
  constexpr std::size_t digits_of_time = 9;  // from 1973 on
  Lines lines;
  Counting above, beside;
  Numbering names_above, names_beside;
  std::vector<std::string_view> others;  // of a line
  for (; cursor.skip_to_data("#%"); cursor.next_line(), ++lines.rows) {
    std::size_t place = 0;
    others.clear();
    const auto see = [&](std::string_view field) {
      lines.zeros_and_ones = lines.zeros_and_ones && (field == "0" || field == "1");
      if (place < 2 && !is_natural(field)) lines.names_first = false;
      if (place == 0) lines.numbers_beside = lines.numbers_beside && beside.add(field);
      if (place == 0) names_beside.add(field);
      if (lines.rows == 0) names_above.add(field);
      if (place > 0 && lines.sets_beside) others.push_back(field);
      ++place;
      if (place == columns && (!is_natural(field) || field.size() < digits_of_time)) lines.times_last = false;
      if (lines.rows == 0) lines.numbers_above = lines.numbers_above && above.add(field);
      return starts_like_number(field);
    };
    if (count_numbers(cursor.position(), delimiter, see) != columns) return std::nullopt;
    lines.sets_beside = lines.sets_beside && lines.numbers_beside && are_set_of_naturals(others);
  }
  lines.names_above = names_above.is_one();
  lines.names_beside = names_beside.is_one();
  return lines;
}

// Says whether lines of integers could be a vertex and its neighbours each: every neighbour heads a line that has the
// first one's name; of arcs any line, and loops are some.
bool could_be_a_line_each(Cursor cursor, char delimiter, bool of_arcs) {
  std::set<std::int64_t> heads;
  std::set<std::pair<std::int64_t, std::int64_t>> arcs;
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    Fields fields = Fields::of_numbers(cursor.position(), delimiter);
    std::optional<std::int64_t> head;
    for (std::string_view field; fields.next(field);) {
      std::int64_t number = 0;
      if (!canonical_integer(field, number)) return false;
      if (!head) {
        head = number;
        if (!heads.insert(number).second) return false;
      } else if ((number == *head && !of_arcs) || !arcs.insert({*head, number}).second) {
        return false;
      }
    }
  }
  return std::ranges::all_of(arcs, [&](const auto& arc) {
    return of_arcs ? heads.contains(arc.second) : arcs.contains({arc.second, arc.first});
  });
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
    if (!(names_ ? cursor.skip_to_data("#%") : start(cursor, options_)))
      refuse(text_, 0, "no number", "a line of numbers for every row of a matrix");
    const std::uint64_t first_line = cursor.line();
    if (names_) {
      parsed_.num_columns = static_cast<Vertex>(names_->columns.size());
      cursor.next_line();
    }
    // If rows have names, one may begin like a comment.
    for (const char* const marks = names_ ? "" : "#%"; cursor.skip_to_data(marks); cursor.next_line()) {
      const std::uint64_t line = cursor.line();
      if (names_) parsed_.row_labels.push_back(row_name(text_, cursor, names_->separator));
      if (names_ && names_->has_word_in_corner && begins_number(parsed_.row_labels.back())) {
        refuse(text_, line, in_quotes(parsed_.row_labels.back()) + " in the first column, where other rows have a name",
               "a name for every row, or the numbers of a matrix alone");
      }
      Fields fields = Fields::of_numbers(cursor.position(), names_ ? names_->separator : delimiter_of(options_));
      if (fields.is_mixed()) {
        refuse(text_, line, "commas and semicolons on one line",
               "one of them between numbers with decimal points, and a line for every row");
      }
      std::uint64_t columns = 0;
      for (std::string_view field; fields.next(field); ++columns) {
        if (columns == max_vertices) refuse(text_, line, "more numbers", "at most 2147483647 on a line");
        if (!add(field, parsed_.num_rows, static_cast<Vertex>(columns), line)) return std::nullopt;
      }
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
    finish();
    return std::move(parsed_);
  }

 private:
  bool add(std::string_view field, Vertex row, Vertex column, std::uint64_t line) {
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
      if (source_.as_fractions) refuse(text_, line, "complex numbers beside fractions", "one or the other");
      values_.add(complex);
    } else {
      values_.add(text_, line, field);
    }
    all_ones_ = all_ones_ && field == "1";
    parsed_.add_edge(row, column, line);
    return true;
  }
  void refuse_entry(std::string_view field, Vertex row, std::uint64_t line) const {
    if (field.empty()) refuse(text_, line, "an empty field", entry_expectation);
    refuse(text_, line, in_quotes(field),
           row == 0 && !options_.header && !names_ && !starts_like_number(field)
               ? "a number, or --header yes where the first line is a header"
               : entry_expectation);
  }
  void finish() {
    check_vertex_counts(text_, 0, parsed_.num_rows, parsed_.num_columns);
    const InputKind kind = kind_of(options_);
    const bool one_set = kind == InputKind::directed || kind == InputKind::undirected;
    check_square(source_, 0, parsed_.num_rows, parsed_.num_columns);
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
  std::optional<TableNames> names_;
  Parsed parsed_;
  Values values_;
};

// Refuses a line of words alone above lines of as many numbers, four or more, which is a header and no edge.
void refuse_header(const Text& text, Cursor cursor, char delimiter) {
  constexpr std::size_t least = 4;
  const auto is_word = [](std::string_view field) { return !field.empty() && !starts_like_number(field); };
  const std::size_t words = count_numbers(cursor.position(), delimiter, is_word);
  const std::uint64_t line = cursor.line();
  cursor.next_line();
  if (words < least || !cursor.skip_to_data("#%")) return;
  if (count_numbers(cursor.position(), delimiter, is_entry) != words) return;
  refuse(
      text, line, "a line of " + std::to_string(words) + " words above lines of as many numbers",
      "--columns with two or three of them where each line is an edge, --header yes where they head the columns of a "
      "matrix, or --format adjlist where each line has the neighbours of a vertex");
}

bool is_square(std::size_t number) {
  std::size_t root = 0;
  while (root * root < number) ++root;
  return root * root == number;
}

}  // namespace

bool is_dense(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (!start(cursor, options)) return false;
  const auto is_any = [](std::string_view) { return true; };
  if (const std::size_t fields = count_numbers(cursor.position(), delimiter_of(options), is_any);
      fields == 2 || fields == 3) {
    refuse_narrow(text, cursor, fields, options);
    return false;
  }
  const std::size_t columns = count_numbers(cursor.position(), delimiter_of(options), is_entry);
  const std::uint64_t first_line = cursor.line();
  if (columns == 0) {
    if (!options.header) refuse_header(text, cursor, delimiter_of(options));
    return false;
  }
  if (columns == 1) {
    cursor.next_line();
    return kind_of(options) == InputKind::matrix && !cursor.skip_to_data("#%");
  }
  const std::string size = std::to_string(columns);
  const std::optional<Lines> lines = look_at(cursor, columns, delimiter_of(options));
  if (!lines) return false;
  if (columns == 4 && lines->names_first && !lines->zeros_and_ones && (lines->rows != columns || lines->times_last)) {
    refuse(
        text, first_line, "lines of 4 numbers, where each could be an edge with its weight and time",
        "--format dense where they are the rows of a matrix, or --columns 1,2,3 or a first line '% sym', '% asym' or "
        "'% bip' as KONECT has it where they are edges");
  }
  // pandas counts from 0; a square matrix may well begin with 1, 2, 3.
  const bool is_odd =
      (*cursor.position() == '0' || lines->rows != columns) && lines->rows > 1 && !lines->zeros_and_ones;
  if (!options.header && (lines->rows == columns + 1 ? lines->names_above : lines->numbers_above && is_odd)) {
    refuse(text, first_line,
           std::string("a line of numbers ") + (lines->numbers_above ? "in order" : "that may be names") + " before " +
               std::to_string(lines->rows - 1) + " lines of " + size,
           "--header yes where it numbers the columns of a matrix, or --header no where it is a row");
  }
  if (lines->rows + 1 == columns ? lines->names_beside : lines->numbers_beside && is_odd) {
    refuse(text, first_line,
           std::string("numbers ") + (lines->numbers_beside ? "in order" : "that may be names") + " beside " +
               std::to_string(lines->rows) + " rows of as many numbers",
           "the matrix alone where they number its rows, or --format dense where they are entries");
  }
  if (lines->rows == 1 && is_square(columns)) {
    refuse(text, first_line, "a single line of " + size + " numbers, which may be all those of a square matrix",
           "a line for every row, or --format dense where they are one row");
  }
  if (could_be_a_line_each(cursor, delimiter_of(options), kind_of(options) == InputKind::directed) ||
      (lines->sets_beside && lines->rows > 1 && !lines->zeros_and_ones)) {
    refuse(text, first_line, "lines of " + size + " numbers, where each could be a vertex and its neighbours",
           "--format dense where they are the rows of a matrix, or --format adjlist");
  }
  return true;
}

Parsed read_dense(const Source& source) {
  std::optional<Parsed> parsed = DenseReader(source, false).read();
  return parsed ? std::move(*parsed) : *DenseReader(source, true).read();
}

}  // namespace matchcount::readers
