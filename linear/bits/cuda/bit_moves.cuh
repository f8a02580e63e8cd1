#pragma once
// Transposes, adds, closes and weighs bits: the text of the kernels, which the tests compile for the host as well.
//
// It takes from who includes it: u32 and u64; UNROLL; SHARED(type, name, size); dynamic_shared(); shuffle_xor();
// atomic_or(); lowest_bit().

#include "linear/bits/cuda/bit_piece.cuh"
#include "linear/bits/cuda/bit_product_frame.hpp"

// Turns row i of 32, in lane i, into column i.
inline __device__ u32 transposed_word(u32 word) {
  const u32 lane = threadIdx.x % 32;
  u32 low = 0x0000ffff;
  UNROLL
  for (u32 step = 16; step != 0; step >>= 1) {
    const u32 other = shuffle_xor(word, step);
    word = lane & step ? (word & ~low) | (other >> step & low) : (word & low) | (other << step & ~low);
    low ^= low << step / 2;
  }
  return word;
}

// Rows of `to` are columns of `from`: of its rows `list`[0], [1], ... if there is a list, where a row that is none
// (no_row) is one of zeros. What lies behind the last, up to a whole strip, is set to 0.
inline __device__ void transpose_tiles(u64 from, u64 from_stride, u32 rows, u32 columns, u64 to, u64 to_stride,
                                       u64 list) {
  constexpr u32 words_down = turned_rows / 32, words_across = turned_columns / 32, padded = words_down + 1;
  SHARED(u32, tile, turned_columns * padded);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = bit_threads / 32;
  const u32 down = (rows + 511) / 512 * 512, tiles_down = (down + turned_rows - 1) / turned_rows;
  const u32 tiles = tiles_down * ((columns + turned_columns - 1) / turned_columns);
  for (u32 i = blockIdx.x; i < tiles; i += gridDim.x) {
    const u32 first_row = i % tiles_down * turned_rows, first_column = i / tiles_down * turned_columns;
    for (u32 group = warp; group < words_down; group += warps) {
      const u32 given = first_row + 32 * group + lane;
      const u32 row = given >= rows ? no_row : list != 0 ? at_address<u32>(list)[given] : given;
      Piece pieces[2] = {};
      if (row != no_row) {
        // Whole strips are there to be read.
        const Piece* const at = at_address<Piece>(from + row * from_stride + first_column / 8);
        pieces[0] = at[0];
        pieces[1] = at[1];
      }
      UNROLL
      for (u32 w = 0; w < words_across; ++w)
        tile[(32 * w + lane) * padded + group] = transposed_word(pieces[w / 4].words[w % 4]);
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < turned_columns * words_down; j += bit_threads) {
      const u32 word = j % words_down, column = j / words_down;
      if (first_column + column < columns && first_row + 32 * word < down) {
        at_address<u32>(to + u64{first_column + column} * to_stride + first_row / 8)[word] =
            tile[column * padded + word];
      }
    }
    __syncthreads();
  }
}

// Calls body(row, byte) for every piece of rows of so many bytes.
template <class Body>
inline __device__ void for_pieces(u32 rows, u32 row_bytes, const Body& body) {
  const u32 pieces = row_bytes / 16;
  const u64 count = u64{rows} * pieces, step = u64{gridDim.x} * bit_threads;
  for (u64 i = u64{blockIdx.x} * bit_threads + threadIdx.x; i < count; i += step) {
    const u32 row = static_cast<u32>(i / pieces);
    body(row, static_cast<u32>(i - u64{row} * pieces) * 16);
  }
}

// x + y, x + y + z, x + z, x + y + z + w.
inline __device__ void sum_quarters(const BitQuarterSums& quarters) {
  for_pieces(quarters.rows, quarters.row_bytes, [&](u32 row, u32 byte) {
    const u64 from = row * quarters.stride + byte, to = row * quarters.sums_stride + byte;
    const Piece x = *at_address<Piece>(quarters.x + from), y = *at_address<Piece>(quarters.y + from),
                z = *at_address<Piece>(quarters.z + from), w = *at_address<Piece>(quarters.w + from);
    Piece sum = x;
    add_to(sum, y);
    *at_address<Piece>(quarters.sums[0] + to) = sum;
    add_to(sum, z);
    *at_address<Piece>(quarters.sums[1] + to) = sum;
    add_to(sum, w);
    *at_address<Piece>(quarters.sums[3] + to) = sum;
    sum = x;
    add_to(sum, z);
    *at_address<Piece>(quarters.sums[2] + to) = sum;
  });
}

