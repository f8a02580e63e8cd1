// DOT of Graphviz.

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

InputOptions any_graph(InputKind kind = undirected) {
  InputOptions options = usual(kind);
  options.odd_cycles = kind == undirected;
  return options;
}

Input read_dot(const std::string& text, InputKind kind = undirected) {
  return read_input_text(text, "test", any_graph(kind));
}

}  // namespace

TEST_CASE("DOT: chains, subgraphs, names of every kind, comments and defaults are what Graphviz takes them for") {
  CHECK(named_edges(read_dot("graph { a -- b -- c; }")) == NamedEdges{{"a", "b"}, {"c", "b"}});
  CHECK(named_edges(read_dot("digraph { a -> b -> a }", directed)) == NamedEdges{{"a", "b"}, {"b", "a"}});
  CHECK(named_edges(read_dot("/* { */ GRAPH \"x y\"\n# graph\n{ a -- {b c} // d\n}")) ==
        NamedEdges{{"a", "b"}, {"a", "c"}});
  CHECK(named_edges(read_dot("graph{\"a \\\" b\" -- \"c\" + \"d\":n:sw; <<i>j</i>> -- -1.5 [label=<&#38;>]}")) ==
        NamedEdges{{"a \" b", "cd"}, {"<<i>j</i>>", "-1.5"}});
  CHECK(named_edges(read_dot("graph { subgraph s {a b} -- subgraph {c} }")) ==
        NamedEdges{{"a", "c"}, {"b", "c"}});
  // An attribute of the graph is no vertex, and a vertex may stand alone.
  const Input alone = read_dot("graph { rank=same; node [w=3]; a -- b; \"\\N\" [label=\"\\N\"] }");
  CHECK(alone.graph.num_rows() + alone.graph.num_columns() == 3);
}

TEST_CASE("DOT: weights come from an edge, a chain or a default that holds to the end of its subgraph") {
  CHECK(read_dot("graph { a -- b -- c [weight=2]; edge [weight=3]; c -- d }").num_edges() == 3);
  const Input plain =
      read_dot("graph { edge [weight=2]; a -- b; {edge [weight=3] c -- d} e -- f; g -- h [weight=-4] }");
  CHECK(std::get<Integers>(plain.graph.weights()) == Integers{2, 3, 2, -4});
  // An edge without a weight has 1, wherever it stands, but another key has no such rule.
  const Input some = read_dot("graph { a -- b; b -- c [weight=3]; c -- d; d -- a [weight=2.5]; d -- e }");
  CHECK(std::get<Reals>(some.weights()) == Reals{1, 2.5, 3, 1, 1});
  CHECK(read_dot("graph { a -- b; c -- d }").weight_kind() == WeightKind::none);
  InputOptions cost = any_graph();
  cost.weight_key = "cost";
  check_refused("graph { a -- b [cost=2]\nc -- d }", cost, 2, "without 'cost'", "--weight-key ''");
  // Other numbers may be meant.
  CHECK_THROWS_AS(read_dot("graph { a -- b [label=2]; c -- d [label=3] }"), InputError);
}

TEST_CASE("DOT: a strict graph has an edge once, another one twice is refused") {
  CHECK(read_dot("strict graph { a -- b; b -- a; a -- b }").num_edges() == 1);
  CHECK(read_dot("strict digraph { a -> b; b -> a; a -> b }", directed).num_edges() == 2);
  check_refused("graph { a -- b;\nb -- a }", any_graph(), 2, "again", "every edge once");
  check_refused("strict graph { a -- b [weight=1]\na -- b [weight=2] }", any_graph(), 2, "with a weight", "once");
}

TEST_CASE("DOT: what is no graph of it, or no graph at all, is refused") {
  check_refused("graph { a -> b }", any_graph(), 1, "'-'", "'--'");
  check_refused("digraph { a -- b }", any_graph(directed), 1, "'-'", "'->'");
  check_refused("graph { a -- b", any_graph(), 2, "the end of the file", "a vertex");
  check_refused("graph { a -- b } graph { c }", any_graph(), 1, "'graph'", "the end of the file");
  check_refused("graph { a -- subgraph t }", any_graph(), 1, "'}'", "'{'");
  check_refused("graph { \"a -- b }", any_graph(), 1, "a string without an end", "");
  check_refused("graph { a [label=<b] }", any_graph(), 1, "'<' without an end", "'>'");
  check_refused("graph { a /* b }", any_graph(), 1, "a comment without an end", "'*/'");
  check_refused("graph { a -- b # c\n}", any_graph(), 1, "'#' within a line", "");
  check_refused("graph { 1e5 -- b }", any_graph(), 1, "'1e5'", "in quotes");
  check_refused("graph { a -- b [weight=x] }", any_graph(), 1, "'x'", "");
  check_refused("graph " + std::string(100, '{') + std::string(100, '}'), any_graph(), 1, "'{'", "64 deep");
  check_refused("graph { edge -- b }", any_graph(), 1, "'-'", "attributes");
}
