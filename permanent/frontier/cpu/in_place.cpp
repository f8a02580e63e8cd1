// No state is lost: states stand in the order of their masks, old ones from place 0 on, new ones from place `shift`
// on. The new layer is cut into pieces by the highest bits of its masks, b = 0, 1, .., B - 1 in ascending order, so
// that piece b takes the places [shift + first(b), shift + first(b + 1)). DenseStep::sources_of bounds the old places
// that piece b reads: all old masks that it is made of have certain bits in common with it or fixed by the step, and
// among the masks with those bits, and with as many ones as an old mask has, the least and the greatest are known.
//
// Downwards, pieces are made from b = B - 1 on, and piece b may be begun when all above b + D are done (D = in_flight),
// so that while it is written nobody reads but the pieces b, b + 1, .., b + D, and later those below b. All they read
// lies below end(b + D), the largest end of what any piece up to b + D reads. With
//     shift >= max over b of (end(b + D) - first(b))
// piece b is written at end(b + D) or above: over old states that nobody needs any more, or beyond them; and never over
// another piece, since the new places are disjoint. So old and new states together never take more places than lie
// between the first and the last of either: max(old states, shift + new states) - min(0, shift).
//
// Upwards the same holds mirrored: shift <= min over b of (begin(b - D) - first(b + 1)), begin(b) being the least place
// that piece b or any above it reads.
//
// The size of the shift: a step in which columns alone are on the one side (in a columns' order, whose rows on the
// frontier are matched) reads below each place, downwards: what it needs shrinks as it goes. The shift is then what
// prefixes of one layer exceed those of the other by, a few percent. A vertex that closes, or that is processed, as the
// highest bit: the new layer has the size of one half of the old one, or less, and the other half is read and never
// written before it is over. What costs room is another order of the bits: where the bit at place q from the top
// comes to stand elsewhere, pieces read old states up to 2^-q of the layer away. Hence the layout (dense.hpp) in which
// the highest bits are those of vertices that are touched last, and which is left alone at the top (`kept`) where it
// would change there: the first that keeps within what is allowed. Measured, orders of 6 x 6 x 6, 6 x 6 x 8, lshp_265,
// 662_bus, lund_a, can__161 and dwt__209: 1.00 to 1.15 of the largest layer. With the vertices touched next on top, as
// where a layer has a buffer of its own, it was 1.14 to 1.45; the same low bits are touched in both.

#include "permanent/frontier/cpu/in_place.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace matchcount {
namespace {

// States of a piece, about, at the least.
constexpr std::uint32_t log2_states_per_piece = 13;
constexpr std::uint32_t most_kept = 6;
// While one piece is made, others may make up to so many before they wait; fewer, but this share, if there are few.
constexpr std::uint64_t most_pieces_ahead = 8, least_pieces_ahead = 2;
constexpr std::uint64_t share_ahead = 256;

std::size_t span_of(std::ptrdiff_t shift, std::size_t old_states, std::size_t new_states) {
  const auto end = std::max(static_cast<std::ptrdiff_t>(old_states), shift + static_cast<std::ptrdiff_t>(new_states));
  return static_cast<std::size_t>(end - std::min<std::ptrdiff_t>(0, shift));
}

void cut(InPlaceWalk& walk, const LayerPart& target, std::uint32_t high_width, std::uint32_t max_bits,
         int num_threads) {
  const auto log2_states = static_cast<std::uint32_t>(std::bit_width(target.count()));
  const std::uint32_t worth = log2_states > log2_states_per_piece ? log2_states - log2_states_per_piece : 0;
  const std::uint32_t bits = std::max(std::min({worth, high_width, max_piece_bits}), target.num_top);
  walk.num_bits = std::max(std::min(bits, max_bits), target.num_top);
  walk.first_top = target.first_top << (walk.num_bits - target.num_top);
  walk.num_tops = (target.end_top - target.first_top) << (walk.num_bits - target.num_top);
  const auto threads = static_cast<std::uint64_t>(num_threads);
  const std::uint64_t ahead = std::clamp((std::uint64_t{1} << bits) / share_ahead, least_pieces_ahead * threads - 1,
                                         most_pieces_ahead * threads - 1);
  // A piece of a prediction stands for several of the run.
  const std::uint32_t fewer = bits - walk.num_bits;
  walk.in_flight = num_threads == 1 ? 0 : (ahead + (std::uint64_t{1} << fewer) - 1) >> fewer;
}

}  // namespace

