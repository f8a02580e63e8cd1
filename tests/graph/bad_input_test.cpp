// Every refusal says the file, the line, what stood there and what was expected.

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

namespace {

using namespace matchcount;

const std::string banner = "%%MatrixMarket matrix ";

// Requires that the text is refused at this line with these pieces of text in the two halves of the message.
void check_refused(const std::string& text, std::uint64_t line, const std::string& found, const std::string& expected,
                   InputKind kind = InputKind::bipartite, InputFormat format = InputFormat::automatic) {
  INFO("the text: " << text.substr(0, 300));
  const InputOptions options{.kind = kind, .format = format};
  try {
    read_input_text(text, "bad.txt", options);
    FAIL("it was accepted");
  } catch (const InputError& error) {
    INFO("the message: " << error.what());
    CHECK(error.file() == "bad.txt");
    CHECK(error.line() == line);
    CHECK_THAT(error.found(), ContainsSubstring(found));
    CHECK_THAT(error.expected(), ContainsSubstring(expected));
    CHECK(std::string(error.what()).size() < 5000);
  }
}

void check_file_refused(const std::string& file, const std::string& found) {
  INFO("the file: " << file);
  try {
    read_input(file);
    FAIL("it was accepted");
  } catch (const InputError& error) {
    INFO("the message: " << error.what());
    CHECK(error.file() == file);
    CHECK_THAT(error.found(), ContainsSubstring(found));
  }
}

std::string mtx(const std::string& words, const std::string& rest) { return banner + words + "\n" + rest; }

std::string graphml(const std::string& content, const std::string& direction = "undirected") {
  return "<graphml>\n<graph edgedefault=\"" + direction + "\">\n" + content + "\n</graph></graphml>\n";
}

constexpr InputKind undirected = InputKind::undirected;
constexpr InputKind directed = InputKind::directed;
constexpr InputKind matrix = InputKind::matrix;
constexpr InputKind bipartite = InputKind::bipartite;
constexpr InputFormat metis = InputFormat::metis;
constexpr InputFormat dimacs = InputFormat::dimacs;

}  // namespace

TEST_CASE("carriage returns without newlines are refused, and with them they are line ends") {
  InputOptions options;
  CHECK_THROWS_AS(read_input_text("1 2\r3 4\r5 6\r", "test", options), InputError);
  CHECK_THROWS_AS(read_input_text("1 a\n3 b\rc d\n", "test", options), InputError);
  CHECK(read_input_text("1 a\r\n3 b\r\n", "test", options).num_edges() == 2);
  CHECK(read_input_text("1 a\r\n3 b\r", "test", options).num_edges() == 2);
}

TEST_CASE("a missing file, a directory and an empty file are refused by name") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  check_file_refused(folder + "/matchcount-no-such-file", "No such file");
  check_file_refused(folder, "a directory");
  const std::string empty = folder + "/matchcount-empty-" + std::to_string(::getpid());
  std::ofstream(empty).close();
  check_file_refused(empty, "an empty file");
  std::filesystem::remove(empty);
}

TEST_CASE("a text without anything is refused, and one with comments only") {
  check_refused("", 0, "an empty file", "a graph");
  check_refused("\xEF\xBB\xBF", 0, "an empty file", "a graph");
  check_refused("\n\n", 0, "no edge", "at least one line");
  check_refused("# nothing here\n%\n", 0, "no edge", "at least one line");
  check_refused(banner + "coordinate real general\n% only comments\n", 3, "the end of the file", "the size");
}

TEST_CASE("a stream that fails is refused") {
  std::istringstream stream("a b\n");
  stream.setstate(std::ios::badbit);
  CHECK_THROWS_AS(read_input(stream, "stream"), InputError);
}

