// Layers of sorted states: the kernels' text on the host, step after step, and runs on a GPU, against the CPU, which is
// tested against the oracles.

#include <algorithm>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cuda/sorted_gpu.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/host_gpu.hpp"
#include "support/permutations.hpp"
#include "support/skip.hpp"

namespace host_gpu {

using namespace matchcount;
using namespace matchcount::gpu;
__extension__ using u128 = unsigned __int128;

static u32 high_product(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
template <class T>
T fetch_add(T* place, T value) {
  return std::exchange(*place, *place + value);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/frontier/cuda/sorted_kernels.cuh"
#pragma GCC diagnostic pop

template <class Kernel>
void launch(u64 blocks, unsigned shared_bytes, const Kernel& kernel) {
  for (unsigned block = 0; block < blocks; ++block) Launch(1, split_threads, shared_bytes, kernel, block).run();
}

}  // namespace host_gpu

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261128;
using Residue = std::uint32_t;

// A layer on the host.
struct HostLayer {
  std::vector<Word> keys;
  std::vector<Residue> values;
};

std::uint64_t address_of(const auto& values) { return reinterpret_cast<std::uintptr_t>(values.data()); }

template <class Key>
HostLayer step_by_kernels(const SparseStates::Step& moves, const Residues& number, HostLayer& layer, unsigned tile) {
  const std::size_t words = sizeof(Key) / sizeof(Word), planes = number.primes().size();
  gpu::SortedTables tables = gpu::sorted_tables(moves, number, layer.keys.size() / words, tile);
  tables.set_address(address_of(tables.words));
  gpu::SortedStep& step = tables.step;
  std::vector<Word> splitters((step.num_tiles + 1) * words), counts(step.num_tiles);
  std::vector<std::uint32_t> places((step.num_tiles + 1) * 2 * step.num_moves);
  step.keys = address_of(layer.keys);
  step.values = address_of(layer.values);
  step.splitters = address_of(splitters);
  step.places = address_of(places);
  step.counts = address_of(counts);
  host_gpu::launch(step.num_tiles + 1, 12 * step.num_moves, [&] { host_gpu::find_splitter<Key>(step); });
  const unsigned shared = tables.shared_bytes(words);
  host_gpu::launch(step.num_tiles, shared, [&] { host_gpu::make_tile<Key, false>(step); });
  std::uint64_t total = 0;
  for (Word& count : counts) total += std::exchange(count, total);
  HostLayer made{std::vector<Word>(total * words), std::vector<Residue>(total * planes)};
  step.new_keys = address_of(made.keys);
  step.new_values = address_of(made.values);
  host_gpu::launch(step.num_tiles, shared, [&] { host_gpu::make_tile<Key, true>(step); });
  return made;
}

// Every step by the kernels and by the CPU; returns the most tiles of a step.
std::size_t compare(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t num_primes,
                    unsigned tile) {
  Residues number(entries, primes_below(residue_limit, num_primes));
  const RunContext run(with_threads(1));
  SparseStates states(steps);
  HostLayer layer{states.keys(), std::vector<Residue>(num_primes, 1)};
  std::size_t most_tiles = 0;
  double looks = 0;
  for (const FrontierStep& of : steps.steps) {
    looks += static_cast<double>(states.count() * of.moves.size());
    number.take_weights(of);
    SparseStates::Step step = states.begin(of, 1, run);
    std::vector<Residue> truth(step.count() * num_primes, 0);
    states.for_each_transition(step, 0, run, [&](std::size_t source, std::size_t target, std::uint32_t weight) {
      number.add(&truth[target * num_primes], &layer.values[source * num_primes], weight);
    });
    const SparseStates::Step moves = states.moves_of(of);
    most_tiles =
        std::max<std::size_t>(most_tiles, gpu::sorted_tables(moves, number, states.count(), tile).step.num_tiles);
    layer = states.key_words() == 1 ? step_by_kernels<host_gpu::u64>(moves, number, layer, tile)
                                    : step_by_kernels<host_gpu::u128>(moves, number, layer, tile);
    states.finish(step);
    CAPTURE(&of - steps.steps.data(), states.count(), states.key_words());
    REQUIRE(layer.keys == states.keys());
    REQUIRE(layer.values == truth);
  }
  REQUIRE(looks <= gpu::sorted_work(steps, num_primes).looks);
  return most_tiles;
}

// Draws a sparse block, in which columns may be copies of one another.
Block<std::int64_t> drawn_block(Vertex n, double density, bool with_copies, Random& random) {
  std::vector<std::int64_t> entries(std::size_t{n} * n);
  for (std::size_t c = 0; c < n; ++c) {
    const bool copies = with_copies && c > 0 && random.below(3) > 0;
    for (std::size_t r = 0; r < n; ++r) {
      const auto drawn = random.uniform() < density ? static_cast<std::int64_t>(random.below(9)) - 4 : 0;
      entries[r * n + c] = copies ? entries[r * n + c - 1] : drawn;
    }
  }
  return block_of(BipartiteGraph::from_dense(n, n, std::span<const std::int64_t>(entries)));
}

// All rows, shuffled, and then the columns, those that are twins in turn.
FrontierOrder rows_first(const Block<std::int64_t>& block, Random& random) {
  const Vertex n = block.pattern.num_rows();
  FrontierOrder order;
  order.sequence = test::shuffled_sequence(n, random);
  for (Vertex c = 0; c < n; ++c) order.sequence.push_back(n + c);
  order.twin_before = find_twins(block);
  if (!order.twin_before.empty()) std::fill_n(order.twin_before.begin(), n, unmatched);
  return order;
}

// A block beside so many rows of one edge each, all columns of which the last row has too: a wide frontier of few
// states.
Block<std::int64_t> wide_block(Vertex alone, Vertex together) {
  const Vertex n = alone + together;
  std::vector<std::int64_t> entries(std::size_t{n} * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c)
      entries[r * n + c] = r < alone ? r == c : c >= alone || r == n - 1 ? static_cast<std::int64_t>(1 + r * c % 3) : 0;
  }
  return block_of(BipartiteGraph::from_dense(n, n, std::span<const std::int64_t>(entries)));
}
TEST_CASE("the text of the kernels for sorted states makes the layers that the CPU makes") {
  Random random(seed);
  std::size_t most_tiles = 0;
  for (const Vertex n : {0u, 1u, 2u, 3u, 7u, 12u}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      CAPTURE(seed, n, repeat);
      const Block<std::int64_t> block = drawn_block(n, 0.3 + 0.1 * repeat, repeat % 2 == 0, random);
      const FrontierOrder order = rows_first(block, random);
      const FrontierSteps steps = frontier_steps(block.pattern, order.sequence, order.twin_before);
      if (!steps.impossible) most_tiles = std::max(most_tiles, compare(steps, block.entries, 1 + n % 3, 32));
      const UndirectedGraph odd = test::with_integers(test::random_graph(2 * (n / 2) + 2, 0.5, random), -5, 11, random);
      const FrontierSteps by_parity =
          frontier_steps(odd.pattern(), test::shuffled_sequence(odd.num_vertices(), random));
      if (!by_parity.impossible) compare(by_parity, block_of(odd).entries, 2, 64);
    }
  }
  CHECK(most_tiles > 30);
}

