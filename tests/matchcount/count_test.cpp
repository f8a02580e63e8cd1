// Tests the public functions for counts: checks, plans and what a result says. Values are agreement_test.cpp's.

#include "matchcount/count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/results.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/instances.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20260402;
constexpr std::array all_methods{Method::frontier, Method::trees,   Method::planar,   Method::complement,
                                 Method::cuts,     Method::classes, Method::staged,   Method::sparyser,
                                 Method::skipper,  Method::ryser,   Method::low_rank, Method::power_traces,
                                 Method::expansion};

const Check* find_check(const Result& result, const std::string& name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const Check& check) { return to_string(check.kind) == name; });
  return found == result.checks.end() ? nullptr : &*found;
}

void check_times(const Result& result) {
  const Times& time = result.time_s;
  CAPTURE(time.structure, time.order, time.count, time.total);
  for (const double seconds : {time.structure, time.order, time.count, time.total}) CHECK(seconds >= 0);
  CHECK(time.structure + time.order + time.count <= time.total + 1e-6);
}

// Checks that an answer is consistent in itself, whatever the graph.
void check_result(const Result& result, const BipartiteGraph& graph, std::uint64_t expected_seed) {
  check_times(result);
  CHECK(result.seed == expected_seed);
  CHECK(result.plan.rows == graph.num_rows());
  CHECK(result.plan.columns == graph.num_columns());
  CHECK(result.plan.edges == graph.num_edges());
  REQUIRE(result.blocks.size() == result.plan.blocks.size());
  for (const BlockRun& block : result.blocks) {
    CHECK(block.method != Method::automatic);
    CHECK(block.method != Method::structure);
  }
  if (result.blocks.empty()) {
    CHECK(result.method == Method::structure);
  } else {
    CHECK(std::any_of(result.blocks.begin(), result.blocks.end(),
                      [&](const BlockRun& block) { return block.method == result.method; }));
  }
}

// Says whether the text names one of the inclusion-exclusion methods, which share code.
bool is_subset_method(const std::string& text) {
  return text.find("staged") != std::string::npos || text.find("skipper") != std::string::npos ||
         text.find("ryser") != std::string::npos;
}

// Makes the direct sum of complete graphs, with one useless edge from each to the next.
BipartiteGraph staircase(const std::vector<Vertex>& sizes) {
  std::vector<Edge> edges;
  Vertex begin = 0;
  for (const Vertex size : sizes) {
    if (begin > 0) edges.push_back({begin - 1, begin});
    for (Vertex i = 0; i < size; ++i) {
      for (Vertex j = 0; j < size; ++j) edges.push_back({begin + i, begin + j});
    }
    begin += size;
  }
  return BipartiteGraph::from_edges(begin, begin, edges);
}

}  // namespace

// ---- Checks.

TEST_CASE("verify passes by a method other than the one that answered") {
  for (Vertex n = 2; n <= 16; n += 2) {
    for (const double density : {0.3, 0.6, 1.0}) {
      const BipartiteGraph graph = random_graph(n, n, density, seed + n);
      CAPTURE(n, density, seed + n);
      const Result result = count_perfect_matchings(graph, {.verify = true});
      check_result(result, graph, 1);
      const auto names = check_names(result);
      if (result.plan.hall_violator) {
        CHECK(names == std::set<std::string>{"hall_violator"});
        continue;
      }
      CHECK(names == std::set<std::string>{"matching", "parity", "verify"});
      const std::string by = find_check(result, "verify")->detail;
      if (result.blocks.size() == 1) {
        CHECK(is_subset_method(by) + is_subset_method(std::string(to_string(result.method))) < 2);
        CHECK(by.find(to_string(result.method)) == std::string::npos);
      }
      CHECK(std::get<Integer>(result.value) == std::get<Integer>(count_perfect_matchings(graph).value));
    }
  }
}

TEST_CASE("verify is refused before the count where no second method can be had") {
  CountOptions options{.verify = true, .throughput = Throughput{}, .run = {.num_threads = 2}};
  test::StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 1e9;
  for (const BipartiteGraph& graph : {grid3d_graph(3, 4, 12), grid3d_graph(4, 4, 10)}) {  // more than 62 rows
    CHECK_THAT(unable_message([&] { count_perfect_matchings(graph, options); }), ContainsSubstring("verify"));
  }
  // The frontier takes a moment, 2^58 subsets do not.
  const BipartiteGraph regular = random_regular_graph(60, 3, seed);
  CHECK_THAT(unable_message([&] { count_perfect_matchings(regular, options); }),
             ContainsSubstring("verify") && ContainsSubstring("would need about") && ContainsSubstring("staged"));
  CHECK(clock.looks() < 4000);
  options.verify = false;
  CHECK(check_names(count_perfect_matchings(regular, options)).count("verify") == 0);
}

