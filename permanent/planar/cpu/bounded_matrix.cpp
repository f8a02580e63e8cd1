#include "permanent/planar/cpu/bounded_matrix.hpp"

namespace matchcount {
namespace {

// Double-doubles that nobody bounds.
struct DoubledAlgebra {
  using View = DoubledMatrix;
  struct Buffer {
    std::vector<double> high, low;
    std::size_t columns;

    Buffer(std::size_t num_rows, std::size_t num_columns)
        : high(num_rows * num_columns, 0.0), low(num_rows * num_columns, 0.0), columns(num_columns) {}
    DoubledMatrix view() { return {high.data(), low.data(), columns}; }
    void negate() {
      for (double& value : high) value = -value;
      for (double& value : low) value = -value;
    }
  };
  const ProductKernel& kernel;

  static View part(View a, std::size_t row, std::size_t column) {
    return {a.high + row * a.stride + column, a.low + row * a.stride + column, a.stride};
  }
  static void clear(View a, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::fill_n(a.high + r * a.stride, columns, 0.0);
      std::fill_n(a.low + r * a.stride, columns, 0.0);
    }
  }
  void subtract(View c, View a, View b, std::size_t rows, std::size_t inner, std::size_t columns) const {
    kernel.subtract_doubled(c, {a.high, a.low, a.stride}, {b.high, b.low, b.stride}, rows, inner, columns);
  }
  static bool invert_small(View a, std::size_t size) {
    std::vector<DoubleDouble> work;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c) work.emplace_back(a.high[r * a.stride + c], a.low[r * a.stride + c]);
    if (!invert(work, size)) return false;
    for (std::size_t i = 0; i < work.size(); ++i) {
      a.high[i / size * a.stride + i % size] = work[i].hi;
      a.low[i / size * a.stride + i % size] = work[i].lo;
    }
    return true;
  }
};

}  // namespace

bool invert(const ProductKernel& kernel, BoundedMatrix<DoubleDouble>& matrix) {
  return invert_in_halves(DoubledAlgebra{kernel}, {matrix.high.data(), matrix.low.data(), matrix.columns}, matrix.rows);
}

}  // namespace matchcount
