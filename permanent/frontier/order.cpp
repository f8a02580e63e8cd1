// Search for a vertex order in which the frontier method has few transitions.
//
// The cost of an order is the sum over its steps of C(w, k) (1 + choices / 2), a bound on the states of the layer that
// the step makes times the share of sources that each of them sums; of a graph that is not bipartite states_of_parity
// stands for C(w, k). A vertex whose neighbours are all processed leaves
// the frontier at once, whatever its place in the sequence; so "rows only" is simply a sequence with every row before
// every column, and one evaluator serves all strategies.
//
// Greedy orders from several starts are improved by simulated annealing on log2(cost) with four moves: shift a vertex,
// swap two, reverse a segment, rotate a segment. A move inside positions [i, j] changes only the layers of that window,
// so most moves cost a few dozen additions. Effort is counted in edge visits, never in seconds: the order is a
// function of the graph and the seed alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "core/step_check.hpp"
#include "permanent/frontier/anneal.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {
namespace {

constexpr std::uint32_t max_tabled_width = 1020;  // C(1020, 510) is just below the largest double
constexpr double hopeless = 1e300;                // stands for any larger number of states
// A count of more transitions than this (20 days) will not be run: its order is improved only as far as a forecast
// needs.
constexpr double out_of_reach = 1e15;

// Row w of Pascal's triangle in doubles, made as far as it is needed.
class Binomials {
 public:
  double operator()(std::int64_t w, std::int64_t k) {
    if (k < 0 || k > w) return 0;
    if (w > max_tabled_width) return hopeless;
    while (static_cast<std::int64_t>(rows_.size()) <= w) {
      const std::size_t n = rows_.size();
      std::vector<double> row(n + 1, 1.0);
      for (std::size_t i = 1; i < n; ++i) row[i] = rows_[n - 1][i - 1] + rows_[n - 1][i];
      rows_.push_back(std::move(row));
    }
    return std::min(hopeless, rows_[static_cast<std::size_t>(w)][static_cast<std::size_t>(k)]);
  }

 private:
  std::vector<std::vector<double>> rows_;
};

// How many states a layer has at the most: C(w, k), or by parity states_of_parity(w, -ones).
class LayerStates {
 public:
  explicit LayerStates(bool by_parity) : by_parity_(by_parity) {}

  double operator()(std::int64_t width, std::int64_t ones) {
    if (!by_parity_) return binomial_(width, ones);
    return std::min(hopeless, of_parity_(width, -ones));
  }

 private:
  bool by_parity_;
  Binomials binomial_;
  StatesOfParity of_parity_;
};

// Rows 0..n-1 and columns n..2n-1 as one graph; or any graph, all of whose vertices are taken for rows.
struct MixedGraph {
  explicit MixedGraph(const UndirectedGraph& g)
      : num_rows(g.num_vertices()), size(g.num_vertices()), ones_of_closed_row(1) {
    offsets.push_back(0);
    for (Vertex v = 0; v < size; ++v) {
      const auto of_v = g.neighbours(v);
      neighbours.insert(neighbours.end(), of_v.begin(), of_v.end());
      offsets.push_back(neighbours.size());
    }
  }
  explicit MixedGraph(const BipartiteGraph& g) : num_rows(g.num_rows()), size(g.num_rows() + g.num_columns()) {
    offsets.reserve(size + 1);
    neighbours.reserve(2 * g.num_edges());
    offsets.push_back(0);
    for (Vertex r = 0; r < g.num_rows(); ++r) {
      for (const Vertex c : g.row(r)) neighbours.push_back(num_rows + c);
      offsets.push_back(neighbours.size());
    }
    for (Vertex c = 0; c < g.num_columns(); ++c) {
      for (const Vertex r : g.column(c)) neighbours.push_back(r);
      offsets.push_back(neighbours.size());
    }
  }
  std::span<const Vertex> of(Vertex v) const {
    return {neighbours.data() + offsets[v], neighbours.data() + offsets[v + 1]};
  }
  bool is_row(Vertex v) const { return v < num_rows; }

