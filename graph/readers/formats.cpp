#include "graph/readers/formats.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace matchcount::readers {

namespace {

// Calls visit(p, line) for the comments before the data, p at the mark, while it returns true.
template <class Visit>
void for_each_comment(const Text& text, const char* marks, const Visit& visit) {
  for (Cursor cursor(text); *marks != '\0' && !cursor.at_end(); cursor.next_line()) {
    if (cursor.at_line_end()) continue;
    if (std::strchr(marks, *cursor.position()) == nullptr || !visit(cursor.position(), cursor.line())) break;
  }
}

// Calls visit(word, line) for what stands behind "key:" in these comments.
template <class Visit>
void for_each_statement(const Text& text, const char* marks, std::string_view key, const Visit& visit) {
  for_each_comment(text, marks, [&](const char* p, std::uint64_t line) {
    const std::string_view comment = trimmed(rest_of_line(p + 1));
    const std::string_view rest = trimmed(comment.substr(std::min(key.size(), comment.size())));
    if (!equal_ignoring_case(comment.substr(0, key.size()), key) || !rest.starts_with(':')) return true;
    return visit(trimmed(rest.substr(1)), line);
  });
}

std::optional<InputKind> kind_named(std::string_view word) {
  for (const auto& named : Names<InputKind>::all)
    if (equal_ignoring_case(named.name, word)) return named.value;
  return std::nullopt;
}

// Returns how a file that says `stated` is read for a question about `usual`; nothing: it is refused.
std::optional<InputKind> reconciled(InputKind stated, InputKind usual) {
  using enum InputKind;
  if (stated == undirected && usual == directed) return directed;  // undirected edges go both ways
  const bool is_refused = (stated == bipartite && usual == directed) || (stated == undirected && usual == matrix) ||
                          (stated == directed && usual != directed) || (stated == matrix && usual == undirected);
  return is_refused ? std::nullopt : std::optional(stated);
}

[[noreturn]] void refuse_kind(const Text& text, std::uint64_t line, InputKind stated, InputKind usual) {
  const char* found = "a directed graph";
  const char* expected = usual == InputKind::matrix
                             ? "--kind directed for its cycle covers, or --kind matrix for a matrix of rows and columns"
                             : "--kind directed for its cycle covers, or --kind undirected to ignore directions";
  if (stated == InputKind::bipartite) {
    found = "a bipartite graph, whose columns name two separate sides";
    expected = "--kind directed, where the columns name the same vertices, or --kind matrix";
  } else if (stated == InputKind::matrix) {
    found = "a matrix of rows and columns";
    expected = "--kind undirected, where both are the same vertices, or --kind matrix";
  } else if (stated == InputKind::undirected) {
    found = "an undirected graph";
    expected = "--kind undirected for its perfect matchings, or --kind matrix for a matrix of rows and columns";
  }
  refuse(text, line, found, expected);
}

// Refuses a graph that is called directed and has "each unordered pair of nodes" once: wiki-Vote is directed, and
// ca-GrQc is not.
std::optional<StatedKind> snap_kind(const Text& text) {
  std::optional<StatedKind> kind;
  for_each_comment(text, "#%", [&](const char* p, std::uint64_t line) {
    const std::string_view words = trimmed(rest_of_line(p + 1));
    const bool is_pair = words.find("each unordered pair") != words.npos,
               is_directed = words.starts_with("Directed graph");
    if (is_pair && is_directed)
      refuse(text, line, "a directed graph that has each unordered pair of nodes once",
             "--kind directed where its lines are arcs, or --kind undirected");
    if (is_pair || words.starts_with("Undirected graph")) kind = StatedKind{InputKind::undirected, line};
    if (!is_pair && is_directed) kind = StatedKind{InputKind::directed, line};
    return !kind;
  });
  return kind;
}

// A file of one graph.
bool next_whole(const Text& text, InputFormat, Part& part) {
  if (part.number != 0) return false;
  part = {1, text.begin(), text.end(), 0};
  return true;
}

// An object whose first key is in quotes, unlike a set that Python prints.
bool is_json(const Text& text, InputFormat) {
  const std::string_view begin = trimmed(whole(text).substr(0, 4096));
  return begin.starts_with('{') && trimmed(begin.substr(1)).starts_with('"');
}

// The first element of GEXF is called so.
bool is_xml(const Text& text, InputFormat format) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("") || *cursor.position() != '<') return false;
  return first_xml_element(text).starts_with("<gexf") == (format == InputFormat::gexf);
}

