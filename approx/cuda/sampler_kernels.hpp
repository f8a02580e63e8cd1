#pragma once
// What the samplers' kernels take; shared by host and device. A kernel is called with its own argument, then
//   SampleRange range, unsigned* next, char* memory, Sample* out
// `next` is 0 at first; `memory` holds what a team or a thread needs, for as many as are launched.

#include "approx/bitmask_walk.hpp"
#include "approx/guided_walk.hpp"
#include "approx/published_walk.hpp"

namespace matchcount::gpu {

struct SampleRange {
  std::uint64_t seed = 0, first = 0;
  std::uint32_t count = 0;
};

using SmallBlock = BitmaskBlock<1, 7>;

struct PublishedArguments {
  ProblemView problem;
  PublishedOptions options;
};

// Every thread has memory of its own: a state, scratch, and what makes them a multiple of 128 bytes.
struct GuidedArguments {
  GuidedView view;
  const std::uint64_t* start = nullptr;

  MATCHCOUNT_ANYWHERE std::size_t words_of_thread() const {
    return (view.state_length() + view.scratch_length() + 15) / 16 * 16;
  }
};

constexpr unsigned bitmask_threads = 128, published_threads = 128, guided_threads = 128;

}  // namespace matchcount::gpu
