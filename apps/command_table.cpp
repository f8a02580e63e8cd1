#include <algorithm>

#include "apps/option_table.hpp"

namespace matchcount::app {
namespace {

using OptionNames = std::vector<std::string_view>;
const OptionNames counting = {"search", "tuning", "reading", "running", "limits", "saving", "telling", "printing"};

// Names options and groups of them, which command_table spells out.
CommandOptions own_and(const OptionNames& own, const OptionNames& others) {
  CommandOptions names{own, own};
  names.all.insert(names.all.end(), others.begin(), others.end());
  return names;
}

const std::vector<CommandSpec> commands = {
    {"count",
     "FILE... [options]",
     "number of perfect matchings, exactly",
     "Counts the perfect matchings of the graph in FILE. Weights are ignored (permanent uses them), except that "
     "parallel edges count as many under --duplicates sum. Where there is none the answer is 0, and stderr says why: a "
     "set of vertices with fewer neighbours than members, or in a graph with odd cycles vertices without which more "
     "components have an odd number of vertices than were removed.",
     "bipartite",
     own_and({"kind", "matchings", "activity", "by", "given", "sextets", "method", "verify"}, counting),
     {{"matchcount generate grid 8 8 | matchcount count -", "12988816", "the domino tilings of a chessboard"},
      {"matchcount generate grid 8 8 | matchcount count - --matchings all", "179788343101980135",
       "monomers and dimers"},
      {"matchcount generate grid 2 3 --weights-by-direction 1,10 | matchcount count - --by weight", "",
       "by numbers of edges of either direction: 12 2, 30 1"},
      {"matchcount generate grid 8 8 | matchcount count - --given 1-1", "6494408", "those with one domino"},
      {"matchcount count coronene.mol --sextets", "",
       "Kekule structures, Clar covers, resonant sets: 0 20 1, 1 32 7, .."},
      {"matchcount count friends.txt --kind undirected", "", "one set of names, bipartite or not"},
      {"matchcount count matrix.mtx --verify --json", "", "count twice, by independent methods; tell all"},
      {"matchcount count big.txt --checkpoint big.part --resume", "", "goes on where it was, however it ended"},
      {"matchcount count big.txt.gz --time-limit 60 --memory-limit 2G", "",
       "an answer within limits, or exit status 3 and what it would need"}}},
    {"cycles",
     "FILE... [options]",
     "number of cycle covers of a directed graph, exactly",
     "Counts the sets of vertex-disjoint directed cycles that go through every vertex of the digraph in FILE. A "
     "self-loop is a cycle of length one, u -> v -> u one of length two. Weights are ignored, except that parallel "
     "arcs count as many under --duplicates sum.",
     "directed",
     own_and({"kind", "by", "method", "verify"}, counting),
     {{"printf 'a b\\nb a\\na a\\nb b\\n' | matchcount cycles -", "2", "two self-loops, or a -> b -> a"},
      {"matchcount cycles web.mtx", "", "a square matrix: row i, column j is the arc i -> j"}}},
    {"permanent",
     "FILE... [options]",
     "permanent of a matrix, exactly or with an error bound",
     "Computes the permanent of the matrix in FILE: an exact integer where all entries are integers, else a real or "
     "complex number with as many digits as its error bound supports, and that bound on stderr; where it supports no "
     "digit, [+/- X]: the absolute value is at most X. Entries without values are 1. A matrix that is not square has "
     "permanent 0, unless --matchings saturating asks for the rectangular one. With --kind undirected it is hafnian.",
     "matrix",
     own_and({"kind", "matchings", "activity", "method", "precision", "digits", "verify"}, counting),
     {{"matchcount generate band 80 2 --weights uniform --seed 7 | matchcount permanent -", "2.4076432935468085e6",
       "any size that its structure allows, and any magnitude"},
      {"matchcount permanent m.mtx --precision double --method staged", "", "choose the arithmetic and the method"},
      {"matchcount permanent batch.npy", "", "of every matrix of a three-dimensional array, a line each"},
      {"matchcount permanent m.mtx --json | jq -r .result.value", "", "for programs"}}},
    {"hafnian",
     "FILE... [options]",
     "sum over perfect matchings of the product of weights",
     "Computes the hafnian of the symmetric matrix of the undirected graph in FILE: the sum over its perfect matchings "
     "of the product of their edges' values, exactly for integers and fractions, else with an error bound. Edges "
     "without values are 1. A matrix has to be symmetric, with nothing on its diagonal unless --loops takes that.",
     "undirected",
     own_and({"matchings", "activity", "method", "precision", "digits", "verify"}, counting),
     {{"matchcount hafnian covariance.npy --loops", "", "of a symmetric matrix of numpy's, whose diagonal has loops"},
      {"printf 'a b 2\\nb c 3\\nc d 5\\nd a 7\\n' | matchcount hafnian -", "31", "2 * 5 + 3 * 7"},
      {"printf 'a b 2\\na a 3\\nb b 5\\n' | matchcount hafnian - --loops", "17", "2 + 3 * 5"}}},
    {"marginals",
     "FILE... [options]",
     "for every edge, the share of the matchings that contain it",
     "Prints every edge of the graph in FILE with its probability in a perfect matching that is drawn at random, each "
     "as likely as the others or, by --weighted and --kind matrix, in proportion to the products of their edges' "
     "values: Pauling's bond orders, the correlations of dimers; and on stderr the entropy. By --matchings it is "
     "another kind, and a line `VERTEX - P`, or `- VERTEX P` of the second column, says how likely a vertex is to be "
     "left alone. Without such a matching, or by negative or complex values, --exact gives sums alone.",
     "bipartite",
     own_and({"kind", "matchings", "exact", "weighted", "method", "digits", "estimate", "samples", "svg"},
             {"activity", "given", "pairs", "confidence", "coordinates", "search", "reading", "threads", "seed",
              "limits", "saving", "printing"}),
     {{"matchcount marginals benzene.mol", "", "half of the Kekule structures each"},
      {"matchcount generate grid3d 8 8 8 | matchcount marginals - --estimate", "", "where exact ones are out of reach"},
      {"matchcount marginals coronene.mol --svg coronene.svg", "", "its bonds, coloured by their orders"},
      {"matchcount generate grid 20 20 | matchcount marginals - --matchings all", "", "monomers and dimers"},
      {"matchcount generate grid 8 8 | matchcount marginals - --pairs all-near 1", "", "correlations of dominoes"},
      {"matchcount generate grid 8 8 | matchcount marginals - --exact", "", "in how many tilings each domino is"},
      {"matchcount marginals m.mtx --kind matrix --json | jq .result.edges", "", "for programs"}}},
    {"sample",
     "FILE... [options]",
     "random matchings, independent and exactly uniform",
     "Draws perfect matchings of the graph in FILE, or others by --matchings, each as likely as the others or, by "
     "--weighted and --kind matrix, in proportion to the products of their edges' values. Each is an edge list behind "
     "a comment, with --json an object on a line. The I-th is a function of the graph, --seed, --method, --order, "
     "--effort and I alone, whatever the limits and the number of threads. Probabilities are right to a relative "
     "1e-12, by ryser to 1e-9, by the planar method to 1e-6 at worst. Values that are negative or complex are refused.",
     "bipartite",
     own_and({"kind", "matchings", "samples", "first-sample", "weighted", "method", "approximate", "population", "svg"},
             {"activity", "given", "coordinates", "search", "reading", "threads", "seed", "limits", "printing"}),
     {{"matchcount generate grid 8 8 | matchcount sample -", "", "a random tiling by dominoes"},
      {"matchcount generate aztec 20 | matchcount sample - --svg aztec.svg", "", "a picture of one"},
      {"matchcount sample rides.txt --matchings saturating", "", "a ride for each driver"},
      {"matchcount sample graph.txt --kind undirected --samples 1000 --seed 7 --json", "",
       "a thousand, for programs"}}},
    {"list",
     "FILE... [options]",
     "matchings one by one, each once, in lexicographic order",
     "Lists the perfect matchings of the graph in FILE, or others by --matchings, one a line, edges separated by "
     "commas. The first vertex goes through its partners in the order of the file's names (numbers ascend, other names "
     "stand as they appear), for each of them the next vertex that is left, and so on; a vertex that may be left alone "
     "is so at last. The first lines come at once, whatever the number of all; memory is that of the graph. Ctrl-C and "
     "--time-limit end the list with what was printed. Values are ignored but for matchings of least or most weight.",
     "bipartite",
     own_and({"kind", "first", "skip", "matchings", "given", "svg", "coordinates"}, {"reading", "limits", "printing"}),
     {{"matchcount generate grid 8 8 | matchcount list - --first 10", "", "ten of its tilings"},
      {"matchcount list naphthalene.mol --svg naphthalene.svg", "", "its Kekule structures on a page"},
      {"matchcount list southern-women.csv --matchings saturating", "", "an event for each woman, or the other way"}}},
    {"determinant",
     "FILE... [options]",
     "determinant of a matrix, exactly or with an error bound",
     "Computes the determinant of the square matrix in FILE: an exact integer where all entries are integers (of any "
     "size), an exact fraction where one of them is a fraction such as -1/3 (decimals beside it count exactly), else a "
     "real or complex number with as many digits as its proven error bound supports, and that bound on stderr; where "
     "it supports no digit, [+/- X]: the absolute value is at most X. Entries without values are 1.",
     "matrix",
     own_and({"kind", "method", "precision", "digits"}, {"reading", "running", "limits", "printing"}),
     {{"printf '1/2 1/3\\n1/3 1/4\\n' | matchcount determinant -", "1/72", "a Hilbert matrix"},
      {"matchcount determinant matrix.npy", "", "any magnitude"},
      {"matchcount determinant m.mtx --json | jq .result", "", "sign, mantissa and exponent"}}},
    {"parity",
     "FILE... [options]",
     "parity of a count, of graphs far too large to count",
     "Says whether the number of perfect matchings of the graph in FILE is odd (1) or even (0); with --kind directed "
     "that of its cycle covers. Values are ignored as by count, but for parallel edges under --duplicates sum; with "
     "--kind matrix it is the permanent that is odd or even, and values that are not integers are refused. It is the "
     "determinant modulo 2 and takes n * n / 4 bytes for n vertices a side: 8192 a second, and less, on two cores.",
     "bipartite",
     with_common_options({"kind"}),
     {{"matchcount generate grid 24 24 | matchcount parity -", "0", "the count of 70 digits ends in 6"},
      {"printf 'a b\\nb c\\nc a\\nc d\\n' | matchcount parity - --kind undirected", "1", "of any graph"}}},
    {"estimate",
     "FILE... [options]",
     "estimate of a count or a permanent, with an interval",
     "Estimates the number of perfect matchings of the graph in FILE, or of others by --matchings, where an exact "
     "count is too expensive; with --kind directed its cycle covers, and with --kind matrix its permanent, whose "
     "entries must not be negative. Small blocks are counted exactly; those with odd cycles are sampled on the CPU. "
     "stderr gives the interval, and a warning where it is not to be believed.",
     "bipartite",
     own_and({"kind", "matchings", "method", "samples", "relative-error", "confidence", "scaling-interval",
              "scaling-rounds", "population", "verify", "svg"},
             {"explain", "activity", "reading", "running", "limits", "saving", "printing"}),
     {{"matchcount generate grid 24 24 | matchcount estimate -", "", "within 1 % at 95 % confidence"},
      {"matchcount estimate friends.txt --kind undirected", "", "of any graph"},
      {"matchcount estimate m.mtx --kind matrix --relative-error 0.001 --time-limit 600", "", "weights honoured"},
      {"matchcount generate grid3d 8 8 8 | matchcount estimate - --matchings by-size --svg e.svg", "",
       "the entropy by the share of vertices that are matched"},
      {"matchcount estimate g.txt --method scaling+ --scaling-interval 1 --samples 1000000 --json", "",
       "as published, for programs"}}},
    {"decompose",
     "FILE... [options]",
     "maximum matching, decompositions, useless edges, blocks",
     "Shows the structure of the graph in FILE: its maximum matching, the coarse and the fine Dulmage-Mendelsohn "
     "decomposition, the edges that are in no perfect matching (in no maximum matching where none is perfect), and "
     "what is left after vertices of degree 1 and 2 are merged away. A graph with odd cycles has the Gallai-Edmonds "
     "decomposition, whose A proves that no matching is larger, and components without useless edges in their place. "
     "--json lists the members of every part. Values are used with --kind matrix only.",
     "bipartite",
     own_and({"kind", "write", "kuratowski", "no-reduce"}, {"reading", "limits", "printing"}),
     {{"matchcount decompose graph.txt", "", "a summary"},
      {"matchcount decompose graph.txt --kind undirected --kuratowski", "", "of any graph; planar, or why not"},
      {"matchcount decompose m.mtx --kind matrix --write small.mtx", "", "a smaller matrix with the same permanent"}}},
    {"reach",
     "FILE... [options]",
     "number of pairs of vertices with a path between them",
     "Counts the ordered pairs (u, v) of vertices of the digraph in FILE with a path of at least one arc from u to v; "
     "(v, v) is one where v lies on a cycle. An undirected graph's edges go both ways. Values are ignored. stderr "
     "tells the strong components. It takes at least 64 bytes for every component and thread, and more where it may.",
     "directed",
     with_common_options({"kind", "from", "write"}),
     {{"printf 'a b\\nb c\\nc b\\n' | matchcount reach -", "6", "a reaches b and c, b and c both"},
      {"matchcount reach web.txt.gz --from start", "", "what one vertex reaches"},
      {"matchcount reach tasks.txt --write closure.txt", "", "every pair"}}},
    {"plan",
     "FILE... [options]",
     "what would run and why, with predicted time and memory",
     "Reads and decomposes FILE and prints, block by block, what every method would cost, the cheapest first. Counts "
     "nothing. With --kind matrix it plans permanent, else count, or what --of names.",
     "bipartite",
     own_and({"kind", "of", "exact", "weighted", "matchings", "method", "precision", "ranks"},
             {"activity", "by", "given", "search", "tuning", "reading", "running", "limits", "printing"}),
     {{"matchcount plan graph.txt", "", "look before you leap"},
      {"matchcount plan graph.txt --of marginals --exact", "", "before one asks for every edge"},
      {"matchcount plan m.mtx --kind matrix --method staged", "", "what one method would take"},
      {"matchcount plan graph.txt --method frontier --effort 30", "", "is there a better order?"},
      {"matchcount generate complete 60 60 | matchcount plan - --ranks 64 --device h200", "", "on a cluster"}}},
    {"generate",
     "KIND NUMBER... [options]",
     "a graph, as an edge list or in any other format",
     "Writes a graph of a known family to stdout, or to a file with --output, if wanted with random weights.",
     "bipartite",
     own_and({"kind", "format", "seed", "boundary", "weights", "weights-by-direction", "output"},
             {"limits", "quiet", "help", "help-all"}),
     {{"matchcount generate grid 24 24 --output grid.mtx", "", "the format follows from the name"},
      {"matchcount generate honeycomb 6 6 --boundary torus | matchcount count -", "263640", "36 hexagons on a torus"},
      {"matchcount generate random 40 40 0.2 --seed 7 | matchcount plan -", "", "what would this take?"},
      {"matchcount generate random 30 30 1 --weights uniform --seed 7 --output dense.mtx", "", "a matrix of reals"},
      {"matchcount generate fullerene 60 1 7 9 11 13 15 18 20 22 24 26 32 | matchcount count -", "12500",
       "Kekule structures of C60"},
      {"matchcount generate aztec 10 | matchcount count -", "36028797018963968", "2^55"}}},
    {"devices",
     "[options]",
     "the devices and backends found here",
     "Shows the processor, the cores that this process may use, the vector instructions that were found, the memory, "
     "and which backends this build has.",
     "",
     own_and({"json"}, {"help", "help-all"}),
     {{"matchcount devices", "", ""}}},
    {"help",
     "[TOPIC...] [options]",
     "help on a command or an option, the manual page, shell completion",
     "Explains a command, an option (its name without dashes), formats or status; or everything as a manual page, or "
     "writes a completion script for a shell.",
     "",
     own_and({"man", "completion"}, {"help", "help-all"}),
     {{"matchcount help count", "", "the same as matchcount count --help"},
      {"matchcount help method", "", "an option, whatever the command"},
      {"matchcount help --man | man -l -", "", "the manual page"},
      {"source <(matchcount help --completion bash)", "", "completion in this shell"}}},
};

constexpr ExitStatus exit_statuses[] = {
    {0, "an answer; 0 is an answer"},
    {2, "bad usage or bad input: stderr says which file, which line, what was found and what was expected"},
    {3, "unable here: past a limit, interrupted, the method does not apply, or the output could not be written"},
    {4, "a device or MPI failed"},
};

}  // namespace

CommandOptions with_common_options(const std::vector<std::string_view>& own) {
  return own_and(own, {"reading", "device", "threads", "limits", "printing"});
}

std::vector<WingCommand (*)()>& wing_commands() {
  static std::vector<WingCommand (*)()> added;
  return added;
}

std::span<const CommandSpec> command_table() {
  static const std::vector<CommandSpec> all = [] {
    std::vector<CommandSpec> joined = commands;
    for (const auto added : wing_commands())
      joined.insert(std::ranges::find(joined, "plan", &CommandSpec::name), added().spec);
    for (CommandSpec& command : joined) {
      OptionNames all;
      for (const std::string_view name : command.options.all) {
        const std::size_t before = all.size();
        for (const OptionSpec& option : option_table())
          if (option.group == name) all.push_back(option.name);
        if (all.size() == before) all.push_back(name);
      }
      command.options.all = std::move(all);
    }
    return joined;
  }();
  return all;
}
std::span<const ExitStatus> exit_status_table() { return exit_statuses; }

const CommandSpec* find_command(std::string_view name) {
  const auto all = command_table();
  const auto found = std::ranges::find(all, name, &CommandSpec::name);
  return found == all.end() ? nullptr : &*found;
}

bool CommandSpec::has(std::string_view option) const { return std::ranges::count(options.all, option) != 0; }

}  // namespace matchcount::app
