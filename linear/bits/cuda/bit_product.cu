// Products of bit matrices by the tensor cores of sm_80 and later, and transposing, compiled with the library.
//
// mma.m16n8k256.b1.and.popc counts the terms of each entry; more than none is the Boolean product's bit, and an odd
// number the binary one's (the xor form is emulated from sm_90 on). A block has 8 warps in 2 rows of 4, each with 64 x
// 64 entries in registers, and three stages of shared memory, of which two are on their way.

#include "linear/bits/cuda/bit_tiles.cuh"

using namespace matchcount::gpu;

namespace {

constexpr BitTile tile = bit_tile_mma;
constexpr int warp_rows = 64, warp_columns = 64;

__device__ __forceinline__ void load_matrices(u32 (&to)[4], u32 from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}

__device__ __forceinline__ void multiply_add(u32 (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Piece `piece` of a stage's row.
__device__ __forceinline__ u32 piece_at(u32 rows, u32 row, u32 piece) {
  return rows + row * stage_row_bytes + ((piece ^ (row & 7)) << 4);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(tile.threads) multiply_bits_mma(BitProduct product) {
  extern __shared__ unsigned char memory[];
  const u32 base = (shared_address(memory) + 1023) & ~1023u;
  constexpr u32 stage_bytes = (tile.rows + tile.columns) * stage_row_bytes;
  const TilePlace place = tile_place<tile.rows, tile.columns>(product);
  const u32 steps = (product.k_bytes + stage_row_bytes - 1) / stage_row_bytes;
  const auto bring = [&](u32 step) {
    if (step < steps) {
      const u32 stage = base + step % tile.stages * stage_bytes;
      copy_rows<tile.threads>(stage, product.a, product.a_stride, place.row, product.m, tile.rows, step,
                              product.k_bytes);
      copy_rows<tile.threads>(stage + tile.rows * stage_row_bytes, product.b_transposed, product.b_stride, place.column,
                              product.n, tile.columns, step, product.k_bytes);
    }
    commit_copies();
  };
  for (int step = 0; step < tile.stages - 1; ++step) bring(step);

  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 first_row = warp / 4 * warp_rows, first_column = warp % 4 * warp_columns;
  u32 sums[warp_rows / 16][warp_columns / 8][4] = {};
  for (u32 step = 0; step < steps; ++step) {
    await_copies<tile.stages - 2>();
    __syncthreads();
    bring(step + tile.stages - 1);
    const u32 a_rows = base + step % tile.stages * stage_bytes, b_rows = a_rows + tile.rows * stage_row_bytes;
#pragma unroll
    for (u32 part = 0; part < pieces_a_row; part += 2) {  // 256 bits
      u32 a[warp_rows / 16][4], b[warp_columns / 16][4];
      // Lanes 0 to 7 name rows of the first matrix of 8 x 16 bytes, 8 to 15 of the second, and so on.
#pragma unroll
      for (int i = 0; i < warp_rows / 16; ++i)
        load_matrices(a[i], piece_at(a_rows, first_row + 16 * i + lane % 16, part + lane / 16));
#pragma unroll
      for (int j = 0; j < warp_columns / 16; ++j)
        load_matrices(b[j], piece_at(b_rows, first_column + 16 * j + lane / 16 * 8 + lane % 8, part + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < warp_rows / 16; ++i) {
#pragma unroll
        for (int j = 0; j < warp_columns / 8; ++j)
          multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < warp_rows / 16; ++i)
    write_bits(product, sums[i], place.row + first_row + 16 * i, place.column + first_column);
}

// Rows of `to` are columns of `from`, whose rows have a stride of from_stride bytes: a warp takes 32 x 32 bits after
// the other, down its column of words. to_stride is a multiple of 64 and has 32 bits for every 32 rows of `from`, and
// the rest of it is set to 0.
extern "C" __global__ void __launch_bounds__(256)
    transpose_bits(u64 from, u64 from_stride, u32 rows, u32 columns, u64 to, u64 to_stride) {
  const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const u32 words_down = static_cast<u32>(to_stride / 4), words_across = (columns + 31) / 32;
  // Neighbouring warps take neighbouring words of the result, whose lines they share.
  const u64 count = static_cast<u64>(words_down) * words_across;
  for (u64 i = static_cast<u64>(blockIdx.x) * warps + threadIdx.x / 32; i < count;
       i += static_cast<u64>(gridDim.x) * warps) {
    const u32 down = static_cast<u32>(i % words_down), across = static_cast<u32>(i / words_down);
    const u32 row = 32 * down + lane;
    const u32 word = row < rows ? *reinterpret_cast<const u32*>(from + row * from_stride + 4 * across) : 0;
    u32 mine = 0;
#pragma unroll
    for (int bit = 0; bit < 32; ++bit) {
      const u32 column = __ballot_sync(0xffffffffu, word >> bit & 1);
      if (lane == bit) mine = column;
    }
    const u32 column = 32 * across + lane;
    if (column < columns) *reinterpret_cast<u32*>(to + column * to_stride + 4 * down) = mine;
  }
}
