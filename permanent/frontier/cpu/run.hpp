#pragma once
// Runs along the steps for every number type: sorted states while few of them are there, then an array over all C(w, k)
// states (dense.hpp), and sorted states again where it empties.
//
// Wherever that array is, ArrayRun goes over to it, saves it and takes it up again. A layer and the next stand beside
// each other, here or over ranks (partitioned.hpp), or in one array, each written over the one before, here
// (lean_cpu.hpp) or on a GPU (cuda/lean_gpu.hpp). In one array a pass over the graph counts modulo a few primes, with 4
// bytes a state and a prime, which is half the memory of two layers and less than that of words; every few primes take
// another pass.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/drive.hpp"
#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {

// A step in place that was begun when the array was saved: so many of its pieces are done, and states [first, end) of
// both layers are kept, counted from the first of the old one. Else it is the layer, [0, its states).
struct SavedPlaces {
  std::uint64_t pieces_done = 0;
  std::ptrdiff_t first = 0, end = 0;
  LayoutRule rule;
  InPlaceWalk walk;

  auto fields() { return std::tie(pieces_done, first, end, rule, walk); }
};

template <class Number>
class ArrayRun : public Drive<Number> {
 public:
  using typename Drive<Number>::Slot;

 protected:
  using Base = Drive<Number>;
  using Base::bytes_of_slot, Base::check_memory, Base::layer_, Base::next_, Base::number_, Base::states_, Base::steps_;

  // Takes what Drive takes.
  ArrayRun(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
           const std::string& description, ShareOfRuns share = {})
      : Base(steps, number, run, std::move(name), description, share),
        indices_(steps.by_parity, std::min(steps.max_width, max_dense_width) + 1),
        touches_(steps) {}

  // -- The array.

  // Holds a layer of `count` states, after step t, 0 but for those of the sparse layer, each at place_of it.
  virtual void put_states(std::size_t t, std::size_t count) = 0;
  // Makes step t of the layer held; sets at_, or goes on with it where it is set. Sets is_lost_ where it leaves a piece
  // half done.
  virtual void step_in_array(std::size_t t) = 0;
  // States [first, end) of each plane, counted from the first of the layer held; until the next call of anything.
  virtual std::vector<std::span<const Slot>> held(std::ptrdiff_t first, std::ptrdiff_t end) = 0;
  // Holds what `in` has of these states of each plane, before step t.
  virtual void restore(std::size_t t, ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) = 0;
  // Returns the vertices of the layer after sparse step t as they are to stand.
  virtual std::vector<Vertex> first_layout(std::size_t t) const {
    std::vector<Vertex> layout = states_.frontier();
    touches_.sort(layout.begin(), layout.end(), t);
    return layout;
  }

