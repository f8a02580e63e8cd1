#include "graph/output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "graph/readers/formats.hpp"
#include "graph/writers/pending_file.hpp"

// A value is written as the shortest decimal of its high double when that reads back to both its doubles, which holds
// for what was read from such a decimal. Otherwise it takes as many digits as are needed, in the end all of them:
// reading is exact then (core/numbers/real.hpp rounds long texts correctly).

namespace matchcount {
namespace {

// Text in large pieces to where it goes.
class Writer {
 public:
  explicit Writer(TextSink sink, std::string_view layout = {}) : sink_(std::move(sink)), layout_(layout) {
    buffer_.reserve(size + size / 8);
  }

  // Returns the text that a comment in the file gives of the vertices' places; empty: none.
  std::string_view layout() const { return layout_; }

  Writer& operator<<(std::string_view text) {
    buffer_ += text;
    return *this;
  }
  Writer& operator<<(char character) {
    buffer_ += character;
    if (buffer_.size() >= size) flush();
    return *this;
  }
  Writer& operator<<(std::uint64_t number) { return put(number); }
  Writer& operator<<(std::int64_t number) { return put(number); }
  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t size = 1 << 20;

  template <class Number>
  Writer& put(Number number) {
    std::array<char, 24> text;
    buffer_.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
    return *this;
  }

  TextSink sink_;
  std::string_view layout_;
  std::string buffer_;
};

bool reads_back(std::string_view text, DoubleDouble value) {
  DoubleDouble read;
  return parse_real(text.data(), text.data() + text.size(), read) && read == value;
}

void write_value(Writer& writer, std::int64_t value) { writer << value; }

// d.dd000e5 as d.dde5, but d.000e5 as d.0e5.
void strip_zeros(std::string& text) {
  const std::size_t exponent = text.find('e');
  std::size_t last = text.find_last_not_of('0', exponent - 1);
  if (text[last] == '.') ++last;
  text.erase(last + 1, exponent - last - 1);
}

// All digits. A double has at most 1074 binary places, and so at most 767 significant decimal digits.
std::string exact_decimal(double value) {
  std::array<char, 800> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 766).ptr;
  std::string result(text.data(), end);
  strip_zeros(result);
  return result;
}

// Returns the fewest digits of some lengths that read back. What lies below 2^-200 of the value does not, and 80 digits
// hold the rest.
std::string long_decimal(DoubleDouble value) {
  const ScaledReal exact(value);
  std::string text;
  for (const int digits : {31, 32, 33, 34, 36, 40, 50, 60, 80}) {
    text = to_scientific(exact, digits);
    if (reads_back(text, value)) break;
  }
  strip_zeros(text);
  return text;
}

void write_value(Writer& writer, DoubleDouble value) {
  if (value.hi != 0 && std::abs(value.hi) < std::numeric_limits<double>::min()) {
    throw InputError("the weight " + to_scientific(ScaledReal(value), 17), "weights of at least 2^-1022, or 0");
  }
  std::array<char, 32> shortest;
  const auto end = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value.hi).ptr;
  std::string text(shortest.data(), end);
  // A reader takes a number without point and exponent for an integer, so a real gets one.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!reads_back(text, value)) text = value.lo == 0 ? exact_decimal(value.hi) : long_decimal(value);
  writer << text;
}

void write_value(Writer& writer, const ComplexDoubleDouble& value) {
  write_value(writer, value.re);
  writer << " ";
  write_value(writer, value.im);
}

// Lines of two or three numbers could be a dense matrix, its size or a list of neighbours.
const char* const says_edge_list = "# format: edgelist\n";
const char* const keeps_lone_vertices =
    "a format that keeps vertices without edges: dense, mtx, dimacs, metis or graphml, not edgelist";

[[noreturn]] void refuse_format(std::string found, std::string expected) {
  throw InputError(std::move(found), std::move(expected));
}

// Holds what all writers of graphs share: an edge has the weight of its id.
template <class Graph>
class GraphWriter {
 protected:
  GraphWriter(Writer& writer, const Graph& graph) : out_(writer), graph_(graph) {}

  bool is_weighted() const { return graph_.weight_kind() != WeightKind::none; }
  void layout_comment(char mark) {
    if (!out_.layout().empty()) out_ << mark << " layout: " << out_.layout() << '\n';
  }
  void refuse_complex(const char* format) const {
    if (graph_.weight_kind() == WeightKind::complex) {
      refuse_format("complex weights", std::string("a format that has a place for them: mtx, not ") + format);
    }
  }

