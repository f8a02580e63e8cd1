#include "graph/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

namespace matchcount {
namespace {

namespace fs = std::filesystem;

using Ints = std::vector<std::int64_t>;
using Reals = std::vector<DoubleDouble>;
using Complexes = std::vector<ComplexDoubleDouble>;

constexpr InputFormat all_formats[] = {InputFormat::edge_list, InputFormat::dense, InputFormat::matrix_market,
                                       InputFormat::dimacs,    InputFormat::metis, InputFormat::graphml};
constexpr InputKind all_kinds[] = {InputKind::bipartite, InputKind::undirected, InputKind::directed, InputKind::matrix};

std::string written(const BipartiteGraph& graph, InputFormat format, InputKind kind) {
  std::ostringstream stream;
  write_graph(stream, graph, format, kind);
  return stream.str();
}

// Returns those formats that this build reads.
std::vector<InputFormat> readable(std::vector<InputFormat> formats) {
  if (!built_with_graphml()) std::erase(formats, InputFormat::graphml);
  return formats;
}

BipartiteGraph read_back(const std::string& text, InputFormat format, InputKind kind) {
  const InputOptions options{.kind = kind, .format = format, .keep_zeros = format != InputFormat::dense};
  return read_input_text(text, "written", options).graph;
}

bool equal(const BipartiteGraph& a, const BipartiteGraph& b) {
  return a.num_rows() == b.num_rows() && a.num_columns() == b.num_columns() && a.edges() == b.edges() &&
         a.weights() == b.weights();
}

// Draws a double-double of any kind that there is: short decimals, integers, doubles, full ones, and extreme ones.
DoubleDouble random_value(Random& random) {
  const double sign = random.below(2) == 0 ? 1 : -1;
  const double a = random.uniform() + 0x1p-60;
  switch (random.below(8)) {
    case 0:
      return {static_cast<double>(random.below(100)) * sign};
    case 1:  // what reading three decimals gives
      return DoubleDouble(static_cast<double>(random.below(100000)) * sign) / DoubleDouble(1000);
    case 2:
      return {a * sign};
    case 3:
      return fast_two_sum(a * sign, a * 0x1p-54 * random.uniform());
    case 4:
      return fast_two_sum(sign, std::ldexp(a, -static_cast<int>(random.below(140)) - 60));
    case 5:
      return {std::ldexp(a, static_cast<int>(random.below(2000)) - 1000) * sign};
    case 6:
      return {std::numeric_limits<double>::min() * sign * (1 + a)};
    default:
      return {std::numeric_limits<double>::max() * sign};
  }
}

// Every row and column has an edge where `full`; weights of this kind, any value.
BipartiteGraph random_instance(std::uint64_t seed, bool full, WeightKind kind) {
  Random random(seed);
  const auto num_rows = static_cast<Vertex>(1 + random.below(12));
  const auto num_columns = static_cast<Vertex>(random.below(2) == 0 ? num_rows : 1 + random.below(12));
  std::vector<Edge> edges = random_graph(num_rows, num_columns, 0.3, seed).edges();
  if (full) {
    for (Vertex i = 0; i < std::max(num_rows, num_columns); ++i) {
      edges.push_back({std::min(i, num_rows - 1), std::min(i, num_columns - 1)});
    }
  }
  const BipartiteGraph pattern = BipartiteGraph::from_edges(num_rows, num_columns, edges, {}, Duplicates::one);
  const auto size = static_cast<std::size_t>(pattern.num_edges());
  if (kind == WeightKind::none || size == 0) return pattern;
  if (kind == WeightKind::integer) {
    Ints weights(size);
    for (std::int64_t& weight : weights) {
      weight = random.below(4) == 0 ? static_cast<std::int64_t>(random()) : static_cast<std::int64_t>(random.below(9));
    }
    weights[0] = std::numeric_limits<std::int64_t>::min();
    return pattern.with_weights(weights);
  }
  if (kind == WeightKind::real) {
    Reals weights(size);
    for (DoubleDouble& weight : weights) weight = random_value(random);
    return pattern.with_weights(weights);
  }
  Complexes weights(size);
  for (ComplexDoubleDouble& weight : weights) weight = {random_value(random), random_value(random)};
  return pattern.with_weights(weights);
}

// Zeros of dense text are no edges, and where all others are the integer 1 they are no weights.
BipartiteGraph as_dense_text_has_it(const BipartiteGraph& graph) {
  BipartiteGraph kept = graph.drop_zeros();
  const Ints* const integers = std::get_if<Ints>(&kept.weights());
  const bool ones = integers != nullptr && std::ranges::all_of(*integers, [](auto weight) { return weight == 1; });
  return ones || kept.num_edges() == 0 ? kept.pattern() : kept;
}

TEST_CASE("each format's text of a small graph is as its users know it") {
  const BipartiteGraph graph = BipartiteGraph::from_edges(2, 2, {{0, 0}, {0, 1}, {1, 0}}, Ints{3, 5, 7});
  const BipartiteGraph pattern = graph.pattern();
  CHECK(written(graph, InputFormat::edge_list, InputKind::bipartite) ==
        "# kind: bipartite\n# format: edgelist\n1 1 3\n1 2 5\n2 1 7\n");
  CHECK(written(graph, InputFormat::edge_list, InputKind::matrix) ==
        "# kind: matrix\n# format: edgelist\n1 1 3\n1 2 5\n2 1 7\n");
  CHECK(written(graph, InputFormat::dense, InputKind::matrix) == "# kind: matrix\n# format: dense\n3 5\n7 0\n");
  CHECK(written(pattern, InputFormat::dense, InputKind::undirected) ==
        "# kind: undirected\n# format: dense\n0 0 1 1\n0 0 1 0\n1 1 0 0\n1 0 0 0\n");
  CHECK(written(pattern, InputFormat::edge_list, InputKind::undirected) ==
        "# kind: undirected\n# format: edgelist\n1 3\n1 4\n2 3\n");
  CHECK(written(graph, InputFormat::matrix_market, InputKind::matrix) ==
        "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 3\n1 2 5\n2 1 7\n");
  CHECK(written(pattern, InputFormat::matrix_market, InputKind::undirected) ==
        "%%MatrixMarket matrix coordinate pattern symmetric\n% kind: undirected\n4 4 3\n3 1\n4 1\n3 2\n");
  CHECK(written(pattern, InputFormat::dimacs, InputKind::bipartite) == "p tw 4 3\n1 3\n1 4\n2 3\n");
  CHECK(written(graph, InputFormat::dimacs, InputKind::directed) == "p sp 2 3\na 1 1 3\na 1 2 5\na 2 1 7\n");
  CHECK(written(pattern, InputFormat::metis, InputKind::bipartite) ==
        "% kind: undirected\n% format: metis\n4 3\n3 4\n3\n1 2\n1\n");
  CHECK(written(graph, InputFormat::metis, InputKind::bipartite) ==
        "% kind: undirected\n% format: metis\n4 3 001\n3 3 4 5\n3 7\n1 3 2 7\n1 5\n");
  const std::string graphml = written(graph, InputFormat::graphml, InputKind::bipartite);
  CHECK_THAT(graphml, ContainsSubstring("<graph id=\"G\" edgedefault=\"undirected\">"));
  CHECK_THAT(graphml, ContainsSubstring("<node id=\"c2\"/>"));
  CHECK_THAT(graphml, ContainsSubstring("<edge source=\"r2\" target=\"c1\"><data key=\"weight\">7</data></edge>"));
}

TEST_CASE("values are written short where that is exact") {
  const auto text = [](DoubleDouble value) {
    const std::string all =
        written(BipartiteGraph::from_edges(1, 1, {{0, 0}}, Reals{value}), InputFormat::edge_list, InputKind::bipartite);
    return all.substr(all.rfind(' ') + 1, all.size() - all.rfind(' ') - 2);
  };
  CHECK(text(DoubleDouble(0)) == "0.0");
  CHECK(text(DoubleDouble(3)) == "3.0");
  CHECK(text(DoubleDouble(-0.25)) == "-0.25");
  CHECK(text(DoubleDouble(1) / DoubleDouble(10)) == "0.1");
  // The double nearest to 0.1 is another number than 0.1, and keeps to its value.
  CHECK(text(DoubleDouble(0.1)) == "1.000000000000000055511151231257827021181583404541015625e-01");
}

TEST_CASE("values that no reader takes back are refused, and tiny low parts cost no more than themselves") {
  const auto graph = [](DoubleDouble value) { return BipartiteGraph::from_edges(1, 1, {{0, 0}}, Reals{value}); };
  CHECK_THROWS_AS(written(graph({0x1p-1030}), InputFormat::edge_list, InputKind::bipartite), InputError);
  const std::string text = written(graph({1, 0x1p-300}), InputFormat::edge_list, InputKind::bipartite);
  const auto values = std::get<Reals>(read_back(text, InputFormat::edge_list, InputKind::bipartite).weights());
  CHECK(values[0].hi == 1);
  CHECK(std::abs(values[0].lo) < 0x1p-200);
}

TEST_CASE("what is written reads back as the same graph, in every format, kind and weight") {
  std::size_t num_written = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    for (const WeightKind weights : {WeightKind::none, WeightKind::integer, WeightKind::real, WeightKind::complex}) {
      const BipartiteGraph graph = random_instance(seed, true, weights);
      for (const InputFormat format : all_formats) {
        for (const InputKind kind : all_kinds) {
          const bool directed = kind == InputKind::directed || kind == InputKind::matrix;
          CAPTURE(seed, static_cast<int>(weights), to_string(format), to_string(kind));
          // Some graphs have no place in a format.
          bool has_place = true;
          if (weights == WeightKind::complex) has_place = format == InputFormat::matrix_market;
          if (format == InputFormat::dimacs) has_place = has_place && directed == (weights != WeightKind::none);
          if (format == InputFormat::metis) has_place = weights == WeightKind::none && !directed;
          const bool one_set =
              kind == InputKind::directed ||
              (kind == InputKind::matrix && (format == InputFormat::dimacs || format == InputFormat::graphml));
          if (one_set && graph.num_rows() != graph.num_columns()) has_place = false;
          if (!has_place) {
            REQUIRE_THROWS_AS(written(graph, format, kind), InputError);
            continue;
          }
          const std::string text = written(graph, format, kind);
          CAPTURE(text);
          if (!readable({format}).empty()) {
            const BipartiteGraph kept = format == InputFormat::dense ? as_dense_text_has_it(graph) : graph;
            // Columns that have zeros alone come back as rows.
            if (kept.num_edges() != graph.num_edges() && kind == InputKind::undirected) continue;
            REQUIRE(equal(read_back(text, format, kind), kept));
          }
          ++num_written;
        }
      }
    }
  }
  CHECK(num_written > 3000);
}

TEST_CASE("graphs with odd cycles read back as they were, in every format and weight that has a place in it") {
  std::size_t num_written = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const WeightKind weights : {WeightKind::none, WeightKind::integer, WeightKind::real, WeightKind::complex}) {
      // A triangle, so that a reader colours nothing; the last vertex stands alone where the seed is odd.
      const BipartiteGraph entries = random_instance(seed, true, weights);
      const Vertex n = entries.num_rows() + 2;
      std::vector<Edge> edges{{0, 1}, {1, 2}, {0, 2}};
      for (const Edge& edge : entries.edges()) {
        const Vertex u = edge.row, v = edge.column % n;
        if (u != v) edges.push_back({u, v});
      }
      UndirectedGraph graph = UndirectedGraph::from_edges(n + seed % 2, edges, {}, Duplicates::one);
      RandomWeights::Law law = RandomWeights::Law::normal;
      if (weights == WeightKind::integer) law = RandomWeights::Law::integers;
      if (weights == WeightKind::complex) law = RandomWeights::Law::complex;
      if (weights != WeightKind::none) graph = with_random_weights(graph, {law, 1, 9}, seed);
      for (const InputFormat format : readable({std::begin(all_formats), std::end(all_formats)})) {
        CAPTURE(seed, static_cast<int>(weights), to_string(format));
        bool has_place = weights != WeightKind::complex || format == InputFormat::matrix_market;
        if (format == InputFormat::dimacs) has_place = weights == WeightKind::none;
        if (format == InputFormat::metis) has_place = weights <= WeightKind::integer;
        std::ostringstream stream;
        if (!has_place) {
          REQUIRE_THROWS_AS(write_graph(stream, graph, format), InputError);
          continue;
        }
        write_graph(stream, graph, format);
        CAPTURE(stream.str());
        const InputOptions options{.kind = InputKind::undirected, .format = format, .odd_cycles = true};
        const UndirectedGraph back = read_input_text(stream.str(), "written", options).undirected;
        REQUIRE(back.num_vertices() == graph.num_vertices());
        REQUIRE(back.num_edges() == graph.num_edges());
        // Edge lists name vertices in the order in which edges do.
        if (format == InputFormat::edge_list) continue;
        REQUIRE(back.edges() == graph.edges());
        REQUIRE(back.weights() == graph.weights());
        ++num_written;
      }
    }
  }
  CHECK(num_written > 500);
  std::ostringstream stream;
  CHECK_THROWS_AS(write_graph(stream, UndirectedGraph(), InputFormat::edge_list), InputError);
  write_graph(stream, king_graph(2, 2), InputFormat::automatic);
  CHECK(stream.str() == "# kind: undirected\n# format: edgelist\n1 2\n1 3\n1 4\n2 3\n2 4\n3 4\n");
}

