#pragma once
// Answers questions about sums over matchings: the one entrance of the public functions that count.

#include <span>
#include <vector>

#include "permanent/engine/engine.hpp"
#include "permanent/engine/question.hpp"

namespace matchcount {

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
  std::span<const Vertex> always_matched = {};  // rows before columns, of MatchingKind::all and by_size
  // The matchings are counted by how many edges of each label they have, labels by EdgeId, or by their total weight.
  const std::vector<std::uint32_t>* labels = nullptr;
  bool by_weight = false;
};

// Policy says how a graph is taken apart for a question about matchings of a kind. Where single matchings are asked for
// (distribution.hpp; of another kind by completed_graph.hpp), edges in no perfect matching go and what is left is
// split, but nothing is merged, so that every edge keeps its name.
struct Policy {
  MatchingKind kind;
  enum class Parts {
    blocks,      // edges in no such matching go, the rest is split, vertices of degree 1 and 2 are merged
    tight,       // edges in no lightest matching go, then as above
    components,  // connected graphs, of all edges or of those in some maximum matching
  } parts;
  // Matchings of every size count, so that every edge does and a maximum matching tells nothing.
  bool of_every_size = false;
  bool weighs_unmatched = false;  // vertices that a matching leaves out have weights
  // Marginals and samples of such matchings are those of a completed graph (engine/completed_graph.hpp).
  bool has_single_matchings = false;
};
const Policy& policy_of(MatchingKind kind);
// Throws InputError for weights of unmatched vertices, or an order, that the kind does not have.
void refuse_what_does_not_fit(const Question& question);

// Throws as matchcount/count.hpp, matchcount/matchings.hpp and matchcount/optimal_matchings.hpp say. `work`: shared
// with other ranks or saved in a checkpoint (core/work.hpp); null: neither. Of a plan the result has `run.plan` alone.
MatchingResult answer(const Question& question, Work* work = nullptr, Until until = Until::value);

// Plans what answer would do.
inline Plan plan_answer(const Question& question, Work* work = nullptr) {
  return answer(question, work, Until::plan).run.plan;
}

// Answers MatchingKind::maximum, saturating, all and by_size (matching_sums.cpp). Throws as matchcount/matchings.hpp
// says. Graph is BipartiteGraph or UndirectedGraph.
template <class Graph>
MatchingResult count_imperfect(const Graph& graph, const Question& question, Work* work, Until until);

// Answers questions with labels or by weight (enumerators.cpp). Throws as matchcount/matchings.hpp says.
MatchingResult enumerate(const Question& question, Work* work, Until until);

// Answers MatchingKind::lightest and heaviest (optimal_matchings.cpp). Throws as matchcount/optimal_matchings.hpp says.
MatchingResult count_optimal(const BipartiteGraph& graph, const Question& question, Work* work, Until until);
MatchingResult count_optimal(const UndirectedGraph& graph, const Question& question, Work* work, Until until);

// Says which edges are those of the lightest or heaviest perfect matchings, which are all that these edges have; all
// edges where there is none. Throws as count_optimal does, and Unable where a part has odd cycles.
std::vector<bool> optimal_edges(const Question& question, const RunContext& run);

}  // namespace matchcount