  // The weight of an edge behind a separator, where there are weights.
  void weight(EdgeId id, std::string_view separator = " ") {
    std::visit(
        [&](const auto& values) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
            out_ << separator;
            write_value(out_, values[id]);
          }
        },
        graph_.weights());
  }

  // A line of a dense matrix: `entries` ascend, id(i) is the edge of the i-th.
  template <class Id>
  void dense_line(std::span<const Vertex> entries, std::uint64_t num_columns, Id&& id) {
    std::size_t next = 0;
    for (std::uint64_t column = 0; column < num_columns; ++column) {
      if (column > 0) out_ << " ";
      if (next == entries.size() || entries[next] != column) {
        out_ << "0";
        continue;
      }
      if (!is_weighted()) out_ << "1";
      weight(id(next++), "");
    }
    out_ << '\n';
  }

  void matrix_market_banner(std::string_view symmetry) {
    constexpr std::array<std::string_view, 4> fields{"pattern", "integer", "real", "complex"};
    out_ << "%%MatrixMarket matrix coordinate " << fields[graph_.weights().index()] << " " << symmetry << '\n';
  }

  void graphml_begin(std::string_view edges) {
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    if (is_weighted()) {
      out_ << "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\""
           << (graph_.weight_kind() == WeightKind::integer ? "long" : "double") << "\"/>\n";
    }
    out_ << "  <graph id=\"G\" edgedefault=\"" << edges << "\">\n";
  }
  void graphml_nodes(std::string_view prefix, std::uint64_t count) {
    for (std::uint64_t v = 1; v <= count; ++v) out_ << "    <node id=\"" << prefix << v << "\"/>" << '\n';
  }
  void graphml_edge(std::string_view prefix, std::uint64_t from, std::string_view to_prefix, std::uint64_t to,
                    EdgeId id) {
    out_ << "    <edge source=\"" << prefix << from << "\" target=\"" << to_prefix << to << "\"";
    if (!is_weighted()) {
      out_ << "/>" << '\n';
      return;
    }
    out_ << "><data key=\"weight\">";
    weight(id, "");
    out_ << "</data></edge>" << '\n';
  }
  void graphml_end() { out_ << "  </graph>\n</graphml>\n"; }

  Writer& out_;
  const Graph& graph_;
};

// Rows and columns: a matrix, the two sides of a bipartite graph where a format keeps them apart, or the arcs of a
// directed one.
class MatrixWriter : GraphWriter<BipartiteGraph> {
 public:
  MatrixWriter(Writer& writer, const BipartiteGraph& graph, InputKind kind) : GraphWriter(writer, graph), kind_(kind) {
    if (kind == InputKind::directed) require_one_set();
  }

  void edge_list() {
    refuse_complex("edgelist");
    require_edges();
    out_ << "# kind: " << to_string(kind_) << '\n';
    out_ << says_edge_list;
    layout_comment('#');
    for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
      out_ << row << " " << column;
      weight(id);
      out_ << '\n';
    });
    for (Vertex row = 0; row < graph_.num_rows() && kind_ == InputKind::directed; ++row) {
      if (graph_.row(row).empty() && graph_.column(row).empty()) out_ << std::uint64_t{row} + 1 << '\n';
    }
  }

  void dense() {
    refuse_complex("dense");
    if (num_rows() == 0 || num_columns() == 0) refuse_format("a matrix without entries", "at least one row and column");
    out_ << "# kind: " << to_string(kind_) << '\n' << "# format: dense" << '\n';
    layout_comment('#');
    for (Vertex row = 0; row < graph_.num_rows(); ++row)
      dense_line(graph_.row(row), num_columns(), [&](std::size_t i) { return graph_.row_begin(row) + i; });
  }

  void matrix_market() {
    matrix_market_banner("general");
    layout_comment('%');
    out_ << num_rows() << " " << num_columns() << " " << graph_.num_edges() << '\n';
    for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
      out_ << row << " " << column;
      weight(id);
      out_ << '\n';
    });
  }

  void dimacs() {
    refuse_complex("dimacs");
    require_one_set();
    if (!is_weighted())
      refuse_format("arcs without weights", "a format that has a place for them: edgelist, mtx or graphml, not dimacs");
    out_ << "p sp " << num_rows() << " " << graph_.num_edges() << '\n';
    for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
      out_ << "a " << row << " " << column;
      weight(id);
      out_ << '\n';
    });
  }

  [[noreturn]] static void metis() {
    refuse_format("directions", "a format that has a place for them: edgelist, mtx or graphml, not metis");
  }

  void graphml() {
    refuse_complex("graphml");
    require_one_set();
    graphml_begin("directed");
    graphml_nodes("v", num_rows());
    for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) { graphml_edge("v", row, "v", column, id); });
    graphml_end();
  }

 private:
  std::uint64_t num_rows() const { return graph_.num_rows(); }
  std::uint64_t num_columns() const { return graph_.num_columns(); }

  void require_one_set() const {
    if (num_rows() == num_columns()) return;
    refuse_format(std::to_string(num_rows()) + " rows and " + std::to_string(num_columns()) + " columns",
                  "as many rows as columns where both are the same vertices");
  }
  void require_edges() const;

  // Calls line(row, column, id) for all edges, rows and columns from 1.
  template <class Line>
  void for_each_edge(Line&& line) {
    EdgeId id = 0;
    for (Vertex row = 0; row < graph_.num_rows(); ++row) {
      for (const Vertex column : graph_.row(row)) line(std::uint64_t{row} + 1, std::uint64_t{column} + 1, id++);
    }
  }

  InputKind kind_;
};