  Vertex num_rows;
  Vertex size;
  // By parity ones is minus the number of vertices on the frontier that can be matched: of those that were processed
  // less those that closed, each of which took one.
  int ones_of_closed_row = -1;
  std::vector<std::size_t> offsets;
  std::vector<Vertex> neighbours;
};

double step_cost(LayerStates& states, std::int64_t width, std::int64_t ones, std::int64_t choices) {
  return states(width, ones) * (1.0 + 0.5 * static_cast<double>(choices));
}

// One greedy order: among the vertices of the permitted sides that are on the frontier or next to it, take the one
// that leaves the cheapest layer; ties by a seeded coin.
class GreedyOrder {
 public:
  GreedyOrder(const MixedGraph& graph, LayerStates& states, StepCheck& steps)
      : graph_(graph), states_(states), steps_(steps) {}

  std::vector<Vertex> run(FrontierStrategy strategy, Vertex start, Random& random) {
    strategy_ = strategy;
    processed_.assign(graph_.size, 0);
    in_frontier_.assign(graph_.size, 0);
    is_candidate_.assign(graph_.size, 0);
    remaining_.resize(graph_.size);
    for (Vertex v = 0; v < graph_.size; ++v) remaining_[v] = static_cast<std::uint32_t>(graph_.of(v).size());
    candidates_.clear();
    waiting_.clear();
    next_waiting_ = 0;
    width_ = ones_ = 0;
    total_ = 0;
    const std::uint64_t visits_before = visits_;
    std::vector<Vertex> sequence;
    sequence.reserve(graph_.size);
    Vertex next_unseen = 0;
    Vertex next = start;
    while (true) {
      process(next);
      sequence.push_back(next);
      const bool careful = total_ < out_of_reach || visits_ - visits_before < careful_visits;
      next = best_candidate(random, careful ? max_candidates : few_candidates);
      if (next != unmatched) continue;
      while (next_unseen < graph_.size && (processed_[next_unseen] || !permitted(next_unseen))) ++next_unseen;
      if (next_unseen == graph_.size) break;
      next = next_unseen;
    }
    // What is left is closed, or of the side that follows by itself.
    std::vector<char> placed(graph_.size, 0);
    for (const Vertex v : sequence) placed[v] = 1;
    for (Vertex v = 0; v < graph_.size; ++v) {
      if (!placed[v]) sequence.push_back(v);
    }
    return sequence;
  }

  std::uint64_t visits() const { return visits_; }

 private:
  static constexpr std::size_t max_candidates = 192;  // of a wide frontier only the oldest are compared
  // and fewer once the order is too expensive to follow and much was spent on it: its cost is only told.
  static constexpr std::size_t few_candidates = 8;
  static constexpr std::uint64_t careful_visits = 20'000'000;

  bool permitted(Vertex v) const {
    return strategy_ == FrontierStrategy::mixed || graph_.is_row(v) == (strategy_ == FrontierStrategy::rows);
  }

  void add_candidate(Vertex v) {
    if (is_candidate_[v] || processed_[v] || !permitted(v)) return;
    is_candidate_[v] = 1;
    waiting_.push_back(v);
  }

  // Width and ones after processing v, and its choices.
  std::array<std::int64_t, 3> after(Vertex v) const {
    std::int64_t width = width_;
    std::int64_t ones = ones_;
    if (in_frontier_[v]) --width;
    if (graph_.is_row(v)) {
      --ones;
    } else if (!in_frontier_[v]) {
      ++ones;
    }
    std::int64_t choices = 0;
    for (const Vertex u : graph_.of(v)) {
      if (processed_[u]) continue;
      ++choices;
      if (!in_frontier_[u]) {
        ++width;
        if (!graph_.is_row(u)) ++ones;
      }
      if (remaining_[u] == 1) {
        --width;
        if (graph_.is_row(u)) ones += graph_.ones_of_closed_row;
      }
    }
    return {width, ones, choices};
  }

