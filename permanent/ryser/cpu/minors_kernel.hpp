#pragma once
// Sums products of all row sums but one over a chunk of sign vectors, for every row, in eight lanes: the inner loops of
// all minors of a matrix.
//
// A chunk fixes the signs of the columns (bits) from walk_bits up, apart from three that differ from lane to lane; all
// lanes walk the same signs of the bits below. minors.cpp builds a program from a matrix, and says what is summed.

#include <cstddef>

#include "permanent/ryser/cpu/ryser_kernel.hpp"

namespace matchcount::minors_kernel {

constexpr int num_lanes = ryser_kernel::num_lanes;
constexpr int max_rows = ryser_kernel::max_rows;
constexpr int max_components = ryser_kernel::max_components;

struct Program {
  int rows = 0;
  int first_row = 0;              // from there on rows are left out in turn; the others stay in all products
  int walk_bits = 0;              // at least the kernels' block bits
  const double* flip = nullptr;   // by bit, row, component: twice the entry
  const double* floor = nullptr;  // by row: the least magnitude that a row sum counts with; none for residues
  // Residues: the product of the rows of a group, group_end[g - 1] to group_end[g], stays at most 2^50, and that of all
  // is reduced modulo the prime.
  const int* group_end = nullptr;
  int num_groups = 0;
  double prime = 0, inverse = 0;
};

// ChunkSums is the outcome of a chunk, lane by lane, without the sign of the fixed bits. With s(d) the product of the
// walked signs d and p the product of all row sums but one.
struct ChunkSums {
  double total[max_components][num_lanes] = {};  // sum of s(d) times the product of all row sums
  double magnitude[num_lanes] = {};              // sum of the products of y = max(|row sum|, floor)
  double largest_minor[num_lanes] = {};          // the same without the least of the factors
  // [k * (rows - first_row) + row - first_row][component][lane]: k = 0: sum of s(d) p; k > 0: of s(d) d_{k - 1} p.
  double* sums = nullptr;
};

// Doubles behind ChunkSums::sums, and in the scratch space of a thread.
constexpr std::size_t num_sums(const Program& program, int components) {
  return static_cast<std::size_t>(program.rows - program.first_row) * static_cast<std::size_t>(program.walk_bits + 1) *
         static_cast<std::size_t>(components) * num_lanes;
}
constexpr std::size_t scratch_size(const Program& program, int components) {
  return num_sums(program, components) * static_cast<std::size_t>(program.walk_bits + 2) / 2 + num_lanes;
}

// `start` holds the row sums at the chunk's first sign vector, all walked bits -1: [row][component][lane].
using ChunkKernel = void (*)(const Program& program, const double* start, double* scratch, ChunkSums& out);

struct Kernels {
  ChunkKernel real, double_double, complex, complex_double;
  ChunkKernel residues;                         // row sums are integers of at most 2^50
  ChunkKernel reduced_residues;                 // row sums are balanced residues, each of them a group
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};
// Bits that the walk needs at the least.
constexpr int least_walk_bits = 3;

}  // namespace matchcount::minors_kernel
