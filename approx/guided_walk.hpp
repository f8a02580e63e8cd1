#pragma once
// A guided sample on one thread, in memory that the caller gives. Ours. approx/cuda/guided_warp.cuh is the same for the
// warps of GPUs, to the last bit, where there are no odd cycles.
//
// Where the time goes: a step takes one edge away, which changes the messages of the vertices around it and, far away,
// next to nothing. So messages are recomputed in a few rings around the vertices that were touched. A perfect matching
// of what is left is kept; an edge lies in another one exactly when an alternating path joins the partners of its ends,
// and the search for it mostly ends after a few vertices. Where it fails the edge is dropped for good, so a sample
// never runs into a dead end.
//
// A slot that is gone has message 0 and stays where it is: all that a sample changes of the block are messages,
// degrees and partners.

#include "approx/degree_sets.hpp"
#include "approx/messages.hpp"
#include "approx/published_walk.hpp"

namespace matchcount {

// What all samples of a block share, as pointers that hold where the walk runs.
struct GuidedView {
  ProblemView problem;
  const std::uint32_t* reverse = nullptr;   // by slot
  const std::uint32_t* position = nullptr;  // by vertex: of a row and a column of as few choices the first; null: rows
  DegreeSetsSize sets;                      // of a side
  std::uint32_t num_slots = 0, largest_degree = 0;

  MATCHCOUNT_ANYWHERE std::uint32_t num_vertices() const { return 2 * problem.size; }
  // Words of 64 bits of the state of a sample, which starts as a copy of guided_start (approx/cpu/guided.hpp).
  MATCHCOUNT_ANYWHERE std::size_t state_length() const { return num_slots + 2 * sets.length() + num_vertices(); }
  // The same of what a thread needs beside it, 0 when its walk is made.
  MATCHCOUNT_ANYWHERE std::size_t scratch_length() const {
    return 3 * std::size_t{num_vertices()} + 2 * std::size_t{largest_degree} + 1;
  }
};

// How much a sample is worth, and how much its guide: a sample that stands alone does best with a cheap one.
struct GuidedTuning {
  // Rings around what was touched in which messages are brought up to date: on the 24 x 24 grid the same error took 1.3
  // and 1.9 times as long with 3 and 6 as with 1 (in one run, 20 % noise); 2 was within noise.
  static constexpr int rings = 1;
  // A message that changes by a smaller share is not passed on to the next ring.
  static constexpr double tolerance = 0;
  // What a vertex leaves out of the sum of its messages when it answers one: 1 is belief propagation, 0 Sinkhorn's
  // scaling (fractional belief propagation, Chertkov and Yedidia 2013). There, with one ring: 13.5 standard deviations
  // at 0, 7.6 at 0.5, 5.0 at 0.7, 3.6 at 0.85, 4.1 at 1, from 4,000 to 10,000 samples of one seed.
  static constexpr double answered_share = 0.85;
  // The part of the probability that goes by weight alone, so that no sample is worth far more than messages say.
  static constexpr double floor_share = 0.01;
  // Whether the walk lists the vertices at which something changed.
  static constexpr bool lists_changes = false;
  // Whether the graph may have odd cycles: sides are then any halves of its vertices.
  static constexpr bool odd_cycles = false;
};
struct OddGuidedTuning : GuidedTuning {
  static constexpr bool odd_cycles = true;
};

template <class Tuning>
class TunedGuidedWalk {
 public:
  MATCHCOUNT_ANYWHERE TunedGuidedWalk(const GuidedView& view, std::uint64_t* scratch) : view_(view) {
    const std::uint32_t n = view.num_vertices(), size = view.problem.size;
    mark_ = reinterpret_cast<std::uint32_t*>(scratch);
    forward_mark_ = mark_ + n;
    follow_ = forward_mark_ + n;
    came_from_ = follow_ + n;
    came_through_ = came_from_ + n;
    queue_ = came_through_ + n;
    forward_ = queue_ + size + 1;
    touched_ = forward_ + size + 1;
    if (Tuning::rings == 1) return;
    next_touched_ = touched_ + list_length(view);
    changed_ = next_touched_ + list_length(view);
    is_changed_ = changed_ + n;
  }
  // Words of 64 bits, 0 when the walk is made.
  MATCHCOUNT_ANYWHERE static std::size_t scratch_length(const GuidedView& view) {
    return view.scratch_length() + (Tuning::rings == 1 ? 0 : list_length(view) + view.num_vertices());
  }

  // From here on this state is meant.
  MATCHCOUNT_ANYWHERE void attach(std::uint64_t* state) {
    message_ = reinterpret_cast<double*>(state);
    state += view_.num_slots;
    rows_ = DegreeSets(view_.sets, state);
    columns_ = DegreeSets(view_.sets, state + view_.sets.length());
    degree_ = reinterpret_cast<std::uint32_t*>(state + 2 * view_.sets.length());
    mate_ = degree_ + view_.num_vertices();
  }

