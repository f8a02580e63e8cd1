#include "permanent/engine/small_graphs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/error.hpp"

namespace matchcount {
namespace {

constexpr Vertex max_vertices = 32;
// A call takes some 20 ns: more is not worth it without structure.
constexpr int max_calls = 2000;
// From so few vertices on, choosing one takes longer than it saves.
constexpr int few_vertices = 6;

using Mask = std::uint32_t;

class SmallGraph {
 public:
  // The edges join vertices from 0 on; `shift` is added to their second ends.
  SmallGraph(Vertex num_vertices, const std::vector<Edge>& edges, Vertex shift,
             const std::vector<std::int64_t>& weights)
      : num_vertices_(num_vertices) {
    for (Vertex v = 0; v < num_vertices; ++v) std::fill_n(weights_[v].begin(), num_vertices, 0);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Vertex u = edges[i].row, v = edges[i].column + shift;
      neighbours_[u] |= Mask{1} << v;
      neighbours_[v] |= Mask{1} << u;
      weights_[u][v] = weights_[v][u] = weights[i];
      const auto is_odd = static_cast<Mask>(weights[i] & 1);
      odd_[u] |= is_odd << v;
      odd_[v] |= is_odd << u;
    }
  }

  std::optional<std::int64_t> count() {
    const std::int64_t sum = sum_over(all(), static_cast<int>(num_vertices_));
    if (sum == 0 || calls_ > max_calls) return std::nullopt;
    if (((sum & 1) != 0) != is_odd())
      throw Error("the number of matchings of a small graph has not the parity of the determinant; please report it");
    return sum;
  }

 private:
  Mask all() const { return num_vertices_ == max_vertices ? ~Mask{0} : (Mask{1} << num_vertices_) - 1; }

  // The vertex among those left that has the fewest neighbours among them.
  int branching_vertex(Mask left) const {
    int best = std::countr_zero(left), fewest = max_vertices;
    for (Mask rest = left; rest != 0 && fewest > 1; rest &= rest - 1) {
      const int v = std::countr_zero(rest), degree = std::popcount(neighbours_[v] & left);
      if (degree < fewest) fewest = degree, best = v;
    }
    return best;
  }

  // `size` vertices are left, 2 or more.
  std::int64_t sum_over(Mask left, int size) {
    if (++calls_ > max_calls) return 0;
    const int v = size > few_vertices ? branching_vertex(left) : std::countr_zero(left);
    const Mask others = left & ~(Mask{1} << v);
    if (size == 2) return weights_[v][std::countr_zero(others)];
    if (size == 4) {
      const int a = std::countr_zero(others), c = std::bit_width(others) - 1;
      const int b = std::countr_zero(others & (others - 1));
      const auto& of_v = weights_[v];
      return of_v[a] * weights_[b][c] + of_v[b] * weights_[a][c] + of_v[c] * weights_[a][b];
    }
    std::int64_t sum = 0;
    for (Mask rest = neighbours_[v] & others; rest != 0; rest &= rest - 1) {
      const int u = std::countr_zero(rest);
      sum += weights_[v][u] * sum_over(others & ~(Mask{1} << u), size - 2);
    }
    return sum;
  }

  // Eliminates the matrix modulo 2, two vertices at a time, as for a Pfaffian.
  bool is_odd() {
    for (Mask left = all(); left != 0;) {
      const int v = std::countr_zero(left);
      left &= left - 1;
      const Mask of_v = odd_[v] & left;
      if (of_v == 0) return false;
      const int u = std::countr_zero(of_v);
      left &= ~(Mask{1} << u);
      const Mask of_u = odd_[u] & left;
      for (Mask rest = of_v & left; rest != 0; rest &= rest - 1) odd_[std::countr_zero(rest)] ^= of_u;
      for (Mask rest = of_u; rest != 0; rest &= rest - 1) odd_[std::countr_zero(rest)] ^= of_v;
    }
    return true;
  }

  Vertex num_vertices_;
  int calls_ = 0;
  std::array<Mask, max_vertices> neighbours_{}, odd_{};                       // by edges; by those of odd weights
  std::array<std::array<std::int64_t, max_vertices>, max_vertices> weights_;  // 0 where there is no edge
};

// There are at most (n - 1)!! perfect matchings of n vertices.
bool sums_fit(Vertex num_vertices, const std::vector<std::int64_t>& weights) {
  double largest = 1, bound = 1;
  for (const std::int64_t weight : weights) largest = std::max(largest, std::abs(static_cast<double>(weight)));
  for (Vertex n = num_vertices; n > 0; n -= 2) bound *= largest * (n - 1);
  return bound < 0x1.dp62;
}

}  // namespace

std::optional<std::int64_t> small_count(const BipartiteGraph& graph, const std::vector<std::int64_t>& weights) {
  const Vertex rows = graph.num_rows();
  if (rows == 0 || rows != graph.num_columns() || 2 * rows > max_vertices || !sums_fit(2 * rows, weights))
    return std::nullopt;
  return SmallGraph(2 * rows, graph.edges(), rows, weights).count();
}

std::optional<std::int64_t> small_count(const UndirectedGraph& graph, const std::vector<std::int64_t>& weights) {
  const Vertex n = graph.num_vertices();
  if (n == 0 || n % 2 != 0 || n > max_vertices || !sums_fit(n, weights)) return std::nullopt;
  return SmallGraph(n, graph.edges(), 0, weights).count();
}

}  // namespace matchcount
