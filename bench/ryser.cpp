// ryser: inclusion-exclusion alone. permanent_ryser is called on the matrix as it is, so that what is timed is the
// method: `matchcount` would prune and reduce first, and often take another method.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <type_traits>

#include "apps/answer.hpp"
#include "apps/text.hpp"
#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount::bench {
namespace {

// Workloads that run if none is named, and others that are worth running: on a CPU, on GPUs.
constexpr const char* usual_workloads[] = {
    "dense-28 dense-24 ones-26 sparse-30-0.1 sparse-28-0.2 sparse-28-0.3 sparse-28-0.4 sparse-28-0.5 zero-one-28-0.5 "
    "zero-one-28-0.2 methods-22-0.3 precisions-24 complex-22",
    "dense-40 dense-36 ones-40 sparse-40-0.1 sparse-40-0.2 sparse-40-0.3 sparse-40-0.4 sparse-40-0.5 zero-one-40-0.5 "
    "zero-one-40-0.2 methods-36-0.3 precisions-36 complex-34"};
constexpr const char* longer_workloads[] = {"dense-32 zero-one-32-0.5 scaling-28",
                                            "dense-45 dense-48 zero-one-48-0.5 scaling-44"};

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

struct Configuration {
  Method variant = Method::staged;
  Precision arithmetic = Precision::float64;
  int units = 1;  // devices, or threads of a CPU
};

struct Settings {
  std::vector<DeviceInfo> devices;  // none: the CPU
  RunOptions run;
  bool started = false;
  std::optional<double> fma_per_s;  // of one GPU, measured after the first run