  // Takes an edge; requires that one is left. The caller counts: there are as many steps as rows.
  MATCHCOUNT_ANYWHERE void step(Uniforms& uniforms, Product& value) {
    num_touched_ = 0;
    const std::uint32_t vertex = fewest_choices();
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
      const double by_message = (1 - Tuning::floor_share) / sum, by_weight = Tuning::floor_share / weights;
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
    work_ += 4;
    take(vertex, chosen);
    refresh_messages();
  }

  MATCHCOUNT_ANYWHERE std::uint32_t degree(std::uint32_t vertex) const { return degree_[vertex]; }  // 0: it is gone
  MATCHCOUNT_ANYWHERE double message(std::uint32_t slot) const { return message_[slot]; }           // 0: it is gone
  // By vertex, where all steps are taken: the matching that was drawn.
  MATCHCOUNT_ANYWHERE const std::uint32_t* partners() const { return mate_; }
  // Edges looked at so far, roughly.
  MATCHCOUNT_ANYWHERE std::uint64_t work() const { return work_; }

  // The vertices whose degree or messages, coming or going, have changed since the changes were last forgotten.
  MATCHCOUNT_ANYWHERE std::uint32_t num_changed() const { return num_changed_; }
  MATCHCOUNT_ANYWHERE std::uint32_t changed(std::uint32_t i) const { return changed_[i]; }
  MATCHCOUNT_ANYWHERE void forget_changes() {
    while (num_changed_ > 0) is_changed_[changed_[--num_changed_]] = 0;
  }

 private:
  // Vertices in a ring, some of them more than once: as many as there are slots, or those of the first ring.
  MATCHCOUNT_ANYWHERE static std::size_t list_length(const GuidedView& view) {
    return std::size_t{view.num_slots} + 2 * std::size_t{view.largest_degree} + 1;
  }

  MATCHCOUNT_ANYWHERE std::uint32_t begin(std::uint32_t vertex) const { return view_.problem.offset[vertex]; }
  MATCHCOUNT_ANYWHERE std::uint32_t end(std::uint32_t vertex) const { return view_.problem.offset[vertex + 1]; }
  MATCHCOUNT_ANYWHERE std::uint32_t target(std::uint32_t slot) const { return view_.problem.target[slot]; }
  MATCHCOUNT_ANYWHERE double weight(std::uint32_t slot) const {
    return view_.problem.weight ? view_.problem.weight[slot] : 1;
  }
  MATCHCOUNT_ANYWHERE void touch(std::uint32_t vertex) {
    touched_[num_touched_++] = vertex;
    change(vertex);
  }
  MATCHCOUNT_ANYWHERE void change(std::uint32_t vertex) {
    if constexpr (Tuning::lists_changes) {
      if (is_changed_[vertex] != 0) return;
      is_changed_[vertex] = 1;
      changed_[num_changed_++] = vertex;
    }
  }

  // A row or a column of least degree.
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

  MATCHCOUNT_ANYWHERE void start_search(std::uint32_t* marks, std::uint32_t& counter) {
    if (++counter != 0) return;
    for (std::uint32_t v = 0; v < view_.num_vertices(); ++v) marks[v] = 0;
    counter = 1;
  }

  // Adds the way that the forward search came, up to where it met the backward one, to the latter.
  MATCHCOUNT_ANYWHERE void join(std::uint32_t from, std::uint32_t meeting) {
    for (std::uint32_t v = meeting; v != from;) {
      const std::uint32_t before = came_from_[v];
      if (mark_[before] != search_) {
        mark_[before] = search_;
        follow_[before] = came_through_[v];
        queue_[queue_end_++] = mate_[before];
      }
      v = before;
    }
  }

