#pragma once
// Defines the number types of the frontier method. An arithmetic says how many planes a layer needs, holds the weights
// of a step's choices (0: matched already; i + 1: choice i) and adds. Before a step it is prepared for that, with a
// function from the largest of something in a layer to the largest in all of it, where others have other parts.
//
// Integers wrap modulo 2^(64 planes). The planes grow only as the largest value of the layers so far demands, so most
// of the work on a count of 80 bits is done in 64; and never beyond what the bound on the permanent needs, which is
// right because the ring's sums are right modulo its order whatever happens between. Residues modulo primes
// (residues.hpp) take less memory, and are the quicker where layers are large and answers short.
//
// Reals: entries are scaled to magnitudes of at most about 2, layers are rescaled by powers of two when they drift.
// On its way from a matching to the result a term meets, in a step with c choices, at most one product and c sums, so
// with unit roundoff u the error is at most (sum over steps of (c + 2)) u times the permanent of the magnitudes, which
// is the value itself where nothing is negative and is computed by a second run in doubles elsewhere. What underflow
// may lose is added.

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cpu/sums.hpp"

namespace matchcount {

class WordsArithmetic {
 public:
  using Slot = Word;

  WordsArithmetic(const std::vector<std::int64_t>& entries, double log2_bound) : entries_(entries) {
    // Sign and one bit to spare.
    max_planes_ = std::max(1, static_cast<int>(std::floor((std::max(log2_bound, 0.0) + 2) / 64)) + 1);
  }

  static constexpr Slot one(int plane) { return plane == 0; }
  int source_planes() const { return planes_; }
  int target_planes() const { return target_planes_; }

  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>& layer, const Largest& largest) {
    planes_ = layer.planes;
    const double growth = std::log2(take_weights(step)) + 1e-9;
    const auto fits = [](double log2_value, int planes) { return log2_value < 64.0 * planes - 1.001; };
    if (!fits(log2_largest_ + growth, planes_)) log2_largest_ = largest(measure(layer));
    log2_largest_ += growth;
    target_planes_ = planes_;
    while (target_planes_ < max_planes_ && !fits(log2_largest_, target_planes_)) ++target_planes_;
  }

  // What prepare left, to go on with the same step.
  void save(ByteWriter& out) const {
    out.put(planes_);
    out.put(target_planes_);
    out.put(log2_largest_);
  }
  void load(ByteReader& in, const FrontierStep& step) {
    planes_ = in.get<int>();
    target_planes_ = in.get<int>();
    log2_largest_ = in.get<double>();
    take_weights(step);
  }

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    kernels.words(batch, target, target_planes_, source, planes_, weights_.data());
  }
  void add(Slot* target, const Slot* source, std::size_t choice) const {
    add_words_any<false>(target, 1, target_planes_, source, 1, planes_, weights_[choice], InParallel{1});
  }

 private:
  // The sum of their magnitudes.
  double take_weights(const FrontierStep& step) {
    weights_.assign(1, 1);
    double sum = step.was_on_frontier ? 1 : 0;
    for (const auto& choice : step.choices) {
      weights_.push_back(entries_[choice.edge]);
      sum += std::fabs(static_cast<double>(entries_[choice.edge]));
    }
    return sum;
  }

  // An upper bound on log2 of the largest absolute value in the layer, from its topmost words.
  static double measure(Layer<Slot>& layer) {
    const Slot* top = layer.values() + static_cast<std::size_t>(layer.planes - 1) * layer.plane_stride();
    Word bits = 0;
    for (std::size_t i = 0; i < layer.count; ++i) {
      const Word word = top[i * layer.element_stride()];
      bits |= word ^ static_cast<Word>(static_cast<std::int64_t>(word) >> 63);
    }
    if (layer.planes > 1) return 64.0 * (layer.planes - 1) + static_cast<double>(std::bit_width(bits));
    Word largest = 0;
    for (std::size_t i = 0; i < layer.count; ++i) {
      const Word word = top[i * layer.element_stride()];
      largest = std::max(largest, static_cast<std::int64_t>(word) < 0 ? Word{0} - word : word);
    }
    return std::log2(static_cast<double>(largest) + 1) + 1e-9;
  }

  const std::vector<std::int64_t>& entries_;
  int max_planes_;
  int planes_ = 1;
  int target_planes_ = 1;
  double log2_largest_ = 0;
  std::vector<std::int64_t> weights_;
};

// Sum is one of the float sums of sums.hpp; weights hold Sum::planes doubles an edge.
template <class Sum, FrontierKernels::Float FrontierKernels::*kernel>
class FloatArithmetic {
 public:
  using Slot = double;

  // row_log2[r]: log2 of max(1, sum of magnitudes of row r), for the bound on what underflow loses.
  FloatArithmetic(std::vector<double> edge_weights, const std::vector<double>& row_log2, Vertex num_rows)
      : edge_weights_(std::move(edge_weights)),
        row_log2_(row_log2),
        num_rows_(num_rows),
        log2_left_(std::accumulate(row_log2.begin(), row_log2.end(), 0.0)) {}

