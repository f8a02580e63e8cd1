// A perfect matching of what is left is kept at all times: the one that comes next in the order shares its beginning
// with it. Going to another partner of a vertex takes two vertices out and leaves at most two without a partner,
// between which a path has to be found.

#include "matching/matching_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/step_check.hpp"
#include "graph/two_colouring.hpp"
#include "matching/alternating_forest.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
struct MatchingList::State {
  State(UndirectedGraph given, Vertex leaders, bool is_bipartite, std::vector<Vertex> partners,
        const RunContext& context)
      : graph(std::move(given)),
        num_leaders(leaders),
        bipartite(is_bipartite),
        partner(std::move(partners)),
        taken(partner.size(), false),
        parent(partner.size(), unmatched),
        seen(partner.size(), 0),
        forest(graph, partner, &taken),
        run(context),
        check(run) {
    if (!bipartite || partner.size() > 64 || std::ranges::count(partner, unmatched) > 0) return;
    for (Vertex v = 0; v < partner.size(); ++v) {
      near.push_back(0);
      for (const Vertex u : graph.neighbours(v)) near.back() |= std::uint64_t{1} << u;
    }
  }

  // ---- The walk.

  struct Level {
    Vertex vertex;
    std::size_t choice;  // among its neighbours
  };

  bool next() {
    if (over) return false;
    if (!started) {
      started = true;
    } else if (!advance()) {
      over = true;
      return false;
    }
    descend();
    return true;
  }

  // Advances to the deepest vertex that has another partner which can be completed.
  bool advance() {
    while (!levels.empty()) {
      const Level level = levels.back();
      levels.pop_back();
      edges.pop_back();
      const Vertex v = level.vertex;
      take(v, partner[v], false);
      if (choose(v, level.choice + 1)) return true;
    }
    return false;
  }

  // Gives every vertex that is left its first partner.
  void descend() {
    Vertex v = levels.empty() ? 0 : levels.back().vertex + 1;
    for (; v < num_leaders; ++v) {
      if (!taken[v]) choose(v, 0);
    }
  }

  // Chooses the first partner of v, from that choice on, with which the rest can be completed.
  bool choose(Vertex v, std::size_t from) {
    const auto neighbours = graph.neighbours(v);
    if (from > 0 && neighbours[from - 1] >= num_first) return false;  // others are like the one that was taken
    for (std::size_t i = from; i < neighbours.size(); ++i) {
      check.step();
      const Vertex u = neighbours[i];
      if (taken[u] || !match(v, u)) continue;
      take(v, u, true);
      levels.push_back({v, i});
      edges.push_back(graph.incident_edges(v)[i]);
      return true;
    }
    return false;
  }

  void take(Vertex v, Vertex u, bool is_taken) {
    taken[v] = taken[u] = is_taken;
    if (!near.empty()) open ^= std::uint64_t{1} << v | std::uint64_t{1} << u;
  }

  // Makes u the partner of v, neither of them taken, if the rest can be matched then.
  bool match(Vertex v, Vertex u) {
    if (partner[v] == u) return true;
    const Vertex left = partner[u], free = partner[v];
    partner[v] = u;
    partner[u] = v;
    partner[free] = unmatched;
    if (left == unmatched) return true;
    partner[left] = unmatched;
    take(v, u, true);
    const bool found = !near.empty() ? reaches(left, free, std::uint64_t{open})
                       : bipartite   ? augment_bipartite(left)
                                     : augment({left, free});
    take(v, u, false);
    if (found) return true;
    partner[v] = free;
    partner[free] = v;
    partner[u] = left;
    partner[left] = u;
    return false;
  }

  // ---- Paths from one vertex without a partner to another, over vertices that are not taken.

  // Does the same for at most 64 vertices, as bits, of which one alone has no partner: the end.
  bool reaches(Vertex v, Vertex end, std::uint64_t&& unseen) {
    if (near[v] >> end & 1) {
      pair(v, end);
      return true;
    }
    while (const std::uint64_t others = near[v] & unseen) {
      const auto u = static_cast<Vertex>(std::countr_zero(others));
      unseen ^= std::uint64_t{1} << u;
      if (!reaches(partner[u], end, std::move(unseen))) continue;
      pair(v, u);
      return true;
    }
    return false;
  }
  void pair(Vertex v, Vertex u) {
    partner[v] = u;
    partner[u] = v;
  }

