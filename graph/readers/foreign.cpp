// Files of other programs that nothing here reads: they are told by what they begin with, and refused with what to give
// instead.

#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/readings.hpp"

namespace matchcount::readers {

ForeignBytes foreign_bytes(std::string_view bytes) {
  using namespace std::string_view_literals;
  struct Known {
    std::string_view begin;
    ForeignBytes what;
  };
  constexpr Known known[] = {
      {"\xD0\xCF\x11\xE0"sv, {"a file of an office program, such as .xls", "a table saved as CSV"}},
      {"\xFF\xFE"sv, {"text in UTF-16", "text in UTF-8, as 'CSV UTF-8' of spreadsheets"}},
      {"\xFE\xFF"sv, {"text in UTF-16", "text in UTF-8, as 'CSV UTF-8' of spreadsheets"}},
      {"MATLAB 7.3"sv, {"a MATLAB file of version 7.3", "one that was saved with -v7"}},
      {"\x89HDF"sv, {"an HDF5 file", "Matrix Market, .npy or text"}},
      {"PAR1"sv, {"a Parquet file", "a table saved as CSV, or from Python the table itself"}},
      {"ARROW1"sv, {"an Arrow or Feather file", "a table saved as CSV, or from Python the table itself"}},
      {"SQLite format 3"sv, {"a database of SQLite", "a table saved as CSV"}},
      {"\x80"sv, {"a pickle of Python", "GraphML, .npz or text, or from Python the graph itself"}}};
  for (const Known& candidate : known) {
    if (bytes.starts_with(candidate.begin)) return candidate.what;
  }
  return {};
}

void refuse_foreign_text(const Text& text) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%")) return;
  const std::string_view line = rest_of_line(cursor.position());
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r{"));
  const auto begins = [word](std::string_view name) { return equal_ignoring_case(word, name); };
  const char* whose = nullptr;
  if (begins("leda.graph")) whose = "LEDA";
  if (ends_with_ignoring_case(text.name(), ".lgl")) whose = "igraph";
  if (ends_with_ignoring_case(text.name(), ".sif"))
    refuse(text, cursor.line(), in_quotes(line) + ", a text of Cytoscape: a vertex, a relation and another vertex",
           "--columns 1,3 where every line has one edge, or --format edgelist");
  // A bracket alone may begin an atom in SMILES notation.
  const bool is_list =
      line.front() == '[' && (line.size() == 1 || std::string_view("[({\" \r").find(line[1]) != line.npos);
  if (line.front() == '{' || is_list) whose = "JSON or of Python";
  if (whose == nullptr) return;
  std::vector<std::string_view> formats = names_to_ask_for<InputFormat>();
  std::erase(formats, to_string(InputFormat::automatic));
  refuse(text, cursor.line(), in_quotes(line) + ", a text of " + whose,
         "one of the formats that are read: " + listed(formats) + "; or --format edgelist where these are names");
}

}  // namespace matchcount::readers
