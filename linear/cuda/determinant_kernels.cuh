// Eliminates and condenses dense matrices on a GPU, in kernels over residues, doubles and complex numbers. Includes
// nothing: its includer gives linear/cuda/determinant_frame.hpp, the types u32 and u64, and on a host that plays the
// GPU (tests) what CUDA gives.
//
// As on the CPU (linear/cpu/dense_elimination.hpp) a panel is `panel_rows`
// rows, pivots are looked for along a row, and columns are exchanged. A panel
// is factored by one kernel whose blocks keep a slice of its columns each in
// shared memory, and so must all run at once; they meet once a row. There each
// block offers the best entry of its slice of that row, with the entries below
// it; all choose the same of them, and subtract. Columns stay where they are
// until the panel is done: then one thread writes down which go where, and a
// kernel moves them in all rows from the panel on; in all of them where L and U
// are kept for the bound.
//
// Several matrices (of one size, modulo several primes) go through every kernel
// side by side: matrix i by the blocks [i * blocks_of_one, (i + 1) *
// blocks_of_one).

constexpr int determinant_depth = 16;  // columns of the left factor that a block of a product has at a time
constexpr int determinant_rows = 4;    // that a block condenses together

// ---- Numbers. `Context` is what operations need beside their operands.

// A residue in Montgomery's form. Sums of products are corrected once in `window` (see
// linear/cpu/dense_isa.cpp).
template <int window_>
struct DeterminantResidue {
  typedef u32 Value;
  typedef u64 Sum;
  typedef DeterminantModulus Context;
  static constexpr int window = window_;
  static __device__ Value reduce(const Context& c, u64 sum) {
    const u32 quotient = (u32)sum * c.negated_inverse;
    const u64 rest = (sum + (u64)quotient * c.prime) >> 32;
    return (u32)(rest < c.prime ? rest : rest - c.prime);
  }
  static __device__ double size(Value value) { return value != 0 ? 1 : 0; }
  static __device__ Value zero() { return 0; }
  static __device__ Value one(const Context& c) { return c.one; }
  static __device__ Value multiply(const Context& c, Value a, Value b) { return reduce(c, (u64)a * b); }
  static __device__ Value subtract(const Context& c, Value a, Value b) { return a >= b ? a - b : a + c.prime - b; }
  // Makes a step of condensation, of a row that was prepared by the pivot: pivot y - factor x, below 2 p^2 <= p 2^32.
  static __device__ Value prepared(const Context&, Value x, Value) { return x; }
  static __device__ Value condense(const Context& c, Value pivot, Value y, Value factor, Value x) {
    return reduce(c, (u64)pivot * y + (u64)(c.prime - factor) * x);
  }
  static __device__ Value reciprocal(const Context& c, Value value) {
    Value result = c.one;
    for (u32 power = c.prime - 2; power != 0; power >>= 1) {
      if (power & 1) result = multiply(c, result, value);
      value = multiply(c, value, value);
    }
    return result;
  }
  static __device__ Sum none() { return 0; }
  static __device__ void add(Sum& sum, Value a, Value b) { sum += (u64)a * b; }
  static __device__ void correct(const Context& c, Sum& sum) {
    const u64 limit = (u64)window * c.prime * c.prime;
    sum = sum < limit ? sum : sum - limit;
  }
  static __device__ Value value(const Context& c, Sum sum) {
    if (window == 8) {
      const u64 half = 4 * (u64)c.prime * c.prime;
      sum = sum < half ? sum : sum - half;
    }
    return reduce(c, sum);
  }
};

