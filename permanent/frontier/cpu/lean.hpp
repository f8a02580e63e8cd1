#pragma once
// Runs in place: all layers stand in one array, each written over the one before. A pass over the graph counts modulo a
// few primes, with 4 bytes a state and a prime, which is half the memory of two layers and less than that of words;
// every few primes take another pass.
//
// States are sorted while few of them are there (run.hpp). From the first layer that is filled enough on, all states
// are held, to the end. Derived classes say where: here (lean_cpu.hpp), or on a GPU (cuda/lean_gpu.hpp).

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount {

template <class Number>
class LeanRun : public RankedDrive<Number> {
  using Base = RankedDrive<Number>;

 public:
  using typename Drive<Number>::Slot;

 protected:
  using Base::bytes_of_slot, Base::check_memory, Base::dense_states, Base::indices_, Base::is_lost_, Base::layer_,
      Base::next_, Base::number_, Base::run_, Base::states_, Base::steps_, Base::touches_;

  // Requires steps without twins and of a width of at most max_dense_width; the rest as for Drive.
  LeanRun(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
          const std::string& description, ShareOfRuns share)
      : Base(steps, number, run, std::move(name), description, share) {}

  // Returns the vertices of the layer after sparse step t as they are to stand.
  virtual std::vector<Vertex> first_layout(std::size_t t) const { return this->sorted_layout(t); }
  // Holds a layer of `count` states, after step t, 0 but for those of the sparse layer, each at its place.
  virtual void put_states(std::size_t t, std::size_t count, const std::vector<Word>& places) = 0;
  // Makes step t of the layer held; sets at_, or goes on with it where it is set. Sets is_lost_ where it leaves a piece
  // half done.
  virtual void step_in_array(std::size_t t) = 0;
  // States [first, end) of each plane, counted from the first of the layer held; until the next call of anything.
  virtual std::vector<std::span<const Slot>> held(std::ptrdiff_t first, std::ptrdiff_t end) = 0;
  // Holds what `in` has of these states of each plane, before step t.
  virtual void restore(std::size_t t, ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) = 0;

  // Checks what is held once a layer with its successor spans so many states.
  void check_span(std::size_t span) const { check_memory(bytes_of_slot * layer_.planes * static_cast<double>(span)); }
  bool fills(std::size_t t) const override {
    return static_cast<double>(layer_.count) >=
           std::min(lean_fill * layer_.planes, dense_fill) * dense_states(steps_.steps[t]);
  }
  std::vector<Slot> last() override {
    if (!layer_.is_dense) return layer_.sparse;
    std::vector<Slot> result;
    for (const auto& plane : held(0, 1)) result.push_back(plane.front());
    return result;
  }
  // Returns the places, counted from the first old state on, of both layers of the step that was begun.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> places() const {
    const std::ptrdiff_t first = std::min<std::ptrdiff_t>(0, at_.walk.shift);
    return {first, first + static_cast<std::ptrdiff_t>(at_.walk.span)};
  }

  InPlaceStep at_;                 // the step that was begun, if any
  std::uint64_t pieces_done_ = 0;  // of it

 private:
  // A dense state takes this share of the time of a sorted one, for each prime.
  static constexpr double lean_fill = 0.01;

  void to_dense(std::size_t t) override {
    const std::size_t count = indices_.count(steps_.steps[t].width, steps_.steps[t].ones);
    next_ = {};
    layer_.layout = first_layout(t);
    std::vector<Word> places(layer_.count);
    for (std::size_t i = 0; i < layer_.count; ++i) places[i] = indices_.index(states_.mask_of(i, layer_.layout));
    put_states(t, count, places);
    states_.clear();
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

  // -- Checkpoints: between two steps, or between two pieces of one, when a part of each layer is there.

  void save_dense(const Bytes& head) override {
    const auto [first, end] = pieces_done_ > 0 ? places() : std::pair(std::ptrdiff_t{0}, std::ptrdiff_t(layer_.count));
    const Bytes step = to_bytes(pieces_done_, first, end, at_.rule, at_.walk);
    std::vector<std::span<const std::byte>> parts{head, step};
    for (const auto& plane : held(first, end)) parts.push_back(std::as_bytes(plane));
    this->file_.write(std::move(parts));
  }

  void load_dense(const LayerHead& head, ByteReader& in) override {
    std::ptrdiff_t first = 0, end = 0;
    in.get(pieces_done_, first, end, at_.rule, at_.walk);
    if (layer_.planes != number_.source_planes() || first > 0 || end < static_cast<std::ptrdiff_t>(head.count)) {
      throw Error("a layer of another graph");
    }
    restore(head.step, in, first, end);
    if (pieces_done_ == 0) return;
    at_.step =
        std::make_unique<DenseStep>(steps_, touches_, indices_, head.step, layer_.layout, layer_.count, at_.rule);
    at_.old_states = layer_.count;
    at_.new_states = indices_.count(steps_.steps[head.step].width, steps_.steps[head.step].ones);
  }
};

}  // namespace matchcount