TEST_CASE("binary content is refused: NUL and control characters, and names that are not UTF-8") {
  check_refused(std::string("1 2\n3 \0 4\n", 10), 2, "a NUL byte", "text");
  check_refused(std::string("\x7F"
                            "ELF\x02\x01\x01\0\0\0",
                            10),
                1, "a NUL byte", "text");
  check_refused("1 2\n3 \x01\n", 2, "control character '\\x01'", "text");
  check_refused("5 6\na\x1B[0m b\n", 2, "control character '\\x1b'", "text");
  check_refused("5 6\na\x7F b\n", 2, "control character '\\x7f'", "text");
  check_refused(
      "1 2\nM\xFC"
      "ller 3\n",
      2, "'M\\xfcller'", "UTF-8");
  check_refused("1 2\n\xC0\x80 3\n", 2, "'\\xc0\\x80'", "UTF-8");
  check_refused("1 2\n\xED\xA0\x80 3\n", 2, "'\\xed\\xa0\\x80'", "UTF-8");
  check_refused("\xFF\xFE\x31\x20\x32\n", 1, "'\\xff\\xfe1'", "UTF-8");
  check_refused(mtx("coordinate real general", "1 1 1\n1 1 \x02\n"), 3, "control character", "text");
  CHECK_NOTHROW(read_input_text("M\xC3\xBCller \xE2\x82\xAC\nM\xC3\xBCller x\n", "good"));
}

