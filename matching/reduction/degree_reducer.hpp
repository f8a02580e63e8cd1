#pragma once
// Takes vertices of degree 1 and 2 out of a graph, with or without sides, whose edges have entries: exact integers
// within bounds, or reals and complex numbers with their magnitudes.
//
// Holds a graph that changes: every edge is a node of two circular doubly linked lists, those of its ends, so that an
// edge is removed or moved to another vertex in O(1). Whether the merged vertex already has an edge to another is
// found by walking the lists of both side by side, at the cost of the shorter one; an edge once found becomes the head
// of its lists, and is found at once when many merges meet in the same two vertices.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "graph/vertices.hpp"
#include "matching/reduce.hpp"

namespace matchcount::reduction {

__extension__ using int128 = __int128;

// A merge computes by number type:
// is_one(w); combine(w, x, v, y) = w x + v y, scale(w, x) = w x, nothing where the result does not fit;
// take_factor(w, v, expensive): divides both by a common factor, so that w is positive or better still 1, and returns
// it; expensive: there are many products with w to come; is_zero(x): drop the edge.

inline bool is_one(std::int64_t w) { return w == 1; }
inline bool is_zero(std::int64_t x) { return x == 0; }

inline std::optional<std::int64_t> fitting(int128 value) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (value > limit || value < -limit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}
inline std::optional<std::int64_t> scale(std::int64_t w, std::int64_t x) { return fitting(int128{w} * x); }
inline std::optional<std::int64_t> combine(std::int64_t w, std::int64_t x, std::int64_t v, std::int64_t y) {
  int128 sum = 0;
  if (__builtin_add_overflow(int128{w} * x, int128{v} * y, &sum)) return std::nullopt;
  return fitting(sum);
}
inline std::int64_t take_factor(std::int64_t& w, std::int64_t& v, bool /*expensive*/) {
  if (w == std::numeric_limits<std::int64_t>::min() || v == std::numeric_limits<std::int64_t>::min()) return 1;
  std::int64_t factor = std::gcd(w, v);
  if (w < 0) factor = -factor;
  w /= factor;
  v /= factor;
  return factor;
}

// Bounds |x| of a product or sum of two magnitudes in double arithmetic.
inline double rounded_up(double magnitude) { return magnitude * (1 + 0x1p-50); }
inline bool in_range(double magnitude) { return magnitude >= 0x1p-500 && magnitude <= 0x1p500; }

template <class Entry>
concept Inexact = requires(Entry entry) {
  entry.magnitude;
};

template <Inexact Entry>
inline bool is_one(const Entry& w) {
  return w.value == decltype(w.value)(1.0) && w.magnitude == 1;
}
template <Inexact Entry>
inline bool is_zero(const Entry&) {
  return false;
}
template <Inexact Entry>
std::optional<Entry> scale(const Entry& w, const Entry& x) {
  const double magnitude = rounded_up(w.magnitude * x.magnitude);
  if (!in_range(magnitude)) return std::nullopt;
  return Entry{w.value * x.value, magnitude};
}
template <Inexact Entry>
std::optional<Entry> combine(const Entry& w, const Entry& x, const Entry& v, const Entry& y) {
  const double magnitude = rounded_up(w.magnitude * x.magnitude + v.magnitude * y.magnitude);
  if (!in_range(magnitude)) return std::nullopt;
  return Entry{w.value * x.value + v.value * y.value, magnitude};
}
inline DoubleDouble quotient(DoubleDouble v, DoubleDouble w) { return v / w; }
inline ComplexDoubleDouble quotient(const ComplexDoubleDouble& v, const ComplexDoubleDouble& w) {
  const ComplexDoubleDouble product = v * ComplexDoubleDouble(w.re, -w.im);
  const DoubleDouble norm = w.re * w.re + w.im * w.im;
  return {product.re / norm, product.im / norm};
}

// Dividing by w adds a rounding error, so it is done only where that makes a merge with a hub cheap; and the bound by
// magnitudes stays tight only where w is not what a cancellation left over.
template <Inexact Entry>
Entry take_factor(Entry& w, Entry& v, bool expensive) {
  const Entry one{1.0, 1};
  const double size = magnitude(w.value);
  const bool safe = size >= w.magnitude * (1 - 0x1p-40) && size >= 0x1p-200 && size <= 0x1p200;
  if (!expensive || !safe) return one;
  v = {quotient(v.value, w.value), rounded_up(v.magnitude / std::min(size, w.magnitude))};
  return std::exchange(w, one);
}

template <class Entry>
class DegreeReducer {
 public:
  // Reduces the active vertices only; no edge joins one of them to another. Edges ascend, row < column in each: columns
  // of a graph with sides have numbers behind those of its rows.
  DegreeReducer(const std::vector<Edge>& edges, const std::vector<Entry>& entries, std::vector<bool> active,
                const ReduceOptions& options, const RunContext& run)
      : options_(options),
        steps_(run),
        alive_(std::move(active)),
        waiting_(alive_.size(), false),
        head_(alive_.size(), none),
        degree_(alive_.size(), 0),
        edges_(edges.size()) {
    if (edges.size() >= none) throw Unable("reducing more than 2^32 - 2 edges by degrees");
    // From the last to the first, since each goes to the front.
    for (Index edge = static_cast<Index>(edges.size()); edge-- > 0;) {
      const auto [u, v] = edges[edge];
      if (!alive_[u]) continue;
      edges_[edge] = {{u, v}, {}, entries[edge]};
      link(edge, u);
      link(edge, v);
    }
    for (Vertex v = 0; v < alive_.size(); ++v) enqueue(v);
  }

