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
  // A file of level 4 has five integers, the first of which is MOPT: M, the order of bytes, 0, then types of numbers
  // and of the matrix. The last is the length of a name, which a NUL ends.
  constexpr std::size_t head = 20;
  std::uint32_t numbers[5] = {}, length = 0;
  for (const bool is_swapped : {false, true}) {
    for (std::size_t i = 0; i < head && bytes.size() > head; ++i)
      numbers[i / 4] = numbers[i / 4] << 8 | static_cast<unsigned char>(bytes[is_swapped ? i : i / 4 * 4 + 3 - i % 4]);
    length = numbers[4];
    if (numbers[0] / 1000 == (is_swapped ? 1 : 0) && numbers[0] / 100 % 10 == 0 && numbers[0] % 10 < 3 &&
        numbers[3] < 2 && length > 1 && length < bytes.size() - head && bytes[head + length - 1] == '\0')
      return {"a MATLAB file of version 4", "one that was saved with -v7"};
  }
  return {};
}

void refuse_foreign_format(const Text& text) {
  if (text.is_binary()) return;
  struct Known {
    std::string_view begin, what, instead;
  };
  constexpr Known known[] = {{"# created by octave", "text of Octave", "a .mat file, which save -v7 writes"},
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
  Cursor cursor(text);
  cursor.next_line();
  std::string_view sizes = rest_of_line(cursor.at_end() ? text.end() - 1 : cursor.position());
  cursor.next_line();
  std::string_view line = rest_of_line(cursor.at_end() ? text.end() - 1 : cursor.position());
  const std::string_view type = take_word(line);
  const auto is_of = [&](std::size_t i, std::string_view letters) { return letters.find(type[i]) != letters.npos; };
  if (type.size() == 3 && is_of(0, "RCPIQrcpiq") && is_of(1, "USHZRushzr") && is_of(2, "AEae") &&
      parse_natural(take_word(line)) && parse_natural(take_word(line)) && parse_natural(take_word(line)) &&
      parse_natural(take_word(sizes)) && parse_natural(take_word(sizes)))
    refuse(text, 3, "a matrix in the format of Rutherford-Boeing or Harwell-Boeing, which is not read",
           "it in Matrix Market");
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
