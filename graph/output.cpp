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
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/real.hpp"
#include "graph/readers/detect_format.hpp"

// A value is written as the shortest decimal of its high double when that reads back to both its doubles, which holds
// for what was read from such a decimal. Otherwise it takes as many digits as are needed, in the end all of them:
// reading is exact then (core/real.hpp rounds long texts correctly).

namespace matchcount {
namespace {

// Text in large pieces to where it goes.
class Writer {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit Writer(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(size + size / 8); }

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

  Sink sink_;
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

// The fewest digits of some lengths that read back. What lies below 2^-200 of the value does not, and 80 digits hold
// the rest.
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
  // As a real, not an integer, for the reader.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!reads_back(text, value)) text = value.lo == 0 ? exact_decimal(value.hi) : long_decimal(value);
  writer << text;
}

void write_value(Writer& writer, const ComplexDoubleDouble& value) {
  write_value(writer, value.re);
  writer << " ";
  write_value(writer, value.im);
}

[[noreturn]] void refuse_format(std::string found, std::string expected) {
  throw InputError(std::move(found), std::move(expected));
}

class GraphWriter {
 public:
  GraphWriter(Writer& writer, const BipartiteGraph& graph, InputKind kind) : out_(writer), graph_(graph), kind_(kind) {
    if (kind == InputKind::directed) require_one_set();
  }

  void edge_list();
  void dense();
  void matrix_market();
  void dimacs();
  void metis();
  void graphml();

 private:
  bool has_one_set() const { return kind_ == InputKind::directed || kind_ == InputKind::matrix; }
  std::uint64_t num_rows() const { return graph_.num_rows(); }
  std::uint64_t num_vertices() const { return num_rows() + graph_.num_columns(); }

  [[noreturn]] void refuse_unequal_sides() const {
    refuse_format(std::to_string(graph_.num_rows()) + " rows and " + std::to_string(graph_.num_columns()) + " columns",
                  "as many rows as columns where both are the same vertices");
  }
  void require_one_set() const {
    if (graph_.num_rows() != graph_.num_columns()) refuse_unequal_sides();
  }
  void refuse_complex(const char* format) const {
    if (graph_.weight_kind() == WeightKind::complex) {
      refuse_format("complex weights", std::string("a format that has a place for them: mtx, not ") + format);
    }
  }
  void require_edges() const;

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
  // Calls line(row, column, id) for all edges, rows and columns from 1.
  template <class Line>
  void for_each_edge(Line&& line) {
    EdgeId id = 0;
    for (Vertex row = 0; row < graph_.num_rows(); ++row) {
      for (const Vertex column : graph_.row(row)) {
        line(std::uint64_t{row} + 1, std::uint64_t{column} + 1, id);
        ++id;
      }
    }
  }

  Writer& out_;
  const BipartiteGraph& graph_;
  InputKind kind_;
};

// An edge list names a vertex by its edges or, where rows and columns share their names, on a line of its own.
void GraphWriter::require_edges() const {
  const std::string expected =
      "a format that keeps vertices without edges: mtx, dimacs, metis or graphml, not edgelist";
  const auto refuse = [&](const char* side, std::uint64_t vertex) {
    refuse_format(std::string(side) + " " + std::to_string(vertex + 1) + " without an edge", expected);
  };
  if (kind_ == InputKind::undirected || kind_ == InputKind::directed) {
    if (num_vertices() == 0) refuse_format("a graph without vertices", expected);
    return;
  }
  if (graph_.num_edges() == 0) refuse_format("a graph without edges", expected);
  if (kind_ == InputKind::matrix) {
    if (graph_.row(graph_.num_rows() - 1).empty()) refuse("the last row", num_rows() - 1);
    if (graph_.column(graph_.num_columns() - 1).empty()) {
      refuse("the last column", std::uint64_t{graph_.num_columns()} - 1);
    }
    return;
  }
  for (Vertex row = 0; row < graph_.num_rows(); ++row) {
    if (graph_.row(row).empty()) refuse("row", row);
  }
  for (Vertex column = 0; column < graph_.num_columns(); ++column) {
    if (graph_.column(column).empty()) refuse("column", column);
  }
}

void GraphWriter::edge_list() {
  refuse_complex("edgelist");
  require_edges();
  out_ << "# kind: " << to_string(kind_) << '\n';
  // Lines of two or three numbers could be a dense matrix, its size or a list of neighbours.
  out_ << "# format: edgelist" << '\n';
  const std::uint64_t shift = kind_ == InputKind::undirected ? num_rows() : 0;
  for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
    out_ << row << " " << column + shift;
    weight(id);
    out_ << '\n';
  });
  if (kind_ != InputKind::undirected && kind_ != InputKind::directed) return;
  for (Vertex row = 0; row < graph_.num_rows(); ++row) {
    if (!graph_.row(row).empty() || (kind_ == InputKind::directed && !graph_.column(row).empty())) continue;
    out_ << std::uint64_t{row} + 1 << '\n';
  }
  for (Vertex column = 0; column < graph_.num_columns() && kind_ == InputKind::undirected; ++column) {
    if (graph_.column(column).empty()) out_ << column + shift + 1 << '\n';
  }
}

