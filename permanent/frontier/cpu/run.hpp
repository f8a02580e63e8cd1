#pragma once
// Runs two engines over the same steps.
//
// sparse: sorted masks of the states that there are (sparse.hpp).
//
// dense: an array over all C(w, k) states (dense.hpp).

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/sparse.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

template <class Arithmetic>
class FrontierRun {
 public:
  using Slot = typename Arithmetic::Slot;

  // `name` and `description` are what the layer is saved as, where run.work() has a checkpoint; no name: it is not.
  FrontierRun(const FrontierSteps& steps, Arithmetic& arithmetic, FrontierEngine engine, const RunContext& run,
              std::string name, std::string description)
      : steps_(steps),
        arithmetic_(arithmetic),
        engine_(steps.with_twins || engine == FrontierEngine::twins ? FrontierEngine::sparse : engine),
        run_(run),
        num_threads_(run.num_threads()),
        kernels_(frontier_kernels(std::min(run.options().max_isa, detected_isa()))),
        indices_(steps.by_parity, std::min(steps.max_width, max_dense_width) + 1),
        touches_(steps),
        states_(steps),
        checkpoint_(run.work() && !name.empty() ? run.work()->checkpoint() : nullptr),
        name_(std::move(name)),
        description_(std::move(description)) {
    if (engine_ == FrontierEngine::dense) require_dense_width(steps);
    for (const FrontierStep& step : steps.steps) {
      total_work_ += work_of(step);
      if (step.width > max_dense_width) continue;
      const double states = dense_states(step);
      if (has_memory_for(2 * sizeof(Slot) * states)) {
        largest_dense_ = std::max(largest_dense_, static_cast<std::size_t>(states));
      }
    }
  }

  // The planes of the one state that is left, or nothing when no state is.
  std::vector<Slot> run() {
    std::size_t first = 0;
    bool prepared = begin(first, [&](std::span<const std::byte> saved) { return load(saved); });
    double done = 0;
    for (std::size_t t = 0; t < first; ++t) done += work_of(steps_.steps[t]);
    for (std::size_t t = first; t < steps_.steps.size(); ++t) {
      const FrontierStep& step = steps_.steps[t];
      if (!prepared) {
        if (layer_.is_dense && leave_dense(step)) to_sparse();
        arithmetic_.prepare(step, layer_, [](double largest) { return largest; });
      }
      prepared = false;
      save_when_interrupted(t, [&] { run_.report("frontier", done, total_work_); });
      if (checkpoint_ && checkpoint_->due()) save(t);
      bool replaced = false;  // the layer, by the next one
      const auto take_step = [&] {
        if (layer_.is_dense) return ranked_step(t);
        merged_step(step);
        replaced = true;
        if (enter_dense(step)) to_dense(t);
      };
      try {
        take_step();
      } catch (const Unable&) {
        if (checkpoint_ && !replaced) save(t);
        throw;
      }
      if (layer_.count == 0) return {};
      layer_.planes = arithmetic_.target_planes();
      done += work_of(step);
    }
    std::vector<Slot> result(static_cast<std::size_t>(layer_.planes));
    for (int k = 0; k < layer_.planes; ++k)
      result[static_cast<std::size_t>(k)] = layer_.values()[k * layer_.plane_stride()];
    return result;
  }

 protected:
  static constexpr double bytes_of_slot = sizeof(Slot);

  // Takes up the one state before the first step, or by load(bytes) a layer that was saved. Returns whether it did,
  // and then the step to go on with, for which the layer is prepared.
  template <class Load>
  bool begin(std::size_t& first, const Load& load) {
    layer_.count = 1;
    layer_.planes = arithmetic_.source_planes();
    for (int k = 0; k < layer_.planes; ++k) layer_.sparse.push_back(Arithmetic::one(k));
    if (!checkpoint_) return false;
    const auto saved = checkpoint_->find(name_, description_);
    if (!saved) return false;
    first = load(*saved);
    checkpoint_->remove(name_);  // it is here now; the file has it until the next is written
    return true;
  }

  static double work_of(const FrontierStep& step) {
    return step.states * (1.0 + 0.5 * static_cast<double>(step.choices.size()));
  }

  // Whether so much is within the part of the memory limit that layers may take.
  bool has_memory_for(double bytes) const { return run_.has_memory_for(bytes / share_of_memory_); }

