// The walk over the subsets of modes and back, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.
//
// The walk is that of torontonian_isa.cpp. Of the matrix (K, B; B^T, P), P the rows of a mode, and the loops (v, p) the
// mode leaves K - B W and v - B x, where W = P^-1 B^T and x = P^-1 p, and multiplies by
//   s = det(P)^(-1/rows) exp(f p^T x).
// Where N and n are the derivatives by what it leaves, and c is s times that by s, those by K, B, P, v, p get
//   N,  -N W^T - n x^T / 2,  W N W^T + (W n x^T + x n^T W^T) / 2 - c P^-1 / rows - c f x x^T,  n,  2 c f x - W n.

#include "core/cpu/simd.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"

namespace matchcount::torontonian_kernel {
namespace {

using namespace simd;
using lane::multiply_add;

// A number, and what it changes by along a direction.
struct Dual {
  Reals value, slope;
};
MATCHCOUNT_INLINE Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
MATCHCOUNT_INLINE Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
MATCHCOUNT_INLINE Dual operator-(Dual a) { return {-a.value, -a.slope}; }
MATCHCOUNT_INLINE Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, multiply_add(a.value, b.slope, a.slope * b.value)};
}
MATCHCOUNT_INLINE Dual operator*(Dual a, double b) { return {a.value * b, a.slope * b}; }
MATCHCOUNT_INLINE Dual multiply_add(Dual a, Dual b, Dual c) {
  return {multiply_add(a.value, b.value, c.value),
          multiply_add(a.value, b.slope, multiply_add(a.slope, b.value, c.slope))};
}

MATCHCOUNT_INLINE Reals inverse(Reals a) { return 1.0 / a; }
MATCHCOUNT_INLINE Dual inverse(Dual a) {
  const Reals result = 1.0 / a.value;
  return {result, -(a.slope * result) * result};
}
MATCHCOUNT_INLINE Reals inverse_root(Reals a) { return 1.0 / square_root(a); }
MATCHCOUNT_INLINE Dual inverse_root(Dual a) {
  const Reals result = inverse_root(a.value);
  return {result, a.slope * result * result * result * -0.5};
}
template <class Value, int rows>
class GradientWalk {
 public:
  GradientWalk(const Problem& problem, double* scratch) : problem_(problem) {
    auto* next = reinterpret_cast<Value*>(scratch);
    const auto take = [&](int values) {
      Value* taken = next;
      next += values;
      return taken;
    };
    const int all = rows * problem.num_modes;
    for (int q = 0; q < rows; ++q) {
      solved_[q] = take(all);
      products_[q] = take(all);
    }
    const auto take_levels = [&](State* levels) {
      for (int n = problem.num_modes; n >= 0; --n) {
        const int left = rows * n;
        levels[n] = {take(left * (left + 1) / 2), problem.loops ? take(left) : nullptr};
      }
    };
    take_levels(states_);
    take_levels(derivatives_);
    const State& first = states_[problem.num_modes];
    for (int e = 0; e < all * (all + 1) / 2; ++e)
      first.matrix[e] = read_constant<Value>(problem.entries + e * components_of<Value>);
    for (int i = 0; problem.loops && i < all; ++i)
      first.loops[i] = read_constant<Value>(problem.loops + i * components_of<Value>);
  }

  void run(const Piece& piece, int first_lane, double* sum, double* derivatives) {
    const int modes = problem_.num_modes, all = rows * modes;
    const State& of_first = derivatives_[modes];
    clear(of_first, modes);
    write_lanes(visit(piece, 0, first_lane, states_[modes], of_first, modes, constant<Value>(1)), sum + first_lane,
                num_lanes);
    for (int e = 0; e < all * (all + 1) / 2; ++e, derivatives += components_of<Value> * num_lanes)
      write_lanes(of_first.matrix[e], derivatives + first_lane, num_lanes);
    for (int i = 0; problem_.loops && i < all; ++i, derivatives += components_of<Value> * num_lanes)
      write_lanes(of_first.loops[i], derivatives + first_lane, num_lanes);
  }

 private:
  struct State {
    Value *matrix, *loops;  // row by row up to the diagonal; null where there are no loops
  };
  // P eliminated from its last row on, as L^T D L, and what follows from it.
  struct Pivots {
    Value multiple[rows][rows], inverse[rows];
    Value factor;           // s above
    Value loop[rows] = {};  // x above
    // Turns b into P^-1 b, of a vector by the same order of rows.
    void solve(Value (&b)[rows]) const {
      for (int q = 1; q < rows; ++q) {
        for (int k = 0; k < q; ++k) b[q] = multiply_add(multiple[k][q], b[k], b[q]);
      }
      for (int q = rows - 1; q >= 0; --q) {
        b[q] = b[q] * inverse[q];
        for (int k = q + 1; k < rows; ++k) b[q] = multiply_add(multiple[q][k], b[k], b[q]);
      }
    }
  };

