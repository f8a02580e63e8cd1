// Sums over the subsets of a path, of one prime, by a block of threads: the walk of cpu/pairs_isa.cpp. Down to
// held_pairs pairs it goes depth first, matrices of series in the block's scratch memory. Below, all matrices of a
// number of pairs are made at once, in shared memory, so that there is work for all threads; a matrix without a pair is
// the upper left of the one with it. A host compiler takes this text too, for tests.
//
// A thread makes `count` coefficients of a series: products of blocks of as many, of which those of one factor stay in
// registers; so it loads a double for `count` / 2 multiplications, and shared memory keeps up with the arithmetic.

namespace {

using namespace matchcount::gpu;

// from + z (x y + x2 y2), by their numbers among the series that are held.
struct HeldSeries {
  unsigned char x, y, x2, y2, from, to, padding[2];
};
struct HeldLeaf {
  unsigned char closed, path;
  bool negative;
};
struct HeldPlan {
  HeldSeries series[256];
  int first[held_pairs];  // series of the step to held_pairs - 1, ... pairs begin here
  HeldLeaf leaves[1 << (held_pairs - 1)];
};

constexpr int held_zero = held_series - 1;  // a series
constexpr int held_source_closed = held_pairs * (2 * held_pairs - 1);
constexpr int held_staged = held_source_closed + 1;  // the lines of a pair, while no more than the source is held

// A matrix lies at `first`, lines of its lower triangle one after the other, and its closed walks at `closed`. Where
// one is made, what lies beyond the lines that are still of use in earlier ones is written over.
constexpr HeldPlan make_held_plan() {
  struct Matrix {
    int first, closed;
    bool negative;
  };
  HeldPlan plan{};
  Matrix all[1 << (held_pairs - 1)] = {{0, held_source_closed, false}};
  int num_series = 0, num = 1, free = held_staged;
  for (int pairs = held_pairs; pairs > 1; --pairs) {
    plan.first[held_pairs - pairs] = num_series;
    const int v = 2 * pairs - 2, u = 2 * pairs - 1, entries = v * (v - 1) / 2;
    for (int i = 0; i < num; ++i) {
      const Matrix from = all[i];
      int first = free;
      if (pairs == 3) first = i < 7 ? 15 + 7 * i : held_staged + 15;
      if (pairs == 2) first = all[i < 8 ? 2 : 3].first + 6 + 2 * (i % 8);
      if (pairs > 3) free += entries + 1;
      const auto at = [&](int row, int column) {
        return static_cast<unsigned char>(from.first + row * (row - 1) / 2 + column);
      };
      int e = 0;
      for (int row = 1; row < v; ++row) {
        for (int column = 0; column < row; ++column, ++e)
          plan.series[num_series++] = {at(u, row),
                                       at(v, column),
                                       at(v, row),
                                       at(u, column),
                                       at(row, column),
                                       static_cast<unsigned char>(first + e),
                                       {}};
      }
      const auto closed = static_cast<unsigned char>(from.closed);
      plan.series[num_series++] = {
          closed, at(u, v), held_zero, held_zero, closed, static_cast<unsigned char>(first + entries), {}};
      all[num + i] = {first, first + entries, from.negative};
      all[i].negative = !from.negative;
    }
    num *= 2;
  }
  plan.first[held_pairs - 1] = num_series;
  for (int i = 0; i < num; ++i)
    plan.leaves[i] = {static_cast<unsigned char>(all[i].closed), static_cast<unsigned char>(all[i].first),
                      all[i].negative};
  return plan;
}

MC_TABLE HeldPlan held_plan = make_held_plan();

MC_DEVICE double reduced_by(double a, const PairModulus& modulus) {
  const double q = fma(a, modulus.inverse, 0x1.8p52) - 0x1.8p52;
  return fma(-q, modulus.prime, a);
}

// Adds coefficients chunk * count ... of x y.
template <int count>
MC_DEVICE void add_products(double (&sums)[count], const double* x, const double* y, int chunk) {
  double window[2 * count - 1];  // y[(left - 1) count + 1] ...
  MC_UNROLL for (int q = 0; q < count; ++q) window[count - 1 + q] = y[chunk * count + q];
  MC_ROLLED for (int left = chunk; left > 0; --left, x += count) {
    const double* const low = y + (left - 1) * count;
    MC_UNROLL for (int q = 0; q < count - 1; ++q) window[q] = low[1 + q];
    MC_UNROLL for (int a = 0; a < count; ++a) {
      const double factor = x[a];
      MC_UNROLL for (int q = 0; q < count; ++q) sums[q] = fma(factor, window[count - 1 + q - a], sums[q]);
    }
    MC_UNROLL for (int q = count - 1; q > 0; --q) window[count - 1 + q] = window[q - 1];
    window[count - 1] = low[0];
  }
  MC_UNROLL for (int a = 0; a < count; ++a) {
    const double factor = x[a];
    MC_UNROLL for (int q = a; q < count; ++q) sums[q] = fma(factor, window[count - 1 + q - a], sums[q]);
  }
}

// Makes coefficients chunk * count + 1 ... of from + z (x y + x2 y2).
template <int count>
MC_DEVICE void make_chunk(double* to, const double* from, const double* x, const double* y, const double* x2,
                          const double* y2, int chunk, const PairModulus& modulus) {
  double sums[count];
  const int first = chunk * count + 1;
  MC_UNROLL for (int q = 0; q < count; ++q) sums[q] = from[first + q];
  add_products<count>(sums, x, y, chunk);
  add_products<count>(sums, x2, y2, chunk);
  MC_UNROLL for (int q = 0; q < count; ++q) to[first + q] = reduced_by(sums[q], modulus);
  if (chunk == 0) to[0] = from[0];
}

template <int count>
struct PairWalk {
  static constexpr int warp = 32, num_warps = pair_threads / warp;

