// A first line of numbers above edges or a matrix may be an edge or a row, the size of what follows, or the numbers of
// its columns. Where nobody says which, it is refused; where somebody says that it is none of the edges, it is checked.

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

namespace {

constexpr std::size_t most_numbers = 3;  // of a size

// Counts what edges name, as far as a size tells it.
struct Counted {
  std::uint64_t num_edges = 0;
  std::unordered_set<std::string> rows, columns, vertices;
  std::uint64_t largest = 0;  // of the names, where all of them are numbers
  bool are_numbers = true;

  void add(std::string_view name, bool is_column) {
    (is_column ? columns : rows).emplace(name);
    vertices.emplace(name);
    const auto number = parse_natural(name);
    are_numbers = are_numbers && number;
    largest = std::max(largest, number.value_or(0));
  }
};

void refuse_metis(const Text& text) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("%")) return;
  std::string_view line = rest_of_line(cursor.position());
  const auto num_vertices = parse_natural(take_word(line)), num_edges = parse_natural(take_word(line));
  // Two neighbours an edge, of two bytes or more each.
  if (!num_vertices || !num_edges || *num_vertices == 0 || *num_edges > text.size() / 4) return;
  try {
    read_metis({text, {}, text.run()});
  } catch (const InputError&) {
    return;
  }
  refuse(text, cursor.line(),
         "lines that fit METIS, " + std::to_string(*num_vertices) + " vertices and " + std::to_string(*num_edges) +
             " edges, as well as an edge list",
         "--format metis where every line has the neighbours of a vertex, or --format edgelist");
}

// The first line, where it is one of up to three numbers, and those below.
class SizeLine {
 public:
  SizeLine(const Text& text, const InputOptions& options)
      : text_(text),
        options_(options),
        has_sides_(kind_of(options) == InputKind::bipartite || kind_of(options) == InputKind::matrix),
        below_(text) {
    if (!below_.skip_to_data("#%")) return;
    line_ = below_.line();
    separator_ = separator_in(options, below_.position());
    found_ = in_quotes(trimmed(rest_of_line(below_.position())));
    for (const std::string_view cell : cells_of(below_, max_vertices)) {
      const auto number = parse_natural(cell);
      if (number && (cell[0] != '0' || cell.size() == 1)) sizes_.push_back(*number);
      (is_numeric(cell) ? has_numbers_ : has_words_) = true;
      ++width_;
    }
    below_.next_line();
    if (Cursor next = below_; next.skip_to_data("#%")) {
      const char of_line = std::exchange(separator_, separator_in(options, next.position()));
      is_apart_ = width_ > 1 && of_line != separator_;
    }
  }
  bool is_apart() const { return is_apart_; }
  bool are_numbers() const { return width_ > 0 && width_ <= most_numbers && sizes_.size() == width_; }
  // Says whether the numbers are 0 and 1, or 0, 1 and 2, or such from 1.
  bool numbers_columns() const {
    for (std::size_t i = 0; i < sizes_.size(); ++i)
      if (sizes_[i] != sizes_[0] + i) return false;
    return are_numbers() && width_ > 1 && sizes_[0] < 2;
  }

  // Refuses the size of a matrix of so many rows and columns.
  void refuse_above_matrix() const {
    if (width_ > 2 || sizes_[0] == 0 || (width_ == 1 && sizes_[0] < 2)) return;
    const std::uint64_t columns = sizes_.back();
    Cursor cursor = below_;
    // Two lines of two are as well a matrix without a size, or edges, and refused as such.
    if (sizes_[0] == 1 && columns == 2 && cursor.skip_to_data("#%")) {
      const std::vector<std::string_view> cells = cells_of(cursor);
      if (kind_of(options_) != InputKind::matrix ||
          std::ranges::all_of(cells, [](auto c) { return !!parse_natural(c); }))
        return;
    }
    std::uint64_t rows = 0;
    for (; cursor.skip_to_data("#%"); cursor.next_line()) {
      const std::vector<std::string_view> cells = cells_of(cursor, columns);
      if (++rows > sizes_[0] || cells.size() != columns || !std::ranges::all_of(cells, begins_number)) return;
    }
    if (rows != sizes_[0]) return;
    refuse(text_, line_, found_ + ", which may be the size of a matrix",
           "--format dense and --header yes where it is that, or --header no where it is " +
               std::string(width_ == 1 ? "a vertex" : "an edge or a row") + " among others");
  }

