#pragma once
// Reads plain text by its two grammars: a matrix, whose cells are numbers, and edges, a line each. Says which of them a
// text has for the question that is asked, finds headers, names and columns, and refuses what has two readings.
// Private to graph/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

// Returns what separates the fields of a text whose first line of data this is: the delimiter that is asked for, else
// the one found in that line, which is kept.
inline char separator_in(const InputOptions& options, const char* line) {
  return options.delimiter.empty() ? separator_of(line) : delimiter_of(options);
}

// Says whether a cell is a number of a matrix, or an infinity, which is refused later on.
bool is_entry(std::string_view text);

// Says whether such a cell is no unit alone, i or j, which is rather a name.
bool is_numeric(std::string_view cell);

// Says whether a cell is a complex number in brackets, with blanks in it or without: (1,2), (0, 1).
bool is_pair(std::string_view cell);
// Says whether a field is a number that is neither infinite nor nan, as no word of a header is, nor most names.
bool is_finite_number(std::string_view cell);

// Says whether a cell of a matrix is the number, or the infinity, that stands for no edge: InputOptions::no_edge.
bool is_no_edge(std::string_view field, const InputOptions& options);

// Decides what a text is that has no format of its own. Where the question is about a matrix, a text is one, and else
// lines of two or three fields are edges and lines of four or more numbers a matrix. Refuses what is as well the
// other, and what other programs write in lines much like these; both readings are named, with their options.
// `options.kind` is what was given or the file says.
InputFormat plain_format(const Text& text, const InputOptions& options);

// ---- A first line of numbers, which may be a size.

// Refuses a first line that may be the size of the matrix or the graph behind it, or number their columns, where
// InputOptions::header says nothing; and lines that fit METIS.
void refuse_size_line(const Text& text, const InputOptions& options);

// Refuses a first line that may number the columns of edges, where InputOptions::header says nothing.
void refuse_numbers_above_names(const Text& text, const InputOptions& options);

// Checks a first line of numbers that InputOptions::header says is none of the edges, against these: it numbers their
// columns, or is their number, with that of the vertices before it. Refuses it otherwise. Says whether it numbers columns.
bool check_size_line(const Text& text, const InputOptions& options);

// Checks such a line above a matrix of so many rows and columns.
void check_size_of_matrix(const Text& text, const InputOptions& options, std::uint64_t rows, std::uint64_t columns);

// ---- Tables.

// Holds the names of a matrix. Those of its columns stand on the first line. Those of its rows begin the lines where
// the first field of the first line is empty (pandas, R, spreadsheets) or a word like the others, above a word and at
// least four numbers (any number where dense text is asked for), or the first line has one field less than the others,
// all of them in quotes (write.table of R).
struct TableNames {
  char separator = ',';  // a blank: any number of blanks and tabs
  std::vector<std::string> columns;
  bool has_rows = true;
  bool has_word_in_corner = false;
};

// Returns nothing where the first line is no such header, or options.header says that it is none. Refuses a column
// without a name. Requires text that is not binary.
std::optional<TableNames> table_names(const Text& text, const InputOptions& options);

// Moves behind the name that the line begins with and what separates it from the rest. Refuses a line without.
std::string row_name(const Text& text, Cursor& cursor, char separator);

// Says whether a text with names of rows is a matrix: of 4 columns or more, or with the same names on both sides.
// Refuses what may as well be edges beside their numbers, and what is: a column has words alone.
bool is_named_matrix(const Text& text, const TableNames& names);

// Refuses such a text as an edge list.
[[noreturn]] void refuse_row_numbers(const Text& text, const TableNames& names);

struct EdgeTable {
  Text edges;            // an edge list: the columns of the ends and, where there is one, of the weight, line by line
  char separator = ',';  // of its fields
  bool has_header = true;
  std::string note;                 // which columns are passed over
  std::vector<std::string> labels;  // as Input::edge_labels has them
  std::optional<InputKind> kind;    // as a column `Type` of Gephi says
  bool is_certain = true;           // the header names the ends of edges and nothing else, or they were picked
};

// Reads edges below a header, or the columns that options.columns picks. A first line of words is a header where
// options.header says so, above numbers, and where two of them are a pair that tables use (source and target, from and
// to, user and item) and neither stands below as the name of a vertex. Other words above words are an edge where one
// of them stands below, and else refused, since an edge and a header look the same. The weight's column has the name
// options.weight_key, else `weight`; no other is taken. Where options.label is given, places of labels stand for
// weights. Returns nothing where the first line is no header. Requires text that is not binary.
std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& options);

}  // namespace matchcount::readers
