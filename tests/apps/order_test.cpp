// Orders of vertices as files.

#include <string>

#include "apps/program.hpp"

namespace matchcount::test {
namespace {

// Writes the order of a count, and counts along it, which has to write the same.
void require_round_trip(const std::string& options, const std::string& graph, const std::string& end) {
  CAPTURE(options, graph);
  const Folder folder;
  const std::string first = folder.path("first" + end), second = folder.path("second" + end);
  const Outcome one = run_line("count - " + options + " --write-order " + first, graph);
  CAPTURE(one.err);
  REQUIRE(one.status == 0);
  CHECK(one.out == run_line("count - " + options, graph).out);
  const Outcome two = run_line("count - " + options + " --order " + first + " --write-order " + second, graph);
  CAPTURE(two.err);
  REQUIRE(two.status == 0);
  CHECK(two.out == one.out);
  if (end != ".td") CHECK(read_file(first) == read_file(second));
  CHECK(run_line("plan - " + options + " --order " + first, graph).status == 0);
}

TEST_CASE("an order that was written is followed again, whatever the kind of the graph") {
  const std::string grid = run_line("generate grid 6 6").out,
                    bonds = run_line("generate grid 4 5 --kind undirected").out;
  const std::string odd = "a b\nb c\nc a\nc d\nd e\ne f\nf d\na f\n";
  for (const char* end : {".txt", ".td"}) {
    for (const char* method : {"", " --method frontier", " --method trees"}) {
      require_round_trip(method, grid, end);
      require_round_trip(std::string(method) + " --no-reduce", grid, end);
      require_round_trip(std::string(method) + " --kind directed", "1 1\n1 2\n2 1\n2 2\n3 3\n", end);
      require_round_trip(method, bonds, end);
      require_round_trip(std::string(method) + " --kind undirected --matchings all", odd, end);
      require_round_trip(std::string(method) + " --kind undirected", odd, end);
    }
    require_round_trip("--kind undirected --matchings by-size", odd, end);
    require_round_trip("", "a x\nb x\n", end);
  }
}

TEST_CASE("a tree decomposition that was written is one of the graph") {
  const Folder folder;
  const std::string file = folder.path("order.td"), cycle = "p tw 5 5\n1 2\n2 3\n3 4\n4 5\n5 1\n";
  REQUIRE(run_line("count - --matchings all --method trees --write-order " + file, cycle).out == "11\n");
  CHECK(read_file(file).starts_with("s td 3 3 5\n"));
  CHECK(run_line("count - --matchings all --order " + file, cycle).out == "11\n");
  const Outcome wheel = run_line("count - --matchings all --order " + file, "p tw 5 6\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n");
  const Outcome other = run_line("count - --matchings all --order " + file, "p tw 5 6\n1 2\n2 3\n3 4\n4 5\n5 1\n2 4\n");
  CHECK(((wheel.status == 2) || (other.status == 2)));
  CHECK((wheel.err + other.err).find("no bag with both ends of the edge") != std::string::npos);
}

TEST_CASE("a plan of all matchings has the method that a count follows") {
  // A binary tree of 200 complete graphs of 4 vertices.
  std::string graph;
  for (int i = 0; i < 200; ++i) {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) graph += std::to_string(4 * i + a) + " " + std::to_string(4 * i + b) + "\n";
    if (i > 0) graph += std::to_string(4 * i) + " " + std::to_string(4 * ((i - 1) / 2) + 1 + i % 2) + "\n";
  }
  const Outcome plan = run_line("plan - --kind undirected --matchings all", graph);
  const Outcome count = run_line("count - --kind undirected --matchings all --json", graph);
  CAPTURE(plan.out, count.out);
  REQUIRE(count.out.find("\"name\": \"trees\"") != std::string::npos);
  CHECK(plan.out.find("trees ") != std::string::npos);
}

TEST_CASE("orders that do not fit are refused") {
  const Folder folder;
  const std::string graph = "a x\na y\nb x\nb y\n";
  const std::string right = folder.file("right", "x\na\nb\ny\n");
  CHECK(run_line("count - --order " + right, graph).out == "2\n");
  CHECK(run_line("hafnian - --order " + right, "a x\nx b\nb y\ny a\n").out == "2\n");
  const auto refused = [&](const std::string& options, const std::string& why, int status = 2) {
    const Outcome outcome = run_line("count - " + options, graph);
    CAPTURE(options, outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("--order " + folder.file("short", "a\nb\nx\n"), "without the column 'y'");
  refused("--order " + folder.path("none"), "none");
  refused("--order " + right + " --method planar", "frontier or trees");
  refused("--write-order " + folder.path("out") + " --method ryser", "frontier or trees");
  refused("--order " + right + " --effort 1", "the order is as given");
  refused("--order " + right + " --engine twins", "the order is as given");
  refused("--order " + right + " --matchings minimum-weight", "an order of vertices");
  refused("--order -", "standard input can be read once");
  refused("--order " + right + " --write-order " + right, "which is the input");
  CHECK(run_line("sample - --order " + right, graph).status == 2);
}

TEST_CASE("places on a torus, and neighbours around vertices, embed a graph of the command line") {
  const Folder folder;
  const std::string graph = run_line("generate grid 5 6 --boundary torus --kind undirected").out;
  std::string points, lines;
  const auto name = [](int i, int j) { return std::to_string((i + 5) % 5 * 6 + (j + 6) % 6 + 1); };
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 6; ++j) {
      points += name(i, j) + " " + std::to_string(j) + " " + std::to_string(i) + "\n";
      lines +=
          name(i, j) + " " + name(i, j + 1) + " " + name(i + 1, j) + " " + name(i, j - 1) + " " + name(i - 1, j) + "\n";
    }
  }
  const std::string places = folder.file("places", points), around = folder.file("around", lines);
  const std::string count = run_line("count - --kind undirected --method frontier", graph).out;
  for (const std::string& rotation : {places + " --periods 6,5", around}) {
    const std::string options = " - --kind undirected --method planar --rotation " + rotation;
    CHECK(run_line("count" + options, graph).out == count);
    CHECK(run_line("marginals" + options, graph).out ==
          run_line("marginals - --kind undirected --method planar", graph).out);
    CHECK(run_line("sample" + options, graph).status == 0);
    CHECK(run_line("count - --kind undirected --matchings all --rotation " + rotation, graph).status == 2);
  }
  CHECK(run_line("count - --kind undirected --rotation " + places, graph).status == 2);
  CHECK(run_line("count - --kind undirected --periods 6,5", graph).status == 2);
  CHECK(run_line("count - --kind undirected --rotation " + places + " --periods 2,5", graph).status == 2);
}

}  // namespace
}  // namespace matchcount::test
