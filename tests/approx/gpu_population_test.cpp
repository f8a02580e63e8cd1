// Populations drawn on GPUs against those of the CPU.

#include "approx/cuda/gpu_population.hpp"

#include <cmath>

#include "approx/bethe.hpp"
#include "approx/blocks.hpp"
#include "approx/cpu/population.hpp"
#include "approx/estimate.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 31;

Problem propagated(Problem problem) {
  const RunContext context;
  propagate(problem, 100, context);
  return problem;
}

// Draws `count` populations on these devices, from number 3 on, and compares each with the CPU's.
void check_against_cpu(const Problem& problem, int size, bool far_messages, std::size_t count,
                       const std::vector<DeviceContext>& devices, bool doubles = false) {
  SampleOptions options;
  options.population = size;
  options.far_messages = far_messages;
  options.doubles = doubles;
  std::vector<gpu::DrawnPopulation> drawn(count);
  gpu::GpuPopulations populations(problem, options, 1, devices);
  REQUIRE(populations.range() >= 1);
  REQUIRE(populations.draw(seed, 3, drawn, [] { return false; }) == count);
  const auto cpu = population_sampler(problem, size, far_messages, doubles);
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(problem.size, size, far_messages, doubles, i);
    CHECK(drawn[i].log_mean == cpu->log_sample(seed, 3 + i, {}));
    CHECK(std::ranges::equal(drawn[i].log_pieces, cpu->log_pieces()));
  }
}

}  // namespace

TEST_CASE("populations from a GPU are those of the CPU, to the last bit", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::vector<DeviceContext> device{DeviceContext(found.devices[0])};
  for (const bool far_messages : {false, true}) {
    for (const std::size_t n : {1u, 2u, 3u, 31u, 33u, 64u, 65u, 111u}) {
      for (const bool weighted : {false, true}) {
        const BipartiteGraph graph = small_matrix(Family::planted, n, weighted, n).graph();
        if (!maximum_matching(graph).is_perfect()) continue;
        check_against_cpu(propagated(problem_of(graph)), n % 2 == 0 ? 16 : 33, far_messages, 5, device);
      }
    }
    check_against_cpu(propagated(problem_of(grid_graph(24, 24))), 64, far_messages, 3, device);
    check_against_cpu(propagated(problem_of(random_regular_graph(3000, 3, 1))), 16, far_messages, 2, device);
    check_against_cpu(propagated(problem_of(random_regular_graph(300, 6, 2))), 16, far_messages, 2, device);
    for (const std::size_t n : {3u, 4u, 33u, 64u}) {
      const BipartiteGraph graph = small_matrix(Family::planted, n, false, n).graph();
      check_against_cpu(propagated(problem_of(graph)), 16, far_messages, 3, device, true);
    }
    check_against_cpu(propagated(problem_of(grid_graph(24, 24))), 64, far_messages, 3, device, true);
  }
  // Odd cycles, and vertices left alone.
  Random random(seed, 1);
  for (const Vertex n : {2u, 8u, 30u, 66u}) {
    const UndirectedGraph graph = random_graph(n, n < 10 ? 0.8 : 0.2, random);
    const std::vector<double> weights(graph.num_edges(), 1.5);
    check_against_cpu(propagated(make_problem_of_all(graph, weights)), 16, false, 4, device);
    const GraphMatching perfect = maximum_matching(graph, RunContext());
    if (!perfect.is_perfect()) continue;
    for (const bool far_messages : {false, true})
      check_against_cpu(propagated(make_problem(graph, weights, perfect)), 16, far_messages, 4, device);
  }
}

TEST_CASE("several devices, or one of them named twice, draw the populations that one does", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  // Kept small: each takes most of a device's memory at once, so that they are named one by one.
  std::vector<DeviceContext> several;
  for (const DeviceInfo& device : found.devices) several.emplace_back(device);
  check_against_cpu(propagated(problem_of(grid_graph(10, 10))), 32, false, 500, several);
}

TEST_CASE("an estimate by populations on a GPU is that of the CPU, and ends with its time", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  EstimateOptions options{
      .method = Estimator::population, .population = 32, .samples = 300, .run = {.device = parse_device_choice("cpu")}};
  const Estimate cpu = estimate_perfect_matchings(grid3d_graph(4, 4, 6), options);
  options.run.device = parse_device_choice("cuda");
  const Estimate gpu = estimate_perfect_matchings(grid3d_graph(4, 4, 6), options);
  CHECK(gpu.gpus.size() == found.devices.size());
  CHECK(gpu.samples == 300);
  CHECK(gpu.log_value == cpu.log_value);
  CHECK(gpu.relative_error == cpu.relative_error);
  // Populations are as large as the device likes, until the time is over.
  options.population = 0;
  options.samples = 0;
  options.relative_error = 1e-9;
  options.run.time_limit_s = 3;
  const Estimate limited = estimate_perfect_matchings(grid_graph(24, 24), options);
  CHECK(limited.out_of_time);
  CHECK(limited.time_s.total < 6);
  CHECK(std::fabs(limited.log_value - estimate_perfect_matchings(grid_graph(24, 24), {}).log_value) < 0.2);
}
