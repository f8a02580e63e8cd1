// parity: whether a count is odd.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "linear/parity.hpp"

namespace matchcount::app {
namespace {

bool has_no_use_for_weights(const Input& input) {
  return input.kind != InputKind::matrix && !input.weights_are_multiplicities;
}

bool ignores_weights(const Input& input) { return has_no_use_for_weights(input) && has_own_weights(input); }

// Weights that are places in a table of integers of any size become their remainders.
BipartiteGraph modulo_two(const Input& input) {
  std::vector<std::int64_t> weights = std::get<std::vector<std::int64_t>>(input.graph.weights());
  for (std::int64_t& weight : weights) weight = numerator(input.fractions[static_cast<std::size_t>(weight)]).is_odd();
  return input.graph.with_weights(std::move(weights));
}

bool is_odd(const Loaded& loaded, const RunContext& run, ParityReport& report) {
  const Input& input = loaded.input;
  const bool is_pattern = has_no_use_for_weights(input);
  const WeightKind kind = input.weight_kind();
  const bool are_integers =
      kind <= WeightKind::integer &&
      std::ranges::all_of(input.fractions, [](const Rational& value) { return denominator(value) == 1; });
  if (!is_pattern && !are_integers) {
    throw InputError(loaded.name(), 0, kind == WeightKind::complex ? "complex values" : "values that are not integers",
                     "integers, which alone are even or odd");
  }
  if (!input.is_bipartite())
    return hafnian_is_odd(is_pattern ? input.undirected.pattern() : input.undirected, run, &report);
  // Sides of different sizes have no perfect matching.
  if (input.graph.num_rows() != input.graph.num_columns()) return false;
  return permanent_is_odd(is_pattern                ? input.graph.pattern()
                          : input.fractions.empty() ? input.graph
                                                    : modulo_two(input),
                          run, &report);
}

}  // namespace

int run_parity(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    const RunContext run(count.run);
    // A device that can't be had is refused even where nothing is left to find on it.
    if (count.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(count.run.device);
    ParityReport found;
    const bool odd = is_odd(loaded, run, found);
    Report report;
    if (ignores_weights(loaded.input)) report.weights_ignored = "the values in the file are ignored";
    report.result = json_value(Integer(odd ? 1 : 0), options.digits);
    report.method = {"elimination",
                     found.gpu ? std::vector{*found.gpu} : std::vector<DeviceInfo>(),
                     run.num_threads(),
                     {{"arithmetic", "bits"}, {"instruction_set", to_string(detected_isa())}}};
    report.times_s = {{"compute", stopwatch.lap()}};
    return report;
  });
}

}  // namespace matchcount::app
