// The bound. Let A Q = L U be what elimination found, with ones on the diagonal of U, and X and Y any approximate
// inverses of L and U, Y with ones on its diagonal. With D = A Q Y - L and E = X L - I
//   det A = sign(Q) l_11 ... l_nn det(I + G),    G = (I + E)^-1 X D,
// whatever the errors of L, U, X and Y were. Where the Frobenius norm f of G is below 1,
//   det(I + G) = exp(z),    |z| <= |trace G| + f^2 / (2 (1 - f)):
// log det(I + G) is the sum of G's eigenvalues' logarithms, and the sum of their k-th powers is at most f^k from k = 2
// on (Schur 1909, doi:10.1007/BF01456804). With e = |E|, norms being Frobenius',
//   f <= |X| |D| / (1 - e),    |trace G| <= |trace X D| + e f.
// So all but the trace of X D is of second order, and that takes n^2 multiplications. D and E are computed with an
// error of at most g (|L| + |A||Y|) and g (I + |X||L|), g = d u / (1 - d u), where d counts the roundings that a term
// goes through; what that does to the trace is bounded by
//   sum over i of |x_i|' |A| |y_i| <= t sum of |x_i| |y_i|,    t^2 = largest row sum times largest column sum of |A|,
// over rows x_i of X and columns y_i of Y. (Bounds by preconditioned determinants: Rump 2010,
// doi:10.1017/S096249291000005X. Bounding all of X A Y - I entry by entry took a further n^3 / 2 multiplications, and
// at n = 1000 the bound was 840 times as large.)

#include "linear/cpu/dense_floating.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "core/numbers/value.hpp"

namespace matchcount::dense {
namespace {

// Rows of a triangle that are inverted row by row.
constexpr std::size_t inverse_rows = 32;

template <class T>
struct Traits;

template <>
struct Traits<double> {
  static constexpr std::size_t planes = 1;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.real; }
  static double load(Planes at) { return *at.data; }
  static void store(Planes at, double value) { *at.data = value; }
  static double size(double value) { return std::fabs(value); }
  static double square(double value) { return value * value; }
  static std::complex<double> rounded(double value) { return value; }
  static double reciprocal(double value) { return 1 / value; }
  static ComplexDoubleDouble widen(double value) { return value; }
  static constexpr double unit = 0x1p-53;  // of an operation
  static constexpr bool is_complex = false;
};
template <>
struct Traits<DoubleDouble> {
  static constexpr std::size_t planes = 2;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.double_double; }
  static DoubleDouble load(Planes at) { return {at.data[0], at.data[at.plane]}; }
  static void store(Planes at, DoubleDouble value) { at.data[0] = value.hi, at.data[at.plane] = value.lo; }
  static double size(DoubleDouble value) { return std::fabs(value.hi) + std::fabs(value.lo); }
  static double square(DoubleDouble value) { return value.hi * value.hi; }
  static std::complex<double> rounded(DoubleDouble value) { return value.hi; }
  static DoubleDouble reciprocal(DoubleDouble value) { return DoubleDouble(1) / value; }
  static ComplexDoubleDouble widen(DoubleDouble value) { return value; }
  static constexpr double unit = DoubleDouble::unit_roundoff;
  static constexpr bool is_complex = false;
};
template <>
struct Traits<std::complex<double>> {
  using T = std::complex<double>;
  static constexpr std::size_t planes = 2;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.complex; }
  static T load(Planes at) { return {at.data[0], at.data[at.plane]}; }
  static void store(Planes at, T value) { at.data[0] = value.real(), at.data[at.plane] = value.imag(); }
  static double size(T value) { return std::fabs(value.real()) + std::fabs(value.imag()); }
  static double square(T value) { return std::norm(value); }
  static T rounded(T value) { return value; }
  static T reciprocal(T value) {
    const double norm = std::norm(value);
    return {value.real() / norm, -value.imag() / norm};
  }
  static ComplexDoubleDouble widen(T value) { return {value.real(), value.imag()}; }
  static constexpr double unit = 0x1p-53;
  static constexpr bool is_complex = true;
};
template <>
struct Traits<ComplexDoubleDouble> {
  using T = ComplexDoubleDouble;
  static constexpr std::size_t planes = 4;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.complex_double_double; }
  static T load(Planes at) { return {{at.data[0], at.data[at.plane]}, {at.data[2 * at.plane], at.data[3 * at.plane]}}; }
  static void store(Planes at, const T& value) {
    at.data[0] = value.re.hi, at.data[at.plane] = value.re.lo;
    at.data[2 * at.plane] = value.im.hi, at.data[3 * at.plane] = value.im.lo;
  }
  static double size(const T& value) {
    return Traits<DoubleDouble>::size(value.re) + Traits<DoubleDouble>::size(value.im);
  }
  static double square(const T& value) { return value.re.hi * value.re.hi + value.im.hi * value.im.hi; }
  static std::complex<double> rounded(const T& value) { return {value.re.hi, value.im.hi}; }
  static T reciprocal(const T& value) {
    const DoubleDouble norm = value.re * value.re + value.im * value.im;
    return {value.re / norm, -value.im / norm};
  }
  static ComplexDoubleDouble widen(const T& value) { return value; }
  static constexpr double unit = DoubleDouble::unit_roundoff;
  static constexpr bool is_complex = true;
};

