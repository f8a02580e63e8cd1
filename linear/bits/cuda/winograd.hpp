#pragma once
// Multiplies large bit matrices over GF(2) by Strassen's method in Winograd's form, with a level
// of seven products above the next.
//
// Each level takes the four sums of either factor's quarters at once, then four products, whose sums fill the quarters
// of the result, and adds three more there: 27 times a quarter is read or written, where 15 additions one by one would
// take 45, and the 12 of an alternative basis (Karppa and Kaski 2019, arXiv:1909.01554) 36, beside the changes of
// basis.

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/bit_product_frame.hpp"
#include "linear/bits/cuda/product_gpu.hpp"

namespace matchcount::gpu {

// Quarters of fewer rows or columns do not pay: on one H200 a level takes 5.6 ms at n = 32768 and none 5.2, one 39.4 ms
// at 65536, two 40.7 and none 45.9.
constexpr std::size_t winograd_least = 32768;

// Rows and columns of a quarter of a, columns of one of b. What does not divide by two, or into strips, is left out.
struct QuarterSizes {
  std::size_t m, k, n;
  std::size_t least() const { return std::min({m, k, n}); }
};
inline QuarterSizes quarter_sizes(std::size_t m, std::size_t k, std::size_t n) {
  const auto strips = [](std::size_t columns) { return columns / 2 / strip_columns * strip_columns; };
  return {m / 2, strips(k), strips(n)};
}

// WinogradLevel holds the space of one level: sums of either factor's quarters, m x k and, transposed, n x k, and
// products, m x n.
struct WinogradLevel {
  QuarterSizes size;
  std::array<DeviceBitView, 4> left, right, products;
};

// Levels for a product of m x k and k x n, down to quarters of no fewer than `least` rows and columns, on a device.
class WinogradSpace {
 public:
  WinogradSpace(const DeviceContext& context, std::size_t m, std::size_t k, std::size_t n, std::size_t least) {
    for (QuarterSizes size = quarter_sizes(m, k, n); size.least() >= least;
         size = quarter_sizes(size.m, size.k, size.n)) {
      WinogradLevel level{size, {}, {}, {}};
      for (std::size_t i = 0; i < 4; ++i) {
        level.left[i] = bits_.emplace_back(context, size.m, size.k);
        level.right[i] = bits_.emplace_back(context, size.n, size.k);
        level.products[i] = bits_.emplace_back(context, size.m, size.n);
      }
      levels_.push_back(level);
    }
  }
  std::span<const WinogradLevel> levels() const { return levels_; }

  static double bytes(std::size_t m, std::size_t k, std::size_t n, std::size_t least) {
    double total = 0;
    for (QuarterSizes size = quarter_sizes(m, k, n); size.least() >= least;
         size = quarter_sizes(size.m, size.k, size.n)) {
      total +=
          4 * (BitMatrix::bytes(size.m, size.k) + BitMatrix::bytes(size.n, size.k) + BitMatrix::bytes(size.m, size.n));
    }
    return total;
  }

 private:
  std::deque<DeviceBits> bits_;
  std::vector<WinogradLevel> levels_;
};

// c = a b, or c = c + a b, where b is given transposed. `gpu` multiplies and sums as BitDevice does; the first level's
// sizes are quarter_sizes of the factors, and so on.
template <class Gpu>
void multiply_winograd(Gpu& gpu, std::span<const WinogradLevel> levels, const DeviceBitView& a,
                       const DeviceBitView& b_transposed, const DeviceBitView& c, bool add = false) {
  if (levels.empty()) return gpu.multiply(BitSum::binary, a, b_transposed, c, add);
  const WinogradLevel& level = levels.front();
  const auto [m, k, n] = level.size;
  const auto a_part = [&](std::size_t i, std::size_t j) { return a.block(i * m, m, j * k, k); };
  const auto b_part = [&](std::size_t i, std::size_t j) { return b_transposed.block(j * n, n, i * k, k); };
  const auto c_part = [&](std::size_t i, std::size_t j) { return c.block(i * m, m, j * n, n); };
  const auto sum = [&](const DeviceBitView& x, const DeviceBitView& y, const DeviceBitView& z, const DeviceBitView& w,
                       const std::array<DeviceBitView, 4>& to) {
    gpu.sum_quarters({x.address,
                      y.address,
                      z.address,
                      w.address,
                      x.stride_bytes,
                      {to[0].address, to[1].address, to[2].address, to[3].address},
                      to[0].stride_bytes,
                      static_cast<unsigned>(x.num_rows),
                      static_cast<unsigned>(k / 8)});
  };
  const auto multiply = [&](const DeviceBitView& left, const DeviceBitView& right, const DeviceBitView& to, bool adds) {
    multiply_winograd(gpu, levels.subspan(1), left, right, to, adds);
  };
  sum(a_part(1, 0), a_part(1, 1), a_part(0, 0), a_part(0, 1), level.left);   // S1 to S4
  sum(b_part(0, 1), b_part(0, 0), b_part(1, 1), b_part(1, 0), level.right);  // T1 to T4
  const auto& [p1, p5, p6, p7] = level.products;
  multiply(a_part(0, 0), b_part(0, 0), p1, false);
  multiply(level.left[0], level.right[0], p5, false);
  multiply(level.left[1], level.right[1], p6, false);
  multiply(level.left[2], level.right[2], p7, false);
  gpu.join_quarters({p1.address, p5.address, p6.address, p7.address, p1.stride_bytes, c_part(0, 0).address,
                     c_part(0, 1).address, c_part(1, 0).address, c_part(1, 1).address, c.stride_bytes,
                     static_cast<unsigned>(m), static_cast<unsigned>(n / 8), add ? 1u : 0u});
  multiply(a_part(0, 1), b_part(1, 0), c_part(0, 0), true);    // P2
  multiply(level.left[3], b_part(1, 1), c_part(0, 1), true);   // P3
  multiply(a_part(1, 1), level.right[3], c_part(1, 0), true);  // P4
  // The quarters leave out an odd last row, column or inner line.
  const std::size_t rows = 2 * m, inner = 2 * k, columns = 2 * n;
  const auto rest = [&](const DeviceBitView& left, const DeviceBitView& right, const DeviceBitView& to, bool adds) {
    if (left.num_rows != 0 && left.num_columns != 0 && right.num_rows != 0)
      gpu.multiply(BitSum::binary, left, right, to, adds);
  };
  rest(a.block(0, rows, inner, a.num_columns - inner), b_transposed.block(0, columns, inner, a.num_columns - inner),
       c.block(0, rows, 0, columns), true);
  rest(a.block(0, rows, 0, a.num_columns), b_transposed.block(columns, c.num_columns - columns, 0, a.num_columns),
       c.block(0, rows, columns, c.num_columns - columns), add);
  rest(a.block(rows, c.num_rows - rows, 0, a.num_columns), b_transposed,
       c.block(rows, c.num_rows - rows, 0, c.num_columns), add);
}

}  // namespace matchcount::gpu
