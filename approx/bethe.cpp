// Messages are kept as u = weight * message by slot, so that a vertex reads its own slots in order and writes one
// number to each neighbour. With S the sum of u over the other slots of v, v sends weight / S along a slot.

#include "approx/bethe.hpp"

#include <algorithm>
#include <cmath>

#include "approx/messages.hpp"

namespace matchcount {
namespace {

constexpr double converged = 1e-7;
constexpr int most_scaling_rounds = 2000;
constexpr double scaled_enough = 1e-9;
constexpr int most_pricing_rounds = 500;
constexpr double priced_enough = 1e-6;

}  // namespace

int propagate(Problem& problem, int most_rounds, const RunContext& run, double answered_share) {
  for (int round = 1; round <= most_rounds; ++round) {
    double change = 0;
    for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
      const std::uint32_t begin = problem.offset[v], end = problem.offset[v + 1];
      double sum = problem.alone;
      for (std::uint32_t s = begin; s < end; ++s) sum += problem.message[s];
      for (std::uint32_t s = begin; s < end; ++s) {
        double others = sum - answered_share * problem.message[s];
        if (answered_share == 1 && problem.message[s] > large_share * sum) {
          others = problem.alone;
          for (std::uint32_t t = begin; t < end; ++t) others += t == s ? 0 : problem.message[t];
        }
        const double sent = outgoing(problem.weight[s], others);
        double& there = problem.message[problem.reverse[s]];
        change = std::max(change, std::fabs(sent - there) / sent);
        there = sent;
      }
    }
    run.check();
    if (change < converged) return round;
  }
  return most_rounds;
}

BetheBracket bethe_bracket(const Problem& problem, const RunContext& run) {
  const Vertex n = problem.size;
  if (n == 0) return {0, 0};
  const std::uint32_t num_edges = problem.offset[n];
  // Beliefs, by slot of the rows.
  std::vector<double> x(num_edges);
  for (std::uint32_t s = 0; s < num_edges; ++s) {
    const double odds = problem.message[s] / problem.weight[s] * problem.message[problem.reverse[s]];
    x[s] = std::clamp(odds / (1 + odds), 1e-200, 1.0);
  }
  const auto scale_side = [&](std::uint32_t first, auto&& at) {
    double off = 0;
    for (std::uint32_t v = first; v < first + n; ++v) {
      double sum = 0;
      for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) sum += at(s);
      off += std::fabs(sum - 1);
      for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) at(s) /= sum;
    }
    return off;
  };
  double off = 1;
  for (int round = 0; round < most_scaling_rounds && off > scaled_enough; ++round) {
    off = scale_side(0, [&](std::uint32_t s) -> double& { return x[s]; });
    off += scale_side(n, [&](std::uint32_t s) -> double& { return x[problem.reverse[s]]; });
    run.check();
  }
  // The value there, and its slope along each edge.
  double value = 0, slope_in_x = 0, largest_slope = 0;
  std::vector<double> slope(num_edges);
  for (std::uint32_t s = 0; s < num_edges; ++s) {
    const double rest = std::max(1 - x[s], 1e-300);
    const double log_rest = x[s] < 0.5 ? std::log1p(-x[s]) : std::log(rest);
    value += x[s] * (std::log(problem.weight[s]) - std::log(x[s])) + rest * log_rest;
    slope[s] = std::log(problem.weight[s]) - std::log(x[s]) - log_rest - 2;
    slope_in_x += slope[s] * x[s];
    largest_slope = std::max(largest_slope, std::fabs(slope[s]));
  }
  // The columns' distance from 1 after the last scaling shifts the value by no more than that times the slope.
  const double margin = 4 * off * (1 + largest_slope) + 1e-12 * n;
  // The function is concave on the doubly stochastic matrices (Vontobel 2013, corollary 23), hence nowhere above its
  // tangent, and the tangent's greatest value there is at most the value of any dual prices of the assignment problem.
  std::vector<double> row_price(n), column_price(n, 0);
  double change = 1;
  for (int round = 0; round < most_pricing_rounds && change > priced_enough; ++round) {
    change = 0;
    for (Vertex r = 0; r < n; ++r) {
      double mean = 0;
      for (std::uint32_t s = problem.offset[r]; s < problem.offset[r + 1]; ++s)
        mean += x[s] * (slope[s] - column_price[problem.target[s] - n]);
      row_price[r] = mean;
    }
    for (Vertex c = 0; c < n; ++c) {
      double mean = 0;
      for (std::uint32_t s = problem.offset[n + c]; s < problem.offset[n + c + 1]; ++s)
        mean += x[problem.reverse[s]] * (slope[problem.reverse[s]] - row_price[problem.target[s]]);
      change = std::max(change, std::fabs(column_price[c] - mean));
      column_price[c] = mean;
    }
    run.check();
  }
  double dual = 0;
  for (Vertex r = 0; r < n; ++r) {
    double price = slope[problem.offset[r]] - column_price[problem.target[problem.offset[r]] - n];
    for (std::uint32_t s = problem.offset[r]; s < problem.offset[r + 1]; ++s)
      price = std::max(price, slope[s] - column_price[problem.target[s] - n]);
    dual += price;
  }
  for (const double price : column_price) dual += price;
  const double gap = std::max(0.0, dual - slope_in_x);
  return {value - margin, value + gap + margin + 0.5 * n * std::log(2.0)};
}

}  // namespace matchcount
