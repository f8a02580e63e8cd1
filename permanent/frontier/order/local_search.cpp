// The cost of a segment depends on nothing but the set of vertices before it, with an exception of little weight. In a
// graph with odd cycles the number of vertices of a layer that can be matched is bounded by those that were processed
// less those that closed, and that depends on the order of the vertices behind. The bound matters while it is below the
// width, in the first layers. If a segment changed it, the layers behind are renewed before long.

#include "permanent/frontier/order/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace matchcount {
namespace {

constexpr std::uint32_t shortest = 12, longest = 256;  // segments
constexpr double preference_for_short = 1.6;
constexpr std::uint32_t widest = 32;  // beams
constexpr double flat_power = 0.3;
constexpr double gain = 1 - 1e-9;  // less is rounding
constexpr double negligible = 1e-5;

double flat_weight(const OrderStep& step) {
  return step.is_closed || step.cost <= 0 ? 0 : std::exp2(flat_power * rough_log2(step.cost));
}

}  // namespace

LocalSearch::LocalSearch(CostedOrder order, Random random)
    : order_(std::move(order)),
      position_(order_.steps.size()),
      flat_weight_(order_.steps.size()),
      sum_of_costs_(order_.steps.size()),
      sum_of_weights_(order_.steps.size()),
      random_(random),
      best_total_(order_.total) {
  for (std::uint32_t t = 0; t < order_.steps.size(); ++t) {
    position_[order_.steps[t].vertex] = t;
    flat_weight_[t] = flat_weight(order_.steps[t]);
  }
}

void LocalSearch::add_up(OrderWorker& worker) {
  if (layers_are_stale_) {
    order_ = costed_order(worker.graph, order_.sequence(), worker.costs);
    for (std::size_t t = 0; t < order_.steps.size(); ++t) flat_weight_[t] = flat_weight(order_.steps[t]);
    layers_are_stale_ = false;
  }
  double cost = 0, weight = 0;
  for (std::size_t t = 0; t < order_.steps.size(); ++t) {
    sum_of_costs_[t] = cost += order_.steps[t].cost;
    sum_of_weights_[t] = weight += flat_weight_[t];
  }
  order_.total = cost;
  if (at_best_) best_total_ = cost;
  sums_are_stale_ = false;
  work_since_sums_ = 0;
}

// Draws a position: by its cost, by a small power of it, or any.
std::uint32_t LocalSearch::draw_centre() {
  const auto weighted = [&](const std::vector<double>& sums) {
    const double x = random_.uniform() * sums.back();
    return static_cast<std::uint32_t>(
        std::min<std::ptrdiff_t>(std::ssize(sums) - 1, std::lower_bound(sums.begin(), sums.end(), x) - sums.begin()));
  };
  switch (random_.below(3)) {
    case 0:
      return weighted(sum_of_costs_);
    case 1:
      return weighted(sum_of_weights_);
    default:
      return static_cast<std::uint32_t>(random_.below(order_.steps.size()));
  }
}

// Closed vertices belong to the one that closed them.
void LocalSearch::align(Segment& segment) const {
  while (segment.first > 0 && order_.steps[segment.first].is_closed) --segment.first;
  while (segment.last < order_.steps.size() && order_.steps[segment.last].is_closed) ++segment.last;
  segment.cost = 0;
  for (std::uint32_t t = segment.first; t < segment.last; ++t) segment.cost += order_.steps[t].cost;
}

