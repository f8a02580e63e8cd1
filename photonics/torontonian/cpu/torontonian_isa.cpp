// Walks over the subsets of modes of a piece, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.

#include "core/cpu/simd.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"
#include "photonics/torontonian/torontonian_walk.hpp"

namespace matchcount::torontonian_kernel {
namespace {

using namespace simd;

struct Vectors {
  using Reals = simd::Reals;
  using Mask = simd::Mask;
  static constexpr bool is_device = false;
  static MATCHCOUNT_INLINE Reals broadcast(double value) { return simd::broadcast(value); }
  static MATCHCOUNT_INLINE Reals square_root(Reals a) { return simd::square_root(a); }
};

// Walks in the lanes from `first_lane` on.
template <class Number, int rows>
void sum_lanes(const Problem& problem, const Piece& piece, int first_lane, double* scratch, double* sum,
               double* magnitudes) {
  using Value = typename Number::Value;
  using Visitor = Walk<Number, rows>;
  const bool has_loops = problem.loops != nullptr;
  auto* memory = reinterpret_cast<Value*>(scratch);
  Value* const pivots = memory;
  memory += Visitor::pivot_values(problem.num_modes);
  Visitor walk(problem.factor, problem.squarings, problem.num_modes, pivots, [&](int modes) {
    const auto state = Visitor::state_at(memory, modes, has_loops);
    memory += Visitor::state_values(modes, has_loops);
    return state;
  });
  auto from = walk.state(problem.num_modes);
  const int all = rows * problem.num_modes;
  for (int e = 0; e < all * (all + 1) / 2; ++e) from.matrix[e] = Number::constant(problem.entries + e * Number::parts);
  for (int i = 0; has_loops && i < all; ++i) from.loops[i] = Number::constant(problem.loops + i * Number::parts);
  int left = problem.num_modes;
  Value above = walk.one();
  bool is_negative = false;
  for (int bit = 0; bit < piece.path_bits; ++bit, --left) {
    if ((piece.path >> bit & 1) != 0) {
      above = Number::times(above, walk.template pass<false, 0>(from, left, Mask{}));
      from = walk.state(left - 1);
    } else {
      is_negative = !is_negative;
    }
  }
  Mask negative = {};
  for (int bit = 0; bit < piece.lane_bits; ++bit, --left) {
    constexpr long long numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const Mask with = (load<Mask>(numbers + first_lane) & (1LL << bit)) != 0;
    const Value factor = walk.pass_in_lanes(from, left, with);
    above = Number::times(above, Number::choose(with, factor, walk.one()));
    from = walk.state(left - 1);
    negative ^= ~with;
  }
  const auto total = walk.visit(from, left);
  if (is_negative) negative = ~negative;
  const Value value = Number::times(above, total.value);
  write_lanes(Number::choose(negative, Number::scaled(value, -1), value), sum + first_lane, num_lanes);
  store(magnitudes + first_lane, Number::high(above) * total.magnitude);
}

template <class Number, int rows>
void sum_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* magnitudes) {
  for (int lane = 0; lane < num_lanes; lane += width)
    sum_lanes<Number, rows>(problem, piece, lane, scratch, sum, magnitudes);
}

// Leaves out the vectors of which nothing is read any more, or that are 0 still.
bool eliminate_columns(double* rows, int size, int stride, double* squares) {
  const int units = (size + num_lanes - 1) / num_lanes * num_lanes;
  for (int u = size - 1; u >= 0; --u) {
    const double* const pivots = rows + u * stride;
    if (!(pivots[u] > 0)) return false;
    const double inverse = 1 / pivots[u];
    const int end = u / width * width + width, next = units + u / width * width;
    for (int j = next; j < stride; j += width) {
      const auto value = load<Reals>(pivots + j);
      store(squares + j, multiply_add(value * inverse, value, load<Reals>(squares + j)));
    }
    for (int i = u - 1; i >= 0; --i) {  // the next pivot first, which all that follows waits for
      double* const row = rows + i * stride;
      const Reals multiple = broadcast(-(pivots[i] * inverse));
      const auto subtract = [&](int j) {
        store(row + j, multiply_add(multiple, load<Reals>(pivots + j), load<Reals>(row + j)));
      };
      for (int j = 0; j < end; j += width) subtract(j);
      for (int j = next; j < stride; j += width) subtract(j);
    }
  }
  return true;
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{sum_piece<Real<Vectors>, 2>, sum_piece<Real<Vectors>, 4>},
                                         {sum_piece<DoubleDouble<Vectors>, 2>, sum_piece<DoubleDouble<Vectors>, 4>},
                                         eliminate_columns};

}  // namespace matchcount::torontonian_kernel
