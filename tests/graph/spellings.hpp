#pragma once
// Writes a known matrix or graph as people, pandas, R, networkx, spreadsheets and numpy do.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "graph/truth.hpp"

namespace matchcount::test::misreading {

// A file, how it was written, and what its owner may say of it.
struct Spelling {
  std::string text;
  std::string writer;
  std::string name = "file.txt";
  InputFormat format = InputFormat::automatic;
  std::optional<bool> header = {};
};

using Cells = std::vector<std::vector<std::string>>;

inline std::string joined(const std::vector<std::string>& fields, const std::string& separator) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : separator) + fields[i];
  return line;
}

inline std::string with_quotes(const std::string& text) { return '"' + text + '"'; }

inline std::vector<std::string> numbered(const std::string& word, int count, int first) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(word + std::to_string(first + i));
  return names;
}

// Matrices.

inline std::optional<Spelling> plain_matrix(const Cells& cells, Dice& dice) {
  constexpr const char* separators[] = {" ", " ", "  ", "\t", ",", ", ", ";", " , "};
  const std::string separator = dice.pick(separators);
  Spelling file{"", "plain matrix"};
  const bool aligned = separator == " " && dice.coin();
  for (const std::vector<std::string>& row : cells) {
    std::vector<std::string> fields = row;
    for (std::string& field : fields) {
      if (aligned && field.size() < 6) field.insert(0, 6 - field.size(), ' ');
    }
    file.text += joined(fields, separator) + "\n";
  }
  file.format = InputFormat::dense;
  return file;
}

inline std::optional<Spelling> matrix_with_size(const Cells& cells, Dice& dice) {
  Spelling file = *plain_matrix(cells, dice);
  const std::string rows = std::to_string(cells.size()), columns = std::to_string(cells[0].size());
  constexpr const char* between[] = {" ", "\n", "\t", ","};
  const std::string size = dice.one_in(3) && rows == columns ? rows : rows + dice.pick(between) + columns;
  file.text = size + "\n" + file.text;
  file.writer = "matrix behind its size";
  if (size.find('\n') == size.npos) file.header = true;
  if (!file.header) file.format = InputFormat::automatic;
  // One edge behind two vertices.
  if (!file.header && rows == "1" && columns == "2") file.text.erase(0, 4);
  return file;
}

