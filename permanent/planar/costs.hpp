#pragma once
// Holds what Kasteleyn's method costs on one thread of the machine of the cost models, which has AVX-512.
// `matchcount-bench fit planar` finds the constants anew.

namespace matchcount::planar_costs {

// A count, in nanoseconds of a batch of primes, one a lane: a multiplication, an entry of a front, and a pivot, on
// grids of 128 and 256 a side. Without vectors a lane takes `slowness` times as long.
inline constexpr double multiplication_ns = 2.2, entry_ns = 7.6, pivot_ns = 350, slowness = 3;
// The elimination that finds the program, and the remainder theorem, by pairs of primes.
inline constexpr double found_multiplication_ns = 2, found_entry_ns = 4, pair_of_primes_ns = 1.8;
// Seconds of a count, and of a vertex of a term that is written down and whose sign a matching gives.
inline constexpr double count_s = 1e-4, term_vertex_s = 3e-6;

// Marginals modulo a prime: a multiplication, an entry of a front and an edge (grids of 64 and 256 a side); in
// double-doubles, beside a total of which a prime takes so much less.
inline constexpr double marginal_multiplication_s = 1e-9, marginal_entry_s = 1e-8, marginal_edge_s = 2e-8;
inline constexpr double marginal_pair_multiplication_s = 1.5e-8, share_of_total = 0.15;

// Samples: a multiplication of the elimination, and for each sample one of these and an entry (grids of 64 and 256 a
// side).
inline constexpr double sampler_multiplication_s = 1.5e-8, sample_multiplication_s = 1e-8, sample_entry_s = 3e-8;
// A vertex while entries are balanced, for no longer than an elimination takes.
inline constexpr double balance_vertex_s = 2.5e-8;
// A surface that is cut: an entry of the cut's matrix, what it takes more where the graph is not bipartite or the
// surface twisted, and a vertex (tori of 16 to 100 a side, of squares and triangles, and Klein bottles).
inline constexpr double cut_entry_s = 7e-9, skew = 2, twisted = 3.5, cut_vertex_s = 3e-5;

}  // namespace matchcount::planar_costs
