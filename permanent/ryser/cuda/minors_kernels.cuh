// Sums, over the signs of a part, the products of all row sums of a complex matrix but one, with the sign of every
// column: what minors.cpp says, a block of threads for a part. minors_frame.hpp stands in front.
//
// A thread walks in Gray-code order. Over 32 vectors the low five signs change. With T the sum of the terms so far the
// sum of d_k times the terms is that of 2 d_k T whenever d_k is about to change, and d_k T at the end; the other signs
// stay as they are. So a vector takes each row an addition to a row sum, three products and two sums. What a thread has
// of a bit is a sum over the walk; threads' sums are added up in the end, row by row, with the signs that tell threads
// apart.

using matchcount::gpu::low_walk_bits;
using matchcount::gpu::minors_thread_bits;
using matchcount::gpu::minors_threads;
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

// `entries`: [column][row], in shared memory as `room`, numbers for each thread times walk_bits + 1.
template <int ROWS>
MC_DEVICE void find_minors(const MinorsFrame& frame, const double* matrices, const double* floors, u64 task,
                           double* out) {
  const int rows = frame.rows, bits = frame.walk_bits, thread = static_cast<int>(threadIdx.x);
  MinorNumber* const entries = static_cast<MinorNumber*>(dynamic_shared());
  MinorNumber* const room = entries + rows * rows;
  const u64 matrix = task / frame.parts;
  const unsigned fixed = static_cast<unsigned>(task % frame.parts) << minors_thread_bits | threadIdx.x;
  matrices += matrix * static_cast<u64>(2 * rows * rows);
  floors += matrix * static_cast<u64>(rows);
  for (int e = thread; e < rows * rows; e += static_cast<int>(minors_threads))
    entries[e % rows * rows + e / rows] = {matrices[2 * e], matrices[2 * e + 1]};
  __syncthreads();

  // Numbers by indices that the compiler does not know are in memory; loops over them stay loops.
  MinorNumber x[ROWS], terms[ROWS];
  MinorNumber held[ROWS], plain[ROWS], of_low[low_walk_bits][ROWS], of_bit[most_walk_bits][ROWS];
  double floor[ROWS];
  MC_UNROLL
  for (int i = 0; i < ROWS; ++i) {
    x[i] = {i < rows ? 0.0 : 1.0, 0};
    terms[i] = {0, 0};
    floor[i] = i < rows ? floors[i] * floors[i] : 0;
  }
  MC_ROLLED
  for (int i = 0; i < rows; ++i) {
    plain[i] = {0, 0};
    MC_ROLLED
    for (int b = 0; b < low_walk_bits; ++b) of_low[b][i] = {0, 0};
    MC_ROLLED
    for (int b = 0; b < bits; ++b) of_bit[b][i] = {0, 0};
  }
  int off = bits;
  MC_ROLLED
  for (int column = 0; column < rows; ++column) {
    const bool on = column == rows - 1 || (column >= bits && (fixed >> (column - bits) & 1) != 0);
    if (column >= bits && !on) ++off;
    MC_UNROLL
    for (int i = 0; i < ROWS; ++i) {
      if (i < rows) add_minor(x[i], entries[column * rows + i], on ? 1 : -1);
    }
  }
  double sign = off % 2 == 0 ? 1 : -1, magnitude = 0, largest = 0;
  MinorNumber total = {0, 0};
  unsigned set = 0;  // walked bits that are on
  MC_ROLLED
  for (unsigned step = 0;;) {
    // The products before each row, and then those behind it.
    MinorNumber before[ROWS], product = {1, 0};
    double size = 1, least = 0x1p1000;
    MC_UNROLL
    for (int i = 0; i < ROWS; ++i) {
      before[i] = product;
      product = minor_product(product, x[i]);
      const double square = fmax(fma(x[i].re, x[i].re, x[i].im * x[i].im), floor[i]);
      size *= square;
      least = fmin(least, square);
    }
    add_minor(total, product, sign);
    magnitude += sqrt(size);
    largest += sqrt(size / least);
    MinorNumber behind = {sign, 0};
    MC_UNROLL
    for (int i = ROWS - 1; i >= 0; --i) {
      if (i < rows) add_minor(terms[i], minor_product(before[i], behind), 1);
      behind = minor_product(behind, x[i]);
    }
    const bool is_last = ++step >> bits != 0;
    const int bit = is_last ? bits : lowest_one(step);
    const bool was_on = (set >> bit & 1) != 0;
    MC_UNROLL
    for (int i = 0; i < ROWS; ++i) {
      if (bit >= low_walk_bits) {
        held[i] = terms[i];
        terms[i] = {0, 0};
      } else if (i < rows) {
        add_minor(of_low[bit][i], terms[i], was_on ? 2 : -2);
      }
    }
    if (bit >= low_walk_bits) {  // 32 vectors are over
      MC_ROLLED
      for (int i = 0; i < rows; ++i) {
        add_minor(plain[i], held[i], 1);
        MC_ROLLED
        for (int b = 0; b < bits; ++b) {
          if (b < low_walk_bits) {
            add_minor(of_bit[b][i], of_low[b][i], 1);
            of_low[b][i] = {0, 0};
          }
          add_minor(of_bit[b][i], held[i], (set >> b & 1) != 0 ? 1 : -1);
        }
      }
    }
    if (is_last) break;
    MC_UNROLL
    for (int i = 0; i < ROWS; ++i) {
      if (i < rows) add_minor(x[i], entries[bit * rows + i], was_on ? -2 : 2);
    }
    set ^= 1u << bit;
    sign = -sign;
  }

  out += task * static_cast<u64>(2 * rows * rows + matchcount::gpu::minors_extra);
  MC_ROLLED
  for (int i = 0; i <= rows; ++i) {
    __syncthreads();
    if (i < rows) {
      room[thread] = plain[i];
      MC_ROLLED
      for (int b = 0; b < bits; ++b) room[(b + 1) * static_cast<int>(minors_threads) + thread] = of_bit[b][i];
    } else {
      room[thread] = total;
      room[static_cast<int>(minors_threads) + thread] = {magnitude, largest};
    }
    __syncthreads();
    if (thread >= (i < rows ? rows : 2)) continue;
    const bool is_walked = i < rows && thread < bits;
    const int line = i < rows ? (is_walked ? thread + 1 : 0) : thread;
    const MinorNumber* const from = room + line * static_cast<int>(minors_threads);
    MinorNumber sum = {0, 0};
    MC_ROLLED
    for (unsigned t = 0; t < minors_threads; ++t) {
      const unsigned of_thread = (fixed >> minors_thread_bits << minors_thread_bits) | t;
      const bool minus = i < rows && !is_walked && thread < rows - 1 && (of_thread >> (thread - bits) & 1) == 0;
      add_minor(sum, from[t], minus ? -1 : 1);
    }
    const int at = 2 * (i * rows + thread);
    out[at] = sum.re;
    out[at + 1] = sum.im;
  }
}
