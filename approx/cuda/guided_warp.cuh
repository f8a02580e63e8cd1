#pragma once
// The guided walk (approx/guided_walk.hpp) for a warp: lanes share the slots of a vertex. Sums run over all slots of a
// vertex in order on every lane, so that a sample has the same bits as on one thread. The vertex of fewest choices is
// looked for among all: sets by degree would be changed by several lanes at once.
//
// With a sample a thread instead, the longest search of 32 lanes held up the others, and 900 samples a multiprocessor
// kept one another out of the caches: 2.2 times as long on the 24 x 24 grid (H200).

#include "approx/cuda/warp.cuh"
#include "approx/guided_walk.hpp"

namespace matchcount::gpu {

// Index: of vertices; it counts to twice the rows.
template <class Index>
class GuidedWarp : public Warp {
  static_assert(GuidedTuning::rings == 1 && !GuidedTuning::lists_changes);

 public:
  // Of the memory of a warp, multiples of 8: for messages, and for all else.
  static MATCHCOUNT_ANYWHERE std::size_t message_bytes(const GuidedView& view) {
    return sizeof(double) * std::size_t{view.num_slots};
  }
  static MATCHCOUNT_ANYWHERE std::size_t index_bytes(const GuidedView& view) {
    const std::size_t indices = 11 * std::size_t{view.problem.size} + 4 * std::size_t{view.largest_degree} + 2;
    return (indices * sizeof(Index) + 7) / 8 * 8;
  }

  MATCHCOUNT_ANYWHERE GuidedWarp(const GuidedView& view, char* messages, char* indices) : view_(view) {
    const std::uint32_t size = view.problem.size;
    message_ = reinterpret_cast<double*>(messages);
    degree_ = reinterpret_cast<Index*>(indices);
    mate_ = degree_ + 2 * size;
    mark_ = mate_ + 2 * size;
    forward_mark_ = mark_ + 2 * size;
    follow_ = forward_mark_ + size;
    came_from_ = follow_ + size;
    queue_ = came_from_ + size;
    forward_ = queue_ + size + 1;
    touched_ = forward_ + size + 1;
    clear(mark_, 2 * size);
    clear(forward_mark_, size);
  }

  // message and mate are the problem's.
  MATCHCOUNT_ANYWHERE Sample sample(const double* message, const std::uint32_t* mate, std::uint64_t seed,
                                    std::uint64_t i) {
    sync();
    for (std::uint32_t s = lane(); s < view_.num_slots; s += width()) message_[s] = message[s];
    for (std::uint32_t v = lane(); v < view_.num_vertices(); v += width()) {
      degree_[v] = static_cast<Index>(end(v) - begin(v));
      mate_[v] = static_cast<Index>(mate[v]);
    }
    sync();
    Uniforms uniforms(seed, i);
    Product value;
    for (std::uint32_t left = view_.problem.size; left > 0; --left) step(uniforms, value);
    return value.sample();
  }

