#include "permanent/frontier/cpu/placement.hpp"

#include <algorithm>
#include <limits>

namespace matchcount {
namespace {

constexpr std::size_t max_leading = 10;
// One more leading bit, which has to be exchanged in its turn, is worth so much of the largest share.
constexpr double worth_of_a_bit = 0.03;
// Ranges are made anew where that makes the largest share smaller by this factor.
constexpr double worth_moving = 1.15;

bool is_involved(Vertex v, const FrontierStep& step) {
  bool found = false;
  step.for_each_involved([&](Vertex u) { found = found || u == v; });
  return found;
}
bool is_in(Vertex v, const std::vector<Vertex>& vertices) { return std::ranges::find(vertices, v) != vertices.end(); }

}  // namespace

int LeadingBits::member_of(Word leading) const {
  return static_cast<int>(std::ranges::upper_bound(first, leading) - first.begin()) - 1;
}

Placement::Placement(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices, int num_members,
                     double min_states, double most_states)
    : indices_(indices), num_members_(static_cast<std::size_t>(num_members)), sizes_(1) {
  for (const FrontierStep& step : steps.steps) sizes_.push_back({step.width, step.ones});
  choose_leading(steps, touches, min_states, most_states);
  choose_top(steps);
  predict(steps);
}

std::vector<Word> Placement::shares(Size size, std::size_t num_leading) const {
  const Word end = Word{1} << num_leading;
  std::vector<Word> first(num_members_ + 1, end);
  first[0] = 0;
  if (num_leading == 0) return first;
  const auto bits = static_cast<std::uint32_t>(num_leading);
  const double total = states_of(size), members = static_cast<double>(num_members_);
  double before = 0;
  std::size_t member = 1;
  for (Word leading = 0; leading < end; ++leading) {
    const auto states = static_cast<double>(indices_.count_with(leading, bits, size.width, size.of_class));
    // A value of the leading bits belongs to the member in whose share the middle of its states lies.
    while (member < num_members_ && (before + states / 2) * members >= total * static_cast<double>(member)) {
      first[member++] = leading;
    }
    before += states;
  }
  return first;
}

std::size_t Placement::leading_wanted(Size size) const {
  std::size_t wanted = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t bits = 1; num_members_ > 1 && bits <= max_leading && bits < size.width; ++bits) {
    const LeadingBits leading{std::vector<Vertex>(bits), shares(size, bits)};
    const double worth = largest_part(size, leading) * (1 + worth_of_a_bit * static_cast<double>(bits));
    if (worth >= least) continue;
    least = worth;
    wanted = bits;
  }
  return wanted;
}

void Placement::choose_leading(const FrontierSteps& steps, const Touches& touches, double min_states,
                               double most_states) {
  const auto states_at = [&](std::size_t t) { return states_of(sizes_[t]); };
  const std::size_t num_steps = steps.steps.size();
  const std::size_t wanted =
      leading_wanted(*std::ranges::max_element(sizes_, {}, [&](Size size) { return states_of(size); }));
  // Finds, for each step, the largest layer until ranges can be made anew.
  const auto may_move = [&](std::size_t t) {
    return 2 * slack * states_at(t) <= most_states * static_cast<double>(num_members_);
  };
  std::vector<Size> largest(num_steps);
  for (std::size_t t = num_steps; t-- > 0;) {
    largest[t] = states_at(t) > states_at(t + 1) ? sizes_[t] : sizes_[t + 1];
    if (t + 1 < num_steps && !may_move(t + 1) && states_of(largest[t + 1]) > states_of(largest[t]))
      largest[t] = largest[t + 1];
  }
  periods_.push_back({{}, shares({}, 0)});
  period_of_.assign(num_steps == 0, 0);
  std::vector<Vertex> frontier;
  for (std::size_t t = 0; t < num_steps; ++t) {
    const FrontierStep& step = steps.steps[t];
    std::vector<Vertex> last;  // on the frontier and not involved: the furthest first
    std::ranges::copy_if(frontier, std::back_inserter(last), [&](Vertex v) { return !is_involved(v, step); });
    touches.sort(last.begin(), last.end(), t);
    LeadingBits leading = periods_.front();
    if (wanted > 0 && std::max(states_at(t), states_at(t + 1)) >= min_states && last.size() >= wanted) {
      leading = {std::vector<Vertex>(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(wanted)),
                 shares(largest[t], wanted)};
      const LeadingBits* const led = !periods_.back().vertices.empty() ? &periods_.back() : nullptr;
      if (led) {
        std::erase_if(last, [&](Vertex v) { return is_in(v, led->vertices); });
        auto next = last.begin();
        leading.vertices = led->vertices;
        for (Vertex& v : leading.vertices) {
          if (is_involved(v, step)) v = *next++;
        }
        const double part = largest_part(largest[t], {leading.vertices, led->first});
        if (!may_move(t) || part <= worth_moving * largest_part(largest[t], leading)) leading.first = led->first;
      }
    }
    if (leading != periods_.back()) periods_.push_back(std::move(leading));
    period_of_.push_back(periods_.size() - 1);
    std::erase_if(frontier, [&](Vertex v) { return v == step.vertex || is_in(v, step.closing); });
    frontier.insert(frontier.end(), step.entering.begin(), step.entering.end());
  }
}

