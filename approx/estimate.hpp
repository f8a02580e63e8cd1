#pragma once
// Estimates permanents, perfect matchings and cycle covers, with an honest interval and Bethe's bracket.
//
//   matchcount::EstimateOptions options;
//   options.relative_error = 0.01;
//   auto estimate = matchcount::estimate_perfect_matchings(matchcount::grid_graph(24, 24), options);
//   // estimate.log_value is 160.885 within 0.01, with 95 % confidence
//
// Same seed, same samples, and where no time limit cuts the run short the same result, on any number of threads and of
// GPUs.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "approx/bethe_bracket.hpp"
#include "approx/estimator.hpp"
#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/numbers/real.hpp"
#include "core/run.hpp"
#include "graph/digraph.hpp"
#include "graph/graph_view.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/reduction_counts.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/plan.hpp"

namespace MATCHCOUNT_API matchcount {

struct EstimateOptions {
  Estimator method = Estimator::automatic;
  int scaling_interval = 5;      // of the scaling estimators: rows between two scalings; >= 1
  int scaling_rounds = 5;        // >= 0
  int population = 0;            // of populations and annealing: the size, >= 2; 0: by a pilot run
  std::uint64_t samples = 0;     // of every block; 0: as many as relative_error takes
  double relative_error = 0.01;  // half of the interval over the estimate; where samples is 0
  double confidence = 0.95;      // in (0, 1)
  Vertex exact_rows = 12;        // blocks of at most that many rows are counted exactly
  // Estimate again by annealing, or where that is the method by guided samples or populations, in half of the time, to
  // five times the error that is asked for: both must agree within their errors. Error where they don't, Unable where
  // one of them is not to be believed.
  bool verify = false;
  // A time limit or a raised stop token ends the sampling, not the call, once every block has two samples: the interval
  // is then as wide as it is. (On several ranks a stop token ends the call.) Samples under way on a GPU are waited for.
  // Populations are drawn on the CPU; with a GPU asked for they are refused, and Estimator::automatic takes none.
  // Samples are doubles: InputError for any other precision than automatic.
  RunOptions run = {};
};

struct EstimateTimes {
  double structure = 0, bracket = 0, start = 0, sample = 0, total = 0;  // seconds; start: of GPUs
};

struct BlockEstimate {
  Vertex size = 0;  // rows, or vertices where it is not bipartite
  bool bipartite = true;
  EdgeId edges = 0;
  Estimator method = Estimator::exact;  // exact: counted
  int population = 0;                   // where the method has one
  std::uint64_t samples = 0;
  std::uint64_t zeros = 0;  // samples that ran into a dead end
  double log_value = 0;     // natural
  // Populations vary so much that their logarithms, which are normal, tell the mean and its interval (LogSums in
  // approx/statistics.hpp); the figures below are those of the samples all the same.
  bool by_logarithms = false;
  double relative_deviation = 0;                                 // of one sample: standard deviation over mean
  double effective_samples = 0;                                  // (sum w)^2 / sum w^2
  double tail_index = -std::numeric_limits<double>::infinity();  // approx/statistics.hpp
  double largest_square_share = 0;                               // of the largest sample in the sum of squares
  // The least weight where rows and columns are scaled so that the heaviest perfect matching has weights near 1 and no
  // weight is above 2; 1 where weights differ by less than 2^60 as they are.
  double least_scaled_weight = 1;
};

struct Estimate {
  ScaledReal value;
  double log_value = 0;  // natural; -infinity for 0
  // Every sample ran into a dead end: there is no value, and low and high are the bracket.
  bool unknown = false;
  bool exact = false;         // nothing was left to sample: [low, high] is what rounding leaves
  double standard_error = 0;  // relative
  double relative_error = 0;  // the larger arm of [low, high] over the value, rounded up; infinity: unknown
  double confidence = 0;
  ScaledReal low, high;          // the interval, which holds the value and lies within the bracket
  std::uint64_t samples = 0;     // of all blocks
  double effective_samples = 0;  // of the block that has fewest
  double zero_fraction = 0;      // of all samples
  std::string warning;           // why the interval is not to be believed; empty: no sign of that
  bool out_of_time = false;      // the time limit came before the samples or the error that were asked for
  bool interrupted = false;      // the caller's stop token did
  // Natural logarithms; see approx/bethe_bracket.hpp. Where weights differ much, not below the heaviest perfect
  // matching. A block with odd cycles has at least one perfect matching, and its hafnian is at most the square root of
  // its matrix's permanent.
  BetheBracket bracket;
  std::optional<HallViolator> hall_violator;  // set: there is no perfect matching, and 0 is exact
  std::optional<TutteSet> tutte_set;          // the same, of an UndirectedGraph
  ReductionCounts reductions;
  std::vector<BlockEstimate> blocks;
  std::vector<DeviceInfo> gpus;             // that drew samples; empty: the CPU
  Estimator method = Estimator::structure;  // of the largest sampled block; exact or structure where there is none
  std::uint64_t seed = 0;
  std::vector<Check> checks;  // by EstimateOptions::verify: what was compared
  EstimateTimes time_s;
};

// Estimates the permanent of a non-negative matrix; no weights count 1, zeros are no edges. A matrix that is not square
// has permanent 0. Edges in no perfect matching are dropped, what is left falls into blocks, whose permanents are
// multiplied: relative variances add up. Throws InputError for a negative or complex weight or an option out of range,
// Unable where the time was over before any sample, the memory does not hold the samplers or a device can't be had,
// NotCompiled for a GPU in a build without CUDA, DeviceError, Cancelled.
Estimate estimate_permanent(const Matrix& matrix, const EstimateOptions& options = {}, Work* work = nullptr);
// Estimates the perfect matchings of any graph, whose weights are ignored: its components without odd cycles are
// estimated as bipartite graphs, the others by guided samples, populations of them (the only ones that GPUs draw) or,
// where asked for, annealing or determinants; Unable for another method there.
Estimate estimate_perfect_matchings(GraphView graph, const EstimateOptions& options = {}, Work* work = nullptr);
// Estimates in the same way the sum over perfect matchings of the product of their weights, which are not negative.
Estimate estimate_hafnian(const UndirectedGraph& graph, const EstimateOptions& options = {}, Work* work = nullptr);
// Estimates matchings of another kind than perfect, or the sum of their weights, through a graph whose perfect
// matchings are completed from them; of the lightest and the heaviest their number. `matchings.count` is not looked at.
// The bracket and the sizes of blocks are those of that graph. Throws InputError as count_matchings does, and for
// matchings by size.
Estimate estimate_matchings(GraphView graph, const MatchingOptions& matchings, const EstimateOptions& options = {},
                            Work* work = nullptr);
Estimate estimate_cycle_covers(const Digraph& digraph, const EstimateOptions& options = {}, Work* work = nullptr);

}  // namespace matchcount
