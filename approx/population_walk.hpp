#pragma once
// Walks a particle of a population by one thread, of a CPU or of a GPU: guided steps, and the Bethe approximation of
// what is left, by which particles are ranked.

#include "approx/cpu/guided_thread.hpp"

namespace matchcount {

// Between particles a better guide pays, since they share what one of them finds out.
struct NearTuning : GuidedTuning {
  static constexpr int rings = 3;
  static constexpr double tolerance = 0.001;
  static constexpr double answered_share = 0.9;
  // The floor bounds how long a particle that is worth many others stays hidden where messages err. On a random
  // weighted matrix of 12 rows with 46 entries, populations of 16 had a relative variance of 0.83, 0.30 and 0.11 with
  // floors of 0.001, 0.01 and 0.03 beside an answered share of 1, and 87 % and 91 % of the intervals of 100 of them
  // held the permanent at the first and the last; with 0.03 and 0.95 it is 0.016, with 0.05 and 0.9 0.008. On the 32 x
  // 32 grid the log variance of 64 is 0.16, 0.18 and 0.11 with the last three (50 of them, 20 % noise).
  static constexpr double floor_share = 0.05;
  static constexpr bool lists_changes = true;
};
// Belief propagation is all but exact where a graph is locally a tree, but what a change does dies away by half from
// ring to ring while the rings double: three of them leave an eighth of it, and what is left out adds up at vertices
// far away. So a message is sent, however far, once it is off by a tenth, and until then stays as it is: nothing is
// forgotten. Nor is it looked ahead: paths around large graphs like these are long, and dead ends rare (one in 40
// samples of 50,000 rows), so that it takes half the time to have them. Variance times time of a population of 64, near
// and far (20 to 30 of them): random cubic graph of 2,000 rows 0.20, 0.04; 5-regular of 1,000 0.017, 0.007; power law,
// 755 rows 0.30, 0.011; cube of side 12 0.026, 0.020; but grid of 32 0.004, 0.007; 662_bus 0.024, 0.11. Tolerances of
// 0.2 and 0.05: 0.07 and 0.06 to 0.09 on the first. Answered shares of 1 and 0.99 gave the same variance there, 0.95
// eight times as much.
//
// Where all weights are equal every edge that may be taken is tried first. Messages err by as much as they are let, and
// so do steps that go by them; but the Bethe approximation is stationary in the messages, so that what it says of the
// graph without the edge errs by the square alone. The log variance of populations of 16 times their seconds (8 to 24
// of them) is 6.4 instead of 39 on a random cubic graph of 50,000 rows, 0.28 instead of 0.83 of 8,000; of 2,000, and in
// the cube of side 12, it is the same within noise: there most of it comes from the last rows, which leave few long
// cycles (twice as many matchings each as messages see), and from cycles of 4. Sums over all matchings of the last 60
// to 125 rows did not pay: by then the particles' ranks differ by as much from what is left. Tries with messages within
// 0.15 are no better. With weights that differ tries are too sure of themselves: intervals of matrices of 14 rows with
// weights of 2^-4 to 2^3 held 51 to 96 % instead of 87 to 95 %.
//
// Where weights differ, belief propagation becomes certain of the heavier matching of every cycle that is left, and few
// particles that take the lighter one are worth all others: populations of 16 of planted matrices of 14 rows, with
// weights of 0.1 to 1.1 and of 2^-4 to 2^3, had relative variances of 0.2 to 5 with a skewness of 4 to 80, and
// intervals of 60 of them held 93 % and 82 % (12 graphs of 400 and of 100 runs). So a share of 1 / rows left is not
// answered, at most 0.1: variances are then 0.005 to 0.03, and 96 % and 94 % hold. Of a cubic graph of 500 rows
// variance times edges looked at is 1.0e6 instead of 2.9e6, and 2.7e6 instead of 6e6 (24 populations of 32); half and
// twice the share gave the same on those of 100 to 2,000 rows, 0.02 throughout 1.7 times as much, 0.1 throughout nine
// times. It gains nothing where weights are equal.
//
// Other guides gave the same variance times time within noise (20 %) on the cube of side 12: ranks times the
// corrections 1 + prod p / (1 - p) of cycles of 4, and of 4 and 6, edges; smaller tolerances (0.03, 0.01: half the
// variance, three and nine times the time); all messages within 0.05 to 0.01 at the end of a stage; messages within
// 0.02 in one to three rings around a vertex before it is matched.
//
// In boxes most of the variance is of the steps, not of the ranks: ranked by exact counts of what they have left, the
// particles' weights in 4 x 4 x 20 had log variances of 0.81 in all, by ranks as they are 0.67 (near messages 2.2 and
// 1.7). Ranks times the squares of 1 + prod p / (1 - p) of cycles of 4 have half the error, 0.08 instead of 0.15, and
// gain a fifth. Tries within 0.15 that multiply by these of all cycles whose messages changed, beside ranks that do,
// have 0.29 of the variance in the cube of side 8 (0.019 instead of 0.066, 60 populations of 32) and take 2.6 times as
// long, most of it for the cycles; of the cycles at the edge's ends alone 0.58 and 1.6 times.
//
// Nor did walks pay that settle a slab in a step: a run of vertices whose inner matchings a frontier of 6 to 12 sums up
// exactly, guided by beliefs between slabs, by pairs of covered vertices, and chosen from 4 to 32 draws. In the cube of
// side 12 a particle's variance times its seconds is 0.016 to 0.030 (layers, halves of layers; 24 to 40 populations of
// 512), here 0.018; in that of side 20 1.4 and more instead of 0.7, on kings' graphs of 16 to 32 the same within noise.
// They miss the flux between slabs at long waves: the squares of its 20 lowest modes, with coefficients fitted to a
// first population, take the variance in the cube of side 12 from 11 to 3.4 and 6.0 (layers, 24 populations of 256),
// which at 5.6 ms a particle is 0.02 to 0.03 again.
//
// Sums of messages kept by vertex, so that a step costs what changed and not the neighbours of all that it meets, gain
// 3 times on a power-law graph of 10,000 rows and 1.1 to 1.4 times in the cube of side 12 and on a cubic graph of 2,000
// rows, and nothing on cubic graphs of 8,000 and 50,000 rows, nor on GPUs. With messages sent once they are off by a
// fifth, in tries by a half, populations of 16 of the latter have a log variance of 10 instead of 0.3.
struct FarTuning : NearTuning {
  static constexpr int rings = 1000;
  static constexpr double tolerance = 0.1;
  static constexpr bool sends_all = false;
  static constexpr bool looks_ahead = false;
  static constexpr double answered_share = 1;
  static constexpr double most_unanswered = 0.1;
  static constexpr bool tries = true;
  static constexpr double tried_tolerance = 0.3;
  static constexpr std::uint32_t most_tried = 256;
};

// Messages fade quickly where vertices may be left alone.
struct AllTuning : FarTuning {
  static constexpr double tolerance = 0.02;
  static constexpr double most_unanswered = 0;
  static constexpr bool odd_cycles = true;
  static constexpr bool leaves_alone = true;
  static constexpr bool tries = false;
};

template <class Tuning>
struct WithOddCycles : Tuning {
  static constexpr bool odd_cycles = true;
};

// Guide names the tunings: whether messages stay near or travel far, whether there are odd cycles, and of matchings
// that leave vertices alone.
enum class Guide : std::uint32_t { near, far, odd_near, odd_far, alone };

// Calls visit with the tuning of a guide.
template <class Visit>
auto with_tuning(Guide guide, const Visit& visit) {
  switch (guide) {
    case Guide::near:
      return visit(NearTuning());
    case Guide::far:
      return visit(FarTuning());
    case Guide::odd_near:
      return visit(WithOddCycles<NearTuning>());
    case Guide::odd_far:
      return visit(WithOddCycles<FarTuning>());
    case Guide::alone:
      break;
  }
  return visit(AllTuning());
}

// The particle `to` is to become a copy of another one.
struct Replacement {
  std::uint32_t from, to;
};

// ParticleWindow says, for either half of the vertices, that all below `first` are gone, and that from `end` on all is
// as it was in the beginning. So particles that start alike differ between alone: in a cube of side 50 in one part of
// twenty.
struct ParticleWindow {
  std::uint32_t first[2], end[2];
};
constexpr std::size_t window_words = sizeof(ParticleWindow) / sizeof(std::uint64_t);

// Makes `to`, of that many words, the same as `from` where they may differ; but for the windows, which are the last
// words. Lanes share the work. Returns the slots that were copied.
MATCHCOUNT_ANYWHERE std::size_t copy_particle(const GuidedView& view, std::size_t length, const std::uint64_t* from,
                                              std::uint64_t* to, std::uint32_t lane = 0, std::uint32_t width = 1) {
  const std::size_t n = view.num_vertices(), sets = 2 * view.sets.length(), vertices = view.num_slots + sets;
  const auto copy = [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin + lane; w < end; w += width) to[w] = from[w];
  };
  const auto& mine = *reinterpret_cast<const ParticleWindow*>(from + length - window_words);
  const auto& its = *reinterpret_cast<const ParticleWindow*>(to + length - window_words);
  copy(view.num_slots, vertices);
  copy(vertices + n / 2, vertices + n);  // partners
  std::size_t slots = 0;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t first = std::min(mine.first[half], its.first[half]),
                        end = std::max(mine.end[half], its.end[half]);
    if (first >= end) continue;
    copy(view.problem.offset[first], view.problem.offset[end]);
    slots += view.problem.offset[end] - view.problem.offset[first];
    copy(vertices + first / 2, vertices + (end + 1) / 2);  // degrees, two a word
    for (std::size_t array = vertices + n; array + n + window_words <= length; array += n)
      copy(array + first, array + end);
  }
  return slots;
}