  static constexpr Slot one(int plane) { return plane == 0; }
  int source_planes() const { return Sum::planes; }
  int target_planes() const { return Sum::planes; }

  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>& layer, const Largest& largest_of_all) {
    const std::span<double> values(layer.values(), layer.count * Sum::planes);
    prepare_values(
        step,
        [&] {
          double largest = 0;
          for (const double value : values) largest = std::max(largest, std::fabs(value));
          return static_cast<double>(largest_of_all(largest));
        },
        [&](double a, double b) {
          for (double& value : values) value = value * a * b;
        });
  }
  // The same of a layer that is elsewhere: largest() is the largest absolute value in it, scale(a, b) multiplies all by
  // a, and by b.
  template <class Largest, class Scale>
  void prepare_values(const FrontierStep& step, const Largest& largest, const Scale& scale) {
    log2_largest_ += std::log2(std::max(take_weights(step), 1.0)) + 1e-9;
    if (log2_largest_ > 900 || ++steps_since_measured_ >= 32) rescale(largest(), scale);
    const auto leave = [&](Vertex v) {
      if (v < num_rows_) log2_left_ -= row_log2_[v];
    };
    leave(step.vertex);
    for (const Vertex v : step.closing) leave(v);
    for (const Vertex v : step.closing_entered) leave(v);
    // Each product and sum may lose 2^-1074 of this layer's unit, a few times in an error-free transformation; what is
    // left multiplies it by at most the product of the remaining row sums.
    const double operations = 8.0 * static_cast<double>(step.choices.size() + 1) * step.states;
    const double lost = std::log2(operations) - 1074 + static_cast<double>(exponent_) + std::max(log2_left_, 0.0) + 1;
    log2_underflow_ = std::max(log2_underflow_, lost) + std::log2(1 + std::exp2(-std::fabs(log2_underflow_ - lost)));
    roundings_ += static_cast<double>(step.choices.size() + 2);
  }

  void save(ByteWriter& out) const {
    out.put(log2_left_);
    out.put(log2_largest_);
    out.put(steps_since_measured_);
    out.put(exponent_);
    out.put(roundings_);
    out.put(log2_underflow_);
  }
  void load(ByteReader& in, const FrontierStep& step) {
    log2_left_ = in.get<double>();
    log2_largest_ = in.get<double>();
    steps_since_measured_ = in.get<int>();
    exponent_ = in.get<std::int64_t>();
    roundings_ = in.get<double>();
    log2_underflow_ = in.get<double>();
    take_weights(step);
  }

  // What it was prepared with: Sum::planes of what is matched already, and of each of the step's choices.
  const std::vector<double>& weights() const { return weights_; }

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    (kernels.*kernel)(batch, target, source, weights_.data());
  }
  void add(Slot* target, const Slot* source, std::size_t choice) const {
    Sum::template add<false>(target, 1, source, 1, weights_.data() + choice * Sum::planes, InParallel{1});
  }

  std::int64_t exponent() const { return exponent_; }  // the layer's values are to be multiplied by 2^exponent
  // log2 of the largest value after the step that was prepared for, from above.
  double log2_largest() const { return log2_largest_; }
  double roundings() const { return roundings_; }
  double log2_underflow() const { return log2_underflow_; }

 private:
  double take_weights(const FrontierStep& step) {
    weights_.assign(Sum::planes, 0);
    weights_[0] = 1;
    double sum = step.was_on_frontier ? 1 : 0;
    for (const auto& choice : step.choices) {
      const double* weight = edge_weights_.data() + choice.edge * Sum::planes;
      weights_.insert(weights_.end(), weight, weight + Sum::planes);
      for (int k = 0; k < Sum::planes; ++k) sum += std::fabs(weight[k]);
    }
    return sum;
  }

  template <class Scale>
  void rescale(double largest, const Scale& scale) {
    steps_since_measured_ = 0;
    if (largest == 0) return;
    const int shift = std::ilogb(largest);
    if (std::abs(shift) > 100) {
      // In two steps: 2^-shift itself may be out of range.
      scale(std::ldexp(1.0, -(shift / 2)), std::ldexp(1.0, -(shift - shift / 2)));
      exponent_ += shift;
      largest = std::ldexp(largest, -shift);
    }
    log2_largest_ = std::log2(largest) + 1;
  }

  std::vector<double> edge_weights_;
  const std::vector<double>& row_log2_;
  Vertex num_rows_;
  double log2_left_;
  std::vector<double> weights_;
  double log2_largest_ = 0;
  int steps_since_measured_ = 0;
  std::int64_t exponent_ = 0;
  double roundings_ = 0;
  double log2_underflow_ = -std::numeric_limits<double>::infinity();
};

}  // namespace matchcount
