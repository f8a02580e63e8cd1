#pragma once
// Says what the engine asks of every method and what a method gives it: a plan, a cost, a value. Private to permanent/.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/graph_view.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// A block of either shape and any number type, borrowed.
using AnyBlock =
    std::variant<const Block<std::int64_t>*, const Block<RealEntry>*, const Block<ComplexEntry>*,
                 const GraphBlock<std::int64_t>*, const GraphBlock<RealEntry>*, const GraphBlock<ComplexEntry>*>;

// Holds the one of two shapes that a block has; the other is null.
struct BlockPattern {
  const BipartiteGraph* bipartite = nullptr;
  const UndirectedGraph* general = nullptr;  // has odd cycles
  Vertex num_vertices() const {
    return bipartite ? bipartite->num_rows() + bipartite->num_columns() : general->num_vertices();
  }
  EdgeId num_edges() const { return bipartite ? bipartite->num_edges() : general->num_edges(); }
};
BlockPattern pattern_of(const AnyBlock& block);
// Rows, or vertices where it has odd cycles.
Vertex size_of(const AnyBlock& block);

// Says whether its entries are integers, so that its value is one.
bool has_integers(const AnyBlock& block);

// The same block with its vertices in one numbering: rows, then columns. Copied where it is bipartite.
template <class Entry>
GraphBlock<Entry> as_graph(const Block<Entry>& block) {
  return {UndirectedGraph::from_bipartite(block.pattern), block.entries};
}
template <class Entry>
const GraphBlock<Entry>& as_graph(const GraphBlock<Entry>& block) {
  return block;
}

// A block's numbers, as far as costs depend on them.
struct NumberType {
  WeightKind kind = WeightKind::integer;  // integer, real or complex
  // The precision of reals and complex numbers: float64, compensated or double_double; exact if it does not matter.
  Precision precision = Precision::automatic;
  bool exact = false;       // reals and complex numbers: nothing is rounded
  bool nonnegative = true;  // no entry is below 0, or complex: a bound on the error of reals needs no second run
  double log2_bound = 0;    // of integers: log2_sum_bound
};
NumberType number_type(const AnyBlock& block, Precision precision);

// Holds what a method found out about a block; every method has its own.
struct MethodPlan {
  MethodPlan() = default;
  MethodPlan(const MethodPlan&) = delete;
  MethodPlan& operator=(const MethodPlan&) = delete;
  virtual ~MethodPlan() = default;
};
struct Planned {
  std::shared_ptr<const MethodPlan> plan;  // null: the method does not apply
  std::string reason;                      // then: why not
};

struct PlanRequest {
  Method method;
  const AnyBlock& block;
  const NumberType& number;
  const CountOptions& options;
  // Another method takes so many seconds on the machine of the cost models: what takes longer is of no use. 0: nothing
  // is searched for yet.
  double useful_s = std::numeric_limits<double>::infinity();
};

// Says where a plan would be carried out: on these devices, or on the CPU; by each of so many ranks.
struct Machine {
  int num_threads = 1;
  Isa isa = Isa::baseline;
  int num_ranks = 1;
  double memory_limit_bytes = std::numeric_limits<double>::infinity();  // of each rank
  std::vector<DeviceInfo> gpus;                                         // empty: the CPU
};

struct Cost {
  double log2_operations = 0;  // in the method's own unit
  double seconds = 0;          // on the CPU of the machine where the cost models were measured, or on these GPUs
  double memory_bytes = 0;     // of the host
  std::string description;     // what it would do
};

// Says that a method found out under way, as its plan could not know, that it can't go on. Another takes its place,
// unless this one was asked for by name.
class CannotGoOn : public Unable {
 public:
  using Unable::Unable;
};

// Says how and where a plan is carried out.
struct RunRequest {
  const AnyBlock& block;
  const MethodPlan& plan;
  Precision precision;           // of reals and complex numbers
  std::vector<DeviceInfo> gpus;  // empty: the CPU
};

// Names what is asked of a block.
enum class Asked { sum, marginals, samples };

using AnyMarginals = std::variant<BlockMarginals<Integer>, BlockMarginals<RealValue>, BlockMarginals<ComplexValue>>;

// Way says how a method would answer a question about the single matchings of a block: what it takes, and what carries
// it out, which has no marginals if all matchings cancel and the method finds no single sums then. A sampler draws from
// a block of real entries above 0; the run outlives it.
struct Way {
  Method method = Method::automatic;  // filled in by the engine
  Cost cost = {};
  std::function<std::optional<AnyMarginals>(const AnyBlock& block, const RunContext& run)> marginals = {};
  std::function<std::unique_ptr<PartSampler>(const AnyBlock& block, const RunContext& run)> sampler = {};
  std::string why_not = {};  // not empty: it does not apply, since "part 1" ... this
};

