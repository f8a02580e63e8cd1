#pragma once
// Walks over the subsets of modes, in vectors of an instruction set or in a device's doubles. All of it is local to the
// file that includes it.
//
// A walk goes through the modes from the last to the first. It carries the Schur complement of the modes that it took
// in the matrix of those that are left: what Cholesky's elimination leaves, and so what sets with a common beginning
// share (Kaposi, Kolarovszki, Kozsik, Zimboras, Rakyta 2021, arXiv:2109.04528). With j modes left that takes some 4 j^2
// products, and there are 2^(n-j) such places, so that a subset takes a bounded number of products on average. A mode
// that is left out costs nothing: its rows are the last. Where t(j) is the sum below a place, divided by the term of
// the modes above it, and s what the mode multiplies that term by, t(j) = s t(j-1, with) - t(j-1, without).

#include "core/numbers/lanes.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"

#ifdef __CUDACC__
#define MATCHCOUNT_WALK __device__
#define MATCHCOUNT_TABLE __device__ const
#else
#define MATCHCOUNT_WALK
#define MATCHCOUNT_TABLE constexpr
#endif

namespace matchcount::torontonian_kernel {
namespace {

using lane::multiply_add;
using lane::Pair;
using lane::unroll;

// 1/k!, high and low parts.
MATCHCOUNT_TABLE double inverse_factorials[][2] = {{0x1p+0, 0},
                                                   {0x1p+0, 0},
                                                   {0x1p-1, 0},
                                                   {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                                   {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                                   {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                                   {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                                   {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
                                                   {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
                                                   {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
                                                   {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
                                                   {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
                                                   {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
                                                   {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
                                                   {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
                                                   {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
                                                   {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
                                                   {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
                                                   {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
                                                   {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
                                                   {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
                                                   {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
                                                   {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
                                                   {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130}};
// From here on doubles will do: at 1/4 what is left is 2^-64 of the sum.
constexpr int least_term_of_doubles = 14;

// Real and DoubleDouble are what a walk computes with; Lanes says what a vector of doubles is, or a device's double.
template <class Lanes>
struct Real {
  using Reals = typename Lanes::Reals;
  using Mask = typename Lanes::Mask;
  static constexpr int parts = 1;
  static constexpr bool in_registers = Lanes::is_device;
  static constexpr int few_modes = in_registers ? 4 : 3;
  static constexpr int terms = 14;  // of the series of exp at 1/4: 2^-53 is left
  using Value = Reals;
  static MATCHCOUNT_INLINE Value constant(const double* p) { return Lanes::broadcast(*p); }
  static MATCHCOUNT_INLINE Value times(Value a, Value b) { return a * b; }
  static MATCHCOUNT_INLINE Value scaled(Value a, double power_of_two) { return a * power_of_two; }
  static MATCHCOUNT_INLINE Value choose(Mask mask, Value a, Value b) { return mask ? a : b; }
  static MATCHCOUNT_INLINE Value inverse(Value a) { return 1.0 / a; }
  static MATCHCOUNT_INLINE Value inverse_root(Value a) { return 1.0 / Lanes::square_root(a); }
  static MATCHCOUNT_INLINE Reals high(Value a) { return a; }
  static MATCHCOUNT_INLINE Value of(Reals a) { return a; }
};

// Inverses and roots are those of doubles after a step of Newton's.
template <class Lanes>
struct DoubleDouble {
  using Reals = typename Lanes::Reals;
  using Mask = typename Lanes::Mask;
  static constexpr int parts = 2;
  static constexpr bool in_registers = Lanes::is_device;
  static constexpr int few_modes = 3;
  static constexpr int terms = 24;  // 2^-124 is left
  using Value = Pair<Reals>;
  static MATCHCOUNT_INLINE Value constant(const double* p) { return {Lanes::broadcast(p[0]), Lanes::broadcast(p[1])}; }
  static MATCHCOUNT_INLINE Value times(Value a, Value b) { return quick_product(a, b); }
  static MATCHCOUNT_INLINE Value scaled(Value a, double power_of_two) {
    return {a.hi * power_of_two, a.lo * power_of_two};
  }
  static MATCHCOUNT_INLINE Value choose(Mask mask, Value a, Value b) {
    return {mask ? a.hi : b.hi, mask ? a.lo : b.lo};
  }
  static MATCHCOUNT_INLINE Value inverse(Value a) {
    const Value y{1.0 / a.hi, Reals{}}, one{Lanes::broadcast(1), Reals{}};
    return multiply_add(multiply_add(-a, y, one), y, y);
  }
  static MATCHCOUNT_INLINE Value inverse_root(Value a) {
    const Value y{1.0 / Lanes::square_root(a.hi), Reals{}}, one{Lanes::broadcast(1), Reals{}};
    return multiply_add(scaled(multiply_add(-times(a, y), y, one), 0.5), y, y);
  }
  static MATCHCOUNT_INLINE Reals high(Value a) { return a.hi; }
  static MATCHCOUNT_INLINE Value of(Reals a) { return {a, Reals{}}; }
};

template <class Number, int rows>
class Walk {
 public:
  using Value = typename Number::Value;
  using Reals = typename Number::Reals;
  using Mask = typename Number::Mask;
  static constexpr int few_modes = rows == 2 ? Number::few_modes : 0;
  struct State {
    Value *matrix, *loops;  // row by row up to the diagonal; null where there are no loops
  };
  struct Sum {
    Value value;
    Reals magnitude;
  };

  // Counts the values of rows of pivots, and those of the matrix and the loops of so many modes.
  static constexpr int pivot_values(int modes) { return 2 * rows * rows * modes; }
  static constexpr int state_values(int modes, bool has_loops) {
    return rows * modes * (rows * modes + 1) / 2 + (has_loops ? rows * modes : 0);
  }
  // Walks where place(n), for up to so many modes, says that the matrix and loops of n modes are; places from which the
  // walk does not go back to one with more modes may be the same. `pivots`: room for pivot_values(modes).
  template <class Place>
  MATCHCOUNT_WALK Walk(double factor, int squarings, int modes, Value* pivots, const Place& place)
      : factor_(factor), squarings_(squarings) {
    for (int p = 0; p < rows; ++p, pivots += 2 * rows * modes) {
      pivot_rows_[p] = pivots;
      multiples_[p] = pivots + rows * modes;
    }
    for (int n = modes; n >= 0; --n) states_[n] = place(n);
  }
  MATCHCOUNT_WALK static State state_at(Value* memory, int modes, bool has_loops) {
    return {memory, has_loops ? memory + state_values(modes, false) : nullptr};
  }

  MATCHCOUNT_WALK const State& state(int modes) const { return states_[modes]; }

  static MATCHCOUNT_INLINE Value one() {
    const double one[] = {1, 0};
    return Number::constant(one);
  }

  // Sums up the subsets of so many modes that are left. Most are summed by copies for a few modes, whose numbers the
  // compiler keeps in registers.
  MATCHCOUNT_WALK Sum visit(const State& from, int left) {
    if (left <= few_modes) return visit_few<few_modes>(from, left);
    const Sum without = visit(from, left - 1);
    const Value factor = pass<false, 0>(from, left, Mask{});
    return joined(without, factor, visit(states_[left - 1], left - 1));
  }
  // Does so of exactly `modes`, at most few_modes.
  template <int modes>
  MATCHCOUNT_WALK Sum visit_exactly(const State& from) {
    if constexpr (modes == 0) {
      return {one(), Number::high(one())};
    } else {
      if (rows == 2 && modes == 1 && !from.loops) {
        const Value* a = from.matrix;
        const Value det = multiply_add(Number::scaled(a[1], -1), a[1], Number::times(a[0], a[2]));
        const Value factor = Number::inverse_root(det);
        return {multiply_add(one(), factor, Number::scaled(one(), -1)), Number::high(factor) + 1.0};
      }
      // A device keeps the next matrix in registers, where a host's compiler makes more of memory.
      constexpr int values = Number::in_registers ? state_values(modes - 1, true) + 1 : 1;
      Value next[values];
      const State to = Number::in_registers ? state_at(next, modes - 1, from.loops != nullptr) : states_[modes - 1];
      const Sum without = visit_exactly<modes - 1>(from);
      const Value factor = pass_into<false, modes>(to, from, modes, Mask{});
      return joined(without, factor, visit_exactly<modes - 1>(to));
    }
  }
  // Joins the sums below a place without and with a mode, which multiplies the terms by the factor.
  static MATCHCOUNT_INLINE Sum joined(const Sum& without, const Value& factor, const Sum& with) {
    return {multiply_add(factor, with.value, Number::scaled(without.value, -1)),
            multiply_add(Number::high(factor), with.magnitude, without.magnitude)};
  }

  // Takes the last mode into the subset in these lanes.
  template <int fixed = few_modes + 1>
  MATCHCOUNT_WALK Value pass_in_lanes(const State& from, int left, Mask with) {
    if constexpr (fixed == 0) {
      return pass<true, 0>(from, left, with);
    } else {
      return left == fixed ? pass<true, fixed>(from, left, with) : pass_in_lanes<fixed - 1>(from, left, with);
    }
  }

  // Takes the last mode of those that are left into the subset; where `masked`, in these lanes. Returns what that
  // multiplies the term by. `fixed`: how many are left, or 0.
  template <bool masked, int fixed>
  MATCHCOUNT_WALK Value pass(const State& from, int left, Mask with) {
    return pass_into<masked, fixed>(states_[left - 1], from, left, with);
  }

  // Returns exp(factor x).
  MATCHCOUNT_WALK Value exponential(Value exponent) const {
    double scale = factor_;
    for (int k = 0; k < squarings_; ++k) scale /= 2;
    const Value x = Number::scaled(exponent, scale), square = Number::times(x, x);
    Reals rest{};
    for (int k = Number::terms - 1; k >= least_term_of_doubles; --k)
      rest = multiply_add(rest, Number::high(x), Number::high(Number::constant(inverse_factorials[k])));
    // Even and odd terms apart: each waits for the one before.
    Value even = Number::of(rest), odd = Number::constant(inverse_factorials[least_term_of_doubles - 1]);
    for (int k = least_term_of_doubles - 2; k >= 0; k -= 2) {
      even = multiply_add(even, square, Number::constant(inverse_factorials[k]));
      if (k > 0) odd = multiply_add(odd, square, Number::constant(inverse_factorials[k - 1]));
    }
    Value sum = multiply_add(odd, x, even);
    for (int k = 0; k < squarings_; ++k) sum = Number::times(sum, sum);
    return sum;
  }

 private:
  template <bool masked, int fixed>
  MATCHCOUNT_INLINE Value pass_into(const State& to, const State& from, int num_left, Mask with) {
    const int left = fixed > 0 ? fixed : num_left;
    Value own[2 * rows][fixed > 0 ? fixed * rows : 1], *pivot_rows[rows], *all_multiples[rows];
    for (int p = 0; p < rows; ++p) {
      pivot_rows[p] = fixed > 0 ? own[p] : pivot_rows_[p];
      all_multiples[p] = fixed > 0 ? own[rows + p] : multiples_[p];
    }
    const int last = left * rows - 1, kept = (left - 1) * rows;
    Value det = one(), exponent{}, loop_multiples[rows] = {};
    unroll<rows>([&](auto p) {
      const int u = last - p;
      const Value* row = from.matrix + u * (u + 1) / 2;
      Value *pivots = pivot_rows[p], *multiples = all_multiples[p];
      for (int j = 0; j <= u; ++j) {
        Value value = row[j];
        for (int q = 0; q < p; ++q) value = multiply_add(all_multiples[q][u], pivot_rows[q][j], value);
        pivots[j] = value;
      }
      const Value minus_inverse = Number::scaled(Number::inverse(pivots[u]), -1);
      for (int j = 0; j < u; ++j) multiples[j] = Number::times(pivots[j], minus_inverse);
      det = Number::times(det, pivots[u]);
      if (from.loops) {
        Value loop = from.loops[u];
        for (int q = 0; q < p; ++q) loop = multiply_add(loop_multiples[q], pivot_rows[q][u], loop);
        loop_multiples[p] = Number::times(loop, minus_inverse);
        exponent = multiply_add(Number::scaled(loop, -1), loop_multiples[p], exponent);
      }
    });
    const Value* row = from.matrix;
    Value* result = to.matrix;
    for (int i = 0; i < kept; ++i) {
      Value multiples[rows];
      for (int q = 0; q < rows; ++q) multiples[q] = all_multiples[q][i];
      subtract<masked>(result, row, multiples, pivot_rows, i + 1, with);
      row += i + 1;
      result += i + 1;
    }
    if (from.loops) subtract<masked>(to.loops, from.loops, loop_multiples, pivot_rows, kept, with);
    Value factor = Number::inverse_root(det);
    if constexpr (rows == 4) factor = Number::inverse_root(Number::times(det, factor));
    return from.loops ? Number::times(factor, exponential(exponent)) : factor;
  }

  template <int most>
  MATCHCOUNT_WALK Sum visit_few(const State& from, int left) {
    if constexpr (most > 0) {
      if (left < most) return visit_few<most - 1>(from, left);
    }
    return visit_exactly<most>(from);
  }

  // Adds multiples of the pivots' rows to so many entries.
  template <bool masked>
  MATCHCOUNT_INLINE void subtract(Value* to, const Value* from, const Value (&multiples)[rows],
                                  Value* const (&pivot_rows)[rows], int count, Mask with) const {
    // A device reads several before it writes any: it would wait for each, which might be the next one that it reads.
    constexpr int at_once = Number::in_registers ? 8 : 1;
    for (int first = 0; first < count; first += at_once) {
      Value values[at_once];
      unroll<at_once>([&](auto k) {
        const int j = at_once == 1 || first + k < count ? first + k : first;
        Value value = from[j];
        for (int q = 0; q < rows; ++q) value = multiply_add(multiples[q], pivot_rows[q][j], value);
        values[k] = masked ? Number::choose(with, value, from[j]) : value;
      });
      unroll<at_once>([&](auto k) {
        if (at_once == 1 || first + k < count) to[first + k] = values[k];
      });
    }
  }

  double factor_;
  int squarings_;
  State states_[max_modes + 1] = {};            // by modes that are left
  Value *pivot_rows_[rows], *multiples_[rows];  // of the mode that is taken; multiples are negative
};

}  // namespace
}  // namespace matchcount::torontonian_kernel
