#pragma once
// Holds a layer that slides through a range of addresses while it is rewritten in place, so that memory is taken up for
// the states that are there and for few more.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/amounts.hpp"
#include "core/error.hpp"

namespace matchcount {

// WebAssembly has few addresses and takes up all that are reserved.
#ifdef __EMSCRIPTEN__
constexpr std::size_t spans_of_window = 2;
#else
constexpr std::size_t spans_of_window = 8;
#endif

// An array of slots for each of some planes, all alike. Each has a range of addresses of its own, `spans` times as long
// as the array, an even number; pages are taken up when they are first written, and given back where the array has left
// them and others are needed. An array that would run out of its range is carried to the middle, page after page from
// four spans on, between which the places are apart.
template <class Slot, std::size_t spans = spans_of_window>
class Window {
  static_assert(spans >= 2 && spans % 2 == 0);

 public:
  Window() = default;
  ~Window() { unmap(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Reserves addresses for arrays that take, with what they are rewritten to, `most_slots` at the most, and up to
  // `kept_slots` before pages are given back. Values held before are lost. Throws Unable if there are no addresses.
  void reserve(int planes, std::size_t most_slots, std::size_t kept_slots) {
    const std::size_t span = round_up(most_slots * sizeof(Slot)) + 2 * page;
    kept_ = round_up(kept_slots * sizeof(Slot)) + page;
    if (planes != planes_ || span != span_) {
      unmap();
      span_ = span;
      mapped_bytes_ = range() * static_cast<std::size_t>(planes) + page;
      void* const memory =
          mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) {
        throw Unable("no addresses for a layer of " +
                     memory_amount(static_cast<double>(most_slots * sizeof(Slot)) * planes));
      }
      planes_ = planes;
      mapped_ = static_cast<std::byte*>(memory);
      base_ = mapped_ + (page - reinterpret_cast<std::uintptr_t>(mapped_) % page) % page;
#ifdef MADV_HUGEPAGE
      madvise(base_, range() * static_cast<std::size_t>(planes), MADV_HUGEPAGE);
#endif
      touched_first_ = touched_end_ = range() / 2;
    }
    begin_ = touched_first_ / sizeof(Slot);
  }

  Slot* data() const { return reinterpret_cast<Slot*>(base_) + begin_; }  // of plane 0
  std::size_t stride() const { return range() / sizeof(Slot); }           // from plane to plane
  // Returns the bytes that are taken up at the most: what was written and not given back lies within.
  std::size_t bytes() const { return (touched_end_ - touched_first_) * static_cast<std::size_t>(planes_); }

  // Lets [first, end), counted from data() on, be written, and keeps `count` slots from data() on. Requires first <= 0
  // and count <= end.
  void make_room(std::ptrdiff_t first, std::ptrdiff_t end, std::size_t count) {
    if (static_cast<std::size_t>(end - first) * sizeof(Slot) + 2 * page > span_) {
      throw Error("a layer that outgrows its window");
    }
    const auto begin = static_cast<std::ptrdiff_t>(begin_);
    if (begin + first < 0 || begin + end > static_cast<std::ptrdiff_t>(stride())) move_to_middle(count);
    const std::size_t from =
        round_down(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_) + first) * sizeof(Slot));
    const std::size_t to = round_up(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_) + end) * sizeof(Slot));
    if (std::max(to, touched_end_) - std::min(from, touched_first_) > kept_) keep_only(from, to);
    touched_first_ = std::min(from, touched_first_);
    touched_end_ = std::max(to, touched_end_);
  }
  // The array begins so much further on.
  void advance(std::ptrdiff_t shift) { begin_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_) + shift); }
  bool is_in_first_half() const { return begin_ < stride() / 2; }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21;  // a large one
  static constexpr std::size_t carried_at_once = 16 * page;
  static std::size_t round_down(std::size_t bytes) { return bytes / page * page; }
  static std::size_t round_up(std::size_t bytes) { return round_down(bytes + page - 1); }

  std::size_t range() const { return spans * span_; }
  std::byte* plane(int k) const { return base_ + range() * static_cast<std::size_t>(k); }

  // Gives back whole pages in [first, end), which are not touched from there on.
  void give_back(std::size_t first, std::size_t end) const {
    for (int k = 0; k < planes_ && first < end; ++k) madvise(plane(k) + first, end - first, MADV_DONTNEED);
  }
  void keep_only(std::size_t from, std::size_t to) {
    give_back(touched_first_, std::min(from, touched_end_));
    give_back(std::max(to, touched_first_), touched_end_);
    touched_first_ = std::clamp(from, touched_first_, touched_end_);
    touched_end_ = std::clamp(to, touched_first_, touched_end_);
    if (touched_first_ == touched_end_) touched_first_ = touched_end_ = from;
  }

  // Moves the array to the middle of its range from within two spans of an end, or from anywhere in fewer than four.
  void move_to_middle(std::size_t count) {
    const std::size_t from = round_down(begin_ * sizeof(Slot));
    const std::size_t to = round_up((begin_ + count) * sizeof(Slot));
    const std::size_t middle = range() / 2, behind = middle + (to - from);
    keep_only(from, to);
    if (spans < 4) {
      for (int k = 0; k < planes_; ++k) std::memmove(plane(k) + middle, plane(k) + from, to - from);
      give_back(from, std::min(to, middle));
      give_back(std::max(from, behind), to);
    }
    for (std::size_t at = from; spans >= 4 && at < to; at += carried_at_once) {
      const std::size_t length = std::min(carried_at_once, to - at);
      for (int k = 0; k < planes_; ++k) std::memcpy(plane(k) + middle + (at - from), plane(k) + at, length);
      give_back(at, at + length);
    }
    begin_ = begin_ - from / sizeof(Slot) + middle / sizeof(Slot);
    touched_first_ = middle;
    touched_end_ = behind;
  }

  void unmap() {
    if (planes_ > 0) munmap(mapped_, mapped_bytes_);
    planes_ = 0;
    span_ = 0;
  }

  std::byte* mapped_ = nullptr;
  std::byte* base_ = nullptr;  // a multiple of a large page
  std::size_t mapped_bytes_ = 0;
  int planes_ = 0;
  std::size_t span_ = 0, kept_ = 0;                  // bytes, whole large pages
  std::size_t begin_ = 0;                            // of the array, in slots from the beginning of its range
  std::size_t touched_first_ = 0, touched_end_ = 0;  // bytes of the range, whole large pages
};

}  // namespace matchcount