TEST_CASE("a gzip stream that is cut, damaged, empty or followed by something else is refused") {
  // printf 'a b\nc d\n' | gzip -n
  const std::string whole(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x54\x48\xe2\x4a\x56\x48\xe1\x02\x00\x90\xa9\xc8\x49\x08\x00\x00"
      "\x00",
      28);
  REQUIRE_NOTHROW(read_input_text(whole, "bad.txt", {.header = false}));
  for (std::size_t length = 2; length < whole.size(); ++length) {
    CAPTURE(length);
    check_refused(whole.substr(0, length), 0, "a gzip stream that ends in the middle", "a whole gzip stream");
  }
  std::string damaged = whole;
  damaged[12] = static_cast<char>(damaged[12] ^ 0x10);
  check_refused(damaged, 0, "damaged gzip data", "a whole gzip stream");
  std::string wrong_sum = whole;
  wrong_sum[20] = static_cast<char>(wrong_sum[20] ^ 1);
  check_refused(wrong_sum, 0, "damaged gzip data", "a whole gzip stream");
  check_refused(whole + "rest", 0, "damaged gzip data", "a whole gzip stream");
  // printf '' | gzip -n
  const std::string nothing("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20);
  check_refused(nothing, 0, "an empty file", "a graph");
}

TEST_CASE("lines of an edge list that are no edges are refused") {
  check_refused("1 2\n3\n", 2, "1 number", "2 as on line 1", matrix);
  check_refused("1 2\na->b\n", 2, "only 'a->b'", "'u v' or 'u v w'");
  check_refused("a--b\n", 1, "only 'a--b'", "'u v' or 'u v w'");
  check_refused("1 2\n1 3\n4 3\n3;x\n", 4, "'3;x'", "--delimiter ';'");
  check_refused("1|2\n3|4\n", 1, "'1|2'", "--delimiter '|'");
  check_refused("1 2\n1 3 4\n", 2, "3 fields", "2 fields as on line 1");
  check_refused("# x\n1 2 3\n\n1 3\n", 4, "2 fields", "3 fields as on line 2");
  check_refused("a 2 3 4\n", 1, "'4'", "--format adjlist");
  check_refused("1 2 3 4\n5 6 7\n", 1, "'4'", "the end of the line");
  check_refused("a b 1\na c 2 3\n", 2, "'3'", "the end of the line");
  check_refused("1 2 three\n", 1, "'three'", "a finite number");
  check_refused("a b 1\nc d 2x\n", 2, "'2x'", "a finite number");
  check_refused("1,,2\n", 1, "',2'", "after the comma");
  check_refused("1,2,,5\n", 1, "',5'", "after the comma");
  check_refused("1 2\n,3\n", 2, "',3'", "an edge");
  check_refused("1,2\n3, # 4\n", 2, "'#'", "after the comma");
  check_refused("It was a dark and stormy night\n", 1, "'dark'", "the end of the line");
}

TEST_CASE("weights that are not finite 64-bit integers or doubles are refused") {
  for (const std::string weight : {"nan", "NaN", "inf", "-inf", "infinity", "1e999", "-1e999", "0x10", "1.2.3", "1e",
                                   "--1", "1+2i", ".", "e5", "1_000"}) {
    CAPTURE(weight);
    check_refused("a b 1\nc d " + weight + "\n", 2, "'" + weight + "'", "a finite number");
    check_refused(mtx("coordinate real general", "1 1 1\n1 1 " + weight + "\n"), 3, "'" + weight + "'",
                  "a finite number");
  }
  check_refused("a b 1\nc d 9223372036854775808\n", 2, "'9223372036854775808'", "within 64 bits");
  check_refused("a b 1\nc d -9223372036854775809\n", 2, "'-9223372036854775809'", "within 64 bits");
  check_refused(mtx("coordinate integer general", "1 1 1\n1 1 18446744073709551617\n"), 3, "'18446744073709551617'",
                "within 64 bits");
  check_refused(mtx("coordinate real general", "1 1 1\n1 1 18446744073709551617\n"), 3, "'18446744073709551617'",
                "within 64 bits");
  check_refused(mtx("coordinate integer skew-symmetric", "2 2 1\n2 1 -9223372036854775808\n"), 3,
                "'-9223372036854775808'", "within 64 bits");
}

TEST_CASE("a repeated edge is refused with both lines") {
  check_refused("a b\nc d\n# x\na b\n", 4, "a b again, after line 1", "once");
  check_refused("5 6 7\n5 6 7\n", 2, "5 6 again, after line 1", "once", bipartite, InputFormat::edge_list);
  check_refused("a b\nb a\n", 2, "a b again, after line 1", "once", undirected);
  check_refused("a b\nb a\na b\n", 3, "a b again, after line 1", "once", directed);
  check_refused(mtx("coordinate pattern general", "3 3 3\n1 2\n3 3\n1 2\n"), 5, "1 2 again, after line 3", "once");
  check_refused(mtx("coordinate real symmetric", "3 3 3\n2 1 1\n3 3 1\n2 1 0\n"), 5, "again, after line 3", "once");
  check_refused("p edge 3 3\ne 1 2\ne 2 3\ne 2 1\n", 4, "again, after line 2", "once");
  check_refused("2 2\n2 2\n1 1\n", 2, "1 2 again, after line 2", "once", bipartite, metis);
  if (!built_with_graphml()) return;
  check_refused(graphml("<node id='a'/><node id='b'/>\n<edge source='a' target='b'/>\n<edge source='b' target='a'/>"),
                5, "a b again, after line 4", "once");
}

TEST_CASE("a sum of repeated edges beyond 64 bits is refused") {
  const InputOptions options{.duplicates = Duplicates::sum};
  try {
    read_input_text("a b 9223372036854775807\na b 1\n", "bad.txt", options);
    FAIL("it was accepted");
  } catch (const InputError& error) {
    CHECK(error.file() == "bad.txt");
  }
}

TEST_CASE("an odd cycle or a loop in an undirected graph is printed as the reason") {
  check_refused("a b\nb c\nc a\n", 0, "an odd cycle of 3 vertices: b - a - c - b", "a bipartite graph", undirected);
  check_refused("1 2\n2 3\n3 4\n4 5\n5 1\n", 0, "an odd cycle of 5 vertices: 3 - 2 - 1 - 5 - 4 - 3", "bipartite",
                undirected);
  check_refused("a b\nb c\nc c\n", 3, "a loop at c", "two vertices", undirected);
  check_refused("1 5\n7 7\n3 4\n", 2, "a loop at 7", "two vertices", undirected);
  check_refused(mtx("coordinate pattern symmetric", "3 3 3\n2 1\n3 1\n3 2\n"), 0, "an odd cycle of 3", "bipartite",
                undirected);
  check_refused(mtx("coordinate real symmetric", "2 2 2\n2 1 1\n2 2 5\n"), 4, "a loop at 2", "two vertices",
                undirected);
  check_refused(mtx("coordinate pattern general", "2 2 3\n2 1\n1 2\n2 2\n"), 5, "a loop at 2", "two vertices",
                undirected);
  check_refused("3 3\n2 3\n1 3\n1 2\n", 0, "an odd cycle of 3", "bipartite", bipartite, metis);
  check_refused("p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n", 0, "an odd cycle of 3", "bipartite");
}

TEST_CASE("the odd cycle that is printed is one") {
  // An odd cycle of 2001 vertices is named in full length and printed in part.
  std::string text;
  for (int i = 1; i <= 2001; ++i) text += std::to_string(i) + " " + std::to_string(i % 2001 + 1) + "\n";
  check_refused(text, 0, "an odd cycle of 2001 vertices", "bipartite", undirected);

  // Paths and even cycles around a pentagon: every pair of neighbours in the message is an edge.
  const std::string edges = "a b\nb c\nc d\nd a\nd e\ne f\nf g\ng h\nh d\nh i\n";
  try {
    read_input_text(edges, "bad.txt", {.kind = undirected});
    FAIL("it was accepted");
  } catch (const InputError& error) {
    const std::string cycle = error.found().substr(error.found().find(": ") + 2);
    CAPTURE(cycle);
    std::istringstream words(cycle);
    std::string first, dash, before, next;
    int length = 0;
    words >> first;
    for (before = first; words >> dash >> next; before = next, ++length) {
      const bool is_edge = edges.find(before + " " + next + "\n") != std::string::npos ||
                           edges.find(next + " " + before + "\n") != std::string::npos;
      CHECK(is_edge);
    }
    CHECK(before == first);
    CHECK(length == 5);
  }
}

TEST_CASE("an index of a matrix edge list that is no number from 1 to 2^31 - 1 is refused") {
  check_refused("1 1 5\n0 1 5\n", 2, "'0'", "an index from 1", matrix, InputFormat::edge_list);
  check_refused("0 1 5\n", 1, "'0'", "an index from 1", matrix, InputFormat::edge_list);
  check_refused("1 1 5\n-1 1 5\n", 2, "'-1'", "an index from 1", matrix, InputFormat::edge_list);
  check_refused("1 1 5\n1 2147483648 5\n", 2, "'2147483648'", "an index from 1", matrix, InputFormat::edge_list);
  check_refused("1 1 5\n1 99999999999999999999 5\n", 2, "'99999999999999999999'", "an index from 1", matrix,
                InputFormat::edge_list);
  check_refused("1 1 5\na 0 5\n", 2, "'0'", "an index from 1", matrix, InputFormat::edge_list);
  check_refused("1 2000000000 5\n", 0, "2000000001 vertices", "for a text of this length", matrix,
                InputFormat::edge_list);
}

TEST_CASE("Matrix Market: a bad banner is refused and never passes for a comment") {
  const std::string rest = "1 1 1\n1 1 1\n";
  check_refused("%MatrixMarket matrix coordinate real general\n" + rest, 1, "'%MatrixMarket'", "%%MatrixMarket");
  check_refused("%% MatrixMarket matrix coordinate real general\n" + rest, 1, "'%%'", "%%MatrixMarket");
  check_refused("%%MatrixMarketmatrix coordinate real general\n" + rest, 1, "'%%MatrixMarketmatrix'", "%%MatrixMarket");
  check_refused("%%MatrixMarket\n" + rest, 1, "the end of the line", "'matrix'");
  check_refused("%%MatrixMarket vector coordinate real general\n" + rest, 1, "'vector'", "'matrix'");
  check_refused(mtx("coordinated real general", rest), 1, "'coordinated'", "'coordinate' or 'array'");
  check_refused(mtx("coordinate float general", rest), 1, "'float'", "'real'");
  check_refused(mtx("coordinate real triangular", rest), 1, "'triangular'", "'symmetric'");
  check_refused(mtx("coordinate real", rest), 1, "the end of the line", "'general'");
  check_refused(mtx("coordinate real general extra", rest), 1, "'extra'", "the end of the banner");
  check_refused(mtx("array pattern general", rest), 1, "'array pattern'", "values");
  check_refused(mtx("coordinate pattern skew-symmetric", rest), 1, "'pattern skew-symmetric'", "general or symmetric");
  check_refused(mtx("coordinate real hermitian", rest), 1, "'hermitian' without 'complex'", "'complex hermitian'");
  check_refused("1 1 1\n1 1 1\n", 1, "'1'", "the banner", bipartite, InputFormat::matrix_market);
  check_refused(mtx("coordinate real general", rest), 1, "a Matrix Market banner", "edgelist", bipartite,
                InputFormat::edge_list);
}

TEST_CASE("Matrix Market: a banner that contradicts the data is refused") {
  check_refused(mtx("coordinate pattern general", "1 1 1\n1 1 5.0\n"), 3, "'5.0'", "'pattern'");
  check_refused(mtx("coordinate real general", "1 1 1\n1 1\n"), 3, "the end of the line", "a real value");
  check_refused(mtx("coordinate integer general", "1 1 1\n1 1 1.5\n"), 3, "'1.5'", "an integer");
  check_refused(mtx("coordinate integer general", "1 1 1\n1 1 x\n"), 3, "'x'", "an integer");
  check_refused(mtx("coordinate complex general", "1 1 1\n1 1 1\n"), 3, "the end of the line", "imaginary part");
  check_refused(mtx("coordinate real general", "1 1 1\n1 1 1 2\n"), 3, "'2'", "the end of the line");
  check_refused(mtx("coordinate real skew-symmetric", "2 2 1\n2 2 1\n"), 3, "row 2, column 2", "no diagonal entry");
  check_refused(mtx("coordinate complex hermitian", "2 2 1\n2 2 1 1\n"), 3, "imaginary part", "a real diagonal");
  check_refused(mtx("array complex hermitian", "1 1\n1 1\n"), 3, "imaginary part", "a real diagonal");
  check_refused(mtx("coordinate real symmetric", "2 3 0\n"), 2, "2 rows and 3 columns", "as many rows as columns");
  check_refused(mtx("array real symmetric", "2 3\n1\n"), 2, "2 rows and 3 columns", "as many rows as columns");
}

TEST_CASE("Matrix Market: sizes that are wrong or absurd are refused before memory is asked for") {
  check_refused(mtx("coordinate real general", "1 1\n1 1 1\n"), 2, "the end of the line", "a number of entries");
  check_refused(mtx("coordinate real general", "1 1 1 1\n1 1 1\n"), 2, "'1'", "'rows columns entries'");
  check_refused(mtx("array real general", "1 1 1\n1\n"), 2, "'1'", "'rows columns'");
  check_refused(mtx("coordinate real general", "-1 1 1\n1 1 1\n"), 2, "'-1'", "a number of rows from 0");
  check_refused(mtx("coordinate real general", "1 x 1\n1 1 1\n"), 2, "'x'", "a number of columns");
  check_refused(mtx("coordinate real general", "1 1 1.0\n1 1 1\n"), 2, "'1.0'", "a number of entries");
  check_refused(mtx("coordinate real general", "2147483648 1 0\n"), 2, "'2147483648'", "to 2147483647");
  check_refused(mtx("coordinate real general", "99999999999999999999999 1 0\n"), 2, "'99999999999999999999999'",
                "to 2147483647");
  check_refused(mtx("coordinate real general", "2000000000 2000000000 1\n1 1 1\n"), 2, "4000000000 vertices",
                "at most 16777216");
  check_refused(mtx("coordinate real general", "5 5 1000000000000\n1 1 1\n"), 4, "after 1 entries",
                "1000000000000 entries");
  check_refused(mtx("array real general", "4000000 4000000\n1\n"), 4, "after 1 entries", "16000000000000 entries");
  CHECK_NOTHROW(read_input_text(mtx("coordinate real general", "1000000 1000000 1\n1 1 1\n"), "good"));
}

TEST_CASE("Matrix Market: an index out of range is refused") {
  const auto entry = [](const std::string& text) { return mtx("coordinate pattern general", "2 3 2\n1 1\n" + text); };
  check_refused(entry("0 1\n"), 4, "'0'", "a row from 1 to 2");
  check_refused(entry("1 0\n"), 4, "'0'", "a column from 1 to 3");
  check_refused(entry("3 1\n"), 4, "'3'", "a row from 1 to 2");
  check_refused(entry("1 4\n"), 4, "'4'", "a column from 1 to 3");
  check_refused(entry("-1 1\n"), 4, "'-1'", "a row from 1 to 2");
  check_refused(entry("+1 1\n"), 4, "'+1'", "a row from 1 to 2");
  check_refused(entry("1.0 1\n"), 4, "'1.0'", "a row");
  check_refused(entry("one 1\n"), 4, "'one'", "a row");
  check_refused(entry("4294967297 1\n"), 4, "'4294967297'", "a row");
  check_refused(entry("18446744073709551617 1\n"), 4, "'18446744073709551617'", "a row");
  check_refused(entry("1\n"), 4, "the end of the line", "a column");
  check_refused(mtx("coordinate pattern general", "0 3 1\n1 1\n"), 3, "'1'", "none");
}

TEST_CASE("Matrix Market: too few and too many entries are refused") {
  check_refused(mtx("coordinate pattern general", "2 2 3\n1 1\n2 2\n"), 5, "the end of the file after 2 entries",
                "3 entries");
  check_refused(mtx("coordinate pattern general", "2 2 1\n1 1\n\n% note\n2 2\n"), 6, "'2'",
                "the end of the file after 1 entries");
  check_refused(mtx("array real general", "2 2\n1\n2\n3\n"), 6, "the end of the file after 3 entries", "4 entries");
  check_refused(mtx("array real general", "2 2\n1\n2\n3\n4\n5\n"), 7, "'5'", "the end of the file after 4 entries");
  check_refused(mtx("array real symmetric", "2 2\n1\n2\n"), 5, "after 2 entries", "3 entries");
  check_refused(mtx("array real general", "2 2\n1 2\n3 4\n"), 3, "'2'", "one value on each");
  check_refused(mtx("coordinate pattern general", "0 0 0\n1 1\n"), 3, "'1'", "the end of the file");
}

TEST_CASE("Matrix Market: every prefix of a file is refused or ends in a shorter number") {
  const std::string whole = mtx("coordinate real general", "2 2 2\n1 1 25\n2 2 4.5\n");
  for (std::size_t length = 0; length + 4 < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_input_text(whole.substr(0, length), "bad.mtx"), InputError);
  }
}

