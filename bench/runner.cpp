#include "bench/runner.hpp"

#define CXXOPTS_NO_REGEX
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxopts.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "bench/commit.hpp"
#include "matchcount/version.hpp"

namespace matchcount::bench {

namespace {

struct Estimate {
  ScaledComplex value;
  double log2_error = 0;
};
// Rounds integers to a relative 2^-100.
Estimate estimate_of(const Value& value) {
  if (const auto* real = std::get_if<RealValue>(&value)) return {{real->value, {}}, real->log2_error};
  if (const auto* complex = std::get_if<ComplexValue>(&value)) return {complex->value, complex->log2_error};
  const ScaledReal rounded = nearest_real(Rational(std::get<Integer>(value)));
  return {{rounded, {}}, rounded.is_zero() ? -std::numeric_limits<double>::infinity() : rounded.log2_abs() - 100};
}

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

// Returns "NVIDIA H200, driver 580.65.06", or the CPU's model and number of threads.
std::string machine_line(const std::vector<DeviceInfo>& devices, int num_threads) {
  if (devices.empty())
    return app::this_machine().cpu_model + ", " + format_count(num_threads, "thread", "threads");
  const std::string count = devices.size() == 1 ? "" : std::to_string(devices.size()) + " x ";
  return count + devices[0].name + ", driver " + driver_version();
}

// Returns what a figure is in the table.
std::string cell_of(const Json& value) {
  if (value.is_string()) return value;
  if (value.is_boolean()) return value ? "yes" : "no";
  if (value.is_null()) return "-";
  return value.is_number_float() ? formatted("%.4g", value) : value.dump();
}

}  // namespace

bool agree(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a) && std::holds_alternative<Integer>(b))
    return std::get<Integer>(a) == std::get<Integer>(b);
  const Estimate x = estimate_of(a), y = estimate_of(b);
  const ScaledComplex difference{x.value.re + -y.value.re, x.value.im + -y.value.im};
  return log2_abs(difference) <= log2_sum(log2_sum(x.log2_error, y.log2_error), log2_abs(y.value) - 98);
}

bool identical(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a)) return agree(a, b);
  const auto same = [](const ScaledReal& x, const ScaledReal& y) {
    return x.mantissa == y.mantissa && x.exponent == y.exponent;
  };
  const Estimate x = estimate_of(a), y = estimate_of(b);
  return same(x.value.re, y.value.re) && same(x.value.im, y.value.im);
}

const Option device_option{"device", "WHERE", "auto (GPUs if there are any), cpu, cuda or cuda:0,1", "auto"};
const Option seed_option{"seed", "N", "of what is drawn at random", "1"};
const Option threads_option{"threads", "N", "of the CPU (default: every core)"};
Option repeat_option(const char* usual) {
  return {"repeat", "N", "each so many times, of which the best counts", usual};
}

Arguments::Arguments(const CommandLine& line, const std::vector<Option>& options, bool takes_files)
    : options_(options) {
  const std::string& benchmark = line.words.at(1);
  cxxopts::Options parser("matchcount-bench " + benchmark);
  for (const Option& option : options) {
    if (option.value.empty()) {
      parser.add_options()(option.name, "", cxxopts::value<bool>());
    } else {
      parser.add_options()(option.name, "", cxxopts::value<std::string>());
    }
  }
  parser.add_options()("h,help", "", cxxopts::value<bool>());
  std::vector<const char*> words;
  for (std::size_t i = 1; i < line.words.size(); ++i) words.push_back(line.words[i].c_str());
  try {
    const cxxopts::ParseResult parsed = parser.parse(static_cast<int>(words.size()), words.data());
    files_ = parsed.unmatched();
    if (!takes_files && !files_.empty()) throw app::UsageError(benchmark, "'" + files_[0] + "' is no option");
    for (const cxxopts::KeyValue& given : parsed.arguments()) given_[given.key()] = given.value();
  } catch (const cxxopts::exceptions::exception& error) {
    throw app::UsageError(benchmark, error.what());
  }
}