  // Returns the states of the array after a step, of a width of at most max_dense_width.
  double dense_states(const FrontierStep& step) const {
    return static_cast<double>(indices_.count(step.width, step.ones));
  }
  std::uint32_t ones_before(std::size_t t) const { return t == 0 ? 0 : steps_.steps[t - 1].ones; }
  Word place_of(std::size_t sparse_state) const { return indices_.index(states_.mask_of(sparse_state, layer_.layout)); }
  // Returns the places, counted from the first old state on, of both layers of the step that was begun.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> places() const {
    const std::ptrdiff_t first = std::min<std::ptrdiff_t>(0, at_.walk.shift);
    return {first, first + static_cast<std::ptrdiff_t>(at_.walk.span)};
  }

  // -- What Drive asks for; of arrays that are never left.

  bool fills(std::size_t t) const override {
    // A dense state takes this share of the time of a sorted one, for each prime.
    constexpr double lean_fill = 0.01;
    return static_cast<double>(layer_.count) >=
           std::min(lean_fill * layer_.planes, dense_fill) * dense_states(steps_.steps[t]);
  }
  void to_dense(std::size_t t) override {
    const std::size_t count = indices_.count(steps_.steps[t].width, steps_.steps[t].ones);
    next_.release_sparse();
    layer_.layout = first_layout(t);
    put_states(t, count);
    states_.clear();
    this->keys_before_ = {};
    layer_.is_dense = true;
    layer_.count = count;
    layer_.release_sparse();
  }
  void dense_step(std::size_t t) override {
    step_in_array(t);
    layer_.count = at_.new_states;
    layer_.layout = at_.step->layout();
    at_ = {};
    pieces_done_ = 0;
  }
  std::vector<Slot> last() override {
    if (!layer_.is_dense) return Base::last();
    std::vector<Slot> result;
    for (const auto& plane : held(0, 1)) result.push_back(plane.front());
    return result;
  }

  // Saves the array between two steps, or between two pieces of one, when a part of each layer is there.
  void save_dense(const Bytes& head) override {
    SavedPlaces saved{pieces_done_, 0, static_cast<std::ptrdiff_t>(layer_.count), at_.rule, at_.walk};
    if (pieces_done_ > 0) std::tie(saved.first, saved.end) = places();
    const Bytes bytes = to_bytes(saved);
    std::vector<std::span<const std::byte>> parts{head, bytes};
    for (const auto& plane : held(saved.first, saved.end)) parts.push_back(std::as_bytes(plane));
    this->file_.write(std::move(parts));
  }
  void load_dense(const LayerHead& head, ByteReader& in) override {
    const auto saved = in.get<SavedPlaces>();
    if (layer_.planes != number_.source_planes() || saved.first > 0 ||
        saved.end < static_cast<std::ptrdiff_t>(head.count)) {
      throw Error("a layer of another graph");
    }
    at_.rule = saved.rule;
    at_.walk = saved.walk;
    pieces_done_ = saved.pieces_done;
    restore(head.step, in, saved.first, saved.end);
    if (pieces_done_ == 0) return;
    at_.step =
        std::make_unique<DenseStep>(steps_, touches_, indices_, head.step, layer_.layout, layer_.count, at_.rule);
    at_.old_states = layer_.count;
    at_.new_states = indices_.count(steps_.steps[head.step].width, steps_.steps[head.step].ones);
  }

  StateIndices indices_;
  Touches touches_;
  InPlaceStep at_;                 // the step that was begun, if any
  std::uint64_t pieces_done_ = 0;  // of it
};

// Has a layer and the next beside each other, in this machine's memory.
template <class Number>
class FrontierRun : public ArrayRun<Number> {
 public:
  using typename Drive<Number>::Slot;

  // Takes what Drive takes, and the engine.
  FrontierRun(const FrontierSteps& steps, Number& number, FrontierEngine engine, const RunContext& run,
              std::string name = "", const std::string& description = "", ShareOfRuns share = {})
      : ArrayRun<Number>(steps, number, run, std::move(name), description, share),
        engine_(steps.with_twins || engine == FrontierEngine::twins ? FrontierEngine::sparse : engine) {
    if (engine_ == FrontierEngine::dense) require_dense_width(steps);
    for (const FrontierStep& step : steps.steps) {
      if (step.width > max_dense_width) continue;
      const double states = dense_states(step);
      if (has_memory_for(2 * bytes_of_slot * states)) {
        largest_dense_ = std::max(largest_dense_, static_cast<std::size_t>(states));
      }
    }
  }

 protected:
  using Base = ArrayRun<Number>;
  using Base::bytes_of_slot, Base::check_memory, Base::dense_states, Base::has_memory_for, Base::indices_, Base::layer_,
      Base::next_, Base::number_, Base::ones_before, Base::states_, Base::steps_, Base::touches_;

  void prepare(std::size_t t) override {
    if (layer_.is_dense && leave_dense(steps_.steps[t])) to_sparse(t);
    Base::prepare(t);
  }

  bool fits_dense(const FrontierStep& step) const {
    return step.width <= max_dense_width &&
           has_memory_for(bytes_of_slot * number_.target_planes() * dense_states(step) + this->bytes_held());
  }
  bool fills(std::size_t t) const override {
    const FrontierStep& step = steps_.steps[t];
    if (engine_ == FrontierEngine::sparse) return false;
    if (engine_ == FrontierEngine::dense) return true;
    return step.width <= max_dense_width && static_cast<double>(layer_.count) >= dense_fill * dense_states(step) &&
           fits_dense(step);
  }
  bool leave_dense(const FrontierStep& step) {
    if (engine_ == FrontierEngine::dense) return false;
    if (!fits_dense(step)) return true;
    constexpr std::size_t worth_measuring = 1 << 16;
    if (layer_.count < worth_measuring || ++steps_since_counted_ < 8) return false;
    steps_since_counted_ = 0;
    std::size_t filled = 0;
    for (std::size_t i = 0; i < layer_.count; ++i) filled += !is_zero(i);
    return static_cast<double>(filled) < merge_fill * static_cast<double>(layer_.count);
  }
  // Says whether state i of a dense layer is 0.
  bool is_zero(std::size_t i) const {
    for (int k = 0; k < layer_.planes; ++k) {
      if (layer_.dense.data()[k * layer_.count + i] != 0) return false;
    }
    return true;
  }