LocalSearch::Segment LocalSearch::draw_segment(double share) {
  constexpr double layer_weights[] = {0, 0.1, 0.3, 1, 3};
  const auto size = static_cast<std::uint32_t>(order_.steps.size());
  const double longest_here = std::max<double>(shortest, std::min(size, longest));
  const double scale = std::pow(random_.uniform(), preference_for_short);
  const auto length = static_cast<std::uint32_t>(shortest * std::pow(longest_here / shortest, scale));
  const std::uint32_t centre = draw_centre();
  Segment segment;
  segment.first = centre - std::min(centre, static_cast<std::uint32_t>(random_.below(length + 1)));
  segment.last = std::min(size, segment.first + length);
  BeamSettings& settings = segment.settings;
  settings.width = std::max(2u, static_cast<std::uint32_t>(widest * std::exp2(-5 * random_.uniform())));
  settings.weight_of_layer = layer_weights[random_.below(std::size(layer_weights))];
  if (random_.below(2) == 0) settings.noise = 0.7 * random_.uniform();
  if (random_.below(2) == 0) settings.weight_of_position = std::exp2(-2 - 6 * random_.uniform());
  settings.seed = random_();
  const double allowance = -std::log(1 - random_.uniform());
  align(segment);
  settings.limit = segment.cost * (1 + 1e-12) + share * order_.total * allowance;
  return segment;
}

// Returns the work done.
std::uint64_t LocalSearch::reorder(const Segment& segment, OrderWorker& worker) {
  const std::uint64_t before = worker.beam.work();
  const std::vector<OrderStep>& result =
      worker.beam.run(order_, position_, segment.first, segment.last, segment.settings);
  if (!result.empty()) take(segment, result, worker.beam.cost());
  return worker.beam.work() - before;
}

void LocalSearch::take(const Segment& segment, const std::vector<OrderStep>& result, double cost) {
  const double total = std::max(0.0, order_.total - segment.cost) + cost;
  if (at_best_ && total > best_total_ / gain) {
    best_ = order_;
    at_best_ = false;
  }
  layers_are_stale_ |= result.back().layer.ones != order_.steps[segment.last - 1].layer.ones;
  for (std::uint32_t t = segment.first; t < segment.last; ++t) {
    order_.steps[t] = result[t - segment.first];
    position_[order_.steps[t].vertex] = t;
    flat_weight_[t] = flat_weight(order_.steps[t]);
  }
  order_.total = total;
  sums_are_stale_ = true;
  if (at_best_ || total < best_total_ * gain) {
    at_best_ = true;
    best_total_ = total;
  }
}

std::uint64_t LocalSearch::improve(std::uint64_t work, double hot, double cold, OrderWorker& worker) {
  constexpr std::uint32_t least_steps = 4;
  if (order_.steps.size() < least_steps) return 0;
  std::uint64_t done = 0;
  while (done < work) {
    worker.steps.check();
    if (sums_are_stale_ && work_since_sums_ >= order_.steps.size()) add_up(worker);
    const double progress = static_cast<double>(done) / static_cast<double>(work);
    const std::uint64_t spent = reorder(draw_segment(hot > 0 ? hot * std::pow(cold / hot, progress) : 0), worker);
    done += spent;
    work_since_sums_ += spent;
  }
  add_up(worker);
  if (!at_best_) {
    best_ = costed_order(worker.graph, best_.sequence(), worker.costs);
    best_total_ = best_.total;
  }
  return done;
}

std::uint64_t LocalSearch::perfect_windows(std::uint32_t length, std::uint64_t work, OrderWorker& worker) {
  constexpr std::uint32_t stride = 3, most_closed_beside = 4;
  const auto size = static_cast<std::uint32_t>(order_.steps.size());
  std::uint64_t done = 0;
  for (bool gained = true; gained && done < work;) {
    gained = false;
    const double least = negligible * order_.total;
    for (std::uint32_t first = 0; first < size && done < work; first += stride) {
      Segment window;
      window.first = first;
      window.last = std::min(size, first + length);
      align(window);
      ++done;
      // One step may close many vertices, which would all be reordered with it.
      if (window.cost < least || window.last - window.first > length + most_closed_beside) continue;
      window.settings.exhaustive = true;
      window.settings.limit = window.cost * gain;
      const double before = order_.total;
      done += reorder(window, worker);
      gained |= order_.total < before;
    }
  }
  add_up(worker);
  return done;
}

}  // namespace matchcount
