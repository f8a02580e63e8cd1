// layers: what the steps of the frontier method take on a GPU, or on a CPU, one prime at a time or several.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/device.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "graph/input.hpp"
#include "permanent/frontier/cpu/lean_cpu.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench layers [options] FILE...

Counts the perfect matchings of graphs, as they stand in the files, by the frontier method modulo a few primes, in one
pass along each of two orders, whose residues must agree; and says how many transitions a second that makes, for layers
of some width and more.

  --device WHERE    auto, cpu, cuda or cuda:0,1 (default: auto, the first GPU if there is one); several GPUs hold each
                    layer together
  --kind KIND       bipartite or undirected (default: as the file says)
  --primes N        side by side (default: 1)
  --width N         of the layers that are listed apart (default: 32)
  --effort S        seconds of search for each order (default: 1)
  --seed N          of the search; the second order has the next (default: 1)
  --threads N       of the search, and of counting on a CPU (default: every core)
  --steps N         also lists the N longest steps (on a GPU)
  --json FILE       also writes everything to FILE
  -h, --help        this text
)";

struct Settings {
  std::vector<std::string> files;
  std::vector<DeviceInfo> devices;
  InputOptions input;
  std::size_t primes = 1, listed = 0;
  std::uint32_t width = 32;
  OrderEffort effort;
  std::uint64_t seed = 1;
  RunOptions run;
  std::string json_file;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench layers");
  auto add = parser.add_options();
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("kind", "", cxxopts::value<std::string>());
  add("primes", "", cxxopts::value<std::size_t>()->default_value("1"));
  add("width", "", cxxopts::value<std::uint32_t>()->default_value("32"));
  add("effort", "", cxxopts::value<double>()->default_value("1"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>());
  add("steps", "", cxxopts::value<std::size_t>()->default_value("0"));
  add("json", "", cxxopts::value<std::string>());
  add("file", "", cxxopts::value<std::vector<std::string>>());
  parser.parse_positional({"file"});
  return read_options(line, "layers", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        if (parsed.count("file") == 0) throw app::UsageError("layers", "no FILE given");
                        settings.files = parsed["file"].as<std::vector<std::string>>();
                        const DeviceChoice device = parse_device_choice(parsed["device"].as<std::string>());
                        settings.devices = choose_devices(device);
                        if (device.kind == DeviceChoice::Kind::automatic && !settings.devices.empty())
                          settings.devices.resize(1);
                        if (settings.devices.size() > 1 && !reach_each_other(settings.devices))
                          throw Unable("these GPUs do not reach each other's memory");
                        if (parsed.count("kind") != 0)
                          settings.input.kind = from_string<InputKind>(parsed["kind"].as<std::string>());
                        settings.input.odd_cycles = true;
                        settings.primes = within("primes", parsed["primes"].as<std::size_t>(), 64);
                        settings.width = within("width", parsed["width"].as<std::uint32_t>(), 62);
                        settings.effort.seconds = parsed["effort"].as<double>();
                        settings.seed = parsed["seed"].as<std::uint64_t>();
                        if (parsed.count("threads") != 0)
                          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
                        settings.listed = parsed["steps"].as<std::size_t>();
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        return settings;
                      });
}

struct Pass {
  std::vector<std::uint32_t> residues;
  std::vector<gpu::StepTime> times;
  double seconds = 0;
};

