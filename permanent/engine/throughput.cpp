// Two workloads of a few milliseconds stand for the machine: what they take, over what the planner predicts of them.

#include "permanent/engine/throughput.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/run.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"

namespace matchcount {
namespace {

constexpr const char* format = "matchcount-throughput-2";

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

// Identifies what the kept figures depend on: the processor, as the system names it, and this file's workloads.
std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 1);
  return " unknown";
}

}  // namespace

Throughput measure_throughput() {
  CountOptions options;
  options.run.num_threads = 1;
  options.run.device.kind = DeviceChoice::Kind::cpu;
  options.throughput = Throughput{};
  const RunContext run(options.run);
  // Seconds taken over seconds predicted, where the machine is taken for the one of the cost models.
  const auto scale = [&](const Block<std::int64_t>& block, const MethodEntry& entry) {
    options.method = entry.method;
    const PreparedBlock prepared = plan_block(&block, number_type(&block, options.run.precision), options, true, run);
    const Forecast& forecast = prepared.plan.forecasts.front();
    const RunRequest request{&block, *prepared.plan_of(forecast), options.run.precision, {}};
    return best_of_three([&] { entry.run(request, run); }) / forecast.seconds;
  };
  Throughput measured;
  for (const MethodEntry& entry : methods())
    if (entry.workload) measured.*entry.scale = scale(unit_block(entry.workload()), entry);
  return measured;
}

const Throughput& this_throughput() {
  static const Throughput measured = measure_throughput();
  return measured;
}

Throughput cached_throughput(const std::string& file) {
  const std::string key = format + machine();
  {
    std::ifstream stream(file);
    std::string line;
    Throughput kept;
    if (std::getline(stream, line) && line == key && stream >> kept.frontier_scale >> kept.ryser_scale &&
        kept.frontier_scale > 0 && kept.ryser_scale > 0)
      return kept;
  }
  const Throughput measured = measure_throughput();
  if (file.empty()) return measured;
  std::error_code ignored;
  const std::filesystem::path path(file);
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::string temporary =
      file + "." + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  bool written = false;
  {
    std::ofstream stream(temporary);
    stream.precision(std::numeric_limits<double>::max_digits10);
    stream << key << '\n' << measured.frontier_scale << ' ' << measured.ryser_scale << '\n';
    stream.close();
    written = !stream.fail();
  }
  if (written) std::filesystem::rename(temporary, path, ignored);
  if (!written || ignored) std::filesystem::remove(temporary, ignored);
  return measured;
}

std::string default_throughput_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/matchcount/throughput";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/matchcount/throughput";
  return {};
}

}  // namespace matchcount