// pandas: to_csv with the names of rows and columns, or either alone.
inline std::optional<Spelling> pandas_matrix(const Cells& cells, Dice& dice) {
  const bool with_rows = dice.coin(), with_columns = !with_rows || dice.coin(), has_names = dice.coin();
  const std::string separator = dice.one_in(4) ? "\t" : dice.one_in(4) ? ";" : ",";
  const auto rows = static_cast<int>(cells.size()), columns = static_cast<int>(cells[0].size());
  const std::vector<std::string> row_names = numbered(has_names ? "r" : "", rows, dice.one_in(4) ? 1 : 0);
  const std::vector<std::string> column_names =
      numbered(has_names ? "c" : "", columns, columns > 3 && dice.one_in(4) ? 1 : 0);
  Spelling file{"", "matrix by pandas"};
  if (with_columns) {
    file.text = (with_rows ? separator : "") + joined(column_names, separator) + "\n";
    file.header = true;
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    file.text += (with_rows ? row_names[i] + separator : "") + joined(cells[i], separator) + "\n";
  // A name and one or two numbers are an edge, and nobody can say what a first column of numbers is.
  if (with_rows && !with_columns && rows == 1) return std::nullopt;
  // A square matrix may begin with 1, 2, 3 on either side, and one of zeros and ones with 0, 1.
  if (with_columns && !has_names && column_names[0] == "1" && rows + 1 == columns) return std::nullopt;
  if (with_rows && !with_columns && !has_names && (rows == columns + 1 || rows == 2 || columns == 1))
    return std::nullopt;
  if (with_rows && has_names && columns < 3) {
    if (!with_columns) return std::nullopt;
    file.header.reset();
  }
  if (with_rows && !with_columns) return file;
  file.format = InputFormat::dense;
  return file;
}

// Writes as R does: write.table (quotes, no corner), write.csv (an empty corner in quotes), without either's names.
inline std::optional<Spelling> r_matrix(const Cells& cells, Dice& dice) {
  const auto rows = static_cast<int>(cells.size()), columns = static_cast<int>(cells[0].size());
  const bool csv = dice.coin(), with_rows = dice.coin();
  const std::string separator = csv ? "," : " ";
  std::vector<std::string> header = numbered("V", columns, 1);
  for (std::string& name : header) name = with_quotes(name);
  Spelling file{"", "matrix by R"};
  file.text = (csv && with_rows ? "\"\"," : "") + joined(header, separator) + "\n";
  for (int i = 0; i < rows; ++i) {
    const std::string name = with_rows ? with_quotes(std::to_string(i + 1)) + separator : "";
    file.text += name + joined(cells[static_cast<std::size_t>(i)], separator) + "\n";
  }
  file.format = InputFormat::dense;
  file.header = true;
  return file;
}

// Writes a spreadsheet with names on two sides and a word in the corner.
inline std::optional<Spelling> sheet_matrix(const Cells& cells, Dice& dice) {
  const std::string separator = dice.coin() ? "," : "\t";
  const auto columns = static_cast<int>(cells[0].size());
  Spelling file{"name" + separator + joined(numbered("c", columns, 1), separator) + "\n", "matrix of a spreadsheet"};
  for (std::size_t i = 0; i < cells.size(); ++i)
    file.text += "r" + std::to_string(i) + separator + joined(cells[i], separator) + "\n";
  file.format = InputFormat::dense;
  if (columns > 2) file.header = true;  // else a name and numbers are an edge
  if (columns == 1 && (cells.size() == 1 || file.text.find('j') != file.text.npos)) return std::nullopt;
  return file;
}

// Writes a matrix as Python, MATLAB and LaTeX show it, which nothing here reads.
inline Spelling shown_matrix(const Cells& cells, Dice& dice) {
  Spelling file{"", "matrix as it is shown"};
  switch (dice.below(4)) {
    case 0:
      for (std::size_t i = 0; i < cells.size(); ++i)
        file.text += (i == 0 ? "[[" : " [") + joined(cells[i], " ") + (i + 1 == cells.size() ? "]]\n" : "]\n");
      break;
    case 1:
      for (std::size_t i = 0; i < cells.size(); ++i)
        file.text += (i == 0 ? "[[" : "[") + joined(cells[i], ", ") + (i + 1 == cells.size() ? "]]" : "], ");
      break;
    case 2:
      for (std::size_t i = 0; i < cells.size(); ++i) file.text += (i == 0 ? "" : "; ") + joined(cells[i], " ");
      break;
    default:
      for (const std::vector<std::string>& row : cells) file.text += joined(row, " & ") + " \\\\\n";
      break;
  }
  return file;
}

// Names of vertices, all different; of two sides apart.
inline std::vector<std::string> vertex_names(int count, Dice& dice, int side) {
  std::vector<std::string> names;
  const int way = dice.below(6);
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i + (way == 0 ? 0 : 1) + (side == 2 ? 100 : 0));
    names.push_back(way < 2    ? number
                    : way == 2 ? (side == 2 ? "w" : "v") + number
                    : way == 3 ? "(" + std::to_string(i) + ", " + std::to_string(side) + ")"
                    : way == 4 ? std::string(1, static_cast<char>((side == 2 ? 'n' : 'a') + i))
                               : std::to_string(100 * side + 7 * i + 3));
  }
  return names;
}

inline std::vector<bool> covered(const Truth& truth, bool second) {
  std::vector<bool> result(static_cast<std::size_t>(second ? truth.columns : truth.rows), false);
  for (const Entry& entry : truth.entries) {
    if (!second || truth.one_set()) result[static_cast<std::size_t>(second ? entry.v : entry.u)] = true;
    if (truth.one_set()) result[static_cast<std::size_t>(second ? entry.u : entry.v)] = true;
    if (second && !truth.one_set()) result[static_cast<std::size_t>(entry.v)] = true;
  }
  return result;
}

