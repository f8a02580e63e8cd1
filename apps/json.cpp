#include "apps/json.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace matchcount::app {

namespace {

std::string scalar_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append(std::string& text, const Json& value) {
  if (!value.is_structured()) {
    text += scalar_text(value);
    return;
  }
  const char* separator = "";
  text += value.is_object() ? '{' : '[';
  for (auto member = value.begin(); member != value.end(); ++member) {
    text += separator;
    if (value.is_object()) text += scalar_text(member.key()) + ": ";
    append(text, *member);
    separator = ", ";
  }
  text += value.is_object() ? '}' : ']';
}

}  // namespace

std::string one_line(const Json& value) {
  std::string text;
  append(text, value);
  return text;
}

Json json_header(const Options& options) {
  Json object;
  object["command"] = options.command == nullptr ? Json() : Json(options.command->name);
  object["version"] = MATCHCOUNT_VERSION;
  object["schema"] = 1;
  return object;
}

Json json_input(const Loaded& loaded) {
  const Input& input = loaded.input;
  Json object;
  object["file"] = loaded.file;
  if (loaded.one_of_several) object["position"] = loaded.position;
  object["format"] = to_string(input.format);
  object["kind"] = to_string(input.kind);
  if (input.is_bipartite()) {
    object["rows"] = input.graph.num_rows();
    object["cols"] = input.graph.num_columns();
  } else {
    object["vertices"] = input.undirected.num_vertices();
  }
  object["edges"] = input.num_edges();
  if (!input.title.empty()) object["title"] = input.title;
  if (!input.notes.empty()) object["notes"] = Json(input.notes);
  if (!input.is_bipartite()) object["odd_cycle"] = side_labels(input, input.odd_cycle);
  return object;
}

Json json_reductions(const ReductionCounts& counts, std::size_t num_blocks) {
  return {{"useless_edges", counts.useless_edges},
          {"fine_blocks", counts.fine_blocks},
          {"degree1", counts.degree1},
          {"degree2", counts.degree2},
          {"refused_merges", counts.refused_merges},
          {"blocks_left", num_blocks}};
}

Json json_forecasts(const BlockPlan& block) {
  Json methods = Json::array();
  for (const Forecast& forecast : block.forecasts) {
    Json method = {{"name", to_string(forecast.method)},
                   {"device", forecast.on_gpu ? "cuda" : "cpu"},
                   {"applies", forecast.applies},
                   {"reason", forecast.reason}};
    if (forecast.applies) {
      method["log2_operations"] = forecast.log2_operations;
      method["seconds"] = forecast.seconds;
      method["memory_bytes"] = forecast.memory_bytes;
    }
    methods.push_back(std::move(method));
  }
  return methods;
}

Json json_certificate(const Input& input, const Certificate& certificate) {
  Json object = Json::object();
  if (const auto& violator = certificate.hall_violator) {
    const bool rows = violator->of_rows;
    object["hall_violator"] = {{"side", rows ? "rows" : "columns"},
                               {"members", side_labels(input, violator->members, rows)},
                               {"neighbours", side_labels(input, violator->neighbours, !rows)}};
  }
  if (const auto& set = certificate.tutte_set)
    object["tutte_set"] = {{"removed", side_labels(input, set->removed)}, {"odd_components", set->odd_components}};
  return object;
}

Json json_failure(const Options& options, const std::string& file, std::uint64_t position, const Failure& failure) {
  Json object = json_header(options);
  if (!file.empty()) object["input"] = Json({{"file", file}});
  if (position > 0) object["input"]["position"] = position;
  Json error = {{"kind", failure.kind}, {"message", failure.message}};
  if (!failure.file.empty()) error["file"] = failure.file;
  if (failure.line != 0) error["line"] = failure.line;
  if (!failure.found.empty()) error["found"] = failure.found;
  if (!failure.expected.empty()) error["expected"] = failure.expected;
  error["status"] = failure.status;
  object["error"] = error;
  if (failure.forecast) {
    object["forecast"] = {{"seconds", failure.forecast->seconds}, {"memory_bytes", failure.forecast->memory_bytes}};
  }
  return object;
}

Json json_value(const Value& value, int digits) {
  Json object;
  const auto* const complex = std::get_if<ComplexValue>(&value);
  object["kind"] = std::holds_alternative<Integer>(value) ? "exact" : complex == nullptr ? "real" : "complex";
  object["value"] = to_string(value, digits);
  if (complex != nullptr) {
    object["re"] = to_string(complex->value.re, complex->log2_error, digits);
    object["im"] = to_string(complex->value.im, complex->log2_error, digits);
  }
  object["log10"] = log10_abs(value);
  if (std::holds_alternative<Integer>(value)) return object;
  object["digits"] = proven_digits(value, digits);
  object["relative_error"] = relative_error(value);
  return object;
}

Json json_fraction(const Rational& value) {
  return {{"kind", "fraction"}, {"value", to_decimal(value)}, {"log10", log10_abs(RealValue{nearest_real(value)})}};
}

std::string line(const Json& object) { return one_line(object) + "\n"; }

}  // namespace matchcount::app