InPlaceWalk walk_in_place(const DenseStep& step, const LayerPart& source, bool downwards, std::uint32_t max_bits,
                          int num_threads) {
  const LayerPart target = step.target_of(source);
  InPlaceWalk walk;
  walk.downwards = downwards;
  cut(walk, target, step.high_width(), max_bits, num_threads);
  const auto num_pieces = static_cast<std::size_t>(walk.num_pieces());
  std::vector<std::ptrdiff_t> first(num_pieces + 1);
  for (std::size_t b = 0; b <= num_pieces; ++b) {
    const Word high = (walk.first_top + b) << (step.high_width() - walk.num_bits);
    first[b] = static_cast<std::ptrdiff_t>(step.first_index(high) - target.states.first);
  }
  // reach[i]: of the old states that the pieces from the i-th to the last read, in the order of the walk, the one that
  // lies furthest against it.
  const auto old_end = static_cast<std::ptrdiff_t>(source.count());
  const auto piece_of = [&](std::uint64_t i) { return walk.top_of(i) - walk.first_top; };
  std::vector<std::ptrdiff_t> reach(num_pieces + 1, downwards ? 0 : old_end);
  for (std::size_t i = num_pieces; i-- > 0;) {
    reach[i] = reach[i + 1];
    const Word piece = piece_of(i);
    if (first[piece] == first[piece + 1]) continue;
    const IndexRange range = step.sources_of(walk.top_of(i), walk.num_bits);
    if (range.is_empty()) continue;
    reach[i] = downwards ? std::max(reach[i], static_cast<std::ptrdiff_t>(range.end - source.states.first))
                         : std::min(reach[i], static_cast<std::ptrdiff_t>(range.first - source.states.first));
  }
  // If both layers have room within the larger one, the new one stands as far against the direction of the walk as the
  // rest allows.
  const std::ptrdiff_t spare = old_end - static_cast<std::ptrdiff_t>(target.count());
  walk.shift = downwards ? std::min<std::ptrdiff_t>(0, spare) : std::max<std::ptrdiff_t>(0, spare);
  for (std::size_t i = 0; i < num_pieces; ++i) {
    const Word piece = piece_of(i);
    if (first[piece] == first[piece + 1]) continue;
    const std::ptrdiff_t read = reach[i > walk.in_flight ? i - walk.in_flight : 0];
    walk.shift = downwards ? std::max(walk.shift, read - first[piece]) : std::min(walk.shift, read - first[piece + 1]);
  }
  walk.span = span_of(walk.shift, source.count(), target.count());
  return walk;
}

InPlaceStep step_in_place(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                          std::size_t t, const std::vector<Vertex>& layout, std::size_t most_states, bool rising,
                          std::uint32_t max_bits, int num_threads, bool one_way, std::uint32_t least_low,
                          const TeamLayer& team) {
  InPlaceStep best;
  best.old_states = indices.count(static_cast<std::uint32_t>(layout.size()), t == 0 ? 0 : steps.steps[t - 1].ones);
  best.new_states = indices.count(steps.steps[t].width, steps.steps[t].ones);
  const std::vector<LayerPart> parts =
      team.parts.empty() ? std::vector{LayerPart{0, 0, 1, {0, best.old_states}}} : team.parts;
  const auto make = [&](LayoutRule rule) {
    return std::make_unique<DenseStep>(steps, touches, indices, t, layout, best.old_states, rule, team.top);
  };
  const auto target_of = [&](const LayerPart& source) {
    return part_of(indices, source.num_top, source.first_top, source.end_top, steps.steps[t].width,
                   steps.steps[t].ones);
  };
  best.rule = {true, 0, false, least_low};
  if (std::ranges::all_of(parts,
                          [&](const auto& part) { return part.count() + target_of(part).count() <= most_states; })) {
    best.step = make(best.rule);
    for (const LayerPart& source : parts) {
      const LayerPart target = target_of(source);
      InPlaceWalk walk;
      walk.downwards = rising;
      cut(walk, target, best.step->high_width(), max_bits, num_threads);
      walk.shift = static_cast<std::ptrdiff_t>(rising ? source.count() : target.count()) * (rising ? 1 : -1);
      walk.span = source.count() + target.count();
      walk.in_flight = std::numeric_limits<std::uint64_t>::max();
      best.walks.push_back(walk);
    }
    best.walk = best.walks.front();
    return best;
  }
  std::size_t least_span = std::numeric_limits<std::size_t>::max();
  const auto try_rule = [&](LayoutRule rule) {
    if (least_span <= most_states) return;
    auto step = make(rule);
    std::vector<InPlaceWalk> walks;
    std::size_t span = std::numeric_limits<std::size_t>::max();
    for (const bool downwards : {rising, !rising}) {
      if (downwards != rising && (one_way || span <= most_states)) continue;
      std::vector<InPlaceWalk> these;
      for (const LayerPart& source : parts)
        these.push_back(walk_in_place(*step, source, downwards, max_bits, num_threads));
      const std::size_t most = std::ranges::max_element(these, {}, &InPlaceWalk::span)->span;
      if (most >= span) continue;
      span = most;
      walks = std::move(these);
    }
    if (span >= least_span) return;
    least_span = span;
    best.rule = rule;
    best.walks = std::move(walks);
    best.step = std::move(step);
  };
  try_rule(best.rule);
  for (std::uint32_t kept = 1; kept <= most_kept; ++kept) {
    try_rule({true, kept, false, least_low});
    try_rule({true, kept, true, least_low});
  }
  best.walk = best.walks.front();
  return best;
}

InPlaceNeeds in_place_needs(const FrontierSteps& steps, double slack, std::uint32_t max_bits, int num_threads) {
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  const Touches touches(steps);
  InPlaceNeeds needs;
  needs.largest_layer = 1;
  for (const FrontierStep& step : steps.steps) {
    needs.largest_layer = std::max<std::size_t>(needs.largest_layer, indices.count(step.width, step.ones));
  }
  const auto most = static_cast<std::size_t>(slack * static_cast<double>(needs.largest_layer));
  std::vector<Vertex> layout;
  bool rising = true;
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    const InPlaceStep step = step_in_place(steps, touches, indices, t, layout, most, rising, max_bits, num_threads);
    needs.span = std::max(needs.span, step.walk.span);
    layout = step.step->layout();
    rising = !step.walk.downwards;
  }
  needs.span = std::max(needs.span, needs.largest_layer);
  return needs;
}

InPlaceNeeds in_place_needs_within(const FrontierSteps& steps, double most, int num_threads) {
  const InPlaceNeeds needs = in_place_needs(steps, in_place_slack, max_forecast_bits, num_threads);
  return static_cast<double>(needs.span) <= most ? needs : in_place_needs(steps, 1, max_forecast_bits, num_threads);
}

}  // namespace matchcount
