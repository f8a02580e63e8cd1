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
  // A file of level 4 begins with small integers: types, rows, columns, whether it is complex, the length of a name,
  // which a NUL ends.
  constexpr std::size_t head = 20;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const bool are_small = bytes.size() > head && (bytes[1] | bytes[13] | bytes[14] | bytes[17] | bytes[18]) == 0;
  if (are_small && byte(0) < 60 && byte(0) % 10 < 3 && byte(12) < 2 && byte(16) > 1 &&
      bytes.substr(head).find('\0') + 1 == byte(16))
    return {"a MATLAB file of version 4", "one that was saved with -v7"};
  return {};
}

void refuse_foreign_format(const Text& text) {
  if (text.is_binary()) return;
  struct Known {
    std::string_view begin, what, instead;
  };
  constexpr Known known[] = {{"# created by octave", "text of Octave", "a .mat file, which save -v7 writes"},
                             {"leda.graph", "LEDA", "GraphML, GML or an edge list"},
                             {"nodedef>", "GDF", "GraphML or GEXF, which Gephi saves"},
                             {"<graph", "XGMML", "GraphML, which Cytoscape saves"},
                             {"<cml", "CML", "the molecule as MOL, SDF or MOL2"},
                             {"<molecule", "CML", "the molecule as MOL, SDF or MOL2"},
                             {"dl", "DL of UCINET", "an edge list, or Pajek's .net, which UCINET saves"},
                             {"name", "TSPLIB", "an edge list, or the matrix alone"}};
  const std::string_view begin = trimmed(whole(text).substr(0, 4096)), element = first_xml_element(text);
  for (const Known& row : known) {
    const std::string_view place = row.begin.starts_with('<') ? element : begin;
    std::string_view rest = place.substr(std::min(row.begin.size(), place.size()));
    if (!equal_ignoring_case(place.substr(0, row.begin.size()), row.begin)) continue;
    if (row.begin.starts_with('<') && rest.find_first_of(" \t\r\n>") != 0) continue;
    rest = trimmed(rest);
    if (row.begin == "dl" && (!equal_ignoring_case(rest.substr(0, 1), "n") || rest.substr(0, 8).find('=') == rest.npos))
      continue;
    if (row.begin == "name" && (!rest.starts_with(':') || rest.find("DIMENSION") == rest.npos)) continue;
    refuse(text, 1, std::string(row.what) + ", which is not read", std::string(row.instead));
  }
  // Rutherford-Boeing has sizes on the second line, and on the third a type such as RUA before others.
  const std::size_t first = begin.find('\n'), second = begin.find('\n', first + 1);
  if (first == begin.npos || second == begin.npos) return;
  std::string_view sizes = rest_of_line(begin.data() + first + 1), types = rest_of_line(begin.data() + second + 1);
  const std::string_view type = take_word(types);
  const auto is_of = [&](std::size_t i, std::string_view letters) { return letters.find(type[i]) != letters.npos; };
  const auto has_numbers = [](std::string_view& line) {
    return parse_natural(take_word(line)) && parse_natural(take_word(line)) && parse_natural(take_word(line));
  };
  if (type.size() == 3 && is_of(0, "RCPIQrcpiq") && is_of(1, "USHZRushzr") && is_of(2, "AEae") && has_numbers(types) &&
      has_numbers(sizes))
    refuse(text, 3, "a matrix of Rutherford-Boeing or Harwell-Boeing, which is not read", "it in Matrix Market");
}

void refuse_foreign_text(const Text& text) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%")) return;
  const std::string_view line = rest_of_line(cursor.position());
  const char* whose = ends_with_ignoring_case(text.name(), ".lgl") ? "igraph" : nullptr;
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
