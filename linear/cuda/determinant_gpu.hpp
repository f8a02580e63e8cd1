#pragma once
// Finds determinants on a GPU; see linear/cuda/determinant_kernels.cuh.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/numbers/real.hpp"
#include "core/run.hpp"
#include "linear/cpu/dense_floating.hpp"
#include "linear/cuda/determinant_frame.hpp"

namespace matchcount::gpu {

// The kernels of an elimination of `batch` n x n matrices one behind the other, in their order: `queue` launches them.
// Nothing waits for anything but queue.after_rows, which may. With keep_factors there is one matrix, of which A stands
// a second time below itself: then L and U are whole in its place, and the columns of A below are exchanged as those of
// U were.
template <class Queue>
void queue_elimination(Queue& queue, int n, int batch, int multiprocessors, std::size_t value_bytes,
                       bool keep_factors) {
  constexpr int lanes = 32;
  const auto blocks_for = [](int size, int piece) { return (size + piece - 1) / piece; };
  for (int first = 0; first < n; first += determinant_panel_rows) {
    const int rows = std::min(determinant_panel_rows, n - first), last = first + rows, left = n - last;
    // Every block of a panel at once: at most one a multiprocessor.
    const int slice = blocks_for(blocks_for(n - first, std::max(1, multiprocessors / batch)), lanes) * lanes;
    const auto shared =
        static_cast<unsigned>(static_cast<std::size_t>(rows * slice) * value_bytes) + static_cast<unsigned>(slice);
    queue.factor_panel(first, rows, slice, blocks_for(n - first, slice), shared);
    const int begin = keep_factors ? 0 : first, end = keep_factors ? 2 * n : n;
    queue.move_columns(end, begin, std::min(end - begin, 8 * multiprocessors));
    if (left > 0) {
      queue.invert_upper(first, rows);
      queue.multiply_by_inverse(last, first, left, rows, blocks_for(left, determinant_tile));
      const int across = blocks_for(left, determinant_tile);
      queue.subtract_product(last, first, left, rows, across * across);
    }
    queue.after_rows(last);
  }
}

// Condensation of as many, a row a step.
template <class Queue>
void queue_condensation(Queue& queue, int n, int multiprocessors) {
  for (int first = 0; first < n; ++first) {
    queue.take_pivot(first);
    if (first + 1 < n) queue.condense_rows(first, std::min(n - first - 1, 8 * multiprocessors));
    queue.after_rows(first + 1);
  }
}

// Names the matrices of the bound once elimination has kept its factors (linear/cpu/dense_floating.cpp). `d` and `e`
// hold -D and -X L in the end.
enum class BoundMatrix { a, factors, x, y, d, e };
struct BoundPlace {
  BoundMatrix matrix;
  int row, column;
};
// c = a b or c - a b, of m x k and k x n entries, and the same for `copies` places, each `step` rows and columns behind
// the one before.
struct BoundProduct {
  bool subtract;
  BoundPlace a, b, c;
  int m, n, k, copies = 1, step = 0;
};

// The inverse of a triangle of the factors: that of its blocks, and then, of twice the size again and again, corners
// between two halves, by `e`.
template <class Queue>
void queue_inversion(Queue& queue, int n, bool upper) {
  constexpr int block = determinant_panel_rows;
  const BoundMatrix inverse = upper ? BoundMatrix::y : BoundMatrix::x;
  if (n >= block) queue.invert_blocks(upper, 0, n / block, block);
  if (n % block != 0) queue.invert_blocks(upper, n / block, 1, n % block);
  for (int half = block; half < n; half *= 2) {
    const auto join = [&](int first, int second_rows, int copies) {
      const int middle = first + half, row = upper ? first : middle, column = upper ? middle : first;
      const int rows = upper ? half : second_rows, columns = upper ? second_rows : half;
      const BoundPlace corner{BoundMatrix::e, row, column}, factor{BoundMatrix::factors, row, column};
      const BoundPlace left{inverse, row, row}, right{inverse, column, column}, result{inverse, row, column};
      queue.multiply({false, factor, right, corner, rows, columns, columns, copies, 2 * half});
      queue.multiply({true, left, corner, result, rows, columns, rows, copies, 2 * half});
    };
    const int pairs = n / (2 * half), rest = n - 2 * half * pairs - half;
    if (pairs > 0) join(0, half, pairs);
    if (rest > 0) join(2 * half * pairs, rest, 1);
  }
}

template <class Queue>
void queue_bound(Queue& queue, int n) {
  constexpr int depth = static_cast<int>(dense::panel_rows);  // of which the bound counts the roundings
  queue_inversion(queue, n, true);
  queue.take_lower();
  // Skips the zeros of a triangle.
  for (int first = 0; first < n; first += depth) {
    const int k = std::min(depth, n - first);
    const BoundPlace a{BoundMatrix::a, 0, first}, y{BoundMatrix::y, first, first}, d{BoundMatrix::d, 0, first};
    queue.multiply({true, a, y, d, n, n - first, k});
    queue.after_rows(first + k);
  }
  queue_inversion(queue, n, false);
  queue.clear(BoundMatrix::e);
  for (int first = 0; first < n; first += depth) {
    const int k = std::min(depth, n - first);
    const BoundPlace x{BoundMatrix::x, first, first}, l{BoundMatrix::factors, first, 0}, e{BoundMatrix::e, first, 0};
    queue.multiply({true, x, l, e, n - first, first + k, k});
    queue.after_rows(first + k);
  }
  queue.measure();
}

// Columns of a slice whose panel fits into the shared memory of any device from Volta on (96 KB).
constexpr int widest_slice(std::size_t value_bytes) {
  return static_cast<int>(std::size_t{96'000} / (determinant_panel_rows * value_bytes + 1)) / 32 * 32;
}

// Integers as words of 32 bits, `words` for each: word w of entry i at magnitudes[w * n * n + i].
struct DeviceIntegers {
  int words = 0;
  std::vector<std::uint32_t> magnitudes;
  std::vector<unsigned char> negative;
};

// Says whether the panels of an elimination lie in a device's shared memory.
bool elimination_fits(std::size_t n, std::size_t value_bytes, const DeviceInfo& device);

DeterminantModulus device_modulus(std::uint32_t prime);
// Returns the residue that the pivots, all in Montgomery's form, and the state that kernels leave stand for.
std::uint64_t residue_of_pivots(const DeterminantModulus& modulus, const DeterminantState& state,
                                std::span<const std::uint32_t> pivots, bool by_condensation);

// Residues modulo odd primes below 2^31; as many primes side by side as fill the device. `kernel_s`: the time of
// kernels by the device's clock, where it is asked for. Throws as the device does, Unable where n is too large for its
// elimination, and what run.check() throws.
std::vector<std::uint64_t> determinants_modulo(const DeviceIntegers& integers, std::size_t n,
                                               std::span<const std::uint64_t> primes, bool by_condensation,
                                               const DeviceInfo& device, const RunContext& run,
                                               double* kernel_s = nullptr);

// Computes as dense::float_determinant and dense::bounded_determinant do, in doubles and complex numbers of them;
// kernel_s grows.
ScaledComplex float_determinant(dense::Number number, const dense::FloatMatrix& matrix, bool by_condensation,
                                const DeviceInfo& device, const RunContext& run, double* kernel_s = nullptr);
dense::FloatDeterminant bounded_determinant(dense::Number number, const dense::FloatMatrix& matrix, double entry_error,
                                            const DeviceInfo& device, const RunContext& run,
                                            double* kernel_s = nullptr);

KernelImage determinant_image();

}  // namespace matchcount::gpu