  void check_memory(double more_bytes) const {
    const double total = static_cast<double>(layer_.bytes() + states_.bytes()) + more_bytes;
    if (!has_memory_for(total)) {
      throw Unable("the next layer of the frontier needs " + memory_amount(total) + " in all, the memory limit is " +
                   memory_amount(share_of_memory_ * static_cast<double>(run_.memory_limit_bytes())));
    }
  }

  // -- Checkpoints: a layer before a step, with what the step was prepared with.

  template <class Body>
  void save_when_interrupted(std::size_t t, const Body& body) {
    try {
      body();
    } catch (const Unable&) {
      if (checkpoint_) save(t);
      throw;
    }
  }

  Bytes slots() const {
    ByteWriter out;
    states_.save_slots(out);
    return out.take();
  }

  void save(std::size_t t) {
    const std::span<const Word> keys(states_.keys());
    const std::span<const Slot> values(layer_.values(), layer_.count * static_cast<std::size_t>(layer_.planes));
    const KeptLayer kept{
        t,          slots(), steps_since_counted_, ones_, layer_.is_dense, layer_.count, layer_.planes, layer_.layout,
        keys.size()};
    const Bytes head = kept.head(arithmetic_);
    const Checkpoint::Extra extra{name_, description_, {head, std::as_bytes(keys), std::as_bytes(values)}};
    checkpoint_->write(&extra);
  }

  // Returns the step to go on with.
  std::size_t load(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const KeptLayer kept = KeptLayer::from(in, arithmetic_, steps_.steps);
    ByteReader before(kept.slots);
    states_.load_slots(before);
    steps_since_counted_ = kept.steps_since_counted;
    ones_ = kept.ones;
    layer_.is_dense = kept.is_dense;
    layer_.count = kept.count;
    layer_.planes = kept.planes;
    layer_.layout = kept.layout;
    const auto planes = static_cast<std::size_t>(layer_.planes);
    check_memory(8.0 * static_cast<double>(kept.num_keys) +
                 bytes_of_slot * static_cast<double>(planes) * static_cast<double>(kept.count));
    states_.keys().resize(kept.num_keys);
    in.get_raw(std::as_writable_bytes(std::span(states_.keys())));
    if (layer_.is_dense) {
      layer_.dense.resize(layer_.count * planes, largest_dense_ * planes);
    } else {
      layer_.sparse.resize(layer_.count * planes);
    }
    in.get_raw(std::as_writable_bytes(std::span(layer_.values(), layer_.count * planes)));
    if (!in.at_end()) throw Error("a layer of another graph");
    return kept.step;
  }

  // -- Choosing an engine.

  // After a step of at most max_dense_width.
  double dense_states(const FrontierStep& step) const {
    return static_cast<double>(indices_.count(step.width, step.ones));
  }
  bool fits_dense(const FrontierStep& step) const {
    return step.width <= max_dense_width &&
           has_memory_for(bytes_of_slot * arithmetic_.target_planes() * dense_states(step) +
                          static_cast<double>(layer_.bytes() + states_.bytes()));
  }
  bool enter_dense(const FrontierStep& step) const {
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
    const Slot* values = layer_.dense.data();
    for (std::size_t i = 0; i < layer_.count; ++i) {
      for (int k = 0; k < layer_.planes; ++k) {
        if (values[k * layer_.count + i] != 0) {
          ++filled;
          break;
        }
      }
    }
    return static_cast<double>(filled) < merge_fill * static_cast<double>(layer_.count);
  }

  // -- The sparse engine.

  void merged_step(const FrontierStep& step) {
    keys_before_ = {};
    SparseStates::Step next = states_.begin(step, num_threads_, run_);
    const auto source_planes = static_cast<std::size_t>(arithmetic_.source_planes());
    const auto target_planes = static_cast<std::size_t>(arithmetic_.target_planes());
    next_.is_dense = false;
    next_.count = next.count();
    check_memory(8.0 * static_cast<double>(next.keys.size()) +
                 bytes_of_slot * static_cast<double>(next_.count * target_planes));
    next_.sparse.assign(next_.count * target_planes, Slot{0});
    parallel_for_chunks(num_threads_, next.num_parts(), [&](std::uint64_t part, int) {
      states_.for_each_transition(next, part, run_, [&](std::size_t source, std::size_t target, std::uint32_t weight) {
        arithmetic_.add(&next_.sparse[target * target_planes], &layer_.sparse[source * source_planes], weight);
      });
    });
    states_.finish(next);
    keys_before_ = std::move(next.keys);
    std::swap(layer_, next_);
  }

