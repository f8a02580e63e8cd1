#pragma once
// Takes a question about matchings apart into connected graphs, each with a question of its own, and turns the weights
// of edges and vertices into numbers that sums over matchings take: Gaussian integers, by a common multiple, or
// double-doubles.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/frontier/matchings.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

struct GaussianRational {
  Rational re, im;
  friend bool operator==(const GaussianRational&, const GaussianRational&) = default;
};

struct MatchingWeights {
  std::vector<GaussianRational> edges;     // by EdgeId
  std::vector<GaussianRational> vertices;  // that stay unmatched; 0: it must not

  // Returns the least common multiple of all denominators.
  Integer common_denominator() const;
  // Returns the weights with |re| + |im| in place of each.
  MatchingWeights magnitudes() const;
};

// Weights of any kind as they are held; none: as many ones. Throws InputError for a place that the table has not.
std::vector<GaussianRational> exact_weights(const Weights& weights, std::size_t count,
                                            std::span<const Rational> fractions);

// Returns multiple * value, which is an integer.
std::vector<GaussianInteger> times_multiple(const std::vector<GaussianRational>& values, const Integer& multiple);
// Returns the nearest double-doubles, with magnitudes not below their own.
std::vector<ComplexEntry> as_entries(const std::vector<GaussianRational>& values);

// value / divisor as an answer to a question with such weights: an integer or fraction, or a real or complex number
// with that error, as log2. The kind is none or integer where weights are exact.
MatchingSum exact_answer(const GaussianInteger& value, const Integer& divisor, WeightKind kind, double log2_error);

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
