// parity: whether a count is odd.

#include <optional>
#include <string>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/parity.hpp"

namespace matchcount::app {
namespace {

bool has_no_use_for_weights(const Input& input) {
  return input.kind != InputKind::matrix && !input.weights_are_multiplicities;
}

bool ignores_weights(const Input& input) { return has_no_use_for_weights(input) && has_own_weights(input); }

bool is_odd(const Loaded& loaded, const RunContext& run) {
  const Input& input = loaded.input;
  const bool is_pattern = has_no_use_for_weights(input);
  const WeightKind kind = input.weight_kind();
  if (!is_pattern && (kind == WeightKind::real || kind == WeightKind::complex)) {
    throw InputError(loaded.name(), 0, kind == WeightKind::real ? "values that are not integers" : "complex values",
                     "integers, which alone are even or odd");
  }
  if (!input.is_bipartite()) return hafnian_is_odd(is_pattern ? input.undirected.pattern() : input.undirected, run);
  // Sides of different sizes have no perfect matching.
  return input.graph.num_rows() == input.graph.num_columns() &&
         permanent_is_odd(is_pattern ? input.graph.pattern() : input.graph, run);
}

// Tells where that was found.
std::optional<DeviceInfo> gpu_of(const Input& input, const RunContext& run) {
  const BipartiteGraph& graph = input.graph;
  if (input.is_bipartite())
    return graph.num_rows() == graph.num_columns() ? binary_determinant_gpu(graph.num_rows(), run) : std::nullopt;
  const Vertex vertices = input.undirected.num_vertices();
  return vertices % 2 == 0 ? binary_determinant_gpu(vertices, run) : std::nullopt;
}

}  // namespace

int run_parity(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    const RunContext run(count.run);
    // A device that can't be had is refused even where nothing is left to find on it.
    if (count.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(count.run.device);
    const bool odd = is_odd(loaded, run);
    const std::optional<DeviceInfo> gpu = options.json ? gpu_of(loaded.input, run) : std::nullopt;
    Report report;
    report.weights_ignored = ignores_weights(loaded.input);
    if (report.weights_ignored) report.about_weights = "the values in the file are ignored";
    report.result = json_value(Integer(odd ? 1 : 0), options.digits);
    report.method = {"elimination",
                     gpu ? std::vector{*gpu} : std::vector<DeviceInfo>(),
                     run.num_threads(),
                     {{"arithmetic", "bits"}, {"instruction_set", to_string(detected_isa())}}};
    report.times_s = {{"compute", stopwatch.lap()}};
    return report;
  });
}

}  // namespace matchcount::app
