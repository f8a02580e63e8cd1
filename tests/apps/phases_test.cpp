// Every phase of every command against both limits and Ctrl-C, with a checkpoint and without: the way out is exit
// status 3 with a line that says why. The time limit is over, and Ctrl-C comes, after so much work of the process; that
// a time limit is kept within a second is for the slow tests, in which a clock is looked at, and so is a memory limit,
// within 100 MB, where it is kept by a thread that looks at the memory.

#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "apps/program.hpp"
#include "support/packed.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

// Memory is the sanitizers'.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sees_memory = false;
#else
constexpr bool sees_memory = true;
#endif
constexpr std::uint64_t beyond_bytes = 60'000'000;
constexpr double units_a_second = 4;  // of check_time_by_clock: 0.3 s each on a virtual Intel Xeon of 2.0 GHz

// Files that the program generates, once for all cases of a process.
class Files {
 public:
  std::string generated(const std::string& what) {
    const auto [file, is_new] = names_.try_emplace(what, folder_.path(std::to_string(names_.size()) + ".txt"));
    if (is_new && run_line("generate " + what + " --output " + file->second + " --format edgelist").status != 0) {
      throw std::runtime_error("generate " + what);
    }
    return file->second;
  }
  // Writes 400 members of a gzip file, a megabyte of digits each.
  std::string bomb() {
    const std::string member = gzipped(std::string(std::size_t{1} << 20, '1'));
    std::string all;
    for (int i = 0; i < 400; ++i) all += member;
    return folder_.file("bomb.gz", all);
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  Folder folder_;
  std::map<std::string, std::string> names_;
};

Files& files() {
  static Files all;
  return all;
}

using Words = std::vector<std::string>;

std::string line_of(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += word + " ";
  return line;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool takes_checkpoints(const Words& words) {
  return words[0] == "count" || words[0] == "cycles" || words[0] == "permanent" || words[0] == "estimate";
}

// Checks the command without a checkpoint, and with one if it takes one.
template <class Check>
void with_and_without_checkpoint(const Words& words, Check&& check) {
  check(words);
  if (!takes_checkpoints(words)) return;
  const Folder folder;
  check(with(words, {"--checkpoint", folder.path("c")}));
}

void check_way_out(const Outcome& outcome) {
  CHECK(outcome.status == 3);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, StartsWith("matchcount: "));
}

// Ends the time after so much work: by a little, which the polls see, or by so much that what nothing polls is ended by
// the thread that keeps limits too.
enum class Keeper { polls, thread };

void check_time(const Words& words, double after_cpu_s, Keeper keeper = Keeper::polls, Setting setting = {}) {
  constexpr double limit_s = 1000, grace_s = 0.5;
  setting.after_cpu_s = after_cpu_s;
  setting.passing_s = limit_s + grace_s * (keeper == Keeper::polls ? 0.5 : 2);
  with_and_without_checkpoint(words, [&](const Words& all) {
    const Outcome outcome = run_program(with(all, {"--time-limit", std::to_string(limit_s), "--quiet"}), setting);
    CAPTURE(line_of(all), after_cpu_s, outcome.cpu_seconds, outcome.err, outcome.out.substr(0, 200));
    check_way_out(outcome);
    CHECK_THAT(outcome.err, ContainsSubstring("time limit"));
  });
}

void check_memory(const Words& words, int limit_mb, const Setting& setting = {}, bool is_quiet_machine = false) {
  if (!sees_memory) return;
  with_and_without_checkpoint(words, [&](const Words& all) {
    const Outcome outcome =
        run_program(with(all, {"--memory-limit", std::to_string(limit_mb) + "M", "--quiet"}), setting);
    CAPTURE(line_of(all), limit_mb, outcome.peak_bytes, outcome.err, outcome.out.substr(0, 200));
    check_way_out(outcome);
    // A thread that looks at the memory is late where others have the processors.
    const bool by_thread = outcome.err.find("are in use") != std::string::npos;
    if (is_quiet_machine || !by_thread)
      CHECK(outcome.peak_bytes < (static_cast<std::uint64_t>(limit_mb) << 20) + beyond_bytes);
  });
}

void check_interrupt(const Words& words, double after_cpu_s, Setting setting = {}) {
  setting.signal = SIGINT;
  setting.after_cpu_s = after_cpu_s;
  const Folder folder;
  const Words all = takes_checkpoints(words) ? with(words, {"--checkpoint", folder.path("c")}) : words;
  const Outcome outcome = run_program(with(all, {"--quiet"}), setting);
  CAPTURE(line_of(all), after_cpu_s, outcome.cpu_seconds, outcome.err, outcome.out.substr(0, 200));
  check_way_out(outcome);
}

// Checks by a clock that a second after the limit is enough, in what a fixed piece of work takes here and now.
void check_time_by_clock(const Words& words, double limit_s) {
  const auto unit_s = [] {
    const Outcome unit = run_line("count " + files().generated("complete 28 28") + " --method staged --threads 1");
    REQUIRE(unit.status == 0);
    return unit.seconds;
  };
  const double before_s = unit_s();
  const Outcome outcome = run_program(with(words, {"--time-limit", std::to_string(limit_s), "--quiet"}));
  const double unit = std::max(before_s, unit_s()), late_s = outcome.seconds - limit_s;
  CAPTURE(line_of(words), limit_s, late_s, unit, outcome.err);
  CHECK(outcome.status == 3);
  CHECK(late_s < units_a_second * unit);
}

const Words readers = {"count", "cycles", "permanent", "determinant", "estimate", "decompose",
                       "plan",  "parity", "reach",     "marginals",   "sample",   "list"};

}  // namespace

