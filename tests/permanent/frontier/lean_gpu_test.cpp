// Counts on GPUs, layers in one array of the device: against the CPU, which is tested against the oracles.

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/instances.hpp"
#include "permanent/frontier/residues.hpp"
#include "support/catch.hpp"
#include "support/frontier.hpp"
#include "support/graphs.hpp"
#include "support/skip.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261124;
using Residue = std::uint32_t;

std::vector<Residue> residues_on_cpu(const FrontierSteps& steps, const std::vector<std::int64_t>& entries,
                                     std::size_t planes, std::uint64_t limit = residue_limit) {
  Residues arithmetic(entries, primes_below(limit, planes));
  const RunContext run(with_threads(2));
  return FrontierRun<Residues>(steps, arithmetic, FrontierEngine::automatic, run, "", "").run();
}
template <class Number = Residues>
std::vector<Residue> residues_on_gpu(const FrontierSteps& steps, const std::vector<std::int64_t>& entries,
                                     std::size_t planes, gpu::FrontierDevice& device,
                                     std::uint64_t limit = residue_limit) {
  Number arithmetic(entries, primes_below(limit, planes));
  return gpu::run_on_gpu(steps, arithmetic, device, RunContext(with_threads(2)), "", "", {});
}

TEST_CASE("a GPU gives the permanent of any block along any sequence, n = 0 to 10", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  Random random(seed);
  for (const auto family : test::all_families) {
    for (const auto weights : {test::IntegerWeights::ones, test::IntegerWeights::mixed}) {
      for (std::size_t n = 0; n <= 10; ++n) {
        const auto instance = test::integer_instance(family, weights, n, seed + n);
        const BipartiteGraph graph = instance.graph();
        INFO(to_string(instance));
        const Integer truth =
            reference::permanent_by_subsets(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), n);
        const FrontierOrder order = order_along(shuffled_sequence(graph.num_rows() + graph.num_columns(), random));
        REQUIRE(frontier_value(block_of(graph), order, FrontierEngine::lean, RunContext(with_threads(1)),
                               {found.devices.front()}) == truth);
      }
    }
  }
}

TEST_CASE("a GPU gives hafnians of 0 to 14 vertices, weights of both signs", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 1);
  for (Vertex n = 0; n <= 14; ++n) {
    for (const double density : {0.2, 0.5}) {
      const UndirectedGraph graph = test::with_integers(test::random_graph(n, density, random), -5, 11, random);
      CAPTURE(seed, test::to_string(graph));
      CHECK(frontier_value(block_of(graph), order_along(shuffled_sequence(n, random)), FrontierEngine::automatic,
                           RunContext(with_threads(1)), found.devices) == test::hafnian_by_oracle(graph));
    }
  }
}

TEST_CASE("wide layers on a GPU have the residues of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices.front());
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const FrontierSteps& steps = all[i].second;
    const std::vector<Residue> truth = residues_on_cpu(steps, entries[i], 3);
    const std::size_t span = std::max(gpu::side_by_side_states(steps), gpu::side_by_side_states(joined_steps(steps)));
    for (const int planes : {1, 3}) {
      CAPTURE(all[i].first, i, span, planes);
      gpu::FrontierDevice device({context}, planes, span, sizeof(Residue));
      const auto count = static_cast<std::size_t>(planes);
      for (int pass = 0; pass < 2; ++pass) {
        REQUIRE(std::ranges::equal(residues_on_gpu(pass == 0 ? steps : joined_steps(steps), entries[i], count, device),
                                   std::span(truth).first(count)));
      }
    }
    gpu::FrontierDevice small({context}, 1, span / 3, sizeof(Residue));
    CHECK_THROWS_AS(residues_on_gpu(steps, entries[i], 1, small), Unable);
  }
}

TEST_CASE("large layers on a GPU are the same in place as side by side", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices.front());
  const FrontierSteps steps = joined_steps(test::large_steps(seed));
  const std::vector<std::int64_t> ones(steps.num_vertices * std::size_t{steps.num_vertices}, 1);
  const std::size_t tight = test::least_states(steps, 1), most = gpu::side_by_side_states(steps);
  REQUIRE(tight < most);
  gpu::FrontierDevice device({context}, 1, most, sizeof(Residue)), small({context}, 1, tight, sizeof(Residue));
  CHECK(residues_on_gpu(steps, ones, 1, device) == residues_on_gpu(steps, ones, 1, small));
}

