#include "graph/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "core/posix_file.hpp"
#include "graph/readers/formats.hpp"
#include "graph/weights.hpp"

// A value is written as the shortest decimal of its high double when that reads back to both its doubles, which holds
// for what was read from such a decimal. Otherwise it takes as many digits as are needed, in the end all of them:
// reading is exact then (core/numbers/real.hpp rounds long texts correctly).

namespace matchcount {
namespace {

[[noreturn]] void fail(const std::string& file, int error) {
  throw Error("can't write " + file + ": " + std::generic_category().message(error));
}

// A file that takes its name only in finish(); else it leaves no trace. A device or pipe is written to directly. All
// throw Error with the system's reason.
class PendingFile {
 public:
  explicit PendingFile(const std::string& file) : file_(file), target_(file) {
    struct stat status {};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail(file_, EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
      open(file, O_WRONLY, 0);
      if (!descriptor_->valid()) fail(file_, errno);
      return;
    }
    if (exists) {
      // A rename would replace what the caller has no right to write.
      if (::access(file.c_str(), W_OK) != 0) fail(file_, errno);
      // Behind symbolic links stands the file that is to be replaced.
      const std::unique_ptr<char, void (*)(void*)> real(::realpath(file.c_str(), nullptr), &std::free);
      if (real == nullptr) fail(file_, errno);
      target_ = real.get();
    }
    static std::atomic<unsigned> counter{0};
    do {
      temporary_ = target_ + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
      open(temporary_, O_WRONLY | O_CREAT | O_EXCL, exists ? status.st_mode & 0777 : 0666);
    } while (!descriptor_->valid() && errno == EEXIST);
    if (!descriptor_->valid()) {
      const int error = errno;
      temporary_.clear();
      fail(file_, error);
    }
  }

  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  ~PendingFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(std::string_view text) {
    if (!write_all(descriptor(), std::as_bytes(std::span(text)))) fail(file_, errno);
  }

  int descriptor() const { return descriptor_->number(); }
  void finish() {
    // A device or pipe has nothing to synchronise, and some file systems can't (EINVAL).
    if (!temporary_.empty() && ::fsync(descriptor()) != 0 && errno != EINVAL) fail(file_, errno);
    if (!descriptor_->close()) fail(file_, errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(file_, errno);
    temporary_.clear();
  }

 private:
  void open(const std::string& file, int how, unsigned mode) {
    descriptor_.emplace(::open(file.c_str(), how | O_CLOEXEC, mode));
  }

  std::string file_;
  std::string target_;
  std::string temporary_;  // empty: written to directly
  std::optional<Descriptor> descriptor_;
};

// Text in large pieces to where it goes.
class Writer {
 public:
  explicit Writer(TextSink sink, std::string_view layout = {}, std::span<const std::string> names = {})
      : sink_(std::move(sink)), layout_(layout), names_(names) {
    buffer_.reserve(size + size / 8);
  }

  // Returns the text that a comment in the file gives of the vertices' places; empty: none.
  std::string_view layout() const { return layout_; }
  std::span<const std::string> names() const { return names_; }

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
  std::span<const std::string> names_;
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

// Writes all digits. A double has at most 1074 binary places, and so at most 767 significant decimal digits.
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

// Writes one graph in any format: rows and columns, the arcs of a directed graph, or one set of vertices whose edges
// have no direction. An edge has the weight of its id.
class GraphWriter {
 public:
  GraphWriter(Writer& writer, const BipartiteGraph& graph, InputKind kind)
      : out_(writer),
        matrix_(&graph),
        kind_(kind),
        weights_(graph.weights()),
        num_rows_(graph.num_rows()),
        num_columns_(graph.num_columns()),
        num_edges_(graph.num_edges()) {
    if (kind == InputKind::directed) require_one_set();
  }
  // The first `first_side` vertices are the rows of a bipartite graph, if it is one: GraphML says so by their names.
  GraphWriter(Writer& writer, const UndirectedGraph& graph, std::optional<Vertex> first_side)
      : out_(writer),
        graph_(&graph),
        kind_(InputKind::undirected),
        weights_(graph.weights()),
        num_rows_(graph.num_vertices()),
        num_columns_(num_rows_),
        num_edges_(graph.num_edges()),
        first_side_(first_side) {}

