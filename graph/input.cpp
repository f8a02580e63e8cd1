// Reading has two steps: a reader of the format turns text into edges (graph/readers), and they become rows and columns
// here, in the same way for every format. The first pass keeps no line numbers; when the edges turn out to be wrong
// together (one given twice, a loop, an edge in one direction only) the text is read again with them.

#include "graph/input.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"
#include "graph/two_colouring.hpp"

namespace matchcount {
namespace {

using readers::Parsed;
using readers::Text;

// One of the edges that a file gives is wrong; its line is yet to be found.
struct EdgeFault {
  Edge edge;
  std::string found;
  std::string expected;
};

bool is_weighted(const Weights& weights) { return weights.index() != 0; }

bool is_zero(std::int64_t value) { return value == 0; }
bool is_zero(DoubleDouble value) { return value == DoubleDouble(); }
bool is_zero(const ComplexDoubleDouble& value) { return is_zero(value.re) && is_zero(value.im); }

template <class Visitor>
void visit_values(const Weights& weights, Visitor&& visitor) {
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) visitor(values);
      },
      weights);
}

bool has_zero(const Weights& weights) {
  bool result = false;
  visit_values(weights, [&](const auto& values) {
    result = std::any_of(values.begin(), values.end(), [](const auto& value) { return is_zero(value); });
  });
  return result;
}

std::string name_of(const std::vector<std::string>& labels, Vertex vertex) {
  return labels.empty() ? std::to_string(vertex + 1) : labels[vertex];
}

std::string describe_cycle(const std::vector<Vertex>& cycle, const std::vector<std::string>& labels) {
  constexpr std::size_t longest = 200;  // a longer one is cut in the middle
  std::string text = "an odd cycle of " + std::to_string(cycle.size()) + " vertices: ";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > longest && i == longest / 2) {
      text += "... - ";
      i = cycle.size() - longest / 2;
    }
    text += name_of(labels, cycle[i]) + " - ";
  }
  return text + name_of(labels, cycle[0]);
}

// Makes a graph of what a reader found. Throws EdgeFault, or InputError without a file where BipartiteGraph does.
class Assembler {
 public:
  Assembler(Parsed parsed, const InputOptions& options) : parsed_(std::move(parsed)), options_(options) {
    was_weighted_ = is_weighted(parsed_.weights);
    input_.fractions = std::move(parsed_.fractions);
    input_.kind = options.kind;
    if (parsed_.shape != Parsed::Shape::two_sided && options.kind == InputKind::bipartite) {
      input_.kind = InputKind::undirected;
    }
  }

  Input assemble() {
    if (parsed_.shape == Parsed::Shape::two_sided) {
      input_.graph = build();
      input_.row_labels = std::move(parsed_.row_labels);
      input_.column_labels = std::move(parsed_.column_labels);
    } else if (input_.kind == InputKind::undirected) {
      if (parsed_.shape == Parsed::Shape::mirrored) keep_one_direction();
      colour();
    } else {
      take_adjacency_matrix();
    }
    input_.weights_are_multiplicities = !was_weighted_ && input_.weight_kind() != WeightKind::none;
    return std::move(input_);
  }

 private:
  // The graph of parsed_'s rows, columns and edges, which are used up; without zeros unless they are kept.
  BipartiteGraph build() {
    BipartiteGraph graph = BipartiteGraph::from_edges(parsed_.num_rows, parsed_.num_columns, std::move(parsed_.edges),
                                                      std::move(parsed_.weights), options_.duplicates);
    return !options_.keep_zeros && has_zero(graph.weights()) ? graph.drop_zeros() : graph;
  }

  void take_edges_of(const BipartiteGraph& graph) {
    parsed_.edges = graph.edges();
    parsed_.weights = graph.weights();
  }

