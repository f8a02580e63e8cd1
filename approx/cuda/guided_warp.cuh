#pragma once
// Walks guided samples (approx/guided_walk.hpp) by a warp: lanes share the slots of a vertex. The vertex of fewest
// choices is looked for among all: sets by degree would be changed by several lanes at once.
//
// With a sample a thread instead, the longest search of 32 lanes held up the others, and 900 samples a multiprocessor
// kept one another out of the caches: 2.2 times as long on the 24 x 24 grid (H200).

#include "approx/cuda/warp.cuh"
#include "approx/guided_walk.hpp"

namespace matchcount::gpu {

// A warp as the team of a guided walk.
template <class VertexIndex>
class GuidedTeam : public Warp {
 public:
  using Index = VertexIndex;
  static constexpr bool folds_sides = true;

 protected:
  MATCHCOUNT_ANYWHERE explicit GuidedTeam(const GuidedView& view) : view_(view) {}

  MATCHCOUNT_ANYWHERE std::uint32_t local(std::uint32_t vertex) const { return view_.problem.local(vertex); }
  MATCHCOUNT_ANYWHERE std::uint32_t fewest_choices() const {
    const Least row = least_of(0), column = least_of(view_.problem.size);
    return row.degree_less_1 <= column.degree_less_1 ? row.vertex : column.vertex;
  }
  MATCHCOUNT_ANYWHERE void lower(std::uint32_t vertex) { --degree_[vertex]; }
  MATCHCOUNT_ANYWHERE void lower_each(std::uint32_t vertex, std::uint32_t lanes) {
    if ((lanes >> lane() & 1) != 0) lower(vertex);
  }
  MATCHCOUNT_ANYWHERE void erase(std::uint32_t vertex) { degree_[vertex] = 0; }
  MATCHCOUNT_ANYWHERE void work(std::uint32_t) const {}

  const GuidedView& view_;
  Index* degree_ = nullptr;

 private:
  // The least degree of a side, and the first vertex that has it. Vertices that are gone have degree 0; less 1, that is
  // more than any other here.
  struct Least {
    std::uint32_t degree_less_1, vertex;
  };
  MATCHCOUNT_ANYWHERE Least least_of(std::uint32_t first) const {
    std::uint32_t least = ~std::uint32_t{0}, at = no_vertex;
    for (std::uint32_t v = first + lane(); v < first + view_.problem.size; v += width()) {
      const std::uint32_t degree_less_1 = std::uint32_t{degree_[v]} - 1;
      if (degree_less_1 < least) {
        least = degree_less_1;
        at = v;
      }
    }
    const std::uint32_t all = Warp::least(least);
    return {all, Warp::least(least == all ? at : no_vertex)};
  }
};

template <class Index>
class GuidedWarp : public GuidedSteps<GuidedTuning, GuidedTeam<Index>> {
  static_assert(GuidedTuning::rings == 1 && !GuidedTuning::lists_changes && !GuidedTuning::odd_cycles);

 public:
  // Return the bytes of a warp's memory, multiples of 8: for messages, and for all else.
  static MATCHCOUNT_ANYWHERE std::size_t message_bytes(const GuidedView& view) {
    return sizeof(double) * std::size_t{view.num_slots};
  }
  static MATCHCOUNT_ANYWHERE std::size_t index_bytes(const GuidedView& view) {
    const std::size_t indices = 11 * std::size_t{view.problem.size} + 4 * std::size_t{view.largest_degree} + 2;
    return (indices * sizeof(Index) + 7) / 8 * 8;
  }

  MATCHCOUNT_ANYWHERE GuidedWarp(const GuidedView& view, char* messages, char* indices)
      : GuidedSteps<GuidedTuning, GuidedTeam<Index>>(view) {
    const std::uint32_t size = view.problem.size;
    this->message_ = reinterpret_cast<double*>(messages);
    this->degree_ = reinterpret_cast<Index*>(indices);
    this->mate_ = this->degree_ + 2 * size;
    this->mark_ = this->mate_ + 2 * size;
    this->forward_mark_ = this->mark_ + 2 * size;
    this->follow_ = this->forward_mark_ + size;
    this->came_from_ = this->follow_ + size;
    this->queue_ = this->came_from_ + size;
    this->forward_ = this->queue_ + size + 1;
    this->touched_ = this->forward_ + size + 1;
    for (std::uint32_t v = this->lane(); v < 3 * size; v += this->width()) this->mark_[v] = 0;
    this->sync();
  }

  // message and mate are the problem's.
  MATCHCOUNT_ANYWHERE Sample sample(const double* message, const std::uint32_t* mate, std::uint64_t seed,
                                    std::uint64_t i) {
    const GuidedView& view = this->view_;
    this->sync();
    for (std::uint32_t s = this->lane(); s < view.num_slots; s += this->width()) this->message_[s] = message[s];
    for (std::uint32_t v = this->lane(); v < view.num_vertices(); v += this->width()) {
      this->degree_[v] = static_cast<Index>(this->end(v) - this->begin(v));
      this->mate_[v] = static_cast<Index>(mate[v]);
    }
    this->sync();
    Uniforms uniforms(seed, i);
    Product value;
    for (std::uint32_t left = view.problem.size; left > 0; --left) this->step(uniforms, value);
    return value.sample();
  }
};

}  // namespace matchcount::gpu
