// Matrix Market files after Boisvert, Pozo and Remington, "The Matrix Market exchange formats" (NISTIR 5935, 1996).
// The banner is taken at its word: what does not agree with it is refused. An entry above the diagonal of a symmetric
// matrix stands for itself and its mirror image, as one below does: the format asks for the lower triangle, and many
// programs write the upper. One that has both is a repeated edge, since readers differ on whether such entries are one
// or add up. Several values of an array on a line are refused as well: they go down the columns, which such a line
// hides.

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

enum class EntryKind { pattern, integer, real, complex };
enum class Symmetry { general, symmetric, skew, hermitian };

struct Banner {
  bool is_array = false;
  EntryKind field = EntryKind::real;
  bool is_unsigned = false;
  Symmetry symmetry = Symmetry::general;
};

Banner read_banner(const Text& text, Cursor& cursor) {
  cursor.skip_to_data("");  // blank lines before it
  const char* const start = cursor.position();
  if (!equal_ignoring_case(cursor.field("%%MatrixMarket"), "%%MatrixMarket")) {
    cursor.set_position(start);
    cursor.refuse_here("the banner '%%MatrixMarket matrix ...'");
  }
  const auto choose = [&](std::initializer_list<const char*> words, const char* expected) {
    const std::string_view word = cursor.field(expected);
    int number = 0;
    for (const char* candidate : words) {
      if (equal_ignoring_case(word, candidate)) return number;
      ++number;
    }
    refuse(text, cursor.line(), in_quotes(word), expected);
  };
  Banner banner;
  choose({"matrix"}, "'matrix' in the banner");
  banner.is_array = choose({"coordinate", "array"}, "'coordinate' or 'array' in the banner") == 1;
  // The last two are later additions, of SuiteSparse and others.
  const int field = choose({"pattern", "integer", "real", "complex", "double", "unsigned-integer"},
                           "'pattern', 'integer', 'real' or 'complex' in the banner");
  banner.is_unsigned = field == 5;
  banner.field = field == 4 ? EntryKind::real : field == 5 ? EntryKind::integer : static_cast<EntryKind>(field);
  banner.symmetry =
      static_cast<Symmetry>(choose({"general", "symmetric", "skew-symmetric", "hermitian"},
                                   "'general', 'symmetric', 'skew-symmetric' or 'hermitian' in the banner"));
  cursor.end_line("the end of the banner");
  if (banner.field == EntryKind::pattern && banner.is_array) refuse(text, 1, "'array pattern'", "an array with values");
  if (banner.field == EntryKind::pattern && banner.symmetry == Symmetry::skew)
    refuse(text, 1, "'pattern skew-symmetric'", "a pattern that is general or symmetric");
  if (banner.field != EntryKind::complex && banner.symmetry == Symmetry::hermitian)
    refuse(text, 1, "'hermitian' without 'complex'", "'complex hermitian', or 'symmetric'");
  return banner;
}

class MatrixMarketReader {
 public:
  explicit MatrixMarketReader(const Source& source)
      : source_(source), text_(source.text), cursor_(text_), parsed_(source), values_(source) {}

  Parsed read() {
    banner_ = read_banner(text_, cursor_);
    if (banner_.field == EntryKind::integer) values_.only_integers();
    if (banner_.field == EntryKind::complex) values_.only_complex();
    if (kind_of(source_.options) == InputKind::undirected) {
      if (banner_.symmetry == Symmetry::skew || banner_.symmetry == Symmetry::hermitian)
        refuse(text_, 1, "a skew-symmetric or hermitian matrix", "a symmetric one for an undirected graph");
      parsed_.shape = banner_.symmetry == Symmetry::symmetric ? Parsed::Shape::undirected : Parsed::Shape::mirrored;
    }
    read_size();
    read_entries();
    if (cursor_.skip_to_data("%"))
      cursor_.refuse_here("the end of the file after " + std::to_string(num_entries_) + " entries");
    if (banner_.field != EntryKind::pattern) values_.give(text_, parsed_);
    return std::move(parsed_);
  }

