#pragma once
// Counts in one array, each layer written over the one before; modulo a few primes, with 4 bytes a state and a prime,
// that is half the memory of two layers and less than that of words, for a pass over the graph with every few primes.
//
// While few of the states are there they are sorted (run.hpp). From the first layer that is filled enough on, all are
// held, to the end; where, those who derive from this say: here (lean_cpu.hpp), or on a GPU (cuda/lean_gpu.hpp).

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount {

// A run's part of all runs, for the progress that is reported.
struct ShareOfRuns {
  double before = 0, own = 1;
};

template <class Arithmetic>
class LeanRun : protected FrontierRun<Arithmetic> {
  using Base = FrontierRun<Arithmetic>;

 public:
  using typename Base::Slot;

  virtual ~LeanRun() = default;

  // The residues of the one state that is left, or nothing where no state is. Throws as FrontierRun does.
  std::vector<Slot> run() {
    std::size_t first = 0;
    bool prepared = begin(first, [&](std::span<const std::byte> saved) { return load(saved); });
    double done = 0;
    for (std::size_t t = 0; t < first; ++t) done += work_of(steps_.steps[t]);
    for (std::size_t t = first; t < steps_.steps.size(); ++t) {
      const FrontierStep& step = steps_.steps[t];
      if (!prepared) prepare(step);
      prepared = false;
      bool replaced = false;  // the layer, by the next one
      try {
        run_.report("frontier", share_.before + share_.own * done / total_work_, 1);
        if (checkpoint_ && checkpoint_->due()) save_any(t);
        if (layer_.is_dense) {
          dense_step(t);
          layer_.count = at_.new_states;
          layer_.layout = at_.step->layout();
          at_ = {};
          pieces_done_ = 0;
        } else {
          merged_step(step);
          replaced = true;
          layer_.planes = arithmetic_.target_planes();
          if (fills(step)) to_dense(t);
        }
      } catch (const Unable&) {
        if (checkpoint_ && !replaced && !is_broken_) save_any(t);
        throw;
      }
      if (layer_.count == 0) return {};
      done += work_of(step);
    }
    if (!layer_.is_dense) return layer_.sparse;
    std::vector<Slot> result;
    for (const auto& plane : states(0, 1)) result.push_back(plane.front());
    return result;
  }

 protected:
  using Base::arithmetic_, Base::checkpoint_, Base::description_, Base::indices_, Base::layer_, Base::name_,
      Base::next_, Base::run_, Base::states_, Base::steps_, Base::total_work_, Base::touches_, Base::bytes_of_slot;
  using Base::begin, Base::check_memory, Base::dense_states, Base::merged_step, Base::save, Base::slots,
      Base::sorted_layout, Base::work_of;

  // Requires steps without twins and of a width of at most max_dense_width; the rest as for FrontierRun.
  LeanRun(const FrontierSteps& steps, Arithmetic& arithmetic, const RunContext& run, std::string name,
          std::string description, ShareOfRuns share)
      : Base(steps, arithmetic, FrontierEngine::automatic, run, std::move(name), std::move(description)),
        share_(share) {}

  // Holds a layer of `count` states, 0 but for those of the sparse layer, each at its place.
  virtual void put_states(std::size_t count, const std::vector<Word>& places) = 0;
  // The arithmetic, for a step of the layer, which may be held.
  virtual void prepare(const FrontierStep& step) {
    arithmetic_.prepare(step, layer_, [](double largest) { return largest; });
  }
  // Step t of the layer held; sets at_, or goes on with it where it is set.
  virtual void dense_step(std::size_t t) = 0;
  // States [first, end) of each plane, counted from the first of the layer held; until the next call of anything.
  virtual std::vector<std::span<const Slot>> states(std::ptrdiff_t first, std::ptrdiff_t end) = 0;
  // Holds what `in` has of these states of each plane.
  virtual void restore(ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) = 0;

  // What is held once a layer with its successor spans so many states.
  void check_span(std::size_t span) const { check_memory(bytes_of_slot * layer_.planes * static_cast<double>(span)); }
  // Whether a sparse layer is better held dense after this step.
  virtual bool fills(const FrontierStep& step) const {
    return static_cast<double>(layer_.count) >= std::min(lean_fill * layer_.planes, dense_fill) * dense_states(step);
  }
  // From the first old state on: of both layers of the step that was begun.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> places() const {
    const std::ptrdiff_t first = std::min<std::ptrdiff_t>(0, at_.walk.shift);
    return {first, first + static_cast<std::ptrdiff_t>(at_.walk.span)};
  }

  InPlaceStep at_;                 // the step that was begun, if any
  std::uint64_t pieces_done_ = 0;  // of it
  bool is_broken_ = false;         // a piece was begun and not finished

 private:
  // So much of the time of a sorted state does one of the dense layer take, for each prime.
  static constexpr double lean_fill = 0.01;

  // After sparse step t.
  void to_dense(std::size_t t) {
    const std::size_t count = indices_.count(steps_.steps[t].width, steps_.steps[t].ones);
    next_ = {};
    layer_.layout = sorted_layout(t);
    std::vector<Word> places(layer_.count);
    for (std::size_t i = 0; i < layer_.count; ++i) places[i] = indices_.index(states_.mask_of(i, layer_.layout));
    put_states(count, places);
    states_.clear();
    layer_.is_dense = true;
    layer_.count = count;
    layer_.release_sparse();
  }

  // -- Checkpoints: between two steps, or between two pieces of one, when a part of each layer is there.

  void save_any(std::size_t t) {
    if (!layer_.is_dense) return save(t);
    KeptLayer kept;
    kept.slots = slots();
    kept.step = t;
    kept.is_dense = true;
    kept.count = layer_.count;
    kept.planes = layer_.planes;
    kept.layout = layer_.layout;
    const auto [first, end] = pieces_done_ > 0 ? places() : std::pair(std::ptrdiff_t{0}, std::ptrdiff_t(layer_.count));
    ByteWriter out;
    out.put(pieces_done_);
    out.put(std::int64_t{first});
    out.put(std::int64_t{end});
    out.put(at_.rule.kept);
    out.put(at_.rule.enters_on_top);
    out.put(at_.walk.downwards);
    out.put(at_.walk.num_bits);
    out.put(std::int64_t{at_.walk.shift});
    out.put(at_.walk.in_flight);
    const Bytes head = kept.head(arithmetic_), step = out.take();
    Checkpoint::Extra extra{name_, description_, {head, step}};
    for (const auto& plane : states(first, end)) extra.parts.push_back(std::as_bytes(plane));
    checkpoint_->write(&extra);
  }

  std::size_t load(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const KeptLayer kept = KeptLayer::from(in, arithmetic_, steps_.steps);
    if (!kept.is_dense) return Base::load(bytes);
    states_.clear();
    layer_.release_sparse();
    layer_.is_dense = true;
    layer_.count = kept.count;
    layer_.planes = kept.planes;
    layer_.layout = kept.layout;
    pieces_done_ = in.get<std::uint64_t>();
    const auto first = static_cast<std::ptrdiff_t>(in.get<std::int64_t>());
    const auto end = static_cast<std::ptrdiff_t>(in.get<std::int64_t>());
    at_.rule.in_place = true;
    at_.rule.kept = in.get<std::uint32_t>();
    at_.rule.enters_on_top = in.get<bool>();
    at_.walk.downwards = in.get<bool>();
    at_.walk.num_bits = in.get<std::uint32_t>();
    at_.walk.shift = static_cast<std::ptrdiff_t>(in.get<std::int64_t>());
    at_.walk.in_flight = in.get<std::uint64_t>();
    const auto span = static_cast<std::size_t>(end - first);
    if (layer_.planes != arithmetic_.source_planes() || first > 0 || end < static_cast<std::ptrdiff_t>(kept.count)) {
      throw Error("a layer of another graph");
    }
    restore(in, first, end);
    if (!in.at_end()) throw Error("a layer of another graph");
    if (pieces_done_ > 0) {
      at_.step =
          std::make_unique<DenseStep>(steps_, touches_, indices_, kept.step, layer_.layout, layer_.count, at_.rule);
      at_.old_states = layer_.count;
      at_.new_states = indices_.count(steps_.steps[kept.step].width, steps_.steps[kept.step].ones);
      at_.walk.span = span;
    }
    return kept.step;
  }

  ShareOfRuns share_;
};

}  // namespace matchcount
