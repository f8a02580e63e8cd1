// The record of a run as JSON, written and read again. The only source here that includes the library of JSON.

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/published/page.hpp"
#include "core/error.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* standings[] = {"measured", "predicted", "unavailable"};

Json json_comparison(const Comparison& comparison) {
  Json object;
  object["row"] = comparison.row;
  object["printed_by"] = comparison.printed_by;
  object["printed"] = comparison.printed;
  object["unit"] = comparison.unit;
  object["method"] = comparison.method;
  object["standing"] = standings[static_cast<int>(comparison.standing)];
  object["ours"] = comparison.ours ? Json(*comparison.ours) : Json();
  const auto ratio = speedup(comparison);
  object["printed_over_ours"] = ratio ? Json(*ratio) : Json();
  object["quantity"] = comparison.quantity;
  object["value"] = comparison.value;
  object["remark"] = comparison.remark;
  object["right"] = comparison.right ? Json(*comparison.right) : Json();
  object["printed_value_agrees"] = comparison.agrees ? Json(*comparison.agrees) : Json();
  return object;
}

std::optional<bool> optional_bool(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<bool>());
}

Comparison comparison_from(const nlohmann::json& object) {
  Comparison comparison;
  comparison.row = object.at("row");
  comparison.printed_by = object.at("printed_by");
  comparison.printed = object.at("printed");
  comparison.unit = object.at("unit");
  comparison.method = object.at("method");
  const std::string standing = object.at("standing");
  comparison.standing = standing == standings[0]   ? Standing::measured
                        : standing == standings[1] ? Standing::predicted
                                                   : Standing::unavailable;
  if (!object.at("ours").is_null()) comparison.ours = object.at("ours").get<double>();
  comparison.quantity = object.at("quantity");
  comparison.value = object.at("value");
  comparison.remark = object.at("remark");
  comparison.right = optional_bool(object.at("right"));
  comparison.agrees = optional_bool(object.at("printed_value_agrees"));
  return comparison;
}

}  // namespace

app::Json json_tables(const PublishedRun& run) {
  Json tables = Json::array();
  for (const TableReport& report : run.tables) {
    Json comparisons = Json::array();
    for (const Comparison& comparison : report.comparisons) comparisons.push_back(json_comparison(comparison));
    Json object;
    object["paper"] = report.paper;
    object["table"] = report.number;
    object["title"] = report.title;
    object["note"] = report.note;
    object["seconds"] = report.seconds;
    object["comparisons"] = comparisons;
    tables.push_back(object);
  }
  return tables;
}

PublishedRun read_run(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError("--records " + file, "a file that can be read");
  try {
    const nlohmann::json record = nlohmann::json::parse(stream);
    PublishedRun run;
    run.machine = record.at("ran_on");
    run.commit = record.at("commit");
    run.date = record.at("date");
    run.on_gpu = record.at("on_gpu");
    run.load = record.at("load");
    run.command = "matchcount-bench";
    const auto words = record.at("command_line").get<std::vector<std::string>>();
    for (std::size_t i = 1; i < words.size(); ++i) run.command += " " + words[i];
    for (const auto& object : record.at("tables")) {
      TableReport report{object.at("paper"),  object.at("table"), object.at("title"), object.at("note"), {},
                         object.at("seconds")};
      for (const auto& comparison : object.at("comparisons")) report.comparisons.push_back(comparison_from(comparison));
      run.tables.push_back(std::move(report));
    }
    return run;
  } catch (const nlohmann::json::exception& error) {
    throw InputError("--records " + file + ": " + error.what(), "a record that `published --json` wrote");
  }
}

}  // namespace matchcount::bench
