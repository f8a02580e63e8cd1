#include "permanent/frontier/order/layer_costs.hpp"

#include <utility>

namespace matchcount {

void LayerCosts::grow(std::size_t width) {
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

}  // namespace matchcount
