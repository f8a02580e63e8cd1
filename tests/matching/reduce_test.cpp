#include "matching/reduce.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/integer.hpp"
#include "core/random.hpp"
#include "matching/small_graphs.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using boost::multiprecision::cpp_rational;
using namespace test;

using Integers = std::vector<std::int64_t>;

std::string to_text(const BipartiteGraph& graph, const Integers& entries) {
  std::ostringstream out;
  out << test::to_text(graph) << " entries";
  for (const std::int64_t entry : entries) out << " " << entry;
  return out.str();
}

// Any ring T; entry(id) by edge id.
template <class T, class EntryOf>
T slow_permanent(const BipartiteGraph& graph, EntryOf&& entry) {
  const auto n = static_cast<int>(graph.num_rows());
  std::vector<T> dense(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), T(0));
  EdgeId id = 0;
  for (const Edge& edge : graph.edges()) dense[edge.row * static_cast<std::size_t>(n) + edge.column] = entry(id++);
  return reference::permanent_by_subsets(dense, n);
}

Integer slow_permanent(const BipartiteGraph& graph, const Integers& entries) {
  return slow_permanent<Integer>(graph, [&](EdgeId id) { return Integer(entries[id]); });
}

template <class T, class Entry, class Convert>
T permanent_of(const Reduced<Entry>& reduced, Convert&& convert) {
  T product(1);
  for (const Entry& factor : reduced.factors) product *= convert(factor);
  for (const Block<Entry>& block : reduced.blocks) {
    product *= slow_permanent<T>(block.pattern, [&](EdgeId id) { return T(convert(block.entries[id])); });
  }
  return product;
}

Integer permanent_of(const Reduced<std::int64_t>& reduced) {
  return permanent_of<Integer>(reduced, [](std::int64_t entry) { return Integer(entry); });
}

cpp_rational rational(DoubleDouble value) { return cpp_rational(value.hi) + cpp_rational(value.lo); }

// All that the header says of blocks, whatever the entries are.
template <class Entry>
void check_blocks(const BipartiteGraph& graph, const Reduced<Entry>& reduced, const ReduceOptions& options) {
  Vertex refused = 0, rows = 0;
  for (const Block<Entry>& block : reduced.blocks) {
    const Vertex size = block.pattern.num_rows();
    REQUIRE(size >= 2);
    REQUIRE(block.pattern.num_columns() == size);
    REQUIRE(block.entries.size() == block.pattern.num_edges());
    REQUIRE(block.pattern.weight_kind() == WeightKind::none);
    rows += size;
    REQUIRE(rows <= graph.num_rows());
    for (Vertex vertex = 0; vertex < size; ++vertex) {
      for (const std::size_t degree : {block.pattern.row(vertex).size(), block.pattern.column(vertex).size()}) {
        if (options.decompose) REQUIRE(degree >= 2);
        refused += degree == 2;
      }
    }
    if (options.decompose) {
      const Matching matching = maximum_matching(block.pattern);
      REQUIRE(matching.is_perfect());
      const auto coarse = coarse_decomposition(block.pattern, matching);
      REQUIRE(fine_decomposition(block.pattern, matching, coarse).num_blocks == 1);
    }
  }
  if (options.degree2) REQUIRE(reduced.counts.refused_merges == refused);
  for (std::size_t i = 1; i < reduced.blocks.size(); ++i) {
    REQUIRE(reduced.blocks[i - 1].pattern.num_rows() >= reduced.blocks[i].pattern.num_rows());
  }
}

// Draws nonzero entries of absolute value at most `bound`.
Integers random_entries(Random& random, EdgeId count, std::int64_t bound) {
  Integers entries(count);
  for (std::int64_t& entry : entries) {
    entry = static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(bound)));
    if (random.below(2) == 0) entry = -entry;
  }
  return entries;
}

// Draws a graph with a perfect matching; the size is at least 1.
BipartiteGraph random_matchable_graph(Random& random, Vertex max_size) {
  const auto size = static_cast<Vertex>(1 + random.below(max_size));
  const auto columns = test::random_permutation<Vertex>(size, random);
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) edges.push_back({row, columns[row]});
  for (std::uint64_t i = random.below(3 * size); i > 0; --i) {
    edges.push_back({static_cast<Vertex>(random.below(size)), static_cast<Vertex>(random.below(size))});
  }
  return BipartiteGraph::from_edges(size, size, edges, {}, Duplicates::one);
}