template <class Tuning, class Lanes = OneLane>
class ParticleWalk : public TunedGuidedWalk<Tuning, Lanes> {
  using Base = TunedGuidedWalk<Tuning, Lanes>;

 public:
  using Base::Base;

  // Words of 64 bits of a particle: the walk's state, behind it by vertex its factor in the Bethe approximation, and
  // the window.
  static std::size_t length(const GuidedView& view) {
    return Base::state_length(view) + view.num_vertices() + window_words;
  }
  // Makes this particle the present one; `state` is Base::state_length.
  MATCHCOUNT_ANYWHERE void attach(std::uint64_t* particle, std::size_t state) {
    Base::attach(particle);
    this->term_ = reinterpret_cast<double*>(particle + state);
    window_ = reinterpret_cast<ParticleWindow*>(this->term_ + this->view_.num_vertices());
  }

  // Sets the factors, and multiplies `left` by them.
  void start(Product& left) {
    const std::uint32_t size = this->view_.problem.size;
    *window_ = {{0, size}, {0, size}};
    for (std::uint32_t v = 0; v < this->view_.num_vertices(); ++v) {
      this->term_[v] = this->term(v);
      left.multiply(this->term_[v]);
    }
  }

  // Takes `steps` steps, the first of which has that number, and brings `left` up to date where they changed something.
  // poll() is called before each. False: a dead end.
  template <class Poll>
  MATCHCOUNT_ANYWHERE bool advance(std::uint32_t first, std::uint32_t steps, Uniforms& uniforms, Product& value,
                                   Product& left, const Poll& poll) {
    bool alive = true;
    if (Tuning::most_unanswered > 0 && !this->view_.has_equal_weights)
      this->answered_share_ = 1 - std::min(double{Tuning::most_unanswered}, 1.0 / (this->view_.problem.size - first));
    end_[0] = end_[1] = 0;
    for (; steps > 0 && alive; --steps) {
      poll();
      if constexpr (Tuning::leaves_alone) {
        this->settle(first++, uniforms, value);
      } else {
        alive = this->step(uniforms, value);
        if (Tuning::tries && this->view_.has_equal_weights && alive) bring_up_to_date(left);
      }
    }
    if (alive) {
      bring_up_to_date(left);
    } else {
      Product nothing;
      this->multiply_by_changed(nothing, [&](std::uint32_t v) { return widen(v), 1.0; });
      this->forget_changes();
    }
    move_window();
    return alive;
  }

