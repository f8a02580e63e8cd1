#pragma once
// Says what a layer costs in the search for an order: a bound on its states, and on the transitions into it.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {

// The frontier between two steps: its width, and the ones that all states have. By parity `ones` is minus the number of
// vertices that can be matched there: of those that were processed less those that closed, each of which took one.
struct OrderLayer {
  std::int32_t width = 0, ones = 0;
};

// The quantity that a search makes small: the sum over the steps of transitions, which is time, or of their cubes,
// which lowers the largest layer too (by a bit or so, for a tenth more transitions).
enum class OrderObjective { time, memory };

// Tables that grow as they are asked: one for each thread.
class LayerCosts {
 public:
  LayerCosts(bool by_parity, OrderObjective objective) : by_parity_(by_parity), objective_(objective) {}

  OrderObjective objective() const { return objective_; }

  // Returns C(width, ones), or by parity StatesOfParity(width, -ones); 1e300 where it is more than that.
  double states(OrderLayer layer) {
    const auto width = static_cast<std::size_t>(layer.width);
    if (width >= states_.size()) {
      if (layer.width > max_tabled_width) return hopeless;
      grow(width);
    }
    std::int32_t column = layer.ones;
    if (by_parity_) {
      column = -column;
      // No more can be matched than there are: the most of the same parity.
      if (column > layer.width) column = layer.width - ((column - layer.width) & 1);
    }
    const std::vector<double>& row = states_[width];
    return static_cast<std::uint32_t>(column) < row.size() ? row[static_cast<std::uint32_t>(column)] : 0;
  }

  // Returns the cost of the step that makes a layer of so many states, its vertex having so many unprocessed neighbours
  // to be matched with: a state sums over half of them.
  double cost(double states, std::int32_t choices) const {
    const double transitions = states * (1.0 + 0.5 * choices);
    if (objective_ == OrderObjective::time) return transitions;
    const double bounded = std::min(transitions, largest_cubed);
    return bounded * bounded * bounded;
  }
  double cost(OrderLayer layer, std::int32_t choices) { return cost(states(layer), choices); }
  // Returns a number close to the logarithm of the transitions; it still rises with the width when they have passed all
  // doubles.
  double rough_log2_cost(OrderLayer layer, std::int32_t choices);

 private:
  static constexpr std::int32_t max_tabled_width = 1020;  // C(1020, 510) is just below the largest double
  static constexpr double hopeless = 1e300;
  static constexpr double largest_cubed = 1e100;

  void grow(std::size_t width);

  bool by_parity_;
  OrderObjective objective_;
  std::vector<std::vector<double>> states_;  // by width, by ones or by matched vertices
  StatesOfParity of_parity_;
};

// Returns a number close to log2 x that rises with it: the exponent, and the mantissa as it is. x > 0.
inline double rough_log2(double x) { return static_cast<double>(std::bit_cast<std::int64_t>(x)) * 0x1p-52 - 1023; }

inline void LayerCosts::grow(std::size_t width) {
  for (std::size_t w = states_.size(); w <= width; ++w) {
    std::vector<double> row(w + 1, 1.0);
    for (std::size_t i = 0; i <= w; ++i) {
      if (by_parity_)
        row[i] = of_parity_(static_cast<std::int64_t>(w), static_cast<std::int64_t>(i));
      else if (i > 0 && i < w)
        row[i] = states_[w - 1][i - 1] + states_[w - 1][i];
      row[i] = std::min(row[i], hopeless);
    }
    states_.push_back(std::move(row));
  }
}

inline double LayerCosts::rough_log2_cost(OrderLayer layer, std::int32_t choices) {
  return layer.width > max_tabled_width ? layer.width : rough_log2(states(layer) * (1.0 + 0.5 * choices));
}

}  // namespace matchcount
