#include "graph/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "core/numbers/integer.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/packed.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

TEST_CASE("the two columns of an edge list name two sides") {
  const Input input = read("a x\nb x\nb a\n");
  CHECK(input.format == InputFormat::edge_list);
  CHECK(input.kind == InputKind::bipartite);
  CHECK(row_names(input) == NameList{"a", "b"});
  CHECK(column_names(input) == NameList{"x", "a"});
  CHECK(named_edges(input) == NamedEdges{{"a", "x"}, {"b", "x"}, {"b", "a"}});
  CHECK(input.graph.weight_kind() == WeightKind::none);
  CHECK_FALSE(input.weights_are_multiplicities);
}

TEST_CASE("blanks, tabs, one comma, comments, empty lines, CRLF and a missing last newline all read the same") {
  const NamedEdges expected{{"a", "1"}, {"b", "2"}};
  for (const std::string text : {"a 1\nb 2\n", "a\t1\nb\t2", "a,1\nb,2\n", "a , 1\r\nb ,\t2\r\n",
                                 "# u v\n\n  a  1  \n% note\n\t\nb 2 # last\n", "a 1 %note\n \r\nb 2",
                                 "\xEF\xBB\xBF"
                                 "a 1\nb 2\n"}) {
    CAPTURE(text);
    CHECK(named_edges(read(text)) == expected);
  }
}

TEST_CASE("names that are integers stand in ascending order, others as they appear") {
  const Input numbers = read("10 7\n9 7\n-3 70\n10 8\n");
  CHECK(row_names(numbers) == NameList{"-3", "9", "10"});
  CHECK(column_names(numbers) == NameList{"7", "8", "70"});

  const Input mixed = read("10 b\n9 b\n9 a\n");
  CHECK(row_names(mixed) == NameList{"9", "10"});
  CHECK(column_names(mixed) == NameList{"b", "a"});

  // 01 is another name than 1, and not how one writes an integer.
  const Input padded = read("2 1\n01 1\n1 1\n");
  CHECK(row_names(padded) == NameList{"2", "01", "1"});
}

TEST_CASE("names 1..n need no labels and the largest numbers keep theirs") {
  const Input counting = read("3 1\n1 1\n2 1\n");
  CHECK(counting.row_labels.empty());
  CHECK(counting.column_labels.empty());
  CHECK(row_names(counting) == NameList{"1", "2", "3"});

  const Input from_zero = read("# format: edgelist\n0 1\n1 0\n0 0\n");
  CHECK(row_names(from_zero) == NameList{"0", "1"});

  const Input far = read("4294967295 1\n4294967296 1\n123456789012345678901234567890 1\n");
  CHECK(row_names(far) == NameList{"4294967295", "4294967296", "123456789012345678901234567890"});
  const Input sparse = read("4294967295 1\n7 1\n4294967294 1\n");
  CHECK(row_names(sparse) == NameList{"7", "4294967294", "4294967295"});
}

TEST_CASE("number names of every density are ranked as a sorted set ranks them") {
  const std::uint64_t seed = GENERATE(range(1, 9));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::uint64_t largest : {63ull, 64ull, 65ull, 1000ull, 100000ull, 4294967295ull}) {
    std::map<std::uint64_t, std::uint64_t> edges;  // every row once
    for (int i = 0; i < 50; ++i) edges[random() % (largest + 1)] = random() % (largest + 1);
    std::string text;
    std::set<std::uint64_t> rows, columns, both;
    for (const auto& [u, v] : edges) {
      text = std::to_string(u) + " " + std::to_string(v) + "\n" + text;
      rows.insert(u);
      columns.insert(v);
      both.insert({u, v});
    }
    CAPTURE(text);
    const auto texts = [](const std::set<std::uint64_t>& numbers) {
      NameList names;
      for (const std::uint64_t number : numbers) names.push_back(std::to_string(number));
      return names;
    };
    NamedEdges expected;
    for (const auto& [u, v] : edges) expected.insert({std::to_string(u), std::to_string(v)});
    const Input sides = read(text);
    CHECK(row_names(sides) == texts(rows));
    CHECK(column_names(sides) == texts(columns));
    CHECK(named_edges(sides) == expected);
    const Input arcs = read(text, InputKind::directed);
    CHECK(row_names(arcs) == texts(both));
    CHECK(named_edges(arcs) == expected);
  }
}

