// Graphs glued together at one, two and three vertices, by cuts and by recursion over sets of vertices.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "permanent/engine/cut_matchings.hpp"
#include "permanent/engine/cut_sums.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;

namespace {

// Sums over the perfect matchings of the vertices in a set: the first one has each of its neighbours in turn.
template <class T>
class Oracle {
 public:
  Oracle(const UndirectedGraph& graph, std::vector<T> weights) : graph_(graph), weights_(std::move(weights)) {}
  T total() { return of(all()); }
  T without(const Edge& edge) {
    return of(all() & ~(std::uint64_t{1} << edge.row) & ~(std::uint64_t{1} << edge.column));
  }

 private:
  std::uint64_t all() const { return (std::uint64_t{1} << graph_.num_vertices()) - 1; }
  T of(std::uint64_t set) {
    if (set == 0) return T(1);
    const auto found = known_.find(set);
    if (found != known_.end()) return found->second;
    Vertex first = 0;
    while ((set >> first & 1) == 0) ++first;
    T sum(0);
    for (EdgeId id = 0; id < graph_.num_edges(); ++id) {
      const Edge& edge = graph_.edges()[id];
      if (edge.row == first && set >> edge.column & 1)
        sum = sum + weights_[id] * of(set & ~(std::uint64_t{1} << first) & ~(std::uint64_t{1} << edge.column));
    }
    known_.emplace(set, sum);
    return sum;
  }

  const UndirectedGraph& graph_;
  std::vector<T> weights_;
  std::unordered_map<std::uint64_t, T> known_;
};

// Blobs, each joined to at most `most_cut` vertices of what is there before; of `size` vertices in all.
UndirectedGraph glued(Vertex size, std::size_t most_cut, Random& random) {
  std::vector<Edge> edges;
  Vertex count = 0;
  while (count < size) {
    const Vertex blob = std::min<Vertex>(size - count, static_cast<Vertex>(2 + random.below(7)));
    std::vector<Vertex> at;
    if (count > 0) {
      const auto first = static_cast<Vertex>(random.below(count));
      for (std::size_t i = 0; i < 1 + random.below(most_cut); ++i)
        at.push_back(random.below(3) > 0 ? (first + static_cast<Vertex>(i)) % count
                                         : static_cast<Vertex>(random.below(count)));
    }
    for (Vertex u = 0; u < blob; ++u) {
      for (Vertex v = 0; v < u; ++v)
        if (random.uniform() < 0.6) edges.push_back({count + v, count + u});
      for (const Vertex v : at)
        if (random.uniform() < 0.5) edges.push_back({v, count + u});
    }
    count += blob;
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return test::shuffled(UndirectedGraph::from_edges(size, std::move(edges)), random);
}

template <class Entry>
struct ByCuts {
  std::size_t num_cuts = 0;
  BlockValue<Entry> value;
};
template <class Entry>
ByCuts<Entry> by_cuts(const UndirectedGraph& graph, const std::vector<Entry>& entries, std::size_t most_boundary,
                      bool other_root = false) {
  const RunContext run;
  const CutPlan plan = plan_cuts(graph, most_boundary, other_root, run);
  return {plan.cuts.size(), CutSums<Entry>(plan, entries, {}).total(run)};
}

template <class Entry>
void check_bounds() {
  constexpr bool is_real = std::is_same_v<Entry, RealEntry>;
  Random random(9);
  int with_cuts = 0;
  for (int i = 0; i < 300; ++i) {
    const UndirectedGraph pattern = glued(static_cast<Vertex>(2 + random.below(17)), 3, random);
    const double scale = i % 4 == 0 ? 0x1p200 : 1;
    const bool is_positive = i % 2 == 0 && is_real;
    std::vector<std::int64_t> whole;
    std::vector<Entry> entries;
    for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
      whole.push_back(static_cast<std::int64_t>(random.below(1000)) - (is_positive ? -1 : 500));
      if (whole.back() == 0) whole.back() = 3;
      entries.push_back({DoubleDouble(static_cast<double>(whole.back()) * scale)});
      entries.back().magnitude = std::fabs(static_cast<double>(whole.back())) * scale;
    }
    INFO(test::to_string(pattern.with_weights(whole)));
    ScaledReal truth = nearest_real(Oracle<Integer>(pattern, {whole.begin(), whole.end()}).total());
    if (!truth.is_zero() && scale > 1) truth.exponent += 200 * (pattern.num_vertices() / 2);
    try {
      const auto found = by_cuts(pattern, entries, is_positive ? 3 : 2);
      with_cuts += found.num_cuts > 0;
      double difference = 0;
      if constexpr (is_real) {
        difference = (found.value.value + -truth).log2_abs();
      } else {
        difference = log2_abs(ScaledComplex{found.value.value.re + -truth, found.value.value.im});
      }
      CHECK(difference <= log2_sum(found.value.log2_error, truth.log2_abs() - 90));
      if (is_positive && !truth.is_zero()) CHECK(found.value.log2_error < truth.log2_abs() - 40);
    } catch (const Unable&) {
      CHECK_FALSE(is_positive);  // a sum that cancels is told from 0 by no bound
    }
  }
  CHECK(with_cuts > 100);
}

// Returns the graph with a complete one of six vertices behind these.
UndirectedGraph with_complete(const UndirectedGraph& graph, const std::vector<Vertex>& ends) {
  const Vertex first = graph.num_vertices();
  std::vector<Edge> edges = graph.edges();
  for (Vertex u = 0; u < 6; ++u) {
    for (Vertex v = 0; v < u; ++v) edges.push_back({first + v, first + u});
    for (const Vertex end : ends) edges.push_back({end, first + u});
  }
  return UndirectedGraph::from_edges(first + 6, std::move(edges));
}

}  // namespace

