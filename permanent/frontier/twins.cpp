// Twins: columns (or rows) with the same neighbours and equal entries. Every matching can have two of them swapped and
// keeps its weight, so that it is enough to sum those in which the members of a class are matched in turn, and to
// multiply by m! for a class of m. With all rows before all columns "in turn" is a matter of the rows' order alone: a
// row may take a twin only when the one before it is matched. (Where twins have steps of their own, in mixed orders,
// their partners' places would have to be remembered.) A class has m + 1 states then instead of 2^m.
//
// What it saves, in transitions: the pattern of lund_a (147 x 147, finite elements with three like unknowns a node)
// falls from 2^49.6 to 2^36, a 40 x 40 matrix of density 0.3 with every column there twice from 2^34.6 to 2^27.9, with
// every column three times from 2^28.5 to 2^20.5, a complete graph of 40 vertices a side from 2^44.4 to 2^5.9. A sparse
// transition takes some 20 times as long as a dense one, so that a few twins (curtis54 has 6, will199 2, bcspwr04 20
// among 434 vertices) are left alone.
//
// Expanding a vertex of degree 3 or 4 into two smaller permanents (Forbert and Marx 2003) was tried and is not done:
// the frontier does as much by forgetting a vertex early. Both children were reduced and planned afresh, the best of 24
// vertices and splittings taken, once, and recursively twice. Parent over children, in predicted seconds: matrices from
// applications (22 with vertices of such degree) 0.4 to 1.0; grids and cubes 0.8 to 0.9, a 10 x 10 torus 1.2; 3- and
// 4-regular graphs, n = 30 to 60, 0.7 to 1.2, median 1.0; random graphs of mean degree 4 to 6 0.8 to 1.3, median 1.0.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "permanent/frontier/anneal.hpp"
#include "permanent/frontier/cpu/twin_states.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {
namespace {

std::int64_t key_of(std::int64_t entry) { return entry; }
auto key_of(const RealEntry& entry) { return std::tuple(entry.value.hi, entry.value.lo, entry.magnitude); }
auto key_of(const ComplexEntry& entry) {
  const ComplexDoubleDouble& value = entry.value;
  return std::tuple(value.re.hi, value.re.lo, value.im.hi, value.im.lo, entry.magnitude);
}

// A sequence of lines (rows, or columns of the transposed pattern) with the cost of each of its steps, kept up to date
// when a stretch of it changes. The other side's classes are items: an item of `size` twins is on the frontier from its
// first line to its last.
class TwinSequence {
 public:
  struct Item {
    std::uint32_t size = 1;
    std::vector<Vertex> lines;
    std::uint32_t first = 0, last = 0;  // positions
  };

  TwinSequence(std::vector<std::vector<std::uint32_t>> items_of_line, std::vector<Item> items,
               std::vector<Vertex> sequence)
      : items_of_line_(std::move(items_of_line)),
        items_(std::move(items)),
        sequence_(std::move(sequence)),
        position_(sequence_.size()),
        layers_(sequence_.size()),
        is_affected_(items_.size(), 0) {
    std::uint32_t largest = 1;
    for (const Item& item : items_) largest = std::max(largest, item.size);
    for (Layer& layer : layers_) layer.classes_of_size.assign(largest + 1, 0);
    start_.classes_of_size.assign(largest + 1, 0);
    for (std::uint32_t t = 0; t < sequence_.size(); ++t) position_[sequence_[t]] = t;
    for (Item& item : items_) place(item);
    if (!sequence_.empty()) evaluate(0, static_cast<std::uint32_t>(sequence_.size()) - 1);
    layers_ = scratch_;
    for (const Layer& layer : layers_) total_ += layer.cost;
  }

  const std::vector<Vertex>& sequence() const { return sequence_; }
  double total() const { return total_; }
  std::uint64_t visits() const { return visits_; }

  template <class Accept>
  bool propose(std::uint32_t i, std::span<const Vertex> window, Accept&& accept) {
    const std::uint32_t j = i + static_cast<std::uint32_t>(window.size()) - 1;
    saved_.assign(sequence_.begin() + i, sequence_.begin() + j + 1);
    move(i, window);
    evaluate(i, j);
    // Added up afresh, so that no large layer hides what is small.
    double proposed = 0;
    for (std::uint32_t t = 0; t < layers_.size(); ++t) {
      proposed += t < i || t > j ? layers_[t].cost : scratch_[t - i].cost;
    }
    visits_ += layers_.size() / layers_a_visit;
    if (!accept(proposed)) {
      move(i, saved_);
      return false;
    }
    std::swap_ranges(scratch_.begin(), scratch_.end(), layers_.begin() + i);
    total_ = proposed;
    return true;
  }

  std::uint32_t max_width() const {
    std::uint32_t width = 0;
    for (const Layer& layer : layers_) width = std::max(width, layer.width);
    return width;
  }
  double peak_states() const {
    double peak = 1;
    for (const Layer& layer : layers_) peak = std::max(peak, layer.states);
    return peak;
  }

