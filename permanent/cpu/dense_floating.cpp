// The bound. Let A Q = L U be what elimination found, X and Y any approximate inverses of L and U, triangular and Y
// with ones on its diagonal, and C = X A Q Y = I + F. Then
//   det A = sign(Q) det(I + F) / (x_11 ... x_nn),    |det(I + F) - 1| <= exp(sum of |F_ij|) - 1,
// whatever the errors of L, U, X and Y were: with the eigenvalues f_i of F, |prod (1 + f_i) - 1| <= prod (1 + |f_i|) -
// 1, the sum of |f_i| is at most that of F's singular values (Weyl 1949, doi:10.1073/pnas.35.7.408), a norm, which is
// at most the sum of |F_ij| as it is 1 for a matrix with a single 1. (Bounds by preconditioned determinants: Rump 2010,
// doi:10.1017/S096249291000005X; this one needs no |F| < 1.) F itself is computed with |error| <= 2 g |X||A||Y|, g = d
// u / (1 - d u), where d counts the roundings that a term goes through, and that bound is summed by products with
// vectors.

#include "permanent/cpu/dense_floating.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

namespace matchcount::dense {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows that are inverted together, and rows or columns of a triangle that are multiplied together.
constexpr std::size_t inverse_rows = 64, product_rows = 480;

template <class T>
struct Traits;

template <>
struct Traits<double> {
  static constexpr std::size_t planes = 1;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.real; }
  static double load(Planes at) { return *at.data; }
  static void store(Planes at, double value) { *at.data = value; }
  static double size(double value) { return std::fabs(value); }
  static double reciprocal(double value) { return 1 / value; }
  static ComplexDoubleDouble widen(double value) { return value; }
  static constexpr double unit = 0x1p-53;  // of an operation
  static constexpr int operations = 1;     // of a term for every rounding of a sum of reals
};
template <>
struct Traits<DoubleDouble> {
  static constexpr std::size_t planes = 2;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.double_double; }
  static DoubleDouble load(Planes at) { return {at.data[0], at.data[at.plane]}; }
  static void store(Planes at, DoubleDouble value) { at.data[0] = value.hi, at.data[at.plane] = value.lo; }
  static double size(DoubleDouble value) { return std::fabs(value.hi) + std::fabs(value.lo); }
  static DoubleDouble reciprocal(DoubleDouble value) { return DoubleDouble(1) / value; }
  static ComplexDoubleDouble widen(DoubleDouble value) { return value; }
  static constexpr double unit = DoubleDouble::unit_roundoff;
  static constexpr int operations = 1;
};
template <>
struct Traits<std::complex<double>> {
  using T = std::complex<double>;
  static constexpr std::size_t planes = 2;
  static const FloatKernel& kernel(const DenseKernels& kernels) { return kernels.complex; }
  static T load(Planes at) { return {at.data[0], at.data[at.plane]}; }
  static void store(Planes at, T value) { at.data[0] = value.real(), at.data[at.plane] = value.imag(); }
  static double size(T value) { return std::fabs(value.real()) + std::fabs(value.imag()); }
  static T reciprocal(T value) {
    const double norm = std::norm(value);
    return {value.real() / norm, -value.imag() / norm};
  }
  static ComplexDoubleDouble widen(T value) { return {value.real(), value.imag()}; }
  static constexpr double unit = 0x1p-53;
  static constexpr int operations = 2;
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
  static T reciprocal(const T& value) {
    const DoubleDouble norm = value.re * value.re + value.im * value.im;
    return {value.re / norm, -value.im / norm};
  }
  static ComplexDoubleDouble widen(const T& value) { return value; }
  static constexpr double unit = DoubleDouble::unit_roundoff;
  static constexpr int operations = 2;
};

