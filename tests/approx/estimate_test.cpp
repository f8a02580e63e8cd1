#include "approx/estimate.hpp"

#include <cmath>

#include "approx/block_sampler.hpp"
#include "approx/blocks.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

EstimateOptions sampled(Estimator method, std::uint64_t samples) {
  return {.method = method, .samples = samples, .exact_rows = 0};
}

bool same(const ScaledReal& a, const ScaledReal& b) {
  return a.mantissa.hi == b.mantissa.hi && a.mantissa.lo == b.mantissa.lo && a.exponent == b.exponent;
}

}  // namespace

TEST_CASE("no perfect matching is exactly 0, with the reason and without a sample") {
  CHECK(estimate_perfect_matchings(BipartiteGraph()).value.to_double() == 1);
  CHECK(estimate_perfect_matchings(complete_graph(3, 5)).hall_violator);
  for (const Family family : {Family::deficient, Family::isolated, Family::empty}) {
    const BipartiteGraph graph = small_matrix(family, 20, false, 3).graph();
    const Estimate estimate = estimate_perfect_matchings(graph, sampled(Estimator::rasmussen, 1000));
    CHECK(estimate.exact);
    CHECK(estimate.value.is_zero());
    CHECK(estimate.log_value == -INFINITY);
    CHECK(estimate.samples == 0);
    REQUIRE(estimate.hall_violator);
    CHECK(is_hall_violator(graph, *estimate.hall_violator));
  }
}

TEST_CASE("small blocks and forced edges are counted exactly") {
  const Estimate path =
      estimate_perfect_matchings(small_matrix(Family::path, 40, false, 1).graph(), sampled(Estimator::automatic, 10));
  CHECK(path.exact);
  CHECK(path.value.to_double() == 1);
  CHECK(path.method == Estimator::structure);
  const Estimate grid = estimate_perfect_matchings(grid_graph(4, 4));
  CHECK(grid.exact);
  CHECK(grid.value.to_double() == 36);
  CHECK(grid.method == Estimator::exact);
  CHECK(same(grid.low, grid.high));
  const SmallMatrix one_row{"", 1, {2.5}};
  CHECK(estimate_permanent(one_row.graph()).value.to_double() == 2.5);
}

TEST_CASE("estimates are the same to the last bit on 1, 2 and 3 threads") {
  const BipartiteGraph graph = grid_graph(10, 10);
  for (const Estimator method :
       {Estimator::automatic, Estimator::rasmussen, Estimator::rasmussen_plus, Estimator::scaling,
        Estimator::scaling_plus, Estimator::guided, Estimator::population}) {
    for (const bool by_error : {false, true}) {
      // Heavy-tailed ones would take long to reach an error.
      if (by_error && method != Estimator::automatic && method != Estimator::guided) continue;
      EstimateOptions options = sampled(method, by_error ? 0 : method == Estimator::population ? 60 : 3000);
      options.relative_error = 0.05;
      options.run.num_threads = 1;
      const Estimate first = estimate_perfect_matchings(graph, options);
      for (const int threads : {2, 3}) {
        options.run.num_threads = threads;
        const Estimate other = estimate_perfect_matchings(graph, options);
        INFO(to_string(method) << " on " << threads << " threads");
        CHECK(same(first.value, other.value));
        CHECK(same(first.low, other.low));
        CHECK(same(first.high, other.high));
        CHECK(first.samples == other.samples);
        CHECK(first.blocks[0].tail_index == other.blocks[0].tail_index);
      }
      options.run.seed = 2;
      CHECK(!same(estimate_perfect_matchings(graph, options).value, first.value));
    }
  }
}