// Edge lists: separators, headers, weights, the data of networkx, row numbers of pandas; of a matrix with indices.
inline std::optional<Spelling> edge_list(const Truth& truth, Dice& dice, bool is_counted = false) {
  if (truth.entries.empty() || truth.has_complex) return std::nullopt;
  const bool is_matrix = truth.kind == InputKind::matrix;
  if (is_matrix) is_counted = true;
  std::vector<std::string> first = is_counted ? numbered("", truth.rows, 1) : vertex_names(truth.rows, dice, 1);
  std::vector<std::string> second = is_counted        ? numbered("", truth.columns, 1)
                                    : truth.one_set() ? first
                                                      : vertex_names(truth.columns, dice, dice.coin() ? 2 : 1);
  const std::vector<bool> rows = covered(truth, false), columns = covered(truth, true);
  // An index names those before it.
  if (is_matrix && (!rows.back() || !columns.back())) return std::nullopt;
  if (!truth.one_set() && !is_matrix && std::ranges::find(columns, false) != columns.end()) return std::nullopt;
  constexpr const char* separators[] = {" ", " ", "\t", ",", ", "};
  std::string separator = dice.pick(separators);
  const bool in_brackets = first[0][0] == '(';
  if (in_brackets && separator[0] == ',') separator = " ";
  const bool as_data = !truth.has_values ? dice.one_in(5) : dice.one_in(4);
  const bool with_weights = truth.has_values || dice.one_in(4);
  const bool has_header = !as_data && dice.one_in(4), has_index = has_header && separator == "," && dice.coin();
  if (has_index && in_brackets) return std::nullopt;
  Spelling file{"", "edge list"};
  if (has_header) {
    constexpr std::pair<const char*, const char*> words[] = {{"source", "target"}, {"from", "to"}, {"u", "v"},
                                                             {"V1", "V2"},         {"0", "1"},     {"row", "column"}};
    const auto& [from, to] = dice.pick(words);
    // Vertices of these names, or a single edge, may stand there.
    if (from[0] == '0' && (is_matrix || first[0].size() == 1 || second[0].size() == 1 || truth.entries.size() < 2))
      return std::nullopt;
    file.text = (has_index ? separator : "") + from + separator + to +
                (with_weights ? separator + (dice.coin() ? "weight" : "value") : "") + "\n";
    file.header = true;
  }
  std::vector<Entry> entries = truth.entries;
  if (dice.coin()) std::ranges::shuffle(entries, dice.engine());
  int number = 0;
  for (const Entry& entry : entries) {
    std::string u = first[static_cast<std::size_t>(entry.u)], v = second[static_cast<std::size_t>(entry.v)];
    if (truth.kind == InputKind::undirected && dice.coin()) std::swap(u, v);
    if (has_index) file.text += std::to_string(number++) + separator;
    file.text += u + separator + v;
    if (as_data) {
      file.text += with_weights ? " {'weight': " + entry.text + "}" : " {}";
    } else if (with_weights) {
      file.text += separator + entry.text;
    }
    file.text += "\n";
  }
  for (std::size_t i = 0; !is_matrix && i < rows.size(); ++i) {
    // The name of a column as well would be that alone.
    const bool is_column = !truth.one_set() && std::ranges::find(second, first[i]) != second.end();
    if (!rows[i] && (has_header || is_column)) return std::nullopt;
    if (!rows[i]) file.text += first[i] + "\n";
  }
  if (as_data && separator[0] == ',') return std::nullopt;
  // It is the header, so that 0 1 below it is an edge.
  if (!has_header && dice.one_in(6)) file.text = "# FromNodeId\tToNodeId\n" + file.text;
  if (!has_index) file.format = InputFormat::edge_list;
  return file;
}

// Writes a line of its size before an edge list, as for programming contests.
inline std::optional<Spelling> sized_edges(const Truth& truth, Dice& dice) {
  // Vertices of two sides are numbered from 1 on both.
  std::optional<Spelling> file = edge_list(truth, dice, !truth.one_set());
  if (!file || file->header) return std::nullopt;
  const std::string size = std::to_string(truth.rows) + (truth.one_set() ? "" : " " + std::to_string(truth.columns));
  file->text =
      size + (dice.coin() || !truth.one_set() ? " " : "\n") + std::to_string(truth.entries.size()) + "\n" + file->text;
  file->writer = "edge list behind its size";
  file->format = InputFormat::automatic;
  return file;
}

// networkx: write_adjlist (every edge once) and write_multiline_adjlist; others, every edge from both ends.
inline std::optional<Spelling> adjacency_list(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_values || truth.has_loops) return std::nullopt;
  const std::vector<std::string> names = vertex_names(truth.rows, dice, 1);
  if (names[0][0] == '(') return std::nullopt;
  const bool both = truth.kind == InputKind::undirected && dice.coin(), colon = dice.one_in(8), lines = dice.one_in(5);
  Spelling file{"", "adjacency list"};
  for (int u = 0; u < truth.rows; ++u) {
    std::vector<std::string> neighbours;
    for (const Entry& entry : truth.entries) {
      if (entry.u == u) neighbours.push_back(names[static_cast<std::size_t>(entry.v)]);
      if (both && entry.v == u) neighbours.push_back(names[static_cast<std::size_t>(entry.u)]);
    }
    const std::string& name = names[static_cast<std::size_t>(u)];
    if (lines) {
      file.text += name + " " + std::to_string(neighbours.size()) + "\n";
      for (const std::string& other : neighbours) file.text += other + " {}\n";
    } else {
      file.text += name + (colon ? ": " : neighbours.empty() ? "" : " ") + joined(neighbours, " ") + "\n";
    }
  }
  if (lines && truth.entries.empty()) return std::nullopt;
  if (lines) return Spelling{file.text, "multiline adjacency list"};
  if (colon) return Spelling{file.text, "adjacency list with colons"};
  if (dice.one_in(3)) file.name = "file.adjlist";
  file.format = InputFormat::adjacency_list;
  return file;
}

