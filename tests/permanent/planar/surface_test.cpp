#include "permanent/planar/surface.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "graph/generate.hpp"
#include "graph/rotation.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/marginals.hpp"
#include "support/catch.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"
#include "support/surface_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261123;

Integer by_frontier(const UndirectedGraph& graph) {
  return std::get<Integer>(hafnian(graph, {.method = Method::frontier}).value);
}

}  // namespace

TEST_CASE("an embedding by coordinates has the Euler genus of its surface") {
  Random random(1501);
  for (const auto& [lines, columns] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    const EmbeddedGraph given = random_on_surface(6, 7, lines, columns, 1, random);
    REQUIRE(euler_genus(given.graph, faces_of(given.graph, given.embedding)) == (lines && columns ? 1 : 2));
  }
}

TEST_CASE("a thousand random graphs on a torus have the sums that other methods find") {
  Random random(1502);
  int torical = 0;
  for (int round = 0; round < 1000; ++round) {
    const int height = 4 + static_cast<int>(random.below(2)), width = 5 + static_cast<int>(random.below(2));
    const EmbeddedGraph given = random_on_surface(height, width, false, false, 0.6 + 0.4 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    torical += plan->surface->log2_divisor == 2;
    const UndirectedGraph graph = with_integers(given.graph, round % 2 == 0 ? 1 : -2, 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) ==
            by_frontier(graph));
  }
  REQUIRE(torical > 500);
}

TEST_CASE("random graphs on the Klein bottle and the projective plane have the sums of all matchings") {
  Random random(1503);
  int genus[3] = {0, 0, 0};
  for (int round = 0; round < 300; ++round) {
    const bool lines = round % 3 != 1, columns = round % 3 != 0;
    const EmbeddedGraph given = random_on_surface(3 + static_cast<int>(random.below(2)), 4, lines, columns,
                                                  0.7 + 0.3 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    ++genus[plan->surface->log2_divisor];
    const UndirectedGraph graph = with_integers(given.graph, round % 2 == 0 ? 1 : -2, 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const Integer truth = hafnian_by_oracle(graph);
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) == truth);
    // The same times i for each edge of a matching, by complex entries, and an eighth of it by reals.
    GraphBlock<ComplexEntry> complex{given.graph, {}};
    GraphBlock<RealEntry> real{given.graph, {}};
    for (const std::int64_t weight : weights) {
      const auto value = static_cast<double>(weight);
      complex.entries.push_back({{0.0, value}, std::fabs(value)});
      real.entries.push_back({value / 8, std::fabs(value / 8)});
    }
    const int pairs = static_cast<int>(graph.num_vertices() / 2);
    const double size = nearest_real(truth).to_double();
    const ComplexValue turned = hafnian_kasteleyn(complex, *plan, Precision::double_double, RunContext());
    const double signs[4] = {1, 0, -1, 0};
    REQUIRE(turned.value.re.to_double() == size * signs[pairs % 4]);
    REQUIRE(turned.value.im.to_double() == size * signs[(pairs + 3) % 4]);
    const RealValue eighth = hafnian_kasteleyn(real, *plan, Precision::double_double, RunContext());
    REQUIRE(eighth.value.to_double() == std::ldexp(size, -3 * pairs));
  }
  REQUIRE(genus[1] > 50);
  REQUIRE(genus[2] > 50);
}

