#include "permanent/frontier/cpu/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "permanent/frontier/cpu/dense.hpp"

namespace matchcount {
namespace {

constexpr std::uint32_t no_slot = 64;
// Smaller arrays are a few tiles, in which the lowest slots may be touched.
constexpr std::uint32_t least_slots_to_lift = 14;

class Builder {
 public:
  // `is_summed` says of which vertices f1 is to be added to f0 once the last step has touched them.
  Builder(const FrontierSteps& steps, const MatchingLayout& layout, std::vector<bool> is_summed, std::size_t num_edges,
          CubeShape shape)
      : steps_(steps),
        touches_(steps),
        num_edges_(num_edges),
        shape_(shape),
        slot_of_(steps.num_vertices, no_slot),
        is_summed_(std::move(is_summed)) {
    program_.leading_bits = shape.leading_bits;
    program_.slots = std::max(layout.slots, shape.run_bits + shape.leading_bits);
    low_ = (Word{1} << shape.run_bits) - 1;
    for (std::size_t t = 0; t < layout.first_dense; ++t) {
      const FrontierStep& step = steps.steps[t];
      std::erase(program_.frontier, step.vertex);
      program_.frontier.insert(program_.frontier.end(), step.entering.begin(), step.entering.end());
    }
    for (const Vertex v : program_.frontier) take_slot(v);
    for (std::size_t t = layout.first_dense; t < steps.steps.size(); ++t) make_step(t);
  }

  CubeProgram finish() {
    close_group();
    program_.last = flipped_;
    return std::move(program_);
  }

  // Brings in what is within the middle, and makes the answer a product of places.
  CubeProgram finish(const Reflection& reflection, const std::vector<bool>& may_be) {
    constexpr std::size_t edges_time = Touches::never - 2, sums_time = Touches::never - 1;
    later_.assign(steps_.num_vertices, Touches::never);
    const auto is_left = [&](Vertex v) { return may_be[v] && !has_sum_[v]; };
    for (const Vertex v : reflection.middle) {
      if (slot_of_[v] == no_slot) enter(v);
      if (is_left(v)) later_[v] = sums_time;
    }
    for (const auto& inner : reflection.inner) later_[inner.u] = later_[inner.v] = edges_time;
    const std::size_t end = steps_.steps.size();
    now_ = end;
    touched_.clear();
    for (const auto& inner : reflection.inner) {
      lift({inner.u, inner.v});
      let_follow(inner.u, inner.v);
      let_follow(inner.v, inner.u);
      const Word both = bit(inner.u) | bit(inner.v);
      emit(both, both & ~flipped_, both, first_vertex() * inner.is_halved + weight_of_edge(inner.edge),
           TileOperation::add);
    }
    std::vector<Vertex> order = reflection.middle;
    std::ranges::sort(order, std::ranges::greater{}, [&](Vertex v) { return slot_of_[v]; });
    for (const Vertex v : order) {
      if (!is_left(v)) continue;
      lift({v});
      later_[v] = Touches::never;
      sum(v);
    }
    close_group();
    program_.is_mirrored = true;
    program_.last = program_.mirrored_last = flipped_;
    program_.free = used_;
    program_.mirror.assign(program_.slots, 0);
    for (const Vertex v : reflection.middle) {
      const Word image = bit(reflection.mirror[v]);
      program_.mirror[slot_of_[v]] = image;
      if (may_be[v]) {
        program_.sign |= bit(v);
      } else {
        program_.mirrored_last ^= image;
      }
    }
    return std::move(program_);
  }

 private:
  void take_slot(Vertex v) {
    slot_of_[v] = static_cast<std::uint32_t>(std::countr_one(used_));
    if (slot_of_[v] >= program_.slots) throw Error("a frontier wider than its array");
    used_ |= bit(v);
  }
  Word bit(Vertex v) const { return Word{1} << slot_of_[v]; }
  std::uint32_t weight_of_edge(EdgeId edge) const { return CubeProgram::first_edge + static_cast<std::uint32_t>(edge); }
  // Returns the number of edges and vertices, from edges to halves; and the weight of a vertex.
  std::uint32_t first_vertex() const { return static_cast<std::uint32_t>(num_edges_) + steps_.num_vertices; }
  std::uint32_t weight_of_vertex(Vertex v) const { return weight_of_edge(num_edges_) + v; }

