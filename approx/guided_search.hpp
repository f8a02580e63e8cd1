#pragma once
// Finds out, for guided walks, which edges of a vertex lie in a perfect matching of what is left, by paths that
// alternate between edges of a perfect matching that is kept and others; and changes that matching.

#include "approx/guided_view.hpp"

namespace matchcount {

// The searches of a walk, and what they look at. approx/guided_view.hpp says what a team is.
template <class Tuning, class Team>
class GuidedSearch : public Team {
 public:
  using Index = typename Team::Index;

  // Numbers searches, whose numbers stand in the memory beside the state: another walk there goes on with them.
  struct Searches {
    Index last = 0, forward = 0, climb = 0;
  };
  MATCHCOUNT_ANYWHERE Searches searches() const { return {search_, forward_search_, climb_}; }
  MATCHCOUNT_ANYWHERE void go_on(const Searches& searches) {
    search_ = searches.last;
    forward_search_ = searches.forward;
    climb_ = searches.climb;
  }

 protected:
  using Team::view_, Team::degree_;

  MATCHCOUNT_ANYWHERE explicit GuidedSearch(const GuidedView& view) : Team(view) {}

  MATCHCOUNT_ANYWHERE std::uint32_t begin(std::uint32_t vertex) const { return view_.problem.offset[vertex]; }
  MATCHCOUNT_ANYWHERE std::uint32_t end(std::uint32_t vertex) const { return view_.problem.offset[vertex + 1]; }
  MATCHCOUNT_ANYWHERE std::uint32_t target(std::uint32_t slot) const { return view_.problem.target[slot]; }
  MATCHCOUNT_ANYWHERE double weight(std::uint32_t slot) const {
    return view_.problem.weight ? view_.problem.weight[slot] : 1;
  }

  MATCHCOUNT_ANYWHERE void start_search(Index* marks, std::uint32_t length, Index& counter) {
    make_room(marks, length, counter, 1);
    ++counter;
  }
  // Starts to look for the other edges of a vertex that lie in a perfect matching.
  MATCHCOUNT_ANYWHERE void start_paths(std::uint32_t vertex) {
    start_search(mark_, view_.num_vertices(), search_);
    queue_begin_ = 0;
    queue_end_ = 0;
    if constexpr (Tuning::odd_cycles) {
      start_search(forward_mark_, view_.num_vertices(), forward_search_);
      make_room(climb_mark_, view_.num_vertices(), climb_, view_.num_vertices());
      if (this->lane() == 0) grow_forest(vertex);
      climb_ = this->from_lane(0, climb_);
      this->sync();
    } else {
      if (this->lane() == 0) {
        mark_[vertex] = search_;
        queue_[0] = mate_[vertex];
      }
      queue_end_ = 1;
      this->sync();
    }
  }
  // Says whether the edge to a neighbour, not the vertex's partner, does.
  MATCHCOUNT_ANYWHERE bool stays_possible(std::uint32_t other) {
    if constexpr (Tuning::odd_cycles) return mark_[other] == search_;
    return can_reach_partner(mate_[other]);
  }

  // Matches a vertex with a neighbour, and along the path from the old partner of that one to the vertex's what lies
  // there. By one lane.
  MATCHCOUNT_ANYWHERE void rematch(std::uint32_t vertex, std::uint32_t chosen) {
    const std::uint32_t partner = mate_[vertex];
    if constexpr (!Tuning::looks_ahead) {
      mate_[chosen] = static_cast<Index>(vertex);
      mate_[vertex] = static_cast<Index>(chosen);
    } else if constexpr (Tuning::odd_cycles) {
      for (std::uint32_t at = vertex, before = chosen; at != partner; before = came_from_[at]) {
        const std::uint32_t next = before == partner ? partner : mate_[before];
        mate_[at] = before;
        mate_[before] = at;
        at = next;
      }
    } else {
      std::uint32_t other = chosen, at = mate_[other];
      while (other != partner) {
        other = follow_[this->local(at)];
        const std::uint32_t next = mate_[other];
        mate_[at] = static_cast<Index>(other);
        mate_[other] = static_cast<Index>(at);
        at = next;
      }
      mate_[vertex] = static_cast<Index>(chosen);  // for those who want the matching
      mate_[chosen] = static_cast<Index>(vertex);
    }
  }

  double* message_ = nullptr;  // by slot: from the target, times the weight; 0: it is gone
  Index* mate_ = nullptr;      // by vertex: a perfect matching of what is left
  Index* mark_ = nullptr;      // by vertex: the last search that met it
  // Marks and lists by local vertex.
  Index* forward_mark_ = nullptr;
  Index* follow_ = nullptr;
  Index* came_from_ = nullptr;
  Index* climb_mark_ = nullptr;
  Index* queue_ = nullptr;
  Index* forward_ = nullptr;

  Index search_ = 0, forward_search_ = 0, climb_ = 0;  // the last ones

