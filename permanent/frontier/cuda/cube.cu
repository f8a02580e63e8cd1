// Kernels that carry out a program on sets of matched frontier vertices (cpu/cube.hpp), compiled with the library: a
// block takes one tile after another into shared memory.

#include "permanent/frontier/cuda/cube_frame.hpp"

using namespace matchcount;
using namespace matchcount::gpu;
typedef unsigned int u32;
typedef unsigned long long u64;

// Puts the bits of x where the mask has ones, of which there are few gaps: `gaps` has the zeros below its highest one.
template <class Word>
__device__ Word spread(Word x, Word gaps) {
  for (; gaps != 0; gaps &= gaps - 1) {
    const Word below = (gaps & (0 - gaps)) - 1;
    x = (x & ~below) << 1 | (x & below);
  }
  return x;
}

template <class Slot>
__device__ Slot product_of(ResidueWeight weight, u32 value, u32 prime) {
  if (weight.factor == 1) return static_cast<Slot>(value);
  const u32 estimate = sizeof(Slot) == 2 ? weight.quotient * value >> 16 : __umulhi(weight.quotient, value);
  const u32 product = weight.factor * value - estimate * prime;
  return static_cast<Slot>(min(product, product - prime));
}

template <class Slot>
__device__ void make_operation(const TileOperation& operation, ResidueWeight weight, u32 prime, u32 bits, Slot* tile) {
  const u32 count = u32{1} << (bits - __popc(operation.test));
  if (operation.kind == TileOperation::set && operation.flip == 0 && weight.factor == 1) return;
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
    const u32 x = spread(i, operation.test) | operation.expect, y = x ^ operation.flip;
    const Slot other = tile[y];
    if (operation.kind == TileOperation::swap) {
      tile[y] = tile[x];
      tile[x] = other;
      continue;
    }
    const u32 product = product_of<Slot>(weight, other, prime);
    const u32 sum = tile[x] + product;
    tile[x] = static_cast<Slot>(operation.kind == TileOperation::add ? min(sum, sum - prime) : product);
  }
}

template <class Slot>
__device__ void make_tiles(const CubeLaunch& launch) {
  extern __shared__ u64 memory[];
  u64* const run_place = memory;
  const u32 num_runs = u32{1} << (launch.tile_bits - launch.run_bits);
  u32* const words = reinterpret_cast<u32*>(memory + num_runs);
  Slot* const tile = reinterpret_cast<Slot*>(words);
  constexpr u32 log2_of_word = sizeof(Slot) == 2 ? 1 : 0;  // slots
  const u64 run_mask = (u64{1} << launch.run_bits) - 1;
  for (u32 i = threadIdx.x; i < num_runs; i += blockDim.x) {
    u64 place = 0, rest = i;
    for (u64 mask = launch.local & ~run_mask; rest != 0; mask &= mask - 1, rest >>= 1)
      if (rest & 1) place |= mask & (0 - mask);
    run_place[i] = place;
  }
  const TileOperation* const operations = reinterpret_cast<const TileOperation*>(launch.operations);
  const ResidueWeight* const weights = reinterpret_cast<const ResidueWeight*>(launch.weights);
  u32* const array = reinterpret_cast<u32*>(launch.array);
  const u32 num_words = u32{1} << (launch.tile_bits - log2_of_word), of_run = launch.run_bits - log2_of_word;
  for (u64 index = blockIdx.x; index < launch.num_tiles; index += gridDim.x) {
    u64 outer = launch.fixed, rest = index;
    for (u64 mask = launch.outer; rest != 0; mask &= mask - 1, rest >>= 1)
      if (rest & 1) outer |= mask & (0 - mask);
    __syncthreads();
    for (u32 i = threadIdx.x; i < num_words; i += blockDim.x)
      words[i] = array[((outer | run_place[i >> of_run]) >> log2_of_word) + (i & ((u32{1} << of_run) - 1))];
    __syncthreads();
    for (u32 k = 0; k < launch.num_operations; ++k) {
      const TileOperation operation = operations[k];
      if ((outer & operation.outer_test) != operation.outer_expect) continue;
      make_operation(operation, weights[operation.weight], launch.prime, launch.tile_bits, tile);
      __syncthreads();
    }
    for (u32 i = threadIdx.x; i < num_words; i += blockDim.x)
      array[((outer | run_place[i >> of_run]) >> log2_of_word) + (i & ((u32{1} << of_run) - 1))] = words[i];
  }
}