  void write(InputFormat format) {
    switch (format) {
      case InputFormat::automatic:
      case InputFormat::edge_list:
        return edge_list();
      case InputFormat::dense:
        return dense();
      case InputFormat::matrix_market:
        return matrix_market();
      case InputFormat::dimacs:
        return dimacs();
      case InputFormat::metis:
        return metis();
      case InputFormat::graphml:
        return graphml();
      default:
        throw InputError("the format " + std::string(to_string(format)) + ", which is read and not written",
                         "edgelist, dense, mtx, dimacs, metis or graphml");
    }
  }

 private:
  bool is_undirected() const { return graph_ != nullptr; }
  bool is_weighted() const { return weights_.index() != 0; }
  void require_one_set() const {
    if (num_rows_ == num_columns_) return;
    throw InputError(std::to_string(num_rows_) + " rows and " + std::to_string(num_columns_) + " columns",
                     "as many rows as columns where both are the same vertices");
  }
  void refuse_complex(const char* format) const {
    if (weights_.index() == static_cast<std::size_t>(WeightKind::complex)) {
      throw InputError("complex weights", std::string("a format that has a place for them: mtx, not ") + format);
    }
  }
  // An edge list names a vertex by its edges or, where rows and columns share their names, on a line of its own.
  void require_edges() const {
    const std::string expected =
        "a format that keeps vertices without edges: dense, mtx, dimacs, metis or graphml, not edgelist";
    if (is_undirected() || kind_ == InputKind::directed) {
      if (num_rows_ == 0) throw InputError("a graph without vertices", expected);
      return;
    }
    if (num_edges_ == 0) throw InputError("a graph without edges", expected);
    // Refuses the first vertex from `first` on.
    const auto require = [&](const char* side, std::uint64_t first, std::uint64_t count, const auto& edges) {
      for (std::uint64_t v = first; v < count; ++v) {
        if (!edges(static_cast<Vertex>(v)).empty()) continue;
        const bool is_last = kind_ == InputKind::matrix;
        throw InputError(
            std::string(is_last ? "the last " : "") + side + " " + std::to_string(v + 1) + " without an edge",
            expected);
      }
    };
    const bool is_matrix = kind_ == InputKind::matrix;  // whose empty rows are known by those behind them
    require("row", is_matrix ? num_rows_ - 1 : 0, num_rows_, [&](Vertex v) { return matrix_->row(v); });
    require("column", is_matrix ? num_columns_ - 1 : 0, num_columns_, [&](Vertex v) { return matrix_->column(v); });
  }

  // Writes the comments that say the kind, the format where lines of others look alike, and the layout.
  void comments(char mark, std::string_view format = {}) {
    if (is_undirected() || !format.empty()) out_ << mark << " kind: " << to_string(kind_) << '\n';
    if (!format.empty()) out_ << mark << " format: " << format << '\n';
    if (!out_.layout().empty()) out_ << mark << " layout: " << out_.layout() << '\n';
  }
  // Writes the weight of an edge behind a separator, where there are weights.
  void weight(EdgeId id, std::string_view separator = " ") {
    visit_values(weights_, [&](const auto& values) {
      out_ << separator;
      write_value(out_, values[id]);
    });
  }
  // Calls line(u, v, id) for all edges, vertices from 1; u < v in an undirected graph.
  template <class Line>
  void for_each_edge(Line&& line) {
    EdgeId id = 0;
    if (is_undirected()) {
      for (const Edge& edge : graph_->edges()) line(std::uint64_t{edge.row} + 1, std::uint64_t{edge.column} + 1, id++);
      return;
    }
    for (Vertex row = 0; row < num_rows_; ++row) {
      for (const Vertex column : matrix_->row(row)) line(std::uint64_t{row} + 1, std::uint64_t{column} + 1, id++);
    }
  }
  // Writes a line for every edge, of an undirected graph in the upper triangle or the lower.
  void edge_lines(std::string_view mark = {}, bool is_lower = false) {
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      out_ << mark << (is_lower ? v : u) << " " << (is_lower ? u : v);
      weight(id);
      out_ << '\n';
    });
  }
  std::span<const Vertex> neighbours(Vertex v) const {
    return is_undirected() ? graph_->neighbours(v) : matrix_->row(v);
  }
  EdgeId edge_at(Vertex v, std::size_t i) const {
    return is_undirected() ? graph_->incident_edges(v)[i] : matrix_->row_begin(v) + i;
  }

