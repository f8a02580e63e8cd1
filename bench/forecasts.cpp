// forecasts: what every method was predicted to take on this machine, beside what it took.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/amounts.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/permanent.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench forecasts [options]

Plans and counts a graph or matrix for every method and kind of number, on the CPU, and sets the predicted seconds and
memory beside those that the count took. Memory is the growth of the process while it counts.

  --repeat N         each count so many times, of which the best counts (default: 3)
  --threads N        (default: 1)
  --json FILE        also writes everything to FILE
  -h, --help         this text
)";

struct Settings {
  int repeat = 3;
  int threads = 1;
  std::string json_file;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench forecasts");
  auto add = parser.add_options();
  add("repeat", "", cxxopts::value<int>()->default_value("3"));
  add("threads", "", cxxopts::value<int>()->default_value("1"));
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "forecasts", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000);
                        settings.threads = within("threads", parsed["threads"].as<int>(), 1024);
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        return settings;
                      });
}

using AnyGraph = std::variant<Matrix, UndirectedGraph>;
struct Case {
  std::string name;
  Method method;
  Precision precision;  // of reals and complex numbers
  AnyGraph graph;
};

enum class Numbers { ones, reals, complex };

// The same edges with numbers in (-1, 1).
template <class Graph>
Graph with_numbers(const Graph& graph, Numbers numbers) {
  Random random(7);
  const auto draw = [&] { return 2 * random.uniform() - 1; };
  if (numbers == Numbers::ones) return graph.pattern();
  if (numbers == Numbers::reals) {
    std::vector<DoubleDouble> weights;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.emplace_back(draw());
    return graph.with_weights(std::move(weights));
  }
  std::vector<ComplexDoubleDouble> weights;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.emplace_back(DoubleDouble(draw()), DoubleDouble(draw()));
  return graph.with_weights(std::move(weights));
}

UndirectedGraph complete(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) edges.push_back({u, v});
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, Method method, const auto& graph, Numbers numbers,
                       Precision precision = Precision::automatic) {
    cases.push_back({name, method, precision, with_numbers(graph, numbers)});
  };
  constexpr Precision doubles = Precision::float64, pairs = Precision::double_double;
  const BipartiteGraph grid = grid_graph(20, 20), sparse = random_graph(34, 34, 0.16, 3);
  add("grid 20 x 20, ones", Method::frontier, grid, Numbers::ones);
  add("random 34 x 34, density 0.16, ones", Method::frontier, sparse, Numbers::ones);
  add("the same, real, double", Method::frontier, sparse, Numbers::reals, doubles);
  add("the same, real, double-double", Method::frontier, sparse, Numbers::reals, pairs);
  add("the same, complex, double", Method::frontier, sparse, Numbers::complex, doubles);
  add("the same, complex, double-double", Method::frontier, sparse, Numbers::complex, pairs);
  add("complete 28, ones", Method::frontier, complete(28), Numbers::ones);
  add("complete 30, real, double", Method::frontier, complete(30), Numbers::reals, doubles);
  add("complete 30, real, double-double", Method::frontier, complete(30), Numbers::reals, pairs);
  add("complete 30, complex, double", Method::frontier, complete(30), Numbers::complex, doubles);
  add("complete 30, complex, double-double", Method::frontier, complete(30), Numbers::complex, pairs);
  const BipartiteGraph dense20 = complete_graph(20, 20), dense24 = complete_graph(24, 24),
                       half = random_graph(27, 27, 0.5, 3), third = random_graph(28, 28, 0.3, 3);
  add("dense 24, ones", Method::staged, dense24, Numbers::ones);
  add("density 0.5, 27 rows, ones", Method::staged, half, Numbers::ones);
  add("density 0.3, 28 rows, ones", Method::staged, third, Numbers::ones);
  add("dense 24, real, double", Method::staged, dense24, Numbers::reals, doubles);
  add("dense 24, real, double-double", Method::staged, dense24, Numbers::reals, pairs);
  add("dense 20, complex, double", Method::staged, dense20, Numbers::complex, doubles);
  add("dense 20, complex, double-double", Method::staged, dense20, Numbers::complex, pairs);
  add("dense 20, ones", Method::skipper, dense20, Numbers::ones);
  add("density 0.5, 27 rows, ones", Method::skipper, half, Numbers::ones);
  add("dense 24, real, double", Method::skipper, dense24, Numbers::reals, doubles);
  add("dense 20, ones", Method::ryser, dense20, Numbers::ones);
  add("dense 24, real, double", Method::ryser, dense24, Numbers::reals, doubles);
  add("grid 64 x 64, ones", Method::planar, grid_graph(64, 64), Numbers::ones);
  add("grid 128 x 128, ones", Method::planar, grid_graph(128, 128), Numbers::ones);
  add("grid 48 x 48, real, double", Method::planar, grid_graph(48, 48), Numbers::reals, doubles);
  add("grid 48 x 48, real, double-double", Method::planar, grid_graph(48, 48), Numbers::reals, pairs);
  add("grid 48 x 48, complex, double-double", Method::planar, grid_graph(48, 48), Numbers::complex, pairs);
  add("torus 32 x 32, ones", Method::planar, torus_graph(32, 32), Numbers::ones);
  add("dense 10, ones", Method::expansion, complete_graph(10, 10), Numbers::ones);
  add("dense 9, real", Method::expansion, complete_graph(9, 9), Numbers::reals, pairs);
  return cases;
}