extern "C" __global__ void __launch_bounds__(cube_threads) cube_tiles_4(const CubeLaunch launch) {
  make_tiles<u32>(launch);
}
extern "C" __global__ void __launch_bounds__(cube_threads) cube_tiles_2(const CubeLaunch launch) {
  make_tiles<unsigned short>(launch);
}

template <class Slot>
__device__ void exchange_halves(const CubeExchange& work) {
  constexpr u64 slots_of_word = sizeof(uint4) / sizeof(Slot);
  for (u64 i = work.first + blockIdx.x * u64{blockDim.x} + threadIdx.x; i < work.end;
       i += u64{gridDim.x} * blockDim.x) {
    const u64 place = spread<u64>(i * slots_of_word, work.gaps) | work.fixed;
    uint4* const without = reinterpret_cast<uint4*>(work.without + (place | work.other) * sizeof(Slot));
    uint4* const with = reinterpret_cast<uint4*>(work.with + place * sizeof(Slot));
    const uint4 value = *without;
    *without = *with;
    *with = value;
  }
}

extern "C" __global__ void __launch_bounds__(cube_threads) cube_exchange_4(const CubeExchange work) {
  exchange_halves<u32>(work);
}
extern "C" __global__ void __launch_bounds__(cube_threads) cube_exchange_2(const CubeExchange work) {
  exchange_halves<unsigned short>(work);
}

// Sums up products with the mirror image, each thread's halves of words apart.
template <class Slot>
__device__ void sum_products(const CubeProduct& product) {
  __shared__ u64 mirrored[8][256];
  for (u32 i = threadIdx.x; i < 8 * 256; i += blockDim.x) {
    u64 image = 0;
    for (u32 bit = 0; bit < 8; ++bit)
      if (i >> bit & 1) image |= reinterpret_cast<const u64*>(product.mirror)[8 * (i / 256) + bit];
    mirrored[i / 256][i % 256] = image;
  }
  __syncthreads();
  const u64* const arrays = reinterpret_cast<const u64*>(product.arrays);
  const auto at = [&](u64 place) { return reinterpret_cast<const Slot*>(arrays[place >> product.leading])[place]; };
  long long low = 0, high = 0;
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < product.count; i += u64{gridDim.x} * blockDim.x) {
    const u64 own = spread<u64>(i, product.gaps) | product.own;
    u64 image = product.mirrored_last;
    for (u32 byte = 0; byte < 8 && own >> (8 * byte) != 0; ++byte) image ^= mirrored[byte][own >> (8 * byte) & 255];
    const u64 value = u64{at(own ^ product.last)} * at(image);
    const bool is_negative = __popcll(own & product.sign) & 1;
    const long long of_low = static_cast<u32>(value), of_high = static_cast<long long>(value >> 32);
    low += is_negative ? -of_low : of_low;
    high += is_negative ? -of_high : of_high;
  }
  const long long prime = product.prime;
  const auto residue = [&](long long value) { return static_cast<u64>((value % prime + prime) % prime); };
  const u64 sum = (residue(high) * ((u64{1} << 32) % product.prime) + residue(low)) % product.prime;
  atomicAdd(reinterpret_cast<u64*>(product.sum), sum);
}

extern "C" __global__ void __launch_bounds__(cube_threads) cube_products_4(const CubeProduct product) {
  sum_products<u32>(product);
}
extern "C" __global__ void __launch_bounds__(cube_threads) cube_products_2(const CubeProduct product) {
  sum_products<unsigned short>(product);
}
