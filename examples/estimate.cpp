// Estimates a count that is too expensive, with an interval that holds it with a confidence that one may choose.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  const matchcount::BipartiteGraph graph = matchcount::complete_graph(20, 20);  // 20! perfect matchings
  matchcount::EstimateOptions options;
  options.relative_error = 0.05;
  options.confidence = 0.99;
  options.exact_rows = 0;  // else small blocks are counted
  options.run.time_limit_s = 60;

  const matchcount::Estimate estimate = matchcount::estimate_perfect_matchings(graph, options);
  const double low = estimate.low.to_double(), high = estimate.high.to_double(), truth = 2432902008176640000.0;
  std::cout << (low <= truth && truth <= high ? "20! lies within the interval" : "the interval misses 20!") << "\n";
  if (!estimate.warning.empty()) std::cout << estimate.warning << "\n";
}
