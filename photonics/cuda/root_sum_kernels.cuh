// Sums over roots of unity, a block of threads for a matrix or a part of one; what they compute and how right it is
// says root_sum_plan.cpp. root_sum_frame.hpp stands in front.
//
// A number of the matrix is a pair: a multiple of 2^-grid_bits, so that sums of them are exact in doubles, and the
// rest, on a finer grid whose sums are exact as well. So a thread walks on from point to point for ever without a
// rounding; the one rounding of a column's sum is that of adding its two halves.

using matchcount::gpu::Root;
using matchcount::gpu::RootFrame;
using matchcount::gpu::RootStep;
using matchcount::gpu::RootSum;

struct alignas(16) RootPair {
  double high, low;
};
struct RootComplex {
  double re, im;
};
template <int COMPONENTS>
struct RootNumber {
  typedef double type;
};
template <>
struct RootNumber<2> {
  typedef RootComplex type;
};

MC_DEVICE double root_one(double) { return 1; }
MC_DEVICE RootComplex root_one(RootComplex) { return {1, 0}; }
MC_DEVICE double root_product(double a, double b) { return a * b; }
MC_DEVICE RootComplex root_product(RootComplex a, RootComplex b) {
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
MC_DEVICE void root_add(double& sum, double a, double b) { sum = fma(a, b, sum); }
MC_DEVICE void root_add(RootComplex& sum, RootComplex a, RootComplex b) {
  sum.re = fma(a.re, b.re, fma(-a.im, b.im, sum.re));
  sum.im = fma(a.re, b.im, fma(a.im, b.re, sum.im));
}
MC_DEVICE double root_number(const double* components, double) { return components[0]; }
MC_DEVICE RootComplex root_number(const double* components, RootComplex) { return {components[0], components[1]}; }
MC_DEVICE double root_re(double a) { return a; }
MC_DEVICE double root_re(RootComplex a) { return a.re; }
MC_DEVICE double root_im(double) { return 0; }
MC_DEVICE double root_im(RootComplex a) { return a.im; }
MC_DEVICE double times_real(double a, double b) { return a * b; }
MC_DEVICE RootComplex times_real(RootComplex a, double b) { return {a.re * b, a.im * b}; }
// Returns the magnitude and a margin, of a complex number the square of it.
MC_DEVICE double root_size(double a, double margin) { return fabs(a) + margin; }
MC_DEVICE double root_size(RootComplex a, double margin) { return fma(a.re, a.re, fma(a.im, a.im, margin)); }
MC_DEVICE double root_partner(double a, int distance) { return partner(a, distance); }
MC_DEVICE RootComplex root_partner(RootComplex a, int distance) {
  return {partner(a.re, distance), partner(a.im, distance)};
}

// Returns high + low, low small, as a pair; 2^bits and 2^-bits are the caller's to keep.
MC_DEVICE RootPair root_pair(double high, double low, double grid, double inverse) {
  const double first = rint(high * grid) * inverse;
  return {first, rint((high - first + low) * grid * grid * 2) * inverse * inverse * 0.5};
}
// Returns e with 2^(e - 1) <= |x| < 2^e; far below all others for 0.
MC_DEVICE int root_exponent(double x) {
  int exponent = 0;
  if (x == 0) return -(1 << 20);
  frexp(x, &exponent);
  return exponent;
}

// Writes 1 where a number, `parts` doubles each, has one that is not 0 and whose magnitude is not from `least` to
// `most`, or, of matrices of so many rows where that is not 0, is not its mirror image. A thread for each double.
MC_DEVICE void examine(const double* entries, u64 doubles, unsigned parts, unsigned rows, double least, double most,
                       double* verdict) {
  const u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= doubles) return;
  const double size = fabs(entries[i]);
  bool is_fine = size == 0 || (size >= least && size <= most);
  if (rows != 0) {
    const u64 of_matrix = static_cast<u64>(rows) * rows, at = i / parts % of_matrix;
    const u64 mirror = i / parts - at + at % rows * rows + at / rows;
    is_fine = is_fine && entries[i] == entries[mirror * parts + i % parts];
  }
  if (!is_fine) *verdict = 1;
}

struct RootScales {
  int row[32], column[32];
  int zero, exponent;
};

