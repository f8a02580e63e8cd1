// Plain text is read by two grammars (plain.hpp), of which the question says the first. The other is tried on the lines
// that could be either: short ones of two or three numbers, and numbers with names or places above or beside them.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/readers/formats.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"

namespace matchcount::readers {

namespace {

// Refuses lines that other programs begin with '#' and that are no comments: those alone between the vertices and the
// edges of TGF, those of networkx above lists of neighbours, '# GMT' and the time, and those of igraph's LGL, '# NAME'
// before the names and weights of that vertex's neighbours. Most texts have no such character, which takes no time to
// see.
void refuse_marks_of_others(const Text& text) {
  const auto mark_from = [&](const char* p) {
    return static_cast<const char*>(std::memchr(p, '#', static_cast<std::size_t>(text.end() - p)));
  };
  const char* mark = mark_from(text.begin());
  std::set<std::string_view> heads;
  bool has_data = false, has_later_head = false, may_be_lgl = whole(text).starts_with("# ");
  for (Cursor cursor(text); (mark != nullptr || may_be_lgl) && !cursor.at_end(); cursor.next_line()) {
    if (cursor.at_line_end() || *cursor.position() == '%') continue;
    if (mark != nullptr && mark < cursor.position()) mark = mark_from(cursor.position());
    std::string_view line = rest_of_line(cursor.position());
    const std::string_view first = take_word(line), second = take_word(line);
    if (!first.starts_with('#')) {
      has_data = true;
      may_be_lgl = may_be_lgl && begins_number(second) && trimmed(line).empty();
      continue;
    }
    if (first == "#" && second == "GMT" && cursor.line() <= 3)
      refuse(text, cursor.line(),
             in_quotes(trimmed(rest_of_line(cursor.position()))) + ", as networkx begins lists of neighbours",
             "--format adjlist where every line is a vertex and its neighbours, or --format edgelist");
    if (first == "#" && second.empty() && has_data)
      refuse(text, cursor.line(),
             "a line '#' between others, as the Trivial Graph Format (TGF) has it before its edges",
             "--format tgf where it is that, or --format edgelist where '#' is a comment");
    may_be_lgl = may_be_lgl && first == "#" && trimmed(line).empty() && heads.insert(second).second;
    has_later_head = has_later_head || has_data;
  }
  if (!may_be_lgl || !has_later_head) return;
  refuse(text, 1, "lines '# NAME' before lines of a name and a number, as LGL of igraph has vertices and neighbours",
         "a format with whole edges, such as GraphML, or --format edgelist where those lines are comments");
}

// Holds the first lines of a text, split into cells.
struct Sample {
  static constexpr std::size_t most_rows = 1000, most_cells = std::size_t{1} << 20;

  std::vector<std::vector<std::string_view>> rows;
  std::vector<std::uint64_t> lines;  // by row
  std::list<Fields> fields;          // which keep what stands in quotes
  std::uint64_t num_rows = 0;        // of the whole text
  std::size_t width = 0;             // of the first row
  bool is_even = true;               // all rows have its width

