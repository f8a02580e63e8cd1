// xz, zstd, bzip2, and archives of several files: sparse matrices of SciPy, arrays of numpy.

#include "core/run.hpp"
#include "graph/binary_spellings.hpp"
#include "graph/formats.hpp"
#include "graph/readers/text.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;
using matchcount::test::misreading::stored_archive;

namespace {

// The matrix of tests/graph/files: 0 2 0 0, 5 0 0 1, 0 0 7 0.
const std::vector<Edge> places = {{0, 1}, {1, 0}, {1, 3}, {2, 2}};

InputOptions member(const std::string& name) {
  InputOptions options = usual(matrix);
  options.member = name;
  return options;
}

}  // namespace

TEST_CASE("xz, zstd and bzip2 are read as what they hold, and damaged or cut ones refused") {
  for (const char* name : {"edges.xz", "edges.zst", "edges.bz2"}) {
    CAPTURE(name);
    const std::string packed = file(name);
    if (!readers::unpacks()) {
      CHECK_THROWS_AS(read_usual(packed), Unable);
      continue;
    }
    CHECK(named_edges(read_usual(packed)) == NamedEdges{{"a", "x"}, {"b", "y"}});
    // Behind the name of a format.
    CHECK_THROWS_AS(read_input_text(packed, std::string("graph.tgf") + (name + 5), usual()), InputError);
    for (std::size_t length = 12; length + 4 < packed.size(); length += 3)
      CHECK_THROWS_AS(read_usual(packed.substr(0, length)), InputError);
    // Two streams one behind the other are both read, and a second one that is cut is refused.
    check_refused(packed + packed, usual(), 3, "a x again", "");
    for (std::size_t length = 1; length < packed.size(); ++length)
      CHECK_THROWS_AS(read_usual(packed + packed.substr(0, length)), InputError);
    CHECK_THROWS_AS(read_usual(packed + "behind the end"), InputError);
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
    CHECK_THROWS_AS(read_usual(damaged), InputError);
  }
}

TEST_CASE("what decompresses beyond the memory limit is refused") {
  if (!readers::unpacks()) MATCHCOUNT_SKIP("libarchive is not installed");
  const RunOptions options{.memory_limit_bytes = 1'000'000};
  CHECK_THROWS_AS(read_input_text(file("bomb.bz2"), "test", usual(), RunContext(options)), Unable);
}

TEST_CASE("sparse matrices of SciPy are read exactly, by rows, by columns and by entries") {
  for (const char* name : {"csr.npz", "coo.npz"}) {
    const Input input = read_input_text(file(name), name, usual(matrix));
    CAPTURE(name);
    CHECK(input.format == InputFormat::npz);
    CHECK((input.graph.num_rows() == 3 && input.graph.num_columns() == 4));
    CHECK(input.graph.edges() == places);
    CHECK(std::get<Integers>(input.graph.weights()) == Integers{2, 5, 1, 7});
  }
  const Input real = read_input_text(file("csc-real.npz"), "test", usual(matrix));
  CHECK(std::get<Reals>(real.graph.weights()) == Reals{0.5, 1.25, 0.25, 1.75});
  const Input pattern = read_input_text(file("csr-bool.npz"), "test", usual(matrix));
  CHECK((pattern.graph.edges() == places && pattern.weight_kind() == WeightKind::none));
  check_refused(file("dia.npz"), usual(matrix), 0, "'dia'", "csr, csc or coo");
}

