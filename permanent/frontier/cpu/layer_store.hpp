#pragma once
// Keeps the layers that a run of the frontier method goes through, and gives them back from the last to the first.
//
// Where all layers do not fit into memory one in every sqrt(steps) is kept, and those between are computed again from
// it when their turn comes (Griewank 1992, doi:10.1080/10556789208805505): one more run in all.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/marginals.hpp"

namespace matchcount {

// A layer before a step, prepared for it. Sparse: sorted keys, the planes of a state side by side. Dense: plane k of
// state i at [k * count + i].
template <class Slot>
struct StoredLayer : Layer<Slot> {
  std::size_t num_keys = 0;  // words
  std::vector<Word> keys;    // of SparseStates, as its slots
  SparseStates::Slots slots;
  Bytes number;
  std::int64_t exponent = 0;  // values are to be multiplied by 2^exponent
  double log2_largest = 0;    // of floats: log2 of the largest value, from above

  std::size_t num_values() const { return this->count * static_cast<std::size_t>(this->planes); }
  // Counts what it takes once it has its values.
  double bytes_in_all() const {
    return static_cast<double>(num_keys * sizeof(Word) + num_values() * sizeof(Slot) +
                               (this->layout.size() + slots.free.size() + slots.of.size()) * sizeof(Vertex) +
                               number.size() + sizeof(*this));
  }
};

// A layer once dense stays so: what a sparse layer would leave out as 0 may be a sum that cancelled, or one that the
// prime divides, and has matchings all the same.
template <class Number>
class LayerStore : private FrontierRun<Number> {
  using Base = FrontierRun<Number>;

 public:
  using Slot = typename Base::Slot;
  using Stored = StoredLayer<Slot>;
  using Base::indices_;
  using Base::kernels_;
  using Base::num_threads_;
  using Base::run_;
  using Base::states_;
  using Base::steps_;
  using Base::touches_;

  // Runs all steps. `steps`, `number` and `run` outlive this. Requires steps without twins. Throws Unable where the
  // layers that it has to keep pass the memory limit, and as run.check() does.
  LayerStore(const FrontierSteps& steps, Number& number, FrontierEngine engine, const RunContext& run)
      : Base(steps, number, engine, run), stored_(steps.steps.size() + 1) {
    const auto limit = static_cast<double>(run.memory_limit_bytes());
    this->share_of_memory_ = 1 - share_of_kept_layers;
    budget_ = share_of_kept_layers * limit;
    find_first_dense();
    this->layer_.dense = take_buffer();
    this->next_.dense = take_buffer();
    bool prepared = false;
    this->begin(prepared);
    reached_end_ = run_all();
    drop_layers();
  }

  std::size_t num_steps() const { return steps_.steps.size(); }
  // Says whether a state is left after the last step; else the permanent is 0.
  bool reached_end() const { return reached_end_; }
  // Says whether none has to be computed again.
  bool keeps_all() const { return stride_ == 1; }
  // States of the largest layer.
  std::size_t largest_count() const { return largest_count_; }
  // Returns the layer after the last step: its one state has the permanent. Requires reached_end().
  const Stored& last_layer() const { return *stored_.back(); }

  // Calls visit(t, the layer before step t, the layer after it) for every step, the last first. Requires reached_end().
  template <class Visit>
  void backward(const Visit& visit) {
    std::size_t end = num_steps();
    while (end > 0) {
      const std::size_t first = stride_ == 1 ? 0 : (end - 1) / stride_ * stride_;
      if (stride_ > 1) recompute(first, end);
      for (std::size_t t = end; t-- > first;) {
        run_.report("backwards", static_cast<double>(num_steps() - t - 1), static_cast<double>(num_steps()));
        visit(t, *stored_[t], static_cast<const Stored&>(*stored_[t + 1]));
      }
      if (stride_ > 1) forget_between(first, end);
      end = first;
    }
  }

  // Calls emit(source, target, weight) for each transition of a step from a sparse layer, by the states' indices in the
  // two layers.
  template <class Emit>
  void for_each_transition(std::size_t t, Stored& before, const Stored& after, const Emit& emit) {
    states_.set_slots(before.slots);
    states_.keys().swap(before.keys);
    states_.for_each_transition(
        steps_.steps[t], after.is_dense ? &after.layout : nullptr, after.keys, run_,
        [&](Word mask) { return indices_.index(mask); }, emit);
    states_.keys().swap(before.keys);
  }

 private:
  using Base::bytes_of_slot;

  // Finds the step from which on all layers can be dense and are not much larger then than their bound.
  void find_first_dense() {
    if (this->engine_ == FrontierEngine::dense) return;
    constexpr double most_waste = 8;
    first_dense_ = num_steps();
    while (first_dense_ > 0) {
      const FrontierStep& step = steps_.steps[first_dense_ - 1];
      const double planes = this->number_.target_planes();
      if (step.width > max_dense_width || this->dense_states(step) > most_waste * step.states ||
          !this->has_memory_for(4 * planes * bytes_of_slot * this->dense_states(step))) {
        break;
      }
      --first_dense_;
    }
  }