struct DeterminantReal {
  typedef double Value;
  typedef double Sum;
  typedef DeterminantModulus Context;
  static constexpr int window = determinant_depth;
  static __device__ double size(Value value) { return value < 0 ? -value : value; }
  static __device__ Value zero() { return 0; }
  static __device__ Value one(const Context&) { return 1; }
  static __device__ Value multiply(const Context&, Value a, Value b) { return a * b; }
  static __device__ Value subtract(const Context&, Value a, Value b) { return a - b; }
  static __device__ Value prepared(const Context&, Value x, Value pivot) { return x / pivot; }
  static __device__ Value condense(const Context&, Value, Value y, Value factor, Value x) { return fma(-factor, x, y); }
  static __device__ double square(Value value) { return value * value; }
  static __device__ void add_product(Value a, Value b, double& re, double&) { re = fma(a, b, re); }
  static __device__ Value reciprocal(const Context&, Value value) { return 1 / value; }
  static __device__ Sum none() { return 0; }
  static __device__ void add(Sum& sum, Value a, Value b) { sum = fma(a, b, sum); }
  static __device__ void correct(const Context&, Sum&) {}
  static __device__ Value value(const Context&, Sum sum) { return sum; }
};

struct DeterminantPair {
  double re, im;
};
struct DeterminantComplex {
  typedef DeterminantPair Value;
  typedef DeterminantPair Sum;
  typedef DeterminantModulus Context;
  static constexpr int window = determinant_depth;
  static __device__ double size(Value value) {
    return DeterminantReal::size(value.re) + DeterminantReal::size(value.im);
  }
  static __device__ Value zero() { return {0, 0}; }
  static __device__ Value one(const Context&) { return {1, 0}; }
  static __device__ Value multiply(const Context&, Value a, Value b) {
    return {fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
  }
  static __device__ Value subtract(const Context&, Value a, Value b) { return {a.re - b.re, a.im - b.im}; }
  static __device__ Value prepared(const Context& c, Value x, Value pivot) {
    return multiply(c, x, reciprocal(c, pivot));
  }
  static __device__ Value condense(const Context& c, Value, Value y, Value factor, Value x) {
    return subtract(c, y, multiply(c, factor, x));
  }
  static __device__ double square(Value value) { return value.re * value.re + value.im * value.im; }
  static __device__ void add_product(Value a, Value b, double& re, double& im) {
    const Value product = multiply({}, a, b);
    re += product.re;
    im += product.im;
  }
  static __device__ Value reciprocal(const Context&, Value value) {
    const double norm = value.re * value.re + value.im * value.im;
    return {value.re / norm, -value.im / norm};
  }
  static __device__ Sum none() { return {0, 0}; }
  static __device__ void add(Sum& sum, Value a, Value b) {
    sum.re = fma(-a.im, b.im, fma(a.re, b.re, sum.re));
    sum.im = fma(a.im, b.re, fma(a.re, b.im, sum.im));
  }
  static __device__ void correct(const Context&, Sum&) {}
  static __device__ Value value(const Context&, Sum sum) { return sum; }
};

// ---- Kernels.

// A block offers this for the pivot of a row. Two of each, since a block may be
// a row ahead of another.
template <class Number>
struct DeterminantOffer {
  double size;
  int column;  // of the matrix
  int unused;
  typename Number::Value below[determinant_panel_rows];  // of that column, from the pivot's row on
};

// Lets all blocks of one matrix wait for each other; `count` is 0 at first, and `round` counts their meetings from 1.
static __device__ void meet(unsigned* count, unsigned blocks, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (load_fresh(count) < blocks * round) relax();
    __threadfence();
  }
  __syncthreads();
}

// Takes a list with an entry a thread, of which the first `entries` count (all,
// where there are more than threads): the largest size to the front, the least
// of their columns where several are.
static __device__ void choose_best(double* size, int* column, int entries) {
  const int thread = threadIdx.x;
  int half = 1;
  while (half < entries && half < static_cast<int>(blockDim.x)) half *= 2;
  __syncthreads();
  for (half /= 2; half > 0; half /= 2) {
    if (thread < half && (size[thread + half] > size[thread] ||
                          (size[thread + half] == size[thread] && column[thread + half] < column[thread]))) {
      size[thread] = size[thread + half];
      column[thread] = column[thread + half];
    }
    __syncthreads();
  }
}

