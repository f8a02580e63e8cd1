// Search for a vertex order in which the frontier method has few transitions.
//
// The cost of an order is the sum over its steps of C(w, k) (1 + choices / 2), a bound on the states of the layer that
// the step makes times the share of sources that each of them sums; of a graph that is not bipartite StatesOfParity
// stands for C(w, k). A vertex whose neighbours are all processed leaves the frontier at once, whatever its place in
// the sequence; so "rows only" is simply a sequence with every row before every column, and one evaluator serves all
// strategies.
//
// The search has four stages. Greedy orders from many starts, most of them guided along the graph (order/starts.cpp),
// and orders along tree decompositions (order/starts.cpp) fill a pool. Its members are improved by reordering
// segments with a beam search (order/segment_beam.hpp, order/local_search.cpp), and the worse half is dropped again and
// again, until one is left. That one is improved in slices of growing length while they pay, and in the end every short
// window of it is given its best order.
//
// Effort is counted in evaluations, never in seconds: the order is a function of the graph, the seed and the effort
// alone. Starts and members of the pool are worked on side by side.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "core/parallel.hpp"
#include "permanent/frontier/costs.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/order/local_search.hpp"
#include "permanent/frontier/order/starts.hpp"

namespace matchcount {
namespace {

using frontier_costs::evaluation_s, frontier_costs::saved_transition_s;

constexpr double share_of_count = 0.12;  // of its predicted time, for the search
// A count of more transitions than this (20 days) will hardly be run. Only its predicted cost is shown, which the
// greedy orders may miss by 2^17.
constexpr double out_of_reach = 1e15;
constexpr double forecast_s = 0.5, longest_s = 10;
// A search hardly brings within reach what takes so many times the time or the memory that there is.
constexpr double far_from_affordable = 16;
// From here on no search has come within reach.
constexpr double far_out_of_reach = 0x1p70, far_forecast_s = 0.3;
constexpr double hopeless = 0x1p256;          // transitions that no search brings within reach
constexpr double too_cheap_to_improve = 4e4;  // transitions
// Another method takes so many times less than the best so far: it is hardly caught up with, and less is spent on it.
constexpr double far_behind = 64, share_of_other = 0.03;
constexpr double worth_threads_s = 0.02;
constexpr double worth_another_try = 0.2;  // of a given effort

class OrderSearch {
 public:
  OrderSearch(const OrderGraph& graph, FrontierStrategy strategy, std::uint64_t seed, const OrderEffort& effort,
              const RunContext& run)
      : graph_(graph),
        strategy_(strategy),
        seed_(seed),
        objective_(effort.for_memory ? OrderObjective::memory : OrderObjective::time),
        effort_(effort),
        run_(run),
        starts_(graph, strategy, seed),
        time_costs_(graph.by_parity, OrderObjective::time),
        has_trees_(strategy == FrontierStrategy::automatic || strategy == FrontierStrategy::mixed) {
    add_worker();
  }

  // Returns the best order found. A search of its own from new starts follows while there is time and the last one
  // paid.
  CostedOrder run() {
    for (bool pays = true; pays;) {
      start_afresh();
      fill_pool();
      if (!best_) log2_transitions_of_start_ = std::log2(std::max(1.0, transitions(pool_.front().best())));
      if (left() > 0) {
        halve();
        refine();
      }
      pays = take_best() && allowed() - static_cast<double>(spent_) > worth_another_try * allowed();
    }
    return *std::move(best_);
  }
  // Transitions, as log2, of the best order that was there before any was improved.
  double log2_transitions_of_start() const { return log2_transitions_of_start_; }

 private:
  static bool cheaper(const LocalSearch& a, const LocalSearch& b) { return a.best_total() < b.best_total(); }
  static bool has(const std::vector<LocalSearch>& members, double total) {
    return std::ranges::any_of(members, [&](const LocalSearch& member) { return member.best_total() == total; });
  }

  void add_worker() { workers_.push_back(std::make_unique<OrderWorker>(graph_, strategy_, objective_, run_)); }

