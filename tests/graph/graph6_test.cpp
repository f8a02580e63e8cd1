// graph6, sparse6 and digraph6, against examples of their description, an encoder of its own and files of networkx.

#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

using Pairs = std::set<std::pair<int, int>>;

constexpr InputFormat graph6 = InputFormat::graph6;
constexpr InputFormat sparse6 = InputFormat::sparse6;
constexpr InputFormat digraph6 = InputFormat::digraph6;

// Arcs by number, an undirected edge both ways; of an input that was read as directed.
Pairs arcs_of(const Input& input) {
  Pairs arcs;
  for (const auto& [u, v] : named_edges(input)) arcs.insert({std::stoi(u), std::stoi(v)});
  return arcs;
}

Pairs both_ways(const Pairs& edges) {
  Pairs arcs = edges;
  for (const auto& [u, v] : edges) arcs.insert({v, u});
  return arcs;
}

Input read_line(const std::string& line, InputFormat format) {
  return read_input_text(line, "test", as(format, InputKind::directed));
}

std::string bits_to_bytes(std::string bits, char padding) {
  while (bits.size() % 6 != 0) bits += padding;
  std::string bytes;
  for (std::size_t i = 0; i < bits.size(); i += 6) {
    bytes += static_cast<char>(63 + std::stoi(bits.substr(i, 6), nullptr, 2));
  }
  return bytes;
}

std::string binary(std::uint64_t value, int width) {
  std::string bits;
  for (int i = width - 1; i >= 0; --i) bits += (value >> i) & 1 ? '1' : '0';
  return bits;
}

std::string num_vertices(std::uint64_t n) {
  if (n <= 62) return bits_to_bytes(binary(n, 6), '0');
  if (n <= 258047) return "~" + bits_to_bytes(binary(n, 18), '0');
  return "~~" + bits_to_bytes(binary(n, 36), '0');
}

std::string encode_graph6(int n, const Pairs& edges) {
  std::string bits;
  for (int v = 1; v < n; ++v) {
    for (int u = 0; u < v; ++u) bits += edges.contains({u, v}) ? '1' : '0';
  }
  return num_vertices(static_cast<std::uint64_t>(n)) + bits_to_bytes(bits, '0');
}

std::string encode_digraph6(int n, const Pairs& arcs) {
  std::string bits;
  for (int u = 0; u < n; ++u) {
    for (int v = 0; v < n; ++v) bits += arcs.contains({u, v}) ? '1' : '0';
  }
  return "&" + num_vertices(static_cast<std::uint64_t>(n)) + bits_to_bytes(bits, '0');
}

}  // namespace

TEST_CASE("graph6: the examples of the description") {
  // n = 5 with edges 0-2, 0-4, 1-3 and 3-4.
  const Input input = read_line("DQc\n", graph6);
  CHECK(input.format == graph6);
  CHECK(arcs_of(input) == both_ways({{0, 2}, {0, 4}, {1, 3}, {3, 4}}));
  CHECK(row_names(input) == NameList{"0", "1", "2", "3", "4"});
  CHECK(arcs_of(read_line(":Fa@x^\n", sparse6)) == both_ways({{0, 1}, {0, 2}, {1, 2}, {5, 6}}));
  CHECK(arcs_of(read_line("&DI?AO?\n", digraph6)) == Pairs{{0, 2}, {0, 4}, {3, 1}, {3, 4}});
  // Nature says the kind.
  CHECK(read_input_text("DQc", "test", as(graph6)).kind == InputKind::undirected);
  CHECK(read_input_text("&DI?AO?", "test", as(digraph6, InputKind::directed)).kind == InputKind::directed);
  CHECK_THROWS_AS(read_input_text("&DI?AO?", "test", as(digraph6)), InputError);
}

