#pragma once
// Takes the steps of a guided sample, by one thread or by a warp of a GPU, in memory that the caller gives. Ours. Sums
// run over all slots of a vertex in order on every lane, so that a sample has the same bits wherever it is drawn.
//
// Where the time goes: a step takes one edge away, which changes the messages of the vertices around it and, far away,
// next to nothing. So messages are recomputed in a few rings around the vertices that were touched. A perfect matching
// of what is left is kept; an edge lies in another one exactly when an alternating path joins the partners of its ends,
// and the search for it mostly ends after a few vertices. Where it fails the edge is dropped for good, so a sample
// never runs into a dead end.
//
// A slot that is gone has message 0 and stays where it is: all that a sample changes of the block are messages,
// degrees and partners.

#include "approx/guided_tuning.hpp"
#include "approx/guided_view.hpp"
#include "approx/messages.hpp"

namespace matchcount {

// The walk's text; approx/guided_view.hpp says what a team is.
template <class Tuning, class Team>
class GuidedSteps : public Team {
 protected:
  using Index = typename Team::Index;
  using Team::view_, Team::degree_;

 public:
  // Takes an edge; requires that one is left. The caller counts: there are as many steps as rows. False: a vertex is
  // left without edges, which never happens where the walk looks ahead.
  MATCHCOUNT_ANYWHERE bool step(Uniforms& uniforms, Product& value) {
    num_touched_ = 0;
    const std::uint32_t vertex = this->fewest_choices();
    if (Tuning::looks_ahead && degree_[vertex] > 1) drop_impossible(vertex);
    const std::uint32_t begin = this->begin(vertex), end = this->end(vertex);
    std::uint32_t chosen = 0;
    if (degree_[vertex] == 1) {
      chosen = begin;
      while (message_[chosen] == 0) ++chosen;
      value.multiply(weight(chosen));
    } else {
      const bool tries = Tuning::tries && view_.has_equal_weights;
      if constexpr (Tuning::tries) {
        if (tries) try_edges(vertex);
      }
      const auto worth = [&](std::uint32_t s) { return tries ? worth_[s - begin] : message_[s]; };
      double sum = 0, weights = 0;
      for (std::uint32_t s = begin; s < end; ++s) {
        sum += worth(s);
        weights += message_[s] != 0 ? weight(s) : 0;
      }
      if (tries && sum == 0) return false;
      const double by_floor = tries ? 0 : Tuning::floor_share;  // which try_edges sees to
      const double by_worth = (1 - by_floor) / sum, by_weight = by_floor / weights;
      double at = uniforms.next(), share = 1;
      for (std::uint32_t s = begin; s < end; ++s) {
        if (worth(s) == 0) continue;
        chosen = s;
        share = worth(s) * by_worth + weight(s) * by_weight;
        if (at < share) break;
        at -= share;
      }
      value.multiply(weight(chosen) / share);
    }
    this->work(4);
    take(vertex, target(chosen));
    if constexpr (!Tuning::looks_ahead) {
      for (std::uint32_t i = 0; i < num_touched_; ++i) {
        if (degree_[touched_[i]] == 0) return false;
      }
    }
    refresh_messages();
    return true;
  }

  // Settles a vertex of a matching that may leave some alone: by itself, with a neighbour, or not at all if it was
  // settled before or has no neighbour left.
  MATCHCOUNT_ANYWHERE void settle(std::uint32_t vertex, Uniforms& uniforms, Product& value) {
    if (degree_[vertex] == 0) return;
    num_touched_ = 0;
    const std::uint32_t begin = this->begin(vertex), end = this->end(vertex);
    double sum = 1, weights = 1;
    for (std::uint32_t s = begin; s < end; ++s) {
      sum += message_[s];
      weights += message_[s] != 0 ? weight(s) : 0;
    }
    const double by_message = (1 - Tuning::floor_share) / sum, by_weight = Tuning::floor_share / weights;
    double at = uniforms.next(), share = by_message + by_weight, taken = 1;
    std::uint32_t partner = vertex;
    for (std::uint32_t s = begin; s < end && at >= share; ++s) {
      if (message_[s] == 0) continue;
      at -= share;
      partner = target(s);
      taken = weight(s);
      share = message_[s] * by_message + taken * by_weight;
    }
    value.multiply(taken / share);
    this->work(4);
    remove(vertex, partner);
    if (partner != vertex) remove(partner, vertex);
    if (this->lane() == 0) {
      mate_[vertex] = partner;
      mate_[partner] = vertex;
      this->erase(vertex);
      if (partner != vertex) this->erase(partner);
    }
    this->sync();
    change(this->lane() == 0, vertex);
    change(this->lane() == 0, partner);
    refresh_messages();
  }

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

