#pragma once
// A Doubled is a dense matrix of double-doubles, each with a bound on its distance from the truth. Private to
// permanent/.

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/double_double.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"

namespace matchcount {

struct Doubled {
  std::size_t rows = 0, columns = 0;
  std::vector<double> high, low, error;  // |truth - (high + low)| <= error

  Doubled() = default;
  Doubled(std::size_t num_rows, std::size_t num_columns)
      : rows(num_rows),
        columns(num_columns),
        high(num_rows * num_columns, 0.0),
        low(num_rows * num_columns, 0.0),
        error(num_rows * num_columns, 0.0) {}

  std::size_t at(std::size_t row, std::size_t column) const { return row * columns + column; }
  DoubleDouble value(std::size_t place) const { return {high[place], low[place]}; }
  void set(std::size_t place, DoubleDouble value) { high[place] = value.hi, low[place] = value.lo; }

  DoubledMatrix view() { return {high.data(), low.data(), columns}; }
  ConstDoubledMatrix view() const { return {high.data(), low.data(), columns}; }
  std::vector<double> magnitudes() const {
    std::vector<double> result(high.size());
    for (std::size_t i = 0; i < high.size(); ++i) result[i] = std::fabs(high[i]) * (1 + 0x1p-50);
    return result;
  }
};

}  // namespace matchcount
