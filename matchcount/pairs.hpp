#pragma once
// Tells how edges of a random matching go together: how likely two of them are in it both, and how far the one tells of
// the other. A distribution without the edges that the first one excludes (matchcount/conditions.hpp) answers for all
// pairs with the same first edge.
//
//   const auto options = matchcount::DistributionOptions{};
//   const auto shares = matchcount::MatchingDistribution(graph, options).marginals();
//   const auto pairs = matchcount::pair_marginals(graph, options, shares, matchcount::near_pairs(graph, 2));

#include <vector>

#include "core/api.hpp"
#include "graph/graph_view.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

struct EdgePair {
  EdgeId first = 0, second = 0;
};

// All but `both.sum` and `unit` is meaningless where Marginals::are_probabilities is false.
struct PairMarginal {
  EdgeMarginal both;     // of the matchings with both edges
  Rational unit = 1;     // that both.sum is to be multiplied by, as Marginals::unit
  double connected = 0;  // P(both) - P(first) P(second), within connected_error
  double connected_error = 0;
  // Divides that by the deviations of the two edges, within correlation_error; NaN where one of them is in all
  // matchings or in none, or is not told from that.
  double correlation = 0;
  double correlation_error = 0;
};

// Finds the pairs in the order given; `of_all` is what MatchingDistribution has for the same graph and options. Takes
// as long as its marginals for each of some edges of which every pair has one. Two edges with a vertex in common are
// never together, and an edge is always with itself. Where the first edge counts `factor` times as much, the second
// one's sum is its own in `of_all` plus (factor - 1) times that of both. By integers (options.exact) everything is
// right to the last digit of a double. Throws InputError for an EdgeId that the graph does not have, for marginals of
// another graph and for a rotation system, OverLimit where the edges that are left are predicted to take more than
// twice the time that is left, and as marginals() does.
std::vector<PairMarginal> pair_marginals(GraphView graph, const DistributionOptions& options, const Marginals& of_all,
                                         const std::vector<EdgePair>& pairs);

// Returns the pairs of edges with no vertex in common and a path of at most `most` edges from an end of the one to an
// end of the other, each once, the lesser EdgeId first, ascending. Throws OverLimit where they and what is found of
// them pass the memory limit, and as run.check() does.
std::vector<EdgePair> near_pairs(GraphView graph, Vertex most, const RunContext& run = {});

}  // namespace matchcount