TEST_CASE("thousands of names that are no numbers keep their order and their edges") {
  std::string text;
  NameList expected;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "vertex" + std::to_string((i * 7919) % 5000);
    expected.push_back(name);
    text += name + " " + name + "'\n";
  }
  const Input input = read(text);
  CHECK(row_names(input) == expected);
  for (const Edge& edge : input.graph.edges()) {
    REQUIRE(input.column_label(edge.column) == input.row_label(edge.row) + "'");
  }
}

TEST_CASE("weights are integers while every text is one, and exact double-doubles otherwise") {
  const Input integers = read("a x 9223372036854775807\na y -9223372036854775808\nb x +5\n");
  CHECK(dense<std::int64_t>(integers) ==
        Integers{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 5, 0});
  CHECK_FALSE(integers.weights_are_multiplicities);

  const Input reals = read("a x 9223372036854775807\na y 0.1\nb x 1e3\nb y 123456789012345678901\n");
  const Reals entries = dense<DoubleDouble>(reals);
  CHECK(entries[0] == DoubleDouble(0x1p63, -1));
  CHECK(entries[1].hi == 0.1);
  CHECK(entries[1].lo == -5.551115123125783e-18);  // 1/10 to 107 bits
  CHECK(entries[2] == DoubleDouble(1000));
  CHECK(entries[3] == DoubleDouble(123456789012345683968.0, -5067));
}

