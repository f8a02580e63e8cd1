#pragma once
// Takes a question about matchings apart into connected graphs, each with a question of its own.

#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/matching_weights.hpp"
#include "permanent/frontier/matchings.hpp"

namespace matchcount {

struct MatchingPart {
  MatchingQuestion question;
  MatchingWeights weights;
  UndirectedGraph graph;        // the same graph with the weights that it was given
  std::vector<bool> is_column;  // of a bipartite graph's; empty: it was given without sides
  Vertex pairs = 0;             // in a maximum matching
  std::vector<Vertex> names;    // of its vertices in the graph that was given, rows before columns
};

struct MatchingParts {
  std::vector<MatchingPart> parts;     // those with edges
  GaussianRational isolated = {1, 0};  // what vertices without edges contribute
  Vertex maximum_matching = 0;
  bool is_perfect = false;  // the question is about perfect matchings
  std::optional<HallViolator> hall_violator;
  // Kinds of numbers among all parts.
  bool is_complex = false, is_inexact = false;

  WeightKind kind() const {
    return is_complex ? WeightKind::complex : is_inexact ? WeightKind::real : WeightKind::integer;
  }
};

// Throws InputError as count_matchings does, and as run.check() does.
MatchingParts matching_parts(const BipartiteGraph& graph, const Question& question, const RunContext& run);
MatchingParts matching_parts(const UndirectedGraph& graph, const Question& question, const RunContext& run);

// Returns a hash of all that the answer depends on.
std::string identity(const MatchingParts& parts, const Question& question);

}  // namespace matchcount
