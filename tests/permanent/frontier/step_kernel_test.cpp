// The kernels' text on the host, layer after layer, against the dense engine of the CPU.

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/numbers/residue.hpp"
#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cuda/lean_gpu_run.hpp"
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
u64 bits_of(double value) { return std::bit_cast<u64>(value); }
void atomicMax(u64* place, u64 value) { *place = std::max(*place, value); }
unsigned num_blocks = 1;

#define gridDim (host_gpu::Index{host_gpu::num_blocks})

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/frontier/cuda/step_kernels.cuh"
#pragma GCC diagnostic pop

template <class Number>
void launch(const StepTables& tables, const FrontierGpuStep& step) {
  const u64 blocks = (step.end_high - step.first_high + step.highs - 1) / step.highs * step.splits;
  const bool gathered = !tables.gather.empty();
  for (unsigned block = 0; block < blocks; ++block) {
    const auto kernel = [&] { gathered ? make_states<Number, true>(step) : make_states<Number, false>(step); };
    Launch(1, frontier_threads, tables.shared_bytes(step.highs), kernel, block).run();
  }
}

}  // namespace host_gpu

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261123;

struct Counts {
  int gathered = 0, weighted = 0, in_parts = 0;
};

// Every step of an order, in two layers: by the kernel, all at once or in two launches, from and to values as they are
// Stored there, and by the CPU, alike to a relative `tolerance`.
template <class Number, class Stored, class Arithmetic>
void compare(const FrontierSteps& steps, Arithmetic& arithmetic, std::uint32_t kept, double tolerance, Counts& counts) {
  using Slot = typename Arithmetic::Slot;
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  const Touches touches(steps);
  const FrontierKernels& kernels = frontier_kernels(Isa::baseline);
  Layer<Slot> none;
  none.count = 0;
  std::vector<Vertex> layout;
  const auto planes = static_cast<std::size_t>(arithmetic.source_planes());
  std::vector<Slot> layer;
  for (std::size_t k = 0; k < planes; ++k) layer.push_back(Arithmetic::one(static_cast<int>(k)));
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    arithmetic.prepare(steps.steps[t], none, [](double largest) { return largest; });
    const std::size_t old_states = layer.size() / planes;
    const DenseStep step(steps, touches, indices, t, layout, old_states, {true, kept, false});
    const std::size_t new_states = indices.count(steps.steps[t].width, steps.steps[t].ones);
    const std::size_t stride = std::max(old_states, new_states);
    std::vector<Slot> from(planes * stride, 5), truth(planes * stride, 7);
    for (std::size_t k = 0; k < planes; ++k) {
      std::copy_n(layer.data() + k * old_states, old_states, from.data() + k * stride);
    }
    const std::vector<Stored> given(from.begin(), from.end());
    std::vector<Stored> to(planes * stride, 9);
    step.run_top(arithmetic, kernels, 0, 0, from.data(), truth.data(), stride);
    const gpu::StepTables tables = gpu::step_tables(step, steps.by_parity, gpu::numbers_of(arithmetic));
    const Word all = Word{1} << step.high_width();
    const Word half = step.high_width() > 1 && t % 3 == 0 ? all / 2 : all;
    for (const auto& [first, end] : {std::pair(half, all), std::pair(Word{0}, half)}) {
      gpu::FrontierGpuStep launched = tables.step;
      launched.first_high = tables.highs_below(first);
      launched.end_high = tables.highs_below(end);
      launched.tables = reinterpret_cast<std::uintptr_t>(tables.words.data());
      launched.gather = reinterpret_cast<std::uintptr_t>(tables.gather.data());
      launched.from = reinterpret_cast<std::uintptr_t>(given.data());
      launched.to = reinterpret_cast<std::uintptr_t>(to.data());
      launched.stride = stride;
      launched.splits = launched.num_numbers;
      launched.highs = stride % 2 == 0 ? 64 : 10;
      host_gpu::launch<Number>(tables, launched);
    }
    counts.gathered += !tables.gather.empty();
    counts.weighted += tables.kernel.find("weigh") != std::string::npos;
    counts.in_parts += half != all;
    layer.assign(planes * new_states, 0);
    for (std::size_t k = 0; k < planes; ++k) {
      for (std::size_t i = 0; i < new_states; ++i) {
        const Slot expected = truth[k * stride + i], found = to[k * stride + i];
        if (expected == found) continue;
        CAPTURE(t, k, i, step.high_width(), tables.step.target_low, tables.kernel, expected, found);
        REQUIRE(std::fabs(static_cast<double>(expected) - static_cast<double>(found)) <=
                tolerance * std::fabs(static_cast<double>(truth[i])));
      }
      std::copy_n(truth.data() + k * stride, new_states, layer.data() + k * new_states);
    }
    layout = step.layout();
  }
}
void compare_residues(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t planes,
                      std::uint32_t kept, Counts& counts) {
  const bool are_ones = std::ranges::all_of(entries, [](std::int64_t entry) { return entry == 1; });
  const auto check = [&]<class Stored>(Stored, std::uint64_t limit) {
    Residues arithmetic(entries, primes_below(limit, planes));
    if (are_ones) {
      compare<host_gpu::FrontierResidues<false, Stored>, Stored>(steps, arithmetic, kept, 0, counts);
    } else {
      compare<host_gpu::FrontierResidues<true, Stored>, Stored>(steps, arithmetic, kept, 0, counts);
    }
  };
  check(std::uint32_t{}, residue_limit);
  check(std::uint16_t{}, small_residue_limit);
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
      if (!by_parity.impossible) {
        compare_residues(by_parity, test::block_of(odd).entries, 1 + n % 2, 0, counts);
        compare_residues(joined_steps(by_parity, 0), test::block_of(odd).entries, 1 + n % 2, 0, counts);
      }
      const FrontierSteps steps = frontier_steps(dense.pattern, test::shuffled_sequence(2 * n, random));
      if (steps.impossible) continue;
      compare_residues(steps, dense.entries, 2, 0, counts);
      compare_residues(joined_steps(steps, 0), dense.entries, 2, 0, counts);
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
    const FrontierSteps steps = frontier_steps(graph.pattern(), order.sequence);
    compare_residues(strategy == FrontierStrategy::mixed ? joined_steps(steps, 256) : steps,
                     test::block_of(graph).entries, 1, 0, counts);
  }
  Random random(seed, 1);
  const UndirectedGraph odd = test::random_graph(24, 0.3, random);
  const auto order = find_frontier_order(odd, seed, run);
  compare_residues(frontier_steps(odd.pattern(), order.sequence), test::block_of(odd).entries, 2, 2, counts);
  CHECK(counts.in_parts > 10);
}