 private:
  MATCHCOUNT_ANYWHERE std::uint32_t begin(std::uint32_t vertex) const { return view_.problem.offset[vertex]; }
  MATCHCOUNT_ANYWHERE std::uint32_t end(std::uint32_t vertex) const { return view_.problem.offset[vertex + 1]; }
  MATCHCOUNT_ANYWHERE std::uint32_t target(std::uint32_t slot) const { return view_.problem.target[slot]; }
  MATCHCOUNT_ANYWHERE double weight(std::uint32_t slot) const {
    return view_.problem.weight ? view_.problem.weight[slot] : 1;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t local(std::uint32_t vertex) const {
    return vertex < view_.problem.size ? vertex : vertex - view_.problem.size;
  }

  MATCHCOUNT_ANYWHERE void clear(Index* marks, std::uint32_t length) {
    for (std::uint32_t v = lane(); v < length; v += width()) marks[v] = 0;
    sync();
  }
  MATCHCOUNT_ANYWHERE void start_search(Index* marks, std::uint32_t length, Index& counter) {
    counter = static_cast<Index>(counter + 1);
    if (counter != 0) return;
    clear(marks, length);
    counter = 1;
  }

  // Of a side: the least degree, and the first vertex of those that have it. What is gone has degree 0, which is more
  // than any other here.
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

  MATCHCOUNT_ANYWHERE void step(Uniforms& uniforms, Product& value) {
    num_touched_ = 0;
    const Least row = least_of(0), column = least_of(view_.problem.size);
    const std::uint32_t vertex = row.degree_less_1 <= column.degree_less_1 ? row.vertex : column.vertex;
    if (degree_[vertex] > 1) drop_impossible(vertex);
    const std::uint32_t begin = this->begin(vertex), end = this->end(vertex);
    std::uint32_t chosen = 0;
    if (degree_[vertex] == 1) {
      chosen = begin;
      while (message_[chosen] == 0) ++chosen;
      value.multiply(weight(chosen));
    } else {
      double sum = 0, weights = 0;
      for (std::uint32_t s = begin; s < end; ++s) {
        sum += message_[s];
        weights += message_[s] != 0 ? weight(s) : 0;
      }
      const double by_message = (1 - GuidedTuning::floor_share) / sum, by_weight = GuidedTuning::floor_share / weights;
      double at = uniforms.next(), share = 1;
      for (std::uint32_t s = begin; s < end; ++s) {
        if (message_[s] == 0) continue;
        chosen = s;
        share = message_[s] * by_message + weight(s) * by_weight;
        if (at < share) break;
        at -= share;
      }
      value.multiply(weight(chosen) / share);
    }
    take(vertex, target(chosen));
    refresh_messages();
  }

  // By one lane.
  MATCHCOUNT_ANYWHERE void join(std::uint32_t from, std::uint32_t meeting) {
    if (lane() == 0) {
      for (std::uint32_t v = meeting; v != from;) {
        const std::uint32_t before = came_from_[local(v)];
        if (mark_[before] != search_) {
          mark_[before] = search_;
          follow_[local(before)] = mate_[v];
          queue_[queue_end_++] = mate_[before];
        }
        v = before;
      }
    }
    queue_end_ = from_lane(0, queue_end_);
    sync();
  }

  MATCHCOUNT_ANYWHERE bool can_reach_partner(std::uint32_t from) {
    if (mark_[from] == search_) return true;
    start_search(forward_mark_, view_.problem.size, forward_search_);
    if (lane() == 0) {
      forward_[0] = static_cast<Index>(from);
      forward_mark_[local(from)] = forward_search_;
    }
    sync();
    for (std::uint32_t forward_begin = 0, forward_end = 1;;) {
      if (queue_begin_ == queue_end_) return false;
      const std::uint32_t at = queue_[queue_begin_++];
      std::uint32_t meeting = no_vertex;
      for (std::uint32_t base = begin(at), end = this->end(at); base < end; base += width()) {
        const std::uint32_t s = base + lane();
        const std::uint32_t met = s < end && message_[s] != 0 ? target(s) : no_vertex;
        const bool fresh = met != no_vertex && mark_[met] != search_;
        const std::uint32_t lanes = ballot(fresh);
        const std::uint32_t meets = ballot(fresh && forward_mark_[local(met)] == forward_search_);
        if (fresh) {
          mark_[met] = search_;
          follow_[local(met)] = static_cast<Index>(at);
          queue_[queue_end_ + place(lanes)] = mate_[met];
        }
        queue_end_ += static_cast<std::uint32_t>(count_bits(lanes));
        if (meets != 0) meeting = from_lane(last(meets), met);
      }
      sync();
      if (meeting != no_vertex) {
        join(from, meeting);
        return true;
      }
      if (forward_begin == forward_end) return false;
      const std::uint32_t v = forward_[forward_begin++];
      for (std::uint32_t base = begin(v), end = this->end(v); base < end; base += width()) {
        const std::uint32_t s = base + lane();
        const std::uint32_t next = s < end && message_[s] != 0 ? std::uint32_t{mate_[target(s)]} : no_vertex;
        const bool fresh = next != no_vertex && forward_mark_[local(next)] != forward_search_;
        const std::uint32_t lanes = ballot(fresh), arrives = ballot(fresh && mark_[next] == search_);
        if (fresh) {
          forward_mark_[local(next)] = forward_search_;
          came_from_[local(next)] = static_cast<Index>(v);
          forward_[forward_end + place(lanes)] = static_cast<Index>(next);
        }
        forward_end += static_cast<std::uint32_t>(count_bits(lanes));
        if (arrives != 0) {
          sync();
          join(from, from_lane(static_cast<std::uint32_t>(lowest_bit(arrives)), next));
          return true;
        }
      }
      sync();
    }
  }

  MATCHCOUNT_ANYWHERE void drop_impossible(std::uint32_t vertex) {
    const std::uint32_t partner = mate_[vertex];
    start_search(mark_, view_.num_vertices(), search_);
    if (lane() == 0) {
      mark_[vertex] = search_;
      queue_[0] = static_cast<Index>(partner);
    }
    queue_begin_ = 0;
    queue_end_ = 1;
    sync();
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      const std::uint32_t other = target(s);
      if (message_[s] == 0 || other == partner || can_reach_partner(mate_[other])) continue;
      sync();
      if (lane() == 0) {
        message_[s] = message_[view_.reverse[s]] = 0;
        --degree_[vertex];
        --degree_[other];
        touched_[num_touched_] = static_cast<Index>(other);
      }
      ++num_touched_;
      sync();
    }
  }

