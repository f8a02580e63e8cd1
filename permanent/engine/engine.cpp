#include "permanent/engine/engine.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "graph/rotation.hpp"
#include "graph/vertices.hpp"
#include "linear/parity.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/engine/small_graphs.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {
namespace {

// A check must stay cheap beside the count: elimination on bits takes 0.03 s at this size.
constexpr Vertex max_parity_size = 4096;

// Returns the options with what they mean for such numbers.
CountOptions options_for(bool is_exact, CountOptions options) {
  if (options.method != Method::automatic) entry_of(options.method);  // refuses what is a result alone
  if (is_exact)
    options.run.precision = Precision::automatic;
  else if (options.run.precision == Precision::exact)
    options.method = entry_with(&MethodEntry::takes_entries_as_held).method;
  if (!options.known_planar) options.known_planar = no_known_planar_graphs();
  return options;
}

StructureOptions structure_options(const CountOptions& options) {
  const bool rounds = options.run.precision != Precision::exact;
  StructureOptions result;
  result.reduce.decompose = options.prune;
  result.reduce.degree1 = options.reduce;
  result.reduce.degree2 = options.reduce && rounds && !options.rotation;  // merging rounds
  result.scaling = rounds ? StructureOptions::Scaling::always : StructureOptions::Scaling::never;
  return result;
}

template <class Entry, class Graph>
Structure<Entry> structure_of(const Graph& graph, const CountOptions& options, const RunContext& run) {
  return {&graph, [&] { return entries_of<Entry>(graph); }, structure_options(options), run};
}

// Lists the blocks, those without odd cycles first.
template <class Entry>
std::vector<AnyBlock> blocks_of(const Structure<Entry>& structure) {
  std::vector<AnyBlock> blocks;
  for (const auto& block : structure.reduced.blocks) blocks.push_back(&block);
  for (const auto& block : structure.rest.blocks) blocks.push_back(&block);
  return blocks;
}

RunContext part_of(const RunContext& run, std::size_t block) {
  return run.in_part((run.part().empty() ? "" : run.part() + ", ") + "block " + std::to_string(block + 1));
}

// Moves the forecast that is followed to the front.
void put_first(BlockPlan& plan, const Forecast& followed) {
  const auto is_it = [&](const Forecast& forecast) {
    return forecast.method == followed.method && forecast.on_gpu == followed.on_gpu &&
           forecast.other_order == followed.other_order;
  };
  const auto place = std::ranges::find_if(plan.forecasts, is_it);
  if (place != plan.forecasts.end()) std::rotate(plan.forecasts.begin(), place, place + 1);
}

// The blocks of one graph, from their plans to their values.
class BlockCounts {
 public:
  // `names` of the blocks' vertices where the options give an order or a rotation, or want one; else none.
  BlockCounts(std::vector<AnyBlock> blocks, std::vector<std::vector<Vertex>> names, const CountOptions& options,
              bool is_exact, const RunContext& run)
      : blocks_(std::move(blocks)), names_(std::move(names)), options_(options), is_exact_(is_exact), run_(run) {}

  // `all`: forecasts for every method, for people to see, and not only for as many as it takes to choose.
  void prepare(bool all) {
    if (options_.order) places_ = places_in(*options_.order);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      prepared_.push_back(prepare_block(blocks_[i], options_of(i, part_of(run_, i)), all, seconds_left(0), run_));
  }

  // Adds the blocks to the plan, what is followed first. Every choice is made before any block is run, so that what
  // can't be done is refused at once; a plan alone takes the cheapest where all would be refused.
  void choose(Plan& plan, Until until) {
    double predicted = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      BlockPlan& block = prepared_[i].plan;
      if (until == Until::value) {
        chosen_.push_back(chosen(i, predicted));
        predicted += chosen_.back().seconds / 2;
      } else if (const Forecast* followed = affordable(block, options_, seconds_left(predicted))) {
        chosen_.push_back(*followed);
        predicted += followed->seconds / 2;
      } else {
        chosen_.push_back(block.forecasts.front());
      }
      put_first(block, chosen_.back());
      add_block(plan, block);
      if (options_.wants_order) append_order(i, plan.order);
    }
    if (options_.wants_order) put_others_first(plan.order, plan.vertices + plan.rows + plan.columns);
    if (until == Until::value) announce(options_, plan);
  }