// An edge list with a line that other formats have as a comment.
inline std::optional<Spelling> commented_edges(const Truth& truth, Dice& dice) {
  std::optional<Spelling> file = edge_list(truth, dice);
  if (!file) return std::nullopt;
  file->format = InputFormat::automatic;
  constexpr const char* comments[] = {"c bonds", "c 3",       "c",       "// bonds", "//",
                                      "! 4 5",   "REM bonds", "rem 1 2", "C 3 4 5"};
  const std::string comment = dice.pick(comments);
  // The letter c may be a vertex as well, where others are.
  static const std::regex letter("\\b[a-z]\\b");
  if ((comment[0] == 'c' || comment[0] == 'C') && std::regex_search(file->text, letter)) return std::nullopt;
  std::size_t place = 0;
  for (std::uint64_t line = dice.below(4) + (file->header ? 1 : 0); line > 0 && place < file->text.size(); --line)
    place = file->text.find('\n', place) + 1;
  file->text.insert(place, comment + "\n");
  file->writer = "edge list with a bad cell, a comment of another format";
  return file;
}

inline std::string bits_of(std::uint64_t number, int count) {
  std::string bits;
  for (int i = count - 1; i >= 0; --i) bits += ((number >> i) & 1) != 0 ? '1' : '0';
  return bits;
}

// Six bits a character, as nauty packs them.
inline std::string packed(std::string bits, char filler) {
  while (bits.size() % 6 != 0) bits += filler;
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 6)
    text += static_cast<char>(63 + std::stoi(bits.substr(i, 6), nullptr, 2));
  return text;
}

// graph6, sparse6, digraph6.
inline std::optional<Spelling> nauty(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_values || truth.has_loops) return std::nullopt;
  const int n = truth.rows;
  const Cells cells = truth.cells();
  const auto has = [&](int u, int v) { return cells[static_cast<std::size_t>(u)][static_cast<std::size_t>(v)] == "1"; };
  const std::string size(1, static_cast<char>(63 + n));
  std::string bits;
  if (truth.kind == InputKind::directed) {
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n; ++v) bits += has(u, v) ? '1' : '0';
    return Spelling{"&" + size + packed(bits, '0') + "\n", "digraph6", "file.d6"};
  }
  if (dice.coin()) {
    for (int v = 1; v < n; ++v)
      for (int u = 0; u < v; ++u) bits += has(u, v) ? '1' : '0';
    Spelling file{size + packed(bits, '0') + "\n", "graph6", dice.coin() ? "file.g6" : "file.txt"};
    if (dice.coin()) file.text = ">>graph6<<" + file.text;
    return file;
  }
  int width = 0;
  while ((1 << width) < n) ++width;
  int current = 0;
  for (int v = 0; v < n; ++v) {
    for (int u = 0; u < v; ++u) {
      if (!has(u, v)) continue;
      // b = 1 moves to the next vertex; x beyond it sets it.
      if (v == current) {
        bits += "0" + bits_of(static_cast<std::uint64_t>(u), width);
      } else if (v == current + 1) {
        bits += "1" + bits_of(static_cast<std::uint64_t>(u), width);
      } else {
        bits +=
            "1" + bits_of(static_cast<std::uint64_t>(v), width) + "0" + bits_of(static_cast<std::uint64_t>(u), width);
      }
      current = v;
    }
  }
  // The case that padding with ones would add a loop at the last vertex.
  if ((n & (n - 1)) == 0 && current == n - 2 && bits.size() % 6 != 0 && 6 - static_cast<int>(bits.size() % 6) > width)
    bits += '0';
  return Spelling{":" + size + packed(bits, '1') + "\n", "sparse6", "file.s6"};
}

