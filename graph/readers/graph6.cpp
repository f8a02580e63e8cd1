// graph6, sparse6 and digraph6 after B. D. McKay, "Description of graph6, sparse6 and digraph6 encodings"
// (https://users.cecs.anu.edu.au/~bdm/data/formats.txt, 2022): a line a graph, whose bytes from '?' to '~' hold six
// bits each. Read strictly: a number of vertices has one form, a line has the length that its number of vertices asks
// for, and what fills its last byte is zeros, in sparse6 ones, of which some programs write more than that. So a byte
// that is lost or changed is mostly seen.
// Vertices are named from 0, as that description has them.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/run.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

namespace {

// planar_code, the binary graphs of plantri (G. Brinkmann and B. McKay, "Fast generation of planar graphs", 2007) and
// fullgen: a head `>>planar_code<<`, then for every graph its number of vertices and, for every vertex, its neighbours
// from 1 in clockwise order and a 0. Numbers are bytes; of a graph that begins with a byte 0 they are pairs of bytes,
// in the order that the head says: `>>planar_code le<<` or `>>planar_code be<<`. Embeddings have no meaning here.

constexpr std::string_view planar_code_head = ">>planar_code";

// Reads the graph at p, and returns the place behind it.
const char* read_embedding(const Text& text, const char* p, Parsed& parsed) {
  constexpr Vertex vertices_between_checks = 4096;
  const std::string_view order = whole(text).substr(planar_code_head.size(), 5);
  const bool is_wide = *p == 0, is_big_endian = order == " be<<";
  if (is_wide && !is_big_endian && order != " le<<")
    refuse(text, 0, "a graph in pairs of bytes whose order nobody says", "the head >>planar_code le<< or be<<");
  if (is_wide) ++p;
  const auto next = [&] {
    if (text.end() - p < (is_wide ? 2 : 1))
      refuse(text, 0, "the end of the file within a graph", "a 0 behind the neighbours of every vertex");
    const auto first = static_cast<unsigned char>(*p++);
    if (!is_wide) return std::uint64_t{first};
    const auto second = static_cast<unsigned char>(*p++);
    return std::uint64_t{is_big_endian ? 256u * first + second : first + 256u * second};
  };
  parsed.shape = Parsed::Shape::mirrored;
  parsed.set_vertices(next());
  for (Vertex u = 0; u < parsed.num_rows; ++u) {
    if (u % vertices_between_checks == 0) text.check();
    for (std::uint64_t v = next(); v != 0; v = next()) {
      if (v > parsed.num_rows)
        refuse(text, 0, "the neighbour " + std::to_string(v) + " of vertex " + std::to_string(u + 1),
               "at most " + std::to_string(parsed.num_rows));
      parsed.add_edge(u, static_cast<Vertex>(v - 1), 0);
    }
  }
  return p;
}

constexpr unsigned lowest_byte = 63;
constexpr unsigned highest_byte = 126;
constexpr int bits_per_byte = 6;
constexpr Vertex vertices_between_checks = 64;  // of the time limit

// A file says little about a vertex without edges, and a few bytes must not ask for gigabytes. A vertex that has an
// edge takes a sixth of a byte at least.
constexpr std::uint64_t vertices_of_short_line = std::uint64_t{1} << 20;
constexpr std::uint64_t vertices_per_byte = 6;

std::string header_of(InputFormat format) { return ">>" + std::string(to_string(format)) + "<<"; }

// Returns the byte that a line starts with; 0 for graph6, where it has none.
char mark_of(InputFormat format) {
  return format == InputFormat::sparse6 ? ':' : format == InputFormat::digraph6 ? '&' : '\0';
}

// One line's numbers.
class Line {
 public:
  Line(const Text& text, const Part& part, InputFormat format)
      : text_(text), line_(part.line), name_(to_string(format)), bytes_(part.begin, part.end) {
    check_mark(format);
    for (const char& c : bytes_)
      if (static_cast<unsigned char>(c) < lowest_byte || static_cast<unsigned char>(c) > highest_byte)
        fail("the byte " + in_quotes({&c, 1}), "bytes from '?' to '~' in a line of " + name_);
    read_num_vertices();
  }

