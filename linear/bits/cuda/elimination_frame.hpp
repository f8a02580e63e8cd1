#pragma once
// Says what the host and the kernels of elimination tell each other. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

// Columns that are factored by steps of 64 before others see their pivots, and threads of the kernels.
constexpr unsigned bit_panel_columns = 1024, pivot_threads = 512, panel_threads = 256, move_threads = 512;

// A step has 64 pivots at most, and as many rows make place for them.
struct BitMoves {
  unsigned rank;  // pivots so far, whose rows are the first ones
  unsigned count;
  unsigned from[128], to[128];
};

// A matrix on a device, in rows of whole strips, and what is known of its pivots: by column, the row with its pivot, or
// no_row, and which pivots of the same 64 columns add up to the row that has a 1 in this column alone among theirs;
// by 64 columns, the rank up to their last.
struct BitElimination {
  unsigned long long matrix, stride;  // bytes
  unsigned long long moves, pivot_rows, combinations, rank_after;
  unsigned num_rows, columns;
};

}  // namespace matchcount::gpu
