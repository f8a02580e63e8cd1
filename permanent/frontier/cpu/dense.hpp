#pragma once
// Makes a step of the dense engine, on all states of a layer or on a part of them.
//
// A layer is a dense array over all C(w, k) states in the order of their masks; in a graph that is not bipartite, over
// the 2^(w-1) masks of one parity, for nothing else is known of its states. All masks that agree above the lowest c
// positions form one contiguous block of C(c, j) states, j being the ones left for the low bits (of 2^(c-1) states by
// parity). A step fixes or drops a few bits and adds some on top, but moves none across position c. So every block of
// the new layer is a sum, over the choices, of one block of the old layer each, and only the blocks' places need
// combinatorial indices. If no low bit is touched, whole blocks are added as they stand; else through lists of pairs,
// one for each choice and j, made once for the step. Bits on either side of c may be permuted for free: they are sorted
// by the time of their next touch, the furthest lowest, so that most steps leave the low ones alone.
//
// In a layer that is rewritten in place (in_place.hpp) bits stand in another order: the vertices that are touched last
// lead, and fill the low positions; those that are touched next stand just above these. So the blocks that make one
// block are its neighbours, and are read from memory once.
//
// Leading bits stand above all others. A step that touches none of them maps the states with the same leading bits to
// states with those leading bits, so that a range of leading bits, whose states are neighbours, can be stepped without
// the rest (placement.hpp).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

// Low positions: blocks of up to C(12, 6) = 924 states, which the first-level cache holds; fewer where the layer is
// small, since a step's lists of pairs have 2^low entries a choice.
constexpr std::uint32_t max_low_positions = 12;
constexpr std::uint32_t max_low_positions_by_parity = 11;
constexpr std::uint32_t log2_states_per_pair = 4;
// Shorter blocks take longer than lists of pairs.
constexpr std::uint32_t min_low_positions = 8;
// Smaller layers take less than the threads take to meet, more so on a busy machine.
constexpr double min_parallel_states = 1 << 17;

// Throws Unable where an array over all states can't be had.
inline void require_dense_width(const FrontierSteps& steps) {
  if (steps.max_width <= max_dense_width) return;
  throw Unable("the dense engine takes frontiers of width " + std::to_string(max_dense_width) +
               " at most; this order has " + std::to_string(steps.max_width) + " (the sparse engine takes any)");
}

// Knows the steps that involve each vertex.
class Touches {
 public:
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

  explicit Touches(const FrontierSteps& steps) : steps_of_(steps.num_vertices) {
    for (std::uint32_t t = 0; t < steps.steps.size(); ++t) {
      steps.steps[t].for_each_involved([&](Vertex v) {
        if (steps_of_[v].empty() || steps_of_[v].back() != t) steps_of_[v].push_back(t);
      });
    }
  }
  // Returns the first step after `after` that involves v.
  std::uint32_t next(Vertex v, std::size_t after) const {
    const auto& times = steps_of_[v];
    const auto it = std::upper_bound(times.begin(), times.end(), after);
    return it == times.end() ? never : *it;
  }
  // The furthest first.
  void sort(std::vector<Vertex>::iterator begin, std::vector<Vertex>::iterator end, std::size_t after) const {
    std::sort(begin, end, [&](Vertex a, Vertex b) {
      const std::uint32_t ta = next(a, after), tb = next(b, after);
      return ta != tb ? ta > tb : a < b;
    });
  }

 private:
  std::vector<std::vector<std::uint32_t>> steps_of_;
};

// The states of a layer whose highest bits are in a range, which are neighbours.
struct LayerPart {
  std::uint32_t num_top = 0;
  Word first_top = 0, end_top = 1;
  IndexRange states;

  Word count() const { return states.end - states.first; }
};
inline LayerPart part_of(const StateIndices& indices, std::uint32_t num_top, Word first_top, Word end_top,
                         std::uint32_t width, std::uint32_t of_class) {
  return {num_top,
          first_top,
          end_top,
          {indices.count_below(first_top, num_top, width, of_class),
           indices.count_below(end_top, num_top, width, of_class)}};
}

