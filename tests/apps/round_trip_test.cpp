// Checks that the program reads again what it writes, without an option, whatever the format.

#include <string>
#include <vector>

#include "program.hpp"

using namespace matchcount::test;

namespace {

const std::vector<std::string> formats = {"edgelist", "dense", "mtx", "dimacs", "metis", "graphml"};
const std::vector<std::string> extensions = {".txt", ".mtx", ".gr", ".graph", ".graphml", ".txt.gz", ".mtx.gz"};

// The commands whose answers tell graphs of a kind apart, and the option that names it.
struct Question {
  std::string command, kind;
};

// Requires that `text` answers as the same graph in an edge list does.
void check_answer(const Question& question, const std::string& text, const std::string& expected) {
  const Outcome outcome = run_line(question.command + " -", text);
  CAPTURE(question.command, text.substr(0, 300), outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == expected);
}

}  // namespace

TEST_CASE("what generate writes is read again without an option, in every format and of every kind") {
  const std::vector<std::string> graphs = {"grid 4 5",
                                           "complete 2 2",
                                           "band 5 2",
                                           "hexagon 1 2 2",
                                           "complete 1 1",
                                           "king 3 4",
                                           "planar 6 --seed 3",
                                           "random 4 4 1 --weights integers:1:3",
                                           "band 4 1 --weights normal"};
  const std::vector<Question> questions = {{"count", "bipartite"},
                                           {"count", "undirected"},
                                           {"permanent", "matrix"},
                                           {"cycles", "directed"},
                                           {"hafnian", "undirected"}};
  int read = 0;
  for (const std::string& graph : graphs) {
    for (const Question& question : questions) {
      const bool has_odd_cycles = graph.starts_with("king");
      if (has_odd_cycles && question.kind != "undirected") continue;
      const std::string line = "generate " + graph + " --kind " + question.kind;
      const Outcome list = run_line(line + " --format edgelist");
      REQUIRE(list.status == 0);
      const std::string kind = question.command == "hafnian" ? "" : " --kind " + question.kind;
      const Outcome answer = run_line(question.command + " - --format edgelist --header no" + kind, list.out);
      CAPTURE(line, answer.err);
      REQUIRE(answer.status == 0);
      for (const std::string& format : formats) {
        const Outcome written = run_line(line + " --format " + format);
        CAPTURE(line, format, written.err);
        if (written.status != 0) {
          // The format has no place for it, and says so.
          CHECK(written.status == 2);
          CHECK(written.out.empty());
          continue;
        }
        ++read;
        check_answer(question, written.out, answer.out);
      }
    }
  }
  // No fewer come to be read than when this was written.
  CAPTURE(read);
  CHECK(read >= 130);
}

TEST_CASE("the reduced matrix that decompose writes is read again without an option, under every name") {
  const Folder folder;
  int read = 0;
  for (const std::string graph : {"grid 6 6", "complete 2 2", "complete 3 3", "regular 8 3",
                                  "random 6 6 1 --weights integers:1:9", "random 5 5 1 --weights uniform"}) {
    const std::string matrix = folder.file("in.txt", run_line("generate " + graph + " --kind matrix").out);
    const std::string expected = run_line("permanent --digits 12 " + matrix).out;
    for (const std::string& extension : extensions) {
      const std::string file = folder.path("reduced" + extension);
      const Outcome written = run_line("decompose " + matrix + " --write " + file);
      CAPTURE(graph, file, written.err);
      if (written.status != 0) {
        CHECK(written.status == 2);
        continue;
      }
      ++read;
      const Outcome answer = run_line("permanent --digits 12 " + file);
      CAPTURE(answer.err);
      CHECK(answer.out == expected);
    }
  }
  CAPTURE(read);
  CHECK(read >= 24);
}

TEST_CASE("a closure of names that look like headers, sizes and molecules is read again without an option") {
  const Folder folder;
  for (const std::string text :
       {"source target\na b\n", "from to\nx y\n", "V1 V2\nV2 V1\n", "alice bob\nbob carol\n", "nodes 4\n4 5\n",
        "1 2\n2 3\n3 1\n", "1 2\n", "\"c1ccccc1\" CC\n", "\"a b\" \"c,d\"\n", "e 1\n1 2\n", "\"\" x\n"}) {
    const std::string options = " --kind directed --format edgelist --header no";
    const Outcome closure = run_line("reach -" + options, text);
    const std::string file = folder.path("closure.txt");
    const Outcome written = run_line("reach - --write " + file + options, text);
    CAPTURE(text, written.err);
    if (closure.status != 0) {  // an empty name is none
      CHECK(closure.status == 2);
      continue;
    }
    const Outcome again = run_line("reach " + file);
    CAPTURE(again.err);
    CHECK(again.out == closure.out);
  }
}