 private:
  void read_size() {
    if (!cursor_.skip_to_data("%")) cursor_.refuse_here("the size of the matrix");
    const std::uint64_t line = cursor_.line();
    const std::uint64_t rows = cursor_.natural(max_vertices, "a number of rows");
    const std::uint64_t columns = cursor_.natural(max_vertices, "a number of columns");
    if (!banner_.is_array)
      num_entries_ = cursor_.natural(std::numeric_limits<std::int64_t>::max(), "a number of entries");
    cursor_.end_line(banner_.is_array ? "the end of the line after 'rows columns'"
                                      : "the end of the line after 'rows columns entries'");
    check_square(source_, line, rows, columns);
    if (rows != columns && banner_.symmetry != Symmetry::general) {
      refuse(text_, line, std::to_string(rows) + " rows and " + std::to_string(columns) + " columns",
             "as many rows as columns in a symmetric, skew-symmetric or hermitian matrix");
    }
    check_vertex_counts(text_, line, rows, columns);
    parsed_.num_rows = static_cast<Vertex>(rows);
    parsed_.num_columns = static_cast<Vertex>(columns);
  }
  // Entries of an array go down the columns, below the diagonal alone where the other half is told by it.
  void read_entries() {
    const bool is_packed = banner_.symmetry != Symmetry::general;
    const std::uint64_t rows = parsed_.num_rows;
    const auto first_row = [&](Vertex column) {
      return !is_packed ? 0 : banner_.symmetry == Symmetry::skew ? column + 1 : column;
    };
    Vertex row = first_row(0), column = 0;
    if (banner_.is_array)
      num_entries_ = !is_packed ? rows * parsed_.num_columns  // below 2^62
                                : (rows * rows + (banner_.symmetry == Symmetry::skew ? 0 : 2 * rows) - rows) / 2;
    // "1 1\n" and what a value adds is the least that an entry takes; a declared number is not believed beyond that.
    const std::uint64_t plausible = std::min<std::uint64_t>(num_entries_, text_.size() / (banner_.is_array ? 2 : 4));
    parsed_.edges.reserve(is_packed && parsed_.shape == Parsed::Shape::two_sided ? 2 * plausible : plausible);
    if (banner_.field == EntryKind::real || banner_.field == EntryKind::integer)
      values_.reserve(parsed_.edges.capacity());
    const char* const end_expectation = banner_.field == EntryKind::pattern
                                            ? "the end of the line, since the banner says 'pattern'"
                                        : banner_.is_array ? "the end of the line, one value on each"
                                                           : "the end of the line";
    for (std::uint64_t entry = 0; entry < num_entries_; ++entry) {
      if (!cursor_.skip_to_data("%"))
        refuse(text_, cursor_.line(), "the end of the file after " + std::to_string(entry) + " entries",
               std::to_string(num_entries_) + (banner_.is_array ? " entries, one a line" : " entries"));
      const std::uint64_t line = cursor_.line();
      if (!banner_.is_array) row = cursor_.index(parsed_.num_rows, "a row");
      if (!banner_.is_array) column = cursor_.index(parsed_.num_columns, "a column");
      read_value();
      if (is_packed && row == column) [[unlikely]] {
        const std::string place = "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
        if (banner_.symmetry == Symmetry::skew)
          refuse(text_, line, place, "no diagonal entry in a skew-symmetric matrix");
        if (banner_.symmetry == Symmetry::hermitian && value_.im != DoubleDouble())
          refuse(text_, line, place + " with an imaginary part", "a real diagonal in a hermitian matrix");
      }
      add_entry(row, column, line);
      cursor_.end_line(end_expectation);
      if (banner_.is_array && ++row == rows) row = first_row(++column);
    }
  }
  void read_value() {
    if (banner_.field == EntryKind::pattern) return;
    if (banner_.field == EntryKind::complex) {
      value_.re = read_real(text_, cursor_.line(), cursor_.field("the real part of a value"));
      value_.im = read_real(text_, cursor_.line(), cursor_.field("the imaginary part of a value"));
    } else {
      value_text_ = cursor_.field(banner_.field == EntryKind::integer ? "an integer value" : "a real value");
      if (banner_.is_unsigned && value_text_.starts_with('-')) {
        refuse(text_, cursor_.line(), in_quotes(value_text_),
               "no negative value, as the banner says 'unsigned-integer'");
      }
    }
  }
  // The entry with the value read last, and its mirror image where the banner says so.
  void add_entry(Vertex row, Vertex column, std::uint64_t line) {
    parsed_.add_edge(row, column, line);
    add_value(line, 1);
    if (banner_.symmetry == Symmetry::general || row == column || parsed_.shape == Parsed::Shape::undirected) return;
    parsed_.add_edge(column, row, line);
    if (banner_.symmetry == Symmetry::hermitian) value_.im = -value_.im;
    add_value(line, banner_.symmetry == Symmetry::skew ? -1 : 1);
  }
  void add_value(std::uint64_t line, int sign) {
    if (banner_.field == EntryKind::complex)
      values_.add(sign < 0 ? -value_ : value_);
    else if (banner_.field != EntryKind::pattern)
      values_.add(text_, line, value_text_, sign);
  }

  const Source& source_;
  const Text& text_;
  Cursor cursor_;
  Banner banner_;
  std::uint64_t num_entries_ = 0;  // declared
  Parsed parsed_;
  std::string_view value_text_;
  ComplexDoubleDouble value_;
  Values values_;
};

}  // namespace

bool is_matrix_market(const Text& text, InputFormat) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("") || *cursor.position() != '%') return false;
  constexpr std::size_t longest = 80;
  constexpr std::string_view word = "matrixmarket";
  const std::string_view line = rest_of_line(cursor.position()).substr(0, longest);
  for (std::size_t i = 0; i + word.size() <= line.size(); ++i)
    if (equal_ignoring_case(line.substr(i, word.size()), word)) return true;
  return false;
}

Parsed read_matrix_market(const Source& source) { return MatrixMarketReader(source).read(); }

}  // namespace matchcount::readers