TEST_CASE("decimals of any length are read to the last bits of a double-double") {
  constexpr std::uint64_t seed = 20250401;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::string text;
  std::vector<std::string> decimals = {"5.", ".5", "+.25", "-0.0", "0.000000000000001", "99999999999999.9", "-1.5"};
  for (int i = 0; i < 3000; ++i) {
    const std::size_t num_digits = 1 + random() % 20;
    std::string decimal;
    for (std::size_t k = 0; k < num_digits; ++k) decimal += static_cast<char>('0' + random() % 10);
    decimal.insert(random() % (num_digits + 1), ".");
    if (random() % 3 == 0) decimal.insert(0, "-");
    decimals.push_back(decimal);
  }
  for (std::size_t i = 0; i < decimals.size(); ++i) text += "r c" + std::to_string(i) + " " + decimals[i] + "\n";
  const Input input = read(text, InputKind::bipartite, {.keep_zeros = true});
  const auto& values = std::get<Reals>(input.graph.weights());
  REQUIRE(values.size() == decimals.size());
  for (std::size_t i = 0; i < decimals.size(); ++i) {
    // value * 10^k - digits in integers, with value = (hi + lo) as a fraction over a power of two.
    CAPTURE(decimals[i]);
    std::string digits = decimals[i];
    const std::size_t point = digits.find('.');
    const auto decimals_behind = static_cast<unsigned>(digits.size() - 1 - point);
    digits.erase(point, 1);
    const bool negative = digits[0] == '-';
    Integer expected = 0;
    for (const char c : digits) {
      if (c != '-' && c != '+') expected = 10 * expected + (c - '0');
    }
    if (negative) expected = -expected;
    constexpr int shift = 300;  // every bit of hi and lo stands above 2^-300
    const auto scaled = [](double x) {
      int exponent = 0;
      const double fraction = std::frexp(x, &exponent);
      Integer result(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
      REQUIRE(shift + exponent - 53 >= 0);
      return Integer(result << static_cast<unsigned>(shift + exponent - 53));
    };
    const Integer value = scaled(values[i].hi) + scaled(values[i].lo);
    const Integer truth = expected << shift;
    const Integer error = abs(Integer(value * pow(Integer(10), decimals_behind) - truth));
    REQUIRE((error << 102) <= abs(truth));
  }
}

TEST_CASE("edges of weight zero are dropped with their vertices kept, unless they are to be kept") {
  const std::string text = "a x 1\nb y 0\nb x 2\n";
  CHECK(named_edges(read(text)) == NamedEdges{{"a", "x"}, {"b", "x"}});
  CHECK(column_names(read(text)) == NameList{"x", "y"});
  const InputOptions keep{.keep_zeros = true};
  CHECK(named_edges(read(text, InputKind::bipartite, keep)) == NamedEdges{{"a", "x"}, {"b", "x"}, {"b", "y"}});

  const std::string matrix = banner + "coordinate real general\n2 2 3\n1 1 1.5\n1 2 0.0\n2 2 -0\n";
  CHECK(read(matrix).graph.num_edges() == 1);
  CHECK(read(matrix, InputKind::matrix, keep).graph.num_edges() == 3);
}

TEST_CASE("repeated edges are summed or ignored on demand") {
  InputOptions sum, one;
  sum.duplicates = Duplicates::sum;
  one.duplicates = Duplicates::one;
  const std::string plain = "a x\na x\nb x\n";
  const Input counted = read(plain, InputKind::bipartite, sum);
  CHECK(dense<std::int64_t>(counted) == Integers{2, 1});
  CHECK(counted.weights_are_multiplicities);
  CHECK(read(plain, InputKind::bipartite, one).graph.weight_kind() == WeightKind::none);

  const std::string weighted = "a x 3\na x 4\nb x 5\n";
  const Input summed = read(weighted, InputKind::bipartite, sum);
  CHECK(dense<std::int64_t>(summed) == Integers{7, 5});
  CHECK_FALSE(summed.weights_are_multiplicities);
  CHECK(dense<std::int64_t>(read(weighted, InputKind::bipartite, one)) == Integers{3, 5});
  // The edge u v is the edge v u where there is one set of names.
  CHECK(dense<std::int64_t>(read("a b\nb a\n", InputKind::undirected, sum)) == Integers{2});
  CHECK(read("a b\nb a\n", InputKind::directed).graph.num_edges() == 2);
}

TEST_CASE("an undirected graph is coloured with the first vertex of every component a row") {
  const Input input = read("4 1\n1 2\n3 2\n3 4\n8 7\n", InputKind::undirected);
  CHECK(row_names(input) == NameList{"1", "3", "7"});
  CHECK(column_names(input) == NameList{"2", "4", "8"});
  CHECK(named_edges(input) == NamedEdges{{"1", "2"}, {"1", "4"}, {"3", "2"}, {"3", "4"}, {"7", "8"}});

  const Input weighted = read("b a 5\nc b 7\n", InputKind::undirected);
  CHECK(row_names(weighted) == NameList{"b"});
  CHECK(column_names(weighted) == NameList{"a", "c"});
  CHECK(dense<std::int64_t>(weighted) == Integers{5, 7});
}

TEST_CASE("a graph with odd cycles is read where they are asked for, and only there") {
  InputOptions options{.kind = InputKind::undirected};
  const std::string text = "b a 3\na c 0\nb c 5\nc d 7\nd b 1\n";
  CHECK_THROWS_AS(read_input_text(text, "test", options), InputError);
  options.odd_cycles = true;
  const Input input = read_input_text(text, "test", options);
  CHECK_FALSE(input.is_bipartite());
  CHECK(input.graph.num_rows() == 0);
  CHECK(input.row_labels == std::vector<std::string>{"b", "a", "c", "d"});
  CHECK(input.undirected.num_vertices() == 4);
  CHECK(input.undirected.edges() == std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {2, 3}});
  CHECK(input.undirected.weights() == Weights(std::vector<std::int64_t>{3, 5, 1, 7}));
  CHECK(input.odd_cycle.size() == 3);
  CHECK(input.num_edges() == 4);
  CHECK(input.weight_kind() == WeightKind::integer);
  CHECK_FALSE(input.weights_are_multiplicities);
  // Without an odd cycle nothing changes.
  const Input square = read_input_text("1 2\n2 3\n3 4\n4 1\n", "test", options);
  CHECK(square.is_bipartite());
  CHECK(square.undirected.num_vertices() == 0);
  CHECK(square.graph.num_edges() == 4);
  // Parallel edges, either way round.
  options.duplicates = Duplicates::sum;
  const Input parallel = read_input_text("1 2\n2 3\n3 1\n2 1\n", "test", options);
  CHECK(parallel.weights_are_multiplicities);
  CHECK(parallel.undirected.weights() == Weights(std::vector<std::int64_t>{2, 1, 1}));
  CHECK(parallel.row_label(2) == "3");
}

TEST_CASE("an undirected edge of weight zero closes no odd cycle") {
  const std::string text = "1 2 1\n2 3 1\n3 1 0\n4 5 1\n";
  CHECK(named_edges(read(text, InputKind::undirected)) == NamedEdges{{"1", "2"}, {"3", "2"}, {"4", "5"}});
  CHECK_THROWS_AS(read(text, InputKind::undirected, {.keep_zeros = true}), InputError);
}

