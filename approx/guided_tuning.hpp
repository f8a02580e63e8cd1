#pragma once
// Says how guided samples and the particles of populations take their steps.

#include <cstdint>

namespace matchcount {

// Weighs how much a sample is worth, and how much its guide: a sample that stands alone does best with a cheap one.
struct GuidedTuning {
  // Rings around what was touched in which messages are brought up to date: on the 24 x 24 grid the same error took 1.3
  // and 1.9 times as long with 3 and 6 as with 1 (in one run, 20 % noise); 2 was within noise.
  static constexpr int rings = 1;
  // A message that changes by a smaller share is not passed on to the next ring. Unless all are sent, it is left as it
  // was beyond the first ring, and a vertex is passed over whose messages' sum has changed by less since it sent any.
  static constexpr double tolerance = 0;
  static constexpr bool sends_all = true;
  // looks_ahead: edges that are in no perfect matching of what is left are dropped before one is chosen, so that no
  // sample runs into a dead end.
  static constexpr bool looks_ahead = true;
  // A vertex leaves this share of a message out of the sum when it answers it: 1 is belief propagation, 0 Sinkhorn's
  // scaling (fractional belief propagation, Chertkov and Yedidia 2013). There, with one ring: 13.5 standard deviations
  // at 0, 7.6 at 0.5, 5.0 at 0.7, 3.6 at 0.85, 4.1 at 1, from 4,000 to 10,000 samples of one seed.
  static constexpr double answered_share = 0.85;
  // most_unanswered: where weights differ, particles leave one over the rows that are left unanswered, up to this.
  static constexpr double most_unanswered = 0;
  // The part of the probability that goes by weight alone, so that no sample is worth far more than messages say.
  static constexpr double floor_share = 0.01;
  // lists_changes: the walk lists the vertices at which something changed.
  static constexpr bool lists_changes = false;
  // tries: where weights are equal, every choice of an edge is tried, and the Bethe approximation of what it leaves
  // says how likely it is. The floor then is the least share beside what goes by weight alone.
  static constexpr bool tries = false;
  static constexpr double tried_tolerance = 0;    // of messages then
  static constexpr std::uint32_t most_tried = 0;  // numbers that a try may change
  // odd_cycles: the graph may have odd cycles; sides are then any halves of its vertices.
  static constexpr bool odd_cycles = false;
  // leaves_alone: matchings may leave vertices alone, whose weight is 1.
  static constexpr bool leaves_alone = false;
};
struct OddGuidedTuning : GuidedTuning {
  static constexpr bool odd_cycles = true;
};

}  // namespace matchcount
