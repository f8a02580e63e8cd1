// A region of squares, drawn line by line: `#` or 1 is a square of it, `.` or 0 is none, and a shorter line ends there.
// Its squares are vertices, named row,column from 1, and two that share a side are joined: perfect matchings are the
// tilings by dominoes. Blanks, commas or semicolons may stand between ones and zeros.

#include <string>
#include <vector>

#include "graph/readers/readers.hpp"

namespace matchcount::readers {

Parsed read_cells(const Source& source) {
  const Text& text = source.text;
  Parsed parsed(source);
  constexpr Vertex none = ~Vertex{0};
  std::vector<Vertex> above, row;  // the squares of a line, by column
  char inside = '\0';              // the mark of the first square: # or 1
  std::size_t height = 0;
  Vertex squares = 0;
  for (Cursor cursor(text); !cursor.at_end(); cursor.next_line()) {
    row.clear();
    ++height;
    std::string_view line = rest_of_line(cursor.position());
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    for (const char c : line) {
      const bool is_drawn = c == '#' || c == '.', is_digit = c == '1' || c == '0';
      if ((is_blank(c) || c == ',' || c == ';') && inside != '#') continue;
      if (inside == '\0' && (is_drawn || is_digit)) inside = is_drawn ? '#' : '1';
      if (inside == '#' ? !is_drawn : !is_digit)
        refuse(text, cursor.line(), in_quotes({&c, 1}) + " in a drawing of squares",
               inside == '1' ? "1 for a square and 0 for none" : "# for a square and . for none, or 1 and 0");
      row.push_back(c == inside ? squares++ : none);
      if (row.back() == none) continue;
      const Vertex square = row.back();
      const std::size_t column = row.size() - 1;
      parsed.row_labels.push_back(std::to_string(height) + "," + std::to_string(column + 1));
      parsed.coordinates.push_back({static_cast<double>(column), -static_cast<double>(height)});
      if (column > 0 && row[column - 1] != none) parsed.add_edge(row[column - 1], square, cursor.line());
      if (column < above.size() && above[column] != none) parsed.add_edge(above[column], square, cursor.line());
    }
    above = row;
  }
  if (inside == '\0') refuse(text, 0, "no square", "lines of # and ., or of 1 and 0");
  parsed.set_vertices(squares);
  parsed.shape = Parsed::Shape::undirected;
  return parsed;
}

}  // namespace matchcount::readers