// Moves that bring the pivots' columns to the panel's first ones, as swaps
// would; and how many swaps.
static __device__ void plan_moves(DeterminantState* state, const int* pivot_column, int first, int rows) {
  constexpr int most = determinant_panel_rows;
  int at[most];       // of the panel's own columns, which is at each of their places
  int place[most];    // and where each of them is
  int outside[most];  // the entry of the moves that holds it, where it is behind
                      // them
  int moves = rows;
  for (int i = 0; i < rows; ++i) at[i] = place[i] = i;
  for (int i = 0; i < rows; ++i) {
    const int wanted = pivot_column[i] - first;
    const int now = wanted < rows ? place[wanted] : wanted, other = at[i];
    state->to[i] = first + i;
    state->from[i] = first + wanted;
    if (now == i) continue;
    ++state->exchanges;
    place[other] = now;
    if (now < rows) {
      at[now] = other;
    } else {
      if (wanted < rows) {
        outside[other] = outside[wanted];
      } else {
        outside[other] = moves++;
        state->to[outside[other]] = first + now;
      }
      state->from[outside[other]] = first + other;
    }
  }
  state->moves = moves;
}

// Finds the largest of the entries of a row of the tile, those of pivots left out: its size and its column, of the
// matrix, come into best_size[0] and best_column[0]; `none` is the column where all are 0.
template <class Number>
__device__ void choose_in_row(const typename Number::Value* row, const unsigned char* is_pivot, int columns, int begin,
                              int none, double* best_size, int* best_column) {
  double size = 0;
  int column = none;
  for (int j = threadIdx.x; j < columns; j += static_cast<int>(blockDim.x)) {
    const double here = Number::size(row[j]);
    if (here > size && !is_pivot[j]) {
      size = here;
      column = begin + j;
    }
  }
  best_size[threadIdx.x] = size;
  best_column[threadIdx.x] = column;
  choose_best(best_size, best_column, columns);
}

// Divides row r of the tile by its pivot, factors[0], and subtracts factors[i - r] times it from each row i below.
template <class Number>
__device__ void subtract_row(typename Number::Value* tile, const unsigned char* is_pivot,
                             const typename Number::Value* factors, const DeterminantModulus& modulus, int r, int rows,
                             int columns, int slice) {
  typedef typename Number::Value Value;
  const int groups = static_cast<int>(blockDim.x) / 32, lane = threadIdx.x % 32, group = threadIdx.x / 32;
  const Value inverse = Number::reciprocal(modulus, factors[0]);
  for (int from = 0; from < columns; from += 32) {
    const int j = from + lane;
    const bool active = j < columns && !is_pivot[j];
    const Value upper = active ? Number::multiply(modulus, tile[r * slice + j], inverse) : Number::zero();
    __syncthreads();
    if (active) {
      if (group == 0) tile[r * slice + j] = upper;
      for (int i = r + 1 + group; i < rows; i += groups)
        tile[i * slice + j] =
            Number::subtract(modulus, tile[i * slice + j], Number::multiply(modulus, factors[i - r], upper));
    }
  }
  __syncthreads();
}

