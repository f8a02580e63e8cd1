#pragma once
// Spreads the layers of the dense engine over ranks: by leading bits, which stand above the others in the
// masks. A rank has the states whose leading bits are in its range, and steps them by itself as long as no step
// involves a leading vertex. The leading vertices are therefore those that are involved last; before a step that
// involves one of them others take their place, and states move between ranks.
//
// All of this follows from the steps and the number of ranks, so that every rank knows what the others have, and the
// planner what it will take.

#include <vector>

#include "permanent/frontier/cpu/dense.hpp"

namespace matchcount {

// Smaller layers are left to the first rank: they take less than the ranks take to meet.
constexpr double min_partitioned_states = 1 << 17;

struct LeadingBits {
  std::vector<Vertex> vertices;  // the lowest bit's first
  std::vector<Word> first;       // rank r has first[r] .. first[r + 1] - 1; as many as ranks, and one

  Word count() const { return Word{1} << vertices.size(); }
  int rank_of(Word leading) const;
  bool operator==(const LeadingBits&) const = default;
};

class FrontierPartition {
 public:
  // Requires a width of at most max_dense_width. O(steps (width log width + 2^max_leading)).
  FrontierPartition(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices, int num_ranks,
                    double min_states);

  // Returns the leading bits before step t and after it.
  const LeadingBits& at(std::size_t t) const { return periods_[period_of_[t]]; }

  // Returns the last vertices of a layout as leading ones, enough of them that the layer's states are shared about
  // equally.
  LeadingBits of_layout(const std::vector<Vertex>& layout, std::uint32_t of_class) const;

  // Predictions: the most states of one rank in any layer, the work of the busiest rank, and the states that change
  // places.
  double largest_part() const { return largest_part_; }  // states
  double work() const { return work_; }                  // of all steps, as FrontierOrder counts transitions
  double moved() const { return moved_; }                // states that change places, all told

 private:
  struct Size {
    std::uint32_t width = 0, of_class = 0;
  };
  std::size_t leading_needed(Size size, std::size_t most) const;
  // Ranges of leading bits with about equal shares of a layer.
  std::vector<Word> shares(Size size, std::size_t num_leading) const;
  double largest_part(Size size, const LeadingBits& leading) const;

  const StateIndices& indices_;
  int num_ranks_;
  std::vector<LeadingBits> periods_;
  std::vector<std::size_t> period_of_;
  double largest_part_ = 0, work_ = 0, moved_ = 0;
};

}  // namespace matchcount
