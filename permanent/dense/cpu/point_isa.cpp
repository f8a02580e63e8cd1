// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/point_kernel.hpp"

namespace matchcount::point_kernel::MATCHCOUNT_ISA {
namespace {

using error_free::multiply_add;
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
  MATCHCOUNT_INLINE Reals size(Reals floor) const { return simd::larger_magnitude(re, floor); }
  template <class Visit>
  MATCHCOUNT_INLINE void each(const Visit& visit) const {
    visit(re);
  }
};

struct Complex {
  static constexpr int components = 2;
  Reals re, im;

  static MATCHCOUNT_INLINE Complex load(const double* from) {
    return {simd::load<Reals>(from), simd::load<Reals>(from + num_lanes)};
  }
  static MATCHCOUNT_INLINE Complex broadcast(const double* from) {
    return {simd::broadcast(from[0]), simd::broadcast(from[1])};
  }
  MATCHCOUNT_INLINE Complex plus(Complex b) const { return {re + b.re, im + b.im}; }
  MATCHCOUNT_INLINE Complex times(Complex b) const {
    return {multiply_add(re, b.re, -(im * b.im)), multiply_add(re, b.im, im * b.re)};
  }
  MATCHCOUNT_INLINE Reals size(Reals floor) const { return simd::larger(multiply_add(re, re, im * im), floor); }
  template <class Visit>
  MATCHCOUNT_INLINE void each(const Visit& visit) const {
    visit(re);
    visit(im);
  }
};

MATCHCOUNT_INLINE unsigned below_highest_bit(unsigned exponent) { return 1u << (31 - __builtin_clz(exponent)) >> 1; }

template <class Number>
void sum(const Block& given, const double* base, double* out) {
  constexpr int components = Number::components;
  const Block block = given;
  const int num_forms = block.end[block.num_powers - 1];
  Reals total[components] = {}, total_size = {};
  for (int at = 0; at < block.vectors * parts; ++at) {
    const int vector = at / parts, lane = at % parts * width;
    const double* inner = block.inner + vector * num_forms * components * num_lanes + lane;
    const Number weight = Number::load(block.weight + vector * components * num_lanes + lane);
    Number product = weight;
    Reals size = weight.size(Reals{});
    int form = 0;
    for (int group = 0; group < block.num_powers; ++group) {
      const auto value = [&] {
        return Number::broadcast(base + form * components).plus(Number::load(inner + form * components * num_lanes));
      };
      const unsigned exponent = block.exponent[group];
      Number once = value();
      Reals once_size = once.size(simd::broadcast(block.floor[form]));
      for (++form; form < block.end[group]; ++form) {
        const Number next = value();
        once = once.times(next);
        once_size *= next.size(simd::broadcast(block.floor[form]));
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
    int component = 0;
    product.each([&](Reals part) { total[component++] += part; });
    total_size += size;
  }
  const auto add_lanes = [](Reals lanes) {
    double result = 0;
    for (int i = 0; i < width; ++i) result += lanes[i];
    return result;
  };
  for (int component = 0; component < components; ++component) out[component] = add_lanes(total[component]);
  out[components] = add_lanes(total_size);
}

}  // namespace

extern const Kernels table;
const Kernels table = {sum<Real>, sum<Complex>};

}  // namespace matchcount::point_kernel::MATCHCOUNT_ISA
