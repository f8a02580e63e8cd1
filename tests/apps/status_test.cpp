// The ways out are exit status 0, 2, 3 and 4, whatever the system does to the program.

#include <signal.h>

#include <filesystem>

#include "apps/program.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

std::string dense(int n) { return run_line("generate complete " + std::to_string(n) + " " + std::to_string(n)).out; }

}  // namespace

TEST_CASE("an answer for which nobody is there any more is an error with status 3") {
  const Setting setting{.input = dense(4), .closed_output = true};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"count", "-", "--kind", "bipartite"}, {"generate", "grid", "200", "200"}}) {
    const Outcome outcome = run_program(words, setting);
    CAPTURE(words, outcome.err);
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, ContainsSubstring("Broken pipe"));
  }
}

TEST_CASE("an answer that grows beyond what a file may is an error with status 3") {
  const Folder folder;
  const Setting setting{.out_file = folder.path("out"), .most_file_bytes = 1000};
  const Outcome outcome = run_program({"generate", "grid", "50", "50"}, setting);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, ContainsSubstring("File too large"));
  const Outcome file = run_program({"generate", "grid", "50", "50", "--output", folder.path("graph.txt")}, setting);
  CAPTURE(file.err);
  CHECK(file.status == 3);
}

TEST_CASE("where threads can't be had fewer count, and say so") {
  Setting setting{.input = dense(22)};
  // The program, its thread for signals, and one more.
  setting.most_processes = 3;
  // Permissions let another user run it.
  const std::vector<std::string> words = {"count", "-", "--kind", "bipartite", "--method", "ryser", "--threads", "64"};
  const Outcome outcome = run_program(words, setting);
  CAPTURE(outcome.err);
  if (outcome.status >= 126) MATCHCOUNT_SKIP("another user can't run the program here");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "1124000727777607680000\n");
  CHECK_THAT(outcome.err, ContainsSubstring("of 64 threads can be started"));
  // A process that can't even start the thread that waits for signals.
  setting.most_processes = 1;
  const Outcome none = run_program(words, setting);
  CAPTURE(none.err);
  CHECK((none.status == 3 || none.status == 0));
}

TEST_CASE("a terminal that is closed ends a run as Ctrl-C does", "[timing]") {
  const Setting setting{.input = dense(36), .signal = SIGHUP, .after_cpu_s = 0.2};
  const Outcome outcome = run_program({"count", "-", "--kind", "bipartite", "--method", "staged"}, setting);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 3);
}

TEST_CASE("the name of a file can't write what it likes on the terminal") {
  for (const std::string& name : {std::string("no\x1B]0;x\x07such"), std::string("a\nb"),
                                  std::string("\xC2\x9B"
                                              "2J")}) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"count", name},
                                                  {"count", "-", "--kind", name},
                                                  {"generate", "grid", name},
                                                  {"count", "-", "--checkpoint", name + "/c", "--kind", "bipartite"},
                                                  {"generate", "grid", "2", "2", "--output", name + "/x"}}) {
      const Outcome outcome = run_program(words, {.input = dense(3)});
      CAPTURE(words, outcome.err);
      CHECK((outcome.status == 2 || outcome.status == 3));
      CHECK(outcome.err.find('\x1B') == std::string::npos);
      CHECK(outcome.err.find('\x07') == std::string::npos);
      CHECK(outcome.err.find("\xC2\x9B") == std::string::npos);
    }
  }
}

TEST_CASE("no file stands in for a stream that the caller closed") {
  if (!std::filesystem::exists("/proc/self/fd")) MATCHCOUNT_SKIP("this system has no /proc/self/fd");
  const auto in_shell = [](const std::string& rest) {
    return run_program({"-c", std::string(MATCHCOUNT_PROGRAM) + " " + rest}, {.program = "/bin/sh"});
  };
  // A stream is there, and empty.
  CHECK_THAT(in_shell("count /proc/self/fd/2 --json 2>&-").out, ContainsSubstring("an empty file"));
  const Outcome output = in_shell("generate grid 2 2 >&-");
  CHECK(output.status == 3);
  CHECK_THAT(output.err, ContainsSubstring("standard output"));
  const Outcome input = in_shell("count - <&-");
  CHECK(input.status == 2);
  CHECK_THAT(input.err, ContainsSubstring("standard input"));
}
