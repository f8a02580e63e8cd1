// Checks that files which other programs write and nothing here reads are refused by name.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "graph/reading.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

TEST_CASE("texts of Python, and lists in JSON, are refused by their names") {
  const std::vector<std::pair<std::string, std::string>> texts = {{"[{\"source\": 1}]\n", "JSON"},
                                                                  {"{1, 2}\n{3, 4}\n", "Python"},
                                                                  {"[(0, 1), (1, 2)]\n", "Python"},
                                                                  {"[[0. 1.]\n [1. 0.]]\n", "Python"}};
  for (const auto& [text, whose] : texts) check_refused(text, usual(), 1, whose, "graphml", "npy");
  for (const std::string line : {"0 pp 1\n", "a\tpp\tb\n", "0.5 interacts-with 7.5\n"}) {
    CHECK_THROWS_WITH(read_input_text(line, "net.sif", usual()), ContainsSubstring("--columns 1,3"));
    InputOptions ends = usual();
    ends.columns = "1,3";
    CHECK(read_input_text(line, "net.sif", ends).num_edges() == 1);
  }
  CHECK_THROWS_WITH(read_input_text("# 0\n1 2.5\n", "net.lgl", usual()), ContainsSubstring("igraph"));
  // A format that is named reads them as names.
  InputOptions options = usual();
  options.format = InputFormat::edge_list;
  CHECK(read_input_text("*vertices a\n", "test", options).graph.num_edges() == 1);
  CHECK(read_usual("graph a\ndigraph b\n").graph.num_edges() == 2);
}

TEST_CASE("texts of other programs are told by what they begin with, and what is read instead") {
  for (const auto& [text, whose, instead] : std::vector<std::array<std::string, 3>>{
           {"# Created by Octave 8.4.0\n# name: A\n# type: matrix\n# rows: 2\n# columns: 2\n 1 2\n 3 4\n", "Octave",
            "save -v7"},
           {"nodedef>name VARCHAR,label VARCHAR\na,b\n", "GDF", "GraphML"},
           {"<?xml version='1.0'?>\n<!DOCTYPE graph>\n<graph label='x'><node id='1'/></graph>\n", "XGMML", "GraphML"},
           {"<cml><molecule/></cml>\n", "CML", "MOL2"},
           {"<molecule id='m'/>\n", "CML", "MOL2"},
           {"LEDA.GRAPH\nstring\nint\n-1\n2\n", "LEDA", "GraphML"},
           {"DL n=5\nformat = edgelist1\ndata:\n1 2\n", "UCINET", "Pajek"},
           {"dl\nN = 3 format=fullmatrix\ndata:\n0 1 0\n", "UCINET", "Pajek"},
           {"NAME : gr17\nTYPE: TSP\nDIMENSION: 17\nEDGE_WEIGHT_SECTION\n0 1\n", "TSPLIB", "the matrix alone"}})
    check_refused(text, usual(), 1, whose, instead);
  check_refused("title   key\n 3 1 1 1\nRUA 3 3 4 0\n(8I10)\n", usual(), 3, "Rutherford-Boeing", "Matrix Market");
  // Names and formats that begin alike.
  CHECK(read_usual("dl n\ndd m\n").num_edges() == 2);
  CHECK(read_usual("a 1\nb 2\nrua 3\n").num_edges() == 3);
  CHECK(read_usual("name a\nnone b\n").num_edges() == 2);
}

TEST_CASE("bytes of office programs, HDF5, MATLAB, Parquet and the like, and text in UTF-16, are refused as such") {
  const std::string zeros(20, '\0');
  // Doubles, 2 x 1, real, with the name A.
  const std::string level_4("\0\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0A", 21);
  for (const auto& [begin, found] : std::vector<std::pair<std::string, std::string>>{{"\xD0\xCF\x11\xE0", "office"},
                                                                                     {"\xFF\xFE"
                                                                                      "a",
                                                                                      "UTF-16"},
                                                                                     {"\xFE\xFF", "UTF-16"},
                                                                                     {"\x89HDF", "HDF5"},
                                                                                     {"MATLAB 7.3 MAT-file", "MATLAB"},
                                                                                     {level_4, "of version 4"},
                                                                                     {"PAR1", "a Parquet"},
                                                                                     {"ARROW1", "an Arrow"},
                                                                                     {"SQLite format 3", "SQLite"},
                                                                                     {"\x80\x04", "a pickle"},
                                                                                     {"a b", "a NUL byte"}}) {
    check_refused(begin + zeros, usual(), 1, found, found == "UTF-16" || found == "a NUL byte" ? "UTF-8" : "");
  }
}

TEST_CASE("trees that networkx, tree and others draw with lines are no edges") {
  for (const std::string text :
       {"╟── 1.5\n╙── 0.5\n    └── 2.5\n", "╙── node 1\n    └── node 0\n", "+-- 0\n    L-- 1\n"})
    check_refused(text, usual(undirected), 1, "in the place of a name", "--format edgelist");
}

TEST_CASE("a name with a round bracket that closes none is refused, and one with both is a name") {
  for (const std::string name : {"edge", "arc", "e"}) {
    for (const std::string comma : {",", ", ", " , "}) {
      for (const std::string end : {").", ")", ");"}) {
        std::string facts;
        for (int i = 0; i < 3; ++i)
          facts += name + "(" + std::to_string(i) + comma + std::to_string(i + 3) + end + "\n";
        CAPTURE(facts);
        for (const InputKind kind : {bipartite, undirected, directed})
          CHECK_THROWS_AS(read_input_text(facts, "test", usual(kind)), InputError);
      }
    }
  }
  check_refused("a) b\nb) c\n", usual(undirected), 1, "'a)'", "--format edgelist");
  CHECK(read_usual("g(y) f(x)\n(0,1) (1,(2,3))\ng(y) f(z)\nz f(u)\n", undirected).num_edges() == 4);
}
