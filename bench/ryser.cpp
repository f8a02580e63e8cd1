// ryser: inclusion-exclusion alone. permanent_ryser is called on the matrix as it is, so that what is timed is the
// method: `matchcount` would prune and reduce first, and often take another method.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/ceiling.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"
#include "apps/json.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount::bench {
namespace {

using app::Json;
using app::json_number;

constexpr int most_threads = 1024, most_repeats = 1000;

enum class Arithmetic { exact, float64, compensated, double_double };

std::string to_string(Arithmetic arithmetic) {
  constexpr const char* names[] = {"exact", "double", "compensated", "double-double"};
  return names[static_cast<int>(arithmetic)];
}

struct Settings {
  std::vector<Workload> workloads;
  std::vector<DeviceInfo> devices;  // none: the CPU
  GpuOptions gpu{KernelKind::generated};
  int repeat = 1;
  std::string json_file;
  RunOptions run;

  bool on_gpu() const { return !devices.empty(); }
  // Devices, or threads of a CPU.
  int units() const { return on_gpu() ? static_cast<int>(devices.size()) : resolve_num_threads(run); }
};

struct Case {
  RyserVariant variant = RyserVariant::staged;
  Arithmetic arithmetic = Arithmetic::float64;
  int units = 1;
};

struct Check {
  std::string name;
  bool passed = false;
};

struct Run {
  Case what;
  int repetition = 1;
  std::uint64_t seed = 0;
  Vertex size = 0;
  EdgeId edges = 0;
  Value value;
  double whole_s = 0;
  bool from_process_start = false;
  std::optional<double> kernel_s;  // of a CPU: the call
  double operations_per_leaf = 0, log2_leaves = 0;
  std::optional<GpuReport> gpu;
  std::optional<double> share;    // of the measured ceiling
  std::optional<double> speedup;  // over one device or thread
  std::vector<Check> checks;
};

// What a workload runs. The first case that shares a matrix with later ones is what those are checked against.
std::vector<Case> cases_of(const Workload& workload, int units) {
  const auto staged = [&](Arithmetic arithmetic) { return Case{RyserVariant::staged, arithmetic, units}; };
  std::vector<Case> cases;
  switch (workload.family) {
    case Family::dense:
    case Family::ones:
    case Family::sparse:
      return {staged(Arithmetic::float64)};
    case Family::zero_one:
      return {staged(Arithmetic::exact), staged(Arithmetic::float64)};
    case Family::precisions:
      return {staged(Arithmetic::double_double), staged(Arithmetic::compensated), staged(Arithmetic::float64)};
    case Family::complex:
      return {staged(Arithmetic::double_double), staged(Arithmetic::float64)};
    case Family::methods:
      for (const Arithmetic arithmetic : {Arithmetic::float64, Arithmetic::exact}) {
        for (const RyserVariant variant :
             {RyserVariant::staged, RyserVariant::skipper, RyserVariant::sparyser, RyserVariant::ryser}) {
          cases.push_back({variant, arithmetic, units});
        }
      }
      return cases;
    case Family::scaling:
      for (int some = 1; some <= units && some <= 8; some *= 2)
        cases.push_back({RyserVariant::staged, Arithmetic::float64, some});
      return cases;
  }
  return cases;
}

// ---- Running.

Block<std::int64_t> integer_block(const Matrix& matrix) {
  return {matrix.pattern(), std::vector<std::int64_t>(matrix.num_edges(), 1), {}, {}};
}
Block<RealEntry> real_block(const Matrix& matrix) {
  std::vector<RealEntry> entries(matrix.num_edges(), {DoubleDouble(1), 1});
  if (const auto* weights = std::get_if<std::vector<DoubleDouble>>(&matrix.weights())) {
    std::transform(weights->begin(), weights->end(), entries.begin(), [](DoubleDouble weight) {
      return RealEntry{weight, magnitude(weight)};
    });
  }
  return {matrix.pattern(), std::move(entries), {}, {}};
}
Block<ComplexEntry> complex_block(const Matrix& matrix) {
  std::vector<ComplexEntry> entries;
  for (const ComplexDoubleDouble& weight : std::get<std::vector<ComplexDoubleDouble>>(matrix.weights())) {
    entries.push_back({weight, magnitude(weight)});
  }
  return {matrix.pattern(), std::move(entries), {}, {}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Precision precision_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::compensated     ? Precision::compensated
         : arithmetic == Arithmetic::double_double ? Precision::double_double
                                                   : Precision::float64;
}

template <class Entry>
void run_block(const Block<Entry>& block, const Settings& settings, Run& run) {
  RunOptions options = settings.run;
  if (!settings.on_gpu()) options.num_threads = run.what.units;
  const RunContext context(options);
  const auto plan = plan_ryser(block.pattern, run.what.variant, options.seed);
  const std::vector<DeviceInfo> devices(
      settings.devices.begin(),
      settings.devices.begin() + static_cast<std::ptrdiff_t>(settings.on_gpu() ? run.what.units : 0));
  run.operations_per_leaf = plan.operations_per_leaf;
  run.log2_leaves = plan.log2_leaves;
  const auto start = std::chrono::steady_clock::now();
  GpuReport report;
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    run.value = settings.on_gpu() ? permanent_ryser(block, plan, devices, context, &report, settings.gpu)
                                  : permanent_ryser(block, plan, context);
  } else {
    const Precision precision = precision_of(run.what.arithmetic);
    run.value = settings.on_gpu() ? permanent_ryser(block, plan, precision, devices, context, &report, settings.gpu)
                                  : permanent_ryser(block, plan, precision, context);
  }
  if (!settings.on_gpu()) {
    run.kernel_s = seconds_since(start);
  } else if (!report.tasks_of_device.empty()) {  // else the matrix was too small for a GPU
    run.kernel_s = report.kernel_s;
    run.operations_per_leaf = report.operations_per_leaf;
    run.log2_leaves = report.log2_leaves;
    run.gpu = report;
  }
}

// ---- Checking.

struct Estimate {
  ScaledComplex value;
  double log2_error = 0;
};
// Integers to a relative 2^-104.
Estimate estimate_of(const Value& value) {
  if (const auto* real = std::get_if<RealValue>(&value)) return {{real->value, {}}, real->log2_error};
  if (const auto* complex = std::get_if<ComplexValue>(&value)) return {complex->value, complex->log2_error};
  const auto& integer = std::get<Integer>(value);
  if (integer == 0) return {{}, -std::numeric_limits<double>::infinity()};
  const Integer size = abs(integer);
  const std::size_t top = msb(size);
  const std::size_t shift = top > 105 ? top - 105 : 0;
  const Integer head = size >> shift;
  const Integer high = head >> 53;
  const Integer low = head - (high << 53);
  const DoubleDouble rounded = fast_two_sum(std::ldexp(static_cast<double>(high), 53), static_cast<double>(low));
  const ScaledReal real(integer < 0 ? -rounded : rounded, static_cast<std::int64_t>(shift));
  return {{real, {}}, static_cast<double>(top) - 104};
}

// Whether two values of one matrix may both be right. The subtraction is allowed 2^-98 of the value.
bool agree(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a) && std::holds_alternative<Integer>(b)) {
    return std::get<Integer>(a) == std::get<Integer>(b);
  }
  const Estimate x = estimate_of(a), y = estimate_of(b);
  const ScaledComplex difference{x.value.re + -y.value.re, x.value.im + -y.value.im};
  const double allowed = log2_sum(log2_sum(x.log2_error, y.log2_error), log2_abs(y.value) - 98);
  return log2_abs(difference) <= allowed;
}

