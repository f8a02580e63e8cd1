#pragma once
// Draws random matrices and graphs that are known before they are written, and has a slow count that tells them apart.

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "graph/input.hpp"

namespace matchcount::test::misreading {

using Complex = std::complex<double>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  int below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int chances) { return below(chances) == 0; }
  bool coin() { return below(2) == 0; }
  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

struct Entry {
  int u = 0;
  int v = 0;
  Complex value = 1;
  std::string text = "1";
};

// Holds the meaning of a file. A matrix or bipartite graph has entries (row, column), a digraph arcs, an undirected
// graph u < v and, with loops, u = v; zeros are no entries.
struct Truth {
  InputKind kind = InputKind::matrix;
  int rows = 0;
  int columns = 0;  // as many as rows, where both are the same vertices
  std::vector<Entry> entries;
  std::string zero = "0";   // as the values are spelled
  bool has_values = false;  // some is not 1
  bool has_loops = false;
  bool has_reals = false;  // or fractions or complex numbers
  bool has_complex = false;

  bool one_set() const { return kind == InputKind::undirected || kind == InputKind::directed; }
  int num_vertices() const { return kind == InputKind::undirected ? rows : rows + columns; }
  std::vector<std::vector<std::string>> cells() const {
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    std::vector<std::vector<std::string>> result(size(rows), std::vector<std::string>(size(columns), zero));
    for (const Entry& entry : entries) {
      result[size(entry.u)][size(entry.v)] = entry.text;
      if (kind == InputKind::undirected) result[size(entry.v)][size(entry.u)] = entry.text;
    }
    return result;
  }
};

// The sums over matchings of every size of the products of their values; of loops, which leave a vertex out, as well.
class Sums {
 public:
  // Edges join vertices below `num_vertices`, at most 31.
  Sums(int num_vertices, const std::vector<Entry>& edges, const std::vector<Complex>& loops)
      : edges_(static_cast<std::size_t>(num_vertices)),
        loops_(loops),
        sums_(static_cast<std::size_t>(num_vertices) + 1) {
    for (const Entry& edge : edges) edges_[static_cast<std::size_t>(std::min(edge.u, edge.v))].push_back(edge);
    add(0, 0, 1, 0);
  }
  const std::vector<Complex>& values() const { return sums_; }

 private:
  void add(std::size_t vertex, std::uint32_t used, Complex product, std::size_t size) {
    for (; vertex < edges_.size() && ((used >> vertex) & 1) != 0;) ++vertex;
    if (vertex == edges_.size()) {
      sums_[size] += product;
      return;
    }
    // A vertex may stay unmatched; if there are loops it costs its loop.
    const Complex left = loops_.empty() ? Complex(1) : loops_[vertex];
    if (left != Complex(0)) add(vertex + 1, used, product * left, size);
    for (const Entry& edge : edges_[vertex]) {
      const int other = edge.u + edge.v - static_cast<int>(vertex);
      if (((used >> other) & 1) != 0) continue;
      add(vertex + 1, used | (std::uint32_t{1} << other), product * edge.value, size + 1);
    }
  }

  std::vector<std::vector<Entry>> edges_;  // by their smaller end
  std::vector<Complex> loops_;
  std::vector<Complex> sums_;
};

// Returns the sums of a truth; `weighted`: with its values.
inline std::vector<Complex> sums_of(const Truth& truth, bool weighted) {
  std::vector<Entry> edges;
  std::vector<Complex> loops;
  if (truth.has_loops) loops.resize(static_cast<std::size_t>(truth.rows));
  for (Entry entry : truth.entries) {
    if (!weighted) entry.value = 1;
    if (truth.has_loops && entry.u == entry.v) {
      loops[static_cast<std::size_t>(entry.u)] = entry.value;
      continue;
    }
    if (truth.kind != InputKind::undirected) entry.v += truth.rows;
    edges.push_back(entry);
  }
  return Sums(truth.num_vertices(), edges, loops).values();
}

inline double to_double(const Rational& value) {
  const auto part = [](const Integer& integer) { return std::strtod(to_decimal(integer).c_str(), nullptr); };
  return part(numerator(value)) / part(denominator(value));
}

inline std::vector<Complex> values_of(const Weights& weights, const std::vector<Rational>& fractions) {
  std::vector<Complex> result;
  std::visit(
      [&](const auto& values) {
        using List = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<List, std::vector<std::int64_t>>) {
          for (const std::int64_t value : values) {
            result.push_back(fractions.empty() ? static_cast<double>(value)
                                               : to_double(fractions[static_cast<std::size_t>(value)]));
          }
        } else if constexpr (std::is_same_v<List, std::vector<DoubleDouble>>) {
          for (const DoubleDouble& value : values) result.push_back(value.hi);
        } else if constexpr (!std::is_same_v<List, std::monostate>) {
          for (const auto& value : values) result.push_back({value.re.hi, value.im.hi});
        }
      },
      weights);
  return result;
}

