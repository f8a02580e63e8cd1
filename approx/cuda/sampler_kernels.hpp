#pragma once
// Defines the arguments of the samplers' kernels; shared by host and device. A kernel is called with its own argument,
// then   SampleRange range, unsigned* next, char* memory, Sample* out `next` is 0 at first; `memory` holds what a team
// or a thread needs, for as many as are launched.

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

struct GuidedArguments {
  GuidedView view;
  const double* message = nullptr;  // the problem's
  const std::uint32_t* mate = nullptr;
};

constexpr unsigned bitmask_threads = 128, published_threads = 128,
                   guided_threads = 32;  // a guided warp's memory is large

}  // namespace matchcount::gpu