// Steps of a graph with weights in [-1, 1), `planes` doubles an edge, of which all but the first are small.
template <class Number>
void compare_floats(FloatKind kind, double small, double tolerance) {
  const auto doubles = static_cast<std::size_t>(doubles_of(kind));
  Random random(seed, 2);
  Counts counts;
  for (const bool by_parity : {false, true}) {
    const BipartiteGraph graph = random_regular_graph(12, 4, seed);
    const UndirectedGraph odd = test::random_graph(18, 0.35, random);
    const RunContext run(test::with_threads(1));
    const FrontierSteps steps = by_parity ? frontier_steps(odd.pattern(), find_frontier_order(odd, seed, run).sequence)
                                          : frontier_steps(graph.pattern(), test::shuffled_sequence(24, random));
    std::vector<double> weights((by_parity ? odd.num_edges() : graph.num_edges()) * doubles);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = (2 * random.uniform() - 1) * (i % doubles == 0 ? 1 : small);
    }
    Floats arithmetic(kind, steps, weights);
    compare<Number, double>(steps, arithmetic, 0, tolerance, counts);
  }
  CHECK(counts.gathered > 5);
}

TEST_CASE("the kernels' text adds doubles in the order of the CPU, and pairs of them to their accuracy") {
  compare_floats<host_gpu::FrontierReals>(FloatKind::real, 1, 0);
  compare_floats<host_gpu::FrontierComplexes>(FloatKind::complex, 1, 0);
  compare_floats<host_gpu::FrontierDoubleDoubles>(FloatKind::double_double, 0x1p-54, 1e-30);
  compare_floats<host_gpu::FrontierComplexDoubleDoubles>(FloatKind::complex_double_double, 0x1p-54, 1e-30);
}

TEST_CASE("the kernels' text finds the largest value of a layer, and scales all of it") {
  Random random(seed, 3);
  for (const std::size_t count : {1u, 255u, 256u, 257u, 3000u}) {
    std::vector<double> values(count);
    for (double& value : values) value = (2 * random.uniform() - 1) * std::exp2(static_cast<double>(random.below(200)));
    const std::vector<double> before = values;
    double truth = 0;
    for (const double value : values) truth = std::max(truth, std::fabs(value));
    std::uint64_t largest = 0;
    host_gpu::num_blocks = 3;
    host_gpu::Launch(3, gpu::frontier_threads, 0, [&] {
      host_gpu::find_largest(values.data(), count, &largest);
    }).run();
    CHECK(std::bit_cast<double>(largest) == truth);
    host_gpu::Launch(3, gpu::frontier_threads, 0, [&] {
      host_gpu::scale_values(values.data(), count, 0x1p-70, 0x1p-71);
    }).run();
    for (std::size_t i = 0; i < count; ++i) REQUIRE(values[i] == before[i] * 0x1p-70 * 0x1p-71);
    host_gpu::num_blocks = 1;
  }
}

