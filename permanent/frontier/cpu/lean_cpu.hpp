#pragma once
// Keeps a layer that is rewritten in place in this machine's memory, and steps it with threads.

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "permanent/frontier/cpu/lean.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/window.hpp"

namespace matchcount {

// Knows which pieces of a step are done, for those who wait. Any number of threads may call it.
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
  // Waits until all before this one are done; returns false if one never will be.
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

class LeanCpuRun final : public LeanRun<Residues> {
 public:
  // `window` is kept from run to run, and its pages with it. The rest is as for LeanRun.
  LeanCpuRun(const FrontierSteps& steps, Residues& number, Window<Slot>& window, const InPlaceNeeds& needs,
             const RunContext& run, std::string name, const std::string& description, ShareOfRuns share = {})
      : LeanRun(steps, number, run, std::move(name), description, share), window_(window), needs_(needs) {}

 private:
  Slot* plane(int k) const { return window_.data() + static_cast<std::size_t>(k) * window_.stride(); }

  // Two layers side by side at the most, at any step.
  void reserve(std::size_t span) {
    check_span(span);
    window_.reserve(layer_.planes, std::max(2 * needs_.largest_layer, needs_.span), needs_.span);
  }

  void put_states(std::size_t /*t*/, std::size_t count, const std::vector<Word>& places) override {
    reserve(count);
    window_.make_room(0, static_cast<std::ptrdiff_t>(count), 0);
    const auto planes = static_cast<std::size_t>(layer_.planes);
    for (std::size_t k = 0; k < planes; ++k) {
      Slot* const states = plane(static_cast<int>(k));
      std::fill_n(states, count, Slot{0});
      for (std::size_t i = 0; i < places.size(); ++i) states[places[i]] = layer_.sparse[i * planes + k];
    }
  }

  void step_in_array(std::size_t t) override {
    if (!at_.step) {
      at_ = step_in_place(steps_, touches_, indices_, t, layer_.layout, needs_.span, window_.is_in_first_half(),
                          max_piece_bits, num_threads_);
    }
    check_span(at_.walk.span);
    const auto [first, end] = places();
    window_.make_room(first, end, at_.old_states);
    make_pieces();
    window_.advance(at_.walk.shift);
  }

  // Makes the pieces that are not done. If the run ends early, it first finishes those that were begun.
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
        at_.step->run_top(number_, kernels_, walk.top_of(piece), walk.num_bits, window_.data(),
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
      is_lost_ = done.broken();
      throw;
    }
  }

  std::vector<std::span<const Slot>> held(std::ptrdiff_t first, std::ptrdiff_t end) override {
    std::vector<std::span<const Slot>> result;
    for (int k = 0; k < layer_.planes; ++k) {
      result.emplace_back(plane(k) + first, static_cast<std::size_t>(end - first));
    }
    return result;
  }
  void restore(std::size_t /*t*/, ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) override {
    const auto span = static_cast<std::size_t>(end - first);
    reserve(span);
    window_.make_room(first, end, 0);
    for (int k = 0; k < layer_.planes; ++k) in.get_raw(std::as_writable_bytes(std::span(plane(k) + first, span)));
  }

  Window<Slot>& window_;
  const InPlaceNeeds& needs_;
};

}  // namespace matchcount