// Tells how a method sums up matchings that need not be perfect: as the perfect ones of a larger graph, by layers,
// along a tree decomposition, or by pairs of vertices.
enum class MatchingsBy { completion, layers, tree, pairs };

// From so many rows, or vertices where there are odd cycles, on a look at a block's structure takes less than a search
// for an order.
inline constexpr Vertex least_large_size = 400;

// A method's verbs, and what the engine has to know of it: no file of the engine but the table of methods
// (engine/methods.cpp) names one.
struct MethodVerbs {
  // Says whether the method applies, and how. Throws as run.check() does.
  Planned (*plan)(const PlanRequest& request, const RunContext& run);
  // Predicts the cost; nothing if the method does not run on such a machine.
  std::optional<Cost> (*cost)(const AnyBlock& block, const MethodPlan& plan, const NumberType& number,
                              const Machine& machine);
  // Computes the permanent of the block, or its hafnian if it has odd cycles. May throw CannotGoOn.
  Value (*run)(const RunRequest& request, const RunContext& run);
  // Makes a second plan, with which the method can verify what it did by the first; null if it has none.
  Planned (*plan_again)(const PlanRequest& request, const MethodPlan& first, const RunContext& run) = nullptr;
  // Says how to find the sums over the perfect matchings with each edge, or how to draw such matchings; null if the
  // method can't. request.number.exact: integers are summed as such. run.part() names the block in messages. Throws
  // OverLimit if there is no memory to see whether the method applies.
  Way (*way)(const PlanRequest& request, Asked asked, const RunContext& run) = nullptr;
  // Returns the order of the block's vertices, rows before columns, that a plan follows; null if plans have none, and
  // take none (CountOptions::order, which is the block's own here).
  std::vector<Vertex> (*order)(const MethodPlan& plan) = nullptr;

  // ---- Where it can be used. Sizes of blocks are rows or, where there are odd cycles, vertices.

  // Turns its seconds on a CPU into this machine's; null: they are taken as they are.
  double Throughput::*scale = nullptr;
  // Makes the graph whose count measures that factor; null: the count of another method's does.
  BipartiteGraph (*workload)() = nullptr;
  bool takes_odd_cycles = true;
  bool takes_every_block = false;      // at the cost of the order that a search finds: one method does
  bool takes_entries_as_held = false;  // reals and complex numbers, where nothing is rounded
  bool has_one_precision = false;      // of reals and complex numbers, double-doubles
  bool scales = false;                 // entries, where single matchings are asked for, itself
  bool has_kernels_for_gpus = false;
  // Say whether CPUs and GPUs resume each other's partial results: of integers, of reals and complex numbers.
  bool integers_on_any_device = false, reals_on_any_device = false;
  // Says whether a count compares it with others by itself; else it runs if it is named.
  bool competes = true;
  bool listed = true;             // in plans that are for no method by name
  bool told_in_refusals = false;  // why it does not apply, as the structure that a block lacks

  // ---- When a block is planned for it, if not in its turn in the table, and how long it is looked at.

  // Counts blocks of fewer rows, or pairs of vertices, before any plan of them could be made.
  Vertex unplanned_below = 0;
  // Puts blocks that are smaller behind the method that takes every block, whose search takes less than the look.
  Vertex before_search_from = 0;
  // From this size on a first look goes without a search; a second one comes behind the methods that leave parts.
  Vertex again_from = std::numeric_limits<Vertex>::max();
  bool leaves_parts = false;  // for any method, which have no order, and lack what the block was found to lack
  // Returns the seconds of one thread for a dense block of n rows, the most that one takes; the method comes early
  // where these are few. A function of its arguments alone, not of this machine. Null: there is no such bound.
  double (*most_seconds)(Vertex n, const NumberType& number) = nullptr;
  bool searches = false;             // no longer than such a dense block takes
  bool spares_search = false;        // is followed where it takes less than a search, others where they take a moment
  bool verifies_odd_cycles = false;  // so well that the method that takes every block needs no second plan

  // ---- Where matchings are single, or need not be perfect.

  double marginals_moment_s = 0.02;  // the way to marginals is followed without a search where it takes less
  // Says when samples are drawn so: where it applies, or where that takes less time than the layers of the method that
  // takes every block, or spares their memory.
  enum class Samples { always, for_time, for_memory } samples = Samples::always;
  MatchingsBy matchings = MatchingsBy::completion;
};

// Writes "on 2 ranks of 1 GPU, "
std::string on_gpus(const Machine& machine);
// Writes "2^19.3"
std::string two_to(double log2_value);
// Writes "120 ms for each sample"
std::string per_sample(double seconds);

}  // namespace matchcount
