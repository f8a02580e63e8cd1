#include "permanent/frontier/cpu/steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "graph/vertices.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {
namespace {

// Returns the size of every vertex's class at the first of it, 0 at the others; empty where there are no twins.
std::vector<std::uint32_t> class_sizes(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before) {
  if (twin_before.empty()) return {};
  const Vertex num_rows = pattern.num_rows();
  const auto neighbours = [&](Vertex v) { return v < num_rows ? pattern.row(v) : pattern.column(v - num_rows); };
  std::vector<std::uint32_t> size(twin_before.size(), 1);
  for (Vertex v = 0; v < size.size(); ++v) {
    const Vertex before = twin_before[v];
    if (before == unmatched) continue;
    const bool same_side = before < v && (before < num_rows) == (v < num_rows);
    const auto ours = neighbours(v);
    if (!same_side || !std::equal(ours.begin(), ours.end(), neighbours(before).begin(), neighbours(before).end())) {
      throw InputError("twins with different neighbours", "vertices of one side and of equal neighbours");
    }
  }
  for (std::size_t v = size.size(); v-- > 0;) {
    if (twin_before[v] == unmatched) continue;
    size[twin_before[v]] += size[v];
    size[v] = 0;
  }
  return size;
}

void check_length(std::size_t length, Vertex num_vertices) {
  if (length != num_vertices) throw InputError("a sequence of another length", "every vertex once");
}

// Bounds on the states of the layers of perfect matchings. How many bits are set is known.
class PerfectStates {
 public:
  explicit PerfectStates(FrontierSteps& steps) : steps_(steps) {}

  void process(Vertex v, bool was_on_frontier) {
    ++matched_;
    if (was_on_frontier) leave_class(1);
    ones_ += steps_.is_row(v) ? -1 : !was_on_frontier;
  }
  void enter(Vertex u) { ones_ += !steps_.is_row(u); }
  void close(Vertex u) {
    --matched_;
    ones_ -= steps_.is_row(u);
  }
  // Twins come onto the frontier, and leave it, as a class.
  void enter_class(std::uint32_t size) {
    classes_of_size_.resize(std::max<std::size_t>(classes_of_size_.size(), size + 1), 0);
    ++classes_of_size_[size];
  }
  void leave_class(std::uint32_t size) {
    if (steps_.with_twins) --classes_of_size_[size];
  }

  void bound(FrontierStep& step) {
    if (step.closing_entered.size() > 1 || (!steps_.by_parity && (ones_ < 0 || ones_ > step.width)))
      steps_.impossible = true;
    if (steps_.by_parity) {
      // Rows that were processed are all matched, and matched vertices are even in number; ones is minus the rows.
      step.ones = static_cast<std::uint32_t>(-ones_ & 1);
      step.states = states_of_parity_(step.width, matched_);
    } else {
      step.ones = static_cast<std::uint32_t>(std::max<std::int64_t>(ones_, 0));
      step.states =
          steps_.with_twins ? twin_states_(classes_of_size_, step.ones) : binomial_as_double(step.width, step.ones);
    }
  }
  // Says, after the last step, whether no vertex is left without a partner.
  bool nothing_left() const { return steps_.by_parity ? ones_ % 2 == 0 : ones_ == 0; }

 private:
  FrontierSteps& steps_;
  std::int64_t ones_ = 0;
  std::int64_t matched_ = 0;                    // on the frontier, at the most
  std::vector<std::uint32_t> classes_of_size_;  // on the frontier
  TwinStates twin_states_;
  StatesOfParity states_of_parity_;
};

// Bounds on those of matchings that need not be perfect. A frontier vertex that is matched has its partner among those
// processed, so at most as many are matched as were processed. In a bipartite graph, with i rows and j columns of the
// frontier matched, j - i is what the processed rows have more than the processed columns, less the rows and plus the
// columns that stay unmatched; where few may, few differences are left.
class StatesByExcess {
 public:
  StatesByExcess(const FrontierSteps& steps, const UnmatchedVertices& left_out) : steps_(steps), unmatched_(left_out) {}

  void process(Vertex v, bool was_on_frontier) {
    if (was_on_frontier) {
      --frontier_[side(v)];
      may_be_left_ -= unmatched_.may_be[v];
    }
    ++done_[side(v)];
    if (unmatched_.may_be[v]) left_out_[side(v)] = std::min(left_out_[side(v)] + 1, unmatched_.most);
  }
  void enter(Vertex u) {
    ++frontier_[side(u)];
    may_be_left_ += unmatched_.may_be[u];
  }

