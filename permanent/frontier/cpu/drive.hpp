#pragma once
// Carries out the steps of the frontier method one after the other, for every number type, wherever layers are held.
//
// A layer that has few of its states holds them as sorted masks (sparse.hpp): that is done here. Who derives from this
// says from when on all states are held, and where: in an array of them (run.hpp), or in one over all sets of frontier
// vertices (matching_run.hpp). Such calls are one or a few a step.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/sparse.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

// A run's part of all runs, for the progress that is reported.
struct ShareOfRuns {
  double before = 0, own = 1;
};

// Saves layers in the checkpoint of a run, and finds those that were saved.
class LayerFile {
 public:
  // Saves nothing if there is no checkpoint, or no name. Layers are saved under the name; those of another description,
  // or version, are refused.
  LayerFile(const RunContext& run, std::string name, const std::string& description)
      : checkpoint_(run.work() && !name.empty() ? run.work()->checkpoint() : nullptr),
        name_(std::move(name)),
        description_(description + version) {}

  explicit operator bool() const { return checkpoint_ != nullptr; }
  bool is_named() const { return !name_.empty(); }
  bool due() const { return checkpoint_ && checkpoint_->due(); }
  std::optional<std::span<const std::byte>> find() const {
    return checkpoint_ ? checkpoint_->find(name_, description_) : std::nullopt;
  }
  // Forgets the layer that was found, which is held elsewhere now; the file has it until the next is written.
  void forget() {
    if (checkpoint_) checkpoint_->remove(name_);
  }
  void write(std::vector<std::span<const std::byte>> parts, std::uint64_t tail_size = 0,
             std::function<void(const Checkpoint::Sink&)> tail = {}) {
    const Checkpoint::Extra extra{name_, description_, std::move(parts), tail_size, std::move(tail)};
    checkpoint_->write(&extra);
  }

 private:
  static constexpr const char* version = ", layers of version 7";

  Checkpoint* checkpoint_;
  std::string name_, description_;
};

// Heads a layer that is saved before a step that it was prepared for, or within one that joins several, so many of
// which are done. Its keys follow, if it was sparse, and its values in the order of the engine; a dense one is kept
// whole, whoever had parts of it.
struct LayerHead : LayerShape {
  std::uint64_t step = 0, singles_done = 0;
  SparseStates::Slots slots;
  Bytes number;
  std::uint64_t num_keys = 0;  // words

  auto fields() { return std::tie(step, singles_done, slots, number, is_dense, count, planes, layout, num_keys); }
};

// Number is one of numbers.hpp.
template <class Number>
class Drive {
 public:
  using Slot = typename Number::Slot;

  virtual ~Drive() = default;
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  // Returns the planes of the one state that is left, or nothing where no state is. Throws as run.check() does, and
  // Unable where layers do not fit into memory.
  std::vector<Slot> run() {
    bool prepared = false;
    const std::size_t first = begin(prepared);
    double done = 0;
    for (std::size_t t = 0; t < steps_.steps.size(); ++t) {
      if (t == first) done = total_work_;
      total_work_ += work_of(steps_.steps[t]);
    }
    for (std::size_t t = first; t < steps_.steps.size(); ++t) {
      arrange(t, prepared);
      if (!prepared) prepare(t);
      prepared = false;
      take_step(t, done);
      if (is_over()) return {};
      done += work_of(steps_.steps[t]);
    }
    return last();
  }

 protected:
  static constexpr double bytes_of_slot = sizeof(Slot);

  // `name` and `description` are what layers are saved as; no name: they are not. The others outlive this.
  Drive(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
        const std::string& description, ShareOfRuns share = {})
      : steps_(steps),
        number_(number),
        run_(run),
        num_threads_(run.num_threads()),
        kernels_(frontier_kernels(std::min(run.options().max_isa, detected_isa()))),
        states_(steps),
        file_(run, std::move(name), description),
        share_(share) {}

  // Reports so much work of this run, among that of all of which it is a share.
  void report(double done) const {
    run_.report("frontier", share_.before / share_.own * total_work_ + done, total_work_ / share_.own);
  }

  // -- Where layers are held.

  // Puts the layer, before step t, where it is to be.
  virtual void arrange(std::size_t /*t*/, bool /*prepared*/) {}
  virtual void prepare(std::size_t t) {
    number_.prepare(steps_.steps[t], layer_, [](double largest) { return largest; });
  }
  // Makes step t of a layer that is not sparse.
  virtual void dense_step(std::size_t t) = 0;
  // Says whether the layer after sparse step t is better held dense; to_dense makes it so.
  virtual bool fills(std::size_t /*t*/) const { return false; }
  virtual void to_dense(std::size_t /*t*/) {}
  virtual bool is_over() const { return layer_.count == 0; }
  virtual std::vector<Slot> last() {
    std::vector<Slot> result;
    for (int k = 0; k < layer_.planes; ++k) result.push_back(layer_.values()[k * layer_.plane_stride()]);
    return result;
  }