TEST_CASE("verify has nothing to do where structure gives the answer, and says so") {
  const Result path = count_perfect_matchings(staircase({1, 1, 1, 1, 1}), {.verify = true});
  CHECK(to_string(path.value) == "1");
  REQUIRE(find_check(path, "verify") != nullptr);
  CHECK(find_check(path, "verify")->passed);
  CHECK(path.method == Method::structure);
}

TEST_CASE("integers are checked by parity, everything by a matching or by a Hall violator") {
  const std::set<std::string> exact{"matching", "parity"}, inexact{"matching"}, zero{"hall_violator"};
  CHECK(check_names(count_perfect_matchings(BipartiteGraph())) == exact);
  CHECK(check_names(count_perfect_matchings(grid_graph(4, 4))) == exact);
  CHECK(check_names(count_cycle_covers(Digraph::from_arcs(3, {{0, 1}, {1, 2}, {2, 0}}))) == exact);
  CHECK(check_names(count_cycle_covers(Digraph::from_arcs(3, {{0, 1}, {1, 2}}))) == zero);
  CHECK(check_names(count_perfect_matchings(grid_graph(3, 3))) == zero);
  const std::vector<double> reals{1, 2, 3, 4.5};
  CHECK(check_names(permanent(BipartiteGraph::from_dense(2, 2, reals))) == inexact);
  const std::vector<double> zeros{0, 2, 0, 4.5};
  CHECK(check_names(permanent(BipartiteGraph::from_dense(2, 2, zeros))) == zero);
}

TEST_CASE("every answer 0 for want of a matching comes with vertices that have too few neighbours") {
  int zeros = 0;
  for (std::size_t n = 1; n <= 33; n += n < 8 ? 1 : 5) {
    for (const Family family : test::all_families) {
      const auto instance = test::integer_instance(family, IntegerWeights::ones, n, seed);
      if (family == Family::complete && n > 13) continue;
      const BipartiteGraph graph = instance.graph();
      INFO(to_string(instance));
      const Plan plan = plan_permanent(graph);
      CHECK(plan.hall_violator.has_value() == (plan.maximum_matching < n));
      if (!plan.hall_violator) continue;
      ++zeros;
      CHECK(is_hall_violator(graph, *plan.hall_violator));
      CHECK(plan.blocks.empty());
      CHECK(plan.seconds == 0);
      const Result result = count_perfect_matchings(graph);
      check_result(result, graph, 1);
      CHECK(std::get<Integer>(result.value) == 0);
      REQUIRE(result.plan.hall_violator.has_value());
      CHECK(result.plan.maximum_matching == plan.maximum_matching);
      CHECK(is_hall_violator(graph, *result.plan.hall_violator));
      CHECK(check_names(result) == std::set<std::string>{"hall_violator"});
    }
  }
  CHECK(zeros > 30);
}

// ---- Plans.

TEST_CASE("a plan lists every method, what is followed first, and runs none") {
  for (const BipartiteGraph& graph :
       {complete_graph(10, 10), complete_graph(50, 50), complete_graph(70, 70), grid_graph(16, 16)}) {
    CAPTURE(graph.num_rows(), graph.num_edges());
    CountOptions options{.run = {.device = {.kind = DeviceChoice::Kind::cpu}}};
    int reports = 0;
    options.run.on_progress = [&](const Progress& progress) { reports += progress.phase != "order"; };
    const Plan plan = plan_permanent(graph, options);
    CHECK(reports == 0);
    CHECK(plan.rows == graph.num_rows());
    CHECK(plan.columns == graph.num_columns());
    CHECK(plan.edges == graph.num_edges());
    CHECK(plan.maximum_matching == graph.num_rows());
    CHECK_FALSE(plan.hall_violator.has_value());
    REQUIRE(plan.blocks.size() == 1);
    const auto& forecasts = plan.blocks[0].forecasts;
    REQUIRE(forecasts.size() == all_methods.size());
    for (const Method method : all_methods) {
      CHECK(std::count_if(forecasts.begin(), forecasts.end(), [&](const Forecast& f) { return f.method == method; }) ==
            1);
    }
    CHECK(forecasts.front().applies);
    for (const Forecast& forecast : forecasts) {
      CAPTURE(to_string(forecast.method), forecast.reason);
      CHECK_FALSE(forecast.reason.empty());
      if (forecast.applies) {
        CHECK(std::max(0.02, forecast.seconds) >= forecasts.front().seconds);
        continue;
      }
      CHECK(std::isinf(forecast.seconds));
      static const std::map<Method, std::string> reasons{{Method::planar, "planar"},
                                                         {Method::complement, "of all edges are there"},
                                                         {Method::classes, "of all edges are there"},
                                                         {Method::low_rank, "of all edges are there"},
                                                         {Method::power_traces, "no odd cycle"},
                                                         {Method::trees, "tree"},
                                                         {Method::cuts, "the block "},
                                                         {Method::expansion, "12"}};
      const auto reason = reasons.find(forecast.method);
      CHECK_THAT(forecast.reason, ContainsSubstring(reason == reasons.end() ? "62" : reason->second));
    }
    CHECK(plan.seconds == forecasts.front().seconds);
    CHECK(plan.memory_bytes == forecasts.front().memory_bytes);
  }
}