  static const Value* row_of(const State& state, int row) { return state.matrix + row * (row + 1) / 2; }
  static Value* row_to(const State& state, int row) { return state.matrix + row * (row + 1) / 2; }

  void clear(const State& state, int modes) const {
    const int left = rows * modes;
    for (int e = 0; e < left * (left + 1) / 2; ++e) state.matrix[e] = Value{};
    for (int i = 0; state.loops && i < left; ++i) state.loops[i] = Value{};
  }

  // Sums up the subsets of so many modes that are left, over the term of the modes above, from `bit` of the piece on;
  // adds the derivatives of the whole sum, in which this one has a weight.
  Value visit(const Piece& piece, int bit, int first_lane, const State& from, const State& of_from, int left,
              Value weight) {
    if (left == 0) return constant<Value>(1);
    const int lane_bit = bit - piece.path_bits;
    if (lane_bit < 0) {
      return (piece.path >> bit & 1) != 0
                 ? with_mode<false>(piece, bit, first_lane, from, of_from, left, weight, Mask{})
                 : -visit(piece, bit + 1, first_lane, from, of_from, left - 1, -weight);
    }
    if (lane_bit < piece.lane_bits) {
      Mask with = {};
      for (int i = 0; i < width; ++i) with[i] = ((first_lane + i) >> lane_bit & 1) != 0 ? -1 : 0;
      return with_mode<true>(piece, bit, first_lane, from, of_from, left, weight, with);
    }
    const Value without = visit(piece, bit + 1, first_lane, from, of_from, left - 1, -weight);
    return with_mode<false>(piece, bit, first_lane, from, of_from, left, weight, Mask{}) - without;
  }

  // Takes the last mode into the subset; where `masked`, in these lanes, and leaves it out in the others.
  template <bool masked>
  Value with_mode(const Piece& piece, int bit, int first_lane, const State& from, const State& of_from, int left,
                  Value weight, Mask with) {
    const State &to = states_[left - 1], &of_to = derivatives_[left - 1];
    const Pivots pivots = pivots_of<masked>(from, left, with);
    pass<masked>(pivots, from, left, to, with);
    Value factor = pivots.factor;
    if constexpr (masked) factor = choose(with, factor, constant<Value>(-1));
    clear(of_to, left - 1);
    const Value below = visit(piece, bit + 1, first_lane, to, of_to, left - 1, weight * factor);
    const Value total = factor * below;
    Value of_factor = weight * total;
    if constexpr (masked) of_factor = choose(with, of_factor, Value{});
    pass_back<masked>(pivots, from, of_from, left, of_to, of_factor, with);
    return total;
  }

  // Eliminates the last mode. Where `masked`, x and W are 0 in other lanes.
  template <bool masked>
  Pivots pivots_of(const State& from, int left, Mask with) const {
    const int last = left * rows - 1;
    Pivots pivots;
    Value det = constant<Value>(1), row[rows][rows];
    for (int q = 0; q < rows; ++q) {
      const Value* entries = row_of(from, last - q);
      for (int k = q; k < rows; ++k) {
        row[q][k] = entries[last - k];
        for (int p = 0; p < q; ++p) row[q][k] = multiply_add(pivots.multiple[p][q], row[p][k], row[q][k]);
      }
      pivots.inverse[q] = inverse(row[q][q]);
      for (int k = q + 1; k < rows; ++k) pivots.multiple[q][k] = -(row[q][k] * pivots.inverse[q]);
      det = det * row[q][q];
    }
    pivots.factor = inverse_root(det);
    if constexpr (rows == 4) pivots.factor = inverse_root(det * pivots.factor);
    if (from.loops) {
      Value exponent{};
      for (int q = 0; q < rows; ++q) pivots.loop[q] = from.loops[last - q];
      pivots.solve(pivots.loop);
      for (int q = 0; q < rows; ++q) {
        exponent = multiply_add(from.loops[last - q], pivots.loop[q], exponent);
        if constexpr (masked) pivots.loop[q] = choose(with, pivots.loop[q], Value{});
      }
      pivots.factor = pivots.factor * exponential(exponent);
    }
    return pivots;
  }

  // Writes W.
  template <bool masked>
  void solve_columns(const Pivots& pivots, const State& from, int left, Mask with) const {
    const int last = left * rows - 1, kept = (left - 1) * rows;
    for (int j = 0; j < kept; ++j) {
      Value b[rows];
      for (int q = 0; q < rows; ++q) b[q] = row_of(from, last - q)[j];
      pivots.solve(b);
      for (int q = 0; q < rows; ++q) solved_[q][j] = masked ? choose(with, b[q], Value{}) : b[q];
    }
  }

