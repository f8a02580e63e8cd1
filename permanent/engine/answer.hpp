#pragma once
// Answers questions about sums over matchings: the one entrance of the public functions that count.

#include <span>
#include <variant>

#include "permanent/engine/question.hpp"

namespace matchcount {

// A graph of either shape, borrowed.
using GraphView = std::variant<const BipartiteGraph*, const UndirectedGraph*>;

// A question about sums over matchings. What it refers to is borrowed.
struct Question {
  GraphView graph;
  const CountOptions& options;
  MatchingKind matchings = MatchingKind::perfect;
  bool weighted = true;  // else every edge counts 1
  std::span<const Rational> fractions = {};
  // The weights of unmatched vertices, of MatchingKind::all: one for all of them (null: 1), or by vertex.
  const Rational* activity = nullptr;
  const Weights* loops = nullptr;
};

// Throws as matchcount/count.hpp, matchcount/matchings.hpp and matchcount/optimal_matchings.hpp say. `work`: shared
// with other ranks or saved in a checkpoint (core/work.hpp); null: neither.
MatchingResult answer(const Question& question, Work* work = nullptr);

// Plans what answer would do: runs nothing, and is not held to the time limit.
Plan plan_answer(const Question& question, Work* work = nullptr);

}  // namespace matchcount
