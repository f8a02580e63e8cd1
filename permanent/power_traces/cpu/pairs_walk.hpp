#pragma once
// Walks over the subsets of pairs for every kind of number, for one instruction set. All of it is local to the file
// that includes it (matchcount_isa_sources, cmake/MatchcountModule.cmake), and nothing of the standard library is
// called.
//
// A walk goes through the pairs from the last to the first. It carries, of the vertices that are left, the series b(i,
// j) of the paths from i to j through pairs that are in the subset, each pass of a pair being a factor z, and the
// series g of closed walks. With a pair (u, v) in the subset
//   b(i, j) += z (b(i, u) b(v, j) + b(i, v) b(u, j)),  g += z g b(u, v);
// without it, its lines are left out and the sign changes. The first pair is in all subsets, and only the coefficient
// of z^num_pairs is wanted, z b(0, 1) g: shorter series suffice. (Bjorklund 2012, doi:10.1137/1.9781611973099.73.)
// With loops it carries l(i) too, of the paths from i to a loop, l(i) += z (l(u) b(v, i) + l(v) b(u, i)), and what ends
// in a pair is a closed walk or a path between two loops: b(u, v) + l(u) l(v) stands in place of b(u, v) in g.
//
// Residues are balanced, in doubles. With a prime p below 2^24 and series of at most 40 terms, 80 products of two that
// are at most p/2 + 2, and one more, are below 2^53: sums are exact until they are reduced.

#include "core/cpu/simd.hpp"
#include "permanent/power_traces/cpu/pairs_kernel.hpp"

namespace matchcount::pairs_kernel {
namespace {

using namespace simd;
using lane::multiply_add;
using lane::Pair;
using lane::quick_sum;

// Number says what a walk computes with: Reals, pairs or complex numbers of them.
template <class Of>
struct Number {
  static constexpr int components = components_of<Of>;
  static constexpr int outputs = 4 / components;  // coefficients that are summed up side by side
  using Value = Of;

  explicit Number(const Problem&) {}
  MATCHCOUNT_INLINE Value reduced(Value a) const { return a; }
};
using Real = Number<Reals>;
using DoubleDouble = Number<Pair<Reals>>;
using Complex = Number<lane::Complex<Reals>>;
using ComplexDouble = Number<lane::Complex<Pair<Reals>>>;

struct Magnitude : Real {
  using Real::Real;
};

struct Residue : Real {
  explicit Residue(const Problem& problem)
      : Real(problem), prime(broadcast(problem.prime)), inverse(broadcast(problem.inverse)) {}
  MATCHCOUNT_INLINE Value reduced(Value a) const {
    constexpr double round_to_integer = 0x1.8p52;
    const Reals q = multiply_add(a, inverse, broadcast(round_to_integer)) - round_to_integer;
    return multiply_add(-q, prime, a);
  }
  Reals prime, inverse;
};

template <class Numbers>
class Walk {
 public:
  using Value = typename Numbers::Value;
  static constexpr bool is_series = !__is_same(Numbers, Magnitude);

  Walk(const Problem& problem, double* scratch)
      : number_(problem),
        vertices_(2 * problem.num_pairs),
        length_(is_series ? problem.num_pairs : 1),
        next_(reinterpret_cast<Value*>(scratch)) {
    ends_ = take(1);
    take_levels(series_, problem.loops != nullptr);
    const Series& all = series_[problem.num_pairs];
    const double one[max_components] = {1};
    put(problem.entries, vertices_ * (vertices_ - 1) / 2, all.paths);
    if (problem.loops) put(problem.loops, vertices_, all.loops);
    put(one, 1, all.closed);
  }

  void run(const Piece& piece, int first_lane, double* sum) {
    Series from = series_[vertices_ / 2];
    int left = vertices_;
    bool is_negative = false;
    for (int bit = 0; bit < piece.path_bits; ++bit, left -= 2) {
      if ((piece.path >> bit & 1) != 0) {
        pass<false>(from, left, Mask{});
        from = series_[left / 2 - 1];
      } else {
        is_negative = !is_negative;
      }
    }
    Mask negative = {};
    for (int bit = 0; bit < piece.lane_bits; ++bit, left -= 2) {
      Mask with = {};
      for (int i = 0; i < width; ++i) with[i] = ((first_lane + i) >> bit & 1) != 0 ? -1 : 0;
      pass<true>(from, left, with);
      from = series_[left / 2 - 1];
      negative ^= ~with;
    }
    const Value total = visit(from, left);
    if (is_negative) negative = ~negative;
    if constexpr (!is_series) negative = Mask{};
    write_lanes(choose(negative, -total, total), sum + first_lane, num_lanes);
  }

 protected:
  struct Series {
    Value *paths, *loops, *closed;  // b, row by row below the diagonal; l, null where there are no loops; g
  };

  Value* take(int series) {
    Value* taken = next_;
    next_ += series * length_;
    return taken;
  }
  void take_levels(Series* levels, bool has_loops) {
    for (int s = vertices_; s >= 2; s -= 2)
      levels[s / 2] = {take(s * (s - 1) / 2), has_loops ? take(s) : nullptr, take(1)};
  }