TEST_CASE("Matrix Market: what is no undirected or directed graph is refused") {
  check_refused(mtx("coordinate pattern general", "2 3 0\n"), 2, "2 rows and 3 columns", "a directed graph", directed);
  check_refused(mtx("coordinate pattern general", "2 3 0\n"), 2, "2 rows and 3 columns", "an undirected graph",
                undirected);
  check_refused(mtx("coordinate pattern general", "3 3 3\n1 2\n2 1\n2 3\n"), 5, "from 2 to 3", "both directions",
                undirected);
  check_refused(mtx("coordinate real general", "2 2 2\n1 2 1\n2 1 1.5\n"), 3, "from 1 to 2", "both directions",
                undirected);
  check_refused(mtx("coordinate real skew-symmetric", "2 2 1\n2 1 1\n"), 1, "skew-symmetric", "symmetric", undirected);
}

TEST_CASE("a line of ten million bytes is refused in a short message") {
  const std::string name(10'000'000, 'x');
  check_refused(name + " b\n", 1, "a name of 10000000 bytes", "at most 4096");
  check_refused("a b\n" + name + "\n", 2, "a name of 10000000 bytes", "at most 4096");
  std::string numbers = "a ";
  for (int i = 0; i < 5'000'000; ++i) numbers += "1 ";
  check_refused(numbers, 1, "'1'", "the end of the line");
  check_refused(mtx("coordinate real general", "1 1 1\n1 1 " + std::string(10'000'000, '7') + "\n"), 3, "'7777",
                "a finite number");
  check_refused(mtx("coordinate integer general", "1 1 1\n1 1 " + std::string(10'000'000, '7') + "\n"), 3, "'7777",
                "within 64 bits");
  check_refused(mtx("coordinate real general", std::string(10'000'000, '1') + " 1 1\n"), 2, "'1111",
                "a number of rows");
  check_refused("2 1\n" + numbers.substr(2) + "\n1\n", 2, "vertex 1 among its own neighbours", "two vertices",
                bipartite, metis);
}

