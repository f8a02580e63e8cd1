#include "permanent/frontier/cpu/numbers.hpp"

#include <cstdlib>

#include "core/cpu/dispatch.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"

namespace matchcount {

const FrontierKernels& frontier_kernels(Isa isa) { return kernels_for<FrontierKernels>(isa); }

template <class AnySlot>
void ResiduesOf<AnySlot>::take_weights(const FrontierStep& step) {
  weights_.clear();
  const std::vector<JointMove> moves = step.parts.empty() ? std::vector<JointMove>{} : joint_moves(step);
  for (std::size_t k = 0; k < primes_.size(); ++k) {
    const std::uint32_t* const edges = edges_.data() + k * num_edges_;
    if (step.parts.empty()) {
      weights_.push_back(weight(1, primes_[k]));
      for (const auto& choice : step.choices) weights_.push_back(weight(edges[choice.edge], primes_[k]));
      if (!vertices_.empty()) weights_.push_back(weight(vertices_[step.vertex], primes_[k]));
    }
    for (const JointMove& move : moves) {
      std::uint64_t product = 1;
      for (std::size_t i = 0; i < move.weights.size(); ++i) {
        if (move.weights[i] > 0)
          product = product * edges[step.parts[i].choices[move.weights[i] - 1].edge] % primes_[k];
      }
      weights_.push_back(weight(static_cast<std::uint32_t>(product), primes_[k]));
    }
  }
  num_weights_ = weights_.size() / primes_.size();
}
template void ResiduesOf<std::uint32_t>::take_weights(const FrontierStep&);
template void ResiduesOf<std::uint16_t>::take_weights(const FrontierStep&);

ScaledComplex float_value(FloatKind kind, const double* d, std::int64_t exponent) {
  switch (kind) {
    case FloatKind::real:
      return {{d[0], exponent}, {}};
    case FloatKind::double_double:
      return {{DoubleDouble(d[0], d[1]), exponent}, {}};
    case FloatKind::complex:
      return {{d[0], exponent}, {d[1], exponent}};
    default:
      return {{DoubleDouble(d[0], d[1]), exponent}, {DoubleDouble(d[2], d[3]), exponent}};
  }
}

template <class Entry>
std::vector<double> float_weights(FloatKind kind, const std::vector<Entry>& entries) {
  std::vector<double> result;
  const bool pairs = kind == FloatKind::double_double || kind == FloatKind::complex_double_double;
  const bool is_complex = kind == FloatKind::complex || kind == FloatKind::complex_double_double;
  for (const Entry& entry : entries) {
    const ComplexDoubleDouble value = entry.value;
    result.push_back(value.re.hi);
    if (pairs) result.push_back(value.re.lo);
    if (is_complex) result.push_back(value.im.hi);
    if (is_complex && pairs) result.push_back(value.im.lo);
  }
  return result;
}
template std::vector<double> float_weights(FloatKind, const std::vector<RealEntry>&);
template std::vector<double> float_weights(FloatKind, const std::vector<ComplexEntry>&);

Floats::Floats(FloatKind kind, const FrontierSteps& steps, std::vector<double> edges, std::vector<double> vertices,
               FloatDrift drift)
    : kind_(kind),
      kernel_(kind == FloatKind::real            ? &FrontierKernels::real
              : kind == FloatKind::double_double ? &FrontierKernels::double_double
              : kind == FloatKind::complex       ? &FrontierKernels::complex
                                                 : &FrontierKernels::complex_double_double),
      drift_(drift),
      edges_(std::move(edges)),
      vertices_(std::move(vertices)) {
  for (const FrontierStep& step : steps.steps) log2_left_ += take_weights(step);
}

double Floats::take_weights(const FrontierStep& step) {
  const auto doubles = static_cast<std::size_t>(source_planes());
  weights_.assign(doubles, 0);
  weights_[0] = 1;
  const auto take = [&](const std::vector<double>& weights, std::uint64_t place) {
    const double* weight = weights.data() + place * doubles;
    weights_.insert(weights_.end(), weight, weight + doubles);
  };
  for (const auto& choice : step.choices) take(edges_, choice.edge);
  if (!vertices_.empty()) take(vertices_, step.vertex);
  // A state whose vertex is matched goes on in one way, another in those of the other weights.
  double sum = step.was_on_frontier ? 1 : 0;
  for (std::size_t i = doubles; i < weights_.size(); ++i) sum += std::fabs(weights_[i]);
  return log2_growth_ = std::log2(std::max(sum, 1.0)) + 1e-9;
}

bool Floats::keeps(std::size_t weight) const {
  const auto doubles = static_cast<std::size_t>(source_planes());
  return std::equal(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(doubles),
                    weights_.begin() + static_cast<std::ptrdiff_t>(weight * doubles));
}

// Says whether the layer is to be measured before the step.
bool Floats::is_drifting(const FrontierStep& step) {
  log2_largest_ += take_weights(step);
  return log2_largest_ > drift_.log2_most || ++steps_since_measured_ >= drift_.steps;
}

// Returns the power of two that the layer is to be divided by.
int Floats::take_largest(double largest) {
  steps_since_measured_ = 0;
  if (largest == 0) return 0;
  const int shift = std::abs(std::ilogb(largest)) > drift_.shift ? std::ilogb(largest) : 0;
  exponent_ += shift;
  log2_largest_ = std::log2(std::ldexp(largest, -shift)) + 1 + log2_growth_;
  return shift;
}

void Floats::account(const FrontierStep& step) {
  log2_left_ -= log2_growth_;
  // Each product and sum may lose 2^-1074 of this layer's unit, a few times in an error-free transformation; what is
  // left multiplies it by at most the growth of the remaining steps.
  const double operations = 8.0 * static_cast<double>(num_weights()) * step.states + 1;
  const double lost = std::log2(operations) - 1074 + static_cast<double>(exponent_) + std::max(log2_left_, 0.0) + 1;
  log2_underflow_ = log2_sum(log2_underflow_, lost);
  roundings_ += static_cast<double>(num_weights() + 1);
}

}  // namespace matchcount