TEST_CASE("positive integer weights read back from METIS") {
  const BipartiteGraph graph = grid_graph(3, 4).with_weights(
      Ints{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, std::numeric_limits<std::int64_t>::max()});
  CHECK(equal(
      read_back(written(graph, InputFormat::metis, InputKind::undirected), InputFormat::metis, InputKind::undirected),
      graph));
}

TEST_CASE("vertices without edges survive wherever the format names them") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const BipartiteGraph sparse = random_instance(seed, false, WeightKind::none);
    std::vector<Edge> edges = sparse.edges();
    // An isolated row, and columns all with edges.
    for (Vertex column = 0; column < sparse.num_columns(); ++column) {
      if (sparse.column(column).empty()) edges.push_back({0, column});
    }
    const BipartiteGraph graph = BipartiteGraph::from_edges(sparse.num_rows() + 1, sparse.num_columns(), edges);
    for (const InputFormat format :
         readable({InputFormat::matrix_market, InputFormat::dimacs, InputFormat::metis, InputFormat::graphml})) {
      for (const InputKind kind : {InputKind::bipartite, InputKind::undirected}) {
        CAPTURE(to_string(format), to_string(kind));
        REQUIRE(equal(read_back(written(graph, format, kind), format, kind), graph));
      }
    }
    REQUIRE(equal(read_back(written(sparse, InputFormat::matrix_market, InputKind::bipartite),
                            InputFormat::matrix_market, InputKind::bipartite),
                  sparse));
  }
}

