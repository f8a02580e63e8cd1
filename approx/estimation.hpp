#pragma once
// Estimation draws samples of the blocks of an estimate until it is told to stop, and states the interval of their
// product.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "approx/bethe_bracket.hpp"
#include "approx/block_sampler.hpp"
#include "approx/estimate.hpp"
#include "core/run.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/matching_parts.hpp"

namespace matchcount {

// Weights that differ by more than this however they are scaled may hide the matchings that count from samples.
constexpr double uneven = 0x1p-60;
// Belief propagation converges in fewer rounds than a block is wide, or is stopped, large blocks after a second or two;
// the bracket then is wider.
inline int most_rounds(const Problem& problem) {
  return static_cast<int>(std::clamp(2e8 / (1.0 + static_cast<double>(problem.target.size())), 50.0, 1000.0));
}

// Start is a block before its samples, with the bounds that are certain.
struct Start {
  Problem problem;
  BetheBracket bracket;
  double least_scaled_weight = 1;
};

// Throws InputError for options that are out of range.
void check(const EstimateOptions& options);

// Returns what `estimate` does with these options, and with those of a second, independent method if they ask to
// verify.
Estimate verified(const EstimateOptions& options, Work* work,
                  const std::function<Estimate(const EstimateOptions& options, Work* work)>& estimate);

// Makes the question of a sum over matchings. Borrows the graph and all options.
Question question_of(GraphView graph, const MatchingOptions& matchings, MatchingKind kind, const CountOptions& count);
MatchingParts parts_of(const Question& question, const RunContext& run);
// Says whether walks may leave every vertex alone, and take every edge.
bool are_positive(const MatchingParts& parts);

class Estimation {
 public:
  // Borrows the options. Throws InputError for those out of range, and as choose_devices does, even where nothing is
  // left to sample.
  Estimation(const EstimateOptions& options, Work* work);

  const RunContext& run() const { return run_; }
  // Returns what is known beside the blocks, and told as it is.
  Estimate& told() { return estimate_; }
  double lap() { return stopwatch_.lap(); }
  // Takes a factor of all matchings, with its relative error; `whole`: it is a whole number without one.
  void multiply(const ScaledReal& factor, double error, bool whole);
  // Takes a block that was counted, or one to be sampled.
  void add_counted(BlockEstimate block, const RealValue& count);
  void add(BlockEstimate block, Start start);
  // Names everything that a checkpoint's run depends on; `input`: its hash.
  void identify(const std::string& input) const;
  // Returns the estimate; there is a matching. Throws as run.check() does before there are two samples of each block.
  Estimate result();

 private:
  bool over() const;
  bool ended() const { return estimate_.out_of_time || estimate_.interrupted; }
  void draw(BlockSampler& sampler, std::uint64_t total, const std::function<void(double)>& report);
  double predicted_s() const;
  void choose_gpus();
  void use_gpus();
  void sample();
  void report(double done, double total);
  void finish();
  void state_interval(double log_sampled);

  const EstimateOptions& options_;
  RunContext run_;
  int threads_;
  Stopwatch stopwatch_;
  Estimate estimate_;
  BetheBracket bracket_{0, 0};  // of the blocks that are sampled
  ScaledReal exact_{DoubleDouble(1.0), 0};
  double exact_error_ = 0;  // relative
  bool whole_ = true;       // the factors beside the blocks
  std::vector<BlockSampler> samplers_;
  std::vector<std::size_t> sampled_;  // their places among the blocks
};

}  // namespace matchcount
