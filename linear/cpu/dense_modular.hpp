#pragma once
// Finds products and determinants of dense matrices of residues modulo an odd prime below 2^31.

#include <cstddef>
#include <cstdint>

#include "linear/cpu/dense_elimination.hpp"
#include "linear/cpu/dense_kernels.hpp"

namespace matchcount::dense {

// c = c - a b, with a of m x k, b of k x n residues; c is apart from both. Throws what run.check() throws.
void subtract_product(const DenseModulus& modulus, ResidueView c, ResidueView a, ResidueView b, std::size_t m,
                      std::size_t n, std::size_t k, const Execution& execution);

// Determinants of n x n residues, which are used up; 1 where n is 0. Elimination takes n^3 / 3 multiplications, nearly
// all in blocks; condensation twice as many.
std::uint32_t eliminate(const DenseModulus& modulus, ResidueView matrix, std::size_t n, const Execution& execution);
std::uint32_t condense(const DenseModulus& modulus, ResidueView matrix, std::size_t n, const Execution& execution);

}  // namespace matchcount::dense
