#pragma once
// Samples of a permanent or hafnian by determinants of random matrices, on one thread.

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "approx/cpu/sampler.hpp"

namespace matchcount {

// Every entry a of the matrix becomes z sqrt(a), where z is random with mean 0 and |z| = 1. |det|^2 then has the
// permanent as its mean, since the products of two different permutations have an entry that only one of them has. Of a
// graph with odd cycles the matrix is skew-symmetric, and |det|, the square of its Pfaffian, has the hafnian as its
// mean.
//
// z = -1 or 1: Godsil and Gutman 1981 ("On the matching polynomial of a graph"). z one of the three cube roots of 1:
// Karmarkar, Karp, Lipton, Lovasz and Luby 1993 (doi:10.1137/0222021). The relative variance is up to 3^(n/2) and
// 2^(n/2) for n rows: for comparison, and for small n.
//
// Keeps the buffers of one thread. Borrows the problem. O(n^3) a sample.
class DeterminantSampler final : public Sampler {
 public:
  DeterminantSampler(const Problem& problem, bool cube_roots);

  // -infinity for a determinant of 0.
  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override;
  // Returns, roughly, how many edges could have been looked at in the time taken so far.
  std::uint64_t work() const override { return work_; }

  static double bytes(const Problem& problem, bool cube_roots);

 private:
  template <class Number>
  double log_of(std::vector<Number>& matrix, std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll);

  const Problem& problem_;
  std::uint32_t order_;   // of the matrix: rows, or all vertices where there are odd cycles
  bool are_ones_ = true;  // all weights, so that a determinant of signs is an integer
  bool cube_roots_;
  std::vector<double> signs_;  // row by row; one of the two
  std::vector<std::complex<double>> roots_;
  std::uint64_t work_ = 0;
};

}  // namespace matchcount