TEST_CASE("DIMACS: what is not as the problem line says is refused") {
  check_refused("e 1 2\np edge 2 1\n", 1, "'e'", "a problem line", bipartite, dimacs);
  check_refused("c only\n", 2, "the end of the file", "a problem line", bipartite, dimacs);
  check_refused("p cnf 2 1\n1 2\n", 1, "'cnf'", "a problem line");
  check_refused("p edge 2\ne 1 2\n", 1, "the end of the line", "a number of edges", bipartite, dimacs);
  check_refused("p edge 2 1 1\ne 1 2\n", 1, "'1'", "the end of the problem line", bipartite, dimacs);
  check_refused("p edge 2 2\ne 1 2\n", 3, "after 1 edges", "2 edges");
  check_refused("p edge 3 1\ne 1 2\ne 2 3\n", 3, "'e'", "after 1 edges");
  check_refused("p edge 2 1\n1 2\n", 2, "'1'", "'e U V'");
  check_refused("p edge 2 1\nn 1 5\n", 2, "'n'", "'e U V'");
  check_refused("p tw 2 1\ne 1 2\n", 2, "'e'", "a vertex");
  check_refused("p edge 2 1\ne 1 3\n", 2, "'3'", "from 1 to 2");
  check_refused("p edge 2 1\ne 0 1\n", 2, "'0'", "from 1 to 2");
  check_refused("p edge 2 1\ne 1 2 3\n", 2, "'3'", "the end of the line");
  check_refused("p edge 2 1\ne 1 1\n", 2, "a loop at 1", "two vertices");
  check_refused("p sp 2 1\na 1 2\n", 2, "the end of the line", "a weight", directed);
  check_refused("p sp 2 1\na 1 2 3\n", 0, "a directed graph", "--kind directed");
  check_refused("p edge 2147483648 1\ne 1 2\n", 1, "'2147483648'", "to 2147483647");
  check_refused("p edge 2000000000 1\ne 1 2\n", 1, "2000000000", "at most 16777216");
  check_refused("p edge 5 1000000000000\ne 1 2\n", 3, "after 1 edges", "1000000000000 edges");
}

