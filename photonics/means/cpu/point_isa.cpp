// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "photonics/means/cpu/point_kernel.hpp"

namespace matchcount::loop_kernel {

namespace {

using namespace simd;
using lane::multiply_add;
using Complex = lane::Complex<Reals>;

// A sum of products; of complex numbers those of two imaginary parts apart, because a factor that is the same in all
// lanes has no sign that is changed on the way.
template <class Value>
struct Sum {
  MATCHCOUNT_INLINE void add(Value a, Value b) { sum = multiply_add(a, b, sum); }
  MATCHCOUNT_INLINE void add_to(Value& to) const { to += sum; }
  Value sum = {};
};
template <>
struct Sum<Complex> {
  MATCHCOUNT_INLINE void add(const Complex& a, const Complex& b) {
    re = multiply_add(a.re, b.re, re);
    im = multiply_add(a.im, b.re, multiply_add(a.re, b.im, im));
    less = multiply_add(a.im, b.im, less);
  }
  MATCHCOUNT_INLINE void add_to(Complex& to) const { to = to + Complex{re - less, im}; }
  Reals re = {}, less = {}, im = {};
};

// A set's highest vertex has each of the others, and last its loop.
template <class Value>
void write_of_sets(const double* entries, const double* loops, int vertices, const std::uint32_t* place,
                   double* found) {
  constexpr int components = components_of<Value>, stride = components * num_lanes;
  for (int part = 0; part < num_lanes; part += width) {
    double* const to = found + part;
    write_lanes(constant<Value>(1), to + place[0] * stride, num_lanes);
    for (int highest = 0; highest < vertices; ++highest) {
      const auto loop = read_lanes<Value>(loops + highest * stride + part, num_lanes);
      const double* const row = entries + highest * vertices * components;
      for (std::uint32_t others = 0; others >> highest == 0; ++others) {
        Sum<Value> sum;
        for (std::uint32_t left = others; left != 0; left &= left - 1) {
          const auto entry = read_constant<Value>(row + __builtin_ctz(left) * components);
          sum.add(entry, read_lanes<Value>(to + place[others ^ (left & -left)] * stride, num_lanes));
        }
        sum.add(loop, read_lanes<Value>(to + place[others] * stride, num_lanes));
        Value value{};
        sum.add_to(value);
        write_lanes(value, to + place[others | 1u << highest] * stride, num_lanes);
      }
    }
  }
}

template <class Value>
void add_form(const double* matrix, int rows, int columns, const double* by_row, const double* by_column, double* out) {
  constexpr int components = components_of<Value>, stride = components * num_lanes;
  for (int part = 0; part < num_lanes; part += width) {
    auto all = read_lanes<Value>(out + part, num_lanes);
    const double* factor = matrix;
    for (int first = 0; first < rows; first += rows_at_once) {
      Value total[rows_at_once] = {};
      Sum<Value> of_rows;
      for (int begin = 0; begin < columns; begin += columns_at_once) {
        const int end = columns < begin + columns_at_once ? columns : begin + columns_at_once;
        Sum<Value> sum[rows_at_once];
        for (int column = begin; column < end; ++column, factor += rows_at_once * components) {
          const auto value = read_lanes<Value>(by_column + column * stride + part, num_lanes);
          for (int row = 0; row < rows_at_once; ++row)
            sum[row].add(read_constant<Value>(factor + row * components), value);
        }
        for (int row = 0; row < rows_at_once; ++row) sum[row].add_to(total[row]);
      }
      for (int row = 0; row < rows_at_once; ++row)
        of_rows.add(total[row], read_lanes<Value>(by_row + (first + row) * stride + part, num_lanes));
      of_rows.add_to(all);
    }
    write_lanes(all, out + part, num_lanes);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{write_of_sets<Reals>, write_of_sets<Complex>},
                                         {add_form<Reals>, add_form<Complex>}};

}  // namespace matchcount::loop_kernel

namespace matchcount::point_kernel {

namespace {

using namespace simd;
using lane::multiply_add;
using Complex = lane::Complex<Reals>;

constexpr int parts = num_lanes / width;

// Sizes of complex numbers are squared.
MATCHCOUNT_INLINE Reals size_of(Reals a, Reals floor) { return larger_magnitude(a, floor); }
MATCHCOUNT_INLINE Reals size_of(Complex a, Reals floor) { return larger(multiply_add(a.re, a.re, a.im * a.im), floor); }
MATCHCOUNT_INLINE Reals magnitude(Reals a) { return size_of(a, Reals{}); }
MATCHCOUNT_INLINE Reals magnitude(Complex a) { return square_root(size_of(a, Reals{})); }
MATCHCOUNT_INLINE Reals not_positive(Reals a) { return magnitude(a) - a; }
MATCHCOUNT_INLINE Reals not_positive(Complex a) { return magnitude(a.re) - a.re + magnitude(a.im); }
MATCHCOUNT_INLINE Complex operator*(Complex a, double b) { return {a.re * b, a.im * b}; }

MATCHCOUNT_INLINE double add_lanes(Reals lanes) {
  double result = 0;
  for (int i = 0; i < width; ++i) result += lanes[i];
  return result;
}

MATCHCOUNT_INLINE unsigned below_highest_bit(unsigned exponent) { return 1u << (31 - __builtin_clz(exponent)) >> 1; }

template <class Value>
void sum_forms(const Forms& given, const double* base, double* out) {
  constexpr int components = components_of<Value>;
  const Forms forms = given;
  const int num_forms = forms.end[forms.num_powers - 1];
  Value total = {};
  Reals total_size = {};
  for (int at = 0; at < forms.vectors * parts; ++at) {
    const int vector = at / parts, lane = at % parts * width;
    const double* inner = forms.inner + vector * num_forms * components * num_lanes + lane;
    const Value weight = read_lanes<Value>(forms.weight + vector * components * num_lanes + lane, num_lanes);
    Value product = weight;
    Reals size = size_of(weight, Reals{});
    int form = 0;
    for (int group = 0; group < forms.num_powers; ++group) {
      const auto value = [&] {
        return read_constant<Value>(base + form * components) +
               read_lanes<Value>(inner + form * components * num_lanes, num_lanes);
      };
      const unsigned exponent = forms.exponent[group];
      Value once = value();
      Reals once_size = size_of(once, broadcast(forms.floor[form]));
      for (++form; form < forms.end[group]; ++form) {
        const Value next = value();
        once = once * next;
        once_size *= size_of(next, broadcast(forms.floor[form]));
      }
      Value power = once;
      Reals power_size = once_size;
      for (unsigned bit = below_highest_bit(exponent); bit != 0; bit >>= 1) {
        power = power * power;
        power_size *= power_size;
        if ((exponent & bit) != 0) {
          power = power * once;
          power_size *= once_size;
        }
      }
      product = product * power;
      size *= power_size;
    }
    total = total + product;
    total_size += size;
  }
  for (int component = 0; component < components; ++component)
    out[component] = add_lanes(component_of(total, component));
  out[components] = add_lanes(total_size);
}

void sum_pairs(const Pairs& given, const double* base, double* out) {
  constexpr int components = 2;
  const Pairs pairs = given;
  const bool linear = pairs.coefficient != nullptr;
  Complex total = {};
  Reals total_size = {};
  for (int at = 0; at < pairs.vectors * parts; ++at) {
    const int vector = at / parts, lane = at % parts * width;
    const auto load = [&](const double* table, int numbers, int number) {
      return read_lanes<Complex>(table + (vector * numbers + number) * components * num_lanes + lane, num_lanes);
    };
    Complex q = read_constant<Complex>(base) + load(pairs.inner, 2, 0);
    for (int i = 0; i < pairs.num_coordinates; ++i)
      q = q + load(pairs.coordinate, pairs.num_coordinates, i) * read_constant<Complex>(base + (2 + i) * components);
    const Complex weight = load(pairs.weight, 1, 0);
    const Reals q_size = larger(magnitude(q), broadcast(pairs.floor));
    Complex value = q;
    Reals size = q_size;
    if (linear) {
      // Horner's scheme from the highest power of q on.
      const Complex l = read_constant<Complex>(base + components) + load(pairs.inner, 2, 1), square = l * l;
      const Reals l_size = larger(magnitude(l), broadcast(pairs.linear_floor));
      Complex power = pairs.odd ? l : constant<Complex>(1);
      Reals power_size = pairs.odd ? l_size : broadcast(1);
      value = power * pairs.coefficient[pairs.half];
      size = power_size * pairs.coefficient[pairs.half];
      for (unsigned k = pairs.half; k-- > 0;) {
        power = power * square;
        power_size *= l_size * l_size;
        value = value * q + power * pairs.coefficient[k];
        size = multiply_add(size, q_size, power_size * pairs.coefficient[k]);
      }
    } else {
      for (unsigned bit = below_highest_bit(pairs.half); bit != 0; bit >>= 1) {
        value = value * value;
        size *= size;
        if ((pairs.half & bit) != 0) {
          value = value * q;
          size *= q_size;
        }
      }
    }
    total = total + value * weight;
    total_size += size * size_of(weight, Reals{});
  }
  for (int component = 0; component < components; ++component)
    out[component] = add_lanes(component_of(total, component));
  out[components] = add_lanes(total_size);
}

// A column's value is the sum of a part for the inner signs, which is kept for all of them, and one for the others.
template <class Value>
void sum_eight(int n, const double* entries, Eight* out) {
  constexpr int components = components_of<Value>;
  const int inner = n - 1 < inner_bits ? n - 1 : inner_bits, outer = n - 1 - inner;
  const double share = 1 / (3 * __builtin_sqrt(n));
  for (int lane = 0; lane < num_lanes; lane += width) {
    Value kept[1 << inner_bits][most_rows], base[most_rows];
    Reals floor[most_rows], least = broadcast(__builtin_inf()), largest{}, negative_part{};
    const auto entry = [&](int row, int column) {
      return read_lanes<Value>(entries + (row * n + column) * components * num_lanes + lane, num_lanes);
    };
    for (int column = 0; column < n; ++column) {
      Reals sum{};
      for (int row = 0; row < n; ++row) {
        sum += magnitude(entry(row, column));
        negative_part += not_positive(entry(row, column));
      }
      least = lesser(least, sum);
      largest = larger(largest, sum);
      floor[column] = sum * share;
      if (components == 2) floor[column] *= floor[column];
      kept[0][column] = entry(1, column);
      kept[1][column] = -entry(1, column);
      for (int bit = 1; bit < inner; ++bit) {
        for (int i = 0; i < 1 << bit; ++i) {
          kept[i + (1 << bit)][column] = kept[i][column] - entry(bit + 1, column);
          kept[i][column] = kept[i][column] + entry(bit + 1, column);
        }
      }
    }
    Value total{};
    Reals total_size{};
    for (int signs = 0; signs < 1 << outer; ++signs) {
      bool odd = false;
      for (int column = 0; column < n; ++column) base[column] = entry(0, column);
      for (int bit = 0; bit < outer; ++bit) {
        const bool negative = (signs >> bit & 1) != 0;
        odd = odd != negative;
        for (int column = 0; column < n; ++column) {
          const Value added = entry(inner + 1 + bit, column);
          base[column] = negative ? base[column] - added : base[column] + added;
        }
      }
      Value block{};
      Reals block_size{};
      for (int i = 0; i < 1 << inner; ++i) {
        Value product = base[0] + kept[i][0];
        Reals size = size_of(product, floor[0]);
        for (int column = 1; column < n; ++column) {
          const Value value = base[column] + kept[i][column];
          product = product * value;
          size *= size_of(value, floor[column]);
        }
        constexpr unsigned odd_parities = 0x6996;  // by number of four bits
        block = (odd_parities >> i & 1) != 0 ? block - product : block + product;
        block_size += size;
      }
      total = odd ? total - block : total + block;
      total_size += block_size;
    }
    for (int component = 0; component < components; ++component)
      store(out->sum[component] + lane, component_of(total, component));
    store(out->size + lane, total_size);
    store(out->least + lane, least);
    store(out->largest + lane, largest);
    store(out->not_positive + lane, negative_part);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {sum_forms<Reals>, sum_forms<Complex>, sum_pairs, sum_eight<Reals>,
                                         sum_eight<Complex>};

}  // namespace matchcount::point_kernel
