#pragma once
// Bench runs the cases of a benchmark, prints them as one table, and keeps them in one JSON file.

#include <string>
#include <string_view>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/case.hpp"
#include "core/device.hpp"

namespace matchcount::bench {

class Bench;

struct Suite {
  std::string_view name, summary;  // a line of the overview
  std::string about;               // a paragraph of --help
  std::vector<Option> options;     // but for --json and --help, which all have
  void (*run)(Bench& bench);
  bool takes_files = false;
};

class Bench {
 public:
  Bench(const CommandLine& line, const Arguments& given) : line_(line), given_(given) {
    if (given.has("json")) keep_in(given.text("json"));
  }

  const Arguments& given() const { return given_; }
  double seconds_since_start() const {  // of the process
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - line_.start).count();
  }

  // Says what is measured and on what, before the first case; `head` stands in the record in front of the cases.
  void begin(std::string title, const std::vector<DeviceInfo>& devices, int num_threads, Fields head = {});
  // Adds a member to the record's head, and a line above the table.
  void note(const Field& field);
  // Adds an element to a list in the record's head.
  void append(const std::string& key, app::Json element) { head_[key].push_back(std::move(element)); }
  // Has the record written to this file as well.
  void keep_in(const std::string& file) { files_.push_back(file); }
  // Times a case, checks it, and writes the record.
  void run(const Case& what);
  // Adds a case that was timed elsewhere, and writes nothing.
  void add(const std::string& group, const std::string& name, Fields fields, const Checks& checks);
  // Writes the record to --json, where that is given, and to the other files. Throws InputError with the system's
  // reason.
  void save() const;
  // Prints the table where anything was measured. Returns whether every value that could be checked was right.
  bool finish() const;

 private:
  const CommandLine& line_;
  const Arguments& given_;
  std::string title_;
  std::vector<std::string> files_;
  app::Json head_;
  std::vector<std::string> cases_;    // lines of JSON
  std::vector<std::string> columns_;  // of the table, by their first case
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> verdicts_;  // of the rows
  bool all_right_ = true;
};

// Returns "NVIDIA H200, driver 580.65.06", or the CPU's model and number of threads.
std::string machine_line(const std::vector<DeviceInfo>& devices, int num_threads);

}  // namespace matchcount::bench