TEST_CASE("a matrix without small degrees stays as it is") {
  const std::vector<std::int64_t> dense(9, 1);
  const auto graph = BipartiteGraph::from_dense(3, 3, dense);
  const auto reduced = reduce(graph, dense, maximum_matching(graph));
  CHECK(reduced.factors.empty());
  REQUIRE(reduced.blocks.size() == 1);
  CHECK(reduced.blocks[0].pattern.edges() == graph.edges());
  CHECK(reduced.blocks[0].entries == dense);
  CHECK(reduced.counts.fine_blocks == 1);
  CHECK(reduced.counts.useless_edges == 0);
  CHECK(reduced.counts.degree2 == 0);
}

TEST_CASE("a merge by hand: the columns of a row with two entries become one") {
  // Row 0 has 2 and 3; the rest is 3 x 4, full. Merged: columns 2, 3, and 3 * column 0 + 2 * column 1.
  const std::vector<std::int64_t> dense{2, 3, 0, 0, 1, 1, 1, 1, 5, 1, 1, 1, 1, 7, 1, 1};
  const auto graph = BipartiteGraph::from_dense(4, 4, dense);
  Integers entries;
  for (const std::int64_t entry : dense) {
    if (entry != 0) entries.push_back(entry);
  }
  const auto reduced = reduce(graph, entries, maximum_matching(graph));
  REQUIRE(reduced.blocks.size() == 1);
  CHECK(reduced.counts.degree2 == 2);
  CHECK(reduced.blocks[0].pattern.num_rows() == 3);
  CHECK(reduced.blocks[0].entries == Integers{5, 1, 1, 17, 1, 1, 17, 1, 1});
  CHECK(permanent_of(reduced) == slow_permanent(graph, entries));
}

TEST_CASE("the permanent is kept: ones, signed entries that cancel and large ones that do not fit") {
  const std::uint64_t seed = GENERATE(range(0, 900));
  Random random(seed, 12);
  const std::int64_t bounds[] = {0,
                                 1,
                                 2,
                                 6,
                                 1'000'000,
                                 std::int64_t{1} << 31,
                                 (std::int64_t{1} << 62) - 1,
                                 std::numeric_limits<std::int64_t>::max()};
  const std::int64_t most = bounds[seed % 8];
  const BipartiteGraph graph =
      seed % 16 == 0 ? random_small_graph(random, 8, true) : random_matchable_graph(random, 11);
  const Matching matching = maximum_matching(graph);
  if (!matching.is_perfect()) return;
  Integers entries = most == 0 ? Integers(graph.num_edges(), 1) : random_entries(random, graph.num_edges(), most);
  if (seed % 80 == 7) entries[0] = std::numeric_limits<std::int64_t>::min();
  CAPTURE(seed, to_text(graph, entries));
  const ReduceOptions options{seed % 5 != 0, seed % 11 != 0, seed % 13 != 0};
  const auto reduced = reduce(graph, entries, matching, options);
  check_blocks(graph, reduced, options);
  REQUIRE(permanent_of(reduced) == slow_permanent(graph, entries));
  if (most == 0 && options.decompose && options.degree2) REQUIRE(reduced.counts.refused_merges == 0);
  if (!options.degree2) REQUIRE(reduced.counts.degree2 == 0);
}

TEST_CASE("random entries do reach cancellation, refusal, and both with a permanent that is not 0") {
  int zero = 0, refused = 0, cancelled = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, 13);
    const BipartiteGraph graph = random_matchable_graph(random, 11);
    const Integers ones(graph.num_edges(), 1);
    Integers signs = ones;
    for (std::int64_t& sign : signs) sign = random.below(2) == 0 ? 1 : -1;
    const auto of_signs = reduce(graph, signs, maximum_matching(graph));
    const auto of_ones = reduce(graph, ones, maximum_matching(graph));
    const Integer value = slow_permanent(graph, signs);
    INFO("seed " << seed << ", " << to_text(graph, signs));
    REQUIRE(permanent_of(of_signs) == value);
    zero += of_signs.factors == Integers{0};
    cancelled += value != 0 && of_signs.counts.degree1 != of_ones.counts.degree1;
    const auto large = random_entries(random, graph.num_edges(), std::int64_t{1} << 40);
    refused += reduce(graph, large, maximum_matching(graph)).counts.refused_merges > 0;
  }
  CHECK(zero > 10);
  CHECK(cancelled > 10);
  CHECK(refused > 10);
}