// Maps the bits of a new mask to those of the old one, a byte at a time.
class BitMap {
 public:
  BitMap() = default;
  // bit[q] is where bit q stands, as a mask; 0 for a bit that was not there. Masks of more bits are not looked up.
  explicit BitMap(const std::vector<Word>& bit) { set(bit); }
  void set(const std::vector<Word>& bit) {
    for (std::size_t byte = 0; 8 * byte < bit.size(); ++byte) {
      const std::uint32_t end = std::uint32_t{1} << std::min<std::size_t>(8, bit.size() - 8 * byte);
      table_[byte][0] = 0;
      for (std::uint32_t value = 1; value < end; ++value) {
        const std::size_t q = 8 * byte + static_cast<std::size_t>(std::countr_zero(value));
        table_[byte][value] = table_[byte][value & (value - 1)] | bit[q];
      }
    }
  }
  Word operator()(Word target) const {
    Word source = 0;
    for (int byte = 0; target != 0; ++byte, target >>= 8) source |= table_[byte][target & 255];
    return source;
  }

 private:
  Word table_[8][256];
};

// Rules how the bits of a new layer stand.
struct LayoutRule {
  bool in_place = false;       // those touched last lead, instead of those touched next
  std::uint32_t kept = 0;      // of the bits that stay, so many of the highest keep their order on top
  bool enters_on_top = false;  // above those; else what enters stands where its next touch puts it, below
  // Fewest positions that may be low where a layer is rewritten in place; fewer than usual are low if that leaves them
  // untouched.
  std::uint32_t least_low = min_low_positions;
};

class DenseStep {
 public:
  // Prepares step t from a layer of about `count` states whose bits stand as in `layout`, lowest first. The vertices
  // `top` come to stand on top, in this order, and are high before as well.
  DenseStep(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices, std::size_t t,
            const std::vector<Vertex>& layout, Word count, LayoutRule rule = {}, const std::vector<Vertex>& top = {})
      : indices_(indices), rule_(rule), target_ones_(steps.steps[t].ones) {
    source_width_ = static_cast<std::uint32_t>(layout.size());
    const FrontierStep& step = steps.steps[t];
    if (t > 0) source_ones_ = steps.steps[t - 1].ones;
    Positions positions{positions_in(layout, steps.num_vertices), {}};
    choose_low(steps, step, positions, count, top);
    lay_out(step, layout, touches, t, top);
    positions.after = positions_in(layout_, steps.num_vertices);
    map_bits(positions);

    const std::vector<JointMove> moves = joint_moves(step);
    for (std::uint32_t i = 0; i < moves.size(); ++i) {
      Choice c = choice_of(steps, positions, moves[i]);
      c.index = step.parts.empty() ? moves[i].weights.front() : i;
      c.low_part =
          static_cast<std::uint32_t>(std::ranges::find(low_parts_, c.low, &LowPart::asked) - low_parts_.begin());
      if (c.low_part == low_parts_.size()) low_parts_.push_back({c.low, {}});
      choices_.push_back(std::move(c));
    }
    if (!low_touched_) return;
    for (LowPart& part : low_parts_) list_pairs(part);
  }

  // One part of the masks, low or high: the new bits that a choice asks for, and the old ones that it fixes.
  struct PartOfChoice {
    Word test = 0, expect = 0, fixed = 0, value = 0;
    bool passes(Word target) const { return (target & test) == expect; }
    Word source(Word mapped) const { return (mapped & ~fixed) | value; }
    bool operator==(const PartOfChoice&) const = default;
  };
  struct Choice {
    PartOfChoice low, high;
    std::uint32_t index = 0;     // of its weight: as FrontierStep::Move::weight; in joined steps, of the choice
    std::uint32_t low_part = 0;  // many choices have their low part in common
  };
  struct LowPart {
    PartOfChoice asked;
    std::vector<std::vector<std::uint16_t>> pairs;  // by the class of the new low bits; none if these are not touched
  };
  // A layer's bits: so many low ones and all, and the class of its masks.
  struct Shape {
    std::uint32_t low = 0, width = 0, of_class = 0;
  };

