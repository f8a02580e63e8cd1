#include "linear/bits/cuda/elimination_gpu.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/product.hpp"
#include "linear/reachability.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261202;

RunContext on(DeviceChoice::Kind kind) { return RunContext({.device = {.kind = kind}}); }
RunContext on_cpu() { return on(DeviceChoice::Kind::cpu); }
RunContext on_gpu() { return on(DeviceChoice::Kind::cuda); }

// Returns the context of the GPU that tests take, held while they run since making one takes a while; nothing: no GPU.
std::optional<DeviceContext> held_gpu() {
  const std::vector<DeviceInfo> devices = find_devices().devices;
  if (devices.empty() || gpu::bit_routes(devices.front()).empty()) return std::nullopt;
  return DeviceContext(devices.front());
}

// Sets so many ones in each row, some of them at the same place.
BitMatrix sparse_bits(std::size_t rows, std::size_t columns, int ones, Random& random) {
  BitMatrix matrix(rows, columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (int i = 0; i < ones; ++i) matrix.set(r, random.below(columns), true);
  }
  return matrix;
}

// Three arcs to lower vertices or fewer, none farther than `reach`; some vertices go in circles of three.
Digraph layered(Vertex n, Vertex reach, Random& random) {
  std::vector<Edge> arcs;
  for (Vertex v = 1; v < n; ++v) {
    std::vector<Vertex> below;
    for (int arc = 0; arc < 3; ++arc) below.push_back(static_cast<Vertex>(v - 1 - random.below(std::min(v, reach))));
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    for (const Vertex u : below) arcs.push_back({v, u});
    if (v % 50 == 3) arcs.push_back({v - 2, v});
  }
  return Digraph::from_arcs(n, std::move(arcs));
}

}  // namespace

TEST_CASE("a GPU finds the ranks that the CPU finds, around words, panels and blocks of panels", "[cuda]") {
  const auto held = held_gpu();
  if (!held) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed);
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {63, 64},
                                      {65, 63},
                                      {513, 511},
                                      {1000, 1025},
                                      {1025, 1000},
                                      {2049, 2047},
                                      {4097, 4097},
                                      {3000, 5000},
                                      {5000, 3000}}) {
    for (const bool is_sparse : {false, true}) {
      INFO(rows << " x " << columns << (is_sparse ? ", sparse" : "") << ", seed " << seed);
      const BitMatrix matrix =
          is_sparse ? sparse_bits(rows, columns, 3, random) : random_bits(rows, columns, 0.5, random);
      CHECK(binary_rank(matrix, on_gpu()) == binary_rank(matrix, on_cpu()));
    }
  }
  for (const std::size_t rank : {1u, 1000u, 3071u}) {
    INFO("rank " << rank << ", seed " << seed);
    const BitMatrix matrix =
        binary_product(random_bits(3500, rank, 0.5, random), random_bits(rank, 4000, 0.5, random), on_cpu());
    CHECK(binary_rank(matrix, on_gpu()) == binary_rank(matrix, on_cpu()));
  }
}

TEST_CASE("a GPU finds the determinants that the CPU finds", "[cuda]") {
  const auto held = held_gpu();
  if (!held) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 1);
  int odd = 0;
  for (const std::size_t n : {0u, 1u, 2u, 64u, 65u, 1023u, 1024u, 1025u, 3000u}) {
    for (int i = 0; i < 6; ++i) {
      INFO(n << " rows, seed " << seed);
      const BitMatrix matrix = random_bits(n, n, 0.5, random);
      const bool expected = binary_determinant(matrix, on_cpu());
      odd += expected ? 1 : 0;
      CHECK(binary_determinant(matrix, on_gpu()) == expected);
    }
  }
  CHECK(odd > 10);
  CHECK(odd < 45);
}

TEST_CASE("a matrix for which a GPU has no room is refused, with the size that would fit", "[cuda]") {
  const auto held = held_gpu();
  if (!held) MATCHCOUNT_SKIP("no GPU for products of bits");
  constexpr std::size_t n = std::size_t{1} << 22;
  try {
    binary_determinant_gpu(n, on_gpu());
    FAIL("it was taken");
  } catch (const OverLimit& error) {
    CHECK(std::string(error.what()).find("rows would fit") != std::string::npos);
  }
  CHECK(!binary_determinant_gpu(n, on(DeviceChoice::Kind::automatic)));
  CHECK(binary_determinant_gpu(100, on_gpu()));
}

TEST_CASE("closures on a GPU are those of the CPU, counted and pair by pair", "[cuda]") {
  const auto held = held_gpu();
  if (!held) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 2);
  for (const auto& [n, reach] : {std::pair<Vertex, Vertex>{10, 5}, {1000, 3}, {1100, 1100}, {5000, 20}, {5000, 5000}}) {
    INFO(n << " vertices, arcs up to " << reach << ", seed " << seed);
    const Condensation components = condensation(layered(n, reach, random));
    ClosureReport report;
    const std::uint64_t expected = count_reachable_pairs(components, on_cpu());
    CHECK(count_reachable_pairs(components, on_gpu(), {}, &report) == expected);
    CHECK(report.gpus.size() == 1);
    if (n > 1000) continue;
    const auto pairs_of = [&](const RunContext& run) {
      std::vector<std::pair<Vertex, Vertex>> pairs;
      count_reachable_pairs(components, run, [&](std::span<const Vertex> from, std::span<const Vertex> to) {
        for (const Vertex u : from) {
          for (const Vertex v : to) pairs.emplace_back(u, v);
        }
      });
      std::sort(pairs.begin(), pairs.end());
      return pairs;
    };
    CHECK(pairs_of(on_gpu()) == pairs_of(on_cpu()));
  }
}

TEST_CASE("a closure on a GPU agrees with searches from some vertices", "[cuda]") {
  const auto held = held_gpu();
  if (!held) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 3);
  constexpr Vertex n = 6000;
  const Digraph graph = layered(n, 30, random);
  std::vector<std::vector<Vertex>> reached(n);
  count_reachable_pairs(condensation(graph), on_gpu(), [&](std::span<const Vertex> from, std::span<const Vertex> to) {
    for (const Vertex u : from) {
      if (u % 499 == 5) reached[u].insert(reached[u].end(), to.begin(), to.end());
    }
  });
  for (Vertex u = 5; u < n; u += 499) {
    INFO("vertex " << u << ", seed " << seed);
    std::sort(reached[u].begin(), reached[u].end());
    CHECK(reached[u] == reachable_from(graph, u));
  }
}
