#pragma once
// Holds what the frontier method costs: seconds of one thread of the machine of the cost models (a virtual Intel Xeon
// with AVX-512, 2.0 GHz nominal), and figures of an H200. `matchcount-bench fit frontier` finds those of a CPU anew.

namespace matchcount::frontier_costs {

// A transition, by its number: a word of an integer, a real or complex number in doubles or double-doubles. A layer
// stays in the second-level cache (mesh1e1, grid 20 x 20); in larger ones (bcsstk01, random n = 40) it is `memory`
// times as long.
inline constexpr double word_s = 1.2e-9, real_s = 1.2e-9, real_pair_s = 3.5e-9, complex_s = 3e-9,
                        complex_pair_s = 14e-9;
inline constexpr double log2_cached_states = 19, memory = 1.2;
// Reals that may cancel are counted in magnitudes too: what that adds to a transition.
inline constexpr double magnitude_s = 1.2e-9;
// A transition between sorted layers, whatever the numbers, since k streams are merged twice (complete graphs of 28 and
// 30 vertices, in integers and in doubles).
inline constexpr double sorting_s = 1.4e-7;
// A transition of the sparse engine takes about as long as so many of the dense one (40 x 40, density 0.3, every column
// twice; 36 x 36, density 0.5), and in layers that no cache holds (26 x 35 and 30 x 40, density 0.3, with rows of ones)
// that many times as long.
inline constexpr double sparse = 20, sparse_memory = 1.8, log2_sparse_cached_states = 20;
// A count, a step of it, and the square of the width: tables.
inline constexpr double count_s = 7e-4, step_s = 2e-6, square_width_s = 1.5e-6;
// A transition of marginals, forwards and backwards, all layers being kept; a prediction (bcsstk01, grids).
inline constexpr double kept_transition_s = 4e-9;

// The search for an order: an evaluation, and the transition that it saves; one of orders with twins.
inline constexpr double evaluation_s = 1.1e-8, saved_transition_s = 1.2e-9, saved_transition_of_twins_s = 2.5e-8;

// Sums over other matchings modulo a prime: a dense transition, one more coefficient there, a sparse transition and a
// step (grids 16 x 16, 5 x 5 x 5, complete graphs of 24 vertices); dense ones in so many doubles.
inline constexpr double dense_s = 2.5e-9, lane_s = 1.6e-9, sparse_s = 2.4e-8, matching_step_s = 2e-6;
inline constexpr double dense_in_doubles_s[] = {0, 2.5e-9, 6e-9, 6e-9, 2.4e-8};
// Dense ones as a program: a byte that is read or written, and one that is changed (5 x 6 x 6).
inline constexpr double byte_s = 2e-10, transition_byte_s = 6e-11;
// Integers that grow: an addition, and a word of a product or sum.
inline constexpr double integer_s = 1.2e-7, integer_word_s = 2e-9;
// Lightest matchings: a transition (kings' boards of 8 x 8 to 12 x 12 with weights of 1 to 9).
inline constexpr double lightest_transition_s = 1e-8;
// A pass is shared by threads, or taken to GPUs, from so many seconds on.
inline constexpr double worth_teams_s = 2e-3, worth_a_gpu_s = 1;

}  // namespace matchcount::frontier_costs

namespace matchcount::frontier_costs::gpu {

// Transitions a second of single steps, modulo one prime, and how much quicker joined ones make them; the time of a
// step beside them, on the host; and the start of the driver. The search for an order counts on fewer transitions,
// since small layers keep a GPU less busy.
inline constexpr double transitions_per_s = 3.5e11, gain_of_joined_steps = 1.4, search_transitions_per_s = 1e11,
                        step_s = 3e-4, start_s = 0.25;
// Layers that are sorted (lund_a): old states that moves look at, a second, and values of these.
inline constexpr double looks_per_s = 1.5e10, values_per_s = 2e12;
// Bytes a second from one of several GPUs that hold a layer together to another, each way at once (two H200).
inline constexpr double link_bytes_per_s = 3.5e11;
// A program of other matchings (6 x 6 x 6): bytes and operations a second, and a launch.
inline constexpr double program_bytes_per_s = 1.1e12, program_operations_per_s = 4.5e11, launch_s = 2e-5;

}  // namespace matchcount::frontier_costs::gpu
