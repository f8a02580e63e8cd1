#pragma once
// Finds an order of vertices along which few classes of free vertices are told apart, and spells out its steps.
//
// Processed vertices whose neighbours ahead are the same, with weights in proportion, are one class: nothing that comes
// tells those of them that are free apart, so that a state is how many of each class are free.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

struct ClassStep {
  static constexpr std::uint32_t gone = 0xffffffff;
  struct Class {
    std::uint32_t to = gone;  // the class that it is part of after the step; gone: none of it may be free then
    std::int64_t ratio = 1;   // of its weights to those of that class
    std::int64_t weight = 0;  // of its edges to the vertex that is processed; 0: there are none
    std::uint32_t most = 0;   // that can be free before the step
  };
  std::vector<Class> classes;  // before the step
  Class vertex;                // that is processed, if it stays free
  Vertex processed = 0;
};

struct ClassSteps {
  std::vector<ClassStep> steps;
  std::size_t most_classes = 0;
  double transitions = 0, most_states = 0;
};

// Edges by vertex, with their weights, both ways.
struct ClassGraph {
  struct Edge {
    Vertex to;
    std::int64_t weight;
    EdgeId id = 0;
  };
  std::vector<std::vector<Edge>> edges;
  bool bipartite = false;
};

// Nothing where there would be more transitions than that. Throws as run.check() does.
std::optional<ClassSteps> class_steps(const ClassGraph& graph, double most_transitions, const RunContext& run);

// Goes through the successors of a state before a step: calls visit(next, taken, free), `taken` being the class one of
// which is matched with the vertex, or classes.size() where it stays free, and `free` the numbers before. A state is a
// number with a digit for each class.
class Successors {
 public:
  // `next`: the step after it; null for the last.
  Successors(const ClassStep& step, const ClassStep* next);
  template <class Visit>
  void operator()(std::uint64_t state, Visit&& visit) {
    std::uint64_t gone = 0;
    std::fill(after_.begin(), after_.end(), 0);
    for (std::size_t j = 0; j < step_.classes.size(); ++j) {
      const ClassStep::Class& of = step_.classes[j];
      free_[j] = static_cast<std::uint32_t>(state % (of.most + std::uint64_t{1}));
      state /= of.most + std::uint64_t{1};
      (of.to == ClassStep::gone ? gone : after_[of.to]) += free_[j];
    }
    if (gone == 0 && step_.vertex.to != ClassStep::gone) {
      ++after_[step_.vertex.to];
      go(step_.classes.size(), visit);
      --after_[step_.vertex.to];
    }
    for (std::size_t j = 0; j < step_.classes.size(); ++j) {
      const ClassStep::Class& of = step_.classes[j];
      if (free_[j] == 0 || of.weight == 0) continue;
      const bool is_gone = of.to == ClassStep::gone;
      if (gone != (is_gone ? 1 : 0)) continue;
      if (!is_gone) --after_[of.to];
      go(j, visit);
      if (!is_gone) ++after_[of.to];
    }
  }

 private:
  template <class Visit>
  void go(std::size_t taken, Visit&& visit) {
    std::uint64_t state = 0;
    for (std::size_t j = after_.size(); j-- > 0;) {
      if (after_[j] > most_[j]) return;  // more than can be matched
      state = state * (most_[j] + 1) + after_[j];
    }
    visit(state, taken, free_);
  }

  const ClassStep& step_;
  std::vector<std::uint64_t> most_, after_;
  std::vector<std::uint32_t> free_;
};

}  // namespace matchcount