  // Reduces, and adds to the counts and factors; false if no perfect matching is left.
  bool run(ReductionCounts& counts, std::vector<Entry>& factors) {
    const bool is_possible = reduce_all();
    counts.degree1 += 2 * num_forced_;
    counts.degree2 += 2 * num_merges_;
    if (!is_possible) return false;
    factors.insert(factors.end(), factors_.begin(), factors_.end());
    if (negative_) factors.push_back(minus_one());
    return true;
  }

  bool cancelled() const { return cancelled_; }
  // Says whether a vertex went.
  bool changed() const { return num_forced_ > 0 || num_merges_ > 0; }

  // Returns the vertices that are left, ascending, and the edges between them by their places there, ascending.
  struct Left {
    std::vector<Vertex> vertices;
    std::vector<Edge> edges;
    std::vector<Entry> entries;
  };
  Left left() const {
    Left left;
    std::vector<Vertex> place(alive_.size());
    for (Vertex v = 0; v < alive_.size(); ++v) {
      if (alive_[v]) place[v] = appended(left.vertices, v);
    }
    std::vector<Index> of_vertex;
    for (const Vertex v : left.vertices) {
      of_vertex.clear();
      for_each_edge(v, [&](Index edge) {
        if (other(edge, v) > v) of_vertex.push_back(edge);
      });
      std::ranges::sort(of_vertex, {}, [&](Index edge) { return other(edge, v); });
      for (const Index edge : of_vertex) {
        left.edges.push_back({place[v], place[other(edge, v)]});
        left.entries.push_back(edges_[edge].entry);
      }
    }
    return left;
  }

 private:
  bool reduce_all() {
    while (!queue_.empty()) {
      steps_.step();
      const Vertex v = queue_.front();
      queue_.pop_front();
      waiting_[v] = false;
      if (!alive_[v]) continue;
      if (degree_[v] == 0) return false;
      if (degree_[v] == 1 && options_.degree1) {
        force(v);
      } else if (degree_[v] == 2 && options_.degree2) {
        merge_neighbours(v);
      }
    }
    return true;
  }

  using Index = std::uint32_t;
  static constexpr Vertex hub_degree = 64;  // above it, a merge should not visit every edge
  static constexpr Index none = std::numeric_limits<Index>::max();
  struct Link {
    Index next, previous;
  };
  struct EdgeNode {
    std::array<Vertex, 2> end;
    std::array<Link, 2> link;  // in the lists of these
    Entry entry;
  };

  static Entry minus_one() {
    if constexpr (Inexact<Entry>) {
      return {-1.0, 1};
    } else {
      return -1;
    }
  }

  Vertex other(Index edge, Vertex v) const { return edges_[edge].end[edges_[edge].end[0] == v]; }
  Link& at(Index edge, Vertex v) { return edges_[edge].link[edges_[edge].end[1] == v]; }
  Index next(Index edge, Vertex v) const { return edges_[edge].link[edges_[edge].end[1] == v].next; }

  void enqueue(Vertex v) {
    if (!alive_[v] || waiting_[v] || degree_[v] > 2) return;
    waiting_[v] = true;
    queue_.push_back(v);
  }

  // Puts the edge at the front of the list of this end.
  void link(Index edge, Vertex v) {
    Index& head = head_[v];
    if (head == none) {
      at(edge, v) = {edge, edge};
    } else {
      const Index last = at(head, v).previous;
      at(edge, v) = {head, last};
      at(last, v).next = edge;
      at(head, v).previous = edge;
    }
    head = edge;
    ++degree_[v];
  }

  void unlink(Index edge, Vertex v) {
    const auto [after, before] = at(edge, v);
    at(before, v).next = after;
    at(after, v).previous = before;
    if (head_[v] == edge) head_[v] = after == edge ? none : after;
    --degree_[v];
  }

  template <class Body>
  void for_each_edge(Vertex v, Body&& body) const {
    const Index head = head_[v];
    if (head == none) return;
    Index edge = head;
    do {
      const Index after = next(edge, v);
      body(edge);
      edge = after;
    } while (edge != head);
  }

  // Returns the edge between two vertices, or none.
  Index find(Vertex u, Vertex v) {
    if (head_[u] == none || head_[v] == none) return none;
    Index of_u = head_[u], of_v = head_[v];
    while (other(of_u, u) != v) {
      if (other(of_v, v) == u) {
        of_u = of_v;
        break;
      }
      of_u = next(of_u, u);
      of_v = next(of_v, v);
      if (of_u == head_[u] || of_v == head_[v]) return none;
    }
    return head_[u] = head_[v] = of_u;
  }