inline std::optional<Spelling> matrix_market(const Truth& truth, Dice& dice) {
  if (truth.has_complex) return std::nullopt;
  const bool symmetric = truth.kind == InputKind::undirected && dice.coin();
  const bool has_fractions =
      std::ranges::any_of(truth.entries, [](const Entry& entry) { return entry.text.find('/') != entry.text.npos; });
  if (has_fractions) return std::nullopt;
  const bool pattern = !truth.has_values && dice.coin(), array = !pattern && !symmetric && dice.one_in(3);
  Spelling file{"%%MatrixMarket matrix " + std::string(array ? "array " : "coordinate ") +
                    (pattern           ? "pattern"
                     : truth.has_reals ? "real"
                                       : "integer") +
                    (symmetric ? " symmetric\n" : " general\n"),
                "Matrix Market", dice.coin() ? "file.mtx" : "file.txt"};
  if (dice.one_in(3)) file.text += "% made by somebody\n";
  const std::string sizes = std::to_string(truth.rows) + " " + std::to_string(truth.columns);
  const Cells cells = truth.cells();
  std::vector<std::string> lines;
  for (std::size_t v = 0; v < cells[0].size(); ++v) {
    for (std::size_t u = 0; u < cells.size(); ++u) {
      const bool is_entry = cells[u][v] != truth.zero && (!symmetric || u >= v);
      if (array) lines.push_back(cells[u][v]);
      if (!array && is_entry)
        lines.push_back(std::to_string(u + 1) + " " + std::to_string(v + 1) + (pattern ? "" : " " + cells[u][v]));
    }
  }
  file.text += sizes + (array ? "" : " " + std::to_string(lines.size())) + "\n" + joined(lines, "\n") + "\n";
  return file;
}

inline std::optional<Spelling> dimacs(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_values || truth.has_loops) return std::nullopt;
  const bool pace = truth.kind == InputKind::undirected && dice.one_in(3);
  const bool arcs = truth.kind == InputKind::directed;
  Spelling file{"c a graph\np " +
                    std::string(pace          ? "tw "
                                : arcs        ? "sp "
                                : dice.coin() ? "edge "
                                              : "col ") +
                    std::to_string(truth.rows) + " " + std::to_string(truth.entries.size()) + "\n",
                "DIMACS"};
  for (const Entry& entry : truth.entries)
    file.text += (pace   ? ""
                  : arcs ? "a "
                         : "e ") +
                 std::to_string(entry.u + 1) + " " + std::to_string(entry.v + 1) + (arcs ? " 1\n" : "\n");
  return file;
}

inline std::optional<Spelling> metis(const Truth& truth, Dice& dice) {
  if (truth.kind != InputKind::undirected || truth.has_reals || truth.has_loops) return std::nullopt;
  for (const Entry& entry : truth.entries) {
    if (entry.value.real() < 0) return std::nullopt;
  }
  Spelling file{std::to_string(truth.rows) + " " + std::to_string(truth.entries.size()) +
                    (truth.has_values ? " 001\n"
                     : dice.one_in(3) ? " 0\n"
                                      : "\n"),
                "METIS", dice.coin() ? "file.graph" : "file.txt"};
  if (dice.one_in(3)) file.text = "% made by somebody\n" + file.text;
  for (int u = 0; u < truth.rows; ++u) {
    std::vector<std::string> fields;
    for (const Entry& entry : truth.entries) {
      if (entry.u != u && entry.v != u) continue;
      fields.push_back(std::to_string(entry.u + entry.v - u + 1));
      if (truth.has_values) fields.push_back(entry.text);
    }
    file.text += joined(fields, " ") + "\n";
  }
  file.format = InputFormat::metis;
  return file;
}

inline Spelling gexf(const Truth& truth, Dice& dice) {
  const std::string kind = truth.kind == InputKind::directed ? "directed" : "undirected";
  const bool has_labels = dice.coin(), as_data = dice.one_in(3);
  Spelling file{"<?xml version=\"1.0\"?>\n<!-- by hand -->\n<gexf version=\"1.3\">\n", "GEXF",
                dice.coin() ? "file.gexf" : "file.txt"};
  file.text += "<graph defaultedgetype=\"" + kind + "\">\n<attributes class=\"edge\">" +
               "<attribute id=\"0\" title=\"" + (as_data ? "weight" : "note") + "\"/></attributes>\n<nodes>\n";
  for (int u = 0; u < truth.rows; ++u)
    file.text += "<node id=\"" + std::to_string(u) + "\"" +
                 (has_labels ? " label=\"v" + std::to_string(truth.rows - u) + "\"" : "") + "/>\n";
  file.text += "</nodes>\n<edges>\n";
  for (const Entry& entry : truth.entries) {
    const std::string weight = truth.has_values ? entry.text : "";
    file.text +=
        "<edge source=\"" + std::to_string(entry.u) + "\" target=\"" + std::to_string(entry.v) + "\"" +
        (weight.empty() || as_data ? "" : " weight=\"" + weight + "\"") + ">" +
        (weight.empty() || !as_data ? "" : "<attvalues><attvalue for=\"0\" value=\"" + weight + "\"/></attvalues>") +
        "</edge>\n";
  }
  file.text += "</edges></graph></gexf>\n";
  return file;
}

