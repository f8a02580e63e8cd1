// Every way of counting where the oracles do not reach: closed forms, sizes around those of words, extreme entries, and
// methods that share no code against each other.

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/agreement.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/frontier.hpp"
#include "support/catch.hpp"
#include "support/closed_forms.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test::agreement;
using namespace matchcount::test;

namespace {

// Multiplies exactly.
Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.integer * b.integer, a.exponent + b.exponent}; }

// Counts the domino tilings of a height x width board, cell by cell with a bit for each column that the cell above
// fills.
Integer domino_tilings(unsigned height, unsigned width) {
  std::vector<Integer> ways(std::size_t{1} << width);
  ways[0] = 1;
  for (unsigned cell = 0; cell < height * width; ++cell) {
    const unsigned column = cell % width;
    std::vector<Integer> next(ways.size());
    for (std::size_t filled = 0; filled < ways.size(); ++filled) {
      if (ways[filled] == 0) continue;
      const std::size_t here = std::size_t{1} << column;
      if (filled & here) {
        next[filled ^ here] += ways[filled];
        continue;
      }
      if (cell / width + 1 < height) next[filled | here] += ways[filled];
      if (column + 1 < width && !(filled & (here << 1))) next[filled | (here << 1)] += ways[filled];
    }
    ways = std::move(next);
  }
  return ways[0];
}

// Makes the direct sum of complete graphs, with or without their diagonals.
BipartiteGraph direct_sum(const std::vector<Vertex>& sizes, bool diagonal) {
  std::vector<Edge> edges;
  Vertex begin = 0;
  for (const Vertex size : sizes) {
    for (Vertex i = 0; i < size; ++i) {
      for (Vertex j = 0; j < size; ++j) {
        if (diagonal || i != j) edges.push_back({begin + i, begin + j});
      }
    }
    begin += size;
  }
  return BipartiteGraph::from_edges(begin, begin, edges);
}

// A matrix with entries on the diagonal, in the first row and the first column.
template <class Weight, class Exact>
struct Arrow {
  BipartiteGraph graph;
  Exact truth, magnitudes;

  // The permanent is prod d + sum over i > 0 of r_i c_i prod over j not 0, i of d_j. `exactly` makes an Exact of a
  // weight.
  template <class Draw, class Exactly>
  Arrow(Vertex n, const Draw& draw, const Exactly& exactly) {
    std::vector<Edge> edges;
    std::vector<Weight> weights;
    std::vector<Exact> diagonal(n), hooks(n);  // r_i c_i
    for (Vertex i = 0; i < n; ++i) {
      const auto add = [&](Edge edge) {
        edges.push_back(edge);
        weights.emplace_back(draw());
        return exactly(weights.back());
      };
      diagonal[i] = add({i, i});
      if (i == 0) continue;
      hooks[i] = add({0, i});
      hooks[i] = hooks[i] * add({i, 0});
    }
    graph = BipartiteGraph::from_edges(n, n, edges, weights);
    for (Vertex i = 0; i < n; ++i) {  // 0: the diagonal itself
      Exact term = i == 0 ? diagonal[0] : hooks[i];
      for (Vertex j = 1; j < n; ++j) {
        if (j != i) term = term * diagonal[j];
      }
      truth = i == 0 ? term : truth + term;
      magnitudes = i == 0 ? size_of(term) : magnitudes + size_of(term);
    }
  }

  static Integer size_of(const Integer& value) { return abs(value); }
  static Dyadic size_of(const Dyadic& value) { return {abs(value.integer), value.exponent}; }
};

// Frontier by each order and engine, several threads: for graphs too large for the oracles and inclusion-exclusion.
void check_count_by_frontier(const BipartiteGraph& graph, const Integer& truth) {
  int turn = 0;
  for (const FrontierStrategy strategy : all_strategies) {
    for (const FrontierEngine engine : all_engines) {
      CountOptions options = with_threads(Method::frontier, all_thread_numbers[static_cast<std::size_t>(turn % 4)]);
      options.frontier_strategy = strategy;
      options.frontier_engine = engine;
      options.reduce = turn % 3 != 1;
      ++turn;
      INFO("strategy " << name_of(strategy) << ", engine " << name_of(engine) << ", " << options.run.num_threads
                       << " threads, reduce " << options.reduce);
      check_exact(count_perfect_matchings(graph, options), truth);
    }
  }
  check_exact(count_perfect_matchings(graph), truth);
}

}  // namespace

