#include "permanent/continued.hpp"

#include <array>
#include <string_view>

#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount {
namespace {

std::string followed_name(const Forecast& forecast) {
  return std::string(to_string(forecast.method)) + (forecast.on_gpu ? " on cuda" : " on cpu");
}

constexpr std::string_view precision_names[] = {"auto", "double", "compensated", "double-double"};

}  // namespace

void identify(const std::string& input, const CountOptions& options) {
  if (!options.run.work) return;
  options.run.work->identify({{"input", input},
                              {"seed", std::to_string(options.run.seed)},
                              {"precision", std::string(precision_names[static_cast<int>(options.precision)])}});
}

CountOptions begun_with(const CountOptions& options, const std::string& part) {
  CountOptions followed = options;
  if (!options.run.work) return followed;
  const auto begun = options.run.work->decided(part + ", method");
  if (!begun) return followed;
  const std::size_t end = begun->find(" on ");
  const Method method = method_from_string(begun->substr(0, end));
  const auto kind = begun->ends_with(" on cuda") ? DeviceChoice::Kind::cuda : DeviceChoice::Kind::cpu;
  if (options.method != Method::automatic && options.method != method) {
    throw InputError("a checkpoint of " + part + " by " + *begun,
                     "--method " + std::string(to_string(options.method)) + ", as asked for");
  }
  const bool other_device = options.device.kind != DeviceChoice::Kind::automatic && options.device.kind != kind;
  if (other_device && method != Method::expansion) {
    throw InputError("a checkpoint of " + part + " by " + *begun,
                     "partial sums of the device that is asked for, whose arithmetic is another");
  }
  if (!options.verify) {
    followed.method = method;
    if (!other_device) followed.device.kind = kind;
  }
  return followed;
}

Forecast agreed(const Forecast& mine, const BlockPlan& plan, const CountOptions& options, const std::string& part) {
  if (!options.run.work) return mine;
  const std::string followed = options.run.work->decide(part + ", method", followed_name(mine));
  if (followed == followed_name(mine)) return mine;
  for (const Forecast& forecast : plan.forecasts) {
    if (forecast.applies && followed_name(forecast) == followed) return forecast;
  }
  throw Unable(part + " is counted by " + followed + ", which can't be done here");
}

Precision agreed(Precision mine, const CountOptions& options, const std::string& part) {
  if (!options.run.work) return mine;
  const std::string name =
      options.run.work->decide(part + ", precision", std::string(precision_names[static_cast<int>(mine)]));
  for (std::size_t i = 0; i < std::size(precision_names); ++i) {
    if (precision_names[i] == name) return static_cast<Precision>(i);
  }
  throw InputError("the precision " + name, "one of this program's");
}

bool agreed(bool mine, const CountOptions& options, const std::string& part) {
  return options.run.work ? options.run.work->decide(part, mine ? "yes" : "no") == "yes" : mine;
}

CountOptions in_part(const CountOptions& options, const std::string& part) {
  CountOptions result = options;
  result.run.part = part;
  return result;
}

}  // namespace matchcount
