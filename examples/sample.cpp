// Draws random perfect matchings, each as likely as the others, and compares a frequency with its probability.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  const matchcount::BipartiteGraph diamond = matchcount::aztec_graph(4);
  matchcount::DistributionOptions options;
  options.run.seed = 7;  // the same seed, the same samples
  matchcount::MatchingDistribution tilings(diamond, options);

  constexpr std::size_t count = 10'000;
  const std::vector<matchcount::EdgeId> edges = tilings.samples(0, count);
  std::cout << edges.size() / count << " dominoes in each tiling\n";

  std::size_t with_first = 0;
  for (const matchcount::EdgeId edge : edges) with_first += edge == 0;
  const double share = static_cast<double>(with_first) / count;
  const double probability = tilings.marginals().edges[0].probability;
  std::cout << "the first edge is " << (std::abs(share - probability) < 0.02 ? "as" : "not as")
            << " frequent as it should be\n";
}
