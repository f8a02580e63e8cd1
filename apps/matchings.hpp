#pragma once
// Turns the command line into a question about matchings.

#include <string>
#include <vector>

#include "apps/json_value.hpp"
#include "apps/options.hpp"

namespace matchcount::app {

// Says whether the command line asks for matchings that need not be perfect, which the input then has loops for or not.
bool asks_for_others(const Options& options, const Input& input);

// Names the matchings that count, as the command line and JSON do; null: perfect ones.
Json json_matchings(const Options& options);

// Names the labels that --by tells matchings apart by; empty: there are none, or sums or loops.
std::vector<std::string> labels_of(const Options& options, const Input& input);

// Throws InputError for an undirected graph, whose sides are not the file's.
void refuse_saturating(const Input& input);

// Throws InputError where parallel edges were added up, for `what` tells single matchings apart.
void refuse_multiplicities(const Input& input, const std::string& what);

// Takes away the edges that matchings which meet --given can't have. Throws InputError where it names none, or several.
void meet_conditions(const Options& options, Input& input);

// Borrows the input. Throws InputError for what does not go together with it.
MatchingOptions matching_options(const Options& options, const Input& input, const CountOptions& count, bool weighted);

}  // namespace matchcount::app
