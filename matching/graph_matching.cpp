// A matching that takes vertices of one choice first, and then those of fewest, mostly lacks a handful of edges, if
// any. Each of these takes a search for an augmenting path, and so does all that is asked of a matching that is
// maximum.
//
// Useless edges would take such a search from every vertex. Most need none: an edge between strong components of the
// walks that take edges and pairs in turns is useless, and a short cycle of these shows that all its edges are not. A
// random graph of 100,000 vertices and mean degree 4 took 79 s by searches alone, and takes 6.

#include "matching/graph_matching.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "graph/strong_components.hpp"
#include "graph/two_colouring.hpp"
#include "graph/vertices.hpp"
#include "matching/alternating_forest.hpp"
#include "matching/gallai_edmonds.hpp"

namespace matchcount {
namespace {

// Vertices of one neighbour are matched to it, and while there are none, one of fewest to its neighbour of fewest (Karp
// and Sipser 1981, doi:10.1109/SFCS.1981.21).
std::vector<Vertex> match_by_fewest_choices(const UndirectedGraph& graph) {
  std::vector<Vertex> partner(graph.num_vertices(), unmatched);
  std::vector<Vertex> choices(graph.num_vertices());
  // Holds vertices by their choices; out of date where one has others by now.
  std::vector<std::vector<Vertex>> queues;
  const auto push = [&](Vertex v) {
    if (queues.size() <= choices[v]) queues.resize(choices[v] + std::size_t{1});
    queues[choices[v]].push_back(v);
  };
  for (Vertex v = graph.num_vertices(); v-- > 0;) {
    choices[v] = static_cast<Vertex>(graph.neighbours(v).size());
    push(v);
  }
  for (std::size_t least = 0; least < queues.size();) {
    if (queues[least].empty()) {
      ++least;
      continue;
    }
    const Vertex v = queues[least].back();
    queues[least].pop_back();
    if (partner[v] != unmatched || least != choices[v]) continue;
    Vertex best = unmatched;
    for (const Vertex u : graph.neighbours(v)) {
      if (partner[u] == unmatched && (best == unmatched || choices[u] < choices[best])) best = u;
    }
    if (best == unmatched) continue;
    partner[v] = best;
    partner[best] = v;
    for (const Vertex end : {v, best}) {
      for (const Vertex u : graph.neighbours(end)) {
        if (partner[u] != unmatched) continue;
        --choices[u];
        push(u);
        least = std::min<std::size_t>(least, choices[u]);
      }
    }
  }
  return partner;
}

// Augments a matching until it is maximum.
void augment(const UndirectedGraph& graph, std::vector<Vertex>& partner, const RunContext& run) {
  const auto left_out = [&] {
    std::vector<Vertex> vertices;
    for (Vertex v = 0; v < partner.size(); ++v)
      if (partner[v] == unmatched) vertices.push_back(v);
    return vertices;
  };
  std::vector<Vertex> roots = left_out();
  if (roots.size() < 2) return;
  for (AlternatingForest forest(graph, partner); !forest.grow_from(roots); roots = left_out()) {
    forest.augment(partner);
    run.check();
  }
}

// The vertices of some components, as rows and columns by their colours.
struct BipartitePart {
  std::vector<Vertex> rows, columns;
  BipartiteGraph graph;
};

BipartitePart bipartite_part(const UndirectedGraph& graph, const ColouredComponents& components,
                             const std::vector<bool>& chosen) {
  BipartitePart part;
  std::vector<Vertex> place(graph.num_vertices());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    if (!chosen[components.component[v]]) continue;
    place[v] = appended(components.is_column[v] ? part.columns : part.rows, v);
  }
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges()) {
    if (!chosen[components.component[edge.row]]) continue;
    const auto [row, column] =
        components.is_column[edge.row] ? std::pair(edge.column, edge.row) : std::pair(edge.row, edge.column);
    edges.push_back({place[row], place[column]});
  }
  part.graph = BipartiteGraph::from_edges(static_cast<Vertex>(part.rows.size()),
                                          static_cast<Vertex>(part.columns.size()), std::move(edges));
  return part;
}

std::vector<Vertex> vertices_in(const ColouredComponents& components, const std::vector<bool>& chosen) {
  std::vector<Vertex> vertices;
  for (Vertex v = 0; v < components.component.size(); ++v) {
    if (chosen[components.component[v]]) vertices.push_back(v);
  }
  return vertices;
}