TEST_CASE("an idle pipe or FIFO is waited for no longer than the time limit, by every command that reads", "[timing]") {
  Setting idle{.open_input = true, .once_idle = true};
  for (const std::string& command : readers) {
    check_interrupt({command, "-"}, 0, idle);
    // Some time is left to make a plan.
    check_time({command, "-"}, 0, command == "plan" ? Keeper::thread : Keeper::polls, idle);
  }
  const Folder folder;
  const std::string fifo = folder.path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  idle.open_input = false;
  check_time({"count", fifo}, 0, Keeper::polls, idle);
}

TEST_CASE("a short gzip file of much text, and an endless file, end within the limits", "[timing]") {
  const std::string bomb = files().bomb();
  for (const std::string& command : readers) check_memory({command, bomb}, 20);
  check_time({"count", bomb}, 0.05);
  if (!std::filesystem::exists("/dev/zero")) return;
  check_memory({"count", "/dev/zero"}, 30);
  check_time({"count", "/dev/zero"}, 0.05);
}

TEST_CASE("parsing a large file and making its graph keep the limits", "[timing]") {
  const std::string file = files().generated("grid 700 700");
  for (const std::string command : {"count", "decompose"}) {
    check_memory({command, file, "--kind", "bipartite"}, 20);
    check_time({command, file, "--kind", "bipartite"}, 0.05);
    check_interrupt({command, file, "--kind", "bipartite"}, 0.05);
  }
  check_time({"permanent", file, "--kind", "bipartite"}, 0.05);
  check_time({"determinant", file, "--kind", "bipartite"}, 0.05);
  check_time({"cycles", file, "--kind", "directed"}, 0.05);
  check_memory({"plan", file, "--kind", "bipartite"}, 5);
}

TEST_CASE("elimination on bits and a large closure keep the limits", "[timing]") {
  const std::string regular = files().generated("regular 40000 3");
  check_time({"parity", regular, "--kind", "bipartite"}, 0.4);
  check_interrupt({"parity", regular, "--kind", "bipartite"}, 0.4);
  check_memory({"parity", regular, "--kind", "bipartite"}, 100);
  // A path: every component reaches all behind it.
  const Folder folder;
  std::string text;
  for (int v = 0; v < 1'000'000; ++v) text += std::to_string(v) + " " + std::to_string(v + 1) + "\n";
  const std::string path = folder.file("path.txt", text);
  check_time({"reach", path, "--memory-limit", "2G"}, 0.8);
  check_interrupt({"reach", path, "--memory-limit", "2G"}, 0.8);
  check_memory({"reach", path}, 100);
}

TEST_CASE("the search for an order of a large graph keeps the limits", "[timing]") {
  const std::string file = files().generated("regular 50000 6");
  for (const char* method : {"frontier", "auto"}) {
    check_time({"count", file, "--kind", "bipartite", "--method", method}, 0.5);
    check_interrupt({"count", file, "--kind", "bipartite", "--method", method}, 0.3);
  }
  check_memory({"count", file, "--kind", "bipartite"}, 20);
}

