// small: permanents and counts of a few rows, where all that surrounds the sum counts.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/stopwatch.hpp"
#include "permanent/permanent.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench small [options]

Calls the library on matrices of 4 to 20 rows as a program would, options as they are by default, and on a thousand of
12 x 12 one after another. Every value is checked against the published form of Ryser's formula.

  --repeat N         each call so many times, of which the best counts (default: 200)
  --json FILE        also writes everything to FILE
  -h, --help         this text
)";

struct Settings {
  int repeat = 200;
  std::string json_file;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench small");
  auto add = parser.add_options();
  add("repeat", "", cxxopts::value<int>()->default_value("200"));
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "small", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000000);
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        return settings;
                      });
}

// By a method that shares no plan with the one that is measured: equal, or within both bounds.
bool is_right(const Matrix& matrix, const Value& value) {
  CountOptions options;
  options.method = Method::ryser;
  const Value other = permanent(matrix, options).value;
  if (const auto* integer = std::get_if<Integer>(&value)) return *integer == std::get<Integer>(other);
  const auto &a = std::get<RealValue>(value), &b = std::get<RealValue>(other);
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}

double best_seconds(int repeat, const std::function<void()>& call) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeat; ++i) {
    Stopwatch stopwatch;
    call();
    best = std::min(best, stopwatch.lap());
  }
  return best;
}

std::string microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 1e6 * seconds);
  return text;
}

}  // namespace

bool run_small(const CommandLine& line) {
  const std::optional<Settings> settings = settings_from(line);
  if (!settings) return true;
  Json record = record_header(line, {});
  record["runs"] = Json::array();
  std::vector<std::vector<std::string>> rows{{"matrix", "method", "microseconds", "of it structure", "check"}};
  bool all_right = true;
  const auto report = [&](const std::string& name, double seconds, const Result& result, bool right) {
    rows.push_back({name, std::string(to_string(result.method)), microseconds(seconds),
                    microseconds(result.time_s.structure), right ? "right" : "WRONG"});
    record["runs"].push_back({{"matrix", name},
                              {"method", to_string(result.method)},
                              {"seconds", seconds},
                              {"structure_s", result.time_s.structure},
                              {"value", to_string(result.value)},
                              {"right", right}});
    all_right = all_right && right;
    if (!settings->json_file.empty()) write_record(settings->json_file, record);
  };
  for (const char* family : {"dense-", "ones-", "zero-one-"}) {
    for (const char* size : {"4", "8", "12", "16", "20"}) {
      const std::string name = std::string(family) + size + (family == std::string("zero-one-") ? "-0.5" : "");
      const Matrix matrix = matrix_of(workload_from_name(name), 1).matrix;
      Result result;
      const double seconds = best_seconds(settings->repeat, [&] { result = permanent(matrix); });
      report(name, seconds, result, is_right(matrix, result.value));
    }
  }
  constexpr std::uint64_t batch = 1000;
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= batch; ++seed)
    matrices.push_back(matrix_of(workload_from_name("dense-12"), seed).matrix);
  Result last;
  const double seconds = best_seconds(std::min(settings->repeat, 5), [&] {
    for (const Matrix& matrix : matrices) last = permanent(matrix);
  });
  report("1000 of dense-12", seconds, last, is_right(matrices.back(), last.value));
  app::write_answer("The best of " + std::to_string(settings->repeat) + " calls.\n" + machine_line({}, 1) + "\n\n" +
                    app::table(rows, ""));
  return all_right;
}

}  // namespace matchcount::bench
