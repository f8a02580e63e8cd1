#pragma once
// Counts modulo a few primes in one array of 4 bytes a state and a prime, each layer written over the one before: half
// the memory of two layers and less than that of words, for a pass over the graph with every few primes.
//
// While few of the states are there they are sorted (run.hpp). From the first layer that is filled enough on, all are
// held, to the end.

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/residues.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cpu/window.hpp"

namespace matchcount {

// Which of the pieces of a step are done, for those who wait. Any number of threads.
class DonePieces {
 public:
  DonePieces(std::uint64_t first, std::uint64_t end) : first_(first), done_(end - first, 0), before_(first) {}

  void finish(std::uint64_t piece) {
    const std::lock_guard lock(mutex_);
    done_[piece - first_] = 1;
    std::uint64_t before = before_.load(std::memory_order_relaxed);
    while (before - first_ < done_.size() && done_[before - first_]) ++before;
    before_.store(before, std::memory_order_release);
  }
  // Until all before this one are done; false where one never will be.
  bool wait_for_all_before(std::uint64_t piece) const {
    for (int turn = 0; before_.load(std::memory_order_acquire) < piece; ++turn) {
      if (broken_.load(std::memory_order_relaxed)) return false;
      if (turn < 16) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // whom it waits for has no processor, perhaps
      }
    }
    return true;
  }
  // A piece was begun and not finished.
  void set_broken() { broken_.store(true, std::memory_order_relaxed); }
  bool broken() const { return broken_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t first_;
  std::mutex mutex_;
  std::vector<char> done_;
  std::atomic<std::uint64_t> before_;  // all before it are done
  std::atomic<bool> broken_{false};
};

// A run's part of all runs, for the progress that is reported.
struct ShareOfRuns {
  double before = 0, own = 1;
};

class LeanRun : private FrontierRun<ResidueArithmetic> {
  using Base = FrontierRun<ResidueArithmetic>;

 public:
  // `window` is kept from run to run, so that its pages are. Requires steps without twins and of a width of at most
  // max_dense_width; the rest as for FrontierRun.
  LeanRun(const FrontierSteps& steps, ResidueArithmetic& arithmetic, Window<Slot>& window, const InPlaceNeeds& needs,
          const RunContext& run, std::string name, std::string description, ShareOfRuns share = {})
      : Base(steps, arithmetic, FrontierEngine::automatic, run, std::move(name), std::move(description)),
        window_(window),
        needs_(needs),
        share_(share) {}

  // The residues of the one state that is left, or nothing where no state is. Throws as FrontierRun does.
  std::vector<Slot> run() {
    std::size_t first = 0;
    bool prepared = begin(first, [&](std::span<const std::byte> saved) { return load(saved); });
    double done = 0;
    for (std::size_t t = 0; t < first; ++t) done += work_of(steps_.steps[t]);
    for (std::size_t t = first; t < steps_.steps.size(); ++t) {
      const FrontierStep& step = steps_.steps[t];
      if (!prepared) arithmetic_.prepare(step, layer_, 0);
      prepared = false;
      const Bytes before = layer_.is_dense ? Bytes() : slots();
      bool replaced = false;  // the layer, by the next one
      try {
        run_.report("frontier", share_.before + share_.own * done / total_work_, 1);
        if (checkpoint_ && checkpoint_->due()) save_any(t, before);
        if (layer_.is_dense) {
          step_in_place(t);
        } else {
          merged_step(step);
          replaced = true;
          layer_.planes = arithmetic_.target_planes();
          if (fills(step)) to_window(t);
        }
      } catch (const Unable&) {
        if (checkpoint_ && !replaced && !is_broken_) save_any(t, before);
        throw;
      }
      if (layer_.count == 0) return {};
      done += work_of(step);
    }
    if (!layer_.is_dense) return layer_.sparse;
    std::vector<Slot> result;
    for (int k = 0; k < layer_.planes; ++k) result.push_back(plane(k)[0]);
    return result;
  }

 private:
  // So much of the time of a sorted state does one of the dense layer take, for each prime.
  static constexpr double lean_fill = 0.01;

  Slot* plane(int k) const { return window_.data() + static_cast<std::size_t>(k) * window_.stride(); }

  bool fills(const FrontierStep& step) const {
    return static_cast<double>(layer_.count) >= std::min(lean_fill * layer_.planes, dense_fill) * dense_states(step);
  }