  // Hires a worker for each core of the machine if the search is long.
  void hire() {
    constexpr int most_workers = 16;
    if (workers_.size() > 1 || allowed() * evaluation_s < worth_threads_s || graph_.size() > 200'000) return;
    const int num_threads = std::min(most_workers, run_.num_threads());
    for (int i = 1; i < num_threads; ++i) add_worker();
  }

  double transitions(const CostedOrder& order) {
    if (objective_ == OrderObjective::time) return order.total;
    double sum = 0;
    for (const OrderStep& step : order.steps)
      if (!step.is_closed) sum += time_costs_.cost(step.layer, step.choices);
    return sum;
  }

  // Returns the least transitions of any order of this try or those before.
  double least_transitions() {
    double least = std::numeric_limits<double>::infinity();
    if (best_) least = transitions(*best_);
    if (!pool_.empty()) least = std::min(least, transitions(pool_.front().best()));
    if (!cheap_.empty()) least = std::min(least, transitions(cheap_.front().best()));
    return least;
  }

  // Keeps the best order of this try if it is the best of all; says whether another try is worth it.
  bool take_best() {
    const CostedOrder& order = pool_.front().best();
    const double before = best_ ? transitions(*best_) : std::numeric_limits<double>::infinity();
    if (!best_ || order.total < best_->total) best_ = order;
    const double saved = (before - transitions(*best_)) * transition_s_;
    return effort_.seconds > 0 || saved > spent() * evaluation_s;
  }

  // Says whether the best order so far is not far from being carried out, on one core or elsewhere. Layers elsewhere
  // are in other memory.
  bool is_affordable(double total) {
    if (total * transition_s_ >
        far_from_affordable * saved_transition_s * std::exp2(effort_.affordable_log2_transitions))
      return false;
    if (transition_s_ < saved_transition_s || !effort_.has_memory_for) return true;
    const auto fits = [&](const LocalSearch& member) {
      double widest = 0;
      for (const OrderStep& step : member.best().steps) widest = std::max(widest, time_costs_.states(step.layer));
      return effort_.has_memory_for(widest / far_from_affordable);
    };
    return (pool_.empty() && cheap_.empty()) || (!pool_.empty() && fits(pool_.front())) ||
           (!cheap_.empty() && fits(cheap_.front()));
  }

  // Evaluations that the search may take in all.
  double allowed() {
    if (graph_.neighbours.empty()) return 0;  // where starts take no evaluations
    if (effort_.seconds > 0) return effort_.seconds / evaluation_s;
    const double total = least_transitions();
    if (total < too_cheap_to_improve || total > hopeless) return 0;
    const double useful = std::exp2(effort_.useful_log2_transitions);
    const auto seconds = [&] {
      return total > far_behind * useful ? share_of_other * useful * transition_s_
                                         : share_of_count * std::min(total, useful) * transition_s_;
    };
    constexpr double moment_s = 0.1;
    if (seconds() > moment_s && !asked_elsewhere_) {
      asked_elsewhere_ = true;
      if (effort_.transition_s_elsewhere) transition_s_ = std::min(transition_s_, effort_.transition_s_elsewhere());
    }
    double longest = total > far_out_of_reach ? far_forecast_s : total > out_of_reach ? forecast_s : longest_s;
    if (seconds() > forecast_s && longest > forecast_s && !is_affordable(total)) longest = forecast_s;
    return std::min({seconds(), longest, effort_.most_seconds}) / evaluation_s;
  }

  // Returns the evaluations that this try has spent, and those that it may spend in all.
  double spent() const { return static_cast<double>(spent_ - begun_); }
  double budget() {
    const double rest = allowed() - static_cast<double>(begun_);
    return rest > 2 * length_of_try_ ? length_of_try_ : rest;
  }
  double left() { return budget() - spent(); }

  // Begins a try; in a long search each is twice as long as the one before.
  void start_afresh() {
    constexpr double work_of_vertex = 2e5;
    length_of_try_ = begun_ == 0 && pool_.empty() ? work_of_vertex * graph_.size() : 2 * length_of_try_;
    begun_ = spent_;
    pool_.clear();
  }

  // The best first.
  void sort_pool() { std::stable_sort(pool_.begin(), pool_.end(), cheaper); }

  // Fills the pool with different orders: the first that are made, whatever they cost, and the best of all others. On
  // networks of power lines the cheapest to begin with have much in common, and it is not they that win.
  void fill_pool() {
    constexpr double share_of_starts = 0.15, share_of_eigenvectors = 0.02;
    constexpr std::uint64_t largest_round = 24;
    constexpr double far = 0x1p36;  // transitions that are not searched for long before trees are looked for
    const std::uint64_t first_round = !graph_.by_parity && strategy_ == FrontierStrategy::automatic ? 3 : 1;
    for (std::uint64_t round = first_round;; round = std::min(2 * round, largest_round)) {
      make_starts(round);
      if (round > first_round || least_transitions() > far) add_tree_starts();
      const double most = budget();
      if (spent() >= share_of_starts * most) break;
      hire();
      if (!has_eigenvectors_ && static_cast<double>(starts_.work_of_eigenvectors()) < share_of_eigenvectors * most) {
        spent_ += starts_.find_eigenvectors(workers_[0]->steps);
        has_eigenvectors_ = true;
      }
    }
    std::move(cheap_.begin(), cheap_.end(), std::back_inserter(pool_));
    cheap_.clear();
    sort_pool();
  }

  // Adds an order along a tree decomposition if it is the best so far. What is looked at takes a small share of the
  // count, which is not counted as spent; where nothing comes within reach, one after another is looked at.
  void add_tree_starts() {
    constexpr double share_of_trees = 0.005, longest_on_trees_s = 0.25;
    constexpr double much_dearer = 64;  // than what is there: another will hardly be better
    constexpr double least_of_edge = 20;
    const auto edges = static_cast<double>(graph_.size() + graph_.neighbours.size() / 2);
    do {
      const double total = std::min(least_transitions(), std::exp2(effort_.useful_log2_transitions));
      const double most_s =
          std::min({longest_on_trees_s, effort_.most_seconds, share_of_trees * total * saved_transition_s});
      const double most = most_s / evaluation_s - static_cast<double>(spent_on_trees_);
      if (!has_trees_ || most < least_of_edge * edges) return;
      CostedOrder order = order_along_tree(graph_, num_trees_++, seed_, static_cast<std::uint64_t>(most),
                                           workers_[0]->costs, workers_[0]->steps, spent_on_trees_);
      has_trees_ = !order.steps.empty() && order.total < much_dearer * pool_.front().best_total();
      if (order.steps.empty() || order.total >= pool_.front().best_total()) continue;
      pool_.emplace_back(std::move(order), Random(seed_, 0x74726565 + num_trees_));
      sort_pool();
    } while (allowed() == 0);
  }

  // Makes so many more starts. The first go into the pool; of the others the best few are kept as cheap ones.
  void make_starts(std::uint64_t count) {
    constexpr std::size_t num_cheap = 6, num_first = 12;
    const bool is_full = cheap_.size() == num_cheap && pool_.size() == num_first;
    const double limit = is_full ? cheap_.back().best_total() : std::numeric_limits<double>::infinity();
    std::vector<CostedOrder> orders(count);
    std::vector<std::uint64_t> work(count, 0);
    parallel_for_chunks(static_cast<int>(workers_.size()), count, [&](std::uint64_t i, int thread) {
      OrderWorker& worker = *workers_[static_cast<std::size_t>(thread)];
      const std::uint64_t before = worker.greedy.work();
      const std::vector<Vertex> sequence = starts_.make(made_ + i, limit, worker.greedy);
      if (!sequence.empty()) orders[i] = costed_order(graph_, sequence, worker.costs);
      work[i] = worker.greedy.work() - before + graph_.neighbours.size() / 2;
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      spent_ += work[i];
      if (orders[i].steps.empty() || has(pool_, orders[i].total) || has(cheap_, orders[i].total)) continue;
      std::vector<LocalSearch>& members = pool_.size() < num_first ? pool_ : cheap_;
      members.emplace_back(std::move(orders[i]), Random(seed_, 0x706f6f6c + made_ + i));
      std::stable_sort(members.begin(), members.end(), cheaper);
      if (cheap_.size() > num_cheap) cheap_.pop_back();
    }
    made_ += count;
  }

  // Every member gets its part of `work`, on a thread of its own.
  template <class Improve>
  void improve_pool(Improve&& improve) {
    std::vector<std::uint64_t> work(pool_.size());
    parallel_for_chunks(static_cast<int>(workers_.size()), pool_.size(), [&](std::uint64_t i, int thread) {
      work[i] = improve(pool_[i], *workers_[static_cast<std::size_t>(thread)]);
    });
    for (const std::uint64_t done : work) spent_ += done;
    sort_pool();
  }

  // Drops the worse half of the pool again and again.
  void halve() {
    constexpr std::uint32_t window = 8;
    constexpr double share_of_windows = 0.1, share_of_round = 0.1, share_of_halving = 0.7;
    hire();
    const auto part = [&](double share) {
      return static_cast<std::uint64_t>(share * budget() / static_cast<double>(pool_.size()));
    };
    const std::uint64_t on_windows = part(share_of_windows);
    improve_pool(
        [&](LocalSearch& member, OrderWorker& worker) { return member.perfect_windows(window, on_windows, worker); });
    while (pool_.size() > 1 && spent() < share_of_halving * budget()) {
      const std::uint64_t work = part(share_of_round);
      improve_pool([&](LocalSearch& member, OrderWorker& worker) { return member.improve(work, 0, 0, worker); });
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>((pool_.size() + 1) / 2), pool_.end());
    }
  }

  // The best alone, in slices that grow, until two have saved less than they cost, or nothing.
  void refine() {
    constexpr std::uint32_t window = 10;
    constexpr double share_of_slice = 0.1, share_of_windows = 0.05, growth = 1.5, least_slice = 2e5;
    constexpr double hot = 0.05, cold = 0.001, standstill = 1e-3;
    LocalSearch& best = pool_.front();
    OrderWorker& worker = *workers_[0];
    double slice = std::max(least_slice, share_of_slice * budget());
    for (int poor = 0; poor < 2;) {
      const double free = left() - share_of_windows * budget();
      if (free <= 0) break;
      const double before = transitions(best.best());
      const std::uint64_t done = best.improve(static_cast<std::uint64_t>(std::min(slice, free)), hot, cold, worker);
      spent_ += done;
      const double saved = (before - transitions(best.best())) * transition_s_;
      const double worth =
          effort_.seconds > 0 ? standstill * before * transition_s_ : static_cast<double>(done) * evaluation_s;
      poor = saved < worth ? poor + 1 : 0;
      slice *= growth;
    }
    spent_ += best.perfect_windows(window, static_cast<std::uint64_t>(share_of_windows * budget()), worker);
  }

  const OrderGraph& graph_;
  FrontierStrategy strategy_;
  std::uint64_t seed_;
  OrderObjective objective_;
  const OrderEffort& effort_;
  const RunContext& run_;
  Starts starts_;
  LayerCosts time_costs_;
  std::vector<std::unique_ptr<OrderWorker>> workers_;
  std::vector<LocalSearch> cheap_;       // of a pool that is filled
  std::vector<LocalSearch> pool_;        // the best first
  std::optional<CostedOrder> best_;      // of earlier tries
  std::uint64_t spent_ = 0, begun_ = 0;  // evaluations: in all, before this try
  double transition_s_ = saved_transition_s;
  bool asked_elsewhere_ = false;
  double length_of_try_ = 0;                          // the most that this one may take, unless it is the last
  std::uint64_t made_ = 0;                            // starts
  std::uint64_t num_trees_ = 0, spent_on_trees_ = 0;  // starts along trees, and evaluations
  bool has_trees_ = false;                            // more of them are worth a look
  bool has_eigenvectors_ = false;
  double log2_transitions_of_start_ = 0;
};

// Returns the kind of an order: rows or columns where all of its steps are.
FrontierStrategy strategy_of(const OrderGraph& graph, const CostedOrder& order) {
  bool rows = !graph.by_parity, columns = !graph.by_parity;
  for (const OrderStep& step : order.steps) {
    if (!step.is_closed) (graph.is_row[step.vertex] ? columns : rows) = false;
  }
  return rows ? FrontierStrategy::rows : columns ? FrontierStrategy::columns : FrontierStrategy::mixed;
}

FrontierOrder frontier_order(const OrderGraph& graph, const CostedOrder& order) {
  FrontierOrder result;
  LayerCosts costs(graph.by_parity, OrderObjective::time);
  double total = 0, peak = 1;
  std::int32_t width = 0;
  for (const OrderStep& step : order.steps) {
    if (step.is_closed) continue;
    total += costs.cost(step.layer, step.choices);
    peak = std::max(peak, costs.states(step.layer));
    width = std::max(width, step.layer.width);
  }
  result.strategy = strategy_of(graph, order);
  result.sequence = order.sequence();
  if (result.strategy != FrontierStrategy::mixed) {
    std::stable_partition(result.sequence.begin(), result.sequence.end(), [&](Vertex v) {
      return (graph.is_row[v] != 0) == (result.strategy == FrontierStrategy::rows);
    });
  }
  result.max_width = static_cast<std::uint32_t>(width);
  result.log2_peak_states = std::log2(peak);
  result.log2_transitions = std::log2(std::max(1.0, total));
  return result;
}

FrontierOrder search(const OrderGraph& graph, FrontierStrategy strategy, std::uint64_t seed, const RunContext& run,
                     const OrderEffort& effort) {
  FrontierOrder order;
  order.strategy = strategy == FrontierStrategy::automatic ? FrontierStrategy::mixed : strategy;
  if (graph.size() == 0) return order;
  OrderSearch search(graph, strategy, seed, effort, run);
  order = frontier_order(graph, search.run());
  order.log2_transitions_of_start = search.log2_transitions_of_start();
  return order;
}

FrontierOrder along(const OrderGraph& graph, const std::vector<Vertex>& sequence) {
  LayerCosts costs(graph.by_parity, OrderObjective::time);
  return frontier_order(graph, costed_order(graph, sequence, costs));
}

}  // namespace

FrontierOrder find_frontier_order(const BipartiteGraph& pattern, FrontierStrategy strategy, std::uint64_t seed,
                                  const RunContext& run, const OrderEffort& effort) {
  return search(order_graph(pattern), strategy, seed, run, effort);
}

FrontierOrder find_frontier_order(const UndirectedGraph& pattern, std::uint64_t seed, const RunContext& run,
                                  const OrderEffort& effort) {
  return search(order_graph(pattern), FrontierStrategy::mixed, seed, run, effort);
}

FrontierOrder frontier_order_along(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence) {
  return along(order_graph(pattern), sequence);
}

FrontierOrder frontier_order_along(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence) {
  return along(order_graph(pattern), sequence);
}

}  // namespace matchcount
