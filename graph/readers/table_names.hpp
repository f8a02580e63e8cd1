#pragma once
// Finds the names that spreadsheets, pandas and R write above and beside a matrix. Private to graph/.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// A first line with the names of columns above lines that begin with the name of a row: its first field is empty
// (pandas, R, spreadsheets) or a word like the others, above a word and at least four numbers (any number where dense
// text is asked for), or it has one field less than the others, all of them in quotes (write.table of R).
struct TableNames {
  char separator = ',';  // a blank: any number of blanks and tabs
  std::vector<std::string> columns;
  bool has_word_in_corner = false;
};

// Nothing where the first line is no such header, or options.header says that it is none. A delimiter that is given is
// the only one. Refuses a column without a name. Requires text that is not binary.
std::optional<TableNames> table_names(const Text& text, const InputOptions& options);

// Moves behind the name that the line begins with and what separates it from the rest. Refuses a line without.
std::string row_name(const Text& text, Cursor& cursor, char separator);

// Says whether a text of which nothing says the format, and which has such names, is a matrix: of 4 columns or more, or
// with the same names on both sides. Refuses what may as well be edges beside their numbers, and what is: a column has
// words alone.
bool is_named_matrix(const Text& text, const TableNames& names);
// The refusal of such a text as an edge list.
[[noreturn]] void refuse_row_numbers(const Text& text, const TableNames& names);

}  // namespace matchcount::readers
