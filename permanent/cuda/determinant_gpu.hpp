#pragma once
// Determinants on a GPU. Private to permanent/; see
// permanent/cuda/determinant_kernels.cuh.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/real.hpp"
#include "core/run.hpp"
#include "permanent/cpu/dense_floating.hpp"
#include "permanent/cuda/determinant_frame.hpp"

namespace matchcount::gpu {

// The kernels of an elimination of `batch` n x n matrices one behind the other,
// in their order: `queue` launches them. Nothing waits for anything but
// queue.after_panel, which may.
template <class Queue>
void queue_elimination(Queue& queue, int n, int batch, int multiprocessors, std::size_t value_bytes) {
  constexpr int lanes = 32;
  const auto blocks_for = [](int size, int piece) { return (size + piece - 1) / piece; };
  for (int first = 0; first < n; first += determinant_panel_rows) {
    const int rows = std::min(determinant_panel_rows, n - first), last = first + rows, left = n - last;
    // Every block of a panel at once: at most one a multiprocessor.
    const int slice = blocks_for(blocks_for(n - first, std::max(1, multiprocessors / batch)), lanes) * lanes;
    const auto shared =
        static_cast<unsigned>(static_cast<std::size_t>(rows * slice) * value_bytes) + static_cast<unsigned>(slice);
    queue.factor_panel(first, rows, slice, blocks_for(n - first, slice), shared);
    queue.move_columns(first, std::min(n - first, 8 * multiprocessors));
    if (left > 0) {
      queue.invert_upper(first, rows, static_cast<unsigned>(2 * static_cast<std::size_t>(rows * rows) * value_bytes));
      queue.multiply_by_inverse(last, first, left, rows, blocks_for(left, determinant_tile));
      const int across = blocks_for(left, determinant_tile);
      queue.subtract_product(last, first, left, rows, across * across);
    }
    queue.after_panel(last);
  }
}
// Columns of a slice whose panel fits into the shared memory of any device from
// Volta on (96 KB).
constexpr int widest_slice(std::size_t value_bytes) {
  return static_cast<int>(std::size_t{96'000} / (determinant_panel_rows * value_bytes + 1)) / 32 * 32;
}

// Integers as words of 32 bits, `words` for each: word w of entry i at
// magnitudes[w * n * n + i].
struct DeviceIntegers {
  int words = 0;
  std::vector<std::uint32_t> magnitudes;
  std::vector<unsigned char> negative;
};

// Residues modulo odd primes below 2^31; as many primes side by side as fill the device. `kernel_s`: the time of
// eliminations by the device's clock, where it is asked for. Throws as the device does, Unable where n is too large for
// it, and what the watch throws.
std::vector<std::uint64_t> determinants_modulo(const DeviceIntegers& integers, std::size_t n,
                                               std::span<const std::uint64_t> primes, const DeviceInfo& device,
                                               Watch& watch, double* kernel_s = nullptr);

// In doubles, of real or complex numbers, without a bound; 0 where a pivot can't be had.
ScaledComplex float_determinant(dense::Number number, const dense::FloatMatrix& matrix, const DeviceInfo& device,
                                Watch& watch, double* kernel_s = nullptr);

KernelImage determinant_image();

}  // namespace matchcount::gpu
