// Pairs of edges and entropies, against the list of all matchings.

#include "matchcount/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/random_instance.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::array kinds{MatchingKind::perfect,  MatchingKind::maximum,  MatchingKind::saturating,
                           MatchingKind::lightest, MatchingKind::heaviest, MatchingKind::all};

// A weight by EdgeId, and what each vertex counts that is left alone: of all matchings alone.
struct Weighing {
  std::vector<Rational> edges, vertices;
};

double to_double(const Rational& value) { return nearest_real(value).to_double(); }

struct Listed {
  std::vector<std::vector<EdgeId>> matchings;
  std::vector<Rational> weights;
  Rational total = 0;

  Rational sum_with(const std::vector<EdgeId>& edges) const {
    Rational sum = 0;
    for (std::size_t i = 0; i < matchings.size(); ++i) {
      if (std::ranges::all_of(edges, [&](EdgeId id) { return std::ranges::count(matchings[i], id) > 0; }))
        sum += weights[i];
    }
    return sum;
  }
  double entropy() const {
    double sum = 0;
    for (const Rational& weight : weights) {
      const double p = to_double(weight / total);
      if (p > 0) sum -= p * std::log(p);
    }
    return sum;
  }
};

Listed list_all(const Instance& instance, MatchingKind kind, const Weighing& weighing) {
  const UndirectedGraph& graph = instance.graph;
  Listed result;
  std::map<Rational, std::vector<std::vector<EdgeId>>> ranked;  // by what makes the first ones the best
  for_each_matching(graph, true, [&](const std::vector<EdgeId>& edges) {
    const std::size_t alone = graph.num_vertices() - 2 * edges.size();
    const bool is_full = edges.size() == std::min(instance.rows, graph.num_vertices() - instance.rows);
    Rational rank = 0;
    if (kind == MatchingKind::maximum) rank = -static_cast<int>(edges.size());
    for (const EdgeId edge : edges) {
      if (kind == MatchingKind::lightest) rank += instance.weights[edge];
      if (kind == MatchingKind::heaviest) rank -= instance.weights[edge];
    }
    const bool may_be_alone = kind == MatchingKind::maximum || kind == MatchingKind::all;
    if (kind == MatchingKind::saturating ? is_full : may_be_alone || alone == 0) ranked[rank].push_back(edges);
  });
  if (!ranked.empty()) result.matchings = ranked.begin()->second;
  const bool is_optimum = kind == MatchingKind::lightest || kind == MatchingKind::heaviest;
  for (const auto& edges : result.matchings) {
    Rational weight = 1;
    std::vector<bool> alone(graph.num_vertices(), kind == MatchingKind::all);
    for (const EdgeId edge : edges) {
      if (!is_optimum) weight *= weighing.edges[edge];
      alone[graph.edges()[edge].row] = alone[graph.edges()[edge].column] = false;
    }
    for (Vertex v = 0; v < alone.size(); ++v)
      if (alone[v]) weight *= weighing.vertices[v];
    result.weights.push_back(weight);
    result.total += weight;
  }
  return result;
}

// A question about an instance, and the weights that it stands for.
struct Asked {
  DistributionOptions options;
  Weighing weighing;
  std::vector<Rational> table;
};

Asked random_question(const Instance& instance, MatchingKind kind, Random& random) {
  Asked asked;
  asked.options.matchings = kind;
  asked.options.exact = random.below(2) == 0;
  const Vertex n = instance.graph.num_vertices();
  const bool is_optimum = kind == MatchingKind::lightest || kind == MatchingKind::heaviest;
  if (!is_optimum && kind != MatchingKind::perfect && random.below(2) == 0) asked.table = {0, {1, 3}, 2, {5, 4}};
  const auto weight = [&](std::int64_t place) {
    return asked.table.empty() ? Rational(place) : asked.table[static_cast<std::size_t>(place)];
  };
  for (const std::int64_t place : instance.weights) asked.weighing.edges.push_back(weight(place));
  asked.weighing.vertices.assign(n, 1);
  if (kind != MatchingKind::all) return asked;
  if (!instance.bipartite && random.below(2) == 0) {
    std::vector<std::int64_t> loops;
    for (Vertex v = 0; v < n; ++v) {
      loops.push_back(static_cast<std::int64_t>(random.below(4)));
      asked.weighing.vertices[v] = weight(loops.back());
    }
    asked.options.loops = loops;
  } else {
    asked.options.activity = Rational(1 + static_cast<int>(random.below(5)), 2);
    asked.weighing.vertices.assign(n, asked.options.activity);
  }
  return asked;
}

void require_sum(const Value& sum, const Rational& unit, const Rational& truth) {
  if (const auto* integer = std::get_if<Integer>(&sum)) {
    REQUIRE(Rational(*integer) * unit == truth);
  } else {
    const auto& real = std::get<RealValue>(sum);
    REQUIRE(abs(exact(real.value) * unit - truth) <=
            power_of_two(static_cast<std::int64_t>(std::ceil(std::max(real.log2_error, -900.0)))) * unit);
  }
}

