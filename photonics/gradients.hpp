#pragma once
// Computes permanents, hafnians and torontonians together with their derivatives by every entry, of many matrices at
// once.
//
//   const std::vector<double> entries{1, 2, 3, 4};
//   permanent_gradients(entries, 2).derivatives;  // 4, 3, 2, 1: permanents of the minors
//
// With bounds on the errors, but for torontonians; matrices are shared among threads. Precision automatic: doubles, and
// double-doubles if the bounds leave a hafnian's derivatives less than nine digits and less than the hafnian has;
// permanents have no others than doubles. All throw InputError for entries that are not finite, a number of entries
// that does not fit or another precision, Unable for what doubles do not hold and for more rows than a method takes,
// OverLimit and Cancelled as run says. The answer does not depend on the number of threads.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/device_memory.hpp"
#include "photonics/gradient_view.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Computes the permanents of n x n matrices, 1 <= n <= 62, row-major and one behind the other, and of each the
// permanents of all minors, which are its derivatives by the entries. On a core with AVX-512 20 rows take 3.1
// ms, complex ones 8.6; 12 rows 14 and 35 us. Where run.device asks for GPUs the first of them takes 12 to 32 rows; all
// other derivatives are refused there (Unable).
Gradients<double> permanent_gradients(std::span<const double> entries, std::size_t n, const RunOptions& run = {});
Gradients<std::complex<double>> permanent_gradients(std::span<const std::complex<double>> entries, std::size_t n,
                                                    const RunOptions& run = {});

// GradientsOnDevice says where answers go in a GPU's memory, as Gradients has them.
template <class T>
struct GradientsOnDevice {
  std::uint64_t values = 0, errors = 0, derivatives = 0, derivative_errors = 0;
};

// Does the first of entries in a GPU's memory, and leaves the answers there: nothing is copied through the host.
// Returns false, and writes nothing, where no kernel does that: for other than 12 to 32 rows, and where run's choice of
// devices lacks this one. Throws as copy_from_device does, too.
bool permanent_gradients(const OnDevice<double>& entries, std::size_t n, const GradientsOnDevice<double>& out,
                         const RunOptions& run = {});
bool permanent_gradients(const OnDevice<std::complex<double>>& entries, std::size_t n,
                         const GradientsOnDevice<std::complex<double>>& out, const RunOptions& run = {});

// Computes in the same way hafnians of symmetric matrices of up to 80 rows, with `loops` loop hafnians. The derivatives
// are those of symmetric matrices: f(A + D) - f(A) is near the sum over all i and j of derivatives_ij D_ij. So that by
// an entry beside the diagonal is half of the hafnian without its two vertices, and by a loop the loop hafnian without
// its vertex; without `loops` the diagonal is not read. Up to 32 rows they take two to
// three times the time of the hafnian, by an expansion as it does: on a core with AVX-512 20 rows 0.4 ms, complex ones
// 0.6, 30 rows 53 and 81, half of that where no entry is negative. By pairs of vertices, for more rows and where memory
// lacks, double-doubles take 1.7 and 8.5 ms, 107 and 421; doubles, which float64 takes where they are far quicker, 0.27
// and 0.68, 11 and 33, but prove few digits, of 30 rows none.
Gradients<double> hafnian_gradients(std::span<const double> entries, std::size_t n, bool loops = false,
                                    const RunOptions& run = {});
Gradients<std::complex<double>> hafnian_gradients(std::span<const std::complex<double>> entries, std::size_t n,
                                                  bool loops = false, const RunOptions& run = {});

template <class T>
struct TorontonianGradients {
  std::vector<double> values;                    // by matrix
  std::vector<T> derivatives, loop_derivatives;  // by matrix, row and column; by matrix and row
};

// Computes torontonians as torontonian does (photonics/torontonian.hpp), of Hermitian matrices of so many rows, with as
// many loops as rows for each matrix or none. The derivatives are those of Hermitian matrices: f(O + H) - f(O) is near
// the real part of the sum over all i and j of derivatives_ij H_ij, and with loops that change too of
// loop_derivatives_i h_i. Along a Hermitian direction, one for each matrix, and one of the loops: in place of each what
// it changes by. In doubles, without bounds. 10 modes take 28 us on a core with AVX-512, 20 modes 11 ms; five times
// that where O is neither real nor of a physical state.
TorontonianGradients<double> torontonian_gradients(std::span<const double> entries, std::size_t rows,
                                                   std::span<const double> loops = {},
                                                   std::span<const double> along = {},
                                                   std::span<const double> loops_along = {},
                                                   const RunOptions& run = {});
TorontonianGradients<std::complex<double>> torontonian_gradients(std::span<const std::complex<double>> entries,
                                                                 std::size_t rows,
                                                                 std::span<const std::complex<double>> loops = {},
                                                                 std::span<const std::complex<double>> along = {},
                                                                 std::span<const std::complex<double>> loops_along = {},
                                                                 const RunOptions& run = {});

}  // namespace matchcount
