// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/loop_kernel.hpp"

namespace matchcount::loop_kernel {
namespace {

using lane::multiply_add;
using simd::Reals;
using simd::width;

template <int components>
void multiply(const double* matrix, int columns, const double* vectors, double* out) {
  for (int part = 0; part < num_lanes; part += width) {
    Reals sum[rows_at_once][components] = {};
    for (int column = 0; column < columns; ++column) {
      const double* const factor = matrix + column * rows_at_once * components;
      const double* const from = vectors + column * components * num_lanes + part;
      const Reals re = simd::load<Reals>(from);
      if constexpr (components == 1) {
        for (int row = 0; row < rows_at_once; ++row)
          sum[row][0] = multiply_add(simd::broadcast(factor[row]), re, sum[row][0]);
      } else {
        const Reals im = simd::load<Reals>(from + num_lanes);
        for (int row = 0; row < rows_at_once; ++row) {
          const Reals by_re = simd::broadcast(factor[2 * row]), by_im = simd::broadcast(factor[2 * row + 1]);
          sum[row][0] = multiply_add(-by_im, im, multiply_add(by_re, re, sum[row][0]));
          sum[row][1] = multiply_add(by_im, re, multiply_add(by_re, im, sum[row][1]));
        }
      }
    }
    for (int row = 0; row < rows_at_once; ++row) {
      for (int c = 0; c < components; ++c) simd::store(out + (row * components + c) * num_lanes + part, sum[row][c]);
    }
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {multiply<1>, multiply<2>};

}  // namespace matchcount::loop_kernel