  // The vertices whose degree or messages, coming or going, have changed since the changes were last forgotten.
  // Multiplies a product by factor(vertex) of each, which lanes compute side by side.
  template <class Factor>
  MATCHCOUNT_ANYWHERE void multiply_by_changed(Product& product, const Factor& factor) {
    this->sync();
    for (std::uint32_t base = 0; base < num_changed_; base += this->width()) {
      const std::uint32_t i = base + this->lane();
      const double mine = i < num_changed_ ? factor(std::uint32_t{changed_[i]}) : 1;
      const std::uint32_t here = std::min(this->width(), num_changed_ - base);
      for (std::uint32_t lane = 0; lane < here; ++lane) product.multiply(this->from_lane(lane, mine));
    }
  }
  MATCHCOUNT_ANYWHERE void forget_changes() {
    this->sync();
    for (std::uint32_t i = this->lane(); i < num_changed_; i += this->width()) is_changed_[changed_[i]] = 0;
    num_changed_ = 0;
    this->sync();
  }

 protected:
  MATCHCOUNT_ANYWHERE explicit GuidedSteps(const GuidedView& view) : Team(view) {}

  MATCHCOUNT_ANYWHERE std::uint32_t begin(std::uint32_t vertex) const { return view_.problem.offset[vertex]; }
  MATCHCOUNT_ANYWHERE std::uint32_t end(std::uint32_t vertex) const { return view_.problem.offset[vertex + 1]; }
  MATCHCOUNT_ANYWHERE std::uint32_t target(std::uint32_t slot) const { return view_.problem.target[slot]; }
  MATCHCOUNT_ANYWHERE double weight(std::uint32_t slot) const {
    return view_.problem.weight ? view_.problem.weight[slot] : 1;
  }

  // Returns a vertex's factor in the Bethe approximation. Any number would do for a rank: one is taken whose ratio to
  // another is one that a double holds.
  MATCHCOUNT_ANYWHERE double term(std::uint32_t vertex) const {
    if (degree_[vertex] == 0) return 1;
    double sum = view_.alone, others = 1;
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      const double in = message_[s];
      sum += in;
      if (vertex >= target(s) || in == 0) continue;
      others *= 1 + (view_.problem.weight ? in / view_.problem.weight[s] : in) * message_[view_.reverse[s]];
    }
    return std::clamp(sum / others, 1e-150, 1e150);
  }

  double answered_share_ = Tuning::answered_share;
  double* message_ = nullptr;   // by slot: from the target, times the weight; 0: it is gone
  Index* mate_ = nullptr;       // by vertex: a perfect matching of what is left
  double* sent_sum_ = nullptr;  // by vertex, unless all messages are sent: their sum when it sent any
  double* term_ = nullptr;      // by vertex, of particles: its factor in the Bethe approximation
  // Keep what a try has changed, what stood there before, and what the edges of a vertex were found to be worth.
  double** tried_place_ = nullptr;
  double* tried_value_ = nullptr;
  double* worth_ = nullptr;
  Index* mark_ = nullptr;  // by vertex: the last search that met it
  // Marks and lists by local vertex.
  Index* forward_mark_ = nullptr;
  Index* follow_ = nullptr;
  Index* came_from_ = nullptr;
  Index* climb_mark_ = nullptr;
  Index* queue_ = nullptr;
  Index* forward_ = nullptr;
  Index* touched_ = nullptr;
  Index* next_touched_ = nullptr;
  Index* changed_ = nullptr;
  Index* is_changed_ = nullptr;  // by vertex

 private:
  // Lists the vertices of these lanes, which are different ones.
  MATCHCOUNT_ANYWHERE void change(bool mine, std::uint32_t vertex) {
    if constexpr (Tuning::lists_changes) {
      const bool fresh = mine && is_changed_[vertex] == 0;
      const std::uint32_t lanes = this->ballot(fresh);
      if (fresh) {
        is_changed_[vertex] = 1;
        changed_[num_changed_ + this->place(lanes)] = vertex;
      }
      num_changed_ += this->count(lanes);
      this->sync();
    }
  }