  // Makes the layer before step t sparse: its states that are not zero, sorted.
  void to_sparse(std::size_t t) {
    next_.is_dense = false;
    states_.begin_layout(layer_.layout);
    next_.sparse.clear();
    next_.count = 0;
    const std::uint32_t ones = this->ones_before(t);
    Word mask = indices_.next(0, ones);
    for (std::size_t i = 0; i < layer_.count; ++i, mask = indices_.next(mask + 1, ones)) {
      if (is_zero(i)) continue;
      states_.push_mask(mask);
      for (int k = 0; k < layer_.planes; ++k) next_.sparse.push_back(layer_.dense.data()[k * layer_.count + i]);
      ++next_.count;
    }
    next_.planes = layer_.planes;
    std::swap(layer_, next_);
    next_.dense.release();
  }

  void put_states(std::size_t /*t*/, std::size_t count) override {
    const auto planes = static_cast<std::size_t>(layer_.planes);
    const std::size_t sorted = layer_.count;
    check_memory(bytes_of_slot * static_cast<double>(planes * count));
    layer_.hold(count, layer_.planes, largest_dense_);
    std::fill_n(layer_.dense.data(), count * planes, Slot{0});
    for (std::size_t i = 0; i < sorted; ++i) {
      Slot* const state = layer_.dense.data() + this->place_of(i);
      for (std::size_t k = 0; k < planes; ++k) state[k * count] = layer_.sparse[i * planes + k];
    }
  }
  std::vector<std::span<const Slot>> held(std::ptrdiff_t first, std::ptrdiff_t end) override {
    std::vector<std::span<const Slot>> result;
    for (int k = 0; k < layer_.planes; ++k)
      result.emplace_back(plane(k) + first, static_cast<std::size_t>(end - first));
    return result;
  }
  void restore(std::size_t /*t*/, ByteReader& in, std::ptrdiff_t /*first*/, std::ptrdiff_t /*end*/) override {
    const std::size_t values = layer_.count * static_cast<std::size_t>(layer_.planes);
    check_memory(bytes_of_slot * static_cast<double>(values));
    layer_.hold(layer_.count, layer_.planes, largest_dense_);
    in.get_raw(std::as_writable_bytes(std::span(layer_.dense.data(), values)));
  }
  void step_in_array(std::size_t t) override { make_next(t, {0, 0, 1, {0, layer_.count}}); }
  void dense_step(std::size_t t) override {
    step_in_array(t);
    std::swap(layer_, next_);
  }

  Slot* plane(int k) const { return layer_.dense.data() + static_cast<std::size_t>(k) * layer_.count; }
  // Makes step t of the layer, or the part of it that is held here, into next_, and returns that. The vertices `top`
  // come to stand on top, as DenseStep says.
  LayerPart make_next(std::size_t t, const LayerPart& source, const std::vector<Vertex>& top = {}) {
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    const DenseStep step(steps_, touches_, indices_, t, layer_.layout, indices_.count(width, ones_before(t)), {}, top);
    const LayerPart target = step.target_of(source);
    const auto planes = static_cast<std::size_t>(number_.target_planes());
    check_memory(std::max(bytes_of_slot * static_cast<double>(planes * target.count()),
                          static_cast<double>(next_.dense.bytes())));
    next_.hold(target.count(), number_.target_planes(), largest_dense_);
    next_.layout = step.layout();
    step.run(number_, this->kernels_, this->num_threads_, this->run_, source, layer_.dense.data(), target,
             next_.dense.data());
    return target;
  }

  FrontierEngine engine_;
  std::size_t largest_dense_ = 0;  // states of the largest layer that two of fit into the memory limit
  int steps_since_counted_ = 0;
};

}  // namespace matchcount
