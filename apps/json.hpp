#pragma once
// Pieces of the JSON output that several commands share.

#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/json_value.hpp"
#include "apps/text.hpp"

namespace matchcount::app {

Json json_header(const Options& options);  // command and version
Json json_input(const std::string& file, const Input& input);
Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks);
Json json_hall_violator(const Input& input, const HallViolator& violator);
Json json_tutte_set(const Input& input, const TutteSet& set);
Json json_labels(const std::vector<std::string>& labels);
Json json_number(double value);  // null where JSON has no number for it

// The object as text with a final newline.
std::string dump(const Json& object);

}  // namespace matchcount::app