TEST_CASE("blocks multiply and their variances add") {
  // Two 6 x 6 grids side by side and an edge alone: 6728^2.
  const BipartiteGraph grid = grid_graph(6, 6);
  std::vector<Edge> edges = grid.edges();
  const auto n = grid.num_rows();
  for (const Edge& edge : grid.edges()) edges.push_back({edge.row + n, edge.column + n});
  edges.push_back({2 * n, 2 * n});
  const BipartiteGraph both = BipartiteGraph::from_edges(2 * n + 1, 2 * n + 1, edges);
  const Estimate one = estimate_perfect_matchings(grid, sampled(Estimator::guided, 2000));
  const Estimate two = estimate_perfect_matchings(both, sampled(Estimator::guided, 2000));
  REQUIRE(two.blocks.size() == 2);
  CHECK(two.samples == 4000);
  CHECK(two.blocks[0].log_value != two.blocks[1].log_value);  // streams of their own
  const double ratio = two.standard_error / one.standard_error;
  // Two estimated deviations, each of about 5 % relative error.
  CHECK(ratio == Approx(std::sqrt(2)).epsilon(0.2));
  CHECK(std::fabs(two.value.to_double() / (6728.0 * 6728.0) - 1) <= 4.5 * two.standard_error);
}

TEST_CASE("a relative error that is asked for is reached") {
  const EstimateOptions options{.relative_error = 0.02};
  for (const Vertex size : {8u, 12u}) {
    const Estimate estimate = estimate_perfect_matchings(grid_graph(size, size), options);
    CHECK(estimate.relative_error <= 0.02);
    CHECK(!estimate.out_of_time);
    CHECK(estimate.warning.empty());
    const double truth = size == 8 ? std::log(12988816.0) : std::log(53060477521960000.0);
    // Half of a 95 % interval is 2 standard errors: 4.5 of them are 2.3 times that.
    CHECK(std::fabs(estimate.log_value - truth) <= 2.3 * 0.02);
    CHECK(estimate.bracket.log_lower <= truth);
    CHECK(truth <= estimate.bracket.log_upper);
    CHECK(estimate.low.log2_abs() < estimate.value.log2_abs());
    CHECK(estimate.high.log2_abs() > estimate.value.log2_abs());
  }
}

TEST_CASE("weights from 1e-200 to 1e200 are honoured") {
  Random random(9);
  const std::size_t n = 8;
  SmallMatrix matrix{"wide", n, {}};
  // Diagonal scalings of a modest matrix, so that the truth is in reach of doubles.
  std::vector<double> modest, rows, columns;
  for (std::size_t i = 0; i < n; ++i) {
    rows.push_back(100 - 28.0 * static_cast<double>(i));
    columns.push_back(-100 + 28.0 * static_cast<double>(n - 1 - i));
  }
  double log_scale = 0;
  for (std::size_t i = 0; i < n; ++i) log_scale += (rows[i] + columns[i]) * std::log(10.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      modest.push_back(0.5 + random.uniform());
      matrix.entries.push_back(modest.back() * std::pow(10.0, rows[i] + columns[j]));
    }
  }
  const double truth = std::log(reference::permanent_by_subsets(modest, n)) + log_scale;
  for (const Estimator estimator : all_estimators) {
    INFO(to_string(estimator));
    const Estimate estimate = estimate_permanent(matrix.graph(), sampled(estimator, 2000));
    CHECK(std::fabs(estimate.log_value - truth) <= 4.5 * estimate.standard_error + 1e-9);
  }
}