bool identical(const ScaledReal& a, const ScaledReal& b) {
  return a.mantissa == b.mantissa && a.exponent == b.exponent;
}
// The same bits: a value does not depend on how many devices or threads there are.
bool identical(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a)) return agree(a, b);
  const Estimate x = estimate_of(a), y = estimate_of(b);
  return identical(x.value.re, y.value.re) && identical(x.value.im, y.value.im);
}

Integer factorial(Vertex n) {
  Integer product = 1;
  for (Vertex i = 2; i <= n; ++i) product *= i;
  return product;
}

// The same entries: exact runs of `methods` take the pattern's ones, the others its values.
bool same_matrix(const Workload& workload, const Run& a, const Run& b) {
  if (workload.family != Family::methods) return true;
  return (a.what.arithmetic == Arithmetic::exact) == (b.what.arithmetic == Arithmetic::exact);
}

void check(const Workload& workload, const std::vector<Run>& earlier, Run& run) {
  if (workload.family == Family::ones) {
    run.checks.push_back(
        {"contains " + std::to_string(workload.size) + "!", agree(run.value, Value(factorial(workload.size)))});
  }
  for (const Run& reference : earlier) {
    if (!same_matrix(workload, reference, run)) continue;
    const Case &a = reference.what, &b = run.what;
    if (a.arithmetic == b.arithmetic && a.variant == b.variant) {
      run.checks.push_back({"equals the first", identical(run.value, reference.value)});
    } else {
      const std::string what =
          a.arithmetic != b.arithmetic ? to_string(a.arithmetic) : std::string(to_string(a.variant));
      run.checks.push_back({"agrees with " + what, agree(run.value, reference.value)});
    }
    break;
  }
}

