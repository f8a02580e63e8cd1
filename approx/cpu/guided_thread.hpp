#pragma once
// Takes the steps of a guided sample by one thread, or by a warp of a GPU whose lanes share the slots of a vertex.

#include <cstddef>
#include <cstdint>

#include "approx/degree_sets.hpp"
#include "approx/guided_walk.hpp"

namespace matchcount {

// A warp of one lane (approx/cuda/warp.cuh).
struct OneLane {
  static MATCHCOUNT_ANYWHERE std::uint32_t lane() { return 0; }
  static MATCHCOUNT_ANYWHERE std::uint32_t width() { return 1; }
  static MATCHCOUNT_ANYWHERE void sync() {}
  static MATCHCOUNT_ANYWHERE std::uint32_t ballot(bool mine) { return mine; }
  static MATCHCOUNT_ANYWHERE std::uint32_t place(std::uint32_t) { return 0; }
  static MATCHCOUNT_ANYWHERE std::uint32_t count(std::uint32_t lanes) { return lanes; }
  static MATCHCOUNT_ANYWHERE std::uint32_t last(std::uint32_t) { return 0; }
  template <class T>
  static MATCHCOUNT_ANYWHERE T from_lane(std::uint32_t, T mine) {
    return mine;
  }
};

// Walks poll after so many edges looked at: a step next to a vertex of a thousand neighbours looks at many.
constexpr std::uint64_t edges_a_poll = 1 << 15;

// A team of such lanes, which keeps vertices in sets by their degrees.
template <class Lanes>
class GuidedLanes : public Lanes {
 public:
  using Index = std::uint32_t;
  static constexpr bool folds_sides = false;

  MATCHCOUNT_ANYWHERE explicit GuidedLanes(const GuidedView& view) : view_(view) {}
  // Edges looked at so far, roughly.
  MATCHCOUNT_ANYWHERE std::uint64_t work() const { return work_; }

 protected:
  static MATCHCOUNT_ANYWHERE std::uint32_t local(std::uint32_t vertex) { return vertex; }
  MATCHCOUNT_ANYWHERE void work(std::uint64_t edges) { work_ += edges; }

  MATCHCOUNT_ANYWHERE std::uint32_t fewest_choices() {
    const std::uint32_t row_degree = rows_.least_degree(), column_degree = columns_.least_degree();
    if (row_degree < column_degree) return rows_.first(row_degree);
    const std::uint32_t column = view_.problem.size + columns_.first(column_degree);
    if (column_degree < row_degree) return column;
    const std::uint32_t row = rows_.first(row_degree);
    return view_.position != nullptr && view_.position[column] < view_.position[row] ? column : row;
  }
  MATCHCOUNT_ANYWHERE void lower(std::uint32_t vertex) {
    const std::uint32_t degree = degree_[vertex]--;
    if (vertex < view_.problem.size) {
      rows_.lower(vertex, degree);
    } else {
      columns_.lower(vertex - view_.problem.size, degree);
    }
  }
  MATCHCOUNT_ANYWHERE void lower_each(std::uint32_t vertex, std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t one = this->from_lane(static_cast<std::uint32_t>(lowest_bit(lanes)), vertex);
      if (this->lane() == 0) lower(one);
    }
  }
  MATCHCOUNT_ANYWHERE void erase(std::uint32_t vertex) {
    if (vertex < view_.problem.size) {
      rows_.erase(vertex, degree_[vertex]);
    } else {
      columns_.erase(vertex - view_.problem.size, degree_[vertex]);
    }
    degree_[vertex] = 0;
  }

  const GuidedView& view_;
  DegreeSets rows_, columns_;
  std::uint32_t* degree_ = nullptr;
  std::uint64_t work_ = 0;
};