  // Returns the new layer's vertices, lowest first.
  const std::vector<Vertex>& layout() const { return layout_; }
  // Returns the number of its bits above the low ones.
  std::uint32_t high_width() const { return high_width_; }
  Shape source_shape() const { return {source_low_, source_width_, source_ones_}; }
  Shape target_shape() const { return {target_low_, target_low_ + high_width_, target_ones_}; }
  const std::vector<Choice>& choices() const { return choices_; }
  const std::vector<LowPart>& low_parts() const { return low_parts_; }
  // Says whether low parts have pairs.
  bool low_touched() const { return low_touched_; }
  // Maps a new high mask to the places that its bits have in the old one; bits that enter are left out.
  Word source_high(Word target_high) const { return high_map_(target_high); }
  // Returns the first index of the new states with these high bits, or the index that it would have.
  Word first_index(Word high) const {
    return indices_.count_below(high, high_width_, target_low_ + high_width_, target_ones_);
  }
  // Returns the range of indices of the old states that make the new ones whose highest num_top bits, at most
  // high_width(), are `top`.
  IndexRange sources_of(Word top, std::uint32_t num_top) const {
    const std::uint32_t rest = high_width_ - num_top;
    const Word top_bits = ((Word{1} << num_top) - 1) << rest;
    const Word known = high_map_(top_bits), value = high_map_(top << rest);
    IndexRange all{};
    for (const Choice& c : choices_) {
      if ((top << rest & c.high.test) != (c.high.expect & top_bits)) continue;
      const IndexRange range =
          indices_.range((known | c.high.fixed) << source_low_ | c.low.fixed,
                         c.high.source(value) << source_low_ | c.low.value, source_width_, source_ones_);
      if (range.is_empty()) continue;
      all = all.is_empty() ? range : IndexRange{std::min(all.first, range.first), std::max(all.end, range.end)};
    }
    return all;
  }

  // Calls visit(old mask, choice) for all that a new state is made of; choice 0: the vertex was matched already.
  template <class Visit>
  void for_each_source(Word target, const Visit& visit) const {
    const Word low = target & ((Word{1} << target_low_) - 1), high = target >> target_low_;
    const Word mapped_low = low_map_(low), mapped_high = high_map_(high);
    for (const Choice& c : choices_) {
      if (!c.low.passes(low) || !c.high.passes(high)) continue;
      visit(c.high.source(mapped_high) << source_low_ | c.low.source(mapped_low), c.index);
    }
  }

  // Returns the new states of the same highest bits as `source`, which the step does not involve.
  LayerPart target_of(const LayerPart& source) const {
    return part_of(indices_, source.num_top, source.first_top, source.end_top, target_low_ + high_width_, target_ones_);
  }

  // Sets the states of a layer whose highest num_top bits are `top`, in arrays with so many slots from plane to plane.
  template <class Arithmetic>
  void run_top(const Arithmetic& arithmetic, const FrontierKernels& kernels, Word top, std::uint32_t num_top,
               const typename Arithmetic::Slot* from, typename Arithmetic::Slot* to, std::size_t stride) const {
    const std::uint32_t rest = high_width_ - num_top;
    run_blocks(arithmetic, kernels, top << rest, (top + 1) << rest, {0, stride}, from, {0, stride}, to, [] {});
  }

  // Sets the states of `target`, in arrays for each plane. Throws as run.check() does.
  template <class Arithmetic>
  void run(const Arithmetic& arithmetic, const FrontierKernels& kernels, int num_threads, const RunContext& run,
           const LayerPart& source, const typename Arithmetic::Slot* from, const LayerPart& target,
           typename Arithmetic::Slot* to) const {
    const std::uint32_t rest = high_width_ - target.num_top;
    const Word first = target.first_top << rest, end = target.end_top << rest;
    const bool parallel = num_threads > 1 && static_cast<double>(target.count()) > min_parallel_states;
    const Word num_chunks = parallel ? std::min<Word>(end - first, static_cast<Word>(num_threads) * 16) : 1;
    const Word chunk_size = (end - first + num_chunks - 1) / num_chunks;
    parallel_for_chunks(parallel ? num_threads : 1, num_chunks, [&](std::uint64_t chunk, int) {
      const Word begin = first + chunk * chunk_size;
      run_blocks(arithmetic, kernels, begin, std::min(end, begin + chunk_size), {source.states.first, source.count()},
                 from, {target.states.first, target.count()}, to, [&] { run.check(); });
    });
  }

