#include "bench/runner.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "apps/answer.hpp"
#include "apps/machine.hpp"
#include "apps/text.hpp"
#include "bench/commit.hpp"
#include "core/stopwatch.hpp"
#include "matchcount/version.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Returns the kernel module's, the first word with a point between digits: "NVRM version: ... Module  580.65.06  ...".
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return word;
  }
  return "unknown";
}

// Keeps files without their folders, which say nothing elsewhere.
std::string command_of(const CommandLine& line) {
  std::string text = "matchcount-bench";
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const std::string& word = line.words[i];
    text += " " + (word.starts_with('/') ? std::filesystem::path(word).filename().string() : word);
  }
  return text;
}

Json machine_of(const std::vector<DeviceInfo>& devices) {
  const app::Machine machine = app::this_machine();
  Json object{{"cpu", machine.cpu_model},
              {"architecture", machine.architecture},
              {"instruction_set", machine.instruction_set},
              {"cores", machine.usable_cores},
              {"memory_bytes", machine.memory_bytes},
              {"gpus", Json::array()}};
  for (const DeviceInfo& device : devices) {
    object["gpus"].push_back({{"name", device.name},
                              {"index", device.index},
                              {"capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
                              {"multiprocessors", device.multiprocessors},
                              {"clock_khz", device.clock_khz},
                              {"memory_bytes", device.memory_bytes}});
  }
  if (!devices.empty()) {
    object["driver"] = driver_version();
    object["cuda_of_driver"] = devices[0].driver_version;
  }
  return object;
}

std::string joined(const Checks& checks, bool passed) {
  std::string text;
  for (const Check& check : checks) {
    if (check.passed == passed && !check.name.empty()) text += (text.empty() ? "" : ", ") + check.name;
  }
  return text;
}

}  // namespace

std::string machine_line(const std::vector<DeviceInfo>& devices, int num_threads) {
  if (devices.empty())
    return app::this_machine().cpu_model + ", " + app::format_count(num_threads, "thread", "threads");
  const std::string count = devices.size() == 1 ? "" : std::to_string(devices.size()) + " x ";
  return count + devices[0].name + ", driver " + driver_version();
}

void Bench::begin(std::string title, const std::vector<DeviceInfo>& devices, int num_threads, Fields head) {
  const char* commit = std::getenv("MATCHCOUNT_COMMIT");
  head_["benchmark"] = line_.words.at(1);
  head_["command"] = command_of(line_);
  head_["version"] = MATCHCOUNT_VERSION;
  head_["commit"] = commit != nullptr && *commit != '\0' ? commit : commit_of_source;
  head_["date"] = now_utc();
  head_["machine"] = machine_of(devices);
  head_["ran_on"] = machine_line(devices, num_threads);
  for (const Field& field : head) head_[field.key] = field.value;
  title_ = title + "\n" + head_["ran_on"].get<std::string>() + "\n";
  columns_ = {"case"};
  save();
}

void Bench::note(const Field& field) {
  head_[field.key] = field.value;
  title_ += field.title + ": " + field.text + "\n";
}

void Bench::run(const Case& what) {
  if (what.prepare) what.prepare();
  const int repeats = std::min(given_.repeats(), what.most_repeats);
  std::vector<double> seconds;
  Outcome best;
  for (int i = -what.warm_up; i < repeats; ++i) {
    Stopwatch watch;
    Outcome outcome = what.run();
    const double took = outcome.seconds.value_or(watch.lap());
    if (i < 0) continue;
    if (seconds.empty() || took < *std::min_element(seconds.begin(), seconds.end())) best = std::move(outcome);
    seconds.push_back(took);
  }
  std::sort(seconds.begin(), seconds.end());
  Fields fields{{"seconds", seconds[0], "seconds", "%.4g"}};
  if (repeats > 1) fields.push_back({"median_s", seconds[seconds.size() / 2], "median", "%.4g"});
  fields.insert(fields.end(), std::make_move_iterator(best.fields.begin()), std::make_move_iterator(best.fields.end()));
  add(what.group, what.name, std::move(fields), what.check ? what.check() : Checks());
  std::fprintf(stderr, "%s %s: %s\n", what.group.c_str(), what.name.c_str(), app::format_seconds(seconds[0]).c_str());
  save();
}

void Bench::add(const std::string& group, const std::string& name, Fields fields, const Checks& checks) {
  Json object{{"group", group}, {"name", name}};
  std::vector<std::string> row{group.empty() || name.empty() ? group + name : group + ", " + name};
  const std::string failed = joined(checks, false), passed = joined(checks, true);
  const bool right = std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
  all_right_ = all_right_ && right;
  if (!passed.empty()) fields.push_back({"passed", passed, "checks"});
  if (!failed.empty()) fields.push_back({"failed", failed, "failed"});
  object["right"] = checks.empty() ? Json() : Json(right);
  for (const Field& field : fields) {
    if (!field.key.empty()) object[field.key] = field.value;
    if (field.title.empty()) continue;
    auto column = std::find(columns_.begin(), columns_.end(), field.title);
    if (column == columns_.end()) column = columns_.insert(column, field.title);
    row.resize(std::max(row.size(), static_cast<std::size_t>(column - columns_.begin()) + 1));
    row[static_cast<std::size_t>(column - columns_.begin())] = field.text;
  }
  rows_.push_back(std::move(row));
  verdicts_.push_back(checks.empty() ? "-" : right ? "right" : "WRONG");
  cases_.push_back(app::one_line(object));
}

void Bench::save() const {
  std::string text = app::one_line(head_);
  text.back() = ',';  // for the brace
  text += "\n\"cases\": [";
  for (std::size_t i = 0; i < cases_.size(); ++i) text += (i == 0 ? "\n" : ",\n") + cases_[i];
  text += "\n]}\n";
  for (const std::string& file : files_) {
    errno = 0;
    std::ofstream stream(file);
    stream << text;
    if (!stream.flush()) throw InputError("--json " + file + ": " + std::strerror(errno), "a file that can be written");
  }
}

bool Bench::finish() const {
  if (columns_.empty()) return true;
  std::vector<std::vector<std::string>> table{columns_};
  table[0].push_back("check");
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    table.push_back(rows_[i]);
    table.back().resize(columns_.size());
    for (std::string& cell : table.back()) cell = cell.empty() ? "-" : cell;
    table.back().push_back(verdicts_[i]);
  }
  app::write_answer(title_ + "\n" + app::table(table, ""));
  return all_right_;
}

}  // namespace matchcount::bench
