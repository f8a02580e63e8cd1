#pragma once
// Makes random bit matrices and checks their products, for the benchmarks that multiply them.

#include "core/run.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::bench {

// Draws an n x n matrix; `matrix` is 0 or 1 and tells two of one seed apart.
BitMatrix random_bits(std::size_t n, std::uint64_t seed, std::uint64_t matrix);

// Multiplies on a CPU.
BitMatrix product_on_cpu(BitSum sum, const BitMatrix& a, const BitMatrix& b, RunOptions options);

// Returns whether each of some rows of c is the sum of the rows of b that its row of a selects.
bool is_product(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c);

}  // namespace matchcount::bench