  Vertex num_vertices() const { return num_vertices_; }
  std::uint64_t num_bits() const { return bits_per_byte * std::uint64_t{bytes_.size()}; }
  bool bit(std::uint64_t place) const {
    const unsigned group = static_cast<unsigned char>(bytes_[place / bits_per_byte]) - lowest_byte;
    return (group >> (bits_per_byte - 1 - place % bits_per_byte)) & 1;
  }
  // Returns `count` bits from `place` on, the first of them the highest.
  std::uint64_t number(std::uint64_t place, int count) const {
    std::uint64_t value = 0;
    for (; count > 0; --count) value = 2 * value + (bit(place++) ? 1 : 0);
    return value;
  }
  // Refuses another length than that of a matrix of `expected` bits, and ones behind them.
  void require_bits(std::uint64_t expected) const {
    const std::uint64_t bytes = (expected + bits_per_byte - 1) / bits_per_byte;
    if (bytes_.size() != bytes)
      fail(std::to_string(bytes_.size()) + " bytes for the edges of " + std::to_string(num_vertices_) + " vertices",
           std::to_string(bytes));
    for (std::uint64_t place = expected; place < num_bits(); ++place)
      if (bit(place)) fail("a bit 1 behind the last pair of vertices", "zeros up to the end of the line");
  }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line_, std::move(found), std::move(expected));
  }

 private:
  void check_mark(InputFormat format) {
    const char first = bytes_.empty() ? '\0' : bytes_[0], mark = mark_of(format);
    if (first == ';')
      fail("incremental sparse6, which tells a graph by its difference from the one before",
           "graphs that stand alone, such as `copyg` writes");
    if (mark != '\0' && first != mark)
      fail(in_quotes(bytes_), in_quotes({&mark, 1}) + ", with which a line of " + name_ + " starts");
    for (const std::string other : {"sparse6", "digraph6"})
      if (mark == '\0' && first == mark_of(from_string<InputFormat>(other)))
        fail(in_quotes(bytes_.substr(0, 1)) + ", which starts a line of " + other, "graph6, or --format " + other);
    if (mark != '\0') bytes_.remove_prefix(1);
  }

  // One byte up to 62 vertices, '~' and three up to 258047, "~~" and six beyond.
  void read_num_vertices() {
    constexpr std::size_t digits[] = {1, 3, 6};
    constexpr std::uint64_t smallest[] = {0, 63, 258048};
    const std::size_t marks = bytes_.starts_with("~~") ? 2 : bytes_.starts_with('~') ? 1 : 0;
    const std::size_t length = marks + digits[marks];
    if (bytes_.size() < length) fail("a line that ends within its number of vertices", "a whole line of " + name_);
    const std::uint64_t count = number(bits_per_byte * marks, bits_per_byte * static_cast<int>(digits[marks]));
    if (count < smallest[marks])
      fail("the number of vertices " + std::to_string(count) + " in " + std::to_string(length) + " bytes",
           "its shortest form");
    bytes_.remove_prefix(length);
    const std::uint64_t limit = std::max<std::uint64_t>(vertices_of_short_line, vertices_per_byte * bytes_.size());
    if (count > std::min(limit, max_vertices))
      fail(std::to_string(count) + " vertices in a line of " + std::to_string(bytes_.size()) + " bytes for their edges",
           "at most " + std::to_string(limit) + " for a line of this length, since most of them would have no edge");
    num_vertices_ = static_cast<Vertex>(count);
  }

  const Text& text_;
  std::uint64_t line_;
  std::string name_;        // of the format
  std::string_view bytes_;  // those not read yet
  Vertex num_vertices_ = 0;
};

// Reads the upper triangle, which stands there column by column, or the whole matrix, row by row. Of small triangles
// the edges come row by row as well, as graphs have them.
void read_matrix(const Line& line, bool is_whole, std::vector<Edge>& edges, const RunContext& run) {
  constexpr std::uint64_t small = 64;
  const std::uint64_t n = line.num_vertices();
  line.require_bits(is_whole ? n * n : n * (n - (n > 0)) / 2);
  const bool by_rows = is_whole || n <= small;
  if (by_rows && !is_whole) edges.reserve(n * n / 4);
  std::uint64_t place = 0;
  for (Vertex u = 0; u < n; ++u) {
    if (u % vertices_between_checks == 0) run.check();
    for (Vertex v = is_whole || !by_rows ? 0 : u + 1; v < (by_rows ? n : u); ++v, ++place)
      if (line.bit(is_whole || !by_rows ? place : std::uint64_t{v} * (v - 1) / 2 + u))
        edges.push_back(by_rows ? Edge{u, v} : Edge{v, u});
  }
}

