#include "permanent/frontier/cpu/partition.hpp"

#include <algorithm>

namespace matchcount {
namespace {

// The states with the same leading bits go together: shares are equal to about this part of a share.
constexpr double granularity = 1.0 / 8;
constexpr std::size_t max_leading = 10;
// States are shared anew where that makes the largest share smaller by this factor.
constexpr double worth_moving = 1.15;

}  // namespace

int LeadingBits::rank_of(Word leading) const {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), leading) - first.begin()) - 1;
}

FrontierPartition::FrontierPartition(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                     int num_ranks, double min_states)
    : indices_(indices), num_ranks_(num_ranks) {
  const std::size_t num_steps = steps.steps.size();
  const auto size_after = [&](std::size_t t) {
    return t == 0 ? Size{} : Size{steps.steps[t - 1].width, steps.steps[t - 1].ones};
  };
  const auto states_of = [&](Size size) { return static_cast<double>(indices.count(size.width, size.of_class)); };

  std::vector<Vertex> frontier;
  const auto leave = [&](Vertex v) { std::erase(frontier, v); };
  for (std::size_t t = 0; t < num_steps; ++t) {
    const FrontierStep& step = steps.steps[t];
    const Size before = size_after(t), after = size_after(t + 1);
    const Size larger = states_of(before) > states_of(after) ? before : after;
    std::vector<Vertex> last;  // on the frontier and not involved: the furthest first
    for (const Vertex v : frontier) {
      const bool in_step = v == step.vertex || std::any_of(step.choices.begin(), step.choices.end(),
                                                           [&](const auto& choice) { return choice.partner == v; });
      if (!in_step) last.push_back(v);
    }
    touches.sort(last.begin(), last.end(), t);
    const std::size_t wanted =
        num_ranks == 1 || states_of(larger) < min_states ? 0 : leading_needed(larger, last.size());
    LeadingBits fresh{{last.begin(), last.begin() + static_cast<std::ptrdiff_t>(wanted)}, shares(larger, wanted)};
    const auto stays = [&](Vertex v) { return std::find(last.begin(), last.end(), v) != last.end(); };
    const bool go_on = !periods_.empty() && (wanted == 0) == periods_.back().vertices.empty() &&
                       std::all_of(periods_.back().vertices.begin(), periods_.back().vertices.end(), stays) &&
                       largest_part(after, periods_.back()) <= worth_moving * largest_part(after, fresh);
    if (!go_on) periods_.push_back(std::move(fresh));
    period_of_.push_back(periods_.size() - 1);
    if (step.was_on_frontier) leave(step.vertex);
    for (const Vertex v : step.closing) leave(v);
    frontier.insert(frontier.end(), step.entering.begin(), step.entering.end());
  }
  for (std::size_t t = 0; t < num_steps; ++t) {
    const double part_before = largest_part(size_after(t), at(t)), part_after = largest_part(size_after(t + 1), at(t));
    largest_part_ = std::max({largest_part_, part_before, part_after});
    work_ += steps.steps[t].transitions_into(part_after);
    if (t > 0 && period_of_[t] != period_of_[t - 1]) moved_ += part_before;
  }
}

LeadingBits FrontierPartition::of_layout(const std::vector<Vertex>& layout, std::uint32_t of_class) const {
  const Size size{static_cast<std::uint32_t>(layout.size()), of_class};
  const std::size_t num_leading = num_ranks_ == 1 ? 0 : leading_needed(size, layout.size());
  return {{layout.end() - static_cast<std::ptrdiff_t>(num_leading), layout.end()}, shares(size, num_leading)};
}

std::size_t FrontierPartition::leading_needed(Size size, std::size_t most) const {
  // Leaves at least one position below.
  most = std::min({most, max_leading, static_cast<std::size_t>(std::max(size.width, 1u) - 1)});
  const double enough = granularity * static_cast<double>(indices_.count(size.width, size.of_class)) / num_ranks_;
  for (std::size_t leading = 0; leading < most; ++leading) {
    double largest = 0;
    for (std::size_t ones = 0; ones <= leading; ++ones) {
      const std::uint32_t rest = indices_.rest(size.of_class, (Word{1} << ones) - 1);
      largest = std::max(largest,
                         static_cast<double>(indices_.count(size.width - static_cast<std::uint32_t>(leading), rest)));
    }
    if (largest <= enough) return leading;
  }
  return most;
}

std::vector<Word> FrontierPartition::shares(Size size, std::size_t num_leading) const {
  const Word end = Word{1} << num_leading;
  std::vector<Word> first(static_cast<std::size_t>(num_ranks_) + 1, end);
  first[0] = 0;
  if (num_leading == 0) return first;
  const double total = static_cast<double>(indices_.count(size.width, size.of_class));
  double before = 0;
  std::size_t rank = 1;
  for (Word leading = 0; leading < end; ++leading) {
    const auto states = static_cast<double>(
        indices_.count(size.width - static_cast<std::uint32_t>(num_leading), indices_.rest(size.of_class, leading)));
    // A value of the leading bits belongs to the rank in whose share the middle of its states lies.
    while (rank < first.size() - 1 && (before + states / 2) * num_ranks_ >= total * static_cast<double>(rank)) {
      first[rank++] = leading;
    }
    before += states;
  }
  return first;
}

double FrontierPartition::largest_part(Size size, const LeadingBits& leading) const {
  double largest = 0;
  const std::uint32_t width = size.width - static_cast<std::uint32_t>(leading.vertices.size());
  for (std::size_t rank = 0; rank + 1 < leading.first.size(); ++rank) {
    const DensePart part = part_of(indices_, leading.first[rank], leading.first[rank + 1], width, size.of_class);
    largest = std::max(largest, static_cast<double>(part.count()));
  }
  return largest;
}

}  // namespace matchcount
