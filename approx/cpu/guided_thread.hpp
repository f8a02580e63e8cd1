#pragma once
// Takes the steps of a guided sample by one thread of the CPU.

#include <cstddef>
#include <cstdint>

#include "approx/degree_sets.hpp"
#include "approx/guided_walk.hpp"

namespace matchcount {

// A team of one thread, which keeps vertices in sets by their degrees.
class GuidedThread {
 public:
  using Index = std::uint32_t;
  static constexpr bool folds_sides = false;

  explicit GuidedThread(const GuidedView& view) : view_(view) {}
  // Edges looked at so far, roughly.
  std::uint64_t work() const { return work_; }

 protected:
  static std::uint32_t lane() { return 0; }
  static std::uint32_t width() { return 1; }
  static void sync() {}
  static std::uint32_t ballot(bool mine) { return mine; }
  static std::uint32_t place(std::uint32_t) { return 0; }
  static std::uint32_t count(std::uint32_t lanes) { return lanes; }
  static std::uint32_t last(std::uint32_t) { return 0; }
  static std::uint32_t from_lane(std::uint32_t, std::uint32_t mine) { return mine; }
  static std::uint32_t local(std::uint32_t vertex) { return vertex; }
  void work(std::uint64_t edges) { work_ += edges; }

  std::uint32_t fewest_choices() {
    const std::uint32_t row_degree = rows_.least_degree(), column_degree = columns_.least_degree();
    if (row_degree < column_degree) return rows_.first(row_degree);
    const std::uint32_t column = view_.problem.size + columns_.first(column_degree);
    if (column_degree < row_degree) return column;
    const std::uint32_t row = rows_.first(row_degree);
    return view_.position != nullptr && view_.position[column] < view_.position[row] ? column : row;
  }
  void lower(std::uint32_t vertex) {
    const std::uint32_t degree = degree_[vertex]--;
    if (vertex < view_.problem.size) {
      rows_.lower(vertex, degree);
    } else {
      columns_.lower(vertex - view_.problem.size, degree);
    }
  }
  void erase(std::uint32_t vertex) {
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

// The walk of one thread.
template <class Tuning>
class TunedGuidedWalk : public GuidedSteps<Tuning, GuidedThread> {
 public:
  TunedGuidedWalk(const GuidedView& view, std::uint64_t* scratch) : GuidedSteps<Tuning, GuidedThread>(view) {
    const std::uint32_t n = view.num_vertices(), size = view.problem.size;
    this->mark_ = reinterpret_cast<std::uint32_t*>(scratch);
    this->forward_mark_ = this->mark_ + n;
    this->follow_ = this->forward_mark_ + n;
    this->came_from_ = this->follow_ + n;
    this->climb_mark_ = this->came_from_ + n;
    this->queue_ = this->climb_mark_ + n;
    this->forward_ = this->queue_ + size + 1;
    this->touched_ = this->forward_ + size + 1;
    if (Tuning::rings == 1) return;
    this->next_touched_ = this->touched_ + list_length(view);
    this->changed_ = this->next_touched_ + list_length(view);
    this->is_changed_ = this->changed_ + n;
  }
  // Words of 64 bits of the state of a sample: guided_start (approx/cpu/sampler.hpp), and behind it, unless all
  // messages are sent, their sums by vertex.
  static std::size_t state_length(const GuidedView& view) {
    return view.state_length() + (Tuning::sends_all ? 0 : view.num_vertices());
  }
  // Words of 64 bits, 0 when the walk is made.
  static std::size_t scratch_length(const GuidedView& view) {
    return view.scratch_length() + (Tuning::rings == 1 ? 0 : list_length(view) + view.num_vertices());
  }

  // Makes this state the present one.
  void attach(std::uint64_t* state) {
    const DegreeSetsSize& sets = this->view_.sets;
    this->message_ = reinterpret_cast<double*>(state);
    state += this->view_.num_slots;
    this->rows_ = DegreeSets(sets, state);
    this->columns_ = DegreeSets(sets, state + sets.length());
    this->degree_ = reinterpret_cast<std::uint32_t*>(state + 2 * sets.length());
    this->mate_ = this->degree_ + this->view_.num_vertices();
    if (!Tuning::sends_all) this->sent_sum_ = reinterpret_cast<double*>(this->mate_ + this->view_.num_vertices());
  }

  std::uint32_t degree(std::uint32_t vertex) const { return this->degree_[vertex]; }  // 0: it is gone
  double message(std::uint32_t slot) const { return this->message_[slot]; }           // 0: it is gone
  // Returns the matching that was drawn, by vertex, once all steps are taken.
  const std::uint32_t* partners() const { return this->mate_; }

 private:
  // Vertices in a ring, some of them more than once: as many as there are slots, or those of the first ring.
  static std::size_t list_length(const GuidedView& view) {
    return std::size_t{view.num_slots} + 2 * std::size_t{view.largest_degree} + 1;
  }
};
using GuidedWalk = TunedGuidedWalk<GuidedTuning>;
using OddGuidedWalk = TunedGuidedWalk<OddGuidedTuning>;

}  // namespace matchcount