TEST_CASE("a directed edge list has one set of names, loops and two-cycles") {
  const Input input = read("a b\nb a\na a\nb c\n", InputKind::directed);
  CHECK(input.kind == InputKind::directed);
  CHECK(row_names(input) == NameList{"a", "b", "c"});
  CHECK(column_names(input) == row_names(input));
  CHECK(named_edges(input) == NamedEdges{{"a", "b"}, {"b", "a"}, {"a", "a"}, {"b", "c"}});
}

TEST_CASE("integers in the edge list of a matrix are indices from 1") {
  const InputOptions options{.format = InputFormat::edge_list};
  const Input input = read("1 1 4\n3 1 5\n1 2 -2\n", InputKind::matrix, options);
  CHECK(input.kind == InputKind::matrix);
  CHECK(input.graph.num_rows() == 3);
  CHECK(input.graph.num_columns() == 2);
  CHECK(dense<std::int64_t>(input) == Integers{4, -2, 0, 0, 5, 0});

  const Input named = read("p 7 4\nq 5 5\n", InputKind::matrix, options);
  CHECK(row_names(named) == NameList{"p", "q"});
  CHECK(column_names(named) == NameList{"5", "7"});
  CHECK(dense<std::int64_t>(named) == Integers{0, 4, 5, 0});
}

TEST_CASE("the format is recognised by content first and by extension then") {
  const auto format_of = [](const std::string& text, const std::string& name) {
    return read_input_text(text, name).format;
  };
  CHECK(format_of("1 2\n", "graph.txt") == InputFormat::edge_list);
  CHECK(format_of("1 2\n", "graph") == InputFormat::edge_list);
  CHECK(format_of("2 1\n2\n1\n", "graph.graph") == InputFormat::metis);
  CHECK(format_of("2 1\n2\n1\n", "GRAPH.METIS.GZ") == InputFormat::metis);
  CHECK(format_of("p tw 2 1\n1 2\n", "graph.txt") == InputFormat::dimacs);
  CHECK(format_of(banner + "array real general\n1 1\n1\n", "graph.graph") == InputFormat::matrix_market);
  if (built_with_graphml()) {
    CHECK(format_of(" \n<graphml><graph edgedefault='undirected'/></graphml>", "x.mtx") == InputFormat::graphml);
  }
  CHECK_THROWS_AS(format_of("1 2\n", "graph.mtx"), InputError);
  CHECK_THROWS_AS(format_of("1 2\n", "graph.gr"), InputError);
  if (built_with_graphml()) CHECK_THROWS_AS(format_of("1 2\n", "graph.graphml"), InputError);
}

TEST_CASE("a file, a gzip file, a stream and text give the same graph") {
  const std::string text = "a x 1\nb y 2\n";
  const NamedEdges expected{{"a", "x"}, {"b", "y"}};
  const test::Folder folder;
  const std::string plain = folder.file("plain.txt", text);
  CHECK(named_edges(read_input(plain)) == expected);
  const std::string packed = folder.file("packed.txt.gz", test::gzipped(text));
  CHECK(named_edges(read_input(packed)) == expected);
  // Members may follow one another, and the name says nothing.
  const std::string members = folder.file("members", test::gzipped("a x 1\n") + test::gzipped("b y 2\n"));
  CHECK(named_edges(read_input(members)) == expected);
  std::istringstream stream(text);
  CHECK(named_edges(read_input(stream, "stream")) == expected);
  std::istringstream packed_stream(test::gzipped(text));
  CHECK(named_edges(read_input(packed_stream, "stream")) == expected);
}

TEST_CASE("the file - is standard input") {
  const test::Folder folder;
  const std::string file = folder.file("stdin.txt", "# header: no\na x\nb y\n");
  const int saved = ::dup(STDIN_FILENO);
  REQUIRE(saved >= 0);
  const int opened = ::open(file.c_str(), O_RDONLY);
  REQUIRE(opened >= 0);
  ::dup2(opened, STDIN_FILENO);
  ::close(opened);
  const Input input = read_input("-");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  CHECK(named_edges(input) == NamedEdges{{"a", "x"}, {"b", "y"}});
}

