// If value e is an odd integer times 2^low(e), exponents s with s(u) + s(v) >= -low(uv) on all edges make integers
// of all of them, and the hafnian grows by 2^(sum of s). The least such sum is the dual of a greatest matching, which
// the scaling of the symmetric matrix solves: r(u) + c(v) and r(v) + c(u) are great enough, and so is s = (r + c) / 2,
// rounded up. What the rounding gives away is mostly taken back, vertex by vertex.

#include "permanent/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
namespace {

enum class Rounding { nearest, up };

// number * 2^exponent
struct Dyadic {
  Integer number;
  int exponent = 0;
};

Dyadic dyadic(double value) {
  if (value == 0) return {};
  if (!std::isfinite(value)) throw InputError(std::to_string(value), "finite numbers");
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}

Dyadic dyadic(DoubleDouble value) {
  Dyadic high = dyadic(value.hi);
  const Dyadic low = dyadic(value.lo);
  if (low.number == 0) return high;
  if (high.number == 0) return low;
  const int exponent = std::min(high.exponent, low.exponent);
  high.number <<= static_cast<unsigned>(high.exponent - exponent);
  return {high.number + (low.number << static_cast<unsigned>(low.exponent - exponent)), exponent};
}

// Rounds to a multiple of 2^grid; says whether the value was none already.
bool round_to(Dyadic& value, int grid, Rounding rounding) {
  const int excess = grid - value.exponent;
  if (excess <= 0 || value.number == 0) return false;
  const bool negative = value.number < 0;
  Integer magnitude = abs(value.number);
  const Integer unit = Integer(1) << static_cast<unsigned>(excess);
  const Integer rest = magnitude & (unit - 1);
  magnitude >>= static_cast<unsigned>(excess);
  if (rounding == Rounding::up ? rest != 0 : 2 * rest >= unit) ++magnitude;
  value = {negative ? Integer(-magnitude) : magnitude, grid};
  return rest != 0;
}

int top_bit(const Dyadic& value) { return static_cast<int>(msb(abs(value.number))) + value.exponent; }

struct Rounded {
  Dyadic re, im;
};

class Builder {
 public:
  Builder(const UndirectedGraph& pattern, int bits, Rounding rounding)
      : pattern_(pattern), bits_(bits), rounding_(rounding) {
    values_.reserve(pattern.num_edges());
    log2_steps_.reserve(pattern.num_edges());
  }

  void add(Dyadic re, Dyadic im = {}) {
    constexpr int nothing = std::numeric_limits<int>::min();
    const int top = std::max(re.number == 0 ? nothing : top_bit(re), im.number == 0 ? nothing : top_bit(im));
    int low = std::numeric_limits<int>::max();
    if (top != nothing) {
      for (Dyadic* part : {&re, &im}) {
        if (round_to(*part, top + 1 - bits_, rounding_)) result_.exact = false;
        if (part->number != 0) low = std::min(low, part->exponent + static_cast<int>(lsb(abs(part->number))));
      }
    }
    values_.push_back({std::move(re), std::move(im)});
    log2_steps_.push_back(low);
  }

  FixedPoint build() {
    const std::vector<std::int64_t> exponent = exponents();
    for (const std::int64_t s : exponent) result_.exponent += s;
    for (EdgeId id = 0; id < values_.size(); ++id) {
      const auto [u, v] = pattern_.edges()[id];
      const std::int64_t shift = exponent[u] + exponent[v];
      result_.entries.push_back({shifted(values_[id].re, shift), shifted(values_[id].im, shift)});
    }
    return std::move(result_);
  }

 private:
  static Integer shifted(Dyadic& value, std::int64_t shift) {
    if (value.number == 0) return 0;
    shift += value.exponent;
    return shift >= 0 ? Integer(value.number << static_cast<std::size_t>(shift))
                      : Integer(value.number / (Integer(1) << static_cast<std::size_t>(-shift)));
  }

  std::vector<std::int64_t> exponents() {
    const Vertex n = pattern_.num_vertices();
    // Zeros ask for nothing: what the coarsest entry does.
    int coarsest = std::numeric_limits<int>::min();
    for (const int low : log2_steps_)
      if (low != std::numeric_limits<int>::max()) coarsest = std::max(coarsest, low);
    if (coarsest == std::numeric_limits<int>::min()) return std::vector<std::int64_t>(n, 0);
    for (int& low : log2_steps_) low = std::min(low, coarsest);
    std::vector<double> of_matrix;
    for (Vertex v = 0; v < n; ++v)
      for (const EdgeId id : pattern_.incident_edges(v)) of_matrix.push_back(log2_steps_[id]);
    // The scaling takes all to at most 2^0: its exponents' negatives are at least as great as ours may be.
    for (double& low : of_matrix) low = -low;
    const Scaling scaling = maximum_product_scaling(pattern_.pattern().symmetric_matrix(), of_matrix);
    std::vector<std::int64_t> s(n);
    for (Vertex v = 0; v < n; ++v) {
      const std::int64_t sum = std::int64_t{scaling.row_exponent[v]} + scaling.column_exponent[v];
      s[v] = -(sum >> 1);
    }
    for (Vertex v = 0; v < n; ++v) {
      if (pattern_.neighbours(v).empty()) continue;
      std::int64_t least = std::numeric_limits<std::int64_t>::min();
      for (std::size_t i = 0; i < pattern_.neighbours(v).size(); ++i) {
        least =
            std::max(least, -std::int64_t{log2_steps_[pattern_.incident_edges(v)[i]]} - s[pattern_.neighbours(v)[i]]);
      }
      s[v] = std::min(s[v], least);
    }
    return s;
  }

  const UndirectedGraph& pattern_;
  int bits_;
  Rounding rounding_;
  std::vector<Rounded> values_;
  std::vector<int> log2_steps_;  // of the lowest bit; the greatest int for 0
  FixedPoint result_;
};

}  // namespace

FixedPoint fixed_point(const UndirectedGraph& pattern, const std::vector<RealEntry>& entries, int bits) {
  Builder builder(pattern, bits, Rounding::nearest);
  for (const RealEntry& entry : entries) builder.add(dyadic(entry.value));
  return builder.build();
}

FixedPoint fixed_point(const UndirectedGraph& pattern, const std::vector<ComplexEntry>& entries, int bits) {
  Builder builder(pattern, bits, Rounding::nearest);
  for (const ComplexEntry& entry : entries) builder.add(dyadic(entry.value.re), dyadic(entry.value.im));
  return builder.build();
}

FixedPoint fixed_point_above(const UndirectedGraph& pattern, const std::vector<double>& magnitudes, int bits) {
  Builder builder(pattern, bits, Rounding::up);
  for (const double magnitude : magnitudes) builder.add(dyadic(magnitude));
  return builder.build();
}

}  // namespace matchcount
