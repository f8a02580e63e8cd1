#include "permanent/frontier/order/segment_beam.hpp"

#include <algorithm>
#include <bit>

namespace matchcount {
namespace {

// Work beside evaluations (some 8 ns each), counted in evaluations.
constexpr std::uint64_t vertices_an_evaluation = 12;  // scanned, or copied
constexpr std::uint64_t evaluations_a_state = 12;
constexpr std::uint64_t evaluations_a_segment = 60;

bool dearer(const auto& a, const auto& b) { return a.key > b.key; }

}  // namespace

SegmentBeam::SegmentBeam(const OrderGraph& graph, FrontierStrategy strategy, LayerCosts& costs, StepCheck& steps)
    : graph_(graph), strategy_(strategy), costs_(costs), steps_(steps) {}

// The segment's vertices, and the edges among them and to those behind.
void SegmentBeam::cut_out(const CostedOrder& order, std::span<const std::uint32_t> position, std::uint32_t first,
                          std::uint32_t last) {
  length_ = last - first;
  local_.by_parity = graph_.by_parity;
  local_.offsets.assign(1, 0);
  local_.neighbours.clear();
  local_.is_row.clear();
  vertex_.clear();
  hash_of_.clear();
  may_step_.clear();
  start_.clear();
  if (stamp_.empty()) {
    stamp_.assign(graph_.size(), 0);
    local_of_outer_.assign(graph_.size(), 0);
  }
  ++stamp_now_;
  for (std::uint32_t t = first; t < last; ++t) {
    const Vertex v = order.steps[t].vertex;
    vertex_.push_back(v);
    local_.is_row.push_back(graph_.is_row[v]);
    hash_of_.push_back(QuickRandom(v)());
    may_step_.push_back(has_steps(strategy_, graph_, v));
  }
  for (std::uint32_t t = first; t < last; ++t) {
    WalkVertex start;
    for (const Vertex u : graph_.of(order.steps[t].vertex)) {
      const std::uint32_t place = position[u];
      if (place < first) {
        start.is_on_frontier = true;
        continue;
      }
      ++start.unprocessed;
      if (place >= last && stamp_[u] != stamp_now_) {
        stamp_[u] = stamp_now_;
        local_of_outer_[u] = static_cast<std::uint32_t>(vertex_.size());
        vertex_.push_back(u);
      }
      local_.neighbours.push_back(place < last ? place - first : local_of_outer_[u]);
    }
    start_.push_back(start);
    local_.offsets.push_back(local_.neighbours.size());
  }
  add_outer_vertices(position, first);
  start_walk(local_, start_);
  start_layer_ = first == 0 ? OrderLayer{} : order.steps[first - 1].layer;
  work_ += evaluations_a_segment + local_.neighbours.size();
}

// Adds the neighbours behind the segment: their edges into it, and whether they are on the frontier before it. None of
// them closes.
void SegmentBeam::add_outer_vertices(std::span<const std::uint32_t> position, std::uint32_t first) {
  const std::size_t size = vertex_.size();
  const std::size_t edges = local_.neighbours.size();
  local_.offsets.resize(size + 1, 0);
  for (std::size_t e = 0; e < edges; ++e) {
    if (local_.neighbours[e] >= length_) ++local_.offsets[local_.neighbours[e] + 1];
  }
  for (std::size_t v = length_; v < size; ++v) {
    WalkVertex start;
    start.unprocessed = static_cast<std::int32_t>(local_.offsets[v + 1]) + 1;
    const auto neighbours = graph_.of(vertex_[v]);
    start.is_on_frontier =
        std::any_of(neighbours.begin(), neighbours.end(), [&](Vertex u) { return position[u] < first; });
    start_.push_back(start);
    local_.is_row.push_back(graph_.is_row[vertex_[v]]);
    local_.offsets[v + 1] += local_.offsets[v];
  }
  local_.neighbours.resize(local_.offsets[size]);
  std::vector<std::size_t> end(local_.offsets.begin() + length_, local_.offsets.end() - 1);
  for (Vertex v = 0; v < length_; ++v) {
    for (const Vertex u : local_.of(v)) {
      if (u >= length_) local_.neighbours[end[u - length_]++] = v;
    }
  }
}

std::span<WalkVertex> SegmentBeam::vertices_of(std::uint32_t level, std::uint32_t index) {
  return {ring_[level % ring_.size()].data() + std::size_t{index} * start_.size(), start_.size()};
}

const std::vector<OrderStep>& SegmentBeam::run(const CostedOrder& order, std::span<const std::uint32_t> position,
                                               std::uint32_t first, std::uint32_t last, const BeamSettings& settings) {
  result_.clear();
  settings_ = settings;
  limit_ = settings.limit;
  random_ = QuickRandom(settings.seed);
  cut_out(order, position, first, last);
  std::int32_t most_closings = 0;
  for (std::uint32_t v = 0; v < length_; ++v) most_closings = std::max(most_closings, start_[v].unprocessed);
  // A step may lead as many levels on as it processes vertices.
  const std::size_t depth = std::min<std::size_t>(length_, static_cast<std::size_t>(most_closings) + 1) + 1;
  if (ring_.size() < depth) ring_.resize(depth);
  if (levels_.size() <= length_) {
    levels_.resize(length_ + 1);
    buckets_.resize(length_ + 1);
  }
  for (std::uint32_t level = 0; level <= length_; ++level) {
    levels_[level].clear();
    buckets_[level].clear();
  }
  best_ = {};
  best_.cost = std::numeric_limits<double>::infinity();
  levels_[0].push_back({0, start_layer_, 0, 0, 0, 0});
  ring_[0] = start_;
  for (std::uint32_t level = 0; level < length_; ++level) {
    if (level > 0) select(level);
    for (std::uint32_t i = 0; i < levels_[level].size(); ++i) expand(level, i);
  }
  if (best_.cost < settings.limit) trace();
  return result_;
}

// The states of a level: the best of its bucket, each set once.
void SegmentBeam::select(std::uint32_t level) {
  std::vector<Child>& bucket = buckets_[level];
  ring_[level % ring_.size()].clear();
  if (bucket.empty()) return;
  const std::size_t most = settings_.exhaustive ? bucket.size() : settings_.width;
  seen_.assign(std::bit_ceil(4 * std::min(most, bucket.size()) + 4), 0);
  std::make_heap(bucket.begin(), bucket.end(), dearer<Child, Child>);
  while (!bucket.empty() && levels_[level].size() < most) {
    std::pop_heap(bucket.begin(), bucket.end(), dearer<Child, Child>);
    const Child child = bucket.back();
    bucket.pop_back();
    if (child.cost >= limit_) continue;
    const std::uint64_t hash = hash_after(child);
    if (is_new(hash)) follow(level, child, hash);
  }
}

void SegmentBeam::follow(std::uint32_t level, const Child& child, std::uint64_t hash) {
  std::vector<WalkVertex>& vertices = ring_[level % ring_.size()];
  const std::span<WalkVertex> parent = vertices_of(child.parent_level, child.parent);
  const std::size_t begin = vertices.size();
  vertices.insert(vertices.end(), parent.begin(), parent.end());
  OrderLayer layer = levels_[child.parent_level][child.parent].layer;
  process(
      local_, std::span(vertices).subspan(begin), child.vertex, layer, [](Vertex) {}, [](Vertex) {});
  levels_[level].push_back({child.cost, layer, hash, child.parent_level, child.parent, child.vertex});
  work_ += evaluations_a_state + start_.size() / vertices_an_evaluation;
}

std::uint64_t SegmentBeam::hash_after(const Child& child) const {
  const State& parent = levels_[child.parent_level][child.parent];
  const WalkVertex* vertices =
      ring_[child.parent_level % ring_.size()].data() + std::size_t{child.parent} * start_.size();
  std::uint64_t hash = parent.hash ^ hash_of_[child.vertex];
  if (vertices[child.vertex].closings == 0) return hash;
  for (const Vertex u : local_.of(child.vertex)) {
    if (u < length_ && !vertices[u].is_processed && vertices[u].unprocessed == 1) hash ^= hash_of_[u];
  }
  return hash;
}

bool SegmentBeam::is_new(std::uint64_t hash) {
  if (hash == 0) hash = 1;  // 0 is an empty place
  const std::size_t mask = seen_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    if (seen_[at] == hash) return false;
    if (seen_[at] != 0) continue;
    seen_[at] = hash;
    return true;
  }
}

