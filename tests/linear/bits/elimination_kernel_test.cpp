// The kernels' text of elimination and closures compiled for the host, in the order in which a GPU starts them.

#include <algorithm>
#include <vector>

#include "linear/bits/cuda/closure_gpu.hpp"
#include "linear/bits/cuda/elimination_queue.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/product.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/host_bits.hpp"
#include "support/permutations.hpp"

namespace host_gpu {
using namespace matchcount::gpu;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "linear/bits/cuda/bit_moves.cuh"
#include "linear/bits/cuda/elimination_kernels.cuh"
#pragma GCC diagnostic pop
}  // namespace host_gpu

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261201;

std::uint64_t address(const void* place) { return reinterpret_cast<std::uint64_t>(place); }
unsigned narrow(std::size_t size) { return static_cast<unsigned>(size); }

// Starts the kernels as linear/bits/cuda/elimination_gpu.cpp does, but takes products by tables.
class HostEliminator {
 public:
  explicit HostEliminator(BitMatrix& matrix)
      : matrix_(matrix),
        pivot_rows_((matrix.num_columns() + 63) / 64 * 64),
        combinations_(pivot_rows_.size()),
        rank_after_(pivot_rows_.size() / 64),
        frame_{address(matrix.row(0)),      8 * std::uint64_t{matrix.stride()}, address(&moves_),
               address(pivot_rows_.data()), address(combinations_.data()),      address(rank_after_.data()),
               narrow(matrix.num_rows()),   narrow(matrix.num_columns())} {}

  std::size_t factor_panel(std::size_t first, std::size_t last) {
    const std::size_t byte = first / 8, bytes = std::min<std::size_t>(128, 8 * matrix_.stride() - byte);
    for (std::size_t column = first; column < last; column += 64) {
      constexpr unsigned threads = 96;  // few, so that rows come in several turns
      host_gpu::launch(1, threads, 0, [&] { host_gpu::find_pivots<threads>(frame_, narrow(column)); });
      host_gpu::launch(narrow(matrix_.stride() / 8), gpu::move_threads, 0, [&] { host_gpu::move_rows(frame_); });
      host_gpu::launch(3, gpu::panel_threads, 0,
                       [&] { host_gpu::update_panel(frame_, narrow(column), narrow(byte), narrow(bytes)); });
    }
    return moves_.rank;
  }
  void solve_panel(std::size_t top, std::size_t bottom, std::size_t first, std::size_t last, std::size_t begin,
                   std::size_t end) {
    host_gpu::launch(narrow((end - begin + 511) / 512), gpu::panel_threads, narrow(64 * (bottom - top)), [&] {
      host_gpu::solve_panel(frame_, narrow(top), narrow(bottom), narrow(first), narrow(last), begin / 8);
    });
  }
  void subtract(std::size_t from, std::size_t to, std::size_t first, std::size_t last, std::size_t begin,
                std::size_t end) {
    BitMatrix chosen(last - first, end - begin);
    const BitView all = matrix_.view();
    for (std::size_t c = first; c < last; ++c) {
      if (pivot_rows_[c] == gpu::no_row) continue;
      const auto line = all.block(pivot_rows_[c], 1, begin, end - begin);
      std::copy_n(line.row(0), chosen.stride(), chosen.row(c - first));
    }
    const BitMatrix product = binary_product(all.block(from, to - from, first, last - first), chosen);
    for (std::size_t r = from; r < to; ++r) {
      for (std::size_t w = 0; w < product.stride(); ++w) all.row(r)[begin / 64 + w] ^= product.row(r - from)[w];
    }
  }

 private:
  BitMatrix& matrix_;
  gpu::BitMoves moves_{};
  std::vector<std::uint32_t> pivot_rows_;
  std::vector<std::uint64_t> combinations_;
  std::vector<std::uint32_t> rank_after_;
  gpu::BitElimination frame_;
};

std::size_t rank_by_kernels(BitMatrix matrix, bool full = false) {
  HostEliminator host(matrix);
  return gpu::EliminationQueue(host, matrix.num_rows(), matrix.num_columns(), full).run();
}

RunContext on_cpu() { return RunContext({.device = {.kind = DeviceChoice::Kind::cpu}}); }

// Returns a matrix of a rank of at most `rank`: a product.
BitMatrix of_rank(std::size_t rows, std::size_t columns, std::size_t rank, Random& random) {
  return binary_product(random_bits(rows, rank, 0.5, random), random_bits(rank, columns, 0.5, random));
}