 private:
  MATCHCOUNT_ANYWHERE void bring_up_to_date(Product& left) {
    this->multiply_by_changed(left, [&](std::uint32_t v) {
      widen(v);
      const double before = this->term_[v], now = this->term_[v] = this->term(v);
      this->work(this->end(v) - this->begin(v));
      return now / before;
    });
    this->forget_changes();
  }
  MATCHCOUNT_ANYWHERE void widen(std::uint32_t vertex) {
    std::uint32_t& end = end_[vertex < this->view_.problem.size ? 0 : 1];
    end = std::max(end, vertex + 1);
  }
  MATCHCOUNT_ANYWHERE void move_window() {
    for (std::uint32_t half = 0; half < 2; ++half) {
      std::uint32_t end = 0;
      for (std::uint32_t lane = 0; lane < this->width(); ++lane) end = std::max(end, this->from_lane(lane, end_[half]));
      if (this->lane() != 0) continue;
      window_->end[half] = std::max(window_->end[half], end);
      std::uint32_t& first = window_->first[half];
      while (first < (half + 1) * this->view_.problem.size && this->degree_[first] == 0) ++first;
    }
    this->sync();
  }

  ParticleWindow* window_ = nullptr;
  std::uint32_t end_[2] = {0, 0};  // of what changed in this stage, as this lane saw it
};

}  // namespace matchcount
