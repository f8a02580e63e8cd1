// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/loop_kernel.hpp"

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