TEST_CASE("orders of a large graph are found in time that grows with its size alone", "[timing][slow]") {
  const auto seconds = [](const std::string& what) {
    const Outcome outcome =
        run_program({"plan", files().generated(what), "--kind", "bipartite", "--method", "frontier"});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return outcome.seconds;
  };
  // Quadratic growth would be a factor of 100.
  const double small = seconds("regular 20000 6"), large = seconds("regular 200000 6");
  CAPTURE(small, large);
  CHECK(large < 25 * small);
}

TEST_CASE("the embedding of a large planar graph keeps the limits", "[timing]") {
  const std::string file = files().generated("grid 700 700");
  for (const Words& words : {Words{"count", file, "--kind", "bipartite", "--method", "planar"},
                             Words{"decompose", file, "--kind", "bipartite", "--kuratowski"}}) {
    check_time(words, 0.5, Keeper::thread);
    check_interrupt(words, 0.5);
  }
  check_memory({"decompose", file, "--kind", "bipartite", "--kuratowski"}, 200);
}

TEST_CASE("the pilot of an estimate by populations keeps the limits", "[timing]") {
  const std::string file = files().generated("regular 20000 6");
  const Words words = {"estimate", file, "--kind", "bipartite", "--method", "population", "--population"};
  check_memory(with(words, {"1000"}), 100);
  check_time(with(words, {"100"}), 0.7);
  check_interrupt(with(words, {"100"}), 0.7);
}

TEST_CASE("a determinant keeps the limits, its matrix counted", "[timing]") {
  const std::string file = files().generated("random 1500 1500 1 --weights integers:1:9");
  check_memory({"determinant", file}, 15);
  check_time({"determinant", file}, 0.7);
  check_interrupt({"determinant", file}, 0.7);
}

TEST_CASE("a long count keeps the limits by every method", "[timing]") {
  const std::string file = files().generated("random 40 40 0.8");
  for (const char* method : {"ryser", "staged", "frontier"}) {
    const Words words = {"count", file, "--kind", "bipartite", "--method", method};
    check_interrupt(words, 0.2);
    // A time limit refuses what would take longer, unless it is kept in a checkpoint.
    check_time(words, 0.2);
  }
  check_memory({"count", file, "--kind", "bipartite", "--method", "frontier"}, 10);
}

TEST_CASE("marginals and samples keep the limits, forwards and backwards and by the planar method", "[timing]") {
  const std::string wide = files().generated("complete 27 27"), planar = files().generated("grid 200 200");
  for (const char* command : {"marginals", "sample"}) {
    const Words words = {command, wide, "--kind", "bipartite", "--method", "frontier"};
    check_time(words, 0.25);
    check_memory(words, 100);
    check_interrupt(words, 0.25);
  }
  const Words exactly = {"marginals", planar, "--kind", "bipartite", "--exact"};
  check_time(exactly, 0.8);
  check_memory(exactly, 150);
  check_interrupt(exactly, 0.8);
}

TEST_CASE("generating a large graph keeps the limits", "[timing]") {
  for (const std::string what : {"complete", "random"}) {
    Words words = {"generate", what, "20000", "20000"};
    if (what == "random") words.push_back("0.9");
    check_time(words, 0.3, Keeper::thread);
    check_memory(words, 50);
    check_interrupt(words, 0.3);
  }
}

