#include "apps/json.hpp"

#include <cmath>

namespace matchcount::app {

Json json_header(const Options& options) {
  Json object;
  object["command"] = options.command->name;
  object["version"] = MATCHCOUNT_VERSION;
  return object;
}

Json json_input(const std::string& file, const Input& input) {
  Json object;
  object["file"] = file;
  object["format"] = to_string(input.format);
  object["kind"] = to_string(input.kind);
  if (input.is_bipartite()) {
    object["rows"] = input.graph.num_rows();
    object["cols"] = input.graph.num_columns();
  } else {
    object["vertices"] = input.undirected.num_vertices();
  }
  object["edges"] = input.num_edges();
  if (!input.is_bipartite()) object["odd_cycle"] = json_labels(row_labels(input, input.odd_cycle));
  return object;
}

Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks) {
  Json object;
  object["useless_edges"] = counts.useless_edges;
  object["fine_blocks"] = counts.fine_blocks;
  object["degree1"] = counts.degree1;
  object["degree2"] = counts.degree2;
  object["refused_merges"] = counts.refused_merges;
  object["blocks_left"] = num_blocks;
  return object;
}

Json json_labels(const std::vector<std::string>& labels) {
  Json list = Json::array();
  for (const std::string& label : labels) list.push_back(label);
  return list;
}

Json json_hall_violator(const Input& input, const HallViolator& violator) {
  Json object;
  object["side"] = violator.of_rows ? "rows" : "columns";
  object["members"] =
      json_labels(violator.of_rows ? row_labels(input, violator.members) : column_labels(input, violator.members));
  object["neighbours"] = json_labels(violator.of_rows ? column_labels(input, violator.neighbours)
                                                      : row_labels(input, violator.neighbours));
  return object;
}

Json json_tutte_set(const Input& input, const TutteSet& set) {
  Json object;
  object["removed"] = json_labels(row_labels(input, set.removed));
  object["odd_components"] = set.odd_components;
  return object;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string dump(const Json& object) { return object.dump() + "\n"; }

}  // namespace matchcount::app
