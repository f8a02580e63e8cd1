// The walk over the subsets of pairs for every kind of number, for one instruction set. Compiled once per instruction
// set; see cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the
// standard library is called.
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
// Derivatives by all entries are found backwards: with x' what the sum changes by with the number x, what stands above
// as y += z x w makes x' += z' y' w and w' += z' y' x, z' taking a series' coefficients down by one. The derivatives of
// what a place of the walk holds are added up from what is below it, with the pair and without, before those above it
// are.
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
  using Value = typename Numbers::Value;
  static constexpr bool is_series = !__is_same(Numbers, Magnitude);

 public:
  Walk(const Problem& problem, double* scratch, bool has_derivatives = false)
      : number_(problem), vertices_(2 * problem.num_pairs), length_(is_series ? problem.num_pairs : 1) {
    auto* next = reinterpret_cast<Value*>(scratch);
    const auto take = [&](int series) {
      Value* taken = next;
      next += series * length_;
      return taken;
    };
    ends_ = take(1);
    const auto take_levels = [&](Series* levels) {
      for (int s = vertices_; s >= 2; s -= 2)
        levels[s / 2] = {take(s * (s - 1) / 2), problem.loops ? take(s) : nullptr, take(1)};
    };
    take_levels(series_);
    if (has_derivatives) take_levels(derivatives_);
    of_ends_ = has_derivatives ? take(1) : nullptr;
    masked_ = has_derivatives ? take(1) : nullptr;
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

  // Writes the derivatives as well.
  void run_back(const Piece& piece, int first_lane, double* sum, double* derivatives) {
    const int pairs = vertices_ / 2, step = Numbers::components * num_lanes;
    clear(derivatives_[pairs]);
    const Value total = visit_back(piece, 0, first_lane, series_[pairs], derivatives_[pairs], vertices_, Mask{});
    write_lanes(total, sum + first_lane, num_lanes);
    for (int e = 0; e < vertices_ * (vertices_ - 1) / 2; ++e, derivatives += step)
      write_lanes(derivatives_[pairs].paths[e * length_], derivatives + first_lane, num_lanes);
    for (int i = 0; derivatives_[pairs].loops && i < vertices_; ++i, derivatives += step)
      write_lanes(derivatives_[pairs].loops[i * length_], derivatives + first_lane, num_lanes);
  }

 private:
  struct Series {
    Value *paths, *loops, *closed;  // b, row by row below the diagonal; l, null where there are no loops; g
  };

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

  // ---- Derivatives. Those of `from` are added to `of_from`.

  // Series stand one after the other, closed walks last.
  void clear(const Series& of) const {
    for (Value* value = of.paths; value != of.closed + length_; ++value) *value = Value{};
  }

  // Sums up the subsets of so many vertices that are left, from `bit` of the piece on, with signs.
  Value visit_back(const Piece& piece, int bit, int first_lane, const Series& from, const Series& of_from, int left,
                   Mask negative) {
    const Mask turned = is_series ? ~negative : negative;
    if (bit < piece.path_bits) {
      return (piece.path >> bit & 1) != 0
                 ? pass_back<false>(piece, bit, first_lane, from, of_from, left, negative, Mask{})
                 : visit_back(piece, bit + 1, first_lane, from, of_from, left - 2, turned);
    }
    if (bit < piece.path_bits + piece.lane_bits) {
      Mask with = {};
      for (int i = 0; i < width; ++i) with[i] = ((first_lane + i) >> (bit - piece.path_bits) & 1) != 0 ? -1 : 0;
      return pass_back<true>(piece, bit, first_lane, from, of_from, left, with ? negative : turned, with);
    }
    if (left == 2) return last_pair_back(from, of_from, negative);
    const Value without = visit_back(piece, bit + 1, first_lane, from, of_from, left - 2, turned);
    const Value with = pass_back<false>(piece, bit, first_lane, from, of_from, left, negative, Mask{});
    return quick_sum(with, without);
  }

  template <bool masked>
  Value pass_back(const Piece& piece, int bit, int first_lane, const Series& from, const Series& of_from, int left,
                  Mask negative, Mask with) {
    pass<masked>(from, left, with);
    const Series& of_next = derivatives_[left / 2 - 1];
    clear(of_next);
    const Value total = visit_back(piece, bit + 1, first_lane, series_[left / 2 - 1], of_next, left - 2, negative);
    const int u = left - 1, v = left - 2, row_u = u * (u - 1) / 2 * length_, row_v = v * (v - 1) / 2 * length_;
    const Value* next = of_next.paths;
    Value* to = of_from.paths;
    const auto product = [&](const Value* of, const Value* x, const Value* y, Value* of_x, Value* of_y) {
      add_correlation(of_x, of, y, length_ - is_series);
      add_correlation(of_y, of, x, length_ - is_series);
    };
    for (int i = 1; i < v; ++i) {
      for (int j = 0; j < i; ++j, to += length_, next += length_) {
        add_to(to, next);
        const Value* of = taken<masked>(next, with);
        const int ui = row_u + i * length_, vi = row_v + i * length_, uj = row_u + j * length_,
                  vj = row_v + j * length_;
        product(of, from.paths + ui, from.paths + vj, of_from.paths + ui, of_from.paths + vj);
        product(of, from.paths + vi, from.paths + uj, of_from.paths + vi, of_from.paths + uj);
      }
    }
    for (int i = 0; from.loops && i < v; ++i) {
      add_to(of_from.loops + i * length_, of_next.loops + i * length_);
      const Value* of = taken<masked>(of_next.loops + i * length_, with);
      const int ui = row_u + i * length_, vi = row_v + i * length_, lu = u * length_, lv = v * length_;
      product(of, from.loops + lu, from.paths + vi, of_from.loops + lu, of_from.paths + vi);
      product(of, from.loops + lv, from.paths + ui, of_from.loops + lv, of_from.paths + ui);
    }
    add_to(of_from.closed, of_next.closed);
    const int uv = row_u + v * length_;
    const Value* ends = ends_in(from, from.paths + uv, u, v);
    for (int k = 0; k < length_; ++k) of_ends_[k] = Value{};
    product(taken<masked>(of_next.closed, with), from.closed, ends, of_from.closed, of_ends_);
    add_ends_back(from, of_from, uv, u, v);
    return total;
  }

  Value last_pair_back(const Series& from, const Series& of_from, Mask negative) {
    const auto turned = [&](Value value) { return choose(negative, -value, value); };
    const Value* ends = ends_in(from, from.paths, 1, 0);
    Value sum{};
    for (int k = 0; k < length_; ++k) {
      const int other = length_ - 1 - k;
      sum = multiply_add(from.closed[k], ends[other], sum);
      of_from.closed[k] = quick_sum(of_from.closed[k], turned(ends[other]));
      of_ends_[k] = turned(from.closed[other]);
    }
    add_ends_back(from, of_from, 0, 1, 0);
    return turned(sum);
  }

  // Hands the derivatives by what ends in a pair on to b and to the loops.
  void add_ends_back(const Series& from, const Series& of_from, int path, int u, int v) const {
    add_to(of_from.paths + path, of_ends_);
    if (!from.loops) return;
    add_correlation(of_from.loops + u * length_, of_ends_ - is_series, from.loops + v * length_, length_);
    add_correlation(of_from.loops + v * length_, of_ends_ - is_series, from.loops + u * length_, length_);
  }

  void add_to(Value* to, const Value* more) const {
    for (int k = 0; k < length_; ++k) to[k] = quick_sum(to[k], more[k]);
  }

  // Returns what counts of derivatives by a series in the lanes that take a pair.
  template <bool masked>
  const Value* taken(const Value* of, Mask with) const {
    if constexpr (!masked) return of;
    for (int k = 0; k < length_; ++k) masked_[k] = choose(with, of[k], Value{});
    return masked_;
  }

  // Adds to to[a] the sum over k >= a of of[k + 1] y[k - a], of so many coefficients.
  void add_correlation(Value* to, const Value* of, const Value* y, int length) const {
    of += is_series;
    int a = 0;
    for (; a + Numbers::outputs <= length; a += Numbers::outputs)
      add_correlated<Numbers::outputs>(to, of, y, a, length);
    for (; a < length; ++a) add_correlated<1>(to, of, y, a, length);
  }
  template <int count>
  static MATCHCOUNT_INLINE void add_correlated(Value* to, const Value* of, const Value* y, int first, int length) {
    Value sums[count];
    for (int q = 0; q < count; ++q) sums[q] = to[first + q];
    for (int k = 0; k < count - 1; ++k) {
      for (int q = 0; q <= k; ++q) sums[q] = multiply_add(of[first + k], y[k - q], sums[q]);
    }
    for (int k = count - 1; k < length - first; ++k) {
      for (int q = 0; q < count; ++q) sums[q] = multiply_add(of[first + k], y[k - q], sums[q]);
    }
    for (int q = 0; q < count; ++q) to[first + q] = sums[q];
  }

  Numbers number_;
  int vertices_, length_;
  Series series_[max_pairs + 1] = {};       // by pairs that are left
  Series derivatives_[max_pairs + 1] = {};  // by these
  Value *ends_ = nullptr, *of_ends_ = nullptr, *masked_ = nullptr;
};

template <class Numbers>
void sum_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum) {
  Walk<Numbers> walk(problem, scratch);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run(piece, lane, sum);
}

template <class Numbers>
void derive_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* derivatives) {
  Walk<Numbers> walk(problem, scratch, true);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run_back(piece, lane, sum, derivatives);
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {
    sum_piece<Real>,       sum_piece<DoubleDouble>,     sum_piece<Complex>,     sum_piece<ComplexDouble>,
    sum_piece<Residue>,    sum_piece<Magnitude>,        derive_piece<Real>,     derive_piece<DoubleDouble>,
    derive_piece<Complex>, derive_piece<ComplexDouble>, derive_piece<Magnitude>};

}  // namespace matchcount::pairs_kernel