  // Rows and columns are the same vertices.
  void take_adjacency_matrix() {
    if (parsed_.shape == Parsed::Shape::undirected) {
      // A loop stands once on the diagonal.
      std::vector<std::size_t> mirrored;
      for (std::size_t i = 0; i < parsed_.edges.size(); ++i) {
        if (parsed_.edges[i].row != parsed_.edges[i].column) mirrored.push_back(i);
      }
      parsed_.edges.reserve(parsed_.edges.size() + mirrored.size());
      for (const std::size_t i : mirrored) parsed_.edges.push_back({parsed_.edges[i].column, parsed_.edges[i].row});
      std::visit(
          [&](auto& values) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
              values.reserve(parsed_.edges.size());
              for (const std::size_t i : mirrored) values.push_back(values[i]);
            }
          },
          parsed_.weights);
    }
    input_.graph = build();
    if (parsed_.shape == Parsed::Shape::mirrored) check_mirrored(input_.graph);
    input_.column_labels = parsed_.row_labels;
    input_.row_labels = std::move(parsed_.row_labels);
  }

  void check_mirrored(const BipartiteGraph& graph) const {
    const auto refuse = [&](Vertex u, Vertex v) {
      const std::string there = name_of(parsed_.row_labels, u);
      const std::string back = name_of(parsed_.row_labels, v);
      throw EdgeFault{{u, v},
                      "an edge from " + there + " to " + back + " that differs from the one back, or has none",
                      "the same edge in both directions"};
    };
    for (Vertex v = 0; v < graph.num_rows(); ++v) {
      const std::span<const Vertex> row = graph.row(v);
      const std::span<const Vertex> column = graph.column(v);
      const auto [in_row, in_column] = std::mismatch(row.begin(), row.end(), column.begin(), column.end());
      if (in_row != row.end() && (in_column == column.end() || *in_row < *in_column)) refuse(v, *in_row);
      if (in_column != column.end()) refuse(*in_column, v);
      const std::span<const EdgeId> ids = graph.column_edges(v);
      visit_values(graph.weights(), [&](const auto& values) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
          if (!(values[graph.row_begin(v) + i] == values[ids[i]])) refuse(v, row[i]);
        }
      });
    }
  }

  void keep_one_direction() {
    const BipartiteGraph both = build();
    check_mirrored(both);
    std::vector<bool> keep(both.num_edges());
    for (Vertex v = 0; v < both.num_rows(); ++v) {
      const std::span<const Vertex> row = both.row(v);
      for (std::size_t i = 0; i < row.size(); ++i) keep[both.row_begin(v) + i] = v <= row[i];
    }
    take_edges_of(both.filtered(keep));
  }

  // One set of vertices into rows and columns.
  void colour() {
    if (!options_.keep_zeros && has_zero(parsed_.weights)) {
      // An edge of weight 0 is none, so it can't close an odd cycle either.
      for (Edge& edge : parsed_.edges) {
        if (edge.row > edge.column) std::swap(edge.row, edge.column);
      }
      take_edges_of(build());
    }
    for (const Edge& edge : parsed_.edges) {
      if (edge.row == edge.column) {
        throw EdgeFault{edge, "a loop at " + name_of(parsed_.row_labels, edge.row),
                        "edges between two vertices in an undirected graph"};
      }
    }
    TwoColouring colouring = two_colour(parsed_.num_rows, parsed_.edges);
    if (!colouring.odd_cycle.empty() && options_.odd_cycles) {
      input_.odd_cycle = std::move(colouring.odd_cycle);
      input_.undirected = UndirectedGraph::from_edges(parsed_.num_rows, std::move(parsed_.edges),
                                                      std::move(parsed_.weights), options_.duplicates);
      input_.row_labels = std::move(parsed_.row_labels);
      return;
    }
    if (!colouring.odd_cycle.empty()) {
      throw InputError(describe_cycle(colouring.odd_cycle, parsed_.row_labels),
                       "a bipartite graph, which has no odd cycle");
    }
    std::vector<Vertex> place(parsed_.num_rows);
    Vertex num_rows = 0;
    Vertex num_columns = 0;
    for (Vertex v = 0; v < parsed_.num_rows; ++v) place[v] = colouring.is_column[v] ? num_columns++ : num_rows++;
    input_.row_labels.reserve(num_rows);
    input_.column_labels.reserve(num_columns);
    for (Vertex v = 0; v < parsed_.num_rows; ++v) {
      std::vector<std::string>& labels = colouring.is_column[v] ? input_.column_labels : input_.row_labels;
      labels.push_back(parsed_.row_labels.empty() ? std::to_string(v + 1) : std::move(parsed_.row_labels[v]));
    }
    for (Edge& edge : parsed_.edges) {
      if (colouring.is_column[edge.row]) std::swap(edge.row, edge.column);
      edge = {place[edge.row], place[edge.column]};
    }
    parsed_.num_rows = num_rows;
    parsed_.num_columns = num_columns;
    input_.graph = build();
  }

  Parsed parsed_;
  const InputOptions& options_;
  Input input_;
  bool was_weighted_ = false;
};