TEST_CASE("an edge list refuses rows and columns that it can't name") {
  const BipartiteGraph row = BipartiteGraph::from_edges(2, 1, {{0, 0}});
  CHECK_THROWS_WITH(written(row, InputFormat::edge_list, InputKind::bipartite), ContainsSubstring("row 2"));
  CHECK_THROWS_WITH(written(row.transposed(), InputFormat::edge_list, InputKind::bipartite),
                    ContainsSubstring("column 2"));
  CHECK_THROWS_WITH(written(row, InputFormat::edge_list, InputKind::matrix), ContainsSubstring("last row 2"));
  for (const InputKind kind : all_kinds) {
    CHECK_THROWS_AS(written(BipartiteGraph(), InputFormat::edge_list, kind), InputError);
    CHECK_THROWS_AS(written(BipartiteGraph(), InputFormat::dense, kind), InputError);
  }
  // Vertices without one kind of arc have a name, and so have inner empty rows of a matrix.
  const BipartiteGraph path = BipartiteGraph::from_edges(3, 3, {{0, 1}, {1, 2}});
  CHECK(equal(read_back(written(path, InputFormat::edge_list, InputKind::directed), InputFormat::edge_list,
                        InputKind::directed),
              path));
  const BipartiteGraph gap = BipartiteGraph::from_edges(3, 3, {{0, 0}, {2, 2}});
  CHECK(equal(
      read_back(written(gap, InputFormat::edge_list, InputKind::matrix), InputFormat::edge_list, InputKind::matrix),
      gap));
}

