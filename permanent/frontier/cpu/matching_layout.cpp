#include "permanent/frontier/cpu/matching_layout.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace matchcount {
namespace {

// A sparse state costs as much as so many of the dense engine; layers of so few are dense whatever they are like.
constexpr double sparse_factor = 8, log2_always_dense = 10;
constexpr std::uint32_t max_dense_slots = 40;

}  // namespace

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