  // Whether an alternating path leads from this vertex, of the side of the one that is being matched, to that one's
  // partner. Searched from both ends, since on graphs that expand one of them alone would see half of everything:
  // backward from the partner in queue_ (mark_, follow_), forward in forward_. Where a path is found its vertices join
  // the backward search.
  MATCHCOUNT_ANYWHERE bool can_reach_partner(std::uint32_t own, std::uint32_t from) {
    if (mark_[from] == search_) return true;
    start_search(forward_mark_, forward_search_);
    forward_[0] = from;
    forward_mark_[from] = forward_search_;
    for (std::uint32_t forward_begin = 0, forward_end = 1;;) {
      // One vertex backward, all of it, since the next search goes on behind it.
      if (queue_begin_ == queue_end_) return false;
      const std::uint32_t at = queue_[queue_begin_++];
      work_ += degree_[at];
      std::uint32_t meeting = own;
      for (std::uint32_t s = begin(at); s < end(at); ++s) {
        const std::uint32_t met = target(s);
        if (message_[s] == 0 || mark_[met] == search_) continue;
        mark_[met] = search_;
        follow_[met] = at;
        queue_[queue_end_++] = mate_[met];
        if (forward_mark_[met] == forward_search_) meeting = met;
      }
      if (meeting != own) {
        join(from, meeting);
        return true;
      }
      // One vertex forward.
      if (forward_begin == forward_end) return false;
      const std::uint32_t v = forward_[forward_begin++];
      work_ += degree_[v];
      for (std::uint32_t s = begin(v); s < end(v); ++s) {
        if (message_[s] == 0) continue;
        const std::uint32_t next = mate_[target(s)];
        if (forward_mark_[next] == forward_search_) continue;
        forward_mark_[next] = forward_search_;
        came_from_[next] = v;
        came_through_[next] = target(s);
        if (mark_[next] == search_) {
          join(from, next);
          return true;
        }
        forward_[forward_end++] = next;
      }
    }
  }

  MATCHCOUNT_ANYWHERE bool stays_possible(std::uint32_t vertex, std::uint32_t other) {
    if constexpr (Tuning::odd_cycles) return mark_[other] == search_;
    return can_reach_partner(vertex, mate_[other]);
  }

  // Where there are odd cycles: Edmonds's alternating tree in the graph without this vertex, from its partner, until
  // all of its other neighbours are even, or as far as it goes (matching/alternating_forest.cpp tells how). mark_ has
  // the even vertices, forward_mark_ all that were reached, follow_ leads towards a blossom's base, and came_from_ has
  // the vertex before an odd one and, in a blossom, the way round. queue_ runs on into forward_, unused here.
  MATCHCOUNT_ANYWHERE void grow_forest(std::uint32_t vertex) {
    const std::uint32_t root = mate_[vertex];
    start_search(forward_mark_, forward_search_);
    reach(root);
    make_even(root);
    std::uint32_t wanted = begin(vertex);
    for (;;) {
      while (wanted < end(vertex) && (message_[wanted] == 0 || mark_[target(wanted)] == search_)) ++wanted;
      if (wanted == end(vertex) || queue_begin_ == queue_end_) return;
      const std::uint32_t at = queue_[queue_begin_++];
      work_ += degree_[at];
      for (std::uint32_t s = begin(at); s < end(at); ++s) {
        const std::uint32_t met = target(s);
        if (message_[s] == 0 || met == vertex) continue;
        if (forward_mark_[met] != forward_search_) {
          reach(met);
          reach(mate_[met]);
          came_from_[met] = at;
          make_even(mate_[met]);
        } else if (mark_[met] == search_ && base_of(met) != base_of(at)) {
          const std::uint32_t base = common_base(met, at, root);
          contract(met, at, base);
          contract(at, met, base);
        }
      }
    }
  }
  MATCHCOUNT_ANYWHERE void reach(std::uint32_t vertex) {
    forward_mark_[vertex] = forward_search_;
    follow_[vertex] = vertex;
  }
  MATCHCOUNT_ANYWHERE void make_even(std::uint32_t vertex) {
    mark_[vertex] = search_;
    queue_[queue_end_++] = vertex;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t base_of(std::uint32_t vertex) {
    while (follow_[vertex] != vertex) vertex = follow_[vertex] = follow_[follow_[vertex]];
    return vertex;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t common_base(std::uint32_t one, std::uint32_t other, std::uint32_t root) {
    start_search(came_through_, climb_);
    std::uint32_t here = base_of(one), there = base_of(other);
    const std::uint32_t top = base_of(root);
    bool both = true;  // climb, in turns
    while (came_through_[here] != climb_) {
      came_through_[here] = climb_;
      if (here == top) {
        here = there;
        both = false;
        continue;
      }
      here = base_of(came_from_[mate_[here]]);
      if (!both) continue;
      const std::uint32_t next = there;
      there = here;
      here = next;
    }
    return here;
  }
  MATCHCOUNT_ANYWHERE void contract(std::uint32_t from, std::uint32_t round, std::uint32_t base) {
    while (base_of(from) != base) {
      came_from_[from] = round;
      const std::uint32_t odd = mate_[from];
      if (mark_[odd] != search_) make_even(odd);
      if (follow_[from] == from) follow_[from] = base;
      if (follow_[odd] == odd) follow_[odd] = base;
      round = odd;
      from = came_from_[odd];
    }
  }

  // Drops the edges at this vertex that are in no perfect matching of what is left, and leaves in follow_ the way to
  // the vertex's partner for the partners of its other neighbours.
  MATCHCOUNT_ANYWHERE void drop_impossible(std::uint32_t vertex) {
    const std::uint32_t partner = mate_[vertex];
    start_search(mark_, search_);
    queue_begin_ = 0;
    queue_end_ = 0;
    if constexpr (Tuning::odd_cycles) {
      grow_forest(vertex);
    } else {
      mark_[vertex] = search_;
      queue_[queue_end_++] = partner;
    }
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      const std::uint32_t other = target(s);
      if (message_[s] == 0 || other == partner || stays_possible(vertex, other)) continue;
      message_[s] = message_[view_.reverse[s]] = 0;
      lower(vertex);
      lower(other);
      touch(other);
    }
  }

  MATCHCOUNT_ANYWHERE void take(std::uint32_t vertex, std::uint32_t slot) {
    // The kept matching is changed along the path from the old partner of the edge's other end to the vertex's.
    const std::uint32_t chosen = target(slot), partner = mate_[vertex];
    if constexpr (Tuning::odd_cycles) {
      for (std::uint32_t at = vertex, before = chosen; at != partner; before = came_from_[at]) {
        const std::uint32_t next = before == partner ? partner : mate_[before];
        mate_[at] = before;
        mate_[before] = at;
        at = next;
      }
    } else {
      std::uint32_t other = chosen, at = mate_[other];
      while (other != partner) {
        other = follow_[at];
        const std::uint32_t next = mate_[other];
        mate_[at] = other;
        mate_[other] = at;
        at = next;
      }
      mate_[vertex] = chosen;  // for those who want the matching
      mate_[chosen] = vertex;
    }
    remove(vertex, chosen);
    remove(chosen, vertex);
    degree_[vertex] = degree_[chosen] = 0;
    change(vertex);
    change(chosen);
  }
  MATCHCOUNT_ANYWHERE void remove(std::uint32_t vertex, std::uint32_t partner) {
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      const std::uint32_t other = target(s);
      if (message_[s] == 0 || other == partner) continue;
      message_[view_.reverse[s]] = 0;
      lower(other);
      touch(other);
    }
    if (vertex < view_.problem.size) {
      rows_.erase(vertex, degree_[vertex]);
    } else {
      columns_.erase(vertex - view_.problem.size, degree_[vertex]);
    }
  }

