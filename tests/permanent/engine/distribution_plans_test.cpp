// Questions about single matchings are answered as they are planned.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;

namespace {

const Forecast& followed(const DistributionPlan& planned) { return planned.plan.blocks.at(0).forecasts.at(0); }

DistributionOptions by(Method method) { return {.method = method, .run = {.num_threads = 1}}; }

}  // namespace

TEST_CASE("marginals are found by the method that is planned, which is the cheapest that was looked at") {
  for (const bool exact : {false, true}) {
    for (const auto& graph : {grid_graph(4, 4), grid_graph(12, 12), complete_graph(6, 6), complete_graph(16, 16),
                              band_graph(40, 3), random_regular_graph(14, 3, 7)}) {
      for (const Method method : {Method::automatic, Method::frontier, Method::ryser}) {
        DistributionOptions options = by(method);
        options.exact = exact;
        if (method == Method::ryser && graph.num_rows() > 16) continue;
        const DistributionPlan planned = plan_marginals(graph, options);
        REQUIRE(planned.refusal.empty());
        REQUIRE(planned.are_probabilities);
        REQUIRE(planned.plan.blocks.size() == 1);
        CAPTURE(graph.num_rows(), exact, to_string(method), to_string(followed(planned).method));
        REQUIRE(MatchingDistribution(graph, options).marginals().method == followed(planned).method);
        for (const Forecast& forecast : planned.plan.blocks[0].forecasts)
          REQUIRE(forecast.seconds >= followed(planned).seconds);
        REQUIRE(planned.plan.seconds == followed(planned).seconds);
        REQUIRE(planned.plan.memory_bytes == followed(planned).memory_bytes);
      }
    }
  }
}

TEST_CASE("a plan names the parts, the largest first, with what is forced and what is in no perfect matching") {
  // A square, an edge from it into a forced one, and a complete graph on 6 vertices.
  std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}};
  for (Vertex u = 6; u < 12; ++u) {
    for (Vertex v = u + 1; v < 12; ++v) edges.push_back({u, v});
  }
  const DistributionPlan planned = plan_marginals(UndirectedGraph::from_edges(12, edges));
  const Plan& plan = planned.plan;
  REQUIRE(plan.vertices == 12);
  REQUIRE(plan.edges == 21);
  REQUIRE(plan.maximum_matching == 6);
  REQUIRE(plan.reductions.useless_edges == 1);
  REQUIRE(plan.reductions.degree1 == 2);
  REQUIRE(plan.reductions.fine_blocks == 3);
  REQUIRE(plan.blocks.size() == 2);
  REQUIRE(plan.blocks[0].edges == 15);
  REQUIRE(plan.blocks[0].size == 6);
  REQUIRE_FALSE(plan.blocks[0].bipartite);
  REQUIRE(plan.blocks[1].edges == 4);
  REQUIRE(plan.blocks[1].size == 2);
  REQUIRE(plan.blocks[1].bipartite);
}

TEST_CASE("what a plan says would be refused is refused, and by no plan is it tried") {
  const auto require_refused = [](const auto& graph, const DistributionOptions& options, const std::string& why) {
    const DistributionPlan marginals = plan_marginals(graph, options), samples = plan_samples(graph, options);
    REQUIRE_THAT(marginals.refusal, ContainsSubstring(why));
    REQUIRE_THAT(samples.refusal, ContainsSubstring(why));
    REQUIRE_THROWS_AS(MatchingDistribution(graph, options).marginals(), OverLimit);
    REQUIRE_THROWS_AS(MatchingDistribution(graph, options).samples(0, 1), OverLimit);
  };
  DistributionOptions options = by(Method::frontier);
  REQUIRE(plan_marginals(complete_graph(24, 24), options).refusal.empty());
  REQUIRE(plan_samples(complete_graph(24, 24), options).refusal.empty());
  options.run.memory_limit_bytes = 20 << 20;
  require_refused(complete_graph(24, 24), options, "the memory limit leaves 20 MiB");
  require_refused(test::complete(40), options, "the memory limit leaves 20 MiB");
  options = by(Method::ryser);
  options.run.time_limit_s = 2;
  require_refused(complete_graph(50, 50), options, "the time limit leaves");
}

TEST_CASE("a plan is made however short the time limit is") {
  DistributionOptions options = by(Method::automatic);
  options.run.time_limit_s = 1e-9;
  for (const DistributionPlan& planned :
       {plan_marginals(grid_graph(20, 20), options), plan_samples(grid_graph(20, 20), options)}) {
    REQUIRE(planned.plan.blocks.size() == 1);
    REQUIRE_THAT(planned.refusal, ContainsSubstring("the time limit leaves"));
  }
}

TEST_CASE("samples are drawn by the method that is planned") {
  for (const auto& [graph, method] : {std::pair{grid_graph(6, 6), Method::frontier},
                                      {grid_graph(40, 40), Method::planar},
                                      {complete_graph(12, 12), Method::frontier}}) {
    REQUIRE(followed(plan_samples(graph, by(Method::automatic))).method == method);
    REQUIRE(MatchingDistribution(graph, by(Method::automatic)).samples(0, 3) ==
            MatchingDistribution(graph, by(method)).samples(0, 3));
  }
  const DistributionPlan minors = plan_samples(complete_graph(12, 12), by(Method::ryser));
  REQUIRE(followed(minors).method == Method::ryser);
  REQUIRE_THAT(followed(minors).reason, ContainsSubstring("for each sample"));
  // Layers of more than 4 GB.
  REQUIRE(followed(plan_samples(random_graph(34, 34, 0.65, 1), by(Method::automatic))).method == Method::ryser);
}

TEST_CASE("a plan says that there is no perfect matching or no probability, and refuses what can't be asked") {
  const DistributionPlan none = plan_samples(BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}}));
  REQUIRE(none.plan.hall_violator);
  REQUIRE(none.plan.maximum_matching == 1);
  REQUIRE(none.plan.blocks.empty());
  REQUIRE(plan_marginals(test::complete(3)).plan.tutte_set);
  const BipartiteGraph signs = complete_graph(2, 2).with_weights(std::vector<std::int64_t>{1, 2, 3, -1});
  REQUIRE_FALSE(plan_marginals(signs).are_probabilities);
  REQUIRE_THROWS_AS(plan_samples(signs), InputError);
  REQUIRE_THROWS_AS(plan_marginals(complete_graph(2, 2), by(Method::staged)), InputError);
  REQUIRE_THROWS_AS(plan_marginals(test::complete(6), by(Method::ryser)), Unable);
  REQUIRE_THROWS_AS(plan_samples(complete_graph(8, 8), by(Method::planar)), Unable);
}