// A product of many numbers. An error of 2^-97 a factor.
class Product {
 public:
  void multiply(const ComplexDoubleDouble& factor, std::int64_t exponent = 0) {
    value_ = value_ * ScaledComplex{ScaledReal(factor.re, exponent), ScaledReal(factor.im, exponent)};
  }
  void divide(const ComplexDoubleDouble& divisor) {
    // The divisor is scaled to a size of about 1, so that its square is a number.
    const int exponent = std::ilogb(magnitude(divisor));
    multiply(Traits<ComplexDoubleDouble>::reciprocal(ldexp(divisor, -exponent)), -exponent);
  }
  void negate() { value_ = {-value_.re, -value_.im}; }
  const ScaledComplex& value() const { return value_; }

 private:
  ScaledComplex value_{ScaledReal(1), ScaledReal(0)};
};

template <class T>
class FloatField {
 public:
  using View = Planes;
  using Packed = double;
  using Of = Traits<T>;
  struct Matrix : FloatMatrix {
    explicit Matrix(std::size_t size) : FloatMatrix(size, Of::planes) {}
  };
  struct Divided {};  // the first row was, by the pivot

  explicit FloatField(const Execution& execution) : kernel_(Of::kernel(execution.kernels)) {}

  static constexpr std::size_t planes() { return Of::planes; }
  std::size_t strip() const { return kernel_.strip; }
  void pack(Planes b, std::size_t k, std::size_t n, double* packed) const { kernel_.pack(b, k, n, packed); }
  void multiply(bool subtract, Planes a, std::size_t m, std::size_t k, const double* packed, std::size_t n, Planes c,
                double* space) const {
    kernel_.multiply(subtract, a, m, k, packed, n, c, space);
  }
  void combine(Planes y, Planes factor, Planes x, std::size_t n) const { kernel_.combine(y, factor, x, n); }
  static void exchange(Planes row, std::size_t a, std::size_t b) {
    for (std::size_t p = 0; p < Of::planes; ++p) std::swap(row.data[p * row.plane + a], row.data[p * row.plane + b]);
  }
  static void set_one(Planes at) { Of::store(at, T(1)); }
  static void scale(Planes row, T factor, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) Of::store(row.from(0, i), Of::load(row.from(0, i)) * factor);
  }

  // Returns the entry of the largest magnitude, if it is a number above 0.
  static std::size_t find_pivot(Planes row, std::size_t n) {
    double best = 0;
    std::size_t place = n;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = Of::size(Of::load(row.from(0, i)));
      if (size > best) {
        best = size;
        place = i;
      }
    }
    return std::isfinite(best) && best > std::numeric_limits<double>::min() ? place : n;
  }
  void take_pivot(Planes at, std::size_t behind) {
    const T pivot = Of::load(at);
    ++pivots_;
    product_.multiply(Of::widen(pivot));
    scale(at.from(0, 1), Of::reciprocal(pivot), behind);
  }
  Divided take_condensing_pivot(Planes at, std::size_t rows) {
    take_pivot(at, rows);
    return {};
  }
  void condense_row(Divided, Planes y, Planes factor, Planes x, std::size_t n) const { combine(y, factor, x, n); }

  ScaledComplex determinant(std::size_t n, std::size_t exchanges) {
    if (pivots_ < n) return {};
    if (exchanges % 2 != 0) product_.negate();
    return product_.value();
  }
  std::size_t pivots() const { return pivots_; }

 private:
  const FloatKernel& kernel_;
  std::size_t pivots_ = 0;
  Product product_;
};