// The matrix of rows and columns or, undirected, the symmetric one of all vertices.
void GraphWriter::dense() {
  refuse_complex("dense");
  const bool symmetric = kind_ == InputKind::undirected;
  const std::uint64_t size = symmetric ? num_vertices() : num_rows();
  const std::uint64_t num_columns = symmetric ? num_vertices() : std::uint64_t{graph_.num_columns()};
  if (size == 0 || num_columns == 0) refuse_format("a matrix without entries", "at least one row and column");
  out_ << "# kind: " << to_string(kind_) << '\n' << "# format: dense" << '\n';
  const auto line = [&](std::span<const Vertex> entries, std::uint64_t shift, auto&& id) {
    std::size_t next = 0;
    for (std::uint64_t column = 0; column < num_columns; ++column) {
      if (column > 0) out_ << " ";
      if (next == entries.size() || entries[next] + shift != column) {
        out_ << "0";
        continue;
      }
      if (graph_.weight_kind() == WeightKind::none) out_ << "1";
      weight(id(next++), "");
    }
    out_ << '\n';
  };
  for (Vertex row = 0; row < graph_.num_rows(); ++row) {
    line(graph_.row(row), symmetric ? num_rows() : 0, [&](std::size_t i) { return graph_.row_begin(row) + i; });
  }
  for (Vertex column = 0; symmetric && column < graph_.num_columns(); ++column) {
    line(graph_.column(column), 0, [&](std::size_t i) { return graph_.column_edges(column)[i]; });
  }
}

void GraphWriter::matrix_market() {
  constexpr std::array<std::string_view, 4> fields{"pattern", "integer", "real", "complex"};
  const bool symmetric = kind_ == InputKind::undirected;
  out_ << "%%MatrixMarket matrix coordinate " << fields[graph_.weights().index()]
       << (symmetric ? " symmetric" : " general") << '\n';
  if (symmetric) out_ << "% kind: " << to_string(kind_) << '\n';
  out_ << (symmetric ? num_vertices() : num_rows()) << " "
       << (symmetric ? num_vertices() : std::uint64_t{graph_.num_columns()}) << " " << graph_.num_edges() << '\n';
  for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
    // The lower triangle where it is symmetric.
    out_ << (symmetric ? num_rows() + column : row) << " " << (symmetric ? row : column);
    weight(id);
    out_ << '\n';
  });
}

void GraphWriter::dimacs() {
  refuse_complex("dimacs");
  const bool weighted = graph_.weight_kind() != WeightKind::none;
  const bool directed = has_one_set();
  if (directed) require_one_set();
  if (directed && !weighted) {
    refuse_format("arcs without weights", "a format that has a place for them: edgelist, mtx or graphml, not dimacs");
  }
  if (!directed && weighted) {
    refuse_format("weights on an undirected graph",
                  "a format that has a place for them: edgelist, mtx, metis or graphml, not dimacs");
  }
  out_ << (directed ? "p sp " : "p tw ") << (directed ? num_rows() : num_vertices()) << " " << graph_.num_edges()
       << '\n';
  for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
    if (directed) out_ << "a ";
    out_ << row << " " << (directed ? column : column + num_rows());
    weight(id);
    out_ << '\n';
  });
}

void GraphWriter::metis() {
  if (has_one_set())
    refuse_format("directions", "a format that has a place for them: edgelist, mtx or graphml, not metis");
  const auto* const weights = std::get_if<std::vector<std::int64_t>>(&graph_.weights());
  const bool weighted = graph_.weight_kind() != WeightKind::none;
  if (weighted &&
      (weights == nullptr || std::any_of(weights->begin(), weights->end(), [](auto w) { return w <= 0; }))) {
    refuse_format("weights that are not positive integers",
                  "a format that has a place for them: edgelist, mtx or graphml, not metis");
  }
  out_ << num_vertices() << " " << graph_.num_edges() << (weighted ? " 001" : "") << '\n';
  for (Vertex row = 0; row < graph_.num_rows(); ++row) {
    EdgeId id = graph_.row_begin(row);
    std::string_view separator;
    for (const Vertex column : graph_.row(row)) {
      out_ << separator << num_rows() + column + 1;
      weight(id++);
      separator = " ";
    }
    out_ << '\n';
  }
  for (Vertex column = 0; column < graph_.num_columns(); ++column) {
    const auto rows = graph_.column(column);
    const auto ids = graph_.column_edges(column);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_ << std::string_view(i == 0 ? "" : " ") << std::uint64_t{rows[i]} + 1;
      weight(ids[i]);
    }
    out_ << '\n';
  }
}