  void process(Vertex v) {
    const auto [width, ones, choices] = after(v);
    width_ = width;
    ones_ = ones;
    total_ += step_cost(states_, width, ones, choices);
    processed_[v] = 1;
    in_frontier_[v] = 0;
    for (const Vertex u : graph_.of(v)) {
      if (processed_[u]) continue;
      if (--remaining_[u] == 0) {
        processed_[u] = 1;
        in_frontier_[u] = 0;
        continue;
      }
      if (in_frontier_[u]) continue;
      in_frontier_[u] = 1;
      add_candidate(u);
      for (const Vertex x : graph_.of(u)) add_candidate(x);
    }
  }

  // The oldest that are not processed, at most so many, in the order in which they came.
  void refill_candidates(std::size_t most) {
    std::erase_if(candidates_, [&](Vertex v) { return processed_[v] != 0; });
    while (candidates_.size() < most && next_waiting_ < waiting_.size()) {
      const Vertex v = waiting_[next_waiting_++];
      if (!processed_[v]) candidates_.push_back(v);
    }
  }

  Vertex best_candidate(Random& random, std::size_t most) {
    refill_candidates(most);
    Vertex best = unmatched;
    double best_cost = std::numeric_limits<double>::infinity();
    std::uint64_t ties = 0;
    const std::size_t count = std::min(candidates_.size(), most);
    for (std::size_t i = 0; i < count; ++i) {
      const Vertex v = candidates_[i];
      visits_ += graph_.of(v).size();
      steps_.step();
      const auto [width, ones, choices] = after(v);
      double cost = step_cost(states_, width, ones, choices);
      if (cost >= hopeless) cost = hopeless * (1.0 + static_cast<double>(width));
      if (cost < best_cost) {
        best_cost = cost;
        best = v;
        ties = 1;
      } else if (cost == best_cost && random.below(++ties) == 0) {
        best = v;
      }
    }
    return best;
  }

  const MixedGraph& graph_;
  LayerStates& states_;
  FrontierStrategy strategy_ = FrontierStrategy::mixed;
  std::vector<char> processed_, in_frontier_, is_candidate_;
  std::vector<std::uint32_t> remaining_;
  std::vector<Vertex> candidates_;  // that are compared
  std::vector<Vertex> waiting_;     // that came after them, from next_waiting_ on
  std::size_t next_waiting_ = 0;
  std::int64_t width_ = 0, ones_ = 0;
  double total_ = 0;  // cost of the steps so far
  std::uint64_t visits_ = 0;
  StepCheck& steps_;
};

// A sequence with the cost of each of its steps, kept up to date under changes of a window.
class CostedSequence {
 public:
  CostedSequence(const MixedGraph& graph, LayerStates& states, std::vector<Vertex> sequence)
      : graph_(graph),
        states_(states),
        sequence_(std::move(sequence)),
        position_(graph.size),
        first_(graph.size),
        last_(graph.size),
        layers_(graph.size),
        mark_(graph.size, 0),
        touches_(graph.size, 0),
        entered_(graph.size, 0) {
    for (std::uint32_t t = 0; t < graph.size; ++t) position_[sequence_[t]] = t;
    for (Vertex v = 0; v < graph.size; ++v) {
      first_[v] = graph.size;
      last_[v] = 0;
      for (const Vertex u : graph.of(v)) {
        first_[v] = std::min(first_[v], position_[u]);
        last_[v] = std::max(last_[v], position_[u]);
      }
    }
    if (graph.size == 0) return;
    evaluate(0, graph.size - 1);
    layers_.swap(scratch_);
    recompute_total();
  }

  const std::vector<Vertex>& sequence() const { return sequence_; }
  double total() const { return total_; }
  std::uint64_t visits() const { return visits_; }