  void edge_list() {
    refuse_complex("edgelist");
    require_edges();
    comments('#', "edgelist");
    if (!out_.names().empty()) out_ << "# header: no\n";
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      vertex(u - 1) << ' ';
      vertex(v - 1, is_undirected() ? 0 : num_rows_);
      weight(id);
      out_ << '\n';
    });
    if (!is_undirected() && kind_ != InputKind::directed) return;
    for (Vertex v = 0; v < num_rows_; ++v) {
      if (neighbours(v).empty() && (is_undirected() || matrix_->column(v).empty())) vertex(v) << '\n';
    }
  }
  // Names a vertex of an edge list, whose side begins there among the names.
  Writer& vertex(std::uint64_t v, std::uint64_t side = 0) {
    return out_.names().empty() ? out_ << v + 1 : out_ << std::string_view(out_.names()[side + v]);
  }
  void dense() {
    refuse_complex("dense");
    if (num_rows_ == 0 || num_columns_ == 0)
      throw InputError("a matrix without entries", "at least one row and column");
    comments('#', "dense");
    for (Vertex row = 0; row < num_rows_; ++row) {
      const std::span<const Vertex> entries = neighbours(row);
      std::size_t next = 0;
      for (std::uint64_t column = 0; column < num_columns_; ++column) {
        if (column > 0) out_ << " ";
        const bool is_entry = next < entries.size() && entries[next] == column;
        if (!is_entry || !is_weighted()) out_ << (is_entry ? "1" : "0");
        if (is_entry) weight(edge_at(row, next++), "");
      }
      out_ << '\n';
    }
  }
  void matrix_market() {
    constexpr std::array<std::string_view, 4> fields{"pattern", "integer", "real", "complex"};
    out_ << "%%MatrixMarket matrix coordinate " << fields[weights_.index()] << " "
         << (is_undirected() ? "symmetric" : "general") << '\n';
    comments('%');
    out_ << num_rows_ << " " << num_columns_ << " " << num_edges_ << '\n';
    edge_lines({}, is_undirected());
  }
  void dimacs() {
    if (is_undirected() && is_weighted()) {
      throw InputError("weights on an undirected graph",
                       "a format that has a place for them: edgelist, mtx, metis or graphml, not dimacs");
    }
    refuse_complex("dimacs");
    require_one_set();
    if (!is_undirected() && !is_weighted())
      throw InputError("arcs without weights",
                       "a format that has a place for them: edgelist, mtx or graphml, not dimacs");
    out_ << (is_undirected() ? "p tw " : "p sp ") << num_rows_ << " " << num_edges_ << '\n';
    edge_lines(is_undirected() ? "" : "a ");
  }
  void metis() {
    constexpr const char* others = "a format that has a place for them: edgelist, mtx or graphml, not metis";
    if (!is_undirected()) throw InputError("directions", others);
    const auto* const integers = std::get_if<std::vector<std::int64_t>>(&weights_);
    if (is_weighted() && (integers == nullptr || std::ranges::any_of(*integers, [](auto w) { return w <= 0; })))
      throw InputError("weights that are not positive integers", others);
    comments('%', "metis");
    out_ << num_rows_ << " " << num_edges_ << (is_weighted() ? " 001" : "") << '\n';
    for (Vertex v = 0; v < num_rows_; ++v) {
      const std::span<const Vertex> others_of_v = neighbours(v);
      for (std::size_t i = 0; i < others_of_v.size(); ++i) {
        out_ << std::string_view(i == 0 ? "" : " ") << std::uint64_t{others_of_v[i]} + 1;
        weight(edge_at(v, i));
      }
      out_ << '\n';
    }
  }
  void graphml() {
    refuse_complex("graphml");
    require_one_set();
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    if (is_weighted()) {
      const bool is_integer = weights_.index() == static_cast<std::size_t>(WeightKind::integer);
      out_ << "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"" << (is_integer ? "long" : "double")
           << "\"/>\n";
    }
    out_ << "  <graph id=\"G\" edgedefault=\"" << (is_undirected() ? "undirected" : "directed") << "\">\n";
    const auto nodes = [&](std::string_view side, std::uint64_t count) {
      for (std::uint64_t v = 1; v <= count; ++v) out_ << "    <node id=\"" << side << v << "\"/>" << '\n';
    };
    nodes(first_side_ ? "r" : "v", first_side_.value_or(num_rows_));
    if (first_side_) nodes("c", num_rows_ - *first_side_);
    for_each_edge([&](std::uint64_t u, std::uint64_t v, EdgeId id) {
      out_ << "    <edge source=\"" << (first_side_ ? "r" : "v") << u << "\" target=\"" << (first_side_ ? "c" : "v")
           << v - first_side_.value_or(0) << (is_weighted() ? "\"><data key=\"weight\">" : "\"/>");
      weight(id, "");
      out_ << (is_weighted() ? "</data></edge>" : "") << '\n';
    });
    out_ << "  </graph>\n</graphml>\n";
  }