// Rows [first, first + rows) of every matrix: their pivots into pivots[first
// ...], L and U in place but for the order of columns, and the moves for that.
// Dynamic shared memory: rows * slice values and slice bytes.
template <class Number>
__device__ void factor_panel(typename Number::Value* matrices, int n, int first, int rows, int slice, int blocks_of_one,
                             const DeterminantModulus* moduli, DeterminantState* states,
                             typename Number::Value* all_pivots, DeterminantOffer<Number>* all_offers,
                             unsigned* counts) {
  typedef typename Number::Value Value;
  const int threads = static_cast<int>(blockDim.x);  // a power of 2, at least a panel's rows
  const int which = blockIdx.x / blocks_of_one, block = blockIdx.x % blocks_of_one, thread = threadIdx.x;
  const DeterminantModulus modulus = moduli[which];
  DeterminantState* const state = states + which;
  Value* const matrix = matrices + (u64)which * n * n;
  Value* const pivots = all_pivots + (u64)which * n;
  DeterminantOffer<Number>* const offers = all_offers + (u64)which * 2 * blocks_of_one;
  unsigned* const count = counts + which;
  Value* const tile = (Value*)dynamic_shared();
  unsigned char* const is_pivot = (unsigned char*)(tile + rows * slice);
  SHARED(double, best_size, determinant_threads);
  SHARED(int, best_column, determinant_threads);
  SHARED(Value, factors, determinant_panel_rows);
  SHARED(int, pivot_column, determinant_panel_rows);
  const int begin = first + block * slice;
  const int columns = n - begin < slice ? (n - begin > 0 ? n - begin : 0) : slice;

  if (state->singular) return;  // set by an earlier panel
  for (int i = thread; i < rows * columns; i += threads)
    tile[i / columns * slice + i % columns] = matrix[(u64)(first + i / columns) * n + begin + i % columns];
  for (int j = thread; j < columns; j += threads) is_pivot[j] = 0;
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    choose_in_row<Number>(tile + r * slice, is_pivot, columns, begin, n, best_size, best_column);
    DeterminantOffer<Number>* const offer = offers + (r % 2) * blocks_of_one + block;
    const int mine = best_column[0];
    if (thread == 0) {
      offer->size = best_size[0];
      offer->column = mine;
    }
    if (mine < n && thread < rows - r) offer->below[thread] = tile[(r + thread) * slice + mine - begin];
    meet(count, blocks_of_one, r + 1);

    // The same choice in every block.
    double size = 0;
    int winner = blocks_of_one;
    for (int i = thread; i < blocks_of_one; i += threads) {
      const double here = load_fresh(&offers[(r % 2) * blocks_of_one + i].size);
      if (here > size) {
        size = here;
        winner = i;
      }
    }
    best_size[thread] = size;
    best_column[thread] = winner;
    choose_best(best_size, best_column, blocks_of_one);
    if (!(best_size[0] > 1e-300 && best_size[0] < 1e300)) {
      if (block == 0 && thread == 0) state->singular = 1;
      return;
    }
    const DeterminantOffer<Number>* const chosen = offers + (r % 2) * blocks_of_one + best_column[0];
    if (thread < rows - r) factors[thread] = load_fresh(&chosen->below[thread]);
    if (thread == 0) {
      const int column_of_pivot = load_fresh(&chosen->column);
      pivot_column[r] = column_of_pivot;
      if (column_of_pivot >= begin && column_of_pivot < begin + columns) is_pivot[column_of_pivot - begin] = 1;
    }
    __syncthreads();
    if (block == 0 && thread == 0) pivots[first + r] = factors[0];
    subtract_row<Number>(tile, is_pivot, factors, modulus, r, rows, columns, slice);
  }
  for (int i = thread; i < rows * columns; i += threads)
    matrix[(u64)(first + i / columns) * n + begin + i % columns] = tile[i / columns * slice + i % columns];
  if (block == 0 && thread == 0) plan_moves(state, pivot_column, first, rows);
}

// Moves columns in rows [begin, rows) of matrices of so many rows.
template <class Number>
__device__ void move_columns(typename Number::Value* matrices, int n, int rows, int begin, int blocks_of_one,
                             const DeterminantState* states) {
  const int which = blockIdx.x / blocks_of_one, block = blockIdx.x % blocks_of_one, thread = threadIdx.x;
  const DeterminantState* const state = states + which;
  if (state->singular) return;
  const bool moves = thread < state->moves;
  const int from = moves ? state->from[thread] : 0, to = moves ? state->to[thread] : 0;
  for (int row = begin + block; row < rows; row += blocks_of_one) {
    typename Number::Value* const entries = matrices + ((u64)which * rows + row) * n;
    const typename Number::Value value = entries[from];
    __syncthreads();
    if (moves) entries[to] = value;
    __syncthreads();
  }
}

