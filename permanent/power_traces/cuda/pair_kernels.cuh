// Sums over the subsets of a path, of one prime or in rounded numbers, by a block of threads: the walk of
// cpu/pairs_isa.cpp. Down to held_pairs pairs it goes depth first, matrices of series in the block's scratch memory.
// Below, all matrices of a number of pairs are made at once, in shared memory, so that there is work for all threads; a
// matrix without a pair is the upper left of the one with it. A host compiler takes this text too, for tests.
//
// A thread makes `count` coefficients of a series: products of blocks of as many, of which those of one factor stay in
// registers; so it loads a double for `count` / 2 multiplications, and shared memory keeps up with the arithmetic.
//
// Sums of rounded numbers are made as trees, so that terms meet no more roundings than on a CPU (pair_sum.cpp), and the
// values that bound magnitudes are carried along behind the series.

namespace {

using namespace matchcount::gpu;
using matchcount::lane::multiply_add;

template <int pairs, bool has_loops>
MC_TABLE HeldPlan<pairs, has_loops> held_plan = make_held_plan<pairs, has_loops>();

struct Residue {
  using Value = double;
  static constexpr bool is_rounded = false;
  const PairModulus modulus;
  MC_DEVICE double reduced(double a) const {
    const double q = fma(a, modulus.inverse, 0x1.8p52) - 0x1.8p52;
    return fma(-q, modulus.prime, a);
  }
};

template <class Given>
struct Rounded {
  using Value = Given;
  static constexpr bool is_rounded = true;
  const PairModulus none;
  MC_DEVICE Value reduced(const Value& a) const { return a; }
};

// Adds coefficients chunk * count ... of x y.
template <int count, class Value>
MC_DEVICE void add_products(Value (&sums)[count], const Value* x, const Value* y, int chunk) {
  Value window[2 * count - 1];  // y[(left - 1) count + 1] ...
  MC_UNROLL for (int q = 0; q < count; ++q) window[count - 1 + q] = y[chunk * count + q];
  MC_ROLLED for (int left = chunk; left > 0; --left, x += count) {
    const Value* const low = y + (left - 1) * count;
    MC_UNROLL for (int q = 0; q < count - 1; ++q) window[q] = low[1 + q];
    MC_UNROLL for (int a = 0; a < count; ++a) {
      const Value factor = x[a];
      MC_UNROLL for (int q = 0; q < count; ++q) sums[q] = multiply_add(factor, window[count - 1 + q - a], sums[q]);
    }
    MC_UNROLL for (int q = count - 1; q > 0; --q) window[count - 1 + q] = window[q - 1];
    window[count - 1] = low[0];
  }
  MC_UNROLL for (int a = 0; a < count; ++a) {
    const Value factor = x[a];
    MC_UNROLL for (int q = a; q < count; ++q) sums[q] = multiply_add(factor, window[count - 1 + q - a], sums[q]);
  }
}

template <class Number, bool has_loops, int count>
struct PairWalk {
  using Value = typename Number::Value;
  static constexpr int parts = sizeof(Value) / sizeof(double), held_pairs = held_pairs_of(parts);
  using Plan = HeldPlan<held_pairs, has_loops>;
  static constexpr int num_held = make_held_plan<held_pairs, has_loops>().num_series;
  // Threads that make one chunk of neighbouring series, or sum up to the leaves.
  static constexpr int group = Plan::num_leaves, num_groups = pair_threads / group;

  struct Sum {
    Value value;
    double magnitude;
  };

  const PairFrame& frame;
  const Number number;
  const Value* matrix;
  Value* scratch;
  Value* held;
  Sum sum;

  MC_DEVICE static int rows(int pairs) { return matrix_rows(pairs, has_loops); }
  MC_DEVICE Value* stored(int pairs) const {
    return scratch + static_cast<u64>(frame.series_before[pairs]) * static_cast<unsigned>(frame.stride);
  }
  MC_DEVICE static void copy(Value* to, const Value* from, int values) {
    for (int i = static_cast<int>(threadIdx.x); i < values; i += pair_threads) to[i] = from[i];
  }
  MC_DEVICE double& magnitude(Value* series) const { return *reinterpret_cast<double*>(series + frame.stride - 1); }
  MC_DEVICE double magnitude(const Value* series) const {
    return *reinterpret_cast<const double*>(series + frame.stride - 1);
  }
  MC_DEVICE static Sum joined(const Sum& a, const Sum& b) { return {a.value + b.value, a.magnitude + b.magnitude}; }