  // An array of states: the index of the first, and how far it is from plane to plane.
  struct Array {
    Word first;
    std::size_t stride;
  };
  // Sets the new states whose high bits are in [high, end), and calls check() now and then.
  template <class Arithmetic, class Check>
  void run_blocks(const Arithmetic& arithmetic, const FrontierKernels& kernels, Word high, Word end,
                  const Array& source, const typename Arithmetic::Slot* from, const Array& target,
                  typename Arithmetic::Slot* to, const Check& check) const {
    const auto next_high = [&](Word x) { return indices_.next_high(x, target_ones_, target_low_, high_width_); };
    if (high >= end) return;
    high = next_high(high);
    if (high >= end) return;
    Word at = indices_.first_index(high, target_low_, indices_.rest(target_ones_, high)) - target.first;
    std::vector<FrontierBlock> blocks;
    std::vector<FrontierSource> sources;
    blocks.reserve(batch_blocks);
    sources.reserve(batch_blocks * choices_.size());
    const auto flush = [&] {
      const FrontierBatch batch{blocks.data(),  blocks.size(), sources.data(),
                                sources.size(), target.stride, source.stride};
      arithmetic.combine(kernels, batch, to, from);
      blocks.clear();
      sources.clear();
      check();
    };
    for (; high < end; high = next_high(high + 1)) {
      const std::uint32_t low_class = indices_.rest(target_ones_, high);
      const auto length = static_cast<std::uint32_t>(indices_.count(target_low_, low_class));
      const Word mapped = high_map_(high);
      std::uint32_t num_sources = 0;
      for (const Choice& c : choices_) {
        if (!c.high.passes(high)) continue;
        FrontierSource block_source{0, c.index, 0, nullptr};
        if (low_touched_) {
          const std::vector<std::uint16_t>& pairs = low_parts_[c.low_part].pairs[low_class];
          block_source.pairs = pairs.data();
          block_source.num_pairs = static_cast<std::uint32_t>(pairs.size() / 2);
          if (block_source.num_pairs == 0) continue;
        }
        const Word source_high = c.high.source(mapped);
        block_source.offset =
            indices_.first_index(source_high, source_low_, indices_.rest(source_ones_, source_high)) - source.first;
        sources.push_back(block_source);
        ++num_sources;
      }
      blocks.push_back({at, length, num_sources});
      at += length;
      if (blocks.size() == batch_blocks) flush();
    }
    flush();
  }

 private:
  static constexpr std::size_t batch_blocks = 256;

  // Positions of each vertex in the masks before the step and after it.
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  struct Positions {
    std::vector<std::uint32_t> before, after;
  };
  static std::vector<std::uint32_t> positions_in(const std::vector<Vertex>& layout, std::size_t num_vertices) {
    std::vector<std::uint32_t> position(num_vertices, nowhere);
    for (std::uint32_t place = 0; place < layout.size(); ++place) position[layout[place]] = place;
    return position;
  }

  // Chooses how many of the old bits are low, and finds whether the step touches one of them.
  void choose_low(const FrontierSteps& steps, const FrontierStep& step, const Positions& positions, Word count,
                  const std::vector<Vertex>& top) {
    const auto log2_count = static_cast<std::uint32_t>(std::bit_width(count));
    most_low_ = steps.by_parity ? max_low_positions_by_parity : max_low_positions;
    source_low_ = std::min(
        {most_low_, source_width_, log2_count > log2_states_per_pair + 4 ? log2_count - log2_states_per_pair : 4});
    for (const Vertex v : top) source_low_ = std::min(source_low_, positions.before[v]);
    std::uint32_t lowest = nowhere;
    step.for_each_involved([&](Vertex v) { lowest = std::min(lowest, positions.before[v]); });
    low_touched_ = lowest < source_low_;
    if (!rule_.in_place || !low_touched_) return;
    // Fewer low positions leave it alone.
    if (lowest < rule_.least_low) return;
    source_low_ = lowest;
    low_touched_ = false;
  }

