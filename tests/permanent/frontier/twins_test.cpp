// Vertices with equal neighbourhoods, matched in turn: against oracles that know nothing of them.

#include <algorithm>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/closed_forms.hpp"
#include "support/frontier.hpp"
#include "support/permutations.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20250311;

template <class T>
struct Dense {
  Vertex n = 0;
  std::vector<T> entries;

  BipartiteGraph graph() const { return test::Instance<T>{"", 0, n, n, entries}.graph(); }
  Dense transposed() const {
    Dense result = *this;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) result.entries[c * n + r] = entries[r * n + c];
    }
    return result;
  }
};

// Draws an n x n matrix in which columns are copies of one another, shuffled; the first three quarters of the rows too
// where rows_too is set. value() is asked for every entry that is not 0.
template <class T, class ValueOf>
Dense<T> with_copies(Vertex n, std::uint64_t most_copies, bool rows_too, Random& random, ValueOf&& value) {
  Dense<T> matrix{n, std::vector<T>(std::size_t{n} * n, T(0))};
  const auto columns = test::random_permutation(n, random);
  for (std::size_t done = 0; done < n;) {
    const std::size_t copies = std::min<std::size_t>(n - done, 1 + random.below(most_copies));
    for (std::size_t r = 0; r < n; ++r) {
      if (random.below(3) == 0) continue;
      const T entry = value();
      for (std::size_t i = 0; i < copies; ++i) matrix.entries[r * n + columns[done + i]] = entry;
    }
    done += copies;
  }
  for (std::size_t r = 1; rows_too && r < n * 3 / 4; ++r) {
    if (random.below(2) == 0) continue;
    std::copy_n(matrix.entries.begin() + static_cast<std::ptrdiff_t>((r - 1) * n), n,
                matrix.entries.begin() + static_cast<std::ptrdiff_t>(r * n));
  }
  return matrix;
}

// Rows in a random order before all columns, or the other way round, with the twins of the side that follows.
template <class Entry>
FrontierOrder random_one_sided_order(const Block<Entry>& block, bool rows_first, Random& random) {
  const Vertex n = block.pattern.num_rows();
  FrontierOrder order = order_along(ascending<Vertex>(std::size_t{n} * 2));
  if (!rows_first) std::rotate(order.sequence.begin(), order.sequence.begin() + n, order.sequence.end());
  for (std::size_t i = n; i > 1; --i) std::swap(order.sequence[i - 1], order.sequence[random.below(i)]);
  order.twin_before = find_twins(block);
  if (!order.twin_before.empty()) {
    const auto first = order.twin_before.begin() + (rows_first ? 0 : n);
    std::fill(first, first + n, unmatched);
  }
  return order;
}

}  // namespace

TEST_CASE("twins are columns, or rows, with the same rows and the same entries") {
  // Columns 0 and 2 are equal, 1 has the same rows and another entry, rows 0 and 2 are equal.
  const std::vector<std::int64_t> entries = {1, 1, 1, 0,  //
                                             2, 3, 2, 0,  //
                                             1, 1, 1, 0,  //
                                             0, 0, 0, 1};
  const Block<std::int64_t> block = block_of(BipartiteGraph::from_dense(4, 4, std::span<const std::int64_t>(entries)));
  const std::vector<Vertex> none(8, unmatched);
  std::vector<Vertex> expected = none;
  expected[2] = 0;
  expected[4 + 2] = 4;
  CHECK(find_twins(block) == expected);
  // m - log2(m + 1) with m = 2.
  CHECK(std::fabs(bits_saved(block.pattern, expected) - (2 - std::log2(3.0))) < 1e-12);

  CHECK(find_twins(block_of(grid_graph(4, 4))).empty());
  CHECK(find_twins(block_of(complete_graph(0, 0))).empty());
  CHECK(find_twins(block_of(complete_graph(1, 1))).empty());
  CHECK(bits_saved(block.pattern, {}) == 0);
  const std::vector<Vertex> chain{unmatched, 0, 1, unmatched, 3, 4};
  CHECK(find_twins(block_of(complete_graph(3, 3))) == chain);
}