enum class Shape { full, lower, upper };

// c = c - a b, where entries outside of the shapes are 0 and are passed over.
template <class T>
void subtract_shaped(const FloatField<T>& field, Planes c, Planes a, Shape a_shape, Planes b, Shape b_shape,
                     std::size_t m, std::size_t n, std::size_t k, const Execution& execution) {
  for (std::size_t first = 0; first < k; first += panel_rows) {
    const std::size_t last = std::min(k, first + panel_rows);
    const std::size_t top = a_shape == Shape::lower ? first : 0, bottom = a_shape == Shape::upper ? last : m;
    const std::size_t left = b_shape == Shape::upper ? first : 0, right = b_shape == Shape::lower ? last : n;
    subtract_product(field, c.from(top, left), a.from(top, first), b.from(first, left), bottom - top, right - left,
                     last - first, execution);
  }
}

// Inverts triangles at the front of `factors`, the lower one with its diagonal or the upper one with ones there. By
// halves: the inverses of both, and a corner between them that is minus the product of the three others.
template <class T>
class Inversion {
 public:
  Inversion(FloatField<T>& field, Planes factors, bool upper, const Execution& execution)
      : field_(field),
        factors_(factors),
        upper_(upper),
        execution_(execution),
        inverse_(factors.stride),
        space_(factors.stride) {}

  FloatMatrix run() {
    invert(0, factors_.stride);
    return std::move(inverse_);
  }

 private:
  void invert(std::size_t first, std::size_t last) {
    const std::size_t size = last - first;
    if (size <= inverse_rows) return upper_ ? invert_upper(first, last) : invert_lower(first, last);
    const std::size_t middle = first + pieces(size, 2 * inverse_rows) * inverse_rows;
    invert(first, middle);
    invert(middle, last);
    // The corner lies in the rows of one half and the columns of the other.
    const std::size_t row = upper_ ? first : middle, column = upper_ ? middle : first;
    const std::size_t rows = upper_ ? middle - first : last - middle, columns = size - rows;
    const Planes inverse = inverse_.view(), space = space_.view();
    const Shape shape = upper_ ? Shape::upper : Shape::lower;
    subtract_shaped(field_, space.from(row, column), factors_.from(row, column), Shape::full,
                    inverse.from(column, column), shape, rows, columns, columns, execution_);
    for (std::size_t r = row; r < row + rows; ++r) field_.scale(space.from(r, column), T(-1), columns);
    subtract_shaped(field_, inverse.from(row, column), inverse.from(row, row), shape, space.from(row, column),
                    Shape::full, rows, columns, rows, execution_);
  }
  void invert_lower(std::size_t first, std::size_t last) {
    const Planes rows = inverse_.view();
    for (std::size_t r = first; r < last; ++r) {
      field_.set_one(rows.from(r, r));
      for (std::size_t k = first; k < r; ++k)
        field_.combine(rows.from(r, first), factors_.from(r, k), rows.from(k, first), k - first + 1);
      field_.scale(rows.from(r, first), Traits<T>::reciprocal(Traits<T>::load(factors_.from(r, r))), r - first + 1);
    }
  }
  void invert_upper(std::size_t first, std::size_t last) {
    const Planes rows = inverse_.view();
    for (std::size_t r = last; r-- > first;) {
      field_.set_one(rows.from(r, r));
      for (std::size_t k = r + 1; k < last; ++k)
        field_.combine(rows.from(r, k), factors_.from(r, k), rows.from(k, k), last - k);
    }
  }