std::string Arguments::text(const std::string& name) const {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const auto is_it = [&](const Option& option) { return option.name == name; };
  const auto option = std::find_if(options_.begin(), options_.end(), is_it);
  return option == options_.end() ? std::string() : option->usual;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  std::vector<std::string> words;
  std::istringstream stream(text(name));
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

double Arguments::seconds(const std::string& name) const {
  return number(name, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max());
}

RunOptions Arguments::run_on_cpu() const {
  RunOptions run;
  run.device.kind = DeviceChoice::Kind::cpu;
  if (!text("seed").empty()) run.seed = number<std::uint64_t>("seed", 0, ~std::uint64_t{0});
  if (has("threads")) run.num_threads = number("threads", 1, 1024);
  return run;
}

std::string help_of(const std::vector<Option>& options) {
  std::vector<std::vector<std::string>> rows;
  for (const Option& option : options) {
    rows.push_back({"--" + option.name + (option.value.empty() ? "" : " " + option.value),
                    option.text + (option.usual.empty() ? "" : " (default: " + option.usual + ")")});
  }
  rows.push_back({"-h, --help", "this text"});
  return table(rows, "  ");
}

void Bench::begin(std::string title, const std::vector<DeviceInfo>& devices, int num_threads, const Json& head) {
  const char* commit = std::getenv("MATCHCOUNT_COMMIT");
  head_["benchmark"] = suite_.name;
  head_["command"] = command_of(line_);
  head_["version"] = MATCHCOUNT_VERSION;
  head_["commit"] = commit != nullptr && *commit != '\0' ? commit : commit_of_source;
  head_["date"] = now_utc();
  head_["machine"] = machine_of(devices);
  head_["ran_on"] = machine_line(devices, num_threads);
  if (!head.is_null()) head_.update(head);
  title_ = title + "\n" + head_["ran_on"].get<std::string>() + "\n";
  save();
}

void Bench::note(const std::string& key, const Json& value, const std::string& words) {
  head_[key] = value;
  title_ += words + ": " + cell_of(value) + "\n";
}

void Bench::run(const Case& what) {
  if (what.prepare) what.prepare();
  const int repeats = std::min(given_.repeats(), what.most_repeats);
  std::vector<double> seconds;
  Json best;
  for (int i = -what.warm_up; i < repeats; ++i) {
    Stopwatch watch;
    Outcome outcome = what.run();
    const double took = outcome.seconds.value_or(watch.lap());
    if (i < 0) continue;
    if (seconds.empty() || took < *std::min_element(seconds.begin(), seconds.end())) best = std::move(outcome.fields);
    seconds.push_back(took);
  }
  std::sort(seconds.begin(), seconds.end());
  Json fields{{"seconds", seconds[0]}};
  if (repeats > 1) fields["median_s"] = seconds[seconds.size() / 2];
  fields.update(best);
  add(what.group, what.name, fields, what.check ? what.check() : Checks());
  std::fprintf(stderr, "%s %s: %s\n", what.group.c_str(), what.name.c_str(), app::format_seconds(seconds[0]).c_str());
  save();
}

void Bench::add(const std::string& group, const std::string& name, const Json& fields, const Checks& checks) {
  Json one{{"group", group}, {"name", name}, {"right", Json()}};
  if (!checks.empty())
    one["right"] = std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
  one.update(fields);
  for (const bool passed : {true, false}) {
    if (const std::string names = joined(checks, passed); !names.empty()) one[passed ? "passed" : "failed"] = names;
  }
  cases_.push_back(std::move(one));
}

void Bench::save() const {
  std::string text = app::one_line(head_);
  text.back() = ',';  // for the brace
  text += "\n\"cases\": [";
  for (const Json& one : cases_) text += (&one == cases_.data() ? "\n" : ",\n") + app::one_line(one);
  text += "\n]}\n";
  for (const std::string& file : files_) {
    errno = 0;
    std::ofstream stream(file);
    stream << text;
    if (!stream.flush()) throw InputError("--json " + file + ": " + std::strerror(errno), "a file that can be written");
  }
}

bool Bench::finish() const {
  if (title_.empty()) return true;
  std::vector<std::string> columns;
  for (const Json& one : cases_) {
    for (const auto& [key, value] : one.items()) {
      const bool is_shown = key != "group" && key != "name" && key != "right" &&
                            (suite_.columns.empty() || key == "seconds" || key == "passed" || key == "failed" ||
                             (" " + suite_.columns + " ").find(" " + key + " ") != std::string::npos);
      if (is_shown && !value.is_null() && std::find(columns.begin(), columns.end(), key) == columns.end())
        columns.push_back(key);
    }
  }
  std::vector<std::vector<std::string>> table{{"case"}};
  table[0].insert(table[0].end(), columns.begin(), columns.end());
  table[0].push_back("check");
  bool all_right = true;
  for (const Json& one : cases_) {
    const std::string group = one["group"], name = one["name"];
    std::vector<std::string> row{group.empty() || name.empty() ? group + name : group + ", " + name};
    for (const std::string& column : columns) row.push_back(one.contains(column) ? cell_of(one[column]) : "-");
    row.push_back(one["right"].is_null() ? "-" : one["right"] ? "right" : "WRONG");
    all_right = all_right && row.back() != "WRONG";
    table.push_back(std::move(row));
  }
  app::write_answer(title_ + "\n" + matchcount::table(table, ""));
  return all_right;
}

}  // namespace matchcount::bench
