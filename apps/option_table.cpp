#include "apps/option_table.hpp"

#include <string>

#include "approx/estimator.hpp"
#include "apps/progress_bar.hpp"
#include "graph/input.hpp"
#include "linear/determinant.hpp"
#include "permanent/matchings.hpp"
#include "permanent/plan.hpp"

namespace matchcount::app {
namespace {

// The names that a table gives, separated by '|'.
template <class Enum>
std::string_view choices() {
  static const std::string text = [] {
    std::string joined;
    for (const std::string_view name : names_to_ask_for<Enum>())
      joined += (joined.empty() ? "" : "|") + std::string(name);
    return joined;
  }();
  return text;
}

const OptionSpec options[] = {
    {"kind", "KIND", choices<InputKind>(), "",
     "What FILE describes. bipartite: the two columns of an edge list name two separate sides. undirected: one set of "
     "names, of any graph. directed: u -> v. matrix: rows and columns with values."},
    {"format", "FORMAT", choices<InputFormat>(), "auto",
     "File format; auto looks at the first line, then at the file's extension."},
    {"duplicates", "WHAT", choices<Duplicates>(), "refuse",
     "An edge that is given twice is refused, or its weights are added (parallel edges without weights count as many), "
     "or the first is kept."},
    {"keep-zeros", "", "", "", "Stored zeros of a matrix file are edges too."},
    {"header", "WHICH", "yes|no", "",
     "Whether the first line of an edge list is a header or a size, which is skipped. Where it looks like one and this "
     "is not given, the file is refused."},
    {"delimiter", "CHAR", "", "blanks, tabs or a comma",
     "What stands between the fields of an edge list or of dense text: one character, or tab."},
    {"weight-key", "NAME", "", "weight",
     "The attribute of edges that is their weight, in GraphML, GML and lists with data such as {'cost': 2.5}, or its "
     "column in a table of edges. Where no edge has it the file is refused; with '' all weights are 1."},
    {"method", "NAME", choices<Method>(), "auto",
     "How to count; auto takes the method with the least predicted time for every block. frontier: transfer over a "
     "narrow frontier. planar: determinants modulo primes, for planar graphs. staged: inclusion-exclusion with a "
     "special column, staged products and zero skipping; skipper: zero skipping only; sparyser: sparse updates and "
     "zero tracking; ryser: as published. forbert-marx: rows and columns of few entries expanded, what is left by "
     "staged. expansion: by definition."},
    {"expand-degree", "D", "", "4", "With --method forbert-marx: rows and columns of at most D entries, 1 to 4."},
    {"expand-rows", "N", "", "30", "With --method forbert-marx: matrices of N rows are not expanded further."},
    {"method", "NAME", choices<Estimator>(), "auto",
     "How to sample; graphs with odd cycles take auto, guided and the last two. guided: the row or column of fewest "
     "choices first, only edges that lie in some perfect matching of what is left, probabilities by belief "
     "propagation. population: guided samples drawn side by side, those that fall behind replaced by copies of the "
     "others. rasmussen, scaling: as published, rows in order; with + the row of fewest choices first. godsil-gutman, "
     "karmarkar: squares of determinants with random signs, or cube roots of 1, for comparison. auto: a pilot run "
     "decides.",
     false, "estimate"},
    {"method", "NAME", choices<DeterminantMethod>(), "auto",
     "elimination: by blocks. condensation: of Salem and Said, by matrices smaller by one; several times slower. auto: "
     "elimination.",
     false, "determinant"},
    {"samples", "N", "", "as many as the error takes", "Samples of every block."},
    {"method", "NAME", "auto|frontier|planar|ryser", "auto",
     "frontier: transfer over a narrow frontier, forwards and backwards. planar: the inverse of Kasteleyn's matrix, "
     "for planar graphs without negative reals and complex values. ryser: all minors by inclusion-exclusion, for "
     "bipartite graphs of up to 62 vertices a side. auto: the one predicted to be cheapest, for each block.",
     false, "marginals"},
    {"method", "NAME", "auto|frontier|planar|ryser", "auto",
     "frontier: backwards through the layers of a narrow frontier. planar: along a dissection of a planar graph, by "
     "inverses of parts of Kasteleyn's matrix. ryser: row after row by minors, for bipartite graphs of up to 62 "
     "vertices a side; each sample takes a few permanents. auto: frontier, but planar where the layers of a planar "
     "graph would take more than a moment, and ryser where layers of 4 GB would be kept otherwise and a sample takes "
     "less.",
     false, "sample"},
    {"samples", "N", "", "1", "Matchings to draw.", false, "sample"},
    {"first-sample", "I", "", "0",
     "The number of the first sample: where another run ended, for a sample is a function of its number."},
    {"approximate", "", "", "",
     "Draw from a population of matchings with weights, for graphs that can't be counted: as fair as the population is "
     "even, which stderr and JSON say, and the same matching comes again now and then."},
    {"population", "N", "", "4096",
     "With --approximate: how many weighted matchings of each part of the graph samples are taken from.", false,
     "sample"},
    {"estimate", "", "", "",
     "Estimate the probabilities by weighted samples, for graphs that can't be counted: each stands with the two ends "
     "of its interval behind it."},
    {"samples", "N", "", "until no interval reaches farther than 0.01",
     "With --estimate: weighted matchings to draw of each part of the graph.", false, "marginals"},
    {"exact", "", "", "",
     "Instead of probabilities the number of perfect matchings with each edge, exactly; of real and complex weights "
     "the sum of their products, as far as its bound proves it."},
    {"weighted", "", "", "",
     "The values in the file are weights: matchings count in proportion to the products of those of their edges. With "
     "--kind matrix they do in any case. Fractions such as 1/3 are taken exactly."},
    {"first", "K", "", "all", "End after so many."},
    {"skip", "K", "", "0", "Pass over so many first, which takes their time: where another list ended."},
    {"matchings", "WHICH", "perfect|saturating", "perfect",
     "saturating: those that cover the smaller side of a bipartite graph (the rows where both are equal).", false,
     "list"},
    {"engine", "ENGINE", "auto|sparse|dense", "auto",
     "How the frontier method holds its states: sorted and merged, or in an array with a place for each.", false,
     "marginals"},
    {"engine", "ENGINE", "auto|sparse|dense", "auto",
     "How the frontier method holds its states: sorted and merged, or in an array with a place for each.", false,
     "sample"},
    {"relative-error", "E", "", "0.01",
     "Sample until the interval reaches no farther than this share of the estimate."},
    {"confidence", "C", "", "0.95", "How often such an interval is to hold the truth."},
    {"scaling-interval", "K", "", "5", "scaling and scaling+ scale the matrix anew every K rows."},
    {"scaling-rounds", "R", "", "5", "Rounds over columns and rows each time."},
    {"population", "N", "", "by a pilot run", "Size of a population."},
    {"precision", "P", choices<Precision>(), "auto",
     "Arithmetic for real and complex values; integers are always exact. exact: of planar graphs, values count as they "
     "are held (decimals to 30 digits and more), and nothing but the answer is rounded."},
    {"precision", "P", "auto|double|double-double", "auto",
     "Arithmetic for real and complex values; integers and fractions are always exact.", false, "determinant"},
    {"order", "ORDER", choices<FrontierStrategy>(), "auto", "Which vertex orders the frontier method tries."},
    {"effort", "S", "", "what it saves",
     "Seconds of one core for the search of each block's vertex order of the frontier method, whatever they save. They "
     "are counted in steps, so that the order is the same on any machine and number of threads; plan then says how "
     "many transitions the search started from and came to."},
    {"engine", "ENGINE", choices<FrontierEngine>(), "auto",
     "How the frontier method holds its states: sorted and merged; in an array with a place for each; merged, and "
     "vertices with the same neighbours and values matched in turn; lean: integers modulo primes of 31 bits, pass "
     "after pass, in one array that is rewritten in place, in the least memory (others as auto). auto takes that where "
     "it is no slower, or where nothing else fits. Older names are taken too: merge for sparse, ranked for dense."},
    {"matchings", "KIND", choices<MatchingKind>(), "perfect",
     "Which matchings count. maximum: of as many edges as there can be. saturating: that cover the smaller side of a "
     "bipartite graph; of a matrix that is not square, its rectangular permanent. all: the empty one included. "
     "by-size: of 0, 1, 2, ... edges, a line `SIZE COUNT` for each. Exactly as ever; by the frontier method, or for "
     "maximum and saturating by any method on a completed graph."},
    {"matchings", "KIND", "perfect|maximum|saturating|all|by-size|lightest|heaviest", "perfect",
     "Which matchings count. maximum, saturating, all, by-size: as permanent --help explains. lightest, heaviest: the "
     "perfect matchings with the least or the greatest sum of their edges' values (without values, of 1 each), a line "
     "`SUM COUNT`; values 0 with --keep-zeros.",
     false, "count"},
    {"matchings", "KIND", "perfect|maximum|saturating|all|by-size|lightest|heaviest", "perfect",
     "Which matchings are to be counted, as count and permanent have them.", false, "plan"},
    {"activity", "X", "", "1",
     "With --matchings all: the weight of every vertex that a matching leaves out, an integer, a decimal or a fraction "
     "(the activity of monomers)."},
    {"loops", "", "", "",
     "Loops of the graph, or a matrix's diagonal, are the weights of vertices that are left out: the loop hafnian."},
    {"no-prune", "", "", "", "Keep edges that are in no perfect matching, and do not split into blocks."},
    {"no-reduce", "", "", "", "Leave vertices of degree 1 and 2 as they are."},
    {"verify", "", "", "", "A second, independent method must agree."},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:0,1,.. : auto counts by inclusion-exclusion on all GPUs where that is predicted to be "
     "cheaper than any method on the CPU; cuda counts there whatever it costs."},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:0,1,.. : auto samples on all GPUs where that is predicted to take seconds on the CPU. "
     "Populations are drawn on the CPU alone. A sample is the same everywhere.",
     false, "estimate"},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:1 : auto takes a GPU for what would take seconds without. Where doubles prove no digit "
     "of a real or complex number, double-doubles on the CPU follow.",
     false, "determinant"},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:1 : auto takes a GPU for what would take seconds without.", false, "parity"},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:1 : auto takes a GPU for a closure that would take seconds without.", false, "reach"},
    {"device", "DEVICE", "", "auto",
     "auto, cpu, cuda or cuda:0,1,.. as for count; h200, h100 or a100: as if every rank had one of these.", false,
     "plan"},
    {"of", "COMMAND", "count|marginals|sample", "count",
     "Plan that command, with the options that it has itself; count with --kind matrix is permanent. Of sample, the "
     "time is that until the first sample is drawn."},
    {"ranks", "R", "", "1",
     "As many ranks of an mpirun, each with a machine like this one or the device that is named."},
    {"threads", "N", "", "all cores", "Number of threads. The answer does not depend on it."},
    {"seed", "N", "", "1", "Seed of everything random. Same seed, same answer."},
    {"time-limit", "S", "", "none", "Seconds, reading included; a run that would take longer is refused or stopped."},
    {"time-limit", "S", "", "60, or none with --samples",
     "Seconds, reading included; sampling ends there, with the interval that was reached.", false, "estimate"},
    {"time-limit", "S", "", "none, or 60 with --estimate without --samples",
     "Seconds, reading included; a run that would take longer is refused or stopped, but an estimate ends there, with "
     "the intervals that were reached.",
     false, "marginals"},
    {"memory-limit", "SIZE", "", "9/10 of what is free",
     "Bytes, or 512M, 2G and the like (powers of 1024); a run that would need more is refused or stopped."},
    {"checkpoint", "FILE", "", "none",
     "Keep what is done in FILE: written every --checkpoint-interval seconds, when the run is interrupted or a limit "
     "ends it, and in the end. A time limit then ends the run instead of refusing it.",
     true},
    {"checkpoint-interval", "S", "", "60", "Seconds between two writes of the checkpoint."},
    {"resume", "", "", "",
     "Go on from the checkpoint if it is there, on any number of threads and GPUs; one of another input, method or "
     "version is refused."},
    {"json", "", "", "", "A line with a JSON object instead of text, for failures too (docs/schema.json)."},
    {"digits", "N", "", "17",
     "Print at most N significant digits of a real or complex number, and none that its error bound does not support. "
     "What is exact is printed in full."},
    {"quiet", "", "", "", "No notes on stderr."},
    {"progress", "WHEN", choices<ProgressMode>(), "auto",
     "A progress bar on stderr for anything over two seconds; auto: where stderr is a terminal."},
    {"write", "FILE", "", "",
     "Write the reduced graph: a matrix with the same permanent, one block behind the other. Its format follows from "
     "the name: .mtx, .gr, .graph, .graphml, else an edge list; .gz behind it compresses.",
     true},
    {"write", "FILE", "", "",
     "Write the closure as an edge list, an arc for every pair and a line for every vertex in none; .gz behind the "
     "name compresses.",
     true, "reach"},
    {"svg", "FILE", "", "",
     "Write a picture: of a sample, with edges coloured by direction, where they are dominoes or lozenges as tiles; of "
     "marginals, with edges coloured by probability. One input, and one sample; .gz behind the name compresses.",
     true},
    {"coordinates", "FILE", "", "as --svg finds them",
     "Places of the vertices in the picture: lines `name x y`, or `x y` in the order of the vertices (rows, then "
     "columns). Else they are those of the lattice that generate wrote, or of a molecule's atoms; planar graphs are "
     "drawn without crossings, others in two columns or on a circle.",
     true},
    {"from", "NAME", "", "", "Only from this vertex: the names of the vertices that it reaches, a line each."},
    {"weights", "LAW", "uniform|normal|complex|signs|integers:LO:HI", "",
     "Random weights: reals in [0, 1); normal reals of variance 1; complex numbers with normal parts and mean |w|^2 1; "
     "-1 or 1; integers from LO to HI. A weight of 0 is read back as no edge."},
    {"kuratowski", "", "", "",
     "Say whether the graph is planar, and where it is not, name the edges of a subdivision of K5 or K3,3 in it."},
    {"output", "FILE", "", "stdout", "Write to FILE; .gz behind the name compresses.", true},
    {"man", "", "", "", "The manual page, in roff."},
    {"completion", "SHELL", "bash|zsh", "", "A completion script."},
    {"help", "", "", "", "This text."},
    {"version", "", "", "", "The version."},
};