TEST_CASE("graph6 and sparse6: every graph that networkx wrote is the one of its edge list") {
  std::istringstream reference(file("graphs.edges"));
  const std::vector<Input> dense = read_all(file("graphs.g6"), as(graph6, InputKind::directed));
  const std::vector<Input> sparse = read_all(file("graphs.s6"), as(sparse6, InputKind::directed));
  std::string line;
  std::size_t count = 0;
  for (; std::getline(reference, line); ++count) {
    CAPTURE(line);
    std::istringstream fields(line);
    Vertex n = 0;
    fields >> n;
    Pairs edges;
    int u = 0, v = 0;
    for (char dash = 0; fields >> u >> dash >> v;) edges.insert({u, v});
    for (const auto* all : {&dense, &sparse}) {
      REQUIRE(count < all->size());
      CHECK((*all)[count].graph.num_rows() == n);
      CHECK(arcs_of((*all)[count]) == both_ways(edges));
    }
  }
  CHECK(count == 29);
  CHECK(dense.size() == count);
  CHECK(sparse.size() == count);
  // Petersen's graph, with headers.
  const NamedEdges petersen =
      named_edges(read_input_text(file("petersen.g6"), "test", as(graph6, InputKind::directed)));
  CHECK(petersen.size() == 30);
  CHECK(named_edges(read_input_text(file("petersen.s6"), "test", as(sparse6, InputKind::directed))) == petersen);
}

TEST_CASE("graph6 and digraph6: random graphs come back from their encoding") {
  const std::uint64_t seed = GENERATE(range(1, 9));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const int n : {0, 1, 2, 3, 31, 32, 61, 62, 63, 64, 65}) {
    CAPTURE(n);
    Pairs edges, arcs;
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v < n; ++v) {
        if (random() % 3 != 0) continue;
        arcs.insert({u, v});
        if (u < v) edges.insert({u, v});
      }
    }
    CHECK(arcs_of(read_line(encode_graph6(n, edges), graph6)) == both_ways(edges));
    CHECK(arcs_of(read_line(encode_digraph6(n, arcs), digraph6)) == arcs);
    CHECK(read_line(encode_graph6(n, edges), graph6).graph.num_rows() == static_cast<Vertex>(n));
  }
}

TEST_CASE("sparse6: the number of vertices at the borders of its three forms") {
  for (const std::uint64_t n : {0, 1, 62, 63, 258047, 258048, 1048576}) {
    CAPTURE(n);
    const Input input = read_line(":" + num_vertices(n), sparse6);
    CHECK(input.graph.num_rows() == n);
    CHECK(input.graph.num_edges() == 0);
  }
  const auto check = [](const std::string& line, const std::string& found, const std::string& expected) {
    check_refused(line, as(sparse6), 1, found, expected);
  };
  check(":" + num_vertices(1048577), "1048577 vertices in a line of 0 bytes", "at most 1048576");
  check(":~~~~~~~~", "68719476735 vertices", "at most 1048576");
  check(":~??}", "the number of vertices 62 in 4 bytes", "its shortest form");
  check(":~~???}~~", "the number of vertices 258047 in 8 bytes", "its shortest form");
  check(":~??", "ends within its number of vertices", "a whole line");
  check(":~", "ends within its number of vertices", "a whole line");
  check(":", "ends within its number of vertices", "a whole line");
}

TEST_CASE("sparse6: parallel edges go by --duplicates, loops are refused in undirected graphs") {
  // n = 2: k = 1. Pairs (b, x) = (1, 0) (0, 0): the edge 0-1 twice.
  const std::string twice = ":" + num_vertices(2) + bits_to_bytes("1000", '1');
  check_refused(twice, as(sparse6), 1, "0 1 again", "every edge once");
  InputOptions sum = as(sparse6);
  sum.duplicates = Duplicates::sum;
  CHECK(dense<std::int64_t>(read_input_text(twice, "test", sum)) == Integers{2});
  const std::string loop = ":" + num_vertices(2) + bits_to_bytes("000", '1');
  check_refused(loop, as(sparse6), 1, "a loop at 0", "two vertices");
  CHECK(arcs_of(read_line(loop, sparse6)) == Pairs{{0, 0}});
  // With one vertex x takes no bits: every 0 is a loop.
  CHECK(arcs_of(read_line(":" + num_vertices(1) + bits_to_bytes("0", '1'), sparse6)) == Pairs{{0, 0}});
  check_refused("&A_\n", as(digraph6), 0, "a directed graph", "--kind undirected");
}

