#include "graph/bipartite_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "graph/large_pages.hpp"
#include "graph/weights.hpp"

// Edges are sorted by a stable counting sort, by column and then by row, so that building takes time linear in edges
// and vertices whatever the input's order; edges that come sorted, as most files and all our generators give them, skip
// it. Weights do not travel through the sort: an order of edge numbers does, and they are gathered once at its end.

namespace matchcount {
namespace {

std::string describe(Edge edge) {
  return "the edge between row " + std::to_string(edge.row) + " and column " + std::to_string(edge.column) +
         " (counted from 0)";
}

bool is_finite(std::int64_t) { return true; }
bool is_finite(DoubleDouble value) { return isfinite(value); }
bool is_finite(const ComplexDoubleDouble& value) { return isfinite(value.re) && isfinite(value.im); }

// A sum of doubles without rounding, as parts of ascending magnitude that do not overlap (Shewchuk 1997,
// doi:10.1007/PL00009321). Not finite where it overflows.
class ExactSum {
 public:
  void add(DoubleDouble value) {
    add(value.hi);
    add(value.lo);
  }
  // Rounds to a relative 2^-104.
  DoubleDouble rounded() const {
    DoubleDouble sum;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) sum = sum + DoubleDouble(*part);
    return sum;
  }

 private:
  void add(double value) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      const DoubleDouble sum = two_sum(value, part);
      if (sum.lo != 0) parts_[kept++] = sum.lo;
      value = sum.hi;
    }
    parts_.resize(kept);
    parts_.push_back(value);
  }

  std::vector<double> parts_;
};

// Returns the sum of equal edges' weights. Reals and complex numbers are known to a relative 2^-102, below 2^-968 to
// 2^-1074 at best, and every method takes entries to be right to 2^-100: a sum of which that can't be said is refused.
std::int64_t sum_of(Edge edge, std::span<const std::int64_t> values) {
  std::int64_t sum = 0;
  for (const std::int64_t value : values) {
    if (__builtin_add_overflow(sum, value, &sum))
      throw InputError("weights on " + describe(edge) + " whose sum is out of range", "sums within 64 bits");
  }
  return sum;
}
double size_of(DoubleDouble value) { return magnitude(value); }
double size_of(const ComplexDoubleDouble& value) { return magnitude(value.re) + magnitude(value.im); }
template <class T>
T sum_of(Edge edge, std::span<const T> values) {
  ExactSum re, im;
  double size = 0;
  for (const T& value : values) {
    size += size_of(value);
    if constexpr (std::is_same_v<T, DoubleDouble>) {
      re.add(value);
    } else {
      re.add(value.re);
      im.add(value.im);
    }
  }
  T sum{};
  if constexpr (std::is_same_v<T, DoubleDouble>) {
    sum = re.rounded();
  } else {
    sum = T(re.rounded(), im.rounded());
  }
  if (!is_finite(sum) || !std::isfinite(size)) {
    throw InputError("weights on " + describe(edge) + " whose sum is out of range",
                     "sums within the range of a double");
  }
  const double unknown = size + static_cast<double>(values.size()) * 0x1p-972;  // in units of 2^-102
  if (size != 0 && unknown > 3.5 * magnitude(sum)) {
    throw InputError(
        "weights on " + describe(edge) + " that cancel or are tiny, so that their sum is not known to 30 digits",
        "their sum in their place, or integers");
  }
  return sum;
}

void check_edges(Vertex num_rows, Vertex num_columns, std::span<const Edge> edges) {
  for (const Edge& edge : edges) {
    if (edge.row >= num_rows) {
      throw InputError(describe(edge), "a row below " + std::to_string(num_rows));
    }
    if (edge.column >= num_columns) {
      throw InputError(describe(edge), "a column below " + std::to_string(num_columns));
    }
  }
}

// Requires as many edges as weights where there are weights.
template <class EdgeAt>
void check_weights(std::size_t num_edges, const Weights& weights, EdgeAt&& edge_at) {
  visit_values(weights, [&](const auto& values) {
    if (values.size() != num_edges) {
      throw InputError(std::to_string(values.size()) + " weights",
                       "one weight for each of " + std::to_string(num_edges) + " edges");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_finite(values[i])) {
        throw InputError("a weight that is not finite on " + describe(edge_at(i)), "finite weights");
      }
    }
  });
}