TEST_CASE("in an edge list a vertex without edges stands on a line of its own") {
  const BipartiteGraph arc = BipartiteGraph::from_edges(3, 3, {{0, 1}});
  CHECK(written(arc, InputFormat::edge_list, InputKind::directed) == "# kind: directed\n# format: edgelist\n1 2\n3\n");
  const BipartiteGraph row = BipartiteGraph::from_edges(2, 1, {{0, 0}});
  CHECK(written(row, InputFormat::edge_list, InputKind::undirected) ==
        "# kind: undirected\n# format: edgelist\n1 3\n2\n");
  // A column comes back as a row.
  CHECK(written(row.transposed(), InputFormat::edge_list, InputKind::undirected) ==
        "# kind: undirected\n# format: edgelist\n1 2\n3\n");
  const BipartiteGraph none = BipartiteGraph::from_edges(2, 2, {});
  for (const BipartiteGraph& graph : {arc, none}) {
    CHECK(equal(read_back(written(graph, InputFormat::edge_list, InputKind::directed), InputFormat::edge_list,
                          InputKind::directed),
                graph));
  }
  CHECK(equal(read_back(written(row, InputFormat::edge_list, InputKind::undirected), InputFormat::edge_list,
                        InputKind::undirected),
              row));
}

TEST_CASE("what is written needs no kind and no format to be read for the question that it is about") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const WeightKind weights : {WeightKind::none, WeightKind::integer, WeightKind::real, WeightKind::complex}) {
      const BipartiteGraph graph = random_instance(seed, true, weights);
      if (graph.drop_zeros().num_edges() != graph.num_edges()) continue;
      for (const InputFormat format : readable({all_formats, all_formats + std::size(all_formats)})) {
        for (const InputKind kind : all_kinds) {
          CAPTURE(seed, static_cast<int>(weights), to_string(format), to_string(kind));
          std::string text;
          try {
            text = written(graph, format, kind);
          } catch (const InputError&) {
            continue;  // the format has no place for it
          }
          CAPTURE(text);
          InputOptions options{.usual_kind = kind};
          // METIS is known by its file's name.
          const Input input = read_input_text(text, format == InputFormat::metis ? "a.metis" : "a", options);
          REQUIRE(input.format == format);
          const BipartiteGraph kept = format == InputFormat::dense ? as_dense_text_has_it(graph) : graph;
          REQUIRE(equal(input.graph, kept));
          // A count asks about two sides, and gets them where the file says anything else.
          if (kind == InputKind::directed || (kind == InputKind::matrix && format != InputFormat::edge_list)) continue;
          options.usual_kind = InputKind::bipartite;
          const Input counted = read_input_text(text, format == InputFormat::metis ? "a.metis" : "a", options);
          REQUIRE(equal(counted.graph, kept));
        }
      }
    }
  }
}

