#pragma once
// Holds the words of counts: what may be asked for, what was planned, what came out.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/names.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/reduction_counts.hpp"

namespace MATCHCOUNT_API matchcount {

enum class Method {
  automatic,
  structure,     // a result alone: matching and reductions left nothing to count
  frontier,      // states of a frontier that moves over the graph (permanent/frontier)
  trees,         // sums carried along a tree decomposition with joins (permanent/trees)
  planar,        // Kasteleyn's Pfaffians (permanent/planar)
  complement,    // a matrix of rank one, and matchings of the sparse rest by size (permanent/complement)
  classes,       // how many are free of each class of vertices that nothing ahead tells apart (permanent/classes)
  power_traces,  // inclusion and exclusion over pairs of vertices (permanent/power_traces)
  low_rank,      // monomials of as many variables as the rank (permanent/low_rank)
  cuts,          // pieces behind few vertices, each by any method (permanent/engine/cuts.hpp)
  ryser,         // inclusion-exclusion as published: no special column, no staging, no skipping (permanent/ryser)
  sparyser,      // the same with sparse updates of row sums; leaves with a zero row sum are not multiplied
  skipper,
  staged,
  forbert_marx,  // rows and columns of few entries expanded, the rest by inclusion-exclusion (permanent/forbert_marx)
  expansion      // by definition; the oracle, for n up to about 12
};
template <>
struct Names<Method> {
  static constexpr std::string_view what = "method";
  static constexpr Named<Method> all[] = {{Method::automatic, "auto"},
                                          {Method::frontier, "frontier"},
                                          {Method::trees, "trees"},
                                          {Method::planar, "planar"},
                                          {Method::complement, "complement"},
                                          {Method::classes, "classes"},
                                          {Method::low_rank, "low-rank"},
                                          {Method::power_traces, "power-traces"},
                                          {Method::cuts, "cuts"},
                                          {Method::ryser, "ryser"},
                                          {Method::sparyser, "sparyser"},
                                          {Method::skipper, "skipper"},
                                          {Method::staged, "staged"},
                                          {Method::forbert_marx, "forbert-marx"},
                                          {Method::expansion, "expansion"},
                                          {Method::structure, "structure", false}};
};

// Names the orders of the vertices that the frontier method tries.
enum class FrontierStrategy { automatic, mixed, rows, columns };
template <>
struct Names<FrontierStrategy> {
  static constexpr std::string_view what = "order";
  static constexpr Named<FrontierStrategy> all[] = {{FrontierStrategy::automatic, "auto"},
                                                    {FrontierStrategy::mixed, "mixed"},
                                                    {FrontierStrategy::rows, "rows"},
                                                    {FrontierStrategy::columns, "columns"}};
};

// Names how the frontier method holds states.
enum class FrontierEngine {
  automatic,  // sparse while few of the states are there, dense once a layer is filled
  sparse,     // sorted states, successors k-way merged; masks of any width
  dense,      // an array over all C(w, k) states, in the order of their masks; w <= 62
  twins,      // sparse, along an order in which twins are matched in turn
  lean        // dense, integers modulo primes of 31 bits in one array that is rewritten in place, pass after pass
};
template <>
struct Names<FrontierEngine> {
  static constexpr std::string_view what = "engine";
  static constexpr Named<FrontierEngine> all[] = {
      {FrontierEngine::automatic, "auto"}, {FrontierEngine::sparse, "sparse"}, {FrontierEngine::sparse, "merge"},
      {FrontierEngine::dense, "dense"},    {FrontierEngine::dense, "ranked"},  {FrontierEngine::twins, "twins"},
      {FrontierEngine::lean, "lean"}};
};

// Tells how fast a machine runs the methods: seconds that a fixed small workload takes there over the seconds that it
// took where the constants of the cost models were measured. 1 is that machine, 2 one that is half as fast.
struct Throughput {
  double frontier_scale = 1;
  double ryser_scale = 1;
};

// Predicts what one method would cost on one block.
struct Forecast {
  Method method = Method::automatic;
  bool on_gpu = false;
  bool other_order = false;  // of frontier: along a second order, to verify
  bool applies = false;
  std::string reason;          // why it does not apply, or what it would do: "rows order, width 24, 2^19.3 states"
  double log2_operations = 0;  // in the method's own unit
  double seconds = 0;          // infinity where it does not apply
  double memory_bytes = 0;
};

class KnownPlanarGraphs;  // private to permanent/planar/

struct CountOptions {
  Method method = Method::automatic;
  FrontierStrategy frontier_strategy = FrontierStrategy::automatic;
  FrontierEngine frontier_engine = FrontierEngine::automatic;
  // Seconds of one core for the search of each block's order by the frontier method, counted in its steps, so that the
  // order is the same on every machine and any number of threads. 0: while it saves more than it costs.
  double effort_s = 0;
  // The order in which the frontier method processes the vertices, and trees eliminates them: each of the graph once,
  // column c being vertex rows + c. It is taken as it is, and these two methods alone are asked. Blocks, components and
  // what a reduction leaves keep it; a vertex that was merged stands where the one does whose name it has
  // (matching/reduce.hpp). Null: orders are searched for.
  std::shared_ptr<const std::vector<Vertex>> order = {};
  bool wants_order = false;  // the result's plan has the order that is followed, by one of these two methods
  // The neighbours of each vertex in the order in which they lie around it, column c being vertex rows + c: an
  // embedding in an orientable surface, which the method planar takes where it is of genus 3 or less. It may have edges
  // that the graph lacks. Vertices of degree 2 are not merged then. Null: embeddings are searched for.
  std::shared_ptr<const std::vector<std::vector<Vertex>>> rotation = {};
  // Method::forbert_marx expands lines of at most so many entries (1 to 4), down to so many rows (1 or more).
  Vertex expand_degree = 4, expand_rows = 30;
  bool prune = true;        // drop edges in no perfect matching and split into blocks
  bool reduce = true;       // degree-1 and degree-2 reductions
  bool value_only = false;  // small graphs may be counted at once: the result's plan and blocks stay empty
  bool verify = false;      // a second, independent method must agree; Unable when none is affordable
  std::optional<Throughput> throughput = {};  // for predictions; none: this machine's, measured where it matters
  // Called once before anything is counted, if there is a block to count: the forecast followed on the most expensive
  // one, and the seconds predicted for all.
  std::function<void(const Forecast& most_expensive, double seconds)> on_forecast = {};
  RunOptions run = {};
  std::shared_ptr<KnownPlanarGraphs> known_planar = {};  // filled in by the engine, for pieces of what is counted
};

struct BlockPlan {
  Vertex size = 0;        // rows, or vertices where it is not bipartite
  bool bipartite = true;  // else it has odd cycles
  EdgeId edges = 0;
  Precision precision = Precision::automatic;  // of reals and complex numbers: what the forecasts are for
  // First the one that is followed within the limits, then the cheapest first, those that do not apply last. A method
  // that takes no longer than a moment is followed without a look at those that would be planned after it.
  std::vector<Forecast> forecasts;
};

struct Plan {
  Vertex rows = 0, columns = 0;
  Vertex vertices = 0;  // of an UndirectedGraph, which has no rows and columns
  EdgeId edges = 0;
  Vertex maximum_matching = 0;
  std::optional<HallViolator> hall_violator;  // set: the answer is 0
  std::optional<TutteSet> tutte_set;          // the same for an UndirectedGraph
  ReductionCounts reductions;
  std::vector<BlockPlan> blocks;
  // By CountOptions::wants_order: all vertices, those that were left out first, then block after block.
  std::vector<Vertex> order;
  double seconds = 0;       // predicted, by the first forecast of every block
  double memory_bytes = 0;  // of the block that needs most