TEST_CASE("the sums of edges of graphs in surfaces are those of a list") {
  Random random(1506);
  int seen[3] = {0, 0, 0}, singular = 0;
  for (int round = 0; round < 200; ++round) {
    const bool lines = round % 3 != 1, columns = round % 3 != 0;
    // Whole tori of ones have a Pfaffian that is 0.
    const bool is_whole = round % 10 == 0;
    const EmbeddedGraph given = is_whole ? random_on_surface(4, 4, false, false, 1, random)
                                         : random_on_surface(3 + static_cast<int>(random.below(2)), 4, lines, columns,
                                                             0.7 + 0.3 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    const UndirectedGraph graph =
        with_integers(given.graph, is_whole || round % 2 == 0 ? 1 : -2, is_whole ? 1 : 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const auto found = marginals_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    const std::vector<Integer> sums = sums_by_listing(graph);
    REQUIRE((found || sums.back() == 0));
    if (!found) continue;
    REQUIRE(found->total == sums.back());
    for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(found->of_edge[e] == sums[e]);
    ++seen[plan->surface->twisted.empty() ? 0 : plan->surface->log2_divisor];
    singular += is_whole;
    if (round % 2 != 0) continue;
    std::vector<RealEntry> reals;
    for (const std::int64_t weight : weights) {
      const auto real = static_cast<double>(weight);
      reals.push_back({DoubleDouble(real), real});
    }
    const auto real = marginals_kasteleyn(GraphBlock<RealEntry>{given.graph, reals}, *plan, RunContext());
    REQUIRE(real);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const ScaledReal difference = real->of_edge[e].value + -nearest_real(sums[e]);
      REQUIRE((difference.is_zero() || difference.log2_abs() <= real->of_edge[e].log2_error));
    }
  }
  REQUIRE(std::min({seen[0], seen[1], seen[2]}) > 15);
  REQUIRE(singular > 10);
}

TEST_CASE("bipartite graphs and graphs of Euler genus 3 to 6 have the sums, and those of edges, that others find") {
  Random random(1507);
  int seen[7] = {}, found_edges = 0;
  for (int round = 0; round < 160; ++round) {
    const auto part = [&](int height, double density) {
      return random_on_surface(height, 4, random.below(3) == 0, random.below(3) == 0, density, random);
    };
    const bool is_bipartite = round % 2 == 0;
    EmbeddedGraph given = part(4, 0.9);
    if (is_bipartite) given = two_coloured(part(4 + static_cast<int>(random.below(2)), 1), 4);
    if (!is_bipartite) given = joined(part(3, 0.8), part(3, 0.8));
    if (round % 16 == 1) given = joined(given, part(3, 0.6));
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    ++seen[plan->surface->log2_divisor];
    const UndirectedGraph graph = with_integers(given.graph, round % 4 < 2 ? 1 : -2, round % 3 == 0 ? 1 : 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const Integer sum = hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    REQUIRE(sum == by_frontier(graph));
    if (given.graph.num_vertices() > 24) continue;
    const auto found = marginals_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    if (!found) continue;
    const std::vector<Integer> sums = sums_by_listing(graph);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(found->of_edge[e] == sums[e]);
    ++found_edges;
  }
  REQUIRE(std::min({seen[1], seen[2], seen[3], seen[4], seen[5] + seen[6]}) > 3);
  REQUIRE(found_edges > 80);
}

TEST_CASE("lattices on surfaces are embedded whatever their vertices are called") {
  Random random(1504);
  for (const auto& [lines, columns] : {std::pair{false, false}, {true, false}, {true, true}}) {
    const EmbeddedGraph given = random_on_surface(20, 22, lines, columns, 1, random);
    const UndirectedGraph graph = shuffled(given.graph, random);
    const auto found = surface_embedding(graph, 6, RunContext());
    REQUIRE(found);
    REQUIRE(euler_genus(graph, faces_of(graph, *found)) == (lines && columns ? 1 : 2));
    const auto plan = plan_kasteleyn(graph, *found, seed, RunContext());
    const auto first = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    REQUIRE(plan);
    REQUIRE(first);
    const std::vector<std::int64_t> ones(graph.num_edges(), 1);
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{graph, ones}, *plan, RunContext()) ==
            hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, ones}, *first, RunContext()));
  }
}