  Writer& out_;
  const BipartiteGraph* matrix_ = nullptr;  // one of these two
  const UndirectedGraph* graph_ = nullptr;
  InputKind kind_;
  const Weights& weights_;
  std::uint64_t num_rows_, num_columns_;
  EdgeId num_edges_;
  std::optional<Vertex> first_side_;
};

// Says whether a format has one set of vertices where a bipartite graph has two sides.
bool joins_sides(InputFormat format) {
  return format == InputFormat::dimacs || format == InputFormat::metis || format == InputFormat::graphml;
}

void write(Writer& writer, const UndirectedGraph& graph, InputFormat format) {
  GraphWriter(writer, graph, std::nullopt).write(format);
}

void write(Writer& writer, const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  if (kind == InputKind::undirected || (kind == InputKind::bipartite && joins_sides(format))) {
    GraphWriter(writer, UndirectedGraph::from_bipartite(graph), graph.num_rows()).write(format);
  } else {
    GraphWriter(writer, graph, kind).write(format);
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
void to_file(const std::string& file, InputFormat format, std::string_view layout, std::span<const std::string> names,
             const std::function<void(Writer&, InputFormat)>& write) {
  if (format == InputFormat::automatic) format = format_to_write(file);
  write_file(file, [&](const TextSink& sink) {
    Writer writer(sink, layout, names);
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
                      std::string_view layout, const std::vector<std::string>& names) {
  to_file(file, format, layout, names, [&](Writer& writer, InputFormat meant) { write(writer, graph, meant, kind); });
}

void write_graph_file(const std::string& file, const UndirectedGraph& graph, InputFormat format,
                      std::string_view layout, const std::vector<std::string>& names) {
  to_file(file, format, layout, names, [&](Writer& writer, InputFormat meant) { write(writer, graph, meant); });
}

InputFormat format_to_write(const std::string& file) {
  return readers::format_of_name(file).value_or(InputFormat::edge_list);
}

void write_file(const std::string& file, const std::function<void(const TextSink&)>& produce) {
  PendingFile pending(file);
  if (readers::ends_with_ignoring_case(file, ".gz")) {
    // Without name or time, so that the same graph gives the same bytes.
    std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(::gzdopen(::dup(pending.descriptor()), "wb"), &::gzclose);
    if (stream == nullptr) throw std::bad_alloc();
    produce([&](std::string_view text) {
      if (!text.empty() && ::gzwrite(stream.get(), text.data(), static_cast<unsigned>(text.size())) == 0)
        fail(file, errno);
    });
    if (::gzclose(stream.release()) != Z_OK) fail(file, errno);
  } else {
    produce([&](std::string_view text) { pending.write(text); });
  }
  pending.finish();
}

}  // namespace matchcount
