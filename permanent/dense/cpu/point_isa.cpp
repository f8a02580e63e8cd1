// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/point_kernel.hpp"

namespace matchcount::loop_kernel {

namespace {

using lane::multiply_add;
using simd::Reals;
using simd::width;

// One lane's number, or the same in all lanes, of one or two components.
template <int components>
struct Number {
  Reals re, im;
};

template <int components>
MATCHCOUNT_INLINE Number<components> load(const double* from) {
  if constexpr (components == 1) return {simd::load<Reals>(from), Reals{}};
  return {simd::load<Reals>(from), simd::load<Reals>(from + num_lanes)};
}
template <int components>
MATCHCOUNT_INLINE Number<components> broadcast(const double* from) {
  if constexpr (components == 1) return {simd::broadcast(*from), Reals{}};
  return {simd::broadcast(from[0]), simd::broadcast(from[1])};
}
template <int components>
MATCHCOUNT_INLINE void store(double* to, const Number<components>& value) {
  simd::store(to, value.re);
  if constexpr (components == 2) simd::store(to + num_lanes, value.im);
}

// A sum of products; those of two imaginary parts apart, because a factor that is the same in all lanes has no sign
// that is changed on the way.
template <int components>
struct Sum {
  MATCHCOUNT_INLINE void add(const Number<components>& a, const Number<components>& b) {
    re = multiply_add(a.re, b.re, re);
    if constexpr (components == 1) return;
    im = multiply_add(a.im, b.re, multiply_add(a.re, b.im, im));
    less = multiply_add(a.im, b.im, less);
  }
  MATCHCOUNT_INLINE void add_to(Number<components>& sum) const {
    sum.re += components == 2 ? re - less : re;
    if constexpr (components == 2) sum.im += im;
  }
  Reals re = {}, less = {}, im = {};
};

// A set's highest vertex has each of the others, and last its loop.
template <int components>
void write_of_sets(const double* entries, const double* loops, int vertices, const std::uint32_t* place,
                   double* found) {
  constexpr int stride = components * num_lanes;
  for (int part = 0; part < num_lanes; part += width) {
    double* const to = found + part;
    Number<components> one{};
    one.re += 1;
    store(to + place[0] * stride, one);
    for (int highest = 0; highest < vertices; ++highest) {
      const auto loop = load<components>(loops + highest * stride + part);
      const double* const row = entries + highest * vertices * components;
      for (std::uint32_t others = 0; others >> highest == 0; ++others) {
        Sum<components> sum;
        for (std::uint32_t left = others; left != 0; left &= left - 1) {
          const auto entry = broadcast<components>(row + __builtin_ctz(left) * components);
          sum.add(entry, load<components>(to + place[others ^ (left & -left)] * stride));
        }
        sum.add(loop, load<components>(to + place[others] * stride));
        Number<components> value{};
        sum.add_to(value);
        store(to + place[others | 1u << highest] * stride, value);
      }
    }
  }
}

template <int components>
void add_form(const double* matrix, int rows, int columns, const double* by_row, const double* by_column, double* out) {
  constexpr int stride = components * num_lanes;
  for (int part = 0; part < num_lanes; part += width) {
    auto all = load<components>(out + part);
    const double* factor = matrix;
    for (int first = 0; first < rows; first += rows_at_once) {
      Number<components> total[rows_at_once] = {};
      Sum<components> of_rows;
      for (int begin = 0; begin < columns; begin += columns_at_once) {
        const int end = columns < begin + columns_at_once ? columns : begin + columns_at_once;
        Sum<components> sum[rows_at_once];
        for (int column = begin; column < end; ++column, factor += rows_at_once * components) {
          const auto value = load<components>(by_column + column * stride + part);
          for (int row = 0; row < rows_at_once; ++row)
            sum[row].add(broadcast<components>(factor + row * components), value);
        }
        for (int row = 0; row < rows_at_once; ++row) sum[row].add_to(total[row]);
      }
      for (int row = 0; row < rows_at_once; ++row)
        of_rows.add(total[row], load<components>(by_row + (first + row) * stride + part));
      of_rows.add_to(all);
    }
    store(out + part, all);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{write_of_sets<1>, write_of_sets<2>}, {add_form<1>, add_form<2>}};

}  // namespace matchcount::loop_kernel

namespace matchcount::point_kernel {

namespace {

using lane::multiply_add;
using simd::Reals;
using simd::width;

constexpr int parts = num_lanes / width;

struct Real {
  static constexpr int components = 1;
  Reals re;