// Starts the kernels as linear/bits/cuda/closure_gpu.cpp does.
struct HostCloser {
  BitView matrix;
  void join(std::size_t first, std::size_t middle, std::size_t last) {
    const BitView arcs = matrix.block(middle, last - middle, first, middle - first);
    const BitMatrix half = boolean_product(arcs, matrix.block(first, middle - first, first, middle - first));
    const BitMatrix both = boolean_product(matrix.block(middle, last - middle, middle, last - middle), half);
    for (std::size_t r = 0; r < both.num_rows(); ++r) std::copy_n(both.row(r), both.stride(), arcs.row(r));
  }
};

}  // namespace

TEST_CASE("the kernels of elimination, on the host, find the rank that the CPU finds") {
  Random random(seed);
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {63, 64},
                                      {64, 65},
                                      {65, 63},
                                      {200, 130},
                                      {130, 700},
                                      {1100, 1030}}) {
    for (const double density : {0.5, 2.5 / static_cast<double>(columns)}) {
      INFO(rows << " x " << columns << ", density " << density << ", seed " << seed);
      const BitMatrix matrix = random_bits(rows, columns, density, random);
      CHECK(rank_by_kernels(matrix) == binary_rank(matrix, on_cpu()));
    }
  }
  for (const std::size_t rank : {1u, 63u, 64u, 100u}) {
    INFO("rank " << rank << ", seed " << seed);
    const BitMatrix matrix = of_rank(150, 300, rank, random);
    CHECK(rank_by_kernels(matrix) == binary_rank(matrix, on_cpu()));
  }
  CHECK(rank_by_kernels(BitMatrix(70, 70)) == 0);
}

TEST_CASE("elimination by kernels recurs over panels, with full rank and without") {
  Random random(seed, 1);
  constexpr std::size_t n = 2100;
  const BitMatrix deficient = of_rank(n, n, 1500, random);
  CHECK(rank_by_kernels(deficient) == binary_rank(deficient, on_cpu()));
  CHECK(rank_by_kernels(deficient, true) < n);
  // A triangle of full rank whose rows and columns are mixed by a permutation.
  const auto places = test::random_permutation(n, random);
  BitMatrix full(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    full.set(r, places[r], true);
    for (std::size_t c = 0; c < r; ++c) full.set(r, places[c], random.below(2) == 1);
  }
  CHECK(rank_by_kernels(full, true) == n);
}

TEST_CASE("the kernels of a closure, on the host, reach what searches reach") {
  Random random(seed, 2);
  for (const std::size_t n : {1u, 2u, 65u, 513u, 1300u}) {
    INFO(n << " vertices, seed " << seed);
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> targets, sizes;
    for (std::size_t v = 0; v < n; ++v) {
      for (int arc = 0; arc < 2 && v != 0; ++arc) {
        // Near ones, so that paths are long.
        targets.push_back(static_cast<std::uint32_t>(v - 1 - random.below(std::min<std::size_t>(v, 40))));
      }
      offsets.push_back(targets.size());
      sizes.push_back(static_cast<std::uint32_t>(1 + random.below(3)));
    }
    BitMatrix matrix(n, n);
    const std::uint64_t at = address(matrix.row(0)), stride = 8 * std::uint64_t{matrix.stride()};
    host_gpu::launch(2, gpu::bit_threads, 0, [&] {
      host_gpu::set_arcs(address(offsets.data()), address(targets.data()), narrow(n), at, stride);
    });
    host_gpu::launch(narrow((n + gpu::closed_rows - 1) / gpu::closed_rows), gpu::closing_threads,
                     gpu::closed_rows * gpu::closed_rows / 8, [&] { host_gpu::close_diagonal(at, stride, narrow(n)); });
    HostCloser closer{matrix.view()};
    gpu::queue_closure(closer, 0, n);
    std::vector<std::uint64_t> totals(n, 0);
    host_gpu::launch(2, gpu::bit_threads, 0, [&] {
      host_gpu::weigh_rows(at, stride, narrow(n), address(sizes.data()), address(totals.data()));
    });
    bool all = true;
    for (std::size_t v = 0; v < n; v += 1 + n / 50) {
      std::vector<bool> reached(n, false);
      std::uint64_t total = 0;
      reached[v] = true;
      for (std::size_t u = v + 1; u-- > 0;) {
        if (!reached[u]) continue;
        if (u != v) total += sizes[u];
        for (std::uint64_t arc = offsets[u]; arc < offsets[u + 1]; ++arc) reached[targets[arc]] = true;
      }
      for (std::size_t u = 0; u < n; ++u) all = all && matrix.get(v, u) == reached[u];
      all = all && totals[v] == total;
    }
    CHECK(all);
  }
}