using enum InputFormat;
using enum Format::Holds;
constexpr Format formats[] = {
    {edge_list, either, "", "#%", read_edge_list, nullptr, next_whole, weight_key | lines | columns | base},
    {dense, matrix, "", "#%", read_dense, nullptr, next_whole, lines | no_edge},
    {metis, graph, ".graph .metis", "%", read_metis, nullptr, next_whole},
    {adjacency_list, graph, ".adjlist", "#", read_adjacency_list, nullptr, next_whole},
    {npy, matrix, ".npy", "", read_npy, is_npy, next_npy, no_edge},
    {npz, matrix, ".npz", "", read_npz, is_npz, next_whole},
    {mat, matrix, ".mat", "", read_mat, is_mat, next_whole},
    {matrix_market, matrix, ".mtx", "%", read_matrix_market, is_matrix_market, next_whole},
    {graphml, graph, ".graphml", "", read_xml, is_xml, next_whole, weight_key},
    {gexf, graph, ".gexf", "", read_xml, is_xml, next_whole, weight_key},
    {json, graph, ".json", "", read_json, is_json, next_whole, weight_key},
    {tgf, graph, ".tgf", "", read_tgf, nullptr, next_whole},
    {lgf, graph, ".lgf", "", read_lgf, is_section, next_whole, weight_key},
    {pajek, graph, ".net .paj", "", read_pajek, is_section, next_whole},
    {dimacs, graph, ".gr .col .dimacs", "", read_dimacs, is_dimacs, next_whole},
    {blossom, graph, "", "", read_dimacs, nullptr, next_whole},
    {graph6, graph, ".g6 .graph6", "", read_graph6, is_graph6, next_graph6},
    {sparse6, graph, ".s6 .sparse6", "", read_graph6, is_graph6, next_graph6},
    {digraph6, graph, ".d6 .digraph6", "", read_graph6, is_graph6, next_graph6},
    {gml, graph, ".gml", "", read_gml, is_gml, next_whole, weight_key},
    {dot, graph, ".dot .gv", "", read_dot, is_dot, next_whole, weight_key},
    {mol, graph, ".mol .sdf", "", read_mol, is_mol, next_mol, skeleton},
    {mol2, graph, ".mol2", "", read_mol, is_mol2, next_mol, skeleton},
    {xyz, graph, ".xyz", "", read_mol, is_xyz, next_mol, skeleton},
    {planar_code, graph, "", "", read_planar_code, is_planar_code, next_planar_code},
    {cells, graph, "", "", read_cells, nullptr, next_whole}};

// Lists the options that not every format can honour.
constexpr std::pair<std::string_view, ReadingOption> reading_options[] = {
    {"weight-key", weight_key}, {"delimiter", lines}, {"header", lines},
    {"columns", columns},       {"by", columns},      {"base", base},
    {"skeleton", skeleton},     {"no-edge", no_edge}};

std::vector<std::string_view> formats_having(ReadingOption option) {
  std::vector<std::string_view> names;
  for (const Format& row : formats)
    if ((row.honours & option) != 0) names.push_back(to_string(row.format));
  return names;
}

// Refuses a first line that is an empty graph of DOT, and an edge of networkx between a vertex 'graph' and another.
void refuse_edge_as_dot(const Text& text) {
  Cursor cursor(text);
  cursor.skip_to_data("#");
  std::string_view rest = rest_of_line(cursor.position());
  const std::string_view first = take_word(rest), second = take_word(rest);
  if (trimmed(rest) != "{}") return;
  refuse(text, cursor.line(),
         "an empty graph of DOT, or an edge between " + in_quotes(first) + " and " + in_quotes(second) +
             " as networkx writes it",
         "--format dot or --format edgelist");
}

std::optional<InputFormat> certain_format(const Text& text) {
  if (text.is_binary())
    return is_npy(text, npy) ? npy : is_npz(text, npz) ? npz : is_mat(text, mat) ? mat : planar_code;
  std::optional<InputFormat> found;
  for (const Format& row : formats) {
    if (row.is_certain == nullptr || !row.is_certain(text, row.format)) continue;
    if (found) {
      const std::string one(to_string(*found)), other(to_string(row.format));
      refuse(text, 1, "a text that begins as " + one + " and as " + other, "--format " + one + " or --format " + other);
    }
    found = row.format;
  }
  if (found == dot) refuse_edge_as_dot(text);
  return found;
}

