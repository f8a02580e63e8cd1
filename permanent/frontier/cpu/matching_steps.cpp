// The bound on a layer's states: a frontier vertex that is matched has its partner among those processed, so at most as
// many are matched as were processed. In a bipartite graph, with i rows and j columns of the frontier matched, j - i is
// what the processed rows have more than the processed columns, less the rows and plus the columns that stay unmatched;
// where few may, few differences are left.

#include "permanent/frontier/cpu/matching_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {
namespace {

class Spelling {
 public:
  Spelling(const UndirectedGraph& pattern, const UnmatchedVertices& unmatched)
      : pattern_(pattern),
        unmatched_(unmatched),
        processed_(pattern.num_vertices(), false),
        on_frontier_(pattern.num_vertices(), false),
        left_(pattern.num_vertices()) {
    const TwoColouring colouring = two_colour(pattern.num_vertices(), pattern.edges());
    if (colouring.odd_cycle.empty()) result_.is_column = colouring.is_column;
    for (Vertex v = 0; v < pattern.num_vertices(); ++v) left_[v] = pattern.neighbours(v).size();
  }

  MatchingSteps along(const std::vector<Vertex>& sequence) {
    for (const Vertex v : sequence) {
      if (v >= pattern_.num_vertices()) refuse(sequence);
      if (!processed_[v]) process(v);
    }
    if (result_.steps.size() != pattern_.num_vertices() || sequence.size() != pattern_.num_vertices()) refuse(sequence);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::vector<Vertex>& sequence) const {
    throw InputError("a sequence of " + std::to_string(sequence.size()) + " vertices",
                     "each of " + std::to_string(pattern_.num_vertices()) + " vertices once");
  }

  void process(Vertex v) {
    MatchingStep step;
    step.vertex = v;
    step.was_on_frontier = on_frontier_[v];
    const auto neighbours = pattern_.neighbours(v);
    const auto edges = pattern_.incident_edges(v);
    std::vector<Vertex> closing;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const Vertex u = neighbours[i];
      if (processed_[u]) continue;
      if (--left_[u] == 0) closing.push_back(u);
      (on_frontier_[u] ? step.partners : step.entering).push_back({u, edges[i]});
    }
    processed_[v] = true;
    take(v, step.was_on_frontier ? -1 : 0);
    if (!step.was_on_frontier) result_.max_width = std::max(result_.max_width, width_ + 1);
    ++done_[side(v)];
    if (unmatched_.may_be[v]) unmatched_done_[side(v)] = std::min(unmatched_done_[side(v)] + 1, unmatched_.most);
    for (const auto& partner : step.entering) take(partner.vertex, +1);
    step.width = width_;
    const auto excess = static_cast<std::int64_t>(done_[0]) - static_cast<std::int64_t>(done_[1]);
    step.least_excess = excess - unmatched_done_[0];
    step.most_excess = excess + unmatched_done_[1];
    step.states = states(step);
    result_.max_width = std::max(result_.max_width, width_);
    result_.steps.push_back(std::move(step));
    for (const Vertex u : closing) process(u);
  }

  bool side(Vertex v) const { return !result_.is_column.empty() && result_.is_column[v]; }

  void take(Vertex v, int change) {
    on_frontier_[v] = change > 0;
    width_ += static_cast<std::uint32_t>(change);
    frontier_[side(v)] += static_cast<std::uint32_t>(change);
  }

  double states(const MatchingStep& step) const {
    double sum = 0;
    if (result_.is_column.empty()) {
      for (std::uint32_t i = 0; i <= std::min(width_, done_[0]); ++i) sum += binomial_as_double(width_, i);
      return sum;
    }
    for (std::uint32_t i = 0; i <= std::min(frontier_[0], done_[1]); ++i) {
      const double rows = binomial_as_double(frontier_[0], i);
      const auto low = static_cast<std::uint32_t>(std::max<std::int64_t>(0, i + step.least_excess));
      const std::int64_t high = std::min<std::int64_t>(std::min(frontier_[1], done_[0]), i + step.most_excess);
      for (std::uint32_t j = low; static_cast<std::int64_t>(j) <= high; ++j)
        sum += rows * binomial_as_double(frontier_[1], j);
    }
    return sum;
  }

  const UndirectedGraph& pattern_;
  const UnmatchedVertices& unmatched_;
  std::vector<bool> processed_, on_frontier_;
  std::vector<std::size_t> left_;  // neighbours that are not processed yet
  // By side; all vertices are on the first where there are odd cycles.
  std::uint32_t frontier_[2] = {0, 0}, done_[2] = {0, 0}, unmatched_done_[2] = {0, 0};
  std::uint32_t width_ = 0;
  MatchingSteps result_;
};

// A sparse state costs as much as so many of the dense engine; layers of so few are dense whatever they are like.
constexpr double sparse_factor = 8, log2_always_dense = 10;
constexpr std::uint32_t max_dense_slots = 40;

}  // namespace

MatchingSteps matching_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence,
                             const UnmatchedVertices& unmatched) {
  return Spelling(pattern, unmatched).along(sequence);
}

MatchingLayout matching_layout(const MatchingSteps& steps) {
  MatchingLayout layout;
  const std::size_t num_steps = steps.steps.size();
  const auto width_before = [&](std::size_t t) { return t == 0 ? 0 : steps.steps[t - 1].width; };
  const auto states_before = [&](std::size_t t) { return t == 0 ? 1 : steps.steps[t - 1].states; };
  for (layout.first_dense = num_steps; layout.first_dense > 0; --layout.first_dense) {
    const std::size_t t = layout.first_dense - 1;
    const MatchingStep& step = steps.steps[t];
    const std::uint32_t with_own = width_before(t) + !step.was_on_frontier;
    const auto others = static_cast<std::uint32_t>(step.entering.size());
    const std::uint32_t slots = with_own + (others > 1 ? others - 1 : 0);
    const double least =
        std::max(sparse_factor * std::max(step.states, states_before(t)), std::exp2(log2_always_dense));
    if (slots > max_dense_slots || std::exp2(slots) > least) break;
    layout.slots = std::max(layout.slots, slots);
    layout.dense_transitions += std::exp2(with_own) * (0.5 + 0.25 * static_cast<double>(step.partners.size()));
  }
  for (std::size_t t = 0; t < layout.first_dense; ++t) {
    const MatchingStep& step = steps.steps[t];
    layout.sparse_states = std::max(layout.sparse_states, step.states + states_before(t));
    layout.sparse_transitions +=
        states_before(t) * static_cast<double>(2 + step.partners.size() + step.entering.size());
    if (step.width > max_sparse_width || width_before(t) + step.entering.size() > max_sparse_width)
      throw Unable("no order was found along which the frontier is at most " + std::to_string(max_sparse_width) +
                   " vertices wide");
  }
  return layout;
}

}  // namespace matchcount