// The same of what was read; nothing where it is far larger than a truth.
inline std::vector<Complex> sums_of(const Input& input, bool weighted, bool has_loops) {
  const int vertices =
      static_cast<int>(input.is_bipartite() ? std::uint64_t{input.graph.num_rows()} + input.graph.num_columns()
                                            : std::uint64_t{input.undirected.num_vertices()});
  if (vertices > 24 || input.num_edges() > 100) return {};
  std::vector<Entry> edges;
  if (input.is_bipartite()) {
    const int rows = static_cast<int>(input.graph.num_rows());
    for (const Edge& edge : input.graph.edges())
      edges.push_back({static_cast<int>(edge.row), static_cast<int>(edge.column) + rows, 1, ""});
  } else {
    for (const auto& edge : input.undirected.edges())
      edges.push_back({static_cast<int>(edge.row), static_cast<int>(edge.column), 1, ""});
  }
  std::vector<Complex> loops;
  if (has_loops) loops.resize(static_cast<std::size_t>(vertices));
  if (weighted) {
    const std::vector<Complex> values =
        values_of(input.is_bipartite() ? input.graph.weights() : input.undirected.weights(), input.fractions);
    for (std::size_t i = 0; i < values.size(); ++i) edges[i].value = values[i];
  }
  if (input.loops) {
    loops = values_of(*input.loops, input.fractions);
    if (!weighted) {
      for (Complex& loop : loops) loop = loop == Complex(0) ? 0 : 1;
    }
  }
  return Sums(vertices, edges, loops).values();
}

// Rounding of decimals and of products aside.
inline bool are_equal(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= 1e-9 * (1 + std::abs(a[i])))) return false;
  }
  return true;
}

// Names how the values of a file are spelled.
enum class Style { ones, small, digits, integers, decimals, places, scientific, fractions, complex };

inline Entry random_value(Dice& dice, Style style) {
  char text[64];
  Entry entry;
  const double tenths = dice.between(1, 99) / 10.0 * (dice.one_in(6) ? -1 : 1);
  switch (style) {
    case Style::ones:
      return entry;
    case Style::small:
      entry.value = dice.between(1, 3);
      break;
    case Style::digits:
      entry.value = dice.between(1, 9);
      break;
    case Style::integers:
      entry.value = dice.between(1, 60) * (dice.one_in(8) ? -1 : 1);
      break;
    case Style::decimals:  // as short as they can be: 2 and 0.5
      std::snprintf(text, sizeof text, "%.10g",
                    dice.coin() ? std::ceil(tenths) + (tenths < 0 && tenths > -1) * -1 : tenths);
      entry.text = text;
      entry.value = std::stod(entry.text);
      return entry;
    case Style::places:
      std::snprintf(text, sizeof text, "%.4f", tenths);
      entry.text = text;
      entry.value = std::stod(entry.text);
      return entry;
    case Style::scientific:  // numpy.savetxt
      std::snprintf(text, sizeof text, "%.18e", tenths);
      entry.text = text;
      entry.value = tenths;
      return entry;
    case Style::fractions: {
      const int above = dice.between(1, 5), below = dice.between(1, 4);
      entry.text = std::to_string(above) + (below == 1 ? "" : "/" + std::to_string(below));
      entry.value = static_cast<double>(above) / below;
      return entry;
    }
    case Style::complex:
      entry.value = {static_cast<double>(dice.between(-4, 4)), static_cast<double>(dice.between(1, 4))};
      std::snprintf(text, sizeof text, dice.coin() ? "%g%+gj" : "(%g%+gj)", entry.value.real(), entry.value.imag());
      entry.text = text;
      return entry;
  }
  entry.text = std::to_string(static_cast<int>(entry.value.real()));
  return entry;
}

inline Truth random_truth(Dice& dice) {
  Truth truth;
  constexpr InputKind kinds[] = {InputKind::matrix,     InputKind::matrix,     InputKind::bipartite,
                                 InputKind::undirected, InputKind::undirected, InputKind::directed};
  truth.kind = dice.pick(kinds);
  const bool undirected = truth.kind == InputKind::undirected;
  truth.rows = undirected ? dice.between(2, 7) : dice.between(1, dice.one_in(8) ? 6 : 4);
  truth.columns = truth.one_set() || dice.one_in(3) ? truth.rows : dice.between(1, dice.one_in(8) ? 6 : 4);
  truth.has_loops = undirected && dice.one_in(8);
  constexpr Style styles[] = {Style::ones,       Style::ones,      Style::small,    Style::digits,
                              Style::digits,     Style::integers,  Style::decimals, Style::places,
                              Style::scientific, Style::fractions, Style::complex};
  Style style = dice.pick(styles);
  // Complex numbers have a place in every format of a matrix alone.
  if (style == Style::complex && truth.kind != InputKind::matrix) style = Style::ones;
  truth.has_values = style != Style::ones;
  truth.has_reals = style >= Style::decimals;
  truth.has_complex = style == Style::complex;
  if (style == Style::scientific) truth.zero = "0.000000000000000000e+00";
  if (style == Style::places) truth.zero = "0.0000";
  const int density = dice.between(2, 10);  // tenths
  for (int u = 0; u < truth.rows; ++u) {
    for (int v = undirected ? u + !truth.has_loops : 0; v < truth.columns; ++v) {
      if (dice.below(10) >= density) continue;
      Entry entry = random_value(dice, style);
      entry.u = u;
      entry.v = v;
      truth.entries.push_back(entry);
    }
  }
  return truth;
}

}  // namespace matchcount::test::misreading