TEST_CASE("a gzip file that grows a thousandfold is read whole") {
  std::string text = "# ";
  text.append(3'000'000, 'x');
  text += "\na x\n";
  const test::Folder folder;
  const std::string packed = folder.file("long.gz", test::gzipped(text));
  REQUIRE(std::filesystem::file_size(packed) < 10'000);
  CHECK(named_edges(read_input(packed)) == NamedEdges{{"a", "x"}});
}

TEST_CASE("a path of a hundred thousand vertices is coloured without recursion") {
  std::string text;
  for (int i = 1; i < 100'000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const Input input = read(text, InputKind::undirected);
  CHECK(input.graph.num_rows() == 50'000);
  CHECK(input.graph.num_columns() == 50'000);
  CHECK(input.row_label(1) == "3");
}

TEST_CASE("with fractions asked for, one fraction makes every value exact") {
  InputOptions options{.kind = InputKind::matrix, .fractions = true};
  const Input input =
      read_input_text("# format: edgelist\n1 1 0.50\n1 2 -1/3\n2 1 0/7\n2 2 2/4\n3 3 1e2\n", "test", options);
  const auto& places = std::get<std::vector<std::int64_t>>(input.graph.weights());
  // The zero is no edge.
  REQUIRE(places.size() == 4);
  const auto value = [&](std::size_t i) { return input.fractions[static_cast<std::size_t>(places[i])]; };
  CHECK(value(0) == Rational(1, 2));
  CHECK(value(1) == Rational(-1, 3));
  CHECK(value(2) == Rational(1, 2));
  CHECK(places[2] == places[0]);
  CHECK(value(3) == 100);
  CHECK(input.fractions[0] == 0);
  // Without one, values are read as ever.
  const Input reals = read_input_text("# format: edgelist\n1 1 0.5\n2 2 3\n", "test", options);
  CHECK(reals.fractions.empty());
  CHECK(reals.graph.weight_kind() == WeightKind::real);
  options.fractions = false;
  CHECK_THROWS_AS(read_input_text("# format: edgelist\n1 1 1/2\n", "test", options), InputError);
}

TEST_CASE("with fractions asked for, integers may have any size, and are integers still") {
  InputOptions options{.kind = InputKind::matrix, .fractions = true};
  const std::string huge = "123456789012345678901234567890", banner = "%%MatrixMarket matrix coordinate ";
  const std::string edges = "# format: edgelist\n";
  const auto first = [&](const std::string& text) {
    const Input input = read_input_text(text, "test", options);
    REQUIRE(!input.fractions.empty());
    return input.fractions[static_cast<std::size_t>(std::get<std::vector<std::int64_t>>(input.graph.weights())[0])];
  };
  CHECK(first(edges + "1 1 " + huge + "\n2 2 1\n") == Rational(Integer(huge)));
  CHECK(first(edges + "1 1 1\n2 2 -9223372036854775809\n") == 1);
  CHECK(first(edges + "1 1 1" + std::string(5000, '0') + "\n") == pow(Integer(10), 5000));
  CHECK(first(banner + "integer general\n1 1 1\n1 1 -" + huge + "\n") == Rational(-Integer(huge)));
  CHECK(first(banner + "integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n") == Rational(Integer(1) << 63));
  // Beside a decimal number it is a real, as ever; in a file that says integer nothing else is let in.
  CHECK(read_input_text(edges + "1 1 " + huge + "\n2 2 0.5\n", "test", options).graph.weight_kind() ==
        WeightKind::real);
  for (const char* other : {"1/2", "0.5", "1e3"}) {
    CHECK_THROWS_AS(
        read_input_text(banner + "integer general\n2 2 2\n1 1 " + huge + "\n2 2 " + other + "\n", "test", options),
        InputError);
  }
  options.duplicates = Duplicates::sum;
  CHECK_THROWS_AS(read_input_text("1 1 " + huge + "\n1 1 1\n", "test", options), InputError);
  options.duplicates = Duplicates::refuse;
  options.fractions = false;
  CHECK_THROWS_AS(read_input_text("1 1 " + huge + "\n", "test", options), InputError);
  CHECK_THROWS_AS(read_input_text(banner + "integer general\n1 1 1\n1 1 " + huge + "\n", "test", options), InputError);
}
