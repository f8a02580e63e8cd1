#pragma once
// What marginals and sample have in common: the distribution of an input's perfect matchings.

#include <string>

#include "approx/estimated_distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/numbers/integer.hpp"
#include "permanent/marginals.hpp"

namespace matchcount::app {

// Whether values of the input count: those of a matrix, parallel edges, and by --weighted all.
bool uses_weights(const Options& options, const Input& input);
// What is done with values that the file has; nothing where it has none.
std::string weights_note(const Options& options, const Input& input);

// Makes weights that are fractions, or integers of any size, integers without a common divisor, in proportion to them:
// each matching has as many edges as the others, so that probabilities are the same. Returns what a unit of these
// stands for; 1 where there are none, or none counts. Throws InputError where they do not fit into 64 bits.
Rational bring_to_integers(const Options& options, Loaded& loaded);

// For the library, from the command line.
DistributionOptions distribution_options(const Options& options, const CountOptions& count);

// Probabilities are asked for, and there are none.
[[noreturn]] void refuse_signs(const Loaded& loaded);

MatchingDistribution distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count);

// The same by samples.
EstimatedDistribution estimated_distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count,
                                                Work* work);

// Why there is no perfect matching, as a sentence and in JSON; nothing where there is one. Of either distribution.
template <class Distribution>
std::string why_there_is_none(const Input& input, const Distribution& distribution) {
  if (distribution.hall_violator()) return hall_sentence(input, *distribution.hall_violator());
  if (distribution.tutte_set()) return tutte_sentence(input, *distribution.tutte_set());
  return {};
}
void add_why_there_is_none(Json& object, const Input& input, const MatchingDistribution& distribution);

}  // namespace matchcount::app
