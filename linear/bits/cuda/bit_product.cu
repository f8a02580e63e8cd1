// Products of bit matrices by the tensor cores of sm_80 and later, and transposing, compiled with the library.
//
// mma.m16n8k256.b1.and.popc counts the terms of each entry; more than none is the Boolean product's bit, and an odd
// number the binary one's (the xor form is emulated from sm_90 on).

#include "linear/bits/cuda/bit_instructions.cuh"

namespace matchcount::gpu {}
using namespace matchcount::gpu;
#include "linear/bits/cuda/bit_kernels.cuh"

extern "C" __global__ void __launch_bounds__(bit_tile_mma.threads) multiply_bits_mma(BitProduct product) {
  multiply_by_warps(product);
}

extern "C" __global__ void __launch_bounds__(256)
    transpose_bits(u64 from, u64 from_stride, u32 rows, u32 columns, u64 to, u64 to_stride) {
  transpose_words(from, from_stride, rows, columns, to, to_stride);
}
