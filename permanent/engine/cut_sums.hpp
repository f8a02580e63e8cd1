#pragma once
// Sums up a block piece by piece, by its cuts.

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "permanent/engine/cut_plan.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

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
