// Loops of undirected graphs, as weights of their vertices.

#include "graph/reading.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions with_loops(Duplicates duplicates = Duplicates::refuse, bool fractions = false) {
  return {.duplicates = duplicates, .fractions = fractions, .odd_cycles = true, .loops = Loops::keep};
}

}  // namespace

TEST_CASE("loops are read as weights by vertex, 0 where there is none, and count 1 without weights") {
  const Input input = read("a b 2\nb b 5\nb c 7\nc c -3\n", undirected, with_loops());
  REQUIRE(input.loops);
  CHECK_FALSE(input.is_bipartite());
  CHECK(input.odd_cycle == std::vector<Vertex>{1});
  CHECK(std::get<Integers>(*input.loops) == Integers{0, 5, -3});
  CHECK(input.undirected.num_edges() == 2);
  CHECK(std::get<Integers>(input.undirected.weights()) == Integers{2, 7});
  const Input plain = read("a b\nb b\n", undirected, with_loops());
  CHECK(std::get<Integers>(*plain.loops) == Integers{0, 1});
  CHECK(plain.undirected.weight_kind() == WeightKind::none);
  CHECK(std::get<Reals>(*read("a b 0.5\nb b 1\n", undirected, with_loops()).loops) == Reals{0.0, 1.0});
}

TEST_CASE("the diagonal of a matrix has the loops, zeros are none, and a graph without loops is read as ever") {
  InputOptions dense = with_loops();
  dense.format = InputFormat::dense;
  const Input input = read("3 1 0\n1 0 2\n0 2 5\n", undirected, dense);
  CHECK(std::get<Integers>(*input.loops) == Integers{3, 0, 5});
  CHECK(std::get<Integers>(input.undirected.weights()) == Integers{1, 2});
  const Input none = read("0 1 0\n1 0 2\n0 2 0\n", undirected, dense);
  CHECK_FALSE(none.loops);
  CHECK(none.is_bipartite());
  CHECK_FALSE(read("a b 1\nb b 0\n", undirected, with_loops()).loops);
}

TEST_CASE("loops that are given twice follow --duplicates, and fractions stay places in their table") {
  CHECK_THROWS_AS(read("a b\nb b\nb b\n", undirected, with_loops()), InputError);
  const Input summed = read("a b\nb b\nb b\n", undirected, with_loops(Duplicates::sum));
  CHECK(std::get<Integers>(*summed.loops) == Integers{0, 2});
  const Input fractions = read("a b 1/2\nb b 1/3\n", undirected, with_loops(Duplicates::refuse, true));
  REQUIRE(fractions.loops);
  const Integers places = std::get<Integers>(*fractions.loops);
  CHECK(fractions.fractions[static_cast<std::size_t>(places[0])] == 0);
  CHECK(fractions.fractions[static_cast<std::size_t>(places[1])] == Rational(1, 3));
}
