#pragma once
// Counts how many states a layer of the frontier can have where twins are matched in turn, so that of each class only
// the number of matched ones matters.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace matchcount {

class TwinStates {
 public:
  // Returns the coefficient of x^k in the product over all classes of 1 + x + .. + x^size, at most 1e300;
  // classes_of_size[s]: how many have s members. O(classes * k) where the same sizes were not met before, else a
  // look-up.
  double operator()(const std::vector<std::uint32_t>& classes_of_size, std::size_t k);

 private:
  std::map<std::vector<std::uint32_t>, std::vector<double>> coefficients_;
  std::size_t num_kept_ = 0;  // doubles in all of them
};

}  // namespace matchcount