using ComplexRational = test::Gaussian<cpp_rational>;
ComplexRational complex_rational(const ComplexDoubleDouble& value) { return {rational(value.re), rational(value.im)}; }

ComplexRational exactly(const RealEntry& entry) { return rational(entry.value); }
ComplexRational exactly(const ComplexEntry& entry) { return complex_rational(entry.value); }

// Checks what is left against the permanent and that of the magnitudes, which are kept but for `slack`.
template <class Entry>
void check_bounds(const Reduced<Entry>& reduced, const ComplexRational& truth, const cpp_rational& magnitudes,
                  double slack) {
  const auto value = permanent_of<ComplexRational>(reduced, [](const Entry& entry) { return exactly(entry); });
  const auto bound = permanent_of<cpp_rational>(reduced, [](const Entry& e) { return cpp_rational(e.magnitude); });
  REQUIRE(bound >= magnitudes);
  REQUIRE(bound <= magnitudes * cpp_rational(1 + slack));
  const cpp_rational re = value.re - truth.re, im = value.im - truth.im;
  const cpp_rational allowed = bound * cpp_rational(0x1p-99) * cpp_rational(reduced.counts.degree2);
  REQUIRE(re * re + im * im <= allowed * allowed);
}

template <class Entry>
void check_reduction(const BipartiteGraph& graph, const std::vector<Entry>& entries, const ReduceOptions& options) {
  const auto reduced = reduce(graph, entries, maximum_matching(graph), options);
  check_blocks(graph, reduced, options);
  check_bounds(reduced, slow_permanent<ComplexRational>(graph, [&](EdgeId id) { return exactly(entries[id]); }),
               slow_permanent<cpp_rational>(graph, [&](EdgeId id) { return cpp_rational(entries[id].magnitude); }),
               0x1p-40);
  for (const auto& block : reduced.blocks) {
    for (const Entry& entry : block.entries) {
      const ComplexRational value = exactly(entry);
      const cpp_rational most = cpp_rational(entry.magnitude) * cpp_rational(1 + 0x1p-50);
      REQUIRE(value.re * value.re + value.im * value.im <= most * most);
    }
  }
}

TEST_CASE("the permanent and that of the magnitudes are kept to the stated bound") {
  const std::uint64_t seed = GENERATE(range(0, 200));
  Random random(seed, 14);
  const BipartiteGraph graph = random_matchable_graph(random, seed % 2 == 0 ? 9 : 8);
  std::vector<RealEntry> reals;
  std::vector<ComplexEntry> numbers;
  std::ostringstream values;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    double value = std::ldexp(random.uniform() + 0.5, static_cast<int>(random.below(seed % 3 == 0 ? 1 : 100)));
    if (seed % 4 == 0 && random.below(2) == 0) value = -value;
    if (seed % 5 == 0) value = std::copysign(1.0, value);
    const DoubleDouble precise(value, seed % 5 == 0 ? 0 : value * 0x1p-60);
    reals.push_back({precise, magnitude(precise)});
    const ComplexDoubleDouble number(DoubleDouble(random.uniform() - 0.5), DoubleDouble(random.uniform() - 0.5));
    numbers.push_back({number, magnitude(number) * (1 + 0x1p-51)});
    values << " " << value << " or (" << number.re.hi << "," << number.im.hi << ")";
  }
  CAPTURE(seed, test::to_text(graph), values.str());
  if (seed % 2 == 0) {
    check_reduction(graph, reals, {seed % 8 != 0, true, true});
  } else {
    check_reduction(graph, numbers, {});
  }
}