bool passed(const Run& run) {
  return std::all_of(run.checks.begin(), run.checks.end(), [](const Check& check) { return check.passed; });
}

// ---- Output.

std::string format(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}
std::string format(const char* pattern, const std::optional<double>& value) {
  return value ? format(pattern, *value) : "-";
}

std::string method_name(const Run& run) {
  return std::string(to_string(run.what.variant)) + " " + to_string(run.what.arithmetic);
}

std::string remarks(const Run& run) {
  std::string text;
  for (const Check& check : run.checks)
    text += (text.empty() ? "" : ", ") + (check.passed ? "" : "WRONG, not: " + check.name);
  for (const Check& check : run.checks) {
    if (check.passed) text += (text.empty() ? "" : ", ") + check.name;
  }
  if (run.speedup) text += (text.empty() ? "" : ", ") + format("%.2fx", *run.speedup);
  return text;
}

std::vector<std::string> heading() {
  return {"workload", "seed",      "method",    "on",    "kernel s",   "whole s", "compile s",
          "ops/leaf", "ceiling %", "registers", "value", "rel. error", "checks"};
}

std::vector<std::string> table_row(const Workload& workload, const Settings& settings, const Run& run) {
  const double error = relative_error(run.value);
  const std::string unit = settings.on_gpu() ? " GPU" : " thread";
  return {workload.name + (run.repetition > 1 ? " #" + std::to_string(run.repetition) : ""),
          std::to_string(run.seed),
          method_name(run),
          std::to_string(run.what.units) + unit + (run.what.units == 1 ? "" : "s"),
          format("%.4f", run.kernel_s),
          format("%.3f", run.whole_s) + (run.from_process_start ? "*" : ""),
          run.gpu ? format("%.3f", run.gpu->compile_s) + (run.gpu->from_cache ? " cached" : "") : "-",
          format("%.2f", run.operations_per_leaf),
          run.share ? format("%.1f", 100 * *run.share) : "-",
          run.gpu ? std::to_string(run.gpu->registers) : "-",
          to_string(run.value),
          error == 0 ? "exact" : format("%.1e", error),
          remarks(run)};
}

Json optional_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(); }