// Returns the first of these words that a comment before the data has behind "key:"; empty: none does.
std::string_view stated(const Text& text, std::string_view key, std::initializer_list<std::string_view> words) {
  std::string_view found;
  for_each_statement(text, "#%", key, [&](std::string_view word, std::uint64_t) {
    if (std::ranges::find(words, word) != words.end()) found = word;
    return found.empty();
  });
  return found;
}

// Says whether a comment before the data heads columns as the SNAP collection does (J. Leskovec and A. Krevl, "SNAP
// datasets", 2014): "# FromNodeId ToNodeId". Another comment there says whether the graph is directed.
bool is_snap(const Text& text) {
  bool found = false;
  for_each_comment(text, "#%", [&](const char* p, std::uint64_t) {
    std::string_view words = rest_of_line(p + 1);
    found = take_word(words) == "FromNodeId" && take_word(words) == "ToNodeId";
    return !found;
  });
  return found;
}

}  // namespace

void check_square(const Source& source, std::uint64_t line, std::uint64_t rows, std::uint64_t columns) {
  const InputKind kind = kind_of(source.options);
  if (rows == columns || (kind != InputKind::directed && kind != InputKind::undirected)) return;
  refuse(source.text, line, std::to_string(rows) + " rows and " + std::to_string(columns) + " columns",
         std::string("as many rows as columns in the matrix of ") +
             (kind == InputKind::directed ? "a directed graph" : "an undirected graph"));
}

Parsed begun_matrix(const Source& source, std::uint64_t rows, std::uint64_t columns) {
  if (rows > max_vertices || columns > max_vertices)
    refuse(source.text, 0, "a dimension beyond " + std::to_string(max_vertices), "at most that many rows and columns");
  check_vertex_counts(source.text, 0, rows, columns);
  check_square(source, 0, rows, columns);
  Parsed parsed;
  parsed.shape = shape_of_matrix(source);
  parsed.num_rows = static_cast<Vertex>(rows);
  parsed.num_columns = static_cast<Vertex>(columns);
  return parsed;
}

void check_reading_options(const Text& text, InputFormat format, const InputOptions& given) {
  const auto is_given = [&](std::string_view option) {
    return (option == "weight-key" && given.weight_key && !given.weight_key->empty()) ||
           (option == "delimiter" && !given.delimiter.empty()) || (option == "header" && given.header) ||
           (option == "columns" && !given.columns.empty()) || (option == "by" && !given.label.empty()) ||
           (option == "base" && given.base) || (option == "skeleton" && given.skeleton) ||
           (option == "no-edge" && !given.no_edge.empty());
  };
  const unsigned honoured = format_entry(format).honours;
  for (const auto& [name, option] : reading_options) {
    if (!is_given(name) || (honoured & option) != 0) continue;
    refuse(text, 0, "--" + std::string(name) + " for the format " + std::string(to_string(format)),
           "no such option, or a file of a format that has it: " + listed(formats_having(option)));
  }
}

std::optional<StatedKind> stated_kind(const Text& text, InputFormat format) {
  std::optional<StatedKind> stated;
  if (format == InputFormat::edge_list) stated = konect_kind(text, true);
  if (format == InputFormat::edge_list && !stated && is_snap(text)) stated = snap_kind(text);
  for_each_statement(text, format_entry(format).comment_marks, "kind", [&](std::string_view word, std::uint64_t line) {
    const std::optional<InputKind> kind = kind_named(word);
    // The matrices of the SuiteSparse collection have comments such as "% kind: directed weighted graph".
    if (!kind && format == InputFormat::matrix_market) return true;
    if (!kind) refuse(text, line, "the kind " + in_quotes(word), listed(names_to_ask_for<InputKind>()));
    if (stated && stated->kind != *kind)
      refuse(text, line, "the kind " + in_quotes(word),
             in_quotes(to_string(stated->kind)) + " as on line " + std::to_string(stated->line));
    if (!stated) stated = StatedKind{*kind, line};
    return true;
  });
  return stated;
}

std::string stated_layout(const Text& text, InputFormat format) {
  std::string layout;
  for_each_statement(text, format_entry(format).comment_marks, "layout", [&](std::string_view words, std::uint64_t) {
    layout = words;
    return layout.empty();
  });
  return layout;
}

