#pragma once
// Makes the distribution of an input's matchings, for marginals and sample.

#include <string>

#include "approx/estimated_distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/text.hpp"
#include "core/numbers/integer.hpp"
#include "matchcount/marginals.hpp"

namespace matchcount::app {

// Says whether values of the input count: those of a matrix, parallel edges, and by --weighted all.
bool uses_weights(const Options& options, const Input& input);
// Says what is done with values that the file has; nothing where it has none.
std::string weights_note(const Options& options, const Input& input);

// Makes weights that are fractions, or integers of any size, integers without a common divisor, in proportion to them:
// each perfect matching has as many edges as the others, so that probabilities are the same. Returns what a unit of
// these stands for; 1 where there are none, or none counts. Where they do not fit into 64 bits they become reals. Those
// of other matchings stay as they are.
Rational bring_to_integers(const Options& options, Loaded& loaded);

// Makes weights that are fractions, or integers of any size, the nearest double-doubles. Throws InputError where they
// are out of range.
void bring_to_reals(Loaded& loaded);

// Calls body with the input's graph, without weights unless they count.
template <class Body>
auto with_graph(const Options& options, const Input& input, const Body& body) {
  const auto with = [&](const auto& graph) { return body(uses_weights(options, input) ? graph : graph.pattern()); };
  return input.is_bipartite() ? with(input.graph) : with(input.undirected);
}

// Makes the library's options from the command line.
DistributionOptions distribution_options(const Options& options, const Input& input, const CountOptions& count);

// Says why no matching is drawn from the distribution.
std::string why_none(const Options& options, const Input& input, const MatchingDistribution& distribution);

// Probabilities are asked for, and there are none.
[[noreturn]] void refuse_signs(const Loaded& loaded);

MatchingDistribution distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count);

// The same by samples.
EstimatedDistribution estimated_distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count,
                                                Work* work);

}  // namespace matchcount::app