TEST_CASE("steps in place from either end of an array lose no state, made in launches of pieces") {
  const FrontierSteps steps = joined_steps(test::large_steps(seed));
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  const Touches touches(steps);
  const FrontierKernels& kernels = frontier_kernels(detected_isa());
  const std::vector<std::int64_t> ones(steps.num_vertices * std::size_t{steps.num_vertices}, 1);
  Residues arithmetic(ones, primes_below(residue_limit, 1));
  const std::size_t span = test::least_states(steps, 1);
  CAPTURE(span, gpu::side_by_side_states(steps));
  REQUIRE(span < gpu::side_by_side_states(steps));
  Layer<std::uint32_t> none;
  none.count = 0;
  std::vector<Vertex> layout;
  std::vector<std::uint32_t> layer{1}, array(span, 7);
  bool at_front = true;
  int in_place = 0;
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    arithmetic.prepare(steps.steps[t], none, 0);
    const auto at = gpu::fitting_step(steps, touches, indices, t, layout, span, at_front, max_piece_bits);
    REQUIRE(at);
    REQUIRE(at->old_states == layer.size());
    const InPlaceWalk& walk = at->walk;
    std::vector<std::uint32_t> truth(at->new_states);
    at->step->run_top(arithmetic, kernels, 0, 0, layer.data(), truth.data(), 0);
    std::uint32_t* const old = array.data() + (at_front ? 0 : span - layer.size());
    std::ranges::copy(layer, old);
    const std::uint64_t at_once = walk.in_flight < walk.num_pieces() ? walk.in_flight + 1 : walk.num_pieces();
    for (std::uint64_t first = 0; first < walk.num_pieces(); first += at_once) {
      for (std::uint64_t piece = std::min(first + at_once, walk.num_pieces()); piece-- > first;) {
        at->step->run_top(arithmetic, kernels, walk.top_of(piece), walk.num_bits, old, old + walk.shift, 0);
      }
    }
    in_place += at->old_states + at->new_states > span;
    at_front = !at_front;
    const std::uint32_t* const made = array.data() + (at_front ? 0 : span - at->new_states);
    CAPTURE(t, at->old_states, at->new_states, walk.shift, walk.num_bits, at_front);
    REQUIRE(old + walk.shift == made);
    REQUIRE(std::equal(truth.begin(), truth.end(), made));
    layer = truth;
    layout = at->step->layout();
  }
  CHECK(in_place > 1);
}

// Arrays of members, which step the parts that they have of a layer, as lean_gpu_run.hpp does on devices.
struct Members {
  Members(std::size_t count, std::size_t span_of_each) : span(span_of_each), arrays(count, Array(span_of_each, 7)) {}
  using Array = std::vector<std::uint32_t>;

  std::uint32_t* begin(std::size_t i) {
    return arrays[i].data() + (at_front ? std::size_t{0} : span - static_cast<std::size_t>(parts[i].count()));
  }
  std::uint32_t& state(std::size_t i, Word index) { return begin(i)[index - parts[i].states.first]; }
  Array whole() {
    Array layer;
    for (std::size_t i = 0; i < parts.size(); ++i) layer.insert(layer.end(), begin(i), begin(i) + parts[i].count());
    return layer;
  }
  void give(const std::vector<LayerPart>& wanted) {
    const Array layer = whole();
    at_front = parts.empty() || !at_front;
    parts = wanted;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (Word s = parts[i].states.first; s < parts[i].states.end; ++s) state(i, s) = layer.empty() ? 1 : layer[s];
    }
  }

  // Steps what a member has, in launches of pieces, and returns what it has then.
  template <class Step>
  LayerPart step(std::size_t m, const Step& at, Residues& arithmetic) {
    const InPlaceWalk& walk = at.walks[m];
    const LayerPart made = at.step->target_of(parts[m]);
    std::uint32_t* const old = begin(m);
    const std::uint64_t at_once = walk.in_flight < walk.num_pieces() ? walk.in_flight + 1 : walk.num_pieces();
    for (std::uint64_t first = 0; first < walk.num_pieces(); first += at_once) {
      for (std::uint64_t piece = std::min(first + at_once, walk.num_pieces()); piece-- > first;) {
        const Word top = walk.top_of(piece) << (at.step->high_width() - walk.num_bits);
        const Word end = (walk.top_of(piece) + 1) << (at.step->high_width() - walk.num_bits);
        at.step->run_blocks(arithmetic, frontier_kernels(detected_isa()), top, end, {parts[m].states.first, 0}, old,
                            {made.states.first, 0}, old + walk.shift, [] {});
      }
    }
    return made;
  }

  std::size_t span;
  std::vector<Array> arrays;
  std::vector<LayerPart> parts;
  bool at_front = true;
};

