// parity: whether a count is odd.

#include <optional>
#include <string>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
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

// Where that was found.
std::optional<DeviceInfo> gpu_of(const Input& input, const RunContext& run) {
  const BipartiteGraph& graph = input.graph;
  if (input.is_bipartite())
    return graph.num_rows() == graph.num_columns() ? binary_determinant_gpu(graph.num_rows(), run) : std::nullopt;
  const Vertex vertices = input.undirected.num_vertices();
  return vertices % 2 == 0 ? binary_determinant_gpu(vertices, run) : std::nullopt;
}

std::string json_text(const Options& options, const Loaded& loaded, bool odd, const std::optional<DeviceInfo>& gpu,
                      int threads, double compute_s) {
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  if (ignores_weights(loaded.input)) object["input"]["weights_ignored"] = true;
  object["result"] = json_value(Integer(odd ? 1 : 0), options.digits);
  object["method"] = {{"name", "elimination"},
                      {"arithmetic", "bits"},
                      {"device", gpu ? "cuda" : "cpu"},
                      {"threads", threads},
                      {"instruction_set", to_string(detected_isa())}};
  if (gpu) object["method"]["gpus"].push_back({{"index", gpu->index}, {"name", gpu->name}});
  object["time_s"] = {{"read", loaded.read_s}, {"compute", compute_s}, {"total", loaded.read_s + compute_s}};
  object["peak_memory_bytes"] = peak_memory_bytes();
  return line(object);
}

}  // namespace

int run_parity(const Options& options, Interrupt& interrupt) {
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    Stopwatch stopwatch;
    const RunContext run(count.run);
    // A device that can't be had is refused even where nothing is left to find on it.
    if (count.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(count.run.device);
    const bool odd = is_odd(loaded, run);
    const double compute_s = stopwatch.lap();
    bar.clear();
    write_answer(options.json ? json_text(options, loaded, odd, gpu_of(loaded.input, run), run.num_threads(), compute_s)
                              : std::string(odd ? "1\n" : "0\n"));
    if (ignores_weights(loaded.input)) note(options, loaded.prefix + "the values in the file are ignored");
  });
}

}  // namespace matchcount::app
