#pragma once
// Has the options of Python and C, once: what each is called, its member, and what it does.
//
// Python's keywords, their types and descriptions follow, by the groups below (python/matchcount/_options.py), and so
// do the strings of C.

#include <cmath>
#include <tuple>
#include <type_traits>

#include "matchcount/matchcount.hpp"

namespace matchcount::bindings {

// ---- What callers give where that is not of the member's type.

struct ByteCount {};  // a number of them
struct FileName {};   // any path
struct Entry {};      // of a file: a number or a text
struct Base {};       // 0 or 1

template <class T>
struct Held {
  using Value = T;
};
template <class T>
struct Held<std::optional<T>> {
  using Value = T;
};

template <class Given, class Options, class T>
struct Option {
  const char* name;
  T Options::*member;
  const char* text;
  const char* expected;        // instead of a value that is not right
  bool (*is_right)(const T&);  // null: the library says so
  using Value = std::conditional_t<std::is_void_v<Given>, typename Held<T>::Value, Given>;
};

template <class Given = void, class Options, class T>
constexpr auto option(const char* name, T Options::*member, const char* text = "", const char* expected = "",
                      std::type_identity_t<bool (*)(const T&)> is_right = nullptr) {
  return Option<Given, Options, T>{name, member, text, expected, is_right};
}

// ---- Groups: a function has some of them.

inline constexpr auto limits = std::tuple(
    option("time_limit", &RunOptions::time_limit_s, "Seconds; a run that would take longer is refused, or ended.",
           "a time limit of seconds above 0", [](const double& seconds) { return seconds > 0; }),
    option<ByteCount>("memory_limit", &RunOptions::memory_limit_bytes,
                      "Bytes, from 2^20 on; by default nine tenths of what is available."));
inline constexpr auto work = std::tuple(
    option("threads", &RunOptions::num_threads, "Number of threads; 0: all cores. The answer does not depend on it.",
           "a whole number from 0 on", [](const int& threads) { return threads >= 0; }),
    option("device", &RunOptions::device, R"("auto", "cpu", "cuda" or "cuda:0,1".)"));
inline constexpr auto arithmetic = std::tuple(
    option("precision", &RunOptions::precision,
           "Arithmetic of floats and complex numbers; ints and Fractions are always exact."),
    option("seed", &RunOptions::seed,
           "From 0 to 2^64 - 1, by default 1; the same seed gives the same answer, on any number of threads."));
inline constexpr auto saving = std::tuple(
    option<FileName>(
        "checkpoint", &CheckpointOptions::file,
        "A file that keeps what is done, so that the run can be ended and resumed, here or on the command line."),
    option("resume", &CheckpointOptions::resume, "Whether to go on from ``checkpoint`` where it is there."),
    option("checkpoint_interval", &CheckpointOptions::interval_s, "Seconds between two writes; 60.", "seconds above 0",
           [](const double& seconds) { return seconds > 0; }));
template <class Options>
inline constexpr auto search = std::tuple(
    option("method", &Options::method, R"("auto": the cheapest.)"),
    option("order", &Options::frontier_strategy, "The frontier method's order of vertices."),
    option("engine", &Options::frontier_engine, "How the frontier method keeps its states."),
    option("effort", &Options::effort_s,
           "Seconds of one core for the frontier method's search for an order; 0: while it saves more than it costs.",
           "seconds from 0 on", [](const double& seconds) { return seconds >= 0 && std::isfinite(seconds); }));
inline constexpr auto tuning = std::tuple(
    option("verify", &CountOptions::verify, "Whether a second, independent method must agree."),
    option("expand_degree", &CountOptions::expand_degree,
           "Of forbert-marx: lines of at most so many entries are expanded; 4."),
    option("expand_rows", &CountOptions::expand_rows, "Of forbert-marx: matrices of so many rows are not; 30."),
    option("prune", &CountOptions::prune, "Whether edges in no perfect matching are taken away first; True."),
    option("reduce", &CountOptions::reduce, "Whether vertices of degree 1 and 2 are taken away first; True."));
inline constexpr auto estimates = std::tuple(
    option("method", &EstimateOptions::method, R"("auto": what a pilot run finds best.)"),
    option("samples", &EstimateOptions::samples, "Of every block; 0: as many as ``relative_error`` takes."),
    option("relative_error", &EstimateOptions::relative_error, "Half of the interval over the estimate; 0.01."),
    option("confidence", &EstimateOptions::confidence, "Probability that the interval holds the truth; 0.95."),
    option("population", &EstimateOptions::population, R"(Of "population" and "annealing": its size.)"),
    option("scaling_interval", &EstimateOptions::scaling_interval,
           R"(Of "scaling" and "scaling+": rows between two scalings; 5.)"),
    option("scaling_rounds", &EstimateOptions::scaling_rounds, "Rounds of each scaling; 5."),
    option("exact_rows", &EstimateOptions::exact_rows, "Blocks of at most so many rows are counted exactly; 12."),
    option(
        "verify", &EstimateOptions::verify,
        "Whether annealing, or where that is the method samples, must agree within the errors; in half of the time."));
inline constexpr auto estimated_shares = std::tuple(
    option("samples", &DistributionEstimateOptions::samples, "Of estimates; 0: as many as ``absolute_error`` takes."),
    option("absolute_error", &DistributionEstimateOptions::absolute_error,
           "Of estimates: how far an interval may reach from its probability; 0.01."),
    option("confidence", &DistributionEstimateOptions::confidence,
           "Of estimates: the probability that an interval holds the truth; 0.95."));
inline constexpr auto population = std::tuple(
    option("population", &DistributionEstimateOptions::population, "Of approximate samples: its size; 4096."));
inline constexpr auto exact_parts =
    std::tuple(option("exact_rows", &DistributionEstimateOptions::exact_rows,
                      "Of estimates and approximate samples: parts of at most so many rows are done exactly; 12."));
inline constexpr auto elimination =
    std::tuple(option("method", &DeterminantOptions::method, R"("auto": elimination.)"));
inline constexpr auto reading = std::tuple(
    option("kind", &InputOptions::kind, "What the input describes, where that is in doubt."),
    option("format", &InputOptions::format, R"("auto": as the file's first lines or its name say.)"),
    option("duplicates", &InputOptions::duplicates, R"(Edges that are given twice: "sum" adds weights, and counts edges
without weights as often as they are given; "one" takes the first.)"),
    option("keep_zeros", &InputOptions::keep_zeros, "Whether edges of weight 0 are edges."),
    option("header", &InputOptions::header,
           R"(Whether the first line of an edge list or of dense text is one; without it a
line that may be an edge is refused.)"),
    option("delimiter", &InputOptions::delimiter, R"(One mark or several between fields; "": as found.)"),
    option("columns", &InputOptions::columns,
           R"(The columns of a table that are edges, by names or numbers: "user,item,rating".)"),
    option<Base>("base", &InputOptions::base,
                 R"(The first index in lines "row column value" of a matrix; 1. Given, plain text has such lines.)",
                 "0 or 1", [](const std::optional<Vertex>& base) { return *base <= 1; }),
    option("member", &InputOptions::member,
           "The file of an archive, array of a .npz file or variable of a .mat file that is read, of several."),
    option<Entry>("no_edge", &InputOptions::no_edge,
                  R"(The entry of dense text or of a .npy file, a number or "inf", that is no edge.)"),
    option("weight_key", &InputOptions::weight_key, R"(The attribute that weights stand in; "": there are none.)"),
    option("loops", &InputOptions::loops,
           R"(An undirected graph's loops: True, or "keep": they are weights of its vertices,
for loop hafnians; "drop": left out.)"),
    option(
        "skeleton", &InputOptions::skeleton,
        "Of molecules: whether all atoms but hydrogen count, and all bonds between them, not only conjugated ones."));

// ---- All options of a struct.

template <class Options>
inline constexpr auto options_of = nullptr;
template <>
inline constexpr auto options_of<RunOptions> = std::tuple_cat(limits, work, arithmetic);
template <>
inline constexpr auto options_of<CheckpointOptions> = saving;
template <>
inline constexpr auto options_of<CountOptions> = std::tuple_cat(search<CountOptions>, tuning);
template <>
inline constexpr auto options_of<MatchingOptions> = std::tuple(option("matchings", &MatchingOptions::kind),
                                                               option("weighted", &MatchingOptions::weighted),
                                                               option("activity", &MatchingOptions::activity));
template <>
inline constexpr auto options_of<DistributionOptions> =
    std::tuple_cat(search<DistributionOptions>, std::tuple(option("matchings", &DistributionOptions::matchings),
                                                           option("activity", &DistributionOptions::activity),
                                                           option("exact", &DistributionOptions::exact)));
template <>
inline constexpr auto options_of<EstimateOptions> = estimates;
template <>
inline constexpr auto options_of<DistributionEstimateOptions> =
    std::tuple_cat(estimated_shares, population, exact_parts,
                   std::tuple(option("matchings", &DistributionEstimateOptions::matchings)));
template <>
inline constexpr auto options_of<DeterminantOptions> = elimination;
template <>
inline constexpr auto options_of<InputOptions> = reading;

}  // namespace matchcount::bindings
