// layers: what the steps of the frontier method take on a GPU, or on a CPU, one prime at a time or several.

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/options.hpp"
#include "bench/runner.hpp"
#include "core/numbers/residue.hpp"
#include "graph/input.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cpu/lean_cpu.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount::bench {
namespace {

struct Settings {
  std::vector<DeviceInfo> devices;
  std::size_t primes = 1, listed = 0;
  std::uint32_t width = 32;
  OrderEffort effort;
  std::uint64_t seed = 1;
};

struct Pass {
  std::vector<std::uint32_t> residues;
  std::vector<gpu::StepTime> times;
  double seconds = 0;
};

Pass one_pass(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, const Settings& settings,
              const RunContext& run) {
  Pass pass;
  Residues number(entries, primes_below(residue_limit, settings.primes));
  if (settings.devices.empty()) {
    pass.seconds = seconds_of([&] {
      const InPlaceNeeds needs = in_place_needs(steps, in_place_slack, max_forecast_bits, run.num_threads());
      Buffer<std::uint32_t> array;
      pass.residues = LeanCpuRun(steps, number, array, needs, run, "", "").run();
    });
    return pass;
  }
  const std::vector<DeviceContext> contexts(settings.devices.begin(), settings.devices.end());
  double free_bytes = std::numeric_limits<double>::infinity();
  for (const DeviceContext& context : contexts)
    free_bytes = std::min(free_bytes, static_cast<double>(context.free_bytes()));
  const double states =
      gpu::bytes_for_layers(free_bytes, contexts.size()) / static_cast<double>(sizeof(std::uint32_t) * settings.primes);
  const std::size_t span = std::min(gpu::side_by_side_states(steps, contexts.size()), static_cast<std::size_t>(states));
  gpu::FrontierDevice device(contexts, static_cast<int>(settings.primes), span, sizeof(std::uint32_t));
  pass.seconds =
      seconds_of([&] { pass.residues = gpu::run_on_gpu(steps, number, device, run, "", "", {}, &pass.times); });
  return pass;
}

Json fields_of(const Settings& settings, const FrontierOrder& order, const Pass& pass) {
  double all = 0, wide = 0, wide_seconds = 0, exchanges = 0, exchanged_bytes = 0, exchange_seconds = 0;
  for (const gpu::StepTime& step : pass.times) {
    all += step.transitions;
    if (step.choices == 0) {
      ++exchanges;
      exchanged_bytes += step.exchanged_bytes;
      exchange_seconds += step.seconds;
    }
    if (step.width < settings.width) continue;
    wide += step.transitions;
    wide_seconds += step.seconds;
  }
  const auto primes = static_cast<double>(settings.primes);
  const double transitions = settings.devices.empty() ? std::exp2(order.log2_transitions) : all;
  return {{"primes", settings.primes},
          {"width", order.max_width},
          {"log2_peak_states", order.log2_peak_states},
          {"transitions", transitions},
          {"transitions_per_s", primes * transitions / pass.seconds},
          {"wide_transitions_per_s", wide_seconds > 0 ? Json(primes * wide / wide_seconds) : Json()},
          {"wide_transitions", wide},
          {"wide_seconds", wide_seconds},
          {"exchanges", exchanges},
          {"exchanged_bytes", exchanged_bytes},
          {"exchange_seconds", exchange_seconds}};
}

// Adds the longest steps of a pass.
void list_steps(Bench& bench, const Settings& settings, const std::string& group, std::vector<gpu::StepTime> times) {
  std::erase_if(times, [](const gpu::StepTime& step) { return step.choices == 0; });
  std::ranges::sort(times, std::ranges::greater(), &gpu::StepTime::seconds);
  times.resize(std::min(times.size(), settings.listed));
  const auto primes = static_cast<double>(settings.primes);
  for (const gpu::StepTime& step : times) {
    bench.add(group, std::string("a step") + (step.gathered ? ", gathered" : "") + (step.in_place ? ", in place" : ""),
              {{"seconds", step.seconds},
               {"width", step.width},
               {"choices", step.choices},
               {"states", step.states},
               {"transitions", step.transitions},
               {"transitions_per_s", primes * step.transitions / step.seconds}});
  }
}

// Counts along two orders, whose residues must agree.
template <class Graph>
void run_graph(Bench& bench, const std::string& file, const Graph& graph, const Settings& settings,
               const RunContext& run) {
  const std::vector<std::int64_t> ones(graph.num_edges(), 1);
  Pass first, pass;
  for (const std::uint64_t seed : {settings.seed, settings.seed + 1}) {
    FrontierOrder order;
    if constexpr (requires { graph.num_rows(); }) {
      order = find_frontier_order(graph, FrontierStrategy::automatic, seed, run, settings.effort);
    } else {
      order = find_frontier_order(graph, seed, run, settings.effort);
    }
    const bool is_first = seed == settings.seed;
    Case what{file, is_first ? "first order" : "second order"};
    what.run = [&] {
      pass = one_pass(joined_steps(frontier_steps(graph, order.sequence)), ones, settings, run);
      return Outcome{pass.seconds, fields_of(settings, order, pass)};
    };
    if (!is_first) what.check = [&] { return Checks{{"equals the first", pass.residues == first.residues}}; };
    bench.run(what);
    list_steps(bench, settings, file, pass.times);
    if (is_first) first = std::move(pass);
  }
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  if (given.files().empty()) throw app::UsageError("layers", "no FILE given");
  Settings settings;
  settings.devices = given.devices();
  if (given.text("device") == "auto" && !settings.devices.empty()) settings.devices.resize(1);
  if (settings.devices.size() > 1 && !reach_each_other(settings.devices))
    throw Unable("these GPUs do not reach each other's memory");
  InputOptions input_options;
  if (given.has("kind")) input_options.kind = from_string<InputKind>(given.text("kind"));
  input_options.odd_cycles = true;
  settings.primes = given.number<std::size_t>("primes", 1, 64);
  settings.width = given.number<std::uint32_t>("width", 1, 62);
  settings.effort.seconds = given.seconds("effort");
  settings.listed = given.number<std::size_t>("steps", 0, 1'000'000);
  const RunContext run(given.run_on_cpu());
  settings.seed = run.options().seed;
  bench.begin("Counts along two orders of the frontier method, modulo primes.", settings.devices, run.num_threads());
  for (const std::string& file : given.files()) {
    const Input input = read_input(file, input_options, run);
    if (input.is_bipartite()) {
      run_graph(bench, file, input.graph.pattern(), settings, run);
    } else {
      run_graph(bench, file, input.undirected.pattern(), settings, run);
    }
    bench.save();
  }
}

}  // namespace

Suite layers_suite() {
  return {"layers",
          "steps of the frontier method on a GPU or a CPU, along two orders",
          "Counts the perfect matchings of graphs, as they stand in the files, by the frontier method modulo a few "
          "primes, in one pass along each of two orders, whose residues must agree; and says how many transitions a "
          "second that makes, for layers of some width and more. Several GPUs hold each layer together, and exchange "
          "states; auto takes the "
          "first.",
          "width log2_peak_states choices states transitions transitions_per_s wide_transitions_per_s",
          {device_option,
           {"kind", "KIND", "bipartite or undirected (default: as the file says)"},
           {"primes", "N", "side by side", "1"},
           {"width", "N", "of the layers that are listed apart", "32"},
           {"effort", "S", "seconds of search for each order", "1"},
           {"seed", "N", "of the search; the second order has the next", "1"},
           threads_option,
           {"steps", "N", "also lists the N longest steps (on a GPU)", "0"}},
          run,
          "FILE..."};
}

}  // namespace matchcount::bench
