// The inverse is found in halves, by products of matrices, as the one modulo primes is
// (permanent/planar/cpu/selected_inverse.cpp).

#include "permanent/planar/cpu/bounded_matrix.hpp"

#include <algorithm>

namespace matchcount {
namespace {

// Double-doubles that nobody bounds.
struct Plane {
  std::vector<double> high, low;
  std::size_t columns;

  Plane(std::size_t num_rows, std::size_t num_columns)
      : high(num_rows * num_columns, 0.0), low(num_rows * num_columns, 0.0), columns(num_columns) {}
  DoubledMatrix view() { return {high.data(), low.data(), columns}; }
  ConstDoubledMatrix read() const { return {high.data(), low.data(), columns}; }
  void negate() {
    for (double& value : high) value = -value;
    for (double& value : low) value = -value;
  }
};

class Inverter {
 public:
  explicit Inverter(const ProductKernel& kernel) : kernel_(kernel) {}

  // Inverts in place.
  bool invert(DoubledMatrix a, std::size_t size) {
    constexpr std::size_t small = 8;
    if (size <= small) return invert_small(a, size);
    const std::size_t half = size / 4 * 2, rest = size - half;
    const DoubledMatrix a12 = part(a, 0, half), a21 = part(a, half, 0), a22 = part(a, half, half);
    if (!invert(a, half)) return false;
    Plane t(half, rest), u(rest, half);  // minus A11^-1 A12 and A21 A11^-1
    kernel_.subtract_doubled(t.view(), read(a), read(a12), half, half, rest);
    kernel_.subtract_doubled(u.view(), read(a21), read(a), rest, half, half);
    u.negate();
    kernel_.subtract_doubled(a22, u.read(), read(a12), rest, half, rest);
    if (!invert(a22, rest)) return false;
    clear(a21, rest, half);
    kernel_.subtract_doubled(a21, read(a22), u.read(), rest, rest, half);
    clear(a12, half, rest);
    t.negate();
    kernel_.subtract_doubled(a12, t.read(), read(a22), half, rest, rest);
    kernel_.subtract_doubled(a, read(a12), u.read(), half, rest, half);
    return true;
  }

 private:
  static DoubledMatrix part(DoubledMatrix a, std::size_t row, std::size_t column) {
    return {a.high + row * a.stride + column, a.low + row * a.stride + column, a.stride};
  }
  static ConstDoubledMatrix read(DoubledMatrix a) { return {a.high, a.low, a.stride}; }
  static void clear(DoubledMatrix a, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::fill_n(a.high + r * a.stride, columns, 0.0);
      std::fill_n(a.low + r * a.stride, columns, 0.0);
    }
  }
  // Inverts by Gauss and Jordan, the largest pivot of a column first.
  static bool invert_small(DoubledMatrix a, std::size_t size) {
    DoubleDouble work[8][16] = {};
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) work[r][c] = {a.high[r * a.stride + c], a.low[r * a.stride + c]};
      work[r][size + r] = 1.0;
    }
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t from = k;
      for (std::size_t r = k + 1; r < size; ++r) {
        if (std::fabs(work[r][k].hi) > std::fabs(work[from][k].hi)) from = r;
      }
      if (!(std::fabs(work[from][k].hi) > 0)) return false;
      if (from != k) std::swap(work[from], work[k]);
      const DoubleDouble factor = DoubleDouble(1) / work[k][k];
      for (std::size_t c = k; c < 2 * size; ++c) work[k][c] = work[k][c] * factor;
      for (std::size_t r = 0; r < size; ++r) {
        if (r == k || work[r][k].hi == 0) continue;
        const DoubleDouble multiple = work[r][k];
        for (std::size_t c = k; c < 2 * size; ++c) work[r][c] = work[r][c] - multiple * work[k][c];
      }
    }
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) {
        a.high[r * a.stride + c] = work[r][size + c].hi;
        a.low[r * a.stride + c] = work[r][size + c].lo;
      }
    }
    return true;
  }

  const ProductKernel& kernel_;
};

}  // namespace

bool invert(const ProductKernel& kernel, BoundedMatrix<DoubleDouble>& matrix) {
  return Inverter(kernel).invert({matrix.high.data(), matrix.low.data(), matrix.columns}, matrix.rows);
}

}  // namespace matchcount