Parsed parse(const Text& text, InputFormat format, const InputOptions& options, bool with_lines, bool as_fractions) {
  Parsed parsed;
  switch (format) {
    case InputFormat::automatic:
    case InputFormat::edge_list:
      parsed = readers::read_edge_list(text, options, with_lines, as_fractions);
      break;
    case InputFormat::matrix_market:
      parsed = readers::read_matrix_market(text, options, with_lines, as_fractions);
      break;
    case InputFormat::dimacs:
      parsed = readers::read_dimacs(text, with_lines);
      break;
    case InputFormat::metis:
      parsed = readers::read_metis(text, with_lines);
      break;
    case InputFormat::graphml:
      parsed = readers::read_graphml(text, with_lines);
      break;
  }
  if (parsed.shape == Parsed::Shape::directed && options.kind == InputKind::bipartite) {
    readers::refuse(text, 0, "a directed graph", "the kind 'directed', 'matrix', or 'undirected' to ignore directions");
  }
  if (as_fractions && options.duplicates == Duplicates::sum) {
    readers::refuse(text, 0, "fractions or integers beyond 64 bits",
                    "smaller integers or decimal numbers where duplicates are summed");
  }
  return parsed;
}

// Refuses the second of two equal edges, if there is one.
void refuse_repeated_edge(const Text& text, Parsed parsed, InputKind kind) {
  if (parsed.shape == Parsed::Shape::undirected ||
      (parsed.shape == Parsed::Shape::directed && kind == InputKind::undirected)) {
    for (Edge& edge : parsed.edges) {
      if (edge.row > edge.column) std::swap(edge.row, edge.column);
    }
  }
  std::vector<std::size_t> order(parsed.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parsed.edges[a] < parsed.edges[b]; });
  std::size_t first = order.size();
  std::size_t second = order.size();
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (parsed.edges[order[i - 1]] == parsed.edges[order[i]] && order[i] < second) {
      first = order[i - 1];
      second = order[i];
    }
  }
  if (second == order.size()) return;
  const bool two_sided = parsed.shape == Parsed::Shape::two_sided;
  const Edge edge = parsed.edges[second];
  readers::refuse(text, parsed.lines[second],
                  name_of(parsed.row_labels, edge.row) + " " +
                      name_of(two_sided ? parsed.column_labels : parsed.row_labels, edge.column) +
                      " again, after line " + std::to_string(parsed.lines[first]),
                  "every edge once, unless duplicates are to be summed or ignored");
}