TEST_CASE("two tori with a tube between them have Euler genus 4, and are counted") {
  // The corners of a square of each are joined to those of the other's.
  constexpr Vertex height = 8, width = 10;
  std::vector<Edge> edges;
  for (Vertex copy = 0; copy < 2; ++copy) {
    const auto number = [&](Vertex i, Vertex j) { return (copy * height + i % height) * width + j % width; };
    for (Vertex i = 0; i < height; ++i) {
      for (Vertex j = 0; j < width; ++j)
        edges.insert(edges.end(), {{number(i, j), number(i, j + 1)}, {number(i, j), number(i + 1, j)}});
    }
  }
  for (const Vertex corner : {Vertex{0}, Vertex{1}, width, width + 1})
    edges.push_back({corner, corner + height * width});
  Random random(1505);
  const UndirectedGraph graph = shuffled(UndirectedGraph::from_edges(2 * height * width, edges), random);
  const auto plan = plan_kasteleyn(graph, seed, RunContext());
  REQUIRE(plan);
  REQUIRE(plan->surface->terms.size() == 16);
  const std::vector<std::int64_t> ones(graph.num_edges(), 1);
  REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{graph, ones}, *plan, RunContext()) == by_frontier(graph));
}

TEST_CASE("two hundred graphs of genus 2 with Pfaffians that are 0 have the sums that other methods find") {
  Random random(1508);
  int singular = 0;
  for (int round = 0; round < 200; ++round) {
    const auto torus = [&](int width) {
      return two_coloured(random_on_surface(4, width, false, false, 1, random), width);
    };
    const EmbeddedGraph given = joined(torus(4), round % 2 == 0 ? torus(4) : torus(6));
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    REQUIRE(plan);
    REQUIRE(plan->surface->log2_divisor == 4);
    // Edges of a direction weigh the same, but for one edge, which may keep a torus from having a Pfaffian that is 0.
    const auto some = [&] {
      const std::uint64_t most = std::uint64_t{1} << (round % 12);
      return 1 + static_cast<std::int64_t>(random.below(most));
    };
    const std::int64_t right = some(), down = round % 3 == 0 ? -some() : some();
    std::vector<std::int64_t> weights;
    for (const auto& [u, v] : given.graph.edges()) {
      const Vertex width = u < 16 || round % 2 == 0 ? 4 : 6, first = u < 16 ? 0 : 16;
      weights.push_back((u - first) / width == (v - first) / width ? right : down);
    }
    if (round % 4 == 0) weights[random.below(weights.size())] = some();
    const UndirectedGraph graph = given.graph.with_weights(weights);
    INFO(round << ": " << test::to_string(graph));
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) ==
            by_frontier(graph));
    const EntryTable table(weights);
    constexpr std::uint64_t prime = 33554393;
    const std::vector<std::uint32_t> residues = table.residues(prime, 0);
    for (const SurfacePfaffians::Term& term : plan->surface->terms)
      singular += !eliminate({given.graph, table.places(), residues, term.orientation, plan->is_column},
                             plan->dissection, plan->structure, prime, RunContext())
                       .complete;
  }
  CHECK(singular > 200);
}

namespace {

// The graph with other names for its vertices, and its rotation.
std::pair<UndirectedGraph, RotationSystem> renamed(const EmbeddedGraph& given, Random& random) {
  const Vertex size = given.graph.num_vertices();
  const auto name = random_permutation<Vertex>(size, random);
  RotationSystem rotation(size);
  std::vector<Edge> edges;
  const auto& [around, begin] = given.embedding.rotation;
  for (const auto& [u, v] : given.graph.edges()) edges.push_back({name[u], name[v]});
  for (Vertex v = 0; v < size; ++v) {
    for (std::size_t i = begin[v]; i < begin[v + std::size_t{1}]; ++i) {
      const Edge& edge = given.graph.edges()[around[i]];
      rotation[name[v]].push_back(name[edge.row == v ? edge.column : edge.row]);
    }
  }
  return {UndirectedGraph::from_edges(size, std::move(edges)), std::move(rotation)};
}

}  // namespace

