// Benchmark `forecasts`: sets the cost that was predicted for every method beside the cost on this machine.

#include <malloc.h>

#include <fstream>
#include <variant>

#include "apps/text.hpp"
#include "bench/runner.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/engine/throughput.hpp"

namespace matchcount::bench {
namespace {

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

UndirectedGraph complete(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) edges.push_back({u, v});
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

struct Instance {
  std::string name;
  Method method;
  std::variant<Matrix, UndirectedGraph> graph;
  Precision precision = Precision::automatic;  // of reals and complex numbers
};

// Adds a graph with ones and with numbers of each kind.
constexpr struct {
  Numbers numbers;
  Precision precision;
  const char* name;
} kinds[] = {{Numbers::ones, Precision::automatic, "ones"},
             {Numbers::reals, Precision::float64, "real, double"},
             {Numbers::reals, Precision::double_double, "real, double-double"},
             {Numbers::complex, Precision::float64, "complex, double"},
             {Numbers::complex, Precision::double_double, "complex, double-double"}};

std::vector<Instance> all_instances() {
  std::vector<Instance> instances;
  // `which` says the kinds of numbers by their places in the table.
  const auto add = [&](const std::string& name, Method method, const auto& graph, std::string_view which) {
    for (const char place : which) {
      const auto& kind = kinds[place - '0'];
      instances.push_back({name + ", " + kind.name, method, with_numbers(graph, kind.numbers), kind.precision});
    }
  };
  const BipartiteGraph dense20 = complete_graph(20, 20), dense24 = complete_graph(24, 24),
                       half = random_graph(27, 27, 0.5, 3);
  add("grid 20 x 20", Method::frontier, grid_graph(20, 20), "0");
  add("random 34 x 34, density 0.16", Method::frontier, random_graph(34, 34, 0.16, 3), "01234");
  add("complete 28", Method::frontier, complete(28), "0");
  add("complete 30", Method::frontier, complete(30), "1234");
  add("dense 24", Method::staged, dense24, "0");
  add("density 0.5, 27 rows", Method::staged, half, "0");
  add("density 0.3, 28 rows", Method::staged, random_graph(28, 28, 0.3, 3), "0");
  add("dense 24", Method::staged, dense24, "12");
  add("dense 20", Method::staged, dense20, "34");
  add("dense 20", Method::skipper, dense20, "0");
  add("density 0.5, 27 rows", Method::skipper, half, "0");
  add("dense 24", Method::skipper, dense24, "1");
  add("dense 20", Method::ryser, dense20, "0");
  add("dense 24", Method::ryser, dense24, "1");
  add("grid 64 x 64", Method::planar, grid_graph(64, 64), "0");
  add("grid 128 x 128", Method::planar, grid_graph(128, 128), "0");
  add("grid 48 x 48", Method::planar, grid_graph(48, 48), "124");
  add("torus 32 x 32", Method::planar, torus_graph(32, 32), "0");
  add("dense 10", Method::expansion, complete_graph(10, 10), "0");
  add("dense 9", Method::expansion, complete_graph(9, 9), "2");
  return instances;
}

// Returns the bytes behind a key of /proc/self/status.
double status_bytes(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    double kilobytes = 0;
    if (word == key && stream >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

void run(Bench& bench) {
  CountOptions options;
  options.throughput = measure_throughput();
  options.run = bench.given().run_on_cpu();
  options.run.num_threads = std::max(options.run.num_threads, 1);
  options.reduce = false;
  bench.begin("Predicted, and taken.", {}, options.run.num_threads);
  for (const Instance& what : all_instances()) {
    options.method = what.method;
    options.run.precision = what.precision;
    const auto* matrix = std::get_if<Matrix>(&what.graph);
    const auto* graph = std::get_if<UndirectedGraph>(&what.graph);
    const Plan plan = matrix ? plan_permanent(*matrix, options) : plan_hafnian(*graph, options);
    double most_bytes = 0;
    bench.run({std::string(to_string(what.method)), what.name, nullptr,
               [&] {
                 malloc_trim(0);
                 std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
                 const double before = status_bytes("VmRSS:");
                 const double seconds = (matrix ? permanent(*matrix, options) : hafnian(*graph, options)).time_s.count;
                 most_bytes = std::max(most_bytes, status_bytes("VmHWM:") - before);
                 return Outcome{seconds,
                                {{"predicted_s", plan.seconds},
                                 {"predicted_over_s", plan.seconds / seconds},
                                 {"predicted_bytes", plan.memory_bytes},
                                 {"memory_bytes", most_bytes},
                                 {"predicted_over_bytes", plan.memory_bytes / most_bytes}}};
               },
               nullptr});
  }
}

}  // namespace

Suite forecasts_suite() {
  return {"forecasts",
          "what every method was predicted to take, beside what it took",
          "Plans and counts a graph or matrix for every method and kind of number, on the CPU, and sets the predicted "
          "seconds and memory beside those that the count took. Memory is the growth of the process while it counts.",
          "",
          {repeat_option("3"), {"threads", "N", "of the CPU", "1"}},
          run};
}

}  // namespace matchcount::bench
