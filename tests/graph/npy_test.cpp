// NumPy's arrays: files that numpy wrote, and headers made by hand.

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions as_matrix = as(InputFormat::automatic, InputKind::matrix);

Input read_matrix(const std::string& bytes) { return read_input_text(bytes, "test", as_matrix); }

// Writes an array of this header, version 1, and these bytes.
std::string npy(const std::string& dictionary, const std::string& entries) {
  std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header + entries;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& entries, bool fortran = false) {
  return npy(
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }",
      entries);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void check_bad(const std::string& bytes, const std::string& found, const std::string& expected) {
  check_refused(bytes, as_matrix, 0, found, expected);
}

}  // namespace

TEST_CASE(".npy: what numpy wrote, in both orders, byte orders and three versions") {
  // The entry (i, j) of every file is 10 i + j - 4, scaled; those that are 0 are no edges.
  Integers integers;
  Reals reals, eighths;
  Complexes complexes;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int value = 10 * i + j - 4;
      integers.push_back(value);
      reals.push_back(double(value));
      eighths.push_back(value / 8.0);
      complexes.emplace_back(double(value), value / 2.0);
    }
  }
  const Input real = read_matrix(file("float64.npy"));
  CHECK(real.format == InputFormat::npy);
  CHECK(real.kind == InputKind::matrix);
  CHECK(real.graph.num_rows() == 3);
  CHECK(real.graph.num_columns() == 4);
  CHECK(real.row_labels.empty());
  CHECK(dense<DoubleDouble>(real) == reals);
  CHECK(dense<DoubleDouble>(read_matrix(file("float64.npy.gz"))) == reals);
  CHECK(dense<DoubleDouble>(read_matrix(file("float16.npy"))) == eighths);
  CHECK(dense<std::int64_t>(read_matrix(file("int16-big-endian.npy"))) == integers);
  CHECK(dense<ComplexDoubleDouble>(read_matrix(file("complex128-fortran.npy"))) == complexes);
  for (std::int64_t& value : integers) value += 4;
  CHECK(dense<std::int64_t>(read_matrix(file("version2.npy"))) == integers);
  CHECK(dense<std::int64_t>(read_matrix(file("version3.npy"))) == integers);
  // Booleans are a pattern: 10 i + j - 4 is a multiple of three.
  const Input pattern = read_matrix(file("bool.npy"));
  CHECK(pattern.graph.weight_kind() == WeightKind::none);
  CHECK(named_edges(pattern) == NamedEdges{{"1", "2"}, {"2", "1"}, {"2", "4"}, {"3", "3"}});
}

TEST_CASE(".npy: three dimensions are a sequence of matrices, in both orders") {
  const std::vector<Input> integers = read_all(file("sequence.npy"), as_matrix);
  const std::vector<Input> reals = read_all(file("sequence-fortran.npy"), as_matrix);
  REQUIRE(integers.size() == 5);
  REQUIRE(reals.size() == 5);
  for (int k = 0; k < 5; ++k) {
    CAPTURE(k);
    const Integers entries = dense<std::int64_t>(integers[static_cast<std::size_t>(k)]);
    const Reals same = dense<DoubleDouble>(reals[static_cast<std::size_t>(k)]);
    REQUIRE(entries.size() == 12);
    REQUIRE(same.size() == 12);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) {
        const auto place = static_cast<std::size_t>(4 * i + j);
        CHECK(entries[place] == 100 * k + 10 * i + j - 4);
        CHECK(same[place] == DoubleDouble(double(100 * k + 10 * i + j - 4)));
      }
    }
  }
  check_bad(file("sequence.npy"), "a file of 5 graphs", "one graph");
  CHECK(read_all(npy("<i2", "(1, 1, 1)", bytes_of<std::int16_t>({7})), as_matrix).size() == 1);
  // A bad one is told by its number, and those behind it are read.
  const std::string bad = npy("<f8", "(3, 1, 2)", bytes_of<double>({1, 2, 3, std::nan(""), 5, 6}));
  InputSequence sequence = InputSequence::from_text(bad, "test", as_matrix);
  CHECK(dense<DoubleDouble>(*sequence.next()) == Reals{1.0, 2.0});
  try {
    sequence.next();
    FAIL("it was accepted");
  } catch (const InputError& error) {
    CHECK(error.found() == "NaN at index [1, 0, 1] (from 0) in graph 2");
  }
  CHECK(dense<DoubleDouble>(*sequence.next()) == Reals{5.0, 6.0});
  CHECK_FALSE(sequence.next());
}

TEST_CASE(".npy: the time for a sequence of small matrices grows with its length alone") {
  const auto seconds = [](std::size_t count) {
    std::vector<double> entries(count * 144);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = 1.0 + static_cast<double>(i % 7);
    const std::string bytes = npy("<f8", "(" + std::to_string(count) + ", 12, 12)", bytes_of(entries));
    double best = 1e9;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::clock_t start = std::clock();  // of this process alone
      CHECK(read_all(bytes, as_matrix).size() == count);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  };
  // With a copy of the file for each matrix it would be 16 times.
  const double few = seconds(1000), many = seconds(4000);
  CAPTURE(few, many);
  CHECK(many < 8 * few);
}