TEST_CASE("rotations that are given embed 300 random graphs of genus 1 and 2: counts, marginals and samples") {
  Random random(1520);
  int counted = 0, of_genus[3] = {0, 0, 0};
  for (int round = 0; round < 300; ++round) {
    const auto torus = [&](int most) {
      const int height = 3 + static_cast<int>(random.below(2)), width = 3 + static_cast<int>(random.below(most - 2));
      return random_on_surface(height, width, false, false, 0.75 + 0.25 * random.uniform(), random);
    };
    const EmbeddedGraph given = round % 2 == 0 ? torus(5) : joined(torus(3), torus(3));
    const auto [pattern, rotation] = renamed(given, random);
    INFO(round << ": " << test::to_string(pattern));
    const UndirectedGraph graph = with_integers(pattern, round % 3 == 0 ? -2 : 1, 4, random);
    const Integer truth = by_frontier(graph);
    if (pattern.num_vertices() <= 14) REQUIRE(truth == hafnian_by_oracle(graph));
    const CountOptions options{.method = Method::planar, .rotation = std::make_shared<const RotationSystem>(rotation)};
    REQUIRE(std::get<Integer>(hafnian(graph, options).value) == truth);
    if (truth == 0) continue;
    ++counted;
    if (const auto plan = plan_kasteleyn(pattern, seed, RunContext(), &rotation))
      ++of_genus[plan->surface ? plan->surface->log2_divisor / 2 : 0];
    DistributionOptions of_edges{.exact = true, .method = Method::planar, .rotation = options.rotation};
    const Marginals marginals = MatchingDistribution(graph, of_edges).marginals();
    REQUIRE(std::get<Integer>(marginals.total) == truth);
    of_edges.method = Method::frontier;
    const Marginals others = MatchingDistribution(graph, of_edges).marginals();
    for (EdgeId id = 0; id < graph.num_edges(); ++id)
      REQUIRE(std::get<Integer>(marginals.edges[id].sum) == std::get<Integer>(others.edges[id].sum));
    if (round % 3 == 0 || round % 10 != 1) continue;
    // Six standard deviations of a share in so many samples.
    constexpr std::size_t count = 400;
    of_edges.method = Method::planar;
    MatchingDistribution distribution(graph, of_edges);
    std::vector<double> times(graph.num_edges(), 0);
    for (const EdgeId id : distribution.samples(0, count)) ++times[id];
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      const double share = others.edges[id].probability;
      REQUIRE(std::fabs(times[id] / count - share) <= 6 * std::sqrt(share * (1 - share) / count) + 1e-6);
    }
  }
  CHECK(counted > 150);
  CHECK(of_genus[1] > 50);
  CHECK(of_genus[2] > 50);
}

TEST_CASE("a rotation of too large a genus is left aside, and a refusal says so") {
  Random random(1521);
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(complete_graph(12, 12));
  RotationSystem rotation(graph.num_vertices());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) rotation[v].push_back(w);
    shuffle(rotation[v], random);
  }
  CountOptions options{.method = Method::planar, .rotation = std::make_shared<const RotationSystem>(rotation)};
  std::string message;
  try {
    count_perfect_matchings(graph, options);
  } catch (const Unable& refused) {
    message = refused.what();
  }
  CHECK(message.find("the rotation system given is of Euler genus") != std::string::npos);
  options.method = Method::automatic;
  CHECK(std::get<Integer>(count_perfect_matchings(graph, options).value) == 479001600);
}