TEST_CASE("the text of the kernels takes keys of 63, 64, 65 and 70 bits") {
  for (const Vertex alone : {57u, 58u, 59u, 64u}) {
    const Block<std::int64_t> block = wide_block(alone, 6);
    const FrontierSteps steps = frontier_steps(block.pattern, test::ascending<Vertex>(2 * (alone + 6)));
    CHECK(SparseStates(steps).key_words() == (alone + 6 <= 64 ? 1u : 2u));
    compare(steps, block.entries, 2, 32);
  }
}

// -- On a GPU.

std::vector<Residue> on_gpu(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t planes,
                            const DeviceContext& device, const RunContext& run = RunContext(with_threads(2)),
                            const std::string& name = "", std::size_t least_states = 1) {
  Residues number(entries, primes_below(residue_limit, planes));
  auto residues = gpu::run_sorted_on_gpu(steps, number, device, run, name, "residues", {}, least_states);
  residues.resize(planes);  // nothing where no state is left, which an array of all states has as 0
  return residues;
}
std::vector<Residue> on_cpu(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t planes,
                            FrontierEngine engine = FrontierEngine::automatic,
                            const RunContext& run = RunContext(with_threads(2)), const std::string& name = "") {
  Residues number(entries, primes_below(residue_limit, planes));
  auto residues = FrontierRun<Residues>(steps, number, engine, run, name, "residues").run();
  residues.resize(planes);
  return residues;
}