void GraphWriter::graphml() {
  refuse_complex("graphml");
  const bool directed = has_one_set();
  if (directed) require_one_set();
  const WeightKind weights = graph_.weight_kind();
  out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  if (weights != WeightKind::none) {
    out_ << "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\""
         << (weights == WeightKind::integer ? "long" : "double") << "\"/>\n";
  }
  out_ << "  <graph id=\"G\" edgedefault=\"" << (directed ? "directed" : "undirected") << "\">\n";
  const auto nodes = [&](std::string_view prefix, std::uint64_t count) {
    for (std::uint64_t v = 1; v <= count; ++v) out_ << "    <node id=\"" << prefix << v << "\"/>" << '\n';
  };
  const std::string_view from = directed ? "v" : "r";
  const std::string_view to = directed ? "v" : "c";
  nodes(from, num_rows());
  if (!directed) nodes(to, graph_.num_columns());
  for_each_edge([&](std::uint64_t row, std::uint64_t column, EdgeId id) {
    out_ << "    <edge source=\"" << from << row << "\" target=\"" << to << column << "\"";
    if (weights == WeightKind::none) {
      out_ << "/>" << '\n';
    } else {
      out_ << "><data key=\"weight\">";
      weight(id, "");
      out_ << "</data></edge>" << '\n';
    }
  });
  out_ << "  </graph>\n</graphml>\n";
}

void write(Writer::Sink sink, const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  Writer writer(std::move(sink));
  GraphWriter graph_writer(writer, graph, kind);
  switch (format) {
    case InputFormat::automatic:
    case InputFormat::edge_list:
      graph_writer.edge_list();
      break;
    case InputFormat::dense:
      graph_writer.dense();
      break;
    case InputFormat::matrix_market:
      graph_writer.matrix_market();
      break;
    case InputFormat::dimacs:
      graph_writer.dimacs();
      break;
    case InputFormat::metis:
      graph_writer.metis();
      break;
    case InputFormat::graphml:
      graph_writer.graphml();
      break;
    default:
      throw InputError("the format " + std::string(to_string(format)) + ", which is read and not written",
                       "edgelist, mtx, dimacs, metis or graphml");
  }
  writer.flush();
}

[[noreturn]] void fail(const std::string& file, int error) {
  throw Error("can't write " + file + ": " + std::generic_category().message(error));
}

bool ends_with(std::string_view text, std::string_view end) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() >= end.size() &&
         std::equal(end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

// A file that takes its name only when it is complete.
class PendingFile {
 public:
  explicit PendingFile(const std::string& file) : file_(file), target_(file) {
    struct stat status {};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail(file_, EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
      descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0) fail(file_, errno);
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
      descriptor_ =
          ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0777 : 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
      const int error = errno;
      temporary_.clear();
      fail(file_, error);
    }
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(file_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void finish() {
    // A device or pipe has nothing to synchronise, and some file systems can't (EINVAL).
    if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(file_, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(file_, errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(file_, errno);
    temporary_.clear();
  }

 private:
  std::string file_;
  std::string target_;
  std::string temporary_;  // empty: written to directly
  int descriptor_ = -1;
};

// A gzip stream without name or time, so that the same graph gives the same bytes.
class Compressor {
 public:
  explicit Compressor(PendingFile& file) : file_(file) {
    constexpr int with_gzip_header = 16;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + with_gzip_header, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { deflateEnd(&stream_); }

  void write(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }
  void finish() { run({}, Z_FINISH); }

 private:
  // Requires fewer bytes than 2^32, which a Writer's pieces have.
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  PendingFile& file_;
  z_stream stream_{};
  std::array<char, 1 << 16> buffer_;
};

}  // namespace

void write_graph(std::ostream& stream, const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  const auto sink = [&](std::string_view text) {
    if (!stream.write(text.data(), static_cast<std::streamsize>(text.size()))) throw Error("the output stream failed");
  };
  write(sink, graph, format, kind);
  if (!stream.flush()) throw Error("the output stream failed");
}

void write_graph_file(const std::string& file, const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  const bool compressed = ends_with(file, ".gz");
  if (format == InputFormat::automatic) {
    format = readers::format_of_name(file).value_or(InputFormat::edge_list);
  }
  PendingFile pending(file);
  if (compressed) {
    const auto compressor = std::make_unique<Compressor>(pending);
    write([&](std::string_view text) { compressor->write(text); }, graph, format, kind);
    compressor->finish();
  } else {
    write([&](std::string_view text) { pending.write(text); }, graph, format, kind);
  }
  pending.finish();
}

}  // namespace matchcount