TEST_CASE("a rotation of bipartite graphs names columns behind rows, and one of other neighbours is refused") {
  Random random(1521);
  for (int round = 0; round < 20; ++round) {
    const EmbeddedGraph given = two_coloured(random_on_surface(4, 6, false, false, 1, random), 6);
    // Rows are the black vertices.
    std::vector<Vertex> number(24);
    Vertex rows = 0, columns = 12;
    for (Vertex v = 0; v < 24; ++v) number[v] = (v / 6 + v % 6) % 2 != 0 ? rows++ : columns++;
    std::vector<Edge> edges;
    RotationSystem rotation(24);
    for (Edge edge : given.graph.edges()) {
      if (number[edge.row] >= 12) std::swap(edge.row, edge.column);
      edges.push_back({number[edge.row], number[edge.column] - 12});
    }
    const auto& [around, begin] = given.embedding.rotation;
    for (Vertex v = 0; v < 24; ++v) {
      for (std::size_t i = begin[v]; i < begin[v + std::size_t{1}]; ++i) {
        const Edge& edge = given.graph.edges()[around[i]];
        rotation[number[v]].push_back(number[edge.row == v ? edge.column : edge.row]);
      }
    }
    const BipartiteGraph graph = BipartiteGraph::from_edges(12, 12, edges);
    CountOptions options{.method = Method::planar, .rotation = std::make_shared<const RotationSystem>(rotation)};
    CHECK(std::get<Integer>(count_perfect_matchings(graph, options).value) == by_frontier(given.graph));
    rotation[3].pop_back();
    options.rotation = std::make_shared<const RotationSystem>(rotation);
    CHECK_THROWS_AS(count_perfect_matchings(graph, options), InputError);
    rotation[3] = rotation[2];
    options.rotation = std::make_shared<const RotationSystem>(rotation);
    CHECK_THROWS_AS(count_perfect_matchings(graph, options), InputError);
  }
}

TEST_CASE("points on a torus give the rotation of its grid") {
  std::vector<Point> points;
  std::vector<std::string> names;
  std::vector<Edge> edges;
  for (Vertex i = 0; i < 4; ++i) {
    for (Vertex j = 0; j < 5; ++j) {
      points.push_back({static_cast<double>(j) + 0.3, static_cast<double>(i) - 7});
      names.push_back(std::to_string(i) + "," + std::to_string(j));
      edges.push_back({5 * i + j, 5 * i + (j + 1) % 5});
      edges.push_back({5 * i + j, 5 * ((i + 1) % 4) + j});
    }
  }
  const UndirectedGraph graph = UndirectedGraph::from_edges(20, edges);
  const RotationSystem rotation = rotation_of_points(graph, points, {5, 4}, names);
  CHECK(rotation[6] == std::vector<Vertex>{1, 7, 11, 5});
  CHECK(rotation[0] == std::vector<Vertex>{15, 1, 5, 4});
  CHECK(euler_genus(graph, faces_of(graph, embedding_of(graph, rotation))) == 2);
  CHECK_THROWS_AS(rotation_of_points(graph, points, {2, 4}, names), InputError);  // half a period
  CHECK_THROWS_AS(rotation_of_points(graph, points, {0, 4}, names), InputError);  // along a line
}

TEST_CASE("graphs have at most as many faces as their short cycles leave room for") {
  const RunContext run;
  CHECK(most_faces(complete(7), run) == Approx(14));  // on a torus it has them
  CHECK(most_faces(complete(4), run) == Approx(4));
  CHECK(most_faces(UndirectedGraph::from_bipartite(torus_graph(6, 8)), run) == Approx(48));
  Random random(1522);
  for (int round = 0; round < 100; ++round) {
    const EmbeddedGraph given = random_on_surface(4, 5, round % 2 == 0, round % 3 == 0, 1, random);
    CHECK(static_cast<double>(faces_of(given.graph, given.embedding).walks.size()) <=
          most_faces(given.graph, run) + 1e-9);
  }
  // Random cubic graphs have long cycles.
  const UndirectedGraph cubic = UndirectedGraph::from_bipartite(random_regular_graph(1000, 3, 1));
  CHECK(most_faces(cubic, run) < 900);  // on a torus it would have 1000
  CHECK_FALSE(surface_embedding(cubic, most_euler_genus, run));
}