TEST_CASE("bands, circulants, grids, hexagons and Aztec diamonds have closed forms, 31 to 33 and 63 to 65 rows") {
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    CAPTURE(n);
    check_count_by_frontier(band_graph(n, 1), fibonacci(n + 1));
    // I + P + P^2: L(n) + 2 (Minc 1964), and L(n) = F(n - 1) + F(n + 1).
    std::vector<Edge> edges;
    for (Vertex i = 0; i < n; ++i) {
      for (Vertex step = 0; step < 3; ++step) edges.push_back({i, (i + step) % n});
    }
    check_count_by_frontier(BipartiteGraph::from_edges(n, n, edges), fibonacci(n - 1) + fibonacci(n + 1) + 2);
  }
  for (const auto& [height, width] : {std::pair{2u, 31u}, {8u, 8u}, {6u, 11u}, {7u, 18u}, {8u, 16u}, {10u, 13u}}) {
    CAPTURE(height, width);
    check_count_by_frontier(grid_graph(height, width), domino_tilings(width, height));
  }
  for (const auto& [a, b, c] :
       std::vector<std::array<unsigned, 3>>{{2, 3, 5}, {3, 3, 4}, {4, 4, 6}, {1, 1, 32}, {3, 5, 6}}) {
    CAPTURE(a, b, c);
    check_count_by_frontier(hexagon_graph(a, b, c), plane_partitions(a, b, c));
  }
  for (const unsigned order : {1u, 2u, 5u, 7u}) {
    CAPTURE(order);
    check_count_by_frontier(aztec_graph(order), Integer(1) << (order * (order + 1) / 2));
  }
}

TEST_CASE("complete graphs, derangement matrices and their direct sums have products of factorials and derangements") {
  for (const std::vector<Vertex>& sizes : std::vector<std::vector<Vertex>>{{},
                                                                           {1},
                                                                           {2},
                                                                           {7},
                                                                           {15},
                                                                           {16},
                                                                           {17},
                                                                           {20},
                                                                           {10, 10, 11},
                                                                           {8, 8, 8, 8},
                                                                           {11, 11, 11},
                                                                           {9, 9, 9, 9, 9, 9, 9},
                                                                           {8, 8, 8, 8, 8, 8, 8, 8},
                                                                           {13, 13, 13, 13, 13}}) {
    Integer permutations = 1, deranged = 1;
    for (const Vertex size : sizes) {
      permutations *= factorial(size);
      deranged *= derangements(size);
    }
    CAPTURE(sizes);
    check_exact(count_perfect_matchings(direct_sum(sizes, true)), permutations);
    for (const Method method : {Method::automatic, Method::skipper, Method::frontier}) {
      if (method == Method::skipper && sizes.size() == 1) continue;
      check_exact(count_perfect_matchings(direct_sum(sizes, false), with_threads(method, 2)), deranged);
    }
  }
}

TEST_CASE("single cycles with huge weights are exact at 31, 32, 33, 63, 64 and 65") {
  // The permanent is the product of one half of the edges plus that of the other, thousands of bits long.
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    Random random(seed + 16, n);
    std::vector<Edge> edges;
    std::vector<std::int64_t> weights;
    Integer straight = 1, shifted = 1;
    for (Vertex i = 0; i < n; ++i) {
      for (const Vertex step : {0u, 1u}) {
        const std::int64_t sign = random.below(2) == 0 ? 1 : -1;
        const std::int64_t weight = sign * static_cast<std::int64_t>((std::uint64_t{1} << 62) - random.below(1 << 30));
        edges.push_back({i, (i + step) % n});
        weights.push_back(weight);
        (step == 0 ? straight : shifted) *= weight;
      }
    }
    const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges, weights);
    CAPTURE(seed, n);
    check_exact(count_perfect_matchings(graph), 2);
    check_exact(permanent(graph), straight + shifted);
    for (const bool reduce : {true, false}) {
      for (const FrontierEngine engine : all_engines) {
        CountOptions options = with_threads(Method::frontier, 2);
        options.reduce = reduce;
        options.frontier_engine = engine;
        INFO(name_of(engine) << " reduce " << reduce);
        check_exact(permanent(graph, options), straight + shifted);
      }
    }
  }
}

