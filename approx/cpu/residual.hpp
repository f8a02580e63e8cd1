#pragma once
// What is left of a block while a sample is drawn from it: a graph that only shrinks, with its vertices by degree.

#include <bit>
#include <cstdint>
#include <vector>

#include "approx/problem.hpp"

namespace matchcount {

// Sets of vertices by degree, of one side. Of several the lowest number is given, so that choices do not depend on how
// a state was reached.
class DegreeBuckets {
 public:
  DegreeBuckets() = default;
  DegreeBuckets(std::uint32_t num_vertices, std::uint32_t largest_degree);

  void insert(std::uint32_t vertex, std::uint32_t degree) {
    degree = clamp(degree);
    std::uint64_t& word = words_[std::size_t{degree} * num_words_ + vertex / 64];
    word |= std::uint64_t{1} << vertex % 64;
    summary_[std::size_t{degree} * num_summaries_ + vertex / 4096] |= std::uint64_t{1} << vertex / 64 % 64;
    if (degree < lowest_) lowest_ = degree;
  }
  void erase(std::uint32_t vertex, std::uint32_t degree) {
    degree = clamp(degree);
    std::uint64_t& word = words_[std::size_t{degree} * num_words_ + vertex / 64];
    word &= ~(std::uint64_t{1} << vertex % 64);
    if (word == 0)
      summary_[std::size_t{degree} * num_summaries_ + vertex / 4096] &= ~(std::uint64_t{1} << vertex / 64 % 64);
  }
  // Requires that some vertex is left. Degrees beyond the cap count as equal.
  std::uint32_t least_degree() {
    while (!any(lowest_)) ++lowest_;
    return lowest_;
  }
  bool any(std::uint32_t degree) const {
    for (std::uint32_t i = 0; i < num_summaries_; ++i) {
      if (summary_[std::size_t{degree} * num_summaries_ + i] != 0) return true;
    }
    return false;
  }
  // Requires any(degree).
  std::uint32_t first(std::uint32_t degree) const {
    std::uint32_t i = 0;
    while (summary_[std::size_t{degree} * num_summaries_ + i] == 0) ++i;
    const auto word =
        64 * i + static_cast<std::uint32_t>(std::countr_zero(summary_[std::size_t{degree} * num_summaries_ + i]));
    return 64 * word + static_cast<std::uint32_t>(std::countr_zero(words_[std::size_t{degree} * num_words_ + word]));
  }

 private:
  std::uint32_t clamp(std::uint32_t degree) const { return degree < num_degrees_ ? degree : num_degrees_ - 1; }

  std::uint32_t num_degrees_ = 0, num_words_ = 0, num_summaries_ = 0, lowest_ = 0;
  std::vector<std::uint64_t> words_;    // by degree
  std::vector<std::uint64_t> summary_;  // a bit for every word that is not 0
};

class Residual {
 public:
  struct Slot {
    std::uint32_t target;
    std::uint32_t reverse;
    double weight;
    double in;  // the message from the target, times the weight
  };

  explicit Residual(const Problem& problem);

  std::uint32_t size() const { return size_; }
  std::uint32_t num_left() const { return num_left_; }  // rows without a partner
  bool dead() const { return dead_; }                   // a vertex is left without an edge
  std::uint32_t degree(std::uint32_t vertex) const { return degree_[vertex]; }
  Slot* begin(std::uint32_t vertex) { return slots_.data() + offset_[vertex]; }
  Slot* end(std::uint32_t vertex) { return begin(vertex) + degree_[vertex]; }
  const Slot* begin(std::uint32_t vertex) const { return slots_.data() + offset_[vertex]; }
  const Slot* end(std::uint32_t vertex) const { return begin(vertex) + degree_[vertex]; }
  Slot& slot(std::uint32_t index) { return slots_[index]; }
  const Slot& slot(std::uint32_t index) const { return slots_[index]; }
  std::uint32_t index(const Slot* slot) const { return static_cast<std::uint32_t>(slot - slots_.data()); }

