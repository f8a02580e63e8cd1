// Draws of graphs in surfaces against the list of all their matchings.

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "graph/planar.hpp"
#include "permanent/planar/cpu/cut_draw.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/samples.hpp"
#include "permanent/planar/surface_cut.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/surface_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261125;

// Returns the number of matchings.
std::size_t require_fair(const EmbeddedGraph& given, const std::vector<double>& weights, std::size_t draws) {
  const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
  if (!plan) return 0;
  std::map<std::vector<EdgeId>, double> probability;
  for_each_perfect_matching(given.graph, [&](std::vector<EdgeId> edges) {
    double product = 1;
    for (const EdgeId edge : edges) product *= weights[edge];
    std::ranges::sort(edges);
    probability[edges] = product;
  });
  GraphBlock<RealEntry> block{given.graph, {}};
  for (const double weight : weights) block.entries.push_back({weight, weight});
  const RunContext run({.num_threads = 2});
  const auto sampler = planar_sampler(block, *plan, run);
  const std::vector<EdgeId> drawn = sampler->draw(seed, 0, 0, draws);
  const std::size_t size = sampler->matching_size();
  REQUIRE(size == given.graph.num_vertices() / 2);
  std::map<std::vector<EdgeId>, double> counts;
  for (std::size_t i = 0; i < draws; ++i) {
    const auto sample = std::span(drawn).subspan(i * size, size);
    std::vector<EdgeId> edges(sample.begin(), sample.end());
    std::ranges::sort(edges);
    ++counts[edges];
  }
  require_spread(counts, probability);
  return probability.size();
}

std::vector<double> random_weights(const UndirectedGraph& graph, double most, Random& random) {
  std::vector<double> weights;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.push_back(1 + (most - 1) * random.uniform());
  return weights;
}

}  // namespace

TEST_CASE("draws of graphs in surfaces are spread over all matchings as their weights say") {
  Random random(1510);
  int drawn = 0;
  for (int round = 0; round < 28; ++round) {
    const bool lines = round % 4 == 1 || round % 4 == 3, columns = round % 4 >= 2;
    EmbeddedGraph given = random_on_surface(3 + round / 4 % 2, 4, lines, columns,
                                            round % 3 == 0 ? 1 : 0.75 + 0.25 * random.uniform(), random);
    if (round >= 24) given = two_coloured(random_on_surface(4, 4, lines, columns, 1, random), 4);
    INFO(round << ": " << test::to_string(given.graph));
    drawn += require_fair(given, random_weights(given.graph, round % 2 == 0 ? 1 : 5, random), 1'000) > 1;
  }
  REQUIRE(drawn > 20);
}

TEST_CASE("draws of graphs in surfaces of Euler genus 3, 4 and 6 are spread over all matchings") {
  Random random(1511);
  int drawn = 0;
  for (int round = 0; round < 5; ++round) {
    const auto part = [&](bool lines, bool columns, double density) {
      return random_on_surface(3, 4, lines, columns, density, random);
    };
    EmbeddedGraph given = joined(part(false, round % 2 == 1, 0.7), part(round % 3 == 2, round % 3 == 2, 0.7));
    if (round >= 9)
      given = joined(joined(part(false, false, 0.55), part(false, false, 0.55)), part(false, false, 0.55));
    INFO(round << ": " << test::to_string(given.graph));
    drawn += require_fair(given, random_weights(given.graph, round % 2 == 0 ? 1 : 3, random), 200) > 1;
  }
  REQUIRE(drawn > 2);
}

TEST_CASE("a cut leaves a planar graph whose matchings have terms of one sign, whichever copies are left out") {
  Random random(1512);
  int seen = 0;
  for (int round = 0; round < 40; ++round) {
    const bool lines = round % 4 == 1 || round % 4 == 3, columns = round % 4 >= 2;
    const EmbeddedGraph given = random_on_surface(4, 5, lines, columns, 0.8 + 0.2 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    const SurfaceCut cut = cut_surface(given.graph, *plan, seed, RunContext());
    REQUIRE(cut.edges.size() + cut.cut_edges.size() == given.graph.num_edges());
    REQUIRE(planar_embedding(cut.graph));
    for (int choice = 0; choice < 10; ++choice) {
      std::vector<bool> is_left_out(cut.graph.num_vertices());
      const auto beside = given.graph.num_vertices() - cut.cut.size();
      for (std::size_t v = beside; v < is_left_out.size(); ++v) is_left_out[v] = random.below(2) == 0;
      std::vector<Vertex> kept;
      for (Vertex v = 0; v < cut.graph.num_vertices(); ++v) {
        if (!is_left_out[v]) kept.push_back(v);
      }
      const UndirectedGraph rest = cut.graph.induced(kept);
      std::vector<std::int8_t> orientation;
      for (EdgeId id = 0; id < cut.graph.num_edges(); ++id) {
        const auto& [u, v] = cut.graph.edges()[id];
        if (!is_left_out[u] && !is_left_out[v]) orientation.push_back(cut.plan.orientation[id]);
      }
      int signs[2] = {0, 0};
      for_each_perfect_matching(rest, [&](const std::vector<EdgeId>& edges) {
        std::vector<Vertex> partner(rest.num_vertices());
        for (const EdgeId id : edges) {
          partner[rest.edges()[id].row] = rest.edges()[id].column;
          partner[rest.edges()[id].column] = rest.edges()[id].row;
        }
        ++signs[term_is_negative(rest, orientation, partner) ? 1 : 0];
      });
      REQUIRE(std::min(signs[0], signs[1]) == 0);
      seen += std::max(signs[0], signs[1]) > 1;
    }
  }
  REQUIRE(seen > 30);
}

namespace {

// Draws in numbers of this kind, the worst error of all.
template <class Number>
std::vector<std::vector<EdgeId>> cut_draws(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                           double& error) {
  const RunContext run;
  const SurfaceCut cut = cut_surface(block.pattern, plan, seed, run);
  GraphBlock<RealEntry> rest{cut.graph, {}};
  for (const EdgeId id : cut.edges) rest.entries.push_back(block.entries[id]);
  const auto elimination = eliminate_reals<Number>(rest, cut.plan, KeptOfFronts::left, run);
  const auto drawer = cut_drawer<Number>(block, plan, cut, elimination, run);
  std::vector<std::vector<EdgeId>> draws;
  error = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    SampleNumbers numbers(seed, 0, i);
    CutDraw draw = drawer->draw(numbers, run);
    error = std::max(error, draw.relative_error);
    for (const Vertex copy : draw.copies) draw.edges.push_back(block.pattern.num_edges() + copy);
    draws.push_back(std::move(draw.edges));
  }
  return draws;
}

}  // namespace

TEST_CASE("a cut is drawn alike by numbers of every length, with errors that become less") {
  Random random(1513);
  for (const auto& [lines, columns] : {std::pair{false, false}, {true, false}, {true, true}}) {
    const EmbeddedGraph given = random_on_surface(8, 9 - (lines ? 1 : 0), lines, columns, 1, random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    REQUIRE(plan);
    GraphBlock<RealEntry> block{given.graph, {}};
    for (const double weight : random_weights(given.graph, 3, random)) block.entries.push_back({weight, weight});
    double error = 0;
    const auto draws = cut_draws<DoubleDouble>(block, *plan, error);
    REQUIRE(error > 0);
    REQUIRE(error < 1e-7);
    REQUIRE(cut_draws<WideReal<4>>(block, *plan, error) == draws);
    REQUIRE(error < 1e-12);
    REQUIRE(cut_draws<WideReal<10>>(block, *plan, error) == draws);
    REQUIRE(error < 1e-12);
  }
}
