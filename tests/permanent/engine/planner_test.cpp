#include "permanent/engine/planner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/residue_sum.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;

namespace {

std::size_t num_listed() { return static_cast<std::size_t>(std::ranges::count(methods(), true, &MethodEntry::listed)); }

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double mebibyte = 1048576;

Forecast forecast(Method method, double seconds, double memory_bytes) {
  Forecast result;
  result.method = method;
  result.applies = true;
  result.reason = "as " + std::string(to_string(method)) + " would";
  result.seconds = seconds;
  result.memory_bytes = memory_bytes;
  return result;
}

Forecast inapplicable(Method method, const std::string& reason) {
  Forecast result;
  result.method = method;
  result.reason = reason;
  result.seconds = infinity;
  return result;
}

// Cheapest first, as the contract of BlockPlan has it.
BlockPlan two_methods() {
  BlockPlan plan;
  plan.size = 30;
  plan.edges = 250;
  plan.forecasts = {forecast(Method::frontier, 10, 400 * mebibyte), forecast(Method::staged, 70, mebibyte),
                    inapplicable(Method::expansion, "30 rows are too many")};
  return plan;
}

CountOptions with_memory(double bytes) { return {.run = {.memory_limit_bytes = static_cast<std::uint64_t>(bytes)}}; }

std::string refusal(const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  try {
    choose(plan, options, seconds_left);
  } catch (const Unable& unable) {
    return unable.what();
  }
  FAIL("nothing was refused");
  return {};
}

Block<std::int64_t> ones(const BipartiteGraph& graph) {
  Block<std::int64_t> block;
  block.pattern = graph;
  block.entries.assign(graph.num_edges(), 1);
  return block;
}

// Integers of this size, whatever the block.
NumberType integers(double log2_bound) {
  NumberType number;
  number.log2_bound = log2_bound;
  return number;
}
NumberType integers(const BipartiteGraph& graph) { return integers(std::max(0.0, log2_sum_bound(ones(graph)))); }

CountOptions on_cpu() { return {.run = {.device = {.kind = DeviceChoice::Kind::cpu}}}; }

// Plans on the machine of the cost models, unless the options name another.
PreparedBlock plan_of(const BipartiteGraph& graph, CountOptions options, bool only_if_needed = false) {
  if (!options.throughput) options.throughput = Throughput{};
  const RunContext context(options.run);
  const Block<std::int64_t> block = ones(graph);
  return plan_block(&block, integers(graph), options, only_if_needed, context);
}

double seconds_of(const PreparedBlock& prepared, const BipartiteGraph& graph, const Forecast& forecast,
                  const NumberType& number, const CountOptions& options) {
  const Block<std::int64_t> block = ones(graph);
  return predicted_seconds(prepared, &block, forecast, number, options, RunContext(options.run));
}

const Forecast& find(const BlockPlan& plan, Method method) {
  const auto found = std::find_if(plan.forecasts.begin(), plan.forecasts.end(),
                                  [&](const Forecast& candidate) { return candidate.method == method; });
  REQUIRE(found != plan.forecasts.end());
  return *found;
}

}  // namespace

TEST_CASE("choose takes the cheapest where the limits are wide") {
  const BlockPlan plan = two_methods();
  const CountOptions wide = with_memory(1000 * mebibyte);
  const Forecast& chosen = choose(plan, wide, infinity);
  CHECK(chosen.method == Method::frontier);
  CHECK(&chosen == plan.forecasts.data());  // no copy: it lives as long as the plan
  CHECK(choose(plan, wide, 1000).method == Method::frontier);
}

TEST_CASE("choose leaves a prediction a factor of 2 of the time, and the memory none") {
  const BlockPlan plan = two_methods();
  const CountOptions enough = with_memory(400 * mebibyte);
  CHECK(choose(plan, enough, 5).method == Method::frontier);
  CHECK_THROWS_AS(choose(plan, enough, 4.99), Unable);
  CHECK_THROWS_AS(choose(plan, enough, 0), Unable);
  CHECK_THROWS_AS(choose(plan, enough, -3), Unable);
  CHECK(choose(plan, enough, infinity).method == Method::frontier);
}

