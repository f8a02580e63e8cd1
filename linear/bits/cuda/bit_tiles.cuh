#pragma once
// Brings tiles of bits to shared memory, and turns sums into bits: what the kernels of bit products have in common.
//
// A stage has 128 bytes (1024 bits of the inner dimension) of every row of a tile of a, then of every row of one of the
// transposed b. Piece p of 16 bytes of row r lies in place p ^ (r & 7) of its row: reading a column of pieces then
// meets no bank twice, and it is the tensor cores' own swizzle of 128 bytes.

#include "linear/bits/cuda/bit_product_frame.hpp"

namespace matchcount::gpu {

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 stage_row_bytes = 128, pieces_a_row = stage_row_bytes / 16;

static __device__ __forceinline__ u32 shared_address(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}

// 16 bytes, or zeros where they are not wanted.
static __device__ __forceinline__ void copy_piece(u32 to, u64 from, bool wanted) {
  const u32 bytes = wanted ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
static __device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;"); }
template <int pending>
static __device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Columns of whole strips.
static __device__ __forceinline__ u32 whole_strips(u32 columns) { return (columns + 511) / 512 * 512; }

// The tile of the product that a block works on: in bands of a few rows of tiles, so that blocks at work at the same
// time share rows of both factors in the second-level cache.
struct TilePlace {
  u32 row, column;
};
template <u32 rows, u32 columns>
static __device__ __forceinline__ TilePlace tile_place(const BitProduct& product) {
  constexpr u32 band = 12;
  const u32 across = (whole_strips(product.n) + columns - 1) / columns, down = (product.m + rows - 1) / rows;
  const u32 first = blockIdx.x / (band * across) * band;
  const u32 height = down - first < band ? down - first : band;
  const u32 within = blockIdx.x % (band * across);
  return {(first + within % height) * rows, within / height * columns};
}

// Rows [first, first + count) of a factor, bytes [128 step, 128 step + 128) of each, to a stage.
template <int threads>
static __device__ __forceinline__ void copy_rows(u32 to, u64 factor, u64 stride, u32 first, u32 rows, u32 count,
                                                 u32 step, u32 k_bytes) {
  for (u32 i = threadIdx.x; i < count * pieces_a_row; i += threads) {
    const u32 row = i / pieces_a_row, piece = i % pieces_a_row, byte = step * stage_row_bytes + piece * 16;
    const bool inside = first + row < rows && byte < k_bytes;
    const u64 from = factor + (inside ? (first + row) * stride + byte : 0);
    copy_piece(to + row * stage_row_bytes + ((piece ^ (row & 7)) << 4), from, inside);
  }
}

// The sums of two rows, 8 apart, of a tile of 16 rows and 8 * blocks columns, as mma and wgmma leave them: of columns
// 8 j + 2 t and the next, by lane 4 g + t. Writes the bits of rows `row` + g and `row` + g + 8.
template <int blocks>
static __device__ __forceinline__ void write_bits(const BitProduct& product, const u32 (&sums)[blocks][4], u32 row,
                                                  u32 column) {
  const u32 lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const auto bit = [&](u32 sum) { return product.binary ? sum & 1u : (sum != 0 ? 1u : 0u); };
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const u32 at = row + g + 8 * half;
#pragma unroll
    for (int word = 0; word < blocks / 4; ++word) {
      u32 bits = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const u32* const pair = &sums[4 * word + j][2 * half];
        bits |= (bit(pair[0]) | bit(pair[1]) << 1) << (8 * j + 2 * t);
      }
      bits |= __shfl_xor_sync(0xffffffffu, bits, 1);
      bits |= __shfl_xor_sync(0xffffffffu, bits, 2);
      const u64 byte = column / 8 + 4 * word;
      if (t == word % 4 && at < product.m && byte < whole_strips(product.n) / 8)
        *reinterpret_cast<u32*>(product.c + at * product.c_stride + byte) = bits;
    }
  }
}

}  // namespace matchcount::gpu
