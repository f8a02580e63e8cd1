#pragma once
// Says how the host describes a torontonian to the kernels. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

constexpr unsigned torontonian_threads = 128;
// A block takes the modes down to these, its threads the next log2(torontonian_threads); a thread sums the rest.
constexpr int thread_modes = 8, block_modes = thread_modes + 7;
constexpr int fewest_torontonian_modes = block_modes + 3;
// Fewer modes come in batches: as many threads as thread_modes leaves sum a matrix, 2^few_thread_bits at least.
constexpr int few_thread_bits = 3, fewest_batch_modes = 8;

// A task of a matrix is a path: bit b says whether the mode num_modes - 1 - b is in its subsets. Those of a piece are
// neighbours and have its number as their lowest piece_bits. Where one block takes several matrices they are a task.
struct TorontonianFrame {
  int num_modes;
  int has_loops;
  int piece_bits, task_bits;  // task_bits: num_modes - block_modes, or 0
  int thread_bits;            // of the threads of a matrix
};
// Counts the values of a matrix up to its diagonal, row by row, of the loops, and f and k: a term is multiplied by
// exp(f v_S^T A_S^-1 v_S), whose exponents are halved k times.
constexpr unsigned values_of_matrix(int num_modes, bool has_loops) {
  const unsigned rows = static_cast<unsigned>(2 * num_modes);
  return rows * (rows + 1) / 2 + (has_loops ? rows : 0) + 2;
}
constexpr unsigned matrices_of_block(const TorontonianFrame& frame) { return torontonian_threads >> frame.thread_bits; }

// Returns of how many modes a thread has a matrix in shared memory, the last that does not fit into registers; values
// have one part or two.
constexpr int own_modes_of(int parts) { return parts == 1 ? 5 : 4; }
// Counts its values, an odd number, so that those of neighbours are in different banks.
constexpr int own_values_of(int parts, bool has_loops) {
  return own_modes_of(parts) * (2 * own_modes_of(parts) + (has_loops ? 3 : 1)) | 1;
}
// Counts the doubles of shared memory of a block: the values of matrices, those of threads, and rows of pivots or the
// threads' sums.
inline unsigned shared_doubles(const TorontonianFrame& frame, int parts) {
  const unsigned given =
      values_of_matrix(frame.num_modes, frame.has_loops != 0) * matrices_of_block(frame) * static_cast<unsigned>(parts);
  const unsigned own = torontonian_threads * static_cast<unsigned>(own_values_of(parts, frame.has_loops) * parts);
  const unsigned pivots = static_cast<unsigned>(2 * frame.num_modes * parts);
  const unsigned sums = torontonian_threads * static_cast<unsigned>(parts + 1);
  return given + own + (pivots > sums ? pivots : sums);
}

// A task gives for each of its matrices the sum of terms, high and low, and that of their magnitudes.
struct TorontonianSum {
  double high, low, magnitude;
};

}  // namespace matchcount::gpu
