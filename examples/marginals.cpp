// Finds for every edge the share of the perfect matchings that contain it, of a graph read from a text.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  matchcount::InputOptions options;
  options.kind = matchcount::InputKind::undirected;
  options.odd_cycles = true;  // graphs that are not bipartite are read too
  const matchcount::Input input =
      matchcount::read_input_text("ann bob\nbob cat\ncat dan\ndan ann\nann cat\n", "friends", options);

  // Without odd cycles the graph is in input.graph.
  const matchcount::UndirectedGraph& friends = input.undirected;
  matchcount::DistributionOptions exactly;
  exactly.exact = true;
  matchcount::MatchingDistribution distribution(friends, exactly);
  const matchcount::Marginals marginals = distribution.marginals();
  std::cout << to_string(marginals.total) << " ways to form pairs\n";
  for (matchcount::EdgeId id = 0; id < friends.num_edges(); ++id) {
    const auto [u, v] = friends.edges()[id];
    std::cout << input.row_label(u) << " " << input.row_label(v) << " " << marginals.edges[id].probability << "\n";
  }
}