  bool is_whole() const { return num_rows == rows.size(); }
  // Says whether this holds for the cells of all rows from `above` on and all columns from `beside` on.
  template <class Holds>
  bool all(std::size_t above, std::size_t beside, const Holds& holds) const {
    for (std::size_t i = above; i < rows.size(); ++i)
      for (std::size_t j = beside; j < rows[i].size(); ++j)
        if (!holds(rows[i][j])) return false;
    return true;
  }
  std::vector<std::string_view> column(std::size_t above) const {
    std::vector<std::string_view> cells;
    for (std::size_t i = above; i < rows.size(); ++i) cells.push_back(rows[i][0]);
    return cells;
  }
  std::vector<std::string_view> row(std::size_t beside) const { return {rows[0].begin() + beside, rows[0].end()}; }
};

Sample sample_of(const Text& text, const InputOptions& options, bool is_wide) {
  Sample sample;
  std::size_t cells = 0;
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%")) return sample;
  char separator = separator_in(options, cursor.position());
  Cursor next = cursor;
  next.next_line();
  std::string_view line = rest_of_line(cursor.position());
  take_word(line);
  // A number alone may be the size of lines with another one.
  if (separator == ' ' && trimmed(line).empty() && next.skip_to_data("#%"))
    separator = separator_in(options, next.position());
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    // Rows behind these are counted, where their number says something.
    if (sample.rows.size() == Sample::most_rows || cells > Sample::most_cells) {
      ++sample.num_rows;
      if (is_wide || sample.width > 3) continue;
      sample.num_rows = ~std::uint64_t{0};
      break;
    }
    Fields& fields = sample.fields.emplace_back(Fields::of_cells(cursor.position(), separator));
    if (fields.are_empty()) continue;  // the last lines of spreadsheets
    std::vector<std::string_view>& row = sample.rows.emplace_back();
    sample.lines.push_back(cursor.line());
    for (std::string_view field; fields.next(field);) row.push_back(field);
    if (row.empty()) row.emplace_back();  // a quote without an end
    while (row.size() > 1 && row.back().empty()) row.pop_back();
    cells += row.size();
    ++sample.num_rows;
    if (sample.rows.size() == 1) sample.width = row.size();
    sample.is_even = sample.is_even && row.size() == sample.width;
  }
  return sample;
}

using Cells = std::vector<std::string_view>;

bool is_zero_or_one(std::string_view cell) { return cell == "0" || cell == "1"; }
bool is_natural(std::string_view cell) { return parse_natural(cell).has_value(); }
bool is_word_cell(std::string_view cell) { return !cell.empty() && !is_entry(cell); }

bool are_distinct(Cells cells) {
  std::ranges::sort(cells);
  return std::ranges::adjacent_find(cells) == cells.end();
}

// Reads an integer, which may have zeros before it: 007.
bool integer_of(std::string_view cell, std::int64_t& value) {
  bool is_wide = false;
  return parse_integer(cell, value, is_wide);
}

// Says whether cells are integers, each more by one than another.
bool are_successive(const Cells& cells) {
  std::vector<std::int64_t> numbers(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!integer_of(cells[i], numbers[i])) return false;
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers, [](auto a, auto b) { return b - 1 != a; }) == numbers.end();
}

// Says whether cells ascend by ones.
bool are_in_order(const Cells& cells) {
  std::int64_t number = 0, before = 0;
  for (std::size_t i = 0; i < cells.size(); ++i, before = number)
    if (!integer_of(cells[i], number) || (i > 0 && number != before + 1)) return false;
  return !cells.empty();
}

// Says whether cells are 0, 1, 2 and so on, or 1, 2, 3.
bool are_counted(const Cells& cells) {
  std::int64_t first = -1;
  return are_in_order(cells) && integer_of(cells[0], first) && (first == 0 || first == 1);
}

bool is_complex(std::string_view cell) {
  return is_numeric(cell) && std::isalpha(static_cast<unsigned char>(cell.back()));
}

// Says whether cells above or beside zeros and ones may be names: integers, no two alike, or none a zero or one.
bool may_be_names(const Cells& cells) {
  return !cells.empty() && std::ranges::all_of(cells, is_natural) && !std::ranges::all_of(cells, is_zero_or_one) &&
         (are_distinct(cells) || std::ranges::none_of(cells, is_zero_or_one));
}

class PlainText {
 public:
  PlainText(const Text& text, const InputOptions& options)
      : text_(text), options_(options), kind_(kind_of(options)), sample_(sample_of(text, options, is_about_matrix())) {}

