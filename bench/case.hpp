#pragma once
// Case is one thing that a benchmark times, and Field a figure that stands beside its seconds.

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/json_value.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::bench {

// Returns the number as printf's pattern writes it; "-" for nothing.
std::string formatted(const char* pattern, std::optional<double> value);

struct Field {
  std::string key;    // of its member in JSON; empty: it has none
  app::Json value;    // there
  std::string title;  // of its column in the table; empty: it has none
  std::string text;   // there

  Field(std::string its_key, std::optional<double> number, std::string its_title = {}, const char* pattern = "%.3g");
  Field(std::string its_key, std::string words, std::string its_title = {});
  template <std::integral T>
  Field(std::string its_key, T number, std::string its_title = {})
      : key(std::move(its_key)), value(number), title(std::move(its_title)), text(std::to_string(number)) {}
};
using Fields = std::vector<Field>;

// Check says what a value was compared with, and whether it passed.
struct Check {
  std::string name;
  bool passed = false;
};
using Checks = std::vector<Check>;

struct Outcome {
  std::optional<double> seconds;  // by a device's clock; nothing: the runner's counts
  Fields fields;                  // those of the quickest run are kept
};

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

}  // namespace matchcount::bench
