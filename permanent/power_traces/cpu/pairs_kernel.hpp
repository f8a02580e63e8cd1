#pragma once
// Sums up what the subsets of pairs below a piece give to a hafnian, in eight lanes: the inner loops.

#include <cstddef>
#include <cstdint>

namespace matchcount::pairs_kernel {

constexpr int num_lanes = 8;
constexpr int log2_lanes = 3;
constexpr int max_pairs = 40;
constexpr int max_components = 4;

struct Problem {
  int num_pairs = 0;                // of vertices 2 i and 2 i + 1
  const double* entries = nullptr;  // of the matrix below its diagonal, row by row, by component
  const double* loops = nullptr;    // by vertex and component; null: there are none
  double prime = 0, inverse = 0;    // of residues
};

// Names the subsets of a piece: bit b of `path` says whether the pair num_pairs - 1 - b is in them, and of the
// lane_bits pairs before those the bits of a lane's number.
struct Piece {
  std::uint64_t path = 0;
  int path_bits = 0;
  int lane_bits = 0;
};

// Returns how many doubles a kernel works in, at a multiple of 64 bytes.
constexpr std::size_t scratch_size(int num_pairs, int components) {
  std::size_t series = 2;
  for (int s = 2 * num_pairs; s >= 2; s -= 2)
    series += static_cast<std::size_t>(s) * static_cast<std::size_t>(s + 1) / 2 + 1;
  return series * static_cast<std::size_t>(num_pairs * components * num_lanes);
}

// Writes the sum of each lane, [component][lane].
using Kernel = void (*)(const Problem& problem, const Piece& piece, double* scratch, double* sum);

struct Kernels {
  Kernel real;            // 1 component
  Kernel double_double;   // 2: high and low parts
  Kernel complex;         // 2: real and imaginary parts
  Kernel complex_double;  // 4: real high, real low, imaginary high, imaginary low
  Kernel residue;         // 1: |.| <= prime / 2 + 2, of a prime below 2^24
  Kernel magnitude;       // 1: the series at 1 in place of their coefficients, and all subsets added
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::pairs_kernel
