#include "permanent/frontier/cpu/twin_states.hpp"

#include <algorithm>

namespace matchcount {
namespace {

constexpr double largest = 1e300;                  // stands for anything larger
constexpr std::size_t most_states_kept = 1 << 22;  // 32 MiB

std::vector<double> product(const std::vector<std::uint32_t>& classes_of_size) {
  std::vector<double> coefficients{1.0};
  for (std::size_t size = 1; size < classes_of_size.size(); ++size) {
    for (std::uint32_t i = 0; i < classes_of_size[size]; ++i) {
      // Multiplies by 1 + x + .. + x^size as sums, without the differences that would cancel.
      std::vector<double> next(coefficients.size() + size, 0.0);
      for (std::size_t j = 0; j < coefficients.size(); ++j) {
        for (std::size_t shift = 0; shift <= size; ++shift) {
          next[j + shift] = std::min(largest, next[j + shift] + coefficients[j]);
        }
      }
      coefficients = std::move(next);
    }
  }
  return coefficients;
}

}  // namespace

double TwinStates::operator()(const std::vector<std::uint32_t>& classes_of_size, std::size_t k) {
  auto found = coefficients_.find(classes_of_size);
  if (found == coefficients_.end()) {
    if (num_kept_ > most_states_kept) {
      coefficients_.clear();
      num_kept_ = 0;
    }
    found = coefficients_.emplace(classes_of_size, product(classes_of_size)).first;
    num_kept_ += found->second.size();
  }
  return k < found->second.size() ? found->second[k] : 0;
}

}  // namespace matchcount
