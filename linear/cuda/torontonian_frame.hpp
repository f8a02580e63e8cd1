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

// Returns of how many modes a thread has a matrix in shared memory, the last that does not fit into registers; values
// have one part or two.
constexpr int own_modes_of(int parts) { return parts == 1 ? 5 : 4; }
// Counts its values, an odd number, so that those of neighbours are in different banks.
constexpr int own_values_of(int parts, bool has_loops) {
  return own_modes_of(parts) * (2 * own_modes_of(parts) + (has_loops ? 3 : 1)) | 1;
}
// Counts the doubles of shared memory of a block: the matrix and the loops, so many, those of threads, and rows of
// pivots or the threads' sums.
inline unsigned shared_doubles(const TorontonianFrame& frame, unsigned given, int parts) {
  const unsigned own = torontonian_threads * static_cast<unsigned>(own_values_of(parts, frame.has_loops) * parts);
  const unsigned pivots = static_cast<unsigned>(2 * frame.num_modes * parts);
  const unsigned sums = torontonian_threads * static_cast<unsigned>(parts + 1);
  return given + own + (pivots > sums ? pivots : sums);
}

// A task gives the sum of its terms, high and low, and that of their magnitudes.
struct TorontonianSum {
  double high, low, magnitude;
};

}  // namespace matchcount::gpu