inline std::optional<Spelling> marked_up(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex) return std::nullopt;
  for (const Entry& entry : truth.entries) {
    if (entry.text.find('/') != entry.text.npos) return std::nullopt;
  }
  const bool directed = truth.kind == InputKind::directed, gml = dice.coin() || !built_with_graphml();
  if (!gml && dice.coin()) return gexf(truth, dice);
  const std::vector<std::string> names = vertex_names(truth.rows, dice, 1);
  Spelling file{"", gml ? "GML" : "GraphML", gml ? "file.gml" : "file.graphml"};
  file.text =
      gml ? "graph [\n" + std::string(directed ? "  directed 1\n" : "")
          : "<graphml><key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n<graph edgedefault=\"" +
                std::string(directed ? "directed" : "undirected") + "\">\n";
  for (int u = 0; u < truth.rows; ++u) {
    const std::string& name = names[static_cast<std::size_t>(u)];
    file.text += gml ? "  node [\n    id " + std::to_string(u) + "\n    label \"" + name + "\"\n  ]\n"
                     : "<node id=\"" + name + "\"/>\n";
  }
  for (const Entry& entry : truth.entries) {
    const std::string& u = names[static_cast<std::size_t>(entry.u)];
    const std::string& v = names[static_cast<std::size_t>(entry.v)];
    file.text += gml ? "  edge [\n    source " + std::to_string(entry.u) + "\n    target " + std::to_string(entry.v) +
                           "\n" + (truth.has_values ? "    weight " + entry.text + "\n" : "") + "  ]\n"
                     : "<edge source=\"" + u + "\" target=\"" + v + "\">" +
                           (truth.has_values ? "<data key=\"d0\">" + entry.text + "</data>" : "") + "</edge>\n";
  }
  file.text += gml ? "]\n" : "</graph></graphml>\n";
  return file;
}

// Writes a hydrocarbon in MOL.
inline std::optional<Spelling> molecule(const Truth& truth, Dice& dice) {
  if (truth.kind != InputKind::undirected || truth.has_values || truth.has_loops) return std::nullopt;
  if (dice.coin()) {
    Spelling file{"@<TRIPOS>MOLECULE\nx\n" + std::to_string(truth.rows) + " " + std::to_string(truth.entries.size()) +
                      "\nSMALL\n\n@<TRIPOS>ATOM\n",
                  "MOL2", dice.coin() ? "file.mol2" : "file.txt"};
    for (int u = 1; u <= truth.rows; ++u) file.text += std::to_string(u) + " C" + std::to_string(u) + " 0 0 0 C.2\n";
    file.text += "@<TRIPOS>BOND\n";
    int number = 0;
    for (const Entry& entry : truth.entries)
      file.text += std::to_string(++number) + "\t" + std::to_string(entry.u + 1) + " " + std::to_string(entry.v + 1) +
                   (dice.coin() ? " ar\n" : " 1\n");
    return file;
  }
  char line[80];
  std::snprintf(line, sizeof line, "%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", truth.rows,
                static_cast<int>(truth.entries.size()));
  Spelling file{"\n  program\n\n" + std::string(line), "MOL", dice.coin() ? "file.mol" : "file.txt"};
  for (int u = 0; u < truth.rows; ++u) {
    std::snprintf(line, sizeof line, "%10.4f%10.4f%10.4f C   0  0\n", 1.2 * u, 0.7 * (u % 2), 0.0);
    file.text += line;
  }
  for (const Entry& entry : truth.entries) {
    std::snprintf(line, sizeof line, "%3d%3d%3d  0\n", entry.u + 1, entry.v + 1, dice.between(1, 2));
    file.text += line;
  }
  file.text += "M  END\n";
  return file;
}

}  // namespace matchcount::test::misreading
