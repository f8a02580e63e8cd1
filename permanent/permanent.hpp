#pragma once
// The front door: counts of perfect matchings and cycle covers, permanents and hafnians, by whichever method is
// predicted to be cheapest, with what was done, how long it took and what was checked.
//
//   auto graph = matchcount::grid_graph(8, 8);
//   auto result = matchcount::count_perfect_matchings(graph);
//   std::cout << to_string(result.value);      // 12988816

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "core/value.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/digraph.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount {

enum class Method {
  automatic,
  frontier,  // permanent/frontier/frontier.hpp
  planar,    // permanent/planar/kasteleyn.hpp: planar graphs
  ryser,     // permanent/ryser/ryser.hpp, as published: no special column, no staging, no skipping
  sparyser,  // on GPUs only
  skipper,
  staged,
  expansion  // by definition; the oracle, for n up to about 12
};
std::string_view to_string(Method method);
// Throws InputError naming the methods there are.
Method method_from_string(std::string_view name);

// What one method would cost on one block.
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

struct CountOptions {
  Method method = Method::automatic;
  Precision precision = Precision::automatic;
  FrontierStrategy frontier_strategy = FrontierStrategy::automatic;
  FrontierEngine frontier_engine = FrontierEngine::automatic;
  bool prune = true;      // drop edges in no perfect matching and split into blocks
  bool reduce = true;     // degree-1 and degree-2 reductions
  bool verify = false;    // a second, independent method must agree; Unable when none is affordable
  DeviceChoice device;    // automatic: GPUs where a count is predicted to take seconds without
  Throughput throughput;  // of this machine, for predictions
  // Called once before anything is counted, if there is a block to count: the forecast followed on the dearest one, and
  // the seconds predicted for all.
  std::function<void(const Forecast& dearest, double seconds)> on_forecast;
  RunOptions run;
  Work* work = nullptr;  // set by the functions below
};

struct BlockPlan {
  Vertex size = 0;        // rows, or vertices where it is not bipartite
  bool bipartite = true;  // else it has odd cycles
  EdgeId edges = 0;
  std::vector<Forecast> forecasts;  // cheapest first, those that do not apply last
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
  double seconds = 0;       // predicted, the first forecast of every block
  double memory_bytes = 0;  // of the block that needs most

  bool has_perfect_matching() const { return !hall_violator && !tutte_set; }
};

struct Check {
  std::string name;  // "parity", "verify", "matching", "hall_violator", "tutte_set"
  bool passed = false;
  std::string detail;
};

struct Times {
  double structure = 0, order = 0, count = 0, total = 0;  // seconds
};

struct Result {
  Value value;
  std::string method;            // of the dearest block, e.g. "frontier"; "structure" where no block was left
  std::vector<DeviceInfo> gpus;  // that it ran on; empty: the CPU
  std::vector<std::string> block_methods;
  Plan plan;
  std::vector<Check> checks;
  Times time_s;
  std::uint64_t seed = 0;
};

// The number of perfect matchings; weights are ignored. 0, with a Hall violator as the reason, where there is none,
// sides of different size included. The empty graph has one. Throws Unable when no method is predicted to keep within
// run.options().time_limit_s (by a factor of 2, the accuracy of a prediction) and run.options().memory_limit_bytes, or
// when one that was started does not; the message says what the cheapest would need. Cancelled when run.options().stop
// is raised.
Result count_perfect_matchings(const BipartiteGraph& graph, const CountOptions& options = {}, Work* work = nullptr);

// The same for any undirected graph, bipartite or not: its components without odd cycles are counted as bipartite
// graphs. Where there is no perfect matching the reason is a Tutte set.
Result count_perfect_matchings(const UndirectedGraph& graph, const CountOptions& options = {}, Work* work = nullptr);

// The hafnian of a symmetric matrix with a zero diagonal, the sum over perfect matchings of the product of their
// weights: exact for integer weights (no weights count 1), otherwise real or complex with an error bound.
Result hafnian(const UndirectedGraph& graph, const CountOptions& options = {}, Work* work = nullptr);

// The number of cycle covers of a digraph; a self-loop is a cycle of length one. Weights are ignored.
Result count_cycle_covers(const Digraph& digraph, const CountOptions& options = {}, Work* work = nullptr);

// The permanent: exact for integer weights (no weights count 1), otherwise real or complex with an error bound.
// A matrix that is not square has permanent 0 here, as it has no perfect matching. Precision::automatic takes
// double-doubles where they are predicted to cost little, or where doubles left no digits.
Result permanent(const Matrix& matrix, const CountOptions& options = {}, Work* work = nullptr);

// What permanent (or, on a pattern, a count) would do: runs nothing. run.options().time_limit_s shortens the search for
// orders as it does before a count; planning itself is not held to it.
Plan plan_permanent(const Matrix& matrix, const CountOptions& options = {}, Work* work = nullptr);
Plan plan_hafnian(const UndirectedGraph& graph, const CountOptions& options = {}, Work* work = nullptr);

}  // namespace matchcount
