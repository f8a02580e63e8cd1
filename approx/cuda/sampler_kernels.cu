// The samplers' kernels: the text of the headers, and who draws which sample.

#include "approx/cuda/guided_warp.cuh"
#include "approx/cuda/sampler_kernels.hpp"
#include "approx/cuda/warp_team.cuh"

using namespace matchcount;
using namespace matchcount::gpu;

namespace {

template <bool FEWEST>
__device__ __forceinline__ void draw_bitmask(const SmallBlock* block, const SampleRange& range, Sample* out) {
  __shared__ SmallBlock shared;
  static_assert(sizeof(SmallBlock) % 4 == 0);
  for (unsigned i = threadIdx.x; i < sizeof(SmallBlock) / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(&shared)[i] = reinterpret_cast<const unsigned*>(block)[i];
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < range.count; i += gridDim.x * blockDim.x)
    out[i] = bitmask_sample<FEWEST>(shared, range.seed, range.first + i);
}

// Warps take samples as they come: draw(i).
template <class Draw>
__device__ __forceinline__ void draw_by_warps(const SampleRange& range, unsigned* next, Sample* out, const Draw& draw) {
  for (;;) {
    unsigned i = 0;
    if (Warp::lane() == 0) i = atomicAdd(next, 1);
    i = Warp::from_lane(0, i);
    if (i >= range.count) break;
    const Sample sample = draw(range.first + i);
    if (Warp::lane() == 0) out[i] = sample;
  }
}

__device__ __forceinline__ void draw_published(const PublishedArguments& arguments, const SampleRange& range,
                                               unsigned* next, char* memory, Sample* out) {
  WarpTeam team(arguments.problem, memory);
  draw_by_warps(range, next, out, [&](std::uint64_t i) {
    return PublishedWalk<WarpTeam>(arguments.problem, arguments.options, team).sample(range.seed, i);
  });
}

template <class Index>
__device__ __forceinline__ void draw_guided(const GuidedArguments& arguments, const SampleRange& range, unsigned* next,
                                            char* messages, char* indices, Sample* out) {
  GuidedWarp<Index> walk(arguments.view, messages, indices);
  draw_by_warps(range, next, out,
                [&](std::uint64_t i) { return walk.sample(arguments.message, arguments.mate, range.seed, i); });
}

}  // namespace

extern "C" __global__ void __launch_bounds__(bitmask_threads)
    sample_bitmask_first(const SmallBlock* __restrict__ block, SampleRange range, unsigned*, char*, Sample* out) {
  draw_bitmask<false>(block, range, out);
}
extern "C" __global__ void __launch_bounds__(bitmask_threads)
    sample_bitmask_fewest(const SmallBlock* __restrict__ block, SampleRange range, unsigned*, char*, Sample* out) {
  draw_bitmask<true>(block, range, out);
}

extern "C" __global__ void __launch_bounds__(published_threads)
    sample_published_shared(const __grid_constant__ PublishedArguments arguments, SampleRange range, unsigned* next,
                            char*, Sample* out) {
  extern __shared__ double shared[];
  draw_published(arguments, range, next,
                 reinterpret_cast<char*>(shared) + threadIdx.x / 32 * WarpTeam::bytes(arguments.problem.size), out);
}
extern "C" __global__ void __launch_bounds__(published_threads)
    sample_published_global(const __grid_constant__ PublishedArguments arguments, SampleRange range, unsigned* next,
                            char* memory, Sample* out) {
  const std::size_t team = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  draw_published(arguments, range, next, memory + team * WarpTeam::bytes(arguments.problem.size), out);
}

// Messages are in the device's memory; all else in shared memory, or there too.
extern "C" __global__ void __launch_bounds__(guided_threads)
    sample_guided_shared(const __grid_constant__ GuidedArguments arguments, SampleRange range, unsigned* next,
                         char* memory, Sample* out) {
  extern __shared__ double shared[];
  draw_guided<std::uint16_t>(arguments, range, next,
                             memory + blockIdx.x * GuidedWarp<std::uint16_t>::message_bytes(arguments.view),
                             reinterpret_cast<char*>(shared), out);
}
extern "C" __global__ void __launch_bounds__(guided_threads)
    sample_guided_global(const __grid_constant__ GuidedArguments arguments, SampleRange range, unsigned* next,
                         char* memory, Sample* out) {
  using Walk = GuidedWarp<std::uint32_t>;
  const std::size_t messages = Walk::message_bytes(arguments.view), indices = Walk::index_bytes(arguments.view);
  char* const mine = memory + blockIdx.x * (messages + indices);
  draw_guided<std::uint32_t>(arguments, range, next, mine, mine + messages, out);
}
