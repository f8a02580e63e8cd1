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

// A method's verbs, with which the table in engine/methods.cpp names it.
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
};

// Writes "on 2 ranks of 1 GPU, "
std::string on_gpus(const Machine& machine);
// Writes "2^19.3"
std::string two_to(double log2_value);
// Writes "120 ms for each sample"
std::string per_sample(double seconds);

}  // namespace matchcount