template <class Graph>
void require_listed(const Graph& graph, const Instance& instance, const Asked& asked, const Listed& listed) {
  DistributionOptions options = asked.options;
  options.fractions = asked.table;
  const Marginals shares = MatchingDistribution(graph, options).marginals();
  REQUIRE(shares.are_probabilities == (listed.total > 0));
  const EdgeId num_edges = graph.num_edges();
  std::vector<EdgePair> pairs;
  for (EdgeId e = 0; e < num_edges; ++e)
    for (EdgeId f = 0; f < num_edges; ++f) pairs.push_back({e, f});
  const std::vector<PairMarginal> found = pair_marginals(graph, options, shares, pairs);
  REQUIRE(found.size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [e, f] = pairs[i];
    INFO("edges " << e << " and " << f);
    const Rational sum = listed.sum_with({e, f});
    require_sum(found[i].both.sum, found[i].unit, sum);
    if (listed.total == 0) continue;
    const Rational p = sum / listed.total, of_e = listed.sum_with({e}) / listed.total,
                   of_f = listed.sum_with({f}) / listed.total;
    REQUIRE(abs(exact(found[i].both.probability) - p) <= exact(found[i].both.error));
    REQUIRE(abs(exact(found[i].connected) - (p - of_e * of_f)) <= exact(found[i].connected_error));
    REQUIRE(found[i].connected_error < 1e-10);
    const Rational variances = of_e * (1 - of_e) * of_f * (1 - of_f);
    if (variances == 0) {
      REQUIRE(std::isnan(found[i].correlation));
    } else {
      const double truth = to_double(p - of_e * of_f) / std::sqrt(to_double(variances));
      REQUIRE(std::fabs(found[i].correlation - truth) <= found[i].correlation_error + 1e-14);
      REQUIRE(found[i].correlation_error < 1e-8);
    }
  }
  for (EdgeId e = 0; e < num_edges; ++e) {
    for (const Rational& factor : {Rational(0), Rational(1), Rational(5, 2)}) {
      const MatchingSum changed = reweighted_total(shares, e, factor);
      const Rational truth = listed.total + (factor - 1) * listed.sum_with({e});
      if (changed.fraction)
        REQUIRE(*changed.fraction == truth);
      else
        require_sum(changed.value, 1, truth);
    }
  }
  const std::optional<Entropy> entropy = matchcount::entropy(graph, options, shares);
  REQUIRE(entropy.has_value() == (listed.total > 0));
  if (!entropy) return;
  REQUIRE(std::fabs(entropy->value - listed.entropy()) <= entropy->error + 1e-14);
  REQUIRE(entropy->error < 1e-10);
  REQUIRE(instance.graph.num_edges() == num_edges);
}

}  // namespace

TEST_CASE("pairs of edges and entropies of every kind of matchings are those of the list") {
  Random random(2701);
  for (int round = 0; round < 360; ++round) {
    const MatchingKind kind = kinds[static_cast<std::size_t>(round) % kinds.size()];
    const bool has_sides = kind != MatchingKind::perfect && kind != MatchingKind::maximum && kind != MatchingKind::all;
    const Instance instance = random_instance(has_sides, random);
    const Asked asked = random_question(instance, kind, random);
    INFO(to_string(kind) << " of " << test::to_string(instance.graph) << ", round " << round);
    const Listed listed = list_all(instance, kind, asked.weighing);
    instance.bipartite ? require_listed(*instance.bipartite, instance, asked, listed)
                       : require_listed(instance.graph, instance, asked, listed);
  }
}

TEST_CASE("pairs of a board of 12 x 12 add up to the edges of each tiling, exactly and in doubles") {
  const BipartiteGraph board = grid_graph(12, 12);
  for (const bool is_exact : {true, false}) {
    const DistributionOptions options{.exact = is_exact};
    const Marginals shares = MatchingDistribution(board, options).marginals();
    for (const EdgeId first : {EdgeId{0}, board.num_edges() / 2}) {
      std::vector<EdgePair> pairs;
      for (EdgeId f = 0; f < board.num_edges(); ++f) pairs.push_back({f, first});
      double sum = 0;
      for (const PairMarginal& pair : pair_marginals(board, options, shares, pairs)) sum += pair.both.probability;
      REQUIRE(std::fabs(sum - 72 * shares.edges[first].probability) < 1e-11);
    }
    const Entropy found = entropy(board, options, shares).value();
    REQUIRE(std::fabs(found.value - std::log(53060477521960000.0)) <= found.error + 1e-13);  // tilings
  }
}

