#pragma once
// Pieces of the JSON output that several commands share.

#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/inputs.hpp"
#include "apps/json_value.hpp"
#include "apps/text.hpp"

namespace matchcount::app {

Json json_header(const Options& options);  // command, and versions of the program and of docs/schema.json
Json json_input(const Loaded& loaded);
Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks);
Json json_hall_violator(const Input& input, const HallViolator& violator);
Json json_tutte_set(const Input& input, const TutteSet& set);
Json json_labels(const std::vector<std::string>& labels);
// In place of an answer; no file: of the whole run.
// `position` among the graphs of the file, from 1; 0: it holds one, or none was read.
Json json_failure(const Options& options, const std::string& file, std::uint64_t position, const Failure& failure);
// An answer: kind, value, log10, and of reals and complex numbers digits and relative error; complex as re and im too.
Json json_value(const Value& value, int digits);
Json json_fraction(const Rational& value);
Json json_number(double value);  // null where JSON has no number for it

// The object as a line of text.
std::string line(const Json& object);

}  // namespace matchcount::app
