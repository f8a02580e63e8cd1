#include "graph/readers/detect_format.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "graph/readers/dense.hpp"
#include "graph/readers/foreign.hpp"
#include "graph/readers/kind.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/table_names.hpp"
#include "graph/readers/two_readings.hpp"

namespace matchcount::readers {
namespace {

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  for (std::size_t i = 0; i + part.size() <= text.size(); ++i) {
    if (equal_ignoring_case(text.substr(i, part.size()), part)) return true;
  }
  return false;
}

// The first line that is no comment "c ..." is a problem line "p WORD NUMBER NUMBER", which no edge list holds.
bool has_dimacs_problem_line(const Text& text) {
  Cursor cursor(text);
  while (cursor.skip_to_data("")) {
    const char* const p = cursor.position();
    const bool one_letter = is_blank(p[1]) || p[1] == '\n';
    if (*p == 'p' && one_letter) {
      int fields = 0;
      while (!cursor.at_line_end() && fields < 5) {
        const char* q = cursor.position();
        while (static_cast<unsigned char>(*q) > ' ') ++q;
        if (q == cursor.position()) return false;  // a control character
        cursor.set_position(q);
        ++fields;
      }
      return fields == 4;
    }
    if (*p != 'c' || !one_letter) return false;
    cursor.next_line();
  }
  return false;
}

// The first of these words that a comment before the data has behind "key:".
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

std::optional<InputFormat> stated_format(const Text& text) {
  const std::optional<std::string_view> name = stated(text, "format", {"edgelist", "dense", "metis", "adjlist"});
  return name ? std::optional(from_string<InputFormat>(*name)) : std::nullopt;
}

std::optional<bool> stated_header(const Text& text) {
  const std::optional<std::string_view> word = stated(text, "header", {"yes", "no"});
  return word ? std::optional(*word == "yes") : std::nullopt;
}

bool has_matrix_market_banner(const Text& text) {
  const char* p = text.begin();
  while (is_blank(*p) || *p == '\n') ++p;
  if (*p != '%') return false;
  const std::string_view start(p, std::min<std::size_t>(static_cast<std::size_t>(text.end() - p), 80));
  return contains_ignoring_case(start.substr(0, start.find('\n')), "matrixmarket");
}

InputFormat detect_format(const Text& text, const InputOptions& options) {
  if (text.is_binary()) return InputFormat::npy;
  if (has_matrix_market_banner(text)) return InputFormat::matrix_market;
  Cursor cursor(text);
  if (cursor.skip_to_data("") && *cursor.position() == '<') return InputFormat::graphml;
  if (has_dimacs_problem_line(text)) return InputFormat::dimacs;
  if (const std::optional<InputFormat> format = detect_graph6(text)) return *format;
  if (looks_like_mol(text)) return InputFormat::mol;
  if (looks_like_gml(text)) return InputFormat::gml;
  if (const std::optional<InputFormat> format = stated_format(text)) return *format;
  if (const std::optional<InputFormat> format = format_of_name(text.name())) return *format;
  refuse_foreign_text(text);
  if (konect_kind(text)) return InputFormat::edge_list;
  if (const auto names = table_names(text, options); names && is_named_matrix(text, *names)) return InputFormat::dense;
  refuse_two_readings(text, options);
  const std::optional<StatedKind> kind = stated_kind(text, InputFormat::edge_list);
  InputOptions said = options;
  if (kind && !said.kind) said.kind = kind->kind;
  return is_dense(text, said) ? InputFormat::dense : InputFormat::edge_list;
}

std::optional<InputFormat> format_of_name(std::string_view name) {
  if (ends_with_ignoring_case(name, ".gz")) name.remove_suffix(3);
  const auto is = [name](std::string_view extension) { return ends_with_ignoring_case(name, extension); };
  if (is(".mtx")) return InputFormat::matrix_market;
  if (is(".gr") || is(".col") || is(".dimacs")) return InputFormat::dimacs;
  if (is(".graph") || is(".metis")) return InputFormat::metis;
  if (is(".graphml")) return InputFormat::graphml;
  if (is(".g6") || is(".graph6")) return InputFormat::graph6;
  if (is(".s6") || is(".sparse6")) return InputFormat::sparse6;
  if (is(".d6") || is(".digraph6")) return InputFormat::digraph6;
  if (is(".npy")) return InputFormat::npy;
  if (is(".gml")) return InputFormat::gml;
  if (is(".adjlist")) return InputFormat::adjacency_list;
  if (is(".mol") || is(".sdf")) return InputFormat::mol;
  return std::nullopt;
}

}  // namespace matchcount::readers