TEST_CASE("METIS: what is not as the header says is refused") {
  const auto refused = [](const std::string& text, std::uint64_t line, const std::string& found,
                          const std::string& expected) {
    check_refused(text, line, found, expected, bipartite, metis);
  };
  refused("% note\n", 2, "the end of the file", "a header");
  refused("2\n", 1, "the end of the line", "a number of edges");
  refused("x 1\n2\n1\n", 1, "'x'", "a number of vertices");
  refused("2 1 2\n2\n1\n", 1, "'2'", "three digits");
  refused("2 1 0001\n2\n1\n", 1, "'0001'", "three digits");
  refused("2 1 010 0\n2\n1\n", 1, "'0'", "from 1 to");
  refused("2 1 001 2\n2 1\n1 1\n", 1, "'2'", "weights a vertex from 0 to 1");
  refused("2 1 0 1 1\n2\n1\n", 1, "'1'", "the end of the header");
  refused("2 1\n2\n", 3, "after 1 vertices", "each of 2 vertices");
  refused("2 1\n2\n1\n1\n", 4, "'1'", "after 2 vertices");
  refused("2 2\n2\n1\n", 1, "2 edges declared and 2 neighbours", "two neighbours");
  refused("3 2\n2\n1 3\n\n", 1, "2 edges declared and 3 neighbours", "two neighbours");
  refused("3 1\n2\n3\n\n", 2, "from 1 to 2", "both directions");
  refused("2 1 1\n2 5\n1 6\n", 2, "from 1 to 2", "both directions");
  refused("2 1\n3\n1\n", 2, "'3'", "a neighbour from 1 to 2");
  refused("2 1\n0\n1\n", 2, "'0'", "a neighbour from 1 to 2");
  refused("2 1\n1\n2\n", 2, "vertex 1 among its own neighbours", "two vertices");
  refused("2 1\n-2\n1\n", 2, "'-2'", "a neighbour");
  refused("2 1 1\n2\n1 1\n", 2, "the end of the line", "an edge weight");
  refused("2 1 1\n2 x\n1 1\n", 2, "'x'", "a finite number");
  refused("2 1 10\nx 2\n1 1\n", 2, "'x'", "a vertex weight");
  refused("2 1 100\n\n1 1\n", 2, "the end of the line", "a vertex size");
  refused("2000000000 1\n2\n1\n", 1, "2000000000", "at most 16777216");
  refused("2 1000000000000\n2\n1\n", 1, "1000000000000 edges declared", "two neighbours");
}

