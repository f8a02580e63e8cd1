// Sums, over the signs of a part, the products of all row sums of a complex matrix but one, with the sign of every
// column: what minors.cpp says, a block of threads for a part. minors_scaling.hpp stands in front.
//
// LANES threads share a vector, ROWS rows each: what a thread needs stays in registers. Each takes the products before
// and behind its rows within its own, begins with the product of the others' rows, which LANES - 1 exchanges of
// partners give, and walks in Gray-code order. Over 32 vectors the low five signs change. With T the sum of the terms
// so far the sum of d_k times the terms is that of 2 d_k T whenever d_k is about to change, and d_k T at the end; the
// other signs stay as they are. So a vector takes each row an addition to a row sum, three products and two sums. What
// a thread has of a bit is a sum over the walk; threads' sums are added up in the end, row by row, with the signs that
// tell groups of lanes apart.

using matchcount::MinorsScaling;
using matchcount::gpu::low_walk_bits;
using matchcount::gpu::minors_threads;
using matchcount::gpu::MinorsAnswers;
using matchcount::gpu::MinorsFrame;
using matchcount::gpu::most_walk_bits;

struct MinorNumber {
  double re, im;
};
MC_DEVICE MinorNumber minor_product(MinorNumber a, MinorNumber b) {
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
MC_DEVICE void add_minor(MinorNumber& sum, MinorNumber a, double factor) {
  sum.re = fma(factor, a.re, sum.re);
  sum.im = fma(factor, a.im, sum.im);
}

// Row r * LANES + lane is the r-th of a lane; rows that are only there to fill a lane are ones. `entries`:
// [column][row], in shared memory as `room`, numbers for each thread times walk_bits + 1.
template <int LANES, int ROWS>
MC_DEVICE void find_minors(const MinorsFrame& frame, const double* matrices, const double* floors, u64 task,
                           double* out) {
  constexpr int padded = LANES * ROWS, steps = 8;
  const int rows = frame.rows, bits = frame.walk_bits, thread = static_cast<int>(threadIdx.x), lane = thread % LANES;
  MinorNumber* const entries = static_cast<MinorNumber*>(dynamic_shared());
  MinorNumber* const room = entries + rows * padded;
  const u64 matrix = task / frame.parts;
  const unsigned part = static_cast<unsigned>(task % frame.parts) << frame.group_bits;
  const unsigned fixed = part | static_cast<unsigned>(thread / LANES);
  matrices += matrix * static_cast<u64>(2 * rows * rows);
  floors += matrix * static_cast<u64>(rows);
  for (int e = thread; e < rows * padded; e += static_cast<int>(minors_threads)) {
    const int row = e % padded, at = 2 * (row * rows + e / padded);
    if (row < rows)
      entries[e] = {matrices[at], matrices[at + 1]};
    else
      entries[e] = {0, 0};
  }
  __syncthreads();

  // Numbers by indices that the compiler does not know are in memory; loops over them stay loops.
  MinorNumber x[ROWS], terms[ROWS], of_low[low_walk_bits][ROWS];
  MinorNumber plain[ROWS], of_bit[most_walk_bits][ROWS];
  double floor[ROWS];
  MC_UNROLL
  for (int r = 0; r < ROWS; ++r) {
    const int row = r * LANES + lane;
    x[r] = {row < rows ? 0.0 : 1.0, 0};
    floor[r] = row < rows ? floors[row] * floors[row] : 0;
  }
  MC_ROLLED
  for (int r = 0; r < ROWS; ++r) {
    plain[r] = {0, 0};
    MC_ROLLED
    for (int b = 0; b < bits; ++b) of_bit[b][r] = {0, 0};
  }
  const auto add_column = [&](int column, double factor) {
    MC_UNROLL
    for (int r = 0; r < ROWS; ++r) add_minor(x[r], entries[column * padded + r * LANES + lane], factor);
  };
  int off = bits;
  MC_ROLLED
  for (int column = 0; column < rows; ++column) {
    const bool on = column == rows - 1 || (column >= bits && (fixed >> (column - bits) & 1) != 0);
    if (column >= bits && !on) ++off;
    add_column(column, on ? 1 : -1);
  }
  double sign = off % 2 == 0 ? 1 : -1, magnitude = 0, largest = 0, kept_size = 0, kept_least = 1;
  MinorNumber total = {0, 0};
  unsigned set = 0;  // walked bits that are on
  const auto factor_of = [&](int bit) { return (set >> bit & 1) != 0 ? 2.0 : -2.0; };
  const auto flip = [&](int bit) {
    add_column(bit, -factor_of(bit));
    set ^= 1u << bit;
    sign = -sign;
  };
  MC_ROLLED
  for (unsigned step = 0; step >> bits == 0;) {
    if (step % (1u << low_walk_bits) == 0) {
      MC_UNROLL
      for (int r = 0; r < ROWS; ++r) {
        terms[r] = {0, 0};
        MC_UNROLL
        for (int b = 0; b < low_walk_bits; ++b) of_low[b][r] = {0, 0};
      }
    }
    MC_UNROLL
    for (int s = 0; s < steps; ++s) {
      MinorNumber before[ROWS], product = {1, 0};
      double size = 1, least = 0x1p1000;
      MC_UNROLL
      for (int r = 0; r < ROWS; ++r) {
        before[r] = product;
        product = r == 0 ? x[0] : minor_product(product, x[r]);
        const double square = fmax(fma(x[r].re, x[r].re, x[r].im * x[r].im), floor[r]);
        size *= square;
        least = fmin(least, square);
      }
      MinorNumber behind = {sign, 0};
      MC_UNROLL
      for (int distance = 1; distance < LANES; distance *= 2) {
        const MinorNumber theirs = {partner(product.re, distance), partner(product.im, distance)};
        behind = minor_product(behind, theirs);
        product = minor_product(product, theirs);
        size *= partner(size, distance);
        least = fmin(least, partner(least, distance));
      }
      add_minor(total, product, sign);
      if (s % LANES == lane) {  // each lane takes the roots of one in LANES vectors
        kept_size = size;
        kept_least = least;
      }
      if (s % LANES == LANES - 1) {
        magnitude += sqrt(kept_size);
        largest += sqrt(kept_size / kept_least);
      }
      MC_UNROLL
      for (int r = ROWS - 1; r >= 0; --r) {
        add_minor(terms[r], r == 0 ? behind : minor_product(before[r], behind), 1);
        if (r > 0) behind = minor_product(behind, x[r]);
      }
      if (s == steps - 1) break;
      const int bit = s % 2 == 0 ? 0 : s % 4 == 1 ? 1 : 2;  // known to the compiler
      MC_UNROLL
      for (int r = 0; r < ROWS; ++r) add_minor(of_low[bit][r], terms[r], factor_of(bit));
      flip(bit);
    }
    step += steps;
    const bool is_last = step >> bits != 0;
    const int bit = is_last ? bits : lowest_one(step);
    MC_UNROLL
    for (int b = 3; b < low_walk_bits; ++b) {
      if (bit != b) continue;
      MC_UNROLL
      for (int r = 0; r < ROWS; ++r) add_minor(of_low[b][r], terms[r], factor_of(b));
    }
    if (bit >= low_walk_bits) {  // 32 vectors are over
      MC_UNROLL
      for (int r = 0; r < ROWS; ++r) {
        MC_UNROLL
        for (int b = 0; b < low_walk_bits; ++b) add_minor(of_bit[b][r], of_low[b][r], 1);
        add_minor(plain[r], terms[r], 1);
        MC_ROLLED
        for (int b = 0; b < bits; ++b) add_minor(of_bit[b][r], terms[r], (set >> b & 1) != 0 ? 1 : -1);
      }
    }
    if (!is_last) flip(bit);
  }

  out += task * static_cast<u64>(2 * rows * rows + matchcount::gpu::minors_extra);
  MC_ROLLED
  for (int r = 0; r <= ROWS; ++r) {
    __syncthreads();
    if (r < ROWS) {
      room[thread] = plain[r];
      MC_ROLLED
      for (int b = 0; b < bits; ++b) room[(b + 1) * static_cast<int>(minors_threads) + thread] = of_bit[b][r];
    } else {
      room[thread] = {lane == 0 ? total.re : 0, lane == 0 ? total.im : 0};
      room[static_cast<int>(minors_threads) + thread] = {magnitude, largest};
    }
    __syncthreads();
    const bool is_minor = r < ROWS;
    MC_ROLLED
    for (int o = thread; o < (is_minor ? LANES * rows : 2); o += static_cast<int>(minors_threads)) {
      const int column = is_minor ? o / LANES : o, row = is_minor ? r * LANES + o % LANES : rows;
      if (row > rows || (is_minor && row == rows)) continue;
      const bool is_walked = is_minor && column < bits;
      const int line = is_minor ? (is_walked ? column + 1 : 0) : column;
      const MinorNumber* const from = room + line * static_cast<int>(minors_threads);
      MinorNumber sum = {0, 0};
      MC_ROLLED
      for (unsigned t = is_minor ? static_cast<unsigned>(o % LANES) : 0; t < minors_threads;
           t += is_minor ? LANES : 1) {
        const bool minus =
            is_minor && !is_walked && column < rows - 1 && ((part | t / LANES) >> (column - bits) & 1) == 0;
        add_minor(sum, from[t], minus ? -1 : 1);
      }
      const int at = 2 * (row * rows + column);
      out[at] = sum.re;
      out[at + 1] = sum.im;
    }
  }
}

// Scales a matrix, a block of threads for each; shared memory has room for a double a row.
MC_DEVICE void scale_minors(const MinorsFrame& frame, const double* given, double* matrices, double* floors,
                            MinorsScaling* scalings, double* failed) {
  const int rows = frame.rows, width = frame.width, thread = static_cast<int>(threadIdx.x);
  const u64 matrix = blockIdx.x;
  given += matrix * static_cast<u64>(width * rows * rows);
  matrices += matrix * static_cast<u64>(2 * rows * rows);
  floors += matrix * static_cast<u64>(rows);
  MinorsScaling& scaling = scalings[matrix];
  double* const logarithms = static_cast<double*>(dynamic_shared());
  for (int e = thread; e < rows * rows; e += static_cast<int>(minors_threads)) {
    if (!isfinite(hypot(given[e * width], width == 2 ? given[e * width + 1] : 0.0)))
      *failed = matchcount::gpu::not_finite;
  }
  if (thread < rows) scaling.column_shift[thread] = matchcount::column_shift_of(given, rows, width, thread);
  __syncthreads();
  if (thread < rows)
    scaling.row_shift[thread] = matchcount::scale_row(given, rows, width, thread, scaling.column_shift, matrices, 2,
                                                      floors + thread, logarithms + thread);
  __syncthreads();
  if (thread == 0) matchcount::join_rows(scaling, rows, logarithms);
}

// Writes so many answers with their bounds, a thread for each: a matrix's derivatives, and then its permanent.
MC_DEVICE void put_minors(const MinorsFrame& frame, u64 numbers, const double* sums, const MinorsScaling* scalings,
                          const MinorsAnswers& out, double* failed) {
  const int rows = frame.rows, of_one = rows * rows, width = frame.width;
  const u64 number = static_cast<u64>(blockIdx.x) * minors_threads + threadIdx.x;
  if (number >= numbers) return;
  const u64 matrix = number / static_cast<u64>(of_one + 1);
  const int e = static_cast<int>(number % static_cast<u64>(of_one + 1));
  const bool is_value = e == of_one;
  const MinorsScaling& scaling = scalings[matrix];
  sums += matrix * static_cast<u64>(2 * of_one + matchcount::gpu::minors_extra);
  const double relative = is_value ? frame.relative_error_of_total : frame.relative_error;
  const double magnitude = sums[2 * of_one + (is_value ? 2 : 3)];
  const double bound = (scaling.perturbation + (1 + scaling.perturbation) * relative) * magnitude * (1 + 0x1p-20) +
                       (fabs(sums[2 * e]) + fabs(sums[2 * e + 1])) * 0x1p-53;
  long long exponent = scaling.exponent - (rows - 1);
  if (!is_value) exponent -= scaling.row_shift[e / rows] + scaling.column_shift[e % rows];
  const int power = static_cast<int>(exponent < -4000 ? -4000 : exponent > 4000 ? 4000 : exponent);
  const u64 at = is_value ? matrix : matrix * static_cast<u64>(of_one) + static_cast<u64>(e);
  double* const to = (is_value ? out.values : out.derivatives) + at * static_cast<u64>(width);
  for (int c = 0; c < width; ++c) {
    to[c] = ldexp(sums[2 * e + c], power);
    if (!isfinite(to[c]) && *failed == 0) *failed = matchcount::gpu::beyond_range;
  }
  (is_value ? out.errors : out.derivative_errors)[at] = ldexp(bound, power) * (1 + 0x1p-50) + 0x1p-1073;
}

// Adds up what the parts of each matrix gave, so many numbers in all.
MC_DEVICE void add_parts(const MinorsFrame& frame, u64 numbers, const double* given, double* out) {
  const u64 sums = static_cast<u64>(2 * frame.rows * frame.rows + matchcount::gpu::minors_extra);
  const u64 at = static_cast<u64>(blockIdx.x) * minors_threads + threadIdx.x;
  if (at >= numbers) return;
  given += at / sums * sums * frame.parts + at % sums;
  double sum = 0;
  for (unsigned part = 0; part < frame.parts; ++part) sum += given[part * sums];
  out[at] = sum;
}
