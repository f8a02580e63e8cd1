#pragma once
// Says how the host describes sums over subsets of pairs to the kernels. Plain, so that both compilers lay it out
// alike.

namespace matchcount::gpu {

constexpr int pair_threads = 128;  // of a block
constexpr int fewest_kernel_pairs = 7, most_kernel_pairs = 40;
constexpr int most_task_pairs = 17;  // that are in some of a task's subsets alone, and the first

// A task is a prime and a path: bit b says whether the pair num_pairs - 1 - b is in its subsets. Tasks of a piece are
// neighbours: prime by prime, all values of the last lane_bits of the path's bits; the others are the piece's number.
struct PairFrame {
  int num_pairs;
  int path_bits, lane_bits;
  int num_primes;  // 1 where numbers are rounded
  int chunks;      // of coefficients, of as many as the kernel computes at a time; one more is copied
  int stride;      // values from series to series; where numbers are rounded the last is the bound of magnitudes
  // Series of the matrices that are kept in a block's scratch memory before that of so many pairs.
  unsigned series_before[most_kernel_pairs + 1];
};

struct PairModulus {
  double prime, inverse;
};

}  // namespace matchcount::gpu
