// Text formats whose lines stand in sections, which a mark begins. What has no meaning for a graph is passed over.
//
// TGF (Trivial Graph Format): a line `name label...` for every vertex, a line `#`, a line `u v label...` for every
// edge. A label of an edge that is a number is its weight. It does not say whether edges are arcs.
//
// LGF (the LEMON Graph Format, P. Kovacs and others): `@nodes`, a line with the names of columns, of which `label`
// names the vertices, and their lines; `@arcs` or `@edges` with the names of the columns behind the two ends, or `-`.
//
// Pajek's networks (V. Batagelj and A. Mrvar, "Pajek - program for large network analysis", 1998): `*Vertices N`, lines
// `number "label" ...`; `*Arcs` and `*Edges` with lines `u v weight`, `*Arcslist` and `*Edgeslist` with lines
// `u v1 v2 ...`. `*Vertices N M` is a network of two sides, of which the first M vertices are one.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/named_graph.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

// The fields of a text line by line, quotes around some.
class SectionReader {
 public:
  SectionReader(const Source& source, char comment)
      : source_(source), text_(source.text), cursor_(text_), comment_{comment, '\0'}, graph_(source) {}

  Parsed read_tgf() {
    bool has_edges = false;
    for (; cursor_.skip_to_data(""); cursor_.next_line()) {
      line_ = cursor_.line();
      std::string_view rest = rest_of_line(cursor_.position());
      const std::string_view name = take_word(rest), label = trimmed(rest);
      if (!has_edges && name == "#" && label.empty()) {
        has_edges = true;
      } else if (!has_edges) {
        graph_.add_vertex(name, line_);
        if (!label.empty()) graph_.add_label(std::string(label));
      } else {
        const std::string_view other = take_word(rest), number = trimmed(rest);
        if (other.empty()) fail("only " + in_quotes(name), "an edge: two vertices and perhaps a label");
        graph_.add_edge(name, other, line_);
        if (is_number(number)) graph_.add_unnamed_weight(number, line_);
      }
    }
    if (!has_edges) refuse(text_, 0, "no line '#'", "vertices, a line '#', and edges");
    directed_ = shape_without_direction(source_) == Parsed::Shape::directed;
    return finish();
  }
  Parsed read_lgf() {
    bool has_nodes = false;
    for (bool more = next(); more;) {
      const std::string_view section = word(0);
      const bool is_nodes = section == "@nodes", is_arcs = section == "@arcs" || section == "@edges";
      if ((is_nodes && has_nodes) || (is_arcs && directed_))
        fail("a second section " + in_quotes(section), "one graph");
      if (is_arcs) set_directed(section == "@arcs");
      if (is_nodes || is_arcs) {
        has_nodes = has_nodes || is_nodes;
        read_lgf_section(is_nodes);
      } else if (section == "@attributes") {
        while (next() && !begins_section()) {
        }
      } else {
        fail(in_quotes(section), "the sections '@nodes', '@arcs' or '@edges', and '@attributes'");
      }
      more = !cursor_.at_end();
    }
    if (!has_nodes) refuse(text_, 0, "no section '@nodes'", "'@nodes' and '@arcs' or '@edges'");
    return finish();
  }
  Parsed read_pajek() {
    bool more = next();
    if (more && equal_ignoring_case(word(0), "*network")) more = next();
    if (!more || !equal_ignoring_case(word(0), "*vertices")) fail("no line '*Vertices N'", "it before the edges");
    read_pajek_vertices();
    while (!cursor_.at_end()) {
      const std::string_view section = word(0);
      const bool is_arcs = equal_ignoring_case(section, "*arcs"),
                 is_arcs_list = equal_ignoring_case(section, "*arcslist");
      const bool is_list = is_arcs_list || equal_ignoring_case(section, "*edgeslist");
      if (!is_arcs && !is_list && !equal_ignoring_case(section, "*edges"))
        fail(in_quotes(section), "'*Arcs', '*Edges', '*Arcslist' or '*Edgeslist'");
      if (fields_.size() > 1) fail("a relation of its own: " + in_quotes(rest_of_line(section.data())), "one relation");
      while (next() && !begins_section()) {
        // A section without a line says nothing.
        set_directed(is_arcs || is_arcs_list);
        require(is_list ? 1 : 2, "an edge 'u v' or 'u v weight'");
        for (std::size_t i = 1; i < (is_list ? fields_.size() : 2); ++i)
          add_pajek_edge(word(0), word(i), is_list ? "" : word(2));
      }
    }
    const InputKind kind = kind_of(source_.options);
    if (first_side_ != 0 && (kind == InputKind::matrix || kind == InputKind::directed)) {
      refuse(text_, 0, "a network of two sides, which is an undirected graph",
             "--kind undirected, or an edge list for a matrix of rows and columns");
    }
    if (first_side_ != 0) directed_ = false;
    return finish();
  }