  bool has_perfect_matching() const { return !hall_violator && !tutte_set; }
};

struct Check {
  enum class Kind { matching, hall_violator, tutte_set, parity, verify } kind = Kind::matching;
  bool passed = false;
  std::string detail;
};
template <>
struct Names<Check::Kind> {
  static constexpr std::string_view what = "check";
  static constexpr Named<Check::Kind> all[] = {{Check::Kind::matching, "matching"},
                                               {Check::Kind::hall_violator, "hall_violator"},
                                               {Check::Kind::tutte_set, "tutte_set"},
                                               {Check::Kind::parity, "parity"},
                                               {Check::Kind::verify, "verify"}};
};

struct Times {
  double structure = 0, order = 0, count = 0, total = 0;  // seconds
};

// Says how one block was counted.
struct BlockRun {
  Method method = Method::automatic;
  Precision precision = Precision::automatic;  // of reals and complex numbers
  double seconds = 0;                          // taken, a verification not included
};

struct Result {
  Value value;
  Method method = Method::structure;  // of the most expensive block
  std::vector<DeviceInfo> gpus;       // that it ran on; empty: the CPU
  std::vector<BlockRun> blocks;       // in the order of plan.blocks
  Plan plan;
  std::vector<Check> checks;
  Times time_s;
  std::uint64_t seed = 0;
};

}  // namespace matchcount