  // Takes up the one state before the first step, or a layer that was saved; returns the step to go on with.
  virtual std::size_t begin(bool& prepared) {
    layer_.count = 1;
    layer_.planes = number_.source_planes();
    for (int k = 0; k < layer_.planes; ++k) layer_.sparse.push_back(number_.one(k));
    const auto saved = file_.find();
    if (!saved) return 0;
    ByteReader in(*saved);
    const LayerHead head = head_in(in);
    states_.set_slots(head.slots);
    static_cast<LayerShape&>(layer_) = head;
    check_memory(8.0 * static_cast<double>(head.num_keys));
    states_.keys().resize(head.num_keys);
    in.get_raw(std::as_writable_bytes(std::span(states_.keys())));
    if (head.is_dense) {
      layer_.sparse = {};
      load_dense(head, in);
    } else {
      const std::size_t size = layer_.count * static_cast<std::size_t>(layer_.planes);
      check_memory(bytes_of_slot * static_cast<double>(size));
      layer_.sparse.resize(size);
      in.get_raw(std::as_writable_bytes(std::span(layer_.sparse)));
    }
    if (!in.at_end()) throw Error("a layer of another graph");
    file_.forget();
    prepared = true;
    singles_done_ = head.singles_done;
    return head.step;
  }

  // Takes step t; if it ends early, the layer before it, or that of the single steps done, is saved, provided that it
  // is still there.
  virtual void take_step(std::size_t t, double done) {
    is_lost_ = false;
    try {
      report(done);
      const auto singles = steps_.steps[t].singles();
      do {
        if (file_.due()) save(t);
        if (layer_.is_dense) return dense_step(t);
        const FrontierStep& single = singles[singles_done_];
        if (singles.size() > 1) number_.prepare(single, layer_, [](double largest) { return largest; });
        merged_step(single);
      } while (++singles_done_ < singles.size());
      singles_done_ = 0;
      is_lost_ = true;
      if (fills(t)) to_dense(t);
    } catch (const Unable&) {
      if (file_ && !is_lost_) save(t);
      throw;
    }
  }

  // -- Layers in checkpoints.

  LayerHead head_of(std::size_t t) const {
    LayerHead head{layer_, t, singles_done_, states_.slots(), {}, layer_.is_dense ? 0 : states_.keys().size()};
    if constexpr (requires { number_.fields(); }) head.number = to_bytes(number_);
    return head;
  }
  // Reads a head, and takes up its number. Throws Error for a layer of other steps.
  LayerHead head_in(ByteReader& in) {
    auto head = in.get<LayerHead>();
    if (head.step >= steps_.steps.size() || head.singles_done >= steps_.steps[head.step].singles().size())
      throw Error("a layer of a step that there is not");
    load_number(head.number, head.step);
    return head;
  }
  void load_number(const Bytes& number, std::size_t t) {
    if constexpr (requires { number_.fields(); }) {
      ByteReader(number).get(number_);
      number_.take_weights(steps_.steps[t]);
    }
  }
  void save(std::size_t t) {
    const Bytes head = to_bytes(head_of(t));
    if (layer_.is_dense) return save_dense(head);
    file_.write({head, std::as_bytes(std::span(states_.keys())), std::as_bytes(std::span(layer_.sparse))});
  }
  // Saves and takes up what follows the head of a dense layer, to its end.
  virtual void save_dense(const Bytes& /*head*/) {}
  virtual void load_dense(const LayerHead& /*head*/, ByteReader& /*in*/) {}

  // -- Memory.

  // Says whether so much is within the part of the memory limit that layers may take.
  bool has_memory_for(double bytes) const { return run_.has_memory_for(bytes / share_of_memory_); }
  double bytes_held() const { return static_cast<double>(layer_.bytes() + states_.bytes()); }
  void check_memory(double more_bytes) const {
    const double total = bytes_held() + more_bytes;
    if (!has_memory_for(total)) {
      const auto limit = static_cast<double>(run_.memory_limit_bytes());
      throw OverLimit(
          "the next layer of the frontier needs " + memory_amount(total) + " in all, the memory limit is " +
          memory_amount(limit) +
          (share_of_memory_ < 1 ? ", of which it may have " + memory_amount(share_of_memory_ * limit) : ""));
    }
  }

  // -- The sparse engine.

  virtual void merged_step(const FrontierStep& step) {
    keys_before_ = {};
    SparseStates::Step next = states_.begin(step, num_threads_, run_);
    const auto source_planes = static_cast<std::size_t>(number_.source_planes());
    const auto target_planes = static_cast<std::size_t>(number_.target_planes());
    next_.is_dense = false;
    next_.count = next.count();
    next_.planes = number_.target_planes();
    check_memory(8.0 * static_cast<double>(next.keys.size()) +
                 bytes_of_slot * static_cast<double>(next_.count * target_planes));
    next_.sparse.assign(next_.count * target_planes, Slot{0});
    parallel_for_chunks(num_threads_, next.num_parts(), [&](std::uint64_t part, int) {
      states_.for_each_transition(next, part, run_, [&](std::size_t source, std::size_t target, std::uint32_t weight) {
        number_.add(&next_.sparse[target * target_planes], &layer_.sparse[source * source_planes], weight);
      });
    });
    states_.finish(next);
    keys_before_ = std::move(next.keys);
    std::swap(layer_, next_);
  }

  static double work_of(const FrontierStep& step) { return step.transitions_into(step.states); }

  const FrontierSteps& steps_;
  Number& number_;
  const RunContext& run_;
  int num_threads_;
  double share_of_memory_ = 1;
  const FrontierKernels& kernels_;

  Layer<Slot> layer_, next_;
  SparseStates states_;            // of a sparse layer
  std::vector<Word> keys_before_;  // the last sparse step
  std::size_t singles_done_ = 0;   // of the step that is taken, of sorted states
  bool is_lost_ = false;           // there is no layer to go on from

  LayerFile file_;
  ShareOfRuns share_;
  double total_work_ = 0;
};

}  // namespace matchcount