  // Replaces positions [i, i + window.size()) by a permutation of their vertices when accept(new total) says so.
  template <class Accept>
  bool propose(std::uint32_t i, std::span<const Vertex> window, Accept&& accept) {
    const std::uint32_t j = i + static_cast<std::uint32_t>(window.size()) - 1;
    saved_.assign(sequence_.begin() + i, sequence_.begin() + j + 1);
    place(i, window);
    double old_cost = 0;
    for (std::uint32_t t = i; t <= j; ++t) old_cost += layers_[t].cost;
    const double new_cost = evaluate(i, j);
    const double proposed = std::max(total_ - old_cost, 0.0) + new_cost;
    if (!accept(proposed)) {
      place(i, saved_);
      return false;
    }
    std::copy(scratch_.begin(), scratch_.end(), layers_.begin() + i);
    for (std::uint32_t t = i; t <= j; ++t) {
      for (const Vertex u : graph_.of(sequence_[t])) {
        if (last_[u] >= i && last_[u] <= j) last_[u] = t;
      }
    }
    for (std::uint32_t t = j + 1; t-- > i;) {
      for (const Vertex u : graph_.of(sequence_[t])) {
        if (first_[u] >= i && first_[u] <= j) first_[u] = t;
      }
    }
    total_ = proposed;
    // Subtraction loses what a large layer hid; start afresh before that matters.
    if (++changes_ == 256 || total_ < 1e-6 * largest_total_) recompute_total();
    return true;
  }

  std::uint32_t max_width() const {
    std::int64_t width = 0;
    for (const Layer& layer : layers_) width = std::max(width, layer.width);
    return static_cast<std::uint32_t>(width);
  }
  double peak_states() const {
    double peak = 1;
    for (const Layer& layer : layers_) peak = std::max(peak, states_(layer.width, layer.ones));
    return peak;
  }

 private:
  struct Layer {
    std::int64_t width = 0, ones = 0;  // after the step
    double cost = 0;
  };

  void place(std::uint32_t i, std::span<const Vertex> window) {
    for (const Vertex v : window) {
      sequence_[i] = v;
      position_[v] = i++;
    }
  }

  void recompute_total() {
    total_ = 0;
    for (const Layer& layer : layers_) total_ += layer.cost;
    largest_total_ = total_;
    changes_ = 0;
  }

  // The layers of steps i..j into scratch_, and their cost, for the sequence as placed; first_ and last_ are still
  // those of the sequence before, which agree on every comparison with i and with j.
  double evaluate(std::uint32_t i, std::uint32_t j) {
    ++stamp_;
    for (std::uint32_t t = i; t <= j; ++t) {
      for (const Vertex u : graph_.of(sequence_[t])) {
        if (mark_[u] != stamp_) {
          mark_[u] = stamp_;
          touches_[u] = 0;
          entered_[u] = 0;
        }
        ++touches_[u];
      }
    }
    scratch_.resize(j - i + 1);
    Layer layer = i == 0 ? Layer{} : layers_[i - 1];
    double cost = 0;
    const bool whole = i == 0 && j + 1 == graph_.size;
    for (std::uint32_t t = i; t <= j; ++t) {
      const Vertex v = sequence_[t];
      const auto neighbours = graph_.of(v);
      visits_ += neighbours.size();
      const bool closes_by_j = whole || last_[v] <= j;
      const bool closed = closes_by_j && (mark_[v] != stamp_ || touches_[v] == 0);
      layer.cost = 0;
      if (!closed) {
        const bool in_frontier = (!whole && first_[v] < i) || (mark_[v] == stamp_ && entered_[v]);
        if (in_frontier) --layer.width;
        if (graph_.is_row(v)) {
          --layer.ones;
        } else if (!in_frontier) {
          ++layer.ones;
        }
        std::int64_t choices = 0;
        for (const Vertex u : neighbours) {
          --touches_[u];
          if (position_[u] <= t) continue;
          ++choices;
          if (!entered_[u] && (whole || first_[u] >= i)) {
            ++layer.width;
            if (!graph_.is_row(u)) ++layer.ones;
          }
          entered_[u] = 1;
          if (touches_[u] == 0 && (whole || last_[u] <= j)) {
            --layer.width;
            if (graph_.is_row(u)) layer.ones += graph_.ones_of_closed_row;
          }
        }
        layer.cost = step_cost(states_, layer.width, layer.ones, choices);
        cost += layer.cost;
      }
      scratch_[t - i] = layer;
    }
    return cost;
  }

