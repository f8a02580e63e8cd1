#pragma once
// Finds how a step of the dense engine can write the new layer over the old one, and how much more memory than the
// larger of the two it takes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"

namespace matchcount {

// The order in which the pieces of a new layer are made, those with the same highest bits each, and where it stands.
// Piece i may be made once all before piece i - in_flight are done.
struct InPlaceWalk {
  bool downwards = true;             // from the states with the greatest masks
  std::uint32_t num_bits = 0;        // the highest, which the states of a piece have in common
  Word first_top = 0, num_tops = 1;  // the least value of these bits, and how many there are
  std::ptrdiff_t shift = 0;          // from the first old state to the first new one
  std::size_t span = 0;              // states from the first to the last place, old and new
  std::uint64_t in_flight = 0;

  std::uint64_t num_pieces() const { return num_tops; }
  // Returns the highest bits of the i-th piece.
  Word top_of(std::uint64_t piece) const { return first_top + (downwards ? num_tops - 1 - piece : piece); }
};

// Plans the pieces of a step from a layer, or a part of it that has an array of its own: up to 2^max_bits pieces, which
// `threads` make. O(2^max_bits * choices * width).
InPlaceWalk walk_in_place(const DenseStep& step, const LayerPart& source, bool downwards, std::uint32_t max_bits,
                          int num_threads);

// The parts that members have of a layer, each in an array of its own, and what is to stand on top after a step
// (placement.hpp).
struct TeamLayer {
  std::vector<LayerPart> parts;
  std::vector<Vertex> top;
};

struct InPlaceStep {
  LayoutRule rule;
  std::unique_ptr<DenseStep> step;
  InPlaceWalk walk;                // of the first part, or the whole
  std::vector<InPlaceWalk> walks;  // of all parts
  std::size_t old_states = 0, new_states = 0;
};

// Prepares step t from a layer with this layout: with the layout whose span keeps within `most_states`, else with that
// of the least span. If both layers fit side by side, they stand so; `rising`: the new one behind. Where they do not,
// too, the walk is downwards if `rising`, and upwards if not, or else, but for `one_way`, the other way. least_low: as
// in LayoutRule. Members have so many states each.
InPlaceStep step_in_place(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                          std::size_t t, const std::vector<Vertex>& layout, std::size_t most_states, bool rising,
                          std::uint32_t max_bits, int num_threads, bool one_way = false,
                          std::uint32_t least_low = min_low_positions, const TeamLayer& team = {});

// Memory that suffices for every step, each made in place.
struct InPlaceNeeds {
  std::size_t largest_layer = 0;  // states
  std::size_t span = 0;           // the largest: states from the first to the last place
};
// The spans kept within `slack` times the largest layer where that can be. Requires a width of at most max_dense_width
// and fewer than 2^62 states. Less exact, and quicker, for fewer max_bits.
InPlaceNeeds in_place_needs(const FrontierSteps& steps, double slack, std::uint32_t max_bits, int num_threads);
// Forecasts the same, packed tighter where more states than `most` would be needed.
InPlaceNeeds in_place_needs_within(const FrontierSteps& steps, double most, int num_threads);

// Pieces are short against a second, and many against the threads. For predictions fewer do.
constexpr std::uint32_t max_piece_bits = 12;
constexpr std::uint32_t max_forecast_bits = 8;
// Spans are kept within this many times the largest layer if they can be.
constexpr double in_place_slack = 1.15;

}  // namespace matchcount
