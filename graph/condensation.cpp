#include "graph/condensation.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/step_check.hpp"

namespace matchcount {
namespace {

constexpr Vertex unseen = std::numeric_limits<Vertex>::max();

// Numbers components in the order in which they are completed: none before those that it leads to.
class Tarjan {
 public:
  Tarjan(const Digraph& graph, const RunContext& run)
      : graph_(graph), check_(run), low_(graph.num_vertices(), unseen), component_(graph.num_vertices(), unseen) {}

  std::vector<Vertex> run(Vertex& num_components) {
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      if (low_[v] == unseen) search(v);
    }
    num_components = completed_;
    return std::move(component_);
  }

 private:
  struct Visit {
    Vertex vertex;
    Vertex number;     // when it was discovered
    std::size_t next;  // successor to be looked at
  };

  void discover(Vertex v) {
    low_[v] = discovered_;
    path_.push_back({v, discovered_++, 0});
    open_.push_back(v);
  }

  void search(Vertex root) {
    discover(root);
    while (!path_.empty()) {
      check_.step();
      Visit& visit = path_.back();
      const auto successors = graph_.successors(visit.vertex);
      if (visit.next < successors.size()) {
        const Vertex to = successors[visit.next++];
        if (low_[to] == unseen) {
          discover(to);
        } else if (component_[to] == unseen) {
          low_[visit.vertex] = std::min(low_[visit.vertex], low_[to]);
        }
        continue;
      }
      const Visit done = visit;
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().vertex] = std::min(low_[path_.back().vertex], low_[done.vertex]);
      if (low_[done.vertex] != done.number) continue;
      Vertex member = unseen;
      do {
        member = open_.back();
        open_.pop_back();
        component_[member] = completed_;
      } while (member != done.vertex);
      ++completed_;
    }
  }

  const Digraph& graph_;
  StepCheck check_;
  std::vector<Vertex> low_;  // the least number that is known to be reached from a vertex; unseen before
  std::vector<Vertex> component_;
  std::vector<Visit> path_;
  std::vector<Vertex> open_;  // discovered, and of no component yet
  Vertex discovered_ = 0, completed_ = 0;
};

}  // namespace

Condensation condensation(const Digraph& graph, const RunContext& run) {
  Condensation result;
  Vertex count = 0;
  result.component = Tarjan(graph, run).run(count);
  result.has_cycle.assign(count, false);
  result.member_offsets.assign(std::size_t{count} + 1, 0);
  for (const Vertex c : result.component) ++result.member_offsets[std::size_t{c} + 1];
  for (Vertex c = 0; c < count; ++c) result.member_offsets[std::size_t{c} + 1] += result.member_offsets[c];
  result.member_vertices.resize(graph.num_vertices());
  std::vector<EdgeId> next(result.member_offsets.begin(), result.member_offsets.end() - 1);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) result.member_vertices[next[result.component[v]]++] = v;

  StepCheck check(run);
  result.arc_offsets.assign(1, 0);
  for (Vertex c = 0; c < count; ++c) {
    const std::size_t begin = result.arc_targets.size();
    for (const Vertex v : result.members(c)) {
      for (const Vertex to : graph.successors(v)) {
        check.step();
        if (result.component[to] != c) {
          result.arc_targets.push_back(result.component[to]);
        } else {
          result.has_cycle[c] = true;
        }
      }
    }
    const auto first = result.arc_targets.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, result.arc_targets.end(), std::greater<>());
    result.arc_targets.erase(std::unique(first, result.arc_targets.end()), result.arc_targets.end());
    result.arc_offsets.push_back(result.arc_targets.size());
  }
  return result;
}

}  // namespace matchcount
