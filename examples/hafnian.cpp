// Sums the products of weights over the perfect matchings of a graph with odd cycles: a hafnian, and a loop hafnian.

#include <iostream>
#include <matchcount/matchcount.hpp>
#include <vector>

int main() {
  // The complete graph on four vertices; edges {0, 1}, {0, 2}, ..., each with a weight.
  const auto graph = matchcount::UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                                                             std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
  std::cout << to_string(matchcount::hafnian(graph).value) << "\n";  // 1 * 6 + 2 * 5 + 3 * 4

  // Of a symmetric matrix, row-major, as photons in squeezed light have it; with loops the diagonal counts too.
  const std::vector<double> symmetric{0.5, 1.0,  //
                                      1.0, 0.5};
  std::cout << to_string(matchcount::hafnians(symmetric, 2).front()) << "\n";
  std::cout << to_string(matchcount::hafnians(symmetric, 2, true).front()) << "\n";
}