// Inverses of `rows` x `rows` triangles, each matrix_step and inverse_step
// entries behind the one before: of unit upper ones, or of lower ones with
// their diagonal. One block a triangle, one column a thread.
template <class Number, bool upper>
__device__ void invert_triangles(const typename Number::Value* matrices, u64 stride, u64 matrix_step, int rows,
                                 const DeterminantModulus* moduli, typename Number::Value* inverses, u64 inverse_stride,
                                 u64 inverse_step) {
  typedef typename Number::Value Value;
  const DeterminantModulus modulus = moduli[blockIdx.x];
  const Value* const matrix = matrices + blockIdx.x * matrix_step;
  Value* const inverse = inverses + blockIdx.x * inverse_step;
  Value* const triangle = (Value*)dynamic_shared();  // rows * rows, then the inverse
  Value* const result = triangle + rows * rows;
  for (int i = threadIdx.x; i < rows * rows; i += blockDim.x) triangle[i] = matrix[(i / rows) * stride + i % rows];
  __syncthreads();
  const int column = threadIdx.x;
  if (column < rows) {
    for (int step = 0; step < rows; ++step) {
      const int r = upper ? rows - 1 - step : step;
      Value value = r == column ? Number::one(modulus) : Number::zero();
      const int begin = upper ? r + 1 : column, end = upper ? column + 1 : r;
      for (int i = begin; i < end; ++i)
        value = Number::subtract(modulus, value,
                                 Number::multiply(modulus, triangle[r * rows + i], result[i * rows + column]));
      if (!upper && r >= column)
        value = Number::multiply(modulus, value, Number::reciprocal(modulus, triangle[r * rows + r]));
      result[r * rows + column] = value;
      inverse[r * inverse_stride + column] = value;
    }
  }
}

