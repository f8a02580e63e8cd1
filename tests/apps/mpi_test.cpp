// The program over ranks of an mpirun on this machine: the same answers, and kills of one rank or of all.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/program.hpp"
#include "core/random.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

std::vector<std::string> over(int ranks, const std::string& program, const std::vector<std::string>& words) {
  std::vector<std::string> all = {"--allow-run-as-root",
                                  "--oversubscribe",
                                  "--mca",
                                  "btl_vader_single_copy_mechanism",
                                  "none",
                                  "-n",
                                  std::to_string(ranks),
                                  program};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Outcome run_over(int ranks, const std::vector<std::string>& words, const std::string& input = {},
                 const std::string& program = MATCHCOUNT_PROGRAM) {
  return run_program(over(ranks, program, words), {.program = MATCHCOUNT_MPIRUN, .input = input});
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Returns the children of a process.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t end = text.rfind(')');  // the name may have blanks
    if (end == std::string::npos) continue;
    std::istringstream fields(text.substr(end + 1));
    char state = 0;
    pid_t of = 0;
    if (fields >> state >> of && of == parent && state != 'Z') children.push_back(std::stoi(name));
  }
  return children;
}

enum class Victims { one, all };

struct Ended {
  bool killed = false;
  std::string out, err;
};

// Runs over ranks and kills where the checkpoint has been written so many times, unless it is over before; 0: never.
// The first rank, which writes, waits for that.
Ended run_and_kill(int ranks, const std::vector<std::string>& words, const std::string& input, Victims victims,
                   int after_writes, matchcount::Random& random) {
  const Folder folder;
  const std::string in = folder.file("in", input);
  const ProgramEnvironment environment(folder, true);
  environment.stage()->hold_at = after_writes;
  const pid_t launcher = fork();
  REQUIRE(launcher >= 0);
  if (launcher == 0) {
    dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
    dup2(open(folder.path("out").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(open(folder.path("err").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    std::vector<std::string> all = over(ranks, MATCHCOUNT_PROGRAM, words);
    all.insert(all.begin(), MATCHCOUNT_MPIRUN);
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execve(MATCHCOUNT_MPIRUN, arguments.data(), environment.variables());
    _exit(127);
  }
  Ended ended;
  if (after_writes > 0 && wait_while_alive(launcher, [&] { return environment.stage()->writes >= after_writes; })) {
    std::vector<pid_t> pids = children_of(launcher);
    if (victims == Victims::one && !pids.empty()) pids = {pids[random.below(pids.size())]};
    for (const pid_t pid : pids) ended.killed = kill(pid, SIGKILL) == 0 || ended.killed;
    environment.stage()->hold_at = 0;
  }
  int status = 0;
  waitpid(launcher, &status, 0);
  ended.out = read_file(folder.path("out"));
  ended.err = read_file(folder.path("err"));
  return ended;
}

// Kills after kills, each on another number of ranks; the last run is left alone. The answer is that of one process.
void check_kills(const std::string& line, const std::string& input, int kills, std::uint64_t seed, int least = 1) {
  const Outcome whole = run_line(line + " --quiet", input);
  REQUIRE(whole.status == 0);
  const Folder folder;
  std::vector<std::string> words = split(line);
  words.insert(words.end(), {"--quiet", "--threads", "1", "--checkpoint", folder.path("c"), "--resume"});
  std::vector<std::string> writing = words;
  writing.insert(writing.end(), {"--checkpoint-interval", "0"});
  matchcount::Random random(seed);
  int done = 0;
  for (; done < kills; ++done) {
    constexpr std::uint64_t most_writes = 4;
    const int ranks = 1 + static_cast<int>(random.below(4)),
              after_writes = 1 + static_cast<int>(done > 0 ? random.below(most_writes) : 0);
    const Victims victims = done % 2 == 0 ? Victims::one : Victims::all;
    const Ended ended = run_and_kill(ranks, writing, input, victims, after_writes, random);
    CAPTURE(seed, done, ranks, ended.err);
    if (!ended.out.empty()) {
      REQUIRE(ended.out == whole.out);
      break;
    }
    REQUIRE(ended.killed);
  }
  const Ended last = run_and_kill(3, words, input, Victims::one, 0, random);
  CAPTURE(seed, done, last.err);
  CHECK(last.out == whole.out);
  CHECK(done >= least);
}

// Every method on every number of ranks, or on `most` of them in turn.
void check_methods(std::size_t most) {
  const std::string dense = run_line("generate random 22 22 0.8 --seed 5").out;
  const std::string reals = run_line("generate random 21 21 1 --weights normal --format mtx").out;
  // A graph of more than 2^17 states, which ranks share.
  const std::string large = run_line("generate random 34 34 0.2").out;
  const std::string weighted = run_line("generate random 33 33 0.2 --weights normal --format mtx").out;
  const std::string blocks = run_line("generate grid 3 60").out;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"count - --method staged", dense},
      {"count - --method skipper", dense},
      {"count - --method ryser", dense},
      {"count - --method frontier", dense},
      {"count - --method frontier", large},
      {"permanent - --method frontier --precision double", weighted},
      {"count -", blocks},
      {"count - --method planar", run_line("generate grid 70 70").out},
      {"permanent - --method planar", run_line("generate grid 20 20 --weights complex --format mtx").out},
      {"count - --verify", run_line("generate grid 8 8").out},
      {"count - --kind undirected", "a b\nb c\nc a\na d\nb e\nc f\nd e\ne f\nf d\n"},
      {"cycles - --kind matrix --method staged", run_line("generate complete 20 20 --format mtx").out},
      {"permanent - --method staged --precision double", reals},
      {"permanent - --method staged --precision double-double", reals},
      {"permanent - --method frontier", run_line("generate random 16 16 0.7 --weights complex --format mtx").out},
      {"estimate - --samples 20000", run_line("generate grid 14 14").out},
      {"estimate - --relative-error 0.05 --method guided", run_line("generate grid 14 14").out},
  };
  std::size_t turn = 0;
  for (const auto& [line, input] : cases) {
    const Outcome one = run_line(line + " --quiet", input);
    CAPTURE(line, one.err);
    REQUIRE(one.status == 0);
    constexpr std::array numbers{1, 2, 3, 5};
    for (std::size_t i = 0; i < most; ++i) {
      const int ranks = numbers[turn++ % numbers.size()];
      const Outcome many = run_over(ranks, split(line + " --quiet"), input);
      CAPTURE(ranks, many.err);
      CHECK(many.status == 0);
      CHECK(many.out == one.out);
    }
  }
}

}  // namespace

TEST_CASE("sums over 1, 2, 3 and 5 ranks of unequal speed have the same bits", "[mpi]") {
  const Outcome one = run_over(1, {"sums"}, {}, MATCHCOUNT_RANKS_PROGRAM);
  CAPTURE(one.err);
  REQUIRE(one.status == 0);
  CHECK_THAT(one.out, ContainsSubstring("100000 ") && ContainsSubstring("broadcast 7 red"));
  for (const int ranks : {2, 3, 5}) {
    const Outcome many = run_over(ranks, {"sums"}, {}, MATCHCOUNT_RANKS_PROGRAM);
    CAPTURE(ranks, many.err);
    CHECK(many.status == 0);
    CHECK(many.out == one.out);
  }
}

TEST_CASE("ranks that disagree or fail end the run with a reason", "[mpi][timing]") {
  const Outcome differ = run_over(3, {"differ"}, {}, MATCHCOUNT_RANKS_PROGRAM);
  CHECK(differ.status == 3);
  CHECK_THAT(differ.out, ContainsSubstring("rank 2") && ContainsSubstring("by rank 1"));
  const Outcome thrown = run_over(3, {"throw"}, {}, MATCHCOUNT_RANKS_PROGRAM);
  CHECK(thrown.status == 3);
  CHECK_THAT(thrown.out, ContainsSubstring("rank 2: the device is gone"));
}

TEST_CASE("over 1, 2, 3 or 5 ranks every method gives the answer of one process", "[mpi]") { check_methods(1); }

TEST_CASE("only the first rank speaks, and bad input is told once", "[mpi]") {
  const Outcome json = run_over(3, split("count - --json"), run_line("generate grid 8 8").out);
  CHECK(json.status == 0);
  CHECK(json.out.find("\"command\"") == json.out.rfind("\"command\""));
  const Outcome bad = run_over(3, split("count -"), "a b c d e\n");
  CHECK(bad.status == 2);
  CHECK(bad.out.empty());
  CHECK(bad.err.find("found") == bad.err.rfind("found"));
  const Outcome usage = run_over(2, split("count - --nonsense"));
  CHECK(usage.status == 2);
  CHECK(usage.err.find("nonsense") == usage.err.rfind("nonsense"));
  const Outcome single = run_over(3, split("generate grid 2 2"));
  CHECK(single.status == 0);
  CHECK(single.out == run_line("generate grid 2 2").out);
  const Outcome limited =
      run_over(2, split("count - --method ryser --time-limit 1"), run_line("generate complete 45 45").out);
  CHECK(limited.status == 3);
  CHECK(limited.out.empty());
}

TEST_CASE("ranks take one input, and refuse several FILEs and graphs as one process refuses a bad one", "[mpi]") {
  const Folder folder;
  const std::string one = folder.file("one.txt", "a x\n"), two = folder.file("two.g6", ">>graph6<<A_\nA_\n");
  const Outcome files = run_over(2, {"count", one, one});
  CHECK(files.status == 2);
  CHECK(files.out.empty());
  CHECK_THAT(files.err, ContainsSubstring("several FILEs") && ContainsSubstring("one FILE where ranks share the work"));
  const Outcome graphs = run_over(2, {"count", two});
  CHECK(graphs.status == 2);
  CHECK_THAT(graphs.err, ContainsSubstring("a file of 2 graphs"));
  // One rank alone does work that ranks do not share.
  CHECK(run_over(2, {"parity", one, one}).out == "1\n1\n");
  // It refuses where the others would be idle for long, once.
  for (const char* command : {"marginals", "sample"}) {
    const Outcome idle = run_over(3, {command, one});
    CHECK(idle.status == 2);
    CHECK(idle.out.empty());
    CHECK_THAT(idle.err, ContainsSubstring("over several ranks"));
    CHECK(idle.err.find("over several ranks") == idle.err.rfind("over several ranks"));
  }
}

TEST_CASE("ranks share exact values that take several runs", "[mpi]") {
  std::string fractions = "# format: edgelist\n", reals = fractions;
  for (int i = 1; i <= 12; ++i) {
    for (int j = 1; j <= 12; ++j) {
      const std::string place = std::to_string(i) + " " + std::to_string(j) + " ";
      fractions += place + std::to_string(1000003 * i + j) + "0000000000000000000001/" + std::to_string(i + j) + "\n";
      reals += place + std::to_string(i * 0.37 + j) + "\n";
    }
  }
  for (const auto& [line, input] :
       {std::pair("permanent - --method ryser", fractions), std::pair("permanent - --precision exact", reals)}) {
    const Outcome alone = run_line(line, input), shared = run_over(3, split(line), input);
    CAPTURE(line, shared.err);
    REQUIRE(alone.status == 0);
    CHECK(shared.status == 0);
    CHECK(shared.out == alone.out);
  }
}

TEST_CASE("ranks count together what the memory limit of one does not allow", "[mpi][timing]") {
  // One needs 148 MiB, each of three 50 and as much as MPI takes, which is more on a busy machine.
  const std::string graph = run_line("generate random 36 36 0.2 --weights uniform").out;
  const std::vector<std::string> words = split("permanent - --method frontier --threads 1 --memory-limit 140M --quiet");
  const Outcome one = run_over(1, words, graph);
  CHECK(one.status == 3);
  CHECK_THAT(one.err, ContainsSubstring("the memory limit leaves"));
  const Outcome three = run_over(3, words, graph);
  CAPTURE(three.err);
  CHECK(three.status == 0);
  CHECK(three.out == run_line("permanent - --quiet", graph).out);
}

TEST_CASE("ranks share the primes of sums over other matchings, and have the loops that the first has read", "[mpi]") {
  const std::string grid = run_line("generate grid 5 7").out;
  for (const char* kind : {"maximum", "all", "by-size", "maximal"}) {
    const std::string line = std::string("count - --threads 1 --matchings ") + kind;
    const std::string expected = run_line(line, grid).out;
    CHECK_FALSE(expected.empty());
    for (const int ranks : {1, 3}) {
      CAPTURE(kind, ranks);
      CHECK(run_over(ranks, split(line), grid).out == expected);
    }
  }
  CHECK(run_over(2, split("hafnian - --loops"), "a b 2\na a 3\nb b 5\n").out == "17\n");
}

TEST_CASE("a rank that is killed leaves a checkpoint that any number of ranks goes on from", "[mpi][timing]") {
  check_kills("count - --method staged", run_line("generate complete 28 28").out, 4, 11);
  // Its few pieces may all be others' than the first rank's, and come to it at the end.
  check_kills("count - --method frontier", run_line("generate random 34 34 0.2").out, 4, 15, 0);
  check_kills("estimate - --samples 30000", run_line("generate grid 16 16").out, 3, 12);
}

TEST_CASE("over each of 1, 2, 3 and 5 ranks every method gives the answer of one process", "[mpi][slow]") {
  check_methods(4);
}

TEST_CASE("fifty kills of one rank or of all lose nothing and count nothing twice", "[mpi][slow]") {
  check_kills("count - --method staged", run_line("generate complete 32 32").out, 25, 13);
  check_kills("permanent - --method staged --precision double-double",
              run_line("generate random 27 27 1 --weights uniform --format mtx").out, 25, 14);
}
