#pragma once
// Defines the number types of sums over matchings that need not be perfect: residues and integers, graded or not, and
// reals and complex numbers. Weights are numbered as those of a step's moves.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cpu/sums.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

// What raises the degree of a value.
enum class MatchingGrade { none, pairs, left_out };

// Integers modulo a prime below 2^31, `lanes` coefficients a value.
class MatchingResidues {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot one = 1;
  static constexpr std::size_t planes = 1;
  static constexpr bool is_sparse = false;

  // Weights of edges by EdgeId and of vertices that stay unmatched, both below the prime.
  MatchingResidues(const std::vector<std::uint32_t>& edges, const std::vector<std::uint32_t>& vertices,
                   std::uint32_t prime, MatchingGrade grade, std::size_t lanes)
      : edges_(edges), vertices_(vertices), prime_(prime), grade_(grade), lanes_(lanes) {}

  std::size_t lanes() const { return lanes_; }
  // That may not be 0 and, raised, are not dropped.
  std::size_t used_lanes(bool raises) const { return std::min(used_, lanes_ - raises); }
  bool raised_by_unmatched() const { return grade_ == MatchingGrade::left_out; }
  bool raised_by_pair() const { return grade_ == MatchingGrade::pairs; }
  // Whether a value times the weight of this choice is the value.
  bool keeps(std::size_t choice) const { return weights_[choice].factor == 1 && !raised_by_pair(); }

  // Never asks for rescaling.
  bool prepare(const FrontierStep& step) {
    used_ = next_used_;
    next_used_ = std::min(lanes_, used_ + 1);
    weights_ = {weight(1)};
    for (const auto& choice : step.choices) weights_.push_back(weight(edges_[choice.edge]));
    weights_.push_back(weight(vertices_[step.vertex]));
    return false;
  }

  void add(Slot* target, const Slot* source, std::size_t choice) const {
    const std::size_t raised = choice == 0                     ? 0
                               : choice + 1 == weights_.size() ? raised_by_unmatched()
                                                               : raised_by_pair();
    add_residues<false>(target + raised, source, weights_[choice], prime_, InParallel{used_lanes(raised != 0)});
  }
  // No element of a source is one of its target.
  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    kernels.residues(batch, target, source, weights_.data(), prime_);
  }
  // A value times a weight, one degree higher, where it is.
  void raise(Slot* value, std::size_t choice) const {
    const std::size_t lanes = used_lanes(true);
    std::copy_backward(value, value + lanes, value + lanes + 1);
    if (weights_[choice].factor != 1) {
      for (std::size_t lane = 1; lane <= lanes; ++lane) {
        const Slot before = value[lane];
        add_residues<true>(value + lane, &before, weights_[choice], prime_, InParallel{1});
      }
    }
    value[0] = 0;
  }

  static double largest(std::span<Slot>) { return 1; }
  std::optional<std::pair<double, double>> rescaling(double) const { return std::nullopt; }
  static void multiply(std::span<Slot>, std::pair<double, double>) {}

 private:
  ResidueWeight weight(std::uint32_t factor) const {
    return {factor, static_cast<std::uint32_t>((std::uint64_t{factor} << 32) / prime_)};
  }

  const std::vector<std::uint32_t>& edges_;
  const std::vector<std::uint32_t>& vertices_;
  std::uint32_t prime_;
  MatchingGrade grade_;
  std::size_t lanes_;
  std::size_t used_ = 1, next_used_ = 1;  // lanes that may not be 0
  std::vector<ResidueWeight> weights_;
};

// Integers of any size, for narrow layers of long graphs, whose sums would take hundreds of primes.
class MatchingIntegers {
 public:
  using Slot = Integer;
  static constexpr int one = 1;
  static constexpr std::size_t planes = 1;
  static constexpr bool is_sparse = true;

  MatchingIntegers(const std::vector<GaussianInteger>& edges, const std::vector<GaussianInteger>& vertices,
                   MatchingGrade grade, std::size_t lanes)
      : edges_(edges), vertices_(vertices), grade_(grade), lanes_(lanes) {}

  std::size_t lanes() const { return lanes_; }
  // Never asks for rescaling.
  bool prepare(const FrontierStep& step) {
    used_ = next_used_;
    next_used_ = std::min(lanes_, used_ + 1);
    weights_ = {&unit_};
    for (const auto& choice : step.choices) weights_.push_back(&edges_[choice.edge].re);
    weights_.push_back(&vertices_[step.vertex].re);
    return false;
  }
  void add(Slot* target, const Slot* source, std::size_t choice) const {
    const std::size_t raised =
        choice == 0 ? 0 : grade_ == (choice + 1 == weights_.size() ? MatchingGrade::left_out : MatchingGrade::pairs);
    const std::size_t end = std::min(used_, lanes_ - raised);
    const bool is_unit = *weights_[choice] == 1;
    for (std::size_t lane = 0; lane < end; ++lane) {
      if (source[lane].sign() == 0) continue;
      if (is_unit) {
        target[lane + raised] += source[lane];
      } else {
        target[lane + raised] += source[lane] * *weights_[choice];
      }
    }
  }

