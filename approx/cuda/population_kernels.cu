// The populations' kernels: a warp walks a particle, and particles are copied where others replace them. Lanes share
// the slots of a vertex, and compute side by side what vertices are worth. On a cubic graph of 50,000 rows 6,144
// particles took 8.7 million steps a second (H200, the first second), as many as where each of four lanes of a warp
// walked one, which takes 20,000 of them, and twice as many as with one lane; on the 24 x 24 grid 1.15 times as many as
// with four. But far messages in the cube of side 12 had 1.7 times as many with four. 8 and 16 blocks a multiprocessor
// are within 20 %. Lanes that first fetched what all vertices touched will be looked at for, by loads or prefetches,
// gained nothing, or lost a fifth.

#include "approx/cuda/population_kernels.hpp"
#include "approx/cuda/warp.cuh"

using namespace matchcount;
using namespace matchcount::gpu;

namespace {

// A warp takes particles as they come.
template <class Tuning>
__device__ __forceinline__ void walk(const PopulationArguments& arguments, const PopulationStage& stage,
                                     unsigned* next) {
  using Walk = ParticleWalk<Tuning, Warp>;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  std::uint64_t* const scratch = arguments.scratch + std::size_t{warp} * (arguments.scratch_length + search_words);
  auto* const searches = reinterpret_cast<typename Walk::Searches*>(scratch + arguments.scratch_length);
  Walk particle(arguments.view, scratch);
  particle.go_on(*searches);
  for (;;) {
    unsigned k = 0;
    if (Warp::lane() == 0) k = atomicAdd(next, 1);
    k = Warp::from_lane(0, k);
    if (k >= stage.particles) break;
    k = k / stage.walking * stage.size + k % stage.walking;
    ParticleRecord& record = arguments.records[k];
    if (record.is_dead) continue;
    particle.attach(arguments.particles + k * arguments.particle_length, arguments.state_length);
    Product value, left = record.left;
    Uniforms uniforms = record.uniforms;
    const bool alive = particle.advance(stage.first_step, stage.steps, uniforms, value, left, [] {});
    Warp::sync();
    if (Warp::lane() != 0) continue;
    record.left = left;
    record.uniforms = uniforms;
    record.value = alive ? value.sample() : Sample{};
    record.is_dead = !alive;
  }
  if (Warp::lane() == 0) *searches = particle.searches();
}

}  // namespace

extern "C" __global__ void __launch_bounds__(walking_threads, walking_blocks)
    walk_near(const __grid_constant__ PopulationArguments arguments, PopulationStage stage, unsigned* next) {
  walk<NearTuning>(arguments, stage, next);
}
extern "C" __global__ void __launch_bounds__(walking_threads, walking_blocks)
    walk_far(const __grid_constant__ PopulationArguments arguments, PopulationStage stage, unsigned* next) {
  walk<FarTuning>(arguments, stage, next);
}
extern "C" __global__ void __launch_bounds__(walking_threads, walking_blocks)
    walk_odd_near(const __grid_constant__ PopulationArguments arguments, PopulationStage stage, unsigned* next) {
  walk<WithOddCycles<NearTuning>>(arguments, stage, next);
}
extern "C" __global__ void __launch_bounds__(walking_threads, walking_blocks)
    walk_odd_far(const __grid_constant__ PopulationArguments arguments, PopulationStage stage, unsigned* next) {
  walk<WithOddCycles<FarTuning>>(arguments, stage, next);
}
extern "C" __global__ void __launch_bounds__(walking_threads, walking_blocks)
    walk_alone(const __grid_constant__ PopulationArguments arguments, PopulationStage stage, unsigned* next) {
  walk<AllTuning>(arguments, stage, next);
}

// A block copies a particle, whole or as far as it differs; one that was replaced goes on with its own random numbers.
extern "C" __global__ void __launch_bounds__(copying_threads)
    replace(const __grid_constant__ PopulationArguments arguments, const Replacement* replacements, unsigned count,
            unsigned whole) {
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const auto [from, to] = replacements[i];
    const std::uint64_t* const source = arguments.particles + from * arguments.particle_length;
    std::uint64_t* const target = arguments.particles + to * arguments.particle_length;
    const std::size_t window = arguments.particle_length - window_words;
    if (whole != 0) {
      for (std::size_t w = threadIdx.x; w < window; w += blockDim.x) target[w] = source[w];
    } else {
      copy_particle(arguments.view, arguments.particle_length, source, target, threadIdx.x, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x != 0) continue;
    for (std::size_t w = window; w < arguments.particle_length; ++w) target[w] = source[w];
    arguments.records[to].left = arguments.records[from].left;
    arguments.records[to].is_dead = arguments.records[from].is_dead;
  }
}