  bool any_forced() const { return row_buckets_.any(1) || column_buckets_.any(1); }
  // Requires any_forced().
  std::uint32_t forced() const {
    return row_buckets_.any(1) ? row_buckets_.first(1) : size_ + column_buckets_.first(1);
  }
  // A row of least degree; requires one.
  std::uint32_t fewest_choices_row() { return row_buckets_.first(row_buckets_.least_degree()); }
  // A vertex of least degree of either side.
  std::uint32_t fewest_choices() {
    const std::uint32_t row_degree = row_buckets_.least_degree(), column_degree = column_buckets_.least_degree();
    return row_degree <= column_degree ? row_buckets_.first(row_degree) : size_ + column_buckets_.first(column_degree);
  }
  // The first row that is left; requires one.
  std::uint32_t next_row() {
    while (gone_[next_row_] != 0) ++next_row_;
    return next_row_;
  }

  // Takes the edge of this slot and both its ends away; their neighbours are appended to touched.
  void take(std::uint32_t vertex, const Slot* slot, std::vector<std::uint32_t>* touched);
  // Takes an edge alone away.
  void drop(std::uint32_t vertex, Slot* slot);
  bool gone(std::uint32_t vertex) const { return gone_[vertex] != 0; }

 private:
  void remove_slot(std::uint32_t vertex, std::uint32_t slot);
  void remove_vertex(std::uint32_t vertex, std::uint32_t partner, std::vector<std::uint32_t>* touched);
  DegreeBuckets& buckets(std::uint32_t vertex) { return vertex < size_ ? row_buckets_ : column_buckets_; }
  std::uint32_t local(std::uint32_t vertex) const { return vertex < size_ ? vertex : vertex - size_; }

  std::uint32_t size_ = 0, num_left_ = 0, next_row_ = 0;
  bool dead_ = false;
  const std::uint32_t* offset_ = nullptr;  // the problem's
  std::vector<Slot> slots_;                // those that are left stand first at every vertex
  std::vector<std::uint32_t> degree_;
  std::vector<unsigned char> gone_;
  DegreeBuckets row_buckets_, column_buckets_;
};

inline void Residual::remove_slot(std::uint32_t vertex, std::uint32_t slot) {
  const std::uint32_t degree = degree_[vertex]--;
  const std::uint32_t last = offset_[vertex] + degree - 1;
  if (slot != last) {
    slots_[slot] = slots_[last];
    slots_[slots_[slot].reverse].reverse = slot;
  }
  DegreeBuckets& side = buckets(vertex);
  const std::uint32_t number = local(vertex);
  side.erase(number, degree);
  side.insert(number, degree - 1);
  if (degree == 1) dead_ = true;
}

inline void Residual::remove_vertex(std::uint32_t vertex, std::uint32_t partner, std::vector<std::uint32_t>* touched) {
  for (const Slot* s = begin(vertex); s != end(vertex); ++s) {
    if (s->target == partner) continue;
    remove_slot(s->target, s->reverse);
    if (touched) touched->push_back(s->target);
  }
  buckets(vertex).erase(local(vertex), degree_[vertex]);
  gone_[vertex] = 1;
}

inline void Residual::take(std::uint32_t vertex, const Slot* slot, std::vector<std::uint32_t>* touched) {
  const std::uint32_t partner = slot->target;
  remove_vertex(vertex, partner, touched);
  remove_vertex(partner, vertex, touched);
  degree_[vertex] = degree_[partner] = 0;
  --num_left_;
}

inline void Residual::drop(std::uint32_t vertex, Slot* slot) {
  const std::uint32_t target = slot->target, reverse = slot->reverse, here = index(slot);
  remove_slot(target, reverse);
  remove_slot(vertex, here);
}

}  // namespace matchcount