  void bound(FrontierStep& step) const {
    const auto excess = static_cast<std::int64_t>(done_[0]) - static_cast<std::int64_t>(done_[1]);
    step.least_excess = excess - left_out_[0];
    step.most_excess = excess + left_out_[1];
    if (steps_.is_column.empty()) {
      for (std::uint32_t i = 0; i <= std::min(step.width, done_[0]); ++i)
        step.states += binomial_as_double(step.width, i) *
                       (steps_.maximal ? std::exp2(std::min(step.width - i, may_be_left_)) : 1);
      return;
    }
    for (std::uint32_t i = 0; i <= std::min(frontier_[0], done_[1]); ++i) {
      const double rows = binomial_as_double(frontier_[0], i);
      const std::int64_t high = std::min<std::int64_t>(std::min(frontier_[1], done_[0]), i + step.most_excess);
      for (std::int64_t j = std::max<std::int64_t>(0, i + step.least_excess); j <= high; ++j)
        step.states += rows * binomial_as_double(frontier_[1], static_cast<std::uint32_t>(j));
    }
  }

 private:
  bool side(Vertex v) const { return !steps_.is_column.empty() && steps_.is_column[v]; }

  const FrontierSteps& steps_;
  const UnmatchedVertices& unmatched_;
  // Numbers by side; all vertices are on the first if there are odd cycles.
  std::uint32_t frontier_[2] = {0, 0}, done_[2] = {0, 0}, left_out_[2] = {0, 0};
  std::uint32_t may_be_left_ = 0;  // of the frontier
};

// `left_out` is null where matchings are perfect.
template <class Graph>
class Spelling {
 public:
  Spelling(const Graph& graph, FrontierSteps& result, const std::vector<Vertex>& twin_before,
           const std::vector<std::uint32_t>& class_size, const UnmatchedVertices* left_out)
      : graph_(graph),
        result_(result),
        twin_before_(twin_before),
        class_size_(class_size),
        unmatched_(left_out),
        perfect_(result),
        remaining_(result.num_vertices),
        processed_(result.num_vertices, 0),
        on_frontier_(result.num_vertices, 0) {
    if (left_out) by_excess_.emplace(result, *left_out);
    if (result.maximal) pair_.assign(result.num_vertices, unmatched);
    result.with_twins = !twin_before.empty();
    for (Vertex v = 0; v < result.num_vertices; ++v) {
      remaining_[v] = static_cast<std::uint32_t>(degree(graph, v));
      if (remaining_[v] == 0 && !left_out) result.impossible = true;
    }
  }

  void along(const std::vector<Vertex>& sequence) {
    std::vector<char> seen(result_.num_vertices, 0);
    for (const Vertex v : sequence) {
      if (v >= result_.num_vertices || seen[v])
        throw InputError("a sequence that repeats a vertex", "every vertex once");
      seen[v] = 1;
      if (processed_[v]) continue;
      if (result_.with_twins && class_size_[v] != 1 && remaining_[v] > 0)
        throw InputError("a sequence in which a twin has a step", "the other side of all twins first");
      process(v);
    }
    if (!unmatched_ && (width_ != 0 || !perfect_.nothing_left())) result_.impossible = true;
  }

 private:
  void process(Vertex v) {
    FrontierStep step;
    step.vertex = v;
    step.was_on_frontier = on_frontier_[v] != 0;
    processed_[v] = 1;
    on_frontier_[v] = 0;
    if (step.was_on_frontier) --width_;
    if (result_.maximal && pair_[v] != unmatched) {
      --pairs_;
      pair_[pair_[v]] = unmatched;
    }
    if (unmatched_) {
      if (!step.was_on_frontier) result_.max_width = std::max(result_.max_width, width_ + 1);
      by_excess_->process(v, step.was_on_frontier);
    } else {
      perfect_.process(v, step.was_on_frontier);
    }
    std::vector<Vertex> last;  // whose neighbours are all behind them
    for_each_neighbour(graph_, v, [&](Vertex u, EdgeId edge) {
      if (processed_[u]) return;
      const bool enters = !on_frontier_[u];
      --remaining_[u];
      if (!unmatched_) return meet(step, u, edge, enters);
      if (remaining_[u] == 0) last.push_back(u);
      step.choices.push_back({u, edge, enters});
      if (enters) enter(step, u);
    });
    if (unmatched_) {
      std::ranges::stable_partition(step.choices, [](const auto& choice) { return !choice.enters; });
      by_excess_->bound(set_width(step));
      // No more than one of two neighbours is left alone.
      if (result_.maximal) step.states = std::min(step.states, std::pow(3.0, width_) * std::pow(8.0 / 9, pairs_));
    } else {
      perfect_.bound(set_width(step));
    }
    result_.maximal ? list_maximal_moves(step) : list_moves(step);
    result_.steps.push_back(std::move(step));
    for (const Vertex u : last) process(u);
  }

