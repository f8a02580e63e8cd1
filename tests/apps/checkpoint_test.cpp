// Checkpoints as a user has them: killed runs, refusals, folders that can't be written.

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include "apps/program.hpp"
#include "core/random.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

struct Killed {
  Outcome last;
  int kills = 0;
};

// Runs, killed behind one of the first times that the checkpoint is written, until `most` kills or an end; then once
// more without.
Killed run_with_kills(const std::vector<std::string>& words, const std::string& input, int signal, int most,
                      std::uint64_t seed) {
  const Folder folder;
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--checkpoint", folder.path("c"), "--resume", "--quiet"});
  matchcount::Random random(seed);
  Killed result;
  for (;;) {
    Setting setting{.input = input};
    std::vector<std::string> next = all;
    if (result.kills < most) {
      constexpr std::uint64_t most_writes = 4;
      setting.signal = signal;
      setting.after_writes = 1 + static_cast<int>(result.kills > 0 ? random.below(most_writes) : 0);
      next.insert(next.end(), {"--checkpoint-interval", "0"});
    }
    result.last = run_program(next, setting);
    const bool was_killed = result.last.status == (signal == SIGKILL ? 128 + SIGKILL : 3);
    if (!was_killed) return result;
    ++result.kills;
  }
}

// Seconds of work each, small against what tests may take.
std::string dense(int n) { return run_line("generate complete " + std::to_string(n) + " " + std::to_string(n)).out; }

std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

void check_kills(const std::vector<std::string>& words, const std::string& input, int signal, int most,
                 std::uint64_t seed, int least = 1) {
  const Setting setting{.input = input};
  std::vector<std::string> quiet = words;
  quiet.push_back("--quiet");
  const Outcome whole = run_program(quiet, setting);
  REQUIRE(whole.status == 0);
  const Killed killed = run_with_kills(words, input, signal, most, seed);
  CAPTURE(words_of(words), seed, killed.kills, killed.last.err);
  CHECK(killed.last.status == 0);
  CHECK(killed.last.out == whole.out);
  CHECK(killed.kills >= least);
}

const std::vector<std::string> by_staged = {"count", "-", "--method", "staged"};

}  // namespace

TEST_CASE("a count that is killed again and again ends with the exact number", "[timing]") {
  check_kills(by_staged, dense(26), SIGKILL, 3, 1);
  check_kills({"count", "-", "--method", "frontier", "--engine", "sparse"}, run_line("generate random 24 24 0.5").out,
              SIGKILL, 2, 2);
  check_kills(by_staged, dense(26), SIGTERM, 2, 3);
}

TEST_CASE("a permanent of reals and an estimate that are killed end with the same digits", "[timing]") {
  const std::string matrix = run_line("generate random 25 25 1 --weights uniform --format mtx").out;
  check_kills({"permanent", "-", "--method", "staged", "--precision", "double-double"}, matrix, SIGKILL, 3, 4);
  check_kills({"estimate", "-", "--samples", "8000"}, run_line("generate grid 16 16").out, SIGKILL, 3, 5);
}

TEST_CASE("cycle covers that are killed are counted all the same") {
  check_kills({"cycles", "-", "--method", "staged", "--kind", "matrix"},
              run_line("generate complete 25 25 --format mtx").out, SIGKILL, 1, 6);
}

TEST_CASE("a batch that is killed goes on behind the answers that it has", "[timing]") {
  const Folder folder;
  std::vector<std::string> words{"count", "--method", "staged"};
  for (const int n : {25, 24, 26, 25, 26}) words.push_back(folder.file(std::to_string(words.size()), dense(n)));
  check_kills(words, "", SIGKILL, 3, 7);
  check_kills(words, "", SIGINT, 2, 8);
  // Lines of graph6: two squares, an edge, and a path of four vertices.
  check_kills({"count", "-", "--format", "graph6"}, "Cl\nCl\nA_\nCh\n", SIGKILL, 0, 9, 0);
}

