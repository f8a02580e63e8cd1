// Two workloads of a few milliseconds stand for the machine. The reference is a 2-core virtual machine with an Intel Xeon
// of the Sapphire Rapids generation at 2 GHz nominal, where the constants of the planner were measured.

#include "permanent/throughput.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "core/run.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier.hpp"
#include "permanent/ryser.hpp"

namespace matchcount {
namespace {

constexpr double reference_frontier_s = 5.2e-3;
constexpr double reference_ryser_s = 3.0e-3;
constexpr const char* format = "matchcount-throughput-1";

template <class Work>
double best_of_three(Work&& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

Block<std::int64_t> unit_block(BipartiteGraph graph) {
  Block<std::int64_t> block;
  block.entries.assign(graph.num_edges(), 1);
  block.pattern = std::move(graph);
  return block;
}

// What the kept figures depend on: the processor, as the system names it, and this file's workloads.
std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 1);
  }
  return " unknown";
}

}  // namespace

Throughput measure_throughput() {
  RunOptions run;
  run.num_threads = 1;
  Watch watch(run);
  Throughput result;

  const Block<std::int64_t> grid = unit_block(grid_graph(16, 16));
  FrontierOrder order;
  order.sequence.resize(grid.pattern.num_rows() + grid.pattern.num_columns());
  std::iota(order.sequence.begin(), order.sequence.end(), Vertex{0});
  result.frontier_scale =
      best_of_three([&] { permanent_frontier(grid, order, FrontierEngine::automatic, run, watch); }) / reference_frontier_s;

  const Block<std::int64_t> complete = unit_block(complete_graph(18, 18));
  const RyserPlan plan = plan_ryser(complete.pattern, RyserVariant::staged, run.seed);
  result.ryser_scale = best_of_three([&] { permanent_ryser(complete, plan, run, watch); }) / reference_ryser_s;
  return result;
}

Throughput cached_throughput(const std::string& file) {
  const std::string key = format + machine();
  {
    std::ifstream stream(file);
    std::string line;
    Throughput kept;
    if (std::getline(stream, line) && line == key && stream >> kept.frontier_scale >> kept.ryser_scale &&
        kept.frontier_scale > 0 && kept.ryser_scale > 0) {
      return kept;
    }
  }
  const Throughput measured = measure_throughput();
  if (file.empty()) return measured;
  std::error_code ignored;
  const std::filesystem::path path(file);
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::string temporary = file + "." + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  bool written = false;
  {
    std::ofstream stream(temporary);
    stream << key << '\n' << measured.frontier_scale << ' ' << measured.ryser_scale << '\n';
    stream.close();
    written = !stream.fail();
  }
  if (written) std::filesystem::rename(temporary, path, ignored);
  if (!written || ignored) std::filesystem::remove(temporary, ignored);
  return measured;
}

std::string default_throughput_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return std::string(cache) + "/matchcount/throughput";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/matchcount/throughput";
  return {};
}

}  // namespace matchcount
