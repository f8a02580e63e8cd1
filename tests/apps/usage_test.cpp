#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "apps/program.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

constexpr const char* commands[] = {"count",     "cycles", "permanent", "hafnian", "determinant", "estimate",
                                    "decompose", "plan",   "generate",  "devices", "help",        "marginals",
                                    "sample",    "list",   "parity",    "reach"};

}  // namespace

TEST_CASE("a command line that makes no sense ends with status 2, a pointer to help and no answer") {
  for (const char* line :
       {"", "cuont -", "graph.txt", "count", "count - --colour red", "count - --method", "count - --precision double",
        "plan", "devices now", "generate", "help cuont", "--frobnicate"})
    check_refused(line, "", {"--help"});
}

TEST_CASE("a value that an option cannot have ends with status 2 and says what was expected") {
  const std::pair<std::string, std::vector<std::string>> wrong[] = {
      {"count - ",
       {"--kind tripartite", "--format xml", "--method magic", "--order up", "--engine steam", "--effort 0",
        "--expand-degree 3", "--method forbert-marx --expand-degree 5", "--method forbert-marx --expand-rows 0",
        "--duplicates maybe", "--progress maybe", "--device tpu"}},
      {"", {"permanent - --precision low", "plan - --effort inf", "plan - --effort much", "help --completion tcsh"}},
      {"count - --threads ", {"0", "two", "-1", "1e3"}},
      {"count - --seed ", {"-1", "1.5", "18446744073709551616"}},
      {"count - --time-limit ", {"0", "-3", "nan", "soon", "1:30", "1:60:00", "0:00:00", "2m", "h"}},
      {"count - --memory-limit ", {"0", "5X", "-2G", "inf", "G"}},
      {"generate ", {"cube 3", "random 3 3 1.5", "random 3 3 nan", "torus 3 4", "regular 3 4"}},
      {"generate grid ",
       {"3", "3 4 5", "3 x", "-1 4", "3 4294967295", "2 2 --weights heavy", "2 2 --weights integers",
        "2 2 --weights integers:1", "2 2 --weights integers:1:x", "2 2 --weights integers:1:9:9",
        "2 2 --weights integers:9:1", "2 2 --weights integers:1:9223372036854775808"}},
  };
  for (const auto& [command, words] : wrong) {
    for (const std::string& word : words) {
      const std::string line = command + word;
      const Outcome outcome = run_line(line, "a b\n");
      CAPTURE(line, outcome.out, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      // cxxopts refuses a negative number as an unknown option.
      const bool explained =
          outcome.err.find("expected") != std::string::npos || outcome.err.find("--help") != std::string::npos;
      CHECK(explained);
    }
  }
}

TEST_CASE("an option with a value stands once, whatever it is: of two conditions one would be left aside") {
  for (const char* twice : {"--given a-b --given c-d", "--kind bipartite --kind undirected", "--threads 1 --threads=1",
                            "--by 3 --by weight", "--matchings all --matchings all", "--order a --order b"}) {
    check_refused(std::string("count - ") + twice, "a b\nc d\n", {" twice"});
  }
  CHECK(run_line("count - --quiet --quiet", "a b\n").out == "1\n");
}

TEST_CASE("a mistyped command, a file in its place and a file that is not there are answered with what was meant") {
  const Folder folder;
  const std::string file = folder.file("triangle.txt", "1 2\n2 3\n3 1\n");
  CHECK_THAT(run_program({file}).err, ContainsSubstring("did you mean 'matchcount count " + file + "'?"));
  CHECK_THAT(run_program({file + "x"}).err, !ContainsSubstring("did you mean"));
  CHECK_THAT(run_line("cuont -").err, ContainsSubstring("did you mean 'count'"));
  for (const char* name : {"triangel.txt", "triangle", "Triangle.txt"}) {
    const Outcome outcome = run_program({"count", folder.path(name)});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("no file of that name") && ContainsSubstring("did you mean '" + file));
  }
  CHECK_THAT(run_program({"count", folder.path("square.txt")}).err,
             ContainsSubstring("no file of that name") && !ContainsSubstring("did you mean"));
}