  // Fills in how each block was counted, and returns their values.
  std::vector<Value> run(Result& result) {
    std::vector<Value> values;
    double most_seconds = -1;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Stopwatch stopwatch;
      BlockOutcome outcome = outcome_of(i, result.plan.blocks[i]);
      const double seconds = stopwatch.lap();
      if (options_.verify) verify(i, outcome);
      values.push_back(std::move(outcome.value));
      result.blocks.push_back({chosen_[i].method, outcome.precision, seconds});
      if (chosen_[i].seconds > most_seconds) {
        most_seconds = chosen_[i].seconds;
        result.method = chosen_[i].method;
      }
      if (chosen_[i].on_gpu) result.gpus = prepared_[i].gpus;
    }
    return values;
  }

  Check verified() const {
    return {Check::Kind::verify, verified_.agreed, verified_.by.empty() ? "nothing was left to count" : verified_.by};
  }

 private:
  // Returns the seconds that are left when those predicted for the blocks before are over.
  double seconds_left(double predicted) const { return seconds_to_plan(run_, options_.run.time_limit_s) - predicted; }

  CountOptions options_of(std::size_t i, const RunContext& part) const {
    CountOptions resumed = resumed_options(options_, is_exact_, part);
    if (options_.order) resumed.order = order_among(places_, names_[i]);
    if (options_.rotation)
      resumed.rotation = std::make_shared<const RotationSystem>(rotation_among(*options_.rotation, names_[i]));
    return resumed;
  }

  Forecast chosen(std::size_t i, double predicted) const {
    const RunContext part = part_of(run_, i);
    const CountOptions resumed = resumed_options(options_, is_exact_, part);
    BlockPlan candidates = prepared_[i].plan;
    for (Forecast& forecast : candidates.forecasts)
      forecast.applies = forecast.applies && allowed(forecast, candidates, resumed);
    Forecast result = agreed(matchcount::choose(candidates, resumed, seconds_left(predicted), prepared_[i].nonnegative),
                             candidates, is_exact_, part);
    if (options_.verify) second_method(result, prepared_[i].plan, options_, run_.seconds_left());
    return result;
  }

  // Runs a block. Where the method that was chosen can't go on, all others are planned, and the cheapest takes its
  // place.
  BlockOutcome outcome_of(std::size_t i, BlockPlan& told) {
    RunContext part = part_of(run_, i);
    std::vector<Forecast> given_up;
    while (true) {
      try {
        return run_block(blocks_[i], prepared_[i], chosen_[i], options_, part);
      } catch (const CannotGoOn& reason) {
        if (options_.method != Method::automatic) throw;
        given_up.push_back(not_applicable(chosen_[i].method, reason.what()));
      }
      part = part.in_part(part.part() + ", without " + std::string(to_string(given_up.back().method)));
      const CountOptions options = options_of(i, part);
      prepared_[i] = prepare_block(blocks_[i], options, true, run_.seconds_left(), part);
      BlockPlan& block = prepared_[i].plan;
      for (const Forecast& other : given_up)
        std::ranges::replace_if(
            block.forecasts, [&](const Forecast& own) { return own.method == other.method; }, other);
      const Forecast& cheapest = matchcount::choose(block, options, run_.seconds_left(), prepared_[i].nonnegative);
      chosen_[i] = agreed(cheapest, block, is_exact_, part);
      put_first(block, chosen_[i]);
      told = block;
    }
  }

  void verify(std::size_t i, const BlockOutcome& outcome) {
    const RunContext part = run_.in_part(part_of(run_, i).part() + ", verified");
    const Forecast second = agreed(second_method(chosen_[i], prepared_[i].plan, options_, run_.seconds_left()),
                                   prepared_[i].plan, is_exact_, part);
    const Value other = run_second(blocks_[i], prepared_[i], second, outcome.precision, part);
    verified_.agreed = verified_.agreed && agree(outcome.value, other);
    verified_.note(std::string(to_string(second.method)) +
                   (second.method == chosen_[i].method ? " along another order" : ""));
  }

  void append_order(std::size_t i, std::vector<Vertex>& order) const {
    const MethodPlan* plan = prepared_[i].plan_of(chosen_[i]);
    if (!plan) return;
    for (const Vertex v : entry_of(chosen_[i].method).order(*plan)) order.push_back(names_[i][v]);
  }

  std::vector<AnyBlock> blocks_;
  std::vector<std::vector<Vertex>> names_;
  std::vector<Vertex> places_;
  const CountOptions& options_;
  bool is_exact_;
  const RunContext& run_;
  std::vector<PreparedBlock> prepared_;
  std::vector<Forecast> chosen_;
  Verified verified_;
};

bool is_odd(const BipartiteGraph& graph) { return permanent_is_odd(graph); }
bool is_odd(const UndirectedGraph& graph) { return hafnian_is_odd(graph); }