using OptionNames = std::vector<std::string_view>;
const OptionNames reading = {"format", "duplicates", "keep-zeros", "header", "delimiter", "weight-key"};
const OptionNames limits = {"time-limit", "memory-limit"};
const OptionNames running = {"device", "threads", "seed", "time-limit", "memory-limit"};
const OptionNames saving = {"checkpoint", "checkpoint-interval", "resume"};
const OptionNames printing = {"json", "quiet", "progress", "help"};

CommandOptions own_and(const OptionNames& own, const std::vector<OptionNames>& groups) {
  CommandOptions names{own, own};
  for (const OptionNames& group : groups) names.all.insert(names.all.end(), group.begin(), group.end());
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
     own_and({"kind", "matchings", "activity", "method", "expand-degree", "expand-rows", "verify", "order", "effort",
              "engine", "no-prune", "no-reduce"},
             {reading, running, saving, printing}),
     {{"matchcount generate grid 8 8 | matchcount count -", "12988816", "the domino tilings of a chessboard"},
      {"matchcount generate grid 8 8 | matchcount count - --matchings all", "179788343101980135",
       "monomers and dimers"},
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
     own_and({"kind", "method", "expand-degree", "expand-rows", "verify", "order", "effort", "engine", "no-prune",
              "no-reduce"},
             {reading, running, saving, printing}),
     {{"printf 'a b\\nb a\\na a\\nb b\\n' | matchcount cycles -", "2", "two self-loops, or a -> b -> a"},
      {"matchcount cycles web.mtx", "", "a square matrix: row i, column j is the arc i -> j"}}},
    {"permanent",
     "FILE... [options]",
     "permanent of a matrix, exactly for integers, with an error bound for reals",
     "Computes the permanent of the matrix in FILE: an exact integer where all entries are integers, else a real or "
     "complex number with as many digits as its error bound supports, and that bound on stderr; where it supports no "
     "digit, [+/- X]: the absolute value is at most X. Entries without values are 1. A matrix that is not square has "
     "permanent 0, unless --matchings saturating asks for the rectangular one. With --kind undirected it is hafnian.",
     "matrix",
     own_and({"kind", "matchings", "activity", "method", "expand-degree", "expand-rows", "precision", "digits",
              "verify", "order", "effort", "engine", "no-prune", "no-reduce"},
             {reading, running, saving, printing}),
     {{"matchcount permanent steam3.mtx", "2.3029020131443332e410", "any magnitude"},
      {"matchcount permanent m.mtx --precision double --method staged", "", "choose the arithmetic and the method"},
      {"matchcount permanent batch.npy", "", "of every matrix of a three-dimensional array, a line each"},
      {"matchcount permanent m.mtx --json | jq -r .result.value", "", "for programs"}}},
    {"hafnian",
     "FILE... [options]",
     "sum over perfect matchings of the product of weights, of any graph",
     "Computes the hafnian of the symmetric matrix of the undirected graph in FILE: the sum over its perfect matchings "
     "of the product of their edges' values, exactly for integers and fractions, else with an error bound. Edges "
     "without values are 1. A matrix has to be symmetric, with nothing on its diagonal unless --loops takes that.",
     "undirected",
     own_and({"loops", "matchings", "activity", "method", "expand-degree", "expand-rows", "precision", "digits",
              "verify", "order", "effort", "engine", "no-prune", "no-reduce"},
             {reading, running, saving, printing}),
     {{"matchcount hafnian covariance.npy", "", "of a symmetric matrix of numpy's"},
      {"printf 'a b 2\nb c 3\nc d 5\nd a 7\n' | matchcount hafnian -", "31", "2 * 5 + 3 * 7"},
      {"printf 'a b 2\na a 3\nb b 5\n' | matchcount hafnian - --loops", "17", "2 + 3 * 5"}}},
    {"marginals",
     "FILE... [options]",
     "for every edge, the share of the perfect matchings that contain it",
     "Prints every edge of the graph in FILE with its probability in a perfect matching that is drawn at random, each "
     "as likely as the others or, by --weighted and --kind matrix, in proportion to the products of their edges' "
     "values: Pauling's bond orders, the correlations of dimers. The sums of all edges of a vertex are 1, which is "
     "checked. Where there is no perfect matching, or a value is negative or complex, there is no probability, but "
     "with --exact the sums are given.",
     "bipartite",
     own_and({"kind", "exact", "weighted", "method", "digits", "order", "effort", "engine", "estimate", "samples",
              "confidence", "svg", "coordinates"},
             {reading, {"threads", "seed"}, limits, saving, printing}),
     {{"matchcount marginals benzene.mol", "", "half of the Kekule structures each"},
      {"matchcount generate grid3d 8 8 8 | matchcount marginals - --estimate", "", "where exact ones are out of reach"},
      {"matchcount marginals coronene.mol --svg coronene.svg", "", "its bonds, coloured by their orders"},
      {"matchcount generate grid 8 8 | matchcount marginals - --exact", "", "in how many tilings each domino is"},
      {"matchcount marginals m.mtx --kind matrix --json | jq .result.edges", "", "for programs"}}},
    {"sample",
     "FILE... [options]",
     "random perfect matchings, independent and exactly uniform",
     "Draws perfect matchings of the graph in FILE, each as likely as the others or, by --weighted and --kind matrix, "
     "in proportion to the products of their edges' values. Each is an edge list behind a comment, with --json an "
     "object on a line. The I-th is a function of the graph, --seed, --method, --order, --effort and I alone, whatever "
     "the limits and the number of threads. Probabilities are right to a relative 1e-12, by ryser to 1e-9, by the "
     "planar method to 1e-6 at worst. Values that are negative or complex are refused.",
     "bipartite",
     own_and({"kind", "samples", "first-sample", "weighted", "method", "order", "effort", "engine", "approximate",
              "population", "svg", "coordinates"},
             {reading, {"threads", "seed"}, limits, printing}),
     {{"matchcount generate grid 8 8 | matchcount sample -", "", "a random tiling by dominoes"},
      {"matchcount generate aztec 20 | matchcount sample - --svg aztec.svg", "", "a picture of one"},
      {"matchcount sample graph.txt --kind undirected --samples 1000 --seed 7 --json", "",
       "a thousand, for programs"}}},
    {"list",
     "FILE... [options]",
     "perfect matchings one by one, each once, in lexicographic order",
     "Lists the perfect matchings of the graph in FILE, one a line, edges separated by commas. The first vertex goes "
     "through its partners in the order of the file's names (numbers ascend, other names stand as they appear), for "
     "each of them the next vertex that is left, and so on. The first lines come at once, whatever the number of all; "
     "memory is that of the graph. Ctrl-C and --time-limit end the list with what was printed. Values are ignored.",
     "bipartite",
     own_and({"kind", "first", "skip", "matchings"}, {reading, limits, printing}),
     {{"matchcount generate grid 8 8 | matchcount list - --first 10", "", "ten of its tilings"},
      {"matchcount list southern-women.csv --matchings saturating", "", "an event for each woman, or the other way"}}},
    {"determinant",
     "FILE... [options]",
     "determinant of a matrix, exactly for integers and fractions, with an error bound for reals",
     "Computes the determinant of the square matrix in FILE: an exact integer where all entries are integers (of any "
     "size), an exact fraction where one of them is a fraction such as -1/3 (decimals beside it count exactly), else a "
     "real or complex number with as many digits as its proven error bound supports, and that bound on stderr; where "
     "it supports no digit, [+/- X]: the absolute value is at most X. Entries without values are 1.",
     "matrix",
     own_and({"kind", "method", "precision", "digits"}, {reading, running, printing}),
     {{"printf '1 1 1/2\\n1 2 1/3\\n2 1 1/3\\n2 2 1/4\\n' | matchcount determinant -", "1/72", "a Hilbert matrix"},
      {"matchcount determinant steam3.mtx", "", "any magnitude"},
      {"matchcount determinant m.mtx --json | jq .result", "", "sign, mantissa and exponent"}}},
    {"parity",
     "FILE... [options]",
     "parity of a count, of graphs far too large to count",
     "Says whether the number of perfect matchings of the graph in FILE is odd (1) or even (0); with --kind directed "
     "that of its cycle covers. Values are ignored as by count, but for parallel edges under --duplicates sum; with "
     "--kind matrix it is the permanent that is odd or even, and values that are not integers are refused. It is the "
     "determinant modulo 2 and takes n * n / 4 bytes for n vertices a side: 8192 a second, and less, on two cores.",
     "bipartite",
     own_and({"kind"}, {reading, {"device", "threads"}, limits, printing}),
     {{"matchcount generate grid 24 24 | matchcount parity -", "0", "the count of 70 digits ends in 6"},
      {"printf 'a b\nb c\nc a\nc d\n' | matchcount parity - --kind undirected", "1", "of any graph"}}},
    {"estimate",
     "FILE... [options]",
     "estimate of a count or a permanent, with a confidence interval and a certain bracket",
     "Estimates the number of perfect matchings of the graph in FILE where an exact count is too expensive; with "
     "--kind directed its cycle covers, and with --kind matrix its permanent, whose entries must not be negative. "
     "Small blocks are counted exactly; those with odd cycles get guided samples, on the CPU. stderr gives the "
     "interval, and a warning where it is not to be believed.",
     "bipartite",
     own_and({"kind", "method", "samples", "relative-error", "confidence", "scaling-interval", "scaling-rounds",
              "population"},
             {reading, running, saving, printing}),
     {{"matchcount generate grid 24 24 | matchcount estimate -", "", "within 1 % at 95 % confidence"},
      {"matchcount estimate friends.txt --kind undirected", "", "of any graph"},
      {"matchcount estimate m.mtx --kind matrix --relative-error 0.001 --time-limit 600", "", "weights honoured"},
      {"matchcount estimate g.txt --method scaling+ --scaling-interval 1 --samples 1000000 --json", "",
       "as published, for programs"}}},
    {"decompose",
     "FILE... [options]",
     "maximum matching, Dulmage-Mendelsohn or Gallai-Edmonds decomposition, useless edges, blocks",
     "Shows the structure of the graph in FILE: its maximum matching, the coarse and the fine Dulmage-Mendelsohn "
     "decomposition, the edges that are in no perfect matching (in no maximum matching where none is perfect), and "
     "what is left after vertices of degree 1 and 2 are merged away. A graph with odd cycles has the Gallai-Edmonds "
     "decomposition, whose A proves that no matching is larger, and components without useless edges in their place. "
     "--json lists the members of every part. Values are used with --kind matrix only.",
     "bipartite",
     own_and({"kind", "write", "kuratowski", "no-reduce"}, {reading, limits, printing}),
     {{"matchcount decompose graph.txt", "", "a summary"},
      {"matchcount decompose graph.txt --kind undirected --kuratowski", "", "of any graph; planar, or why not"},
      {"matchcount decompose m.mtx --kind matrix --write small.mtx", "", "a smaller matrix with the same permanent"}}},
    {"reach",
     "FILE... [options]",
     "number of pairs of vertices with a path between them: the transitive closure",
     "Counts the ordered pairs (u, v) of vertices of the digraph in FILE with a path of at least one arc from u to v; "
     "(v, v) is one where v lies on a cycle. An undirected graph's edges go both ways. Values are ignored. stderr "
     "tells the strong components. It takes at least 64 bytes for every component and thread, and more where it may.",
     "directed",
     own_and({"kind", "from", "write"}, {reading, {"device", "threads"}, limits, printing}),
     {{"printf 'a b\\nb c\\nc b\\n' | matchcount reach -", "6", "a reaches b and c, b and c both"},
      {"matchcount reach web.txt.gz --from start", "", "what one vertex reaches"},
      {"matchcount reach tasks.txt --write closure.txt", "", "every pair"}}},
    {"plan",
     "FILE... [options]",
     "what would run and why, with the predicted time and memory of every method",
     "Reads and decomposes FILE and prints, block by block, what every method would cost, the cheapest first. Counts "
     "nothing. With --kind matrix it plans permanent, else count, or what --of names.",
     "bipartite",
     own_and({"kind", "of", "exact", "weighted", "matchings", "activity", "loops", "method", "expand-degree",
              "expand-rows", "precision", "order", "effort", "engine", "no-prune", "no-reduce", "ranks"},
             {reading, running, printing}),
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
     own_and({"kind", "format", "seed", "weights", "output"}, {limits, {"quiet", "help"}}),
     {{"matchcount generate grid 24 24 --output grid.mtx", "", "the format follows from the name"},
      {"matchcount generate random 40 40 0.2 --seed 7 | matchcount plan -", "", "what would this take?"},
      {"matchcount generate random 30 30 1 --weights uniform --seed 7 --output dense.mtx", "", "a matrix of reals"},
      {"matchcount generate aztec 10 | matchcount count -", "36028797018963968", "2^55"}}},
    {"devices",
     "[options]",
     "the devices and backends found here",
     "Shows the processor, the cores that this process may use, the vector instructions that were found, the memory, "
     "and which backends this build has.",
     "",
     own_and({}, {{"json", "help"}}),
     {{"matchcount devices", "", ""}}},
    {"help",
     "[COMMAND] [options]",
     "help on a command, the manual page, shell completion",
     "Explains a command, or everything as a manual page, or writes a completion script for a shell.",
     "",
     own_and({"man", "completion"}, {{"help"}}),
     {{"matchcount help count", "", "the same as matchcount count --help"},
      {"matchcount help --man | man -l -", "", "the manual page"},
      {"source <(matchcount help --completion bash)", "", "completion in this shell"}}},
};