  // Refuses the number of edges that follow, with that of vertices before it.
  void refuse_above_edges() const {
    if (sizes_[0] == 0) return;
    Cursor cursor = below_;
    if (width_ == 1 && skips_number(cursor)) {
      if (!cursor.skip_to_data("#%") || cells_of(cursor).size() < 2) return;
      refuse(text_, line_, found_ + ", which may be the first of two lines that tell a size",
             "the lines behind them alone, or --format edgelist and --header no where both are vertices");
    }
    if (!may_count_edges()) return;
    refuse(text_, line_, found_ + ", which may be the number of edges" + (width_ == 1 ? " or vertices" : ""),
           "--header yes where it is that, and then a line with its name for every vertex without edges; or --header "
           "no where it is " +
               std::string(width_ == 1 ? "a vertex" : "an edge"));
  }

  // Refuses the numbers of columns from 0 on, as pandas has them, above a square of numbers: a matrix below its header,
  // or with a row too many; or edges with weights, where no format is given.
  void refuse_above_square(bool is_matrix) const {
    if (width_ < 2 || sizes_.size() != width_ || !has_sides_) return;
    for (std::size_t i = 0; i < width_; ++i)
      if (sizes_[i] != i) return;
    std::uint64_t rows = 0;
    for (Cursor cursor = below_; cursor.skip_to_data("#%"); cursor.next_line()) {
      const std::vector<std::string_view> cells = cells_of(cursor, width_);
      if (++rows > width_ || cells.size() != width_ || !std::ranges::all_of(cells, is_finite_number)) return;
    }
    if (rows != width_) return;
    refuse(text_, line_, found_ + " above a square of numbers, which may number the columns",
           is_matrix
               ? "--header yes where they do, or --header no where they are a row"
               : "--format dense and --header yes where they do, or --format edgelist where every line is an edge");
  }

