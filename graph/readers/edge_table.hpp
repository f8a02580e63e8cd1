#pragma once
// Finds edges in tables with more columns than an edge list has. Private to graph/.

#include <optional>
#include <string>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

struct EdgeTable {
  Text edges;            // an edge list: the columns of the ends and, where there is one, of the weight, line by line
  char separator = ',';  // of its fields
  bool has_header = true;
  std::string note;  // which columns are passed over
};

// For a first line that names, among others, two columns as "source" and "target" are (edge_line.hpp), as tables of
// edges have it that pandas, R and spreadsheets write with attributes or with numbers of rows. The weight's column has
// the name options.weight_key, else "weight". Nothing where an edge list has no more columns itself, options.header
// says that the first line is none, or another format is asked for. options.columns, where it is given, picks the
// columns instead. Refuses lines of another length; a weight's column
// that is asked for and not there, and none where the question is about weights and others may be meant; and, unless
// edge lists are asked for, numbers alone, which may be a matrix. Requires text that is not binary.
std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& options);

}  // namespace matchcount::readers