constexpr ExitStatus exit_statuses[] = {
    {0, "an answer; 0 is an answer"},
    {2, "bad usage or bad input: stderr says which file, which line, what was found and what was expected"},
    {3, "unable here: past a limit, interrupted, the method does not apply, or the output could not be written"},
    {4, "a device or MPI failed"},
};

constexpr GeneratorSpec generators[] = {
    {"grid", "H W", "H x W vertices, neighbours joined: domino tilings"},
    {"torus", "H W", "the same, periodic both ways; both even and above 2"},
    {"grid3d", "A B C", "A x B x C vertices, neighbours joined"},
    {"knight", "H W", "H x W squares of a chessboard, joined by knights' moves"},
    {"king", "H W", "the same by kings' moves; it has odd cycles"},
    {"hexagon", "A B C", "honeycomb region: lozenge tilings, plane partitions in a box"},
    {"aztec", "N", "Aztec diamond of order N: 2^(N(N+1)/2) perfect matchings"},
    {"hypercube", "D", "2^D vertices"},
    {"regular", "N D", "random, simple, N vertices a side, all of degree D"},
    {"random", "R C P", "every one of R x C edges with probability P"},
    {"band", "N W", "row i joined to the columns j with |i - j| <= W"},
    {"complete", "R C", "every row joined to every column"},
    {"planar", "N [P]",
     "random and planar with a perfect matching, N vertices a side; the share P of the edges that can go is kept, 0.7"},
};

}  // namespace

std::span<const OptionSpec> option_table() { return options; }
std::span<const CommandSpec> command_table() { return commands; }
std::span<const ExitStatus> exit_status_table() { return exit_statuses; }
std::span<const GeneratorSpec> generator_table() { return generators; }

const OptionSpec* find_option(std::string_view name, std::string_view command) {
  const OptionSpec* found = nullptr;
  for (const OptionSpec& option : options) {
    if (option.name != name) continue;
    if (option.command == command) return &option;
    if (option.command.empty()) found = &option;
  }
  return found;
}

const CommandSpec* find_command(std::string_view name) {
  for (const CommandSpec& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> parts;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    parts.push_back(choices.substr(0, bar));
    choices = bar == std::string_view::npos ? std::string_view{} : choices.substr(bar + 1);
  }
  return parts;
}

}  // namespace matchcount::app