  // -- The dense engine.

  // After sparse step t: the vertices of the frontier, as they are to stand in the masks.
  std::vector<Vertex> sorted_layout(std::size_t t) const {
    std::vector<Vertex> layout = states_.frontier();
    touches_.sort(layout.begin(), layout.end(), t);
    return layout;
  }

  // After sparse step t: the same layer as a dense array.
  void to_dense(std::size_t t) {
    const FrontierStep& step = steps_.steps[t];
    const int planes = arithmetic_.target_planes();
    next_.layout = sorted_layout(t);
    const std::size_t count = indices_.count(step.width, step.ones);
    check_memory(bytes_of_slot * planes * static_cast<double>(count));
    next_.is_dense = true;
    next_.count = count;
    next_.release_sparse();
    next_.dense.resize(count * static_cast<std::size_t>(planes), largest_dense_ * static_cast<std::size_t>(planes));
    std::fill_n(next_.dense.data(), count * static_cast<std::size_t>(planes), Slot{0});
    for (std::size_t i = 0; i < layer_.count; ++i) {
      const Word place = indices_.index(states_.mask_of(i, next_.layout));
      for (int k = 0; k < planes; ++k) {
        next_.dense.data()[k * count + place] =
            layer_.sparse[i * static_cast<std::size_t>(planes) + static_cast<std::size_t>(k)];
      }
    }
    states_.clear();
    keys_before_ = {};
    ones_ = step.ones;
    std::swap(layer_, next_);
    next_.release_sparse();
    next_.count = 0;
  }

  // Before a step: the states of a dense layer that are not zero, sorted, position p in slot p.
  void to_sparse() {
    const std::size_t planes = static_cast<std::size_t>(layer_.planes);
    next_.is_dense = false;
    states_.begin_layout(layer_.layout);
    next_.sparse.clear();
    next_.count = 0;
    Word mask = indices_.next(0, ones_);
    for (std::size_t i = 0; i < layer_.count; ++i, mask = indices_.next(mask + 1, ones_)) {
      bool zero = true;
      for (std::size_t k = 0; k < planes; ++k) zero = zero && layer_.dense.data()[k * layer_.count + i] == 0;
      if (zero) continue;
      states_.push_mask(mask);
      for (std::size_t k = 0; k < planes; ++k) next_.sparse.push_back(layer_.dense.data()[k * layer_.count + i]);
      ++next_.count;
    }
    next_.planes = layer_.planes;
    std::swap(layer_, next_);
    next_.dense.release();
  }

  void ranked_step(std::size_t t) {
    const DenseStep step(steps_, touches_, indices_, t, layer_.layout, layer_.count);
    const DensePart source{0, {0, layer_.count}};
    const DensePart target = step.target_of(source);
    const auto planes = static_cast<std::size_t>(arithmetic_.target_planes());
    check_memory(std::max(bytes_of_slot * static_cast<double>(planes * target.count()),
                          static_cast<double>(next_.dense.bytes())));
    next_.dense.resize(target.count() * planes, largest_dense_ * planes);
    next_.is_dense = true;
    next_.count = target.count();
    next_.layout = step.layout();
    step.run(arithmetic_, kernels_, num_threads_, run_, source, layer_.dense.data(), target, next_.dense.data());
    ones_ = steps_.steps[t].ones;
    std::swap(layer_, next_);
  }

  const FrontierSteps& steps_;
  Arithmetic& arithmetic_;
  FrontierEngine engine_;
  const RunContext& run_;
  int num_threads_;
  double share_of_memory_ = 1;
  const FrontierKernels& kernels_;
  StateIndices indices_;
  Touches touches_;
  double total_work_ = 0;
  std::size_t largest_dense_ = 0;  // states of the largest layer that two of fit into the memory limit

  Layer<Slot> layer_, next_;
  std::uint32_t ones_ = 0;  // of every state of a dense layer, or its parity
  int steps_since_counted_ = 0;
  SparseStates states_;            // of a sparse layer
  std::vector<Word> keys_before_;  // the last sparse step

  Checkpoint* checkpoint_;
  std::string name_, description_;
};

}  // namespace matchcount