TEST_CASE("graph6, sparse6 and digraph6: bytes too few, too many or out of range, and false padding, are refused") {
  const InputOptions dense = as(graph6), sparse = as(sparse6), directed = as(digraph6, InputKind::directed);
  check_refused("DQ", dense, 1, "1 bytes for the edges of 5 vertices", "2");
  check_refused("DQcc", dense, 1, "3 bytes for the edges of 5 vertices", "2");
  check_refused("DQd", dense, 1, "a bit 1 behind the last pair", "zeros");
  check_refused("DQ c", dense, 1, "the byte ' '", "from '?' to '~'");
  check_refused("DQ\xC3\xA4", dense, 1, "the byte '\\xc3'", "from '?' to '~'");
  check_refused("DQc DQc", dense, 1, "the byte ' '", "from '?' to '~'");
  check_refused("\n\nDQ\x7F", dense, 3, "'\\x7f'", "from '?' to '~'");
  check_refused(">>sparse6<<:Fa@x^", dense, 1, "the byte '>'", "graph6");
  check_refused(":Fa@x^", dense, 1, "which starts a line of sparse6", "--format sparse6");
  check_refused("&DI?AO?", dense, 1, "which starts a line of digraph6", "--format digraph6");
  check_refused(";Fa@x^", dense, 1, "incremental sparse6", "stand alone");
  check_refused(";Fa@x^", sparse, 1, "incremental sparse6", "stand alone");
  check_refused("Fa@x^", sparse, 1, "'Fa@x^'", "':'");
  check_refused("DI?AO?", directed, 1, "'DI?AO?'", "'&'");
  check_refused("&DI?AO", directed, 1, "4 bytes for the edges of 5 vertices", "5");
  check_refused("&DI?AO@", directed, 1, "a bit 1 behind the last pair", "zeros");
  for (const std::string surplus : {"~", "~~~"})
    CHECK(arcs_of(read_line(":Fa@x^" + surplus, sparse6)) == arcs_of(read_line(":Fa@x^", sparse6)));
  check_refused(":Fa@x^~}", sparse, 1, "a bit 0 behind the last edge", "ones");
  check_refused(":Fa@x]", sparse, 1, "a bit 0 behind the last edge", "ones");
  check_refused("\n \n", dense, 0, "no graph", "a graph");
}

TEST_CASE("a file of graph6 holds a graph a line, and a bad line does not hide those behind it") {
  InputSequence sequence =
      InputSequence::from_text(">>graph6<<A_\r\n\nC~ \nC~~\n>>graph6<<A?\n", "test", as(graph6, InputKind::directed));
  CHECK(sequence.has_several());
  CHECK(sequence.next()->graph.num_edges() == 2);
  CHECK(sequence.position() == 1);
  CHECK(sequence.next()->graph.num_edges() == 12);
  try {
    sequence.next();
    FAIL("the third was accepted");
  } catch (const InputError& error) {
    CHECK(error.line() == 4);
    CHECK(sequence.position() == 3);
  }
  CHECK(sequence.next()->graph.num_edges() == 0);
  CHECK_FALSE(sequence.next());
  CHECK(sequence.position() == 4);
  check_refused("A_\nA_\n", as(graph6), 0, "a file of 2 graphs", "one graph");
  CHECK_FALSE(InputSequence::from_text("A_\n\n", "test", as(graph6)).has_several());
}

TEST_CASE("sparse6 and digraph6 are told by their first line, graph6 by a header or the file's name") {
  const auto format_of = [](const std::string& text, const std::string& name) {
    return read_input_text(text, name, {.usual_kind = InputKind::directed}).format;
  };
  CHECK(format_of("DQc\n", "a.g6") == graph6);
  CHECK(format_of("DQc\n", "a.GRAPH6") == graph6);
  CHECK(format_of(">>graph6<<DQc\n", "a.txt") == graph6);
  CHECK(format_of(":Fa@x^\n", "a.txt") == sparse6);
  CHECK(format_of(":An\n", "a.s6") == sparse6);
  CHECK(format_of("&DI?AO?\n", "-") == digraph6);
  CHECK(format_of("&DI?AO?\n", "a.digraph6") == digraph6);
  // Names that begin alike are no sparse6.
  CHECK(format_of(":Fa@x^ b\n", "a.txt") == InputFormat::edge_list);
  CHECK(format_of(":a :b\n:a &d\n", "a.txt") == InputFormat::edge_list);
}