  // A neighbour, in a perfect matching.
  void meet(FrontierStep& step, Vertex u, EdgeId edge, bool enters) {
    const Vertex after = result_.with_twins ? twin_before_[u] : unmatched;
    const bool leaves = remaining_[u] == 0;
    // Twins enter at once, all of them unmatched, so that the first is the only one to choose.
    if (!enters || after == unmatched) step.choices.push_back({u, edge, enters, after});
    if (result_.with_twins && class_size_[u] > 0) {
      if (enters && !leaves) perfect_.enter_class(class_size_[u]);
      if (!enters && leaves) perfect_.leave_class(class_size_[u]);
    }
    if (enters) perfect_.enter(u);
    if (leaves) {
      (enters ? step.closing_entered : step.closing).push_back(u);
      processed_[u] = 1;
      perfect_.close(u);
      on_frontier_[u] = 0;
      if (!enters) --width_;
    } else if (enters) {
      enter(step, u);
    }
  }

  void enter(FrontierStep& step, Vertex u) {
    step.entering.push_back(u);
    on_frontier_[u] = 1;
    ++width_;
    if (unmatched_) by_excess_->enter(u);
    if (!result_.maximal) return;
    for_each_neighbour(graph_, u, [&](Vertex other, EdgeId) {
      if (!on_frontier_[other] || pair_[other] != unmatched || pair_[u] != unmatched) return;
      pair_[u] = other;
      pair_[other] = u;
      ++pairs_;
    });
  }

  FrontierStep& set_width(FrontierStep& step) {
    step.width = width_;
    result_.max_width = std::max(result_.max_width, width_);
    return step;
  }

  void list_moves(FrontierStep& step) const {
    if (step.was_on_frontier && step.closing_entered.empty()) step.moves.push_back({});
    if (unmatched_ && unmatched_->may_be[step.vertex] && unmatched_->most > 0)
      step.moves.push_back({step.weight_unmatched(), unmatched, false, unmatched});
    for (std::uint32_t i = 0; i < step.choices.size(); ++i) {
      const auto& choice = step.choices[i];
      if (step.closing_entered.empty() || step.closing_entered.front() == choice.partner)
        step.moves.push_back({i + 1, choice.partner, choice.enters, choice.after});
    }
  }

  // Lists the moves by the sets of entering vertices that are to be left alone, no two of them neighbours.
  void list_maximal_moves(FrontierStep& step) const {
    constexpr std::size_t most_moves = 1 << 18;
    const auto contains = [](const std::vector<Vertex>& vertices, Vertex v) {
      return std::ranges::find(vertices, v) != vertices.end();
    };
    // Appends neighbours that are on the frontier and did not enter just now.
    const auto add_beside = [&](Vertex v, std::vector<Vertex>& result) {
      for_each_neighbour(graph_, v, [&](Vertex u, EdgeId) {
        if (on_frontier_[u] && !contains(step.entering, u)) result.push_back(u);
      });
    };
    const auto add_moves = [&](const std::vector<Vertex>& left, const std::vector<Vertex>& not_left) {
      if (step.moves.size() + step.choices.size() > most_moves)
        throw Unable("maximal matchings take more than " + std::to_string(most_moves) + " moves at one vertex");
      if (step.was_on_frontier) step.moves.push_back({0, unmatched, false, unmatched, left, not_left});
      if (left.empty() && unmatched_->may_be[step.vertex]) {
        step.moves.push_back({step.weight_unmatched(), unmatched, false, unmatched, {}, {}});
        if (!step.was_on_frontier) add_beside(step.vertex, step.moves.back().not_left);
      }
      for (std::uint32_t i = 0; i < step.choices.size(); ++i) {
        const auto& choice = step.choices[i];
        if (!contains(left, choice.partner))
          step.moves.push_back({i + 1, choice.partner, choice.enters, unmatched, left, not_left});
      }
    };
    const auto extend = [&](const auto& self, const std::vector<Vertex>& may_be_left, const std::vector<Vertex>& left,
                            const std::vector<Vertex>& not_left) -> void {
      add_moves(left, not_left);
      for (std::size_t i = 0; i < may_be_left.size(); ++i) {
        std::vector<Vertex> rest(may_be_left.begin() + static_cast<std::ptrdiff_t>(i) + 1, may_be_left.end());
        for_each_neighbour(graph_, may_be_left[i], [&](Vertex u, EdgeId) { std::erase(rest, u); });
        std::vector<Vertex> more = left, tested = not_left;
        more.push_back(may_be_left[i]);
        add_beside(may_be_left[i], tested);
        self(self, rest, more, tested);
      }
    };
    std::vector<Vertex> may_be_left;
    std::ranges::copy_if(step.entering, std::back_inserter(may_be_left),
                         [&](Vertex u) { return unmatched_->may_be[u]; });
    extend(extend, may_be_left, {}, {});
  }

