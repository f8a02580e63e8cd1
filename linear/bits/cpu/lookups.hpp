#pragma once
// Adds products of bit matrices to others on threads, by tables of sums.

#include <cstdint>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount {

// c = c + a b, where row j of b is `rows[j]`, null a row of zeros: as many as a has columns, each as many strips as c.
// The columns of c begin at a strip, those of a at a word. c is
// apart from a and b. Throws what run.check() throws. Memory: that of a
// again, and 300 KiB a thread. Time: rows of c times words of a row of a times strips of c, 3 ns each (AVX-512).
void add_product(BitSum sum, BitView c, ConstBitView a, std::span<const std::uint64_t* const> rows,
                 const RunContext& run);

// Returns the rows of a matrix as add_product takes them.
std::vector<const std::uint64_t*> rows_of(ConstBitView matrix);

// c = a + b, all of the same size; c may be a.
void add(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const RunContext& run);

}  // namespace matchcount
