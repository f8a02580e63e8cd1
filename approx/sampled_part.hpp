#pragma once
// Draws weighted perfect matchings of one part of a graph, and sums up how often each edge is in them. Private to
// approx/.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "approx/block_sampler.hpp"
#include "approx/statistics.hpp"
#include "core/bytes.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// A part's patterns (matching/covered_parts.hpp).
using PartPattern = std::variant<BipartiteGraph, UndirectedGraph>;

// Sums over draws with weight w, in which an edge has the share f of w. Relative to the largest w so far and its
// square, as SampleSums.
struct EdgeSums {
  SampleSums draws;
  std::vector<double> weight;      // by edge: sum of w f
  std::vector<double> first;       // of w^2 f
  std::vector<double> second;      // of w^2 f^2
  LargestWeights largest;          // of the draws
  std::vector<SampleSums> stages;  // of the weights that particles of populations had, by stage

  EdgeSums() = default;
  explicit EdgeSums(std::size_t num_edges) : weight(num_edges), first(num_edges), second(num_edges) {}
  auto fields() { return std::tie(draws, weight, first, second, largest.count, largest.log_largest, stages); }
  void add(double log_weight, const std::vector<double>& shares, std::span<const SampleSums> of_stages);
  void add(const EdgeSums& other);

  double probability(std::size_t edge) const;
  // Returns how many independent draws of equal weight have its variance; of an edge that was always drawn alike, as
  // many as are effective among the draws.
  double effective_draws(std::size_t edge) const;
  // The same of all edges together, by the sums of their variances; infinity where none was seen.
  double effective_draws() const;
  // Returns the least share of a stage's particles that are effective in it; 1 where there are no stages.
  double least_effective_share() const;

 private:
  void scale(double factor);
};

struct ProbabilityInterval {
  double low = 0, high = 0;
};
// Returns Wilson's interval for a share among so many draws (not below 1); `quantile` of its level, as 1.96.
ProbabilityInterval wilson_interval(double share, double draws, double quantile);

class SampledPart {
 public:
  // `weights` by edge of the pattern, positive and finite; each edge is in some perfect matching. Chooses how to draw
  // by a pilot run that depends on these and the seed alone. Throws as BlockSampler::choose does.
  // Of `matchings`, if not 0, a population takes a small share, so that several can be compared.
  SampledPart(const PartPattern& pattern, const std::vector<double>& weights, std::uint64_t seed,
              std::uint64_t matchings, const RunContext& run);

  std::size_t num_edges() const { return num_edges_; }
  std::size_t matching_size() const { return chosen_->problem().size; }
  Estimator method() const { return options_.estimator; }
  // Matchings of a draw: more than one of a population.
  std::uint64_t matchings_a_draw() const { return matchings_of(options_); }
  // Return the bytes of as many threads' samplers and sums, and of a population of so many matchings.
  double bytes(int threads) const;
  double population_bytes(std::uint64_t matchings) const;
  const EdgeSums& sums() const { return sums_; }
  // Matchings of equal weight that the draws are worth: by their weights, or by how far edges' shares differ between
  // them, since the matchings of a population have ancestors in common.
  double effective_draws() const;
  // The same of one edge. Of rare edges few draws of little weight say little of the variance, which may suggest more
  // matchings than were drawn.
  double effective_draws(std::size_t edge) const;
  std::string warning() const { return warning(sums_, effective_draws()); }
  // Draws on, until there are `total` draws or `over` says so.
  void draw(std::uint64_t total, const RunContext& run, const std::function<bool()>& over);

  // Draws that many matchings, or a few more. Throws as run.check() does.
  void make_population(std::uint64_t matchings, const RunContext& run);
  std::uint64_t population() const { return cumulative_.size(); }
  // Returns effective_draws over all edges, and its warning.
  double effective() const;
  std::string population_warning() const { return warning(population_sums_, effective()); }
  double largest_share() const;
  // Edges of the matching that a uniform number takes, in proportion to weight, and notes that it was taken.
  std::span<const std::uint32_t> take(double uniform);
  std::uint64_t num_taken() const { return num_taken_; }
  std::uint64_t num_distinct() const { return num_distinct_; }

 private:
  static std::uint64_t matchings_of(const SampleOptions& options);
  SampleOptions options_for(std::uint64_t matchings) const;
  std::uint32_t edge_between(std::uint32_t vertex, std::uint32_t partner) const;
  // Calls visit(weight, partners) for the matchings of the last sample.
  void draw_chunk(Sampler& sampler, std::uint64_t begin, std::uint64_t end, const std::function<void()>& poll,
                  EdgeSums& sums) const;
  double weight_of(std::size_t index) const;
  // Says why the samples are not to be believed; empty: no sign of that.
  std::string warning(const EdgeSums& sums, double effective) const;

  std::unique_ptr<BlockSampler> chosen_;  // its problem, and how to draw
  SampleOptions options_;                 // of marginals' draws
  std::uint64_t seed_;
  std::size_t num_edges_;
  std::vector<std::uint32_t> edge_of_slot_;
  double least_share_of_weight_ = 1;  // the least weight over the largest
  EdgeSums sums_, population_sums_;
  std::vector<double> cumulative_;    // weights of the population
  std::vector<std::uint32_t> edges_;  // matching_size() each
  std::vector<bool> is_taken_;
  std::uint64_t num_taken_ = 0, num_distinct_ = 0;
};

}  // namespace matchcount
