// The kernels' text on the host, layer after layer, against the dense engine of the CPU.

#include <algorithm>
#include <cstring>

#include "core/modular.hpp"
#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/host_gpu.hpp"

namespace host_gpu {

using namespace matchcount::gpu;

u64 high_product(u64 a, u64 b) {
  __extension__ using u128 = unsigned __int128;
  return static_cast<u64>(static_cast<u128>(a) * b >> 64);
}
u32 high_product(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
u32 count_ones(u64 mask) { return static_cast<u32>(__builtin_popcountll(mask)); }
u32 lowest_one(u64 mask) { return static_cast<u32>(__builtin_ctzll(mask)); }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/frontier/cuda/step_kernels.cuh"
#pragma GCC diagnostic pop

void launch(const StepTables& tables, const FrontierGpuStep& step) {
  const u64 blocks = (step.end_high - step.first_high + step.highs - 1) / step.highs * step.splits;
  const bool gathered = !tables.gather.empty();
  for (unsigned block = 0; block < blocks; ++block) {
    const auto kernel = [&] {
      if (tables.weighted) {
        gathered ? make_states<true, true>(step) : make_states<true, false>(step);
      } else {
        gathered ? make_states<false, true>(step) : make_states<false, false>(step);
      }
    };
    Launch(1, frontier_threads, tables.shared_bytes(step.highs), kernel, block).run();
  }
}

}  // namespace host_gpu

namespace matchcount {
namespace {

using Residue = std::uint32_t;
constexpr std::uint64_t seed = 20261123;

// Of the new states with highs in [first, end), by the kernel, into `to`, which has a slot more at either end.
void make_by_kernel(const gpu::StepTables& tables, Word first, Word end, const std::vector<Residue>& from,
                    std::vector<Residue>& to, std::size_t stride) {
  gpu::FrontierGpuStep step = tables.step;
  step.first_high = tables.highs_below(first);
  step.end_high = tables.highs_below(end);
  step.tables = reinterpret_cast<std::uintptr_t>(tables.words.data());
  step.gather = reinterpret_cast<std::uintptr_t>(tables.gather.data());
  step.from = reinterpret_cast<std::uintptr_t>(from.data());
  step.to = reinterpret_cast<std::uintptr_t>(to.data());
  step.stride = stride;
  step.splits = step.planes;
  step.highs = stride % 2 == 0 ? 64 : 10;
  host_gpu::launch(tables, step);
}

struct Counts {
  int gathered = 0, weighted = 0, in_parts = 0;
};

// Every step of an order, in two layers: by the kernel, all at once or in two launches, and by the CPU.
void compare(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t planes,
             std::uint32_t kept, Counts& counts) {
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  const Touches touches(steps);
  ResidueArithmetic arithmetic(entries, primes_below(residue_limit, planes));
  const FrontierKernels& kernels = frontier_kernels(Isa::baseline);
  Layer<Residue> unused;
  std::vector<Vertex> layout;
  std::vector<Residue> layer(planes, 1);
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    arithmetic.prepare(steps.steps[t], unused, 0);
    const std::size_t old_states = layer.size() / planes;
    const DenseStep step(steps, touches, indices, t, layout, old_states, {true, kept, false});
    const std::size_t new_states = indices.count(steps.steps[t].width, steps.steps[t].ones);
    const std::size_t stride = std::max(old_states, new_states);
    std::vector<Residue> from(planes * stride, 5), truth(planes * stride, 7), to(planes * stride, 9);
    for (std::size_t k = 0; k < planes; ++k) {
      std::copy_n(layer.data() + k * old_states, old_states, from.data() + k * stride);
    }
    step.run_top(arithmetic, kernels, 0, 0, from.data(), truth.data(), stride);
    const gpu::StepTables tables = gpu::step_tables(step, steps.by_parity, arithmetic);
    const Word all = Word{1} << step.high_width();
    const Word half = step.high_width() > 1 && t % 3 == 0 ? all / 2 : all;
    make_by_kernel(tables, half, all, from, to, stride);
    make_by_kernel(tables, 0, half, from, to, stride);
    counts.gathered += !tables.gather.empty();
    counts.weighted += tables.weighted;
    counts.in_parts += half != all;
    layer.assign(planes * new_states, 0);
    for (std::size_t k = 0; k < planes; ++k) {
      CAPTURE(t, k, step.high_width(), tables.step.target_low, tables.weighted);
      REQUIRE(std::equal(truth.data() + k * stride, truth.data() + k * stride + new_states, to.data() + k * stride));
      std::copy_n(truth.data() + k * stride, new_states, layer.data() + k * new_states);
    }
    layout = step.layout();
  }
}

TEST_CASE("the kernels' text makes the states that the CPU makes, along any sequence") {
  Random random(seed);
  Counts counts;
  for (const Vertex n : {0u, 1u, 2u, 3u, 5u, 8u}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const UndirectedGraph odd = test::with_integers(test::random_graph(2 * n, 0.5, random), -5, 11, random);
      const Block<std::int64_t> dense = test::block_of(random_graph(n, n, 0.6, seed + n));
      CAPTURE(n, repeat, test::to_string(odd));
      const FrontierSteps by_parity = frontier_steps(odd.pattern(), test::shuffled_sequence(2 * n, random));
      if (!by_parity.impossible) compare(by_parity, test::block_of(odd).entries, 1 + n % 2, 0, counts);
      const FrontierSteps steps = frontier_steps(dense.pattern, test::shuffled_sequence(2 * n, random));
      if (!steps.impossible) compare(steps, dense.entries, 2, 0, counts);
    }
  }
  CHECK(counts.gathered > 50);
  CHECK(counts.weighted > 20);
}

TEST_CASE("the kernels' text makes wider layers, high masks being many, in one launch and in two") {
  Counts counts;
  const RunContext run(test::with_threads(1));
  for (const auto strategy : {FrontierStrategy::rows, FrontierStrategy::columns, FrontierStrategy::mixed}) {
    const BipartiteGraph graph = random_regular_graph(20, 4, seed);
    const auto order = find_frontier_order(graph, strategy, seed, run);
    compare(frontier_steps(graph.pattern(), order.sequence), test::block_of(graph).entries, 1, 0, counts);
  }
  Random random(seed, 1);
  const UndirectedGraph odd = test::random_graph(24, 0.3, random);
  const auto order = find_frontier_order(odd, seed, run);
  compare(frontier_steps(odd.pattern(), order.sequence), test::block_of(odd).entries, 2, 2, counts);
  CHECK(counts.in_parts > 10);
}

}  // namespace
}  // namespace matchcount
