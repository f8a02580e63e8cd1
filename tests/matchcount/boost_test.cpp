#include "matchcount/boost.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <complex>
#include <map>
#include <string>
#include <vector>

#include "matchcount/batches.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, int>>;

// Two triangles {0, 1, 2} and {3, 4, 5} joined by 1-4 and 0-3; the edges in an order that is not that of their ends.
Graph prism_without_a_rung() {
  Graph graph(6);
  for (const auto& [u, v, w] :
       {std::tuple{4, 1, 2}, {0, 1, 3}, {5, 4, 5}, {1, 2, 7}, {3, 0, 11}, {2, 0, 13}, {3, 4, 17}, {5, 3, 19}})
    add_edge(static_cast<unsigned>(u), static_cast<unsigned>(v), w, graph);
  return graph;
}

template <class Value>
std::string text(const Value& value) {
  return to_string(value);
}

}  // namespace

TEST_CASE("graphs of Boost.Graph are counted as they are, with odd cycles and weights") {
  const Graph graph = prism_without_a_rung();
  // Vertex 2 goes to 1, and then 0 to 3, or to 0, and then 1 to 4.
  CHECK(text(count_perfect_matchings(graph).value) == "2");
  const auto weight_of = get(boost::edge_weight, graph);
  CHECK(text(hafnian(graph, weight_of).value) == std::to_string(7 * 11 * 5 + 13 * 2 * 19));
  const MatchingOptions by_size{.kind = MatchingKind::by_size};
  CHECK(text(count_matchings(graph, by_size).by_size[1].value) == "8");
  boost::adjacency_matrix<boost::undirectedS> square(4);
  for (unsigned v = 0; v < 4; ++v) add_edge(v, (v + 1) % 4, square);
  CHECK(text(count_perfect_matchings(square).value) == "2");
}

TEST_CASE("digraphs of Boost.Graph have cycle covers and permanents, where directions matter") {
  using Arcs = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                     boost::property<boost::edge_weight_t, double>>;
  Arcs arcs(2);
  add_edge(0, 1, 0.5, arcs);
  add_edge(1, 0, 4.0, arcs);
  add_edge(0, 0, 3.0, arcs);
  CHECK(text(count_cycle_covers(arcs).value) == "1");
  CHECK(std::get<RealValue>(permanent(arcs, get(boost::edge_weight, arcs)).value).value.to_double() == 2);
}

TEST_CASE("marginals go into a property map by edge descriptor, with and without weights") {
  const Graph graph = prism_without_a_rung();
  std::map<Graph::edge_descriptor, double> share;
  const Marginals plain = marginals(graph, boost::make_assoc_property_map(share), {.exact = true});
  CHECK(text(plain.total) == "2");
  REQUIRE(share.size() == 8);
  const auto of = [&](unsigned u, unsigned v) { return share.at(edge(u, v, graph).first); };
  CHECK(of(0, 3) == 0.5);
  CHECK(of(3, 5) == 0.5);
  CHECK(of(0, 1) == 0);
  CHECK(of(3, 4) == 0);
  marginals(graph, get(boost::edge_weight, graph), boost::make_assoc_property_map(share));
  const double first = 7 * 11 * 5, second = 13 * 2 * 19;
  CHECK(std::abs(of(1, 2) - first / (first + second)) < 1e-12);
  CHECK(std::abs(of(1, 4) - second / (first + second)) < 1e-12);
}

TEST_CASE("samples are perfect matchings of edge descriptors, the same as the distribution's") {
  const Graph graph = prism_without_a_rung();
  const auto samples = sample_matchings(graph, 3, 20);
  REQUIRE(samples.size() == 20);
  for (const auto& matching : samples) {
    std::vector<int> covered(6, 0);
    for (const auto& edge : matching) ++covered[source(edge, graph)], ++covered[target(edge, graph)];
    CHECK(covered == std::vector<int>(6, 1));
  }
  CHECK(sample_matchings(graph, 3, 20) == samples);
  CHECK(sample_matchings(graph, get(boost::edge_weight, graph), 0, 2).size() == 2);
  CHECK(sample_matchings(Graph(0), 0, 2) == std::vector<std::vector<Graph::edge_descriptor>>(2));
}

TEST_CASE("the permanent of a span is that of the batch, of every kind of entries") {
  const std::vector<std::int64_t> integers{1, 2, 3, 4};
  CHECK(text(permanent(integers, 2).value) == "10");
  const std::vector<double> reals{1.5, 2, 3, 4};
  CHECK(std::get<RealValue>(permanent(reals, 2).value).value.to_double() == 12);
  const std::vector<std::complex<double>> complex{{0, 1}, 1, 1, {0, 1}};
  CHECK_THAT(text(permanent(complex, 2).value), Catch::Matchers::Equals(text(Value(permanents(complex, 2)[0]))));
  CHECK_THROWS_AS(permanent(integers, 3), InputError);
}

TEST_CASE("the version of the library is that of its headers") {
  CHECK(version() == MATCHCOUNT_VERSION);
  const std::string number = std::to_string(MATCHCOUNT_VERSION_NUMBER / 10000) + "." +
                             std::to_string(MATCHCOUNT_VERSION_NUMBER / 100 % 100) + "." +
                             std::to_string(MATCHCOUNT_VERSION_NUMBER % 100);
  CHECK(number == MATCHCOUNT_VERSION);
}
