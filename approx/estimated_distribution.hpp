#pragma once
// EstimatedDistribution answers the questions of MatchingDistribution (matchcount/marginals.hpp) by samples, where a
// graph is too large for exact answers: how likely each edge is, with an interval, and matchings that are drawn nearly
// as a fair draw would.
//
//   matchcount::EstimatedDistribution tilings(matchcount::grid_graph(24, 24));
//   auto edge = tilings.marginals().edges[0];     // edge.probability is 0.5, and in [edge.low, edge.high] 95 % of
//   times

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "approx/estimator.hpp"
#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/graph_view.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

struct DistributionEstimateOptions {
  // Perfect ones, or those of a BipartiteGraph that saturate the smaller side: the constructor throws InputError for
  // others, and Unable where no matching saturates it.
  MatchingKind matchings = MatchingKind::perfect;
  // Marginals draw so many weighted matchings of every part of the graph, at least 2; 0: until no interval reaches
  // farther than absolute_error from its probability.
  std::uint64_t samples = 0;
  double absolute_error = 0.01;  // in (0, 1)
  double confidence = 0.95;      // in (0, 1)
  // Samples draw so many weighted matchings of every part, of which each sample takes one; at least 2.
  std::uint64_t population = 4096;
  Vertex exact_rows = 12;  // parts of at most that many rows, or twice as many vertices, are done exactly
  // Marginals: a time limit or a raised stop token ends the drawing, not the call, once there are two of every part.
  RunOptions run = {};
};

struct EstimatedProbability {
  double probability = 0;
  double low = 0, high = 0;  // the interval; it holds the probability
};

struct EstimatedMarginals {
  std::vector<EstimatedProbability> edges;  // by EdgeId; at every vertex the probabilities sum to 1, but for rounding
  double confidence = 0;
  std::uint64_t samples = 0;  // of the part that took most; 0: all is exact
  // effective_samples is that of the sampled part that has fewest: (sum of weights)^2 / sum of their squares, or as
  // many fair matchings as have the variance of its probabilities, whichever is less.
  double effective_samples = 0;
  std::string warning;                  // why the intervals are not to be believed; empty: no sign of that
  bool out_of_time = false;             // the time limit came before what was asked for
  bool interrupted = false;             // the caller's stop token did
  Estimator method = Estimator::exact;  // of the part that took most
};

// PopulationReport describes the part whose weights are least even; all parts exact: population 0.
struct PopulationReport {
  std::uint64_t population = 0;
  double effective = 0;                   // fair matchings that they are worth, as effective_samples
  double largest_share = 0;               // of the heaviest matching: how often it is drawn
  std::uint64_t drawn = 0, distinct = 0;  // samples so far, and how many different ones of the population they took
  std::string warning;                    // as above
};

// EstimatedDistribution is not to be asked by several threads at once.
class EstimatedDistribution {
 public:
  // Weights are used where there are some; edges of weight 0 are in no matching. Splits the graph as
  // MatchingDistribution does. Throws InputError for a negative or complex weight or an option out of range, and as
  // run.check() does. `work` saves or shares the draws of marginals, and outlives this.
  explicit EstimatedDistribution(GraphView graph, const DistributionEstimateOptions& options = {},
                                 Work* work = nullptr);
  EstimatedDistribution(EstimatedDistribution&&) noexcept;
  EstimatedDistribution& operator=(EstimatedDistribution&&) noexcept;
  ~EstimatedDistribution();

  const std::optional<HallViolator>& hall_violator() const;
  const std::optional<TutteSet>& tutte_set() const;
  bool has_perfect_matching() const { return !hall_violator() && !tutte_set(); }

  // Ratios of sums of weights of populations of guided samples, with Wilson's interval (1927,
  // doi:10.1080/01621459.1927.10502953) for as many fair draws as their variance amounts to. A function of graph, seed
  // and the number of samples alone, on any number of threads. Throws Unable where there is no perfect matching, the
  // time was over before there were two samples, or the memory does not hold them.
  EstimatedMarginals marginals();

  std::size_t matching_size() const;
  double bytes_of_sample() const;
  // Samples first, ..., first + count - 1, as MatchingDistribution::samples gives them. Each is one of the population,
  // taken in proportion to its weight: as fair as the population is even, and equal to another now and then. Sample i
  // depends on the graph, the seed, the population's size and i alone. The first call draws the population. Throws
  // Unable as above, and OverLimit for what memory does not hold or where the time ends before all are drawn.
  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count);
  // Reports on the samples drawn so far; draws the population where none was.
  PopulationReport population();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace matchcount
