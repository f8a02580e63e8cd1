#pragma once
// Sums of samples of any magnitude, an interval for their mean, and signs that it can't be believed.

#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

namespace matchcount {

// Power sums of non-negative samples that are given by their natural logarithms (-infinity: 0). Sums are relative to
// the largest sample so far, so that nothing overflows. Adding in another order differs by rounding only; the caller
// fixes the order.
struct SampleSums {
  std::uint64_t count = 0;
  std::uint64_t zeros = 0;
  double log_largest = -std::numeric_limits<double>::infinity();
  double sum1 = 0, sum2 = 0, sum3 = 0;  // of (sample / largest)^1, ^2, ^3

  void add(double log_sample);
  void add(const SampleSums& other);

  double log_mean() const;              // -infinity where all are 0
  double relative_variance() const;     // of a sample, unbiased, over mean^2; infinity where all are 0 or count < 2
  double relative_third() const;        // third central moment of a sample over mean^3
  double effective_samples() const;     // (sum w)^2 / sum w^2
  double largest_share() const;         // of the largest sample in the sum
  double largest_square_share() const;  // of its square in the sum of squares
};

// Sums of logarithms of samples, each of which is a sum of pieces of the same number, that make the mean of a
// population of many stages: its logarithm is close to normal, of variance V and mean log Z - V / 2 (Berard, Del Moral
// and Doucet 2014, "A lognormal central limit theorem for particle approximations of normalizing constants", EJP 19). V
// is the sum of the pieces' variances and of the covariances of neighbours, which a few populations tell well.
struct LogSums {
  std::uint64_t count = 0, zeros = 0;
  std::vector<double> first, second, mixed;  // by piece: sums of x, of x^2, and of x times the next piece

  auto fields() { return std::tie(count, zeros, first, second, mixed); }
  void add(std::span<const double> pieces);  // none: a sample of 0
  void add(const LogSums& other);

  struct Variance {
    double value = 0, error = 0;  // V, and its variance
  };
  Variance variance() const;  // infinity where a sample is 0
  // Returns the share of the pieces' variances that the last quarter of them has; 0 where there are none.
  double late_share() const;
  // Says whether V is so large that means of samples are worth little, and not so large that the normal law fails.
  bool is_log_normal() const;
  double log_mean() const;           // of log Z
  double log_mean_variance() const;  // of that, which V's own error is a part of
  double degrees() const;            // of freedom that V has
};

// Returns the k of a generalised Pareto distribution fitted to the largest samples (Zhang and Stephens 2009,
// doi:10.1198/tech.2009.08017): from 1/2 on the variance is infinite, and from 0.7 on means of that many samples are
// not to be believed (Vehtari, Simpson, Gelman, Yao and Gabry 2024, "Pareto smoothed importance sampling").
// log_largest: the largest samples' logarithms in descending order, of which the first min(count / 5, 3 sqrt(count),
// all but one) are used. -infinity where fewer than 5 or where they are equal.
double tail_index(const std::vector<double>& log_largest, std::uint64_t count);

// The largest of many weights, as far as their tail index looks at them.
struct LargestWeights {
  std::uint64_t count = 0;
  std::vector<double> log_largest;  // falling

  void add(std::span<const double> log_weights);
  void add(const LargestWeights& other);
  double tail_index() const { return matchcount::tail_index(log_largest, count); }
};

// Returns x with P(X <= x) = probability, X normal; 0 < probability < 1.
double normal_quantile(double probability);
// The same of Student's distribution; degrees > 0, infinity included.
double student_quantile(double probability, double degrees);

// Relative to the mean.
struct RelativeInterval {
  double low = 0, high = 0;
};
// Returns the interval of a mean with this relative variance (of the mean, not of a sample), relative third central
// moment and degrees of freedom: Student's interval after Hall's transformation, which takes out the skewness (Hall
// 1992, "On the removal of skewness by transformation", JRSS B 54). Low is at least 0.
RelativeInterval skewed_interval(double variance, double third, double degrees, double confidence);

}  // namespace matchcount