TEST_CASE("a batch gives the answers again that it has kept, of the same inputs and options alone") {
  const Folder folder;
  const std::string first = folder.file("1", "a x\na y\nb x\nb y\n"), second = folder.path("2"),
                    line = "count " + first + " " + second + " --json --checkpoint " + folder.path("saved");
  const Outcome begun = run_line(line);
  CHECK(begun.status == 2);  // there is no second file
  folder.file("2", "a x\na y\nb x\n");
  const Outcome ended = run_line(line + " --resume");
  CHECK(ended.status == 0);
  // The seconds in JSON are those of the run that found the answer.
  CHECK(ended.out.substr(0, ended.out.find('\n')) == begun.out.substr(0, begun.out.find('\n')));
  const Outcome again = run_line(line + " --resume --threads 1 --time-limit 100");
  CHECK(again.status == 0);
  CHECK(again.out == ended.out);
  const Outcome other_seed = run_line(line + " --resume --seed 2");
  CHECK(other_seed.status == 2);
  CHECK(other_seed.out.find("\"value\"") == std::string::npos);
  folder.file("2", "a x\na y\nb x\nb y\n");
  const Outcome other_input = run_line(line + " --resume");
  CHECK(other_input.status == 2);
  CHECK(other_input.out.substr(0, other_input.out.find('\n')) == begun.out.substr(0, begun.out.find('\n')));
  CHECK_THAT(other_input.err, ContainsSubstring("another " + second));
  CHECK(run_line("count " + first + " --checkpoint " + folder.path("saved") + " --resume").status == 2);
  // A file of several graphs.
  const std::string lines =
      "count " + folder.file("l.g6", "Cl\nA_\nCh\n") + " --json --checkpoint " + folder.path("of_lines");
  const Outcome of_lines = run_line(lines);
  CHECK(of_lines.status == 0);
  CHECK(run_line(lines + " --resume").out == of_lines.out);
}

TEST_CASE("an interrupted run exits with 3 and says how to go on", "[timing]") {
  const Folder folder;
  Setting setting{.input = dense(36), .signal = SIGINT, .after_cpu_s = 0.5};
  std::vector<std::string> words = by_staged;
  words.insert(words.end(), {"--checkpoint", folder.path("c")});
  const Outcome first = run_program(words, setting);
  CHECK(first.status == 3);
  CHECK(first.out.empty());
  CHECK_THAT(first.err, ContainsSubstring("interrupted") && ContainsSubstring("--resume goes on from"));
  // Without --resume the file is not overwritten; with another input it is refused.
  const Outcome again = run_program(words, setting);
  CHECK(again.status == 2);
  CHECK_THAT(again.err, ContainsSubstring("there already"));
  words.push_back("--resume");
  setting.input = dense(35);
  const Outcome other = run_program(words, setting);
  CHECK(other.status == 2);
  CHECK_THAT(other.err, ContainsSubstring("another input"));
  // A time limit ends it, and what was done is kept.
  setting.input = dense(36);
  setting.signal = 0;
  setting.passing_s = 1000.25;
  words.insert(words.end(), {"--time-limit", "1000"});
  const Outcome limited = run_program(words, setting);
  CAPTURE(limited.err);
  CHECK(limited.status == 3);
  CHECK_THAT(limited.err, ContainsSubstring("time limit") && ContainsSubstring("--resume goes on from"));
}