TEST_CASE("by integers, what is far from an edge and what is nearly certain has its digits") {
  // A ladder of n rungs has f[n] tilings, and rungs i and j are in f[i] f[j - i - 1] f[n - j - 1] of them.
  constexpr Vertex n = 100;
  const BipartiteGraph ladder = grid_graph(2, n);
  std::vector<Integer> f{1, 1};
  while (f.size() <= n) f.push_back(f[f.size() - 1] + f[f.size() - 2]);
  const DistributionOptions options{.exact = true};
  const Marginals shares = MatchingDistribution(ladder, options).marginals();
  REQUIRE(std::get<Integer>(shares.total) == f[n]);
  std::map<Integer, std::vector<EdgeId>> by_sum;  // a rung is in as many as the one at the other end, and no other edge
  for (EdgeId id = 0; id < ladder.num_edges(); ++id) by_sum[std::get<Integer>(shares.edges[id].sum)].push_back(id);
  const std::vector<EdgeId>& rungs = by_sum.at(f[9] * f[n - 10]);
  REQUIRE(rungs.size() == 2);
  const PairMarginal far = pair_marginals(ladder, options, shares, {{rungs[0], rungs[1]}}).front();
  const Rational both(f[9] * f[n - 20] * f[9], f[n]), of_each(f[9] * f[n - 10], f[n]);
  const Rational connected = both - of_each * of_each, correlation = connected / (of_each * (1 - of_each));
  REQUIRE(abs(connected) < Rational(1, pow(Integer(10), 30)));
  REQUIRE(abs(exact(far.connected) - connected) <= exact(far.connected_error));
  REQUIRE(far.connected_error < 1e-14 * std::fabs(far.connected));
  REQUIRE(abs(exact(far.correlation) - correlation) <= exact(far.correlation_error));
  REQUIRE(far.correlation_error < 1e-13 * std::fabs(far.correlation));
  // One matching has 10^18 times the weight of the other.
  const std::vector<std::int64_t> weights{1'000'000'000, 1, 1, 1'000'000'000};
  const BipartiteGraph square = BipartiteGraph::from_edges(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, weights);
  const auto found = pair_marginals(square, options, MatchingDistribution(square, options).marginals(),
                                    {{0, 3}, {0, 1}, {2, 1}, {0, 0}});
  for (const std::size_t i : {0, 1, 2, 3}) {
    REQUIRE(std::fabs(found[i].correlation - (i == 1 ? -1 : 1)) <= found[i].correlation_error);
    REQUIRE(found[i].correlation_error < 1e-13);
  }
}

TEST_CASE("pairs that are near are those with a short path between") {
  Random random(2703);
  for (int round = 0; round < 100; ++round) {
    const UndirectedGraph graph = random_instance(false, random).graph;
    const Vertex n = graph.num_vertices(), most = static_cast<Vertex>(random.below(5));
    std::vector<std::vector<unsigned>> distance(n, std::vector<unsigned>(n, 100));
    for (Vertex v = 0; v < n; ++v) distance[v][v] = 0;
    for (const Edge& edge : graph.edges()) distance[edge.row][edge.column] = distance[edge.column][edge.row] = 1;
    for (Vertex k = 0; k < n; ++k)
      for (Vertex i = 0; i < n; ++i)
        for (Vertex j = 0; j < n; ++j) distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
    std::vector<std::array<EdgeId, 2>> expected, found;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      for (EdgeId f = e + 1; f < graph.num_edges(); ++f) {
        const Edge &a = graph.edges()[e], &b = graph.edges()[f];
        const unsigned least = std::min({distance[a.row][b.row], distance[a.row][b.column], distance[a.column][b.row],
                                         distance[a.column][b.column]});
        if (least > 0 && least <= most) expected.push_back({e, f});
      }
    }
    for (const EdgePair& pair : near_pairs(graph, most)) found.push_back({pair.first, pair.second});
    INFO(test::to_string(graph) << " within " << most);
    REQUIRE(found == expected);
  }
  REQUIRE(near_pairs(BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}, {1, 1}}), 1).size() == 1);
}

TEST_CASE("pairs of edges that are not there, of another graph and beyond the limits are refused") {
  const BipartiteGraph board = grid_graph(6, 6);
  DistributionOptions options;
  const Marginals shares = MatchingDistribution(board, options).marginals();
  REQUIRE_THROWS_AS(pair_marginals(board, options, shares, {{0, board.num_edges()}}), InputError);
  REQUIRE_THROWS_AS(pair_marginals(grid_graph(4, 4), options, shares, {{0, 1}}), InputError);
  REQUIRE_THROWS_AS(entropy(grid_graph(4, 4), options, shares), InputError);
  REQUIRE_THROWS_AS(reweighted_total(shares, board.num_edges(), 2), InputError);
  REQUIRE_THROWS_AS(near_pairs(board, 8, RunContext({.memory_limit_bytes = 10'000})), OverLimit);
  options.run.time_limit_s = 1e-9;
  REQUIRE_THROWS_AS(pair_marginals(board, options, shares, near_pairs(board, 2)), OverLimit);
}