TEST_CASE("arrow matrices of reals keep their bound at 31, 32, 33, 63, 64 and 65, over 1e-200 to 1e200") {
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    for (const bool wide : {false, true}) {
      for (const bool with_signs : {false, true}) {
        Random random(seed + 17, 4 * n + (wide ? 2 : 0) + (with_signs ? 1 : 0));
        const auto draw = [&] {
          const double scale = wide ? std::pow(10.0, static_cast<double>(random.below(401)) - 200) : 1;
          const double sign = with_signs && random.below(2) == 0 ? -1 : 1;
          return sign * (0.5 + random.uniform()) * scale;
        };
        const Arrow<DoubleDouble, Dyadic> arrow(n, draw, [](DoubleDouble weight) { return dyadic(weight); });
        CAPTURE(seed, n, wide, with_signs);
        for (const Precision precision :
             {Precision::automatic, Precision::float64, Precision::compensated, Precision::double_double}) {
          for (const bool reduce : {true, false}) {
            CountOptions options = with_threads(Method::frontier, 2);
            options.run.precision = precision;
            options.reduce = reduce;
            INFO("precision " << static_cast<int>(precision) << " reduce " << reduce);
            check_real(permanent(arrow.graph, options), arrow.truth, test::log2_abs(arrow.magnitudes),
                       precision == Precision::double_double ? 85 : 35);
          }
        }
      }
    }
  }
}

namespace {

// Checks matrices of 1 to 6 rows by every method, with reductions and without.
template <class T>
void check_small(const Instance<T>& instance) {
  const Checked checked(instance);
  for (const Method method :
       {Method::automatic, Method::frontier, Method::ryser, Method::skipper, Method::staged, Method::expansion}) {
    for (const bool reduce : {true, false}) {
      CountOptions options = with_threads(method, 1);
      options.reduce = reduce;
      checked.check(options);
    }
  }
}

}  // namespace

TEST_CASE("the ends of 64-bit integers and of doubles, subnormal ones too, are entries like others") {
  const std::array integers{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const std::array<double, 4> reals{std::numeric_limits<double>::max(), 5e-324, -1, 2.3e-308};
  for (Vertex n = 1; n <= 6; ++n) {
    for (std::size_t kind = 0; kind < 4; ++kind) {
      Instance<std::int64_t> large{"extreme", 0, n, n, {}};
      Instance<DoubleDouble> extreme{"extreme", 0, n, n, {}};
      for (std::size_t i = 0; i < std::size_t{n} * n; ++i) {
        large.entries.push_back(integers[kind % 2 * (i % 2 == 0 ? 1 : 0)]);
        extreme.entries.emplace_back(reals[kind == 3 ? i * 7 % 4 : kind == 2 ? 3 : kind]);
      }
      if (kind < 2) check_small(large);
      check_small(extreme);
    }
  }
}

TEST_CASE("large easy graphs: paths, cycles and many small blocks of 20000 rows") {
  constexpr Vertex n = 20000;
  std::vector<Edge> path, cycle, pairs;
  for (Vertex i = 0; i < n; ++i) {
    path.push_back({i, i});
    if (i + 1 < n) path.push_back({i, i + 1});
    cycle.push_back({i, i});
    cycle.push_back({i, (i + 1) % n});
    pairs.push_back({i, i});
    pairs.push_back({i, i ^ 1u});
  }
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, path)), 1);
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, cycle)), 2);
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, pairs)), Integer(1) << (n / 2));
  check_exact(count_perfect_matchings(band_graph(n, 0)), 1);
  check_exact(count_perfect_matchings(band_graph(2000, 1)), fibonacci(2001));
}

