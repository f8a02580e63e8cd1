#include "permanent/explanation.hpp"

#include <algorithm>
#include <vector>

#include "core/amounts.hpp"
#include "core/text.hpp"
#include "graph/picture.hpp"

namespace matchcount {
namespace {

constexpr std::size_t most_blocks = 10;

std::string sides_text(const BlockPlan& block, bool is_whole) {
  const std::string size = std::to_string(block.size);
  return block.bipartite ? size + " x " + size : size + (is_whole ? " vertices" : " vertices, odd cycles");
}

std::string run_text(const BlockRun& run, double predicted_s) {
  return ": by " + std::string(to_string(run.method)) + " in " + short_time(run.seconds) + ", predicted " +
         short_time(predicted_s);
}

// Returns what each block took, where the result tells it of every block.
std::span<const BlockRun> runs_of(const Result& result) {
  return result.blocks.size() == result.plan.blocks.size() ? std::span(result.blocks) : std::span<const BlockRun>();
}

}  // namespace

std::string blocks_text(const Plan& plan, std::span<const BlockRun> runs) {
  if (!plan.has_perfect_matching()) return "a certificate proves that there is no such matching\n";
  const ReductionCounts& counts = plan.reductions;
  // Components that are counted as they are, not the blocks of perfect matchings.
  const bool is_whole =
      counts.fine_blocks + counts.useless_edges + counts.degree1 + counts.degree2 == 0 && !plan.blocks.empty();
  std::string text;
  if (!is_whole)
    text += format_count(counts.useless_edges, "edge", "edges") + " in no perfect matching; " +
            format_count(counts.fine_blocks, "block", "blocks") + "; " + std::to_string(counts.degree1) +
            " vertices of degree 1 and " + std::to_string(counts.degree2) + " of degree 2 removed; " +
            format_count(plan.blocks.size(), "block", "blocks") + " left to count\n";
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    if (i == most_blocks) {
      text += "\nand " + format_count(plan.blocks.size() - i, "smaller block", "smaller blocks") + "\n";
      break;
    }
    const BlockPlan& block = plan.blocks[i];
    text += "\nblock " + std::to_string(i + 1) + ": " + sides_text(block, is_whole) + ", " +
            format_count(block.edges, "edge", "edges") +
            (runs.empty() ? "" : run_text(runs[i], block.forecasts.front().seconds)) + "\n";
    std::vector<std::vector<std::string>> rows = {{"method", "device", "time", "memory", ""}};
    for (const Forecast& forecast : block.forecasts) {
      rows.push_back({std::string(to_string(forecast.method)), forecast.on_gpu ? "cuda" : "cpu",
                      forecast.applies ? short_time(forecast.seconds) : "-",
                      forecast.applies ? memory_amount(forecast.memory_bytes) : "-", forecast.reason});
    }
    text += table(rows, "  ");
  }
  return text;
}

std::string explanation(const Result& result) {
  const Times& times = result.time_s;
  const bool has_graph = result.plan.rows + result.plan.columns + result.plan.vertices > 0;
  std::string text = has_graph ? blocks_text(result.plan, runs_of(result)) + "\n" : std::string();
  text += "structure " + short_time(times.structure) + ", choice of methods " + short_time(times.order) +
          ", counting " + short_time(times.count);
  if (!result.plan.blocks.empty()) text += " (predicted " + short_time(result.plan.seconds) + ")";
  return text + ", in all " + short_time(times.total) + "\n";
}

std::string explanation_picture(const Result& result) {
  std::vector<PredictedTime> bars;
  const auto runs = runs_of(result);
  for (std::size_t i = 0; i < std::min(runs.size(), most_blocks); ++i)
    bars.push_back({"block " + std::to_string(i + 1) + ", " + std::string(to_string(runs[i].method)),
                    result.plan.blocks[i].forecasts.front().seconds, runs[i].seconds});
  bars.push_back({"structure", 0, result.time_s.structure});
  bars.push_back({"choice of methods", 0, result.time_s.order});
  bars.push_back({"counting", result.plan.seconds, result.time_s.count});
  bars.push_back({"in all", 0, result.time_s.total});
  return times_picture(bars);
}

std::string plan_picture(const Plan& plan) {
  std::vector<PredictedTime> bars;
  const auto largest = std::ranges::max_element(plan.blocks, {}, &BlockPlan::edges);
  if (largest != plan.blocks.end()) {
    for (const Forecast& forecast : largest->forecasts) {
      if (forecast.applies)
        bars.push_back({std::string(to_string(forecast.method)) + (forecast.on_gpu ? ", cuda" : ""), forecast.seconds});
    }
  }
  return times_picture(bars);
}

}  // namespace matchcount
