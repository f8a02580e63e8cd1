#pragma once
// Multiplies bit matrices: the Boolean product is an OR of ANDs, the binary one, over GF(2), an XOR
// of ANDs.

#include "core/api.hpp"
#include "core/run.hpp"
#include "linear/bits/matrix.hpp"

namespace MATCHCOUNT_API matchcount {

// Computes the m x n product of a, m x k, and b, k x n. By tables of sums (linear/bits/cpu/bits_isa.cpp); the binary
// one by Strassen's method in Winograd's form above that, from 16384 rows and columns on. On GPUs (tensor cores from
// sm_80 on, linear/bits/cuda/), tile by tile, where run.options().device names them; `automatic` is the CPU. Throws
// InputError where the sizes do not fit, OverLimit before it begins where product_bytes pass the memory limit, and what
// run.check() throws.
BitMatrix boolean_product(ConstBitView a, ConstBitView b, const RunContext& run = {});
BitMatrix binary_product(ConstBitView a, ConstBitView b, const RunContext& run = {});

// Returns the memory of the host that such a product takes beside its factors, the result included.
double product_bytes(std::size_t m, std::size_t k, std::size_t n, bool on_gpus = false);

}  // namespace matchcount