// Powers of 2 that bring all components below 1, of complex numbers below 1/2, and the largest of each row and column
// near it. All threads call it; `scales` is shared.
template <int COMPONENTS>
MC_DEVICE void scale_root_matrix(const RootFrame& frame, const double* matrix, RootScales& scales) {
  const int thread = static_cast<int>(threadIdx.x);
  const int width = frame.columns * COMPONENTS;
  if (thread == 0) scales.zero = 0;
  __syncthreads();
  if (thread < frame.rows) {
    double largest = 0;
    for (int i = 0; i < width; ++i) largest = fmax(largest, fabs(matrix[frame.order[thread] * width + i]));
    scales.row[thread] = root_exponent(largest);
    if (largest == 0) scales.zero = 1;
  }
  __syncthreads();
  if (thread < frame.columns) {
    int largest = -(1 << 20);
    for (int row = 0; row < frame.rows; ++row) {
      for (int c = 0; c < COMPONENTS; ++c) {
        const double entry = matrix[frame.order[row] * width + thread * COMPONENTS + c];
        if (entry != 0) largest = max(largest, root_exponent(entry) - scales.row[row]);
      }
    }
    scales.column[thread] = largest + COMPONENTS - 1;
    if (largest == -(1 << 20)) scales.zero = 1;
  }
  __syncthreads();
  if (thread == 0) {
    int exponent = 0;
    for (int row = 0; row < frame.rows; ++row) exponent += frame.row_times[row] * scales.row[row];
    for (int column = 0; column < frame.columns; ++column)
      exponent += frame.column_times[column] * scales.column[column];
    scales.exponent = exponent;
  }
}

// Multiplies the entry by a root.
MC_DEVICE void rooted_entry(const double* entry, int k, const Root*, double grid, double inverse, RootPair (&out)[1]) {
  out[0] = root_pair(k == 0 ? entry[0] : -entry[0], 0, grid, inverse);
}
MC_DEVICE RootPair root_pair_of_products(double a, double b, double b_low, double c, double d, double d_low,
                                         double grid, double inverse) {
  // a b + c d, the products' roundings and that of the sum included.
  const double first = a * b, second = c * d, sum = first + second, back = sum - first;
  const double lost = (first - (sum - back)) + (second - back);
  const double low = fma(a, b, -first) + fma(c, d, -second) + lost + fma(a, b_low, c * d_low);
  return root_pair(sum, low, grid, inverse);
}
MC_DEVICE void rooted_entry(const double* entry, int, const Root* root, double grid, double inverse,
                            RootPair (&out)[2]) {
  out[0] = root_pair_of_products(entry[0], root->re, root->re_low, -entry[1], root->im, root->im_low, grid, inverse);
  out[1] = root_pair_of_products(entry[0], root->im, root->im_low, entry[1], root->re, root->re_low, grid, inverse);
}

// RootRow places a row's columns in the table. A pair between what neighbouring threads read keeps them off each
// other's banks of shared memory.
template <int COMPONENTS, int COLUMNS, int SPLIT>
struct RootRow {
  static constexpr int part = COLUMNS * COMPONENTS + (SPLIT > 1 ? 1 : 0), width = SPLIT * part;
  MC_DEVICE static int at(int column) { return column / COLUMNS * part + column % COLUMNS * COMPONENTS; }
};