// Runs the commands of the first block of a page behind this line, and says how many there were.
int check_session(const std::string& page, const std::string& behind) {
  std::istringstream readme(read_file(MATCHCOUNT_SOURCE_DIR "/" + page));
  const auto words = [](const std::string& text) {
    std::istringstream stream(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
  };
  const Folder folder;
  std::string line, command, said;
  int checked = 0;
  const auto check = [&] {
    if (command.empty()) return;
    CAPTURE(command);
    std::string shell = command.substr(0, command.find(" # "));
    for (std::size_t at = 0; (at = shell.find("matchcount ", at)) != std::string::npos; at += sizeof MATCHCOUNT_PROGRAM)
      shell.replace(at, 11, MATCHCOUNT_PROGRAM " ");
    const std::string to = " > " + folder.path("out") + " 2>&1";
    REQUIRE(std::system(("cd " MATCHCOUNT_SOURCE_DIR " && (" + shell + ")" + to).c_str()) == 0);
    CHECK(words(read_file(folder.path("out"))) == words(said));
    ++checked;
  };
  while (std::getline(readme, line) && line != behind) {
  }
  while (std::getline(readme, line) && line != "```") {
  }
  while (std::getline(readme, line) && line != "```") {
    if (line.starts_with("$ ")) {
      check();
      command = line.substr(2);
      said.clear();
    } else {
      said += line + "\n";
    }
  }
  check();
  return checked;
}

TEST_CASE("the first screen of the README and the examples of input print what they say, in a clone") {
  CHECK(check_session("README.md", "# matchcount") == 4);
  CHECK(check_session("docs/input.md", "## Examples") == 10);
}

TEST_CASE("a device that this build lacks is unable, not bad usage") {
  const auto devices = nlohmann::json::parse(run_line("devices --json").out);
  if (devices["backends"]["cuda"].get<bool>()) MATCHCOUNT_SKIP("this build has CUDA");
  for (const char* device : {"cuda", "cuda:0", "cuda:0,1"}) {
    check_refused(std::string("count - --device ") + device, "a b\n", {"this build has no CUDA"}, 3);
  }
  CHECK(run_line("count - --device cpu", "a b\n").out == "1\n");
}

TEST_CASE("help explains an option with its dashes as well") {
  CHECK_THAT(run_line("help --by").out, ContainsSubstring("Tell matchings apart"));
  CHECK(run_line("help --by").out == run_line("help by").out);
}

TEST_CASE("every command explains itself by examples") {
  const std::string all = run_line("--help").out;
  for (const char* command : commands) {
    const Outcome outcome = run_line(std::string(command) + " --help");
    CAPTURE(command);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK_THAT(outcome.out, ContainsSubstring(std::string("Usage: matchcount ") + command));
    CHECK_THAT(outcome.out, ContainsSubstring("Examples"));
    CHECK(run_line(std::string("help ") + command).out == outcome.out);
    CHECK(run_line(std::string(command) + " -h").out == outcome.out);
    CHECK_THAT(all, ContainsSubstring(std::string("  ") + command + " "));
  }
  CHECK(run_line("help").out == all);
  CHECK_THAT(run_line("--version").out, ContainsSubstring("matchcount "));
}

TEST_CASE("a command of a wing that is not built says which option builds it") {
  if (MATCHCOUNT_HAS_PHOTONICS) MATCHCOUNT_SKIP("this build has the wing photonics");
  for (const char* line : {"torontonian -", "torontonian --help", "help torontonian"}) {
    const Outcome outcome = run_line(line);
    CAPTURE(line, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK_THAT(outcome.err, ContainsSubstring("-DMATCHCOUNT_WITH_PHOTONICS=ON"));
  }
}

TEST_CASE("manual and completions name every command, and the option that only one of them has") {
  const std::string manual = run_line("help --man").out;
  const std::string bash = run_line("help --completion bash").out;
  const std::string zsh = run_line("help --completion zsh").out;
  const std::string fish = run_line("help --completion fish").out;
  for (const char* command : commands) {
    CHECK_THAT(manual, ContainsSubstring(std::string(".SS ") + command));
    CHECK_THAT(bash, ContainsSubstring(std::string("    ") + command + ") "));
    CHECK_THAT(zsh, ContainsSubstring(std::string("    ") + command + ")"));
    CHECK_THAT(fish, ContainsSubstring(std::string("-a ") + command + " -d "));
  }
  CHECK_THAT(manual, ContainsSubstring("\\-\\-memory\\-limit SIZE"));
  CHECK_THAT(bash, ContainsSubstring("--memory-limit"));
  CHECK_THAT(zsh, ContainsSubstring("--memory-limit["));
  CHECK_THAT(fish, ContainsSubstring("-l memory-limit -x -d "));
}

TEST_CASE("an option has one text, whatever the command, and its choices and default are the command's") {
  const std::string device = "auto takes GPUs where that is predicted to save time";
  const std::string manual = run_line("help --man").out;
  CHECK(manual.find(device) != std::string::npos);
  for (const char* option : {"device", "method", "engine", "matchings", "samples", "time\\-limit", "write"}) {
    const std::string heading = "\n.B \\-\\-" + std::string(option) + " ";
    CAPTURE(option);
    REQUIRE(manual.find(heading) != std::string::npos);
    CHECK(manual.find(heading, manual.find(heading) + 1) == std::string::npos);
  }
  CHECK_THAT(run_line("determinant --help-all").out, ContainsSubstring("auto, elimination, condensation.") &&
                                                         !ContainsSubstring("forbert-marx") &&
                                                         ContainsSubstring("by blocks"));
  CHECK_THAT(run_line("sample --help-all").out,
             ContainsSubstring("Default: 1.") && ContainsSubstring("Default: 4096."));
  CHECK_THAT(run_line("count - --threads 0", "a b\n").err, ContainsSubstring("a whole number from 1 to 1024"));
}

TEST_CASE("the examples of the help print what the help says") {
  // Lines "  $ COMMAND" followed by an indented line without '$' or '#': that is the output. Files that the
  // reader is meant to have are not here, so only pipes from generate and printf are run.
  Folder folder;
  int checked = 0;
  for (const char* command : commands) {
    Setting wide;
    wide.columns = 1000;  // no command is broken
    std::istringstream help(run_program({command, "--help-all"}, wide).out);
    std::string previous;
    for (std::string line; std::getline(help, line); previous = line) {
      const bool output = line.rfind("  ", 0) == 0 && line.find_first_of("$#") == std::string::npos;
      const bool piped = previous.rfind("  $ matchcount generate", 0) == 0 || previous.rfind("  $ printf", 0) == 0;
      if (!output || !piped) continue;
      std::string shell = previous.substr(4);
      const std::string name = "matchcount ";
      for (std::size_t at = 0; (at = shell.find(name, at)) != std::string::npos; at += sizeof MATCHCOUNT_PROGRAM) {
        shell.replace(at, name.size(), std::string(MATCHCOUNT_PROGRAM) + " ");
      }
      CAPTURE(shell);
      REQUIRE(std::system((shell + " > " + folder.path("out")).c_str()) == 0);
      CHECK(read_file(folder.path("out")) == line.substr(2) + "\n");
      ++checked;
    }
  }
  CHECK(checked >= 11);
}

TEST_CASE("what people read fits the terminal, and help 80 columns where its width is not known") {
  std::vector<std::string> lines{"--help",
                                 "help formats",
                                 "help status",
                                 "devices",
                                 "count lost",
                                 "count - --tim 3",
                                 "plan random.txt",
                                 "count random.txt --explain",
                                 "decompose random.txt --kuratowski"};
  for (const char* command : commands) {
    lines.push_back(std::string(command) + " --help");
    lines.push_back(std::string(command) + " --help-all");
  }
  std::istringstream words(run_line("help --completion fish").out);
  std::set<std::string> options;
  for (std::string word, before; words >> word; before = word)
    if (before == "-l") options.insert(word);
  CHECK(options.size() > 60);
  for (const std::string& option : options) lines.push_back("help " + option);
  Folder folder;
  const std::string file = folder.file("random.txt", run_line("generate random 14 14 0.5 --seed 2").out);
  for (std::string& line : lines) {
    if (const std::size_t at = line.find("random.txt"); at != std::string::npos) line.replace(at, 10, file);
    for (const int columns : {60, 80, 0}) {
      const bool is_help = line.find("help") != std::string::npos;
      if (columns == 0 && !is_help) continue;
      const Setting setting{.columns = columns};
      std::istringstream split(line);
      const std::vector<std::string> arguments{std::istream_iterator<std::string>(split), {}};
      const Outcome outcome = run_program(arguments, setting);
      CAPTURE(line, columns);
      std::istringstream written(outcome.out + outcome.err);
      for (std::string text; std::getline(written, text);) {
        CAPTURE(text);
        // A word that is wider than a line stands alone.
        const bool is_word = text.find(' ', text.find_first_not_of(' ')) == std::string::npos;
        CHECK((is_word || text.size() <= (columns == 0 ? 80 : static_cast<std::size_t>(columns))));
      }
    }
  }
}

TEST_CASE("a FILE without a name is refused as such") {
  for (const char* command : {"count", "plan", "reach"}) {
    const Outcome outcome = run_program({command, "-", ""}, {});
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("the name of a FILE is empty"));
  }
}
