#include "permanent/engine/resume.hpp"

#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/work.hpp"
#include "permanent/engine/methods.hpp"

namespace matchcount {
namespace {

std::string followed_name(const Forecast& forecast) {
  return std::string(to_string(forecast.method)) + (forecast.on_gpu ? " on cuda" : " on cpu");
}

// Says whether CPUs and GPUs resume each other's sums or residues.
bool is_of_any_device(Method method, bool is_exact) {
  const MethodEntry& entry = entry_of(method);
  return is_exact ? entry.integers_on_any_device : entry.reals_on_any_device;
}

// Reads what was followed from its name.
struct Followed {
  Method method;
  DeviceChoice::Kind kind;

  explicit Followed(const std::string& name)
      : method(from_string<Method>(name.substr(0, name.find(" on ")))),
        kind(name.ends_with(" on cuda") ? DeviceChoice::Kind::cuda : DeviceChoice::Kind::cpu) {}
};

}  // namespace

void identify(const std::string& input, const CountOptions& options, const RunContext& run) {
  if (!run.work()) return;
  if (!run.part().empty()) {
    const std::string begun = run.work()->decide(run.part() + ", input", input);
    if (begun == input) return;
    throw InputError("a checkpoint of another " + run.part() + ": " + begun, "this run's, " + input);
  }
  std::vector<std::pair<std::string, std::string>> fields = {
      {"input", input},
      {"seed", std::to_string(options.run.seed)},
      {"precision", std::string(to_string(options.run.precision))}};
  if (options.order) {
    Hash hash;
    for (const Vertex v : *options.order) hash.add(v);
    fields.emplace_back("order", hash.hex());
  }
  if (options.rotation) {
    Hash hash;
    for (const std::vector<Vertex>& around : *options.rotation) {
      hash.add(around.size());
      for (const Vertex v : around) hash.add(v);
    }
    fields.emplace_back("rotation", hash.hex());
  }
  run.work()->identify(fields);
}

CountOptions resumed_options(const CountOptions& options, bool is_exact, const RunContext& run) {
  CountOptions resumed = options;
  if (!run.work()) return resumed;
  const auto begun = run.work()->decided(run.part() + ", method");
  if (!begun) return resumed;
  const auto [method, kind] = Followed(*begun);
  if (options.method != Method::automatic && options.method != method) {
    throw InputError("a checkpoint of " + run.part() + " by " + *begun,
                     "--method " + std::string(to_string(options.method)) + ", as asked for");
  }
  const bool any_device = is_of_any_device(method, is_exact);
  const bool other_device = options.run.device.kind != DeviceChoice::Kind::automatic && options.run.device.kind != kind;
  if (other_device && !any_device) {
    throw InputError("a checkpoint of " + run.part() + " by " + *begun,
                     "partial sums of the device that is asked for, whose arithmetic is another");
  }
  if (!options.verify) {
    resumed.method = method;
    if (!other_device && !any_device) resumed.run.device.kind = kind;
  }
  return resumed;
}

Forecast agreed(const Forecast& mine, const BlockPlan& plan, bool is_exact, const RunContext& run) {
  if (!run.work()) return mine;
  const std::string followed = run.work()->decide(run.part() + ", method", followed_name(mine));
  if (followed == followed_name(mine)) return mine;
  const Method method = Followed(followed).method;
  const bool any_device = is_of_any_device(method, is_exact);
  if (any_device && mine.method == method) return mine;
  for (const Forecast& forecast : plan.forecasts)
    if (forecast.applies && (any_device ? forecast.method == method : followed_name(forecast) == followed))
      return forecast;
  throw Unable(run.part() + " is counted by " + followed + ", which can't be done here");
}

}  // namespace matchcount