TEST_CASE("devices that hold each layer together have the residues of one, in place too", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo first = found.devices.front(), last = found.devices.back();
  if (!reach_each_other({first, last})) MATCHCOUNT_SKIP("the devices do not reach each other");
  const DeviceContext context(first), other(last);
  const FrontierSteps steps = test::large_steps(seed);
  const std::vector<std::int64_t> ones(steps.num_vertices * std::size_t{steps.num_vertices}, 1);
  gpu::FrontierDevice alone({context}, 2, gpu::side_by_side_states(steps), sizeof(Residue)),
      pair({context, other}, 2, gpu::side_by_side_states(steps, 2), sizeof(Residue)),
      three({context, other, context}, 2, test::least_states(steps, 3), sizeof(Residue));
  const std::vector<Residue> truth = residues_on_gpu(steps, ones, 2, alone);
  CHECK(residues_on_gpu(steps, ones, 2, pair) == truth);
  CHECK(residues_on_gpu(steps, ones, 2, three) == truth);
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].first, i);
    const FrontierSteps joined = joined_steps(all[i].second);
    gpu::FrontierDevice small({context, other}, 1, gpu::side_by_side_states(joined, 2), sizeof(Residue));
    CHECK(residues_on_gpu(joined, entries[i], 1, small) == residues_on_cpu(all[i].second, entries[i], 1));
  }
}

TEST_CASE("residues of 2 bytes are those of 4 modulo the same primes, on one device or several, in place too",
          "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo first = found.devices.front(), last = found.devices.back();
  if (!reach_each_other({first, last})) MATCHCOUNT_SKIP("the devices do not reach each other");
  const DeviceContext context(first), other(last);
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].first, i);
    const FrontierSteps joined = joined_steps(all[i].second);
    const std::vector<Residue> truth = residues_on_cpu(all[i].second, entries[i], 2, small_residue_limit);
    gpu::FrontierDevice alone({context}, 2, gpu::side_by_side_states(joined), 2),
        pair({context, other}, 2, gpu::side_by_side_states(joined, 2), 2),
        three({context, other, context}, 2, test::least_states(joined, 3), 2);
    for (gpu::FrontierDevice* const device : {&alone, &pair, &three})
      CHECK(residues_on_gpu<SmallResidues>(joined, entries[i], 2, *device, small_residue_limit) == truth);
  }
}

TEST_CASE("a GPU takes residues of 2 bytes where those of 4 have no room, and more of them") {
  const FrontierSteps steps = test::large_steps(seed);
  const double log2_bound = 100;
  std::vector<int> bytes;
  for (double free_bytes = 1e10; free_bytes > 1e7; free_bytes /= 1.3) {
    const GpuTeams teams =
        gpu_teams(steps, FrontierEngine::automatic, log2_bound, {known_device("h200")}, 1, free_bytes);
    CAPTURE(free_bytes, teams.bytes, teams.primes);
    CHECK(teams.gpus == 1);
    CHECK(teams.all_primes == (teams.bytes == 4 ? 4 : 7));
    bytes.push_back(teams.primes == 0 ? 0 : teams.bytes);
  }
  CHECK(std::ranges::is_sorted(bytes, std::ranges::greater{}));
  for (const int each : {4, 2, 0}) CHECK(std::ranges::count(bytes, each) > 0);
}

TEST_CASE("reals and complex numbers on a GPU have the values and the bounds of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  const auto check = [&](const Matrix& matrix, Precision precision) {
    CountOptions on_gpu, on_cpu;
    on_gpu.method = on_cpu.method = Method::frontier;
    on_gpu.run.precision = on_cpu.run.precision = precision;
    on_gpu.run.device.kind = DeviceChoice::Kind::cuda;
    on_cpu.run.device.kind = DeviceChoice::Kind::cpu;
    const Result gpu = permanent(matrix, on_gpu), cpu = permanent(matrix, on_cpu);
    CAPTURE(to_string(gpu.value), to_string(cpu.value), to_string(precision));
    CHECK_FALSE(gpu.gpus.empty());
    if (const auto* real = std::get_if<RealValue>(&gpu.value)) {
      const RealValue& truth = std::get<RealValue>(cpu.value);
      const ScaledReal difference = real->value + -truth.value;
      CHECK(difference.log2_abs() <= 1 + std::max(real->log2_error, truth.log2_error));
      CHECK(real->log2_error <= truth.log2_error + 0.01);
    } else {
      const ComplexValue& complex = std::get<ComplexValue>(gpu.value);
      const ComplexValue& truth = std::get<ComplexValue>(cpu.value);
      const double bound = 1 + std::max(complex.log2_error, truth.log2_error);
      CHECK((complex.value.re + -truth.value.re).log2_abs() <= bound);
      CHECK((complex.value.im + -truth.value.im).log2_abs() <= bound);
    }
  };
  Random random(seed, 3);
  for (const Vertex n : {3u, 12u, 24u, 30u}) {
    const BipartiteGraph pattern = random_regular_graph(n, std::min<Vertex>(n, 5), seed + n);
    std::vector<DoubleDouble> reals(pattern.num_edges());
    std::vector<ComplexDoubleDouble> complexes(pattern.num_edges());
    for (const int spread : {0, 300}) {  // powers of two, so that layers are scaled
      for (std::size_t i = 0; i < reals.size(); ++i) {
        const auto draw = [&] {
          return (2 * random.uniform() - 1) * std::exp2(static_cast<double>(random.below(1 + spread)));
        };
        reals[i] = DoubleDouble(draw());
        complexes[i] = {DoubleDouble(draw()), DoubleDouble(draw())};
      }
      for (const Precision precision : {Precision::float64, Precision::double_double}) {
        check(pattern.with_weights(reals), precision);
        check(pattern.with_weights(complexes), precision);
      }
    }
  }
}

