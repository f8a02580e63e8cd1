#include <signal.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

// Takes minutes by the method that is asked for, whatever the machine: 2^35 subsets.
Setting long_count() { return {.input = run_line("generate random 36 36 0.8").out}; }
const std::vector<std::string> long_words = {"count", "-", "--method", "ryser", "--threads", "2"};

}  // namespace

TEST_CASE("what would pass a limit is refused at once, in units that people read, however the limit is written") {
  const std::string hard = run_line("generate random 58 58 0.5").out, large = run_line("generate random 60 60 0.3").out,
                    grid = run_line("generate grid 16 16").out;
  check_refused("count - --time-limit 1h", hard, {"the time limit leaves"}, 3);
  check_refused("marginals - --method ryser --time-limit 1h", hard, {" years"}, 3);
  check_refused("count - --method skipper --time-limit 1h", hard, {" years"}, 3);
  check_refused("count - --method frontier --memory-limit 1M", hard, {" PiB (", "the memory limit leaves 1 MiB"}, 3);
  // It never reads as if 0 were left.
  check_refused("count - --method frontier --memory-limit 3000", grid, {"2.93 KiB"}, 3);
  for (const auto& [limit, left] : {std::pair{"90", "90 s"},
                                    {"30s", "30 s"},
                                    {"2.5min", "2.5 min"},
                                    {"3h", "3.0 h"},
                                    {"3:30:00", "3.5 h"},
                                    {"0:05:30", "5.5 min"},
                                    {"3d", "3.0 days"}}) {
    const Setting setting{.input = large, .still_clock = true};
    const Outcome outcome = run_program({"count", "-", "--method", "staged", "--time-limit", limit}, setting);
    CAPTURE(limit, outcome.err);
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, ContainsSubstring("the time limit leaves " + std::string(left)));
  }
}

TEST_CASE("a time limit shortens the search for an order of plan too", "[timing]") {
  const std::string graph = run_line("generate random 60 60 0.1").out;
  const Setting setting{.input = graph, .still_clock = true};
  const auto planned = [&](const std::vector<std::string>& limit) {
    std::vector<std::string> words = {"plan", "-", "--json", "--order", "mixed"};
    words.insert(words.end(), limit.begin(), limit.end());
    const Outcome outcome = run_program(words, setting);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto unlimited = planned({}), limited = planned({"--time-limit", "0.5"});
  CHECK(limited["seconds"].get<double>() > unlimited["seconds"].get<double>());  // the order is a worse one
  CHECK(limited["within_limits"] == false);
  // Next to no time leaves the greedy orders.
  CHECK(planned({"--time-limit", "1e-9"})["seconds"].get<double>() >= limited["seconds"].get<double>());
}

TEST_CASE("limits that are wide enough change nothing") {
  const std::string graph = run_line("generate grid 8 8").out;
  for (const char* size : {"1G", "512M", "1.5GiB", "1073741824", "600000k", "1TB"}) {
    CHECK(run_line(std::string("count - --time-limit 100 --memory-limit ") + size, graph).out == "12988816\n");
  }
}

TEST_CASE("Ctrl-C and SIGTERM end a long count with status 3 and a line", "[timing]") {
  for (const int number : {SIGINT, SIGTERM}) {
    Setting setting = long_count();
    setting.signal = number;
    setting.after_cpu_s = 0.5;
    const Outcome outcome = run_program(long_words, setting);
    CAPTURE(number, outcome.err);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}

TEST_CASE("an answer that cannot be written is an error") {
  if (!std::filesystem::exists("/dev/full")) MATCHCOUNT_SKIP("this system has no /dev/full");
  const Setting setting{.input = "# format: edgelist\na b\n", .out_file = "/dev/full"};
  const std::vector<std::vector<std::string>> lines = {
      {"count", "-"},     {"count", "-", "--json"},       {"plan", "-"}, {"decompose", "-"},
      {"permanent", "-"}, {"generate", "grid", "4", "4"}, {"devices"},   {"help"},
      {"--version"}};
  for (const auto& words : lines) {
    const Outcome outcome = run_program(words, setting);
    CAPTURE(words, outcome.err);
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, ContainsSubstring("standard output"));
  }
}

TEST_CASE("a count that is predicted to take minutes says so first, with the method, unless told to be quiet",
          "[timing]") {
  Setting setting;
  setting.input = run_line("generate random 42 42 0.9").out;  // 2^41 subsets
  setting.signal = SIGINT;
  setting.after_cpu_s = 0.3;
  const std::vector<std::string> words = {"count", "-", "--method", "ryser", "--threads", "1"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_program(all, setting);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(with({}), ContainsSubstring("will take about") && ContainsSubstring("ryser") &&
                           ContainsSubstring("subsets") && ContainsSubstring("--time-limit"));
  // With a limit there is nothing to recommend.
  CHECK_THAT(with({"--time-limit", "1e9"}), ContainsSubstring("will take about") && !ContainsSubstring("--time-limit"));
  CHECK(with({"--quiet"}).find("will take") == std::string::npos);
  CHECK(run_line("count -", run_line("generate grid 8 8").out).err.empty());
}

TEST_CASE("progress goes to stderr when asked for, and not when not", "[timing]") {
  Setting setting = long_count();
  setting.after_cpu_s = 0.1;
  setting.passing_s = 3;
  setting.signal = SIGINT;
  std::vector<std::string> words = long_words;
  words.insert(words.end(), {"--progress", "on"});
  const Outcome shown = run_program(words, setting);
  CAPTURE(shown.err);
  CHECK_THAT(shown.err, ContainsSubstring("%") && ContainsSubstring("left"));
  // A line a minute where stderr is no terminal.
  CHECK(shown.err.find("left") == shown.err.rfind("left"));
  // stderr is a file here, so auto shows nothing.
  const Outcome hidden = run_program(long_words, setting);
  CHECK(hidden.err.find('%') == std::string::npos);
}