TEST_CASE(".npy: the kinds, of every size, at the ends of their ranges") {
  const auto one = [](const std::string& type, const std::string& bytes) {
    return read_matrix(npy(type, "(1, 1)", bytes));
  };
  CHECK(dense<std::int64_t>(one("|i1", "\x80")) == Integers{-128});
  CHECK(dense<std::int64_t>(one("|u1", "\xFF")) == Integers{255});
  CHECK(dense<std::int64_t>(one("<i2", bytes_of<std::int16_t>({-32768}))) == Integers{-32768});
  CHECK(dense<std::int64_t>(one(">u2", "\xFF\xFE")) == Integers{65534});
  CHECK(dense<std::int64_t>(one("<i4", bytes_of<std::int32_t>({-2147483647 - 1}))) == Integers{-2147483648});
  CHECK(dense<std::int64_t>(one("<u4", "\xFF\xFF\xFF\xFF")) == Integers{4294967295});
  CHECK(dense<std::int64_t>(one("<i8", bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()}))) ==
        Integers{std::numeric_limits<std::int64_t>::min()});
  CHECK(dense<std::int64_t>(one("=u8", bytes_of<std::uint64_t>({std::uint64_t{1} << 62}))) ==
        Integers{std::int64_t{1} << 62});
  check_bad(npy("<u8", "(1, 2)", bytes_of<std::uint64_t>({1, std::uint64_t{1} << 63})),
            "9223372036854775808 at index [0, 1]", "up to 9223372036854775807");
  CHECK(dense<DoubleDouble>(one("<f2", std::string("\x01\x00", 2))) == Reals{0x1p-24});
  CHECK(dense<DoubleDouble>(one("<f2", "\xFF\x7B")) == Reals{65504.0});
  CHECK(dense<DoubleDouble>(one(">f4", std::string("\xC0\x20\x00\x00", 4))) == Reals{-2.5});
  CHECK(dense<DoubleDouble>(one("<f8", bytes_of<double>({5e-324}))) == Reals{5e-324});
  CHECK(dense<ComplexDoubleDouble>(one("<c8", bytes_of<float>({1.5F, -2.0F}))) == Complexes{{1.5, -2.0}});
  // Real values that are whole stay real.
  CHECK(one("<f8", bytes_of<double>({3})).graph.weight_kind() == WeightKind::real);
  for (const auto& [type, bytes, found] :
       {std::tuple("<f8", bytes_of<double>({std::numeric_limits<double>::infinity()}), "inf at index [0, 0]"),
        std::tuple("<f4", bytes_of<float>({-std::numeric_limits<float>::infinity()}), "-inf at index [0, 0]"),
        std::tuple("<f2", std::string("\x01\x7C"), "NaN at index [0, 0]"),
        std::tuple("<c16", bytes_of<double>({1, std::nan("")}), "NaN at index [0, 0]")}) {
    check_bad(npy(type, "(1, 1)", bytes), found, "finite");
  }
  check_bad(npy("|b1", "(1, 1)", "\x02"), "'\\x02' at index [0, 0]", "0 or 1");
}

TEST_CASE(".npy: zeros are no edges unless they are kept, and a graph's matrix is square and mirrored") {
  const std::string bytes = npy("<f8", "(2, 2)", bytes_of<double>({0, 2, -0.0, 3}));
  CHECK(named_edges(read_matrix(bytes)) == NamedEdges{{"1", "2"}, {"2", "2"}});
  InputOptions keep = as_matrix;
  keep.keep_zeros = true;
  CHECK(read_input_text(bytes, "test", keep).graph.num_edges() == 4);

  const std::string path = npy("|b1", "(3, 3)", std::string("\0\1\0\1\0\1\0\1\0", 9));
  CHECK(named_edges(read_input_text(path, "test", given(InputFormat::npy, InputKind::undirected))) ==
        NamedEdges{{"1", "2"}, {"3", "2"}});
  CHECK(named_edges(read_input_text(path, "test", given(InputFormat::npy, InputKind::directed))).size() == 4);
  // The adjacency matrix of a graph is one of rows and columns, with a note, where nobody says else.
  const Input as_columns = read_input_text(path, "test", as(InputFormat::npy));
  CHECK(as_columns.kind == InputKind::bipartite);
  REQUIRE(as_columns.notes.size() == 1);
  CHECK_THAT(as_columns.notes[0], ContainsSubstring("--kind undirected"));
  const std::string arc = npy("|b1", "(2, 2)", std::string("\0\1\0\0", 4));
  check_refused(arc, given(InputFormat::npy, InputKind::undirected), 0, "an edge from 1 to 2", "both directions");
  const std::string wide = npy("|b1", "(1, 2)", "\1\1");
  for (const InputKind kind : {InputKind::undirected, InputKind::directed}) {
    check_refused(wide, given(InputFormat::npy, kind), 0, "1 rows and 2 columns", "as many rows as columns");
  }
  CHECK(read_matrix(npy("<f8", "(0, 0)", "")).graph.num_rows() == 0);
  CHECK(read_matrix(npy("<f8", "(2, 0)", "")).graph.num_rows() == 2);
}