TEST_CASE("sorted states on a GPU have the residues of the CPU, along any order", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext device(found.devices.front());
  Random random(seed, 1);
  for (const Vertex n : {0u, 1u, 2u, 3u, 8u, 13u, 18u}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      CAPTURE(seed, n, repeat);
      const Block<std::int64_t> block = drawn_block(n, 0.2 + 0.1 * repeat, repeat % 2 == 0, random);
      const FrontierOrder order = rows_first(block, random);
      const FrontierSteps steps = frontier_steps(block.pattern, order.sequence, order.twin_before);
      if (!steps.impossible)
        REQUIRE(on_gpu(steps, block.entries, 1 + n % 16, device) == on_cpu(steps, block.entries, 1 + n % 16));
      const UndirectedGraph odd = test::with_integers(test::random_graph(n + n % 2, 0.4, random), -5, 11, random);
      const FrontierSteps by_parity =
          frontier_steps(odd.pattern(), test::shuffled_sequence(odd.num_vertices(), random));
      if (!by_parity.impossible)
        REQUIRE(on_gpu(by_parity, block_of(odd).entries, 2, device) == on_cpu(by_parity, block_of(odd).entries, 2));
    }
  }
  for (const Vertex alone : {57u, 58u, 59u, 110u}) {
    const Block<std::int64_t> block = wide_block(alone, 12);
    const FrontierSteps steps = frontier_steps(block.pattern, test::ascending<Vertex>(2 * (alone + 12)));
    CAPTURE(alone);
    CHECK(on_gpu(steps, block.entries, 3, device) == on_cpu(steps, block.entries, 3));
  }
}

TEST_CASE("large sorted layers on a GPU have the residues of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext device(found.devices.front());
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].first, i);
    REQUIRE(on_gpu(all[i].second, entries[i], 3, device, RunContext(with_threads(2)), "", 1 << 14) ==
            on_cpu(all[i].second, entries[i], 3));
  }
}

// Columns that are copies of one another, by threes.
BipartiteGraph graph_of_twins(Vertex n) {
  Random random(seed, 2);
  std::vector<std::int64_t> entries(std::size_t{n} * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) entries[r * n + c] = c % 3 > 0 ? entries[r * n + c - 1] : random.below(2);
  }
  return BipartiteGraph::from_dense(n, n, std::span<const std::int64_t>(entries));
}

TEST_CASE("twins are matched in turn on all GPUs together, through the front door", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  CountOptions options{.method = Method::frontier,
                       .frontier_engine = FrontierEngine::twins,
                       .run = {.device = {.kind = DeviceChoice::Kind::cpu}}};
  const Integer truth = std::get<Integer>(count_perfect_matchings(graph_of_twins(30), options).value);
  REQUIRE(truth > 0);
  options.run.device.kind = DeviceChoice::Kind::cuda;
  const Result result = count_perfect_matchings(graph_of_twins(30), options);
  CHECK(std::get<Integer>(result.value) == truth);
  CHECK_FALSE(result.gpus.empty());
}

TEST_CASE("sorted layers that a GPU and a CPU interrupt and go on with in turn come to the same residues", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext device(found.devices.front());
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  const FrontierSteps& steps = all[2].second;
  const std::vector<Residue> truth = on_cpu(steps, entries[2], 2);
  const int runs = test::cut_off_runs(0.004, 2, [&](const auto& begin, int n) {
    const auto residues = n % 2 == 0 ? on_gpu(steps, entries[2], 2, device, begin(), "so far")
                                     : on_cpu(steps, entries[2], 2, FrontierEngine::sparse, begin(), "so far");
    REQUIRE(residues == truth);
  });
  CHECK(runs > 2);
  CHECK_THROWS_AS(on_gpu(steps, entries[2], 1, device, RunContext({.stop = test::raised_stop()})), Cancelled);
}

}  // namespace
}  // namespace matchcount
