#pragma once
// Finds for every edge of a block the sum over the perfect matchings that contain it, and draws perfect matchings, by
// the layers of the frontier method: with F(s) the sum over the ways into a state and B(s) that over the ways from it
// to the end, the matchings that take a transition s -> s' of weight w have F(s) w B(s') between them.

#include <memory>

#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// Layers that are kept may take this share of the memory limit; the rest is for those that are worked on.
inline constexpr double share_of_kept_layers = 0.6;

// Sums along an order without twins. Takes two passes over the layers, three if they do not fit into memory: two to
// four times the count. Throws InputError for an order of another block, Unable when the layers that have to be kept
// pass run.memory_limit_bytes(), and as run.check() does.
//
// Integers are exact, modulo as many primes as a bound on the permanent of the magnitudes asks for. Reals that are not
// negative are doubles, all others double-doubles; each sum has its own bound, relative to the same sum over
// magnitudes. Requires scaled entries as permanent_ryser does.
AnyMarginals marginals_frontier(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine,
                                const RunContext& run);

// Draws perfect matchings of one block with probabilities proportional to the products of its entries, reals above 0.
// The forward layers, in doubles, are made once and kept; a sample walks through them backwards and chooses each
// transition with probability F(s) w over the sum of these. Such a probability is right to a relative 2^-52 times twice
// the choices of all steps, about 1e-13, and to 2^-53 absolutely. Throws as marginals_frontier does. `run` outlives the
// sampler.
std::unique_ptr<PartSampler> sampler_frontier(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine,
                                              const RunContext& run);

}  // namespace matchcount