TEST_CASE("columns or rows matched in turn give the permanent of a signed block, in any order of the other side") {
  Random random(seed);
  int num_with_twins = 0;
  for (Vertex n = 0; n <= 11; ++n) {
    for (int repeat = 0; repeat < 12; ++repeat) {
      const auto matrix = with_copies<std::int64_t>(n, 1 + random.below(5), repeat % 2 == 0, random, [&] {
        return repeat % 3 == 0 ? 1 : static_cast<std::int64_t>(random.below(9)) - 4;
      });
      const Block<std::int64_t> block = block_of(matrix.graph().drop_zeros());
      const Integer truth =
          reference::permanent_by_subsets(std::vector<Integer>(matrix.entries.begin(), matrix.entries.end()), n);
      for (const bool rows_first : {true, false}) {
        const FrontierOrder order = random_one_sided_order(block, rows_first, random);
        num_with_twins += !order.twin_before.empty();
        for (const FrontierEngine engine : {FrontierEngine::automatic, FrontierEngine::twins}) {
          const RunContext context(with_threads(1 + repeat % 3));
          CAPTURE(n, repeat, rows_first, matrix.entries);
          REQUIRE(frontier_value(block, order, engine, context) == truth);
        }
      }
    }
  }
  CHECK(num_with_twins > 100);
}

TEST_CASE("reals and complex numbers with twins err by no more than they say") {
  Random random(seed + 1);
  for (Vertex n = 1; n <= 9; ++n) {
    for (const bool rows_first : {true, false}) {
      const auto reals =
          with_copies<DoubleDouble>(n, 4, false, random, [&] { return DoubleDouble(random.uniform() - 0.4); });
      const auto real = rows_first ? reals : reals.transposed();
      Block<RealEntry> block;
      const BipartiteGraph graph = real.graph();
      for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights())) {
        block.entries.push_back({w, std::fabs(w.hi) * (1 + 0x1p-50)});
      }
      block.pattern = graph.pattern();
      const test::Dyadic truth = test::exact_permanent(test::Instance<DoubleDouble>{"", 0, n, n, real.entries});
      const FrontierOrder order = random_one_sided_order(block, rows_first, random);

      const auto numbers = with_copies<ComplexDoubleDouble>(
          n, 4, false, random, [&] { return ComplexDoubleDouble(random.uniform() - 0.5, random.uniform() - 0.5); });
      const auto complex = rows_first ? numbers : numbers.transposed();
      Block<ComplexEntry> complex_block;
      const BipartiteGraph complex_graph = complex.graph();
      for (const ComplexDoubleDouble& w : std::get<std::vector<ComplexDoubleDouble>>(complex_graph.weights())) {
        complex_block.entries.push_back({w, std::hypot(w.re.hi, w.im.hi) * (1 + 0x1p-50)});
      }
      complex_block.pattern = complex_graph.pattern();
      const test::ComplexDyadic complex_truth =
          test::exact_permanent(test::Instance<ComplexDoubleDouble>{"", 0, n, n, complex.entries});
      const FrontierOrder complex_order = random_one_sided_order(complex_block, rows_first, random);

      for (const auto precision : {Precision::float64, Precision::double_double}) {
        const RunContext context(with_threads(1));
        CAPTURE(n, rows_first, static_cast<int>(precision));
        const RealValue value = frontier_value(block, order, FrontierEngine::twins, precision, context);
        const test::Dyadic error = test::dyadic(value.value) - truth;
        REQUIRE((error.integer == 0 || test::log2_abs(error) <= value.log2_error));
        // Nor is the bound empty: these magnitudes are at most 9! <= 2^19.
        REQUIRE(value.log2_error < (precision == Precision::float64 ? -20 : -68));

        const ComplexValue z = frontier_value(complex_block, complex_order, FrontierEngine::twins, precision, context);
        for (const auto& [part, expected] :
             {std::pair(z.value.re, complex_truth.re), std::pair(z.value.im, complex_truth.im)}) {
          const test::Dyadic part_error = test::dyadic(part) - expected;
          REQUIRE((part_error.integer == 0 || test::log2_abs(part_error) <= z.log2_error));
        }
        REQUIRE(z.log2_error < (precision == Precision::float64 ? -17 : -65));
      }
    }
  }
}