  // The new layout: what stays of the low bits, what stays of the high ones, what enters, what is to be on top.
  void lay_out(const FrontierStep& step, const std::vector<Vertex>& layout, const Touches& touches, std::size_t t,
               const std::vector<Vertex>& top) {
    const auto is_top = [&](Vertex v) { return std::find(top.begin(), top.end(), v) != top.end(); };
    for (std::uint32_t position = 0; position < layout.size(); ++position) {
      const Vertex v = layout[position];
      const bool goes = (step.was_on_frontier && v == step.vertex) ||
                        std::find(step.closing.begin(), step.closing.end(), v) != step.closing.end();
      if (goes || is_top(v)) continue;
      layout_.push_back(v);
      if (position < source_low_) ++target_low_;
    }
    std::vector<Vertex> entering;
    std::copy_if(step.entering.begin(), step.entering.end(), std::back_inserter(entering), std::not_fn(is_top));
    const auto num_kept = std::min<std::size_t>(rule_.kept, layout_.size() - target_low_);
    const std::vector<Vertex> kept(layout_.end() - static_cast<std::ptrdiff_t>(num_kept), layout_.end());
    layout_.resize(layout_.size() - num_kept);
    if (!rule_.enters_on_top) layout_.insert(layout_.end(), entering.begin(), entering.end());
    if (low_touched_) touches.sort(layout_.begin(), layout_.begin() + target_low_, t);
    touches.sort(layout_.begin() + target_low_, layout_.end(), t);
    if (rule_.in_place && layout_.size() > most_low_) {
      std::reverse(layout_.begin() + std::max(target_low_, most_low_), layout_.end());
    }
    layout_.insert(layout_.end(), kept.begin(), kept.end());
    if (rule_.enters_on_top) layout_.insert(layout_.end(), entering.begin(), entering.end());
    layout_.insert(layout_.end(), top.begin(), top.end());
    high_width_ = static_cast<std::uint32_t>(layout_.size()) - target_low_;
  }

  // Sets low_map_ and high_map_, which lead from bits of a new mask to those of the old one.
  void map_bits(const Positions& positions) {
    std::vector<Word> low_bits(target_low_), high_bits(high_width_);
    for (std::uint32_t q = 0; q < layout_.size(); ++q) {
      const Vertex v = layout_[q];
      if (q < target_low_) {
        low_bits[q] = Word{1} << positions.before[v];
      } else if (positions.before[v] != nowhere) {
        high_bits[q - target_low_] = Word{1} << (positions.before[v] - source_low_);
      }
    }
    high_map_.set(high_bits);
    low_map_.set(low_bits);
  }

  // Finds the bits of an old mask that a move fixes, and those that it expects in a new one.
  Choice choice_of(const FrontierSteps& steps, const Positions& positions, const JointMove& move) const {
    Choice c;
    for (const auto& [v, matched] : move.before) {
      const std::uint32_t q = positions.before[v];
      PartOfChoice& part = q < source_low_ ? c.low : c.high;
      const Word bit = Word{1} << (q < source_low_ ? q : q - source_low_);
      part.fixed |= bit;
      if (steps.bit(v, matched)) part.value |= bit;
    }
    for (const auto& [v, matched] : move.after) {
      const std::uint32_t q = positions.after[v];
      PartOfChoice& part = q < target_low_ ? c.low : c.high;
      const Word bit = Word{1} << (q < target_low_ ? q : q - target_low_);
      part.test |= bit;
      if (steps.bit(v, matched)) part.expect |= bit;
    }
    return c;
  }

  // Lists, for every class of the new low bits, the low masks that a choice leads to and from, by their indices.
  void list_pairs(LowPart& part) const {
    part.pairs.resize(indices_.num_classes(target_low_));
    for (Word target = 0; target < Word{1} << target_low_; ++target) {
      if (!part.asked.passes(target)) continue;
      auto& pairs = part.pairs[indices_.class_of(target)];
      pairs.push_back(static_cast<std::uint16_t>(indices_.index(target)));
      pairs.push_back(static_cast<std::uint16_t>(indices_.index(part.asked.source(low_map_(target)))));
    }
  }

  const StateIndices& indices_;
  LayoutRule rule_;
  std::uint32_t source_width_ = 0;
  std::uint32_t source_ones_ = 0, target_ones_;  // of every state with its leading bits, or its parity
  std::uint32_t most_low_ = 0, source_low_ = 0, target_low_ = 0, high_width_ = 0;
  bool low_touched_ = false;
  std::vector<Vertex> layout_;
  BitMap low_map_, high_map_;
  std::vector<Choice> choices_;
  std::vector<LowPart> low_parts_;
};

}  // namespace matchcount