// Looks at every vertex that may be processed next.
void SegmentBeam::expand(std::uint32_t level, std::uint32_t index) {
  steps_.step();
  const State& state = levels_[level][index];
  const std::span<const WalkVertex> vertices = vertices_of(level, index);
  const double states_now = level == 0 && state.layer.width == 0 ? 0 : costs_.states(state.layer);
  children_.clear();
  child_levels_.clear();
  std::size_t best_harmless = 0;
  double least_states = std::numeric_limits<double>::infinity();
  for (bool only_near : {!settings_.exhaustive, false}) {
    for (Vertex v = 0; v < length_; ++v) {
      const WalkVertex& of_v = vertices[v];
      if (of_v.is_processed || (only_near && !of_v.is_near) || !may_step_[v]) continue;
      const OrderLayer layer{state.layer.width + of_v.width_change, state.layer.ones + of_v.ones_change};
      ++work_;
      const double states = costs_.states(layer);
      const double cost = state.cost + costs_.cost(states, of_v.unprocessed);
      if (cost >= limit_) continue;
      double key = cost;
      if (!settings_.exhaustive) {
        key = rough_log2(cost) + settings_.weight_of_layer * rough_log2(states) + settings_.weight_of_position * v;
        if (settings_.noise > 0) key += settings_.noise * random_.uniform();
        if (states <= states_now && states < least_states) {
          least_states = states;
          best_harmless = children_.size();
        }
      }
      children_.push_back({key, cost, level, index, v});
      child_levels_.push_back(level + 1 + static_cast<std::uint32_t>(of_v.closings));
    }
    if (!children_.empty() || !only_near || state.layer.width > 0) break;
  }
  work_ += length_ / vertices_an_evaluation;
  if (least_states < std::numeric_limits<double>::infinity()) {
    offer(child_levels_[best_harmless], children_[best_harmless]);
    return;
  }
  for (std::size_t i = 0; i < children_.size(); ++i) offer(child_levels_[i], children_[i]);
}