TEST_CASE("every phase ends within a second of its time limit", "[timing][slow]") {
  if (!sees_memory) MATCHCOUNT_SKIP("sanitizers make all phases slower, each in its own way");
  const std::string grid = files().generated("grid 700 700"), planar = files().generated("grid 200 200"),
                    sparse = files().generated("regular 100000 6"), wide = files().generated("complete 27 27"),
                    dense = files().generated("random 40 40 0.8");
  const auto bipartite = [](Words words) { return with(std::move(words), {"--kind", "bipartite"}); };
  check_time_by_clock({"count", "/dev/zero"}, 0.1);
  check_time_by_clock({"count", files().bomb()}, 0.1);
  for (const char* command : {"count", "estimate", "decompose"}) check_time_by_clock(bipartite({command, grid}), 0.05);
  check_time_by_clock(bipartite({"parity", files().generated("regular 40000 3")}), 0.4);
  check_time_by_clock(bipartite({"count", sparse, "--method", "frontier"}), 1);
  check_time_by_clock(bipartite({"count", grid, "--method", "planar"}), 1.5);
  check_time_by_clock(bipartite({"decompose", grid, "--kuratowski"}), 1);
  check_time_by_clock(bipartite({"estimate", files().generated("regular 20000 6"), "--method", "population"}), 0.7);
  check_time_by_clock({"determinant", files().generated("random 1500 1500 1 --weights integers:1:9")}, 0.7);
  for (const char* method : {"ryser", "staged", "frontier"})
    check_time_by_clock(bipartite({"count", dense, "--method", method}), 0.5);
  for (const char* command : {"marginals", "sample"})
    check_time_by_clock(bipartite({command, wide, "--method", "frontier"}), 0.5);
  check_time_by_clock(bipartite({"marginals", planar, "--exact"}), 1.5);
  check_time_by_clock({"generate", "complete", "20000", "20000"}, 0.3);
  // A plan has another second to say whether the run that is planned would keep the limit.
  check_time_by_clock(bipartite({"plan", files().generated("grid 1500 1500")}), 1);
}

TEST_CASE("a limit that a thread keeps is passed by little memory", "[timing][slow]") {
  const std::string grid = files().generated("grid 700 700");
  check_memory({"decompose", grid, "--kind", "bipartite", "--kuratowski"}, 200, {}, true);
  check_memory({"determinant", files().generated("random 1500 1500 1 --weights integers:1:9")}, 15, {}, true);
  check_memory({"marginals", files().generated("grid 200 200"), "--kind", "bipartite", "--exact"}, 150, {}, true);
}

TEST_CASE("limits that hold are not noticed: an answer that is there in time is given", "[timing]") {
  const std::string file = files().generated("grid 60 60");
  for (const Words& words :
       {Words{"count", file, "--kind", "bipartite"}, Words{"decompose", file, "--kind", "bipartite"},
        Words{"plan", file, "--kind", "bipartite"}, Words{"generate", "grid", "60", "60"}}) {
    const Outcome free = run_program(words),
                  limited = run_program(with(words, {"--time-limit", "1h", "--memory-limit", "500M"}));
    CAPTURE(line_of(words), limited.err);
    CHECK(limited.status == 0);
    if (words[0] != "plan") CHECK(limited.out == free.out);
  }
}

TEST_CASE("an estimate that its time limit ends is an answer, with a checkpoint and without", "[timing]") {
  const std::string file = files().generated("grid 40 40");
  Setting setting{.passing_s = 1000.25};
  setting.after_cpu_s = 2;  // hundreds of samples
  with_and_without_checkpoint({"estimate", file, "--kind", "bipartite", "--relative-error", "1e-6", "--threads", "1"},
                              [&](const Words& all) {
                                const Outcome outcome = run_program(with(all, {"--time-limit", "1000"}), setting);
                                CAPTURE(line_of(all), outcome.err);
                                CHECK(outcome.status == 0);
                                CHECK_THAT(outcome.err, ContainsSubstring("the time limit ended the sampling"));
                              });
}

TEST_CASE("a program is told in JSON of a limit that nothing polls, and of Ctrl-C there", "[timing]") {
  if (!sees_memory) MATCHCOUNT_SKIP("memory is the sanitizer's");
  const std::string file = files().generated("grid 700 700");
  const Words words = {"decompose", file, "--kind", "bipartite", "--kuratowski", "--json"};
  const auto kind_of = [&](const Outcome& outcome) {
    CAPTURE(outcome.err, outcome.out.substr(0, 200));
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, StartsWith("matchcount: "));
    const auto object = nlohmann::json::parse(outcome.out);
    CHECK(object.at("command") == "decompose");
    return object.at("error").at("kind").get<std::string>();
  };
  CHECK(kind_of(run_program(with(words, {"--memory-limit", "30M"}))) == "limit");
  Setting setting{.passing_s = 1001, .after_cpu_s = 0.5};
  CHECK(kind_of(run_program(with(words, {"--time-limit", "1000"}), setting)) == "limit");
  setting.passing_s = 0;
  setting.signal = SIGINT;
  CHECK(kind_of(run_program(words, setting)) == "interrupted");
}