TEST_CASE("an archive of several files is refused with their names, and one that is asked for is read") {
  check_refused(file("arrays.npz"), usual(matrix), 0, "an archive of 2 files: 'a.npy', 'b.npy'", "--member");
  CHECK(read_input_text(file("arrays.npz"), "test", member("a")).graph.edges() == places);
  CHECK(read_input_text(file("arrays.npz"), "test", member("b.npy")).graph.num_rows() == 4);
  check_refused(file("arrays.npz"), member("c"), 0, "no single file 'c'", "--member");
  CHECK_THROWS_AS(read_input_text("a b\n", "test", member("a")), InputError);
  const std::string inner = stored_archive({{"x", "a b\n"}, {"y", "c d\n"}});
  check_refused(stored_archive({{"i", inner}, {"j", ""}}), member("i"), 0, "an archive within an archive", "");
  InputOptions edges = member("y");
  edges.usual_kind = bipartite;
  CHECK(named_edges(read_input_text(inner, "test", edges)) == NamedEdges{{"c", "d"}});
  check_refused(stored_archive({{"x", "a b\n"}, {"x", "c d\n"}}), member("x"), 0, "no single file", "");
}

TEST_CASE("sparse matrices that do not fit together are refused") {
  const auto array = [](const char* type, const std::string& shape, const std::string& content) {
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + content;
  };
  const auto with = [&](const std::string& shape, const std::string& starts, const std::string& indices,
                        const std::string& data) {
    const auto count = [](const std::string& bytes) { return std::to_string(bytes.size()) + ","; };
    return stored_archive({{"format.npy", array("|S3", "", "csr")},
                           {"shape.npy", array("|i1", count(shape), shape)},
                           {"indptr.npy", array("|i1", count(starts), starts)},
                           {"indices.npy", array("|i1", count(indices), indices)},
                           {"data.npy", array("|i1", count(data), data)}});
  };
  CHECK(read_input_text(with("\2\2", std::string("\0\1\2", 3), std::string("\0\1", 2), "\3\4"), "test", usual(matrix))
            .num_edges() == 2);
  check_refused(with("\2\2\2", std::string("\0\1\2", 3), std::string("\0\1", 2), "\3\4"), usual(matrix), 0, "shape",
                "");
  check_refused(with("\2\2", std::string("\0\1", 2), std::string("\0\1", 2), "\3\4"), usual(matrix), 0, "'indptr'", "");
  check_refused(with("\2\2", std::string("\0\2\1", 3), std::string("\0\1", 2), "\3\4"), usual(matrix), 0, "'indptr'",
                "");
  check_refused(with("\2\2", std::string("\0\1\2", 3), std::string("\0\2", 2), "\3\4"), usual(matrix), 0,
                "an entry in row 1, column 2", "2 x 2");
  check_refused(with("\2\2", std::string("\0\1\2", 3), std::string("\0", 1), "\3\4"), usual(matrix), 0, "'indptr'", "");
  check_refused(with("\2\2", std::string("\0\1\2", 3), std::string("\0\1", 2), "\3"), usual(matrix), 0, "1 values", "");
  check_refused(stored_archive({{"format.npy", array("|S3", "", "csr")}, {"shape.npy", array("|i1", "2,", "\2\2")}}),
                usual(matrix), 0, "without one array 'data'", "");
}

TEST_CASE("matrices of MATLAB are read exactly: full, sparse, logical, complex, of 64-bit integers, compressed") {
  const auto read_mat = [](const char* name) { return read_input_text(file(name), name, usual(matrix)); };
  for (const char* name : {"full-v7.mat", "sparse-v7.mat"}) {
    CAPTURE(name);
    CHECK(read_mat(name).graph.edges() == places);
    CHECK(std::get<Integers>(read_mat(name).graph.weights()) == Integers{2, 5, 1, 7});
  }
  CHECK(std::get<Reals>(read_mat("full-v6.mat").graph.weights()) == Reals{0.5, 1.25, 0.25, 1.75});
  CHECK(read_mat("logical.mat").weight_kind() == WeightKind::none);
  CHECK(std::get<Complexes>(read_mat("complex.mat").graph.weights())[0] == ComplexDoubleDouble(2, 4));
  constexpr std::int64_t unit = std::int64_t{1} << 57;
  CHECK(std::get<Integers>(read_mat("int64.mat").graph.weights()) == Integers{2 * unit, 5 * unit, unit, 7 * unit});
  check_refused(file("two.mat"), usual(matrix), 0, "2 numeric variables: 'A', 'B'", "--member");
  CHECK(read_input_text(file("two.mat"), "test", member("B")).graph.num_rows() == 4);
  check_refused(file("two.mat"), member("C"), 0, "not one variable 'C' among 2", "--member");
  for (const char* name : {"full-v6.mat", "sparse-v7.mat"}) {
    const std::string whole = file(name);
    for (std::size_t length = 20; length < whole.size(); ++length)
      CHECK_THROWS_AS(read_input_text(whole.substr(0, length), "test", usual(matrix)), InputError);
  }
}

