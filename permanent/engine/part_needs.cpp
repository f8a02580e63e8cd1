#include "permanent/engine/part_needs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/method.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {
namespace {

// Of a transition, forwards and backwards, where all layers are kept; a prediction (bcsstk01, grids).
constexpr double seconds_of_transition = 4e-9;

FrontierOrder order_of(const BipartiteGraph& graph, const DistributionOptions& options, const RunContext& run,
                       const OrderEffort& effort) {
  return find_frontier_order(graph, options.frontier_strategy, options.run.seed, run, effort);
}
FrontierOrder order_of(const UndirectedGraph& graph, const DistributionOptions& options, const RunContext& run,
                       const OrderEffort& effort) {
  return find_frontier_order(graph, options.run.seed, run, effort);
}

struct Size {
  double vertices = 0, edges = 0;
};
Size size_of(const BipartiteGraph& graph) {
  return {1.0 * graph.num_rows() + graph.num_columns(), static_cast<double>(graph.num_edges())};
}
Size size_of(const UndirectedGraph& graph) {
  return {1.0 * graph.num_vertices(), static_cast<double>(graph.num_edges())};
}
Size size_of(const CoveredPart& part) {
  return std::visit([](const auto& pattern) { return size_of(pattern); }, part.pattern);
}

}  // namespace

void require_answerable(const DistributionOptions& options) {
  if (options.frontier_engine == FrontierEngine::twins || options.frontier_engine == FrontierEngine::lean) {
    throw InputError("the engine " + std::string(to_string(options.frontier_engine)),
                     "auto, sparse or dense: the others have no backward pass");
  }
  constexpr std::array methods{Method::automatic, Method::frontier, Method::planar, Method::ryser};
  if (std::ranges::find(methods, options.method) == methods.end()) {
    throw InputError("the method " + std::string(to_string(options.method)), "auto, frontier, planar or ryser");
  }
}

Forecast forecast_of(Method method, const PartNeeds& needs, std::string what) {
  Forecast forecast;
  forecast.method = method;
  forecast.applies = true;
  forecast.reason = std::move(what);
  forecast.log2_operations = std::numeric_limits<double>::quiet_NaN();
  forecast.seconds = needs.seconds;
  forecast.memory_bytes = needs.memory_bytes;
  return forecast;
}

std::string description_of(const FrontierOrder& order) {
  return "width " + std::to_string(order.max_width) + ", at most " + two_to(order.log2_peak_states) + " states";
}

PartNeeds frontier_needs(const FrontierOrder& order) {
  return {seconds_of_transition * std::exp2(order.log2_transitions),
          2 * sizeof(double) * std::exp2(order.log2_peak_states)};
}
double log2_transitions_in(double seconds) { return std::log2(seconds / seconds_of_transition); }

bool fits(const PartNeeds& needs, const RunContext& run) {
  return needs.memory_bytes <= static_cast<double>(run.memory_limit_bytes());
}

void require_affordable(const PartNeeds& needs, double seconds_before, const RunContext& run) {
  if (!fits(needs, run)) {
    throw OverLimit("this would take " + memory_amount(needs.memory_bytes) + "; the memory limit is " +
                        memory_amount(static_cast<double>(run.memory_limit_bytes())),
                    needs.seconds, needs.memory_bytes);
  }
  if (seconds_before + needs.seconds > 2 * run.seconds_left()) {
    throw OverLimit("this would take about " + time_amount(seconds_before + needs.seconds) +
                        ", more than the time that is left",
                    needs.seconds, needs.memory_bytes);
  }
}

bool may_be_planar(const CoveredPart& part) {
  const auto [vertices, edges] = size_of(part);
  return edges <= (std::holds_alternative<BipartiteGraph>(part.pattern) ? 2 * vertices - 4 : 3 * vertices - 6);
}

double planarity_bytes(const CoveredPart& part) {
  const auto [vertices, edges] = size_of(part);
  return embedding_bytes(vertices + edges);
}

void require_planarity_bytes(const CoveredPart& part, std::size_t number, const RunContext& run) {
  const double bytes = planarity_bytes(part);
  if (run.has_memory_for(bytes)) return;
  throw OverLimit("to see whether " + name_of_part(number) + " is planar would take " + memory_amount(bytes) +
                  "; the memory limit is " + memory_amount(static_cast<double>(run.memory_limit_bytes())));
}

FrontierOrder order_of_part(const CoveredPart& part, const DistributionOptions& options, const OrderEffort& effort,
                            const RunContext& run) {
  return std::visit([&](const auto& pattern) { return order_of(pattern, options, run, effort); }, part.pattern);
}

}  // namespace matchcount
