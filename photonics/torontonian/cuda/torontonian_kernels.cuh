// Sums what the subsets of a path give to a torontonian, by a block of threads: together they take the modes of the
// path into the matrix in shared memory, in place; then each has a path of its own, and walks below it as a lane of a
// CPU does. A host compiler takes this text too, for tests.

namespace {

using namespace matchcount::gpu;
namespace walk_text = matchcount::torontonian_kernel;

struct Doubles {
  using Reals = double;
  using Mask = bool;
  static constexpr bool is_device = true;
  static MATCHCOUNT_INLINE double broadcast(double value) { return value; }
  static MATCHCOUNT_INLINE double square_root(double a) { return sqrt(a); }
};
MC_DEVICE double low_of(double) { return 0; }
MC_DEVICE double low_of(walk_text::Pair<double> a) { return a.lo; }

// Sums up the subsets of so many modes that are left, without recursion, of which a device does not know how deep it
// is.
template <int modes, class Walk>
MC_STEP typename Walk::Sum visit_modes(Walk& walk, const typename Walk::State& from) {
  if constexpr (modes == Walk::few_modes) {
    return walk.template visit_exactly<modes>(from);
  } else {
    const auto without = visit_modes<modes - 1>(walk, from);
    const auto factor = walk.template pass<false, 0>(from, modes, false);
    return Walk::joined(without, factor, visit_modes<modes - 1>(walk, walk.state(modes - 1)));
  }
}

// Does so of thread_modes or fewer, but more than few_modes.
template <int modes, class Walk>
MC_DEVICE typename Walk::Sum visit_up_to(Walk& walk, const typename Walk::State& from, int left) {
  if constexpr (modes > Walk::few_modes + 1) {
    if (left < modes) return visit_up_to<modes - 1>(walk, from, left);
  }
  return visit_modes<modes>(walk, from);
}

template <class Number>
struct TorontonianBlock {
  using Value = typename Number::Value;
  using Walk = walk_text::Walk<Number, 2>;

  const TorontonianFrame& frame;
  typename Walk::State top;  // in shared memory
  const Value* numbers;      // the same, f and k
  Value* pivots;             // the same, of as many as the matrix has rows
  Value* own;                // the same, of this thread: the last matrix that does not fit into registers

  static constexpr int own_modes = Walk::few_modes + 1;
  static_assert(own_modes == own_modes_of(Number::parts), "");
  // Matrices of thread_modes and more have one place, in local memory as those of fewer.
  static constexpr int local_values() {
    int values = Walk::state_values(block_modes - 1, true);
    for (int n = 0; n < thread_modes; ++n) values += n == own_modes ? 0 : Walk::state_values(n, true);
    return values;
  }

  // Takes the last of so many modes; returns what that multiplies the terms by.
  MC_DEVICE Value take_mode(const Walk& walk, int left) {
    const int u = 2 * left - 1, v = u - 1;
    const Value* const row_u = top.matrix + u * (u + 1) / 2;
    const Value* const row_v = top.matrix + v * (v + 1) / 2;
    const Value minus_u = Number::scaled(Number::inverse(row_u[u]), -1);
    const Value multiple = Number::times(row_u[v], minus_u);
    for (int j = static_cast<int>(threadIdx.x); j <= v; j += torontonian_threads)
      pivots[j] = walk_text::multiply_add(multiple, row_u[j], row_v[j]);
    __syncthreads();
    const Value minus_v = Number::scaled(Number::inverse(pivots[v]), -1);
    Value factor = Number::inverse_root(Number::times(row_u[u], pivots[v]));
    const auto reduced = [&](Value value, Value of_u, Value of_v, int j) {
      return walk_text::multiply_add(of_v, pivots[j], walk_text::multiply_add(of_u, row_u[j], value));
    };
    if (top.loops) {
      const Value loop_u = top.loops[u], of_u = Number::times(loop_u, minus_u);
      const Value loop_v = walk_text::multiply_add(of_u, row_u[v], top.loops[v]);
      const Value of_v = Number::times(loop_v, minus_v);
      const Value exponent =
          walk_text::multiply_add(Number::scaled(loop_v, -1), of_v, Number::times(Number::scaled(loop_u, -1), of_u));
      factor = Number::times(factor, walk.exponential(exponent));
      __syncthreads();
      for (int j = static_cast<int>(threadIdx.x); j < v; j += torontonian_threads)
        top.loops[j] = reduced(top.loops[j], of_u, of_v, j);
    }
    for (int e = static_cast<int>(threadIdx.x); e < v * (v + 1) / 2; e += torontonian_threads) {
      int i = static_cast<int>((sqrtf(static_cast<float>(8 * e + 1)) - 1) / 2);
      while (i * (i + 1) / 2 > e) --i;
      while ((i + 1) * (i + 2) / 2 <= e) ++i;
      top.matrix[e] = reduced(top.matrix[e], Number::times(row_u[i], minus_u), Number::times(pivots[i], minus_v),
                              e - i * (i + 1) / 2);
    }
    __syncthreads();
    return factor;
  }

