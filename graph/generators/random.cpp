// Random graphs, and random weights. They draw from Random only and use no function of the mathematical library whose
// last bit differs between systems (of square roots it is prescribed): the same seed gives the same graph everywhere.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/generators/families.hpp"

namespace matchcount {

using generators::check_size;
using generators::times;

namespace {

void check_density(double density) {
  if (!(density >= 0 && density <= 1)) throw InputError("density " + std::to_string(density), "a density in [0, 1]");
}

// Draws how many failures come before the next success in a sequence of independent trials: the largest k with q^k > u,
// u uniform in [0, 1), found digit by digit from the powers q^(2^i) by multiplications and comparisons only. Many at a
// time, since each is one long chain of dependent steps.
class Gaps {
 public:
  static constexpr std::size_t batch = 16;

  explicit Gaps(double probability) {
    double power = 1 - probability;
    while (power > 0x1p-60 && count_ < powers_.size()) {
      powers_[count_++] = power;
      power *= power;
    }
  }

  std::array<std::uint64_t, batch> next(Random& random) const {
    std::array<double, batch> u;
    for (double& value : u) value = random.uniform();
    std::array<double, batch> reached;
    reached.fill(1);
    std::array<std::uint64_t, batch> gaps{};
    for (std::size_t i = count_; i-- > 0;) {
      for (std::size_t k = 0; k < batch; ++k) {
        const double further = reached[k] * powers_[i];
        const bool take = further > u[k];
        reached[k] = take ? further : reached[k];
        gaps[k] |= std::uint64_t{take} << i;
      }
    }
    return gaps;
  }

 private:
  std::array<double, 63> powers_{};
  std::size_t count_ = 0;
};

// Calls skip(gap) for each of `pairs` trials that succeeds, with the number of those that failed since the one before.
template <class Skip>
void for_each_success(std::uint64_t pairs, double density, std::uint64_t seed, const Skip& skip) {
  if (!(1 - density < 1)) return;
  const Gaps gaps(density);
  Random random(seed);
  for (std::uint64_t left = pairs;;) {  // not yet decided
    for (const std::uint64_t gap : gaps.next(random)) {
      if (gap >= left) return;
      left -= gap + 1;
      skip(gap);
    }
  }
}

// Returns room for the edges that are drawn of so many on average.
std::vector<Edge> room_for(double expected) {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 4));
  return edges;
}

// Bipartite multigraph with `degree` stubs a row, every column in `degree` of them.
class RegularStubs {
 public:
  RegularStubs(Vertex size, Vertex degree, std::uint64_t seed)
      : size_(size), degree_(degree), columns_(std::size_t{size} * degree) {
    std::vector<Vertex> permutation(size);
    for (Vertex k = 0; k < degree; ++k) {
      Random random(seed, k);
      for (Vertex i = 0; i < size; ++i) {
        const auto j = static_cast<Vertex>(random.below(std::uint64_t{i} + 1));
        permutation[i] = permutation[j];
        permutation[j] = i;
      }
      for (Vertex row = 0; row < size; ++row) columns_[std::size_t{row} * degree + k] = permutation[row];
    }
    if (std::uint64_t{degree} * 8 >= size && degree <= std::numeric_limits<std::uint16_t>::max()) {
      table_.assign(std::size_t{size} * size, 0);
      for (std::size_t stub = 0; stub < columns_.size(); ++stub) ++table_[cell(row_of(stub), columns_[stub])];
    }
  }

  // Replaces repeated edges (r, c) and a random (r', c') by (r, c') and (r', c) where neither exists, until none is
  // left. With degree <= size / 2 such an edge exists: of the >= d (n - d + 1) stubs on columns away from r at most d
  // (d - 1) are on rows next to c. Each switch lowers the number of repeated edges.
  void make_simple(std::uint64_t seed) {
    Random random(seed, degree_);
    for (const std::size_t stub : repeated_stubs()) {
      const Vertex row = row_of(stub);
      const Vertex column = columns_[stub];
      while (multiplicity(row, column) > 1) {
        const std::size_t other = random.below(columns_.size());
        const Vertex other_row = row_of(other);
        const Vertex other_column = columns_[other];
        if (multiplicity(row, other_column) > 0 || multiplicity(other_row, column) > 0) continue;
        replace(stub, other_column);
        replace(other, column);
        break;
      }
    }
  }