TEST_CASE("choose passes on to a slower method that keeps within the memory") {
  const BlockPlan plan = two_methods();
  const CountOptions little = with_memory(399 * mebibyte);
  CHECK(choose(plan, little, infinity).method == Method::staged);
  CHECK(choose(plan, little, 35).method == Method::staged);
  CHECK_THROWS_AS(choose(plan, little, 34.9), Unable);
  CHECK_THROWS_AS(choose(plan, with_memory(0.5 * mebibyte), infinity), Unable);
}

TEST_CASE("choose never takes a method that does not apply, and says why where none does") {
  BlockPlan plan = two_methods();
  plan.forecasts[0].applies = false;
  CHECK(choose(plan, with_memory(1000 * mebibyte), infinity).method == Method::staged);
  plan.forecasts = {inapplicable(Method::staged, "99 rows are too many")};
  const std::string none = refusal(plan, with_memory(1000 * mebibyte), infinity);
  CHECK_THAT(none, ContainsSubstring("no method applies") && ContainsSubstring("30 rows") &&
                       ContainsSubstring("99 rows are too many"));
  plan.forecasts = {inapplicable(Method::planar, "too far from the plane"),
                    inapplicable(Method::trees, "no narrow tree"), inapplicable(Method::frontier, "width 99")};
  CHECK_THAT(refusal(plan, {}, infinity), ContainsSubstring("planar (too far from the plane); trees (no narrow tree)"));
  const CountOptions on_gpus{.run = {.device = {.kind = DeviceChoice::Kind::cuda}}};
  CHECK_THAT(refusal(plan, on_gpus, infinity), ContainsSubstring("no method for GPUs applies") &&
                                                   ContainsSubstring("frontier (width 99)") &&
                                                   !ContainsSubstring("tree"));
  plan.forecasts.clear();
  CHECK_THAT(refusal(plan, {}, infinity), ContainsSubstring("no method applies"));
}

TEST_CASE("a refusal names what the cheapest would need and what the limits leave") {
  BlockPlan plan = two_methods();
  CountOptions limits = with_memory(512 * mebibyte);
  limits.run.time_limit_s = 1.5;
  const std::string time = refusal(plan, limits, 1.5);
  CAPTURE(time);
  for (const char* part : {"30 rows", "250 edges", "10 s", "400 MiB", "frontier", "as frontier would",
                           "the time limit leaves 1.5 s", "512 MiB"}) {
    CHECK_THAT(time, ContainsSubstring(part));
  }
  const std::string memory = refusal(plan, with_memory(mebibyte / 2), infinity);
  CAPTURE(memory);
  for (const char* part : {"10 s", "400 MiB", "the memory limit leaves 512 KiB"})
    CHECK_THAT(memory, ContainsSubstring(part));
  CHECK_THAT(memory, !ContainsSubstring("time limit"));

  plan.forecasts[0] = forecast(Method::frontier, 7200, 3 * 1024 * mebibyte);
  plan.forecasts.resize(1);
  CHECK_THAT(refusal(plan, with_memory(mebibyte), 1), ContainsSubstring("2.0 h") && ContainsSubstring("3 GiB"));
  plan.forecasts[0].seconds = 1000 * 31556952.0;
  CHECK_THAT(refusal(plan, with_memory(mebibyte), 1), ContainsSubstring("1000 years"));
}

TEST_CASE("every method is forecast once: what is followed first, then the cheapest, then what does not apply") {
  struct Case {
    const char* name;
    BipartiteGraph graph;
    std::size_t num_applicable;
  };
  for (const Case& c : {Case{"complete 12", complete_graph(12, 12), 8}, Case{"complete 13", complete_graph(13, 13), 7},
                        Case{"band 62", band_graph(62, 2), 6}, Case{"band 63", band_graph(63, 2), 2},
                        Case{"regular 24", random_regular_graph(24, 4, 3), 5}}) {
    INFO(c.name);
    const PreparedBlock block = plan_of(c.graph, on_cpu());
    CHECK(block.plan.size == c.graph.num_rows());
    CHECK(block.plan.edges == c.graph.num_edges());
    REQUIRE(block.plan.forecasts.size() == num_listed());
    for (const Method method : {Method::frontier, Method::planar, Method::complement, Method::classes, Method::low_rank,
                                Method::staged, Method::skipper, Method::sparyser, Method::ryser, Method::expansion}) {
      find(block.plan, method);  // requires it
    }
    // The method that is followed is the cheapest, or so cheap that it makes no difference.
    CHECK(block.plan.forecasts[0].seconds <= std::max(0.02, block.plan.forecasts[1].seconds));
    CHECK(block.plan.forecasts[0].method == plan_of(c.graph, on_cpu(), true).plan.forecasts.front().method);
    for (std::size_t i = 0; i < 7; ++i) {
      const Forecast& current = block.plan.forecasts[i];
      CAPTURE(to_string(current.method), current.seconds, current.reason);
      CHECK(current.applies == (i < c.num_applicable));
      CHECK_FALSE(current.reason.empty());
      CHECK(std::isfinite(current.seconds) == current.applies);
      if (current.applies) CHECK(current.memory_bytes > 0);
      if (i > 1 && current.applies) CHECK(block.plan.forecasts[i - 1].seconds <= current.seconds);
    }
  }
  const PreparedBlock large = plan_of(band_graph(63, 2), {});
  for (const Method method : {Method::staged, Method::skipper, Method::ryser}) {
    CHECK_THAT(find(large.plan, method).reason, ContainsSubstring("63") && ContainsSubstring("62"));
  }
  CHECK_THAT(find(large.plan, Method::expansion).reason, ContainsSubstring("63") && ContainsSubstring("12"));
}

