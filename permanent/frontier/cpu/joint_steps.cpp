#include "permanent/frontier/cpu/joint_steps.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace matchcount {
namespace {

constexpr std::size_t most_joined = 3;
// Each is tried for every block of states; kernels number them by 8 bits.
constexpr std::size_t most_moves = 256;
// Reading or writing a state, and trying a choice for it, cost so many transitions.
constexpr double state_cost = 1, choice_cost = 0.01;

using Known = std::vector<std::pair<Vertex, bool>>;

auto place_of(Known& known, Vertex v) { return std::ranges::find(known, v, &Known::value_type::first); }
void forget(Known& known, Vertex v) {
  if (const auto at = place_of(known, v); at != known.end()) known.erase(at);
}
void set(Known& known, Vertex v, bool matched) {
  if (const auto at = place_of(known, v); at != known.end()) {
    at->second = matched;
  } else {
    known.emplace_back(v, matched);
  }
}

// Lets a vertex be matched, or not, at this point; returns false where it can't be.
bool demand(JointMove& move, Vertex v, bool matched) {
  if (const auto at = place_of(move.after, v); at != move.after.end()) return at->second == matched;
  move.before.emplace_back(v, matched);
  move.after.emplace_back(v, matched);
  return true;
}

// Goes on by one move of a single step.
bool go_on(JointMove& joint, const FrontierStep& step, const FrontierStep::Move& move) {
  for (const Vertex v : step.entering) set(joint.after, v, false);
  for (const Vertex v : step.closing_entered) set(joint.after, v, false);
  if (step.was_on_frontier && !demand(joint, step.vertex, move.partner == unmatched)) return false;
  if (move.partner != unmatched) {
    if (!demand(joint, move.partner, false)) return false;
    set(joint.after, move.partner, true);
  }
  for (const Vertex v : step.closing) {
    if (!demand(joint, v, true)) return false;
    forget(joint.after, v);
  }
  for (const Vertex v : step.closing_entered) forget(joint.after, v);
  forget(joint.after, step.vertex);
  joint.weights.push_back(move.weight);
  return true;
}

FrontierStep joint(std::span<const FrontierStep> parts) {
  if (parts.size() == 1) return parts.front();
  FrontierStep result = parts.back();
  result.was_on_frontier = false;
  result.choices.clear();
  result.moves.clear();
  result.entering.clear();
  result.closing.clear();
  result.closing_entered.clear();
  const auto take_off = [&](Vertex v) {
    if (std::erase(result.entering, v) == 0) result.closing.push_back(v);
  };
  for (const FrontierStep& part : parts) {
    if (part.was_on_frontier) take_off(part.vertex);
    for (const Vertex v : part.closing) take_off(v);
    result.entering.insert(result.entering.end(), part.entering.begin(), part.entering.end());
  }
  result.parts.assign(parts.begin(), parts.end());
  return result;
}

double transitions_by(const std::vector<JointMove>& moves, const FrontierSteps& steps, const FrontierStep& step,
                      const StateIndices& indices) {
  double transitions = 0;
  for (const JointMove& move : moves) {
    const auto known = static_cast<std::uint32_t>(move.after.size());
    Word expected = 0;
    for (std::size_t i = 0; i < known; ++i) expected |= Word{steps.bit(move.after[i].first, move.after[i].second)} << i;
    if (known <= step.width)
      transitions += static_cast<double>(indices.count(step.width - known, indices.rest(step.ones, expected)));
  }
  return transitions;
}

// Predicts a step from so many states; infinity for too many moves.
double cost_of(const FrontierSteps& steps, const FrontierStep& step, double old_states, const StateIndices& indices) {
  const auto new_states = static_cast<double>(indices.count(step.width, step.ones));
  std::size_t most = 1;
  for (const FrontierStep& part : step.parts) most *= part.moves.size();
  if (most > 4 * most_moves) return std::numeric_limits<double>::infinity();
  const std::vector<JointMove> moves = joint_moves(step);
  if (!step.parts.empty() && moves.size() > most_moves) return std::numeric_limits<double>::infinity();
  return state_cost * (old_states + new_states) + transitions_by(moves, steps, step, indices) +
         choice_cost * static_cast<double>(moves.size()) * new_states;
}

}  // namespace

std::vector<JointMove> joint_moves(const FrontierStep& step) {
  std::vector<JointMove> moves(1);
  for (const FrontierStep& part : step.singles()) {
    std::vector<JointMove> longer;
    for (const JointMove& so_far : moves) {
      for (const FrontierStep::Move& move : part.moves) {
        longer.push_back(so_far);
        if (!go_on(longer.back(), part, move)) longer.pop_back();
      }
    }
    moves = std::move(longer);
  }
  return moves;
}

double transitions_of(const FrontierSteps& steps, const FrontierStep& step, const StateIndices& indices) {
  return transitions_by(joint_moves(step), steps, step, indices);
}

FrontierSteps joined_steps(const FrontierSteps& steps, double min_states) {
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  const std::size_t num_steps = steps.steps.size();
  std::vector<double> cost(num_steps + 1, 0);
  std::vector<std::size_t> together(num_steps, 1);
  const auto states_before = [&](std::size_t t) {
    return t == 0 ? 1.0 : static_cast<double>(indices.count(steps.steps[t - 1].width, steps.steps[t - 1].ones));
  };
  for (std::size_t t = num_steps; t-- > 0;) {
    cost[t] = std::numeric_limits<double>::infinity();
    for (std::size_t n = 1; n <= std::min(most_joined, num_steps - t); ++n) {
      // Not from or to small layers, which sorted states may have.
      if (n > 1 && std::min(states_before(t), states_before(t + n)) < min_states) continue;
      const FrontierStep step = joint(std::span(steps.steps).subspan(t, n));
      const double sum = cost_of(steps, step, states_before(t), indices) + cost[t + n];
      if (sum >= cost[t]) continue;
      cost[t] = sum;
      together[t] = n;
    }
  }
  FrontierSteps result = steps;
  result.steps.clear();
  for (std::size_t t = 0; t < num_steps; t += together[t])
    result.steps.push_back(joint(std::span(steps.steps).subspan(t, together[t])));
  return result;
}

}  // namespace matchcount