  InputFormat format() {
    if (sample_.rows.empty()) return InputFormat::edge_list;  // which refuses it
    if (const auto names = table_names(text_, options_); names && names->has_rows && is_named_matrix(text_, *names))
      return InputFormat::dense;
    refuse_marks_of_others(text_);
    refuse_size_line(text_, options_);
    if (sample_.width < 4) refuse_lists_of_neighbours();
    const Cells first = sample_.rows[0];
    const bool has_size =
        options_.header.value_or(false) && begins_number(first[0]) && !(first.size() > 1 && are_counted(first));
    if (options_.header.value_or(false)) take_header();
    // A size is that of a matrix or of edges, and checked as such.
    if (has_size && !is_about_matrix() && sample_.width < 4) {
      const bool is_square = sample_.num_rows == sample_.width &&
                             (kind_ != InputKind::undirected || (sample_.is_even && is_symmetric(0, 0)));
      if (sample_.width > 1 && sample_.is_even && has_numbers() && (is_square || !have_plain_ends())) refuse_as_both();
      return InputFormat::edge_list;
    }
    if (sample_.rows.empty()) return InputFormat::edge_list;
    // Behind the ends of an edge networkx writes its data in braces.
    const bool has_data = std::ranges::any_of(sample_.rows[0], [](auto cell) { return cell.starts_with('{'); });
    return is_about_matrix() && !has_data ? matrix_first() : edges_first();
  }

 private:
  bool is_about_matrix() const { return kind_ == InputKind::matrix; }
  // A unit alone is a number among complex ones, and where a matrix is read.
  bool has_numbers() const {
    const bool has_units = is_about_matrix() || !sample_.all(0, 0, [](auto cell) { return !is_complex(cell); });
    return sample_.all(0, 0, has_units ? is_entry : is_numeric);
  }
  std::uint64_t first_line() const { return sample_.lines.front(); }
  std::string width() const { return std::to_string(sample_.width); }

  // Leaves the first line aside.
  void take_header() {
    sample_.rows.erase(sample_.rows.begin());
    sample_.lines.erase(sample_.lines.begin());
    --sample_.num_rows;
    sample_.width = sample_.rows.empty() ? 0 : sample_.rows[0].size();
    sample_.is_even = std::ranges::all_of(sample_.rows, [&](const Cells& row) { return row.size() == sample_.width; });
  }

  InputFormat matrix_first() {
    const bool has_names_above = std::ranges::all_of(sample_.rows[0], is_word_cell) && sample_.rows.size() > 1;
    if (has_names_above && options_.header.value_or(true)) take_header();
    const bool is_narrow = sample_.is_even && (sample_.width == 2 || sample_.width == 3) && has_numbers();
    // No index is a decimal, a fraction or a complex number.
    const auto is_bracket = [](std::string_view cell) { return cell.starts_with('('); };
    if (is_narrow && sample_.width == 2 && !sample_.all(0, 1, is_bracket) &&
        std::ranges::all_of(sample_.rows, [&](const Cells& row) { return is_bracket(row[0]) && !is_bracket(row[1]); }))
      refuse(text_, first_line(), "pairs beside numbers, which may be the places of entries or complex numbers",
             "--format dense where they are the rows of a matrix, or lines 'row column value'");
    if (is_narrow && (sample_.num_rows != sample_.width || have_plain_ends())) refuse_as_both();
    if (sample_.width == 1 && sample_.num_rows > 1 && has_numbers())
      refuse(text_, first_line(), "a single number on every line", "the numbers of a row on one line");
    if (sample_.is_even && has_numbers()) check_matrix();
    return InputFormat::dense;
  }

  InputFormat edges_first() {
    if (sample_.width >= 4) {
      if (sample_.is_even && has_numbers()) {
        check_matrix();
        return InputFormat::dense;
      }
      refuse_words_above();
    } else if (sample_.width > 1 && sample_.is_even) {
      check_edges();
    }
    return InputFormat::edge_list;
  }

  [[noreturn]] void refuse_as_both() const {
    refuse(text_, first_line(), "lines of " + width() + " numbers that may be a matrix or edges",
           "--format dense where they are its rows, or --format edgelist where every line is an edge");
  }