TEST_CASE("one method plays each part around which others are planned") {
  using Entry = MethodEntry;
  const auto num_with = [](auto fact) { return std::ranges::count_if(methods(), fact); };
  CHECK(num_with(&Entry::takes_every_block) == 1);
  CHECK(num_with(&Entry::takes_entries_as_held) == 1);
  CHECK(num_with(&Entry::leaves_parts) == 1);
  CHECK(num_with(&Entry::verifies_odd_cycles) == 1);
  CHECK(num_with(&Entry::unplanned_below) == 1);
  CHECK(num_with(&Entry::most_seconds) == 1);
  for (const MatchingsBy by : {MatchingsBy::layers, MatchingsBy::tree, MatchingsBy::pairs})
    CHECK(std::ranges::count(methods(), by, &Entry::matchings) == 1);
  for (const auto scale : {&Throughput::frontier_scale, &Throughput::ryser_scale})
    CHECK(num_with([&](const Entry& entry) { return entry.workload && entry.scale == scale; }) == 1);
  CHECK_THROWS_AS(entry_of(Method::structure), InputError);
}

TEST_CASE("a method that is asked for is the only one that is planned") {
  const BipartiteGraph graph = complete_graph(11, 11);
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::sparyser, Method::ryser,
                              Method::forbert_marx, Method::expansion}) {
    INFO(to_string(method));
    CountOptions options = on_cpu();
    options.method = method;
    for (const bool only_if_needed : {false, true}) {
      const PreparedBlock block = plan_of(graph, options, only_if_needed);
      REQUIRE(block.plan.forecasts.size() == 1);
      CHECK(block.plan.forecasts.front().method == method);
      CHECK(block.plan.forecasts.front().applies);
      CHECK(choose(block.plan, options, infinity).method == method);
    }
  }
}

TEST_CASE("plans are kept under the method that they are for") {
  const PreparedBlock prepared = plan_of(complete_graph(14, 14), on_cpu());
  std::set<const MethodPlan*> plans;
  for (const Forecast& forecast : prepared.plan.forecasts) {
    CHECK((prepared.plan_of(forecast) != nullptr) == forecast.applies);
    if (forecast.applies) plans.insert(prepared.plan_of(forecast));
  }
  CHECK(plans.size() == 8);  // complement, classes, low-rank, frontier, staged, skipper, sparyser, ryser
}

TEST_CASE("a block that is counted in a moment is not planned further") {
  const PreparedBlock grid = plan_of(grid_graph(18, 18), {}, true);
  REQUIRE(grid.plan.forecasts.size() == 1);
  CHECK(grid.plan.forecasts.front().method == Method::planar);
  const PreparedBlock cube = plan_of(grid3d_graph(4, 4, 4), {}, true);
  CHECK(cube.plan.forecasts.front().method == Method::frontier);
  CHECK(find(cube.plan, Method::planar).reason == "not planar");
  CHECK(std::ranges::none_of(cube.plan.forecasts, [](const Forecast& f) { return f.method == Method::staged; }));
  CHECK_THAT(plan_of(torus_graph(18, 16), {}, true).plan.forecasts.front().reason, ContainsSubstring("4 Pfaffians"));
  // 2^46 states are no matter of a moment.
  const PreparedBlock dense = plan_of(random_graph(50, 50, 0.7, 3), {}, true);
  CHECK(dense.plan.forecasts.front().method == Method::staged);
  CHECK(dense.plan.forecasts.size() > 1);
}