// An edge list names a vertex by its edges or, where rows and columns share their names, on a line of its own.
void MatrixWriter::require_edges() const {
  const std::string expected = keeps_lone_vertices;
  const auto refuse = [&](const char* side, std::uint64_t vertex) {
    refuse_format(std::string(side) + " " + std::to_string(vertex + 1) + " without an edge", expected);
  };
  if (kind_ == InputKind::directed) {
    if (num_rows() == 0) refuse_format("a graph without vertices", expected);
    return;
  }
  if (graph_.num_edges() == 0) refuse_format("a graph without edges", expected);
  if (kind_ == InputKind::matrix) {
    if (graph_.row(graph_.num_rows() - 1).empty()) refuse("the last row", num_rows() - 1);
    if (graph_.column(graph_.num_columns() - 1).empty()) refuse("the last column", num_columns() - 1);
    return;
  }
  for (Vertex row = 0; row < graph_.num_rows(); ++row) {
    if (graph_.row(row).empty()) refuse("row", row);
  }
  for (Vertex column = 0; column < graph_.num_columns(); ++column) {
    if (graph_.column(column).empty()) refuse("column", column);
  }
}

// One set of vertices, whose edges have no direction.
class UndirectedWriter : GraphWriter<UndirectedGraph> {
 public:
  // The first num_rows vertices are the rows of a bipartite graph, if it is one: GraphML says so by their names.
  UndirectedWriter(Writer& writer, const UndirectedGraph& graph, std::optional<Vertex> num_rows)
      : GraphWriter(writer, graph), num_rows_(num_rows) {}

  void edge_list() {
    refuse_complex("edgelist");
    if (num_vertices() == 0) refuse_format("a graph without vertices", keeps_lone_vertices);
    out_ << "# kind: undirected" << '\n' << says_edge_list;
    layout_comment('#');
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      out_ << u << " " << v;
      weight(id);
      out_ << '\n';
    });
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      if (graph_.neighbours(v).empty()) out_ << std::uint64_t{v} + 1 << '\n';
    }
  }

  void dense() {
    refuse_complex("dense");
    if (num_vertices() == 0) refuse_format("a matrix without entries", "at least one row and column");
    out_ << "# kind: undirected" << '\n' << "# format: dense" << '\n';
    layout_comment('#');
    for (Vertex v = 0; v < graph_.num_vertices(); ++v)
      dense_line(graph_.neighbours(v), num_vertices(), [&](std::size_t i) { return graph_.incident_edges(v)[i]; });
  }

  // The lower triangle.
  void matrix_market() {
    matrix_market_banner("symmetric");
    out_ << "% kind: undirected" << '\n';
    layout_comment('%');
    out_ << num_vertices() << " " << num_vertices() << " " << graph_.num_edges() << '\n';
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      out_ << v << " " << u;
      weight(id);
      out_ << '\n';
    });
  }

  void dimacs() {
    if (is_weighted()) {
      refuse_format("weights on an undirected graph",
                    "a format that has a place for them: edgelist, mtx, metis or graphml, not dimacs");
    }
    out_ << "p tw " << num_vertices() << " " << graph_.num_edges() << '\n';
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId) { out_ << u << " " << v << '\n'; });
  }

  void metis() {
    const auto* const weights = std::get_if<std::vector<std::int64_t>>(&graph_.weights());
    if (is_weighted() &&
        (weights == nullptr || std::any_of(weights->begin(), weights->end(), [](auto w) { return w <= 0; }))) {
      refuse_format("weights that are not positive integers",
                    "a format that has a place for them: edgelist, mtx or graphml, not metis");
    }
    out_ << "% kind: undirected" << '\n' << "% format: metis" << '\n';
    layout_comment('%');
    out_ << num_vertices() << " " << graph_.num_edges() << (is_weighted() ? " 001" : "") << '\n';
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      const auto neighbours = graph_.neighbours(v);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        out_ << std::string_view(i == 0 ? "" : " ") << std::uint64_t{neighbours[i]} + 1;
        weight(graph_.incident_edges(v)[i]);
      }
      out_ << '\n';
    }
  }

  void graphml() {
    refuse_complex("graphml");
    graphml_begin("undirected");
    if (num_rows_) {
      graphml_nodes("r", *num_rows_);
      graphml_nodes("c", num_vertices() - *num_rows_);
    } else {
      graphml_nodes("v", num_vertices());
    }
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      num_rows_ ? graphml_edge("r", u, "c", v - *num_rows_, id) : graphml_edge("v", u, "v", v, id);
    });
    graphml_end();
  }

 private:
  std::uint64_t num_vertices() const { return graph_.num_vertices(); }

  // Calls line(u, v, id) for all edges, u < v from 1.
  template <class Line>
  void for_each_edge(Line&& line) {
    EdgeId id = 0;
    for (const Edge& edge : graph_.edges()) line(std::uint64_t{edge.row} + 1, std::uint64_t{edge.column} + 1, id++);
  }

  std::optional<Vertex> num_rows_;
};