TEST_CASE("hubs are merged within the stated bound too, by division") {
  // A theta graph: row 0 and column 0 joined by paths. One path is in use with its two ends, the others in their
  // middles; the truth is a recurrence over the paths in rationals.
  const Vertex paths = 100;
  const std::uint64_t seed = GENERATE(range(0, 5));
  Random random(seed, 16);
  std::vector<Edge> edges;
  for (Vertex i = 1; i <= paths; ++i) {
    edges.push_back({0, i});
    edges.push_back({i, i});
    edges.push_back({i, 0});
  }
  const auto graph = graph_of(paths + 1, paths + 1, edges);
  std::vector<RealEntry> entries(graph.num_edges());
  std::vector<ComplexEntry> complex_entries(graph.num_edges());
  for (EdgeId id = 0; id < entries.size(); ++id) {
    const double value = (random.uniform() + 0.5) * (random.below(2) == 0 ? 1 : -1);
    entries[id] = {value, std::fabs(value)};
    const ComplexDoubleDouble z(DoubleDouble(random.uniform() - 0.5), DoubleDouble(random.uniform() - 0.5));
    complex_entries[id] = {z, magnitude(z) * (1 + 0x1p-51)};
  }
  CAPTURE(seed);
  const auto theta = [&]<class T>(T one, auto&& entry) {
    T in_use = one, unused = one;  // over the paths so far: one of them in use, none
    for (Vertex i = 1; i <= paths; ++i) {
      const T middle = entry(graph.row_begin(i) + 1);
      T next = entry(i - 1) * entry(graph.row_begin(i)) * unused;
      if (i > 1) next += in_use * middle;
      in_use = next;
      unused = unused * middle;
    }
    return in_use;
  };
  const auto check = [&](const auto& of) {
    const auto reduced = reduce(graph, of, maximum_matching(graph));
    REQUIRE(reduced.blocks.empty());
    REQUIRE(reduced.factors.size() > 20);  // divided out
    check_bounds(reduced, theta(ComplexRational(1), [&](EdgeId id) { return exactly(of[id]); }),
                 theta(cpp_rational(1), [&](EdgeId id) { return cpp_rational(of[id].magnitude); }), 0x1p-25);
  };
  check(entries);
  check(complex_entries);
}

TEST_CASE("real entries that cancel stay, with their magnitudes") {
  const std::vector<double> dense{1, 1, 1, -1};
  const auto graph = BipartiteGraph::from_dense(2, 2, dense);
  std::vector<RealEntry> entries;
  for (const double value : dense) entries.push_back({value, 1});
  const auto reduced = reduce(graph, entries, maximum_matching(graph));
  REQUIRE(reduced.factors.size() == 1);
  CHECK(reduced.factors[0].value == DoubleDouble(0));
  CHECK(reduced.factors[0].magnitude >= 2);
  CHECK(reduced.factors[0].magnitude < 2.0000001);
}

TEST_CASE("magnitudes out of range refuse a merge") {
  const auto graph = path_graph(3, true);
  for (const double scale : {0x1p400, 0x1p-400}) {
    const std::vector<RealEntry> entries(graph.num_edges(), {scale, scale});
    const auto reduced = reduce(graph, entries, maximum_matching(graph));
    REQUIRE(reduced.blocks.size() == 1);
    CHECK(reduced.blocks[0].pattern.num_rows() == 3);
    CHECK(reduced.counts.refused_merges == 6);
  }
}

TEST_CASE("integers merge up to 2^62 and not beyond") {
  // [[a, b], [1, 1]] has permanent a + b.
  const auto graph = BipartiteGraph::from_dense(2, 2, std::vector<std::int64_t>(4, 1));
  const std::int64_t half = std::int64_t{1} << 61;
  const auto fits = reduce(graph, Integers{half, half, 1, 1}, maximum_matching(graph));
  CHECK(fits.factors == Integers{half, 2});  // taken out first, it leaves ones
  const auto odd = reduce(graph, Integers{half + 1, half, 1, 1}, maximum_matching(graph));
  CHECK(permanent_of(odd) == Integer(half) * 2 + 1);
}

TEST_CASE("a cycle has permanent 2, at word boundaries") {
  const Vertex size = GENERATE(as<Vertex>{}, 3, 31, 32, 33, 63, 64, 65, 1000);
  const auto graph = path_graph(size, true);
  const auto reduced = reduce(graph, Integers(graph.num_edges(), 1), maximum_matching(graph));
  CHECK(reduced.factors == Integers{2});
  CHECK(reduced.blocks.empty());
  CHECK(reduced.counts.degree2 + reduced.counts.degree1 == 2 * size);
}