TEST_CASE(".npy: entries that stand for no edge are none, of every kind") {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const auto edges = [](const std::string& type, const std::string& entries, const std::string& no_edge) {
    InputOptions options = as_matrix;
    options.no_edge = no_edge;
    return read_input_text(npy(type, "(1, 2)", entries), "test", options).graph.num_edges();
  };
  CHECK(edges("|b1", "\1\1", "1") == 0);
  CHECK(edges("<i4", bytes_of<std::int32_t>({7, -2}), "-2") == 1);
  CHECK(edges("<f8", bytes_of<double>({7, infinity}), "inf") == 1);
  CHECK(edges("<f8", bytes_of<double>({7, -nan}), "nan") == 1);
  CHECK(edges("<f8", bytes_of<double>({7, 0.1}), "0.1") == 1);
  CHECK(edges("<f4", bytes_of<float>({7, 0.1F}), "1/10") == 1);
  CHECK(edges("<f8", bytes_of<double>({7, 1e23}), "1e23") == 1);
  CHECK(edges("<f8", bytes_of<double>({7, 2.5}), "2") == 2);
  CHECK(edges("<c16", bytes_of<double>({7, 0, 2, 0}), "2") == 1);
  CHECK(edges("<c16", bytes_of<double>({7, 0, 2, 1}), "2") == 2);
}

TEST_CASE(".npy: headers in other words, and those that are refused") {
  const std::string entries = bytes_of<std::int16_t>({1, 2});
  CHECK(dense<std::int64_t>(read_matrix(npy("{\"shape\":(1,2),\"fortran_order\":True,\"descr\":\"<i2\"}", entries))) ==
        Integers{1, 2});
  CHECK(dense<std::int64_t>(read_matrix(
            npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1L, 2L), }   ", entries))) == Integers{1, 2});
  check_bad(npy("<i2", "(2,)", entries), "an array of 1 dimensions", "two dimensions");
  check_bad(npy("<i2", "()", "xx"), "a single number", "two dimensions");
  check_bad(npy("<i2", "(1, 1, 1, 1)", "xx"), "an array of 4 dimensions", "two dimensions");
  check_bad(npy("|O", "(1, 1)", "xxxxxxxx"), "Python objects", "float16");
  check_bad(npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1, 1), }", "xxxx"), "an array of records",
            "float16");
  for (const std::string type : {"<U3", "|S4", "<f16", "<M8[ns]", "|V8", "<i3", "f8", "|i2", "", "<f"}) {
    check_bad(npy(type, "(1, 1)", "xxxxxxxx"), "the type '" + type + "'", "float16");
  }
  check_bad(npy("<i2", "(1, 3)", entries), "4 bytes of entries", "1 x 3 entries of 2 bytes");
  check_bad(npy("<i2", "(1, 1)", entries), "4 bytes of entries", "1 x 1 entries of 2 bytes");
  check_bad(npy("<i2", "(-1, 1)", entries), "goes on '(-1", "a header");
  check_bad(npy("<i2", "(1, 2", entries), "goes on", "a header");
  check_bad(npy("<i2", "(99999999999999999999999, 2)", entries), "a dimension beyond 2147483647", "rows and columns");
  check_bad(npy("<c16", "(2147483647, 2147483647, 2147483647)", entries), "4 bytes of entries", "entries of 16 bytes");
  check_bad(npy("<i2", "(2147483647, 0)", ""), "2147483647 vertices declared", "at most 16777216");
  check_bad(npy("<i2", "(1000000000, 0, 0)", ""), "a sequence of matrices without an entry", "one entry");
  check_bad(npy("{'descr': '<i2', 'fortran_order': 0, 'shape': (1, 2), }", entries), "goes on '0", "a header");
  check_bad(npy("{'descr': '<i2', 'shape': (1, 2), }", entries), "goes on", "a header");
  check_bad(npy("{'descr': '<i2', 'descr': '<i2', 'shape': (1, 2), }", entries), "the key 'descr'", "once each");
  check_bad(npy("{'colour': '<i2', 'fortran_order': False, 'shape': (1, 2), }", entries), "the key 'colour'",
            "once each");
  check_bad(npy("<i2", "(1, 2)}, {'x': 1", entries), "goes on", "a header");
  check_bad("\x93NUMPY\x01", "the end of the file within the .npy header", "whole");
  check_bad(std::string("\x93NUMPY\x04\x00\x04\x00\x00\x00{}\n ", 16), "version 4.0", "version 1.0");
  check_bad(std::string("\x93NUMPY\x01\x00\xFF\xFF{}", 12), "the end of the file within the .npy header",
            "65535 bytes");
  check_refused("1 2\n", as(InputFormat::npy), 0, "no .npy file", "NUMPY");
  check_refused(file("float64.npy"), as(InputFormat::edge_list), 0, "a NumPy array", "edgelist");
  // A file that only begins alike is no array, and still no text.
  check_refused(std::string("\x93NUMPX\0\0", 8), as_matrix, 1, "a NUL byte", "text");
}
