#pragma once
// Holds what sums along tree decompositions cost: seconds of one thread of the machine of the cost models.
// `matchcount-bench fit trees` finds them anew.

namespace matchcount::trees_costs {

// A product with a weight, a product of values, a word of these, a pair that is looked at only, and a bag beside its
// states. Of more states of a bag than are cached all but the tries wait for memory.
inline constexpr double move_s = 4.5e-8, product_s = 1.1e-7, word_s = 1.5e-9, try_s = 2e-9, bag_s = 1.5e-6;
inline constexpr double cached_states = 8192, wait_for_memory = 3;
// A product of reals, and one of complex numbers.
inline constexpr double real_s = 6e-8, complex_s = 2.4e-7;
// A term of a polynomial, and a word of it, that is moved; products of them take so many times longer on the machine of
// the cost models than on that of cost_of_products (core/numbers/polynomial.hpp).
inline constexpr double term_s = 2e-8, term_word_s = 5e-10, older_machine = 2.3;
// The search: an edge that is looked at while a graph is eliminated, and a bag while its decomposition is balanced and
// spelled out.
inline constexpr double look_s = 5e-9, build_s = 4e-6;

}  // namespace matchcount::trees_costs