  const PairFrame& frame;
  const PairModulus modulus;
  const double* matrix;
  double* scratch;
  double* held;
  double sum;

  MC_DEVICE double* stored(int pairs) const {
    return scratch + static_cast<u64>(frame.series_before[pairs]) * static_cast<unsigned>(frame.stride);
  }
  MC_DEVICE static void copy(double* to, const double* from, int doubles) {
    for (int i = static_cast<int>(threadIdx.x); i < doubles; i += pair_threads) to[i] = from[i];
  }

  // Calls make(series, chunk) for all, those of a warp of one chunk; warps get large and small ones in turn.
  template <class Make>
  MC_DEVICE void for_all(int num_series, const Make& make) const {
    const int own = static_cast<int>(threadIdx.x) / warp, lane = static_cast<int>(threadIdx.x) % warp;
    const int rounds = (num_series + warp - 1) / warp, num_tasks = rounds * frame.chunks;
    for (int turn = 0; turn * num_warps < num_tasks; ++turn) {
      const int task = turn * num_warps + (turn % 2 == 0 ? own : num_warps - 1 - own);
      const int series = task % rounds * warp + lane;
      if (task < num_tasks && series < num_series) make(series, frame.chunks - 1 - task / rounds);
    }
    __syncthreads();
  }

  // Takes the last of so many pairs that are left into the subset, of a matrix that is stored with `of` pairs or more.
  MC_DEVICE void pass(const double* from, int of, int pairs, double* to) const {
    const int stride = frame.stride, v = 2 * pairs - 2, u = v + 1, entries = v * (v - 1) / 2;
    double* const of_v = held + held_staged * stride;
    double* const of_u = of_v + v * stride;
    double* const closed = of_u + u * stride;
    const double* const closed_from = from + of * (2 * of - 1) * stride;
    copy(of_v, from + entries * stride, (u + v) * stride);
    copy(closed, closed_from, stride);
    __syncthreads();
    const double* const zero = held + held_zero * stride;
    for_all(entries + 1, [&](int e, int chunk) {
      int i = static_cast<int>((1 + sqrtf(static_cast<float>(8 * e + 1))) / 2);
      while (i * (i - 1) / 2 > e) --i;
      while (i * (i + 1) / 2 <= e) ++i;
      const int j = e - i * (i - 1) / 2;
      const bool is_entry = e < entries;
      make_chunk<count>(to + e * stride, is_entry ? from + e * stride : closed_from,
                        is_entry ? of_u + i * stride : closed, is_entry ? of_v + j * stride : of_u + v * stride,
                        is_entry ? of_v + i * stride : zero, is_entry ? of_u + j * stride : zero, chunk, modulus);
    });
  }

