#pragma once
// Chooses the order in which a GPU walks the subsets, and how many low bits make a block (block_program.hpp).

#include <vector>

#include "permanent/ryser/cuda/block_program.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount::gpu {

struct WalkPlan {
  RyserPlan order;  // variant, special and fixed column, bit columns; stages and costs are those of a CPU
  int inner_bits = 0;
  double operations_per_leaf = 0;  // in the arithmetic's multiplications, all of the walk counted
};

// Magnitudes of the entries, row-major; of exact numbers they decide how wide products are.
struct WalkMatrix {
  Vertex size = 0;
  std::vector<double> magnitude;  // 0 where there is no entry

  double at(Vertex row, Vertex column, bool transposed) const {
    return transposed ? magnitude[std::size_t{column} * size + row] : magnitude[std::size_t{row} * size + column];
  }
};

// Rows in the plan's orientation, as the walk sees them. `ryser` and `sparyser` multiply every row at every leaf.
std::vector<WalkRow> walk_rows(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits);

// Searches special column, order and block size for the least cost, from the order that a CPU would take. The result
// does not depend on the number of threads. At most 0.2 s on 8 threads.
WalkPlan plan_walk(const WalkMatrix& matrix, const RyserPlan& start, const Numbers& numbers, std::uint64_t seed,
                   int num_threads);
// The same, but only the first `free_bits` columns change places: what the others and the special column are is agreed.
WalkPlan plan_walk_within(const WalkMatrix& matrix, const RyserPlan& start, const Numbers& numbers, std::uint64_t seed,
                          int num_threads, int free_bits);

// Returns the cost of the walk a leaf; infinity where the block would need more registers than a thread has.
double walk_cost(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits, const Numbers& numbers);

// Bits above the block from here up are looped over; those below have their columns and rows written out: a few that
// touch few rows, so that the code stays in the instruction cache.
int top_level(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits);
inline constexpr int unrolled_levels = 4;

}  // namespace matchcount::gpu
