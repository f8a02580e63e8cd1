// Large sparse matrices are mostly eliminated as lists: the pivot of a row or column with one or two ones adds at most
// one one for each that it takes away. What is left falls into parts, each with a dense matrix of its own.

#include "linear/parity.hpp"

#include <functional>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/fit.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount {
namespace {

// Elimination of fewer rows takes next to nothing, and lists of more ones a row take more than they save.
constexpr std::size_t large = 4096, ones_a_row = 8;

bool is_odd(std::size_t n, const RunContext& run, ParityReport* report, const std::function<BitMatrix()>& matrix) {
  require_memory("the parity of a matrix", n, binary_determinant_bytes, run);
  if (report != nullptr && !report->gpu) report->gpu = binary_determinant_gpu(n, run);
  return binary_determinant(matrix(), run);
}

// The determinant modulo 2 of a sparse matrix, from the places of its ones. Rows have the numbers below n, columns
// those from n on.
class SparseBits {
 public:
  SparseBits(Vertex n, const RunContext& run, ParityReport* report)
      : n_(n), steps_(run), report_(report), lists_(2 * std::size_t{n}), degree_(lists_.size()), done_(lists_.size()) {}

  // A one becomes a zero, and a zero a one.
  void flip(Vertex u, Vertex v) {
    if (ones_.insert(key(u, v)).second) {
      for (const auto& [end, other] : {std::pair(u, v), std::pair(v, u)}) {
        ++degree_[end];
        lists_[end].push_back(other);
      }
    } else {
      ones_.erase(key(u, v));
      for (const Vertex end : {u, v}) {
        if (--degree_[end] <= 2) narrow_.push_back(end);
      }
    }
  }

  bool is_odd() {
    for (Vertex v = 0; v < done_.size(); ++v) {
      if (degree_[v] <= 2) narrow_.push_back(v);
    }
    while (!narrow_.empty()) {
      const Vertex v = narrow_.back();
      narrow_.pop_back();
      if (done_[v] || degree_[v] > 2) continue;
      if (degree_[v] == 0) return false;
      eliminate(v);
    }
    std::vector<Vertex> place(done_.size());
    for (Vertex v = 0; v < done_.size(); ++v) {
      if (!done_[v] && !is_part_odd(v, place)) return false;
    }
    return true;
  }

 private:
  std::uint64_t key(Vertex u, Vertex v) const {
    return u < v ? std::uint64_t{u} << 32 | v : std::uint64_t{v} << 32 | u;
  }
  bool has(Vertex u, Vertex v) const { return ones_.contains(key(u, v)); }

  // Takes out a line with one or two ones, and the shorter one of the lines that cross it there. Lists name some lines
  // that are crossed no more, or twice.
  void eliminate(Vertex v) {
    Vertex pivot = v, other = v;
    for (const Vertex u : lists_[v]) {
      if (u != pivot && has(u, v)) (pivot == v ? pivot : other) = u;
    }
    if (other != v && degree_[other] < degree_[pivot]) std::swap(pivot, other);
    done_[v] = done_[pivot] = true;
    flip(v, pivot);
    if (other != v) flip(v, other);
    for (const Vertex u : std::exchange(lists_[pivot], {})) {
      steps_.step();
      if (!has(u, pivot)) continue;
      flip(u, pivot);
      if (other != v) flip(u, other);
    }
    lists_[v] = {};
  }

  // Takes the lines that are connected with one, which are done then.
  bool is_part_odd(Vertex first, std::vector<Vertex>& place) {
    std::vector<Vertex> part{first};
    Vertex sizes[2] = {0, 0};
    done_[first] = true;
    for (std::size_t i = 0; i < part.size(); ++i) {
      steps_.step();
      const Vertex v = part[i];
      place[v] = sizes[v < n_]++;
      for (const Vertex u : lists_[v]) {
        if (done_[u] || !has(u, v)) continue;
        done_[u] = true;
        part.push_back(u);
      }
    }
    if (sizes[0] != sizes[1]) return false;
    return matchcount::is_odd(sizes[0], steps_.run(), report_, [&] {
      BitMatrix matrix(sizes[0], sizes[0]);
      for (const Vertex v : part) {
        if (v >= n_) continue;
        for (const Vertex u : lists_[v]) {
          if (has(u, v)) matrix.set(place[v], place[u], true);
        }
      }
      return matrix;
    });
  }

  Vertex n_;
  StepCheck steps_;
  ParityReport* report_;
  std::unordered_set<std::uint64_t> ones_;
  std::vector<std::vector<Vertex>> lists_;
  std::vector<Vertex> degree_, narrow_;
  std::vector<bool> done_;
};

// `both_ways`: an edge stands at two places.
template <class Graph>
bool is_odd(const Graph& graph, Vertex n, bool both_ways, const RunContext& run, ParityReport* report) {
  const auto* const weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  const bool are_integers = weights != nullptr || graph.weight_kind() == WeightKind::none;
  constexpr Vertex too_large = Vertex{1} << 31;  // for numbers of rows and columns together
  if (n <= large || n >= too_large || graph.num_edges() > ones_a_row * n || !are_integers)
    return is_odd(n, run, report, [&] { return BitMatrix::modulo_two(graph, run); });
  constexpr double bytes_a_row = 64, bytes_a_one = 100;
  const double ones = static_cast<double>(graph.num_edges()) * (both_ways ? 2 : 1) / n;
  const auto bytes = [&](std::size_t rows) { return (bytes_a_row + bytes_a_one * ones) * static_cast<double>(rows); };
  require_memory("the parity of a sparse matrix", n, bytes, run);
  SparseBits bits(n, run, report);
  const std::vector<Edge>& edges = graph.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    if (weights != nullptr && ((*weights)[id] & 1) == 0) continue;
    const auto [u, v] = edges[id];
    bits.flip(u, n + v);
    if (both_ways) bits.flip(v, n + u);
  }
  return bits.is_odd();
}

}  // namespace

bool permanent_is_odd(const BipartiteGraph& matrix, const RunContext& run, ParityReport* report) {
  if (matrix.num_rows() != matrix.num_columns()) throw InputError("a matrix that is not square", "a square matrix");
  return is_odd(matrix, matrix.num_rows(), false, run, report);
}

bool hafnian_is_odd(const UndirectedGraph& graph, const RunContext& run, ParityReport* report) {
  return graph.num_vertices() % 2 == 0 && is_odd(graph, graph.num_vertices(), true, run, report);
}

}  // namespace matchcount
