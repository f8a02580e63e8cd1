// Proves that there is no perfect matching, and counts the largest ones instead.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  // Three people, of whom two can do the first task only.
  const auto graph = matchcount::BipartiteGraph::from_edges(3, 3, {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}});
  const matchcount::Result result = matchcount::count_perfect_matchings(graph);
  std::cout << to_string(result.value) << " perfect matchings\n";
  if (const auto& why = result.plan.hall_violator) {
    std::cout << why->members.size() << " " << (why->of_rows ? "people" : "tasks") << " have between them only "
              << why->neighbours.size() << " to choose from\n";
  }

  matchcount::MatchingOptions options;
  options.kind = matchcount::MatchingKind::maximum;
  const matchcount::MatchingResult most = matchcount::count_matchings(graph, options);
  std::cout << to_string(most.run.value) << " matchings of " << *most.edges_of_each << " edges\n";
}
