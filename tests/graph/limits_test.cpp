// Reading keeps the limits of its run: time, cancellation, and a memory limit that is given.

#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/folder.hpp"

using namespace matchcount;

namespace {

InputOptions two_sided() { return {.kind = InputKind::bipartite}; }

RunContext within_bytes(std::uint64_t bytes) { return RunContext({.memory_limit_bytes = bytes}); }

// Writes n lines of 4 bytes.
std::string lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "1 " + std::to_string(i % 10) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a pipe that says nothing is left when the time is over or the run is cancelled", "[timing]") {
  const test::Folder folder;
  const std::string fifo = folder.path() / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  test::StepClock clock;
  RunOptions options;
  clock.end_at_look(3, options);
  CHECK_THROWS_AS(read_input(fifo, two_sided(), RunContext(options)), Unable);
  clock.stop_at_look(3, options);
  CHECK_THROWS_AS(read_input(fifo, two_sided(), RunContext(options)), Cancelled);
}

TEST_CASE("a text that is larger than a memory limit is refused, from a file, a stream and memory") {
  InputOptions options = two_sided();
  options.duplicates = Duplicates::one;
  const std::string text = lines(10'000);
  CHECK_THROWS_AS(read_input_text(text, "test", options, within_bytes(39'999)), Unable);
  CHECK(read_input_text(text, "test", options, within_bytes(100'000)).num_edges() == 10);
  std::istringstream stream(text);
  CHECK_THROWS_WITH(read_input(stream, "test", options, within_bytes(39'999)),
                    ContainsSubstring("its text takes") && ContainsSubstring("memory limit"));
  const test::Folder folder;
  const std::string file = folder.path() / "graph.txt";
  std::ofstream(file) << text;
  CHECK_THROWS_AS(read_input(file, options, within_bytes(39'999)), Unable);
  CHECK(read_input(file, options, within_bytes(100'000)).num_edges() == 10);
}

TEST_CASE("parsing ends when the run is cancelled on the way", "[timing]") {
  InputOptions options = two_sided();
  options.duplicates = Duplicates::one;
  const std::string text = lines(400'000);
  test::StepClock clock;
  RunOptions run;
  clock.stop_at_look(3, run);
  // A reader that did not look on the way would find the last line first.
  CHECK_THROWS_AS(read_input_text(text + "a line of five fields\n", "test", options, RunContext(run)), Cancelled);
}
