#include "graph/readers/formats.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

#include "graph/readers/kind.hpp"
#include "graph/readers/readings.hpp"

namespace matchcount::readers {
namespace {

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

// The first element of GEXF is called so, behind a declaration and comments.
bool is_xml(const Text& text, InputFormat format) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("") || *cursor.position() != '<') return false;
  const char* p = cursor.position();
  while (*p == '<' && (p[1] == '?' || p[1] == '!')) {
    const std::string_view end = p[1] == '?' ? "?>" : p[2] == '-' ? "-->" : ">";
    const std::size_t at = std::string_view(p, text.end()).find(end);
    if (at == std::string_view::npos) break;
    for (p += at + end.size(); is_blank(*p) || *p == '\n';) ++p;
  }
  return std::string_view(p, text.end()).starts_with("<gexf") == (format == InputFormat::gexf);
}

using enum InputFormat;
using enum Format::Holds;
constexpr Format formats[] = {{edge_list, either, "", "#%", read_edge_list, nullptr, next_whole},
                              {dense, matrix, "", "#%", read_dense, nullptr, next_whole},
                              {metis, graph, ".graph .metis", "%", read_metis, nullptr, next_whole},
                              {adjacency_list, graph, ".adjlist", "#", read_adjacency_list, nullptr, next_whole},
                              {npy, matrix, ".npy", "", read_npy, is_npy, next_npy},
                              {npz, matrix, ".npz", "", read_npz, is_npz, next_whole},
                              {mat, matrix, ".mat", "", read_mat, is_mat, next_whole},
                              {matrix_market, matrix, ".mtx", "%", read_matrix_market, is_matrix_market, next_whole},
                              {graphml, graph, ".graphml", "", read_xml, is_xml, next_whole},
                              {gexf, graph, ".gexf", "", read_xml, is_xml, next_whole},
                              {json, graph, ".json", "", read_json, is_json, next_whole},
                              {tgf, graph, ".tgf", "", read_tgf, nullptr, next_whole},
                              {lgf, graph, ".lgf", "", read_lgf, is_section, next_whole},
                              {pajek, graph, ".net", "", read_pajek, is_section, next_whole},
                              {dimacs, graph, ".gr .col .dimacs", "", read_dimacs, is_dimacs, next_whole},
                              {graph6, graph, ".g6 .graph6", "", read_graph6, is_graph6, next_graph6},
                              {sparse6, graph, ".s6 .sparse6", "", read_graph6, is_graph6, next_graph6},
                              {digraph6, graph, ".d6 .digraph6", "", read_graph6, is_graph6, next_graph6},
                              {gml, graph, ".gml", "", read_gml, is_gml, next_whole},
                              {dot, graph, ".dot .gv", "", read_dot, is_dot, next_whole},
                              {mol, graph, ".mol .sdf", "", read_mol, is_mol, next_mol},
                              {mol2, graph, ".mol2", "", read_mol, is_mol2, next_mol},
                              {xyz, graph, ".xyz", "", read_mol, is_xyz, next_mol},
                              {planar_code, graph, "", "", read_planar_code, is_planar_code, next_planar_code}};

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
  return found;
}

// Returns the first of these words that a comment before the data has behind "key:".
std::optional<std::string_view> stated(const Text& text, std::string_view key,
                                       std::initializer_list<std::string_view> words) {
  for (Cursor cursor(text); !cursor.at_end(); cursor.next_line()) {
    if (cursor.at_line_end()) continue;
    if (*cursor.position() != '#' && *cursor.position() != '%') break;
    const std::optional<std::string_view> word = stated_in_comment(cursor.position(), key);
    if (word && std::ranges::find(words, *word) != words.end()) return word;
  }
  return std::nullopt;
}

}  // namespace

const Format& format_entry(InputFormat format) {
  const auto* const row = std::ranges::find(formats, format, &Format::format);
  return row == std::end(formats) ? formats[0] : *row;
}

std::optional<InputFormat> stated_format(const Text& text) {
  const std::optional<std::string_view> name = stated(text, "format", {"edgelist", "dense", "metis", "adjlist"});
  return name ? std::optional(from_string<InputFormat>(*name)) : std::nullopt;
}

std::optional<bool> stated_header(const Text& text) {
  const std::optional<std::string_view> word = stated(text, "header", {"yes", "no"});
  return word ? std::optional(*word == "yes") : std::nullopt;
}

std::optional<InputFormat> known_format(const Text& text) {
  if (const std::optional<InputFormat> format = certain_format(text)) return format;
  if (const std::optional<InputFormat> format = stated_format(text)) return format;
  std::string_view name = text.name();
  for (const std::string_view packed : {".zip", ".xz", ".zst", ".bz2"})
    if (ends_with_ignoring_case(name, packed)) name.remove_suffix(packed.size());
  return format_of_name(name);
}

InputFormat sniff(const Text& text, const InputOptions& options) {
  if (const std::optional<InputFormat> format = known_format(text)) return *format;
  refuse_foreign_text(text);
  if (konect_kind(text) || is_snap(text)) return edge_list;
  if (const auto names = table_names(text, options); names && is_named_matrix(text, *names)) return dense;
  refuse_two_readings(text, options);
  InputOptions said = options;
  if (!said.kind) {
    if (const auto kind = stated_kind(text, edge_list)) said.kind = kind->kind;
  }
  return is_dense(text, said) ? dense : edge_list;
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
