#include "apps/report.hpp"

#include <algorithm>

#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

Json json_method(const Options& options, const MethodReport& method) {
  Json object = {{"name", method.name}, {"device", method.gpus.empty() ? "cpu" : "cuda"}};
  for (const DeviceInfo& gpu : method.gpus) object["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  object["threads"] = method.threads;
  if (options.ranks) object["ranks"] = options.ranks->size();
  object.update(method.more);
  return object;
}

Json json_checks(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks)
    list.push_back({{"name", to_string(check.kind)}, {"passed", check.passed}, {"detail", check.detail}});
  return list;
}

std::string json_text(Report& report, const Options& options, const Loaded& loaded, double answer_s) {
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  if (!report.weights_ignored.empty()) object["input"]["weights_ignored"] = true;
  if (!report.result.is_null()) object["result"] = std::move(report.result);
  object.update(std::move(report.members));
  object.update(json_certificate(loaded.input, report.certificate));
  const bool has_method = !report.method.name.empty();
  if (has_method) object["method"] = json_method(options, report.method);
  if (report.reductions) object["reductions"] = json_reductions(*report.reductions, report.blocks_left);
  if (report.checks) object["checks"] = json_checks(*report.checks);
  if (report.seed) object["seed"] = *report.seed;
  object["time_s"]["read"] = loaded.read_s;
  for (const auto& [phase, seconds] : report.times_s) object["time_s"][phase] = seconds;
  if (has_method) {
    object["time_s"]["total"] = loaded.read_s + answer_s;
    object["peak_memory_bytes"] = peak_memory_bytes();
  }
  return line(object);
}

std::string notes_of(const Report& report, const Loaded& loaded) {
  std::vector<std::string> notes = {report.about_weights, report.weights_ignored};
  if (report.certificate && !report.none.empty())
    notes.push_back(report.none + sentence(loaded.input, report.certificate));
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  std::string lines;
  for (const std::string& text : notes) lines += text.empty() ? "" : text + "\n";
  return lines;
}

void write(const KeptAnswer& answer, const Options& options, const Loaded& loaded) {
  write_answer(loaded.lead + answer.text);
  for (std::size_t begin = 0, end; begin < answer.notes.size(); begin = end + 1) {
    end = std::min(answer.notes.find('\n', begin), answer.notes.size());
    note(options, loaded.prefix + answer.notes.substr(begin, end - begin));
  }
}

}  // namespace

int report_each(const Options& options, Interrupt& interrupt, bool odd_cycles,
                const std::function<Report(Loaded&, CountOptions&, ProgressBar&)>& answer) {
  return answer_each(options, interrupt, odd_cycles, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    if (const auto kept = loaded.batch ? loaded.batch->answer_of(loaded) : std::nullopt)
      return write(*kept, options, loaded);
    Stopwatch stopwatch;
    Report report = answer(loaded, count, bar);
    bar.clear();
    if (!options.is_first()) return;
    const KeptAnswer found{options.json  ? json_text(report, options, loaded, stopwatch.lap())
                           : report.text ? *report.text
                                         : report.result.at("value").get<std::string>() + "\n",
                           notes_of(report, loaded)};
    write(found, options, loaded);
    if (loaded.batch && report.is_whole) loaded.batch->keep(found);
  });
}

}  // namespace matchcount::app