 private:
  static constexpr std::size_t layers_a_visit = 128;  // that are added up in its time

  // A layer after a step.
  struct Layer {
    std::vector<std::uint32_t> classes_of_size;  // on the frontier
    std::uint32_t width = 0;
    std::uint32_t closed = 0;  // vertices that left the frontier, all of them matched
    double states = 0, cost = 0;
  };

  void place(Item& item) {
    item.first = static_cast<std::uint32_t>(sequence_.size());
    item.last = 0;
    for (const Vertex line : item.lines) {
      item.first = std::min(item.first, position_[line]);
      item.last = std::max(item.last, position_[line]);
    }
    visits_ += item.lines.size();
  }

  void move(std::uint32_t i, std::span<const Vertex> window) {
    affected_.clear();
    for (const Vertex line : window) {
      sequence_[i] = line;
      position_[line] = i++;
      for (const std::uint32_t item : items_of_line_[line]) {
        if (is_affected_[item]) continue;
        is_affected_[item] = 1;
        affected_.push_back(item);
      }
    }
    for (const std::uint32_t item : affected_) {
      is_affected_[item] = 0;
      place(items_[item]);
    }
  }

  // The layers of steps i..j into scratch_.
  void evaluate(std::uint32_t i, std::uint32_t j) {
    scratch_.resize(j - i + 1);
    for (std::uint32_t t = i; t <= j; ++t) {
      Layer& layer = scratch_[t - i];
      layer = t > i ? scratch_[t - i - 1] : i > 0 ? layers_[i - 1] : start_;
      double choices = 0;
      for (const std::uint32_t id : items_of_line_[sequence_[t]]) {
        const Item& item = items_[id];
        const bool enters = item.first == t;
        const bool leaves = item.last == t;
        choices += enters ? 1 : item.size;
        if (enters && !leaves) {
          ++layer.classes_of_size[item.size];
          layer.width += item.size;
        }
        if (!enters && leaves) {
          --layer.classes_of_size[item.size];
          layer.width -= item.size;
        }
        if (leaves) layer.closed += item.size;
      }
      // t + 1 lines are processed, each with a partner: those that are closed, and the others.
      layer.states = layer.closed > t + 1 ? 0 : states_(layer.classes_of_size, t + 1 - layer.closed);
      layer.cost = layer.states * (1 + 0.5 * choices);
      visits_ += items_of_line_[sequence_[t]].size() + layer.classes_of_size.size();
    }
  }

  std::vector<std::vector<std::uint32_t>> items_of_line_;
  std::vector<Item> items_;
  std::vector<Vertex> sequence_;
  std::vector<std::uint32_t> position_;
  std::vector<Layer> layers_, scratch_;
  Layer start_;
  std::vector<Vertex> saved_;
  std::vector<std::uint32_t> affected_;
  std::vector<char> is_affected_;
  TwinStates states_;
  double total_ = 0;
  std::uint64_t visits_ = 0;
};

TwinSequence twin_sequence(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before, bool rows_first,
                           std::vector<Vertex> lines) {
  const Vertex n = pattern.num_rows();
  const Vertex offset = rows_first ? n : 0;
  std::vector<TwinSequence::Item> items;
  std::vector<std::uint32_t> item_of(n);
  std::vector<std::vector<std::uint32_t>> items_of_line(n);
  for (Vertex v = 0; v < n; ++v) {
    const Vertex before = twin_before[offset + v];
    if (before != unmatched) {
      item_of[v] = item_of[before - offset];
      ++items[item_of[v]].size;
      continue;
    }
    item_of[v] = static_cast<std::uint32_t>(items.size());
    const auto neighbours = rows_first ? pattern.column(v) : pattern.row(v);
    for (const Vertex line : neighbours) items_of_line[line].push_back(item_of[v]);
    items.push_back({1, {neighbours.begin(), neighbours.end()}, 0, 0});
  }
  return {std::move(items_of_line), std::move(items), std::move(lines)};
}

}  // namespace