TEST_CASE("bad weights and options are refused") {
  const std::vector<double> negative{1, -1, 1, 1};
  CHECK_THROWS_AS(estimate_permanent(BipartiteGraph::from_dense(2, 2, std::span<const double>(negative))), InputError);
  const std::vector<std::int64_t> integers{1, -1, 1, 1};
  CHECK_THROWS_AS(estimate_permanent(BipartiteGraph::from_dense(2, 2, std::span<const std::int64_t>(integers))),
                  InputError);
  const std::vector<ComplexDoubleDouble> complex(4, ComplexDoubleDouble{1.0, 1.0});
  CHECK_THROWS_AS(estimate_permanent(BipartiteGraph::from_dense(2, 2, std::span<const ComplexDoubleDouble>(complex))),
                  InputError);
  const auto refused = [](auto&& change) {
    EstimateOptions options;
    change(options);
    CHECK_THROWS_AS(estimate_perfect_matchings(grid_graph(4, 4), options), InputError);
  };
  refused([](EstimateOptions& o) { o.confidence = 0; });
  refused([](EstimateOptions& o) { o.confidence = 1; });
  refused([](EstimateOptions& o) { o.confidence = std::nextafter(1.0, 0.0); });
  refused([](EstimateOptions& o) { o.relative_error = 0; });
  refused([](EstimateOptions& o) { o.relative_error = NAN; });
  refused([](EstimateOptions& o) { o.scaling_interval = 0; });
  refused([](EstimateOptions& o) { o.scaling_rounds = -1; });
  refused([](EstimateOptions& o) { o.population = 1; });
  refused([](EstimateOptions& o) { o.method = Estimator::exact; });
  refused([](EstimateOptions& o) { o.method = Estimator::structure; });
  refused([](EstimateOptions& o) { o.run.precision = Precision::float64; });
  CHECK_THROWS_AS(from_string<Estimator>("rasmusen"), InputError);
  CHECK(from_string<Estimator>("scaling+") == Estimator::scaling_plus);
}

TEST_CASE("a time limit ends the sampling with what there is", "[timing]") {
  EstimateOptions options{.relative_error = 1e-9};
  StepClock clock;
  clock.end_at_look(2000, options.run);
  const Estimate estimate = estimate_perfect_matchings(grid_graph(10, 10), options);
  CHECK(estimate.out_of_time);
  CHECK(estimate.samples >= 2);
  CHECK(estimate.relative_error > 1e-9);
  CHECK(clock.looks_after() <= 4);  // the last of each thread, and what the time was
}

TEST_CASE("a time limit ends a sample of a large block too", "[timing]") {
  const BipartiteGraph graph = random_regular_graph(20000, 4, 1);
  // Either two samples were drawn by then or it is said that they were not.
  for (const std::uint64_t looks : {3, 10, 100}) {
    CAPTURE(looks);
    EstimateOptions options = sampled(Estimator::guided, 1000);
    StepClock clock;
    clock.end_at_look(looks, options.run);
    try {
      const Estimate estimate = estimate_perfect_matchings(graph, options);
      CHECK(estimate.out_of_time);
    } catch (const Unable& error) {
      CHECK_THAT(error.what(), ContainsSubstring("time"));
    }
    CHECK(clock.looks_after() <= 4);
  }
}

TEST_CASE("samples that are not believed are said to need longer than they took") {
  BlockSampler sampler(problem_of(grid_graph(12, 12)), 1);
  sampler.choose({.method = Estimator::population}, 1e9, RunContext());
  REQUIRE(std::isfinite(sampler.enough_s(1)));
  CHECK(sampler.enough_s(2) == sampler.enough_s(1) / 2);
  CHECK(sampler.enough_s(1, 1e6) >= 2e6);
}

TEST_CASE("GPUs are left alone where one walk there takes more of the time than the first samples may") {
  BlockSampler sampler(problem_of(grid_graph(12, 12)), 1);
  for (const Estimator method : {Estimator::guided, Estimator::population}) {
    sampler.choose({.method = method}, 1e9, RunContext());
    CHECK(sampler.suits_gpus(60));
    CHECK_FALSE(sampler.suits_gpus(1e-5));
  }
}

