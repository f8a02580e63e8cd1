// Text formats whose lines stand in sections, which a mark begins. What has no meaning for a graph is passed over.
//
// TGF (Trivial Graph Format): a line `name label...` for every vertex, a line `#`, a line `u v label...` for every
// edge. A label of an edge that is a number is its weight. It does not say whether edges are arcs.
//
// LGF (the LEMON Graph Format, P. Kovacs and others): `@nodes`, a line with the names of columns, of which `label`
// names the vertices, and their lines; `@arcs` or `@edges` with the names of the columns behind the two ends, or `-`.
// `@red_nodes` and `@blue_nodes` are two sides with names of their own, and edges go from red to blue.
//
// Pajek's networks (V. Batagelj and A. Mrvar, "Pajek - program for large network analysis", 1998): `*Vertices N`, lines
// `number "label" ...`; `*Arcs` and `*Edges` with lines `u v weight`, `*Arcslist` and `*Edgeslist` with lines
// `u v1 v2 ...`, or `*Matrix` and the rows of one. `*Vertices N M` is a network of two sides, of which the first M
// vertices are one. A network with arcs and edges is a directed graph, whose edges go both ways, or one without
// directions: as the caller says. A project has several objects, each behind its name; one of its networks is read.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/assemble.hpp"
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
    for (bool more = next(); more; more = !cursor_.at_end()) {
      const std::string_view section = word(0);
      const bool is_red = section == "@red_nodes", is_blue = section == "@blue_nodes", is_side = is_red || is_blue;
      const bool is_nodes = section == "@nodes" || is_side, is_arcs = section == "@arcs" || section == "@edges";
      const char* const side = is_red ? red : is_blue ? blue : "";
      const bool is_second =
          is_arcs ? directed_.has_value() : is_nodes && (sides_.contains("") || sides_.contains(side));
      if (is_second || (is_nodes && !is_side && !sides_.empty()))
        fail("a second section " + in_quotes(section), "one graph");
      if (is_side && directed_) fail(in_quotes(section) + " behind edges", "nodes before them");
      if (is_arcs) set_directed(section == "@arcs" && is_column_.empty());
      if (is_nodes || is_arcs) {
        if (is_nodes) sides_.insert(side);
        read_lgf_section(is_nodes, side);
        if (is_side) is_column_.resize(graph_.num_vertices(), is_blue);
      } else if (section == "@attributes") {
        while (next() && !begins_section()) {
        }
      } else {
        fail(in_quotes(section), "'@nodes' or '@red_nodes' and '@blue_nodes', '@arcs' or '@edges', and '@attributes'");
      }
    }
    if (sides_.empty()) refuse(text_, 0, "no section '@nodes'", "'@nodes' and '@arcs' or '@edges'");
    return finish();
  }
  Parsed read_pajek() {
    go_both_ways_ = kind_of(source_.options) == InputKind::directed || source_.options.kind == InputKind::matrix;
    const bool more = next_network();
    if (!more || !is_word("*vertices")) fail("no line '*Vertices N'", "it before the edges");
    read_pajek_vertices();
    for (std::string_view section = word(0); !cursor_.at_end() && !is_object(section); section = word(0)) {
      const bool is_arcs = is_word("*arcs"), is_list = is_word("*arcslist") || is_word("*edgeslist");
      const bool is_matrix = is_word("*matrix"), is_directed = is_arcs || is_matrix || is_word("*arcslist");
      if (!is_arcs && !is_list && !is_matrix && !is_word("*edges"))
        fail(in_quotes(section), "'*Arcs', '*Edges', '*Arcslist', '*Edgeslist' or '*Matrix'");
      if (fields_.size() > 1) fail("a relation of its own: " + in_quotes(rest_of_line(section.data())), "one relation");
      if (has_matrix_ || (is_matrix && directed_)) fail("'*Matrix' beside other edges", "one or the other");
      has_matrix_ = is_matrix;
      std::uint64_t num_lines = 0;
      while (next() && !begins_section()) {
        // A section without a line says nothing.
        set_directed(is_directed);
        ++num_lines;
        if (!is_matrix) require(is_list ? 1 : 2, "an edge 'u v' or 'u v weight'");
        if (is_matrix) add_pajek_row(num_lines);
        for (std::size_t i = 1; !is_matrix && i < (is_list ? fields_.size() : 2); ++i)
          add_pajek_edge(word(0), word(i), is_list ? "" : word(2));
      }
      if (is_matrix && num_lines < num_rows())
        fail(counted(num_lines, "row") + " of '*Matrix'", std::to_string(num_rows()));
    }
    Parsed parsed = finish();
    if (!note_.empty()) parsed.notes.push_back(note_);
    return parsed;
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
  bool is_word(std::string_view name) const { return equal_ignoring_case(word(0), name); }
  // Says that the edges that follow have this direction. Refuses edges of both, unless it is known what they are.
  void set_directed(bool directed) {
    const bool is_known = !is_column_.empty() || go_both_ways_ || source_.options.kind == InputKind::undirected;
    if (!is_known && directed_.value_or(directed) != directed)
      fail("both arcs and edges", "--kind undirected, or --kind directed where edges go both ways");
    directed_ = directed;
  }
  Parsed finish() {
    if (!is_column_.empty()) return with_sides(source_, graph_.finish(Parsed::Shape::undirected), is_column_);
    const bool is_undirected = kind_of(source_.options) == InputKind::undirected;
    if (has_matrix_ && is_undirected) return graph_.finish(Parsed::Shape::mirrored);
    const bool is_directed = go_both_ways_ || (directed_.value_or(false) && !is_undirected);
    return graph_.finish(is_directed ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

  // Reads a line with the names of columns, `-` for none, and the lines of nodes or edges below.
  void read_lgf_section(bool has_nodes, const std::string& side) {
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
        const std::string name(word(static_cast<std::size_t>(label - columns.begin())));
        graph_.add_vertex(side + name, line_);
        if (!side.empty()) graph_.add_label(name);
        continue;
      }
      const bool has_sides = !is_column_.empty();
      graph_.add_edge((has_sides ? red : "") + std::string(word(0)), (has_sides ? blue : "") + std::string(word(1)),
                      line_);
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i] == graph_.weight_key().name())
          graph_.add_weight(word(i + 2), line_);
        else if (columns[i] != "label")
          graph_.weight_key().note(columns[i], word(i + 2));
    }
  }
  // Says whether a word begins another object of a project.
  static bool is_object(std::string_view word) {
    constexpr std::string_view heads[] = {"*network", "*partition", "*permutation",
                                          "*vector",  "*cluster",   "*hierarchy"};
    return std::ranges::any_of(heads, [&](std::string_view head) { return equal_ignoring_case(word, head); });
  }
  // Moves to the first line of the only network, or of that which was asked for; false at the end.
  bool next_network() {
    const std::string& asked = source_.options.member;
    std::vector<std::string> names;
    std::size_t num_objects = 0, num_found = 0;
    for (Cursor at(text_); at.skip_to_data(comment_); at.next_line()) {
      std::string_view rest = rest_of_line(at.position());
      const std::string_view head = rest.starts_with('*') ? take_word(rest) : "";
      if (!is_object(head)) continue;
      ++num_objects;
      if (!equal_ignoring_case(head, "*network")) continue;
      names.push_back(printable(std::string(trimmed(rest))));
      if (!asked.empty() && names.back() != asked) continue;
      ++num_found;
      cursor_ = at;
    }
    if (num_found != 1 && (!names.empty() || !asked.empty()))
      refuse(text_, 0, counted(names, "network"), "one network, or --member with the name of one");
    if (num_objects > 1) note_ = counted(num_objects - 1, "other object") + " of the project passed over";
    if (num_found == 1) cursor_.next_line();
    return next();
  }
  void read_pajek_vertices() {
    require(2, "'*Vertices N'");
    const auto count = parse_natural(word(1));
    const auto side = fields_.size() > 2 ? parse_natural(word(2)) : std::optional<std::uint64_t>(0);
    if (!count || !side || *side > *count || fields_.size() > 3)
      fail(in_quotes(rest_of_line(word(0).data())), "'*Vertices N'");
    check_vertex_counts(text_, line_, 0, *count);
    first_side_ = *side;
    for (std::uint64_t v = 0; *side != 0 && v < *count; ++v) is_column_.push_back(v >= *side);
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
    const std::string ends[] = {std::to_string(*one), std::to_string(*other)};
    const bool is_twice = go_both_ways_ && !*directed_ && *one != *other && is_column_.empty();
    for (const int from : {0, 1}) {
      if (from == 1 && !is_twice) break;
      graph_.add_edge(ends[from], ends[1 - from], line_);
      if (!weight.empty()) graph_.add_unnamed_weight(weight, line_);
    }
  }
  std::uint64_t num_rows() const { return first_side_ != 0 ? first_side_ : graph_.num_vertices(); }
  void add_pajek_row(std::uint64_t row) {
    const std::uint64_t columns = graph_.num_vertices() - first_side_;
    if (fields_.size() != columns || row > num_rows())
      fail("row " + std::to_string(row) + " of " + counted(fields_.size(), "number"),
           std::to_string(num_rows()) + " rows of " + std::to_string(columns));
    for (std::uint64_t column = 1; column <= columns; ++column) {
      Rational value;
      const std::string_view text = word(column - 1);
      if (!parse_fraction(text, value)) fail(in_quotes(text), "a number");
      if (value == 0 && !source_.options.keep_zeros) continue;
      graph_.add_edge(std::to_string(row), std::to_string(first_side_ + column), line_);
      graph_.add_unnamed_weight(text, line_);
    }
  }

  const Source& source_;
  const Text& text_;
  Cursor cursor_;
  char comment_[2];
  std::uint64_t line_ = 0;
  std::vector<Field> fields_;
  std::optional<Fields> splitter_;  // keeps what the fields of this line were unquoted to
  std::optional<bool> directed_;
  static constexpr const char *red = "red ", *blue = "blue ";  // before the names of LGF's sides
  std::set<std::string_view> sides_;                           // read, by what stands before their names
  std::vector<bool> is_column_;                                // by vertex, where there are two sides
  // These are of Pajek.
  std::uint64_t first_side_ = 0;  // vertices; 0: there is one set
  bool go_both_ways_ = false;     // edges, since the question is about arcs
  bool has_matrix_ = false;
  std::string note_;
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
                  : is("@nodes") || is("@red_nodes") || is("@blue_nodes") || is("@arcs") || is("@edges") ||
                        is("@attributes");
}

Parsed read_tgf(const Source& source) { return SectionReader(source, '\0').read_tgf(); }
Parsed read_lgf(const Source& source) { return SectionReader(source, '#').read_lgf(); }
Parsed read_pajek(const Source& source) { return SectionReader(source, '%').read_pajek(); }

}  // namespace matchcount::readers