  bool augment_bipartite(Vertex root) {
    ++round;
    queue.assign(1, root);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Vertex v = queue[head];
      for (const Vertex u : graph.neighbours(v)) {
        check.step();
        if (taken[u] || seen[u] == round) continue;
        seen[u] = round;
        parent[u] = v;
        if (partner[u] == unmatched) {
          flip(u);
          return true;
        }
        queue.push_back(partner[u]);
      }
    }
    return false;
  }

  // The same in a graph with odd cycles.
  bool augment(const std::array<Vertex, 2>& ends) {
    check.check();
    if (forest.grow_from(ends)) return false;
    forest.augment(partner);
    return true;
  }

  // Flips along parents, from the end of a path.
  void flip(Vertex u) {
    while (u != unmatched) {
      const Vertex v = parent[u], before = partner[v];
      partner[v] = u;
      partner[u] = v;
      u = before;
    }
  }

  UndirectedGraph graph;  // the vertices that lead first
  Vertex num_leaders;
  bool bipartite;
  std::vector<Vertex> partner;  // in a matching of the kind that is listed
  std::vector<char> taken;      // by the levels
  std::vector<Level> levels;
  std::vector<EdgeId> edges;
  Vertex num_first = unmatched;  // vertices that follow stand for being left alone
  std::vector<EdgeId> names;     // of edges, where they have others than their numbers
  std::vector<EdgeId> named;
  bool started = false, over = false;

  // The searches use these.
  std::vector<Vertex> parent, queue;
  std::vector<std::uint64_t> seen;
  std::uint64_t round = 0;
  std::vector<std::uint64_t> near;         // of at most 64 vertices with sides: their neighbours
  std::uint64_t open = ~std::uint64_t{0};  // vertices that are not taken
  AlternatingForest forest;
  RunContext run;
  StepCheck check;
};

MatchingList::MatchingList(const BipartiteGraph& graph, bool saturating, const RunContext& run) {
  const bool columns_lead = saturating && graph.num_columns() < graph.num_rows();
  const Vertex leaders = columns_lead ? graph.num_columns() : graph.num_rows();
  const Matching matching = maximum_matching(graph, run);
  std::vector<Vertex> partners = columns_lead ? matching.row_of_column : matching.column_of_row;
  const std::vector<Vertex>& others = columns_lead ? matching.column_of_row : matching.row_of_column;
  for (Vertex& partner : partners) partner = partner == unmatched ? unmatched : leaders + partner;
  partners.insert(partners.end(), others.begin(), others.end());
  const BipartiteGraph pattern = graph.pattern();
  state_ = std::make_unique<State>(UndirectedGraph::from_bipartite(columns_lead ? pattern.transposed() : pattern),
                                   leaders, true, std::move(partners), run);
  for (Vertex c = 0; columns_lead && c < leaders; ++c) {
    const auto edges = graph.column_edges(c);
    state_->names.insert(state_->names.end(), edges.begin(), edges.end());
  }
  state_->over = saturating ? matching.size < leaders : !matching.is_perfect();
}

MatchingList::MatchingList(const UndirectedGraph& graph, Vertex num_first, std::vector<EdgeId> names,
                           const RunContext& run)
    : MatchingList(graph, run) {
  state_->num_leaders = state_->num_first = num_first;
  state_->names = std::move(names);
}

MatchingList::MatchingList(const UndirectedGraph& graph, const RunContext& run) {
  GraphMatching matching = maximum_matching(graph, run);
  const bool is_perfect = matching.is_perfect();
  const bool is_bipartite = std::ranges::count(coloured_components(graph).has_odd_cycle, true) == 0;
  state_ =
      std::make_unique<State>(graph.pattern(), graph.num_vertices(), is_bipartite, std::move(matching.partner), run);
  state_->over = !is_perfect;
}

MatchingList::MatchingList(MatchingList&&) noexcept = default;
MatchingList& MatchingList::operator=(MatchingList&&) noexcept = default;
MatchingList::~MatchingList() = default;

bool MatchingList::next() { return state_->next(); }
std::span<const EdgeId> MatchingList::edges() const {
  if (state_->names.empty()) return state_->edges;
  state_->named.clear();
  for (const EdgeId edge : state_->edges) {
    if (state_->names[edge] != no_name) state_->named.push_back(state_->names[edge]);
  }
  return state_->named;
}

}  // namespace matchcount
