#pragma once
// Makes what every particle of a population starts from, on a CPU or a GPU.

#include <cstdint>
#include <vector>

#include "approx/population_walk.hpp"
#include "approx/problem.hpp"

namespace matchcount {

// Lists every vertex once: breadth first from a vertex that is as far from the others as a few searches find (George
// and Liu 1979, doi:10.1145/355841.355845).
std::vector<std::uint32_t> breadth_first_order(const Problem& problem);
// Returns the same problem, vertex v named name[v]; rows stay rows. Slots stay in their order at a vertex.
Problem renamed(const Problem& problem, const std::vector<std::uint32_t>& name);
// Returns how messages are kept up to date, near a change or far around it until they change little.
Guide guide_of(const Problem& problem, bool far_messages);

struct PopulationStart {
  PopulationStart(const Problem& given, Guide how);
  PopulationStart(const PopulationStart&) = delete;
  PopulationStart& operator=(const PopulationStart&) = delete;

  Guide guide;
  std::vector<std::uint32_t> name, position;         // of the vertices that were given; the place in the order, by name
  Problem problem;                                   // by name
  GuidedView view;                                   // of it
  std::uint32_t steps = 0;                           // that a particle takes
  std::size_t state_length = 0, scratch_length = 0;  // of a walk, in words
  std::vector<std::uint64_t> particle;               // as ParticleWalk::attach takes it
  Product left;                                      // of the Bethe approximation

  // Returns the stream of a particle's steps in this sample. That of the replacements is Uniforms(seed, sample).
  static Uniforms uniforms(std::uint64_t seed, std::uint64_t sample, std::uint64_t particle) {
    return {seed + 0x9e3779b97f4a7c15 * (particle + 1), sample};
  }
  // Words of 64 bits of one of them, the same without making it.
  static double particle_length(const Problem& problem);
};

}  // namespace matchcount
