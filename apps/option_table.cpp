#include "apps/option_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/option_types.hpp"

namespace matchcount::app {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* a_file = "a file name";

// Standard output is the answer's. A command has one option of this type.
ValueType output_file() {
  return {.is_file = true, .read = [](Options& options, std::string_view name, const std::string& text) {
            if (text.empty()) refuse(name, text, a_file);
            if (text == "-")
              refuse(name, text, "a file name: standard output is the answer's, and ./- a file of that name");
            if (!options.output.empty())
              throw InputError(options.output_option + " with --" + std::string(name), "one of the two");
            options.output = text;
            options.output_option = "--" + std::string(name);
          }};
}

ValueType delimiter() {
  return {.read = [](Options& options, std::string_view name, const std::string& text) {
    if (text.empty()) refuse(name, text, "a mark or several, or tab");
    options.input.delimiter = text == "tab" || text == "\\t" ? "\t" : text;
  }};
}

ValueType no_edge() {
  return {.read = [](Options& options, std::string_view name, const std::string& text) {
    const std::string_view number = std::string_view(text).substr(text.starts_with('-') || text.starts_with('+'));
    if (!read_number(text) && number != "inf" && number != "nan") refuse(name, text, "a number, inf or nan");
    options.input.no_edge = text;
  }};
}

ValueType weight_key() {
  return {.read = [](Options& options, std::string_view, const std::string& text) { options.input.weight_key = text; }};
}

// Names of strategies are no files.
ValueType order() {
  const ValueType strategy = one_of(into(&CountOptions::frontier_strategy));
  return {.choices = strategy.choices,
          .is_file = true,
          .read = [=](Options& options, std::string_view name, const std::string& text) {
            if (std::ranges::count(split_choices(strategy.choices), text) != 0)
              return strategy.read(options, name, text);
            if (text.empty()) refuse(name, text, std::string(strategy.choices) + " or a file name");
            options.order_file = text;
          }};
}

// A file, or `all-near` and a number, which join_words made one word.
ValueType pairs() {
  return {.is_file = true, .read = [](Options& options, std::string_view name, const std::string& text) {
            const std::string near = "all-near";
            if (text.empty() || text == "-") refuse(name, text, "all-near K or a file name");
            if (!text.starts_with(near + " ") && text != near) {
              options.pairs_file = text;
              return;
            }
            options.near = parse_number<Vertex>(text.substr(std::min(text.size(), near.size() + 1)));
            if (!options.near || *options.near == 0) refuse(name, text, "all-near K, K from 1 on");
          }};
}

ValueType periods() {
  return {.read = [](Options& options, std::string_view name, const std::string& text) {
    const std::size_t comma = text.find(',');
    const auto period = [&](const std::string& part) {
      const auto value = parse_number<double>(part);
      if (!value || !std::isfinite(*value) || *value < 0)
        refuse(name, text, "two numbers, 5,4 or, where one direction has no period, 5,0");
      return *value;
    };
    if (comma == std::string::npos) period("");
    options.periods = Point{period(text.substr(0, comma)), period(text.substr(comma + 1))};
  }};
}

ValueType activity() {
  return {.read = [](Options& options, std::string_view name, const std::string& text) {
    options.activity = read_number(text);
    if (!options.activity) refuse(name, text, "an integer, a decimal or a fraction such as 1/2");
  }};
}

ValueType matchings(std::string_view choices) {
  return {.choices = choices, .read = [=](Options& options, std::string_view name, const std::string& text) {
            // Older names, for a version.
            const std::string_view asked = text == "lightest"   ? "minimum-weight"
                                           : text == "heaviest" ? "maximum-weight"
                                                                : std::string_view(text);
            const auto listed = split_choices(choices);
            if (std::ranges::count(listed, asked) == 0 && asked == "by-size")
              refuse(name, text,
                     matchcount::listed(listed) + ": sums have sizes, a single matching has none but its own");
            if (std::ranges::count(listed, asked) == 0) refuse_choice(name, text, choices);
            if (asked == "minimum-weight") options.optimum = Optimum::lightest;
            if (asked == "maximum-weight") options.optimum = Optimum::heaviest;
            if (!options.optimum) options.matchings = from_string<MatchingKind>(asked);
          }};
}

// A plan may be made for GPUs that are not here: "h200", or "8xh200".
ValueType device(bool of_plan) {
  return {.read = [=](Options& options, std::string_view, const std::string& text) {
    DeviceChoice& choice = options.count.run.device;
    constexpr int most = 1024;
    int count = 1;
    const char* const end = text.data() + text.size();
    const char* name = text.data();
    if (const auto [at, error] = std::from_chars(name, end, count); error == std::errc() && at != end && *at == 'x')
      name = at + 1;
    const std::string_view model(name, end);
    if (!of_plan || count < 1 || count > most || (model != "h200" && model != "h100" && model != "a100")) {
      choice = parse_device_choice(text);
    } else {
      choice.kind = DeviceChoice::Kind::cuda;
      choice.assumed.assign(static_cast<std::size_t>(count), known_device(std::string(model)));
    }
  }};
}

template <class Into>
ValueType duration(Into into, double least) {
  return {.read = [=](Options& options, std::string_view name, const std::string& text) {
    const auto seconds = parse_duration(text);
    if (!seconds || !(*seconds > least))
      refuse(name, text,
             std::string("a number of seconds ") + (least < 0 ? "from" : "above") +
                 " 0, or such as 20min, 2h, 1d, 1:30:00");
    into(options) = *seconds;
  }};
}

ValueType memory_limit() {
  return {.read = [](Options& options, std::string_view, const std::string& text) {
    options.count.run.memory_limit_bytes = parse_size(text);
  }};
}

// Reads the law of random weights, which is not always a word: integers:LO:HI.
ValueType random_weights() {
  constexpr std::string_view laws = "uniform|normal|complex|signs|integers:LO:HI";
  return {.choices = laws, .read = [=](Options& options, std::string_view name, const std::string& text) {
            if (text.empty()) refuse(name, text, std::string(laws));
            options.weights = text;
          }};
}

constexpr std::string_view engines = "auto|sparse|dense";
constexpr std::string_view distribution_methods = "auto|frontier|trees|planar|complement|classes|cuts|ryser";
constexpr std::string_view all_matchings =
    "perfect|maximum|saturating|all|by-size|maximal|minimum-weight|maximum-weight";
constexpr std::string_view estimated_matchings = "perfect|maximum|saturating|all|by-size|minimum-weight|maximum-weight";
constexpr std::string_view single_matchings = "perfect|maximum|saturating|all|minimum-weight|maximum-weight";

// Options that commands name themselves, and groups that commands name as a whole.
const OptionSpec of_commands[] = {
    {"kind",
     "KIND",
     one_of(into(&InputOptions::kind)),
     "",
     "What FILE describes.",
     {{"bipartite", "the two columns of an edge list name two separate sides"},
      {"undirected", "one set of names, of any graph"},
      {"directed", "u -> v"},
      {"matrix", "rows and columns with values"}}},
    {"method",
     "NAME",
     one_of(into(&CountOptions::method)),
     "auto",
     "How to find the answer; auto takes what is predicted, or found by a pilot run, to be the cheapest for every "
     "block.",
     {{"frontier", "transfer over a narrow frontier"},
      {"trees", "sums carried along a tree decomposition with joins, for graphs that look like trees from afar"},
      {"planar",
       "Kasteleyn's matrix, for planar graphs; of marginals and samples without negative reals and complex values"},
      {"complement",
       "matchings by size of what a matrix of rank one leaves, for complements of sparse graphs, complete "
       "multipartite graphs and the like"},
      {"classes", "states are how many vertices of each kind are free, for graphs of few kinds"},
      {"low-rank", "monomials of as many variables as the rank, for matrices such as i + j; of counts alone"},
      {"power-traces",
       "inclusion and exclusion over pairs of vertices, for dense graphs with odd cycles; of counts alone"},
      {"cuts", "pieces that hang on the rest by one, two or three vertices, each by any method"},
      {"staged", "inclusion-exclusion with a special column, staged products and zero skipping"},
      {"skipper", "zero skipping only"},
      {"sparyser", "sparse updates and zero tracking"},
      {"ryser",
       "inclusion-exclusion as published; for marginals and samples by all minors, of bipartite graphs of up "
       "to 62 vertices a side"},
      {"forbert-marx", "rows and columns of few entries expanded, what is left by staged"},
      {"expansion", "by definition"},
      {"guided",
       "the row or column of fewest choices first, only edges that lie in some perfect matching of what is "
       "left, probabilities by belief propagation; of any graph"},
      {"population", "guided samples drawn side by side, those that fall behind replaced by copies of the others"},
      {"annealing",
       "matchings of growing size, by edges added, taken out and slid: independent of the others, and slower; of any "
       "graph"},
      {"rasmussen|scaling|rasmussen+|scaling+", "as published, rows in order; with + the row of fewest choices first"},
      {"godsil-gutman|karmarkar",
       "squares of determinants with random signs, or cube roots of 1, for comparison; of any graph"},
      {"elimination", "by blocks"},
      {"condensation", "of Salem and Said, by matrices smaller by one; several times slower"}},
     {{{"estimate"}, one_of(into(&EstimateOptions::method)), "auto"},
      {{"determinant"}, one_of(into(&DeterminantOptions::method)), "auto"},
      {{"marginals", "sample"}, one_of(into(&CountOptions::method), distribution_methods), "auto"}}},
    {"samples",
     "N",
     whole(into(&EstimateOptions::samples), 2),
     "as many as the error takes",
     "How many to draw: matchings, or for an estimate samples of every block.",
     {},
     {{{"sample"}, whole(into(&Options::samples), 1), "1"},
      {{"marginals"},
       whole(into(&DistributionEstimateOptions::samples), 2),
       "until no interval reaches farther than 0.01"}}},
    {"first-sample", "I", whole(into(&Options::first_sample), 0), "0",
     "The number of the first sample: where another run ended, for a sample is a function of its number."},
    {"approximate", "", flag(into(&Options::by_estimate)), "",
     "Draw from a population of matchings with weights, for graphs that can't be counted: as fair as the population is "
     "even, which stderr and JSON say, and the same matching comes again now and then."},
    {"estimate", "", flag(into(&Options::by_estimate)), "",
     "Estimate the probabilities by weighted samples, for graphs that can't be counted: each stands with the two ends "
     "of its interval behind it."},
    {"exact", "", flag(into(&Options::exact)), "",
     "Instead of probabilities the number of matchings with each edge, exactly; of real and complex weights "
     "the sum of their products, as far as its bound proves it."},
    {"weighted", "", flag(into(&Options::weighted)), "",
     "The values in the file are weights: matchings count in proportion to the products of those of their edges. With "
     "--kind matrix they do in any case. Fractions such as 1/3 are taken exactly."},
    {"first", "K", whole(into(&Options::first), 1), "all", "End after so many."},
    {"skip", "K", whole(into(&Options::skip), 0), "0",
     "Pass over so many first, which takes their time: where another list ended."},
    {"relative-error", "E", real(into(&EstimateOptions::relative_error), "a number above 0, such as 0.01", 0, infinity),
     "0.01", "Sample until the interval reaches no farther than this share of the estimate."},
    {"confidence",
     "C",
     real(into(&EstimateOptions::confidence), "a number between 0 and 1, such as 0.95", 0, 1),
     "0.95",
     "How often such an interval is to hold the truth.",
     {},
     {{{"marginals"},
       real(into(&DistributionEstimateOptions::confidence), "a number between 0 and 1, such as 0.95", 0, 1),
       "0.95"}}},
    {"scaling-interval", "K", whole(into(&EstimateOptions::scaling_interval), 1), "5",
     "scaling and scaling+ scale the matrix anew every K rows."},
    {"scaling-rounds", "R", whole(into(&EstimateOptions::scaling_rounds), 0), "5",
     "Rounds over columns and rows each time."},
    {"population",
     "N",
     whole(into(&EstimateOptions::population), 2),
     "by a pilot run",
     "How many weighted matchings of each part of the graph are drawn side by side, to estimate from or with "
     "--approximate to take samples from.",
     {},
     {{{"sample"}, whole(into(&DistributionEstimateOptions::population), 2), "4096"}}},
    {"precision",
     "P",
     one_of(into(&RunOptions::precision)),
     "auto",
     "Arithmetic for real and complex values; integers are always exact.",
     {{"exact",
       "nothing but the answer is rounded, and of decimals that no double is (0.1) not even that: it is a fraction"}},
     {{{"determinant"}, one_of(into(&RunOptions::precision), "auto|double|double-double"), "auto"}}},
    {"matchings",
     "KIND",
     matchings(names_of<MatchingKind>()),
     "perfect",
     "Which matchings count, exactly as ever.",
     {{"maximum", "of as many edges as there can be"},
      {"saturating",
       "those that cover the smaller side of a bipartite graph (the rows where both are equal); of a "
       "matrix that is not square, its rectangular permanent"},
      {"all", "the empty one included"},
      {"by-size",
       "of 0, 1, 2, ... edges, a line `SIZE COUNT` for each; estimate: by annealing, with `[LOW, HIGH]` behind"},
      {"maximal", "to which no edge can be added, of whatever size"},
      {"minimum-weight|maximum-weight",
       "the perfect matchings with the least or the greatest sum of their edges' values (without values, of 1 each), a "
       "line `SUM COUNT`; values 0 with --keep-zeros"}},
     {{{"count", "plan"}, matchings(all_matchings), "perfect"},
      {{"estimate"}, matchings(estimated_matchings), "perfect"},
      {{"marginals", "sample", "list"}, matchings(single_matchings), "perfect"}}},
    {"activity", "X", activity(), "1",
     "With --matchings all or maximal: the weight of every vertex that a matching leaves out, an integer, a decimal or "
     "a fraction (the activity of monomers)."},
    {"by", "COLUMN", word(into(&Options::by), "the name or the number of a column, weight or loops"), "",
     "Tell matchings apart by how many edges of each label they have. A line `LABEL=NUMBER .. COUNT` is printed for "
     "every combination that there is. Labels stand in a column of the edge list or table, given by its name in the "
     "first line or its number from 1; the ends of edges in the first two, or in --columns. With `weight` by the sum "
     "of the edges' integer values, a line `SUM COUNT`; cycles: with `loops` by the number of loops, a line `LOOPS "
     "COUNT`."},
    {"sextets", "", flag(into(&Options::sextets)), "",
     "Count the Clar covers too: sets of disjoint hexagons and edges that have each vertex once. A line "
     "`K COVERS SETS` for every number K of hexagons up to the Clar number: the coefficients of the Zhang-Zhang "
     "polynomial and of the sextet polynomial, whose sets of hexagons leave a graph with a perfect matching, or "
     "nothing."},
    {"given", "EDGES", word(into(&Options::conditions), "edges such as u-v,!u-w"), "",
     "Only matchings with these edges, named by their ends and separated by commas, and without those behind a !: "
     "a-x,!b-y. Of a bipartite graph the row comes first. Edges that no such matching can have are left out of "
     "answers."},
    {"pairs", "FILE|all-near K", pairs(), "",
     "Edges taken two at a time: for each pair how likely both are, their correlation, and the connected part of it, "
     "P(e, f) - P(e) P(f), in place of the edges. FILE has two edges on a line, each as --given spells them, U-V W-X; "
     "all-near takes all pairs of disjoint edges with a path of at most K edges between, in the graph that --given "
     "leaves."},
    {"verify",
     "",
     flag(into(&CountOptions::verify)),
     "",
     "A second, independent method must agree.",
     {},
     {{{"estimate"}, flag(into(&EstimateOptions::verify)), ""}}},
    {"of", "COMMAND",
     chosen("count|marginals|sample",
            [](Options& options, std::string_view text) {
              if (text != "count") options.planned = find_command(text);
            }),
     "count",
     "Plan that command, with the options that it has itself; count with --kind matrix is permanent. Of sample, the "
     "time is that until the first sample is drawn."},
    {"ranks", "R", whole(into(&Options::planned_ranks), 1), "1",
     "As many ranks of an mpirun, each with a machine like this one or the device that is named."},
    {"digits", "N", whole(into(&Options::digits), 1, 32), "17",  // 32: more than a double-double holds
     "Print at most N significant digits of a real or complex number, and none that its error bound does not support. "
     "What is exact is printed in full."},
    {"write", "FILE", output_file(), "",
     "Write what the command makes: decompose the reduced graph, of which a matrix has the same permanent, one block "
     "behind the other, in the format of the name's end (.mtx, .gr, .graph, .graphml, else an edge list, which keeps "
     "the file's names); reach the closure as an edge list, an arc for every pair and a line for every vertex in none. "
     ".gz behind it compresses."},
    {"coordinates", "FILE", word(into(&Options::coordinates), a_file, true), "as --svg finds them",
     "Places of the vertices in the picture: lines `name x y`, or `x y` in the order of the vertices (rows, then "
     "columns). Else they are those of the lattice that generate wrote, or of a molecule's atoms; planar graphs are "
     "drawn without crossings, others in two columns or on a circle."},
    {"from", "NAME", word(into(&Options::from), "the name of a vertex"), "",
     "Only from this vertex: the names of the vertices that it reaches, a line each."},
    {"weights", "LAW", random_weights(), "",
     "Random weights: reals in [0, 1); normal reals of variance 1; complex numbers with normal parts and mean |w|^2 1; "
     "-1 or 1; integers from LO to HI. A weight of 0 is read back as no edge."},
    {"boundary", "WHICH", one_of(into(&Options::boundary)), "open",
     "Which sides of a lattice are joined: none; the ends of its lines; the first line to the last too; the ends, but "
     "with the lines upside down (a Moebius strip); both so (a Klein bottle). For grid, king, knight, triangular, "
     "honeycomb, kagome, square-octagon and lieb."},
    {"weights-by-direction", "W,W,...", word(into(&Options::weights_by_direction), "numbers separated by commas"), "",
     "A weight for every direction of the edges of these lattices: along the line, then downwards; where there are "
     "more, to the right before to the left. Two for grid and lieb, three for triangular, honeycomb and kagome, else "
     "four."},
    {"kuratowski", "", flag(into(&Options::kuratowski)), "",
     "Say whether the graph is planar, and where it is not, name the edges of a subdivision of K5 or K3,3 in it, and "
     "up to 64 edges without which it is planar, if they are found in 10 seconds."},
    {"output", "FILE", output_file(), "stdout", "Write to FILE; .gz behind the name compresses."},
    {"man", "", flag(into(&Options::manual)), "", "The manual page, in roff."},
    {"completion", "SHELL",
     chosen("bash|zsh|fish", [](Options& options, std::string_view text) { options.completion = text; }), "",
     "A completion script."},
};
const OptionSpec reading[] = {
    {"format", "FORMAT", one_of(into(&InputOptions::format)), "auto",
     "File format. auto goes by what one format alone begins with, then by the file's extension; else FILE is plain "
     "text: "
     "a matrix where the command reads one, edges elsewhere. cells: squares drawn by # and ., or 1 and 0, to be "
     "tiled."},
    {"duplicates", "WHAT", one_of(into(&InputOptions::duplicates)), "refuse",
     "An edge that is given twice is refused, or its weights are added (parallel edges without weights count as many), "
     "or the first is kept."},
    {"keep-zeros", "", flag(into(&InputOptions::keep_zeros)), "",
     "Edges of weight 0, and zeros of a matrix, are edges too."},
    // `--loops` alone is `--loops keep`, as join_words has it.
    {"loops",
     "WHAT",
     one_of(into(&InputOptions::loops), "drop|refuse"),
     "refuse",
     "Edges of an undirected graph from a vertex to itself: left out, with a note of how many; or refused.",
     {},
     {{{"hafnian", "marginals", "sample", "estimate", "plan"},
       one_of(into(&InputOptions::loops), "drop|refuse|keep"),
       "refuse"}}},
    {"skeleton", "", flag(into(&InputOptions::skeleton)), "",
     "Of a molecule take every atom but hydrogen and every bond. Without it those with double bonds are taken, so that "
     "perfect matchings are Kekule structures."},
    {"header", "WHICH",
     chosen("yes|no", [](Options& options, std::string_view text) { options.input.header = text == "yes"; }), "",
     "Whether the first line of plain text is a header, whose words tell the ends of edges and their weight; or a "
     "size, "
     "which is checked. Where it may be one and this is not given, the file is refused."},
    {"delimiter", "MARKS", delimiter(), "blanks, tabs or a comma",
     "What stands between the fields of an edge list or of dense text: a mark, several such as '::', or tab."},
    {"columns", "LIST", word(into(&InputOptions::columns), "two or three columns"), "",
     "The columns of a table that are the ends of its edges and perhaps their weight, by the names in its first line "
     "or by numbers from 1: user,item,rating."},
    {"base", "N", whole(into(&InputOptions::base), 0, 1), "1",
     "The first index in lines `row column value` of a matrix. Where it is given plain text has such lines."},
    {"member", "NAME", word(into(&InputOptions::member), "the name of a file, an array or a variable"), "",
     "Which file of a ZIP archive, array of a .npz file or variable of a .mat file to read, where there are several."},
    {"no-edge", "VALUE", no_edge(), "",
     "Entries of this value, a number or inf, are no edges, in dense text and .npy files."},
    {"weight-key", "NAME", weight_key(), "weight",
     "The attribute of edges that is their weight, in GraphML, GML and lists with data such as {'cost': 2.5}, or its "
     "column in a table of edges. Where no edge has it the file is refused; with '' all weights are 1."},
};
const OptionSpec search[] = {
    {"order",
     "ORDER",
     order(),
     "auto",
     "Which vertex orders the frontier method tries; or a FILE (./auto is one) with the order that the methods "
     "frontier and trees follow as it is: names, one a line, of two sides `row NAME` or `column NAME`; or a tree "
     "decomposition in the format of PACE.",
     {},
     {{{"marginals", "sample"}, one_of(into(&CountOptions::frontier_strategy)), "auto"}}},
    {"effort", "S", real(into(&CountOptions::effort_s), "a number of seconds above 0", 0, infinity), "what it saves",
     "Seconds of one core for the search of each block's vertex order of the frontier method, whatever they save. They "
     "are counted in steps, so that the order is the same on any machine and number of threads; plan then says how "
     "many transitions the search started from and came to."},
    {"engine",
     "ENGINE",
     one_of(into(&CountOptions::frontier_engine)),
     "auto",
     "How the frontier method holds its states; auto takes what is fastest and fits.",
     {{"sparse", "sorted and merged (older name: merge)"},
      {"dense", "in an array with a place for each (older name: ranked)"},
      {"twins", "merged, and vertices with the same neighbours and values matched in turn"},
      {"lean",
       "integers modulo primes of 31 bits, pass after pass, in one array that is rewritten in place, in the "
       "least memory; other numbers as auto"}},
     {{{"marginals", "sample"}, one_of(into(&CountOptions::frontier_engine), engines), "auto"}}},
    {"rotation", "FILE", word(into(&Options::rotation_file), a_file, true), "",
     "An embedding of the graph in an orientable surface, for the method planar: lines `NAME NEIGHBOUR NEIGHBOUR ..` "
     "with the neighbours in the order in which they lie around each vertex, of two sides `row NAME ..` and `column "
     "NAME ..`; or a graph in planar_code. Of genus 3 or less it is taken where the graph is not planar."},
    {"periods", "X,Y", periods(), "",
     "The FILE of --rotation has the places of the vertices on a torus with these periods, as --coordinates has them; "
     "edges are the shortest lines between them. 0: no period."},
};
const OptionSpec tuning[] = {
    {"expand-degree", "D", whole(into(&CountOptions::expand_degree), 1, 4), "4",
     "With --method forbert-marx: rows and columns of at most D entries."},
    {"expand-rows", "N", whole(into(&CountOptions::expand_rows), 1, 1'000'000), "30",
     "With --method forbert-marx: matrices of N rows are not expanded further."},
    {"write-order", "FILE", output_file(), "",
     "Write the order that is followed, for --order; as a tree decomposition in the format of PACE where the name ends "
     "in .td. The methods frontier and trees have one, so that they alone are asked."},
    {"no-prune", "", flag(into(&CountOptions::prune), false), "",
     "Keep edges that are in no perfect matching, and do not split into blocks."},
    {"no-reduce", "", flag(into(&CountOptions::reduce), false), "", "Leave vertices of degree 1 and 2 as they are."},
};
const OptionSpec running[] = {
    {"device",
     "DEVICE",
     device(false),
     "auto",
     "auto, cpu, cuda or cuda:0,1,.. : auto takes GPUs where that is predicted to save time, cuda whatever it costs. "
     "determinant, parity and reach take one. plan has h200, h100 and a100 too, and 8xh200 and the like: as if every "
     "rank had one of these, or eight.",
     {},
     {{{"plan"}, device(true), "auto"}}},
    {"threads", "N", whole(into(&RunOptions::num_threads), 1, 1024), "all cores",
     "Number of threads. The answer does not depend on it."},
    {"seed", "N", whole(into(&RunOptions::seed), 0), "1", "Seed of everything random. Same seed, same answer."},
};
const OptionSpec limits[] = {
    {"time-limit", "S", duration(into(&RunOptions::time_limit_s), 0), "none, but 60 for an estimate without --samples",
     "Seconds, or 20min, 2h, 1:30:00 and the like, reading included; a run that would take longer is refused or "
     "stopped. The sampling for an estimate ends there, with the intervals that were reached."},
    {"memory-limit", "SIZE", memory_limit(), "9/10 of what is free",
     "Bytes, or 512M, 2G and the like (powers of 1024); a run that would need more is refused or stopped."},
};
const OptionSpec saving[] = {
    {"checkpoint", "FILE", word(into(&CheckpointOptions::file), a_file, true), "none",
     "Keep what is done in FILE: written every --checkpoint-interval seconds, when the run is interrupted or a limit "
     "ends it, and in the end. A time limit then ends the run instead of refusing it. Of several inputs the answers "
     "are kept, and given again by the run that goes on."},
    {"checkpoint-interval", "S", duration(into(&CheckpointOptions::interval_s), std::nextafter(0.0, -1.0)), "60",
     "Seconds between two writes of the checkpoint."},
    {"resume", "", flag(into(&CheckpointOptions::resume)), "",
     "Go on from the checkpoint if it is there, on any number of threads and GPUs; one of another input, method or "
     "version is refused."},
};
const OptionSpec telling[] = {
    {"explain", "", flag(into(&Options::explain)), "",
     "Say how the answer was found: what the reductions left, which methods were weighed for each block, predicted and "
     "taken times; on stderr, or with --json as `explanation`. --svg draws the times. Of an estimate: what was drawn "
     "of "
     "each block, which its JSON has anyway."},
    {"svg", "FILE", output_file(), "",
     "Write a picture: of a sample, or of all that list has side by side, edges coloured by direction, dominoes and "
     "lozenges as tiles; of marginals, coloured by probability; of estimates by size, the entropy. One input, and one "
     "sample; .gz behind the name compresses."},
};
const OptionSpec printing[] = {
    {"json", "", flag(into(&Options::json)), "",
     "A line with a JSON object instead of text, for failures too (docs/schema.json)."},
    {"quiet", "", flag(into(&Options::quiet)), "", "No notes on stderr."},
    {"progress", "WHEN", one_of(into(&Options::progress)), "auto",
     "A progress bar on stderr for anything over two seconds, and where that is no terminal, a line a minute; auto: on "
     "a terminal alone."},
    {"help", "", {}, "", "The most important on one screen."},
    {"help-all", "", {}, "", "Every option in full."},
};
const std::pair<std::string_view, std::span<const OptionSpec>> groups[] = {
    {"", of_commands},  {"reading", reading}, {"search", search},   {"tuning", tuning},    {"running", running},
    {"limits", limits}, {"saving", saving},   {"telling", telling}, {"printing", printing}};

const Variant* variant_of(const OptionSpec& option, std::string_view command) {
  for (const Variant& variant : option.variants) {
    if (std::ranges::count(variant.commands, command) != 0) return &variant;
  }
  return nullptr;
}

}  // namespace

std::span<const OptionSpec> option_table() {
  static const std::vector<OptionSpec> all = [] {
    std::vector<OptionSpec> joined;
    for (const auto& [group, rows] : groups)
      for (const OptionSpec& row : rows) joined.emplace_back(row).group = group;
    for (const auto added : wing_commands()) {
      const auto [spec, own, variants] = added();
      joined.insert(joined.end(), own.begin(), own.end());
      for (const auto& [name, variant] : variants)
        std::ranges::find(joined, name, &OptionSpec::name)->variants.push_back(variant);
    }
    return joined;
  }();
  return all;
}

const OptionSpec* find_option(std::string_view name) {
  const auto all = option_table();
  const auto found = std::ranges::find(all, name, &OptionSpec::name);
  return found == all.end() ? nullptr : &*found;
}

const ValueType& OptionSpec::type_of(std::string_view command) const {
  const Variant* const variant = variant_of(*this, command);
  return variant == nullptr ? type : variant->type;
}

std::string_view OptionSpec::fallback_of(std::string_view command) const {
  const Variant* const variant = variant_of(*this, command);
  return variant == nullptr ? fallback : variant->fallback;
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
