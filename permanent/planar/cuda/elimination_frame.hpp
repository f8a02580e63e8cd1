#pragma once
// Defines what the host and the kernels of elimination programs say to each other. Plain, so that both compilers lay it
// out alike.

#include "permanent/planar/cpu/elimination_front.hpp"

namespace matchcount::gpu {

constexpr int elimination_lanes = 32;  // primes of a group: one for each thread of a warp
constexpr int most_elimination_warps = 16;

constexpr int elimination_tile = 4;    // rows and columns of a warp's tile
constexpr int elimination_window = 8;  // terms from one correction of sums to the next

// EliminationModulus belongs to a prime p between 2^29 and 2^30.
struct EliminationModulus {
  unsigned prime, minus_inverse;  // -1/p modulo 2^32
  unsigned one, to_montgomery;    // 2^32 and 2^64 modulo p
  unsigned root;                  // of -1, in Montgomery's form
};

// Places are entries of a group's arena, an entry being the residues of all its lanes. Behind the entries of a front
// comes the product of the pivots of its subtree.
struct GpuFront {
  unsigned long long place;
  unsigned rows, columns, pivots;
  unsigned first_child, num_children;
  unsigned first_entry, num_entries;
};
struct GpuChild {
  unsigned long long place;    // of the first entry that it left
  unsigned long long product;  // of the product of its pivots
  unsigned columns;            // from one of its rows to the next
  // Each row of the parent, then (if not skew) each column, has in the map the row and column of what the child left,
  // or elimination_nowhere.
  unsigned first_map;
};
constexpr unsigned elimination_nowhere = 0xffffffffu;

}  // namespace matchcount::gpu