  // Lists the edges row by row, ascending; with `complement` the pairs that are no edges.
  std::vector<Edge> edges(bool complement) {
    std::vector<Edge> all;
    all.reserve(std::size_t{size_} * (complement ? size_ - degree_ : degree_));
    for (Vertex row = 0; row < size_; ++row) {
      const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * degree_);
      const auto last = first + degree_;
      std::sort(first, last);
      if (!complement) {
        for (auto column = first; column != last; ++column) all.push_back({row, *column});
        continue;
      }
      auto taken = first;
      for (Vertex column = 0; column < size_; ++column) {
        if (taken != last && *taken == column) {
          ++taken;
        } else {
          all.push_back({row, column});
        }
      }
    }
    return all;
  }

 private:
  Vertex row_of(std::size_t stub) const { return static_cast<Vertex>(stub / degree_); }
  std::size_t cell(Vertex row, Vertex column) const { return std::size_t{row} * size_ + column; }

  std::size_t multiplicity(Vertex row, Vertex column) const {
    if (!table_.empty()) return table_[cell(row, column)];
    const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * degree_);
    return static_cast<std::size_t>(std::count(first, first + degree_, column));
  }

  void replace(std::size_t stub, Vertex column) {
    if (!table_.empty()) {
      --table_[cell(row_of(stub), columns_[stub])];
      ++table_[cell(row_of(stub), column)];
    }
    columns_[stub] = column;
  }

  // Returns all stubs of an edge but one, for every repeated edge.
  std::vector<std::size_t> repeated_stubs() const {
    std::vector<std::size_t> repeated;
    std::vector<std::pair<Vertex, std::size_t>> of_row(degree_);
    for (Vertex row = 0; row < size_; ++row) {
      for (Vertex k = 0; k < degree_; ++k) {
        const std::size_t stub = std::size_t{row} * degree_ + k;
        of_row[k] = {columns_[stub], stub};
      }
      std::sort(of_row.begin(), of_row.end());
      for (Vertex k = 1; k < degree_; ++k) {
        if (of_row[k].first == of_row[k - 1].first) repeated.push_back(of_row[k].second);
      }
    }
    return repeated;
  }

  Vertex size_;
  Vertex degree_;
  std::vector<Vertex> columns_;       // of stub row * degree + k
  std::vector<std::uint16_t> table_;  // multiplicity of every pair where degrees are large; else empty
};

// Returns the natural logarithm of 0 < x < 1 by the four operations, to a few units in the last place.
double natural_logarithm(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < 0.70710678118654752) {
    fraction *= 2;
    --exponent;
  }
  // log((1 + z) / (1 - z)) = 2 (z + z^3 / 3 + z^5 / 5 + ..), |z| < 0.172.
  const double z = (fraction - 1) / (fraction + 1);
  const double square = z * z;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  constexpr double log_2 = 0.69314718055994531;
  return 2 * z * sum + exponent * log_2;
}

// Two independent normal numbers (Marsaglia and Bray 1964, doi:10.1137/1006063).
std::array<double, 2> normal_pair(Random& random) {
  for (;;) {
    const double a = 2 * random.uniform() - 1, b = 2 * random.uniform() - 1;
    const double square = a * a + b * b;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * natural_logarithm(square) / square);
    return {a * factor, b * factor};
  }
}

Weights random_weights(std::size_t count, const RandomWeights& weights, std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x77656967;  // apart from the streams of the graphs
  Random random(seed, stream);
  const auto fill = [&](auto&& draw) -> Weights {
    std::vector<decltype(draw())> values;
    values.reserve(count);
    while (values.size() < count) values.push_back(draw());
    return values;
  };
  switch (weights.law) {
    case RandomWeights::Law::uniform:
      return fill([&] { return DoubleDouble(random.uniform()); });
    case RandomWeights::Law::normal:
      return fill([&] { return DoubleDouble(normal_pair(random)[0]); });
    case RandomWeights::Law::complex:
      return fill([&] {
        constexpr double root_half = 0.70710678118654752;
        const auto [re, im] = normal_pair(random);
        return ComplexDoubleDouble(re * root_half, im * root_half);
      });
    case RandomWeights::Law::signs:
      return fill([&] { return random.below(2) == 0 ? std::int64_t{-1} : std::int64_t{1}; });
    case RandomWeights::Law::integers:
      break;
  }
  if (weights.low > weights.high) {
    throw InputError("integers from " + std::to_string(weights.low) + " to " + std::to_string(weights.high),
                     "a range that is not empty");
  }
  // The number of values, 0 for all 2^64.
  const std::uint64_t range = static_cast<std::uint64_t>(weights.high) - static_cast<std::uint64_t>(weights.low) + 1;
  return fill([&] {
    const std::uint64_t offset = range == 0 ? random() : random.below(range);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(weights.low) + offset);
  });
}

}  // namespace

BipartiteGraph random_regular_graph(Vertex size, Vertex degree, std::uint64_t seed) {
  if (degree > size) {
    throw InputError("degree " + std::to_string(degree), "a degree of at most the size " + std::to_string(size));
  }
  check_size("a graph of degree " + std::to_string(degree), size, size, 1.0 * size * degree);
  // A degree above half the size takes the complement of a graph of the complementary degree.
  const bool complement = degree > size / 2;
  RegularStubs stubs(size, complement ? size - degree : degree, seed);
  stubs.make_simple(seed);
  return BipartiteGraph::from_edges(size, size, stubs.edges(complement));
}

