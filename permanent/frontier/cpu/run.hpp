#pragma once
// Runs along the steps with a layer and the next beside each other, for every number type: sorted states while few of
// them are there, then an array over all C(w, k) states (dense.hpp), and sorted states again where it empties.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/drive.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {

// Layers that can be held as arrays over all C(w, k) states.
template <class Number>
class RankedDrive : public Drive<Number> {
 protected:
  RankedDrive(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
              const std::string& description, ShareOfRuns share = {})
      : Drive<Number>(steps, number, run, std::move(name), description, share),
        indices_(steps.by_parity, std::min(steps.max_width, max_dense_width) + 1),
        touches_(steps) {}

  // Returns the states of a dense layer after a step, of a width of at most max_dense_width.
  double dense_states(const FrontierStep& step) const {
    return static_cast<double>(indices_.count(step.width, step.ones));
  }
  // Returns the vertices of the frontier after sparse step t, as they are to stand in the masks.
  std::vector<Vertex> sorted_layout(std::size_t t) const {
    std::vector<Vertex> layout = this->states_.frontier();
    touches_.sort(layout.begin(), layout.end(), t);
    return layout;
  }
  std::uint32_t ones_before(std::size_t t) const { return t == 0 ? 0 : this->steps_.steps[t - 1].ones; }

  StateIndices indices_;
  Touches touches_;
};

template <class Number>
class FrontierRun : public RankedDrive<Number> {
 public:
  using typename Drive<Number>::Slot;

  // Takes what Drive takes, and the engine.
  FrontierRun(const FrontierSteps& steps, Number& number, FrontierEngine engine, const RunContext& run,
              std::string name = "", const std::string& description = "", ShareOfRuns share = {})
      : RankedDrive<Number>(steps, number, run, std::move(name), description, share),
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
  using Base = RankedDrive<Number>;
  using Base::bytes_of_slot, Base::check_memory, Base::dense_states, Base::has_memory_for, Base::indices_, Base::layer_,
      Base::next_, Base::number_, Base::states_, Base::steps_, Base::touches_;

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

  // Makes the layer after sparse step t a dense array.
  void to_dense(std::size_t t) override {
    const FrontierStep& step = steps_.steps[t];
    const int planes = layer_.planes;
    next_.layout = this->sorted_layout(t);
    const std::size_t count = indices_.count(step.width, step.ones);
    check_memory(bytes_of_slot * planes * static_cast<double>(count));
    next_.release_sparse();
    next_.hold(count, planes, largest_dense_);
    std::fill_n(next_.dense.data(), count * static_cast<std::size_t>(planes), Slot{0});
    for (std::size_t i = 0; i < layer_.count; ++i) {
      const Word place = indices_.index(states_.mask_of(i, next_.layout));
      for (int k = 0; k < planes; ++k) {
        next_.dense.data()[k * count + place] =
            layer_.sparse[i * static_cast<std::size_t>(planes) + static_cast<std::size_t>(k)];
      }
    }
    states_.clear();
    this->keys_before_ = {};
    std::swap(layer_, next_);
    next_.release_sparse();
    next_.count = 0;
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

  void dense_step(std::size_t t) override {
    const DenseStep step(steps_, touches_, indices_, t, layer_.layout, layer_.count);
    const LayerPart source{0, 0, 1, {0, layer_.count}};
    const LayerPart target = step.target_of(source);
    const auto planes = static_cast<std::size_t>(number_.target_planes());
    check_memory(std::max(bytes_of_slot * static_cast<double>(planes * target.count()),
                          static_cast<double>(next_.dense.bytes())));
    next_.hold(target.count(), number_.target_planes(), largest_dense_);
    next_.layout = step.layout();
    step.run(number_, this->kernels_, this->num_threads_, this->run_, source, layer_.dense.data(), target,
             next_.dense.data());
    std::swap(layer_, next_);
  }

  void save_dense(const Bytes& head) override {
    const std::span<const Slot> values(layer_.values(), layer_.count * static_cast<std::size_t>(layer_.planes));
    this->file_.write({head, std::as_bytes(values)});
  }
  void load_dense(const LayerHead& head, ByteReader& in) override {
    const auto planes = static_cast<std::size_t>(head.planes);
    check_memory(bytes_of_slot * static_cast<double>(planes * head.count));
    layer_.hold(head.count, head.planes, largest_dense_);
    in.get_raw(std::as_writable_bytes(std::span(layer_.dense.data(), head.count * planes)));
  }

  FrontierEngine engine_;
  std::size_t largest_dense_ = 0;  // states of the largest layer that two of fit into the memory limit
  int steps_since_counted_ = 0;
};

}  // namespace matchcount