  // Sees to it that so many searches more have numbers that no mark has.
  MATCHCOUNT_ANYWHERE void make_room(Index* marks, std::uint32_t length, Index& counter, std::uint32_t searches) {
    if (static_cast<Index>(~counter) >= searches) return;
    this->sync();
    for (std::uint32_t v = this->lane(); v < length; v += this->width()) marks[v] = 0;
    this->sync();
    counter = 0;
  }
  MATCHCOUNT_ANYWHERE void start_search(Index* marks, std::uint32_t length, Index& counter) {
    make_room(marks, length, counter, 1);
    ++counter;
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

  MATCHCOUNT_ANYWHERE bool stays_possible(std::uint32_t other) {
    if constexpr (Tuning::odd_cycles) return mark_[other] == search_;
    return can_reach_partner(mate_[other]);
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

  // Drops the edges at this vertex that are in no perfect matching of what is left, and leaves in follow_ the way to
  // the vertex's partner for the partners of its other neighbours.
  MATCHCOUNT_ANYWHERE void drop_impossible(std::uint32_t vertex) {
    const std::uint32_t partner = mate_[vertex];
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
        queue_[0] = static_cast<Index>(partner);
      }
      queue_end_ = 1;
      this->sync();
    }
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      const std::uint32_t other = target(s);
      if (message_[s] == 0 || other == partner || stays_possible(other)) continue;
      this->sync();
      if (this->lane() == 0) {
        message_[s] = message_[view_.reverse[s]] = 0;
        this->lower(vertex);
        this->lower(other);
        touched_[num_touched_] = static_cast<Index>(other);
      }
      ++num_touched_;
      change(this->lane() == 0, other);
      this->sync();
    }
  }

  // Finds what the edges of a vertex are worth, none much less than its weight says.
  MATCHCOUNT_ANYWHERE void try_edges(std::uint32_t vertex) {
    const std::uint32_t begin = this->begin(vertex), end = this->end(vertex);
    double sum = 0, weights = 0;
    for (std::uint32_t s = begin; s < end; ++s) {
      const double worth = message_[s] == 0 ? 0 : tried(vertex, s);
      worth_[s - begin] = worth;
      sum += worth;
      weights += worth != 0 ? weight(s) : 0;
    }
    this->sync();
    for (std::uint32_t s = begin; s < end; ++s) {
      const double least = Tuning::floor_share * sum / weights * weight(s);
      if (worth_[s - begin] != 0 && worth_[s - begin] < least) worth_[s - begin] = least;
    }
    this->sync();
  }
  // Returns the weight of an edge times what the Bethe approximation says of what it leaves, over what it says now; 0
  // where a vertex is left without edges. Nothing stays changed.
  MATCHCOUNT_ANYWHERE double tried(std::uint32_t vertex, std::uint32_t slot) {
    const std::uint32_t chosen = target(slot);
    num_touched_ = num_tried_ = 0;
    is_trying_ = true;
    remove(vertex, chosen);
    remove(chosen, vertex);
    bool is_dead = false;
    for (std::uint32_t i = 0; i < num_touched_; ++i) is_dead = is_dead || !has_edges(touched_[i]);
    if (!is_dead) refresh_messages();
    Product worth;
    worth.multiply(weight(slot) / term_[vertex]);
    worth.multiply(1 / term_[chosen]);
    multiply_by_changed(worth, [&](std::uint32_t v) { return term(v) / term_[v]; });
    forget_changes();
    if (this->lane() == 0) {
      for (std::uint32_t i = num_tried_; i-- > 0;) *tried_place_[i] = tried_value_[i];
    }
    this->sync();
    is_trying_ = false;
    num_touched_ = 0;
    if (is_dead) return 0;
    // More than 2^60 apart all is as good as certain, or not to be believed.
    const std::int64_t by = std::clamp<std::int64_t>(worth.sample().exponent, -60, 60);
    const double mantissa = worth.sample().mantissa;
    return by < 0 ? mantissa / static_cast<double>(std::uint64_t{1} << -by)
                  : mantissa * static_cast<double>(std::uint64_t{1} << by);
  }
  MATCHCOUNT_ANYWHERE bool has_edges(std::uint32_t vertex) const {
    for (std::uint32_t s = begin(vertex); s < end(vertex); ++s) {
      if (message_[s] != 0) return true;
    }
    return false;
  }
  MATCHCOUNT_ANYWHERE bool is_trying() const { return Tuning::tries && is_trying_; }
  // Lanes write to different places.
  MATCHCOUNT_ANYWHERE void write(bool mine, double* place, double value) {
    if (is_trying()) {
      const std::uint32_t lanes = this->ballot(mine), at = num_tried_ + this->place(lanes);
      if (mine) {
        tried_place_[at] = place;
        tried_value_[at] = *place;
      }
      num_tried_ += this->count(lanes);
    }
    if (mine) *place = value;
  }

  MATCHCOUNT_ANYWHERE void take(std::uint32_t vertex, std::uint32_t chosen) {
    this->sync();
    // The kept matching is changed along the path from the old partner of the edge's other end to the vertex's.
    if (this->lane() == 0) {
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
    remove(vertex, chosen);
    remove(chosen, vertex);
    if (this->lane() == 0) {
      this->erase(vertex);
      this->erase(chosen);
    }
    this->sync();
    change(this->lane() == 0, vertex);
    change(this->lane() == 0, chosen);
  }
  MATCHCOUNT_ANYWHERE void remove(std::uint32_t vertex, std::uint32_t partner) {
    for (std::uint32_t base = begin(vertex), end = this->end(vertex); base < end; base += this->width()) {
      const std::uint32_t s = base + this->lane();
      const bool left = s < end && message_[s] != 0 && target(s) != partner;
      const std::uint32_t lanes = this->ballot(left), other = left ? target(s) : 0;
      if (left) touched_[num_touched_ + this->place(lanes)] = static_cast<Index>(other);
      num_touched_ += this->count(lanes);
      write(left, left ? message_ + view_.reverse[s] : nullptr, 0);
      if (!is_trying()) this->lower_each(other, lanes);
      change(left, other);
    }
    this->sync();
  }

  MATCHCOUNT_ANYWHERE void refresh_messages() {
    for (int ring = 1; ring <= Tuning::rings && num_touched_ > 0; ++ring) {
      start_search(mark_, view_.num_vertices(), search_);
      std::uint32_t num_next = 0;
      const double tolerance = is_trying() ? Tuning::tried_tolerance : Tuning::tolerance;
      for (std::uint32_t i = 0; i < num_touched_; ++i) {
        const std::uint32_t v = touched_[i];
        const bool done = degree_[v] == 0 || mark_[v] == search_;
        this->sync();
        if (done) continue;
        if constexpr (Tuning::tries) {
          if (is_trying_ && num_tried_ + degree_[v] >= Tuning::most_tried) return;
        }
        if (this->lane() == 0) mark_[v] = search_;
        this->work(2 * std::uint32_t{degree_[v]});
        change(this->lane() == 0, v);
        const std::uint32_t begin = this->begin(v), end = this->end(v);
        double sum = Tuning::leaves_alone ? 1 : 0, largest = 0;
        for (std::uint32_t s = begin; s < end; ++s) {
          sum += message_[s];
          if (!Tuning::sends_all && message_[s] > largest) largest = message_[s];
        }
        if constexpr (!Tuning::sends_all) {
          const double off = sum > sent_sum_[v] ? sum - sent_sum_[v] : sent_sum_[v] - sum;
          if (off < tolerance * (sum - largest)) continue;
          this->sync();
          write(this->lane() == 0, sent_sum_ + v, sum);
        }
        for (std::uint32_t base = begin; base < end; base += this->width()) {
          const std::uint32_t s = base + this->lane();
          const double in = s < end ? message_[s] : 0;
          bool sends = in != 0;
          double* const there = sends ? message_ + view_.reverse[s] : nullptr;
          const std::uint32_t to = sends ? target(s) : 0;
          const double sent = sends ? outgoing(weight(s), sum - answered_share_ * in) : 0;
          if constexpr (Tuning::rings > 1) {
            const double before = sends ? *there : 0, off = sent > before ? sent - before : before - sent;
            const bool is_far_off = off > tolerance * before;
            if (ring < Tuning::rings) {
              const std::uint32_t lanes = this->ballot(is_far_off);
              if (is_far_off) next_touched_[num_next + this->place(lanes)] = to;
              num_next += this->count(lanes);
            }
            if (!Tuning::sends_all && ring > 1) sends = is_far_off;
          }
          write(sends, there, sent);
          change(sends, to);
        }
        this->sync();
      }
      if constexpr (Tuning::rings > 1) {
        Index* const now = touched_;
        touched_ = next_touched_;
        next_touched_ = now;
      }
      num_touched_ = num_next;
    }
  }

  Index search_ = 0, forward_search_ = 0, climb_ = 0;  // the last ones
  std::uint32_t num_touched_ = 0, num_changed_ = 0, queue_begin_ = 0, queue_end_ = 0, num_tried_ = 0;
  bool is_trying_ = false;
};

}  // namespace matchcount