// c11 = p1, c12 = p1 + p6 + p5, c21 = p1 + p6 + p7, c22 = p1 + p6 + p7 + p5, or added to what is there.
inline __device__ void join_quarters(const BitQuarters& quarters) {
  for_pieces(quarters.rows, quarters.row_bytes, [&](u32 row, u32 byte) {
    const u64 from = row * quarters.stride + byte, to = row * quarters.c_stride + byte;
    const auto put = [&](u64 c, Piece sum) {
      if (quarters.add) add_to(sum, *at_address<Piece>(c + to));
      *at_address<Piece>(c + to) = sum;
    };
    const Piece p5 = *at_address<Piece>(quarters.p5 + from), p6 = *at_address<Piece>(quarters.p6 + from),
                p7 = *at_address<Piece>(quarters.p7 + from);
    Piece sum = *at_address<Piece>(quarters.p1 + from);
    put(quarters.c11, sum);
    add_to(sum, p6);
    Piece other = sum;
    add_to(other, p5);
    put(quarters.c12, other);
    add_to(sum, p7);
    put(quarters.c21, sum);
    add_to(sum, p5);
    put(quarters.c22, sum);
  });
}

// Sets the bits of arcs, row by row: targets[offsets[row]] up to targets[offsets[row + 1] - 1], and that of the row
// itself.
inline __device__ void set_arcs(u64 offsets, u64 targets, u32 rows, u64 matrix, u64 stride) {
  const u32 lane = threadIdx.x % 32, warps = gridDim.x * (bit_threads / 32);
  const auto set = [&](u32 row, u32 column) {
    atomic_or(at_address<u32>(matrix + row * stride) + column / 32, u32{1} << column % 32);
  };
  for (u32 row = blockIdx.x * (bit_threads / 32) + threadIdx.x / 32; row < rows; row += warps) {
    if (lane == 0) set(row, row);
    const u64 end = at_address<u64>(offsets)[row + 1];
    for (u64 arc = at_address<u64>(offsets)[row] + lane; arc < end; arc += 32) set(row, at_address<u32>(targets)[arc]);
  }
}

// Finds the transitive closure of a block's 512 rows and columns along the diagonal, of a matrix without bits above it:
// row after row is joined to those below that have its bit.
inline __device__ void close_diagonal(u64 matrix, u64 stride, u32 rows) {
  constexpr u32 pieces = closed_rows / 128;
  Piece* const own = static_cast<Piece*>(dynamic_shared());
  const u32 first = blockIdx.x * closed_rows, count = rows - first < closed_rows ? rows - first : closed_rows;
  const u64 start = matrix + first * stride + first / 8;
  const u32 width = static_cast<u32>(stride - first / 8 < closed_rows / 8 ? stride - first / 8 : closed_rows / 8);
  for (u32 i = threadIdx.x; i < count * pieces; i += closing_threads) {
    const u32 byte = i % pieces * 16;
    own[i] = {};
    if (byte < width) own[i] = *at_address<Piece>(start + i / pieces * stride + byte);
  }
  __syncthreads();
  const u32 piece = threadIdx.x % pieces;
  for (u32 k = 0; k + 1 < count; ++k) {
    if (piece <= k / 128) {
      for (u32 row = k + 1 + threadIdx.x / pieces; row < count; row += closing_threads / pieces) {
        const Piece mark = own[row * pieces + k / 128];
        if (!(mark.words[k / 32 % 4] >> k % 32 & 1)) continue;
        const Piece& other = own[k * pieces + piece];
        UNROLL
        for (int w = 0; w < 4; ++w) own[row * pieces + piece].words[w] |= other.words[w];
      }
    }
    __syncthreads();
  }
  for (u32 i = threadIdx.x; i < count * pieces; i += closing_threads) {
    const u32 byte = i % pieces * 16;
    if (byte < width) *at_address<Piece>(start + i / pieces * stride + byte) = own[i];
  }
}

// Sums into totals[row] the sizes[column] of the bits of a row but its own.
inline __device__ void weigh_rows(u64 matrix, u64 stride, u32 rows, u64 sizes, u64 totals) {
  SHARED(u64, parts, bit_threads);
  for (u32 row = blockIdx.x; row < rows; row += gridDim.x) {
    u64 total = 0;
    for (u32 word = threadIdx.x; word <= row / 32; word += bit_threads) {
      u32 bits = at_address<u32>(matrix + row * stride)[word];
      if (word == row / 32) bits &= ~(u32{1} << row % 32);
      for (; bits != 0; bits &= bits - 1) total += at_address<u32>(sizes)[32 * word + lowest_bit(bits)];
    }
    parts[threadIdx.x] = total;
    __syncthreads();
    for (u32 half = bit_threads / 2; half != 0; half /= 2) {
      if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) at_address<u64>(totals)[row] = parts[0];
    __syncthreads();
  }
}