TEST_CASE("members that exchange runs of states and step their parts, in place too, have the states of one") {
  std::vector<std::pair<FrontierSteps, bool>> orders{{test::large_steps(seed), true}};
  std::vector<std::vector<std::int64_t>> entries;
  for (auto& [name, steps] : test::wide_steps(seed, entries)) {
    if (name != "signed") orders.emplace_back(orders.size() % 2 == 0 ? joined_steps(steps) : steps, false);
  }
  const FrontierKernels& kernels = frontier_kernels(detected_isa());
  Layer<std::uint32_t> none;
  none.count = 0;
  int exchanges = 0, in_place = 0, ranges = 0;
  for (const auto& [steps, tight] : orders) {
    const StateIndices indices(steps.by_parity, max_dense_width + 1);
    const Touches touches(steps);
    const std::vector<std::int64_t> ones(steps.num_vertices * std::size_t{steps.num_vertices}, 1);
    Residues arithmetic(ones, primes_below(residue_limit, 1));
    for (const std::size_t count : {tight ? 3 : steps.by_parity ? 2 : 7}) {
      const std::size_t span = tight ? test::least_states(steps, count) : gpu::side_by_side_states(steps, count);
      // Small layers are shared as well.
      const Placement placement(steps, touches, indices, static_cast<int>(count), tight ? 1 << 18 : 1,
                                static_cast<double>(span));
      Members members(count, tight ? span : 2 * span);
      std::vector<Vertex> layout;
      std::vector<std::uint32_t> layer{1};
      for (std::size_t t = 0; t < steps.steps.size(); ++t) {
        CAPTURE(tight, count, span, t, members.at_front);
        const std::uint32_t ones_before = t == 0 ? 0 : steps.steps[t - 1].ones;
        const auto width = static_cast<std::uint32_t>(layout.size());
        const LeadingBits& leading = placement.at(t);
        const LeadingBits& led = t == 0 ? leading : placement.at(t - 1);
        for (const Placement::Swap& swap : Placement::swaps(led, leading)) {
          const auto position = static_cast<std::uint32_t>(std::ranges::find(layout, swap.entering) - layout.begin());
          REQUIRE(position + count + 8 > width);
          placement.for_each_run(led, swap.slot, position, width, ones_before, [&](const Placement::Runs& runs) {
            for (Word i = 0; i < runs.count; ++i) {
              std::swap(members.state(static_cast<std::size_t>(runs.members[0]), runs.first[0] + i),
                        members.state(static_cast<std::size_t>(runs.members[1]), runs.first[1] + i));
            }
          });
          ++exchanges;
        }
        const std::vector<Vertex> before = layout;
        Placement::swap(led, leading, layout);
        if (before != layout) {
          std::vector<std::uint32_t> swapped;
          for_each_place(before, layout, indices, ones_before, [&](Word place) { swapped.push_back(layer[place]); });
          layer = swapped;
          REQUIRE(members.whole() == layer);
        }
        if (t == 0 || led.first != leading.first) {
          std::vector<LayerPart> parts;
          for (std::size_t i = 0; i < count; ++i)
            parts.push_back(placement.part(static_cast<int>(i), leading, width, ones_before));
          members.give(parts);
          ++ranges;
        }
        arithmetic.prepare(steps.steps[t], none, 0);
        const auto at = gpu::fitting_step(steps, touches, indices, t, layout, members.span, members.at_front,
                                          max_piece_bits, {members.parts, placement.top(t)});
        REQUIRE(at);
        std::vector<std::uint32_t> truth(at->new_states);
        at->step->run_top(arithmetic, kernels, 0, 0, layer.data(), truth.data(), 0);
        std::vector<LayerPart> made;
        for (std::size_t m = 0; m < count; ++m) {
          in_place += at->walks[m].in_flight + 1 < at->walks[m].num_pieces();
          made.push_back(members.step(m, *at, arithmetic));
        }
        members.parts = made;
        members.at_front = !members.at_front;
        REQUIRE(members.whole() == truth);
        layer = truth;
        layout = at->step->layout();
      }
    }
  }
  CHECK(exchanges > 50);
  CHECK(ranges > 20);
  CHECK(in_place > 1);
}

}  // namespace
}  // namespace matchcount
