#pragma once
// Keeps a layer that is rewritten in place in this machine's memory, and steps it with threads.

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/run.hpp"

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

// A layer stands at one end of the array, and the next is written to the other. Whoever stands at the front is read
// downwards, whoever stands at the end upwards; where a step takes less room the other way, the layer is carried to the
// other end first.
class LeanCpuRun final : public ArrayRun<Residues> {
 public:
  // `array` is kept from run to run, and its pages with it. The rest is as for Drive. Requires steps without twins and
  // of a width of at most max_dense_width.
  LeanCpuRun(const FrontierSteps& steps, Residues& number, Buffer<Slot>& array, const InPlaceNeeds& needs,
             const RunContext& run, std::string name, const std::string& description, ShareOfRuns share = {})
      : ArrayRun(steps, number, run, std::move(name), description, share), array_(array), needs_(needs) {}

 private:
  Slot* plane(int k) const { return array_.data() + static_cast<std::size_t>(k) * stride_ + begin_; }

  // Has room for so many states of each plane; those that are held stay. The forecast may be a few percent short.
  void reserve(std::size_t states) {
    if (states <= stride_) return;
    const std::size_t stride = std::max(states, needs_.span + needs_.span / 16);
    const std::size_t size = stride * static_cast<std::size_t>(layer_.planes);
    Buffer<Slot> former;
    if (stride_ > 0) std::swap(former, array_);
    array_.resize(size, size);
    for (int k = 0; stride_ > 0 && k < layer_.planes; ++k) {
      const Slot* const states_of_plane = former.data() + static_cast<std::size_t>(k) * stride_ + begin_;
      std::copy_n(states_of_plane, layer_.count, array_.data() + static_cast<std::size_t>(k) * stride);
    }
    stride_ = stride;
    begin_ = 0;
  }
  // Checks what is held once a layer with its successor spans so many states.
  void check_span(std::size_t span) const { check_memory(bytes_of_slot * layer_.planes * static_cast<double>(span)); }

  void put_states(std::size_t /*t*/, std::size_t count) override {
    check_span(count);
    reserve(std::max(count, needs_.span));
    for (int k = 0; k < layer_.planes; ++k) std::fill_n(plane(k), count, Slot{0});
    auto value = layer_.sparse.begin();
    for (std::size_t i = 0; i < layer_.count; ++i) {
      const Word place = place_of(i);
      for (int k = 0; k < layer_.planes; ++k) plane(k)[place] = *value++;
    }
  }

  void step_in_array(std::size_t t) override {
    if (!at_.step) {
      at_ = step_in_place(steps_, touches_, indices_, t, layer_.layout, needs_.span, begin_ == 0, max_piece_bits,
                          num_threads_);
      take_ends();
    }
    make_pieces();
    begin_ += static_cast<std::size_t>(at_.walk.shift);
  }
  void take_ends() {
    InPlaceWalk& walk = at_.walk;
    walk.span = std::max(needs_.span, walk.span);
    check_span(walk.span);
    reserve(walk.span);
    const std::size_t begin = walk.downwards ? 0 : walk.span - at_.old_states;
    for (int k = 0; begin != begin_ && k < layer_.planes; ++k)
      std::memmove(plane(k) - begin_ + begin, plane(k), at_.old_states * sizeof(Slot));
    begin_ = begin;
    walk.shift = static_cast<std::ptrdiff_t>(walk.downwards ? walk.span - at_.new_states : at_.old_states) -
                 static_cast<std::ptrdiff_t>(walk.downwards ? 0 : walk.span);
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
        at_.step->run_top(number_, kernels_, walk.top_of(piece), walk.num_bits, plane(0), plane(0) + walk.shift,
                          stride_);
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
    const std::size_t room = std::max(needs_.span, span);
    check_span(pieces_done_ > 0 ? room : span);
    reserve(room);
    // The next layer comes to stand at an end.
    begin_ = pieces_done_ > 0 && at_.walk.downwards ? room - span : 0;
    for (int k = 0; k < layer_.planes; ++k) in.get_raw(std::as_writable_bytes(std::span(plane(k), span)));
    begin_ -= static_cast<std::size_t>(first);
  }

  Buffer<Slot>& array_;
  const InPlaceNeeds& needs_;
  std::size_t stride_ = 0;  // slots of a plane
  std::size_t begin_ = 0;   // of the layer held
};

}  // namespace matchcount