// The walk of one thread, or of other lanes.
template <class Tuning, class Lanes = OneLane>
class TunedGuidedWalk : public GuidedSteps<Tuning, GuidedLanes<Lanes>> {
 public:
  MATCHCOUNT_ANYWHERE TunedGuidedWalk(const GuidedView& view, std::uint64_t* scratch)
      : GuidedSteps<Tuning, GuidedLanes<Lanes>>(view), next_(reinterpret_cast<std::uint32_t*>(scratch)) {
    const std::uint32_t n = view.num_vertices(), size = view.problem.size;
    if constexpr (Tuning::tries) {
      const std::size_t most = most_tried(view);
      this->tried_place_ = reinterpret_cast<double**>(next(2 * most));
      this->tried_value_ = reinterpret_cast<double*>(next(2 * most));
      this->worth_ = reinterpret_cast<double*>(next(2 * view.largest_degree));
    }
    this->mark_ = next(n);
    if constexpr (Tuning::looks_ahead) {
      this->forward_mark_ = next(n);
      this->follow_ = next(n);
      this->came_from_ = next(n);
      this->climb_mark_ = next(n);
      this->queue_ = next(size + 1);
      this->forward_ = next(size + 1);
    }
    this->touched_ = next(list_length(view));
    if constexpr (Tuning::rings > 1) this->next_touched_ = next(list_length(view));
    if constexpr (Tuning::lists_changes) {
      this->changed_ = next(n);
      this->is_changed_ = next(n);
    }
  }
  // Words of 64 bits of the state of a sample: guided_start (approx/cpu/sampler.hpp), and behind it, unless all
  // messages are sent, their sums by vertex.
  static std::size_t state_length(const GuidedView& view) {
    return view.state_length() + (Tuning::sends_all ? 0 : view.num_vertices());
  }
  // Words of 64 bits, 0 when the walk is made.
  static std::size_t scratch_length(const GuidedView& view) {
    const std::size_t n = view.num_vertices();
    const std::size_t indices = n + (Tuning::looks_ahead ? 5 * n + 2 : 0) +
                                (Tuning::rings > 1 ? 2 : 1) * list_length(view) + (Tuning::lists_changes ? 2 * n : 0);
    return indices / 2 + 1 + (Tuning::tries ? 2 * most_tried(view) + view.largest_degree : 0);
  }

  // Makes this state the present one.
  MATCHCOUNT_ANYWHERE void attach(std::uint64_t* state) {
    const DegreeSetsSize& sets = this->view_.sets;
    this->message_ = reinterpret_cast<double*>(state);
    state += this->view_.num_slots;
    this->rows_ = DegreeSets(sets, state);
    this->columns_ = DegreeSets(sets, state + sets.length());
    this->degree_ = reinterpret_cast<std::uint32_t*>(state + 2 * sets.length());
    this->mate_ = this->degree_ + this->view_.num_vertices();
    if (!Tuning::sends_all) this->sent_sum_ = reinterpret_cast<double*>(this->mate_ + this->view_.num_vertices());
  }

  MATCHCOUNT_ANYWHERE std::uint32_t degree(std::uint32_t vertex) const { return this->degree_[vertex]; }  // 0: gone
  MATCHCOUNT_ANYWHERE double message(std::uint32_t slot) const { return this->message_[slot]; }           // 0: gone
  // Returns the matching that was drawn, by vertex, once all steps are taken.
  const std::uint32_t* partners() const { return this->mate_; }

 private:
  // Numbers that a try changes: an edge's ends send nothing, and what follows.
  static MATCHCOUNT_ANYWHERE std::size_t most_tried(const GuidedView& view) {
    return 2 * std::size_t{view.largest_degree} + Tuning::most_tried;
  }
  // Vertices in a ring, some of them more than once: as many as there are slots, or those of the first ring.
  static MATCHCOUNT_ANYWHERE std::size_t list_length(const GuidedView& view) {
    return (Tuning::rings > 1 ? std::size_t{view.num_slots} : 0) + 2 * std::size_t{view.largest_degree} + 1;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t* next(std::size_t count) {
    next_ += count;
    return next_ - count;
  }

  std::uint32_t* next_;  // of the scratch
};
using GuidedWalk = TunedGuidedWalk<GuidedTuning>;
using OddGuidedWalk = TunedGuidedWalk<OddGuidedTuning>;

}  // namespace matchcount
