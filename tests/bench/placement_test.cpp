// The kernels of the study of placements: their text on the host, in every placement, against the definition.

#include "bench/published/placement.hpp"

#include <cstring>

#include "core/random.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/catch.hpp"
#include "support/host_gpu.hpp"

#define NUMBER double
#define ROWS 7
#define KERNEL(name) inline void name
#define SHARED_MEMORY                                                   \
  NUMBER* const shared_memory = static_cast<NUMBER*>(dynamic_shared()); \
  (void)shared_memory
#define UNROLL_ROWS
#define LOWEST_BIT(mask) __builtin_ctzll(mask)
#define MATRIX_ARGUMENT const Matrix* given
#define MATRIX (*given)
// Stands for the code of a column: a generated kernel has a switch over the columns, which the test of the source looks
// at.
#define UPDATE(column) \
  for (unsigned k = matrix.begin[column]; k < matrix.begin[(column) + 1]; ++k) x[matrix.row[k]] += s * matrix.entry[k];

namespace host_gpu {
unsigned num_blocks = 1;
}
#define gridDim (host_gpu::Index{host_gpu::num_blocks})

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"

#define SPARSE 0
#define SUMS_IN 0
#define MATRIX_IN 0
#define COALESCED 0
namespace host_gpu::global_by_thread {
#include "bench/published/placement.cuh"
}
#undef COALESCED
#define COALESCED 1
namespace host_gpu::global_coalesced {
#include "bench/published/placement.cuh"
}
#undef SUMS_IN
#define SUMS_IN 1
namespace host_gpu::shared_global {
#include "bench/published/placement.cuh"
}
#undef MATRIX_IN
#define MATRIX_IN 1
namespace host_gpu::shared_shared {
#include "bench/published/placement.cuh"
}
#undef SPARSE
#define SPARSE 1
namespace host_gpu::sparse_shared {
#include "bench/published/placement.cuh"
}
#undef SUMS_IN
#define SUMS_IN 2
namespace host_gpu::sparse_registers {
#include "bench/published/placement.cuh"
}
#undef SPARSE
#define SPARSE 0
namespace host_gpu::registers_shared {
#include "bench/published/placement.cuh"
}
#pragma GCC diagnostic pop

using namespace matchcount;
using bench::Memory;
using bench::Placement;

namespace {

constexpr std::size_t n = ROWS;
constexpr std::uint64_t seed = 20261122;

std::vector<double> entries_of(std::uint64_t turn) {
  Random random(seed, turn);
  std::vector<double> entries;
  for (std::size_t i = 0; i < n * n; ++i) entries.push_back(static_cast<double>(random.below(6)) - 2);
  return entries;
}

double expected(const std::vector<double>& entries) {
  std::vector<std::int64_t> integers;
  for (const double entry : entries) integers.push_back(static_cast<std::int64_t>(entry));
  return static_cast<double>(reference::permanent_by_expansion(integers, n));
}

// The terms in two ranges, by so many threads, in chunks of each size.
template <class Matrix, class Kernel>
void check_kernel(const Placement& placement, Kernel kernel) {
  for (std::uint64_t turn = 0; turn < 6; ++turn) {
    const std::vector<double> entries = entries_of(turn);
    const std::vector<std::byte> bytes = bench::placement_matrix(placement, entries, n);
    REQUIRE(bytes.size() == sizeof(Matrix));
    Matrix matrix;
    std::memcpy(&matrix, bytes.data(), bytes.size());
    for (const unsigned long long chunk : {1ull, 3ull, 4ull, 64ull}) {
      CAPTURE(to_string(placement), turn, chunk);
      constexpr unsigned threads = 4;
      double sum = 0;
      for (const auto& [first, last] : {std::pair(0ull, 22ull), std::pair(22ull, 64ull)}) {
        const auto blocks = static_cast<unsigned>((last - first + chunk * threads - 1) / (chunk * threads));
        host_gpu::num_blocks = blocks;
        std::vector<double> sums(n * blocks * threads), out(blocks * threads, 1e9);
        host_gpu::Launch(blocks, threads, static_cast<unsigned>(threads * n * sizeof(double) + sizeof(Matrix)),
                         [&, from = first, to = last] { kernel(&matrix, sums.data(), out.data(), from, to, chunk); })
            .run();
        for (const double part : out) sum += part;
      }
      CHECK(2 * sum == expected(entries));  // n is odd
    }
  }
}

}  // namespace

TEST_CASE("kernels of every placement give the permanent of small integers exactly") {
  using namespace host_gpu;
  check_kernel<global_by_thread::Matrix>({Memory::global, Memory::global, false}, global_by_thread::sum_terms);
  check_kernel<global_coalesced::Matrix>({Memory::global, Memory::global, true}, global_coalesced::sum_terms);
  check_kernel<shared_global::Matrix>({Memory::shared, Memory::global, true}, shared_global::sum_terms);
  check_kernel<shared_shared::Matrix>({Memory::shared, Memory::shared, true}, shared_shared::sum_terms);
  check_kernel<sparse_shared::Matrix>({Memory::shared, Memory::shared, true, true}, sparse_shared::sum_terms);
  check_kernel<sparse_registers::Matrix>({Memory::registers, Memory::shared, true, true}, sparse_registers::sum_terms);
  check_kernel<registers_shared::Matrix>({Memory::registers, Memory::shared, true}, registers_shared::sum_terms);
}

TEST_CASE("a sparse kernel with its sums in registers has every entry of the matrix in its text") {
  const std::vector<double> entries{0, 1.5, 0, 2, 0, 0, 0, 0.25, -3};
  const std::string text = bench::placement_source({Memory::registers, Memory::shared, true, true}, entries, 3);
  CHECK(text.find("case 0: x[1] += s * (0x1p+1); break;") != text.npos);
  CHECK(text.find("case 1: x[0] += s * (0x1.8p+0); x[2] += s * (0x1p-2); break;") != text.npos);
  CHECK(text.find("case 2: x[2] += s * (-0x1.8p+1); break;") != text.npos);
}
