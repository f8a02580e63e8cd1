// orders: what orders the frontier method finds, and how long the search for them takes.

#include "bench/runner.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"

namespace matchcount::bench {
namespace {

void run(Bench& bench) {
  CountOptions options;
  options.method = Method::frontier;
  options.frontier_engine = FrontierEngine::dense;
  options.run = bench.given().run_on_cpu();
  options.run.num_threads = std::max(options.run.num_threads, 1);
  options.effort_s = bench.given().seconds("effort");
  bench.begin("Orders of the frontier method.", {}, options.run.num_threads);
  const auto plan = [&](const std::string& name, const UndirectedGraph& graph) {
    bench.run({"", name, nullptr,
               [&] {
                 const Forecast forecast = plan_hafnian(graph, options).blocks.at(0).forecasts.at(0);
                 return Outcome{{}, {{"log2_transitions", forecast.log2_operations}, {"order", forecast.reason}}};
               },
               nullptr});
  };
  const auto plan_two_sides = [&](const std::string& name, const BipartiteGraph& graph) {
    plan(name, UndirectedGraph::from_bipartite(graph));
  };
  for (const Vertex side : {16, 18, 20, 22, 24}) plan("kings " + std::to_string(side), king_graph(side, side));
  plan_two_sides("grid3d 6 6 6", grid3d_graph(6, 6, 6));
  plan_two_sides("grid3d 6 6 8", grid3d_graph(6, 6, 8));
  plan_two_sides("grid3d 5 8 8", grid3d_graph(5, 8, 8));
  plan_two_sides("hypercube 6", hypercube_graph(6));
  plan_two_sides("torus 16 16", torus_graph(16, 16));
  for (const Vertex size : {100, 150, 200})
    plan_two_sides("regular " + std::to_string(size) + " 3", random_regular_graph(size, 3, 1));
  plan_two_sides("random 40 40 0.2", random_graph(40, 40, 0.2, 1));
}

}  // namespace

Suite orders_suite() {
  return {
      "orders",
      "orders of the frontier method, and the search for them",
      "Plans counts by the frontier method of generated graphs, reduced as the program reduces them, and prints how "
      "many transitions the order has that was found. `matchcount plan FILE --method frontier --effort S` does the "
      "same for a file.",
      "",
      {{"effort", "S", "seconds of search for each, as of matchcount plan", "1"},
       seed_option,
       {"threads", "N", "of the search; the order does not depend on it", "1"}},
      run};
}

}  // namespace matchcount::bench
