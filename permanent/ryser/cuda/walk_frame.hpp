#pragma once
// Defines what a precompiled kernel needs to know of a matrix beside its entries; passed by value, so that it lies in
// constant memory. Shared by host and device.
//
// Rows stand in four sections, each in groups whose row sums are multiplied with each other before their product goes
// anywhere else: at most `field_group` rows, or for integers as many as keep the product exact in a double.

namespace matchcount::gpu {

struct WalkFrame {
  static constexpr int max_rows = 62, max_groups = 64, field_group = 4;
  // A row moves if one of the low bits of the walk, those of the block, touches it.
  enum Section { special_still, plain_still, special_moving, plain_moving, num_sections };

  int rows, bits, walk_bits;
  int log2_pass_chunks;  // chunks of a pass: each has primes of its own
  bool has_special, unit_special, floors, skip_zeros;
  double skipped_size;  // what passing over a block may leave out of the magnitudes, per size of its still rows
  int first_group[num_sections + 1];
  int first_row[max_groups + 1];  // of a group
  // Scale and floor of the magnitude of a group of plain rows.
  double scale[max_groups], floor[max_groups];
  // Rows that a bit touches: [first_touched[bit], first_touched[bit + 1]) of a list.
  int first_touched[max_rows + 1];
};

}  // namespace matchcount::gpu
