#pragma once
// Computes torontonians and loop torontonians, with a proven bound on the error.
//
//   tor(O)  = sum over all sets S of modes of (-1)^(n - |S|) det(I - O_S)^(-1/2)
//   ltor(O) = the same sum of (-1)^(n - |S|) det(I - O_S)^(-1/2) exp(g_S^T (I - O_S)^-1 conj(g_S) / 2)
//
// for a Hermitian matrix O of 2n rows, mode i being rows and columns i and i + n, O_S those of the modes in S, and a
// vector g, the loop, ordered alike: the conventions of The Walrus, whose tor and ltor these are. They are, but for a
// factor, probabilities of threshold detectors behind Gaussian states (Quesada, Arrazola, Killoran 2018,
// doi:10.1103/PhysRevA.98.062322; with displacements Bulmer, Paesani, Chadwick, Quesada 2022, arXiv:2202.04600).
// I - O has to be positive definite. The torontonian of no modes is 1.

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "linear/determinant.hpp"

namespace MATCHCOUNT_API matchcount {

struct TorontonianOptions {
  // O counts as Hermitian where |O_ij - conj(O_ji)| <= atol + rtol max(|O_ij|, |O_ji|): the mean of both is taken, and
  // what they differ by goes into the bound on the error.
  double rtol = 0, atol = 0;
  // Precision automatic: doubles, and if these leave less than nine digits and time allows it double-doubles;
  // compensated and exact are not for torontonians (InputError). GPUs take 18 modes or more, and in batches 8 or more,
  // of matrices that are real or as physical states have them.
  RunOptions run = {};
};

struct TorontonianResult {
  RealValue value;
  Arithmetic arithmetic = Arithmetic::float64;
  std::size_t num_modes = 0;
  std::vector<DeviceInfo> gpus;  // that it ran on; empty: the CPU
};

// Computes the torontonian of O, rows x rows, row-major; with `loop`, a number for each row, the loop torontonian.
// Takes entries as exact. Time 2^n: on one core with AVX-512 3 ns a subset in doubles and 16 in double-doubles where O
// is real, or conj(O_ij) = O_(i+n, j+n) and conj(O_(i, j+n)) = O_(i+n, j), as physical states have it; else eight times
// that. On an H200 0.10 and 0.36 ns, with loops 1.3 to 1.8 times that. Memory some n^3 numbers a thread. Throws
// InputError for a number of rows that is odd or entries or loops that are not as many, where O is not Hermitian, and
// where I - O is not positive definite, or so near to such a matrix that double-doubles can't tell; Unable for more
// than 60 modes, magnitudes that leave the range of doubles, or limits that are passed, Cancelled when run.stop is
// raised. The answer does not depend on the number of threads.
TorontonianResult torontonian(std::span<const double> entries, std::size_t rows, std::span<const double> loop = {},
                              const TorontonianOptions& options = {});
TorontonianResult torontonian(std::span<const std::complex<double>> entries, std::size_t rows,
                              std::span<const std::complex<double>> loop = {}, const TorontonianOptions& options = {});

// Computes those of as many rows x rows matrices as there are entries for, one behind the other, shared among threads,
// with `loops` a loop for each. Of 8 to 17 modes the first GPU takes them, thousands at a time, where GPUs are asked
// for or it is predicted to be quicker. Throws what the first that has none throws.
std::vector<TorontonianResult> torontonians(std::span<const double> entries, std::size_t rows,
                                            std::span<const double> loops = {}, const TorontonianOptions& options = {});
std::vector<TorontonianResult> torontonians(std::span<const std::complex<double>> entries, std::size_t rows,
                                            std::span<const std::complex<double>> loops = {},
                                            const TorontonianOptions& options = {});

// The same of a matrix as it was read, whose entries are right to 2^-100. With `has_loop` it has one column more than
// rows, which is the loop. Weights are places in the table `fractions` where that is not empty (Input::fractions).
TorontonianResult torontonian(const Matrix& matrix, bool has_loop, const TorontonianOptions& options = {},
                              std::span<const Rational> fractions = {});

}  // namespace matchcount
