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

#include "approx/guided_search.hpp"
#include "approx/guided_tuning.hpp"
#include "approx/messages.hpp"

namespace matchcount {

// The walk's text; approx/guided_view.hpp says what a team is.
template <class Tuning, class Team>
class GuidedSteps : public GuidedSearch<Tuning, Team> {
  static_assert(!Tuning::keeps_sums || (!Tuning::looks_ahead && Tuning::lists_changes && Tuning::rings > 1));

 protected:
  using Search = GuidedSearch<Tuning, Team>;
  using Index = typename Team::Index;
  using Search::message_, Search::mate_, Search::mark_, Search::search_;
  using Search::target, Search::weight;
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
      const bool tries = this->tries();
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
    if (partner != vertex) take_edge(vertex, partner);
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
  MATCHCOUNT_ANYWHERE explicit GuidedSteps(const GuidedView& view) : Search(view) {}

  // Returns a vertex's factor in the Bethe approximation, where sums are kept without its edges' factors. Any number
  // would do for a rank: one is taken whose ratio to another is one that a double holds.
  MATCHCOUNT_ANYWHERE double term(std::uint32_t vertex) const {
    if (degree_[vertex] == 0) return 1;
    if (Tuning::keeps_sums) return std::clamp(sum_[vertex], 1e-150, 1e150);
    double sum = view_.alone, others = 1;
    for (std::uint32_t s = this->begin(vertex); s < this->end(vertex); ++s) {
      const double in = message_[s];
      sum += in;
      if (vertex >= target(s) || in == 0) continue;
      others *= 1 + (view_.problem.weight ? in / view_.problem.weight[s] : in) * message_[view_.reverse[s]];
    }
    return std::clamp(sum / others, 1e-150, 1e150);
  }

  MATCHCOUNT_ANYWHERE double edge_factor(std::uint32_t slot) const {
    const double in = message_[slot];
    return 1 + (view_.problem.weight ? in / view_.problem.weight[slot] : in) * message_[view_.reverse[slot]];
  }

  double answered_share_ = Tuning::answered_share;
  // By vertex, where sums are kept: of its messages now, when it last sent any, and the largest then.
  double *sum_ = nullptr, *sent_sum_ = nullptr, *sent_largest_ = nullptr;
  Product edges_;  // what edges' factors in the Bethe approximation were, over what they are, where sums are kept
  double* term_ = nullptr;  // by vertex, of particles: its factor in the Bethe approximation
  // Keep what a try has changed, what stood there before, and what the edges of a vertex were found to be worth.
  double** tried_place_ = nullptr;
  double* tried_value_ = nullptr;
  double* worth_ = nullptr;
  Index* touched_ = nullptr;
  Index* next_touched_ = nullptr;
  Index* changed_ = nullptr;
  Index* is_changed_ = nullptr;  // by vertex

 private:
  // Below this share of a message that went, a sum is added up anew.
  static constexpr double least_kept_share = 0x1p-20;

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