  // Refuses a line of words above lines of as many numbers, four or more.
  void refuse_words_above() const {
    const bool has_header =
        std::ranges::all_of(sample_.rows[0], is_word_cell) && sample_.is_even && sample_.rows.size() > 1;
    if (!has_header || options_.header || !sample_.all(1, 0, is_entry)) return;
    refuse(
        text_, first_line(), "a line of " + width() + " words above lines of as many numbers",
        "--columns with two or three of them where each line is an edge, or --header yes where they head the columns "
        "of a matrix");
  }

  // ---- Two or three fields, read as edges.

  void check_edges() {
    // With --format edgelist all of this is settled.
    const std::size_t width = sample_.width;
    const bool is_short = sample_.is_whole() && sample_.num_rows <= width + 1;
    // Words above numbers alone are an edge then.
    const auto is_word = [](std::string_view cell) { return is_word_cell(cell) && !begins_number(cell); };
    const bool has_words_above = std::ranges::any_of(sample_.rows[0], is_word) && sample_.all(1, 0, is_numeric);
    if (has_words_above && !options_.header.value_or(true)) return;
    refuse_places();
    if (!has_numbers()) {
      const bool may_be_complex = sample_.all(0, 0, [](auto cell) { return is_numeric(cell) || is_pair(cell); });
      if (may_be_complex && sample_.num_rows == width) refuse_as_both();
      if (is_short) refuse_bad_cell();
      return;
    }
    const bool are_names = sample_.all(0, 0, [](std::string_view) { return true; }) && have_plain_ends();
    if (!are_names) refuse_as_both();
    if (kind_ == InputKind::bipartite && sample_.num_rows > 1 && sample_.all(0, 0, is_zero_or_one)) refuse_as_both();
    if (!is_short) return;
    if (sample_.num_rows == width) refuse_as_both();
    // One line more or less, for names above or beside the rows.
    if (sample_.num_rows == 1) return;
    if (kind_ == InputKind::bipartite) {
      if (sample_.num_rows + 1 >= width && !options_.kind && !shares_name()) refuse_as_both();
      return;
    }
    const std::size_t above = sample_.num_rows == width + 1 && !options_.header && are_counted(sample_.row(0)) ? 1 : 0;
    const std::size_t beside = sample_.num_rows == 2 && width == 3 && are_counted(sample_.column(0)) ? 1 : 0;
    if (above + beside == 0) return;
    if (kind_ == InputKind::undirected ? is_symmetric(above, beside) && width == 3 : sample_.rows[0][0] == "0")
      refuse_as_both();
  }

  // Says whether the ends are names that numbers may be: no decimals, fractions or complex numbers.
  bool have_plain_ends() const {
    return std::ranges::all_of(sample_.rows, [](const Cells& row) {
      return std::all_of(row.begin(), row.begin() + 2,
                         [](std::string_view cell) { return cell.find_first_of(".eEijIJ/(nN") == cell.npos; });
    });
  }

  // Refuses names or places above or beside a table of zeros and ones.
  void refuse_places() const {
    if (sample_.num_rows < 2 || !sample_.is_whole()) return;
    const bool is_beside = sample_.width == 3 && sample_.all(0, 1, is_zero_or_one) && may_be_names(sample_.column(0));
    const bool is_above = sample_.num_rows > 2 && sample_.all(1, 0, is_zero_or_one) && may_be_names(sample_.row(0));
    const bool is_around = sample_.width == 3 && sample_.num_rows > 2 && sample_.all(1, 1, is_zero_or_one) &&
                           may_be_names(sample_.row(1)) && may_be_names(sample_.column(1));
    if (is_beside || (is_above && !options_.header) || (is_around && !options_.header))
      refuse(text_, first_line(), "zeros and ones below or beside what may be names, in a table or among edges",
             "--format dense where all are numbers of a matrix, --format edgelist where every line is an edge, or the "
             "table without the names");
  }