 private:
  const std::vector<GaussianInteger>& edges_;
  const std::vector<GaussianInteger>& vertices_;
  MatchingGrade grade_;
  std::size_t lanes_;
  Integer unit_ = 1;
  std::size_t used_ = 1, next_used_ = 1;  // lanes that may not be 0
  std::vector<const Integer*> weights_;
};

// Sum is one of the float sums of sums.hpp; weights hold Sum::planes doubles each and are at most about 1. What is said
// of roundings and underflow in numbers.hpp holds here.
template <class Sum, FrontierKernels::Float FrontierKernels::*kernel>
class MatchingFloats {
 public:
  using Slot = double;
  static constexpr Slot one = 1;
  static constexpr std::size_t planes = Sum::planes;
  static constexpr bool is_sparse = false;

  MatchingFloats(const FrontierSteps& steps, const std::vector<double>& edges, const std::vector<double>& vertices)
      : edges_(edges), vertices_(vertices) {
    for (const FrontierStep& step : steps.steps) {
      take_weights(step);
      log2_left_ += log2_growth();
    }
  }

  std::size_t lanes() const { return 1; }
  std::size_t used_lanes(bool) const { return 1; }
  bool raised_by_unmatched() const { return false; }
  bool raised_by_pair() const { return false; }
  bool keeps(std::size_t choice) const {
    for (std::size_t k = 0; k < Sum::planes; ++k)
      if (weights_[choice * Sum::planes + k] != (k == 0 ? 1 : 0)) return false;
    return true;
  }

  // Whether the values are to be rescaled.
  bool prepare(const FrontierStep& step) {
    take_weights(step);
    const double choices = static_cast<double>(weights_.size()) / Sum::planes;
    log2_left_ -= log2_growth();
    const double operations = 8 * choices * std::min(step.states, std::exp2(step.width)) + 1;
    const double lost = std::log2(operations) - 1074 + static_cast<double>(exponent_) + std::max(log2_left_, 0.0) + 1;
    log2_underflow_ = log2_sum(log2_underflow_, lost);
    roundings_ += choices + 1;
    log2_largest_ += log2_growth();
    return log2_largest_ > 900 || ++steps_since_measured_ >= 32;
  }

  void add(Slot* target, const Slot* source, std::size_t choice) const {
    Sum::template add<false>(target, 1, source, 1, weights_.data() + choice * Sum::planes, InParallel{1});
  }
  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    (kernels.*kernel)(batch, target, source, weights_.data());
  }

  void raise(Slot*, std::size_t) const {}  // never asked for

  static double largest(std::span<Slot> values) {
    double result = 0;
    for (const double value : values) result = std::max(result, std::fabs(value));
    return result;
  }
  // What to multiply by, in two steps: one factor may be out of range.
  std::optional<std::pair<double, double>> rescaling(double largest) {
    steps_since_measured_ = 0;
    if (largest == 0) return std::nullopt;
    const int shift = std::ilogb(largest);
    const bool drifted = std::abs(shift) > 100;
    log2_largest_ = (drifted ? 0 : shift) + 2 + log2_growth();
    if (!drifted) return std::nullopt;
    exponent_ += shift;
    return std::pair(std::ldexp(1.0, -(shift / 2)), std::ldexp(1.0, -(shift - shift / 2)));
  }
  static void multiply(std::span<Slot> values, std::pair<double, double> factors) {
    for (double& value : values) value = value * factors.first * factors.second;
  }

  std::int64_t exponent() const { return exponent_; }  // values are to be multiplied by 2^exponent
  double roundings() const { return roundings_; }
  double log2_underflow() const { return log2_underflow_; }

 private:
  void take_weights(const FrontierStep& step) {
    weights_.assign(Sum::planes, 0);
    weights_[0] = 1;
    const auto take = [&](const std::vector<double>& weights, std::uint64_t place) {
      const double* weight = weights.data() + place * Sum::planes;
      weights_.insert(weights_.end(), weight, weight + Sum::planes);
    };
    for (const auto& choice : step.choices) take(edges_, choice.edge);
    take(vertices_, step.vertex);
  }
  // Of the largest value, and of the sum of the magnitudes that one value leads to: at most by all weights together.
  double log2_growth() const {
    double sum = 0;
    for (const double weight : weights_) sum += std::fabs(weight);
    return std::log2(sum) + 1e-9;
  }

  const std::vector<double>& edges_;
  const std::vector<double>& vertices_;
  std::vector<double> weights_;
  double log2_left_ = 0, log2_largest_ = 0;
  int steps_since_measured_ = 0;
  std::int64_t exponent_ = 0;
  double roundings_ = 0;
  double log2_underflow_ = -std::numeric_limits<double>::infinity();
};

}  // namespace matchcount
