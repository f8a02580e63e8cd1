// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// Derivatives by all entries are found backwards: with x' what the sum changes by with the number x, what stands above
// as y += z x w makes x' += z' y' w and w' += z' y' x, z' taking a series' coefficients down by one. The derivatives of
// what a place of the walk holds are added up from what is below it, with the pair and without, before those above it
// are.

#include "permanent/power_traces/cpu/pairs_walk.hpp"
#include "photonics/derivatives/cpu/pairs_back_kernel.hpp"

namespace matchcount::pairs_back_kernel {
namespace {

using namespace pairs_kernel;

// Derivatives by what is `from` are added to `of_from`.
template <class Numbers>
class WalkBack : Walk<Numbers> {
  using Base = Walk<Numbers>;
  using Base::ends_, Base::ends_in, Base::is_series, Base::length_, Base::series_, Base::take, Base::vertices_;
  using typename Base::Series;
  using typename Base::Value;

 public:
  WalkBack(const Problem& problem, double* scratch) : Base(problem, scratch) {
    this->take_levels(derivatives_, problem.loops != nullptr);
    of_ends_ = take(1);
    masked_ = take(1);
  }

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
    this->template pass<masked>(from, left, with);
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

  Series derivatives_[max_pairs + 1] = {};  // by pairs that are left
  Value *of_ends_ = nullptr, *masked_ = nullptr;
};

template <class Numbers>
void derive_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* derivatives) {
  WalkBack<Numbers> walk(problem, scratch);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run_back(piece, lane, sum, derivatives);
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {derive_piece<Real>, derive_piece<DoubleDouble>, derive_piece<Complex>,
                                         derive_piece<ComplexDouble>, derive_piece<Magnitude>};

}  // namespace matchcount::pairs_back_kernel