  // Prepares the layer before step t.
  void arrive(std::size_t t) { Drive<Number>::prepare(t); }
  // Returns whether a state is left.
  bool advance(std::size_t t) {
    run_.report(reached_end_ ? "layers again" : "layers", static_cast<double>(t), static_cast<double>(num_steps()));
    const bool was_dense = this->layer_.is_dense;
    if (was_dense) {
      this->dense_step(t);
    } else {
      this->merged_step(steps_.steps[t]);
    }
    give_values(t, this->next_, this->keys_before_);
    if (!was_dense && t >= first_dense_ && this->fills(t)) this->to_dense(t);
    largest_count_ = std::max(largest_count_, this->layer_.count);
    return this->layer_.count > 0;
  }
  bool run_all() {
    for (std::size_t t = 0; t < num_steps(); ++t) {
      arrive(t);
      if (t % stride_ == 0) store(t);
      if (!advance(t)) return false;
    }
    store(num_steps());
    give_values(num_steps(), this->layer_, states_.keys());
    return true;
  }

  // All of a layer but its values, which a step still needs.
  void store(std::size_t t) {
    const LayerHead head = this->head_of(t);
    Stored stored;
    static_cast<LayerShape&>(stored) = head;
    if (!head.is_dense) {
      stored.layout.clear();
      stored.slots = head.slots;
    }
    stored.num_keys = head.num_keys;
    stored.number = head.number;
    if constexpr (requires { this->number_.exponent(); }) {
      stored.exponent = this->number_.exponent();
      stored.log2_largest = this->number_.log2_largest();
    }
    bytes_ += stored.bytes_in_all();
    stored_[t] = std::move(stored);
    if (bytes_ <= budget_) return;
    if (stride_ == 1) {
      stride_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(num_steps()))));
      for (std::size_t i = 0; i < num_steps(); ++i) {
        if (i % stride_ != 0) forget(i);
      }
    }
    if (bytes_ > budget_) {
      throw OverLimit("the layers of the frontier that have to be kept take more than " + memory_amount(budget_) +
                      "; the memory limit is " + memory_amount(static_cast<double>(run_.memory_limit_bytes())));
    }
  }
  // Takes up the values of the layer before step t, which is over.
  void give_values(std::size_t t, Layer<Slot>& layer, std::vector<Word>& keys) {
    if (!stored_[t] || stored_[t]->values()) return;
    if (stored_[t]->is_dense) {
      stored_[t]->dense = std::exchange(layer.dense, take_buffer());
      stored_[t]->dense.trim(stored_[t]->num_values());  // of a larger layer before
    } else {
      stored_[t]->keys = std::exchange(keys, {});
      stored_[t]->sparse = std::exchange(layer.sparse, {});
    }
  }
  void forget(std::size_t t) {
    if (!stored_[t]) return;
    bytes_ -= stored_[t]->bytes_in_all();
    keep_buffer(stored_[t]->dense);
    stored_[t].reset();
  }
  void forget_between(std::size_t first, std::size_t end) {
    for (std::size_t t = first + 1; t < end; ++t) forget(t);
    drop_layers();
  }
  void drop_layers() {
    for (Layer<Slot>* layer : {&this->layer_, &this->next_}) {
      keep_buffer(layer->dense);
      *layer = {};
    }
  }

  // Memory of layers that are forgotten is that of others: pages are cleared when they are first used.
  Buffer<Slot> take_buffer() {
    if (spare_.empty()) return Buffer<Slot>(false);
    Buffer<Slot> buffer = std::move(spare_.back());
    spare_.pop_back();
    spare_bytes_ -= static_cast<double>(buffer.bytes());
    return buffer;
  }
  void keep_buffer(Buffer<Slot>& buffer) {
    const auto bytes = static_cast<double>(buffer.bytes());
    if (!buffer.data() || bytes_ + spare_bytes_ + bytes > budget_) return buffer.release();
    spare_bytes_ += bytes;
    spare_.push_back(std::move(buffer));
  }

  // The layers between that before step `first`, which is kept, and that after step end - 1, which is kept too.
  void recompute(std::size_t first, std::size_t end) {
    const Stored& kept = *stored_[first];
    auto& layer = this->layer_;
    static_cast<LayerShape&>(layer) = kept;
    if (kept.is_dense) {
      layer.dense = take_buffer();
      layer.dense.resize(kept.num_values(), this->largest_dense_ * static_cast<std::size_t>(kept.planes));
      std::copy_n(kept.values(), kept.num_values(), layer.dense.data());
    } else {
      states_.keys() = kept.keys;
      layer.sparse = kept.sparse;
      states_.set_slots(kept.slots);
    }
    this->load_number(kept.number, first);
    for (std::size_t t = first; t + 1 < end; ++t) {
      advance(t);
      arrive(t + 1);
      store(t + 1);
    }
    give_values(end - 1, layer, states_.keys());
  }

  std::vector<std::optional<Stored>> stored_;  // by the step that follows; behind them the last
  std::vector<Buffer<Slot>> spare_;
  double bytes_ = 0, spare_bytes_ = 0, budget_ = 0;
  std::size_t largest_count_ = 1;
  std::size_t stride_ = 1;  // of the steps before which layers are kept
  std::size_t first_dense_ = 0;
  bool reached_end_ = false;
};

}  // namespace matchcount
