#pragma once
// Spells the dense steps of a sum over matchings out as operations on an array with a place for every set of matched
// frontier vertices, grouped so that memory is read and written once a group.
//
// A bit of a place is a slot, which a frontier vertex has; `flipped` has the bits that say unmatched by 1. A step
// changes the array where it is (step_in_place). A group's operations combine places that differ in a few bits, which
// are local: the places that differ in nothing else are a tile. Whoever carries the operations out takes one tile after
// another out of the array, here (cube_cpu.cpp) or on a GPU, makes all operations of the group in it, and puts it back.
// The lowest slots are local always, so that a tile is made of runs; they have the vertices that are touched last, and
// change theirs by operations too.
//
// Meeting in the middle. Let a reflection of the graph, an automorphism that is its own inverse, take the vertices A to
// others that are not neighbours of A, and M be those in neither. The sum over matchings of the edges at A, by the set
// S of vertices of M that they match, is f(S); that of the edges at the other side is f(mirror of S). So the sum over
// all matchings is that over pairs (S, T) of disjoint sets of f(S) f(mirror of T), once the edges within M are in f,
// one of each pair that mirrors the other; an edge that is its own mirror with half of its weight, since (1 + w/2 E)^2
// = 1 + w E where E matches its ends, which it can't do twice. For a vertex that may stay unmatched disjointness is the
// matrix ((1, 1), (1, 0)) = L D L^T, D = (1, -1), so that with f0 += f1 for each of these the pairs are (S, S), with a
// sign; for one that must be matched the pair has it on one side.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/order/reflection.hpp"

namespace matchcount {

struct CubeOperation {
  std::uint64_t test, expect, flip;
  std::uint32_t weight;
  TileOperation::Kind kind;
  std::uint32_t move;  // the weight's number in the step
};

// CubeShape says how large tiles are: so many local bits at the most, of which so many are the lowest. The highest
// slots may lead: each of 2^leading_bits members has the places of some of their bits in an array of its own. Slots
// that lead are local only in groups of a single operation, which exchanges such a slot and another.
struct CubeShape {
  std::uint32_t tile_bits, run_bits, leading_bits = 0;
  bool by_steps = false;  // no group has operations of two steps
};

struct CubeProgram {
  // Local bits are numbered from the lowest on; the others are those of `outer`, or are the same in all places.
  struct Group {
    std::uint64_t local = 0, outer = 0, fixed = 0;
    std::size_t first = 0, end = 0;  // operations
    std::size_t step = 0;            // of the last
    std::uint32_t tile_bits() const;
    std::uint64_t num_tiles() const;
  };
  // Weights by number: 1, 0, those of the edges, of the vertices, and halves of those of the edges.
  static constexpr std::uint32_t one = 0, zero = 1, first_edge = 2;

  std::uint32_t slots = 0, leading_bits = 0;
  std::vector<Vertex> frontier;  // before the first step, from the lowest slot on
  std::vector<CubeOperation> operations;
  std::vector<Group> groups;
  // Before each step, the bits by which places differ, and the others of those that are in use.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_use;
  // The answer stands at this place; or it is the sum over the places that differ from it in bits of `free` of the
  // product with that at `mirror` of the place, negative where the place differs in an odd number of bits of `sign`.
  std::uint64_t last = 0, free = 0, sign = 0;
  std::vector<std::uint64_t> mirror;  // by slot: the bit that its own moves to, for places less `last`
  std::uint64_t mirrored_last = 0;    // what `last` becomes
  bool is_mirrored = false;
  double places_moved = 0, transitions = 0;  // by all groups, read and written; by all operations

  std::uint64_t leading() const { return ((std::uint64_t{1} << leading_bits) - 1) << (slots - leading_bits); }
};

// Spells out the steps from layout.first_dense on. With a reflection the steps are those of its half.
CubeProgram cube_program(const FrontierSteps& steps, const MatchingLayout& layout, const Reflection* reflection,
                         const UnmatchedVertices& left_out, std::size_t num_edges, CubeShape shape);

// Weights modulo a prime below 2^31 as operations number them; from those of edges and vertices.
std::vector<std::uint32_t> cube_weights(const std::vector<std::uint32_t>& edges,
                                        const std::vector<std::uint32_t>& vertices, std::uint32_t prime);

// Puts the lowest bits of x where the mask has ones.
std::uint64_t deposit_bits(std::uint64_t x, std::uint64_t mask);
// Returns a group's operations as they are made within its tiles.
std::vector<TileOperation> tile_operations(const CubeProgram& program, const CubeProgram::Group& group);
// Returns what the weights modulo a prime are multiplied by: quotients are of so many bits.
std::vector<ResidueWeight> residue_weights(const std::vector<std::uint32_t>& weights, std::uint32_t prime, int bits);

// The first places that are not 0, with their values.
using CubeStart = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
// Whoever carries a program out, modulo a prime; weights as cube_weights. `done` is called with the share that is, and
// may throw. Throws Unable where there is no memory.
class CubeMachine {
 public:
  virtual ~CubeMachine() = default;
  virtual std::uint32_t run(const CubeStart& start, const std::vector<std::uint32_t>& weights, std::uint32_t prime,
                            const std::function<void(double)>& done) = 0;
};
// Carries it out in this machine's memory, in slots of 4 bytes, or of 2 for primes below 2^15.
std::unique_ptr<CubeMachine> cube_on_cpu(const CubeProgram& program, int bytes_of_slot, int threads, Isa isa);
// The shape for it.
CubeShape cube_shape_of_cpu(int bytes_of_slot);

}  // namespace matchcount
