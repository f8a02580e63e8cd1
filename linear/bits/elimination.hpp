#pragma once
// Finds rank, determinant and inverse of bit matrices over GF(2), by elimination in blocks.

#include <cstddef>
#include <optional>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/run.hpp"
#include "linear/bits/matrix.hpp"

namespace MATCHCOUNT_API matchcount {

// The matrix is taken by value, since it is worked on in place: move it in. Each takes n^3 / 3 pairs of bits (the
// inverse n^3) where a product takes n^3. On the first GPU that run's options name, where they ask for one or the CPU
// would take seconds; the inverse on the CPU alone. Throws OverLimit before it begins where the memory limit would be
// passed (the matrix and as much again; for the inverse three times that) or that GPU has no room, and what run.check()
// throws.
std::size_t binary_rank(BitMatrix matrix, const RunContext& run = {});

// Says whether the determinant is 1. Ends at the first column that depends on those before it. Throws InputError where
// the matrix is not square.
bool binary_determinant(BitMatrix matrix, const RunContext& run = {});
// Returns the GPU that it takes; nothing: the CPU. Throws OverLimit where the one that was asked for has no room.
std::optional<DeviceInfo> binary_determinant_gpu(std::size_t n, const RunContext& run = {});
// Returns the memory that it takes, the matrix included.
double binary_determinant_bytes(std::size_t n);

// Inverts the matrix; nothing if there is no inverse. Throws InputError if the matrix is not square.
std::optional<BitMatrix> binary_inverse(ConstBitView matrix, const RunContext& run = {});

}  // namespace matchcount