// Returns offsets[k] = how many of the edges have a key below k, num_keys + 1 of them. Quick where equal keys stand
// together.
template <class Key>
std::vector<EdgeId> offsets_by(Vertex num_keys, std::span<const Edge> edges, Key&& key) {
  std::vector<EdgeId> offsets(std::size_t{num_keys} + 1, 0);
  for (const Edge& edge : edges) ++offsets[std::size_t{key(edge)} + 1];
  for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
  return offsets;
}

// Keys are sorted by a digit of at most this many bits at a time: as many places to write to as the caches and the
// address translation bear. With 10^7 edges on 10^6 vertices a pass over whole keys took 2-3 times as long as two
// passes of 10 bits.
constexpr int max_digit_bits = 12;

struct Digits {
  int count;
  int bits;  // of each
};

Digits digits_for(Vertex num_keys) {
  const int width = std::bit_width(num_keys == 0 ? Vertex{0} : num_keys - 1);
  const int count = std::max(1, (width + max_digit_bits - 1) / max_digit_bits);
  return {count, (width + count - 1) / count};
}

// One stable pass by a digit: calls write(place, item) for every item.
template <class Items, class Key, class Write>
void digit_pass(const Items& items, Digits digits, int digit, Key&& key, Write&& write) {
  const int shift = digit * digits.bits;
  const Vertex mask = (Vertex{1} << digits.bits) - 1;
  std::vector<EdgeId> next((std::size_t{1} << digits.bits) + 1, 0);
  for (const auto& item : items) ++next[std::size_t{key(item) >> shift & mask} + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  for (const auto& item : items) write(next[key(item) >> shift & mask]++, item);
}

struct NumberedEdge {
  Edge edge;
  EdgeId id;
};

const Edge& edge_of(const Edge& item) { return item; }
const Edge& edge_of(const NumberedEdge& item) { return item.edge; }

// Sorts Edge or NumberedEdge by row, then column, equal ones in the order given.
template <class Item>
void sort_items(Vertex num_rows, Vertex num_columns, std::vector<Item>& items) {
  const auto scratch = make_on_large_pages<Item>(items.size());
  std::span<Item> from = items;
  std::span<Item> to(scratch.get(), items.size());
  const auto sort_by = [&](Vertex num_keys, auto&& key) {
    const Digits digits = digits_for(num_keys);
    for (int digit = 0; digit < digits.count; ++digit) {
      digit_pass(from, digits, digit, key, [&](EdgeId place, const Item& item) { to[place] = item; });
      std::swap(from, to);
    }
  };
  const auto by_column = [](const Item& item) { return edge_of(item).column; };
  if (!std::ranges::is_sorted(items, {}, by_column)) sort_by(num_columns, by_column);
  sort_by(num_rows, [](const Item& item) { return edge_of(item).row; });
  if (from.data() != items.data()) std::ranges::copy(from, items.begin());
}

void sort_edges(Vertex num_rows, Vertex num_columns, std::vector<Edge>& edges, Weights& weights) {
  std::visit(
      [&](auto& values) {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          sort_items(num_rows, num_columns, edges);
        } else {
          std::vector<NumberedEdge> items;
          reserve_on_large_pages(items, edges.size());
          for (std::size_t i = 0; i < edges.size(); ++i) items.push_back({edges[i], i});
          sort_items(num_rows, num_columns, items);
          std::decay_t<decltype(values)> sorted;
          reserve_on_large_pages(sorted, values.size());
          for (std::size_t i = 0; i < items.size(); ++i) {
            edges[i] = items[i].edge;
            sorted.push_back(values[items[i].id]);
          }
          values = std::move(sorted);
        }
      },
      weights);
}

// Edges sorted, equal ones in the order given.
void merge_duplicates(std::vector<Edge>& edges, Weights& weights, Duplicates duplicates) {
  const auto first = std::adjacent_find(edges.begin(), edges.end());
  if (first == edges.end()) return;
  if (duplicates == Duplicates::refuse) throw InputError(describe(*first) + " twice", "each edge once");
  if (duplicates == Duplicates::sum && weights.index() == 0) weights = std::vector<std::int64_t>(edges.size(), 1);
  std::visit(
      [&](auto& values) {
        constexpr bool weighted = !std::is_same_v<std::decay_t<decltype(values)>, std::monostate>;
        std::size_t kept = 0;
        for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
          while (next < edges.size() && edges[next] == edges[i]) ++next;
          edges[kept] = edges[i];
          if constexpr (weighted) {
            const bool add = duplicates == Duplicates::sum && next - i > 1;
            values[kept] = add ? sum_of(edges[i], std::span(std::as_const(values)).subspan(i, next - i)) : values[i];
          }
          ++kept;
        }
        edges.resize(kept);
        if constexpr (weighted) values.resize(kept);
      },
      weights);
}

