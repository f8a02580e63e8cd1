// The samplers' kernels: the text of the headers, and who draws which sample.

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

__device__ __forceinline__ void draw_published(const PublishedArguments& arguments, const SampleRange& range,
                                               unsigned* next, char* memory, Sample* out) {
  WarpTeam team(arguments.problem, memory);
  for (;;) {
    unsigned i = 0;
    if (WarpTeam::lane() == 0) i = atomicAdd(next, 1);
    i = __shfl_sync(~0u, i, 0);
    if (i >= range.count) break;
    const Sample sample =
        PublishedWalk<WarpTeam>(arguments.problem, arguments.options, team).sample(range.seed, range.first + i);
    if (WarpTeam::lane() == 0) out[i] = sample;
  }
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

// All samples have as many steps, so the threads of a warp begin and end together.
extern "C" __global__ void __launch_bounds__(guided_threads)
    sample_guided(const __grid_constant__ GuidedArguments arguments, SampleRange range, unsigned*, char* memory,
                  Sample* out) {
  const GuidedView& view = arguments.view;
  const std::size_t length = arguments.words_of_thread(), state_length = view.state_length();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  std::uint64_t* const of_warp = reinterpret_cast<std::uint64_t*>(memory) + (thread - lane) * length;
  std::uint64_t* const mine = of_warp + lane * length;
  // The lanes of a warp fill the memory of one after the other, in order.
  for (unsigned k = 0; k < 32; ++k) {
    for (std::size_t at = state_length + lane; at < length; at += 32) of_warp[k * length + at] = 0;
  }
  GuidedWalk walk(view, mine + state_length);
  walk.attach(mine);
  const unsigned num_threads = gridDim.x * blockDim.x;
  for (unsigned base = thread - lane; base < range.count; base += num_threads) {
    __syncwarp();
    for (unsigned k = 0; k < 32 && base + k < range.count; ++k) {
      for (std::size_t at = lane; at < state_length; at += 32) of_warp[k * length + at] = arguments.start[at];
    }
    __syncwarp();
    if (base + lane >= range.count) continue;
    Uniforms uniforms(range.seed, range.first + base + lane);
    Product value;
    for (std::uint32_t left = view.problem.size; left > 0; --left) walk.step(uniforms, value);
    out[base + lane] = value.sample();
  }
}