// Bytes behind a key of /proc/self/status.
double status_bytes(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    double kilobytes = 0;
    if (word == key && stream >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

struct Measured {
  double seconds = std::numeric_limits<double>::infinity();
  double memory_bytes = 0;
};

Measured measure(int repeat, const std::function<Result()>& count) {
  Measured best;
  for (int i = 0; i < repeat; ++i) {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
    const double before = status_bytes("VmRSS:");
    const Result result = count();
    best.seconds = std::min(best.seconds, result.time_s.count);
    best.memory_bytes = std::max(best.memory_bytes, status_bytes("VmHWM:") - before);
  }
  return best;
}

std::string ratio(double predicted, double measured) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", predicted / measured);
  return text;
}

}  // namespace

bool run_forecasts(const CommandLine& line) {
  const std::optional<Settings> settings = settings_from(line);
  if (!settings) return true;
  Json record = record_header(line, {});
  record["runs"] = Json::array();
  std::vector<std::vector<std::string>> rows{
      {"method", "what", "predicted", "took", "ratio", "predicted", "took", "ratio"}};
  CountOptions options;
  options.throughput = measure_throughput();
  options.run.num_threads = settings->threads;
  options.run.device.kind = DeviceChoice::Kind::cpu;
  options.reduce = false;
  for (const Case& what : all_cases()) {
    options.method = what.method;
    options.run.precision = what.precision;
    const Plan plan = std::holds_alternative<Matrix>(what.graph)
                          ? plan_permanent(std::get<Matrix>(what.graph), options)
                          : plan_hafnian(std::get<UndirectedGraph>(what.graph), options);
    const Measured took = measure(settings->repeat, [&] {
      return std::holds_alternative<Matrix>(what.graph) ? permanent(std::get<Matrix>(what.graph), options)
                                                        : hafnian(std::get<UndirectedGraph>(what.graph), options);
    });
    rows.push_back({std::string(to_string(what.method)), what.name, app::format_seconds(plan.seconds),
                    app::format_seconds(took.seconds), ratio(plan.seconds, took.seconds),
                    memory_amount(plan.memory_bytes), memory_amount(took.memory_bytes),
                    ratio(plan.memory_bytes, took.memory_bytes)});
    record["runs"].push_back({{"method", to_string(what.method)},
                              {"what", what.name},
                              {"predicted_s", plan.seconds},
                              {"seconds", took.seconds},
                              {"predicted_bytes", plan.memory_bytes},
                              {"memory_bytes", took.memory_bytes}});
    std::fprintf(stderr, "%s, %s: %s\n", std::string(to_string(what.method)).c_str(), what.name.c_str(),
                 app::format_seconds(took.seconds).c_str());
    if (!settings->json_file.empty()) write_record(settings->json_file, record);
  }
  app::write_answer("Predicted, and the best of " + std::to_string(settings->repeat) + ".\n" +
                    machine_line({}, settings->threads) + "\n\n" + app::table(rows, ""));
  return true;
}

}  // namespace matchcount::bench