TEST_CASE("long paths, cycles, ladders and parallel paths reduce in near linear time") {
  SECTION("a path of 200000 rows falls apart into forced edges") {
    const auto graph = path_graph(200'000);
    const auto reduced = reduce(graph, Integers(graph.num_edges(), 1), maximum_matching(graph));
    CHECK(reduced.factors.empty());
    CHECK(reduced.blocks.empty());
    CHECK(reduced.counts.degree1 == 400'000);
  }
  SECTION("the same by degrees alone") {
    const auto graph = path_graph(200'000);
    const auto reduced = reduce(graph, Integers(graph.num_edges(), 1), maximum_matching(graph), {false, true, true});
    CHECK(reduced.factors.empty());
    CHECK(reduced.blocks.empty());
  }
  SECTION("a cycle with a sign has permanent 0, without one 2") {
    const auto graph = path_graph(100'000, true);
    Integers entries(graph.num_edges(), 1);
    CHECK(reduce(graph, entries, maximum_matching(graph)).factors == Integers{2});
    entries[17] = -1;
    CHECK(reduce(graph, entries, maximum_matching(graph)).factors == Integers{0});
  }
  SECTION("a theta graph: two vertices joined by many paths of length 3") {
    // Row 0 - column 1 + i - row 1 + i - column 0: a perfect matching picks the path on which neither end is inside.
    const Vertex paths = 100'000;
    std::vector<Edge> edges;
    for (Vertex i = 1; i <= paths; ++i) {
      edges.push_back({0, i});
      edges.push_back({i, i});
      edges.push_back({i, 0});
    }
    const auto graph = graph_of(paths + 1, paths + 1, edges);
    const auto reduced = reduce(graph, Integers(graph.num_edges(), 1), maximum_matching(graph));
    CHECK(reduced.factors == Integers{paths});
    CHECK(reduced.blocks.empty());
    const auto real = reduce(graph, std::vector<RealEntry>(graph.num_edges(), {1.0, 1}), maximum_matching(graph));
    REQUIRE(real.factors.size() == 1);
    CHECK(real.factors[0].value == DoubleDouble(paths));
    const std::vector<RealEntry> weighted(graph.num_edges(), {1.5, 1.5});
    const auto scaled = reduce(graph, weighted, maximum_matching(graph));
    CHECK(scaled.blocks.empty());
    // paths * 1.5^(paths + 1), by logarithms.
    double log2 = 0;
    for (const RealEntry& factor : scaled.factors) log2 += std::log2(factor.value.hi);
    CHECK(std::fabs(log2 - (std::log2(paths) + (paths + 1) * std::log2(1.5))) < 1e-6);
  }
  SECTION("a wheel of degree-2 vertices around one hub") {
    // A cycle of rows and columns in which every third row has an edge to the hub column as well.
    const Vertex size = 60'000;
    std::vector<Edge> edges = path_graph(size, true).edges();
    for (Vertex row = 0; row < size; row += 3) edges.push_back({row, size});
    edges.push_back({size, size});
    edges.push_back({size, 0});
    const auto graph = graph_of(size + 1, size + 1, edges);
    const auto reduced = reduce(graph, Integers(graph.num_edges(), 1), maximum_matching(graph));
    CHECK(reduced.blocks.empty());
  }
}

TEST_CASE("counts and names tell what was done") {
  // A triangular part with a 3 x 3 full block in it.
  const auto graph = graph_of(
      5, 5, {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {4, 2}, {4, 4}});
  Integers entries(graph.num_edges(), 1);
  entries[0] = 5;
  entries.back() = 7;
  const auto reduced = reduce(graph, entries, maximum_matching(graph));
  CHECK(reduced.counts.useless_edges == 2);
  CHECK(reduced.counts.fine_blocks == 3);
  CHECK(reduced.counts.degree1 == 4);
  CHECK(reduced.counts.degree2 == 0);
  CHECK(reduced.counts.refused_merges == 0);
  CHECK(std::multiset<std::int64_t>(reduced.factors.begin(), reduced.factors.end()) ==
        std::multiset<std::int64_t>{5, 7});
  REQUIRE(reduced.blocks.size() == 1);
  CHECK(reduced.blocks[0].pattern.num_rows() == 3);
}

TEST_CASE("arguments that do not fit the graph are refused") {
  const auto graph = graph_of(2, 2, {{0, 0}, {1, 1}});
  const Matching matching = maximum_matching(graph);
  CHECK_THROWS_AS(reduce(graph, Integers{1}, matching), InputError);
  const auto deficient = graph_of(2, 2, {{0, 0}, {1, 0}});
  CHECK_THROWS_AS(reduce(deficient, Integers{1, 1}, maximum_matching(deficient)), InputError);
  CHECK_THROWS_AS(reduce(graph, Integers{1, 1}, maximum_matching(graph_of(1, 1, {{0, 0}}))), InputError);
}

}  // namespace
}  // namespace matchcount
