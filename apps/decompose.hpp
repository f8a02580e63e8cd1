#pragma once
// Has what the decompositions of bipartite graphs and of others share.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "apps/inputs.hpp"
#include "apps/json_value.hpp"
#include "apps/options.hpp"
#include "core/run.hpp"
#include "graph/planar.hpp"
#include "matching/reduce.hpp"

namespace matchcount::app {

struct Planarity {
  KuratowskiKind kind = KuratowskiKind::none;
  std::vector<std::pair<std::string, std::string>> edges;  // of a subdivision; none where the graph is planar
};
// With the names of the vertices.
Planarity planarity_of(const UndirectedGraph& graph, const std::function<std::string(Vertex)>& name);
std::string planarity_text(const Planarity& planarity);
void put_planarity(Json& object, const Planarity& planarity);

// "1 of 40 x 40, 12 of 1 x 1", the largest first, where `name` makes "40 x 40" of 40.
std::string sizes_text(const std::vector<Vertex>& sizes, const std::function<std::string(Vertex)>& name);

// Answers for a graph with an odd cycle. The input's own weights go, for they are not asked about.
void decompose_graph(const Options& options, Loaded& loaded, const ReduceOptions& reduce, const RunContext& run);

}  // namespace matchcount::app