TEST_CASE("a small sparse block of integers is counted along the first order at hand, and not planned further") {
  for (const BipartiteGraph& graph : {grid_graph(6, 6), grid_graph(10, 12), torus_graph(8, 6), hexagon_graph(4, 4, 4),
                                      random_regular_graph(24, 3, 5), grid_graph(4, 64)}) {
    CAPTURE(graph.num_rows());
    const PreparedBlock only = plan_of(graph, on_cpu(), true);
    REQUIRE(only.plan.forecasts.size() == 1);
    CHECK(only.plan.forecasts.front().method == Method::frontier);
    CHECK(only.momentary == Method::frontier);
    // The speed of this machine is not measured for that.
    const Block<std::int64_t> block = ones(graph);
    const PreparedBlock here = plan_block(&block, integers(graph), on_cpu(), true, RunContext(on_cpu().run));
    CHECK(here.plan.forecasts.front().seconds == only.plan.forecasts.front().seconds);
    const PreparedBlock all = plan_of(graph, on_cpu());
    CHECK(all.plan.forecasts.front().method == Method::frontier);
    CHECK(all.plan.forecasts.front().reason == only.plan.forecasts.front().reason);
    CHECK(all.plan.forecasts.size() == num_listed());
  }
  // Small, but with too many transitions for that; too large; to be verified; to be searched; other numbers.
  CHECK(plan_of(grid_graph(16, 16), on_cpu(), true).plan.forecasts.front().method == Method::planar);
  CHECK(plan_of(grid_graph(4, 65), on_cpu(), true).plan.forecasts.front().method == Method::planar);
  CountOptions verified = on_cpu(), searched = on_cpu();
  verified.verify = true;
  searched.effort_s = 1e-6;
  for (const CountOptions& options : {verified, searched})
    CHECK(plan_of(grid_graph(8, 8), options, true).plan.forecasts.front().method == Method::planar);
  Block<RealEntry> reals;
  reals.pattern = grid_graph(8, 8);
  reals.entries.assign(reals.pattern.num_edges(), RealEntry{1.0, 1.0});
  const PreparedBlock real = plan_block(&reals, number_type(&reals, Precision::double_double), on_cpu(), true, {});
  CHECK(real.plan.forecasts.front().method == Method::planar);
}

TEST_CASE("predictions are in this machine's seconds") {
  const BipartiteGraph graph = random_graph(30, 30, 0.5, 5);
  CountOptions one, slow;
  one.run.num_threads = slow.run.num_threads = 1;
  one.throughput = Throughput{};
  slow.throughput = Throughput{3, 7};
  const PreparedBlock block = plan_of(graph, one);
  const NumberType number = integers(graph);
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser}) {
    INFO(to_string(method));
    const Forecast& forecast = find(block.plan, method);
    const double reference = seconds_of(block, graph, forecast, number, one);
    CHECK(reference == forecast.seconds);
    const double factor = method == Method::frontier ? 3 : 7;
    CHECK(std::fabs(seconds_of(block, graph, forecast, number, slow) / reference - factor) < 1e-9);
    CountOptions two = one;
    two.run.num_threads = 2;
    const double parallel = seconds_of(block, graph, forecast, number, two);
    CHECK(parallel < reference);
    CHECK(parallel >= reference / 2);
  }
}

TEST_CASE("more precision, complex numbers and longer integers are never predicted to be cheaper") {
  const CountOptions options{.run = {.num_threads = 1}};
  const BipartiteGraph graph = random_graph(28, 28, 0.4, 6);
  const PreparedBlock block = plan_of(graph, options);
  for (const Method method : {Method::frontier, Method::staged}) {
    INFO(to_string(method));
    const auto seconds = [&](WeightKind kind, Precision precision, double log2_bound) {
      NumberType number;
      number.kind = kind;
      number.precision = precision;
      number.nonnegative = false;
      number.log2_bound = log2_bound;
      return seconds_of(block, graph, find(block.plan, method), number, options);
    };
    const double real = seconds(WeightKind::real, Precision::float64, 0);
    CHECK(real > 0);
    CHECK(real < seconds(WeightKind::real, Precision::double_double, 0));
    CHECK(real < seconds(WeightKind::complex, Precision::float64, 0));
    CHECK(seconds(WeightKind::complex, Precision::float64, 0) <
          seconds(WeightKind::complex, Precision::double_double, 0));
    CHECK(seconds(WeightKind::integer, Precision::automatic, 60) <
          seconds(WeightKind::integer, Precision::automatic, 1200));
  }
}

