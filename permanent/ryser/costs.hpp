#pragma once
// Holds what inclusion-exclusion costs: nanoseconds of one thread in CPU time on an Intel Xeon of family 6, model 167
// (AVX-512), by instruction set (baseline, AVX2, AVX-512), and figures of an H200. `matchcount-bench fit ryser` finds
// those of this machine's instruction set anew.

namespace matchcount::ryser_costs {

// A leaf, at n = 18 to 36: `operation` for each of the plan's operations, `leaf` for the tables of one that is reached.
struct Leaf {
  double operation;
  double leaf;
};
inline constexpr Leaf exact[] = {{0.12, 8}, {0.077, 2.5}, {0.038, 1.2}};
inline constexpr Leaf real[] = {{0.266, 5.4}, {0.123, 3.0}, {0.067, 0.87}};
inline constexpr Leaf double_double[] = {{2.5, 0}, {0.725, 4.7}, {0.368, 0.5}};
inline constexpr Leaf complex[] = {{1.01, 10}, {0.35, 6}, {0.215, 1.7}};
inline constexpr Leaf complex_double[] = {{7.1, 0}, {1.89, 10}, {1.32, 1}};
inline constexpr double residue[] = {8.6, 0.89, 0.55};     // of exact leaves, a prime and a group of rows
inline constexpr double modular[] = {2.87, 0.363, 0.234};  // an operation where rows pass 2^50, a prime

// A row and sign vector of minors, at n = 22; where sums over levels of the tree have met in registers since, the less
// by what that saved on an AMD EPYC. `sample`: in doubles and, where these do not do, double-doubles, n = 28.
inline constexpr double real_minor[] = {1.4, 0.52, 0.26};
inline constexpr double double_double_minor[] = {9.5, 3.6, 1.8};
inline constexpr double complex_minor[] = {3.1, 1.2, 0.68};
inline constexpr double complex_double_minor[] = {25, 9.5, 5.5};
inline constexpr double residue_minor[] = {5.1, 1.0, 0.5};  // a prime
inline constexpr double sample[] = {4, 1.5, 0.6};
// Seconds beside these: of a sum, of minors, and of a row of a sample.
inline constexpr double sum_s = 2e-5, minors_s = 5e-5, sample_row_s = 5e-5;

}  // namespace matchcount::ryser_costs

namespace matchcount::ryser_costs::gpu {

// The share of its ceiling that a device reaches, on one H200 at n = 40: dense 0.87, density 0.3 to 0.5 0.83 to 1.02 of
// what the walk's cost predicts; 0.63 and 0.34 at 0.2 and 0.1, where sums take hundredths of a second.
inline constexpr double efficiency = 0.85;
// Starting the driver and a context; searching an order; compiling the kernel.
inline constexpr double start_s = 0.25, search_s = 0.2, least_compile_s = 0.15;
// Products of integers are written out word by word: NVRTC took 0.8 s at 6 words, 17 to 27 s at 40 on a busy machine.
inline constexpr double compile_s_of_square_word = 0.006;
// A GPU does roughly so many, where the budget of a search for an order is found.
inline constexpr double operations_per_s = 1.5e13;

}  // namespace matchcount::ryser_costs::gpu