// A product of many numbers. An error of 2^-97 a factor.
class Product {
 public:
  void multiply(const ComplexDoubleDouble& factor, std::int64_t exponent = 0) {
    value_ = value_ * ScaledComplex{ScaledReal(factor.re, exponent), ScaledReal(factor.im, exponent)};
  }
  void divide(const ComplexDoubleDouble& divisor) {
    // Of size about 1, so that its square is a number.
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

  explicit FloatField(const Run& run) : kernel_(Of::kernel(run.kernels)) {}

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

  // The entry of the largest magnitude, if it is a number above 0.
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

// Lower triangle of the inverse of `factors`' lower triangle.
template <class T>
FloatMatrix inverse_of_lower(const FloatField<T>& field, Planes factors, std::size_t n, const Run& run) {
  typename FloatField<T>::Matrix inverse(n);
  const Planes rows = inverse.view();
  for (std::size_t first = 0; first < n; first += inverse_rows) {
    const std::size_t last = std::min(n, first + inverse_rows);
    subtract_product(field, rows.from(first, 0), factors.from(first, 0), rows, last - first, first, first, run);
    for (std::size_t r = first; r < last; ++r) {
      field.set_one(rows.from(r, r));
      for (std::size_t k = first; k < r; ++k)
        field.combine(rows.from(r, 0), factors.from(r, k), rows.from(k, 0), k + 1);
      field.scale(rows.from(r, 0), Traits<T>::reciprocal(Traits<T>::load(factors.from(r, r))), r + 1);
    }
  }
  return inverse;
}

// The inverse of the triangle with ones on the diagonal and behind it what `factors` has.
template <class T>
FloatMatrix inverse_of_unit_upper(const FloatField<T>& field, Planes factors, std::size_t n, const Run& run) {
  typename FloatField<T>::Matrix inverse(n);
  const Planes rows = inverse.view();
  for (std::size_t block = pieces(n, inverse_rows); block-- > 0;) {
    const std::size_t first = block * inverse_rows, last = std::min(n, first + inverse_rows);
    subtract_product(field, rows.from(first, last), factors.from(first, last), rows.from(last, last), last - first,
                     n - last, n - last, run);
    for (std::size_t r = last; r-- > first;) {
      field.set_one(rows.from(r, r));
      for (std::size_t k = r + 1; k < last; ++k)
        field.combine(rows.from(r, k), factors.from(r, k), rows.from(k, k), n - k);
    }
  }
  return inverse;
}

template <class T>
double size_at(Planes matrix, std::size_t row, std::size_t column) {
  return Traits<T>::size(Traits<T>::load(matrix.from(row, column)));
}
template <class T>
std::vector<double> times_magnitudes(Planes matrix, const std::vector<double>& vector, const Run& run) {
  const std::size_t n = vector.size();
  std::vector<double> result(n);
  parallel_for_chunks(n < 500 ? 1 : run.num_threads, n, [&](std::uint64_t row, int) {
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += size_at<T>(matrix, row, c) * vector[c];
    result[row] = sum;
  });
  return result;
}

template <class T>
FloatDeterminant bounded(FloatMatrix matrix, double entry_error, const Run& run) {
  const std::size_t n = matrix.n;
  FloatMatrix factors = matrix;
  FloatField<T> field(run);
  const std::vector<Exchange> exchanges = Elimination(field, factors.view(), n, run, true).run();
  if (field.pivots() < n) return {{}, infinity};
  const Planes a = matrix.view();
  for (std::size_t r = 0; r < n; ++r) {
    for (const Exchange& exchange : exchanges) field.exchange(a.from(r, 0), exchange.a, exchange.b);
  }
  FloatMatrix x = inverse_of_lower(field, factors.view(), n, run);
  FloatMatrix y = inverse_of_unit_upper(field, factors.view(), n, run);

  // |X| |A| |Y| e, rounded up.
  const std::vector<double> ones(n, 1.0);
  const std::vector<double> right = times_magnitudes<T>(y.view(), ones, run);
  const std::vector<double> sums = times_magnitudes<T>(x.view(), times_magnitudes<T>(a, right, run), run);
  const std::vector<double> left = times_magnitudes<T>(x.view(), ones, run);
  double all_right = 1, all_left = 1, all_sums = 0;
  for (std::size_t i = 0; i < n; ++i) all_right += right[i], all_left += left[i], all_sums += sums[i];

  // -X A in place of the factors, and X A Y in place of A.
  std::fill(factors.entries.begin(), factors.entries.end(), 0.0);
  for (std::size_t first = 0; first < n; first += product_rows) {
    const std::size_t last = std::min(n, first + product_rows);
    subtract_product(field, factors.view().from(first, 0), x.view().from(first, 0), a, last - first, n, last, run);
  }
  std::fill(matrix.entries.begin(), matrix.entries.end(), 0.0);
  for (std::size_t first = 0; first < n; first += product_rows) {
    const std::size_t last = std::min(n, first + product_rows);
    subtract_product(field, a.from(0, first), factors.view(), y.view().from(0, first), n, last - first, last, run);
  }
  double distance = 0;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const T entry = Traits<T>::load(a.from(r, c));
      distance += Traits<T>::size(r == c ? entry - T(1) : entry);
    }
  }
  // A term is rounded when it is multiplied, in a sum of panel_rows, and in the sum of those.
  const double size = static_cast<double>(n);
  const double roundings =
      Traits<T>::operations * (std::min<double>(size, panel_rows) + std::ceil(size / panel_rows) + 4);
  const double unit = roundings * Traits<T>::unit / (1 - roundings * Traits<T>::unit);
  // Underflow takes at most 2^-1000 n from an entry of A or of a product.
  const double lost = 0x1p-960 * all_left * all_right * size;
  const double total =
      (distance + (2 * unit + unit * unit + entry_error) * all_sums + lost) * (1 + (3 * size + 20) * 0x1p-51);

