#pragma once
// Arguments reads the command line of a benchmark, whose options are rows of a table that --help prints.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "apps/text.hpp"
#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "core/run.hpp"

namespace matchcount::bench {

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

}  // namespace matchcount::bench
