#pragma once
// Computes many loop hafnians of one matrix, whose loops change.

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Computes loop hafnians of one symmetric n x n matrix, n >= 1, for as many vectors of n loops as there are, one behind
// the other; the matrix's diagonal is not read. From 6 to 22 vertices, and from twice as many vectors on, these share
// permanents between two parts of the vertices: 1,000 vectors for 20 vertices take 20 us each on one core with AVX-512,
// complex ones 37. Throws as hafnians does (matchcount/batches.hpp).
std::vector<RealValue> loop_hafnians(std::span<const double> entries, std::size_t n, std::span<const double> loops,
                                     const RunOptions& run = {});
std::vector<ComplexValue> loop_hafnians(std::span<const std::complex<double>> entries, std::size_t n,
                                        std::span<const std::complex<double>> loops, const RunOptions& run = {});

}  // namespace matchcount