TEST_CASE("all GPUs together, or one named twice, count what the CPU counts, through the front door", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  CountOptions on_gpu, on_cpu;
  on_gpu.method = on_cpu.method = Method::frontier;
  on_gpu.run.device.kind = DeviceChoice::Kind::cuda;
  on_cpu.run.device.kind = DeviceChoice::Kind::cpu;
  const auto check = [&](const auto& graph) {
    const Result result = count_perfect_matchings(graph, on_gpu);
    CHECK(to_string(result.value) == to_string(count_perfect_matchings(graph, on_cpu).value));
    CHECK_FALSE(result.gpus.empty());
  };
  check(random_regular_graph(30, 5, seed));
  check(grid_graph(20, 20));
  Random random(seed, 2);
  check(test::random_graph(40, 0.2, random));
  const BipartiteGraph graph = random_regular_graph(27, 6, seed);
  const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::automatic, seed, RunContext());
  const Block<std::int64_t> block = block_of(graph);
  const DeviceInfo first = found.devices.front();
  CHECK(frontier_value(block, order, FrontierEngine::automatic, RunContext(), {first, first}) ==
        frontier_value(block, order, FrontierEngine::dense, RunContext()));
}

TEST_CASE("counts that a GPU and a CPU interrupt and go on with in turn come to the same answer", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  const BipartiteGraph graph = random_regular_graph(27, 6, seed);
  const Block<std::int64_t> block = block_of(graph);
  const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::automatic, seed, RunContext());
  const Integer truth = frontier_value(block, order, FrontierEngine::dense, RunContext());
  int refused = 0;
  const int runs = test::cut_off_runs(0.001, 1, [&](const auto& begin, int n) {
    const auto gpus = n % 2 == 0 ? std::vector{found.devices.front()} : std::vector<DeviceInfo>();
    try {
      const Integer value = frontier_value(block, order, FrontierEngine::lean, begin(), gpus);
      REQUIRE(value == truth);
    } catch (const Unable& error) {
      refused += std::string(error.what()).find("half done by a CPU") != std::string::npos;
      throw;
    }
  });
  CHECK(runs > 1);
  CHECK(refused < runs);
}

TEST_CASE("layers that one, two or three devices hold are gone on with by others", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext one(found.devices.front()), other(found.devices.back());
  if (!reach_each_other({found.devices.front(), found.devices.back()}))
    MATCHCOUNT_SKIP("the devices do not reach each other");
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (const std::size_t which : {std::size_t{2}, all.size() - 1}) {
    const FrontierSteps& steps = all[which].second;
    const std::vector<Residue> truth = residues_on_cpu(steps, entries[which], 1);
    const int runs = test::cut_off_runs(0.001, 1, [&](const auto& begin, int n) {
      std::vector<DeviceContext> team{one, other, one};
      team.resize(static_cast<std::size_t>(1 + n % 3), one);
      gpu::FrontierDevice device(team, 1, gpu::side_by_side_states(steps, team.size()), sizeof(Residue));
      Residues number(entries[which], primes_below(residue_limit, 1));
      const auto residues = gpu::run_on_gpu(steps, number, device, begin(), "so far", "residues", {});
      REQUIRE(residues == truth);
    });
    CAPTURE(all[which].first);
    CHECK(runs > 2);
  }
}

TEST_CASE("a count by the frontier method on a GPU ends when it is told to", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const BipartiteGraph graph = random_regular_graph(27, 6, seed);
  const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::automatic, seed, RunContext());
  RunOptions options;
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  CHECK_THROWS_AS(frontier_value(block_of(graph), order, FrontierEngine::lean, RunContext(options), found.devices),
                  Cancelled);
  options.stop = {};
  options.time_limit_s = 1e-6;
  CHECK_THROWS_AS(frontier_value(block_of(graph), order, FrontierEngine::lean, RunContext(options), found.devices),
                  Unable);
}

}  // namespace
}  // namespace matchcount