  static MATCHCOUNT_INLINE Real load(const double* from) { return {simd::load<Reals>(from)}; }
  static MATCHCOUNT_INLINE Real broadcast(const double* from) { return {simd::broadcast(from[0])}; }
  MATCHCOUNT_INLINE Real plus(Real b) const { return {re + b.re}; }
  MATCHCOUNT_INLINE Real times(Real b) const { return {re * b.re}; }
  MATCHCOUNT_INLINE Real minus(Real b) const { return {re - b.re}; }
  MATCHCOUNT_INLINE Reals size(Reals floor) const { return simd::larger_magnitude(re, floor); }
  MATCHCOUNT_INLINE Reals magnitude() const { return size(Reals{}); }
  MATCHCOUNT_INLINE Reals not_positive() const { return magnitude() - re; }
  MATCHCOUNT_INLINE void add_to(Reals* sum) const { sum[0] += re; }
};

struct Complex : lane::Complex<Reals> {
  static constexpr int components = 2;

  static MATCHCOUNT_INLINE Complex load(const double* from) {
    return {{simd::load<Reals>(from), simd::load<Reals>(from + num_lanes)}};
  }
  static MATCHCOUNT_INLINE Complex broadcast(const double* from) {
    return {{simd::broadcast(from[0]), simd::broadcast(from[1])}};
  }
  MATCHCOUNT_INLINE Complex plus(Complex b) const { return {*this + b}; }
  MATCHCOUNT_INLINE Complex minus(Complex b) const { return {{re - b.re, im - b.im}}; }
  MATCHCOUNT_INLINE Complex times(Complex b) const { return {*this * b}; }
  MATCHCOUNT_INLINE Reals magnitude() const { return simd::square_root(size(Reals{})); }
  MATCHCOUNT_INLINE Reals not_positive() const {
    return simd::larger_magnitude(re, Reals{}) - re + simd::larger_magnitude(im, Reals{});
  }
  MATCHCOUNT_INLINE Reals size(Reals floor) const { return simd::larger(multiply_add(re, re, im * im), floor); }
  MATCHCOUNT_INLINE Complex times(double b) const { return {{re * b, im * b}}; }
  MATCHCOUNT_INLINE void add_to(Reals* sum) const {
    sum[0] += re;
    sum[1] += im;
  }
};

MATCHCOUNT_INLINE double add_lanes(Reals lanes) {
  double result = 0;
  for (int i = 0; i < width; ++i) result += lanes[i];
  return result;
}

MATCHCOUNT_INLINE unsigned below_highest_bit(unsigned exponent) { return 1u << (31 - __builtin_clz(exponent)) >> 1; }

template <class Number>
void sum_forms(const Forms& given, const double* base, double* out) {
  constexpr int components = Number::components;
  const Forms forms = given;
  const int num_forms = forms.end[forms.num_powers - 1];
  Reals total[components] = {}, total_size = {};
  for (int at = 0; at < forms.vectors * parts; ++at) {
    const int vector = at / parts, lane = at % parts * width;
    const double* inner = forms.inner + vector * num_forms * components * num_lanes + lane;
    const Number weight = Number::load(forms.weight + vector * components * num_lanes + lane);
    Number product = weight;
    Reals size = weight.size(Reals{});
    int form = 0;
    for (int group = 0; group < forms.num_powers; ++group) {
      const auto value = [&] {
        return Number::broadcast(base + form * components).plus(Number::load(inner + form * components * num_lanes));
      };
      const unsigned exponent = forms.exponent[group];
      Number once = value();
      Reals once_size = once.size(simd::broadcast(forms.floor[form]));
      for (++form; form < forms.end[group]; ++form) {
        const Number next = value();
        once = once.times(next);
        once_size *= next.size(simd::broadcast(forms.floor[form]));
      }
      Number power = once;
      Reals power_size = once_size;
      for (unsigned bit = below_highest_bit(exponent); bit != 0; bit >>= 1) {
        power = power.times(power);
        power_size *= power_size;
        if ((exponent & bit) != 0) {
          power = power.times(once);
          power_size *= once_size;
        }
      }
      product = product.times(power);
      size *= power_size;
    }
    product.add_to(total);
    total_size += size;
  }
  for (int component = 0; component < components; ++component) out[component] = add_lanes(total[component]);
  out[components] = add_lanes(total_size);
}

void sum_pairs(const Pairs& given, const double* base, double* out) {
  constexpr int components = 2;
  const Pairs pairs = given;
  const bool linear = pairs.coefficient != nullptr;
  Reals total[components] = {}, total_size = {};
  for (int at = 0; at < pairs.vectors * parts; ++at) {
    const int vector = at / parts, lane = at % parts * width;
    const auto load = [&](const double* table, int numbers, int number) {
      return Complex::load(table + (vector * numbers + number) * components * num_lanes + lane);
    };
    Complex q = Complex::broadcast(base).plus(load(pairs.inner, 2, 0));
    for (int i = 0; i < pairs.num_coordinates; ++i)
      q = q.plus(
          load(pairs.coordinate, pairs.num_coordinates, i).times(Complex::broadcast(base + (2 + i) * components)));
    const Complex weight = load(pairs.weight, 1, 0);
    const Reals q_size = simd::larger(simd::square_root(q.size(Reals{})), simd::broadcast(pairs.floor));
    Complex value = q;
    Reals size = q_size;
    if (linear) {
      // Horner's scheme from the highest power of q on.
      const Complex l = Complex::broadcast(base + components).plus(load(pairs.inner, 2, 1)), square = l.times(l);
      const Reals l_size = simd::larger(simd::square_root(l.size(Reals{})), simd::broadcast(pairs.linear_floor));
      const Complex one{{simd::broadcast(1), Reals{}}};
      Complex power = pairs.odd ? l : one;
      Reals power_size = pairs.odd ? l_size : simd::broadcast(1);
      value = power.times(pairs.coefficient[pairs.half]);
      size = power_size * pairs.coefficient[pairs.half];
      for (unsigned k = pairs.half; k-- > 0;) {
        power = power.times(square);
        power_size *= l_size * l_size;
        value = value.times(q).plus(power.times(pairs.coefficient[k]));
        size = multiply_add(size, q_size, power_size * pairs.coefficient[k]);
      }
    } else {
      for (unsigned bit = below_highest_bit(pairs.half); bit != 0; bit >>= 1) {
        value = value.times(value);
        size *= size;
        if ((pairs.half & bit) != 0) {
          value = value.times(q);
          size *= q_size;
        }
      }
    }
    value.times(weight).add_to(total);
    total_size += size * weight.size(Reals{});
  }
  for (int component = 0; component < components; ++component) out[component] = add_lanes(total[component]);
  out[components] = add_lanes(total_size);
}

// A column's value is the sum of a part for the inner signs, which is kept for all of them, and one for the others.
template <class Number>
void sum_eight(int n, const double* entries, Eight* out) {
  constexpr int components = Number::components;
  const int inner = n - 1 < inner_bits ? n - 1 : inner_bits, outer = n - 1 - inner;
  const double share = 1 / (3 * __builtin_sqrt(n));
  for (int lane = 0; lane < num_lanes; lane += width) {
    Number kept[1 << inner_bits][most_rows], base[most_rows];
    Reals floor[most_rows], least = simd::broadcast(__builtin_inf()), largest{}, not_positive{};
    const auto entry = [&](int row, int column) {
      return Number::load(entries + (row * n + column) * components * num_lanes + lane);
    };
    for (int column = 0; column < n; ++column) {
      Reals sum{};
      for (int row = 0; row < n; ++row) {
        sum += entry(row, column).magnitude();
        not_positive += entry(row, column).not_positive();
      }
      least = simd::lesser(least, sum);
      largest = simd::larger(largest, sum);
      floor[column] = sum * share;
      if (components == 2) floor[column] *= floor[column];
      kept[0][column] = entry(1, column);
      kept[1][column] = Number{}.minus(entry(1, column));
      for (int bit = 1; bit < inner; ++bit) {
        for (int i = 0; i < 1 << bit; ++i) {
          kept[i + (1 << bit)][column] = kept[i][column].minus(entry(bit + 1, column));
          kept[i][column] = kept[i][column].plus(entry(bit + 1, column));
        }
      }
    }
    Number total{};
    Reals total_size{};
    for (int signs = 0; signs < 1 << outer; ++signs) {
      bool odd = false;
      for (int column = 0; column < n; ++column) base[column] = entry(0, column);
      for (int bit = 0; bit < outer; ++bit) {
        const bool negative = (signs >> bit & 1) != 0;
        odd = odd != negative;
        for (int column = 0; column < n; ++column) {
          const Number added = entry(inner + 1 + bit, column);
          base[column] = negative ? base[column].minus(added) : base[column].plus(added);
        }
      }
      Number block{};
      Reals block_size{};
      for (int i = 0; i < 1 << inner; ++i) {
        Number product = base[0].plus(kept[i][0]);
        Reals size = product.size(floor[0]);
        for (int column = 1; column < n; ++column) {
          const Number value = base[column].plus(kept[i][column]);
          product = product.times(value);
          size *= value.size(floor[column]);
        }
        constexpr unsigned odd_parities = 0x6996;  // by number of four bits
        block = (odd_parities >> i & 1) != 0 ? block.minus(product) : block.plus(product);
        block_size += size;
      }
      total = odd ? total.minus(block) : total.plus(block);
      total_size += block_size;
    }
    Reals sums[components] = {};
    total.add_to(sums);
    for (int component = 0; component < components; ++component)
      simd::store(out->sum[component] + lane, sums[component]);
    simd::store(out->size + lane, total_size);
    simd::store(out->least + lane, least);
    simd::store(out->largest + lane, largest);
    simd::store(out->not_positive + lane, not_positive);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {sum_forms<Real>, sum_forms<Complex>, sum_pairs, sum_eight<Real>,
                                         sum_eight<Complex>};

}  // namespace matchcount::point_kernel