  Product product;
  for (std::size_t r = 0; r < n; ++r) {
    const T diagonal = Traits<T>::load(x.view().from(r, r));
    if (!std::isnormal(Traits<T>::size(diagonal))) return {{}, infinity};
    product.divide(Traits<T>::widen(diagonal));
  }
  if (exchanges.size() % 2 != 0) product.negate();
  const double relative = std::expm1(total) * (1 + 0x1p-50) + size * 0x1p-96;
  if (!(relative < infinity)) return {product.value(), infinity};
  const ScaledComplex& value = product.value();
  const double log2_size = 0.5 + std::max(value.re.log2_abs(), value.im.log2_abs());
  return {value, log2_size + std::log2(relative) + 1e-9};
}

template <class T>
ScaledComplex plain(FloatMatrix matrix, bool by_condensation, const Run& run) {
  FloatField<T> field(run);
  const std::size_t exchanges = by_condensation ? condense(field, matrix.view(), matrix.n, run)
                                                : Elimination(field, matrix.view(), matrix.n, run).run().size();
  return field.determinant(matrix.n, exchanges);
}

}  // namespace

ScaledComplex float_determinant(Number number, FloatMatrix matrix, bool by_condensation, const Run& run) {
  switch (number) {
    case Number::real:
      return plain<double>(std::move(matrix), by_condensation, run);
    case Number::double_double:
      return plain<DoubleDouble>(std::move(matrix), by_condensation, run);
    case Number::complex:
      return plain<std::complex<double>>(std::move(matrix), by_condensation, run);
    case Number::complex_double_double:
      return plain<ComplexDoubleDouble>(std::move(matrix), by_condensation, run);
  }
  return {};
}

FloatDeterminant bounded_determinant(Number number, FloatMatrix matrix, double entry_error, const Run& run) {
  switch (number) {
    case Number::real:
      return bounded<double>(std::move(matrix), entry_error, run);
    case Number::double_double:
      return bounded<DoubleDouble>(std::move(matrix), entry_error, run);
    case Number::complex:
      return bounded<std::complex<double>>(std::move(matrix), entry_error, run);
    case Number::complex_double_double:
      return bounded<ComplexDoubleDouble>(std::move(matrix), entry_error, run);
  }
  return {};
}

}  // namespace matchcount::dense
