// The walk over the subsets of modes, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.
//
// A walk goes through the modes from the last to the first. It carries the Schur complement of the modes that it took
// in the matrix of those that are left: what Cholesky's elimination leaves, and so what sets with a common beginning
// share (Kaposi, Kolarovszki, Kozsik, Zimboras, Rakyta 2021, arXiv:2109.04528). With j modes left that takes some 4 j^2
// products, and there are 2^(n-j) such places, so that a subset takes a bounded number of products on average. A mode
// that is left out costs nothing: its rows are the last. Where t(j) is the sum below a place, divided by the term of
// the modes above it, and s what the mode multiplies that term by, t(j) = s t(j-1, with) - t(j-1, without).

#include "core/cpu/simd.hpp"
#include "linear/cpu/torontonian_kernel.hpp"

namespace matchcount::torontonian_kernel {
namespace {

using namespace simd;
using lane::multiply_add;
using lane::Pair;

struct Real {
  static constexpr int parts = 1;
  static constexpr int terms = 14;  // of the series of exp at 1/4: 2^-53 is left
  using Value = Reals;
  static MATCHCOUNT_INLINE Value constant(const double* p) { return broadcast(*p); }
  static MATCHCOUNT_INLINE Value times(Value a, Value b) { return a * b; }
  static MATCHCOUNT_INLINE Value scaled(Value a, double power_of_two) { return a * power_of_two; }
  static MATCHCOUNT_INLINE Value choose(Mask mask, Value a, Value b) { return mask ? a : b; }
  static MATCHCOUNT_INLINE Value inverse(Value a) { return 1.0 / a; }
  static MATCHCOUNT_INLINE Value inverse_root(Value a) { return 1.0 / square_root(a); }
  static MATCHCOUNT_INLINE Reals high(Value a) { return a; }
  static void write(Value a, int first_lane, double* sum) {
    for (int i = 0; i < width; ++i) sum[first_lane + i] = a[i];
  }
};

// Inverses and roots are those of doubles after a step of Newton's.
struct DoubleDouble {
  static constexpr int parts = 2;
  static constexpr int terms = 24;  // 2^-124 is left
  using Value = Pair<Reals>;
  static MATCHCOUNT_INLINE Value constant(const double* p) { return {broadcast(p[0]), broadcast(p[1])}; }
  static MATCHCOUNT_INLINE Value times(Value a, Value b) { return quick_product(a, b); }
  static MATCHCOUNT_INLINE Value scaled(Value a, double power_of_two) {
    return {a.hi * power_of_two, a.lo * power_of_two};
  }
  static MATCHCOUNT_INLINE Value choose(Mask mask, Value a, Value b) {
    return {mask ? a.hi : b.hi, mask ? a.lo : b.lo};
  }
  static MATCHCOUNT_INLINE Value inverse(Value a) {
    const Value y{1.0 / a.hi, Reals{}}, one{broadcast(1), Reals{}};
    return multiply_add(multiply_add(-a, y, one), y, y);
  }
  static MATCHCOUNT_INLINE Value inverse_root(Value a) {
    const Value y{1.0 / square_root(a.hi), Reals{}}, one{broadcast(1), Reals{}};
    return multiply_add(scaled(multiply_add(-times(a, y), y, one), 0.5), y, y);
  }
  static MATCHCOUNT_INLINE Reals high(Value a) { return a.hi; }
  static void write(Value a, int first_lane, double* sum) {
    Real::write(a.hi, first_lane, sum);
    Real::write(a.lo, first_lane, sum + num_lanes);
  }
};

template <class Number, int rows>
class Walk {
  using Value = typename Number::Value;

 public:
  Walk(const Problem& problem, double* scratch) : problem_(problem) {
    auto* next = reinterpret_cast<Value*>(scratch);
    const auto take = [&](int values) {
      Value* taken = next;
      next += values;
      return taken;
    };
    const int all = rows * problem.num_modes;
    for (int p = 0; p < rows; ++p) {
      pivot_rows_[p] = take(all);
      multiples_[p] = take(all);
    }
    for (int n = problem.num_modes; n >= 0; --n) {
      const int left = rows * n;
      states_[n] = {take(left * (left + 1) / 2), problem.loops ? take(left) : nullptr};
    }
    const State& first = states_[problem.num_modes];
    for (int e = 0; e < all * (all + 1) / 2; ++e)
      first.matrix[e] = Number::constant(problem.entries + e * Number::parts);
    for (int i = 0; problem.loops && i < all; ++i) first.loops[i] = Number::constant(problem.loops + i * Number::parts);
    // 1/k!, rounded as little as the numbers allow.
    constants_[0] = one();
    for (int k = 1; k < Number::terms && problem.loops; ++k) {
      const double divisor[] = {static_cast<double>(k), 0};
      constants_[k] = Number::times(constants_[k - 1], Number::inverse(Number::constant(divisor)));
    }
  }