TEST_CASE("the empty graph reads back") {
  for (const InputFormat format :
       readable({InputFormat::matrix_market, InputFormat::dimacs, InputFormat::metis, InputFormat::graphml})) {
    CAPTURE(to_string(format));
    CHECK(equal(read_back(written(BipartiteGraph(), format, InputKind::bipartite), format, InputKind::bipartite),
                BipartiteGraph()));
  }
}

TEST_CASE("a stream that fails is an error") {
  std::ostringstream stream;
  stream.setstate(std::ios::badbit);
  CHECK_THROWS_AS(write_graph(stream, grid_graph(2, 2), InputFormat::edge_list, InputKind::bipartite), Error);
}

TEST_CASE("files of every name read back, compressed or not, and nothing else is left behind") {
  const test::Folder folder;
  const BipartiteGraph graph = grid_graph(30, 31);
  std::size_t count = 0;
  std::vector<std::string> names{"a.mtx", "a.gr", "a.col", "a.graph", "a.txt", "a", "b.MTX"};
  if (built_with_graphml()) names.push_back("a.graphml");
  for (const std::string& name : names) {
    for (const std::string& suffix : {std::string(), std::string(".gz")}) {
      CAPTURE(name, suffix);
      const std::string file = folder.path(name + suffix);
      write_graph_file(file, graph, InputFormat::automatic, InputKind::bipartite);
      CHECK(equal(read_input(file).graph, graph));
      const std::string bytes = test::read_file(file);
      CHECK((bytes.substr(0, 2) == "\x1f\x8b") == !suffix.empty());
      write_graph_file(file, graph, InputFormat::automatic, InputKind::bipartite);
      CHECK(test::read_file(file) == bytes);
      CHECK(test::num_entries(folder.path()) == ++count);
    }
  }
  // The format asked for wins over the name.
  write_graph_file(folder.path("a.txt"), graph, InputFormat::metis, InputKind::bipartite);
  CHECK(test::read_file(folder.path("a.txt")).find("\n930 1799\n") != std::string::npos);
}

