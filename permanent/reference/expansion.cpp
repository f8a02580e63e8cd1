#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/vertices.hpp"
#include "permanent/reference/oracles.hpp"

namespace matchcount {
namespace {

constexpr Vertex max_rows = 12;
constexpr Vertex max_vertices = 20;
constexpr double seconds_a_factor = 1.2e-8;

template <class T, class Graph, class Entry, class Get>
T expand(const BlockOf<Graph, Entry>& block, const RunContext& run, Get&& get) {
  constexpr bool has_sides = std::is_same_v<Graph, BipartiteGraph>;
  const std::size_t n = num_vertices(block.pattern) / (has_sides ? 2 : 1);
  std::vector<T> dense(n * n, T(0));
  for_each_edge(block.pattern, [&](Vertex a, Vertex b, EdgeId id) {
    dense[a * n + (has_sides ? b - n : b)] = get(block.entries[id]);
  });
  const auto tick = [&] { run.check(); };
  if constexpr (has_sides) {
    return reference::permanent_by_expansion(dense, n, tick);
  } else {
    return reference::hafnian_by_expansion(dense, n, tick);
  }
}

// n products and a sum for each permutation or matching, at most n! or (2 n - 1)!! <= 2^30 of them, in double-doubles.
double log2_error(std::size_t n, double log2_magnitudes) {
  return log2_magnitudes + std::log2((2.0 * static_cast<double>(n) + 30) * 0x1p-99);
}

template <class Graph, class Entry>
Value expanded(const BlockOf<Graph, Entry>& block, const RunContext& run) {
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    return expand<Integer>(block, run, [](std::int64_t entry) { return Integer(entry); });
  } else {
    const double log2_magnitudes =
        std::log2(expand<double>(block, run, [](const Entry& e) { return e.magnitude; })) + 1e-9;
    const double error = log2_error(num_vertices(block.pattern) / 2, log2_magnitudes);
    if constexpr (std::is_same_v<Entry, RealEntry>) {
      return RealValue{expand<DoubleDouble>(block, run, [](const Entry& e) { return e.value; }), error,
                       log2_magnitudes};
    } else {
      const auto value = expand<ComplexDoubleDouble>(block, run, [](const Entry& e) { return e.value; });
      return ComplexValue{{value.re, value.im}, error + 2, log2_magnitudes};
    }
  }
}

double log2_terms(const BipartiteGraph& pattern) {
  double result = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    result += std::log2(
        std::max<double>(1, static_cast<double>(std::min<std::size_t>(pattern.row(r).size(), pattern.num_rows() - r))));
  }
  return result;
}

// Every other vertex chooses among its neighbours, and among what is left.
double log2_terms(const UndirectedGraph& pattern) {
  std::vector<std::size_t> degrees(pattern.num_vertices());
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) degrees[v] = pattern.neighbours(v).size();
  std::sort(degrees.begin(), degrees.end(), std::greater<>());
  double result = 0;
  for (std::size_t i = 0; 2 * i + 1 < degrees.size(); ++i) {
    result +=
        std::log2(static_cast<double>(std::max<std::size_t>(1, std::min(degrees[i], degrees.size() - 1 - 2 * i))));
  }
  return result;
}

Planned plan(const PlanRequest& request, const RunContext&) {
  const bool bipartite = pattern_of(request.block).bipartite != nullptr;
  const Vertex size = size_of(request.block), most = bipartite ? max_rows : max_vertices;
  if (size <= most) return {std::make_shared<MethodPlan>(), {}};
  return {nullptr,
          std::to_string(size) + (bipartite ? " rows" : " vertices") + "; expansion takes " + std::to_string(most)};
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan&, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const BlockPattern pattern = pattern_of(block);
  Cost result;
  result.log2_operations = pattern.bipartite ? log2_terms(*pattern.bipartite) : log2_terms(*pattern.general);
  result.seconds = seconds_a_factor * std::exp2(result.log2_operations) * size_of(block);
  result.memory_bytes = 1e4;
  result.description =
      "at most " + two_to(result.log2_operations) + (pattern.bipartite ? " permutations" : " matchings");
  return result;
}

Value run_expansion(const RunRequest& request, const RunContext& run) {
  return std::visit([&](const auto* block) { return expanded(*block, run); }, request.block);
}

}  // namespace

MethodVerbs expansion_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_expansion,
          .has_one_precision = true,
          .integers_on_any_device = true,  // it is on the CPU, whatever is asked for
          .reals_on_any_device = true,
          .competes = false,
          .unplanned_below = 6};
}

}  // namespace matchcount