  // A few cells that are no numbers don't make edges of numbers; nor do cells that begin as numbers do.
  void refuse_bad_cell() const {
    std::size_t others = 0;
    std::array<bool, 3> has_number{};
    std::optional<std::pair<std::size_t, std::size_t>> bad;
    for (std::size_t i = 0; i < sample_.rows.size(); ++i) {
      for (std::size_t j = 0; j < sample_.width; ++j) {
        const std::string_view cell = sample_.rows[i][j];
        const bool is_number = is_numeric(cell) || (sample_.width == 3 && is_pair(cell));
        if (!is_number && !bad) bad = {i, j};
        if (is_number || (begins_number(cell) && cell[0] != '('))
          has_number[j] = true;
        else
          ++others;
      }
    }
    const bool are_names = 2 * others >= sample_.rows.size() * sample_.width ||
                           std::count(has_number.begin(), has_number.end(), true) < static_cast<int>(sample_.width);
    // Two names beside two numbers each may be a table.
    const bool is_table = sample_.width == 3 && sample_.num_rows == 2 && !has_number[0] && others == 2 &&
                          sample_.rows[0][0] != sample_.rows[1][0];
    if (are_names && !is_table) return;
    const auto [row, column] = *bad;
    const std::string_view cell = sample_.rows[row][column];
    if (!is_utf8(cell) || std::ranges::any_of(cell, is_control)) return;  // refused as such
    refuse(text_, sample_.lines[row],
           in_quotes(cell) + " among lines of " + width() + " numbers, which may be a matrix",
           "a number where they are its rows, or --format edgelist where every line is an edge and this is a name");
  }

  bool shares_name() const {
    return std::ranges::any_of(sample_.rows, [this](const Cells& one) {
      return std::ranges::any_of(sample_.rows, [&one](const Cells& other) { return one[0] == other[1]; });
    });
  }

  bool is_symmetric(std::size_t above, std::size_t beside) const {
    for (std::size_t i = above; i < sample_.rows.size(); ++i)
      for (std::size_t j = beside; j < sample_.width; ++j) {
        const std::size_t row = j - beside + above, column = i - above + beside;
        if (row >= sample_.rows.size() || column >= sample_.width) return false;
        if (sample_.rows[i][j] != sample_.rows[row][column]) return false;
      }
    return true;
  }

  // Refuses lines of three or more integers that may be a vertex and its neighbours each: every neighbour heads a line,
  // of four or more numbers one that has the first one's name back, unless these are arcs; or the lines are counted,
  // and behind that are sets. Of lines of three, some may have a vertex alone.
  void refuse_lists_of_neighbours() const {
    const bool is_narrow = sample_.width < 4;
    const auto may_be = [](const Cells& row) { return row.size() == 1 || row.size() == 3; };
    if (is_narrow ? !std::ranges::all_of(sample_.rows, may_be) : !sample_.is_whole()) return;
    if (!sample_.all(0, 0, is_natural)) return;
    const bool of_arcs = is_narrow || kind_ == InputKind::directed;
    const bool is_counted = !is_narrow && are_counted(sample_.column(0)) && !sample_.all(0, 0, is_zero_or_one);
    std::set<std::string_view> heads;
    std::set<std::pair<std::string_view, std::string_view>> arcs;
    bool are_sets = true, are_lists = true;
    for (const Cells& row : sample_.rows) {
      are_lists = are_lists && heads.insert(row[0]).second;
      const Cells others(row.begin() + 1, row.end());
      are_sets = are_sets && are_distinct(others);
      for (const std::string_view other : others) {
        are_lists = are_lists && (other != row[0] || of_arcs);
        arcs.insert({row[0], other});
      }
    }
    are_lists =
        are_lists && are_sets && !arcs.empty() && std::ranges::all_of(arcs, [&](const auto& arc) {
          return of_arcs ? !sample_.is_whole() || heads.contains(arc.second) : arcs.contains({arc.second, arc.first});
        });
    if (!are_lists && !(is_counted && are_sets)) return;
    refuse(text_, first_line(),
           "lines of " + std::to_string(is_narrow ? 3 : sample_.width) + " numbers, where each " +
               std::string("could be a vertex and ") + (is_narrow ? "two" : "its") + " neighbours",
           "--format adjlist where they are that, --format dense where they are the rows of a matrix" +
               std::string(is_narrow ? ", or --format edgelist where the third is the weight of an edge" : ""));
  }

