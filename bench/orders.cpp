// orders: what orders the frontier method finds, and how long the search for them takes.

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
#include "core/stopwatch.hpp"
#include "graph/generate.hpp"
#include "permanent/permanent.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench orders [options]

Plans counts by the frontier method of generated graphs, reduced as the program reduces them, and prints how many
transitions and states the order has that was found. `matchcount plan FILE --method frontier --effort S` does the same
for a file.

  --effort S         seconds of search for each, as of matchcount plan (default: 1)
  --seed N           of the search (default: 1)
  --threads N        of the search (default: 1); the order does not depend on it
  --json FILE        also writes everything to FILE
  -h, --help         this text
)";

struct Settings {
  CountOptions count;
  std::string json_file;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench orders");
  auto add = parser.add_options();
  add("effort", "", cxxopts::value<double>()->default_value("1"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>()->default_value("1"));
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "orders", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        constexpr double most_effort_s = 1e6;
                        Settings settings;
                        settings.count.method = Method::frontier;
                        settings.count.frontier_engine = FrontierEngine::dense;
                        settings.count.effort_s = parsed["effort"].as<double>();
                        if (!(settings.count.effort_s > 0 && settings.count.effort_s <= most_effort_s))
                          throw InputError("--effort", "a number of seconds above 0, at most 10^6");
                        settings.count.run.seed = parsed["seed"].as<std::uint64_t>();
                        settings.count.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        return settings;
                      });
}

struct Instance {
  std::string name;
  UndirectedGraph graph;
};

std::vector<Instance> instances() {
  std::vector<Instance> result;
  for (const Vertex side : {16, 18, 20, 22, 24})
    result.push_back({"kings " + std::to_string(side), king_graph(side, side)});
  const auto add = [&](std::string name, const BipartiteGraph& graph) {
    result.push_back({std::move(name), UndirectedGraph::from_bipartite(graph)});
  };
  add("grid3d 6 6 6", grid3d_graph(6, 6, 6));
  add("grid3d 6 6 8", grid3d_graph(6, 6, 8));
  add("grid3d 5 8 8", grid3d_graph(5, 8, 8));
  add("hypercube 6", hypercube_graph(6));
  add("torus 16 16", torus_graph(16, 16));
  for (const Vertex size : {100, 150, 200})
    add("regular " + std::to_string(size) + " 3", random_regular_graph(size, 3, 1));
  add("random 40 40 0.2", random_graph(40, 40, 0.2, 1));
  return result;
}

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

bool run_orders(const CommandLine& line) {
  const std::optional<Settings> settings = settings_from(line);
  if (!settings) return true;
  Json record = record_header(line, {});
  record["runs"] = Json::array();
  std::vector<std::vector<std::string>> rows{{"graph", "log2 transitions", "seconds", "order"}};
  for (const Instance& instance : instances()) {
    Stopwatch stopwatch;
    const Plan plan = plan_hafnian(instance.graph, settings->count);
    const double seconds = stopwatch.lap();
    const Forecast& forecast = plan.blocks.at(0).forecasts.at(0);
    rows.push_back({instance.name, two_decimals(forecast.log2_operations), two_decimals(seconds), forecast.reason});
    record["runs"].push_back({{"graph", instance.name},
                              {"log2_transitions", forecast.log2_operations},
                              {"seconds", seconds},
                              {"order", forecast.reason}});
    if (!settings->json_file.empty()) write_record(settings->json_file, record);
  }
  app::write_answer(machine_line({}, 1) + "\n\n" + app::table(rows, ""));
  return true;
}

}  // namespace matchcount::bench