  // Appends an operation on the places that are in use.
  void emit(Word test, Word expect, Word flip, std::uint32_t weight, TileOperation::Kind kind, std::uint32_t move = 0) {
    const Word holes = ~used_ & ((Word{1} << program_.slots) - 1);
    if (count_ones(group_.local | flip) > std::max(shape_.tile_bits, shape_.run_bits + 2)) close_group();
    if (program_.operations.size() == group_.first) group_.local = low_;
    group_.local |= flip;
    active_ |= used_;
    program_.operations.push_back({test | holes, expect | (flipped_ & holes), flip, weight, kind, move});
    program_.transitions += std::exp2(count_ones(used_ & ~test));
  }
  void close_group() {
    if (program_.operations.size() == group_.first) return;
    group_.end = program_.operations.size();
    group_.step = now_;
    group_.outer = active_ & ~group_.local;
    group_.fixed = flipped_ & ~(active_ | group_.local);
    program_.places_moved += std::exp2(count_ones(active_ | group_.local));
    program_.groups.push_back(group_);
    group_ = {.first = group_.end};
    active_ = used_;
  }

  std::size_t next_touch(Vertex v) const {
    const std::size_t next = touches_.next(v, now_);
    return next == Touches::never && !later_.empty() ? later_[v] : next;
  }
  bool is_low(Vertex v) const { return slot_of_[v] < shape_.run_bits; }
  bool leads(Vertex v) const { return slot_of_[v] != no_slot && (bit(v) & program_.leading()) != 0; }
  // Returns the vertex that is touched last of those whose slots are neither low nor lead and that `may` take others.
  template <class May>
  Vertex touched_last(const May& may) const {
    const auto time = [&](Vertex v) { return std::ranges::count(touched_, v) != 0 ? now_ : next_touch(v); };
    Vertex best = unmatched;
    for (Vertex u = 0; u < steps_.num_vertices; ++u) {
      if (slot_of_[u] == no_slot || is_low(u) || leads(u) || !may(u)) continue;
      if (best == unmatched || time(u) > time(best)) best = u;
    }
    return best;
  }
  // Gives a vertex another slot, in exchange for its own if that has a vertex.
  void change_places(Vertex v, std::uint32_t slot) {
    const Word to = Word{1} << slot, both = bit(v) | to;
    const auto other = std::ranges::find(slot_of_, slot);
    used_ |= to;
    emit(both, bit(v), both, CubeProgram::one, TileOperation::swap);
    if (std::popcount(flipped_ & both) == 1) flipped_ ^= both;
    if (other == slot_of_.end()) {
      used_ &= ~bit(v);
    } else {
      *other = slot_of_[v];
    }
    slot_of_[v] = slot;
  }
  // Takes vertices that are about to be touched out of the lowest slots, for those that are touched last.
  void lift(const std::vector<Vertex>& about) {
    if (count_ones(used_) < least_slots_to_lift) return;
    for (const Vertex v : about) {
      if (!is_low(v)) continue;
      const Vertex other = touched_last(
          [&](Vertex u) { return std::ranges::count(touched_, u) == 0 && std::ranges::count(about, u) == 0; });
      if (other == unmatched) return;
      change_places(v, slot_of_[other]);
    }
  }
  // Takes a vertex that is touched now, with another, out of the slots that lead.
  void let_follow(Vertex v, Vertex partner = unmatched) {
    if (!leads(v)) return;
    const Vertex other = touched_last([&](Vertex u) { return u != partner; });
    close_group();
    change_places(v, other == unmatched ? static_cast<std::uint32_t>(std::countr_one(used_ | low_)) : slot_of_[other]);
    close_group();
  }

  // Adds f1 to f0.
  void sum(Vertex v) {
    has_sum_[v] = true;
    let_follow(v);
    emit(bit(v), bit(v) & flipped_, bit(v), CubeProgram::one, TileOperation::add);
  }

  // Gives a vertex a slot of its own; it is unmatched in all states.
  void enter(Vertex v) {
    take_slot(v);
    emit(bit(v), bit(v) & ~flipped_, 0, CubeProgram::zero, TileOperation::set);
  }

