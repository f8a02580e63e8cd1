#pragma once
// Sums up a block piece by piece, by its cuts: a piece behind at most three vertices goes, and a few edges in its place
// keep the sum over the perfect matchings.

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run.hpp"
#include "graph/small_cuts.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// With f(S) the sum over the perfect matchings of the piece and those of its boundary in S, the graph's sum is that
// over all S of f(S) times the sum of the rest without S. New edges weigh 1, some f(S) or the product of two; where the
// sum of the rest has a factor f(S) too many, `divisor` names it. (Straub, Thierauf and Wagner 2014,
// doi:10.1109/CCC.2014.29; Curticapean 2014.)
struct Cut {
  static constexpr int nothing = -1;

  struct Subset {
    std::vector<Vertex> taken;  // of the boundary
    bool is_possible = false;   // the piece with these has a perfect matching, whatever its weights
  };
  // An edge that takes the piece's place: weighs values[first] * values[second], where 1 stands for nothing. It is in a
  // matching exactly where the subset that it tells is taken, if it tells one.
  struct NewEdge {
    EdgeId edge;
    int first = nothing, second = nothing, tells = nothing;
  };

  HangingPiece piece;
  std::vector<EdgeId> edges;  // with an end in it
  std::vector<Subset> subsets;
  std::vector<NewEdge> added;
  std::vector<EdgeId> scaled;  // other edges of the boundary that are multiplied by values[0]
  int factor = nothing;        // of the whole
  int divisor = nothing;
  int otherwise = nothing;  // the subset that is taken where no edge tells another
};

struct CutPlan {
  std::vector<Edge> edges;       // those of the graph by EdgeId, then new ones
  std::vector<Cut> cuts;         // in the order in which they are carried out: edges of one may be new ones of another
  std::vector<Vertex> vertices;  // that are left
  std::vector<EdgeId> rest;      // edges that are left
};

// Cuts of at most so many vertices, 2 or 3. `other_root`: looks from another vertex, which may find other ones. Throws
// as run.check() does.
CutPlan plan_cuts(const UndirectedGraph& graph, std::size_t most_boundary, bool other_root, const RunContext& run);

// A part of the graph with vertices of its own, where edges side by side are one.
struct CutPart {
  UndirectedGraph pattern;
  std::vector<std::vector<EdgeId>> members;  // by its EdgeId: edges of the plan
};
CutPart part_of(const CutPlan& plan, std::span<const Vertex> vertices, std::span<const EdgeId> edges);
// The piece of a cut with those of a subset.
CutPart piece_with(const CutPlan& plan, const Cut& cut, const Cut::Subset& subset);

// Integers are of any size here; reals and complex numbers have a bound on their error.
template <class Entry>
class CutSums {
 public:
  using Number = BlockValue<Entry>;

  // `entries` by EdgeId of the graph that the plan is of. The plan outlives this.
  CutSums(const CutPlan& plan, const std::vector<Entry>& entries, const CountOptions& options);

  // The sum over the perfect matchings. Throws as compute does; for reals Unable where weights that take the place of
  // pieces are not told from 0 or too far apart for doubles.
  Number total(const RunContext& run);

  // After total(): the weights of a part's edges, those side by side added up, and by cut and subset the f(S).
  std::vector<Number> weights_of(const CutPart& part) const;
  const std::vector<Number>& weights() const { return weights_; }
  const std::vector<std::vector<Number>>& values() const { return values_; }

 private:
  Number count(const CutPart& part, const RunContext& run);
  void replace(std::size_t cut, const RunContext& run);

  const CutPlan& plan_;
  CountOptions options_;
  std::vector<Number> weights_;
  std::vector<std::vector<Number>> values_;
  std::vector<Number> factors_, divisors_;
  std::unordered_map<std::string, Number> known_;  // of pieces that were counted
};

// A quotient that is a sum again: of integers without a rest, of reals with a bound. Throws Unable where the divisor is
// not told from 0.
Integer quotient(const Integer& a, const Integer& b);
RealValue quotient(const RealValue& a, const RealValue& b);
ComplexValue quotient(const ComplexValue& a, const ComplexValue& b);

// A graph with weights near 1: sums over its perfect matchings are to be multiplied by 2^bits, and are off by at most a
// share of those over the magnitudes since the weights are. Number is RealValue or ComplexValue. Throws Unable where a
// weight is not told from 0, or too far from others for doubles.
struct ScaledGraph {
  UndirectedGraph graph;
  std::int64_t bits = 0;
  double log2_share = -std::numeric_limits<double>::infinity();
};
template <class Number>
ScaledGraph scaled_graph(const UndirectedGraph& pattern, const std::vector<Number>& weights);
template <class Number>
void undo(const ScaledGraph& scaled, double log2_magnitudes, Number& value);

// The options by which pieces are counted: any method, no checkpoint, within the time that is left.
CountOptions options_of_pieces(const CountOptions& options, const RunContext& run);

}  // namespace matchcount
