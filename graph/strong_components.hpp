#pragma once
// Numbers the strong components of a graph, whatever it is held in. Private to graph/ and matching/.

#include <algorithm>
#include <limits>
#include <vector>

#include "core/step_check.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Numbers the components in the order in which they are completed, none before those that it leads to, and returns how
// many there are (Tarjan 1972, doi:10.1137/0201010; without recursion). list(v) is a span of arcs from v, and
// target(arc) the vertex at the other end, or v itself.
template <class List, class Target>
Vertex number_strong_components(Vertex num_vertices, const List& list, const Target& target, StepCheck& check,
                                std::vector<Vertex>& component) {
  constexpr Vertex unseen = std::numeric_limits<Vertex>::max();
  struct Visit {
    Vertex vertex;
    Vertex number;     // when it was discovered
    std::size_t next;  // arc to be looked at
  };
  std::vector<Vertex> low(num_vertices, unseen);  // the least number that is known to be reached; unseen before
  std::vector<Vertex> open;                       // discovered, and of no component yet
  std::vector<Visit> path;
  Vertex discovered = 0, completed = 0;
  component.assign(num_vertices, unseen);
  const auto discover = [&](Vertex v) {
    low[v] = discovered;
    path.push_back({v, discovered++, 0});
    open.push_back(v);
  };
  for (Vertex root = 0; root < num_vertices; ++root) {
    if (low[root] == unseen) discover(root);
    while (!path.empty()) {
      check.step();
      Visit& visit = path.back();
      const auto arcs = list(visit.vertex);
      if (visit.next < arcs.size()) {
        const Vertex to = target(arcs[visit.next++], visit.vertex);
        if (low[to] == unseen) {
          discover(to);
        } else if (component[to] == unseen) {
          low[visit.vertex] = std::min(low[visit.vertex], low[to]);
        }
        continue;
      }
      const Visit done = visit;
      path.pop_back();
      if (!path.empty()) low[path.back().vertex] = std::min(low[path.back().vertex], low[done.vertex]);
      if (low[done.vertex] != done.number) continue;
      for (Vertex member = unseen; member != done.vertex; open.pop_back()) component[member = open.back()] = completed;
      ++completed;
    }
  }
  return completed;
}

}  // namespace matchcount