  // flipped_ has the bits that say unmatched by 1. That of a slot that is not in use keeps what it had, and that is
  // where the values are. Let f0 and f1 be the halves in which the step's vertex is unmatched and matched: f1 becomes
  // f1
  // + s f0 + sum over partners u of w_u f0 without u, which reads f0 alone. The first vertex that enters takes the
  // slot of the step's vertex, the other way round: its half is f0 times a weight.
  void make_step(std::size_t t) {
    const FrontierStep& step = steps_.steps[t];
    if (shape_.by_steps) close_group();
    now_ = t;
    program_.in_use.emplace_back(used_, flipped_ & ~used_);
    touched_ = {step.vertex};
    for (const auto& choice : step.choices) touched_.push_back(choice.partner);
    std::vector<Vertex> on_frontier = touched_;
    std::erase_if(on_frontier, [&](Vertex v) { return slot_of_[v] == no_slot; });
    lift(on_frontier);
    if (!step.was_on_frontier) enter(step.vertex);
    let_follow(step.vertex);
    const Word own = bit(step.vertex), matched = own & ~flipped_;
    if (step.may_stay_unmatched())
      emit(own, matched, own, weight_of_vertex(step.vertex), TileOperation::add, step.weight_unmatched());
    std::vector<Vertex> entered;
    const auto bits_entered = [&] {
      Word bits = 0;
      for (const Vertex v : entered) bits |= bit(v);
      return bits;
    };
    bool is_first = true;
    std::uint32_t first_weight = CubeProgram::one, first_move = 0, move = 0;
    for (const auto& choice : step.choices) {
      const std::uint32_t weight = weight_of_edge(choice.edge);
      ++move;
      if (choice.enters && is_first) {
        is_first = false;
        first_weight = weight;
        first_move = move;
        continue;
      }
      if (choice.enters) enter(choice.partner);
      let_follow(choice.partner, step.vertex);
      const Word other = bit(choice.partner), before = bits_entered();
      emit(own | other | before, ((own | other) & ~flipped_) | (before & flipped_), own | other, weight,
           choice.enters ? TileOperation::set : TileOperation::add, move);
      if (choice.enters) entered.push_back(choice.partner);
    }
    // Elsewhere f0 is 0 by now.
    const Word all = own | bits_entered();
    if (!is_first) emit(all, flipped_ & all, 0, first_weight, TileOperation::set, first_move);
    flipped_ ^= own;
    if (is_first) {
      used_ &= ~own;
    } else {
      slot_of_[step.entering.front()] = slot_of_[step.vertex];
    }
    slot_of_[step.vertex] = no_slot;
    for (const auto& choice : step.choices) {
      if (is_summed_[choice.partner] && touches_.next(choice.partner, t) == Touches::never) sum(choice.partner);
    }
  }

  const FrontierSteps& steps_;
  Touches touches_;
  std::size_t num_edges_;
  CubeShape shape_;
  CubeProgram program_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<bool> is_summed_, has_sum_ = std::vector<bool>(slot_of_.size());
  std::vector<std::size_t> later_;  // when a vertex is touched after the steps
  std::size_t now_ = 0;             // the step
  std::vector<Vertex> touched_;     // by it
  Word low_ = 0, used_ = 0, flipped_ = 0, active_ = 0;
  CubeProgram::Group group_;
};

}  // namespace

std::uint32_t CubeProgram::Group::tile_bits() const { return count_ones(local); }
std::uint64_t CubeProgram::Group::num_tiles() const { return std::uint64_t{1} << count_ones(outer); }

CubeProgram cube_program(const FrontierSteps& steps, const MatchingLayout& layout, const Reflection* reflection,
                         const UnmatchedVertices& left_out, std::size_t num_edges, CubeShape shape) {
  std::vector<bool> is_summed(steps.num_vertices, false);
  if (reflection) {
    for (const Vertex v : reflection->middle) is_summed[v] = left_out.may_be[v];
    for (const auto& inner : reflection->inner) is_summed[inner.u] = is_summed[inner.v] = false;
  }
  Builder builder(steps, layout, std::move(is_summed), num_edges, shape);
  return reflection ? builder.finish(*reflection, left_out.may_be) : builder.finish();
}

std::vector<std::uint32_t> cube_weights(const std::vector<std::uint32_t>& edges,
                                        const std::vector<std::uint32_t>& vertices, std::uint32_t prime) {
  std::vector<std::uint32_t> weights = {1, 0};
  weights.insert(weights.end(), edges.begin(), edges.end());
  weights.insert(weights.end(), vertices.begin(), vertices.end());
  for (const std::uint32_t edge : edges) weights.push_back(edge % 2 == 0 ? edge / 2 : (edge + prime) / 2);
  return weights;
}

std::uint64_t deposit_bits(std::uint64_t x, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (; mask != 0 && x != 0; x >>= 1, mask &= mask - 1) {
    if (x & 1) result |= mask & (0 - mask);
  }
  return result;
}

std::vector<TileOperation> tile_operations(const CubeProgram& program, const CubeProgram::Group& group) {
  const auto within = [&](Word bits) {
    std::uint32_t result = 0, place = 0;
    for (Word mask = group.local; mask != 0; mask &= mask - 1, ++place)
      if (bits & mask & (0 - mask)) result |= std::uint32_t{1} << place;
    return result;
  };
  std::vector<TileOperation> operations;
  for (std::size_t i = group.first; i < group.end; ++i) {
    const CubeOperation& all = program.operations[i];
    operations.push_back({all.test & ~group.local, all.expect & ~group.local, within(all.test), within(all.expect),
                          within(all.flip), all.weight, all.kind});
  }
  return operations;
}

std::vector<ResidueWeight> residue_weights(const std::vector<std::uint32_t>& weights, std::uint32_t prime, int bits) {
  std::vector<ResidueWeight> result;
  for (const std::uint32_t weight : weights)
    result.push_back({weight, static_cast<std::uint32_t>((std::uint64_t{weight} << bits) / prime)});
  return result;
}

}  // namespace matchcount