  // What is held once a layer with its successor spans so many states.
  void check_span(std::size_t span) const { check_memory(bytes_of_slot * layer_.planes * static_cast<double>(span)); }

  // Two layers side by side at the most, at any step.
  void reserve() { window_.reserve(layer_.planes, std::max(2 * needs_.largest_layer, needs_.span), needs_.span); }

  // After sparse step t.
  void to_window(std::size_t t) {
    const std::size_t count = indices_.count(steps_.steps[t].width, steps_.steps[t].ones);
    next_ = {};
    check_span(count);
    reserve();
    window_.make_room(0, static_cast<std::ptrdiff_t>(count), 0);
    const auto planes = static_cast<std::size_t>(layer_.planes);
    for (int k = 0; k < layer_.planes; ++k) std::fill_n(plane(k), count, Slot{0});
    layer_.layout = sorted_layout(t);
    for (std::size_t i = 0; i < layer_.count; ++i) {
      const Word place = indices_.index(mask_of(i, layer_.layout));
      for (std::size_t k = 0; k < planes; ++k) plane(static_cast<int>(k))[place] = layer_.sparse[i * planes + k];
    }
    forget_slots();
    layer_.is_dense = true;
    layer_.count = count;
    layer_.release_sparse();
  }

  // -- Steps in place.

  void step_in_place(std::size_t t) {
    if (!at_.step) {
      at_ = matchcount::step_in_place(steps_, touches_, indices_, t, layer_.layout, needs_.span,
                                      window_.is_in_first_half(), max_piece_bits, num_threads_);
      pieces_done_ = 0;
    }
    check_span(at_.walk.span);
    const auto [first, end] = places();
    window_.make_room(first, end, at_.old_states);
    make_pieces();
    window_.advance(at_.walk.shift);
    layer_.count = at_.new_states;
    layer_.layout = at_.step->layout();
    at_ = {};
    pieces_done_ = 0;
  }

  // From the first old state on: of both layers.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> places() const {
    const std::ptrdiff_t first = std::min<std::ptrdiff_t>(0, at_.walk.shift);
    return {first, first + static_cast<std::ptrdiff_t>(at_.walk.span)};
  }

  // Those that are not done. Where the run ends before, all that were begun are.
  void make_pieces() {
    const InPlaceWalk& walk = at_.walk;
    DonePieces done(pieces_done_, walk.num_pieces());
    std::atomic<std::uint64_t> next{pieces_done_};
    const bool parallel = num_threads_ > 1 && static_cast<double>(at_.new_states) > min_parallel_states;
    const auto make_one = [&](int) {
      run_.check();
      const std::uint64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= walk.num_pieces()) return false;
      if (piece > walk.in_flight && !done.wait_for_all_before(piece - walk.in_flight)) return false;
      try {
        at_.step->run_top(arithmetic_, kernels_, walk.top_of(piece), walk.num_bits, window_.data(),
                          window_.data() + walk.shift, window_.stride());
      } catch (...) {
        done.set_broken();
        throw;
      }
      done.finish(piece);
      return true;
    };
    try {
      parallel_until(parallel ? num_threads_ : 1, make_one);
    } catch (...) {
      pieces_done_ = std::min(next.load(), walk.num_pieces());
      is_broken_ = done.broken();
      throw;
    }
  }

  // -- Checkpoints: between two steps, or between two pieces of one, when a part of each layer is there.

  void save_any(std::size_t t, const Bytes& before) {
    if (!layer_.is_dense) return save(t, before);
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
    for (int k = 0; k < layer_.planes; ++k) {
      extra.parts.push_back(std::as_bytes(std::span(plane(k) + first, static_cast<std::size_t>(end - first))));
    }
    checkpoint_->write(&extra);
  }

  std::size_t load(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const KeptLayer kept = KeptLayer::from(in, arithmetic_, steps_.steps);
    if (!kept.is_dense) return Base::load(bytes);
    forget_slots();
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
    check_span(span);
    reserve();
    window_.make_room(first, end, 0);
    for (int k = 0; k < layer_.planes; ++k) in.get_raw(std::as_writable_bytes(std::span(plane(k) + first, span)));
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

  Window<Slot>& window_;
  const InPlaceNeeds& needs_;
  ShareOfRuns share_;
  InPlaceStep at_;                 // the step that was begun, if any
  std::uint64_t pieces_done_ = 0;  // of it
  bool is_broken_ = false;         // a piece was begun and not finished
};

}  // namespace matchcount