// Tables by row and root the addends to the columns; of low rows the first and then differences, root by root. `base`:
// the first of the low rows and of the last row together. All threads call it.
template <int COMPONENTS, int COLUMNS, int SPLIT>
MC_DEVICE void fill_root_table(const RootFrame& frame, const double* matrix, const Root* roots,
                               const RootScales& scales, RootPair* base, RootPair* table) {
  typedef RootRow<COMPONENTS, COLUMNS, SPLIT> Row;
  const double grid = ldexp(1.0, frame.grid_bits), inverse = ldexp(1.0, -frame.grid_bits);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  // Several threads share the roots of an entry if there are enough.
  constexpr int columns = COLUMNS * SPLIT;
  const int sharing = max(1, threads / (frame.rows * columns));
  for (int index = thread; index < frame.rows * sharing * columns; index += threads) {
    const int row = index / columns / sharing, column = index % columns;
    const bool last = row == frame.rows - 1;
    double entry[COMPONENTS];
    for (int c = 0; c < COMPONENTS; ++c) entry[c] = last && c == 0 ? 1 : 0;  // of columns that fill up
    if (column < frame.columns) {
      for (int c = 0; c < COMPONENTS; ++c)
        entry[c] = ldexp(matrix[(frame.order[row] * frame.columns + column) * COMPONENTS + c],
                         -scales.row[row] - scales.column[column]);
    }
    const int first = frame.first_table_row[row], values = last ? 1 : frame.row_times[row] + 1;
    MC_ROLLED
    for (int k = index / columns % sharing; k < values; k += sharing) {
      RootPair before[COMPONENTS] = {}, value[COMPONENTS];
      rooted_entry(entry, k, roots + first + k, grid, inverse, value);
      if (row < frame.low_rows && k > 0) rooted_entry(entry, k - 1, roots + first + k - 1, grid, inverse, before);
      for (int c = 0; c < COMPONENTS; ++c)
        table[(first + k) * Row::width + Row::at(column) + c] = {value[c].high - before[c].high,
                                                                 value[c].low - before[c].low};
    }
  }
  __syncthreads();
  for (int i = thread; i < COLUMNS * SPLIT * COMPONENTS; i += threads) {
    const int at = Row::at(i / COMPONENTS) + i % COMPONENTS;
    RootPair sum = table[frame.first_table_row[frame.rows - 1] * Row::width + at];
    for (int row = 0; row < frame.low_rows; ++row) {
      const RootPair& more = table[frame.first_table_row[row] * Row::width + at];
      sum = {sum.high + more.high, sum.low + more.low};
    }
    base[at] = sum;
  }
  __syncthreads();
}

// The sums of some columns at a point.
template <int COMPONENTS, int COLUMNS>
struct RootColumns {
  typedef typename RootNumber<COMPONENTS>::type Number;
  double high[COLUMNS * COMPONENTS], low[COLUMNS * COMPONENTS];

  MC_DEVICE void set(const RootPair* row) {
    MC_UNROLL
    for (int i = 0; i < COLUMNS * COMPONENTS; ++i) high[i] = row[i].high, low[i] = row[i].low;
  }
  MC_DEVICE void add(const RootPair* row, double sign) {
    MC_UNROLL
    for (int i = 0; i < COLUMNS * COMPONENTS; ++i) {
      const RootPair more = row[i];
      high[i] = fma(sign, more.high, high[i]);
      low[i] = fma(sign, more.low, low[i]);
    }
  }
  MC_DEVICE Number at(int column) const {
    double sum[COMPONENTS];
    MC_UNROLL
    for (int c = 0; c < COMPONENTS; ++c) sum[c] = high[column * COMPONENTS + c] + low[column * COMPONENTS + c];
    return root_number(sum, Number());
  }
};

// Multiplies every column once, of several points: sizes of four columns at a time, or the last two.
template <int COMPONENTS, int COLUMNS, int POINTS>
MC_DEVICE void multiply_columns(const RootColumns<COMPONENTS, COLUMNS> (&sums)[POINTS], const unsigned char*,
                                typename RootNumber<COMPONENTS>::type (&product)[POINTS], double (&size)[POINTS],
                                const char (&)[1]) {
  constexpr double margin = COMPONENTS == 1 ? matchcount::gpu::real_margin
                                            : matchcount::gpu::complex_margin / matchcount::gpu::complex_stretch *
                                                  matchcount::gpu::complex_margin;
  MC_UNROLL
  for (int j = 0; j < COLUMNS; j += 4) {
    MC_UNROLL
    for (int p = 0; p < POINTS; ++p) {
      auto some = root_product(sums[p].at(j), sums[p].at(j + 1));
      if (j + 2 < COLUMNS) some = root_product(some, root_product(sums[p].at(j + 2), sums[p].at(j + 3)));
      product[p] = j == 0 ? some : root_product(product[p], some);
      size[p] = j == 0 ? root_size(some, margin) : size[p] * root_size(some, margin);
    }
  }
}
// Multiplies every column as often as it is taken.
template <int COMPONENTS, int COLUMNS, int POINTS>
MC_DEVICE void multiply_columns(const RootColumns<COMPONENTS, COLUMNS> (&sums)[POINTS], const unsigned char* times,
                                typename RootNumber<COMPONENTS>::type (&product)[POINTS], double (&size)[POINTS],
                                const char (&)[2]) {
  constexpr double margin =
      matchcount::gpu::power_margin / matchcount::gpu::power_stretch * matchcount::gpu::power_margin;
  MC_UNROLL
  for (int p = 0; p < POINTS; ++p) product[p] = root_one(product[p]), size[p] = 1;
  MC_UNROLL
  for (int j = 0; j < COLUMNS; ++j) {
    typename RootNumber<COMPONENTS>::type power[POINTS];
    double size_of_power[POINTS];
    MC_UNROLL
    for (int p = 0; p < POINTS; ++p) power[p] = sums[p].at(j), size_of_power[p] = root_size(power[p], margin);
    for (unsigned left = times[j];;) {
      MC_UNROLL
      for (int p = 0; p < POINTS && (left & 1) != 0; ++p) {
        product[p] = root_product(product[p], power[p]);
        size[p] *= size_of_power[p];
      }
      left >>= 1;
      if (left == 0) break;
      MC_UNROLL
      for (int p = 0; p < POINTS; ++p) {
        power[p] = root_product(power[p], power[p]);
        size_of_power[p] *= size_of_power[p];
      }
    }
  }
}