TEST_CASE("frontiers on both sides of 32, 64 and 128 vertices are counted by every order and engine") {
  // An arrow by rows only: until the hub row comes every column with a processed neighbour waits, with few states.
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u, 66u, 127u, 128u, 129u, 130u}) {
    Random random(seed + 18, n);
    const auto draw = [&] { return static_cast<std::int64_t>(random.below(7)) * 2 - 7; };
    const Arrow<std::int64_t, Integer> arrow(n, draw, [](std::int64_t weight) { return Integer(weight); });
    const BipartiteGraph& graph = arrow.graph;
    const RunContext context;
    CAPTURE(seed, n);
    CHECK(find_frontier_order(graph.pattern(), FrontierStrategy::rows, 1, context).max_width >= n - 3);
    for (const FrontierStrategy strategy : all_strategies) {
      for (const FrontierEngine engine : all_engines) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(Method::frontier, 2);
          options.frontier_strategy = strategy;
          options.frontier_engine = engine;
          options.reduce = reduce;
          INFO("strategy " << name_of(strategy) << ", engine " << name_of(engine) << ", reduce " << reduce);
          try {
            check_exact(permanent(graph, options), arrow.truth);
            check_exact(count_perfect_matchings(graph, options), Integer(n));
          } catch (const Unable& unable) {  // the dense engine stops at frontiers of 62 vertices, and says so
            INFO(unable.what());
            CHECK(((engine == FrontierEngine::dense || engine == FrontierEngine::lean) && n > 62));
          }
        }
      }
    }
  }
}

TEST_CASE("methods that share no code agree where the oracles are too slow, n = 21 to 26") {
  for (const std::size_t n : {21u, 22u, 23u, 24u, 25u, 26u}) {
    for (const double density : {0.2, 0.35, 0.6}) {
      if (density > 0.5 && n > 23) continue;
      const BipartiteGraph graph = random_graph(static_cast<Vertex>(n), static_cast<Vertex>(n), density, seed + n);
      CAPTURE(seed, n, density);
      const Result frontier = count_perfect_matchings(graph, with_threads(Method::frontier, 2));
      const Result staged = count_perfect_matchings(graph, with_threads(Method::staged, 2));
      REQUIRE(std::holds_alternative<Integer>(frontier.value));
      check_exact(staged, std::get<Integer>(frontier.value));
      // The same graph as reals: its exact count lies within the bound.
      const std::vector<DoubleDouble> ones(graph.num_edges(), 1.0);
      const double log2_count = log2_abs(std::get<Integer>(frontier.value));
      check_real(permanent(graph.with_weights(ones)), {std::get<Integer>(frontier.value), 0}, log2_count, 20);
    }
  }
}

TEST_CASE("counts that run at the same time do not disturb each other") {
  constexpr std::size_t num_runs = 4;
  std::vector<Instance<std::int64_t>> instances;
  std::vector<Integer> truths;
  for (std::size_t i = 0; i < num_runs; ++i) {
    instances.push_back(test::integer_instance(Family::half, IntegerWeights::mixed, 12 + i % 2, seed + 19 + i));
    truths.push_back(test::exact_permanent(instances.back()));
  }
  std::vector<int> right(num_runs, 0);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < num_runs; ++i) {
    threads.emplace_back([&, i] {
      const BipartiteGraph graph = instances[i].graph();
      for (const Method method : {Method::automatic, Method::frontier, Method::staged, Method::skipper}) {
        try {
          const Result result = permanent(graph, with_threads(method, 2));
          right[i] += std::get<Integer>(result.value) == truths[i];
        } catch (const std::exception&) {  // counts as wrong below
        }
      }
    });
  }
  threads.clear();
  for (std::size_t i = 0; i < num_runs; ++i) {
    INFO(to_string(instances[i]));
    CHECK(right[i] == 4);
  }
}
