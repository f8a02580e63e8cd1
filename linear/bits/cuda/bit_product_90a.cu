// Products of bit matrices by the tensor cores of Hopper (sm_90a), compiled with the library.
//
// As linear/bits/cuda/bit_product.cu, by wgmma.m64n256k256.b1.and.popc, which reads both factors from shared
// memory: 1.49e16 operations a second were measured of it, and 1.02e16 of mma. Three warp groups have 64 x 256 entries
// each. Of four stages two are on their way while one is multiplied and the one before it may still be read.

#include "linear/bits/cuda/bit_tiles.cuh"

using namespace matchcount::gpu;

namespace {

constexpr BitTile tile = bit_tile_wgmma;
constexpr int group_rows = 64;
static_assert(tile.rows == tile.threads / 128 * group_rows && tile.columns == 256);

// Rows of 128 bytes, swizzled, groups of 8 of them 1024 bytes apart.
__device__ __forceinline__ u64 descriptor(u32 address) {
  constexpr u64 swizzle_128 = 1ull << 62, eight_rows = static_cast<u64>(1024 >> 4) << 32, unused = 1ull << 16;
  return swizzle_128 | eight_rows | unused | (address & 0x3ffff) >> 4;
}

// clang-format off
__device__ __forceinline__ void multiply_add(u32 (&sums)[32][4], u64 a, u64 b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, "
      "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, p;\n}\n"
      : "+r"(sums[0][0]), "+r"(sums[0][1]), "+r"(sums[0][2]), "+r"(sums[0][3]),
        "+r"(sums[1][0]), "+r"(sums[1][1]), "+r"(sums[1][2]), "+r"(sums[1][3]),
        "+r"(sums[2][0]), "+r"(sums[2][1]), "+r"(sums[2][2]), "+r"(sums[2][3]),
        "+r"(sums[3][0]), "+r"(sums[3][1]), "+r"(sums[3][2]), "+r"(sums[3][3]),
        "+r"(sums[4][0]), "+r"(sums[4][1]), "+r"(sums[4][2]), "+r"(sums[4][3]),
        "+r"(sums[5][0]), "+r"(sums[5][1]), "+r"(sums[5][2]), "+r"(sums[5][3]),
        "+r"(sums[6][0]), "+r"(sums[6][1]), "+r"(sums[6][2]), "+r"(sums[6][3]),
        "+r"(sums[7][0]), "+r"(sums[7][1]), "+r"(sums[7][2]), "+r"(sums[7][3]),
        "+r"(sums[8][0]), "+r"(sums[8][1]), "+r"(sums[8][2]), "+r"(sums[8][3]),
        "+r"(sums[9][0]), "+r"(sums[9][1]), "+r"(sums[9][2]), "+r"(sums[9][3]),
        "+r"(sums[10][0]), "+r"(sums[10][1]), "+r"(sums[10][2]), "+r"(sums[10][3]),
        "+r"(sums[11][0]), "+r"(sums[11][1]), "+r"(sums[11][2]), "+r"(sums[11][3]),
        "+r"(sums[12][0]), "+r"(sums[12][1]), "+r"(sums[12][2]), "+r"(sums[12][3]),
        "+r"(sums[13][0]), "+r"(sums[13][1]), "+r"(sums[13][2]), "+r"(sums[13][3]),
        "+r"(sums[14][0]), "+r"(sums[14][1]), "+r"(sums[14][2]), "+r"(sums[14][3]),
        "+r"(sums[15][0]), "+r"(sums[15][1]), "+r"(sums[15][2]), "+r"(sums[15][3]),
        "+r"(sums[16][0]), "+r"(sums[16][1]), "+r"(sums[16][2]), "+r"(sums[16][3]),
        "+r"(sums[17][0]), "+r"(sums[17][1]), "+r"(sums[17][2]), "+r"(sums[17][3]),
        "+r"(sums[18][0]), "+r"(sums[18][1]), "+r"(sums[18][2]), "+r"(sums[18][3]),
        "+r"(sums[19][0]), "+r"(sums[19][1]), "+r"(sums[19][2]), "+r"(sums[19][3]),
        "+r"(sums[20][0]), "+r"(sums[20][1]), "+r"(sums[20][2]), "+r"(sums[20][3]),
        "+r"(sums[21][0]), "+r"(sums[21][1]), "+r"(sums[21][2]), "+r"(sums[21][3]),
        "+r"(sums[22][0]), "+r"(sums[22][1]), "+r"(sums[22][2]), "+r"(sums[22][3]),
        "+r"(sums[23][0]), "+r"(sums[23][1]), "+r"(sums[23][2]), "+r"(sums[23][3]),
        "+r"(sums[24][0]), "+r"(sums[24][1]), "+r"(sums[24][2]), "+r"(sums[24][3]),
        "+r"(sums[25][0]), "+r"(sums[25][1]), "+r"(sums[25][2]), "+r"(sums[25][3]),
        "+r"(sums[26][0]), "+r"(sums[26][1]), "+r"(sums[26][2]), "+r"(sums[26][3]),
        "+r"(sums[27][0]), "+r"(sums[27][1]), "+r"(sums[27][2]), "+r"(sums[27][3]),
        "+r"(sums[28][0]), "+r"(sums[28][1]), "+r"(sums[28][2]), "+r"(sums[28][3]),
        "+r"(sums[29][0]), "+r"(sums[29][1]), "+r"(sums[29][2]), "+r"(sums[29][3]),
        "+r"(sums[30][0]), "+r"(sums[30][1]), "+r"(sums[30][2]), "+r"(sums[30][3]),
        "+r"(sums[31][0]), "+r"(sums[31][1]), "+r"(sums[31][2]), "+r"(sums[31][3])
      : "l"(a), "l"(b), "r"(1));
}
// clang-format on

__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
__device__ __forceinline__ void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

}  // namespace

extern "C" __global__ void __launch_bounds__(tile.threads, 1) multiply_bits_wgmma(BitProduct product) {
  extern __shared__ unsigned char memory[];
  const u32 base = (shared_address(memory) + 1023) & ~1023u;
  constexpr u32 stage_bytes = (tile.rows + tile.columns) * stage_row_bytes;
  constexpr int ahead = tile.stages - 2;
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
  for (int step = 0; step < ahead; ++step) bring(step);

  const u32 group = threadIdx.x / 128;
  u32 sums[32][4] = {};
  for (u32 step = 0; step < steps; ++step) {
    await_copies<ahead - 1>();
    // What this thread copied is there, and the tensor cores, which read by another way, are to see it.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    // Into the stage of two steps ago, whose products every group has awaited.
    bring(step + ahead);
    const u32 stage = base + step % tile.stages * stage_bytes;
    const u64 a = descriptor(stage + group * group_rows * stage_row_bytes);
    const u64 b = descriptor(stage + tile.rows * stage_row_bytes);
    begin_products();
#pragma unroll
    for (int part = 0; part < 4; ++part) multiply_add(sums, a + 2 * part, b + 2 * part);  // 256 bits are 32 bytes
    commit_products();
    await_products<1>();
  }
  await_products<0>();
  const u32 warp = threadIdx.x / 32 % 4;
  write_bits(product, sums, place.row + group * group_rows + 16 * warp, place.column);
}