template <class Graph>
void check_parity(const Graph& graph, Result& result) {
  const Integer* value = std::get_if<Integer>(&result.value);
  if (!value || result.plan.rows + result.plan.vertices > max_parity_size) return;
  result.checks.push_back({Check::Kind::parity, is_odd(graph) == ((*value & 1) != 0), "the determinant modulo 2"});
}

// Counts a small graph where the options leave it to the engine how, and ask for nothing but the value.
template <class Graph>
std::optional<Result> count_at_once(const Graph& graph, const CountOptions& options, const Work* work) {
  const bool is_free = options.method == Method::automatic && options.prune && options.reduce && !options.verify &&
                       !options.order && !options.wants_order && options.run.device.kind != DeviceChoice::Kind::cuda;
  if (!options.value_only || !is_free || work) return std::nullopt;
  const auto count = small_count(graph, entries_of<std::int64_t>(graph));
  if (!count) return std::nullopt;
  Result result;
  result.value = Integer(*count);
  result.method = entry_with(&MethodEntry::unplanned_below).method;
  result.seed = options.run.seed;
  return result;
}

void require_passed(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    if (check.passed) continue;
    throw Error("the check \"" + std::string(to_string(check.kind)) + "\" failed (" + check.detail +
                "); please report this matrix");
  }
}

template <class Entry, class Graph>
Result compute_entries(const Graph& graph, const CountOptions& given, Work* work, Until until,
                       const std::string& part) {
  constexpr bool is_exact = std::is_same_v<Entry, std::int64_t>;
  if constexpr (is_exact) {
    if (until == Until::value) {
      if (auto result = count_at_once(graph, given, work)) return *std::move(result);
    }
  }
  const CountOptions options = options_for(is_exact, given);
  require_order_of(given, num_vertices(graph));
  if (given.rotation) require_rotation_of(without_sides(graph), *given.rotation);
  const RunContext run = context_of(options.run, work, until).in_part(part);
  const bool counts_it = until == Until::value;
  // A device that can't be had is refused even where nothing is left to count on it.
  if (counts_it && options.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.run.device);
  Stopwatch stopwatch;
  auto structure = structure_of<Entry>(graph, options, run);
  Result result;
  result.seed = options.run.seed;
  result.plan = structure.plan;
  result.checks = std::move(structure.checks);
  result.time_s.structure = stopwatch.lap();
  if (!result.plan.has_perfect_matching()) {
    result.value = BlockValue<Entry>{};
    if (options.wants_order) put_others_first(result.plan.order, num_vertices(graph));
    result.time_s.total = run.elapsed_s();
    return result;
  }
  if (counts_it && run.work()) identify(structure.identity(), options, run);
  const bool has_names = options.order || options.wants_order || options.rotation;
  BlockCounts counts(blocks_of(structure), has_names ? structure.names() : std::vector<std::vector<Vertex>>(), options,
                     is_exact, run);
  counts.prepare(until == Until::plan);
  result.time_s.order = stopwatch.lap();
  counts.choose(result.plan, until);
  if (!counts_it) return result;
  result.value = product_of_blocks(structure, counts.run(result));
  check_parity(graph, result);
  if (options.verify) result.checks.push_back(counts.verified());
  result.time_s.count = stopwatch.lap();
  result.time_s.total = run.elapsed_s();
  require_passed(result.checks);
  return result;
}

}  // namespace

RunContext context_of(const RunOptions& options, Work* work, Until until) {
  // A plan whose searches took all of the time has a fifth more to say so.
  constexpr double least_s = 0.5, most_s = 1, share = 0.2;
  RunOptions limits = options;
  if (until != Until::value) limits.time_limit_s += std::clamp(share * limits.time_limit_s, least_s, most_s);
  return RunContext(limits, work);
}

Result compute(GraphView view, const CountOptions& options, Work* work, Until until, const std::string& part) {
  return std::visit(
      [&](const auto* graph) {
        switch (graph->weight_kind()) {
          case WeightKind::real:
            return compute_entries<RealEntry>(graph->drop_zeros(), options, work, until, part);
          case WeightKind::complex:
            return compute_entries<ComplexEntry>(graph->drop_zeros(), options, work, until, part);
          case WeightKind::integer:
            return compute_entries<std::int64_t>(graph->drop_zeros(), options, work, until, part);
          default:
            return compute_entries<std::int64_t>(*graph, options, work, until, part);
        }
      },
      view);
}

}  // namespace matchcount