template <class T>
BipartiteGraph dense_graph(Vertex num_rows, Vertex num_columns, std::span<const T> entries) {
  const std::uint64_t size = std::uint64_t{num_rows} * num_columns;
  if (entries.size() != size) {
    throw InputError(
        std::to_string(entries.size()) + " entries",
        std::to_string(size) + " entries: " + std::to_string(num_rows) + " rows of " + std::to_string(num_columns));
  }
  using Weight = std::conditional_t<std::is_same_v<T, double>, DoubleDouble, T>;
  std::vector<Edge> edges;
  std::vector<Weight> weights;
  std::size_t i = 0;
  for (Vertex row = 0; row < num_rows; ++row) {
    for (Vertex column = 0; column < num_columns; ++column, ++i) {
      const Weight weight(entries[i]);
      if (is_zero(weight)) continue;
      edges.push_back({row, column});
      weights.push_back(weight);
    }
  }
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges), std::move(weights));
}

// Knows for each vertex in [0, num_vertices) its place in `chosen`, or `absent`. A table if that costs no more than the
// choice itself, else a binary search, so that many small blocks of a large graph can each be cut out.
class Places {
 public:
  static constexpr Vertex absent = std::numeric_limits<Vertex>::max();

  Places(Vertex num_vertices, std::span<const Vertex> chosen, const char* side) {
    for (const Vertex v : chosen) {
      if (v >= num_vertices) {
        throw InputError(std::string(side) + " " + std::to_string(v),
                         "a " + std::string(side) + " below " + std::to_string(num_vertices));
      }
    }
    bool repeated = false;
    if (chosen.size() >= num_vertices / 16) {
      table_.assign(num_vertices, absent);
      for (std::size_t i = 0; i < chosen.size() && !repeated; ++i) {
        repeated = table_[chosen[i]] != absent;
        table_[chosen[i]] = static_cast<Vertex>(i);
      }
    } else {
      sorted_.reserve(chosen.size());
      for (std::size_t i = 0; i < chosen.size(); ++i) sorted_.emplace_back(chosen[i], static_cast<Vertex>(i));
      std::sort(sorted_.begin(), sorted_.end());
      repeated = std::adjacent_find(sorted_.begin(), sorted_.end(),
                                    [](const auto& a, const auto& b) { return a.first == b.first; }) != sorted_.end();
    }
    if (repeated) throw InputError("a repeated " + std::string(side), "each " + std::string(side) + " once");
  }

  Vertex operator()(Vertex v) const {
    if (!table_.empty()) return table_[v];
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair<Vertex, Vertex>{v, 0});
    return at != sorted_.end() && at->first == v ? at->second : absent;
  }

 private:
  std::vector<Vertex> table_;
  std::vector<std::pair<Vertex, Vertex>> sorted_;
};

}  // namespace

BipartiteGraph BipartiteGraph::from_edges(Vertex num_rows, Vertex num_columns, std::vector<Edge> edges, Weights weights,
                                          Duplicates duplicates) {
  check_edges(num_rows, num_columns, edges);
  check_weights(edges.size(), weights, [&](std::size_t i) { return edges[i]; });
  if (!std::is_sorted(edges.begin(), edges.end())) sort_edges(num_rows, num_columns, edges, weights);
  merge_duplicates(edges, weights, duplicates);

  BipartiteGraph graph{Empty{}};
  graph.num_rows_ = num_rows;
  graph.num_columns_ = num_columns;
  graph.row_offsets_ = offsets_by(num_rows, edges, [](const Edge& edge) { return edge.row; });
  graph.column_offsets_ = offsets_by(num_columns, edges, [](const Edge& edge) { return edge.column; });
  reserve_on_large_pages(graph.row_columns_, edges.size());
  for (const Edge& edge : edges) graph.row_columns_.push_back(edge.column);

  // The edges by column: all digits but the last into scratch space, the last one into place.
  reserve_on_large_pages(graph.column_rows_, edges.size());
  reserve_on_large_pages(graph.column_edges_, edges.size());
  graph.column_rows_.resize(edges.size());
  graph.column_edges_.resize(edges.size());
  const auto put = [&](EdgeId place, const Edge& edge, EdgeId id) {
    graph.column_rows_[place] = edge.row;
    graph.column_edges_[place] = id;
  };
  const Digits digits = digits_for(num_columns);
  const auto column_of = [](const auto& item) { return edge_of(item).column; };
  if (digits.count == 1) {
    EdgeId id = 0;
    digit_pass(edges, digits, 0, column_of, [&](EdgeId place, const Edge& edge) { put(place, edge, id++); });
  } else {
    auto items = make_on_large_pages<NumberedEdge>(edges.size());
    EdgeId id = 0;
    digit_pass(edges, digits, 0, column_of, [&](EdgeId place, const Edge& edge) { items[place] = {edge, id++}; });
    const auto all = [&] { return std::span<const NumberedEdge>(items.get(), edges.size()); };
    for (int digit = 1; digit + 1 < digits.count; ++digit) {
      auto next = make_on_large_pages<NumberedEdge>(edges.size());
      digit_pass(all(), digits, digit, column_of, [&](EdgeId place, const NumberedEdge& item) { next[place] = item; });
      items = std::move(next);
    }
    digit_pass(all(), digits, digits.count - 1, column_of,
               [&](EdgeId place, const NumberedEdge& item) { put(place, item.edge, item.id); });
  }
  graph.weights_ = std::move(weights);
  return graph;
}