  const MixedGraph& graph_;
  LayerStates& states_;
  std::vector<Vertex> sequence_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> first_, last_;  // least and greatest position of a neighbour
  std::vector<Layer> layers_, scratch_;
  std::vector<Vertex> saved_;
  std::vector<std::uint32_t> mark_, touches_;
  std::vector<char> entered_;
  std::uint32_t stamp_ = 0;
  double total_ = 0, largest_total_ = 0;
  int changes_ = 0;
  std::uint64_t visits_ = 0;
};

// In edge visits, at about 25 ns each, all told. A transition costs about 1.2 ns.
constexpr double visits_per_transition = 0.05;
constexpr std::uint64_t greedy_budget = 400'000;
constexpr std::uint64_t first_budget = 300'000;
constexpr double share_of_count = 0.2;  // of the predicted count that the search may cost
constexpr double largest_budget = 2e8;  // some 5 s for each strategy
constexpr double seconds_per_visit = 2.5e-8;
constexpr double too_cheap_to_improve = 4e4;  // transitions
constexpr double forecast_budget = 3e7;
// The first rounds are short and may gain nothing by chance: this share of the count, or this much, is spent before
// that tells.
constexpr double patient_share = 8e-3;
constexpr double patient_budget = 1e7;
// A search whose best is still so many times more expensive than another method will not catch up.
constexpr double beyond_catching_up = 64;

// The best order so far of each strategy, or of one.
class Search {
 public:
  Search(const MixedGraph& graph, LayerStates states, FrontierStrategy strategy, std::uint64_t seed,
         const RunContext& run)
      : graph_(graph), states_(states), run_(run), random_(seed, 0x6672) {
    for (const auto s : {FrontierStrategy::mixed, FrontierStrategy::rows, FrontierStrategy::columns}) {
      if (strategy != FrontierStrategy::automatic && s != strategy) continue;
      const Vertex region = s == FrontierStrategy::mixed  ? graph.size
                            : s == FrontierStrategy::rows ? graph.num_rows
                                                          : graph.size - graph.num_rows;
      candidates_.push_back({s, region, {}, std::numeric_limits<double>::infinity()});
    }
    for (Candidate& candidate : candidates_) start(candidate);
  }

  // Anneals as long as that pays. A count of more than `useful` transitions is of no interest.
  void improve(double useful, double most_seconds) {
    std::uint64_t spent = first_budget;
    if (cheapest().total > too_cheap_to_improve) {
      for (Candidate& candidate : candidates_) improve(candidate, first_budget);
    }
    // A round that cost more than it gained ends the search: on dense graphs all orders cost much the same.
    for (bool pays = true; pays;) {
      const double before = cheapest().total;
      if (before > beyond_catching_up * useful) break;
      const double allowed =
          std::min({share_of_count * visits_per_transition * std::min(before, useful), most_seconds / seconds_per_visit,
                    before > out_of_reach ? forecast_budget : largest_budget});
      if (static_cast<double>(spent) >= allowed) break;
      // Each round doubles what was spent, on the strategies that are still within a factor of 8 of the best.
      const std::uint64_t budget = spent;
      double paid = 0;
      for (Candidate& candidate : candidates_) {
        if (candidate.total > 8 * before) continue;
        improve(candidate, budget);
        paid += static_cast<double>(budget);
      }
      spent *= 2;
      const double gained = visits_per_transition * (before - cheapest().total);
      const double patience =
          before > out_of_reach ? 0 : std::min(patient_budget, patient_share * visits_per_transition * before);
      pays = gained >= paid || static_cast<double>(spent) <= patience;
    }
  }