  MC_DEVICE void sum(unsigned long long path, TorontonianSum* out) {
    constexpr int num_local = local_values(), num_pivots = Walk::pivot_values(block_modes),
                  first_loops = Walk::state_values(block_modes - 1, false);
    Value local[num_local], local_pivots[num_pivots];
    int next = Walk::state_values(block_modes - 1, true);
    const int modes_of_threads = frame.num_modes - frame.task_bits;
    const double factor = Number::high(numbers[0]);
    const int squarings = static_cast<int>(Number::high(numbers[1]));
    Walk walk(factor, squarings, modes_of_threads, local_pivots, [&](int modes) -> typename Walk::State {
      if (modes == modes_of_threads) return top;
      if (modes >= thread_modes) return {local, frame.has_loops ? local + first_loops : nullptr};
      if (modes == own_modes) return Walk::state_at(own, modes, frame.has_loops);
      const int first = next;
      next += Walk::state_values(modes, true);
      return Walk::state_at(local + first, modes, frame.has_loops);
    });
    Value above = walk.one();
    bool negative = false;
    int left = frame.num_modes;
    for (int bit = 0; bit < frame.task_bits; ++bit, --left) {
      if ((path >> bit & 1) != 0) {
        above = Number::times(above, take_mode(walk, left));
      } else {
        negative = !negative;
      }
    }
    typename Walk::State from = top;
    const unsigned threads = 1u << frame.thread_bits;
    for (unsigned bit = 1; bit < threads; bit *= 2, --left) {
      if ((threadIdx.x & bit) != 0) {
        above = Number::times(above, walk.template pass<false, 0>(from, left, false));
        from = walk.state(left - 1);
      } else {
        negative = !negative;
      }
    }
    const auto total = visit_up_to<thread_modes>(walk, from, left);
    const Value value = Number::times(above, total.value);
    // By halves, in the place of the matrix.
    __syncthreads();
    Value* const values = pivots;
    double* const magnitudes = reinterpret_cast<double*>(pivots + torontonian_threads);
    values[threadIdx.x] = negative ? Number::scaled(value, -1) : value;
    magnitudes[threadIdx.x] = Number::high(above) * total.magnitude;
    const unsigned rank = threadIdx.x & (threads - 1);
    for (unsigned half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (rank < half) {
        values[threadIdx.x] = walk_text::multiply_add(walk.one(), values[threadIdx.x + half], values[threadIdx.x]);
        magnitudes[threadIdx.x] += magnitudes[threadIdx.x + half];
      }
    }
    const Value& sum_of_all = values[threadIdx.x];
    if (rank == 0) *out = {Number::high(sum_of_all), low_of(sum_of_all), magnitudes[threadIdx.x]};
    __syncthreads();
  }
};

// Sums the tasks first ..., a block every gridDim.x-th of them. Matrices are one behind the other, as many as blocks
// take.
template <class Number>
MC_DEVICE void sum_torontonian(const TorontonianFrame& frame, const double* given, unsigned long long first,
                               unsigned num_tasks, TorontonianSum* out) {
  using Value = typename Number::Value;
  const int all = 2 * frame.num_modes, entries = all * (all + 1) / 2;
  const int values = static_cast<int>(values_of_matrix(frame.num_modes, frame.has_loops != 0));
  const int matrices = static_cast<int>(matrices_of_block(frame));
  const int mine = static_cast<int>(threadIdx.x >> frame.thread_bits);
  Value* const memory = static_cast<Value*>(dynamic_shared());
  Value *const matrix = memory + mine * values, *const own = memory + matrices * values;
  const int of_thread = own_values_of(Number::parts, frame.has_loops);
  TorontonianBlock<Number> block{frame,
                                 {matrix, frame.has_loops ? matrix + entries : nullptr},
                                 matrix + values - 2,
                                 own + of_thread * static_cast<int>(torontonian_threads),
                                 own + of_thread * static_cast<int>(threadIdx.x)};
  for (unsigned task = blockIdx.x; task < num_tasks; task += gridDim.x) {
    const unsigned long long number = first + task, first_matrix = (number >> frame.task_bits) * matrices;
    for (int i = static_cast<int>(threadIdx.x); i < matrices * values; i += torontonian_threads)
      memory[i] = Number::constant(given + (first_matrix * values + i) * Number::parts);
    __syncthreads();
    // Tasks of a piece differ in the bits behind its number's.
    const int extra = frame.task_bits - frame.piece_bits;
    const unsigned long long path = number & ((1ull << frame.task_bits) - 1), piece = path >> extra;
    block.sum(piece | (path - (piece << extra)) << frame.piece_bits, out + task * matrices + mine);
  }
}

}  // namespace