  FloatField<T>& field_;
  Planes factors_;
  bool upper_;
  const Execution& execution_;
  typename FloatField<T>::Matrix inverse_, space_;
};

template <class T>
FloatDeterminant bounded(FloatMatrix matrix, double entry_error, const Execution& execution) {
  using Of = Traits<T>;
  const std::size_t n = matrix.n;
  const int threads = n < 500 ? 1 : execution.num_threads;
  FloatMatrix factors = matrix;
  FloatField<T> field(execution);
  const std::vector<Exchange> exchanges = Elimination(field, factors.view(), n, execution, true).run();
  if (field.pivots() < n) return {{}, infinity};
  const Planes a = matrix.view(), l = factors.view();
  std::vector<BoundRow> rows(n);
  std::vector<double> column_sums(n, 0);
  for (std::size_t r = 0; r < n; ++r) {
    for (const Exchange& exchange : exchanges) field.exchange(a.from(r, 0), exchange.a, exchange.b);
    for (std::size_t c = 0; c < n; ++c) {
      const double size = Of::size(Of::load(a.from(r, c)));
      rows[r].row_sum += size;
      column_sums[c] += size;
    }
  }
  for (std::size_t i = 0; i < n; ++i) rows[i].column_sum = column_sums[i];

  FloatMatrix y_of_u = Inversion<T>(field, l, true, execution).run();
  const Planes y = y_of_u.view();
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t p = 0; p < Of::planes; ++p) std::fill_n(l.data + p * l.plane + r * n + r + 1, n - r - 1, 0.0);
  }
  FloatMatrix minus_d = factors;
  const Planes d = minus_d.view();
  subtract_shaped(field, d, a, Shape::full, y, Shape::upper, n, n, n, execution);
  std::vector<double> y_squares(n, 0);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = r; c < n; ++c) y_squares[c] += Of::square(Of::load(y.from(r, c)));
  }
  for (std::size_t i = 0; i < n; ++i) rows[i].y = y_squares[i];
  y_of_u.entries = {};

  FloatMatrix x_of_l = Inversion<T>(field, l, false, execution).run();
  const Planes x = x_of_l.view();
  // -X L in place of A.
  std::fill(matrix.entries.begin(), matrix.entries.end(), 0.0);
  subtract_shaped(field, a, x, Shape::lower, l, Shape::lower, n, n, n, execution);
  parallel_for_chunks(threads, n, [&](std::uint64_t i, int) {
    BoundRow& row = rows[i];
    std::complex<double> trace = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const T e = Of::load(a.from(i, j));
      row.d += Of::square(Of::load(d.from(i, j)));
      row.e += Of::square(i == j ? e + T(1) : e);
      if (j > i) continue;
      const T left = Of::load(x.from(i, j));
      row.l += Of::square(Of::load(l.from(i, j)));
      row.x += Of::square(left);
      trace += Of::rounded(left) * Of::rounded(Of::load(d.from(j, i)));
    }
    row.trace_re = trace.real();
    row.trace_im = trace.imag();
  });
  return with_bound(field.determinant(n, exchanges.size()), rows, Of::unit, Of::is_complex, entry_error);
}

template <class T>
ScaledComplex plain(FloatMatrix matrix, bool by_condensation, const Execution& execution) {
  FloatField<T> field(execution);
  const std::size_t exchanges = by_condensation ? condense(field, matrix.view(), matrix.n, execution)
                                                : Elimination(field, matrix.view(), matrix.n, execution).run().size();
  return field.determinant(matrix.n, exchanges);
}