  bool on_gpu() const { return !devices.empty(); }
  int units() const { return on_gpu() ? static_cast<int>(devices.size()) : resolve_num_threads(run); }
};

// Holds the outcome of a configuration's run.
struct Found {
  Configuration what;
  Value value;
  std::optional<double> kernel_s;  // of a CPU: the call
  double operations_per_leaf = 0, log2_leaves = 0;
  std::optional<GpuReport> gpu;
};

// Lists what a workload runs. The first configuration that shares a matrix with later ones is what those are checked
// against.
std::vector<Configuration> configurations(const Workload& workload, int units) {
  std::vector<Method> variants{Method::staged};
  if (workload.family == Family::methods) variants = {Method::staged, Method::skipper, Method::sparyser, Method::ryser};
  const bool scales = workload.family == Family::scaling;
  std::vector<Configuration> result;
  for (const std::string& arithmetic :
       words_of(std::ranges::find(family_table(), workload.family, &FamilySpec::family)->arithmetics)) {
    for (const Method variant : variants) {
      for (int some = scales ? 1 : units; some <= units && (!scales || some <= 8); some *= 2)
        result.push_back({variant, from_string<Precision>(arithmetic), some});
    }
  }
  return result;
}

// ---- Running.

template <class Entry>
Block<Entry> block_of(const Matrix& matrix) {
  if constexpr (std::is_same_v<Entry, RealEntry>) {
    if (matrix.weight_kind() == WeightKind::none)
      return {matrix.pattern(), std::vector<Entry>(matrix.num_edges(), {DoubleDouble(1), 1})};
  }
  return {matrix.pattern(), entries_of<Entry>(matrix)};
}

template <class Entry>
Found run_block(const Block<Entry>& block, const Settings& settings, const Configuration& what) {
  Found found{what, {}, {}, 0, 0, {}};
  RunOptions options = settings.run;
  if (!settings.on_gpu()) options.num_threads = what.units;
  const RunContext context(options);
  const auto plan = plan_ryser(block.pattern, what.variant, options.seed);
  std::vector<DeviceInfo> devices = settings.devices;
  if (settings.on_gpu()) devices.resize(static_cast<std::size_t>(what.units));
  found.operations_per_leaf = plan.operations_per_leaf;
  found.log2_leaves = plan.log2_leaves;
  GpuReport report;
  const double seconds = seconds_of([&] {
    if constexpr (std::is_same_v<Entry, std::int64_t>) {
      found.value = settings.on_gpu() ? permanent_ryser(block, plan, devices, context, &report)
                                      : permanent_ryser(block, plan, context);
    } else {
      found.value = settings.on_gpu() ? permanent_ryser(block, plan, what.arithmetic, devices, context, &report)
                                      : permanent_ryser(block, plan, what.arithmetic, context);
    }
  });
  if (!settings.on_gpu()) {
    found.kernel_s = seconds;
  } else if (!report.tasks_of_device.empty()) {  // else the matrix was too small for a GPU
    found.kernel_s = report.kernel_s;
    found.operations_per_leaf = report.operations_per_leaf;
    found.log2_leaves = report.log2_leaves;
    found.gpu = report;
  }
  return found;
}

// ---- Checking.

Checks checks_of(const Workload& workload, const std::vector<Found>& earlier, const Found& found) {
  Checks checks;
  if (workload.family == Family::ones) {
    Integer factorial = 1;
    for (Vertex i = 2; i <= workload.size; ++i) factorial *= i;
    checks.push_back({"contains " + std::to_string(workload.size) + "!", agree(found.value, Value(factorial))});
  }
  for (const Found& first : earlier) {
    const Configuration &a = first.what, &b = found.what;
    // Exact runs of `methods` take the pattern's ones, the others its values.
    if (workload.family == Family::methods && (a.arithmetic == Precision::exact) != (b.arithmetic == Precision::exact))
      continue;
    if (a.arithmetic == b.arithmetic && a.variant == b.variant) {
      checks.push_back({"equals the first", identical(found.value, first.value)});
    } else {
      const auto other = a.arithmetic != b.arithmetic ? to_string(a.arithmetic) : to_string(a.variant);
      checks.push_back({"agrees with " + std::string(other), agree(found.value, first.value)});
    }
    break;
  }
  return checks;
}

// ---- Output.

Json fields_of(const Settings& settings, const Workload& workload, const SeededMatrix& seeded, const Found& found) {
  Json fields{{"seed", seeded.seed},
              {"rows", seeded.matrix.num_rows()},
              {"edges", seeded.matrix.num_edges()},
              {"method", to_string(found.what.variant)},
              {"arithmetic", to_string(found.what.arithmetic)},
              {"device", settings.on_gpu() ? "cuda" : "cpu"},
              {settings.on_gpu() ? "devices" : "threads", found.what.units},
              {"kernel_s", or_null(found.kernel_s)},
              {"operations_per_leaf", found.operations_per_leaf},
              {"log2_leaves", found.log2_leaves}};
  if (found.gpu) {
    const GpuReport& gpu = *found.gpu;
    if (settings.fma_per_s && found.what.arithmetic == Precision::float64 && workload.family != Family::complex)
      fields["ceiling_share"] = found.operations_per_leaf * std::exp2(found.log2_leaves) / *found.kernel_s /
                                (*settings.fma_per_s * found.what.units);
    std::string tasks;
    for (const std::uint64_t count : gpu.tasks_of_device) tasks += (tasks.empty() ? "" : " ") + std::to_string(count);
    fields.update(Json{{"compile_s", gpu.compile_s},
                       {"compile_from_cache", gpu.from_cache},
                       {"plan_s", gpu.plan_s},
                       {"start_s", gpu.start_s},
                       {"inner_bits", gpu.inner_bits},
                       {"registers", gpu.registers},
                       {"local_bytes", gpu.local_bytes},
                       {"blocks_per_multiprocessor", gpu.blocks_per_multiprocessor},
                       {"tasks_of_device", tasks}});
  }
  fields["value"] = to_string(found.value);
  fields["log10"] = log10_abs(found.value);
  fields["relative_error"] = relative_error(found.value);
  return fields;
}

void list(bool on_gpu) {
  const std::string text = std::string("Run where none is named, on ") + (on_gpu ? "this GPU" : "a CPU") + ":\n" +
                           app::wrap(usual_workloads[on_gpu], 2, 100) + "Longer:\n" +
                           app::wrap(longer_workloads[on_gpu], 2, 100);
  std::vector<std::vector<std::string>> rows;
  for (const FamilySpec& spec : family_table())
    rows.push_back({std::string(spec.name) + (spec.has_density ? "-N-DENSITY" : "-N"), std::string(spec.text)});
  app::write_answer(text + "Any size N from 1 to 62:\n" + table(rows, "  "));
}

void run_workload(Bench& bench, const Workload& workload, Settings& settings) {
  std::vector<Found> earlier;
  for (const Configuration& what : configurations(workload, settings.units())) {
    std::vector<Found> runs;
    Case one{workload.name, std::string(to_string(what.variant)) + " " + std::string(to_string(what.arithmetic))};
    if (workload.family == Family::scaling) one.name += ", " + std::to_string(what.units);
    one.run = [&] {
      SeededMatrix seeded;
      const double seconds = seconds_of([&] {
        seeded = matrix_of(workload, settings.run.seed);
        if (what.arithmetic == Precision::exact) {
          runs.push_back(run_block(block_of<std::int64_t>(seeded.matrix.pattern()), settings, what));
        } else if (workload.family == Family::complex) {
          runs.push_back(run_block(block_of<ComplexEntry>(seeded.matrix), settings, what));
        } else {
          runs.push_back(run_block(block_of<RealEntry>(seeded.matrix), settings, what));
        }
      });
      if (!std::exchange(settings.started, true)) {
        bench.note("first_run_s", bench.seconds_since_start(), "From the start of the process to the first answer, s");
        if (settings.on_gpu()) {
          settings.fma_per_s = measured_fma_per_s(settings.devices[0]);
          bench.note("fma_per_s", *settings.fma_per_s, "Measured multiply-adds a second of one GPU");
        }
      }
      Json fields = fields_of(settings, workload, seeded, runs.back());
      if (workload.family == Family::scaling && runs.back().kernel_s) {
        const Found& alone = earlier.empty() ? runs.back() : earlier.front();
        fields["speedup"] = *alone.kernel_s / *runs.back().kernel_s;
      }
      return Outcome{seconds, std::move(fields)};
    };
    one.check = [&] {
      Checks checks = checks_of(workload, earlier, runs[0]);
      for (std::size_t i = 1; i < runs.size(); ++i)
        checks.push_back({"repetition " + std::to_string(i + 1), identical(runs[i].value, runs[0].value)});
      return checks;
    };
    bench.run(one);
    // Keeps the quickest; all have the same value, or the case was wrong.
    const auto is_quicker = [](const Found& a, const Found& b) { return a.kernel_s < b.kernel_s; };
    earlier.push_back(*std::min_element(runs.begin(), runs.end(), is_quicker));
  }
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  Settings settings;
  settings.run = given.run_on_cpu();
  settings.devices = given.devices();
  if (given.has("list")) return list(settings.on_gpu());
  std::vector<Workload> workloads;
  for (const std::string& name :
       given.text("workload").empty() ? words_of(usual_workloads[settings.on_gpu()]) : given.list("workload"))
    workloads.push_back(workload_from_name(name));
  bench.begin("Inclusion-exclusion on matrices as they are: no pruning, no reductions.", settings.devices,
              resolve_num_threads(settings.run), {{"seed", settings.run.seed}});
  for (const Workload& workload : workloads) run_workload(bench, workload, settings);
}

}  // namespace

Suite ryser_suite() {
  return {"ryser",
          "inclusion-exclusion, on GPUs or a CPU, on matrices taken as they are",
          "Times inclusion-exclusion (permanent_ryser) on matrices taken as they are: no pruning, no reductions.",
          "seed method arithmetic devices threads kernel_s operations_per_leaf ceiling_share compile_s "
          "compile_from_cache registers value relative_error speedup",
          {device_option,
           {"workload", "NAME,..", "what to run; --list names them"},
           repeat_option("1"),
           seed_option,
           threads_option,
           {"list", "", "the workloads"}},
          run};
}

}  // namespace matchcount::bench
