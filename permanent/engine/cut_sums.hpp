#pragma once
// Sums up a block piece by piece, by its cuts.

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

extern template class CutSums<std::int64_t>;
extern template class CutSums<RealEntry>;
extern template class CutSums<ComplexEntry>;

// The options by which pieces are counted: any method, no checkpoint, within the time that is left.
CountOptions options_of_pieces(const CountOptions& options, const RunContext& run);

}  // namespace matchcount
