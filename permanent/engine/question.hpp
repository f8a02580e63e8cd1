#pragma once
// Holds the words of questions and answers beyond those of permanent/plan.hpp: what may be asked for, what comes out.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/api.hpp"
#include "core/names.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/plan.hpp"

namespace MATCHCOUNT_API matchcount {

enum class MatchingKind {
  perfect,
  maximum,     // as many edges as a matching can have
  saturating,  // every vertex of the smaller side of a bipartite graph; perfect where both are of one size
  all,         // the empty one included: Hosoya's index, the partition function of monomers and dimers
  by_size,     // of 0, 1, 2, ... edges: the coefficients of the matching polynomial
  maximal,     // to which no edge can be added, of whatever size
  lightest,    // of all perfect ones (matchcount/optimal_matchings.hpp)
  heaviest
};
template <>
struct Names<MatchingKind> {
  static constexpr std::string_view what = "kind of matchings";
  static constexpr Named<MatchingKind> all[] = {
      {MatchingKind::perfect, "perfect"},          {MatchingKind::maximum, "maximum"},
      {MatchingKind::saturating, "saturating"},    {MatchingKind::all, "all"},
      {MatchingKind::by_size, "by-size"},          {MatchingKind::maximal, "maximal"},
      {MatchingKind::lightest, "lightest", false}, {MatchingKind::heaviest, "heaviest", false}};
};

struct MatchingOptions {
  MatchingKind kind = MatchingKind::perfect;
  // A matching counts as the product of its edges' weights; else as 1, whatever the weights. Edges of weight 0 are
  // edges too, so that matchings of the largest size may sum up to 0.
  bool weighted = false;
  // If not empty: weights, of edges and loops, are places in this table (Input::fractions).
  std::span<const Rational> fractions = {};
  // The weight, for `all` and `maximal`, of every vertex that a matching leaves out.
  Rational activity = 1;
  // Weights, for `all` and `maximal` and for a graph that is not bipartite by its type, of the vertices that a matching
  // leaves out, by vertex; 0 for one that must be matched. With weights this is the loop hafnian of the symmetric
  // matrix that has these on its diagonal.
  std::optional<Weights> loops = {};
  // If given, matchings are counted by how many edges of each label they have: labels by EdgeId, up to the edges'
  // number. by_weight: they are counted by the total of the graph's integer weights, of 1 without, which are not
  // multiplied then. Of matchings that are perfect, maximum, saturating, all or maximal; without `weighted`, an
  // activity and loops.
  std::optional<std::vector<std::uint32_t>> labels = {};
  bool by_weight = false;
  // Vertices, rows before columns, that no matching leaves out: of `all` and `by_size` (matchcount/conditions.hpp).
  std::vector<Vertex> always_matched = {};
  CountOptions count = {};
};

// CountOfLabels says how many matchings have these numbers of edges of each label, or this total weight alone.
struct CountOfLabels {
  std::vector<std::int64_t> numbers;
  Integer count;
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
  std::optional<Rational> weight;       // of each lightest or heaviest one, where there is one
  std::vector<CountOfLabels> by_label;  // by labels or by_weight: what there is, by ascending numbers
};

// A permanent, a hafnian or a sum of weights without rounding; run.value is the value rounded to a relative 2^-100, or
// the integer.
struct ExactResult {
  std::variant<Integer, Rational> value;
  Result run;
};

enum class Optimum { lightest, heaviest };

struct OptimalMatchings {
  std::optional<Rational> weight;  // exactly; nothing: there is no perfect matching, and run says why
  Result run;                      // run.value is the number, an Integer
};

// An edge's part of the permanent or hafnian: the sum over the perfect matchings that contain it of the product of
// their weights; without weights, their number.
struct EdgeMarginal {
  Value sum;
  // The share of it in the total: the probability of the edge where matchings are drawn in proportion to the products
  // of their weights, within `error`. Meaningless where Marginals::are_probabilities is false.
  double probability = 0;
  double error = 0;
};

struct Marginals {
  Value total;
  std::vector<EdgeMarginal> edges;  // by EdgeId
  // Says how likely each vertex is to be left alone, rows before columns; of maximum, saturating and all matchings.
  std::vector<EdgeMarginal> vertices;
  Rational unit = 1;  // all sums are to be multiplied by it, where weights were fractions
  // No weight is negative or complex, and there is a perfect matching.
  bool are_probabilities = false;
  Method method = Method::structure;  // of the part of the graph that took most
};

// Fills a sample's places behind its edges, where matchings have different numbers of them.
inline constexpr EdgeId no_edge = std::numeric_limits<EdgeId>::max();

struct DistributionOptions {
  // Any kind but by_size, which has no distribution; of lightest and heaviest matchings each is as likely as the
  // others.
  MatchingKind matchings = MatchingKind::perfect;
  // Read as those of MatchingOptions are; for perfect matchings none is used.
  std::span<const Rational> fractions = {};
  Rational activity = 1;
  std::optional<Weights> loops = {};
  std::vector<Vertex> always_matched = {};
  // Integer weights, and no weights: sums are exact integers. Else they are in doubles, with a bound, in less time;
  // those of negative integers are exact in any case.
  bool exact = false;
  // Automatic, frontier, trees, planar, complement, classes or ryser. Of marginals automatic is the cheapest. Samples
  // are then drawn by the frontier method where its layers take a moment, in planar and in small graphs, else by the
  // planar method, by complements or by classes where these apply, and by ryser where layers of 4 GB would be kept
  // otherwise and one sample takes less time than these.
  Method method = Method::automatic;
  FrontierStrategy frontier_strategy = FrontierStrategy::automatic;
  FrontierEngine frontier_engine = FrontierEngine::automatic;  // automatic, sparse or dense
  double effort_s = 0;  // as CountOptions::effort_s; for samples not cut to a time limit
  std::shared_ptr<const std::vector<std::vector<Vertex>>> rotation = {};  // as CountOptions::rotation
  RunOptions run = {};  // its clock starts with the distribution, and limits hold for all that is asked of it
};

// Predicts what a question would take, part by part.
struct DistributionPlan {
  // The plan's blocks are the parts of the graph in which every edge is in some perfect matching and in which there are
  // several, the one of most edges first; the reductions of a count are not made. The first of their forecasts is
  // followed. Operations are not counted (NaN).
  Plan plan;
  bool are_probabilities = false;  // as Marginals has it
  std::string refusal;             // why it would be refused within the limits; empty: it would not
};

}  // namespace matchcount