TEST_CASE("GraphML: XML that is not well formed is refused") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  check_refused("<graphml>\n<graph edgedefault='directed'>\n", 3, "no element found", "well-formed");
  check_refused("<graphml></graph></graphml>", 1, "mismatched tag", "well-formed");
  check_refused("<html></html>", 1, "'html'", "<graphml>");
  check_refused("<graphml><graph", 1, "unclosed token", "well-formed");
  check_refused("<graphml><!-- ", 1, "unclosed token", "well-formed");
  check_refused("<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>", 1, "a document type that declares", "without");
  check_refused(graphml("<node id=a/>"), 3, "not well-formed", "well-formed");
  check_refused(graphml("<node id/>"), 3, "not well-formed", "well-formed");
  check_refused(graphml("<node id='a' id='b'/>"), 3, "duplicate attribute", "well-formed");
  check_refused(graphml("<node id='a&b;'/>"), 3, "undefined entity", "well-formed");
  check_refused(graphml("<node id='\xFF'/>"), 3, "invalid token", "well-formed");
  check_refused("<graphml/><graphml/>", 1, "junk after document element", "well-formed");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<data>";
  check_refused(graphml(deep), 3, "nested more than 64 deep", "GraphML");
}

TEST_CASE("GraphML: what would change the graph in silence is refused") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  check_refused(graphml("<node id='a'/>\n<edge source='a' target='b'/>"), 4, "an edge at 'b'", "the id of a node");
  check_refused(graphml("<node id='a'/>\n<node id='a'/>"), 4, "the node 'a' again", "once");
  check_refused(graphml("<node/>"), 3, "without id", "that attribute");
  check_refused(graphml("<node id='a'/>\n<edge source='a'/>"), 4, "without target", "that attribute");
  check_refused(graphml("<node id='a'/>\n<hyperedge/>"), 4, "'hyperedge'", "nodes and edges only");
  check_refused(graphml("<graph edgedefault='directed'></graph>"), 3, "a graph within a graph", "one graph");
  check_refused("<graphml><graph edgedefault='sideways'></graph></graphml>", 1, "'sideways'", "edgedefault=");
  check_refused("<graphml><graph></graph></graphml>", 1, "without edgedefault", "that attribute");
  check_refused("<graphml></graphml>", 0, "no graph", "a <graph>");
  check_refused("<graphml><node id='a'/></graphml>", 1, "the element 'node' outside of a graph", "<graph>");
  const std::string nodes = "<node id='a'/><node id='b'/>\n";
  check_refused(graphml(nodes + "<edge source='a' target='b' directed='true'/>"), 4, "directed='true'",
                "as the graph says");
  check_refused(graphml(nodes + "<edge source='a' target='a'/>"), 4, "a loop at a", "two vertices");
}

TEST_CASE("GraphML: weights that are no numbers, or stand on some edges only, are refused") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const auto weighted = [](const std::string& first, const std::string& second) {
    return "<graphml><key id='w' for='edge' attr.name='weight'/>\n<graph edgedefault='undirected'>"
           "<node id='a'/><node id='b'/><node id='c'/>\n<edge source='a' target='b'>" +
           first + "</edge>\n<edge source='b' target='c'>" + second + "</edge>\n</graph></graphml>\n";
  };
  check_refused(weighted("<data key='w'>1</data>", "<data key='w'>x</data>"), 4, "'x'", "a finite number");
  check_refused(weighted("<data key='w'>1</data>", "<data key='w'/>"), 4, "''", "a finite number");
  check_refused(weighted("<data key='w'>1</data>", ""), 4, "an edge without 'weight'", "every edge or on none");
  check_refused(weighted("", "<data key='w'>1</data>"), 3, "an edge without 'weight'", "every edge or on none");
}
