#include "permanent/frontier/cpu/layer_store.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Layers = std::vector<std::vector<std::uint32_t>>;  // the values before each step, the last first

// Returns all layers of a run within so much memory, and whether one of them was computed again.
Layers layers_within(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                     std::uint64_t bytes, bool& again) {
  RunOptions options = with_threads(1);
  options.memory_limit_bytes = bytes;
  const RunContext run(options);
  const FrontierSteps steps = frontier_steps(block.pattern, order.sequence);
  const std::vector<std::uint64_t> primes{2147483647, 2147483629};
  Residues arithmetic(block.entries, primes);
  LayerStore<Residues> store(steps, arithmetic, engine, run);
  REQUIRE(store.reached_end());
  again = !store.keeps_all();
  Layers layers;
  store.backward([&](std::size_t t, const auto& before, const auto&) {
    REQUIRE(t == steps.steps.size() - 1 - layers.size());
    layers.emplace_back(before.values(), before.values() + before.num_values());
  });
  REQUIRE(layers.size() == steps.steps.size());
  // A store may be asked many times.
  store.backward([&](std::size_t t, const auto& before, const auto&) {
    const auto& seen = layers[steps.steps.size() - 1 - t];
    REQUIRE(std::equal(seen.begin(), seen.end(), before.values(), before.values() + before.num_values()));
  });
  return layers;
}

}  // namespace

TEST_CASE("layers that do not fit into memory are computed again, and are the same") {
  const Block<std::int64_t> block = block_of(grid_graph(12, 12));
  const FrontierOrder order =
      find_frontier_order(block.pattern, FrontierStrategy::automatic, 1, RunContext(with_threads(1)));
  for (const FrontierEngine engine : {FrontierEngine::sparse, FrontierEngine::dense, FrontierEngine::automatic}) {
    bool again = true;
    const Layers all = layers_within(block, order, engine, std::uint64_t{1} << 30, again);
    REQUIRE_FALSE(again);
    for (std::uint64_t bytes = 2'000'000; !again; bytes = bytes * 4 / 5) {
      REQUIRE(layers_within(block, order, engine, bytes, again) == all);
    }
    REQUIRE_THROWS_AS(layers_within(block, order, engine, 60'000, again), Unable);
  }
}