TEST_CASE("a plan of several blocks adds the seconds and takes the most memory") {
  const Plan plan = plan_permanent(staircase({12, 3, 20, 7}));
  REQUIRE(plan.blocks.size() == 4);
  CHECK(plan.reductions.useless_edges == 3);
  CHECK(plan.reductions.fine_blocks == 4);
  double seconds = 0, memory = 0;
  for (const BlockPlan& block : plan.blocks) {
    CHECK(block.edges == EdgeId{block.size} * block.size);
    seconds += block.forecasts.front().seconds;
    memory = std::max(memory, block.forecasts.front().memory_bytes);
  }
  CHECK(std::fabs(plan.seconds - seconds) <= 1e-12 * seconds);
  CHECK(plan.memory_bytes == memory);
}

TEST_CASE("a plan is made for reals and complex numbers too, zero weights dropped") {
  std::vector<double> reals(15 * 15, 0.5);
  reals[0] = 0;
  const CountOptions cpu{.run = {.device = {.kind = DeviceChoice::Kind::cpu}}};
  const Plan real = plan_permanent(BipartiteGraph::from_dense(15, 15, reals), cpu);
  CHECK(real.edges == 224);
  REQUIRE(real.blocks.size() == 1);
  CHECK(real.blocks[0].forecasts.size() == all_methods.size());
  const std::vector<ComplexDoubleDouble> complex(15 * 15, ComplexDoubleDouble{1.0, -1.0});
  const Plan plan = plan_permanent(BipartiteGraph::from_dense(15, 15, complex));
  REQUIRE(plan.blocks.size() == 1);
  CHECK(plan.seconds > real.seconds);
}

// ---- Methods.

TEST_CASE("names of methods are read as they are written, others are bad input") {
  CHECK(to_string(Method::automatic) == "auto");
  CHECK(from_string<Method>("auto") == Method::automatic);
  // A result alone can't be asked for.
  CHECK_THROWS_AS(from_string<Method>(to_string(Method::structure)), InputError);
  const CountOptions result_alone{.method = Method::structure};
  CHECK_THROWS_AS(count_perfect_matchings(grid_graph(4, 4), result_alone), InputError);
  CHECK_THROWS_AS(plan_permanent(grid_graph(4, 4), result_alone), InputError);
  // Older names are read, and not printed.
  CHECK(from_string<FrontierEngine>("merge") == FrontierEngine::sparse);
  CHECK(from_string<FrontierEngine>("ranked") == FrontierEngine::dense);
  CHECK(to_string(FrontierEngine::dense) == "dense");
  std::set<std::string_view> names;
  for (const Method method : all_methods) {
    CHECK(from_string<Method>(to_string(method)) == method);
    CHECK(names.insert(to_string(method)).second);
  }
  for (const char* name : {"", "Frontier", "frontier ", "automatic", "glynn"}) {
    INFO("name " << name);
    try {
      from_string<Method>(name);
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK_THAT(error.found(), ContainsSubstring(std::string("\"") + name + "\""));
      CHECK_THAT(error.expected(), ContainsSubstring("auto"));
      for (const Method method : all_methods)
        CHECK_THAT(error.expected(), ContainsSubstring(std::string(to_string(method))));
    }
  }
}