// Pairs of a bit b and a vertex x move a current vertex v: b adds one to it; where x is above v it becomes x, else the
// edge {x, v} is told. Ones fill the last byte, and perhaps others.
void read_pairs(const Line& line, std::vector<Edge>& edges) {
  const std::uint64_t n = line.num_vertices();
  int width = 0;
  while (n > 1 && (std::uint64_t{1} << width) < n) ++width;
  const std::uint64_t step = 1 + static_cast<std::uint64_t>(width);
  std::uint64_t place = 0;
  std::uint64_t v = 0;
  while (place + step <= line.num_bits()) {
    const std::uint64_t next = v + (line.bit(place) ? 1 : 0);
    const std::uint64_t x = line.number(place + 1, width);
    if (next >= n || x >= n) break;
    v = next;
    place += step;
    if (x > v)
      v = x;
    else
      edges.push_back({static_cast<Vertex>(x), static_cast<Vertex>(v)});
  }
  for (; place < line.num_bits(); ++place)
    if (!line.bit(place)) line.fail("a bit 0 behind the last edge", "ones up to the end of the line");
}

}  // namespace

bool is_planar_code(const Text& text, InputFormat) {
  return text.is_binary() && whole(text).starts_with(planar_code_head);
}

bool next_planar_code(const Text& text, InputFormat format, Part& part) {
  const std::size_t head = whole(text).find("<<");
  if (!is_planar_code(text, format) || head > planar_code_head.size() + 3)
    refuse(text, 0, "no planar_code", "the head >>planar_code<<");
  const char* const begin = part.number == 0 ? text.begin() + head + 2 : part.end;
  if (begin == text.end()) return false;
  const char* end = text.end();  // of what its reader refuses
  try {
    Parsed parsed;
    end = read_embedding(text, begin, parsed);
  } catch (const InputError&) {
  }
  part = {part.number + 1, begin, end, 0};
  return true;
}

Parsed read_planar_code(const Source& source) {
  Parsed parsed(source);
  read_embedding(source.text, source.part.begin, parsed);
  return parsed;
}

bool next_graph6(const Text& text, InputFormat format, Part& part) {
  const char* p = part.number == 0 ? text.begin() : part.end;
  const std::string header = header_of(format);
  for (std::uint64_t line = part.number == 0 ? 1 : part.line; p != text.end(); ++line) {
    const std::string_view whole = rest_of_line(p);
    std::string_view bytes = trimmed(whole);
    if (bytes.starts_with(header)) bytes.remove_prefix(header.size());
    if (!bytes.empty()) {
      part = {part.number + 1, bytes.data(), bytes.data() + bytes.size(), line};
      return true;
    }
    p = whole.data() + whole.size() + 1;
  }
  return false;
}

Parsed read_graph6(const Source& source) {
  const Line line(source.text, source.part, source.format);
  Parsed parsed(source);
  parsed.shape = source.format == InputFormat::digraph6 ? Parsed::Shape::directed : Parsed::Shape::undirected;
  parsed.set_vertices(line.num_vertices());
  if (source.format != InputFormat::sparse6)
    read_matrix(line, source.format == InputFormat::digraph6, parsed.edges, source.run);
  else
    read_pairs(line, parsed.edges);
  if (source.with_lines) parsed.lines.assign(parsed.edges.size(), source.part.line);
  parsed.row_labels.reserve(parsed.num_rows);
  for (Vertex v = 0; v < parsed.num_rows; ++v) parsed.row_labels.push_back(std::to_string(v));
  return parsed;
}

bool is_graph6(const Text& text, InputFormat format) {
  if (std::string_view(text.begin(), text.size()).starts_with(header_of(format))) return true;
  // A text without a header is known by the first line's mark, if the whole line is as the format wants it.
  Part part;
  if (format == InputFormat::graph6 || !next_graph6(text, format, part) || *part.begin != mark_of(format)) return false;
  try {
    (void)read_graph6({text, {}, text.run(), format, part});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace matchcount::readers
