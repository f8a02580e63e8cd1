#pragma once
// Finds which vertices of a digraph are reached from which: the transitive closure, counted or pair by pair.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/run.hpp"
#include "graph/condensation.hpp"
#include "graph/digraph.hpp"

namespace MATCHCOUNT_API matchcount {

// Reports on the way the closure was found.
struct ClosureReport {
  std::uint64_t searched_blocks = 0;    // of 512 components, whose rows were joined along arcs
  std::uint64_t multiplied_blocks = 0;  // by Boolean products
  std::vector<DeviceInfo> gpus;         // that closed all rows at once; none: the CPU, by blocks
};

// OnReached is told that each of `targets` is reached from each of `sources`. Every pair comes once; in which order may
// depend on the memory limit.
using OnReached = std::function<void(std::span<const Vertex> sources, std::span<const Vertex> targets)>;

// Counts the ordered pairs (u, v) with a path of at least one arc from u to v; (v, v) is one where v lies on a cycle.
//
// A component's vertices reach each other, and what its successors reach. So rows of bits, one a component, are joined
// from the sinks on, in blocks of 512: along arcs, passing over a successor that another one reaches already, or, where
// that was seen to take longer, by Boolean products with the rows before (linear/bits/cpu/lookups.hpp), on threads.
// Time: at most c / 64 words, on one thread, for every arc of the condensation that no longer path replaces, or c^3 / 6
// pairs of bits, whichever is less, for c components. On a GPU, where one is asked for or the CPU is predicted to take
// seconds: c^3 / 3 pairs and 3 c^2 / 16 bytes there. Memory: c^2 / 8 bytes or, as rows are taken in panels of
// columns, 600 MB, but at least 224 bytes a component. Throws OverLimit before it begins where that is past the
// limit or the memory of the GPU that was asked for, and what run.check() throws.
std::uint64_t count_reachable_pairs(const Condensation& components, const RunContext& run = {},
                                    const OnReached& on_reached = {}, ClosureReport* report = nullptr);

// Finds the vertices with a path of at least one arc from `source`, ascending. By search. Throws InputError where there
// is no such vertex, and what run.check() throws.
std::vector<Vertex> reachable_from(const Digraph& graph, Vertex source, const RunContext& run = {});

}  // namespace matchcount
