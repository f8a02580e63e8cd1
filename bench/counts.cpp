// compare, forecasts, orders and small: what counts take by every method, and were predicted to, on one's own files and
// on graphs that are made here.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <variant>

#include "apps/options.hpp"
#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "matchcount/count.hpp"
#include "permanent/engine/throughput.hpp"

namespace matchcount::bench {
namespace {

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

Plan plan_of(const AnyGraph& graph, const CountOptions& options) {
  const auto* matrix = std::get_if<Matrix>(&graph);
  return matrix ? plan_permanent(*matrix, options) : plan_hafnian(std::get<UndirectedGraph>(graph), options);
}
Result count_of(const AnyGraph& graph, const CountOptions& options) {
  const auto* matrix = std::get_if<Matrix>(&graph);
  return matrix ? permanent(*matrix, options) : hafnian(std::get<UndirectedGraph>(graph), options);
}

// Makes a graph as `matchcount generate` does of these words.
AnyGraph generated(const std::string& words, std::uint64_t seed) {
  std::istringstream stream(words);
  std::string name;
  stream >> name;
  std::vector<double> numbers;
  for (double number = 0; stream >> number;) numbers.push_back(number);
  return family_graph(name, numbers, seed);
}

// ---- compare.

// One input, without weights but of a matrix, and the first value that was found of it.
struct Compared {
  std::string file;
  AnyGraph graph;
  std::optional<Value> first = {};
};

void run_method(Bench& bench, Compared& compared, const CountOptions& options) {
  const std::string device = options.run.device.kind == DeviceChoice::Kind::cuda ? "cuda" : "cpu";
  const std::string name = std::string(to_string(options.method)) + " " + device;
  const auto leave_out = [&](const std::string& why, std::optional<double> predicted = {}) {
    bench.add(compared.file, name, {{"predicted_s", or_null(predicted)}, {"value", "-"}, {"note", why}});
  };
  try {
    const Plan plan = plan_of(compared.graph, options);
    if (!std::isfinite(plan.seconds)) return leave_out(plan.blocks.at(0).forecasts.at(0).reason);
    if (plan.seconds > options.run.time_limit_s) return leave_out("beyond --time-limit", plan.seconds);
    Value value;
    bench.run({compared.file, name, nullptr,
               [&] {
                 value = count_of(compared.graph, options).value;
                 return Outcome{{}, {{"predicted_s", plan.seconds}, {"value", to_string(value)}}};
               },
               [&] {
                 if (!compared.first) compared.first = value;
                 return Checks{{"equals the first", agree(value, *compared.first)}};
               }});
  } catch (const Unable& error) {
    leave_out(error.what());
  }
}

void compare(Bench& bench) {
  const Arguments& given = bench.given();
  if (given.files().empty()) throw app::UsageError("compare", "no FILE given");
  InputOptions input_options;
  if (given.has("kind")) input_options.kind = from_string<InputKind>(given.text("kind"));
  input_options.odd_cycles = true;
  CountOptions options;
  options.run = given.run_on_cpu();
  options.run.time_limit_s = given.seconds("time-limit");
  const std::vector<DeviceInfo> devices = given.devices();
  bench.begin("Every method on one's own files.", devices, resolve_num_threads(options.run));
  for (const std::string& file : given.files()) {
    const Input input = read_input(file, input_options);
    const bool weighted = input.kind == InputKind::matrix;
    Compared compared{file, input.is_bipartite() ? AnyGraph(weighted ? input.graph : input.graph.pattern())
                            : weighted           ? input.undirected
                                                 : input.undirected.pattern()};
    for (const std::string_view method : names_to_ask_for<Method>()) {
      options.method = from_string<Method>(method);
      options.run.device.kind = DeviceChoice::Kind::cpu;
      run_method(bench, compared, options);
      if (devices.empty()) continue;
      options.run.device = parse_device_choice(given.text("device"));
      options.run.device.kind = DeviceChoice::Kind::cuda;
      run_method(bench, compared, options);
    }
    bench.save();
  }
}

// ---- forecasts.

enum class Numbers { ones, reals, complex };

// Returns the same edges with numbers in (-1, 1).
template <class Graph>
Graph with_numbers(const Graph& graph, Numbers numbers) {
  Random random(7);
  const auto draw = [&] { return DoubleDouble(2 * random.uniform() - 1); };
  if (numbers == Numbers::ones) return graph.pattern();
  if (numbers == Numbers::reals) {
    std::vector<DoubleDouble> weights(graph.num_edges());
    std::generate(weights.begin(), weights.end(), draw);
    return graph.with_weights(std::move(weights));
  }
  std::vector<ComplexDoubleDouble> weights;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.emplace_back(draw(), draw());
  return graph.with_weights(std::move(weights));
}

constexpr struct {
  Numbers numbers;
  Precision precision;
  const char* name;
} kinds[] = {{Numbers::ones, Precision::automatic, "ones"},
             {Numbers::reals, Precision::float64, "real, double"},
             {Numbers::reals, Precision::double_double, "real, double-double"},
             {Numbers::complex, Precision::float64, "complex, double"},
             {Numbers::complex, Precision::double_double, "complex, double-double"}};

// Lists what is counted by which method, with which kinds of numbers, by their places in the table above.
constexpr struct {
  const char* words;
  Method method;
  std::string_view kinds;
} forecast_instances[] = {{"grid 20 20", Method::frontier, "0"},      {"random 34 34 0.16", Method::frontier, "01234"},
                          {"complete 28", Method::frontier, "0"},     {"complete 30", Method::frontier, "1234"},
                          {"complete 24 24", Method::staged, "0"},    {"random 27 27 0.5", Method::staged, "0"},
                          {"random 28 28 0.3", Method::staged, "0"},  {"complete 24 24", Method::staged, "12"},
                          {"complete 20 20", Method::staged, "34"},   {"complete 20 20", Method::skipper, "0"},
                          {"random 27 27 0.5", Method::skipper, "0"}, {"complete 24 24", Method::skipper, "1"},
                          {"complete 20 20", Method::ryser, "0"},     {"complete 24 24", Method::ryser, "1"},
                          {"grid 64 64", Method::planar, "0"},        {"grid 128 128", Method::planar, "0"},
                          {"grid 48 48", Method::planar, "124"},      {"torus 32 32", Method::planar, "0"},
                          {"complete 10 10", Method::expansion, "0"}, {"complete 9 9", Method::expansion, "2"}};

// Returns the bytes behind a key of /proc/self/status.
double status_bytes(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    double kilobytes = 0;
    if (word == key && stream >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

void forecast(Bench& bench, const AnyGraph& graph, const std::string& name, const CountOptions& options) {
  const Plan plan = plan_of(graph, options);
  double most_bytes = 0;
  bench.run({std::string(to_string(options.method)), name, nullptr, [&] {
               malloc_trim(0);
               std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
               const double before = status_bytes("VmRSS:");
               const double seconds = count_of(graph, options).time_s.count;
               most_bytes = std::max(most_bytes, status_bytes("VmHWM:") - before);
               return Outcome{seconds,
                              {{"predicted_s", plan.seconds},
                               {"predicted_over_s", plan.seconds / seconds},
                               {"predicted_bytes", plan.memory_bytes},
                               {"memory_bytes", most_bytes},
                               {"predicted_over_bytes", plan.memory_bytes / most_bytes}}};
             }});
}

CountOptions options_of(const Bench& bench) {
  CountOptions options;
  options.run = bench.given().run_on_cpu();
  options.run.num_threads = std::max(options.run.num_threads, 1);
  return options;
}

void forecasts(Bench& bench) {
  CountOptions options = options_of(bench);
  options.throughput = measure_throughput();
  options.reduce = false;
  bench.begin("Predicted, and taken.", {}, options.run.num_threads);
  for (const auto& [words, method, places] : forecast_instances) {
    for (const char place : places) {
      const auto& kind = kinds[place - '0'];
      options.method = method;
      options.run.precision = kind.precision;
      const AnyGraph graph = std::visit([&](const auto& made) -> AnyGraph { return with_numbers(made, kind.numbers); },
                                        generated(words, 3));
      forecast(bench, graph, std::string(words) + ", " + kind.name, options);
    }
  }
}

// ---- orders.

void orders(Bench& bench) {
  CountOptions options = options_of(bench);
  options.method = Method::frontier;
  options.frontier_engine = FrontierEngine::dense;
  options.effort_s = bench.given().seconds("effort");
  bench.begin("Orders of the frontier method.", {}, options.run.num_threads);
  for (const char* words : {"king 16 16", "king 18 18", "king 20 20", "king 22 22", "king 24 24", "grid3d 6 6 6",
                            "grid3d 6 6 8", "grid3d 5 8 8", "hypercube 6", "torus 16 16", "regular 100 3",
                            "regular 150 3", "regular 200 3", "random 40 40 0.2"}) {
    AnyGraph graph = generated(words, 1);
    if (const auto* sides = std::get_if<BipartiteGraph>(&graph)) graph = UndirectedGraph::from_bipartite(*sides);
    bench.run({"", words, nullptr, [&] {
                 const Forecast found = plan_of(graph, options).blocks.at(0).forecasts.at(0);
                 return Outcome{{}, {{"log2_transitions", found.log2_operations}, {"order", found.reason}}};
               }});
  }
}

// ---- small.

void time_matrices(Bench& bench, const std::string& name, const std::vector<Matrix>& matrices, int most_repeats) {
  Result result;
  Case what{"", name, nullptr, nullptr, nullptr, 0, most_repeats};
  what.run = [&] {
    const double seconds = seconds_of([&] {
      for (const Matrix& matrix : matrices) result = permanent(matrix);
    });
    return Outcome{seconds,
                   {{"microseconds", 1e6 * seconds},
                    {"structure_microseconds", 1e6 * result.time_s.structure},
                    {"method", to_string(result.method)},
                    {"value", to_string(result.value)}}};
  };
  // A method that shares no plan with the one that is measured.
  what.check = [&] {
    CountOptions options;
    options.method = Method::ryser;
    return Checks{{"", agree(result.value, permanent(matrices.back(), options).value)}};
  };
  bench.run(what);
}

void small(Bench& bench) {
  bench.begin("Calls of the library, options as they are by default.", {}, 1);
  for (const std::string family : {"dense-", "ones-", "zero-one-"}) {
    for (const std::string size : {"4", "8", "12", "16", "20"}) {
      const std::string name = family + size + (family == "zero-one-" ? "-0.5" : "");
      time_matrices(bench, name, {matrix_of(workload_from_name(name), 1).matrix}, 1'000'000);
    }
  }
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed)
    matrices.push_back(matrix_of(workload_from_name("dense-12"), seed).matrix);
  time_matrices(bench, "1000 of dense-12", matrices, 5);
}

}  // namespace

Suite compare_suite() {
  return {
      "compare",
      "every method and device on one's own files",
      "Counts the perfect matchings of each FILE, or of a matrix computes the permanent, by every method, on the CPU "
      "and where there are GPUs on these; says what was predicted and what it took, compares the values, and says "
      "why a method does not apply. What is predicted to take longer than the limit is left out.",
      "",
      {device_option,
       {"kind", "KIND", "bipartite, undirected or matrix (default: as the file says, else bipartite)"},
       {"time-limit", "S", "seconds for each method", "60"},
       repeat_option("1"),
       seed_option,
       threads_option},
      compare,
      true};
}

Suite forecasts_suite() {
  return {"forecasts",
          "what every method was predicted to take, beside what it took",
          "Plans and counts a graph or matrix for every method and kind of number, on the CPU, and sets the predicted "
          "seconds and memory beside those that the count took. Memory is the growth of the process while it counts.",
          "",
          {repeat_option("3"), {"threads", "N", "of the CPU", "1"}},
          forecasts};
}

Suite orders_suite() {
  return {
      "orders",
      "orders of the frontier method, and the search for them",
      "Plans counts by the frontier method of generated graphs, reduced as the program reduces them, and prints how "
      "many transitions the order has that was found. `matchcount plan FILE --method frontier --effort S` does the "
      "same for a file.",
      "",
      {{"effort", "S", "seconds of search for each, as of matchcount plan", "1"},
       seed_option,
       {"threads", "N", "of the search; the order does not depend on it", "1"}},
      orders};
}

Suite small_suite() {
  return {
      "small",
      "permanents and counts of a few rows, in microseconds",
      "Calls the library on matrices of 4 to 20 rows as a program would, options as they are by default, and on a "
      "thousand of 12 x 12 one after another. Every value is checked against the published form of Ryser's formula.",
      "microseconds structure_microseconds method",
      {repeat_option("200")},
      small};
}

}  // namespace matchcount::bench
