#pragma once
// Defines what the host and the kernels of determinants say to each other. Plain, so that both compilers lay it out
// alike.

#include "linear/cpu/dense_bound.hpp"

namespace matchcount::gpu {

constexpr int determinant_panel_rows = 64;  // and columns of an inverse
constexpr int determinant_threads = 256;    // of a block that factors or multiplies
constexpr int determinant_tile = 64;        // rows and columns of a product's block

struct DeterminantModulus {
  unsigned prime, negated_inverse, to_montgomery, one;  // one: 2^32 modulo prime
};

// DeterminantState is left by a panel of one matrix: column from[i] of before belongs to to[i], for i < moves, which is
// an odd or even permutation as all `exchanges` so far are odd or even.
struct DeterminantState {
  int singular;
  int exchanges;
  int moves;
  int from[2 * determinant_panel_rows], to[2 * determinant_panel_rows];
};

}  // namespace matchcount::gpu