  FrontierOrder best() {
    Candidate& best = cheapest();
    CostedSequence costed(graph_, states_, std::move(best.sequence));
    FrontierOrder order;
    order.strategy = best.strategy;
    order.sequence = costed.sequence();
    order.max_width = costed.max_width();
    order.log2_peak_states = std::log2(costed.peak_states());
    order.log2_transitions = std::log2(std::max(1.0, costed.total()));
    return order;
  }

 private:
  struct Candidate {
    FrontierStrategy strategy;
    std::uint32_t region;  // the positions that annealing may change
    std::vector<Vertex> sequence;
    double total = std::numeric_limits<double>::infinity();
  };

  // The best of greedy orders from random vertices.
  void start(Candidate& candidate) {
    StepCheck steps(run_);
    GreedyOrder greedy(graph_, states_, steps);
    const Vertex first = candidate.strategy == FrontierStrategy::columns ? graph_.num_rows : 0;
    for (int start = 0; start == 0 || greedy.visits() < greedy_budget; ++start) {
      if (static_cast<std::uint32_t>(start) >= candidate.region) break;
      run_.check();
      const Vertex vertex = first + static_cast<Vertex>(random_.below(candidate.region));
      std::vector<Vertex> sequence = greedy.run(candidate.strategy, vertex, random_);
      const double total = CostedSequence(graph_, states_, sequence).total();
      if (candidate.sequence.empty() || total < candidate.total) {
        candidate.total = total;
        candidate.sequence = std::move(sequence);
      }
      if (candidate.total < too_cheap_to_improve && start >= 3) break;
    }
  }

  void improve(Candidate& candidate, std::uint64_t budget) {
    constexpr double hot = 0.5;
    run_.check();
    CostedSequence costed(graph_, states_, candidate.sequence);
    std::vector<Vertex> best = anneal(costed, candidate.region, budget, hot, random_, run_);
    const double total = CostedSequence(graph_, states_, best).total();
    if (total >= candidate.total) return;
    candidate.total = total;
    candidate.sequence = std::move(best);
  }

  Candidate& cheapest() {
    return *std::min_element(candidates_.begin(), candidates_.end(),
                             [](const Candidate& a, const Candidate& b) { return a.total < b.total; });
  }

  const MixedGraph& graph_;
  LayerStates states_;
  const RunContext& run_;
  Random random_;
  std::vector<Candidate> candidates_;
};

// The best order of one strategy, or of all for automatic.
FrontierOrder search(const MixedGraph& graph, LayerStates states, FrontierStrategy strategy, std::uint64_t seed,
                     const RunContext& run, double useful_log2_transitions, double most_seconds) {
  if (graph.size == 0) {
    FrontierOrder order;
    order.strategy = strategy == FrontierStrategy::automatic ? FrontierStrategy::mixed : strategy;
    return order;
  }
  Search search(graph, states, strategy, seed, run);
  search.improve(std::exp2(useful_log2_transitions), most_seconds);
  return search.best();
}

}  // namespace

FrontierOrder find_frontier_order(const BipartiteGraph& pattern, FrontierStrategy strategy, std::uint64_t seed,
                                  const RunContext& run, double useful_log2_transitions, double most_seconds) {
  return search(MixedGraph(pattern), LayerStates(false), strategy, seed, run, useful_log2_transitions, most_seconds);
}

FrontierOrder find_frontier_order(const UndirectedGraph& pattern, std::uint64_t seed, const RunContext& run,
                                  double useful_log2_transitions, double most_seconds) {
  return search(MixedGraph(pattern), LayerStates(true), FrontierStrategy::mixed, seed, run, useful_log2_transitions,
                most_seconds);
}

}  // namespace matchcount