  // Refuses numbers of columns, as pandas heads those without names, above edges of which an end is a word in each, or
  // between vertices of which neither 0 nor 1 is one.
  void refuse_numbers_of_columns() const {
    if (!numbers_columns()) return;
    if (width_ > 2 && options_.format == InputFormat::automatic) refuse_above_square(false);
    constexpr std::uint64_t most_lines = 1000;  // where a number is a name that is known
    std::uint64_t rows = 0;
    bool are_words[2] = {true, true}, recurs = sizes_[0] == 1;
    for (Cursor cursor = below_; cursor.skip_to_data("#%") && !(recurs && rows > most_lines); cursor.next_line()) {
      const std::vector<std::string_view> cells = cells_of(cursor);
      rows += cells.size() > 1;
      for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), 2); ++i) {
        are_words[i] = are_words[i] && !begins_number(cells[i]);
        recurs = recurs || cells[i] == "0" || cells[i] == "1";
      }
      if (recurs && !are_words[0] && !are_words[1]) return;
    }
    const bool is_above_words = are_words[0] && are_words[1] ? rows > 0 : (are_words[0] || are_words[1]) && rows > 1;
    if (rows == 0 || (recurs && !is_above_words)) return;
    refuse(text_, line_, found_ + " above edges between other vertices, which may number the columns",
           "--header yes where they do, or --header no where it is an edge");
  }

  // Refuses what is not the size of the matrix below, and does not number its columns.
  void check_matrix(std::uint64_t rows, std::uint64_t columns) const {
    const bool may_number = width_ == columns && (width_ > 2 || sizes_.size() < width_ ||
                                                  (sizes_[0] <= 1 && sizes_.back() == sizes_[0] + width_ - 1));
    if ((may_number && !(has_numbers_ && has_words_)) ||
        (are_numbers() && width_ < 3 && sizes_[0] == rows && sizes_.back() == columns))
      return;
    refuse(text_, line_,
           "a size that " + std::to_string(rows) + " lines of " + std::to_string(columns) + " numbers do not have",
           "the size of the matrix, or --header no where it is a row");
  }

  // Refuses what is not the size of the edges below.
  void check() const {
    if (!are_numbers())
      refuse(text_, line_, found_ + " as a header",
             "words, or the size of the graph: the number of its edges, or '6 9'");
    if (Cursor cursor = below_; width_ == 1 && skips_number(cursor))
      refuse(text_, line_, found_ + ", the first of two lines that tell a size", "one line, as in '6 9'");
    const Counted counted = count();
    const std::uint64_t rows = counted.rows.size(), columns = counted.columns.size(), all = counted.vertices.size();
    const bool counts_edges = sizes_.back() == counted.num_edges;
    // The number of the edges may be that of vertices of which some have none.
    const bool lacks_vertices = counted.are_numbers && counted.largest <= sizes_[0] && all < sizes_[0];
    const bool fits = width_ == 1   ? (counts_edges && !lacks_vertices) || counts_vertices(counted)
                      : width_ == 2 ? counts_edges && counts_vertices(counted)
                                    : counts_edges && has_sides_ && sizes_[0] == rows && sizes_[1] == columns;
    if (fits && !is_apart_) return;
    refuse(
        text_, line_,
        found_ + " as the size of " + std::to_string(counted.num_edges) + " edges between " +
            (has_sides_ ? std::to_string(rows) + " and " + std::to_string(columns) : std::to_string(all)) + " vertices",
        "a size that these edges have, and a line with its name for every vertex without edges; or --header no where "
        "it is an edge");
  }

 private:
  // Returns the first fields of a line, one more than were asked for where there are more.
  std::vector<std::string_view> cells_of(const Cursor& cursor, std::size_t most = most_numbers) const {
    std::vector<std::string_view> cells;
    Fields fields = Fields::of_cells(cursor.position(), separator_);
    for (std::string_view cell; cells.size() <= most && fields.next(cell);) cells.push_back(cell);
    while (!cells.empty() && cells.back().empty()) cells.pop_back();
    unquoted_.splice(unquoted_.end(), fields.take_unquoted());
    return cells;
  }
  // Moves behind a number alone on its line. False: another line stands there.
  bool skips_number(Cursor& cursor) const {
    if (!cursor.skip_to_data("#%")) return false;
    const std::vector<std::string_view> cells = cells_of(cursor);
    if (cells.size() != 1 || !parse_natural(cells[0])) return false;
    cursor.next_line();
    return true;
  }
  Counted count() const {
    Counted counted;
    for (Cursor cursor = below_; cursor.skip_to_data("#%"); cursor.next_line()) {
      const std::vector<std::string_view> cells = cells_of(cursor);
      for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), 2); ++i) counted.add(cells[i], i == 1);
      counted.num_edges += cells.size() > 1;
    }
    return counted;
  }
  bool counts_vertices(const Counted& counted) const {
    const std::uint64_t rows = counted.rows.size();
    return has_sides_ ? sizes_[0] == rows || sizes_[0] == rows + counted.columns.size()
                      : sizes_[0] == counted.vertices.size();
  }
  // Says whether the last number is that of the edges below, and those before it may be numbers of vertices: no end is
  // larger, or as many are named, or these numbers are none of the names. Any edge will do below a number alone.
  bool may_count_edges() const {
    std::uint64_t found = 0;
    for (Cursor cursor = below_; cursor.skip_to_data("#%"); cursor.next_line()) {
      Fields fields = Fields::of_cells(cursor.position(), separator_);
      std::string_view cell;
      found += fields.next(cell) && fields.next(cell) && !cell.empty();
      if (found > 0 && width_ == 1) return true;
      if (found > sizes_.back()) return false;
    }
    if (width_ == 1 || found != sizes_.back()) return false;
    const Counted counted = count();
    const auto names = [&](std::uint64_t number) { return counted.vertices.contains(std::to_string(number)); };
    return (counted.are_numbers && counted.largest <= std::max(sizes_[0], width_ == 3 ? sizes_[1] : 0)) ||
           sizes_[0] == counted.vertices.size() || counts_vertices(counted) ||
           !(names(sizes_[0]) || names(sizes_.back()));
  }

  const Text& text_;
  const InputOptions& options_;
  bool has_sides_;
  Cursor below_;
  mutable std::list<std::string> unquoted_;  // keeps fields in quotes, which cells view
  std::uint64_t line_ = 0;
  char separator_ = ' ';                          // of the lines below
  bool is_apart_ = false;                         // the line has another one
  bool has_numbers_ = false, has_words_ = false;  // among its fields
  std::string found_;
  std::size_t width_ = 0;             // of the line
  std::vector<std::uint64_t> sizes_;  // the numbers among its fields
};

}  // namespace

void refuse_size_line(const Text& text, const InputOptions& options) {
  const bool is_matrix = options.format == InputFormat::dense;
  if (!is_matrix) refuse_metis(text);
  const SizeLine line(text, options);
  if (options.header) return;
  if (is_matrix) line.refuse_above_square(true);
  if (!line.are_numbers()) return;
  line.refuse_above_matrix();
  if (is_matrix) return;
  line.refuse_above_edges();
  line.refuse_numbers_of_columns();
}

void refuse_numbers_above_names(const Text& text, const InputOptions& options) {
  if (!options.header) SizeLine(text, options).refuse_numbers_of_columns();
}

bool check_size_line(const Text& text, const InputOptions& options) {
  const SizeLine line(text, options);
  if (line.numbers_columns() && !line.is_apart()) return true;
  line.check();
  return false;
}

void check_size_of_matrix(const Text& text, const InputOptions& options, std::uint64_t rows, std::uint64_t columns) {
  SizeLine(text, options).check_matrix(rows, columns);
}

}  // namespace matchcount::readers