TEST_CASE("the same block, options and seed give the same order and plans") {
  const BipartiteGraph graph = random_graph(26, 26, 0.3, 7);
  for (const std::uint64_t seed : {1u, 2u}) {
    CAPTURE(seed);
    CountOptions options{.run = {.seed = seed}};
    const PreparedBlock a = plan_of(graph, options);
    options.run.num_threads = 3;
    const PreparedBlock b = plan_of(graph, options);
    for (const Forecast& forecast : a.plan.forecasts) {
      const Forecast& other = find(b.plan, forecast.method);
      CHECK(forecast.reason == other.reason);
      CHECK(forecast.log2_operations == other.log2_operations);
    }
  }
}

TEST_CASE("the CPU is never taken where a GPU was asked for, nor a GPU where the CPU was") {
  CountOptions cpu, cuda;
  cpu.run.device.kind = DeviceChoice::Kind::cpu;
  cuda.run.device.kind = DeviceChoice::Kind::cuda;
  Forecast here, there, expansion;
  const auto rows = [](Vertex size) {
    BlockPlan block;
    block.size = size;
    return block;
  };
  here.method = there.method = Method::staged;
  there.on_gpu = true;
  expansion.method = Method::expansion;
  CHECK(allowed(here, rows(30), cpu));
  CHECK_FALSE(allowed(there, rows(30), cpu));
  CHECK_FALSE(allowed(here, rows(30), cuda));
  CHECK(allowed(there, rows(30), cuda));
  CHECK(allowed(here, rows(30), {}));
  CHECK(allowed(there, rows(30), {}));
  // A few rows are expanded wherever the rest is counted.
  CHECK(allowed(expansion, rows(4), cuda));
  CHECK_FALSE(allowed(expansion, rows(10), cuda));
  BlockPlan general = rows(10);  // five pairs of vertices
  general.bipartite = false;
  CHECK(allowed(expansion, general, cuda));
  general.size = 12;
  CHECK_FALSE(allowed(expansion, general, cuda));
  cuda.method = Method::ryser;
  CHECK_FALSE(allowed(there, rows(30), cuda));
}

TEST_CASE("without a GPU asking for one is refused, and sparyser counts on the CPU") {
  if (!find_devices().devices.empty()) MATCHCOUNT_SKIP("there is a GPU");
  const BipartiteGraph graph = random_graph(20, 20, 0.5, 5);
  CHECK_THROWS_AS(count_perfect_matchings(graph, {.run = {.device = {.kind = DeviceChoice::Kind::cuda}}}), Unable);
  const CountOptions sparyser{.method = Method::sparyser};
  const Result counted = count_perfect_matchings(graph, sparyser);
  CHECK(counted.method == Method::sparyser);
  CHECK(std::get<Integer>(counted.value) == std::get<Integer>(count_perfect_matchings(graph).value));
}

TEST_CASE("inclusion-exclusion on a GPU that is here is refused with what to install where nothing compiles for it") {
  const std::string why_not = why_no_kernel_compiler();
  if (why_not.empty()) MATCHCOUNT_SKIP("NVRTC is here");
  DeviceInfo here = known_device("h200");
  here.driver_version = 12'040;
  CountOptions options{.method = Method::staged,
                       .run = {.device = {.kind = DeviceChoice::Kind::cuda, .assumed = {here}}}};
  const BipartiteGraph graph = random_graph(16, 16, 0.5, 5);
  REQUIRE_THROWS_WITH(count_perfect_matchings(graph, options), ContainsSubstring(why_not));
  // Any device: the CPU counts.
  options.run.device.kind = DeviceChoice::Kind::automatic;
  CHECK(count_perfect_matchings(graph, options).gpus.empty());
  // A machine that is assumed has what it needs.
  options.run.device = {DeviceChoice::Kind::cuda, {}, 0, 1, {known_device("h200")}};
  CHECK(plan_permanent(graph, options).blocks.front().forecasts.front().on_gpu);
}