  const Graph& graph_;
  FrontierSteps& result_;
  const std::vector<Vertex>& twin_before_;
  const std::vector<std::uint32_t>& class_size_;  // at the first of a class, 0 at the others; empty: no twins
  const UnmatchedVertices* unmatched_;
  PerfectStates perfect_;
  std::optional<StatesByExcess> by_excess_;
  std::vector<std::uint32_t> remaining_;
  std::vector<char> processed_, on_frontier_;
  std::uint32_t width_ = 0;
  std::vector<Vertex> pair_;  // of maximal matchings: disjoint pairs of neighbours on the frontier
  std::uint32_t pairs_ = 0;
};

// A sparse state costs as much as so many of the dense engine; layers of so few are dense whatever they are like.
constexpr double sparse_factor = 8, log2_always_dense = 10;
constexpr std::uint32_t max_dense_slots = 40;

}  // namespace

FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence,
                             const std::vector<Vertex>& twin_before) {
  FrontierSteps result;
  result.num_rows = pattern.num_rows();
  result.num_vertices = pattern.num_rows() + pattern.num_columns();
  check_length(sequence.size(), result.num_vertices);
  if (!twin_before.empty()) check_length(twin_before.size(), result.num_vertices);
  Spelling(pattern, result, twin_before, class_sizes(pattern, twin_before), nullptr).along(sequence);
  return result;
}

FrontierSteps frontier_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence) {
  FrontierSteps result;
  result.num_rows = result.num_vertices = pattern.num_vertices();
  result.by_parity = true;
  check_length(sequence.size(), result.num_vertices);
  Spelling(pattern, result, {}, {}, nullptr).along(sequence);
  return result;
}

FrontierSteps matching_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence,
                             const UnmatchedVertices& left_out, bool is_part) {
  FrontierSteps result;
  if (!is_part) check_length(sequence.size(), pattern.num_vertices());
  result.num_vertices = pattern.num_vertices();
  result.maximal = left_out.maximal;
  result.num_rows = result.num_bits();
  TwoColouring colouring = two_colour(pattern.num_vertices(), pattern.edges());
  if (colouring.odd_cycle.empty() && !left_out.maximal) result.is_column = std::move(colouring.is_column);
  Spelling(pattern, result, {}, {}, &left_out).along(sequence);
  return result;
}

MatchingLayout matching_layout(const FrontierSteps& steps) {
  MatchingLayout layout;
  const std::size_t num_steps = steps.steps.size();
  const auto width_before = [&](std::size_t t) { return t == 0 ? 0 : steps.steps[t - 1].width; };
  const auto states_before = [&](std::size_t t) { return t == 0 ? 1 : steps.steps[t - 1].states; };
  // Three of the four values of a vertex's two bits are used, where it has two: too few for an array.
  for (layout.first_dense = num_steps; layout.first_dense > 0 && !steps.maximal; --layout.first_dense) {
    const std::size_t t = layout.first_dense - 1;
    const FrontierStep& step = steps.steps[t];
    const std::uint32_t with_own = width_before(t) + !step.was_on_frontier;
    const auto others = static_cast<std::uint32_t>(step.entering.size());
    const std::uint32_t slots = with_own + (others > 1 ? others - 1 : 0);
    const double least =
        std::max(sparse_factor * std::max(step.states, states_before(t)), std::exp2(log2_always_dense));
    if (slots > max_dense_slots || std::exp2(slots) > least) break;
    layout.slots = std::max(layout.slots, slots);
    layout.dense_transitions +=
        std::exp2(with_own) * (0.5 + 0.25 * static_cast<double>(step.choices.size() - step.entering.size()));
  }
  for (std::size_t t = 0; t < layout.first_dense; ++t) {
    const FrontierStep& step = steps.steps[t];
    layout.sparse_states = std::max(layout.sparse_states, step.states + states_before(t));
    layout.sparse_transitions += states_before(t) * static_cast<double>(2 + step.choices.size());
    if (step.width > max_sparse_width || width_before(t) + step.entering.size() > max_sparse_width)
      throw Unable("no order was found along which the frontier is at most " + std::to_string(max_sparse_width) +
                   " vertices wide");
  }
  return layout;
}

}  // namespace matchcount