  // Drops the edges at this vertex that are in no perfect matching of what is left, and leaves in follow_ the way to
  // the vertex's partner for the partners of its other neighbours.
  MATCHCOUNT_ANYWHERE void drop_impossible(std::uint32_t vertex) {
    const std::uint32_t partner = mate_[vertex];
    this->start_paths(vertex);
    for (std::uint32_t s = this->begin(vertex); s < this->end(vertex); ++s) {
      const std::uint32_t other = target(s);
      if (message_[s] == 0 || other == partner || this->stays_possible(other)) continue;
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
    const Product edges_before = edges_;
    edges_ = Product();
    edges_.multiply(edge_factor(slot));
    remove(vertex, chosen);
    remove(chosen, vertex);
    bool is_dead = false;
    for (std::uint32_t i = 0; i < num_touched_; ++i) is_dead = is_dead || !keeps_edges(touched_[i]);
    tried_end_ = num_tried_ + Tuning::most_tried;
    if (!is_dead) refresh_messages();
    Product worth = edges_;
    edges_ = edges_before;
    worth.multiply(weight(slot) / term_[vertex]);
    worth.multiply(1 / term_[chosen]);
    multiply_by_changed(worth, [&](std::uint32_t v) {
      const double now = term(v);
      sum_[v] = term_[v];
      return now / term_[v];
    });
    forget_changes();
    if (this->lane() == 0) {
      for (std::uint32_t i = num_tried_; i-- > 0;) *tried_place_[i] = tried_value_[i];
    }
    this->sync();
    is_trying_ = false;
    num_touched_ = 0;
    if (is_dead) return 0;
    // More than 2^60 apart all is as good as certain, or not to be believed.
    return worth.within(60);
  }
  // Says whether a vertex that lost an edge in a try, or where there are odd cycles two, has others.
  MATCHCOUNT_ANYWHERE bool keeps_edges(std::uint32_t vertex) const {
    if (degree_[vertex] > (Tuning::odd_cycles ? 2 : 1)) return true;
    for (std::uint32_t s = this->begin(vertex); s < this->end(vertex); ++s) {
      if (message_[s] != 0) return true;
    }
    return false;
  }
  MATCHCOUNT_ANYWHERE bool tries() const { return Tuning::tries && view_.has_equal_weights; }
  MATCHCOUNT_ANYWHERE bool is_trying() const { return Tuning::tries && is_trying_; }
  MATCHCOUNT_ANYWHERE void send(bool mine, std::uint32_t slot, double sent) {
    if constexpr (Tuning::keeps_sums) {
      double factor = 1, before = 0;
      if (mine) {
        before = message_[view_.reverse[slot]];
        factor = edge_factor(slot);
      }
      write(mine, mine ? message_ + view_.reverse[slot] : nullptr, sent);
      if (mine) {
        factor /= edge_factor(slot);
        const std::uint32_t to = target(slot);
        double now = sum_[to] + (sent - before);
        if (now < least_kept_share * before) now = fresh_sum(to);
        sum_[to] = now;
      }
      for (std::uint32_t lanes = this->ballot(mine); lanes != 0; lanes &= lanes - 1)
        edges_.multiply(this->from_lane(static_cast<std::uint32_t>(lowest_bit(lanes)), factor));
    } else {
      write(mine, mine ? message_ + view_.reverse[slot] : nullptr, sent);
    }
  }
  MATCHCOUNT_ANYWHERE double fresh_sum(std::uint32_t vertex) const {
    double sum = view_.alone;
    for (std::uint32_t s = this->begin(vertex); s < this->end(vertex); ++s) sum += message_[s];
    return sum;
  }
  // An edge's ends are matched.
  MATCHCOUNT_ANYWHERE void take_edge(std::uint32_t vertex, std::uint32_t partner) {
    if constexpr (Tuning::keeps_sums) {
      std::uint32_t slot = this->begin(vertex);
      while (target(slot) != partner) ++slot;
      edges_.multiply(edge_factor(slot));
    }
  }
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
    if (this->lane() == 0) this->rematch(vertex, chosen);
    take_edge(vertex, chosen);
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
    for (std::uint32_t base = this->begin(vertex), end = this->end(vertex); base < end; base += this->width()) {
      const std::uint32_t s = base + this->lane();
      const bool left = s < end && message_[s] != 0 && target(s) != partner;
      const std::uint32_t lanes = this->ballot(left), other = left ? target(s) : 0;
      if (left) touched_[num_touched_ + this->place(lanes)] = static_cast<Index>(other);
      num_touched_ += this->count(lanes);
      send(left, s, 0);
      if (!is_trying()) this->lower_each(other, lanes);
      change(left, other);
    }
    this->sync();
  }

  MATCHCOUNT_ANYWHERE void refresh_messages() {
    for (int ring = 1; ring <= Tuning::rings && num_touched_ > 0; ++ring) {
      this->start_search(mark_, view_.num_vertices(), search_);
      std::uint32_t num_next = 0;
      const double tolerance = is_trying() ? Tuning::tried_tolerance
                               : tries()   ? Tuning::taken_tolerance
                                           : Tuning::tolerance;
      for (std::uint32_t i = 0; i < num_touched_; ++i) {
        const std::uint32_t v = touched_[i];
        const bool done = degree_[v] == 0 || mark_[v] == search_;
        this->sync();
        if (done) continue;
        if constexpr (Tuning::tries) {
          if (is_trying_ && num_tried_ + degree_[v] + 2 > tried_end_) return;
        }
        if (this->lane() == 0) mark_[v] = search_;
        this->work(2);
        change(this->lane() == 0, v);
        const std::uint32_t begin = this->begin(v), end = this->end(v);
        if constexpr (Tuning::keeps_sums) {
          const double off = sum_[v] > sent_sum_[v] ? sum_[v] - sent_sum_[v] : sent_sum_[v] - sum_[v];
          if (off < tolerance * (std::min(sum_[v], sent_sum_[v]) - sent_largest_[v])) continue;
        }
        this->work(2 * std::uint32_t{degree_[v]});
        double sum = Tuning::leaves_alone ? 1 : 0, largest = 0;
        for (std::uint32_t s = begin; s < end; ++s) {
          sum += message_[s];
          if (Tuning::keeps_sums && message_[s] > largest) largest = message_[s];
        }
        if constexpr (Tuning::keeps_sums) {
          this->sync();
          const bool writes = this->lane() == 0;
          if (writes) sum_[v] = sum;
          write(writes, sent_sum_ + v, sum);
          write(writes, sent_largest_ + v, largest);
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
            if (Tuning::keeps_sums && ring > 1) sends = is_far_off;
          }
          send(sends, s, sent);
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

  std::uint32_t num_touched_ = 0, num_changed_ = 0, num_tried_ = 0, tried_end_ = 0;
  bool is_trying_ = false;
};

}  // namespace matchcount