TEST_CASE("glued graphs are counted by cuts as by recursion over sets") {
  Random random(7);
  int with_cuts = 0;
  for (int i = 0; i < 600; ++i) {
    const UndirectedGraph pattern = glued(static_cast<Vertex>(2 + random.below(19)), 3, random);
    std::vector<std::int64_t> entries(pattern.num_edges(), 1);
    const std::int64_t least = i % 4 == 3 ? -(std::int64_t{1} << 40) : i % 4 == 2 ? -4 : 1;
    for (std::int64_t& entry : entries) {
      if (i % 4 > 0) entry = least + static_cast<std::int64_t>(random.below(i % 4 == 3 ? std::uint64_t{1} << 41 : 9));
      if (entry == 0) entry = 5;
    }
    INFO(test::to_string(pattern.with_weights(entries)));
    const Integer truth = Oracle<Integer>(pattern, {entries.begin(), entries.end()}).total();
    // Sums of both signs may cancel behind three vertices.
    const auto found = by_cuts(pattern, entries, i % 4 < 2 ? 3 : 2, i % 5 == 0);
    with_cuts += found.num_cuts > 0;
    CHECK(found.value == truth);
  }
  CHECK(with_cuts > 250);
}

TEST_CASE("reals and complex numbers are within their bounds by cuts") {
  check_bounds<RealEntry>();
  check_bounds<ComplexEntry>();
}

TEST_CASE("marginals by cuts are what is left without an edge's ends") {
  Random random(12);
  int with_cuts = 0;
  for (int i = 0; i < 120; ++i) {
    const UndirectedGraph pattern = glued(static_cast<Vertex>(4 + 2 * random.below(8)), 3, random);
    std::vector<std::int64_t> entries;
    std::vector<RealEntry> reals;
    for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
      entries.push_back(1 + static_cast<std::int64_t>(random.below(5)));
      reals.push_back({DoubleDouble(static_cast<double>(entries.back())), static_cast<double>(entries.back())});
    }
    INFO(test::to_string(pattern.with_weights(entries)));
    Oracle<Integer> oracle(pattern, {entries.begin(), entries.end()});
    const RunContext run;
    const CutPlan plan = plan_cuts(pattern, 3, i % 2 == 0, run);
    with_cuts += !plan.cuts.empty();
    const auto exact = marginals_by_cuts(plan, entries, {}, run);
    REQUIRE(exact.total == oracle.total());
    REQUIRE(exact.of_edge.size() == pattern.num_edges());
    const auto real = marginals_by_cuts(plan, reals, {}, run);
    for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
      const Integer truth = Integer(entries[id]) * oracle.without(pattern.edges()[id]);
      CHECK(exact.of_edge[id] == truth);
      const double difference = (real.of_edge[id].value + -nearest_real(truth)).log2_abs();
      CHECK(difference <= log2_sum(real.of_edge[id].log2_error, nearest_real(truth).log2_abs() - 90));
    }
  }
  CHECK(with_cuts > 60);
}

