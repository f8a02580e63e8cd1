// Products of bit matrices by the tensor cores of Hopper (sm_90a), compiled with the library.
//
// As linear/bits/cuda/bit_product.cu, by wgmma.m64n256k256.b1.and.popc, which reads both factors from shared memory:
// 1.49e16 operations a second were measured of wgmma on one H200, and 1.02e16 of mma.

#include "linear/bits/cuda/bit_instructions.cuh"

namespace matchcount::gpu {}
using namespace matchcount::gpu;
#include "linear/bits/cuda/bit_kernels.cuh"

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(bit_tile_wgmma.threads, 1)
    multiply_bits_wgmma(const BitProduct product, const __grid_constant__ TileMap a,
                        const __grid_constant__ TileMap b) {
  multiply_by_groups(product, a, b);
}