// Joins what SPLIT neighbouring threads have of their columns' products: afterwards the thread with number t among them
// has, of all columns, point t % POINTS as its first; of one thread all points stay.
template <int SPLIT, int POINTS, class Number>
MC_DEVICE void join_columns(Number (&product)[POINTS], double (&size)[POINTS]) {
  if (SPLIT == 1) return;
  if (POINTS == 2) {
    const bool second = threadIdx.x % 2 != 0;
    const Number given = root_partner(second ? product[0] : product[1], 1);
    const double given_size = partner(second ? size[0] : size[1], 1);
    product[0] = root_product(second ? product[1] : product[0], given);
    size[0] = (second ? size[1] : size[0]) * given_size;
  }
  MC_UNROLL
  for (int distance = POINTS; distance < SPLIT; distance *= 2) {
    product[0] = root_product(product[0], root_partner(product[0], distance));
    size[0] *= partner(size[0], distance);
  }
}

// Adds the sums of a block's threads to out; all threads call it, `memory` has room for three doubles a thread.
MC_DEVICE void join_threads(double re, double im, double size, double exponent, double* memory, RootSum* out) {
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  __syncthreads();
  memory[thread] = re;
  memory[threads + thread] = im;
  memory[2 * threads + thread] = size;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread >= half) continue;
    for (unsigned c = 0; c < 3; ++c) memory[c * threads + thread] += memory[c * threads + thread + half];
  }
  if (thread == 0) *out = {memory[0], memory[threads], memory[2 * threads], exponent};
}

// Finds a thread's share of the columns' sums at the first point of a chunk, and the weight of the chunk's roots.
template <int COMPONENTS, int COLUMNS, int POWERS>
MC_DEVICE void place_high_rows(const RootFrame& frame, const Root* roots, const RootPair* base, const RootPair* table,
                               int width, unsigned chunk, RootColumns<COMPONENTS, COLUMNS>& sums,
                               typename RootNumber<COMPONENTS>::type& weight) {
  typedef typename RootNumber<COMPONENTS>::type Number;
  sums.set(base);
  weight = root_one(weight);
  MC_ROLLED
  for (int row = frame.low_rows; row < frame.rows - 1; ++row) {
    const unsigned values = POWERS ? frame.row_times[row] + 1u : 2u, digit = chunk % values;
    chunk /= values;
    const int at = frame.first_table_row[row] + static_cast<int>(digit);
    sums.add(table + at * width, 1);
    weight = POWERS ? root_product(weight, root_number(&roots[at].re, Number()))
                    : times_real(weight, 1 - 2 * static_cast<double>(digit));
  }
}

