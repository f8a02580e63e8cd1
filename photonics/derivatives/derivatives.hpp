#pragma once
// Finds values of single matrices with all derivatives and bounds on the errors, for photonics/gradients.hpp. T: double
// or std::complex<double>.

#include <cstddef>

#include "core/run.hpp"
#include "permanent/dense/expansion.hpp"
#include "photonics/gradient_view.hpp"

namespace matchcount {

// Finds the permanent of an n x n matrix, 1 <= n <= 62, and its derivative by every entry, those that are 0 too, in
// doubles, in the walk that finds all minors (permanent/ryser/minors.hpp). Throws Unable beyond 62 rows, OverLimit and
// as run.check() does.
template <class T>
void permanent_gradient(const T* entries, std::size_t n, const RunContext& run, int num_threads,
                        const GradientView<T>& out);

namespace dense {

// VertexGradient goes back through an expansion whose levels are kept.
class VertexGradient : public VertexShape {
 public:
  using VertexShape::VertexShape;
  double bytes(int components) const;

  // Finds the hafnian of an n x n matrix in doubles, and its derivatives as hafnian_gradient_by_pairs has them. Returns
  // the largest bound on a derivative's error over the largest derivative; 0 where all are.
  template <class T>
  double find(const T* entries, const RunContext& run, int num_threads, Scratch& scratch,
              const GradientView<T>& out) const;

 private:
  // Returns the value; derivatives by entries above the diagonal and, with loops, on it; of others 0.
  template <class T>
  T derive(const T* entries, T* derivatives, Scratch& scratch, const RunContext& run, int num_threads) const;
  double derivative_roundings() const;
  double blocks_of_all() const;
};

}  // namespace dense

// Finds the hafnian of a symmetric n x n matrix, n >= 1, with `has_loops` the loop hafnian, else n is even, and its
// derivatives, in three times the multiplications that the hafnian takes (permanent/power_traces/pair_sum.hpp). An
// edge's derivative, the hafnian without its two ends, is shared by its two entries, half each; a loop's stands on the
// diagonal. Precision automatic: doubles, and if their bounds leave less than nine digits, and time allows it,
// double-doubles. Throws Unable beyond max_pair_vertices, OverLimit and as run.check() does.
template <class T>
void hafnian_gradient_by_pairs(const T* entries, std::size_t n, bool has_loops, Precision precision,
                               const RunContext& run, int num_threads, const GradientView<T>& out);
// Derivatives whose largest bound is at most so many times the largest of them are not computed again.
constexpr double good_relative_error = 1e-9;
// Predicts what they take on one thread in doubles (float64) or double-doubles, T as above.
template <class T>
double pair_gradient_seconds(std::size_t n, Precision precision);

}  // namespace matchcount