  // ---- Lines of as many numbers, read as a matrix.

  void check_matrix() const {
    const std::uint64_t rows = sample_.num_rows;
    const std::size_t columns = sample_.width;
    refuse_times();
    if (rows == 1 && columns > 3 && is_square(columns)) {
      refuse(text_, first_line(), "a single line of " + width() + " numbers, which may be all those of a square matrix",
             "a line for every row, or --format dense where they are one row");
    }
    if (columns > 3 && rows > 1) refuse_lists_of_neighbours();
    if (rows > 1) refuse_names_of_matrix();
  }

  static bool is_square(std::size_t number) {
    std::size_t root = 0;
    while (root * root < number) ++root;
    return root * root == number;
  }

  // Four numbers may be an edge with its weight and time.
  void refuse_times() const {
    constexpr std::size_t digits_of_time = 9;  // of the seconds of a Unix clock, from 1973 on
    if (sample_.width != 4 || sample_.all(0, 0, is_zero_or_one)) return;
    bool are_times = true;
    for (const Cells& row : sample_.rows) {
      if (!is_natural(row[0]) || !is_natural(row[1])) return;
      are_times = are_times && is_natural(row[3]) && row[3].size() >= digits_of_time;
    }
    if (sample_.num_rows == 4 && !are_times) return;
    refuse(
        text_, first_line(), "lines of 4 numbers, where each could be an edge with its weight and time",
        "--format dense where they are the rows of a matrix, or --columns 1,2,3 or a first line '% sym', '% asym' or "
        "'% bip' as KONECT has it where they are edges");
  }

  // Refuses numbers above or beside a matrix that may be names: any beside zeros and ones; integers in a row, or no two
  // alike where the others make a square; and those in order above or beside what is no square.
  void refuse_names_of_matrix() const {
    const std::uint64_t rows = sample_.num_rows;
    const std::size_t columns = sample_.width;
    const Cells above = sample_.row(0), beside = sample_.column(0);
    const bool has_ones = sample_.all(0, 0, is_zero_or_one);
    const bool is_odd = !has_ones && (rows != columns || sample_.rows[0][0] == "0");
    const bool has_others = !sample_.all(1, 1, is_natural);
    const auto are_names = [&](const Cells& cells, bool completes) {
      const bool are_distinct_integers = are_distinct(cells) && std::ranges::all_of(cells, is_natural);
      return completes ? are_successive(cells) || (are_distinct_integers && has_others) : is_odd && are_counted(cells);
    };
    const Cells top = sample_.row(1), side = sample_.column(1);
    const bool have_order = columns > 2 && are_in_order(top) && are_in_order(side) &&
                            ((rows == columns && top == side) || (are_counted(top) && are_counted(side)));
    const bool is_around =
        !has_ones && (have_order || (sample_.all(1, 1, is_zero_or_one) && may_be_names(top) && may_be_names(side)));
    const bool is_above = are_names(above, rows == columns + 1) ||
                          (!has_ones && sample_.all(1, 0, is_zero_or_one) && may_be_names(above));
    const bool is_beside = are_names(beside, rows + 1 == columns) ||
                           (!has_ones && sample_.all(0, 1, is_zero_or_one) && may_be_names(beside));
    if (!options_.header && (is_above || is_around)) {
      refuse(text_, first_line(), "a line of numbers that may be names of columns",
             "--header yes where it numbers the columns of a matrix, or --header no where it is a row");
    }
    if (!is_beside && !is_around) return;
    refuse(text_, first_line(), "numbers beside rows of " + std::to_string(columns - 1) + ", which may be their names",
           "the matrix alone where they name its rows, or --format dense where they are entries");
  }

  const Text& text_;
  const InputOptions& options_;
  InputKind kind_;
  Sample sample_;
};

}  // namespace

InputFormat plain_format(const Text& text, const InputOptions& options) { return PlainText(text, options).format(); }

}  // namespace matchcount::readers