TEST_CASE("an estimate lies within its interval, which lies within the bracket, and its error describes it") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random(seed, 0);
    // Entries from 1e-300 to 1e300, where samples may miss all that counts.
    const Vertex n = 13 + static_cast<Vertex>(random.below(8));
    std::vector<double> entries(std::size_t{n} * n);
    for (double& entry : entries) entry = random.below(4) == 0 ? 0 : std::pow(10.0, 600 * random.uniform() - 300);
    for (Vertex i = 0; i < n; ++i) entries[std::size_t{i} * n + i] = std::pow(10.0, 600 * random.uniform() - 300);
    for (const Estimator method : {Estimator::rasmussen, Estimator::scaling_plus, Estimator::guided}) {
      const Estimate estimate = estimate_permanent(BipartiteGraph::from_dense(n, n, entries), sampled(method, 50));
      if (estimate.exact || estimate.unknown) continue;
      const double low = estimate.low.log2_abs(), high = estimate.high.log2_abs(), value = estimate.value.log2_abs();
      constexpr double log2_of_e = 1.4426950408889634, slack = 1e-9;
      CHECK(low <= value + slack);
      CHECK(value <= high + slack);
      CHECK(estimate.bracket.log_lower * log2_of_e <= low + slack * (1 + std::fabs(low)));
      CHECK(high <= estimate.bracket.log_upper * log2_of_e + slack * (1 + std::fabs(high)));
      CHECK(std::fabs(estimate.log_value * log2_of_e - value) <= 1e-9 * (1 + std::fabs(value)));
      const double arm = std::max(std::exp2(high - value) - 1, 1 - std::exp2(low - value));
      CHECK((std::isinf(arm) ? std::isinf(estimate.relative_error) || estimate.relative_error > 1e300
                             : estimate.relative_error >= arm * (1 - 1e-6) - 1e-9));
    }
  }
}

TEST_CASE("a stop token ends the sampling, and what was drawn is the estimate", "[timing]") {
  EstimateOptions options;
  options.relative_error = 1e-9;  // takes for ever
  StepClock clock;
  clock.stop_at_look(2000, options.run);
  const Estimate estimate = estimate_perfect_matchings(grid_graph(10, 10), options);
  CHECK(clock.looks_after() <= 4);  // the last of each thread, and what the time was
  CHECK(estimate.interrupted);
  CHECK_FALSE(estimate.out_of_time);
  CHECK(estimate.samples >= 1024);
  CHECK(estimate.relative_error > 1e-9);
  CHECK(estimate.relative_error < 1);
  clock.stop_at_look(1, options.run);  // before there is a sample
  CHECK_THROWS_AS(estimate_perfect_matchings(grid_graph(10, 10), options), Cancelled);
}

TEST_CASE("where samples can't be believed it is said") {
  // Plain Rasmussen+ on the 20 x 20 grid is off by factors.
  const Estimate grid = estimate_perfect_matchings(grid_graph(20, 20), sampled(Estimator::rasmussen_plus, 20000));
  CHECK(!grid.warning.empty());
  CHECK(grid.zero_fraction > 0.5);
  CHECK(estimate_perfect_matchings(grid_graph(16, 16), sampled(Estimator::guided, 4000)).warning.empty());
  // Every sample dead: the bracket is all that is known.
  const Estimate dead = estimate_perfect_matchings(grid_graph(60, 60), sampled(Estimator::rasmussen_plus, 20));
  CHECK(dead.unknown);
  CHECK(dead.value.is_zero());
  CHECK(std::isinf(dead.relative_error));
  CHECK(!dead.exact);
  CHECK(!dead.warning.empty());
  CHECK(dead.low.log2_abs() * std::log(2.0) == Approx(dead.bracket.log_lower));
  CHECK(dead.high.log2_abs() * std::log(2.0) == Approx(dead.bracket.log_upper));
}