// Sums a part of the permanent of a matrix whose columns fill up COLUMNS * SPLIT: SPLIT neighbouring threads share the
// columns of POINTS points, one each of as many chunks, which take the same steps. So what is read of the table serves
// several points: a multiprocessor does eight operations in the time in which shared memory gives it a pair, and a
// column of a point takes 4.5. POWERS: 1 where columns are taken several times.
template <int COMPONENTS, int COLUMNS, int SPLIT, int POINTS, int POWERS>
MC_DEVICE void sum_permanent(const RootFrame& frame, const double* entries, const Root* roots, const RootStep* steps,
                             u64 first_task, u64 first_matrix, RootSum* out) {
  typedef typename RootNumber<COMPONENTS>::type Number;
  typedef RootRow<COMPONENTS, COLUMNS, SPLIT> Row;
  constexpr int own = POINTS > SPLIT ? POINTS / SPLIT : 1;  // points of a thread once columns are joined
  char* const memory = static_cast<char*>(dynamic_shared());
  RootScales& scales = *reinterpret_cast<RootScales*>(memory);
  RootPair* const base = reinterpret_cast<RootPair*>(memory + (sizeof(RootScales) + 15) / 16 * 16);
  RootPair* const table = base + Row::width;
  double* const matrix = reinterpret_cast<double*>(table + frame.table_rows * Row::width);
  const u64 task = first_task + blockIdx.x;
  const int doubles = frame.rows * frame.columns * COMPONENTS;
  entries += (task / frame.parts - first_matrix) * static_cast<u64>(doubles);
  for (int i = static_cast<int>(threadIdx.x); i < doubles; i += static_cast<int>(blockDim.x)) matrix[i] = entries[i];
  scale_root_matrix<COMPONENTS>(frame, matrix, scales);
  __syncthreads();
  if (scales.zero != 0) {
    if (threadIdx.x == 0) out[blockIdx.x] = {0, 0, 0, matchcount::gpu::zero_exponent};
    return;
  }
  fill_root_table<COMPONENTS, COLUMNS, SPLIT>(frame, matrix, roots, scales, base, table);

  const int number = static_cast<int>(threadIdx.x % SPLIT);
  const unsigned lanes = blockDim.x / SPLIT;
  const u64 first_turn = (task % frame.parts) * frame.chunks_of_thread * lanes + threadIdx.x / SPLIT;
  const char powers[POWERS + 1] = {};
  Number total = {};
  double total_size = 0;
  MC_ROLLED
  for (unsigned c = 0; c < frame.chunks_of_thread; ++c) {
    const u64 first_chunk = (first_turn + static_cast<u64>(c) * lanes) * POINTS;
    RootColumns<COMPONENTS, COLUMNS> sums[POINTS];
    Number weight[POINTS];
    MC_UNROLL
    for (int p = 0; p < POINTS; ++p) {
      const unsigned chunk = first_chunk + p < frame.chunks ? static_cast<unsigned>(first_chunk + p) : 0;
      place_high_rows<COMPONENTS, COLUMNS, POWERS>(frame, roots, base + number * Row::part, table + number * Row::part,
                                                   Row::width, chunk, sums[p], weight[p]);
    }
    Number sum[own] = {};
    double size[own] = {};
    RootStep next = steps[0];
    MC_ROLLED
    for (int step = 1; step <= frame.steps; ++step) {
      const RootStep now = next;
      if (step < frame.steps) next = steps[step];
      Number product[POINTS];
      double size_of_product[POINTS];
      multiply_columns(sums, frame.column_times + number * COLUMNS, product, size_of_product, powers);
      MC_UNROLL
      for (int p = 0; p < POINTS; ++p) sums[p].add(table + now.table_row * Row::width + number * Row::part, now.sign);
      join_columns<SPLIT>(product, size_of_product);
      MC_UNROLL
      for (int p = 0; p < own; ++p) {
        root_add(sum[p], root_number(&now.re, Number()), product[p]);
        size[p] += size_of_product[p];
      }
    }
    MC_UNROLL
    for (int p = 0; p < own; ++p) {
      const int point = SPLIT == 1 ? p : number;
      if (point >= POINTS || first_chunk + point >= frame.chunks) continue;
      root_add(total, SPLIT > 1 && number == 1 ? weight[POINTS - 1] : weight[p], sum[p]);
      // Sizes are squares: the sum of roots of so many is at most this.
      total_size += COMPONENTS == 2 ? sqrt(size[p] * frame.steps) : size[p];
    }
  }
  join_threads(root_re(total), root_im(total), total_size, scales.exponent, reinterpret_cast<double*>(base),
               out + blockIdx.x);
}
