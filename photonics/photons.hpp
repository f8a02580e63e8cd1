#pragma once
// Draws what photon counters see behind interferometers and Gaussian states, and computes its probabilities.
//
//   const double half = std::sqrt(0.5);
//   const std::vector<std::complex<double>> splitter{half, half, half, -half};
//   sample_photons(splitter, std::vector<std::uint32_t>{1, 1}, 3);  // three times 2 0 or 0 2, of two counters each
//
// Answers of the same seed are the same on any number of threads: shot i takes the random numbers of stream i. Numbers
// are doubles, whose roundings are not bounded: of n photons they shift a probability by some n 2^n 10^-16 of itself at
// most, where a sample of so many shots can't tell. All throw InputError for what is no unitary matrix, state or
// pattern, else Unable, OverLimit and Cancelled as run says.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Draws how many photons leave an interferometer by each mode, where counts[j] enter by mode j. Entry (i, j) of the
// matrix, row-major with counts.size() columns, is the amplitude from mode j to mode i; columns of modes with photons
// are orthonormal, within 1e-9. Returns a count for each row and shot, shot by shot. n photons take n 2^n steps a shot,
// 20 of them 30 ms (Clifford and Clifford 2018, arXiv:1706.01260; photons of one mode are put in a random order with
// the others).
std::vector<std::uint32_t> sample_photons(std::span<const std::complex<double>> matrix,
                                          std::span<const std::uint32_t> counts, std::size_t shots,
                                          const RunOptions& run = {});

// A Gaussian state of n modes. Quadratures are in the order x_1 ... x_n, p_1 ... p_n; the vacuum's covariance matrix is
// hbar / 2 times the identity, so that coherent light of amplitude alpha has means sqrt(2 hbar) (re alpha, im alpha).
class GaussianState {
 public:
  // Takes 2n x 2n covariances, row-major and symmetric within 1e-9, and 2n means, or none for zeros.
  GaussianState(std::span<const double> covariance, std::span<const double> means, double hbar = 2);

  std::size_t num_modes() const { return num_modes_; }
  // Returns the probability of so many photons in each mode; with `threshold` pattern[i] is whether mode i has any.
  double probability(std::span<const std::uint32_t> pattern, bool threshold, const RunOptions& run = {}) const;
  // Draws patterns, a number for each mode and shot, shot by shot and mode by mode, each from its probabilities given
  // those before (chain rule), by hafnians of twice as many vertices as there are photons, or by torontonians. Shots
  // that begin alike share these. With a cutoff no mode has more photons: patterns that have are drawn again.
  std::vector<std::uint32_t> sample(std::size_t shots, bool threshold, std::optional<std::uint32_t> cutoff = {},
                                    const RunOptions& run = {}) const;

 private:
  std::size_t num_modes_;
  std::vector<double> covariance_, means_;  // in units of which the vacuum's are the identity and zeros
};

}  // namespace matchcount
