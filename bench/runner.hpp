#pragma once
// Bench runs the cases of a benchmark, prints them as one table, and keeps them in one JSON file.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/json.hpp"
#include "bench/arguments.hpp"
#include "core/device.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::bench {

using app::formatted;
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
  bool takes_files = false;
};
// A further benchmark is a function here, and a word in main.cpp.
Suite bitmatrix_suite(), compare_suite(), dense_suite(), determinant_suite(), forecasts_suite(), grid_suite(),
    layers_suite(), orders_suite(), planar_suite(), published_suite(), ryser_suite(), small_suite();

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
