#pragma once
// Says how the host describes a step of the frontier method to the kernels. Plain, so that both compilers lay it out
// alike.

namespace matchcount::gpu {

constexpr unsigned frontier_threads = 256;  // of a block
constexpr unsigned frontier_highs = 64;     // high masks that a block makes the states of, at the most

// A choice leads from the old states with these high bits to new ones; see DenseStep.
struct FrontierChoice {
  unsigned long long test, expect, fixed, value, low_part;
};
// Stands for no old state in the gather table, which gives for each state of a new block its source's place in the old
// one.
constexpr unsigned frontier_no_source = 0xffff;

struct FrontierWeight {
  unsigned factor, quotient;  // as ResidueWeight
};

// Tables are words of 64 bits, one after the other at `tables`:
//   num_rows of binomials C(n, k), k < binomial_columns, for n = 0, 1, ..., the larger width; none by parity
//   num_sums: the sum over i < j of C(n, i), j <= high_width + 1, for n = 0, 1, ..., high_width
//   of each bit of a new high mask, its place in an old one, as a mask
//   choices, num_choices of FrontierChoice
//   num_primes: of each number that stands side by side, modulo primes; none of other numbers
//   weights: num_choices of words_of_weight for each number
struct FrontierGpuStep {
  unsigned long long first_high, end_high;  // among the valid high masks, in ascending order
  unsigned long long tables;                // address
  unsigned long long gather;            // address; for every low part, for every class of low masks, 16 bits a state
  unsigned long long from, to, stride;  // addresses, and slots from plane to plane
  unsigned num_rows, binomial_columns, num_sums;
  unsigned high_width, target_low, source_low, target_class, source_class, by_parity;
  unsigned num_choices, num_primes, num_numbers, words_of_weight;
  unsigned most_sources;   // choices that lead to one high mask
  unsigned highs, splits;  // high masks of a block; blocks that share their numbers
};

}  // namespace matchcount::gpu
