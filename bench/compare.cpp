// compare: every method and device on the files that are given.

#include <cmath>
#include <optional>
#include <string>

#include "apps/options.hpp"
#include "bench/agreement.hpp"
#include "bench/runner.hpp"
#include "core/amounts.hpp"
#include "graph/input.hpp"
#include "matchcount/count.hpp"

namespace matchcount::bench {
namespace {

// One input, without weights but of a matrix, and the first value that was found of it.
struct Compared {
  std::string file;
  Input input;
  std::optional<Value> first = {};

  Plan plan(const CountOptions& options) const {
    return input.is_bipartite() ? plan_permanent(input.graph, options) : plan_hafnian(input.undirected, options);
  }
  Value value(const CountOptions& options) const {
    return input.is_bipartite() ? permanent(input.graph, options).value : hafnian(input.undirected, options).value;
  }
};

void run_method(Bench& bench, Compared& compared, const CountOptions& options) {
  const std::string device = options.run.device.kind == DeviceChoice::Kind::cuda ? "cuda" : "cpu";
  const std::string name = std::string(to_string(options.method)) + " " + device;
  const auto leave_out = [&](const std::string& why, std::optional<double> predicted = {}) {
    bench.add(compared.file, name, {{"predicted_s", or_null(predicted)}, {"value", "-"}, {"note", why}});
  };
  try {
    const Plan plan = compared.plan(options);
    if (!std::isfinite(plan.seconds)) return leave_out(plan.blocks.at(0).forecasts.at(0).reason);
    if (plan.seconds > options.run.time_limit_s) return leave_out("beyond --time-limit", plan.seconds);
    Case what{compared.file, name};
    Value value;
    what.run = [&] {
      value = compared.value(options);
      return Outcome{{}, {{"predicted_s", plan.seconds}, {"value", to_string(value)}}};
    };
    what.check = [&] {
      if (!compared.first) compared.first = value;
      return Checks{{"equals the first", agree(value, *compared.first)}};
    };
    bench.run(what);
  } catch (const Unable& error) {
    leave_out(error.what());
  }
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  if (given.files().empty()) throw app::UsageError("compare", "no FILE given");
  InputOptions input_options;
  if (given.has("kind")) input_options.kind = from_string<InputKind>(given.text("kind"));
  input_options.odd_cycles = true;
  CountOptions options;
  options.run = given.run_on_cpu();
  options.run.time_limit_s = given.seconds("time-limit");
  const std::vector<DeviceInfo> devices = given.devices();
  bench.begin("Every method on one's own files.", devices, resolve_num_threads(options.run));
  for (const std::string& file : given.files()) {
    Compared compared{file, read_input(file, input_options)};
    if (compared.input.kind != InputKind::matrix) {
      compared.input.graph = compared.input.graph.pattern();
      compared.input.undirected = compared.input.undirected.pattern();
    }
    for (const std::string_view method : names_to_ask_for<Method>()) {
      options.method = from_string<Method>(method);
      options.run.device.kind = DeviceChoice::Kind::cpu;
      run_method(bench, compared, options);
      if (devices.empty()) continue;
      options.run.device = parse_device_choice(given.text("device"));
      options.run.device.kind = DeviceChoice::Kind::cuda;
      run_method(bench, compared, options);
    }
    bench.save();
  }
}

}  // namespace

Suite compare_suite() {
  return {
      "compare",
      "every method and device on one's own files",
      "Counts the perfect matchings of each FILE, or of a matrix computes the permanent, by every method, on the CPU "
      "and where there are GPUs on these; says what was predicted and what it took, compares the values, and says "
      "why a method does not apply. What is predicted to take longer than the limit is left out.",
      "",
      {device_option,
       {"kind", "KIND", "bipartite, undirected or matrix (default: as the file says, else bipartite)"},
       {"time-limit", "S", "seconds for each method", "60"},
       repeat_option("1"),
       seed_option,
       threads_option},
      run,
      true};
}

}  // namespace matchcount::bench
