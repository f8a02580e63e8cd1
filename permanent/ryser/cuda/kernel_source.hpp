#pragma once
// Writes CUDA C++ for one matrix: its values and pattern as constants, row sums in registers, the block written out.
//
// The text is complete: NVRTC compiles it without a header. It defines sum_tasks (kernel_frame.cuh) and struct Walk,
// which a host compiler accepts too.
//
// Error bound of reals. Entries are multiples of a grid on which all row sums are exact (permanent/ryser/subsets.hpp),
// so that a row sum x_i errs by at most delta_i, from the entries alone. Rows of the special column enter as x_i + i
// c_i, whose absolute value is at least |c_i|: a relative error of at most delta_i / |c_i|. Others are multiplied in
// groups of at most `floor_rows`; a product T of such rows errs by at most eps = prod (R_i + delta_i) - prod R_i, and
// with the floor phi = eps / eta added to its magnitude that is eta (|T| + phi), eta = kappa * sum delta_i / rms_i over
// the group. The sum W of the magnitudes of all leaves then bounds the error of the sum by
//   (prod (1 + kappa delta_i / rms_i) prod (1 + delta_i / |c_i|) (1 + u)^depth - 1) W.
// kappa is the least with which no floor exceeds a quarter of its product's typical size.
// Where no entry is negative the entries' errors need none of this: relative to the permanent they come to at most
// prod (1 + max_j of the entry's relative error) - 1, and W without floors bounds the roundings. Dense such matrices
// have pairs as ends: of (x_i + c_i) and (x_i - c_i) every factor is rounded once, relative to itself, so that the sum
// of both products' absolute values is the magnitude.

#include <array>
#include <cstdint>
#include <vector>

#include "permanent/ryser/cuda/walk_plan.hpp"
#include "permanent/ryser/kernel.hpp"

namespace matchcount::gpu {

// KernelInput is everything that a kernel is made for. Row-major, in the matrix's own orientation; rows of the vectors
// by plan row are columns where the plan is transposed.
struct KernelInput {
  WalkMatrix magnitudes;
  WalkPlan plan;
  Numbers numbers;
  std::vector<std::array<double, 4>> values;  // fields: components, 0 elsewhere
  std::vector<std::int64_t> integers;         // exact
  // Fields, by plan row.
  std::vector<double> row_bound;      // R_i, at least the sum of |entries| outside the special column
  std::vector<double> row_rms;        // root of the sum of |entry|^2
  std::vector<double> row_error;      // delta_i
  std::vector<double> special_value;  // |c_i|; 0 where there is none
  std::vector<double> special_error;  // of c_i
  bool skip_zeros = false;
  int walk_bits = 0;
};

Kernel make_kernel(const KernelInput& input);

// The parts of the text that are the same for all kernels (kernel_library.cuh, kernel_frame.cuh).
extern const char* const kernel_library_text;
extern const char* const kernel_frame_text;

}  // namespace matchcount::gpu