TEST_CASE("where a few matchings may outweigh all others it is said, and the heaviest bounds the interval") {
  // Three weights far apart, at random: 13 x 13 as a dense pattern, once scaled by rows alone.
  const auto with_weights = [](double large, double small, bool by_rows) {
    Random random(7);
    std::vector<Edge> edges;
    std::vector<DoubleDouble> weights;
    for (Vertex r = 0; r < 13; ++r) {
      for (Vertex c = 0; c < 13; ++c) {
        const std::uint64_t which = by_rows ? r % 3 : random.below(3);
        edges.push_back({r, c});
        weights.emplace_back((which == 0 ? large : which == 1 ? small : 1.0) * (1 + random.uniform()));
      }
    }
    return BipartiteGraph::from_edges(13, 13, edges, weights);
  };
  const Matrix uneven = with_weights(1e150, 1e-150, false), tame = with_weights(1e150, 1e-150, true);
  const Estimate doubtful = estimate_permanent(uneven, sampled(Estimator::guided, 2000));
  CHECK_THAT(doubtful.warning, ContainsSubstring("weights differ"));
  const double log_truth = std::get<RealValue>(permanent(uneven).value).value.log2_abs() * std::log(2.0);
  CAPTURE(doubtful.bracket.log_lower, log_truth);
  CHECK(doubtful.bracket.log_lower <= log_truth);
  CHECK(doubtful.bracket.log_lower > log_truth - 50);
  CHECK(doubtful.low.log2_abs() * std::log(2.0) >= doubtful.bracket.log_lower - 1e-6);
  CHECK(estimate_permanent(tame, sampled(Estimator::guided, 2000)).warning.empty());
}

TEST_CASE("cycle covers of a digraph are its matrix's perfect matchings") {
  std::vector<Edge> arcs;
  for (Vertex u = 0; u < 14; ++u) {
    for (Vertex v = 0; v < 14; ++v) arcs.push_back({u, v});
  }
  const Estimate estimate = estimate_cycle_covers(Digraph::from_arcs(14, arcs), sampled(Estimator::guided, 10));
  CHECK(estimate.log_value == Approx(std::lgamma(15.0)).epsilon(1e-12));
}

TEST_CASE("what needs no samples has an interval of what rounding leaves, none for small integers") {
  const Estimate whole = estimate_permanent(BipartiteGraph::from_dense(3, 3, std::vector<std::int64_t>(9, 7)));
  CHECK(whole.exact);
  CHECK(same(whole.low, whole.high));
  CHECK(whole.value.to_double() == 6 * 343);
  // 6 (10^6 + 1)^3 is no double.
  const Estimate large = estimate_permanent(BipartiteGraph::from_dense(3, 3, std::vector<std::int64_t>(9, 1000001)));
  const ScaledReal truth = nearest_real(Integer(6) * 1000001 * 1000001 * 1000001);
  for (const Estimate& estimate :
       {large, estimate_permanent(BipartiteGraph::from_dense(3, 3, std::vector<double>(9, 1000001)))}) {
    CHECK((truth + -estimate.low).mantissa.hi > 0);
    CHECK((estimate.high + -truth).mantissa.hi > 0);
    CHECK(((estimate.high + -estimate.low).log2_abs() < truth.log2_abs() - 50));
  }
}

TEST_CASE("a cycle of two matchings that weigh nearly the same is not taken for the heavier one") {
  // Belief propagation is certain of the heavier one, and the edges of the other are light where they are chosen.
  constexpr Vertex n = 16;
  std::vector<Edge> edges;
  std::vector<DoubleDouble> weights;
  for (Vertex r = 0; r < n; ++r) {
    const bool is_even = r % 2 == 0;
    edges.push_back({r, r});
    weights.emplace_back((is_even ? 1e3 : 1e-3) * (r == 0 ? 4 : 1));
    edges.push_back({r, (r + 1) % n});
    weights.emplace_back((is_even ? 1e-3 : 1e3) * (r == 0 ? 3 : 1));
  }
  const BipartiteGraph cycle = BipartiteGraph::from_edges(n, n, edges, weights);
  int held = 0;
  for (const Estimator method : {Estimator::automatic, Estimator::guided, Estimator::population}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Estimate estimate = estimate_permanent(cycle, {.method = method, .samples = 2000, .run = {.seed = seed}});
      held += estimate.low.to_double() <= 7 && 7 <= estimate.high.to_double();
    }
  }
  CHECK(held >= 54);  // of 60, at 95 %
}
