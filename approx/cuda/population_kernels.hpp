#pragma once
// Defines the arguments of the populations' kernels; shared by host and device.

#include "approx/population_walk.hpp"

namespace matchcount::gpu {

// ParticleRecord is what a particle has beside its memory.
struct ParticleRecord {
  Product left;  // of the Bethe approximation
  Uniforms uniforms{0, 0};
  Sample value;  // of the last stage's steps; 0: a dead end
  std::uint32_t is_dead = 0;
};

struct PopulationArguments {
  GuidedView view;
  std::uint64_t* particles = nullptr;
  ParticleRecord* records = nullptr;                                        // by particle
  std::uint64_t* scratch = nullptr;                                         // by worker
  std::uint64_t particle_length = 0, state_length = 0, scratch_length = 0;  // in words
};
// A kernel walk_GUIDE takes PopulationArguments, PopulationStage, unsigned* next; `next` is 0 at first.
struct PopulationStage {
  std::uint32_t particles = 0, first_step = 0, steps = 0;
  std::uint32_t walking = 0, size = 0;  // particles of a population, the first of which walk
};

constexpr unsigned walking_threads = 64, walking_blocks = 12, copying_threads = 128;
// Words behind a worker's scratch that keep the numbers of its searches.
constexpr std::size_t search_words = 2;

}  // namespace matchcount::gpu
