#pragma once
// Makes the pieces of JSON that several commands share.

#include <nlohmann/json.hpp>
#include <string>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/text.hpp"
#include "permanent/plan.hpp"

// Is compiled once, in json.cpp.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace matchcount::app {

using Json = nlohmann::ordered_json;

// Writes it on one line, with a blank behind every comma and colon. Bytes that are not UTF-8 become U+FFFD, and numbers
// that JSON does not have null.
std::string one_line(const Json& value);

Json json_header(const Options& options);  // command, and versions of the program and of docs/schema.json
Json json_input(const Loaded& loaded);
Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks);
// Describes a block of a plan, a run or a decomposition: size, edges, bipartite.
Json json_block(const auto& block) {
  return {{"size", block.size}, {"edges", block.edges}, {"bipartite", block.bipartite}};
}
Json json_forecasts(const BlockPlan& block);                                // what each method would cost
Json json_certificate(const Input& input, const Certificate& certificate);  // an object with it, or without members
// Stands in place of an answer; no file: of the whole run's.
// `position` among the graphs of the file, from 1; 0: it holds one, or none was read.
Json json_failure(const Options& options, const std::string& file, std::uint64_t position, const Failure& failure);
// Writes an answer: kind, value, log10, and of reals and complex numbers digits and relative error; complex as re and
// im too.
Json json_value(const Value& value, int digits);
Json json_fraction(const Rational& value);

// Writes the object as a line of text.
std::string line(const Json& object);

}  // namespace matchcount::app
