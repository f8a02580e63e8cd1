#pragma once
// Finds pivots of bit matrices and takes them from the other rows of a panel: the text of the kernels, which the tests
// compile for the host as well.
//
// It takes from who includes it: u32 and u64; UNROLL; SHARED(type, name, size); dynamic_shared(); offer_least(), the
// minimum of all threads of a block in shared memory; count_bits() and lowest_bit().
//
// A step looks for the pivots of 64 columns, which are a word of each row, and finds the combinations of their rows
// that have a single 1 among the pivots' columns. Then the bits of any other row in those columns, as they stand, say
// which combinations are to be added to it. They stay where they are, as what stands below the diagonal of L.

#include "linear/bits/cuda/bit_piece.cuh"
#include "linear/bits/cuda/elimination_frame.hpp"

inline __device__ BitMoves& moves_of(const BitElimination& e) { return *at_address<BitMoves>(e.moves); }
inline __device__ u32* pivot_rows_of(const BitElimination& e) { return at_address<u32>(e.pivot_rows); }
inline __device__ u64 row_address(const BitElimination& e, u32 row) { return e.matrix + row * e.stride; }

// Bits below bit `count`.
inline __device__ u64 bits_below(u32 count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

inline __device__ void tell_moves(const BitElimination& e, u32 column, u64 found, const u32* row_of) {
  BitMoves& moves = moves_of(e);
  const u32 rank = moves.rank, count = count_bits(found);
  u64 stay = 0;
  for (u64 left = found; left != 0; left &= left - 1) {
    const u32 place = row_of[lowest_bit(left)] - rank;
    if (place < count) stay |= u64{1} << place;
  }
  u64 displaced = bits_below(count) & ~stay;
  u32 moved = 0, to = rank;
  for (u64 left = found; left != 0; left &= left - 1, ++to) {
    const u32 from = row_of[lowest_bit(left)];
    if (from != to) {
      moves.from[moved] = from;
      moves.to[moved++] = to;
    }
    if (from - rank < count) continue;
    moves.from[moved] = rank + lowest_bit(displaced);
    moves.to[moved++] = from;
    displaced &= displaced - 1;
  }
  moves.count = moved;
  moves.rank = rank + count;
  at_address<u32>(e.rank_after)[column / 64] = rank + count;
}

// Finds pivots by one block, in columns [column, column + 64) of the rows from the rank on: takes as many rows at once
// as it has threads, from each the pivots found before, and then one pivot after the other, of the first column that
// any row has left. Ends when every column has one.
template <u32 threads>
inline __device__ void find_pivots(const BitElimination& e, u32 column) {
  SHARED(u64, basis, 64);  // by column: a combination with that pivot alone
  SHARED(u64, made_of, 64);
  SHARED(u32, row_of, 64);
  SHARED(u32, least, 2);
  constexpr u32 none = 0xffffffffu;
  const u32 thread = threadIdx.x, rank = moves_of(e).rank;
  const u64 wanted = bits_below(e.columns - column);
  u64 found = 0;
  u32 round = 0;
  if (thread < 2) least[thread] = none;
  if (thread < 64) made_of[thread] = 0;
  __syncthreads();
  for (u32 first = rank; first < e.num_rows && found != wanted; first += threads) {
    const u32 row = first + thread;
    u64 word = row < e.num_rows ? *at_address<u64>(row_address(e, row) + column / 8) & wanted : 0, made = 0;
    for (u64 left = found; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      if (word >> c & 1) {
        word ^= basis[c];
        made ^= made_of[c];
      }
    }
    for (bool more = true; more; ++round) {
      if (word != 0) offer_least(&least[round % 2], lowest_bit(word) * threads + thread);
      __syncthreads();
      const u32 chosen = least[round % 2], c = chosen / threads;
      more = chosen != none;
      if (more && chosen % threads == thread) {
        basis[c] = word;
        made_of[c] = made ^ u64 { 1 } << c;
        row_of[c] = row;
      }
      if (thread == 0) least[(round + 1) % 2] = none;
      __syncthreads();
      if (!more) continue;
      const u64 pivot = basis[c], pivot_made = made_of[c];
      // The chosen thread's own word becomes 0.
      if (word >> c & 1) {
        word ^= pivot;
        made ^= pivot_made;
      }
      if (thread < 64 && found >> thread & 1 && basis[thread] >> c & 1) {
        basis[thread] ^= pivot;
        made_of[thread] ^= pivot_made;
      }
      found |= u64{1} << c;
    }
  }
  __syncthreads();
  if (thread < 64 && column + thread < e.columns) {
    const bool is_pivot = found >> thread & 1;
    pivot_rows_of(e)[column + thread] = is_pivot ? rank + count_bits(found & bits_below(thread)) : no_row;
    at_address<u64>(e.combinations)[column + thread] = made_of[thread];
  }
  if (thread == 0) tell_moves(e, column, found, row_of);
}

// Carries the moves out, each block in 64 bytes of the rows.
inline __device__ void move_rows(const BitElimination& e) {
  const BitMoves& moves = moves_of(e);
  const u32 move = threadIdx.x / 4;
  const u64 byte = u64{64} * blockIdx.x + threadIdx.x % 4 * 16;
  Piece piece = {};
  if (move < moves.count) piece = *at_address<Piece>(row_address(e, moves.from[move]) + byte);
  __syncthreads();
  if (move < moves.count) *at_address<Piece>(row_address(e, moves.to[move]) + byte) = piece;
}

// The steps after pivots share lines of `pieces` pieces of 64 rows by column, and sums of four of them at a time.
constexpr u32 nibbles = 16, nibble_sums = 16;
template <u32 pieces>
inline __device__ void fill_tables(const Piece* lines, Piece* tables) {
  for (u32 i = threadIdx.x; i < nibbles * nibble_sums * pieces; i += panel_threads) {
    const u32 piece = i % pieces, sum = i / pieces % nibble_sums, nibble = i / pieces / nibble_sums;
    Piece total = {};
    UNROLL
    for (u32 bit = 0; bit < 4; ++bit) {
      if (sum >> bit & 1) add_to(total, lines[(4 * nibble + bit) * pieces + piece]);
    }
    tables[i] = total;
  }
}
template <u32 pieces>
inline __device__ void add_selected(Piece& to, u64 selector, const Piece* tables, u32 piece) {
  UNROLL
  for (u32 nibble = 0; nibble < nibbles; ++nibble)
    add_to(to, tables[(nibble * nibble_sums + (selector >> 4 * nibble & 15)) * pieces + piece]);
}

// Takes the pivots of columns [column, column + 64), of the panel whose bytes [first, first + bytes) of a row are, from
// the columns behind them in the rows below.
inline __device__ void update_panel(const BitElimination& e, u32 column, u32 first, u32 bytes) {
  constexpr u32 pieces = bit_panel_columns / 128;
  SHARED(Piece, given, 64 * pieces);
  SHARED(Piece, lines, 64 * pieces);
  SHARED(Piece, tables, nibbles * nibble_sums * pieces);
  const u32 word = (column / 8 - first) / 8;
  const u32 rank = moves_of(e).rank, before = column == 0 ? 0 : at_address<u32>(e.rank_after)[column / 64 - 1];
  if (rank == before || rank == e.num_rows) return;
  for (u32 i = threadIdx.x; i < 64 * pieces; i += panel_threads) {
    const u32 c = i / pieces, piece = i % pieces;
    const u32 row = column + c < e.columns ? pivot_rows_of(e)[column + c] : no_row;
    given[i] = {};
    if (row == no_row || 16 * piece >= bytes) continue;
    given[i] = *at_address<Piece>(row_address(e, row) + first + 16 * piece);
    // Words up to this one stay as they are.
    UNROLL
    for (u32 w = 0; w < 4; ++w) {
      if (2 * piece + w / 2 <= word) given[i].words[w] = 0;
    }
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < 64 * pieces; i += panel_threads) {
    const u32 c = i / pieces, piece = i % pieces;
    Piece line = {};
    for (u64 left = column + c < e.columns ? at_address<u64>(e.combinations)[column + c] : 0; left != 0;
         left &= left - 1)
      add_to(line, given[lowest_bit(left) * pieces + piece]);
    lines[i] = line;
  }
  __syncthreads();
  fill_tables<pieces>(lines, tables);
  __syncthreads();
  const u32 piece = threadIdx.x % pieces;
  if (16 * piece >= bytes || 2 * piece + 1 <= word) return;
  constexpr u32 rows_at_once = panel_threads / pieces;
  for (u32 row = rank + blockIdx.x * rows_at_once + threadIdx.x / pieces; row < e.num_rows;
       row += gridDim.x * rows_at_once) {
    const u64 selector = *at_address<u64>(row_address(e, row) + column / 8);
    Piece* const to = at_address<Piece>(row_address(e, row) + first + 16 * piece);
    Piece sum = *to;
    add_selected<pieces>(sum, selector, tables, piece);
    *to = sum;
  }
}

// Makes the pivot rows [top, bottom) of columns [first, last), a panel's, rows of U in the 64 bytes from
// `begin`
// + 64 * block on.
inline __device__ void solve_panel(const BitElimination& e, u32 top, u32 bottom, u32 first, u32 last, u64 begin) {
  constexpr u32 pieces = 4;
  SHARED(Piece, lines, 64 * pieces);
  SHARED(Piece, tables, nibbles * nibble_sums * pieces);
  Piece* const rows = static_cast<Piece*>(dynamic_shared());
  const u64 byte = begin + u64{64} * blockIdx.x;
  for (u32 i = threadIdx.x; i < (bottom - top) * pieces; i += panel_threads)
    rows[i] = *at_address<Piece>(row_address(e, top + i / pieces) + byte + i % pieces * 16);
  __syncthreads();
  for (u32 column = first; column < last; column += 64) {
    const u32 i = threadIdx.x, c = column + i / pieces;
    const u32 row = c < last ? pivot_rows_of(e)[c] : no_row;
    Piece line = {};
    if (row != no_row) {
      for (u64 left = at_address<u64>(e.combinations)[c]; left != 0; left &= left - 1) {
        const u32 other = pivot_rows_of(e)[column + lowest_bit(left)] - top;
        add_to(line, rows[other * pieces + i % pieces]);
      }
    }
    lines[i] = line;
    __syncthreads();
    if (row != no_row) rows[(row - top) * pieces + i % pieces] = line;
    fill_tables<pieces>(lines, tables);
    __syncthreads();
    const u32 next = at_address<u32>(e.rank_after)[column / 64] - top;
    for (u32 j = next * pieces + threadIdx.x; j < (bottom - top) * pieces; j += panel_threads) {
      const u64 selector = *at_address<u64>(row_address(e, top + j / pieces) + column / 8);
      add_selected<pieces>(rows[j], selector, tables, j % pieces);
    }
    __syncthreads();
  }
  for (u32 i = threadIdx.x; i < (bottom - top) * pieces; i += panel_threads)
    *at_address<Piece>(row_address(e, top + i / pieces) + byte + i % pieces * 16) = rows[i];
}