 private:
  // Sees to it that so many searches more have numbers that no mark has.
  MATCHCOUNT_ANYWHERE void make_room(Index* marks, std::uint32_t length, Index& counter, std::uint32_t searches) {
    if (static_cast<Index>(~counter) >= searches) return;
    this->sync();
    for (std::uint32_t v = this->lane(); v < length; v += this->width()) marks[v] = 0;
    this->sync();
    counter = 0;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t num_local() const {
    return Team::folds_sides ? view_.problem.size : view_.num_vertices();
  }

  // Adds the way that the forward search came, up to where it met the backward one, to the latter. By one lane.
  MATCHCOUNT_ANYWHERE void join(std::uint32_t from, std::uint32_t meeting) {
    if (this->lane() == 0) {
      for (std::uint32_t v = meeting; v != from;) {
        const std::uint32_t before = came_from_[this->local(v)];
        if (mark_[before] != search_) {
          mark_[before] = search_;
          follow_[this->local(before)] = mate_[v];
          queue_[queue_end_++] = mate_[before];
        }
        v = before;
      }
    }
    queue_end_ = this->from_lane(0, queue_end_);
    this->sync();
  }

  // Says whether an alternating path leads from this vertex, of the side of the one that is being matched, to that
  // one's partner. Searched from both ends, since on graphs that expand one of them alone would see half of everything:
  // backward from the partner in queue_ (mark_, follow_), forward in forward_. Where a path is found its vertices join
  // the backward search.
  MATCHCOUNT_ANYWHERE bool can_reach_partner(std::uint32_t from) {
    if (mark_[from] == search_) return true;
    start_search(forward_mark_, num_local(), forward_search_);
    if (this->lane() == 0) {
      forward_[0] = static_cast<Index>(from);
      forward_mark_[this->local(from)] = forward_search_;
    }
    this->sync();
    for (std::uint32_t forward_begin = 0, forward_end = 1;;) {
      // One vertex backward, all of it, since the next search goes on behind it.
      if (queue_begin_ == queue_end_) return false;
      const std::uint32_t at = queue_[queue_begin_++];
      this->work(degree_[at]);
      std::uint32_t meeting = no_vertex;
      for (std::uint32_t base = begin(at), end = this->end(at); base < end; base += this->width()) {
        const std::uint32_t s = base + this->lane();
        const bool is_left = s < end && message_[s] != 0;
        const std::uint32_t met = is_left ? target(s) : 0;
        const bool fresh = is_left && mark_[met] != search_;
        const std::uint32_t lanes = this->ballot(fresh);
        const std::uint32_t meets = this->ballot(fresh && forward_mark_[this->local(met)] == forward_search_);
        if (fresh) {
          mark_[met] = search_;
          follow_[this->local(met)] = static_cast<Index>(at);
          queue_[queue_end_ + this->place(lanes)] = mate_[met];
        }
        queue_end_ += this->count(lanes);
        if (meets != 0) meeting = this->from_lane(this->last(meets), met);
      }
      this->sync();
      if (meeting != no_vertex) {
        join(from, meeting);
        return true;
      }
      // One vertex forward.
      if (forward_begin == forward_end) return false;
      const std::uint32_t v = forward_[forward_begin++];
      this->work(degree_[v]);
      for (std::uint32_t base = begin(v), end = this->end(v); base < end; base += this->width()) {
        const std::uint32_t s = base + this->lane();
        const bool is_left = s < end && message_[s] != 0;
        const std::uint32_t next = is_left ? std::uint32_t{mate_[target(s)]} : 0;
        const bool fresh = is_left && forward_mark_[this->local(next)] != forward_search_;
        const std::uint32_t lanes = this->ballot(fresh), arrives = this->ballot(fresh && mark_[next] == search_);
        if (fresh) {
          forward_mark_[this->local(next)] = forward_search_;
          came_from_[this->local(next)] = static_cast<Index>(v);
          forward_[forward_end + this->place(lanes)] = static_cast<Index>(next);
        }
        forward_end += this->count(lanes);
        if (arrives != 0) {
          this->sync();
          join(from, this->from_lane(static_cast<std::uint32_t>(lowest_bit(arrives)), next));
          return true;
        }
      }
      this->sync();
    }
  }

  // Grows, where there are odd cycles, Edmonds's alternating tree in the graph without this vertex, from its partner,
  // until all of its other neighbours are even, or as far as it goes (matching/alternating_forest.cpp tells how). mark_
  // has the even vertices, forward_mark_ all that were reached, follow_ leads towards a blossom's base, and came_from_
  // has the vertex before an odd one and, in a blossom, the way round. queue_ runs on into forward_, unused here. By
  // one lane.
  MATCHCOUNT_ANYWHERE void grow_forest(std::uint32_t vertex) {
    const std::uint32_t root = mate_[vertex];
    reach(root);
    make_even(root);
    std::uint32_t wanted = begin(vertex);
    for (;;) {
      while (wanted < end(vertex) && (message_[wanted] == 0 || mark_[target(wanted)] == search_)) ++wanted;
      if (wanted == end(vertex) || queue_begin_ == queue_end_) return;
      const std::uint32_t at = queue_[queue_begin_++];
      this->work(degree_[at]);
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
    ++climb_;
    std::uint32_t here = base_of(one), there = base_of(other);
    const std::uint32_t top = base_of(root);
    bool both = true;  // climb, in turns
    while (climb_mark_[here] != climb_) {
      climb_mark_[here] = climb_;
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

  std::uint32_t queue_begin_ = 0, queue_end_ = 0;
};

}  // namespace matchcount
