// Counts the matchings of every size, the coefficients of the matching polynomial, and lists the perfect ones.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  const matchcount::BipartiteGraph graph = matchcount::grid_graph(2, 3);
  matchcount::MatchingOptions options;
  options.kind = matchcount::MatchingKind::by_size;
  const matchcount::MatchingResult found = matchcount::count_matchings(graph, options);
  for (std::size_t size = 0; size < found.by_size.size(); ++size)
    std::cout << size << " edges: " << to_string(found.by_size[size].value) << "\n";
  std::cout << to_string(found.run.value) << " in all\n";

  const auto lightest = matchcount::count_optimal_matchings(
      graph.with_weights(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}), matchcount::Optimum::lightest);
  std::cout << "the lightest weighs " << *lightest.weight << "\n";
}
