// Kernels for determinants, compiled with the library.

#include "linear/cuda/determinant_frame.hpp"

typedef unsigned int u32;
typedef unsigned long long u64;

static __device__ __forceinline__ unsigned load_fresh(const unsigned* p) { return *(const volatile unsigned*)p; }
static __device__ __forceinline__ int load_fresh(const int* p) { return __ldcg(p); }
static __device__ __forceinline__ double load_fresh(const double* p) { return __ldcg(p); }
static __device__ __forceinline__ void relax() { __nanosleep(20); }
static __device__ __forceinline__ void* dynamic_shared() {
  extern __shared__ double2 memory[];
  return memory;
}
#define SHARED(type, name, size) __shared__ type name[size]
#define UNROLL _Pragma("unroll")

struct DeterminantPair;
static __device__ __forceinline__ DeterminantPair load_fresh(const DeterminantPair* p);

using namespace matchcount::gpu;
#include "linear/cuda/determinant_kernels.cuh"

static __device__ __forceinline__ DeterminantPair load_fresh(const DeterminantPair* p) {
  return {__ldcg(&p->re), __ldcg(&p->im)};
}

#define MC_KERNELS(suffix, Number)                                                                                     \
  extern "C" __global__ void __launch_bounds__(determinant_threads)                                                    \
      factor_panel_##suffix(Number::Value* matrices, int n, int first, int rows, int slice, int blocks_of_one,         \
                            const DeterminantModulus* moduli, DeterminantState* states, Number::Value* pivots,         \
                            DeterminantOffer<Number>* offers, unsigned* counts) {                                      \
    factor_panel<Number>(matrices, n, first, rows, slice, blocks_of_one, moduli, states, pivots, offers, counts);      \
  }                                                                                                                    \
  extern "C" __global__ void move_columns_##suffix(Number::Value* matrices, int n, int rows, int begin,                \
                                                   int blocks_of_one, const DeterminantState* states) {                \
    move_columns<Number>(matrices, n, rows, begin, blocks_of_one, states);                                             \
  }                                                                                                                    \
  extern "C" __global__ void invert_upper_##suffix(const Number::Value* matrices, u64 stride, u64 matrix_step,         \
                                                   int rows, const DeterminantModulus* moduli,                         \
                                                   Number::Value* inverses, u64 inverse_stride, u64 inverse_step) {    \
    invert_triangles<Number, true>(matrices, stride, matrix_step, rows, moduli, inverses, inverse_stride,              \
                                   inverse_step);                                                                      \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(determinant_threads)                                                    \
      take_pivot_##suffix(Number::Value* matrices, int n, int first, const DeterminantModulus* moduli,                 \
                          DeterminantState* states, Number::Value* pivots) {                                           \
    take_pivot<Number>(matrices, n, first, moduli, states, pivots);                                                    \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(determinant_threads) condense_rows_##suffix(                            \
      Number::Value* matrices, int n, int first, int blocks_of_one, const DeterminantModulus* moduli,                  \
      const DeterminantState* states, const Number::Value* pivots) {                                                   \
    condense_rows<Number>(matrices, n, first, blocks_of_one, moduli, states, pivots);                                  \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(determinant_threads)                                                    \
      multiply_##suffix(int subtract, const Number::Value* a, u64 a_stride, u64 a_matrix, const Number::Value* b,      \
                        u64 b_stride, u64 b_matrix, Number::Value* c, u64 c_stride, u64 c_matrix, int m, int n, int k, \
                        int blocks_of_one, const DeterminantModulus* moduli) {                                         \
    multiply_tiles<Number>(subtract != 0, a, a_stride, a_matrix, b, b_stride, b_matrix, c, c_stride, c_matrix, m, n,   \
                           k, blocks_of_one, moduli);                                                                  \
  }

MC_KERNELS(residue, DeterminantResidue<8>)
MC_KERNELS(wide_residue, DeterminantResidue<2>)
MC_KERNELS(real, DeterminantReal)
MC_KERNELS(complex, DeterminantComplex)

#define MC_BOUND_KERNELS(suffix, Number)                                                                            \
  extern "C" __global__ void invert_lower_##suffix(const Number::Value* matrices, u64 stride, u64 matrix_step,      \
                                                   int rows, const DeterminantModulus* moduli,                      \
                                                   Number::Value* inverses, u64 inverse_stride, u64 inverse_step) { \
    invert_triangles<Number, false>(matrices, stride, matrix_step, rows, moduli, inverses, inverse_stride,          \
                                    inverse_step);                                                                  \
  }                                                                                                                 \
  extern "C" __global__ void take_lower_##suffix(Number::Value* factors, Number::Value* lower, int n, int blocks) { \
    take_lower<Number>(factors, lower, n, blocks);                                                                  \
  }                                                                                                                 \
  extern "C" __global__ void __launch_bounds__(determinant_threads) measure_##suffix(                               \
      int n, const Number::Value* a, const Number::Value* l, const Number::Value* x, const Number::Value* y,        \
      const Number::Value* d, const Number::Value* e, matchcount::dense::BoundRow* rows) {                          \
    measure<Number>(n, a, l, x, y, d, e, rows);                                                                     \
  }

MC_BOUND_KERNELS(real, DeterminantReal)
MC_BOUND_KERNELS(complex, DeterminantComplex)

extern "C" __global__ void reduce_integers(const u32* entries, const unsigned char* negative, int words, u64 size,
                                           int blocks_of_one, const DeterminantModulus* moduli, u32* matrices) {
  reduce_entries(entries, negative, words, size, blocks_of_one, moduli, matrices);
}
