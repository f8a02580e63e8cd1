// A set of hexagons is resonant only if each part of it is, as a hexagon has perfect matchings of its own. So sets are
// gone through one hexagon after the other, in a fixed order, and none is extended that leaves no perfect matching.

#include "matchcount/sextets.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/run.hpp"
#include "graph/vertices.hpp"
#include "matchcount/count.hpp"

namespace matchcount {
namespace {

using Hexagon = std::array<Vertex, 6>;

// Extends a path without a chord from its least vertex; of the two ways round a hexagon one is taken.
void find_hexagons(const UndirectedGraph& graph, Hexagon& path, std::size_t length, std::vector<Hexagon>& found,
                   const RunContext& run) {
  run.check();
  const bool is_last = length == 5;
  for (const Vertex next : graph.neighbours(path[length - 1])) {
    bool fits = next > path[0] && !(is_last && next < path[1]);
    for (std::size_t i = 0; i + 1 < length && fits; ++i)
      fits = std::ranges::binary_search(graph.neighbours(next), path[i]) == (is_last && i == 0);
    path[length] = next;
    if (fits && is_last) found.push_back(path);
    if (fits && !is_last) find_hexagons(graph, path, length + 1, found, run);
  }
}

class Counter {
 public:
  Counter(GraphView graph, const CountOptions& options)
      : graph_(std::visit([](const auto* given) { return without_sides(*given); }, graph)),
        options_(options),
        run_(resolved(options.run)),
        is_covered_(graph_.num_vertices()) {
    options_.run = run_.options();
    found_.run = count_perfect_matchings(graph, options_);
    for (Hexagon path{}; path[0] < graph_.num_vertices(); ++path[0]) find_hexagons(graph_, path, 1, hexagons_, run_);
    found_.covers = {std::get<Integer>(found_.run.value)};
    found_.resonant = {found_.covers[0] == 0 ? 0 : 1};
    options_.on_forecast = nullptr;
    options_.value_only = true;
    if (found_.covers[0] != 0) extend(0, 1);
  }

  Sextets take() { return std::move(found_); }

 private:
  Result count_rest() {
    std::vector<Vertex> rest;
    for (Vertex v = 0; v < graph_.num_vertices(); ++v)
      if (!is_covered_[v]) rest.push_back(v);
    options_.run.time_limit_s = run_.seconds_left();
    return count_perfect_matchings(graph_.induced(rest), options_);
  }

  void extend(std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < hexagons_.size(); ++i) {
      run_.check();
      if (std::ranges::any_of(hexagons_[i], [&](Vertex v) { return is_covered_[v]; })) continue;
      for (const Vertex v : hexagons_[i]) is_covered_[v] = true;
      if (const Integer covers = std::get<Integer>(count_rest().value); covers != 0) {
        found_.covers.resize(std::max(found_.covers.size(), size + 1));
        found_.resonant.resize(found_.covers.size());
        found_.covers[size] += covers;
        ++found_.resonant[size];
        extend(i + 1, size + 1);
      }
      for (const Vertex v : hexagons_[i]) is_covered_[v] = false;
    }
  }

  UndirectedGraph graph_;
  CountOptions options_;
  RunContext run_;
  std::vector<bool> is_covered_;
  std::vector<Hexagon> hexagons_;
  Sextets found_;
};

}  // namespace

Sextets count_sextets(GraphView graph, const CountOptions& options) { return Counter(graph, options).take(); }

}  // namespace matchcount