  // Makes coefficients chunk * count + 1 ... of from + z (x y + x2 y2).
  MC_DEVICE void make_chunk(Value* to, const Value* from, const Value* x, const Value* y, const Value* x2,
                            const Value* y2, int chunk) const {
    Value sums[count];
    const int first = chunk * count + 1;
    MC_UNROLL for (int q = 0; q < count; ++q) sums[q] = from[first + q];
    add_products<count>(sums, x, y, chunk);
    add_products<count>(sums, x2, y2, chunk);
    MC_UNROLL for (int q = 0; q < count; ++q) to[first + q] = number.reduced(sums[q]);
    if (chunk != 0) return;
    to[0] = from[0];
    if constexpr (Number::is_rounded)
      magnitude(to) = fma(magnitude(x), magnitude(y), fma(magnitude(x2), magnitude(y2), magnitude(from)));
  }

  // Calls make(series, chunk) for all, those of a group of one chunk; groups get large and small ones in turn.
  template <class Make>
  MC_DEVICE void for_all(int num_series, const Make& make) const {
    const int own = static_cast<int>(threadIdx.x) / group, lane = static_cast<int>(threadIdx.x) % group;
    const int rounds = (num_series + group - 1) / group, num_tasks = rounds * frame.chunks;
    for (int turn = 0; turn * num_groups < num_tasks; ++turn) {
      const int task = turn * num_groups + (turn % 2 == 0 ? own : num_groups - 1 - own);
      const int series = task % rounds * group + lane;
      if (task < num_tasks && series < num_series) make(series, frame.chunks - 1 - task / rounds);
    }
    __syncthreads();
  }

  // Returns a coefficient of what ends in a pair u, v: b(u, v) + l(u) l(v), the loops being the first of their lines,
  // `line` series and twice as many before b(u, v).
  MC_DEVICE Value end_of(const Value* path, int line, int k) const {
    Value end = path[k];
    if constexpr (has_loops) {
      const Value *x = path - line * frame.stride, *y = x - line * frame.stride + k;
      MC_ROLLED for (int a = 0; a <= k; ++a) end = multiply_add(x[a], *(y - a), end);
      end = number.reduced(end);
    }
    return end;
  }
  MC_DEVICE double magnitude_of_end(const Value* path, int line) const {
    double end = magnitude(path);
    if constexpr (has_loops)
      end = fma(magnitude(path - line * frame.stride), magnitude(path - 2 * line * frame.stride), end);
    return end;
  }
  // Puts it in the place of b(u, v), path(0), path(1), ..., which is of no other use.
  template <class Path>
  MC_DEVICE void put_ends(int num_paths, int line, const Path& path) const {
    if constexpr (has_loops) {
      for (int i = static_cast<int>(threadIdx.x); i < num_paths * frame.num_pairs; i += pair_threads) {
        Value* const at = path(i / frame.num_pairs);
        const int k = i % frame.num_pairs;
        at[k] = end_of(at, line, k);
        if (Number::is_rounded && k == 0) magnitude(at) = magnitude_of_end(at, line);
      }
      __syncthreads();
    }
  }

  // Takes the last of so many pairs that are left into the subset, of a matrix that is stored with `of` pairs or more.
  MC_DEVICE void pass(const Value* from, int of, int pairs, Value* to) const {
    // Its lines are copied where there is room for them, with what ends in the pair and the closed walks.
    const bool has_room = num_held > 4 * most_kernel_pairs || 2 * rows(pairs - 1) + 2 <= num_held - 1;
    if (has_room) {
      pass_with<true>(from, of, pairs, to);
    } else {
      pass_with<false>(from, of, pairs, to);
    }
  }
  template <bool has_room>
  MC_DEVICE void pass_with(const Value* from, int of, int pairs, Value* to) const {
    const int stride = frame.stride, v = rows(pairs - 1), entries = series_below(v);
    const Value* const closed_from = from + series_below(rows(of)) * stride;
    const Value* const lines = from + entries * stride;
    Value* const closed = held + (num_held - 1) * stride;
    Value* const path = closed - stride;
    const Value* const of_u = has_room ? path - v * stride : lines + v * stride;
    const Value* const of_v = has_room ? of_u - v * stride : lines;
    if (has_room) {
      copy(path - 2 * v * stride, lines, (2 * v + 1) * stride);
    } else {
      copy(path, lines + 2 * v * stride, stride);
      if (has_loops) copy(path - stride, of_u, stride);
      if (has_loops) copy(path - 2 * stride, of_v, stride);
    }
    copy(closed, closed_from, stride);
    __syncthreads();
    put_ends(1, has_room ? v : 1, [&](int) { return path; });
    const Value* const zero = held + held_zero * stride;
    for_all(entries + 1, [&](int e, int chunk) {
      int i = static_cast<int>((1 + sqrtf(static_cast<float>(8 * e + 1))) / 2);
      while (i * (i - 1) / 2 > e) --i;
      while (i * (i + 1) / 2 <= e) ++i;
      const int j = e - i * (i - 1) / 2;
      const bool is_entry = e < entries;
      make_chunk(to + e * stride, is_entry ? from + e * stride : closed_from, is_entry ? of_u + i * stride : closed,
                 is_entry ? of_v + j * stride : path, is_entry ? of_v + i * stride : zero,
                 is_entry ? of_u + j * stride : zero, chunk);
    });
  }

