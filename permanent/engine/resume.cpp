#include "permanent/engine/resume.hpp"

#include <array>
#include <string_view>

#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount {
namespace {

std::string followed_name(const Forecast& forecast) {
  return std::string(to_string(forecast.method)) + (forecast.on_gpu ? " on cuda" : " on cpu");
}

// Whether CPUs and GPUs go on with each other's sums (exact_cells.hpp) or residues.
bool is_of_any_device(Method method, bool is_exact) {
  switch (method) {
    case Method::ryser:
    case Method::sparyser:
    case Method::skipper:
    case Method::staged:
      return is_exact;
    case Method::planar:
      return true;
    default:
      return false;
  }
}

// What was followed, from its name.
struct Followed {
  Method method;
  DeviceChoice::Kind kind;

  explicit Followed(const std::string& name)
      : method(method_from_string(name.substr(0, name.find(" on ")))),
        kind(name.ends_with(" on cuda") ? DeviceChoice::Kind::cuda : DeviceChoice::Kind::cpu) {}
};

constexpr std::string_view precision_names[] = {"auto", "double", "compensated", "double-double", "exact"};

}  // namespace

void identify(const std::string& input, const CountOptions& options) {
  if (!options.work) return;
  options.work->identify({{"input", input},
                          {"seed", std::to_string(options.run.seed)},
                          {"precision", std::string(precision_names[static_cast<int>(options.precision)])}});
}

CountOptions begun_with(const CountOptions& options, bool is_exact, const std::string& part) {
  CountOptions followed = options;
  if (!options.work) return followed;
  const auto begun = options.work->decided(part + ", method");
  if (!begun) return followed;
  const auto [method, kind] = Followed(*begun);
  if (options.method != Method::automatic && options.method != method) {
    throw InputError("a checkpoint of " + part + " by " + *begun,
                     "--method " + std::string(to_string(options.method)) + ", as asked for");
  }
  const bool any_device = is_of_any_device(method, is_exact);
  const bool other_device = options.device.kind != DeviceChoice::Kind::automatic && options.device.kind != kind;
  if (other_device && !any_device && method != Method::expansion) {
    throw InputError("a checkpoint of " + part + " by " + *begun,
                     "partial sums of the device that is asked for, whose arithmetic is another");
  }
  if (!options.verify) {
    followed.method = method;
    if (!other_device && !any_device) followed.device.kind = kind;
  }
  return followed;
}

Forecast agreed(const Forecast& mine, const BlockPlan& plan, const CountOptions& options, bool is_exact,
                const std::string& part) {
  if (!options.work) return mine;
  const std::string followed = options.work->decide(part + ", method", followed_name(mine));
  if (followed == followed_name(mine)) return mine;
  const Method method = Followed(followed).method;
  const bool any_device = is_of_any_device(method, is_exact);
  if (any_device && mine.method == method) return mine;
  for (const Forecast& forecast : plan.forecasts) {
    if (forecast.applies && (any_device ? forecast.method == method : followed_name(forecast) == followed))
      return forecast;
  }
  throw Unable(part + " is counted by " + followed + ", which can't be done here");
}

Precision agreed(Precision mine, const CountOptions& options, const std::string& part) {
  if (!options.work) return mine;
  const std::string name =
      options.work->decide(part + ", precision", std::string(precision_names[static_cast<int>(mine)]));
  for (std::size_t i = 0; i < std::size(precision_names); ++i) {
    if (precision_names[i] == name) return static_cast<Precision>(i);
  }
  throw InputError("the precision " + name, "one of this program's");
}

bool agreed(bool mine, const CountOptions& options, const std::string& part) {
  return options.work ? options.work->decide(part, mine ? "yes" : "no") == "yes" : mine;
}

}  // namespace matchcount