  // Sums up the subsets of the held pairs; the source is in its place.
  MC_DEVICE void sum_held(bool negative) {
    const int stride = frame.stride;
    MC_ROLLED for (int step = 0; step < held_pairs - 1; ++step) {
      const int first = held_plan.first[step];
      for_all(held_plan.first[step + 1] - first, [&](int i, int chunk) {
        const HeldSeries& s = held_plan.series[first + i];
        make_chunk<count>(held + s.to * stride, held + s.from * stride, held + s.x * stride, held + s.y * stride,
                          held + s.x2 * stride, held + s.y2 * stride, chunk, modulus);
      });
    }
    const int own = static_cast<int>(threadIdx.x) / warp, length = frame.num_pairs;
    const HeldLeaf& leaf = held_plan.leaves[threadIdx.x % warp];
    const double* const closed = held + leaf.closed * stride;
    const double* const path = held + leaf.path * stride;
    double total = 0;
    for (int k = own; k < length; k += num_warps) total = fma(closed[k], path[length - 1 - k], total);
    total = reduced_by(total, modulus);
    sum += leaf.negative != negative ? -total : total;
    __syncthreads();
  }

  MC_DEVICE void run(u64 path) {
    const int stride = frame.stride, own_bits = frame.path_bits + frame.lane_bits;
    for (int i = static_cast<int>(threadIdx.x); i < stride; i += pair_threads) held[held_zero * stride + i] = 0;
    const double* top = matrix;
    int of = frame.num_pairs;
    bool negative = false;
    for (int bit = 0; bit < own_bits; ++bit) {
      const int pairs = frame.num_pairs - bit;
      if ((path >> bit & 1) != 0) {
        pass(top, of, pairs, stored(pairs - 1));
        of = pairs - 1;
        top = stored(of);
      } else {
        negative = !negative;
      }
    }
    // Bit i of `subset` says whether the pair held_pairs + i is in it. Counting up, it goes into it when all before it
    // leave.
    const int left = frame.num_pairs - own_bits, bits = left - held_pairs;
    for (unsigned subset = 0; subset < 1u << bits; ++subset) {
      const double* from = top;
      int stored_with = of, lowest = bits;
      if (subset != 0) {
        lowest = 0;
        while ((subset >> lowest & 1) == 0) ++lowest;
        int next = lowest + 1;
        while (next < bits && (subset >> next & 1) == 0) ++next;
        if (next < bits) {
          stored_with = held_pairs + next;
          from = stored(stored_with);
        }
        const int pairs = held_pairs + 1 + lowest;
        double* const to = lowest == 0 ? held : stored(pairs - 1);
        pass(from, stored_with, pairs, to);
        from = to;
        stored_with = pairs - 1;
      }
      if (lowest != 0) {
        copy(held, from, held_source_closed * stride);
        copy(held + held_source_closed * stride, from + stored_with * (2 * stored_with - 1) * stride, stride);
        __syncthreads();
      }
      bool odd = (bits % 2 != 0) != negative;
      for (unsigned rest = subset; rest != 0; rest &= rest - 1) odd = !odd;
      sum_held(odd);
    }
  }
};

// Writes the residue of a task.
template <int count>
MC_DEVICE void sum_pairs(const PairFrame& frame, const double* matrices, const PairModulus* moduli, u64 task,
                         double* scratch, unsigned* out) {
  double* const held = static_cast<double*>(dynamic_shared());
  const unsigned lanes = 1u << frame.lane_bits, of_piece = static_cast<unsigned>(frame.num_primes) * lanes;
  const u64 piece = task / of_piece;
  const unsigned within = static_cast<unsigned>(task % of_piece), prime = within / lanes;
  const int series = frame.num_pairs * (2 * frame.num_pairs - 1) + 1;
  PairWalk<count> walk{frame,   moduli[prime], matrices + static_cast<u64>(prime) * (series * frame.stride),
                       scratch, held,          0};
  walk.run(piece | static_cast<u64>(within % lanes) << frame.path_bits);
  held[threadIdx.x] = walk.sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int i = 0; i < pair_threads; ++i) total += held[i];
    total = reduced_by(total, moduli[prime]);
    *out = static_cast<unsigned>(total < 0 ? total + moduli[prime].prime : total);
  }
  __syncthreads();
}

}  // namespace