TEST_CASE("the cost of an order with twins is that of its steps, added up afresh") {
  Random random(seed + 2);
  for (int repeat = 0; repeat < 12; ++repeat) {
    const auto matrix =
        with_copies<std::int64_t>(static_cast<Vertex>(8 + 2 * repeat), 3, true, random, [] { return std::int64_t{1}; });
    const Block<std::int64_t> block = block_of(matrix.graph());
    const std::vector<Vertex> twins = find_twins(block);
    const RunContext context;
    for (const auto strategy : {FrontierStrategy::automatic, FrontierStrategy::rows, FrontierStrategy::columns}) {
      for (const double most_seconds : {0.0, 1.0}) {
        CAPTURE(repeat, static_cast<int>(strategy), most_seconds);
        const OrderEffort effort{.most_seconds = most_seconds};
        const FrontierOrder order = find_twins_order(block.pattern, twins, strategy, seed, context, effort);
        REQUIRE_FALSE(order.sequence.empty());
        if (strategy != FrontierStrategy::automatic) REQUIRE(order.strategy == strategy);
        const FrontierSteps steps = frontier_steps(block.pattern, order.sequence, order.twin_before);
        double total = 0;
        double peak = 1;
        for (const FrontierStep& step : steps.steps) {
          REQUIRE_FALSE(step.was_on_frontier);
          total += step.states * (1 + 0.5 * static_cast<double>(step.choices.size()));
          peak = std::max(peak, step.states);
        }
        REQUIRE(std::fabs(order.log2_transitions - std::log2(total)) < 1e-6);
        REQUIRE(std::fabs(order.log2_peak_states - std::log2(peak)) < 1e-6);
        REQUIRE(order.max_width == steps.max_width);
        REQUIRE(find_twins_order(block.pattern, twins, strategy, seed, context, effort).sequence == order.sequence);
      }
    }
  }
  const Block<std::int64_t> grid = block_of(grid_graph(4, 4));
  const RunContext context;
  CHECK(find_twins_order(grid.pattern, {}, FrontierStrategy::automatic, seed, context).sequence.empty());
}

TEST_CASE("a layer with twins never has more states than its bound") {
  // The first t of 12 equal columns are matched after t rows.
  const Block<std::int64_t> block = block_of(complete_graph(12, 12));
  FrontierOrder order = order_along(ascending<Vertex>(24));
  order.twin_before = find_twins(block);
  std::fill_n(order.twin_before.begin(), 12, unmatched);
  const FrontierSteps steps = frontier_steps(block.pattern, order.sequence, order.twin_before);
  for (const FrontierStep& step : steps.steps) CHECK(step.states == 1);
}

TEST_CASE("complete graphs have n! perfect matchings, at 1, 31 to 33, 63 to 65 and 300") {
  for (const Vertex n : {1u, 2u, 6u, 31u, 32u, 33u, 63u, 64u, 65u, 300u}) {
    CAPTURE(n);
    const Result result = count_perfect_matchings(complete_graph(n, n));
    REQUIRE(std::get<Integer>(result.value) == test::factorial(n));
  }
}