Input read_text(const Text& text, InputFormat format, const InputOptions& options, bool as_fractions = false) {
  EdgeFault fault;
  try {
    Input input = Assembler(parse(text, format, options, false, as_fractions), options).assemble();
    input.format = format;
    return input;
  } catch (const readers::FractionFound&) {
    return read_text(text, format, options, true);
  } catch (EdgeFault& caught) {
    fault = std::move(caught);
  } catch (const InputError& error) {
    if (!error.file().empty()) throw;
    if (options.duplicates == Duplicates::refuse)
      refuse_repeated_edge(text, parse(text, format, options, true, as_fractions), options.kind);
    readers::refuse(text, 0, error.found(), error.expected());
  }
  const Parsed parsed = parse(text, format, options, true, as_fractions);
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < parsed.edges.size() && line == 0; ++i) {
    const Edge edge = parsed.edges[i];
    if (edge == fault.edge || edge == Edge{fault.edge.column, fault.edge.row}) line = parsed.lines[i];
  }
  readers::refuse(text, line, std::move(fault.found), std::move(fault.expected));
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && readers::equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  for (std::size_t i = 0; i + part.size() <= text.size(); ++i) {
    if (readers::equal_ignoring_case(text.substr(i, part.size()), part)) return true;
  }
  return false;
}

// A first line like "%%MatrixMarket ...", also one that is misspelt enough that it would pass for a comment.
bool has_matrix_market_banner(const Text& text) {
  if (*text.begin() != '%') return false;
  const std::string_view start(text.begin(), std::min<std::size_t>(text.size(), 80));
  return contains_ignoring_case(start.substr(0, start.find('\n')), "matrixmarket");
}

// The first line that is no comment "c ..." is a problem line "p WORD NUMBER NUMBER", which no edge list holds.
bool has_dimacs_problem_line(const Text& text) {
  readers::Cursor cursor(text);
  while (cursor.skip_to_data("")) {
    const char* const p = cursor.position();
    const bool one_letter = readers::is_blank(p[1]) || p[1] == '\n';
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

InputFormat detect_format(const Text& text, std::string_view name) {
  if (has_matrix_market_banner(text)) return InputFormat::matrix_market;
  readers::Cursor cursor(text);
  if (cursor.skip_to_data("") && *cursor.position() == '<') return InputFormat::graphml;
  if (has_dimacs_problem_line(text)) return InputFormat::dimacs;
  if (ends_with_ignoring_case(name, ".gz")) name.remove_suffix(3);
  const auto is = [name](std::string_view extension) { return ends_with_ignoring_case(name, extension); };
  if (is(".mtx")) return InputFormat::matrix_market;
  if (is(".gr") || is(".col") || is(".dimacs")) return InputFormat::dimacs;
  if (is(".graph") || is(".metis")) return InputFormat::metis;
  if (is(".graphml")) return InputFormat::graphml;
  return InputFormat::edge_list;
}

// `load` gives the Text.
template <class Load>
Input read(const std::string& name, const InputOptions& options, Load&& load) {
  try {
    const Text text = load();
    const InputFormat format = options.format == InputFormat::automatic ? detect_format(text, name) : options.format;
    if (format != InputFormat::matrix_market && has_matrix_market_banner(text)) {
      readers::refuse(text, 1, "a Matrix Market banner", "the format " + std::string(to_string(format)));
    }
    return read_text(text, format, options);
  } catch (const std::bad_alloc&) {
    throw Unable(name + ": not enough memory to read it");
  }
}

}  // namespace

std::string Input::row_label(Vertex row) const { return name_of(row_labels, row); }
std::string Input::column_label(Vertex column) const { return name_of(column_labels, column); }

Input read_input(const std::string& file, const InputOptions& options) {
  return read(file, options, [&] { return Text::from_file(file); });
}

Input read_input(std::istream& stream, const std::string& name, const InputOptions& options) {
  return read(name, options, [&] { return Text::from_stream(stream, name); });
}

Input read_input_text(std::string_view text, const std::string& name, const InputOptions& options) {
  return read(name, options, [&] { return Text::from_memory(text, name); });
}

}  // namespace matchcount