TEST_CASE("MATLAB: fields of structs, logical sparse matrices, and what stands beside a matrix") {
  const auto read_mat = [](const char* name, const std::string& asked = "") {
    return read_input_text(file(name), name, member(asked));
  };
  CHECK(dense<std::int64_t>(read_mat("struct.mat")) == Integers{2, 5, 1, 7});
  CHECK(dense<std::int64_t>(read_mat("struct.mat", "Problem.A")) == Integers{2, 5, 1, 7});
  CHECK(read_mat("struct.mat", "Problem.A").notes.empty());
  CHECK(dense<std::int64_t>(read_mat("struct.mat", "Problem.id")) == Integers{5});
  check_refused(file("struct.mat"), member("Problem.B"), 0, "not one variable 'Problem.B'", "--member");
  CHECK((read_mat("logical-sparse.mat").weight_kind() == WeightKind::none &&
         read_mat("logical-sparse.mat").num_edges() == 6));
  // A text, cells, a number, an array of three dimensions and a table, with the workspace that holds it.
  const Input mixed = read_mat("mixed.mat");
  CHECK(dense<std::int64_t>(mixed) == Integers{2, 5, 1, 7});
  REQUIRE(mixed.notes.size() == 1);
  CHECK_THAT(mixed.notes[0], ContainsSubstring("beside 'A' passed over: 's' (text), 'c' (cells or structs), 'three' "
                                               "(an array of more dimensions), 'T' (an object), 'n' (a number"));
}

TEST_CASE("of a tar archive the only file that can be a graph is read, or the one that is asked for") {
  if (!readers::unpacks()) {
    CHECK_THROWS_AS(read_usual(file("two.tar")), Unable);
    return;
  }
  const Input one = read_usual(file("one.tar.gz"));
  CHECK((one.format == InputFormat::tgf && one.graph.num_edges() == 4));
  REQUIRE(one.notes.size() == 1);
  CHECK_THAT(one.notes[0], ContainsSubstring("read is 'g/square.tgf' alone of 3 files"));
  check_refused(file("two.tar"), usual(), 0, "an archive of 2 files: 'a.tgf', 'b.tgf'", "--member");
  InputOptions options = usual();
  options.member = "b.tgf";
  CHECK(read_input_text(file("two.tar"), "test", options).graph.num_edges() == 1);
  options.member = "c.tgf";
  check_refused(file("two.tar"), options, 0, "no single file 'c.tgf'", "--member");
  options.member = "g/README.md";
  CHECK(named_edges(read_input_text(file("one.tar.gz"), "test", options)) == NamedEdges{{"a", "square"}});
  CHECK_THROWS_AS(read_usual(file("two.tar").substr(0, 700)), InputError);
}

TEST_CASE("a spreadsheet is refused by its name, and a graph beside a file about it is read") {
  check_refused(stored_archive({{"xl/workbook.xml", "<a/>"}, {"[Content_Types].xml", "<b/>"}}), usual(), 0,
                "a spreadsheet", "CSV");
  CHECK(read_usual(stored_archive({{"README.txt", "x"}, {"g.tgf", "1\n2\n#\n1 2\n"}})).format == InputFormat::tgf);
}

TEST_CASE("names that begin as packed data do are names") {
  check_refused("BZh", usual(), 1, "no edge, only names", "");
  CHECK(read_usual("BZh BZ\n").graph.num_edges() == 1);
}
