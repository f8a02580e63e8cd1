#pragma once
// MatchingDistribution answers questions about the matchings of a graph beyond their number, perfect ones or those of
// another kind: in how many each edge is, and which one a fair draw gives. It is prepared once and asked many times.
//
//   matchcount::MatchingDistribution tilings(matchcount::grid_graph(8, 8));
//   auto corner = tilings.marginals().edges[0];       // corner.probability: 0.5
//   auto edges = tilings.samples(0, 1000);            // 1000 uniform matchings of tilings.matching_size() edges each

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "graph/graph_view.hpp"
#include "matching/matching_list.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

// Plans what MatchingDistribution::marginals() would run, and what it would take; and samples(), until the first one is
// there: a forecast's reason says what each takes if that is not microseconds. Nothing is run, and no limit ends the
// planning; orders are searched for as in the run itself. Throws InputError and Unable for what the options ask for in
// vain, plan_samples InputError for weights that are negative or complex.
DistributionPlan plan_marginals(GraphView graph, const DistributionOptions& options = {});
DistributionPlan plan_samples(GraphView graph, const DistributionOptions& options = {});

// MatchingDistribution is not to be asked by several threads at once.
class MatchingDistribution {
 public:
  // Finds a perfect matching, or the reason why there is none, drops the edges in none, and splits the rest. Weights
  // are used where there are some; edges of weight 0 are in no matching. Throws as run.check() does, and InputError for
  // an engine that has no backward pass (twins, lean) or another method.
  explicit MatchingDistribution(GraphView graph, const DistributionOptions& options = {});
  MatchingDistribution(MatchingDistribution&&) noexcept;
  MatchingDistribution& operator=(MatchingDistribution&&) noexcept;
  ~MatchingDistribution();

  // Says whether there is a matching of the kind that options.matchings asks for, and its weight is not 0.
  bool has_matching() const;
  // Proves that there is no perfect matching: of a BipartiteGraph and of an UndirectedGraph. Neither: there is one, or
  // matchings that need not be perfect were asked for. The first proves as well that none saturates the smaller side.
  const std::optional<HallViolator>& hall_violator() const;
  const std::optional<TutteSet>& tutte_set() const;
  bool has_perfect_matching() const { return !hall_violator() && !tutte_set(); }

  // Finds the sums by the frontier method, forwards and backwards, two to four times the count; of planar graphs by the
  // inverse of Kasteleyn's matrix if that is cheaper (no complex or negative reals); of dense bipartite graphs by all
  // minors, a few permanents, if that is. All sums are 0 if there is no perfect matching. The sums of a vertex's edges
  // are compared with the total: Error if they differ. Throws Unable (OverLimit) if the layers to be kept do not fit
  // into the memory limit, a run is predicted to take more than twice the time that is left, or it does; Unable if the
  // method asked for does not apply.
  Marginals marginals();

  // Edges of a matching; of MatchingKind::all those of a largest.
  std::size_t matching_size() const;
  // Returns the memory that a call of samples() takes for each of them, beside the layers.
  double bytes_of_sample() const;
  // Samples first, ..., first + count - 1 of an endless sequence: independent matchings with probabilities in
  // proportion to the products of their weights; matching_size() edges each, ascending, one sample behind the other.
  // One with fewer edges has no_edge in the last places. Sample i depends on the graph, the seed, method,
  // frontier_strategy, effort_s and i alone: not on threads or limits, nor on what else is asked. Probabilities are
  // right to a relative 10^-12 or so by the frontier method (permanent/frontier/marginals.hpp), by minors to 2^-30
  // (permanent/ryser/minors.hpp); by the planar one that of each sample is right to a relative 10^-6, by a bound that
  // is found when it is drawn (permanent/planar/samples.hpp). The first call counts, or eliminates; others take
  // microseconds a sample where all layers are kept, milliseconds by the planar method, and by minors some permanents,
  // fewer for each of many samples. Throws InputError where a weight is negative or complex: no probability is
  // proportional to it. Throws Unable where there is no perfect matching or the method asked for does not apply,
  // OverLimit where count times bytes_of_sample() passes the memory limit, and as marginals does.
  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Entropy {
  double value = 0, error = 0;  // in nats
};

// Finds the entropy of the distribution that has these marginals, which MatchingDistribution found for the same graph
// and options: log Z - sum of P(e) log w(e) over its edges, and of the same over the vertices that are left alone with
// an activity; the logarithm of the number of matchings where all count 1. Nothing where there are no probabilities.
std::optional<Entropy> entropy(GraphView graph, const DistributionOptions& options, const Marginals& marginals);

// Finds what the total would be if the matchings with one edge counted `factor` times as much, from the sums of
// marginals and without another count: 0 takes the edge away. Matchings with the edge in each of them add up to its own
// sum. Of maximum, lightest and heaviest ones they are the same matchings ever, which may no longer be those of the
// changed graph. Throws InputError for an edge that is not there.
MatchingSum reweighted_total(const Marginals& marginals, EdgeId edge, const Rational& factor);

// Lists the matchings of a kind: perfect ones and those that saturate the smaller side as MatchingList does, others
// with each vertex in its turn left alone after its partners; rows come before columns. Lightest and heaviest ones are
// those of the graph's weights, which are places in the table of fractions if that is not empty; of all matchings those
// are listed that match the vertices always_matched. Throws as MatchingList does, and InputError and Unable as
// MatchingDistribution.
MatchingList list_matchings(GraphView graph, MatchingKind kind, std::span<const Rational> fractions = {},
                            const RunContext& run = {}, std::span<const Vertex> always_matched = {});

}  // namespace matchcount
