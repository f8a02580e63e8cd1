#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "program.hpp"

using namespace matchcount::test;
using Json = nlohmann::json;

namespace {

std::string datasets(const std::string& name) { return std::string(MATCHCOUNT_SOURCE_DIR "/datasets/") + name; }

}  // namespace

TEST_CASE("several files give an answer line each, in their order") {
  const Outcome outcome =
      run_line("count " + datasets("grid-8x8.txt") + " - " + datasets("southern-women.csv"), "a x\na y\nb x\nb y\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "12988816\n2\n0\n");
  CHECK_THAT(outcome.err, ContainsSubstring("southern-women.csv: no perfect matching"));
}

TEST_CASE("every note about one of several inputs begins with its name") {
  const Folder folder;
  const std::string weighted = folder.file("weighted.txt", "a x 2\nb x 3\n");
  const Outcome outcome = run_line("count " + weighted + " " + datasets("southern-women.csv"));
  CHECK(outcome.out == "0\n0\n");
  const auto notes = lines_of(outcome.err);
  REQUIRE(notes.size() == 3);
  CHECK_THAT(notes[0], StartsWith(weighted + ": values other than 0 play no part"));
  CHECK_THAT(notes[1], StartsWith(weighted + ": no perfect matching: "));
  CHECK_THAT(notes[2], StartsWith(datasets("southern-women.csv") + ": no perfect matching: "));
}

TEST_CASE("a bad input among several is reported in its place, the others are answered, and the status says so") {
  const std::string line = "count " + datasets("grid-8x8.txt") + " no-such-file - ";
  const Outcome text = run_line(line, "a x\n");
  CHECK(text.status == 2);
  CHECK(text.out == "12988816\nerror\n1\n");
  CHECK_THAT(text.err, ContainsSubstring("no-such-file"));
  const Outcome json = run_line(line + "--json", "a x\n");
  CHECK(json.status == 2);
  const auto lines = lines_of(json.out);
  REQUIRE(lines.size() == 3);
  CHECK(Json::parse(lines[0])["result"]["value"] == "12988816");
  CHECK(Json::parse(lines[1])["error"]["kind"] == "input");
  CHECK(Json::parse(lines[1])["input"]["file"] == "no-such-file");
  CHECK(Json::parse(lines[2])["input"]["file"] == "-");
}

TEST_CASE("the status of several inputs is the largest of theirs") {
  // A device that is not there is status 3, a missing file 2.
  const Outcome outcome = run_line("count - no-such-file --device cuda:1000", "a x\na y\nb x\nb y\n");
  CHECK(outcome.status == 3);
  CHECK(outcome.out == "error\nerror\n");
}

TEST_CASE("a time limit ends a file of several graphs between two of them, once", "[timing]") {
  // Petersen's graph, more often than it is counted until the time is over.
  const Folder folder;
  std::string graphs = ">>graph6<<";
  for (int i = 0; i < 400'000; ++i) graphs += "IheA@GUAo\n";
  const Setting setting{.passing_s = 1000.25, .after_out = 100};
  const Outcome outcome = run_program({"count", "--time-limit", "1000", folder.file("many.g6", graphs)}, setting);
  CHECK(outcome.status == 3);
  const auto lines = lines_of(outcome.out);
  CHECK(lines.size() > 10);
  CHECK(lines.size() < 400'000);
  CHECK(std::count(lines.begin(), lines.end(), "6") == static_cast<std::ptrdiff_t>(lines.size()));
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("time limit"));
}

TEST_CASE("what is of one input is refused where there are several") {
  const Folder folder;
  const std::string two = datasets("grid-8x8.txt") + " " + datasets("kekulene.txt") + " ";
  check_refused("decompose " + two + "--kind undirected --write " + folder.path("reduced.txt"), "", {"one input"});
  check_refused("count - -", "a x\n", {"once"});
}

TEST_CASE("a failure is one JSON object on stdout where JSON is asked for, and stderr says it too") {
  const Outcome bad = run_line("count - --json", "a b\nc d e f\n");
  CHECK(bad.status == 2);
  const Json error = Json::parse(bad.out)["error"];
  CHECK(error["kind"] == "input");
  CHECK(error["status"] == 2);
  CHECK(error["file"] == "standard input");
  CHECK(error["line"] == 2);
  CHECK(error["found"].get<std::string>() != "");
  CHECK(error["expected"].get<std::string>() != "");
  CHECK_THAT(bad.err, ContainsSubstring(error["message"].get<std::string>()));

  const Json usage = Json::parse(run_line("count --json").out);
  CHECK(usage["error"]["kind"] == "usage");
  const Json unknown = Json::parse(run_line("--json frobnicate").out);
  CHECK(unknown["command"].is_null());
  CHECK(Json::parse(run_line("generate grid --json").out)["command"] == "generate");
  CHECK(unknown["error"]["kind"] == "usage");
  const Json device = Json::parse(run_line("count - --json --device cuda:1000", "a x\na y\nb x\nb y\n").out);
  CHECK((device["error"]["kind"] == "unable" || device["error"]["kind"] == "not_compiled"));
}

TEST_CASE("what would pass a limit is refused with its forecast") {
  const std::string graph = run_line("generate complete 50 50").out;
  const Outcome outcome = run_line("permanent - --json --method ryser --time-limit 10", graph);
  CHECK(outcome.status == 3);
  const Json failure = Json::parse(outcome.out);
  CHECK(failure["error"]["kind"] == "limit");
  CHECK(failure["forecast"]["seconds"].get<double>() > 10);
  CHECK(failure["forecast"]["memory_bytes"].get<double>() > 0);
}

TEST_CASE("an option that does not exist is refused with the nearest one, or with the commands that have it") {
  CHECK_THAT(run_line("count - --jsn").err, ContainsSubstring("did you mean '--json'?"));
  CHECK_THAT(run_line("count - --time-limt 3").err, ContainsSubstring("did you mean '--time-limit'?"));
  CHECK_THAT(run_line("count - --verif").err, ContainsSubstring("did you mean '--verify'?"));
  CHECK_THAT(run_line("count - --samples 3").err, ContainsSubstring("which belongs to marginals, sample, estimate"));
  CHECK_THAT(run_line("count - --format graphlm").err, ContainsSubstring("did you mean 'graphml'?"));
  const Outcome far = run_line("count - --format qwerty");
  CHECK_THAT(far.err, ContainsSubstring("edgelist"));
  CHECK_THAT(far.err, !ContainsSubstring("did you mean"));
}

TEST_CASE("the help of a command explains on one screen what it adds, names what is common, and --help-all has all") {
  for (const char* command : {"count", "cycles", "permanent", "hafnian", "determinant", "estimate", "decompose", "plan",
                              "generate", "devices", "help", "marginals", "sample", "list", "parity", "reach", ""}) {
    for (const auto& [columns, most_lines] : {std::pair{96, 40}, {80, 47}}) {
      const Setting setting{.columns = columns};
      std::vector<std::string> words{command, "--help"};
      if (words.front().empty()) words.erase(words.begin());
      const std::string help = run_program(words, setting).out;
      CAPTURE(command, columns, help);
      CHECK(std::ranges::count(help, '\n') <= most_lines);
    }
  }
  const std::string help = run_line("estimate --help").out;
  CHECK_THAT(help, ContainsSubstring("\n  --samples N ") && ContainsSubstring(" --header,") &&
                       !ContainsSubstring("Where it may be one"));
  for (const std::string& all : {run_line("estimate --help-all").out, run_line("help --man").out})
    CHECK_THAT(all, ContainsSubstring("Where it may be one"));
}

TEST_CASE("molecules stand under their titles, in text and in JSON") {
  std::string molecule = "benzene\n\n\n  6  6  0  0  0  0  0  0  0  0999 V2000\n";
  for (int atom = 0; atom < 6; ++atom) molecule += "    0.0000    0.0000    0.0000 C   0  0\n";
  for (int atom = 1; atom <= 6; ++atom)
    molecule += "  " + std::to_string(atom) + "  " + std::to_string(atom % 6 + 1) + (atom % 2 == 0 ? "  1\n" : "  2\n");
  molecule += "M  END\n$$$$\n";
  const Outcome two = run_line("list -", molecule + molecule);
  CAPTURE(two.err);
  CHECK_THAT(two.out, ContainsSubstring("graph 1 (benzene):\n") && ContainsSubstring("graph 2 (benzene):\n"));
  // So do counts of several lines.
  for (const std::string lines : {"--sextets", "--matchings by-size"}) {
    const std::string alone = run_line("count - " + lines, molecule).out;
    CHECK(run_line("count - " + lines, molecule + molecule).out ==
          "-, graph 1 (benzene):\n" + alone + "-, graph 2 (benzene):\n" + alone);
  }
  CHECK(run_line("count -", molecule).out == "2\n");
  // A record that is refused has its line as well.
  std::string bad = molecule;
  bad.replace(bad.find("  1  2  2"), 9, "  1  9  2").replace(0, 7, "mistake");
  const Outcome three = run_line("count -", molecule + bad + molecule);
  CHECK((three.status == 2 && three.out == "benzene\t2\nmistake\terror\nbenzene\t2\n"));
  CHECK_THAT(three.err, ContainsSubstring(":29: found a bond at atom 9 in graph 2 (mistake)"));
  CHECK_THAT(run_line("count - --json", molecule).out, ContainsSubstring("\"title\": \"benzene\""));
  CHECK(run_line("count - --skeleton", molecule).out == "2\n");
}

TEST_CASE("help explains options, formats and statuses, and suggests the topic that is near") {
  CHECK_THAT(run_line("help method").out, ContainsSubstring("--method NAME") && ContainsSubstring("Of count, cycles"));
  CHECK_THAT(run_line("help formats").out, ContainsSubstring("graph6"));
  CHECK_THAT(run_line("help status").out, ContainsSubstring("a device or MPI failed"));
  CHECK_THAT(run_line("help methd").err, ContainsSubstring("did you mean 'method'?"));
  CHECK(run_line("-v").out == run_line("--version").out);
}

TEST_CASE("fewer digits are printed with --digits, never more than are proven, and exact values in full") {
  const std::string third = "# format: edgelist\n1 1 0.333333333\n1 2 0.25\n2 1 1.5\n2 2 0.125\n";
  CHECK(run_line("permanent - --digits 3", third).out == "4.17e-1\n");
  CHECK(run_line("permanent - --digits 1", third).out == "4e-1\n");
  CHECK(run_line("permanent - --digits 3 --format edgelist", "1 1 123456789\n").out == "123456789\n");
  const Json three = Json::parse(run_line("permanent - --json --digits 3", third).out)["result"];
  CHECK(three["value"] == "4.17e-1");
  CHECK(three["digits"] == 3);
  for (const char* bad : {"0", "33", "-1", "x", "1.5"}) {
    const Outcome outcome = run_line(std::string("permanent - --digits ") + bad, third);
    CAPTURE(bad);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("where an option would prove more digits it is named") {
  std::string rows;
  for (int i = 1; i <= 14; ++i)
    for (int j = 1; j <= 14; ++j) rows += std::to_string((i * 37 + j * 101) % 97 - 48.3) + (j < 14 ? " " : "\n");
  const Outcome rough = run_line("permanent - --precision double", rows);
  CHECK(rough.status == 0);
  CHECK_THAT(rough.err, ContainsSubstring("--precision double-double proves more digits"));
  CHECK_THAT(run_line("permanent - --precision double --digits 2", rows).err, !ContainsSubstring("proves"));
}

TEST_CASE("a number that was rounded is not called exact, even where no block was left to count") {
  const std::string merged = "# format: edgelist\n1 1 0.1\n1 2 0.3\n2 1 0.7\n2 2 0.9\n";
  const Json result = Json::parse(run_line("permanent - --json", merged).out)["result"];
  CHECK(result["relative_error"].get<double>() > 0);
  CHECK(result["precision"] == "double-double");
}

TEST_CASE("a complex result has its parts as re and im") {
  const std::string matrix = "%%MatrixMarket matrix array complex general\n2 2\n1 2\n0.5 1\n3 -1\n0 4\n";
  // Columns first: (1 + 2i)(4i) + (3 - i)(0.5 + i) = -8 + 4i + 2.5 + 2.5i.
  const Json result = Json::parse(run_line("permanent - --json --digits 5", matrix).out)["result"];
  CHECK(result["kind"] == "complex");
  CHECK(result["re"] == "-5.5000e0");
  CHECK(result["im"] == "6.5000e0");
  CHECK(result["value"] == "-5.5000e0+6.5000e0i");
}

TEST_CASE("hafnian is the sum over perfect matchings of any graph, with weights") {
  CHECK(run_line("hafnian -", "a b 2\nb c 3\nc d 5\nd a 7\n").out == "31\n");
  // K4 has three perfect matchings: 1 * 6 + 2 * 5 + 3 * 4.
  CHECK(run_line("hafnian -", "1 2 1\n1 3 2\n1 4 3\n2 3 4\n2 4 5\n3 4 6\n").out == "28\n");
  CHECK(run_line("hafnian -", "1 2\n2 3\n3 1\n").out == "0\n");
  const Json json = Json::parse(run_line("hafnian - --json", "1 2 3\n").out);
  CHECK(json["command"] == "hafnian");
  CHECK(json["input"]["kind"] == "undirected");
  CHECK(json["result"]["value"] == "3");
}

TEST_CASE("permanents and hafnians of fractions are fractions") {
  // 1/2 * 1/4 + 1/3 * 1/3.
  const Outcome outcome = run_line("permanent - --format edgelist", "1 1 1/2\n1 2 1/3\n2 1 1/3\n2 2 1/4\n");
  CHECK(outcome.out == "17/72\n");
  CHECK_THAT(outcome.err, ContainsSubstring("exactly"));
  CHECK(run_line("permanent - --format edgelist", "1 1 1/2\n1 2 1/3\n2 1 1/3\n2 2 -2/9\n").out == "0\n");
  CHECK(run_line("permanent - --format edgelist", "1 1 1/2\n1 2 1\n2 1 1\n2 2 4\n").out == "3\n");
  CHECK(run_line("permanent - --format edgelist", "1 1 123456789012345678901234567890\n").out ==
        "123456789012345678901234567890\n");
  // K4: 1/6 + 1/10 + 1/12.
  CHECK(run_line("hafnian -", "1 2 1/2\n3 4 1/3\n1 3 1/2\n2 4 1/5\n1 4 1/3\n2 3 1/4\n").out == "7/20\n");
  const Json result = Json::parse(run_line("permanent - --json --format edgelist", "1 1 1/2\n").out)["result"];
  CHECK(result["kind"] == "fraction");
  CHECK(result["value"] == "1/2");
  CHECK(result["precision"] == "exact");
  CHECK(run_line("plan - --kind matrix --format edgelist", "1 1 1/2\n1 2 1/3\n2 1 1/3\n2 2 1/4\n").status == 0);
}

TEST_CASE("exact numbers below the range of doubles are not printed as 0") {
  CHECK(run_line("estimate - --kind matrix --format edgelist", "1 1 1e-200\n2 2 1e-200\n").out ==
        "1.00000000000000e-400\n");
}

TEST_CASE("exact precision refuses complex decimals that are not held as they are written") {
  const std::string matrix = "%%MatrixMarket matrix array complex general\n1 1\n";
  CHECK(run_line("permanent - --precision exact", matrix + "0.5 0.25\n").status == 0);
  check_refused("permanent - --precision exact", matrix + "0.5 0.1\n", {"double-double"});
}

TEST_CASE("a determinant whose sign would depend on the order of names is refused") {
  CHECK(run_line("determinant -", "r1 c2 2\nr2 c1 3\n").status == 2);
  CHECK(run_line("determinant - --kind undirected", "a b 2\n").status == 2);
  CHECK(run_line("determinant - --kind directed", "a b 2\nb a 3\n").out == "-6\n");
}

TEST_CASE("what stands where a name should, and lines of lone words, are no graph unless asked for") {
  for (const char* text : {"1 -> 2\n3 -> 4\n", "1 - 2\n3 - 4\n", "C~\nCr\nCl\n"}) {
    check_refused("count - --kind undirected", text, {"--format"});
  }
  CHECK(run_line("count - --kind undirected --format edgelist", "C~\nCr\n").out == "0\n");
}

TEST_CASE("weights that an estimate does not use are announced") {
  const std::string square = "a b 2\nb c 3\nc d 5\nd a 7\n";
  const Outcome outcome = run_line("estimate - --kind undirected", square);
  CHECK(outcome.out == "2\n");
  CHECK_THAT(outcome.err, ContainsSubstring("values other than 0 play no part"));
  CHECK(Json::parse(run_line("estimate - --kind undirected --json", square).out)["input"]["weights_ignored"] == true);
}

TEST_CASE("numbers under another key than the weight's are refused by commands that use weights, and told apart") {
  const std::string square = "a b {'cost': 2}\nb c {'cost': 3}\nc d {'cost': 5}\nd a {'cost': 7}\n";
  for (const char* line : {"hafnian -", "permanent - --kind undirected", "estimate - --kind matrix",
                           "plan - --kind matrix", "determinant - --kind directed"}) {
    check_refused(line, square, {"'cost'", "--weight-key ''"});
  }
  CHECK(run_line("hafnian - --weight-key cost", square).out == "31\n");
  CHECK(run_program({"hafnian", "-", "--weight-key", ""}, {.input = square}).out == "2\n");
  CHECK(run_line("count - --kind undirected", square).out == "2\n");
  check_refused("count - --kind undirected --weight-key coast", square, {"'coast'", "'cost'"});
}

TEST_CASE("a KONECT file needs no option, and a note tells of the times that are passed over") {
  const Outcome outcome = run_line("count -", "% bip weighted\n1 1 5 874965758\n2 2 3 876893171\n1 2 4 878542960\n");
  CHECK(outcome.out == "1\n");
  CHECK_THAT(outcome.err, ContainsSubstring("fourth column"));
  CHECK(run_line("permanent -", "% bip weighted\n1 1 5 874965758\n2 2 3 876893171\n1 2 4 878542960\n").out == "15\n");
}

TEST_CASE("answers of several lines have the name of their file above where there are several") {
  const Folder folder;
  const std::string one = folder.file("one.txt", "a b\nb c\n"), two = folder.file("two.txt", "a d\n");
  const std::string both = one + " " + two;
  CHECK(run_line("reach --from a " + one).out == "b\nc\n");
  CHECK(run_line("reach --from a " + both).out == one + ":\nb\nc\n" + two + ":\nd\n");
  CHECK_THAT(run_line("plan --kind undirected " + both).out,
             StartsWith(one + ":\n") && ContainsSubstring("\n" + two + ":\n"));
  const Outcome bad = run_line("decompose --kind undirected no-such-file " + one);
  CHECK_THAT(bad.out, StartsWith("no-such-file:\nerror\n" + one + ":\n"));
  CHECK(run_line("reach --json --from a " + both).out.find(":\n") == std::string::npos);
}

TEST_CASE("a limit that ends a run over several files leaves a line for every one of them") {
  const Folder folder;
  const std::string small = folder.file("small.txt", "a x\n");
  const std::string large = folder.file("large.txt", run_line("generate grid 1000 1000").out);
  const std::string files = small + " " + large + " " + small + " " + large;
  // The limit is kept by code that polls the clock, and by code that does not.
  for (const std::string& line :
       {"count --kind bipartite --time-limit 0.2 " + files, "parity --kind bipartite --time-limit 0.2 " + files,
        "decompose --kuratowski --kind bipartite --json --memory-limit 30M --time-limit 100 " + files}) {
    const Outcome outcome = run_line(line);
    CAPTURE(line, outcome.err, outcome.out.substr(0, 2000));
    CHECK(outcome.status == 3);
    const auto lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 4);
    if (line.find("--json") == std::string::npos) {
      CHECK(lines == std::vector<std::string>{"1", "error", "error", "error"});
      continue;
    }
    CHECK(Json::parse(lines[0])["matching"]["size"] == 1);
    for (std::size_t i = 1; i < 4; ++i) {
      CHECK(Json::parse(lines[i])["error"]["kind"] == "limit");
      CHECK(Json::parse(lines[i])["input"]["file"] == (i == 2 ? small : large));
    }
    CHECK_THAT(outcome.err, ContainsSubstring("2 FILEs were not begun"));
  }
}

TEST_CASE("an input is not overwritten, by whatever name") {
  const Folder folder;
  const std::string text = "a b\nb a\n";
  const std::string file = folder.file("graph.txt", text);
  const std::string link = folder.path("link.txt");
  std::filesystem::create_symlink(file, link);
  for (const std::string& line : {"reach " + file + " --write " + file, "reach " + file + " --write " + link,
                                  "decompose --kind bipartite " + link + " --write " + file}) {
    check_refused(line, "", {"which is the input"});
  }
  CHECK(run_line("reach " + link).out == "4\n");
  CHECK(run_line("reach - --write " + file, text).status == 0);  // of another input
}

TEST_CASE("a closure is written as an edge list, and refused under the name of another format") {
  const Folder folder;
  for (const char* name : {"c.mtx", "c.graph.gz", "c.npy"}) {
    check_refused("reach - --write " + folder.path(name), "a b\n", {"edge list"});
    CHECK_FALSE(std::filesystem::exists(folder.path(name)));
  }
}

TEST_CASE("a word that begins with a dash is refused as what it is") {
  CHECK_THAT(run_line("generate grid -1 3").err, ContainsSubstring("'-1'") && ContainsSubstring("numbers from 0"));
  CHECK_THAT(run_line("generate random 3 3 -.5").err, ContainsSubstring("'-.5'"));
  CHECK(run_line("generate random 2 2 1 --seed 3").status == 0);
  CHECK_THAT(run_line("count -1").err, ContainsSubstring("count has no option -1"));
  CHECK_THAT(run_line("count - -json").err, ContainsSubstring("no option -json; did you mean '--json'?"));
}

TEST_CASE("a table with the names of its rows is read as a matrix, or refused with what it is") {
  CHECK(run_line("permanent -", ";A;B;C;D\nr1;1;2;3;4\nr2;5;6;7;8\nr3;1;2;3;4\nr4;1;2;3;5\n").out == "1900\n");
  const std::string two = ",A,B\nr1,1,2\nr2,3,4\n";
  for (const char* line : {"permanent -", "permanent - --header yes"}) {
    check_refused(line, two, {"--format dense", "row.names=FALSE"});
  }
  CHECK(run_line("permanent - --format dense", two).out == "10\n");
  CHECK(run_line("determinant - --format dense", two).out == "-2\n");
}

TEST_CASE("a file that holds no graph is refused, alone and among others") {
  const Folder folder;
  const std::string none = folder.file("none.g6", ">>graph6<<\n"), one = folder.file("one.txt", "a x\n");
  check_refused("count " + none, "", {"no graph"});
  CHECK_THAT(run_line("count - --format graph6", ">>graph6<<\n").err,
             ContainsSubstring("standard input: found no graph"));
  const Outcome among = run_line("count " + none + " " + one);
  CHECK(among.status == 2);
  CHECK(among.out == "error\n1\n");
}

TEST_CASE("a thousand matrices of one .npy file are answered, a line each") {
  // [[i, 1], [2, i]] for i below 1000, as bytes.
  const int count = 1000;
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ", 2, 2), }";
  header.resize(117, ' ');
  std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n", expected;
  for (int i = 0; i < count; ++i) {
    const int entry = i % 100;
    file += {static_cast<char>(entry), 1, 2, static_cast<char>(entry)};
    expected += std::to_string(entry * entry + 2) + "\n";
  }
  const Folder folder;
  const Outcome outcome = run_line("permanent " + folder.file("many.npy", file));
  CHECK(outcome.status == 0);
  CHECK(outcome.out == expected);
}

TEST_CASE("a run over several files ends where nobody reads its answers, or where it is interrupted", "[timing]") {
  const Folder folder;
  const std::string one = folder.file("one.txt", "a x\n");
  const Outcome unread = run_program({"count", one, one, one}, {.closed_output = true});
  CHECK(unread.status == 3);
  CHECK(lines_of(unread.err).size() == 1);
  // The second says nothing for ever.
  const Setting interrupted{.open_input = true, .signal = SIGINT, .once_idle = true, .after_out = 2};
  const Outcome text = run_program({"count", one, "-", one}, interrupted);
  CHECK(text.status == 3);
  CHECK(text.out == "1\n");
  const Outcome json = run_program({"count", one, "-", one, "--json"}, interrupted);
  CHECK(json.status == 3);
  REQUIRE(lines_of(json.out).size() == 2);
  CHECK(Json::parse(lines_of(json.out)[1])["error"]["kind"] == "interrupted");
}
