// Products of bit matrices by the tensor cores of sm_80 and later, and what elimination and closures do beside them,
// compiled with the library.
//
// mma.m16n8k256.b1.and.popc counts the terms of each entry; more than none is the Boolean product's bit, and an odd
// number the binary one's (the xor form is emulated from sm_90 on).

#include "linear/bits/cuda/bit_instructions.cuh"

namespace matchcount::gpu {}
using namespace matchcount::gpu;
#include "linear/bits/cuda/bit_kernels.cuh"
#include "linear/bits/cuda/bit_moves.cuh"
#include "linear/bits/cuda/elimination_kernels.cuh"

extern "C" __global__ void __launch_bounds__(bit_tile_mma.threads) multiply_bits_mma(BitProduct product) {
  multiply_by_warps(product);
}

extern "C" __global__ void __launch_bounds__(bit_tile_words.threads) multiply_bits_words(BitProduct product) {
  if (product.binary) {
    multiply_by_words<true>(product);
  } else {
    multiply_by_words<false>(product);
  }
}

extern "C" __global__ void __launch_bounds__(bit_threads)
    transpose_bits(u64 from, u64 from_stride, u32 rows, u32 columns, u64 to, u64 to_stride, u64 list) {
  transpose_tiles(from, from_stride, rows, columns, to, to_stride, list);
}
extern "C" __global__ void __launch_bounds__(bit_threads) sum_bit_quarters(BitQuarterSums quarters) {
  sum_quarters(quarters);
}
extern "C" __global__ void __launch_bounds__(bit_threads) join_bit_quarters(BitQuarters quarters) {
  join_quarters(quarters);
}

extern "C" __global__ void __launch_bounds__(bit_threads)
    set_arc_bits(u64 offsets, u64 targets, u32 rows, u64 matrix, u64 stride) {
  set_arcs(offsets, targets, rows, matrix, stride);
}
extern "C" __global__ void __launch_bounds__(closing_threads) close_diagonal_bits(u64 matrix, u64 stride, u32 rows) {
  close_diagonal(matrix, stride, rows);
}
extern "C" __global__ void __launch_bounds__(bit_threads)
    weigh_bit_rows(u64 matrix, u64 stride, u32 rows, u64 sizes, u64 totals) {
  weigh_rows(matrix, stride, rows, sizes, totals);
}

extern "C" __global__ void __launch_bounds__(pivot_threads) find_bit_pivots(BitElimination elimination, u32 column) {
  find_pivots<pivot_threads>(elimination, column);
}
extern "C" __global__ void __launch_bounds__(move_threads) move_bit_rows(BitElimination elimination) {
  move_rows(elimination);
}
extern "C" __global__ void __launch_bounds__(panel_threads)
    update_bit_panel(BitElimination elimination, u32 column, u32 first, u32 bytes) {
  update_panel(elimination, column, first, bytes);
}
extern "C" __global__ void __launch_bounds__(panel_threads)
    solve_bit_panel(BitElimination elimination, u32 top, u32 bottom, u32 first, u32 last, u64 begin) {
  solve_panel(elimination, top, bottom, first, last, begin);
}