template <class AnyWriter>
void write_in(InputFormat format, AnyWriter&& writer) {
  switch (format) {
    case InputFormat::automatic:
    case InputFormat::edge_list:
      return writer.edge_list();
    case InputFormat::dense:
      return writer.dense();
    case InputFormat::matrix_market:
      return writer.matrix_market();
    case InputFormat::dimacs:
      return writer.dimacs();
    case InputFormat::metis:
      return writer.metis();
    case InputFormat::graphml:
      return writer.graphml();
    default:
      throw InputError("the format " + std::string(to_string(format)) + ", which is read and not written",
                       "edgelist, dense, mtx, dimacs, metis or graphml");
  }
}

// Says whether a format has one set of vertices where a bipartite graph has two sides.
bool joins_sides(InputFormat format) {
  return format == InputFormat::dimacs || format == InputFormat::metis || format == InputFormat::graphml;
}

void write(Writer& writer, const UndirectedGraph& graph, InputFormat format) {
  write_in(format, UndirectedWriter(writer, graph, std::nullopt));
}

void write(Writer& writer, const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  if (kind == InputKind::undirected || (kind == InputKind::bipartite && joins_sides(format))) {
    write_in(format, UndirectedWriter(writer, UndirectedGraph::from_bipartite(graph), graph.num_rows()));
  } else {
    write_in(format, MatrixWriter(writer, graph, kind));
  }
}

// Hands `write` a writer to a stream.
void to_stream(std::ostream& stream, std::string_view layout, const std::function<void(Writer&)>& write) {
  const TextSink sink = [&](std::string_view text) {
    if (!stream.write(text.data(), static_cast<std::streamsize>(text.size()))) throw Error("the output stream failed");
  };
  Writer writer(sink, layout);
  write(writer);
  writer.flush();
  if (!stream.flush()) throw Error("the output stream failed");
}

// Hands `write` a writer to a file, and the format that is meant.
void to_file(const std::string& file, InputFormat format, std::string_view layout,
             const std::function<void(Writer&, InputFormat)>& write) {
  if (format == InputFormat::automatic) format = format_to_write(file);
  write_file(file, [&](const TextSink& sink) {
    Writer writer(sink, layout);
    write(writer, format);
    writer.flush();
  });
}

}  // namespace

void write_graph(std::ostream& stream, const BipartiteGraph& graph, InputFormat format, InputKind kind,
                 std::string_view layout) {
  to_stream(stream, layout, [&](Writer& writer) { write(writer, graph, format, kind); });
}

void write_graph(std::ostream& stream, const UndirectedGraph& graph, InputFormat format, std::string_view layout) {
  to_stream(stream, layout, [&](Writer& writer) { write(writer, graph, format); });
}

void write_graph_file(const std::string& file, const BipartiteGraph& graph, InputFormat format, InputKind kind,
                      std::string_view layout) {
  to_file(file, format, layout, [&](Writer& writer, InputFormat meant) { write(writer, graph, meant, kind); });
}

void write_graph_file(const std::string& file, const UndirectedGraph& graph, InputFormat format,
                      std::string_view layout) {
  to_file(file, format, layout, [&](Writer& writer, InputFormat meant) { write(writer, graph, meant); });
}

InputFormat format_to_write(const std::string& file) {
  return readers::format_of_name(file).value_or(InputFormat::edge_list);
}

void write_file(const std::string& file, const std::function<void(const TextSink&)>& produce) {
  writers::PendingFile pending(file);
  if (readers::ends_with_ignoring_case(file, ".gz")) {
    const auto compressor = std::make_unique<writers::Compressor>(pending);
    produce([&](std::string_view text) { compressor->write(text); });
    compressor->finish();
  } else {
    produce([&](std::string_view text) { pending.write(text); });
  }
  pending.finish();
}

}  // namespace matchcount
