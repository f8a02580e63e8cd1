// A state has a residue for each prime of a group, so that its successors are found once for all of these.

#include "permanent/classes/class_run.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/numbers/residue.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

constexpr std::size_t most_lanes = 64;

// A walk along all steps for some primes.
class Walk {
 public:
  Walk(const ClassSteps& steps, std::span<const std::uint64_t> primes, const RunContext& run)
      : steps_(steps.steps), run_(run) {
    for (const std::uint64_t prime : primes) moduli_.emplace_back(prime);
    std::uint32_t most = 1;
    for (const ClassStep& step : steps_)
      for (const ClassStep::Class& of : step.classes) most = std::max(most, of.most);
    for (std::uint32_t k = 0; k <= most; ++k)
      for (const MontgomeryModulus& modulus : moduli_) number_.push_back(modulus.form(k));
  }

  std::vector<std::uint64_t> value() {
    const std::size_t lanes = moduli_.size();
    std::vector<std::uint64_t> states{0}, next_states;
    std::vector<std::uint32_t> values, next_values, factor(lanes), of_state(lanes);
    for (const MontgomeryModulus& modulus : moduli_) values.push_back(modulus.form(1));
    std::unordered_map<std::uint64_t, std::size_t> place;
    for (std::size_t t = 0; t < steps_.size(); ++t) {
      if (t % 4 == 0) run_.check();
      const ClassStep& step = steps_[t];
      const Factors factors(step, moduli_, number_);
      Successors successors(step, t + 1 < steps_.size() ? &steps_[t + 1] : nullptr);
      place.clear();
      next_states.clear();
      next_values.clear();
      for (std::size_t i = 0; i < states.size(); ++i) {
        successors(states[i], [&](std::uint64_t next, std::size_t taken, const std::vector<std::uint32_t>& free) {
          const auto [at, is_new] = place.try_emplace(next, next_states.size());
          if (is_new) {
            next_states.push_back(next);
            next_values.resize(next_values.size() + lanes);
          }
          factors(taken, free, factor);
          const std::uint32_t* from = values.data() + i * lanes;
          std::uint32_t* to = next_values.data() + at->second * lanes;
          for (std::size_t q = 0; q < lanes; ++q) {
            const std::uint32_t sum = to[q] + moduli_[q].reduced(std::uint64_t{from[q]} * factor[q]);
            to[q] = sum >= moduli_[q].prime ? sum - moduli_[q].prime : sum;
          }
        });
      }
      std::swap(states, next_states);
      std::swap(values, next_values);
      if (states.empty()) return std::vector<std::uint64_t>(lanes, 0);
    }
    std::vector<std::uint64_t> result;
    for (std::size_t q = 0; q < lanes; ++q) result.push_back(moduli_[q].reduced(values[q]));
    return result;
  }

 private:
  // Factors of a transition: how many there are to take from and the edge's weight, and the ratios of those
  // that stay free and become part of another class.
  class Factors {
   public:
    Factors(const ClassStep& step, const std::vector<MontgomeryModulus>& moduli,
            const std::vector<std::uint32_t>& number)
        : step_(step), moduli_(moduli), number_(number) {
      for (const ClassStep::Class& of : step.classes) {
        has_ratios_ = has_ratios_ || of.ratio != 1;
        weight_.push_back(forms(of.weight));
        ratio_.push_back(forms(of.ratio));
      }
      ratio_.push_back(forms(step.vertex.ratio));
      has_ratios_ = has_ratios_ || step.vertex.ratio != 1;
    }
    void operator()(std::size_t taken, const std::vector<std::uint32_t>& free,
                    std::vector<std::uint32_t>& result) const {
      const std::size_t lanes = moduli_.size();
      const bool is_taken = taken < step_.classes.size();
      for (std::size_t q = 0; q < lanes; ++q)
        result[q] = is_taken ? times(q, weight_[taken][q], number_[free[taken] * lanes + q]) : number_[lanes + q];
      if (!has_ratios_) return;
      for (std::size_t q = 0; q < lanes; ++q) {
        if (!is_taken) result[q] = times(q, result[q], ratio_.back()[q]);
        for (std::size_t j = 0; j < free.size(); ++j)
          for (std::uint32_t k = j == taken ? 1 : 0; k < free[j]; ++k) result[q] = times(q, result[q], ratio_[j][q]);
      }
    }

   private:
    std::uint32_t times(std::size_t q, std::uint32_t a, std::uint32_t b) const {
      return moduli_[q].reduced(std::uint64_t{a} * b);
    }
    std::vector<std::uint32_t> forms(std::int64_t value) const {
      std::vector<std::uint32_t> result;
      for (const MontgomeryModulus& modulus : moduli_) result.push_back(modulus.form(value));
      return result;
    }

    const ClassStep& step_;
    const std::vector<MontgomeryModulus>& moduli_;
    const std::vector<std::uint32_t>& number_;
    std::vector<std::vector<std::uint32_t>> weight_, ratio_;
    bool has_ratios_ = false;
  };

  const std::vector<ClassStep>& steps_;
  const RunContext& run_;
  std::vector<MontgomeryModulus> moduli_;
  std::vector<std::uint32_t> number_;  // 0, 1, .., for each prime
};

}  // namespace

Integer sum_by_classes(const ClassSteps& steps, double log2_bound, const RunContext& run) {
  const std::vector<std::uint64_t> primes = primes_below(sum_prime_limit, num_sum_primes(log2_bound));
  return sum_of_residues(
      "classes", "sum by classes", primes, most_lanes,
      [&](std::size_t, std::span<const std::uint64_t> group) { return Walk(steps, group, run).value(); }, run);
}

ClassCost cost_by_classes(const ClassSteps& steps, double log2_bound, int num_threads) {
  // Seconds of a transition, of a prime in it, and of a step.
  constexpr double transition_s = 1e-7, lane_s = 4e-9, step_s = 2e-6;
  ClassCost cost;
  cost.primes = num_sum_primes(log2_bound);
  const std::size_t lanes = primes_of_group(cost.primes, most_lanes, num_threads),
                    groups = (cost.primes + lanes - 1) / lanes;
  const double of_group = steps.transitions * (transition_s + lane_s * static_cast<double>(lanes)) +
                          step_s * static_cast<double>(steps.steps.size());
  const double at_once = std::min<double>(num_threads, static_cast<double>(groups));
  cost.seconds = of_group * static_cast<double>(groups) / at_once;
  cost.memory_bytes = at_once * steps.most_states * (100 + 8.0 * static_cast<double>(lanes));
  return cost;
}

}  // namespace matchcount