TEST_CASE("a method that does not apply to a block is refused when it is asked for, with the reason") {
  CountOptions options;
  for (const Method method : {Method::staged, Method::skipper, Method::ryser}) {
    options.method = method;
    INFO(to_string(method));
    CHECK_THAT(unable_message([&] { count_perfect_matchings(band_graph(63, 3), options); }),
               ContainsSubstring("63") && ContainsSubstring("62"));
  }
  options.method = Method::planar;
  CHECK_THAT(unable_message([&] { count_perfect_matchings(complete_graph(6, 6), options); }),
             ContainsSubstring("not planar"));
  CHECK_THAT(
      unable_message([&] { permanent(BipartiteGraph::from_dense(6, 6, std::vector<double>(36, 0.5)), options); }),
      ContainsSubstring("not planar"));
  options.method = Method::expansion;
  CHECK_THAT(unable_message([&] { count_perfect_matchings(complete_graph(13, 13), options); }),
             ContainsSubstring("13") && ContainsSubstring("12"));
  // It is the blocks that count: 78 rows, none of them in a block of more than 3.
  std::vector<Vertex> sizes(26, 3);
  options.method = Method::staged;
  CHECK(std::get<Integer>(count_perfect_matchings(staircase(sizes), options).value) == pow(Integer(6), 26));
}

TEST_CASE("the method that is asked for is the method that answers") {
  for (const Method method : all_methods) {
    // No piece of these hangs on the rest, and they have no odd cycle.
    if (method == Method::cuts || method == Method::power_traces) continue;
    const bool of_grid = method == Method::planar || method == Method::trees;
    const BipartiteGraph graph = of_grid ? grid_graph(8, 8) : complete_graph(9, 9);
    for (const bool verify : {false, true}) {
      CAPTURE(to_string(method), verify);
      if (method == Method::trees && verify) continue;  // with a check trees are looked for as briefly as by themselves
      const Result result = count_perfect_matchings(graph, {.method = method, .verify = verify});
      CHECK(to_string(result.value) == (of_grid ? "12988816" : "362880"));
      CHECK(result.method == method);
      REQUIRE(result.blocks.size() == 1);
      CHECK(result.blocks[0].method == method);
    }
  }
}

// ---- Results.

TEST_CASE("the empty graph has one perfect matching, one cycle cover and permanent 1") {
  const CountOptions options{.run = {.seed = 77}};
  for (const Result& result : {count_perfect_matchings(BipartiteGraph(), options), permanent(BipartiteGraph(), options),
                               count_cycle_covers(Digraph(), options)}) {
    check_result(result, BipartiteGraph(), 77);
    CHECK(std::get<Integer>(result.value) == 1);
    CHECK(result.blocks.empty());
    CHECK(result.plan.maximum_matching == 0);
    CHECK_FALSE(result.plan.hall_violator.has_value());
  }
  const Plan plan = plan_permanent(BipartiteGraph());
  CHECK(plan.blocks.empty());
  CHECK(plan.seconds == 0);
}

TEST_CASE("a single entry is the permanent") {
  const auto entry = [](auto weight) {
    return BipartiteGraph::from_dense(1, 1, std::vector<decltype(weight)>{weight});
  };
  const Result integer = permanent(entry(std::int64_t{-7}));
  CHECK(std::get<Integer>(integer.value) == -7);
  CHECK(integer.method == Method::structure);
  CHECK(integer.plan.blocks.empty());
  CHECK(to_string(count_perfect_matchings(entry(std::int64_t{-7})).value) == "1");
  const Result real = permanent(entry(-2.5));
  CHECK(to_string(real.value) == "-2.5000000000000000e0");
  CHECK(relative_error(real.value) < 0x1p-90);
  const Result complex = permanent(entry(ComplexDoubleDouble{0.5, -4.0}));
  CHECK(to_string(complex.value) == "5.0000000000000000e-1-4.0000000000000000e0i");
  CHECK(relative_error(complex.value) < 0x1p-90);
  const Digraph loop = Digraph::from_arcs(1, {{0, 0}});
  CHECK(to_string(count_cycle_covers(loop).value) == "1");
}

TEST_CASE("each block is answered on its own and named") {
  const BipartiteGraph graph = staircase({4, 1, 5, 4, 1, 4, 5});
  CountOptions options{.run = {.seed = 5}};
  const Result result = count_perfect_matchings(graph, options);
  check_result(result, graph, 5);
  CHECK(std::get<Integer>(result.value) == Integer(24 * 24 * 24) * 120 * 120);
  CHECK(result.plan.blocks.size() == 5);  // those of one row are factors
  CHECK(result.plan.reductions.fine_blocks == 7);
  CHECK(result.plan.reductions.useless_edges == 6);
  options.prune = false;
  const Result whole = count_perfect_matchings(graph, options);
  check_result(whole, graph, 5);
  CHECK(std::get<Integer>(whole.value) == std::get<Integer>(result.value));
  CHECK(whole.plan.blocks.size() == 1);
  CHECK(whole.plan.reductions.useless_edges == 0);
}
