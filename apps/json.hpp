#pragma once
// Makes the pieces of JSON that several commands share.

#include <string>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/inputs.hpp"
#include "apps/json_value.hpp"
#include "apps/text.hpp"

namespace matchcount::app {

Json json_header(const Options& options);  // command, and versions of the program and of docs/schema.json
Json json_input(const Loaded& loaded);
Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks);
// Describes a block of a plan, a run or a decomposition: size, edges, bipartite.
Json json_block(const auto& block) {
  return {{"size", block.size}, {"edges", block.edges}, {"bipartite", block.bipartite}};
}
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