TEST_CASE("a large graph goes through compression in many pieces") {
  const test::Folder folder;
  const BipartiteGraph graph = random_graph(3000, 3000, 0.05, 2);
  write_graph_file(folder.path("large.mtx.gz"), graph, InputFormat::automatic, InputKind::bipartite);
  CHECK(equal(read_input(folder.path("large.mtx.gz")).graph, graph));
}

TEST_CASE("a graph that a format can't hold leaves the old file as it was") {
  const test::Folder folder;
  std::ofstream(folder.path("old.graph")) << "old";
  const BipartiteGraph graph = grid_graph(2, 2).with_weights(Ints{1, -1, 1, 1});
  CHECK_THROWS_AS(write_graph_file(folder.path("old.graph"), graph, InputFormat::automatic, InputKind::bipartite),
                  InputError);
  CHECK(test::read_file(folder.path("old.graph")) == "old");
  CHECK(test::num_entries(folder.path()) == 1);
}

TEST_CASE("files that can't be written are refused with the system's reason") {
  const test::Folder folder;
  const BipartiteGraph graph = grid_graph(2, 2);
  const auto write = [&](const std::string& file) {
    write_graph_file(file, graph, InputFormat::automatic, InputKind::bipartite);
  };
  CHECK_THROWS_WITH(write(folder.path("")), ContainsSubstring("Is a directory"));
  CHECK_THROWS_WITH(write(folder.path("missing/a.mtx")), ContainsSubstring("No such file or directory"));
  if (fs::exists("/dev/full")) CHECK_THROWS_WITH(write("/dev/full"), ContainsSubstring("No space left on device"));
}

TEST_CASE("formats that are only read are refused for writing, by name and by the file's, and leave no file") {
  const test::Folder folder;
  const BipartiteGraph graph = grid_graph(2, 2);
  for (const InputFormat format : {InputFormat::graph6, InputFormat::sparse6, InputFormat::digraph6, InputFormat::npy,
                                   InputFormat::gml, InputFormat::adjacency_list, InputFormat::mol}) {
    CAPTURE(to_string(format));
    std::ostringstream stream;
    CHECK_THROWS_AS(write_graph(stream, graph, format, InputKind::bipartite), InputError);
    CHECK(stream.str().empty());
  }
  for (const std::string name : {"a.g6", "a.npy", "a.gml.gz", "a.SDF"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(write_graph_file(folder.path(name), graph, InputFormat::automatic, InputKind::bipartite),
                      ContainsSubstring("which is read and not written"));
  }
  CHECK(test::num_entries(folder.path()) == 0);
}

TEST_CASE("a file without permission to write is not replaced") {
  const test::Folder folder;
  std::ofstream(folder.path("old.mtx")) << "old";
  fs::permissions(folder.path("old.mtx"), fs::perms::owner_read);
  if (::access(folder.path("old.mtx").c_str(), W_OK) == 0) return;  // the superuser may write everything
  CHECK_THROWS_WITH(
      write_graph_file(folder.path("old.mtx"), grid_graph(2, 2), InputFormat::automatic, InputKind::bipartite),
      ContainsSubstring("Permission denied"));
  CHECK(test::read_file(folder.path("old.mtx")) == "old");
}

TEST_CASE("a link stays a link, and permissions stay as they were") {
  const test::Folder folder;
  std::ofstream(folder.path("target.mtx")) << "old";
  fs::permissions(folder.path("target.mtx"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(folder.path("target.mtx"), folder.path("link.mtx"));
  write_graph_file(folder.path("link.mtx"), grid_graph(2, 2), InputFormat::automatic, InputKind::bipartite);
  CHECK(fs::is_symlink(folder.path("link.mtx")));
  CHECK(equal(read_input(folder.path("target.mtx")).graph, grid_graph(2, 2)));
  CHECK(fs::status(folder.path("target.mtx")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(test::num_entries(folder.path()) == 2);
}

}  // namespace
}  // namespace matchcount