// Looks for alternating cycles through edges, from both sides at once. Where edges and pairs take turns, a walk goes
// from x by an edge xw to the partner of w; it is a path where no pair is met twice, and closed by a pair and an edge
// it is a cycle, all of whose edges are in perfect matchings. Each side sees every pair once and no more than so many:
// not every cycle is found.
class CycleSearch {
 public:
  // Both outlive this.
  CycleSearch(const UndirectedGraph& graph, const std::vector<Vertex>& partner)
      : graph_(graph), partner_(partner), on_path_(partner.size(), 0) {
    for (Side& side : sides_) side.reached.resize(partner.size());
  }

  // Returns the edges of a cycle through the edge, but for pairs; none where none was found.
  std::vector<EdgeId> through(Vertex u, Vertex v, EdgeId edge) {
    constexpr std::size_t most_pairs = 2048;
    ++time_;
    for (Side& side : sides_) side.queue.clear();
    reach(sides_[0], partner_[u], unmatched, edge);
    reach(sides_[1], v, unmatched, edge);
    std::size_t next[2] = {0, 0};
    while (next[0] < sides_[0].queue.size() && next[1] < sides_[1].queue.size() && next[0] + next[1] < most_pairs) {
      const int mine = sides_[1].queue.size() - next[1] < sides_[0].queue.size() - next[0];
      Side &here = sides_[mine], &there = sides_[1 - mine];
      const Vertex x = here.queue[next[mine]++], from = mine == 0 ? x : partner_[x];
      const auto neighbours = graph_.neighbours(from);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const Vertex y = mine == 0 ? partner_[neighbours[i]] : neighbours[i];
        if (neighbours[i] == partner_[from] || here.has_pair(y, partner_[y], time_)) continue;
        reach(here, y, x, graph_.incident_edges(from)[i]);
        if (!there.has(y, time_)) continue;
        std::vector<EdgeId> cycle{edge};
        on_path_[y] = on_path_[partner_[y]] = ++path_;
        if (follow(sides_[0], y, cycle) && follow(sides_[1], y, cycle)) return cycle;
      }
    }
    return {};
  }

 private:
  struct Reached {
    std::uint32_t time = 0;
    Vertex before = unmatched;  // on the way from the side's start
    EdgeId by = 0;
  };
  struct Side {
    std::vector<Reached> reached;  // by vertex
    std::vector<Vertex> queue;
    bool has(Vertex v, std::uint32_t time) const { return reached[v].time == time; }
    bool has_pair(Vertex v, Vertex w, std::uint32_t time) const { return has(v, time) || has(w, time); }
  };

  void reach(Side& side, Vertex v, Vertex before, EdgeId by) {
    side.reached[v] = {time_, before, by};
    side.queue.push_back(v);
  }
  // Appends the edges back to the side's start; false where a pair of the path is met again.
  bool follow(const Side& side, Vertex v, std::vector<EdgeId>& cycle) {
    while (side.reached[v].before != unmatched) {
      cycle.push_back(side.reached[v].by);
      v = side.reached[v].before;
      if (on_path_[v] == path_) return false;
      on_path_[v] = on_path_[partner_[v]] = path_;
    }
    return true;
  }

  const UndirectedGraph& graph_;
  const std::vector<Vertex>& partner_;
  Side sides_[2];
  std::vector<std::uint32_t> on_path_;
  std::uint32_t time_ = 0, path_ = 0;
};

// Counts the components, among the vertices with keep[v], that have an odd number of vertices.
Vertex count_odd_components(const UndirectedGraph& graph, const std::vector<bool>& keep) {
  std::vector<bool> only_kept(graph.num_edges());
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    only_kept[id] = keep[graph.edges()[id].row] && keep[graph.edges()[id].column];
  }
  const ColouredComponents parts = coloured_components(graph.pattern().filtered(only_kept));
  std::vector<bool> is_odd(parts.count(), false);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    if (keep[v]) is_odd[parts.component[v]] = !is_odd[parts.component[v]];
  }
  return static_cast<Vertex>(std::count(is_odd.begin(), is_odd.end(), true));
}

}  // namespace