TEST_CASE("the planner matches many twins in turn, and leaves a few alone") {
  // Every column of a random 36 x 12 matrix three times.
  const BipartiteGraph third = random_graph(36, 12, 0.35, seed);
  std::vector<Edge> edges;
  for (const Edge& edge : third.edges()) {
    for (Vertex i = 0; i < 3; ++i) edges.push_back({edge.row, 3 * edge.column + i});
  }
  const BipartiteGraph tripled = BipartiteGraph::from_edges(36, 36, edges);
  CountOptions options{.reduce = false, .run = {.num_threads = 1}};
  const Plan plan = plan_permanent(tripled, options);
  const auto frontier = [](const Plan& of) {
    const auto& forecasts = of.blocks.front().forecasts;
    return *std::find_if(forecasts.begin(), forecasts.end(),
                         [](const Forecast& f) { return f.method == Method::frontier; });
  };
  CHECK_THAT(frontier(plan).reason, ContainsSubstring("twins matched in turn"));
  // An order in which the twins come first has no use for them.
  options.frontier_strategy = FrontierStrategy::columns;
  CHECK(frontier(plan_permanent(tripled, options)).reason.find("twins") == std::string::npos);
  options.frontier_strategy = FrontierStrategy::automatic;
  options.frontier_engine = FrontierEngine::dense;
  const Plan without = plan_permanent(tripled, options);
  CHECK(frontier(without).reason.find("twins") == std::string::npos);
  CHECK(frontier(plan).seconds < frontier(without).seconds / 4);

  options.frontier_engine = FrontierEngine::automatic;
  CHECK(frontier(plan_permanent(grid_graph(8, 8), options)).reason.find("twins") == std::string::npos);
  // Asked for where there are none, they change nothing.
  options.frontier_engine = FrontierEngine::twins;
  CHECK(std::get<Integer>(count_perfect_matchings(grid_graph(8, 8), options).value) == 12988816);
}

TEST_CASE("where memory does not hold the layers of the cheaper order, one with twins is taken") {
  // Every vertex of a sparse graph three times.
  const BipartiteGraph once = random_graph(16, 16, 0.15, 6);
  std::vector<Edge> edges;
  for (Vertex i = 0; i < 16; ++i) {
    for (Vertex j = 0; j < 16; ++j) {
      if (i != j && !std::ranges::binary_search(once.row(i), j)) continue;
      for (Vertex copy = 0; copy < 9; ++copy) edges.push_back({3 * i + copy / 3, 3 * j + copy % 3});
    }
  }
  CountOptions options{.method = Method::frontier, .reduce = false};
  const auto reason = [&](std::uint64_t memory) {
    options.run.memory_limit_bytes = memory;
    return plan_permanent(BipartiteGraph::from_edges(48, 48, edges), options).blocks.front().forecasts.front().reason;
  };
  CHECK(reason(1 << 30).find("twins") == std::string::npos);
  CHECK_THAT(reason(150'000), ContainsSubstring("twins matched in turn"));
}

TEST_CASE("orders whose twins are none are refused") {
  const Block<std::int64_t> block = block_of(complete_graph(3, 3));
  const RunContext context;
  FrontierOrder order;
  order.sequence = {0, 1, 2, 3, 4, 5};
  const auto refused = [&](const Block<std::int64_t>& given) {
    REQUIRE_THROWS_AS(frontier_value(given, order, FrontierEngine::twins, context), InputError);
  };
  order.twin_before = {unmatched, unmatched, unmatched, unmatched, 3, 4};
  CHECK(frontier_value(block, order, FrontierEngine::twins, context) == 6);
  // Entries that differ.
  Block<std::int64_t> other = block;
  other.entries[1] = 2;
  refused(other);
  // Neighbours that differ.
  refused(block_of(band_graph(3, 1)));
  // Rows that have steps of their own.
  order.twin_before = {unmatched, 0, 1, unmatched, unmatched, unmatched};
  refused(block);
  // A list of another length.
  order.twin_before = {unmatched, 0};
  refused(block);
}

}  // namespace matchcount
