#pragma once
// Plans where a block of threads keeps the matrices of all subsets of its last pairs, and what is made of what. Plain,
// for both compilers; so is what the host tells the kernels.

namespace matchcount::gpu {

constexpr int pair_threads = 128;  // of a block
constexpr int fewest_kernel_pairs = 7, most_kernel_pairs = 40;
constexpr int most_task_pairs = 17;  // that are in some of a task's subsets alone, and the first

// A task is a prime and a path: bit b says whether the pair num_pairs - 1 - b is in its subsets. Tasks of a piece are
// neighbours: prime by prime, all values of the last lane_bits of the path's bits; the others are the piece's number.
struct PairFrame {
  int num_pairs;
  int path_bits, lane_bits;
  int num_primes;  // 1 where numbers are rounded
  int chunks;      // of coefficients, of as many as the kernel computes at a time; one more is copied
  int stride;      // values from series to series; where numbers are rounded the last is the bound of magnitudes
  // Series of the matrices that are kept in a block's scratch memory before that of so many pairs.
  unsigned series_before[most_kernel_pairs + 1];
};

struct PairModulus {
  double prime, inverse;
};

// With loops a vertex more is in every matrix, the first, of which the series of the paths to i is l(i): the same sums
// make it.
constexpr int matrix_rows(int pairs, bool has_loops) { return 2 * pairs + (has_loops ? 1 : 0); }
constexpr int series_below(int rows) { return rows * (rows - 1) / 2; }

// A block holds all subsets of the last so many pairs at once, of values of so many doubles.
constexpr int held_pairs_of(int parts) { return parts == 1 ? 6 : parts == 2 ? 5 : 4; }

// from + z (x y + x2 y2), by their numbers among the series that are held.
struct HeldSeries {
  unsigned short x, y, x2, y2, from, to;
};
// Says where the closed walks are, and the paths of the last pair.
struct HeldLeaf {
  unsigned short closed, path;
  bool negative;
};

// Counts the series that are made: the matrices without the last pair of those with it, and their closed walks.
constexpr int held_makings(int pairs, bool has_loops) {
  int makings = 0;
  for (int left = pairs, num = 1; left > 1; --left, num *= 2)
    makings += num * (series_below(matrix_rows(left - 1, has_loops)) + 1);
  return makings;
}

constexpr int held_zero = 0, held_source = 1;  // series: of zeros, and the first of the matrix that all come from

template <int pairs, bool has_loops>
struct HeldPlan {
  static constexpr int num_leaves = 1 << (pairs - 1);
  static constexpr int source_closed = held_source + series_below(matrix_rows(pairs, has_loops));
  HeldSeries series[held_makings(pairs, has_loops)];
  int first[pairs];  // series of the step to pairs - 1, ... pairs begin here; those of a matrix end with its closed
                     // walks
  HeldLeaf leaves[num_leaves];
  int num_series;
};

// A matrix's lines of its lower triangle lie one after the other, and its closed walks anywhere. One is made in the
// first place that is free: where lines lay that are of no use any more is free from the next step on.
template <int pairs, bool has_loops>
constexpr HeldPlan<pairs, has_loops> make_held_plan() {
  using Plan = HeldPlan<pairs, has_loops>;
  struct Matrix {
    int first, closed;
    bool negative;
  };
  struct Places {
    bool used[512];
    int end;  // behind all that were ever taken
    constexpr int take(int count) {
      int first = 0;
      for (int i = 0; i < first + count; ++i) {
        if (used[i]) first = i + 1;
      }
      for (int i = first; i < first + count; ++i) used[i] = true;
      if (end < first + count) end = first + count;
      return first;
    }
  };
  const auto narrow = [](int series) { return static_cast<unsigned short>(series); };
  Plan plan{};
  Places places{};
  places.take(Plan::source_closed + 1);
  Matrix all[Plan::num_leaves] = {{held_source, Plan::source_closed, false}};
  int num_series = 0, num = 1;
  for (int left = pairs; left > 1; --left, num *= 2) {
    const int v = matrix_rows(left - 1, has_loops), u = v + 1, entries = series_below(v);
    for (int i = 0; i < num; ++i) all[num + i] = {places.take(entries), 0, all[i].negative};
    for (int i = 0; i < num; ++i) all[num + i].closed = places.take(1);
    plan.first[pairs - left] = num_series;
    for (int i = 0; i < num; ++i) {
      Matrix& from = all[i];
      const Matrix to = all[num + i];
      const auto at = [&](int row, int column) { return narrow(from.first + series_below(row) + column); };
      for (int row = 1, e = to.first; row < v; ++row) {
        for (int column = 0; column < row; ++column, ++e)
          plan.series[num_series++] = {at(u, row),    at(v, column),   at(v, row),
                                       at(u, column), at(row, column), narrow(e)};
      }
      plan.series[num_series++] = {narrow(from.closed), at(u, v),         held_zero, held_zero,
                                   narrow(from.closed), narrow(to.closed)};
      from.negative = !from.negative;
      for (int k = entries; k < series_below(v + 2); ++k) places.used[from.first + k] = false;
    }
  }
  plan.first[pairs - 1] = num_series;
  const int path = series_below(matrix_rows(1, has_loops)) - 1;
  for (int i = 0; i < num; ++i) plan.leaves[i] = {narrow(all[i].closed), narrow(all[i].first + path), all[i].negative};
  // The lines of a pair more fit in behind the source, with its closed walks.
  const int with_lines = Plan::source_closed + 1 + 2 * matrix_rows(pairs, has_loops) + 2;
  plan.num_series = places.end > with_lines ? places.end : with_lines;
  return plan;
}

}  // namespace matchcount::gpu