  void run(const Piece& piece, int first_lane, double* sum, double* magnitudes) {
    State from = states_[problem_.num_modes];
    int left = problem_.num_modes;
    Value above = one();
    bool is_negative = false;
    for (int bit = 0; bit < piece.path_bits; ++bit, --left) {
      if ((piece.path >> bit & 1) != 0) {
        above = Number::times(above, pass<false>(from, left, Mask{}));
        from = states_[left - 1];
      } else {
        is_negative = !is_negative;
      }
    }
    Mask negative = {};
    for (int bit = 0; bit < piece.lane_bits; ++bit, --left) {
      Mask with = {};
      for (int i = 0; i < width; ++i) with[i] = ((first_lane + i) >> bit & 1) != 0 ? -1 : 0;
      const Value factor = pass<true>(from, left, with);
      above = Number::times(above, Number::choose(with, factor, one()));
      from = states_[left - 1];
      negative ^= ~with;
    }
    const Sum total = visit(from, left);
    if (is_negative) negative = ~negative;
    const Value value = Number::times(above, total.value);
    Number::write(Number::choose(negative, Number::scaled(value, -1), value), first_lane, sum);
    Real::write(Number::high(above) * total.magnitude, first_lane, magnitudes);
  }

 private:
  struct State {
    Value *matrix, *loops;  // row by row up to the diagonal; null where there are no loops
  };
  struct Sum {
    Value value;
    Reals magnitude;
  };

  static MATCHCOUNT_INLINE Value one() {
    const double one[] = {1, 0};
    return Number::constant(one);
  }

  // Sums up the subsets of so many modes that are left.
  Sum visit(const State& from, int left) {
    if (left == 0) return {one(), broadcast(1)};
    if (rows == 2 && left == 1 && !from.loops) {
      const Value* a = from.matrix;
      const Value det = multiply_add(Number::scaled(a[1], -1), a[1], Number::times(a[0], a[2]));
      const Value factor = Number::inverse_root(det);
      return {multiply_add(one(), factor, Number::scaled(one(), -1)), Number::high(factor) + 1.0};
    }
    const Sum without = visit(from, left - 1);
    const Value factor = pass<false>(from, left, Mask{});
    const Sum with = visit(states_[left - 1], left - 1);
    return {multiply_add(factor, with.value, Number::scaled(without.value, -1)),
            multiply_add(Number::high(factor), with.magnitude, without.magnitude)};
  }

  // Takes the last mode of those that are left into the subset; where `masked`, in these lanes. Returns what that
  // multiplies the term by.
  template <bool masked>
  Value pass(const State& from, int left, Mask with) {
    const int last = left * rows - 1, kept = (left - 1) * rows;
    const State& to = states_[left - 1];
    Value det = one(), exponent{}, loop_multiples[rows] = {};
    unroll<rows>([&](auto p) {
      const int u = last - p;
      const Value* row = from.matrix + u * (u + 1) / 2;
      Value *pivots = pivot_rows_[p], *multiples = multiples_[p];
      for (int j = 0; j <= u; ++j) {
        Value value = row[j];
        for (int q = 0; q < p; ++q) value = multiply_add(multiples_[q][u], pivot_rows_[q][j], value);
        pivots[j] = value;
      }
      const Value minus_inverse = Number::scaled(Number::inverse(pivots[u]), -1);
      for (int j = 0; j < u; ++j) multiples[j] = Number::times(pivots[j], minus_inverse);
      det = Number::times(det, pivots[u]);
      if (from.loops) {
        Value loop = from.loops[u];
        for (int q = 0; q < p; ++q) loop = multiply_add(loop_multiples[q], pivot_rows_[q][u], loop);
        loop_multiples[p] = Number::times(loop, minus_inverse);
        exponent = multiply_add(Number::scaled(loop, -1), loop_multiples[p], exponent);
      }
    });
    const Value* row = from.matrix;
    Value* result = to.matrix;
    for (int i = 0; i < kept; ++i) {
      Value multiples[rows];
      for (int q = 0; q < rows; ++q) multiples[q] = multiples_[q][i];
      subtract<masked>(result, row, multiples, i + 1, with);
      row += i + 1;
      result += i + 1;
    }
    if (from.loops) subtract<masked>(to.loops, from.loops, loop_multiples, kept, with);
    Value factor = Number::inverse_root(det);
    if constexpr (rows == 4) factor = Number::inverse_root(Number::times(det, factor));
    return from.loops ? Number::times(factor, exponential(exponent)) : factor;
  }

  // Adds multiples of the pivots' rows to so many entries.
  template <bool masked>
  MATCHCOUNT_INLINE void subtract(Value* to, const Value* from, const Value (&multiples)[rows], int count,
                                  Mask with) const {
    for (int j = 0; j < count; ++j) {
      Value value = from[j];
      for (int q = 0; q < rows; ++q) value = multiply_add(multiples[q], pivot_rows_[q][j], value);
      to[j] = masked ? Number::choose(with, value, from[j]) : value;
    }
  }

  Value exponential(Value exponent) const {
    double scale = problem_.factor;
    for (int k = 0; k < problem_.squarings; ++k) scale /= 2;
    const Value x = Number::scaled(exponent, scale);
    Value sum = constants_[Number::terms - 1];
    for (int k = Number::terms - 2; k >= 0; --k) sum = multiply_add(sum, x, constants_[k]);
    for (int k = 0; k < problem_.squarings; ++k) sum = Number::times(sum, sum);
    return sum;
  }

  const Problem& problem_;
  State states_[max_modes + 1] = {};            // by modes that are left
  Value *pivot_rows_[rows], *multiples_[rows];  // of the mode that is taken; multiples are negative
  Value constants_[Number::terms];
};

template <class Number, int rows>
void sum_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* magnitudes) {
  Walk<Number, rows> walk(problem, scratch);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run(piece, lane, sum, magnitudes);
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{sum_piece<Real, 2>, sum_piece<Real, 4>},
                                         {sum_piece<DoubleDouble, 2>, sum_piece<DoubleDouble, 4>}};

}  // namespace matchcount::torontonian_kernel