  // Sums up the subsets of the held pairs; the source is in its place.
  MC_DEVICE Sum sum_held(bool negative) const {
    const int stride = frame.stride;
    const Plan& plan = held_plan<held_pairs, has_loops>;
    MC_ROLLED for (int step = 0; step < held_pairs - 1; ++step) {
      const int first = plan.first[step], v = rows(held_pairs - 1 - step), of_matrix = series_below(v) + 1;
      put_ends(1 << step, v, [&](int i) { return held + plan.series[first + (i + 1) * of_matrix - 1].y * stride; });
      for_all(plan.first[step + 1] - first, [&](int i, int chunk) {
        const HeldSeries& s = plan.series[first + i];
        make_chunk(held + s.to * stride, held + s.from * stride, held + s.x * stride, held + s.y * stride,
                   held + s.x2 * stride, held + s.y2 * stride, chunk);
      });
    }
    const int own = static_cast<int>(threadIdx.x) / group, length = frame.num_pairs;
    const HeldLeaf& leaf = plan.leaves[threadIdx.x % group];
    const Value* const closed = held + leaf.closed * stride;
    const Value* const path = held + leaf.path * stride;
    Sum total{};
    for (int k = own; k < length; k += num_groups)
      total.value = multiply_add(closed[k], end_of(path, 1, length - 1 - k), total.value);
    total.value = number.reduced(total.value);
    if (leaf.negative != negative) total.value = -total.value;
    if (Number::is_rounded && own == 0) total.magnitude = magnitude(closed) * magnitude_of_end(path, 1);
    __syncthreads();
    return total;
  }

  MC_DEVICE void run(u64 path) {
    const int stride = frame.stride, own_bits = frame.path_bits + frame.lane_bits;
    for (int i = static_cast<int>(threadIdx.x); i < stride; i += pair_threads) held[held_zero * stride + i] = Value{};
    const Value* top = matrix;
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
    Sum sums[Number::is_rounded ? most_task_pairs - held_pairs + 1 : 1];  // of 2^i subsets
    Value* const source = held + held_source * stride;
    for (unsigned subset = 0; subset < 1u << bits; ++subset) {
      const Value* from = top;
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
        Value* const to = lowest == 0 ? source : stored(pairs - 1);
        pass(from, stored_with, pairs, to);
        from = to;
        stored_with = pairs - 1;
      }
      if (lowest != 0) {
        copy(source, from, series_below(rows(held_pairs)) * stride);
        copy(held + Plan::source_closed * stride, from + series_below(rows(stored_with)) * stride, stride);
        __syncthreads();
      }
      bool odd = (bits % 2 != 0) != negative;
      for (unsigned rest = subset; rest != 0; rest &= rest - 1) odd = !odd;
      Sum next = sum_held(odd);
      if constexpr (Number::is_rounded) {
        int i = 0;
        for (; (subset >> i & 1) != 0; ++i) next = joined(sums[i], next);
        sums[i] = sum = next;
      } else {
        sum.value += next.value;
      }
    }
  }
};

// Writes the sum of a task: the value and the bound on magnitudes, or the residue.
template <class Number, bool has_loops, int count>
MC_DEVICE void sum_pairs(const PairFrame& frame, const double* matrices, const PairModulus* moduli, u64 task,
                         double* scratch, double* out) {
  using Walk = PairWalk<Number, has_loops, count>;
  using Value = typename Number::Value;
  Value* const held = static_cast<Value*>(dynamic_shared());
  const unsigned lanes = 1u << frame.lane_bits, of_piece = static_cast<unsigned>(frame.num_primes) * lanes;
  const u64 piece = task / of_piece;
  const unsigned within = static_cast<unsigned>(task % of_piece), prime = within / lanes;
  const int series = series_below(Walk::rows(frame.num_pairs)) + 1;
  Walk walk{frame,
            {moduli[prime]},
            reinterpret_cast<const Value*>(matrices) + static_cast<u64>(prime) * (series * frame.stride),
            reinterpret_cast<Value*>(scratch),
            held,
            {}};
  walk.run(piece | static_cast<u64>(within % lanes) << frame.path_bits);
  // By halves.
  typename Walk::Sum* const sums = reinterpret_cast<typename Walk::Sum*>(held);
  sums[threadIdx.x] = walk.sum;
  for (unsigned half = pair_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = Walk::joined(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) {
    *reinterpret_cast<Value*>(out) = walk.number.reduced(sums[0].value);
    if constexpr (Number::is_rounded) out[Walk::parts] = sums[0].magnitude;
  }
  __syncthreads();
}

}  // namespace
