#include "permanent/dense/points.hpp"

#include <numbers>
#include <numeric>

namespace matchcount::dense {
namespace {

using Complex = std::complex<double>;

constexpr std::uint64_t enough_inner = 32;

// Returns all powers of the first (m + 1)-th root of 1; those on the axes are exact.
std::vector<Complex> roots_of_one(std::uint32_t m) {
  std::vector<Complex> roots;
  for (std::uint32_t power = 0; power <= m; ++power) {
    const std::uint32_t quarter = 4 * power / (m + 1), rest = 4 * power % (m + 1);
    const double angle = std::numbers::pi / 2 * rest / (m + 1);
    const double c = std::cos(angle), s = std::sin(angle);
    constexpr double turn_c[] = {1, 0, -1, 0}, turn_s[] = {0, 1, 0, -1};
    roots.emplace_back(c * turn_c[quarter] - s * turn_s[quarter], s * turn_c[quarter] + c * turn_s[quarter]);
  }
  return roots;
}

}  // namespace

Points::Points(std::span<const std::uint32_t> line_times) : times(line_times.begin(), line_times.end()) {
  size = std::accumulate(times.begin(), times.end(), std::size_t{0});
  for (const std::uint32_t taken : times) {
    for (std::uint32_t i = 2; i <= taken; ++i) factorials *= DoubleDouble(i);
  }
  choose_coordinates();
  fill_weights();
}

// A block has the coordinates of the fewest roots: as many of them as leave the fewest lanes of vectors empty.
void Points::choose_coordinates() {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return times[line]; });
  fixed_line = order.front();
  std::size_t num_within = 0;
  double best = 0;
  std::uint64_t points = 1;
  for (std::size_t i = 1; i < order.size() && (points *= times[order[i]] + 1) <= most_inner; ++i) {
    const double filled =
        static_cast<double>(points) / static_cast<double>((points + num_lanes - 1) / num_lanes * num_lanes);
    if (num_inner >= enough_inner && filled < 1.05 * best) continue;
    best = filled;
    num_within = i;
    num_inner = points;
    if (points >= 2 * enough_inner && filled == 1) break;
  }
  std::size_t num_steps = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t taken = times[order[i]];
    (i <= num_within ? inner : outer).push_back({order[i], roots_of_one(taken), num_steps});
    num_steps += taken + 1;
    if (i > num_within) num_blocks *= taken + 1;
    signs_alone = signs_alone && taken == 1;
  }
}

// x^-m is x, of an (m + 1)-th root.
void Points::fill_weights() {
  std::vector<Complex> weight{1};
  for (const Coordinate& coordinate : inner) {
    const std::size_t before = weight.size();
    for (std::size_t power = 1; power < coordinate.root.size(); ++power) {
      for (std::size_t point = 0; point < before; ++point) weight.push_back(weight[point] * coordinate.root[power]);
    }
  }
  weight.resize((weight.size() + num_lanes - 1) / num_lanes * num_lanes);
  for (std::size_t first = 0; first < weight.size(); first += num_lanes) {
    for (std::size_t i = first; i < first + num_lanes; ++i) real_weight.push_back(weight[i].real());
    for (std::size_t i = first; i < first + num_lanes; ++i) complex_weight.push_back(weight[i].real());
    for (std::size_t i = first; i < first + num_lanes; ++i) complex_weight.push_back(weight[i].imag());
  }
}

}  // namespace matchcount::dense