void Placement::choose_top(const FrontierSteps& steps) {
  const std::size_t num_steps = steps.steps.size();
  // Says from which step on each vertex leads next, and when it is there to stand on top.
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> enters(steps.num_vertices, never), leads(steps.num_vertices, never);
  for (std::size_t t = 0; t < num_steps; ++t) {
    for (const Vertex v : steps.steps[t].entering) enters[v] = t;
  }
  top_.resize(num_steps);
  std::vector<Vertex> waiting;
  for (std::size_t t = num_steps; t-- > 0;) {
    const std::vector<Vertex>& leading = at(t).vertices;
    std::vector<Vertex>& top = top_[t];
    std::ranges::copy_if(waiting, std::back_inserter(top),
                         [&](Vertex v) { return enters[v] <= t && !is_in(v, leading); });
    // Who leads first stands highest, and those who begin to lead at once stand as they will.
    std::ranges::stable_sort(top, std::ranges::greater(), [&](Vertex v) { return leads[v]; });
    top.insert(top.end(), leading.begin(), leading.end());
    for (const Vertex v : leading) {
      std::erase(waiting, v);
      if (t > 0 && is_in(v, at(t - 1).vertices)) continue;
      leads[v] = t;
      waiting.push_back(v);
    }
  }
}

void Placement::predict(const FrontierSteps& steps) {
  const auto members = static_cast<int>(num_members_);
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    const Size before = sizes_[t], after = sizes_[t + 1];
    const double part_before = largest_part(before, at(t)), part_after = largest_part(after, at(t));
    largest_part_ = std::max({largest_part_, part_before, part_after});
    work_ += steps.steps[t].transitions_into(part_after);
    if (t == 0 || period_of_[t] == period_of_[t - 1]) continue;
    ++num_exchanges_;
    const LeadingBits &led = at(t - 1), &leads = at(t);
    std::vector<double> given(num_members_, 0);
    const auto give = [&](int member, Word states) {
      given[static_cast<std::size_t>(member)] += static_cast<double>(states);
    };
    for (const Swap& swap : swaps(led, leads)) {
      const auto position = before.width - static_cast<std::uint32_t>(led.vertices.size()) - 1;
      for_each_run(led, swap.slot, position, before.width, before.of_class, [&](const Runs& runs) {
        if (runs.members[0] == runs.members[1]) return;
        for (const int member : runs.members) give(member, runs.count);
      });
    }
    for (int member = 0; led.first != leads.first && member < members; ++member) {
      const IndexRange had = part(member, led, before.width, before.of_class).states;
      const IndexRange has = part(member, leads, before.width, before.of_class).states;
      const Word end = std::min(had.end, has.end);
      give(member, had.end - had.first - (end - std::min(end, std::max(had.first, has.first))));
    }
    moved_ += std::ranges::max(given);
  }
}

std::vector<Placement::Swap> Placement::swaps(const LeadingBits& from, const LeadingBits& to) {
  std::vector<Swap> result;
  for (std::size_t slot = 0; slot < std::min(from.vertices.size(), to.vertices.size()); ++slot) {
    if (from.vertices[slot] != to.vertices[slot])
      result.push_back({static_cast<std::uint32_t>(slot), to.vertices[slot]});
  }
  return result;
}

void Placement::swap(const LeadingBits& from, const LeadingBits& to, std::vector<Vertex>& layout) {
  const auto leading = layout.end() - static_cast<std::ptrdiff_t>(from.vertices.size());
  for (const Swap& swap : swaps(from, to))
    std::iter_swap(leading + swap.slot, std::ranges::find(layout, swap.entering));
}

std::vector<Vertex> Placement::arranged(std::vector<Vertex> layout, std::size_t t) const {
  for (const Vertex v : top_[t]) {
    if (std::erase(layout, v) > 0) layout.push_back(v);
  }
  return layout;
}

double Placement::largest_part(Size size, const LeadingBits& leading) const {
  double largest = 0;
  for (std::size_t member = 0; member < num_members_; ++member) {
    if (leading.first[member] == leading.first[member + 1]) continue;
    const LayerPart own = part(static_cast<int>(member), leading, size.width, size.of_class);
    largest = std::max(largest, static_cast<double>(own.count()));
  }
  return largest;
}

}  // namespace matchcount