GraphMatching maximum_matching(const UndirectedGraph& graph, const RunContext& run) {
  GraphMatching result;
  result.partner.assign(graph.num_vertices(), unmatched);
  const ColouredComponents components = coloured_components(graph);
  const auto match = [&](Vertex u, Vertex v) {
    result.partner[u] = v;
    result.partner[v] = u;
    ++result.size;
  };

  std::vector<bool> without_odd_cycle = components.has_odd_cycle;
  without_odd_cycle.flip();
  const BipartitePart part = bipartite_part(graph, components, without_odd_cycle);
  const Matching matching = maximum_matching(part.graph);
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    if (matching.column_of_row[r] != unmatched) match(part.rows[r], part.columns[matching.column_of_row[r]]);
  }
  run.check();

  const std::vector<Vertex> rest = vertices_in(components, components.has_odd_cycle);
  if (rest.empty()) return result;
  const bool is_whole = rest.size() == graph.num_vertices();
  const UndirectedGraph part_of_it = is_whole ? UndirectedGraph() : graph.pattern().induced(rest);
  const UndirectedGraph& general = is_whole ? graph : part_of_it;
  std::vector<Vertex> partner = match_by_fewest_choices(general);
  augment(general, partner, run);
  for (Vertex v = 0; v < partner.size(); ++v) {
    if (partner[v] != unmatched && v < partner[v]) match(rest[v], rest[partner[v]]);
  }
  return result;
}

TutteSet tutte_set(const UndirectedGraph& graph, const GraphMatching& maximum) {
  TutteSet set;
  std::vector<bool> keep(graph.num_vertices(), true);
  set.odd_components = count_odd_components(graph, keep);
  if (set.odd_components > 0) return set;

  // The smallest component with a vertex left out.
  const ColouredComponents components = coloured_components(graph);
  std::vector<Vertex> size(components.count(), 0);
  for (const Vertex component : components.component) ++size[component];
  Vertex worst = unmatched;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const Vertex component = components.component[v];
    if (maximum.partner[v] == unmatched && (worst == unmatched || size[component] < size[worst])) worst = component;
  }
  if (worst == unmatched) throw InputError("a perfect matching", "a maximum matching that leaves a vertex out");
  std::vector<bool> chosen(components.count(), false);
  chosen[worst] = true;

  if (!components.has_odd_cycle[worst]) {
    const BipartitePart part = bipartite_part(graph, components, chosen);
    const Matching matching = maximum_matching(part.graph);
    const HallViolator violator = hall_violator(part.graph, matching, matching.size < part.rows.size());
    for (const Vertex v : violator.neighbours) set.removed.push_back((violator.of_rows ? part.columns : part.rows)[v]);
  } else {
    const std::vector<GallaiEdmondsPart> parts = gallai_edmonds(graph, maximum);
    for (Vertex v = 0; v < parts.size(); ++v) {
      if (components.component[v] == worst && parts[v] == GallaiEdmondsPart::a) set.removed.push_back(v);
    }
  }
  for (const Vertex v : set.removed) keep[v] = false;
  set.odd_components = count_odd_components(graph, keep);
  return set;
}

std::vector<bool> edges_in_perfect_matchings(const UndirectedGraph& graph, const GraphMatching& perfect,
                                             const RunContext& run) {
  if (!is_matching(graph, perfect) || !perfect.is_perfect()) {
    throw InputError("a matching that is not perfect", "a perfect matching of the graph");
  }
  std::vector<bool> useful(graph.num_edges()), known(graph.num_edges());
  // No closed walk goes by an edge between strong components; short cycles show most others to be useful.
  std::vector<Vertex> component;
  StepCheck steps(run);
  const auto target = [&](Vertex w, Vertex v) { return w == perfect.partner[v] ? v : perfect.partner[w]; };
  number_strong_components(
      graph.num_vertices(), [&](Vertex v) { return graph.neighbours(v); }, target, steps, component);
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto [u, v] = graph.edges()[id];
    useful[id] = perfect.partner[u] == v;
    known[id] = useful[id] || component[u] != component[perfect.partner[v]];
  }
  CycleSearch cycles(graph, perfect.partner);
  // Vertices of many edges first: each search settles all of a vertex's.
  std::vector<Vertex> order(graph.num_vertices());
  std::iota(order.begin(), order.end(), Vertex{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Vertex v) { return graph.neighbours(v).size(); });
  AlternatingForest forest(graph, perfect.partner);
  for (const Vertex u : order) {
    const auto neighbours = graph.neighbours(u);
    const auto ids = graph.incident_edges(u);
    run.check();
    bool grown = false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (known[ids[i]]) continue;
      known[ids[i]] = true;
      if (!grown) {
        const std::vector<EdgeId> cycle = cycles.through(u, neighbours[i], ids[i]);
        for (const EdgeId id : cycle) known[id] = useful[id] = true;
        if (!cycle.empty()) continue;
        // One tree, and every other vertex is matched: none can be augmented.
        grown = forest.grow(u);
      }
      useful[ids[i]] = forest.state(neighbours[i]) == ForestState::even;
    }
  }
  return useful;
}

}  // namespace matchcount