  void put(const double* constants, int count, Value* to) const {
    for (int e = 0; e < count; ++e, to += length_) {
      to[0] = read_constant<Value>(constants + e * Numbers::components);
      for (int k = 1; k < length_; ++k) to[k] = Value{};
    }
  }

  // Sums up the subsets of so many vertices that are left.
  Value visit(const Series& from, int left) {
    if (left == 2) return last_pair(from);
    const Value without = visit(from, left - 2);
    pass<false>(from, left, Mask{});
    const Value with = visit(series_[left / 2 - 1], left - 2);
    return number_.reduced(quick_sum(with, is_series ? -without : without));
  }

  Value last_pair(const Series& from) const {
    const Value* ends = ends_in(from, from.paths, 1, 0);
    Value sum{};
    for (int k = 0; k < length_; ++k) sum = multiply_add(from.closed[k], ends[length_ - 1 - k], sum);
    return number_.reduced(sum);
  }

  // Returns what ends in the pair of u and v, between which b is.
  const Value* ends_in(const Series& from, const Value* b, int u, int v) const {
    if (!from.loops) return b;
    const Value *x = from.loops + u * length_, *y = from.loops + v * length_;
    if constexpr (is_series) {
      add_products_to<false, false>(ends_, b, x, y, nullptr, nullptr, length_, Mask{});
    } else {
      *ends_ = multiply_add(*x, *y, *b);
    }
    return ends_;
  }

  // Takes the last pair of those that are left into the subset; where `masked`, in these lanes.
  template <bool masked>
  void pass(const Series& from, int left, Mask with) {
    const int u = left - 1, v = left - 2;
    const Series& next = series_[left / 2 - 1];
    const Value* b = from.paths;
    const Value* of_u = b + u * (u - 1) / 2 * length_;
    const Value* of_v = b + v * (v - 1) / 2 * length_;
    Value* to = next.paths;
    for (int i = 1; i < v; ++i) {
      for (int j = 0; j < i; ++j, b += length_, to += length_)
        add_passed<masked, true>(to, b, of_u + i * length_, of_v + j * length_, of_v + i * length_, of_u + j * length_,
                                 with);
    }
    for (int i = 0; from.loops && i < v; ++i)
      add_passed<masked, true>(next.loops + i * length_, from.loops + i * length_, from.loops + u * length_,
                               of_v + i * length_, from.loops + v * length_, of_u + i * length_, with);
    add_passed<masked, false>(next.closed, from.closed, from.closed, ends_in(from, of_u + v * length_, u, v), nullptr,
                              nullptr, with);
  }

  // Makes from + z (x y + x2 y2).
  template <bool masked, bool two>
  void add_passed(Value* to, const Value* from, const Value* x, const Value* y, const Value* x2, const Value* y2,
                  Mask with) const {
    if constexpr (is_series) {
      to[0] = from[0];
      add_products_to<masked, two>(to + 1, from + 1, x, y, x2, y2, length_ - 1, with);
    } else {
      Value sum = multiply_add(*x, *y, *from);
      if constexpr (two) sum = multiply_add(*x2, *y2, sum);
      *to = masked ? choose(with, sum, *from) : sum;
    }
  }

  // Makes so many coefficients of from + x y + x2 y2.
  template <bool masked, bool two>
  void add_products_to(Value* to, const Value* from, const Value* x, const Value* y, const Value* x2, const Value* y2,
                       int length, Mask with) const {
    int k = length;
    for (; k >= Numbers::outputs; k -= Numbers::outputs)
      add_terms<masked, two, Numbers::outputs>(to, from, x, y, x2, y2, k - Numbers::outputs, with);
    for (; k > 0; --k) add_terms<masked, two, 1>(to, from, x, y, x2, y2, k - 1, with);
  }

  // Makes `count` coefficients from `first` on.
  template <bool masked, bool two, int count>
  MATCHCOUNT_INLINE void add_terms(Value* to, const Value* from, const Value* x, const Value* y, const Value* x2,
                                   const Value* y2, int first, Mask with) const {
    Value sums[count];
    for (int q = 0; q < count; ++q) sums[q] = from[first + q];
    add_products(sums, x, y, first);
    if constexpr (two) add_products(sums, x2, y2, first);
    for (int q = 0; q < count; ++q) {
      const Value sum = number_.reduced(sums[q]);
      to[first + q] = masked ? choose(with, sum, from[first + q]) : sum;
    }
  }
  template <int count>
  static MATCHCOUNT_INLINE void add_products(Value (&sums)[count], const Value* x, const Value* y, int first) {
    for (int a = 0; a <= first; ++a) {
      for (int q = 0; q < count; ++q) sums[q] = multiply_add(x[a], y[first + q - a], sums[q]);
    }
    for (int a = 1; a < count; ++a) {
      for (int q = a; q < count; ++q) sums[q] = multiply_add(x[first + a], y[q - a], sums[q]);
    }
  }

  Numbers number_;
  int vertices_, length_;
  Series series_[max_pairs + 1] = {};  // by pairs that are left
  Value *ends_ = nullptr, *next_;
};

}  // namespace
}  // namespace matchcount::pairs_kernel