Json json_run(const Workload& workload, const Settings& settings, const Run& run) {
  Json object;
  object["workload"] = workload.name;
  object["seed"] = run.seed;
  object["rows"] = run.size;
  object["edges"] = run.edges;
  object["method"] = to_string(run.what.variant);
  object["arithmetic"] = to_string(run.what.arithmetic);
  object["device"] = settings.on_gpu() ? "cuda" : "cpu";
  object[settings.on_gpu() ? "devices" : "threads"] = run.what.units;
  object["repetition"] = run.repetition;
  object["kernel_s"] = optional_number(run.kernel_s);
  object["whole_s"] = run.whole_s;
  object["whole_from"] = run.from_process_start ? "process start" : "call";
  object["operations_per_leaf"] = run.operations_per_leaf;
  object["log2_leaves"] = run.log2_leaves;
  object["ceiling_share"] = optional_number(run.share);
  if (run.gpu) {
    const GpuReport& gpu = *run.gpu;
    object["kernels"] = gpu.precompiled ? "precompiled" : "generated";
    object["compile_s"] = gpu.compile_s;
    object["compile_from_cache"] = gpu.from_cache;
    object["plan_s"] = gpu.plan_s;
    object["start_s"] = gpu.start_s;
    object["inner_bits"] = gpu.inner_bits;
    object["registers"] = gpu.registers;
    object["local_bytes"] = gpu.local_bytes;
    object["blocks_per_multiprocessor"] = gpu.blocks_per_multiprocessor;
    Json tasks = Json::array();
    for (const std::uint64_t count : gpu.tasks_of_device) tasks.push_back(count);
    object["tasks_of_device"] = tasks;
  }
  object["value"] = to_string(run.value);
  object["log10"] = json_number(log10_abs(run.value));
  object["relative_error"] = json_number(relative_error(run.value));
  if (run.speedup) object["speedup"] = *run.speedup;
  object["checks"] = Json::array();
  for (const Check& check : run.checks) object["checks"].push_back({{"name", check.name}, {"passed", check.passed}});
  return object;
}

void list(bool on_gpu) {
  std::string text = std::string("Run where none is named, on ") + (on_gpu ? "this GPU" : "a CPU") + ":\n";
  const auto names = [&](const std::vector<std::string>& workloads) {
    std::string line;
    for (const std::string& name : workloads) line += (line.empty() ? "" : " ") + name;
    text += app::wrap(line, 2, 100);
  };
  names(default_workloads(on_gpu));
  text += "Longer:\n";
  names(further_workloads(on_gpu));
  text += "Any size N from 1 to 62:\n";
  std::vector<std::vector<std::string>> rows;
  for (const FamilySpec& spec : family_table()) {
    rows.push_back({std::string(spec.name) + (spec.has_density ? "-N-DENSITY" : "-N"), std::string(spec.text)});
  }
  app::write_answer(text + app::table(rows, "  "));
}

// ---- Options.

constexpr const char* help_text = R"(Usage: matchcount-bench ryser [options]

Times inclusion-exclusion (permanent_ryser) on matrices taken as they are: no pruning, no reductions.

  --device WHERE     auto, cpu, cuda or cuda:0,1 (default: auto, all GPUs if there are any)
  --workload NAME,.. what to run; --list names them
  --kernels KIND     of a GPU: generated or precompiled (default: generated)
  --repeat N         each so many times (default: 1)
  --seed N           of patterns, values and plans (default: 1)
  --threads N        of the CPU (default: every core)
  --json FILE        also writes everything to FILE, anew after every workload
  --list             the workloads
  -h, --help         this text
)";