 private:
  // Takes the next line that is neither empty nor a comment; false at the end.
  bool next() {
    constexpr std::size_t most_fields = std::size_t{1} << 20;
    if (line_ == cursor_.line()) cursor_.next_line();
    if (!cursor_.skip_to_data(comment_)) return false;
    line_ = cursor_.line();
    splitter_.emplace(Fields::of_names(cursor_.position(), ' '));
    splitter_->take(fields_, most_fields);
    if (splitter_->is_broken()) fail("a quote without an end", "a field in quotes that ends on its line");
    if (fields_.size() == most_fields) fail("more fields than a line can have", "fewer");
    return true;
  }
  bool begins_section() const {
    return !fields_[0].is_quoted && (word(0).starts_with('@') || word(0).starts_with('*'));
  }
  std::string_view word(std::size_t i) const { return i < fields_.size() ? fields_[i].text : std::string_view(); }
  void require(std::size_t count, const char* expected) const {
    if (fields_.size() < count) fail(counted(fields_.size(), "field"), expected);
  }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line_, std::move(found), std::move(expected));
  }
  // Says that edges have this direction. Refuses edges of both.
  void set_directed(bool directed) {
    if (directed_.value_or(directed) != directed) fail("both arcs and edges", "one or the other");
    directed_ = directed;
  }
  Parsed finish() {
    return graph_.finish(directed_.value_or(false) ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

  // Reads a line with the names of columns, `-` for none, and the lines of nodes or edges below.
  void read_lgf_section(bool has_nodes) {
    if (!next() || begins_section()) fail("no names of columns", "the names of columns, or '-' for none");
    std::vector<std::string_view> columns;
    for (const Field& field : fields_) {
      if (field.is_quoted) fail("a column in quotes", "a word without");
      columns.push_back(field.text);
    }
    if (columns == std::vector<std::string_view>{"-"}) columns.clear();
    const auto label = std::ranges::find(columns, "label");
    if (has_nodes && label == columns.end())
      fail("nodes without a column 'label'", "that column, by which edges name them");
    const std::size_t num_ends = has_nodes ? 0 : 2;
    while (next() && !begins_section()) {
      if (fields_.size() != num_ends + columns.size()) {
        fail(counted(fields_.size(), "field"),
             std::to_string(num_ends) + " ends and " + counted(columns.size(), "column"));
      }
      if (has_nodes) {
        graph_.add_vertex(word(static_cast<std::size_t>(label - columns.begin())), line_);
        continue;
      }
      graph_.add_edge(word(0), word(1), line_);
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i] == graph_.weight_key().name())
          graph_.add_weight(word(i + 2), line_);
        else if (columns[i] != "label")
          graph_.weight_key().note(columns[i], word(i + 2));
    }
  }
  void read_pajek_vertices() {
    require(2, "'*Vertices N'");
    const auto count = parse_natural(word(1));
    const auto side = fields_.size() > 2 ? parse_natural(word(2)) : std::optional<std::uint64_t>(0);
    if (!count || !side || *side > *count || fields_.size() > 3)
      fail(in_quotes(rest_of_line(word(0).data())), "'*Vertices N'");
    check_vertex_counts(text_, line_, 0, *count);
    first_side_ = *side;
    const std::uint64_t section = line_;
    while (next() && !begins_section()) {
      const std::string number = std::to_string(graph_.num_vertices() + 1);
      if (word(0) != number || graph_.num_vertices() == *count)
        fail(in_quotes(word(0)), "the vertices 1 to " + std::to_string(*count) + " in order, or none of them");
      graph_.add_vertex(number, line_);
      if (fields_.size() > 1) graph_.add_label(std::string(word(1)));
    }
    if (graph_.num_vertices() != 0 && graph_.num_vertices() != *count) {
      refuse(text_, section,
             std::to_string(graph_.num_vertices()) + " vertices behind '*Vertices " + std::to_string(*count) + "'",
             "all of them, or none");
    }
    while (graph_.num_vertices() < *count) graph_.add_vertex(std::to_string(graph_.num_vertices() + 1), section);
  }
  void add_pajek_edge(std::string_view u, std::string_view v, std::string_view weight) {
    const auto one = parse_natural(u), other = parse_natural(v);
    if (!one || !other) fail(in_quotes(one ? v : u), "the number of a vertex");
    if (first_side_ != 0 && (*one <= first_side_) == (*other <= first_side_))
      fail("an edge within one side of a network of two", "edges between the sides");
    graph_.add_edge(std::to_string(*one), std::to_string(*other), line_);
    if (!weight.empty()) graph_.add_unnamed_weight(weight, line_);
  }

  const Source& source_;
  const Text& text_;
  Cursor cursor_;
  char comment_[2];
  std::uint64_t line_ = 0;
  std::vector<Field> fields_;
  std::optional<Fields> splitter_;  // keeps what the fields of this line were unquoted to
  std::optional<bool> directed_;
  std::uint64_t first_side_ = 0;  // of Pajek; 0: there is one set of vertices
  NamedGraph graph_;
};

}  // namespace

bool is_section(const Text& text, InputFormat format) {
  const bool is_pajek = format == InputFormat::pajek;
  Cursor cursor(text);
  if (!cursor.skip_to_data(is_pajek ? "%" : "#")) return false;
  std::string_view line = rest_of_line(cursor.position());
  const std::string_view word = take_word(line);
  const auto is = [word](std::string_view name) { return equal_ignoring_case(word, name); };
  return is_pajek ? is("*network") || (is("*vertices") && parse_natural(take_word(line)))
                  : is("@nodes") || is("@arcs") || is("@edges") || is("@attributes");
}

Parsed read_tgf(const Source& source) { return SectionReader(source, '\0').read_tgf(); }
Parsed read_lgf(const Source& source) { return SectionReader(source, '#').read_lgf(); }
Parsed read_pajek(const Source& source) { return SectionReader(source, '%').read_pajek(); }

}  // namespace matchcount::readers