// Calls compute(0) with the 0 of this type.
template <class Compute>
auto with_type(Number number, const Compute& compute) {
  switch (number) {
    case Number::real:
      return compute(0.0);
    case Number::double_double:
      return compute(DoubleDouble());
    case Number::complex:
      return compute(std::complex<double>());
    case Number::complex_double_double:
      break;
  }
  return compute(ComplexDoubleDouble());
}

}  // namespace

FloatDeterminant with_bound(const ScaledComplex& value, std::span<const BoundRow> rows, double unit, bool is_complex,
                            double entry_error) {
  const double n = static_cast<double>(rows.size());
  double trace_re = 0, trace_im = 0, lengths = 0, row_sum = 0, column_sum = 0;
  double squares_x = 0, squares_y = 0, squares_l = 0, squares_d = 0, squares_e = 0;
  for (const BoundRow& row : rows) {
    trace_re += row.trace_re;
    trace_im += row.trace_im;
    lengths += std::sqrt(row.x) * std::sqrt(row.y);
    squares_x += row.x;
    squares_y += row.y;
    squares_l += row.l;
    squares_d += row.d;
    squares_e += row.e;
    row_sum = std::max(row_sum, row.row_sum);
    column_sum = std::max(column_sum, row.column_sum);
  }
  // A term is rounded when it is multiplied, in a sum of panel_rows, in the sum of those and when 1 is added. Of a
  // complex number both parts are sums of twice as many terms, and their errors are the legs of that of the number.
  const double roundings = (is_complex ? 3 : 1) * (std::min<double>(n, panel_rows) + std::ceil(n / panel_rows) + 6);
  const double g = roundings * unit / (1 - roundings * unit);
  // Underflow takes at most 2^-1000 n from an entry of A or of a product.
  const double lost = 0x1p-960 * n * (1 + std::sqrt(squares_y));
  const double norm_a = std::sqrt(row_sum) * std::sqrt(column_sum), norm_x = std::sqrt(squares_x);
  const double of_a = (g + entry_error) * norm_a;
  // Sums of up to n^2 terms, one row after the other, are right to 2 n roundings, and what is made of them to 40.
  const double up = 1 + (2 * n + 40) * 0x1p-52;
  const double norm_d = up * (std::sqrt(squares_d) + g * std::sqrt(squares_l) + of_a * std::sqrt(squares_y) + lost);
  const double norm_e = up * (std::sqrt(squares_e) + g * (std::sqrt(n) + norm_x * std::sqrt(squares_l)) + lost);
  if (!(norm_e < 0.5)) return {value, infinity};
  const double f = up * (norm_x * norm_d / (1 - norm_e));
  if (!(f < 0.5)) return {value, infinity};
  // The diagonal of |X||L| is that of I + E.
  const double trace = std::hypot(trace_re, trace_im) + (4 * n + 40) * 0x1p-53 * norm_x * norm_d +
                       g * n * (1 + norm_e) + of_a * lengths + norm_x * lost;
  const double exponent = up * (trace + norm_e * f + f * f / (2 * (1 - f)));
  const double relative = std::expm1(exponent) * (1 + 0x1p-50) + n * 0x1p-96;
  if (!(relative < infinity)) return {value, infinity};
  const double log2_value = log2_abs(value);
  return {value, log2_value + std::log2(relative) + 1e-9 + std::fabs(log2_value) * 0x1p-50};
}

ScaledComplex float_determinant(Number number, FloatMatrix matrix, bool by_condensation, const Execution& execution) {
  return with_type(number,
                   [&](auto zero) { return plain<decltype(zero)>(std::move(matrix), by_condensation, execution); });
}

FloatDeterminant bounded_determinant(Number number, FloatMatrix matrix, double entry_error,
                                     const Execution& execution) {
  return with_type(number,
                   [&](auto zero) { return bounded<decltype(zero)>(std::move(matrix), entry_error, execution); });
}

}  // namespace matchcount::dense