void SegmentBeam::offer(std::uint32_t level, const Child& child) {
  if (level < length_) {
    buckets_[level].push_back(child);
    trim(buckets_[level]);
  } else if (child.cost < best_.cost) {
    best_ = child;
    limit_ = std::min(limit_, child.cost);
  }
}

// Keeps what can be followed: more than `width`, for the same set may be there several times.
void SegmentBeam::trim(std::vector<Child>& bucket) const {
  const std::size_t kept = 4 * std::size_t{settings_.width} + 32;
  if (settings_.exhaustive || bucket.size() < 4 * kept) return;
  std::nth_element(bucket.begin(), bucket.begin() + static_cast<std::ptrdiff_t>(kept), bucket.end(),
                   [](const Child& a, const Child& b) { return a.key < b.key; });
  bucket.resize(kept);
}

// The steps of the best way to the end.
void SegmentBeam::trace() {
  std::vector<Vertex> way{best_.vertex};
  for (std::uint32_t level = best_.parent_level, i = best_.parent; level > 0;) {
    const State& state = levels_[level][i];
    way.push_back(state.vertex);
    level = state.parent_level;
    i = state.parent;
  }
  std::reverse(way.begin(), way.end());
  OrderLayer layer = start_layer_;
  cost_ = 0;
  for (const Vertex v : way) cost_ += append_step(local_, start_, v, layer, costs_, result_);
  for (OrderStep& step : result_) step.vertex = vertex_[step.vertex];
}

}  // namespace matchcount