TEST_CASE("samples by cuts are perfect matchings, and have each edge as often as it is likely") {
  Random random(13);
  int sampled = 0;
  for (int i = 0; i < 30; ++i) {
    const UndirectedGraph pattern = glued(static_cast<Vertex>(10 + 2 * random.below(4)), 3, random);
    const auto plan = std::make_shared<const CutPlan>(plan_cuts(pattern, 3, false, {}));
    std::vector<RealEntry> entries;
    for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
      const double weight = 1 + static_cast<double>(random.below(4));
      entries.push_back({DoubleDouble(weight), weight});
    }
    INFO(test::to_string(pattern));
    const RunContext run;
    const auto marginals = marginals_by_cuts(*plan, entries, {}, run);
    if (marginals.total.value.is_zero() || plan->cuts.empty()) continue;
    ++sampled;
    constexpr std::size_t count = 2000;
    const auto sampler = sampler_by_cuts(plan, entries, {}, run);
    const std::size_t size = sampler->matching_size();
    REQUIRE(2 * size == pattern.num_vertices());
    const std::vector<EdgeId> drawn = sampler->draw(5, 0, 0, count);
    REQUIRE(drawn.size() == count * size);
    std::vector<int> times(pattern.num_edges());
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<bool> met(pattern.num_vertices());
      for (std::size_t e = 0; e < size; ++e) {
        const Edge edge = pattern.edges()[drawn[k * size + e]];
        REQUIRE((!met[edge.row] && !met[edge.column]));
        met[edge.row] = met[edge.column] = true;
        ++times[drawn[k * size + e]];
      }
    }
    for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
      const double share = std::exp2(marginals.of_edge[id].value.log2_abs() - marginals.total.value.log2_abs());
      CHECK(std::fabs(times[id] - share * count) <= 5.5 * std::sqrt(count * share * (1 - share)) + 1e-6);
    }
    const std::vector<EdgeId> again = sampler->draw(5, 0, 7, 3);
    CHECK(std::equal(again.begin(), again.end(), drawn.begin() + static_cast<std::ptrdiff_t>(7 * size)));
  }
  CHECK(sampled > 8);
}

TEST_CASE("a large grid with complete graphs behind one, two and three vertices is counted") {
  const BipartiteGraph grid = grid_graph(12, 12);
  const UndirectedGraph base = UndirectedGraph::from_bipartite(grid);
  Random random(10);
  for (std::size_t boundary = 1; boundary <= 3; ++boundary) {
    UndirectedGraph graph = base;
    for (int piece = 0; piece < 4; ++piece) {
      const auto at = static_cast<Vertex>(random.below(base.num_vertices()));
      std::vector<Vertex> ends{at};
      for (const Vertex v : base.neighbours(at))
        if (ends.size() < boundary) ends.push_back(v);
      graph = with_complete(graph, ends);
    }
    const Integer truth = std::get<Integer>(hafnian(graph, {.method = Method::frontier}).value);
    CHECK(std::get<Integer>(hafnian(graph).value) == truth);
    const auto found = by_cuts(graph, std::vector<std::int64_t>(graph.num_edges(), 1), 3);
    CHECK(found.num_cuts >= 4);
    CHECK(found.value == truth);
  }
}

TEST_CASE("a complete graph behind three vertices far from each other is cut off, wherever the search starts") {
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(10, 10));
  const UndirectedGraph graph = with_complete(grid, {5, 48, 93});
  const CountOptions frontier{.method = Method::frontier};
  const auto found = by_cuts(graph, std::vector<std::int64_t>(graph.num_edges(), 1), 3);
  CHECK(found.num_cuts == 5);  // the corners of the grid too
  CHECK(found.value == std::get<Integer>(hafnian(graph, frontier).value));
}

TEST_CASE("where pieces have sums that cuts can't hold, another method counts, and finds marginals") {
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(10, 10));
  const UndirectedGraph pattern = with_complete(grid, {44, 45});
  const auto weighted = [&](auto inside) {
    std::vector<decltype(inside)> weights;
    for (const Edge& edge : pattern.edges()) weights.push_back(edge.row >= 100 ? inside : decltype(inside)(1));
    return pattern.with_weights(std::move(weights));
  };
  CountOptions frontier, cuts;
  frontier.method = Method::frontier;
  cuts.method = Method::cuts;
  const UndirectedGraph reals = weighted(DoubleDouble(1e150));
  CHECK_THROWS_AS(hafnian(reals, cuts), Unable);
  const RealValue truth = std::get<RealValue>(hafnian(reals, frontier).value);
  const RealValue found = std::get<RealValue>(hafnian(reals).value);
  CHECK(std::fabs(found.value.log2_abs() - truth.value.log2_abs()) < 1e-12);

  const UndirectedGraph integers = weighted(std::int64_t{1} << 60);
  const Marginals marginals = MatchingDistribution(&integers, {.exact = true}).marginals();
  CHECK(std::get<Integer>(marginals.total) == std::get<Integer>(hafnian(integers, frontier).value));
}

TEST_CASE("a grid too large for any order is counted by cuts, with a second root to verify") {
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(40, 40));
  const CountOptions options{.verify = true, .throughput = Throughput{}};
  const Result result = hafnian(with_complete(grid, {700, grid.neighbours(700).front()}), options);
  CHECK(result.method == Method::cuts);
  CHECK(result.checks.back().kind == Check::Kind::verify);
  CHECK(result.checks.back().passed);
}