  void add_factor(const Entry& factor) {
    if (is_one(factor)) return;
    if constexpr (!Inexact<Entry>) {
      if (factor == -1) {
        negative_ = !negative_;
        return;
      }
    }
    factors_.push_back(factor);
  }

  // The only edge of the vertex is in every perfect matching.
  void force(Vertex v) {
    const Vertex partner = other(head_[v], v);
    add_factor(edges_[head_[v]].entry);
    ++num_forced_;
    alive_[v] = alive_[partner] = false;
    for_each_edge(partner, [&](Index edge) {
      unlink(edge, other(edge, partner));
      enqueue(other(edge, partner));
    });
  }

  // The vertex has two neighbours: `kept`, of larger degree, takes up `gone`. With w the entry at `gone` and x that at
  // `kept`, the new entries are w * (entry of kept) + x * (entry of gone). An edge between the two is in no perfect
  // matching, and goes. Changes nothing where an entry would not fit.
  void merge_neighbours(Vertex v) {
    Index kept_edge = head_[v];
    Index gone_edge = next(kept_edge, v);
    const auto rank = [&](Index edge) { return std::pair(degree_[other(edge, v)], ~other(edge, v)); };
    if (rank(kept_edge) < rank(gone_edge)) std::swap(kept_edge, gone_edge);
    const Vertex kept = other(kept_edge, v);
    const Vertex gone = other(gone_edge, v);
    Entry w = edges_[gone_edge].entry;
    Entry x = edges_[kept_edge].entry;
    const Entry factor = take_factor(w, x, degree_[kept] > hub_degree);
    const bool scales_kept = !is_one(w);

    bool fits = true;
    if (scales_kept) {
      const Index head = head_[kept];
      Index edge = head;
      do {
        if (edge != kept_edge && other(edge, kept) != gone && !scale(w, edges_[edge].entry)) {
          head_[kept] = edge;  // the next merge that fails here fails at once
          fits = false;
          break;
        }
        edge = next(edge, kept);
      } while (edge != head);
    }
    merged_.clear();
    Index between = none;
    for (Index edge = next(gone_edge, gone); fits && edge != gone_edge; edge = next(edge, gone)) {
      if (other(edge, gone) == kept) {
        between = edge;
        continue;
      }
      const Index partner = find(other(edge, gone), kept);
      const auto entry =
          partner == none ? scale(x, edges_[edge].entry) : combine(w, edges_[partner].entry, x, edges_[edge].entry);
      fits = entry.has_value();
      if (fits) merged_.push_back({edge, partner, *entry});
    }
    if (!fits) return;

    add_factor(factor);
    ++num_merges_;
    alive_[v] = alive_[gone] = false;
    unlink(kept_edge, kept);
    if (between != none) unlink(between, kept);
    if (scales_kept) {
      for_each_edge(kept, [&](Index edge) { edges_[edge].entry = *scale(w, edges_[edge].entry); });
    }
    for (const auto& [edge, partner, entry] : merged_) {
      const Vertex far = other(edge, gone);
      if (partner == none) {
        edges_[edge].end[edges_[edge].end[1] == gone] = kept;
        edges_[edge].entry = entry;
        link(edge, kept);
      } else {
        unlink(edge, far);
        edges_[partner].entry = entry;
        if (is_zero(entry)) {
          unlink(partner, far);
          unlink(partner, kept);
          cancelled_ = true;
        }
      }
      enqueue(far);
    }
    enqueue(kept);
  }

  struct MergedEdge {
    Index edge;     // of `gone`
    Index partner;  // the edge of `kept` to the same vertex, or none
    Entry entry;
  };

  const ReduceOptions& options_;
  StepCheck steps_;
  std::vector<bool> alive_;
  std::vector<bool> waiting_;  // in the queue
  std::vector<Index> head_;
  std::vector<Vertex> degree_;
  std::vector<EdgeNode> edges_;
  std::deque<Vertex> queue_;
  std::vector<MergedEdge> merged_;
  std::vector<Entry> factors_;
  bool negative_ = false;
  bool cancelled_ = false;
  Vertex num_forced_ = 0;
  Vertex num_merges_ = 0;
};

// Puts those of most vertices first, then those of most edges.
template <class AnyBlock>
void sort_by_size(std::vector<AnyBlock>& blocks) {
  std::ranges::stable_sort(blocks, std::ranges::greater{}, [](const AnyBlock& block) {
    return std::pair(num_vertices(block.pattern), block.entries.size());
  });
}

// Counts the vertices of degree 2, which stay for one reason only.
template <class AnyBlock>
Vertex count_refused(const std::vector<AnyBlock>& blocks) {
  Vertex refused = 0;
  for (const AnyBlock& block : blocks) {
    for (Vertex v = 0; v < num_vertices(block.pattern); ++v) refused += degree(block.pattern, v) == 2;
  }
  return refused;
}

}  // namespace matchcount::reduction
