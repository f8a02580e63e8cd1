#pragma once
// Bench runs the cases of a benchmark, prints them as one table, and keeps them in one JSON file. Arguments reads the
// command line, whose options are rows of a table that --help prints.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/device.hpp"
#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::bench {

// Returns whether two values of one matrix may both be right. The subtraction is allowed 2^-98 of the value.
bool agree(const Value& a, const Value& b);

// Returns whether the bits are the same: a value does not depend on how many devices or threads there are.
bool identical(const Value& a, const Value& b);

struct CommandLine {
  std::vector<std::string> words;               // the program first
  std::chrono::steady_clock::time_point start;  // of the process, as near as main can tell
};

struct Option {
  std::string name, value, text;  // value: "N", "FILE"; empty: a switch
  std::string usual = {};         // is taken where the option is not given
};

// The options of several benchmarks.
extern const Option device_option, seed_option, threads_option;
Option repeat_option(const char* usual);

class Arguments {
 public:
  // Throws UsageError (apps/options.hpp) for a line that makes no sense.
  Arguments(const CommandLine& line, const std::vector<Option>& options, bool takes_files);

  bool has(const std::string& name) const { return given_.contains(name); }
  // Return the value as given, or the usual one, whole and cut at its commas. `text` of an option that is neither given
  // nor has a usual value is empty.
  std::string text(const std::string& name) const;
  std::vector<std::string> list(const std::string& name) const;
  const std::vector<std::string>& files() const { return files_; }

  // Return numbers of the range, and throw InputError for others.
  template <class T>
  T number(const std::string& name, T least, T most) const {
    return number_of(name, text(name), least, most);
  }
  template <class T>
  std::vector<T> numbers(const std::string& name, T least, T most) const {
    std::vector<T> result;
    for (const std::string& word : list(name)) result.push_back(number_of(name, word, least, most));
    return result;
  }
  double seconds(const std::string& name) const;  // above 0
  int repeats() const { return text("repeat").empty() ? 1 : number("repeat", 1, 1'000'000); }

  // Returns the devices of --device; none: the CPU.
  std::vector<DeviceInfo> devices() const { return choose_devices(parse_device_choice(text("device"))); }
  // Returns the options of a run with --seed and --threads, where the benchmark has them, on a CPU.
  RunOptions run_on_cpu() const;

 private:
  template <class T>
  static T number_of(const std::string& name, const std::string& word, T least, T most) {
    const auto value = app::parse_number<T>(word);
    if (value && *value >= least && *value <= most) return *value;
    throw InputError("--" + name + " " + word, "numbers from " + std::to_string(least) + " to " + std::to_string(most));
  }

  const std::vector<Option>& options_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> files_;
};

// Returns the lines of --help about the options.
std::string help_of(const std::vector<Option>& options);

using app::Json;

// Returns JSON's null for nothing.
inline Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// Check says what a value was compared with, and whether it passed.
struct Check {
  std::string name;
  bool passed = false;
};
using Checks = std::vector<Check>;

struct Outcome {
  std::optional<double> seconds;  // by a device's clock; nothing: the runner's counts
  Json fields;                    // figures that stand beside the seconds; those of the quickest run are kept
};

// Case is one thing that a benchmark times.
struct Case {
  std::string group, name;
  std::function<void()> prepare = nullptr;  // is called once and not timed
  std::function<Outcome()> run = nullptr;   // is called --repeat times
  std::function<Checks()> check = nullptr;  // is called after the last run and not timed; no checks: none is possible
  int warm_up = 0;                          // runs that do not count, before the others
  int most_repeats = 1'000'000;
};

// Returns the seconds of a call, for runs that do more.
template <class Call>
double seconds_of(const Call& call) {
  Stopwatch watch;
  call();
  return watch.lap();
}

class Bench;

struct Suite {
  std::string_view name, summary;  // a line of the overview
  std::string about;               // a paragraph of --help
  std::string columns;             // which figures stand in the table, parted by blanks; empty: all
  std::vector<Option> options;     // but for --json and --help, which all have
  void (*run)(Bench& bench);
  std::string_view files = {};  // what stands behind the options: "FILE..."; empty: nothing
};
// A further benchmark is a function here, and a word in main.cpp.
Suite bitmatrix_suite(), compare_suite(), dense_suite(), determinant_suite(), fit_suite(), grid_suite(), layers_suite(),
    planar_suite(), published_suite(), ryser_suite(), small_suite();

class Bench {
 public:
  Bench(const CommandLine& line, const Suite& suite, const Arguments& given)
      : line_(line), suite_(suite), given_(given) {
    if (given.has("json")) keep_in(given.text("json"));
  }

  const Arguments& given() const { return given_; }
  double seconds_since_start() const {  // of the process
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - line_.start).count();
  }

  // Says what is measured and on what, before the first case; `head` stands in the record in front of the cases.
  void begin(std::string title, const std::vector<DeviceInfo>& devices, int num_threads, const Json& head = {});
  // Adds a member to the record's head, and a line above the table.
  void note(const std::string& key, const Json& value, const std::string& words);
  // Adds an element to a list in the record's head.
  void append(const std::string& key, Json element) { head_[key].push_back(std::move(element)); }
  // Has the record written to this file as well.
  void keep_in(const std::string& file) { files_.push_back(file); }
  // Times a case, checks it, and writes the record.
  void run(const Case& what);
  // Adds a case that was timed elsewhere, and writes nothing.
  void add(const std::string& group, const std::string& name, const Json& fields, const Checks& checks = {});
  // Writes the record to --json, where that is given, and to the other files. Throws InputError with the system's
  // reason.
  void save() const;
  // Prints the table where anything was measured. Returns whether every value that could be checked was right.
  bool finish() const;

 private:
  const CommandLine& line_;
  const Suite& suite_;
  const Arguments& given_;
  std::string title_;
  std::vector<std::string> files_;
  Json head_;
  std::vector<Json> cases_;
};

}  // namespace matchcount::bench
