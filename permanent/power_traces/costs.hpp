#pragma once
// Holds what sums over subsets of pairs cost: seconds of one thread of the machine of the cost models, and figures of
// an H200. `matchcount-bench fit power_traces` finds those of this machine's instruction set anew.

namespace matchcount::power_traces_costs {

// A multiplication of doubles or of residues modulo a prime, by instruction set (baseline, AVX2, AVX-512);
// double-doubles take so many times as long.
inline constexpr double multiplication_s[] = {4.5e-10, 1.1e-10, 0.6e-10}, double_double = 14;
inline constexpr double count_s = 1e-5;
// The share of a device's operations that kernels reach (H200; bench/results/power-traces.json), and its start.
inline constexpr double gpu_efficiency = 0.26, gpu_start_s = 0.2;

}  // namespace matchcount::power_traces_costs