// Computes c = c - a b, or a b, of m x k and k x n entries; a may be c where n is at most a tile.
template <class Number>
__device__ void multiply_tiles(bool subtract, const typename Number::Value* a, u64 a_stride, u64 a_matrix,
                               const typename Number::Value* b, u64 b_stride, u64 b_matrix, typename Number::Value* c,
                               u64 c_stride, u64 c_matrix, int m, int n, int k, int blocks_of_one,
                               const DeterminantModulus* moduli) {
  typedef typename Number::Value Value;
  constexpr int tile = determinant_tile, depth = determinant_depth, threads = determinant_threads, own = 4;
  const int which = blockIdx.x / blocks_of_one, block = blockIdx.x % blocks_of_one, thread = threadIdx.x;
  const int across = (n + tile - 1) / tile, row0 = block / across * tile, column0 = block % across * tile;
  const DeterminantModulus modulus = moduli[which];
  a += which * a_matrix + row0 * a_stride;
  b += which * b_matrix + column0;
  c += which * c_matrix + row0 * c_stride + column0;
  SHARED(Value, left, depth * (tile + 1));
  SHARED(Value, right, depth * tile);
  typename Number::Sum sum[own][own];
  for (int i = 0; i < own; ++i) {
    for (int j = 0; j < own; ++j) sum[i][j] = Number::none();
  }
  const int y = thread / 16, x = thread % 16;
  for (int first = 0; first < k; first += depth) {
    for (int i = thread; i < tile * depth; i += threads) {
      const int row = i / depth, at = i % depth;
      left[at * (tile + 1) + row] = row0 + row < m && first + at < k ? a[row * a_stride + first + at] : Number::zero();
      const int down = i / tile, column = i % tile;
      right[down * tile + column] =
          first + down < k && column0 + column < n ? b[(first + down) * b_stride + column] : Number::zero();
    }
    __syncthreads();
    UNROLL
    for (int at = 0; at < depth; ++at) {
      Value l[own], r[own];
      UNROLL
      for (int i = 0; i < own; ++i) l[i] = left[at * (tile + 1) + y + 16 * i];
      UNROLL
      for (int j = 0; j < own; ++j) r[j] = right[at * tile + x + 16 * j];
      UNROLL
      for (int i = 0; i < own; ++i) {
        UNROLL
        for (int j = 0; j < own; ++j) {
          Number::add(sum[i][j], l[i], r[j]);
          if (at % Number::window == Number::window - 1) Number::correct(modulus, sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < own; ++i) {
    for (int j = 0; j < own; ++j) {
      const int row = y + 16 * i, column = x + 16 * j;
      if (row0 + row >= m || column0 + column >= n) continue;
      Value* const place = c + row * c_stride + column;
      const Value value = Number::value(modulus, sum[i][j]);
      *place = subtract ? Number::subtract(modulus, *place, value) : value;
    }
  }
}

// Entries of `words` words of 32 bits each, the lowest first, and a sign, to
// residues in Montgomery's form.
static __device__ void reduce_entries(const u32* entries, const unsigned char* negative, int words, u64 size,
                                      int blocks_of_one, const DeterminantModulus* moduli, u32* matrices) {
  typedef DeterminantResidue<2> Number;
  const int which = blockIdx.x / blocks_of_one;
  const DeterminantModulus modulus = moduli[which];
  const u64 stride = (u64)blocks_of_one * blockDim.x;
  for (u64 i = (u64)(blockIdx.x % blocks_of_one) * blockDim.x + threadIdx.x; i < size; i += stride) {
    u32 value = 0;
    for (int word = words - 1; word >= 0; --word) {
      // value 2^32 + word, by the forms of both.
      const u32 high = Number::reduce(modulus, (u64)value * modulus.to_montgomery);
      const u32 low = entries[(u64)word * size + i] % modulus.prime;
      const u64 sum = (u64)high + low;
      value = (u32)(sum < modulus.prime ? sum : sum - modulus.prime);
    }
    value = Number::reduce(modulus, (u64)value * modulus.to_montgomery);
    matrices[(u64)which * size + i] = negative[i] && value != 0 ? modulus.prime - value : value;
  }
}

// ---- For the bound (linear/cpu/dense_floating.cpp).

// Copies the lower triangle of `factors` to `lower`; nothing but it is left in both.
template <class Number>
__device__ void take_lower(typename Number::Value* factors, typename Number::Value* lower, int n, int blocks) {
  for (int row = blockIdx.x; row < n; row += blocks) {
    const u64 begin = (u64)row * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      if (i > row) factors[begin + i] = Number::zero();
      lower[begin + i] = factors[begin + i];
    }
  }
}

// Measures row i of the bound by block i, of A, L, X, Y, -D and -X L; a power of 2 threads, of which a column's entries
// are apart.
template <class Number>
__device__ void measure(int n, const typename Number::Value* a, const typename Number::Value* l,
                        const typename Number::Value* x, const typename Number::Value* y,
                        const typename Number::Value* d, const typename Number::Value* e,
                        matchcount::dense::BoundRow* rows) {
  typedef typename Number::Value Value;
  constexpr int sums = 9;
  SHARED(double, partial, sums* determinant_threads);
  const int row = blockIdx.x, thread = threadIdx.x;
  double sum[sums];
  for (int s = 0; s < sums; ++s) sum[s] = 0;
  for (int i = thread; i < n; i += blockDim.x) {
    const u64 across = (u64)row * n + i, down = (u64)i * n + row;
    sum[0] += Number::size(a[across]);
    sum[1] += Number::size(a[down]);
    sum[2] += Number::square(x[across]);
    sum[3] += Number::square(d[across]);
    const Value rest = e[across];
    sum[4] += Number::square(
        i == row ? Number::subtract({}, Number::one({}), Number::subtract({}, Number::zero(), rest)) : rest);
    sum[5] += Number::square(l[across]);
    sum[6] += Number::square(y[down]);
    if (i <= row) Number::add_product(x[across], d[down], sum[7], sum[8]);
  }
  for (int s = 0; s < sums; ++s) partial[s * blockDim.x + thread] = sum[s];
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int s = 0; s < sums && thread < half; ++s)
      partial[s * blockDim.x + thread] += partial[s * blockDim.x + thread + half];
  }
  if (thread == 0) {
    const int step = blockDim.x;
    rows[row] = {partial[0],        partial[step],     partial[2 * step], partial[3 * step], partial[4 * step],
                 partial[5 * step], partial[6 * step], partial[7 * step], partial[8 * step]};
  }
}

// ---- Condensation, a row a step (linear/cpu/dense_elimination.hpp).

// Finds the pivot of row `first`, exchanges its column for the first one in
// this row, and prepares what is behind; one block a matrix.
template <class Number>
__device__ void take_pivot(typename Number::Value* matrices, int n, int first, const DeterminantModulus* moduli,
                           DeterminantState* states, typename Number::Value* all_pivots) {
  typedef typename Number::Value Value;
  const int which = blockIdx.x, thread = threadIdx.x;
  const DeterminantModulus modulus = moduli[which];
  DeterminantState* const state = states + which;
  if (state->singular) return;
  Value* const row = matrices + ((u64)which * n + first) * n;
  SHARED(double, best_size, determinant_threads);
  SHARED(int, best_column, determinant_threads);
  double size = 0;
  int column = n;
  for (int j = first + thread; j < n; j += blockDim.x) {
    const double here = Number::size(row[j]);
    if (here > size) {
      size = here;
      column = j;
    }
  }
  best_size[thread] = size;
  best_column[thread] = column;
  choose_best(best_size, best_column, n - first);
  if (!(best_size[0] > 1e-300 && best_size[0] < 1e300)) {
    if (thread == 0) state->singular = 1;
    return;
  }
  column = best_column[0];
  const Value pivot = row[column];
  __syncthreads();
  if (thread == 0) {
    row[column] = row[first];
    state->from[0] = column;
    if (column != first) ++state->exchanges;
    all_pivots[(u64)which * n + first] = pivot;
  }
  __syncthreads();
  for (int j = first + 1 + thread; j < n; j += blockDim.x) row[j] = Number::prepared(modulus, row[j], pivot);
}

// Condenses the rows behind row `first`, several at a time.
template <class Number>
__device__ void condense_rows(typename Number::Value* matrices, int n, int first, int blocks_of_one,
                              const DeterminantModulus* moduli, const DeterminantState* states,
                              const typename Number::Value* all_pivots) {
  typedef typename Number::Value Value;
  const int which = blockIdx.x / blocks_of_one, block = blockIdx.x % blocks_of_one, thread = threadIdx.x;
  const DeterminantModulus modulus = moduli[which];
  const DeterminantState* const state = states + which;
  if (state->singular) return;
  const int column = state->from[0];
  const Value pivot = all_pivots[(u64)which * n + first];
  Value* const matrix = matrices + (u64)which * n * n;
  const Value* const upper = matrix + (u64)first * n;
  SHARED(Value, factor, determinant_rows);
  for (int begin = first + 1 + block * determinant_rows; begin < n; begin += blocks_of_one * determinant_rows) {
    const int rows = n - begin < determinant_rows ? n - begin : determinant_rows;
    __syncthreads();  // the factors before are used up
    if (thread < rows) {
      Value* const row = matrix + (u64)(begin + thread) * n;
      factor[thread] = row[column];
      row[column] = row[first];
    }
    __syncthreads();
    for (int j = first + 1 + thread; j < n; j += blockDim.x) {
      const Value x = upper[j];
      Value* const entry = matrix + (u64)begin * n + j;
      UNROLL
      for (int r = 0; r < determinant_rows; ++r) {
        if (r < rows) entry[(u64)r * n] = Number::condense(modulus, pivot, entry[(u64)r * n], factor[r], x);
      }
    }
  }
}
