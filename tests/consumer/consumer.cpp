// Counts through the installed headers and libraries alone: a graph of ours, a Boost graph, a digraph, a matrix.

#include <boost/graph/adjacency_list.hpp>
#include <iostream>
#include <string>

#include "graph/boost_adapter.hpp"
#include "graph/generate.hpp"
#include "permanent/permanent.hpp"

namespace {

int failures = 0;

void expect(const std::string& what, const std::string& found, const std::string& expected) {
  std::cout << what << ": " << found << "\n";
  if (found == expected) return;
  std::cout << "  expected " << expected << "\n";
  ++failures;
}

}  // namespace

int main() {
  using namespace matchcount;

  expect("domino tilings of a chessboard", to_string(count_perfect_matchings(grid_graph(8, 8)).value), "12988816");

  // The cube: 0..7, joined where one bit differs; 9 perfect matchings.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Graph cube(8);
  for (unsigned v = 0; v < 8; ++v) {
    for (unsigned bit = 1; bit < 8; bit *= 2) {
      if ((v & bit) == 0) boost::add_edge(v, v | bit, cube);
    }
  }
  expect("perfect matchings of the cube", to_string(count_perfect_matchings(bipartite_graph_from(cube)).value), "9");

  // 0 <-> 1 with a self-loop at each.
  const Digraph digraph = Digraph::from_arcs(2, {{0, 1}, {1, 0}, {0, 0}, {1, 1}});
  expect("cycle covers", to_string(count_cycle_covers(digraph).value), "2");

  const std::int64_t entries[] = {1, 2, 3, 4};
  expect("permanent", to_string(permanent(Matrix::from_dense(2, 2, entries)).value), "10");

  // A row too many: zero, and why.
  const Result none = count_perfect_matchings(complete_graph(3, 2));
  expect("no perfect matching", to_string(none.value), "0");
  expect("with a reason", none.plan.hall_violator ? "yes" : "no", "yes");
  return failures == 0 ? 0 : 1;
}
