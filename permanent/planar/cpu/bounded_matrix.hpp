#pragma once
// A BoundedMatrix is a dense matrix of double-doubles or wide reals, each with a bound on its distance from the truth.
// Private to permanent/.

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/numbers/pair.hpp"
#include "permanent/inverse.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"
#include "permanent/planar/cpu/wide_real.hpp"

namespace matchcount {

inline double size_of(double value) { return std::fabs(value); }
inline double size_of(DoubleDouble value) { return std::fabs(value.hi); }
template <std::size_t size>
double size_of(const WideReal<size>& value) {
  return std::fabs(static_cast<double>(value));
}
// Returns the relative error of one operation.
template <class Number>
double unit_roundoff() {
  if constexpr (std::is_same_v<Number, double>) {
    return 0x1p-53;
  } else if constexpr (std::is_same_v<Number, DoubleDouble>) {
    return DoubleDouble::unit_roundoff;
  } else {
    return Number::unit_roundoff();
  }
}

// NumberStore names where the numbers are.
template <class Number>
struct NumberStore {
  std::vector<Number> values;
  explicit NumberStore(std::size_t size) : values(size) {}
  const Number& value(std::size_t place) const { return values[place]; }
  void set(std::size_t place, const Number& value) { values[place] = value; }
};
template <>
struct NumberStore<DoubleDouble> {
  std::vector<double> high, low;
  explicit NumberStore(std::size_t size) : high(size, 0.0), low(size, 0.0) {}
  DoubleDouble value(std::size_t place) const { return {high[place], low[place]}; }
  void set(std::size_t place, DoubleDouble value) { high[place] = value.hi, low[place] = value.lo; }
};

template <class Number>
struct BoundedMatrix : NumberStore<Number> {
  std::size_t rows = 0, columns = 0;
  std::vector<double> error;  // |truth - value| <= error

  BoundedMatrix() : BoundedMatrix(0, 0) {}
  BoundedMatrix(std::size_t num_rows, std::size_t num_columns)
      : NumberStore<Number>(num_rows * num_columns),
        rows(num_rows),
        columns(num_columns),
        error(num_rows * num_columns, 0.0) {}

  std::size_t at(std::size_t row, std::size_t column) const { return row * columns + column; }
  void put(std::size_t place, const Number& number, double bound) {
    this->set(place, number);
    error[place] = bound;
  }
  std::vector<double> magnitudes() const {
    std::vector<double> result(error.size());
    for (std::size_t i = 0; i < error.size(); ++i) result[i] = size_of(this->value(i)) * (1 + 0x1p-50);
    return result;
  }
  BoundedMatrix block(std::size_t first_row, std::size_t first_column, std::size_t num_rows,
                      std::size_t num_columns) const {
    BoundedMatrix result(num_rows, num_columns);
    for (std::size_t r = 0; r < num_rows; ++r) {
      for (std::size_t c = 0; c < num_columns; ++c) {
        const std::size_t from = at(first_row + r, first_column + c);
        result.put(result.at(r, c), this->value(from), error[from]);
      }
    }
    return result;
  }
  void put_block(const BoundedMatrix& part, std::size_t row, std::size_t column) {
    for (std::size_t r = 0; r < part.rows; ++r)
      for (std::size_t c = 0; c < part.columns; ++c)
        put(at(row + r, column + c), part.value(part.at(r, c)), part.error[part.at(r, c)]);
  }
  void negate() {
    for (std::size_t i = 0; i < error.size(); ++i) this->set(i, -this->value(i));
  }
};

// Bounds the error of a product of that many terms, taken from a number, over the sum of all magnitudes.
template <class Number>
double product_error(std::size_t inner) {
  if constexpr (std::is_same_v<Number, DoubleDouble>) {
    return doubled_product_error(inner);
  } else {
    return (static_cast<double>(inner) + 4) * unit_roundoff<Number>();
  }
}

// c -= a b. Bounds are left as they are.
template <class Number>
void subtract_product(const ProductKernel& kernel, BoundedMatrix<Number>& c, const BoundedMatrix<Number>& a,
                      const BoundedMatrix<Number>& b) {
  if constexpr (std::is_same_v<Number, DoubleDouble>) {
    kernel.subtract_doubled({c.high.data(), c.low.data(), c.columns}, {a.high.data(), a.low.data(), a.columns},
                            {b.high.data(), b.low.data(), b.columns}, a.rows, a.columns, b.columns);
  } else {
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t k = 0; k < a.columns; ++k) {
        const Number factor = a.value(a.at(i, k));
        for (std::size_t j = 0; j < b.columns; ++j)
          c.values[c.at(i, j)] = c.values[c.at(i, j)] - factor * b.values[b.at(k, j)];
      }
    }
  }
}

// RealField computes with reals as they are, the largest number of a column being its pivot.
template <class Number>
struct RealField {
  static Number one() { return 1.0; }
  static double size(const Number& a) { return size_of(a); }
  static Number inverse(const Number& a) { return Number(1.0) / a; }
  static Number product(const Number& a, const Number& b) { return a * b; }
  static Number minus_product(const Number& a, const Number& b, const Number& c) { return a - b * c; }
};

// Inverts in place. Returns whether there was a pivot everywhere.
template <class Number>
bool invert(std::vector<Number>& matrix, std::size_t size) {
  return invert(matrix.data(), size, size, RealField<Number>());
}

// The same, where all leading blocks of an even size can be inverted as well.
bool invert(const ProductKernel& kernel, BoundedMatrix<DoubleDouble>& matrix);
template <class Number>
bool invert(const ProductKernel&, BoundedMatrix<Number>& matrix) {
  return invert(matrix.values, matrix.rows);
}

}  // namespace matchcount