  MATCHCOUNT_ANYWHERE void take(std::uint32_t vertex, std::uint32_t chosen) {
    sync();
    if (lane() == 0) {
      const std::uint32_t partner = mate_[vertex];
      std::uint32_t other = chosen, at = mate_[other];
      while (other != partner) {
        other = follow_[local(at)];
        const std::uint32_t next = mate_[other];
        mate_[at] = static_cast<Index>(other);
        mate_[other] = static_cast<Index>(at);
        at = next;
      }
    }
    remove(vertex, chosen);
    remove(chosen, vertex);
    if (lane() == 0) degree_[vertex] = degree_[chosen] = 0;
    sync();
  }
  MATCHCOUNT_ANYWHERE void remove(std::uint32_t vertex, std::uint32_t partner) {
    for (std::uint32_t base = begin(vertex), end = this->end(vertex); base < end; base += width()) {
      const std::uint32_t s = base + lane();
      const bool left = s < end && message_[s] != 0 && target(s) != partner;
      const std::uint32_t lanes = ballot(left);
      if (left) {
        const std::uint32_t other = target(s);
        message_[view_.reverse[s]] = 0;
        --degree_[other];
        touched_[num_touched_ + place(lanes)] = static_cast<Index>(other);
      }
      num_touched_ += static_cast<std::uint32_t>(count_bits(lanes));
    }
  }

  MATCHCOUNT_ANYWHERE void refresh_messages() {
    start_search(mark_, view_.num_vertices(), search_);
    for (std::uint32_t i = 0; i < num_touched_; ++i) {
      const std::uint32_t v = touched_[i];
      const bool done = degree_[v] == 0 || mark_[v] == search_;
      sync();
      if (done) continue;
      if (lane() == 0) mark_[v] = search_;
      const std::uint32_t begin = this->begin(v), end = this->end(v);
      double sum = 0;
      for (std::uint32_t s = begin; s < end; ++s) sum += message_[s];
      for (std::uint32_t s = begin + lane(); s < end; s += width()) {
        const double in = message_[s];
        if (in != 0) message_[view_.reverse[s]] = outgoing(weight(s), sum - GuidedTuning::answered_share * in);
      }
      sync();
    }
  }

  const GuidedView& view_;
  double* message_;  // by slot: from the target, times the weight; 0: it is gone
  Index* degree_;    // by vertex; 0: it is gone
  Index* mate_;
  Index* mark_;
  // By vertex of the side of the one that is being matched.
  Index* forward_mark_;
  Index* follow_;
  Index* came_from_;
  Index* queue_;
  Index* forward_;
  Index* touched_;
  Index search_ = 0, forward_search_ = 0;
  std::uint32_t num_touched_ = 0, queue_begin_ = 0, queue_end_ = 0;
};

}  // namespace matchcount::gpu