template <class Entry>
std::vector<Vertex> find_twins(const Block<Entry>& block) {
  const BipartiteGraph& pattern = block.pattern;
  std::vector<Vertex> result(std::size_t{pattern.num_rows()} + pattern.num_columns(), unmatched);
  bool any = false;
  for (const bool rows : {true, false}) {
    const Vertex count = rows ? pattern.num_rows() : pattern.num_columns();
    const Vertex offset = rows ? 0 : pattern.num_rows();
    const auto neighbours = [&](Vertex v) { return rows ? pattern.row(v) : pattern.column(v); };
    const auto entry = [&](Vertex v, std::size_t i) {
      return key_of(block.entries[rows ? pattern.row_begin(v) + i : pattern.column_edges(v)[i]]);
    };
    // < 0, 0, > 0: the neighbours first, then the entries.
    const auto compare = [&](Vertex a, Vertex b) {
      const auto of_a = neighbours(a), of_b = neighbours(b);
      if (of_a.size() != of_b.size()) return of_a.size() < of_b.size() ? -1 : 1;
      const auto [at_a, at_b] = std::mismatch(of_a.begin(), of_a.end(), of_b.begin());
      if (at_a != of_a.end()) return *at_a < *at_b ? -1 : 1;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        const auto x = entry(a, i), y = entry(b, i);
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    std::vector<Vertex> sorted(count);
    std::iota(sorted.begin(), sorted.end(), Vertex{0});
    std::sort(sorted.begin(), sorted.end(), [&](Vertex a, Vertex b) {
      const int order = compare(a, b);
      return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (compare(sorted[i - 1], sorted[i]) != 0) continue;
      result[offset + sorted[i]] = offset + sorted[i - 1];
      any = true;
    }
  }
  if (!any) result.clear();
  return result;
}
template std::vector<Vertex> find_twins(const Block<std::int64_t>&);
template std::vector<Vertex> find_twins(const Block<RealEntry>&);
template std::vector<Vertex> find_twins(const Block<ComplexEntry>&);

double bits_saved(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before) {
  std::array<double, 2> saved{0, 0};
  std::vector<std::uint32_t> place(twin_before.size(), 1);  // in its class
  for (Vertex v = 0; v < twin_before.size(); ++v) {
    if (twin_before[v] == unmatched) continue;
    place[v] = place[twin_before[v]] + 1;
    // A class of m - 1 becomes one of m.
    saved[v < pattern.num_rows()] += 1 - std::log2((place[v] + 1.0) / place[v]);
  }
  return std::max(saved[0], saved[1]);
}

FrontierOrder find_twins_order(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before,
                               FrontierStrategy strategy, std::uint64_t seed, const RunContext& run,
                               const OrderEffort& effort) {
  // The search is measured in edge visits, at about 25 ns each, all told; a sparse transition takes about as long.
  constexpr double visits_per_transition = 1;
  constexpr double share_of_count = 0.2;
  constexpr std::uint64_t first_budget = 300'000;
  constexpr double largest_budget = 2e8;
  constexpr double seconds_per_visit = 2.5e-8;
  constexpr double patient_budget = 1e7;        // spent before a round without gain ends the search
  constexpr double too_cheap_to_improve = 4e4;  // transitions
  const Vertex n = pattern.num_rows();

  FrontierOrder order;
  if (twin_before.empty()) return order;
  double best = std::numeric_limits<double>::infinity();
  for (const auto candidate : {FrontierStrategy::rows, FrontierStrategy::columns}) {
    if (strategy != candidate && (strategy == FrontierStrategy::rows || strategy == FrontierStrategy::columns))
      continue;
    const bool rows_first = candidate == FrontierStrategy::rows;
    // Twins of the side that follows.
    std::vector<Vertex> before(twin_before);
    const auto first = before.begin() + (rows_first ? 0 : n);
    std::fill(first, first + (rows_first ? n : before.end() - first), unmatched);
    if (std::all_of(before.begin(), before.end(), [](Vertex v) { return v == unmatched; })) continue;

    // The search for a first order does not look at twins: an order that is good among its kind is good with them too.
    std::vector<Vertex> lines = find_frontier_order(pattern, candidate, seed, run, {.most_seconds = 0}).sequence;
    lines.resize(n);
    for (Vertex& line : lines) line -= rows_first ? 0 : n;
    TwinSequence costed = twin_sequence(pattern, before, rows_first, std::move(lines));
    Random random(seed, 0x7477);
    for (std::uint64_t spent = first_budget;; spent *= 2) {
      const double total = costed.total();
      const double allowed = effort.seconds > 0
                                 ? effort.seconds / seconds_per_visit
                                 : std::min({share_of_count * visits_per_transition *
                                                 std::min(total, std::exp2(effort.useful_log2_transitions)),
                                             effort.most_seconds / seconds_per_visit, largest_budget});
      if (total < too_cheap_to_improve || static_cast<double>(spent) > allowed) break;
      std::vector<Vertex> improved = anneal(costed, n, spent, 0.5, random, run);
      costed = twin_sequence(pattern, before, rows_first, std::move(improved));
      const double gained = visits_per_transition * (total - costed.total());
      if (gained < static_cast<double>(spent) && static_cast<double>(spent) > patient_budget) break;
    }
    if (costed.total() >= best) continue;
    best = costed.total();
    order.strategy = candidate;
    order.sequence.clear();
    for (const Vertex line : costed.sequence()) order.sequence.push_back(line + (rows_first ? 0 : n));
    for (Vertex v = 0; v < n; ++v) order.sequence.push_back(v + (rows_first ? n : 0));
    order.max_width = costed.max_width();
    order.log2_peak_states = std::log2(costed.peak_states());
    order.log2_transitions = std::log2(std::max(1.0, costed.total()));
    order.twin_before = std::move(before);
  }
  return order;
}

}  // namespace matchcount