  MATCHCOUNT_ANYWHERE void refresh_messages() {
    for (int ring = 1; ring <= Tuning::rings && num_touched_ > 0; ++ring) {
      start_search(mark_, search_);
      std::uint32_t num_next = 0;
      for (std::uint32_t i = 0; i < num_touched_; ++i) {
        const std::uint32_t v = touched_[i];
        if (degree_[v] == 0 || mark_[v] == search_) continue;
        mark_[v] = search_;
        work_ += 2 * degree_[v];
        change(v);
        double sum = 0;
        for (std::uint32_t s = begin(v); s < end(v); ++s) sum += message_[s];
        for (std::uint32_t s = begin(v); s < end(v); ++s) {
          const double in = message_[s];
          if (in == 0) continue;
          const double sent = outgoing(weight(s), sum - Tuning::answered_share * in);
          double& there = message_[view_.reverse[s]];
          if constexpr (Tuning::rings > 1) {
            const double off = sent > there ? sent - there : there - sent;
            if (ring < Tuning::rings && off > Tuning::tolerance * there) next_touched_[num_next++] = target(s);
          }
          there = sent;
          change(target(s));
        }
      }
      if constexpr (Tuning::rings > 1) {
        std::uint32_t* const now = touched_;
        touched_ = next_touched_;
        next_touched_ = now;
      }
      num_touched_ = num_next;
    }
  }

  const GuidedView& view_;
  // The state.
  double* message_ = nullptr;  // by slot: from the target, times the weight
  DegreeSets rows_, columns_;
  std::uint32_t* degree_ = nullptr;
  std::uint32_t* mate_ = nullptr;  // a perfect matching of what is left
  // Scratch.
  std::uint32_t* mark_;  // by vertex: the last search that met it
  std::uint32_t* forward_mark_;
  std::uint32_t* follow_;
  std::uint32_t* came_from_;
  std::uint32_t* came_through_;
  std::uint32_t* queue_;
  std::uint32_t* forward_;
  std::uint32_t* touched_;
  std::uint32_t* next_touched_ = nullptr;
  std::uint32_t* changed_ = nullptr;
  std::uint32_t* is_changed_ = nullptr;                        // by vertex
  std::uint32_t search_ = 0, forward_search_ = 0, climb_ = 0;  // the last ones
  std::uint32_t num_touched_ = 0, num_changed_ = 0, queue_begin_ = 0, queue_end_ = 0;
  std::uint64_t work_ = 0;
};
using GuidedWalk = TunedGuidedWalk<GuidedTuning>;
using OddGuidedWalk = TunedGuidedWalk<OddGuidedTuning>;

}  // namespace matchcount