TEST_CASE("a damaged checkpoint is refused, never a number") {
  const Folder folder;
  const std::string file = folder.path("c");
  const Setting setting{.input = dense(20)};
  std::vector<std::string> words = by_staged;
  words.insert(words.end(), {"--checkpoint", file});
  REQUIRE(run_program(words, setting).status == 0);
  words.push_back("--resume");
  CHECK(run_program(words, setting).out == "2432902008176640000\n");
  const std::string whole = read_file(file);
  for (const std::size_t at : {std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    folder.file("c", changed);
    const Outcome outcome = run_program(words, setting);
    CAPTURE(at, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
  }
  folder.file("c", whole.substr(0, whole.size() - 7));
  CHECK(run_program(words, setting).status == 2);
}

TEST_CASE("a checkpoint that can hold nothing is refused before the count") {
  const Folder folder;
  const std::string fifo = folder.path("fifo"), link = folder.path("link");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  REQUIRE(symlink("nothing", link.c_str()) == 0);
  const Setting setting{.input = dense(36)};
  for (const std::string& file : {folder.path("none/c"), fifo, link, folder.path(""), std::string("/dev/null")}) {
    for (const char* resume : {"", "--resume"}) {
      std::vector<std::string> words = by_staged;
      words.insert(words.end(), {"--checkpoint", file});
      if (*resume != '\0') words.push_back(resume);
      const Outcome outcome = run_program(words, setting);
      CAPTURE(file, resume, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK_THAT(outcome.err, ContainsSubstring(file) && ContainsSubstring("expected"));
    }
  }
}

TEST_CASE("where the checkpoint can't be written on the way the run warns and goes on") {
  const Folder folder;
  const Setting setting{.input = dense(20), .most_file_bytes = 250};
  std::vector<std::string> words = by_staged;
  words.insert(words.end(), {"--checkpoint", folder.path("c")});
  const Outcome full = run_program(words, setting);
  CAPTURE(full.err);
  CHECK(full.status == 0);
  CHECK(full.out == "2432902008176640000\n");
  CHECK_THAT(full.err, ContainsSubstring("warning") && ContainsSubstring("File too large") &&
                           ContainsSubstring("the run goes on"));
  CHECK(std::filesystem::is_empty(folder.path("")));
}

TEST_CASE("of two runs that begin one checkpoint the second is refused at once, and the first is not disturbed",
          "[timing]") {
  // Before the first file is there, and after.
  for (const bool is_written : {false, true}) {
    const Folder folder;
    const std::string file = folder.path("c");
    std::vector<std::string> words = by_staged;
    words.insert(words.end(), {"--checkpoint", file, "--checkpoint-interval", is_written ? "0" : "1000"});
    std::vector<std::string> resuming = words;
    resuming.push_back("--resume");
    const Setting other{.input = dense(35)};
    Outcome first;
    {
      std::atomic<bool> may_end{false}, has_ended{false};
      const std::jthread running([&] {
        first = run_program(words, {.input = dense(36), .signal = SIGINT, .once = [&] { return may_end.load(); }});
        has_ended = true;
      });
      const std::shared_ptr<void> whatever_comes(nullptr, [&](void*) { may_end = true; });
      while (!has_ended && !std::filesystem::exists(is_written ? file : file + ".partial")) std::this_thread::yield();
      for (const auto& second : {words, resuming}) {
        const Outcome outcome = run_program(second, other);
        CAPTURE(is_written, outcome.err);
        CHECK((outcome.status == 2 || outcome.status == 3));
        CHECK_THAT(outcome.err, ContainsSubstring("another run") || ContainsSubstring("there already"));
        CHECK_FALSE(has_ended);
      }
    }
    CHECK(first.status == 3);
    CHECK_THAT(first.err, ContainsSubstring("--resume goes on from"));
    const Outcome next = run_program(resuming, other);
    CHECK(next.status == 2);
    CHECK_THAT(next.err, ContainsSubstring("another input"));
  }
}

TEST_CASE("a checkpoint of an estimate is refused where the interval that is asked for is another by any digit") {
  const Folder folder;
  const Setting setting{.input = run_line("generate grid 16 16").out};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"estimate", "-",        "--kind",       "bipartite",
                                      "--quiet",  "--resume", "--checkpoint", folder.path("c")};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, setting);
  };
  REQUIRE(run({"--relative-error", "0.01", "--confidence", "0.9"}).status == 0);
  CHECK(run({"--relative-error", "0.01", "--confidence", "0.9"}).status == 0);
  const Outcome error = run({"--relative-error", "0.010000000001", "--confidence", "0.9"});
  CHECK(error.status == 2);
  CHECK_THAT(error.err, ContainsSubstring("another relative error"));
  const Outcome confidence = run({"--relative-error", "0.01", "--confidence", "0.900000000001"});
  CHECK(confidence.status == 2);
  CHECK_THAT(confidence.err, ContainsSubstring("another confidence"));
}

TEST_CASE("options of checkpoints without one are refused") {
  CHECK(run_line("count - --resume", "a b\n").status == 2);
  CHECK(run_line("count - --checkpoint-interval 5", "a b\n").status == 2);
  CHECK(run_line("count - --checkpoint c --checkpoint-interval -1", "a b\n").status == 2);
}

TEST_CASE("fifty kills of a count lose nothing", "[slow]") {
  check_kills(by_staged, dense(31), SIGKILL, 50, 7);
  check_kills({"count", "-", "--method", "frontier", "--threads", "1"}, run_line("generate random 32 32 0.3").out,
              SIGKILL, 50, 8);
}
