#include "permanent/frontier/cpu/states.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace matchcount {
namespace {

class BinomialTable {
 public:
  BinomialTable() {
    for (std::uint32_t n = 0; n <= 64; ++n) {
      value_[n][0] = 1;
      for (std::uint32_t k = 1; k <= 64; ++k) {
        if (k > n) {
          value_[n][k] = 0;
        } else if (__builtin_add_overflow(value_[n - 1][k - 1], value_[n - 1][k], &value_[n][k])) {
          value_[n][k] = std::numeric_limits<Word>::max();
        }
      }
    }
  }
  Word operator()(std::uint32_t n, std::uint32_t k) const { return k > 64 ? 0 : value_[n][k]; }

 private:
  Word value_[65][65];
};

constexpr double largest = 1e300;                  // stands for anything larger
constexpr std::size_t most_states_kept = 1 << 22;  // 32 MiB

// Multiplies 1 + x + .. + x^size over all classes.
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

Word binomial(std::uint32_t n, std::uint32_t k) {
  static const BinomialTable table;
  return table(n, k);
}

double binomial_as_double(std::uint32_t n, std::uint32_t k) {
  if (n <= 64) return static_cast<double>(binomial(n, k));
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

double StatesOfParity::operator()(std::int64_t width, std::int64_t matched) {
  constexpr std::int64_t beyond_doubles = 1020;
  if (matched < 0 || width < 0) return 0;
  // No more can be matched than there are: the most of the same parity.
  if (matched > width) matched = width - ((matched - width) & 1);
  if (matched < 0) return 0;
  if (width > beyond_doubles) return std::numeric_limits<double>::infinity();
  const auto w = static_cast<std::size_t>(width);
  if (sums_.size() <= w) sums_.resize(w + 1);
  std::vector<double>& sums = sums_[w];
  if (sums.empty()) {
    double binomial = 1;
    for (std::size_t j = 0; j <= w; ++j) {
      sums.push_back(binomial + (j >= 2 ? sums[j - 2] : 0));
      binomial = binomial * static_cast<double>(w - j) / static_cast<double>(j + 1);
    }
  }
  return sums[static_cast<std::size_t>(matched)];
}

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

Word next_mask(Word x, std::uint32_t low, std::uint32_t high) {
  if (high == 0 && x != 0) return ~Word{0};
  while (count_ones(x) > high) x += x & (~x + 1);
  while (count_ones(x) < low) x |= x + 1;
  return x;
}

IndexTables::IndexTables(std::uint32_t max_width)
    : num_bytes_((max_width + 7) / 8), max_ones_(max_width), table_(num_bytes_ * (max_ones_ + 1) * 256) {
  for (std::uint32_t value = 0; value < 256; ++value)
    ones_of_byte_[value] = static_cast<unsigned char>(count_ones(value));
  for (std::uint32_t byte = 0; byte < num_bytes_; ++byte) {
    const std::uint32_t end = std::uint32_t{1} << std::min(8u, max_width - 8 * byte);
    for (std::uint32_t below = 0; below <= max_ones_; ++below) {
      Word* row = &table_[(byte * (max_ones_ + 1) + below) * 256];
      row[0] = 0;
      for (std::uint32_t value = 1; value < end; ++value) {
        const auto top = static_cast<std::uint32_t>(std::bit_width(value) - 1);
        const auto index = below + count_ones(value);
        const std::uint32_t position = 8 * byte + top;
        row[value] = row[value ^ (1u << top)] + (position <= 64 && index <= 64 ? binomial(position, index) : 0);
      }
    }
  }
}

IndexRange StateIndices::range(Word known, Word value, std::uint32_t width, std::uint32_t of_class) const {
  const Word free = ~known & (width >= 64 ? ~Word{0} : (Word{1} << width) - 1);
  const std::uint32_t num_free = count_ones(free);
  const auto without_lowest = [](Word mask, std::uint32_t number) {
    for (std::uint32_t i = 0; i < number; ++i) mask &= mask - 1;
    return mask;
  };
  if (by_parity_) {
    const bool odd = (count_ones(value) & 1) != of_class;
    if (num_free == 0 && odd) return {};
    const Word lowest = free & (~free + 1);
    const bool all_fit = (num_free & 1) == static_cast<std::uint32_t>(odd);
    return {index(odd ? value | lowest : value), index(value | (all_fit ? free : free ^ lowest)) + 1};
  }
  const std::uint32_t given = count_ones(value);
  if (given > of_class || of_class - given > num_free) return {};
  const std::uint32_t left = of_class - given;
  return {index(value | (free ^ without_lowest(free, left))), index(value | without_lowest(free, num_free - left)) + 1};
}

}  // namespace matchcount