  template <bool masked>
  void pass(const Pivots& pivots, const State& from, int left, const State& to, Mask with) const {
    const int last = left * rows - 1, kept = (left - 1) * rows;
    solve_columns<masked>(pivots, from, left, with);
    for (int i = 0; i < kept; ++i) {
      const Value* row = row_of(from, i);
      Value *result = row_to(to, i), multiple[rows];
      for (int q = 0; q < rows; ++q) multiple[q] = -row_of(from, last - q)[i];
      for (int j = 0; j <= i; ++j) {
        Value value = row[j];
        for (int q = 0; q < rows; ++q) value = multiply_add(multiple[q], solved_[q][j], value);
        result[j] = value;
      }
      if (!from.loops) continue;
      to.loops[i] = from.loops[i];
      for (int q = 0; q < rows; ++q) to.loops[i] = multiply_add(multiple[q], pivots.loop[q], to.loops[i]);
    }
  }

  template <bool masked>
  void pass_back(const Pivots& pivots, const State& from, const State& of_from, int left, const State& of_to,
                 Value of_factor, Mask with) const {
    const int last = left * rows - 1, kept = (left - 1) * rows;
    solve_columns<masked>(pivots, from, left, with);
    // N W^T, and N.
    for (int i = 0; i < kept; ++i) {
      const Value* n = row_of(of_to, i);
      Value *to = row_to(of_from, i), sums[rows] = {}, own[rows];
      for (int q = 0; q < rows; ++q) own[q] = solved_[q][i];
      for (int j = 0; j < i; ++j) {
        to[j] = to[j] + n[j];
        for (int q = 0; q < rows; ++q) {
          sums[q] = multiply_add(n[j], solved_[q][j], sums[q]);
          products_[q][j] = multiply_add(n[j], own[q], products_[q][j]);
        }
      }
      to[i] = to[i] + n[i];
      for (int q = 0; q < rows; ++q) products_[q][i] = multiply_add(n[i], own[q], sums[q]);
    }
    Value of_loop[rows] = {};  // W n
    for (int i = 0; from.loops && i < kept; ++i) {
      of_from.loops[i] = of_from.loops[i] + of_to.loops[i];
      for (int q = 0; q < rows; ++q) of_loop[q] = multiply_add(solved_[q][i], of_to.loops[i], of_loop[q]);
    }
    const Value of_exponent = of_factor * problem_.factor;
    for (int q = 0; q < rows; ++q) {
      Value* to = row_to(of_from, last - q);
      for (int i = 0; i < kept; ++i) to[i] = to[i] - products_[q][i];
      const Value half_loop = pivots.loop[q] * -0.5;
      for (int i = 0; from.loops && i < kept; ++i) to[i] = multiply_add(of_to.loops[i], half_loop, to[i]);
      Value unit[rows] = {};
      unit[q] = constant<Value>(1);
      pivots.solve(unit);
      for (int k = q; k < rows; ++k) {
        Value sum = unit[k] * of_factor * (-1.0 / rows);
        for (int i = 0; i < kept; ++i) sum = multiply_add(solved_[k][i], products_[q][i], sum);
        if (from.loops) {
          sum = sum + (of_loop[q] * pivots.loop[k] + of_loop[k] * pivots.loop[q]) * 0.5;
          sum = sum - of_exponent * pivots.loop[q] * pivots.loop[k];
        }
        to[last - k] = to[last - k] + sum;
      }
      if (from.loops)
        of_from.loops[last - q] = of_from.loops[last - q] + (of_exponent * pivots.loop[q] * 2.0 - of_loop[q]);
    }
  }

  Value exponential(Value exponent) const {
    constexpr int terms = 14;  // of the series at 1/4: 2^-53 is left
    double scale = problem_.factor;
    for (int k = 0; k < problem_.squarings; ++k) scale /= 2;
    const Value x = exponent * scale;
    Value sum = constant<Value>(1);
    for (int k = terms; k > 0; --k) sum = multiply_add(sum, x * (1.0 / k), constant<Value>(1));
    for (int k = 0; k < problem_.squarings; ++k) sum = sum * sum;
    return sum;
  }

  const Problem& problem_;
  State states_[max_modes + 1] = {}, derivatives_[max_modes + 1] = {};  // by modes that are left
  Value *solved_[rows], *products_[rows];                               // W and W N
};

template <class Value, int rows>
void derive_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* derivatives) {
  GradientWalk<Value, rows> walk(problem, scratch);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run(piece, lane, sum, derivatives);
}

}  // namespace

const GradientKernels GradientKernels::MATCHCOUNT_ISA = {{derive_piece<Reals, 2>, derive_piece<Reals, 4>},
                                                         {derive_piece<Dual, 2>, derive_piece<Dual, 4>}};

}  // namespace matchcount::torontonian_kernel
