#pragma once
// Computes permanents and hafnians of many small dense matrices at once, and of matrices whose rows and columns are
// repeated: the functions for one large sparse matrix (matchcount/count.hpp) would spend most of their time preparing.
//
//   const std::vector<std::int64_t> entries{1, 2, 3, 4,  1, 1, 1, 1};
//   permanents(entries, 2);                                              // 10, 2
//   const std::vector<std::uint32_t> twice{2};
//   repeated_permanent(std::vector<std::int64_t>{3}, twice, twice);      // that of (3 3; 3 3): 18
//
// Permanents of up to 16 rows are sums over roots of unity (photonics/means/permanent_mean.cpp). If no entry is
// negative, or such a sum keeps too few digits, they are expanded over sets (permanent/dense/expansion.cpp), as
// hafnians of up to 32 vertices are: in doubles, with a proven bound on the error, or exactly modulo 2^64 if that
// settles an integer. Reals and complex numbers of up to 32 rows go to GPUs (photonics/cuda/dense_gpu.hpp, in builds
// with the wing photonics) if run asks for them, or finds them and they take less time. Larger matrices, and those of
// which doubles keep no digit, are questions for the engine, with all that run says. So are all if run asks for another
// precision than automatic or double.
//
// All throw InputError for entries that are not finite, a number of entries that does not fit, or a matrix that is not
// symmetric where it has to be; Unable, OverLimit and Cancelled as run says.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Computes the permanents of as many n x n matrices, n >= 1, as there are entries for, one behind the other, each
// row-major. The matrices are shared among threads. On a core with AVX-512, 12 x 12 reals take 6 us each, complex
// numbers 10.
std::vector<Integer> permanents(std::span<const std::int64_t> entries, std::size_t n, const RunOptions& run = {});
std::vector<RealValue> permanents(std::span<const double> entries, std::size_t n, const RunOptions& run = {});
std::vector<ComplexValue> permanents(std::span<const std::complex<double>> entries, std::size_t n,
                                     const RunOptions& run = {});

// Computes in the same way hafnians of symmetric matrices. The diagonal is not read; with `loops`, a vertex may stay
// unmatched for the weight on the diagonal: the loop hafnian. 20 vertices take 0.14 ms, 30 take 50 ms.
std::vector<Integer> hafnians(std::span<const std::int64_t> entries, std::size_t n, bool loops = false,
                              const RunOptions& run = {});
std::vector<RealValue> hafnians(std::span<const double> entries, std::size_t n, bool loops = false,
                                const RunOptions& run = {});
std::vector<ComplexValue> hafnians(std::span<const std::complex<double>> entries, std::size_t n, bool loops = false,
                                   const RunOptions& run = {});

// Computes the permanent of the matrix in which row i stands row_times[i] times and column j column_times[j] times,
// entries row-major, row_times.size() x column_times.size(); 0 if these are not equally many rows and columns.
// Transition amplitudes of bosons are such permanents. It takes the prod (times + 1) states of the rows or of the
// columns, whichever are fewer; if these do not fit into run.memory_limit_bytes the engine answers. With the wing reals
// and complex numbers take a point for each state, those of one line that is taken least often left out, and no memory:
// 40 photons in 8 modes take 0.6 ms.
Integer repeated_permanent(std::span<const std::int64_t> entries, std::span<const std::uint32_t> row_times,
                           std::span<const std::uint32_t> column_times, const RunOptions& run = {});
RealValue repeated_permanent(std::span<const double> entries, std::span<const std::uint32_t> row_times,
                             std::span<const std::uint32_t> column_times, const RunOptions& run = {});
ComplexValue repeated_permanent(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> row_times,
                                std::span<const std::uint32_t> column_times, const RunOptions& run = {});

// Computes the hafnian of the symmetric matrix in which row and column i stand times[i] times; with `loops` the loop
// hafnian. The diagonal is what two copies of the same row are matched for, and with loops also one with itself, as in
// the matrix written out. Amplitudes of photons from squeezed light are such hafnians. Matrices are written out; with
// the wing reals and complex numbers that are repeated take points, as permanents do.
Integer repeated_hafnian(std::span<const std::int64_t> entries, std::span<const std::uint32_t> times,
                         bool loops = false, const RunOptions& run = {});
RealValue repeated_hafnian(std::span<const double> entries, std::span<const std::uint32_t> times, bool loops = false,
                           const RunOptions& run = {});
ComplexValue repeated_hafnian(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> times,
                              bool loops = false, const RunOptions& run = {});

}  // namespace matchcount
