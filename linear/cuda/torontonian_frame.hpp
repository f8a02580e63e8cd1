#pragma once
// Says how the host describes a torontonian to the kernels. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

constexpr unsigned torontonian_threads = 128;
// A block takes the modes down to these, its threads the next log2(torontonian_threads); a thread sums the rest.
constexpr int thread_modes = 8, block_modes = thread_modes + 7;
constexpr int fewest_torontonian_modes = block_modes + 3;

// A task is a path: bit b says whether the mode num_modes - 1 - b is in its subsets. Those of a piece are neighbours
// and have its number as their lowest piece_bits.
struct TorontonianFrame {
  int num_modes;
  int has_loops;
  int piece_bits, task_bits;  // task_bits: num_modes - block_modes
  int squarings;              // of exponents
  double factor;              // a term is multiplied by exp(factor v_S^T A_S^-1 v_S)
};

// Counts the doubles of shared memory of a block: the matrix and the loops, so many, and rows of pivots or the threads'
// sums; values have one part or two.
inline unsigned shared_doubles(const TorontonianFrame& frame, unsigned given, unsigned parts) {
  const unsigned pivots = 2 * static_cast<unsigned>(frame.num_modes) * parts;
  const unsigned sums = torontonian_threads * (parts + 1);
  return given + (pivots > sums ? pivots : sums);
}

// A task gives the sum of its terms, high and low, and that of their magnitudes.
struct TorontonianSum {
  double high, low, magnitude;
};

}  // namespace matchcount::gpu
