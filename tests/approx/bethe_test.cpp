#include "approx/bethe.hpp"

#include <cmath>

#include "approx/blocks.hpp"
#include "graph/generate.hpp"
#include "matching/reduce.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test;

TEST_CASE("the Bethe bracket holds the permanent of blocks of every kind") {
  const RunContext context;
  for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::cycle,
                              Family::arrow, Family::twins, Family::circulant, Family::regular}) {
    for (const std::size_t n : {2u, 5u, 8u, 10u}) {
      for (const bool weighted : {false, true}) {
        const SmallMatrix matrix = small_matrix(family, n, weighted, 31 * n + weighted);
        const BipartiteGraph graph = matrix.graph();
        const Matching matching = maximum_matching(graph);
        if (!matching.is_perfect()) continue;
        std::vector<RealEntry> entries;
        for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights())) entries.push_back({w, w.hi});
        const auto reduced = reduce(graph, entries, matching, {true, true, false});
        double low = 0, high = 0;
        for (const RealEntry& factor : reduced.factors) {
          low += std::log(factor.value.hi);
          high += std::log(factor.value.hi);
        }
        for (const auto& block : reduced.blocks) {
          std::vector<double> weights;
          for (const RealEntry& entry : block.entries) weights.push_back(entry.value.hi);
          Problem problem = make_problem(block.pattern, weights, maximum_matching(block.pattern));
          // A bracket holds at any messages; at the fixed point it is narrow.
          const BetheBracket rough = bethe_bracket(problem, context);
          propagate(problem, 1000, context);
          const BetheBracket bracket = bethe_bracket(problem, context);
          CHECK(rough.log_lower <= bracket.log_upper);
          CHECK(bracket.log_lower <= rough.log_upper);
          CHECK(bracket.log_upper - bracket.log_lower <= 0.5 * problem.size * std::log(2.0) + 0.01 * problem.size);
          low += bracket.log_lower;
          high += bracket.log_upper;
        }
        INFO(matrix.name);
        const double truth = std::log(matrix.permanent());
        CHECK(low <= truth + 1e-9);
        CHECK(truth <= high + 1e-9);
      }
    }
  }
}

TEST_CASE("the Bethe permanent of the all-ones matrix is its closed form") {
  // Every belief is 1 / n: n^2 edges of (1/n) log n + (1 - 1/n) log(1 - 1/n).
  const RunContext context;
  for (const Vertex n : {2u, 3u, 10u}) {
    Problem problem = problem_of(complete_graph(n, n));
    propagate(problem, 1000, context);
    const double expected = n * std::log(n) + (n > 1 ? n * (n - 1.0) * std::log(1 - 1.0 / n) : 0);
    CHECK(bethe_bracket(problem, context).log_lower == Approx(expected).margin(1e-5));
  }
}
