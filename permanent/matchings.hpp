#pragma once
// Counts matchings that need not be perfect, and sums up their weights: the maximum ones, those that saturate a side,
// all of them, or those of every size.
//
//   matchcount::MatchingOptions options;
//   options.kind = matchcount::MatchingKind::by_size;
//   auto result = matchcount::count_matchings(matchcount::grid_graph(2, 2), options);
//   // result.by_size: 1, 4, 2; to_string(result.run.value): 7, all of them, the Hosoya index

#include <optional>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/names.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/plan.hpp"

namespace MATCHCOUNT_API matchcount {

enum class MatchingKind {
  perfect,
  maximum,     // as many edges as a matching can have
  saturating,  // every vertex of the smaller side of a bipartite graph; perfect where both are of one size
  all,         // the empty one included: Hosoya's index, the partition function of monomers and dimers
  by_size      // of 0, 1, 2, ... edges: the coefficients of the matching polynomial
};
template <>
struct Names<MatchingKind> {
  static constexpr std::string_view what = "kind of matchings";
  static constexpr Named<MatchingKind> all[] = {{MatchingKind::perfect, "perfect"},
                                                {MatchingKind::maximum, "maximum"},
                                                {MatchingKind::saturating, "saturating"},
                                                {MatchingKind::all, "all"},
                                                {MatchingKind::by_size, "by-size"}};
};

struct MatchingOptions {
  MatchingKind kind = MatchingKind::perfect;
  // A matching counts as the product of its edges' weights; else as 1, whatever the weights. Edges of weight 0 are
  // edges too, so that matchings of the largest size may sum up to 0.
  bool weighted = false;
  // Not empty: weights, of edges and loops, are places in this table (Input::fractions).
  std::span<const Rational> fractions;
  // Of `all`: the weight of every vertex that a matching leaves out.
  Rational activity = 1;
  // Of `all`, and of a graph that is not bipartite by its type: by vertex, the weight of a vertex that a matching
  // leaves out; 0 for one that must be matched. With weights this is the loop hafnian of the symmetric matrix that has
  // these on its diagonal.
  std::optional<Weights> loops;
  CountOptions count;
};

// A sum of weights: exact, or with a bound on its error. Where it is a fraction, `value` is the fraction rounded to a
// relative 2^-100.
struct MatchingSum {
  Value value;
  std::optional<Rational> fraction;
};

struct MatchingResult {
  Result run;                           // run.value is what was asked for; by_size: the sum of all
  std::optional<Rational> fraction;     // the same, where it is one
  std::vector<MatchingSum> by_size;     // by_size: of 0, 1, ... edges, up to those of a maximum matching
  std::optional<Vertex> edges_of_each;  // of maximum and saturating matchings
};

// The number of such matchings, or the sum of their weights. Integers and fractions are exact; reals and complex
// numbers have an error bound, and with Precision::exact nothing but the answer is rounded. Sums of all matchings take
// 2^w states for a frontier of width w, those of every size a polynomial for each; where one side's vertices alone stay
// unmatched, a larger graph's perfect matchings are counted instead if that is predicted to be cheaper, by any method.
// Throws as count_perfect_matchings does, and InputError for what the kind does not have: `saturating` of a graph
// without sides, an activity or loops of another kind than `all`.
MatchingResult count_matchings(const BipartiteGraph& graph, const MatchingOptions& options, Work* work = nullptr);
MatchingResult count_matchings(const UndirectedGraph& graph, const MatchingOptions& options, Work* work = nullptr);

// What count_matchings would do: runs nothing.
Plan plan_matchings(const BipartiteGraph& graph, const MatchingOptions& options, Work* work = nullptr);
Plan plan_matchings(const UndirectedGraph& graph, const MatchingOptions& options, Work* work = nullptr);

}  // namespace matchcount