// Nothing where the options asked only for text, which is then written.
std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench ryser");
  auto add = parser.add_options();
  add("list", "", cxxopts::value<bool>());
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("workload", "", cxxopts::value<std::vector<std::string>>());
  add("kernels", "", cxxopts::value<std::string>()->default_value("generated"));
  add("repeat", "", cxxopts::value<int>()->default_value("1"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>());
  add("json", "", cxxopts::value<std::string>());
  return read_options(
      line, "ryser", help_text, parser, [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
        Settings settings;
        settings.repeat = within("repeat", parsed["repeat"].as<int>(), most_repeats);
        const std::string kernels = parsed["kernels"].as<std::string>();
        if (kernels != "generated" && kernels != "precompiled")
          throw app::UsageError("ryser", "--kernels is '" + kernels + "'; generated or precompiled is expected");
        if (kernels == "precompiled") settings.gpu.kernels = KernelKind::precompiled;
        if (parsed.count("threads") != 0)
          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), most_threads);
        settings.run.seed = parsed["seed"].as<std::uint64_t>();
        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
        std::vector<std::string> names;
        if (parsed.count("workload") != 0) names = parsed["workload"].as<std::vector<std::string>>();
        for (const std::string& name : names) settings.workloads.push_back(workload_from_name(name));
        settings.devices = choose_devices(parse_device_choice(parsed["device"].as<std::string>()));
        if (parsed.count("list") != 0) {
          list(settings.on_gpu());
          return std::nullopt;
        }
        if (names.empty()) {
          for (const std::string& name : default_workloads(settings.on_gpu()))
            settings.workloads.push_back(workload_from_name(name));
        }
        return settings;
      });
}

}  // namespace

bool run_ryser(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;

  Json record = record_header(line, settings.devices);
  record["seed"] = settings.run.seed;
  record["matrices"] = "as they are: no pruning, no reductions";
  record["fma_per_s"] = nullptr;
  record["runs"] = Json::array();
  const auto keep_record = [&] {
    if (!settings.json_file.empty()) write_record(settings.json_file, record);
  };
  keep_record();

  std::vector<std::vector<std::string>> rows{heading()};
  std::optional<double> ceiling;
  bool all_right = true, first = true;
  for (const Workload& workload : settings.workloads) {
    std::vector<Run> runs;
    for (const Case& what : cases_of(workload, settings.units())) {
      for (int repetition = 1; repetition <= settings.repeat; ++repetition) {
        const SeededMatrix seeded = matrix_of(workload, settings.run.seed);
        Run run;
        run.what = what;
        run.repetition = repetition;
        run.seed = seeded.seed;
        run.size = seeded.matrix.num_rows();
        run.edges = seeded.matrix.num_edges();
        run.from_process_start = first;
        const auto start = std::exchange(first, false) ? line.start : std::chrono::steady_clock::now();
        if (what.arithmetic == Arithmetic::exact) {
          run_block(integer_block(seeded.matrix), settings, run);
        } else if (workload.family == Family::complex) {
          run_block(complex_block(seeded.matrix), settings, run);
        } else {
          run_block(real_block(seeded.matrix), settings, run);
        }
        run.whole_s = seconds_since(start);
        // After the first run, whose seconds count from the start of the process.
        if (settings.on_gpu() && !ceiling) {
          ceiling = measured_fma_per_s(settings.devices[0]);
          record["fma_per_s"] = *ceiling;
        }
        if (run.gpu && what.arithmetic == Arithmetic::float64 && workload.family != Family::complex) {
          run.share = run.operations_per_leaf * std::exp2(run.log2_leaves) / *run.kernel_s / (*ceiling * what.units);
        }
        if (workload.family == Family::scaling && run.kernel_s) {
          run.speedup = runs.empty() ? 1 : *runs[0].kernel_s / *run.kernel_s;
        }
        check(workload, runs, run);
        all_right = all_right && passed(run);
        rows.push_back(table_row(workload, settings, run));
        record["runs"].push_back(json_run(workload, settings, run));
        std::fprintf(stderr, "%s, %s: %s\n", workload.name.c_str(), method_name(run).c_str(),
                     app::format_seconds(run.whole_s).c_str());
        runs.push_back(std::move(run));
      }
    }
    keep_record();
  }
  std::string text = "Inclusion-exclusion on matrices as they are: no pruning, no reductions. Seed " +
                     std::to_string(settings.run.seed) + ".\n" +
                     machine_line(settings.devices, resolve_num_threads(settings.run)) + "\n";
  if (ceiling) text += format("Measured ceiling of one GPU: %.2fe12 multiply-adds a second\n", *ceiling * 1e-12);
  app::write_answer(text + "\n" + app::table(rows, "") + "* from the start of the process; others from the call\n");
  return all_right;
}

}  // namespace matchcount::bench