std::optional<StatedKind> konect_kind(const Text& text, bool refuses) {
  constexpr std::string_view weights[] = {"unweighted", "positive", "posweighted",   "signed",          "multisigned",
                                          "weighted",   "dynamic",  "multiweighted", "multiposweighted"};
  Cursor cursor(text);
  if (!cursor.skip_to_data("") || *cursor.position() != '%') return std::nullopt;
  // Separators may stand behind them, where spreadsheets have saved the file.
  std::string_view line = rest_of_line(cursor.position() + 1);
  line = line.substr(0, line.find_last_not_of(" \t\r,;|&:") + 1);
  const std::string_view direction = take_word(line), weight = take_word(line);
  const bool is_konect = direction == "bip" || direction == "sym" || direction == "asym";
  const InputKind kind = direction == "bip"   ? InputKind::bipartite
                         : direction == "sym" ? InputKind::undirected
                                              : InputKind::directed;
  const bool is_known = weight.empty() || std::ranges::find(weights, weight) != std::end(weights);
  if (is_konect && !is_known && refuses)
    refuse(text, cursor.line(),
           in_quotes(weight) + " behind '% " + std::string(direction) + "', as KONECT's files begin",
           listed({std::begin(weights), std::end(weights)}) + ", or --kind, by which the line is a comment");
  return is_konect && is_known ? std::optional(StatedKind{kind, cursor.line()}) : std::nullopt;
}

InputKind settled_kind(const Text& text, InputFormat format, Parsed::Shape shape, std::optional<InputKind> given,
                       const std::optional<StatedKind>& stated, InputKind usual) {
  const bool is_directed = shape == Parsed::Shape::directed;
  const auto of_shape = [&](InputKind kind) {
    if (kind != InputKind::bipartite || shape == Parsed::Shape::two_sided) return kind;
    if (is_directed) refuse_kind(text, 0, InputKind::directed, kind);
    return InputKind::undirected;
  };
  if (given) return of_shape(*given);
  const bool has_sides = shape == Parsed::Shape::two_sided;
  if (!stated && (has_sides || format_entry(format).holds != Format::Holds::graph)) return usual;
  // Arcs make the same matrix, whether it is said to be one of a directed graph or one of rows and columns.
  if (!stated && is_directed && usual == InputKind::matrix) return usual;
  const InputKind said = stated ? stated->kind : is_directed ? InputKind::directed : InputKind::undirected;
  const std::optional<InputKind> kind = reconciled(said, usual);
  if (!kind) refuse_kind(text, stated ? stated->line : 0, said, usual);
  return of_shape(*kind);
}

const Format& format_entry(InputFormat format) {
  const auto* const row = std::ranges::find(formats, format, &Format::format);
  return row == std::end(formats) ? formats[0] : *row;
}

std::optional<InputFormat> stated_format(const Text& text) {
  const std::string_view name = stated(text, "format", {"edgelist", "dense", "metis", "adjlist"});
  return name.empty() ? std::nullopt : std::optional(from_string<InputFormat>(name));
}

std::optional<bool> stated_header(const Text& text) {
  const std::string_view word = stated(text, "header", {"yes", "no"});
  return word.empty() ? std::nullopt : std::optional(word == "yes");
}

std::optional<InputFormat> own_format(const Text& text) {
  if (const std::optional<InputFormat> format = certain_format(text)) return format;
  if (const std::optional<InputFormat> format = stated_format(text)) return format;
  std::string_view name = text.name();
  for (const std::string_view packed : {".zip", ".xz", ".zst", ".bz2"})
    if (ends_with_ignoring_case(name, packed)) name.remove_suffix(packed.size());
  if (const std::optional<InputFormat> format = format_of_name(name)) return format;
  return konect_kind(text) || is_snap(text) ? std::optional(edge_list) : std::nullopt;
}

std::optional<InputFormat> format_of_name(std::string_view name) {
  if (ends_with_ignoring_case(name, ".gz")) name.remove_suffix(3);
  for (const Format& row : formats) {
    for (std::string_view rest = row.extensions; !rest.empty(); rest = trimmed(rest)) {
      const std::string_view extension = rest.substr(0, rest.find(' '));
      if (ends_with_ignoring_case(name, extension)) return row.format;
      rest.remove_prefix(extension.size());
    }
  }
  return std::nullopt;
}

}  // namespace matchcount::readers

namespace matchcount {

std::vector<std::string_view> formats_with(std::string_view option) {
  for (const auto& [name, bit] : readers::reading_options)
    if (name == option) return readers::formats_having(bit);
  return {};
}

}  // namespace matchcount
