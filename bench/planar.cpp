// planar: counts of large planar graphs, step by step: what is done on the host, and what on GPUs.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/numbers/integer.hpp"
#include "core/stopwatch.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench planar [options]

Counts the perfect matchings of N x N grids, and of such with a diagonal in each square, which are not bipartite, by
Kasteleyn's determinants and Pfaffians: the plan (embedding and dissection), the elimination that finds a program, its
replay modulo many primes, on the CPU or on GPUs, and the rest (the Chinese remainder theorem).

  --device WHERE     auto, cpu, cuda or cuda:0,1 (default: auto, all GPUs if there are any)
  --grids N,..       even sizes (default: 64,128,256)
  --diagonals N,..   even sizes of those with diagonals (default: 64,128)
  --repeat N         each count so many times, of which the best counts (default: 3)
  --threads N        of the CPU (default: every core)
  --json FILE        also writes everything to FILE
  -h, --help         this text
)";

struct PlanarGraph {
  Vertex size;
  bool diagonals;
};

struct Settings {
  std::vector<PlanarGraph> graphs;
  std::vector<DeviceInfo> devices;
  int repeat = 3;
  std::string json_file;
  RunOptions run;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench planar");
  auto add = parser.add_options();
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("grids", "", cxxopts::value<std::vector<Vertex>>()->default_value("64,128,256"));
  add("diagonals", "", cxxopts::value<std::vector<Vertex>>()->default_value("64,128"));
  add("repeat", "", cxxopts::value<int>()->default_value("3"));
  add("threads", "", cxxopts::value<int>());
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "planar", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        const auto add_sizes = [&](const char* name, bool diagonals) {
                          for (const Vertex size : parsed[name].as<std::vector<Vertex>>()) {
                            if (within(name, size, Vertex{4096}) % 2 != 0)
                              throw InputError("--" + std::string(name) + " " + std::to_string(size), "even sizes");
                            settings.graphs.push_back({size, diagonals});
                          }
                        };
                        add_sizes("grids", false);
                        add_sizes("diagonals", true);
                        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000);
                        if (parsed.count("threads") != 0)
                          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        settings.devices = choose_devices(parse_device_choice(parsed["device"].as<std::string>()));
                        return settings;
                      });
}

UndirectedGraph graph_of(const PlanarGraph& what) {
  const Vertex n = what.size;
  std::vector<Edge> edges;
  for (Vertex i = 0; i < n; ++i) {
    for (Vertex j = 0; j < n; ++j) {
      const Vertex v = i * n + j;
      if (j + 1 < n) edges.push_back({v, v + 1});
      if (i + 1 < n) edges.push_back({v, v + n});
      if (what.diagonals && i + 1 < n && j + 1 < n) edges.push_back({v, v + n + 1});
    }
  }
  return UndirectedGraph::from_edges(n * n, std::move(edges));
}

struct Count {
  Integer value;
  double seconds = 0;  // without the plan
  KasteleynReport report;
};

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace

bool run_planar(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;
  const bool on_gpu = !settings.devices.empty();
  // Held throughout, so that no count pays for their making.
  std::vector<DeviceContext> contexts(settings.devices.begin(), settings.devices.end());

  Json record = record_header(line, settings.devices);
  record["runs"] = Json::array();
  std::vector<std::vector<std::string>> rows{{"graph", "digits", "moduli", "plan s", "eliminate s", "replay s",
                                              "of it kernels s", "rest s", "1e12 products/s", "check"}};
  bool all_right = true;
  for (const PlanarGraph& what : settings.graphs) {
    const UndirectedGraph graph = graph_of(what);
    const GraphBlock<std::int64_t> block{graph, std::vector<std::int64_t>(graph.num_edges(), 1)};
    const RunContext context(settings.run);
    Stopwatch stopwatch;
    const std::optional<KasteleynPlan> plan = plan_kasteleyn(graph, settings.run.seed, context);
    const double plan_s = stopwatch.lap();
    if (!plan) throw Error("a grid that is not planar; please report this");
    const auto count_on = [&](const std::vector<DeviceInfo>& gpus) {
      Count count;
      Stopwatch whole;
      count.value = hafnian_kasteleyn(block, *plan, context, gpus, &count.report);
      count.seconds = whole.lap();
      return count;
    };
    Count best = count_on(settings.devices);
    for (int i = 1; i < settings.repeat; ++i) {
      Count again = count_on(settings.devices);
      all_right = all_right && again.value == best.value;
      if (again.seconds < best.seconds) best = std::move(again);
    }
    // Grids against the closed form, others against the CPU, where there is another way.
    std::optional<bool> right;
    if (!what.diagonals) {
      right = best.value > 0 && std::fabs(log2_abs(best.value) * std::numbers::ln2 -
                                          log_grid_matchings(static_cast<int>(what.size))) < 1e-4;
    } else if (on_gpu) {
      right = count_on({}).value == best.value;
    }
    all_right = all_right && right.value_or(true);

    const std::string n = std::to_string(what.size);
    const std::string name = n + " x " + n + (what.diagonals ? " with diagonals" : "");
    const KasteleynReport& report = best.report;
    const double rest_s = best.seconds - report.eliminate_s - report.replay_s;
    const double working_s = on_gpu ? report.device_s : report.replay_s;
    const std::size_t digits = to_string(best.value).size();
    rows.push_back({name, std::to_string(digits), std::to_string(report.num_moduli), format("%.3f", plan_s),
                    format("%.3f", report.eliminate_s), format("%.3f", report.replay_s),
                    on_gpu ? format("%.4f", report.device_s) : "-", format("%.3f", rest_s),
                    format("%.3f", report.multiplications / working_s * 1e-12),
                    right ? (*right ? "right" : "WRONG") : "-"});
    Json row;
    row["graph"] = name;
    row["digits"] = digits;
    row["moduli"] = report.num_moduli;
    row["products"] = report.multiplications;
    row["seconds"] = {{"plan", plan_s},
                      {"eliminate", report.eliminate_s},
                      {"replay", report.replay_s},
                      {"kernels", on_gpu ? Json(report.device_s) : Json()},
                      {"rest", rest_s}};
    row["right"] = right ? Json(*right) : Json();
    record["runs"].push_back(row);
    std::fprintf(stderr, "%s: %s\n", name.c_str(), app::format_seconds(best.seconds).c_str());
    if (!settings.json_file.empty()) write_record(settings.json_file, record);
  }
  app::write_answer("Perfect matchings of planar graphs, the best of " + std::to_string(settings.repeat) + ".\n" +
                    machine_line(settings.devices, resolve_num_threads(settings.run)) + "\n\n" + app::table(rows, ""));
  return all_right;
}

}  // namespace matchcount::bench