BipartiteGraph random_graph(Vertex num_rows, Vertex num_columns, double density, std::uint64_t seed) {
  check_density(density);
  const double expected = density * num_rows * num_columns;
  check_size("a random graph of " + times({num_rows, num_columns}), num_rows, num_columns, expected);
  std::vector<Edge> edges = room_for(expected);
  std::uint64_t column = 0;
  Vertex row = 0;
  for_each_success(std::uint64_t{num_rows} * num_columns, density, seed, [&](std::uint64_t gap) {
    column += gap;
    if (column >= num_columns) {
      row += static_cast<Vertex>(column / num_columns);
      column %= num_columns;
    }
    const Edge edge{row, static_cast<Vertex>(column)};
    edges.push_back(edge);
    ++column;
  });
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges));
}

UndirectedGraph generators::random_pairs(Vertex size, double density, std::uint64_t seed) {
  check_density(density);
  const double expected = density * size * (size - 1.0) / 2;
  check_size("a random graph of " + std::to_string(size) + " vertices", 0, size, expected);
  if (size == 0) return {};
  std::vector<Edge> edges = room_for(expected);
  std::uint64_t other = 1;
  Vertex v = 0;
  for_each_success(std::uint64_t{size} * (size - 1) / 2, density, seed, [&](std::uint64_t gap) {
    for (other += gap; other >= size; other -= size - v - 1) ++v;
    edges.push_back({v, static_cast<Vertex>(other)});
    ++other;
  });
  return UndirectedGraph::from_edges(size, std::move(edges));
}

UndirectedGraph generators::random_tree(Vertex size, std::uint64_t seed) {
  check_size("a tree of " + std::to_string(size) + " vertices", 0, size, size);
  if (size < 2) return UndirectedGraph::from_edges(size, {});
  Random random(seed);
  std::vector<Vertex> code(size - 2), degree(size, 1);
  for (Vertex& v : code) {
    v = static_cast<Vertex>(random.below(size));
    ++degree[v];
  }
  // The least leaf is joined to the next vertex of the code, and taken away; one that becomes a leaf below `least`
  // is next.
  std::vector<Edge> edges;
  Vertex least = 0;
  while (degree[least] != 1) ++least;
  Vertex leaf = least;
  for (const Vertex v : code) {
    edges.push_back({leaf, v});
    if (--degree[v] == 1 && v < least) {
      leaf = v;
    } else {
      for (++least; degree[least] != 1;) ++least;
      leaf = least;
    }
  }
  edges.push_back({leaf, size - 1});
  return UndirectedGraph::from_edges(size, std::move(edges));
}

// Cells 0 ... 2 size - 1 in lines of even length, the last one perhaps shorter, tiled with dominoes that lie flat; a
// random walk turns pairs of parallel dominoes. The dominoes stay as edges, so that a perfect matching is certain.
BipartiteGraph random_planar_graph(Vertex size, double density, std::uint64_t seed) {
  check_density(density);
  check_size("a planar graph of size " + std::to_string(size), size, size, 4.0 * size);
  const std::uint64_t num_cells = 2 * std::uint64_t{size};
  const std::uint64_t width =
      std::max<std::uint64_t>(2, 2 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size) / 2)));
  constexpr std::uint64_t steps_per_cell = 8;

  std::vector<bool> flat(num_cells);  // a domino on cells c and c + 1
  std::vector<bool> tall(num_cells);  // a domino on cells c and c + width
  for (std::uint64_t cell = 0; cell < num_cells; cell += 2) flat[cell] = true;
  Random random(seed);
  for (std::uint64_t step = 0; step < steps_per_cell * num_cells; ++step) {
    const std::uint64_t cell = random.below(num_cells);
    if (cell % width + 1 == width || cell + width + 1 >= num_cells) continue;
    if (flat[cell] && flat[cell + width]) {
      flat[cell] = flat[cell + width] = false;
      tall[cell] = tall[cell + 1] = true;
    } else if (tall[cell] && tall[cell + 1]) {
      tall[cell] = tall[cell + 1] = false;
      flat[cell] = flat[cell + width] = true;
    }
  }

  std::vector<Edge> edges;
  const auto join = [&](std::uint64_t cell, std::uint64_t other, bool certain) {
    const bool chosen = random.uniform() < density;
    if (certain || chosen) edges.push_back({static_cast<Vertex>(cell / 2), static_cast<Vertex>(other / 2)});
  };
  for (std::uint64_t cell = 0; cell < num_cells; ++cell) {
    const std::uint64_t j = cell % width;
    if ((cell / width + j) % 2 != 0) continue;
    if (cell >= width) join(cell, cell - width, tall[cell - width]);
    if (j > 0) join(cell, cell - 1, flat[cell - 1]);
    if (j + 1 < width && cell + 1 < num_cells) join(cell, cell + 1, flat[cell]);
    if (cell + width < num_cells) join(cell, cell + width, tall[cell]);
  }
  return BipartiteGraph::from_edges(size, size, std::move(edges));
}

BipartiteGraph with_random_weights(const BipartiteGraph& graph, const RandomWeights& weights, std::uint64_t seed) {
  return graph.with_weights(random_weights(graph.num_edges(), weights, seed));
}

UndirectedGraph with_random_weights(const UndirectedGraph& graph, const RandomWeights& weights, std::uint64_t seed) {
  return graph.with_weights(random_weights(graph.num_edges(), weights, seed));
}

}  // namespace matchcount
