#include "bench/published/session.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "apps/text.hpp"
#include "graph/input.hpp"

namespace matchcount::bench {
namespace {

// A run that takes so much longer than a row may is given up.
constexpr double most_over_prediction = 4;
constexpr const char* standings[] = {"measured", "predicted", "unavailable"};

std::string key_of(const std::string& name, const CountOptions& options) {
  return name + "/" + std::string(to_string(options.method)) + "/" +
         std::to_string(static_cast<int>(options.run.precision)) + (options.prune ? "p" : "") +
         (options.reduce ? "r" : "");
}

// Returns the printed seconds over ours; nothing where either is no number.
std::optional<double> speedup(const Comparison& comparison) {
  const std::optional<double> printed = app::parse_number<double>(comparison.printed);
  if (comparison.unit != "s" || !printed || !comparison.ours || !(*comparison.ours > 0)) return std::nullopt;
  return *printed / *comparison.ours;
}

// Returns the folder in a clone, where the program runs in one, else that beside the installed program.
std::string usual_tables() {
  const std::string of_clone = "datasets/published";
  std::error_code error;
  if (std::filesystem::is_directory(of_clone, error)) return of_clone;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path() /
         "share/matchcount/published";
}

}  // namespace

Session::Session(Bench& bench) : bench_(bench) {
  const Arguments& given = bench.given();
  tables_folder_ = given.has("tables") ? given.text("tables") : usual_tables();
  matrices_folder_ = given.text("matrices");
  if (!matrices_folder_.empty() && !std::filesystem::is_directory(matrices_folder_))
    throw InputError("--matrices " + matrices_folder_, "a folder");
  row_limit_s = given.seconds("row-limit");
  sample_limit_s = given.seconds("sample-limit");
  device = parse_device_choice(given.text("device"));
  devices = given.devices();
  run = given.run_on_cpu();
  run.device = {};
}

void Session::begin(const app::Json& its_entry) {
  entry = its_entry;
  if (entry.contains("redo")) table = read_published_table(tables_folder_, entry["paper"], number());
}

CountOptions Session::options(Method method, Precision precision) const {
  CountOptions options;
  options.method = method;
  options.run = run;
  options.run.precision = precision;
  // The figures of matchcount itself may be a CPU's, on any machine.
  if (method != Method::automatic || !on_gpu()) options.run.device = device;
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
      if (plan.seconds > row_limit_s) {
        timed.standing = Standing::predicted;
        timed.seconds = plan.seconds;
      } else {
        CountOptions limited = options;
        limited.run.time_limit_s = most_over_prediction * row_limit_s;
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
  if (matrices_folder_.empty()) return std::nullopt;
  const std::string file = matrices_folder_ + "/" + name + ".mtx";
  if (!std::filesystem::exists(file)) return std::nullopt;
  InputOptions options;
  options.usual_kind = InputKind::matrix;
  return read_input(file, options).graph;
}

Comparison Session::compare_public(const std::string& name, const std::optional<Matrix>& matrix,
                                   const CountOptions& options, Comparison cell) {
  const Timed missing{.standing = Standing::unavailable, .remark = "no file: see datasets/public_matrices.sh"};
  return compare(matrix ? time(name, *matrix, options) : missing, std::move(cell));
}

Comparison Session::compare(const Timed& timed, Comparison cell) const {
  cell.method = timed.method;
  cell.standing = timed.standing;
  cell.ours = timed.seconds;
  if (timed.standing == Standing::unavailable) cell.remark = timed.remark;
  if (timed.result) {
    cell.value = to_string(timed.result->value);
    for (const auto& check : timed.result->checks) cell.right = cell.right.value_or(true) && check.passed;
  }
  return cell;
}

void Session::add(Comparison c) {
  const std::optional<double> ratio = speedup(c);
  if (ratio && *ratio < 1) {
    constexpr double start_s = 2;
    std::string why =
        "slower, on " + (on_gpu() ? app::format_count(devices.size(), "GPU (", "GPUs (") + devices[0].name + ")"
                                  : app::format_count(resolve_num_threads(run), "thread", "threads"));
    if (on_gpu() && c.quantity == "whole call" && *c.ours < start_s)
      why += ", most of it for starting the GPU and compiling a kernel";
    c.add_remark(why);
  }
  Fields fields{{"ours", c.ours, "ours"}, {"unit", c.unit, "unit"}};
  if (ratio) fields.push_back({"printed_over_ours", ratio, "printed / ours"});
  if (c.agrees) fields.push_back({"printed_value_agrees", *c.agrees});
  const auto text = [&](const char* key, const std::string& words, const char* title) {
    if (!words.empty()) fields.push_back({key, words, title});
  };
  text("printed_by", c.printed_by, "printed for");
  text("printed", c.printed, "printed");
  text("method", c.method, "method");
  text("standing", standings[static_cast<int>(c.standing)], "standing");
  text("quantity", c.quantity, "");
  text("value", c.value, "");
  text("remark", c.remark, "");
  bench_.add(name(), c.row, std::move(fields), c.right ? Checks{{"", *c.right}} : Checks());
}

}  // namespace matchcount::bench
