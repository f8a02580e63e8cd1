// Counts through the installed headers and library alone: a graph of ours, a Boost graph, a digraph, a matrix; and what
// else the umbrella header offers.

#include <boost/graph/adjacency_list.hpp>
#include <iostream>
#include <matchcount/graph/boost_adapter.hpp>
#include <matchcount/matchcount.hpp>
#include <string>

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

  expect("determinant", determinant(std::vector<std::int64_t>{1, 2, 3, 4}, 2) == -2 ? "-2" : "another", "-2");
  const EstimateOptions options{.samples = 100, .exact_rows = 0, .run = {.seed = 2}};
  const Estimate estimate = estimate_perfect_matchings(complete_graph(6, 6), options);
  expect("estimate of 720", 360 < estimate.value.to_double() && estimate.value.to_double() < 1440 ? "close" : "far",
         "close");
  const InputOptions two_sides{.kind = InputKind::bipartite};
  const Input input = read_input_text("1 1\n1 2\n2 2\n", "text", two_sides);
  const Matching matching = maximum_matching(input.graph);
  const CoarseDecomposition coarse = coarse_decomposition(input.graph, matching);
  expect("fine blocks", std::to_string(fine_decomposition(input.graph, matching, coarse).num_blocks), "2");
  expect("planar", planar_embedding(UndirectedGraph::from_bipartite(complete_graph(3, 3))) ? "yes" : "no", "no");
  Work work;
  expect("with work of one's own", to_string(count_perfect_matchings(aztec_graph(3), {}, &work).value), "64");

  // Exceptions are known for what they are on this side as well.
  try {
    read_input_text("1 x y z\n", "text", {});
    expect("bad input", "read", "refused");
  } catch (const InputError& error) {
    expect("bad input", error.file(), "text");
  }
  std::stop_source source;
  source.request_stop();
  const CountOptions stopped{.run = {.stop = source.get_token()}};
  try {
    count_perfect_matchings(grid_graph(8, 8), stopped);
    expect("stopped", "counted", "cancelled");
  } catch (const Unable& error) {
    expect("stopped", dynamic_cast<const Cancelled*>(&error) ? "cancelled" : error.what(), "cancelled");
  }
  return failures == 0 ? 0 : 1;
}
