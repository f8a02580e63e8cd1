#include "approx/population_mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/numbers/infinity.hpp"

namespace matchcount {
namespace {

// A population is looked at this often: between stages a particle stays in the cache. At 64 x 64 36 to 128 rows gave
// the same error in the same time, 18 twice the time.
constexpr std::uint32_t steps_a_stage = 32, fewest_stages = 8;
// and resampled where its effective size is below this share. At 32 x 32 0.5 gave 1.5 times the variance of 0.9.
constexpr double least_effective_share = 0.9;
// On the 64 x 64 grid increments of the logarithm have covariances up to eight stages apart, of 64.
constexpr std::uint32_t most_pieces = 16;
constexpr std::size_t fewest_that_double = 16;

}  // namespace

PopulationMean::PopulationMean(std::size_t size, std::uint32_t steps, double log_start, const Uniforms& uniforms,
                               std::uint32_t stages, bool doubles)
    : total_(steps),
      stages_(stages > 0 ? stages : std::max(1u, std::min(steps, std::max(steps / steps_a_stage, fewest_stages)))),
      log_start_(log_start),
      uniforms_(uniforms) {
  doubles_ = doubles && size >= fewest_that_double && size % 2 == 0 && stages_ >= 4;
  log_value_.resize(doubles_ ? size / 2 : size, 0.0);
}

std::uint32_t PopulationMean::steps() const {
  return total_ - static_cast<std::uint32_t>(std::uint64_t{total_} * (stages_ - stage_ - 1) / stages_) - taken_;
}

bool PopulationMean::is_dead(std::size_t particle) const { return log_value_[particle] == minus_infinity; }

std::span<const Replacement> PopulationMean::end_stage(std::span<const double> log_values,
                                                       std::span<const double> log_left) {
  const std::size_t size = log_value_.size();
  log_rank_.resize(size);
  weight_.resize(size);
  taken_ += steps();
  ++stage_;
  const bool last = stage_ == stages_;
  double top = minus_infinity;
  for (std::size_t k = 0; k < size; ++k) {
    log_value_[k] += log_values[k];
    // Nothing is left at the end, but for rounding in the sum.
    log_rank_[k] = log_value_[k] + (last ? 0 : log_left[k]);
    top = std::max(top, log_rank_[k]);
    log_increments_.push_back(log_rank_[k] - log_start_);
  }
  replacements_.clear();
  if (top == minus_infinity) {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    log_pieces_.clear();
    log_mean_ = minus_infinity;
    over_ = true;
    return replacements_;
  }
  for (std::size_t k = 0; k < size; ++k) weight_[k] = std::exp(log_rank_[k] - top);
  const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  log_mean_ = log_total_ + top + std::log(sum / static_cast<double>(size));
  if (std::uint64_t{stage_} * std::min(stages_, most_pieces) / stages_ > log_pieces_.size()) {
    log_pieces_.push_back(log_mean_ - log_before_);
    log_before_ = log_mean_;
  }
  over_ = last;
  if (!over_ && replaces(weight_)) {
    log_total_ = log_mean_;
    log_start_ = 0;
    replace(sum, log_left);
  }
  if (!over_ && doubles_ && stage_ == stages_ * 3 / 4) double_particles();
  return replacements_;
}

void PopulationMean::double_particles() {
  const std::size_t size = log_value_.size();
  std::vector<std::uint32_t> source(size);
  std::iota(source.begin(), source.end(), 0u);
  for (const auto& [from, to] : replacements_) source[to] = from;
  for (std::size_t k = 0; k < size; ++k) replacements_.push_back({source[k], static_cast<std::uint32_t>(size + k)});
  log_value_.insert(log_value_.end(), log_value_.begin(), log_value_.begin() + static_cast<std::ptrdiff_t>(size));
}

// Systematic resampling: one random number. A particle that stays is not copied.
void PopulationMean::replace(double sum, std::span<const double> log_left) {
  const std::size_t size = weight_.size();
  const double spacing = sum / static_cast<double>(size);
  std::vector<std::uint32_t> copies(size, 0), source(size);
  double at = uniforms_.next() * spacing, below = 0;
  std::size_t k = 0;
  for (std::size_t drawn = 0; drawn < size; ++drawn) {
    while (k + 1 < size && below + weight_[k] <= at) below += weight_[k++];
    ++copies[k];
    at += spacing;
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < size; ++to) {
    source[to] = static_cast<std::uint32_t>(to);
    if (copies[to] > 0) continue;
    while (copies[from] < 2) ++from;
    --copies[from];
    source[to] = static_cast<std::uint32_t>(from);
    replacements_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
  }
  for (std::size_t to = 0; to < size; ++to) log_value_[to] = -log_left[source[to]];
}

bool PopulationMean::replaces(std::span<const double> weights) {
  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum <= least_effective_share * static_cast<double>(weights.size()) * squares;
}

}  // namespace matchcount
