#include "bench/published/session.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/input.hpp"

namespace matchcount::bench {
namespace {

// A run that takes so much longer than a row may is given up.
constexpr double most_over_prediction = 4;

std::string key_of(const std::string& name, const CountOptions& options) {
  return name + "/" + std::string(to_string(options.method)) + "/" +
         std::to_string(static_cast<int>(options.run.precision)) + (options.prune ? "p" : "") +
         (options.reduce ? "r" : "");
}

}  // namespace

std::string formatted(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::optional<double> speedup(const Comparison& comparison) {
  const std::optional<double> printed = cell_number(comparison.printed);
  if (comparison.unit != "s" || !printed || !comparison.ours || !(*comparison.ours > 0)) return std::nullopt;
  return *printed / *comparison.ours;
}

std::string Session::here() const {
  if (on_gpu())
    return app::format_count(static_cast<double>(settings_.devices.size()), "GPU (", "GPUs (") +
           settings_.devices[0].name + ")";
  return app::format_count(resolve_num_threads(settings_.run), "thread", "threads");
}

CountOptions Session::options(Method method, Precision precision) const {
  CountOptions options;
  options.method = method;
  options.run = settings_.run;
  options.run.precision = precision;
  // What matchcount takes by itself may be a CPU's, on any machine.
  if (method != Method::automatic || !on_gpu()) options.run.device = settings_.device;
  return options;
}

CountOptions Session::named(Method method, Precision precision) const {
  CountOptions named = options(method, precision);
  named.prune = named.reduce = false;
  return named;
}

const Timed& Session::time(const std::string& name, const Matrix& matrix, const CountOptions& options) {
  const std::string key = key_of(name, options);
  if (const auto found = timed_.find(key); found != timed_.end()) return found->second;
  Timed timed;
  std::optional<double> predicted;
  try {
    Stopwatch watch;
    const Plan plan = plan_permanent(matrix, options);
    const Forecast* first = plan.blocks.empty() ? nullptr : &plan.blocks[0].forecasts.at(0);
    if (first != nullptr && !std::isfinite(plan.seconds)) {
      timed.standing = Standing::unavailable;
      timed.remark = first->reason;
    } else {
      predicted = plan.seconds;
      if (first != nullptr) {
        timed.method = to_string(first->method);
        timed.remark = first->reason;
      }
      if (plan.seconds > settings_.row_limit_s) {
        timed.standing = Standing::predicted;
        timed.seconds = plan.seconds;
      } else {
        CountOptions limited = options;
        limited.run.time_limit_s = most_over_prediction * settings_.row_limit_s;
        watch.lap();
        timed.result = permanent(matrix, limited);
        timed.seconds = watch.lap();
        timed.method = to_string(timed.result->method);
      }
    }
  } catch (const Unable& error) {
    timed.standing = Standing::unavailable;
    timed.remark = error.what();
    if (predicted) timed.remark = "predicted to take " + app::format_seconds(*predicted) + "; " + error.what();
  }
  std::fprintf(stderr, "%s: %s%s\n", key.c_str(), timed.seconds ? app::format_seconds(*timed.seconds).c_str() : "-",
               timed.standing == Standing::predicted ? ", predicted" : "");
  return timed_.emplace(key, std::move(timed)).first->second;
}

std::optional<Matrix> Session::public_matrix(const std::string& name) const {
  if (settings_.matrices_folder.empty()) return std::nullopt;
  const std::string file = settings_.matrices_folder + "/" + name + ".mtx";
  if (!std::filesystem::exists(file)) return std::nullopt;
  InputOptions options;
  options.usual_kind = InputKind::matrix;
  return read_input(file, options).graph;
}

void Session::explain(Comparison& comparison) const {
  const std::optional<double> ratio = speedup(comparison);
  if (!ratio || *ratio >= 1) return;
  constexpr double start_s = 2;
  std::string why = "slower, on " + here();
  if (on_gpu() && comparison.quantity == "whole call" && *comparison.ours < start_s)
    why += ", most of it for starting the GPU and compiling a kernel";
  comparison.remark += (comparison.remark.empty() ? "" : "; ") + why;
}

Comparison Session::compare(const Timed& timed, std::string row, std::string printed_by, std::string printed) const {
  Comparison comparison;
  comparison.row = std::move(row);
  comparison.printed_by = std::move(printed_by);
  comparison.printed = std::move(printed);
  comparison.unit = "s";
  comparison.method = timed.method;
  comparison.standing = timed.standing;
  comparison.ours = timed.seconds;
  comparison.quantity = "whole call";
  if (timed.standing == Standing::unavailable) comparison.remark = timed.remark;
  if (timed.result) {
    comparison.value = to_string(timed.result->value);
    bool passed = true;
    for (const Check& check : timed.result->checks) passed = passed && check.passed;
    if (!timed.result->checks.empty()) comparison.right = passed;
  }
  explain(comparison);
  return comparison;
}

}  // namespace matchcount::bench