Pass one_pass(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, const Settings& settings,
              const RunContext& run) {
  Pass pass;
  ResidueArithmetic arithmetic(entries, primes_below(residue_limit, settings.primes));
  Stopwatch stopwatch;
  if (settings.devices.empty()) {
    const InPlaceNeeds needs = in_place_needs(steps, in_place_slack, max_forecast_bits, run.num_threads());
    Window<std::uint32_t> window;
    pass.residues = LeanCpuRun(steps, arithmetic, window, needs, run, "", "").run();
    pass.seconds = stopwatch.lap();
    return pass;
  }
  const std::vector<DeviceContext> contexts(settings.devices.begin(), settings.devices.end());
  double free_bytes = 0;
  for (const DeviceContext& context : contexts) free_bytes += static_cast<double>(context.free_bytes());
  const double states =
      gpu::bytes_for_layers(free_bytes) / static_cast<double>(sizeof(std::uint32_t) * settings.primes);
  const std::size_t span = std::min(gpu::side_by_side_states(steps), static_cast<std::size_t>(states));
  gpu::FrontierDevice device(contexts, static_cast<int>(settings.primes), span, sizeof(std::uint32_t));
  stopwatch.lap();
  pass.residues = gpu::run_on_gpu(steps, arithmetic, device, run, "", "", {}, &pass.times);
  pass.seconds = stopwatch.lap();
  return pass;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

struct Total {
  double transitions = 0, seconds = 0;
};
Total total_of(const std::vector<gpu::StepTime>& times, std::uint32_t width) {
  Total total;
  for (const gpu::StepTime& step : times) {
    if (step.width < width) continue;
    total.transitions += step.transitions;
    total.seconds += step.seconds;
  }
  return total;
}

using Rows = std::vector<std::vector<std::string>>;

class Report {
 public:
  Report(const Settings& settings, Json record) : settings_(settings), record_(std::move(record)) {
    record_["runs"] = Json::array();
    rows_.push_back({"file", "width", "states", "transitions", "seconds", "a second",
                     "a second, width " + std::to_string(settings.width) + "+", "check"});
  }

  void add(const std::string& file, const FrontierOrder& order, const Pass& pass, bool right) {
    const Total wide = total_of(pass.times, settings_.width), all = total_of(pass.times, 0);
    const auto primes = static_cast<double>(settings_.primes);
    const double transitions = settings_.devices.empty() ? std::exp2(order.log2_transitions) : all.transitions;
    const auto rate = [&](double number, double seconds) { return seconds > 0 ? primes * number / seconds : 0; };
    rows_.push_back({file, std::to_string(order.max_width), scientific(std::exp2(order.log2_peak_states)),
                     scientific(transitions), scientific(pass.seconds), scientific(rate(transitions, pass.seconds)),
                     wide.seconds > 0 ? scientific(rate(wide.transitions, wide.seconds)) : "-",
                     right ? "right" : "WRONG"});
    Json run = {{"file", file},
                {"primes", settings_.primes},
                {"width", order.max_width},
                {"log2_peak_states", order.log2_peak_states},
                {"transitions", transitions},
                {"seconds", pass.seconds},
                {"wide_transitions", wide.transitions},
                {"wide_seconds", wide.seconds},
                {"right", right}};
    list_steps(pass.times, run);
    record_["runs"].push_back(std::move(run));
    if (!settings_.json_file.empty()) write_record(settings_.json_file, record_);
  }

  std::string text() const {
    std::string result = app::table(rows_, "");
    if (steps_.size() > 1) result += "\n" + app::table(steps_, "");
    return result;
  }

 private:
  void list_steps(std::vector<gpu::StepTime> times, Json& run) {
    if (settings_.listed == 0) return;
    std::ranges::sort(times, std::ranges::greater(), &gpu::StepTime::seconds);
    times.resize(std::min(times.size(), settings_.listed));
    run["steps"] = Json::array();
    const auto primes = static_cast<double>(settings_.primes);
    for (const gpu::StepTime& step : times) {
      steps_.push_back({std::to_string(step.width), std::to_string(step.choices), step.gathered ? "gathered" : "",
                        step.in_place ? "in place" : "", scientific(step.states), scientific(step.transitions),
                        scientific(step.seconds), scientific(primes * step.transitions / step.seconds)});
      run["steps"].push_back({{"width", step.width},
                              {"choices", step.choices},
                              {"gathered", step.gathered},
                              {"in_place", step.in_place},
                              {"states", step.states},
                              {"transitions", step.transitions},
                              {"seconds", step.seconds}});
    }
  }

  const Settings& settings_;
  Json record_;
  Rows rows_;
  Rows steps_{{"width", "choices", "", "", "states", "transitions", "seconds", "a second"}};
};

// Along two orders.
template <class AnyBlock, class Graph>
bool run_graph(const std::string& file, const AnyBlock& block, const Graph& graph, const Settings& settings,
               const RunContext& run, Report& report) {
  const auto order_of = [&](std::uint64_t seed) {
    if constexpr (requires { graph.num_rows(); }) {
      return find_frontier_order(graph, FrontierStrategy::automatic, seed, run, settings.effort);
    } else {
      return find_frontier_order(graph, seed, run, settings.effort);
    }
  };
  const FrontierOrder first = order_of(settings.seed), second = order_of(settings.seed + 1);
  const Pass pass = one_pass(frontier_steps(graph, first.sequence), block.entries, settings, run);
  const Pass again = one_pass(frontier_steps(graph, second.sequence), block.entries, settings, run);
  const bool right = pass.residues == again.residues;
  report.add(file, first, pass, right);
  report.add(file, second, again, right);
  return right;
}

bool run_file(const std::string& file, const Settings& settings, const RunContext& run, Report& report) {
  const Input input = read_input(file, settings.input, run);
  if (!input.is_bipartite()) {
    const UndirectedGraph& graph = input.undirected;
    const GraphBlock<std::int64_t> block{graph.pattern(), std::vector<std::int64_t>(graph.num_edges(), 1)};
    return run_graph(file, block, block.pattern, settings, run, report);
  }
  Block<std::int64_t> block;
  block.pattern = input.graph.pattern();
  block.entries.assign(block.pattern.num_edges(), 1);
  return run_graph(file, block, block.pattern, settings, run, report);
}

}  // namespace

bool run_layers(const CommandLine& line) {
  const std::optional<Settings> settings = settings_from(line);
  if (!settings) return true;
  const RunContext run(settings->run);
  Report report(*settings, record_header(line, settings->devices));
  bool right = true;
  for (const std::string& file : settings->files) right = run_file(file, *settings, run, report) && right;
  app::write_answer(machine_line(settings->devices, run.num_threads()) + "\n\n" + report.text());
  return right;
}

}  // namespace matchcount::bench
