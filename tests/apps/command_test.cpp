#include <sstream>

#include "apps/json_output.hpp"

using namespace matchcount::test;

TEST_CASE("only the answer goes to stdout") {
  const Outcome outcome = run_line("count -", "a x\na y\nb x\nb y\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "2\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("generated graphs of every kind are counted to their closed forms") {
  // Kasteleyn; the torus and the cubes as in the literature; MacMahon; 2^(n(n+1)/2); Fibonacci numbers; A289202 and
  // A239273 of the encyclopedia of integer sequences; a torus of sides 4 is the hypercube of dimension 6 (A005271).
  const std::vector<std::string> boards = {
      "grid 8 8 = 12988816", "grid 2 10 = 89",     "torus 4 4 = 272",
      "grid3d 2 2 2 = 9",    "hexagon 2 2 2 = 20", "aztec 4 = 1024",
      "hypercube 4 = 272",   "knight 6 6 = 10304", "king 4 4 = 280",
      "ladder 10 = 89",      "prism 10 = 125",     "rook 2 3 = 4",
      "queen 2 2 = 3",       "bishop 2 2 = 1",     "torus3d 4 4 4 = 16332454526976"};
  // Factorials; C60 and C70 as in the atlas of fullerenes.
  const std::vector<std::string> others = {
      "complete 5 5 = 120", "band 10 1 = 89",    "regular 7 1 = 1", "random 6 6 1 = 720", "complete 6 = 15",
      "complete 2 2 2 = 8", "kneser 5 2 = 6",    "johnson 4 2 = 8", "cycle 33 = 0",       "cycle 64 = 2",
      "path 64 = 1",        "circulant 8 1 = 2", "gnp 6 1 = 15"};
  const std::vector<std::string> fullerenes = {"fullerene 60 1 7 9 11 13 15 18 20 22 24 26 32 = 12500",
                                               "fullerene 70 1 7 9 11 13 15 27 29 31 33 35 37 = 52168"};
  for (const auto& list : {boards, others, fullerenes}) {
    for (const std::string& one : list) {
      const std::size_t split = one.find(" = ");
      const Outcome outcome = run_line("count -", generated(one.substr(0, split)));
      CAPTURE(one, outcome.err);
      CHECK(outcome.status == 0);
      CHECK(outcome.out == one.substr(split + 3) + "\n");
    }
  }
}

TEST_CASE("generated vertices without edges go through pipes") {
  for (const char* words : {"grid 1 1", "knight 3 3", "hypercube 0", "knight 1 3", "random 3 3 0", "complete 0 3",
                            "path 1", "complete 1", "complete 0 0 2", "rook 1 1", "bishop 1 4", "circulant 2",
                            "kneser 3 2", "kneser 3 3", "johnson 5 0", "tree 1", "gnp 3 0"}) {
    CAPTURE(words);
    const Outcome outcome = run_line("count -", generated(words));
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "0\n");
  }
  // A knight in the middle of the board stays alone; the others go round it on a cycle of 8.
  CHECK(run_line("count - --matchings maximum", generated("knight 3 3")).out == "2\n");
  CHECK(run_line("count - --matchings all", generated("grid 1 1")).out == "1\n");
  CHECK(run_line("generate grid 1 1 --kind bipartite").status == 2);
}

TEST_CASE("lattices are generated with any boundary, their weights by direction, and their layout says so") {
  const std::string honeycomb = generated("honeycomb 6 6 --boundary torus");
  CHECK_THAT(honeycomb, ContainsSubstring("# layout: honeycomb 6 6 torus\n"));
  CHECK(run_line("count -", honeycomb).out == "263640\n");
  CHECK(run_line("count -", generated("grid 6 5 --boundary klein")).out ==
        run_line("count - --method frontier", generated("grid 6 5 --boundary klein")).out);
  CHECK(run_line("permanent -", generated("grid 2 2 --weights-by-direction 2,5 --kind matrix")).out == "29\n");
  CHECK(run_line("permanent -", generated("grid 2 2 --weights-by-direction 0.5,1 --kind matrix")).out ==
        "1.2500000000000000e0\n");
  const std::string picture = "sample - --svg /dev/null";
  for (const char* name : {"honeycomb", "kagome", "square-octagon", "triangular"})
    CHECK(run_line(picture, generated(name + std::string(" 4 4 --boundary moebius"))).status == 0);
  for (const char* line : {"aztec 4 --boundary torus", "grid 4 4 --boundary ball", "grid 4 4 --weights-by-direction 1",
                           "grid 4 4 --weights-by-direction 1,x", "grid 4 4 --weights-by-direction 1,2 --weights signs",
                           "honeycomb 3 4 --boundary klein", "grid 2 2 --boundary torus"})
    CHECK(run_line(std::string("generate ") + line).status == 2);
  for (const char* name : {"honeycomb", "queen", "circulant", "fullerene", "torus3d", "johnson", "prism"})
    CHECK_THAT(run_line("generate x" + std::string(name) + " 4 4").err,
               ContainsSubstring("did you mean '" + std::string(name) + "'?"));
  for (const char* line : {"grid 4", "grid 4 4 4", "grid 4 x", "grid 4 4.5", "circulant 5 0", "fullerene 60 1 2 3"})
    CHECK(run_line(std::string("generate ") + line).status == 2);
  CHECK_THAT(generated("grid 4.0 4"), ContainsSubstring("# layout: grid 4 4\n"));
}

TEST_CASE("what is generated says what it is, so that pipes need no option") {
  const std::string graph = generated("hexagon 2 2 2 --kind undirected");
  CHECK(graph.starts_with("# kind: undirected\n"));
  CHECK(run_line("count -", graph).out == "20\n");
  CHECK(run_line("count -", generated("hexagon 2 2 2 --kind undirected --format mtx")).out == "20\n");
  CHECK(run_line("permanent -", generated("grid 2 10")).out == "89\n");
  CHECK(run_line("permanent -", generated("complete 2 2 --kind matrix")).out == "2\n");
  CHECK(run_line("cycles -", generated("complete 3 3 --kind directed")).out == "6\n");
  // Neither a bipartite graph's cycles nor an undirected graph's permanent.
  check_refused("cycles -", generated("complete 3 3"), {"--kind directed", "--kind matrix"});
  check_refused("permanent -", graph, {"--kind undirected", "--kind matrix"});
}

TEST_CASE("graphs and matrices as others write them are read as what they are, or not at all") {
  // networkx's Petersen graph: it has 6 perfect matchings.
  const std::string petersen =
      "0 1 {}\n0 4 {}\n0 5 {}\n1 2 {}\n1 6 {}\n2 3 {}\n2 7 {}\n3 4 {}\n3 8 {}\n4 9 {}\n5 7 {}\n5 8 {}\n6 8 {}\n"
      "6 9 {}\n7 9 {}\n";
  check_refused("count -", petersen, {"--kind undirected", "--kind bipartite"});
  CHECK(run_line("count - --kind undirected", petersen).out == "6\n");
  const Outcome hexagon = run_line("count -", "1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n");
  CHECK(hexagon.status == 2);
  CHECK(run_line("count - --kind undirected", "1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n").out == "2\n");
  // The permanent of 1 2 / 3 4 is 10, and that of the triples is another.
  CHECK(run_line("permanent -", "1 2\n3 4\n").status == 2);
  CHECK(run_line("permanent - --format dense", "1 2\n3 4\n").out == "10\n");
  CHECK(run_line("permanent -", "1,0,0,0\n0,2,0,0\n0,0,3,0\n0,0,0,4\n").out == "24\n");
  // K2 and a vertex beside it.
  const Outcome isolated = run_line("count - --kind undirected", "a b\nc\n");
  CHECK(isolated.out == "0\n");
  CHECK_THAT(isolated.err, ContainsSubstring("{c}"));
}

TEST_CASE("the same seed gives the same random graph, another seed another") {
  CHECK(generated("random 20 20 0.3 --seed 5") == generated("random 20 20 0.3 --seed 5"));
  CHECK(generated("random 20 20 0.3 --seed 5") != generated("random 20 20 0.3 --seed 6"));
  CHECK(generated("random 20 20 0.3") == generated("random 20 20 0.3 --seed 1"));
}

TEST_CASE("generated weights obey their law, in the file's own words") {
  const Folder folder;
  const std::string file = folder.path("dense.mtx");
  REQUIRE(run_line("generate random 30 30 1 --weights uniform --seed 7 --output " + file).status == 0);
  CHECK_THAT(read_file(file), ContainsSubstring("%%MatrixMarket matrix coordinate real general\n30 30 900\n"));
  CHECK(generated("complete 9 9 --weights normal --seed 3") == generated("complete 9 9 --weights normal --seed 3"));
  CHECK(generated("complete 9 9 --weights normal --seed 3") != generated("complete 9 9 --weights normal --seed 4"));
  // The weights come on top: the edges are those of the seed without them.
  const std::string plain = generated("random 20 20 0.3 --seed 5");
  std::istringstream weighted(generated("random 20 20 0.3 --seed 5 --weights signs"));
  std::string u, v, w, edges;
  for (int comment = 0; comment < 2; ++comment) {  // the kind and the format
    std::getline(weighted, u);
    edges += u + "\n";
  }
  while (weighted >> u >> v >> w) {
    CHECK((w == "1" || w == "-1"));
    edges += u + " " + v + "\n";
  }
  CHECK(edges == plain);
  // A permanent of nine equal entries, known by hand: 5^3 3!.
  CHECK(run_line("permanent -", generated("complete 3 3 --weights integers:5:5")).out == "750\n");
  CHECK_THAT(generated("complete 2 2 --weights complex --format mtx"),
             ContainsSubstring("%%MatrixMarket matrix coordinate complex general\n2 2 4\n"));
  // No format but that holds complex weights.
  CHECK(run_line("generate complete 2 2 --weights complex").status == 2);
  CHECK_THAT(run_line("help --completion bash").out,
             ContainsSubstring("--weights) COMPREPLY=($(compgen -W 'uniform normal"));
  CHECK_THAT(run_line("generate --help").out,
             ContainsSubstring("--weights LAW") && ContainsSubstring("integers:LO:HI"));
}

TEST_CASE("a zero comes with its reason in the file's own words") {
  const Outcome outcome = run_line("count -", "ann tea\nbob tea\nbob rum\ncat rum\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "0\n");
  CHECK_THAT(outcome.err, ContainsSubstring("ann") && ContainsSubstring("bob") && ContainsSubstring("cat"));
  CHECK_THAT(outcome.err, ContainsSubstring("tea") && ContainsSubstring("rum"));
  CHECK(run_line("count - --quiet", "ann tea\nbob tea\nbob rum\ncat rum\n").err.empty());

  const Json json = parsed(run_line("count - --json", "ann tea\nbob tea\nbob rum\ncat rum\n"));
  CHECK(json["result"]["value"] == "0");
  CHECK(json["result"]["log10"].is_null());
  CHECK(json["hall_violator"]["members"] == Json({"ann", "bob", "cat"}));
  CHECK(json["hall_violator"]["neighbours"] == Json({"tea", "rum"}));
}

TEST_CASE("a long reason is shortened on stderr and whole in JSON") {
  // A path of 51 rows and 50 columns: all the rows together.
  std::string path;
  for (int i = 0; i < 50; ++i) {
    path += "row" + std::to_string(i) + " column" + std::to_string(i) + "\n";
    path += "row" + std::to_string(i + 1) + " column" + std::to_string(i) + "\n";
  }
  const Outcome outcome = run_line("count -", path);
  CHECK(outcome.out == "0\n");
  CHECK_THAT(outcome.err, ContainsSubstring("more"));
  CHECK(outcome.err.size() < 400);
  const Json json = parsed(run_line("count - --json", path));
  CHECK(json["hall_violator"]["members"].size() == 51);
}

TEST_CASE("the empty graph has one perfect matching, and the matrix of no rows permanent 1") {
  const std::string empty = "%%MatrixMarket matrix coordinate integer general\n0 0 0\n";
  CHECK(run_line("count -", empty).out == "1\n");
  CHECK(run_line("cycles -", empty).out == "1\n");
  CHECK(run_line("permanent -", empty).out == "1\n");
}

TEST_CASE("count ignores values, permanent uses them") {
  const std::string matrix = "%%MatrixMarket matrix array integer general\n2 2\n1\n3\n2\n4\n";
  CHECK(run_line("permanent -", matrix).out == "10\n");
  const Outcome count = run_line("count -", matrix);
  CHECK(count.out == "2\n");
  CHECK_THAT(count.err, ContainsSubstring("play no part"));
  CHECK(run_line("count - --quiet", matrix).err.empty());
}

TEST_CASE("parallel edges are refused, counted or dropped") {
  const std::string twice = "a x\na x\n";
  CHECK(run_line("count -", twice).status == 2);
  CHECK(run_line("count - --duplicates sum", twice).out == "2\n");
  CHECK(run_line("count - --duplicates one", twice).out == "1\n");
  CHECK(run_line("cycles - --duplicates sum", "a a\na a\na a\n").out == "3\n");
}

TEST_CASE("cycle covers count self-loops and two-cycles, in digraphs only") {
  CHECK(run_line("cycles -", "a b\nb a\na a\nb b\n").out == "2\n");
  CHECK(run_line("cycles -", "a b\nb c\nc a\n").out == "1\n");
  const Outcome path = run_line("cycles -", "a b\nb c\n");
  CHECK(path.out == "0\n");
  CHECK_THAT(path.err, ContainsSubstring("no cycle cover") && ContainsSubstring("successor"));
  CHECK(run_line("cycles - --kind bipartite", "a b\n").status == 2);
  check_refused("cycles - --kind matrix", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n", {"2 x 3"});
}

TEST_CASE("reals come with their error bound on stderr, complex numbers too") {
  const Outcome real = run_line("permanent -", "%%MatrixMarket matrix array real general\n2 2\n0.5\n0.25\n0.125\n3\n");
  CHECK(real.status == 0);
  // 0.5 * 3 + 0.25 * 0.125 = 1.53125
  CHECK_THAT(real.out, ContainsSubstring("1.53125"));
  CHECK_THAT(real.err, ContainsSubstring("error") || ContainsSubstring("exact"));
  const std::string complex = "%%MatrixMarket matrix array complex general\n2 2\n0 1\n2 0\n0 0\n0 1.5\n";
  const Json json = parsed(run_line("permanent - --json", complex));
  CHECK(json["result"]["kind"] == "complex");
  CHECK(json["result"].contains("relative_error"));
}

TEST_CASE("json says what was asked, answered, done and checked") {
  const Json json = parsed(run_line("count - --json --verify --seed 9 --threads 1", generated("grid 6 6")));
  CHECK(json["command"] == "count");
  CHECK(json["version"].is_string());
  CHECK(json["input"]["file"] == "-");
  CHECK(json["input"]["format"] == "edgelist");
  CHECK(json["input"]["kind"] == "bipartite");
  CHECK(json["input"]["rows"] == 18);
  CHECK(json["input"]["cols"] == 18);
  CHECK(json["input"]["edges"] == 60);
  CHECK(json["result"]["kind"] == "exact");
  CHECK(json["result"]["value"] == "6728");
  CHECK(json["result"]["log10"].get<double>() > 3.8278);
  CHECK(json["result"]["log10"].get<double>() < 3.8279);
  CHECK(json["method"]["name"].is_string());
  CHECK(json["method"]["device"] == "cpu");
  CHECK(json["method"]["threads"] == 1);
  CHECK(json["seed"] == 9);
  for (const char* key : {"read", "structure", "order", "count", "total"}) CHECK(json["time_s"][key].is_number());
  bool verified = false;
  for (const Json& check : json["checks"]) {
    CHECK(check["passed"] == true);
    verified = verified || check["name"] == "verify";
  }
  CHECK(verified);
}

TEST_CASE("json survives a file name that is not UTF-8") {
  const Folder folder;
  const Json json = parsed(run_program({"count", folder.file("\xff\xfe", "a b\n"), "--json"}));
  CHECK(json["result"]["value"] == "1");
  CHECK_THAT(json["input"]["file"].get<std::string>(), ContainsSubstring("\xef\xbf\xbd"));
}

TEST_CASE("methods, orders, engines and thread counts agree") {
  const std::string graph = generated("random 14 14 0.5 --seed 4");
  const std::string expected = run_line("count -", graph).out;
  REQUIRE(expected.size() > 2);
  for (const char* words :
       {"--method frontier --order mixed", "--method frontier --order rows --engine sparse",
        "--method frontier --order columns --engine dense --threads 1",
        "--method frontier --effort 0.01 --engine merge", "--method frontier --engine ranked --no-prune",
        "--method frontier --engine twins --seed 77", "--method ryser", "--method skipper --no-reduce",
        "--method staged --threads 3", "--no-prune --no-reduce --verify"}) {
    const Outcome outcome = run_line(std::string("count - ") + words, graph);
    CAPTURE(words, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == expected);
  }
}

TEST_CASE("decompose tells parts, blocks and useless edges") {
  // Two blocks {a,b} x {x,y} and {c} x {z}; the edge a z joins them and is in no perfect matching.
  const std::string graph = "a x\na y\nb x\nb y\nc z\na z\n";
  const Json json = parsed(run_line("decompose - --json", graph));
  CHECK(json["matching"]["size"] == 3);
  CHECK(json["matching"]["perfect"] == true);
  CHECK(json["fine_blocks"].size() == 2);
  CHECK(json["useless_edges"] == Json::array({Json::array({"a", "z"})}));
  CHECK(json["coarse"]["square"]["rows"] == Json({"a", "b", "c"}));
  CHECK(json["reductions"]["fine_blocks"] == 2);

  const Outcome text = run_line("decompose -", graph);
  CHECK_THAT(text.out, ContainsSubstring("3, perfect") && ContainsSubstring("1 of 2 x 2, 1 of 1 x 1"));

  // A row too many: the vertical part.
  const Json tall = parsed(run_line("decompose - --json", "a x\nb x\n"));
  CHECK(tall["matching"]["perfect"] == false);
  CHECK(tall["coarse"]["vertical"]["rows"] == Json({"a", "b"}));
  CHECK(tall["hall_violator"]["neighbours"] == Json({"x"}));
}

TEST_CASE("decompose says whether a graph is planar, and why not") {
  const Json grid = parsed(run_line("decompose - --kuratowski --json", generated("grid 6 6")));
  CHECK(grid["planar"] == true);
  CHECK_FALSE(grid.contains("kuratowski"));
  const std::string k33 = "a x\na y\na z\nb x\nb y\nb z\nc x\nc y\nc z\nd w\n";
  const Json json = parsed(run_line("decompose - --kuratowski --json", k33));
  CHECK(json["planar"] == false);
  CHECK(json["kuratowski"]["subdivision_of"] == "K3,3");
  REQUIRE(json["kuratowski"]["edges"].size() == 9);
  CHECK(json["kuratowski"]["edges"][0] == Json::array({"a", "x"}));
  CHECK_THAT(run_line("decompose - --kuratowski", k33).out, ContainsSubstring("no: 9 edges are a subdivision of K3,3"));
  CHECK(json["extra_edges"].size() == 1);
  CHECK_THAT(run_line("decompose - --kuratowski", k33).out, ContainsSubstring("but for 1 edge: "));
  CHECK_FALSE(parsed(run_line("decompose - --json", k33)).contains("planar"));
}

TEST_CASE("an odd cycle is the reason why an undirected graph is refused where sides are needed") {
  check_refused("cycles - --kind undirected", "a b\nb c\nc a\n", {"odd cycle of 3", "expected a bipartite graph"});
  CHECK(run_line("count - --kind undirected", "a b\nb c\nc d\nd a\n").out == "2\n");
}

TEST_CASE("permanent takes the edges' weights of any undirected graph") {
  // The prism's matchings: 14 25 36, 12 45 36, 13 46 25 and 23 56 14, of 3, 3, 1 and -5.
  const std::string edges = "1 2 0.5\n2 3 1\n1 3 0.25\n4 5 2\n5 6 -5\n4 6 4\n1 4 1\n2 5 1\n3 6 3\n";
  for (const char* options : {"", " --verify", " --method planar", " --method planar --verify --no-reduce"}) {
    const Outcome outcome = run_line(std::string("permanent - --kind undirected") + options, edges);
    CAPTURE(options, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "2.0000000000000000e0\n");
    CHECK_THAT(outcome.err, ContainsSubstring("relative error"));
  }
  const Json json = parsed(run_line("permanent - --kind undirected --json --method planar --no-reduce", edges));
  CHECK(json["result"]["kind"] == "real");
  CHECK(json["method"]["name"] == "planar");
  CHECK(json["method"]["blocks"][0]["bipartite"] == false);
  // Graphs with odd cycles or without, all with integers alone.
  CHECK(run_line("permanent - --kind undirected", "a b 2\nb c 3\nc d 5\nd a 7\n").out == "31\n");
  CHECK(run_line("permanent - --kind undirected", "a b 2\nb c 3\na c 5\nc d 7\n").out == "14\n");
  const Outcome none = run_line("permanent - --kind undirected", "a b 0.5\nb c 0.5\nc a 0.5\n");
  CHECK(none.out == "0\n");
  CHECK_THAT(none.err, ContainsSubstring("exact"));
}

TEST_CASE("exact precision proves a real 0 and what cancellation leaves") {
  const std::string square = "%%MatrixMarket matrix array real general\n2 2\n0.5\n-0.5\n0.5\n";
  const Outcome zero = run_line("permanent - --precision exact", square + "0.5\n");
  CHECK(zero.out == "0\n");
  CHECK_THAT(zero.err, ContainsSubstring("exact"));
  // Half of what the last entry has beyond 0.5, which is 2^-58.
  const Outcome little = run_line("permanent - --precision exact --verify",
                                  square + "0.5000000000000000034694469519536141888238489627838134765625\n");
  CAPTURE(little.err);
  CHECK(std::stod(little.out) < 1.74e-18);
  CHECK(std::stod(little.out) > 1.73e-18);
  // Decimals that no double is are fractions.
  CHECK(run_line("permanent - --precision exact --format edgelist", "1 1 0.1\n2 2 0.3\n1 2 -0.03\n2 1 1\n").out ==
        "0\n");
  CHECK(run_line("permanent - --precision exact --format edgelist", "1 1 0.1\n2 2 0.3\n").out == "3/100\n");
  CHECK(run_line("permanent - --precision exact --format edgelist", "1 1 1e-305\n2 2 1e305\n").out == "1\n");
  CHECK(run_line("permanent - --precision exact --method frontier", square + "0.5\n").out == "0\n");
  CHECK(run_line("permanent - --precision exact", "%%MatrixMarket matrix array integer general\n1 1\n7\n").out ==
        "7\n");
}

TEST_CASE("graphs with odd cycles are counted, parallel edges and all") {
  // Two triangles joined by three edges: a prism, 4.
  const std::string edges = "1 2\n2 3\n1 3\n4 5\n5 6\n4 6\n1 4\n2 5\n3 6\n";
  CHECK(run_line("count - --kind undirected", edges).out == "4\n");
  CHECK(run_line("count - --kind undirected --verify", edges).out == "4\n");
  CHECK(run_line("count - --format dimacs", "p tw 6 9\n" + edges).out == "4\n");
  // Parallel edges count as many; weights do not.
  CHECK(run_line("count - --kind undirected --duplicates sum", edges + "4 1\n1 4\n").out == "8\n");
  CHECK(run_line("count - --kind undirected", "1 2 7\n2 3 7\n1 3 7\n3 4 7\n").out == "1\n");
  check_refused("count - --kind undirected", edges + "4 1\n", {":10", "after line 7"});
  CHECK(run_line("count - --kind undirected", edges + "1 1\n").status == 2);
}

TEST_CASE("a graph with odd cycles and no perfect matching says why") {
  const std::string triangles =
      "hub a1\na1 a2\na2 a3\na3 a1\nhub b1\nb1 b2\nb2 b3\nb3 b1\nhub c1\nc1 c2\nc2 c3\nc3 c1\n";
  const Outcome outcome = run_line("count - --kind undirected", triangles);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "0\n");
  CHECK_THAT(outcome.err, ContainsSubstring("without the vertex {hub} it has 3 components with an odd number"));
  const Json json = parsed(run_line("count - --kind undirected --json", triangles));
  CHECK(json["tutte_set"]["removed"] == Json::array({"hub"}));
  CHECK(json["tutte_set"]["odd_components"] == 3);
  CHECK(json["input"]["vertices"] == 10);
  CHECK(json["input"]["odd_cycle"].size() == 3);
  CHECK_THAT(run_line("count - --kind undirected", "a b\nb c\nc a\n").err,
             ContainsSubstring("the graph has 1 component with an odd number of vertices"));
  CHECK_THAT(run_line("plan - --kind undirected", triangles).out,
             ContainsSubstring("the answer is 0: without the vertex"));
}
