// Checks that methods run as they are planned.

#include <cstdint>

#include "graph/generate.hpp"
#include "matchcount/agreement.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/instances.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 42;

void check_followed(const Plan& plan, const Result& result) {
  REQUIRE(plan.blocks.size() == result.blocks.size());
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const Forecast& first = plan.blocks[i].forecasts.front();
    CAPTURE(i, first.reason, to_string(first.method), to_string(result.blocks[i].method));
    CHECK(first.applies);
    CHECK(first.method == result.blocks[i].method);
    CHECK(plan.blocks[i].precision == result.blocks[i].precision);
    // The forecast that was followed is the same one.
    const Forecast& followed = result.plan.blocks[i].forecasts.front();
    CHECK(followed.method == first.method);
    CHECK(followed.reason == first.reason);
    CHECK(followed.memory_bytes == first.memory_bytes);
  }
}

CountOptions options_of_turn(std::size_t turn) {
  return {
      .prune = turn % 3 != 0,
      .reduce = turn % 4 != 0,
      .throughput = Throughput{},
      .run = {
          .device = {.kind = DeviceChoice::Kind::cpu}, .num_threads = 1 + static_cast<int>(turn % 2), .seed = turn}};
}

}  // namespace

TEST_CASE("a count, a permanent and a hafnian run as they are planned, n up to 20") {
  std::size_t turn = 0;
  for (const std::size_t n : {1, 3, 5, 6, 8, 9, 12, 14, 16, 18, 20}) {
    for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::triangular,
                                Family::regular, Family::twins, Family::cycle}) {
      const CountOptions options = options_of_turn(++turn);
      const auto integers = test::integer_instance(family, test::all_integer_weights[turn % 5], n, seed);
      const auto reals = test::real_instance(family, test::all_real_weights[turn % 6], n, seed);
      const auto numbers = test::complex_instance(family, test::all_real_weights[turn % 6], n, seed);
      for (const Matrix& matrix : {integers.graph().pattern(), integers.graph(), reals.graph(), numbers.graph()}) {
        CAPTURE(n, static_cast<int>(family), turn, static_cast<int>(matrix.weight_kind()));
        check_followed(plan_permanent(matrix, options), permanent(matrix, options));
      }
    }
  }
}

TEST_CASE("graphs with odd cycles are counted as planned") {
  Random random(seed);
  for (Vertex n = 2; n <= 20; n += 2) {
    for (const double density : {0.2, 0.5, 1.0}) {
      const UndirectedGraph graph = test::random_graph(n, density, random);
      const CountOptions options = options_of_turn(n);
      CAPTURE(n, density, test::to_string(graph));
      check_followed(plan_hafnian(graph, options), hafnian(graph, options));
      std::vector<DoubleDouble> weights;
      for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.emplace_back(random.uniform() - 0.3);
      const UndirectedGraph reals = graph.with_weights(std::move(weights));
      check_followed(plan_hafnian(reals, options), hafnian(reals, options));
    }
  }
}

TEST_CASE("a plan within a memory limit names what such a run follows") {
  // The frontier method takes some MB, inclusion-exclusion next to nothing.
  const BipartiteGraph graph = random_graph(28, 28, 0.3, 5);
  CountOptions options = options_of_turn(1);
  options.reduce = false;
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1'100'000}}) {
    options.run.memory_limit_bytes = limit;
    const Plan plan = plan_permanent(graph, options);
    CHECK(plan.blocks.at(0).forecasts.front().method == (limit == 0 ? Method::frontier : Method::staged));
    check_followed(plan, count_perfect_matchings(graph, options));
  }
}

TEST_CASE("a dense graph with odd cycles is planned for the states that it can have") {
  // With t of 26 vertices processed at most t of the others are matched: far fewer states than 2^24.
  const UndirectedGraph graph = test::complete(26);
  CountOptions options{.method = Method::frontier, .throughput = Throughput{}};
  const Plan plan = plan_hafnian(graph, options);
  CHECK(plan.memory_bytes < 64e6);
  CHECK(plan.seconds < 20);
  options.run.memory_limit_bytes = 64'000'000;
  const Result result = count_perfect_matchings(graph, options);
  CHECK(to_decimal(std::get<Integer>(result.value)) == "7905853580625");  // 25!!
}
