#pragma once
// Plans which member of a team has which states of each layer: ranks, or GPUs that hold a layer together.
//
// The highest bits of the masks lead: a member has the states whose leading bits are in its range. While a step
// involves no leading vertex, it makes states of those with the same leading bits, so that members step their parts
// alone. The leading vertices are therefore those that are involved last. Before a step that involves one, another
// takes its place, the one of the frontier that is then involved last: two bits of all masks change places, so that
// members exchange runs of states of equal length where these bits differ, half of the layer in all, each in its place.
// Vertices that are to lead stand on top of the masks from the step on in which they enter, and so these runs are long.
// Where ranges have grown unequal, which they do where the share of ones in the masks changes, members get others.
//
// All of this follows from the steps and the number of members, so that every member knows what the others have, and
// the planner what it will take. Pan, Gu, Springer and Li (2026) permute the modes of distributed tensors as rarely;
// simulators of quantum computers so exchange qubits.

#include <algorithm>
#include <limits>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"

namespace matchcount {

// Smaller layers are left to the first member: they take less than members take to meet.
constexpr double min_shared_states = 1 << 17;

struct LeadingBits {
  std::vector<Vertex> vertices;  // the lowest bit's first; none: the first member has all
  std::vector<Word> first{0};    // member r has first[r] .. first[r + 1] - 1; as many as members, and one

  int member_of(Word leading) const;
  bool operator==(const LeadingBits&) const = default;
};

class Placement {
 public:
  // Members get new ranges where that much more than two layers, shared equally, has room.
  static constexpr double slack = 1.2;

  // `most_states` of a member, of two layers that stand side by side: others do not get new ranges. Requires a width of
  // at most max_dense_width. O(steps (width log width + 2^leading bits)).
  Placement(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices, int num_members,
            double min_states = min_shared_states, double most_states = std::numeric_limits<double>::infinity());

  // Returns the leading bits before step t and after it.
  const LeadingBits& at(std::size_t t) const { return periods_[period_of_[t]]; }
  // Returns the vertices that stand on top of the masks after step t, the lowest bit's first: they will lead, or do.
  // Before the step they stand in that order too, but for those that enter.
  const std::vector<Vertex>& top(std::size_t t) const { return top_[t]; }
  // Returns the vertices of a layer before step t in an order that step t takes.
  std::vector<Vertex> arranged(std::vector<Vertex> layout, std::size_t t) const;
  // Returns a member's states of a layer.
  LayerPart part(int member, const LeadingBits& leading, std::uint32_t width, std::uint32_t of_class) const {
    const auto first = leading.first.begin() + member;
    return part_of(indices_, static_cast<std::uint32_t>(leading.vertices.size()), first[0], first[1], width, of_class);
  }

  // A leading vertex whose place another takes.
  struct Swap {
    std::uint32_t slot = 0;  // among the leading bits
    Vertex entering = 0;
  };
  // Returns what changes where both have leading vertices.
  static std::vector<Swap> swaps(const LeadingBits& from, const LeadingBits& to);
  // Makes the bits of a layout change places so.
  static void swap(const LeadingBits& from, const LeadingBits& to, std::vector<Vertex>& layout);
  // Two runs of states that change places, and whose they are.
  struct Runs {
    int members[2];
    Word first[2];  // index, in the whole layer
    Word count = 0;
  };
  // Calls visit(Runs) for those of a leading bit and the bit at a lower position.
  template <class Visit>
  void for_each_run(const LeadingBits& bits, std::uint32_t slot, std::uint32_t position, std::uint32_t width,
                    std::uint32_t of_class, const Visit& visit) const {
    const auto num_leading = static_cast<std::uint32_t>(bits.vertices.size());
    const std::uint32_t num_top = width - position, num_between = num_top - num_leading - 1;
    const Word here = Word{1} << slot;
    for (Word leading = 0; leading < Word{1} << num_leading; ++leading) {
      if ((leading & here) != 0) continue;
      Runs runs{{bits.member_of(leading), bits.member_of(leading | here)}, {0, 0}, 0};
      for (Word between = 0; between < Word{1} << num_between; ++between) {
        const Word low = (leading << num_between | between) << 1 | 1;
        const Word high = ((leading | here) << num_between | between) << 1;
        runs.count = indices_.count_with(low, num_top, width, of_class);
        if (runs.count == 0) continue;
        runs.first[0] = indices_.count_below(low, num_top, width, of_class);
        runs.first[1] = indices_.count_below(high, num_top, width, of_class);
        visit(runs);
      }
    }
  }

  // Predictions: the most states of one member in any layer, the work of the busiest, the states that the busiest gives
  // away (and gets), all told, and in how many exchanges.
  double largest_part() const { return largest_part_; }
  double work() const { return work_; }  // of all steps, as FrontierOrder counts transitions
  double moved() const { return moved_; }
  std::size_t num_exchanges() const { return num_exchanges_; }

 private:
  struct Size {
    std::uint32_t width = 0, of_class = 0;
  };
  double states_of(Size size) const { return static_cast<double>(indices_.count(size.width, size.of_class)); }
  // Returns ranges of leading bits with about equal shares of a layer.
  std::vector<Word> shares(Size size, std::size_t num_leading) const;
  std::size_t leading_wanted(Size size) const;
  void choose_leading(const FrontierSteps& steps, const Touches& touches, double min_states, double most_states);
  void choose_top(const FrontierSteps& steps);
  void predict(const FrontierSteps& steps);
  double largest_part(Size size, const LeadingBits& leading) const;

  const StateIndices& indices_;
  std::size_t num_members_;
  std::vector<Size> sizes_;  // before each step, and after the last
  std::vector<LeadingBits> periods_;
  std::vector<std::size_t> period_of_;
  std::vector<std::vector<Vertex>> top_;
  double largest_part_ = 0, work_ = 0, moved_ = 0;
  std::size_t num_exchanges_ = 0;
};

// Calls visit(index) for all states of a layer whose bits stand in one order, with the index that each has in another.
template <class Visit>
void for_each_place(const std::vector<Vertex>& other, const std::vector<Vertex>& layout, const StateIndices& indices,
                    std::uint32_t of_class, const Visit& visit, LayerPart part = {}) {
  std::vector<Word> bits;
  for (const Vertex v : layout) bits.push_back(Word{1} << (std::ranges::find(other, v) - other.begin()));
  const BitMap map(bits);
  const auto width = static_cast<std::uint32_t>(bits.size());
  Word mask = part.first_top << (width - part.num_top);
  const Word count = part_of(indices, part.num_top, part.first_top, part.end_top, width, of_class).count();
  for (Word i = 0; i < count; ++i) {
    mask = indices.next(mask, of_class);
    visit(indices.index(map(mask++)));
  }
}

}  // namespace matchcount