BipartiteGraph BipartiteGraph::from_dense(Vertex num_rows, Vertex num_columns, std::span<const std::int64_t> entries) {
  return dense_graph(num_rows, num_columns, entries);
}

BipartiteGraph BipartiteGraph::from_dense(Vertex num_rows, Vertex num_columns, std::span<const double> entries) {
  return dense_graph(num_rows, num_columns, entries);
}

BipartiteGraph BipartiteGraph::from_dense(Vertex num_rows, Vertex num_columns,
                                          std::span<const ComplexDoubleDouble> entries) {
  return dense_graph(num_rows, num_columns, entries);
}

std::vector<Edge> BipartiteGraph::edges() const {
  std::vector<Edge> all;
  all.reserve(row_columns_.size());
  for (Vertex r = 0; r < num_rows_; ++r) {
    for (const Vertex c : row(r)) all.push_back({r, c});
  }
  return all;
}

BipartiteGraph BipartiteGraph::pattern() const {
  BipartiteGraph graph{Empty{}};
  graph.num_rows_ = num_rows_;
  graph.num_columns_ = num_columns_;
  graph.row_offsets_ = row_offsets_;
  graph.row_columns_ = row_columns_;
  graph.column_offsets_ = column_offsets_;
  graph.column_rows_ = column_rows_;
  graph.column_edges_ = column_edges_;
  return graph;
}

BipartiteGraph BipartiteGraph::with_weights(Weights weights) const {
  check_weights(num_edges(), weights, [&](std::size_t i) { return edges()[i]; });
  BipartiteGraph graph = pattern();
  graph.weights_ = std::move(weights);
  return graph;
}

BipartiteGraph BipartiteGraph::drop_zeros() const {
  return weight_kind() == WeightKind::none ? *this : filtered(nonzeros(weights_));
}

BipartiteGraph BipartiteGraph::transposed() const {
  BipartiteGraph graph{Empty{}};
  graph.num_rows_ = num_columns_;
  graph.num_columns_ = num_rows_;
  graph.row_offsets_ = column_offsets_;
  graph.row_columns_ = column_rows_;
  graph.column_offsets_ = row_offsets_;
  graph.column_rows_ = row_columns_;
  graph.column_edges_.resize(column_edges_.size());
  for (std::size_t id = 0; id < column_edges_.size(); ++id) graph.column_edges_[column_edges_[id]] = id;
  graph.weights_ = gather(weights_, column_edges_);
  return graph;
}

BipartiteGraph BipartiteGraph::induced(std::span<const Vertex> rows, std::span<const Vertex> columns) const {
  const Places row_places(num_rows_, rows, "row");  // for its checks
  const Places column_places(num_columns_, columns, "column");
  std::vector<Edge> edges;
  std::vector<EdgeId> ids;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EdgeId id = row_begin(rows[i]);
    for (const Vertex c : row(rows[i])) {
      const Vertex place = column_places(c);
      if (place != Places::absent) {
        edges.push_back({static_cast<Vertex>(i), place});
        ids.push_back(id);
      }
      ++id;
    }
  }
  return from_edges(static_cast<Vertex>(rows.size()), static_cast<Vertex>(columns.size()), std::move(edges),
                    gather(weights_, ids));
}

BipartiteGraph BipartiteGraph::filtered(const std::vector<bool>& keep) const {
  std::vector<Edge> kept = edges();
  Weights weights = choose(keep, kept, weights_);
  return from_edges(num_rows_, num_columns_, std::move(kept), std::move(weights));
}

}  // namespace matchcount
