#include "graph/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/run.hpp"

// Every generator lists its edges row by row with ascending columns, so that building a graph from them sorts nothing.
// In the lattices a vertex's number on its side is half its number among all vertices in reading order: neighbours in
// reading order have different colours wherever a line has even length or the next line starts with the other colour.
//
// The random ones draw from Random only and use no function of the mathematical library whose last bit differs between
// systems (of square roots it is prescribed): the same seed gives the same graph everywhere.

namespace matchcount {
namespace {

// Throws unless each side can be numbered and the graph fits into memory.
void check_size(const std::string& what, double num_rows, double num_columns, double num_edges) {
  constexpr double limit = std::numeric_limits<Vertex>::max();
  if (num_rows > limit || num_columns > limit) throw InputError(what, "fewer than 2^32 vertices a side");
  // 20 bytes an edge and 8 a vertex in the graph, 8 an edge in the list that it is built from, 16 in the sorting by
  // column.
  const double needed = 44 * num_edges + 16 * (num_rows + num_columns);
  constexpr double small = 1 << 26;  // not worth asking
  if (needed > small && needed > static_cast<double>(available_memory_bytes())) {
    throw Unable(what + " needs about " + std::to_string(static_cast<std::uint64_t>(needed / 0x1p20)) +
                 " MiB of memory, more than is available");
  }
}

std::string times(std::initializer_list<Vertex> lengths) {
  std::string text;
  for (const Vertex length : lengths) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

void check_density(double density) {
  if (!(density >= 0 && density <= 1)) throw InputError("density " + std::to_string(density), "a density in [0, 1]");
}

// How many failures come before the next success in a sequence of independent trials: the largest k with q^k > u, u
// uniform in [0, 1), found digit by digit from the powers q^(2^i) by multiplications and comparisons only. Many at a
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

  // Row by row, ascending; with `complement` the pairs that are no edges.
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

  // All stubs of an edge but one, for every repeated edge.
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

// Natural logarithm of 0 < x < 1 by the four operations, to a few units in the last place.
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

}  // namespace

BipartiteGraph grid_graph(Vertex height, Vertex width) { return grid3d_graph(1, height, width); }

BipartiteGraph torus_graph(Vertex height, Vertex width) {
  for (const Vertex length : {height, width}) {
    if (length % 2 != 0 || length < 4) {
      throw InputError("a torus of " + times({height, width}),
                       "even lengths of at least 4 (odd ones are not bipartite, 2 would double edges)");
    }
  }
  const double side = 0.5 * height * width;
  check_size("a torus of " + times({height, width}), side, side, 4 * side);
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(4 * side));
  const auto number = [&](Vertex i, Vertex j) { return static_cast<Vertex>((std::uint64_t{i} * width + j) / 2); };
  for (Vertex i = 0; i < height; ++i) {
    for (Vertex j = i % 2; j < width; j += 2) {
      const Vertex above = i == 0 ? height - 1 : i - 1;
      const Vertex below = i + 1 == height ? 0 : i + 1;
      const Vertex left = j == 0 ? width - 1 : j - 1;
      const Vertex right = j + 1 == width ? 0 : j + 1;
      std::array<Vertex, 4> columns{number(above, j), number(i, left), number(i, right), number(below, j)};
      std::sort(columns.begin(), columns.end());
      for (const Vertex column : columns) edges.push_back({number(i, j), column});
    }
  }
  const auto num_vertices = static_cast<Vertex>(side);
  return BipartiteGraph::from_edges(num_vertices, num_vertices, std::move(edges));
}

BipartiteGraph grid3d_graph(Vertex a, Vertex b, Vertex c) {
  const double total = 1.0 * a * b * c;
  check_size("a grid of " + times({a, b, c}), 0.5 * total, 0.5 * total, 3 * total);
  const std::uint64_t num_vertices = std::uint64_t{a} * b * c;
  const auto number = [&](Vertex x, Vertex y, Vertex z) {
    return static_cast<Vertex>(((std::uint64_t{x} * b + y) * c + z) / 2);
  };
  std::vector<Edge> edges;
  for (Vertex x = 0; x < a; ++x) {
    for (Vertex y = 0; y < b; ++y) {
      for (Vertex z = (x + y) % 2; z < c; z += 2) {
        const Vertex row = number(x, y, z);
        if (x > 0) edges.push_back({row, number(x - 1, y, z)});
        if (y > 0) edges.push_back({row, number(x, y - 1, z)});
        if (z > 0) edges.push_back({row, number(x, y, z - 1)});
        if (z + 1 < c) edges.push_back({row, number(x, y, z + 1)});
        if (y + 1 < b) edges.push_back({row, number(x, y + 1, z)});
        if (x + 1 < a) edges.push_back({row, number(x + 1, y, z)});
      }
    }
  }
  const auto num_columns = static_cast<Vertex>(num_vertices / 2);
  return BipartiteGraph::from_edges(static_cast<Vertex>(num_vertices - num_columns), num_columns, std::move(edges));
}

// Points (x, y) of the triangular lattice in axial coordinates with 0 <= x <= a + c, 0 <= y <= b + c and
// c <= x + y <= a + b + c. Rows are the triangles (x, y), (x+1, y), (x, y+1) in it and columns the triangles
// (x+1, y), (x, y+1), (x+1, y+1); two that share a side are adjacent.
BipartiteGraph hexagon_graph(Vertex a, Vertex b, Vertex c) {
  const double side = 1.0 * a * b + 1.0 * b * c + 1.0 * c * a;
  check_size("a hexagon of " + times({a, b, c}), side, side, 3 * side);
  using Long = std::int64_t;
  struct Line {  // the triangles of one x: y in [first, last), numbered from `begin`
    Long first = 0;
    Long last = 0;
    Long begin = 0;
  };
  const Long length = Long{a} + c;
  std::vector<Line> up(static_cast<std::size_t>(length));
  std::vector<Line> down(up.size());
  Long num_up = 0;
  Long num_down = 0;
  for (Long x = 0; x < length; ++x) {
    const auto put = [&](Line& line, Long& count, Long shift) {
      line.first = std::max(Long{0}, c - x - shift);
      line.last = std::max(line.first, std::min(Long{b} + c, Long{a} + b + c - x - shift));
      line.begin = count;
      count += line.last - line.first;
    };
    put(up[static_cast<std::size_t>(x)], num_up, 0);
    put(down[static_cast<std::size_t>(x)], num_down, 1);
  }
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(3 * side));
  for (Long x = 0; x < length; ++x) {
    const Line& line = up[static_cast<std::size_t>(x)];
    for (Long y = line.first; y < line.last; ++y) {
      const auto row = static_cast<Vertex>(line.begin + (y - line.first));
      const auto join = [&](Long u, Long v) {
        if (u < 0) return;
        const Line& other = down[static_cast<std::size_t>(u)];
        if (v >= other.first && v < other.last) {
          edges.push_back({row, static_cast<Vertex>(other.begin + (v - other.first))});
        }
      };
      join(x - 1, y);
      join(x, y - 1);
      join(x, y);
    }
  }
  return BipartiteGraph::from_edges(static_cast<Vertex>(num_up), static_cast<Vertex>(num_down), std::move(edges));
}

BipartiteGraph aztec_graph(Vertex order) {
  const double side = 1.0 * order * (1.0 + order);
  check_size("an Aztec diamond of order " + std::to_string(order), side, side, 4.0 * order * order);
  const std::int64_t n = order;
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(4 * n * n));
  // Line i holds the cells [start(i), 2n - start(i)) of a square of side 2n, after `before(i)` cells of earlier lines.
  const auto start = [&](std::int64_t i) { return i < n ? n - 1 - i : i - n; };
  const auto before = [&](std::int64_t i) {
    const std::int64_t rest = 2 * n - i;
    return i <= n ? i * (i + 1) : 2 * n * (n + 1) - rest * (rest + 1);
  };
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    for (std::int64_t j = start(i); j < 2 * n - start(i); ++j) {
      if ((i + j) % 2 != 0) continue;
      const auto number = [&](std::int64_t line, std::int64_t cell) {
        return static_cast<Vertex>((before(line) + cell - start(line)) / 2);
      };
      const auto join = [&](std::int64_t line, std::int64_t cell) {
        if (line < 0 || line >= 2 * n || cell < start(line) || cell >= 2 * n - start(line)) return;
        edges.push_back({number(i, j), number(line, cell)});
      };
      join(i - 1, j);
      join(i, j - 1);
      join(i, j + 1);
      join(i + 1, j);
    }
  }
  const auto num_vertices = static_cast<Vertex>(side);
  return BipartiteGraph::from_edges(num_vertices, num_vertices, std::move(edges));
}

BipartiteGraph hypercube_graph(Vertex dimension) {
  if (dimension > 32) throw InputError("dimension " + std::to_string(dimension), "a dimension of at most 32");
  const double side = std::ldexp(0.5, static_cast<int>(dimension));
  check_size("a hypercube of dimension " + std::to_string(dimension), side, side, side * dimension);
  const std::uint64_t num_vertices = std::uint64_t{1} << dimension;
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(side * dimension));
  for (std::uint64_t v = 0; v < num_vertices; ++v) {
    if (std::popcount(v) % 2 != 0) continue;
    const auto row = static_cast<Vertex>(v / 2);
    // Ascending: clearing a bit gives less, the higher the bit the less; setting one gives more.
    for (Vertex bit = dimension; bit-- > 0;) {
      if (v >> bit & 1) edges.push_back({row, static_cast<Vertex>((v ^ std::uint64_t{1} << bit) / 2)});
    }
    for (Vertex bit = 0; bit < dimension; ++bit) {
      if (!(v >> bit & 1)) edges.push_back({row, static_cast<Vertex>((v ^ std::uint64_t{1} << bit) / 2)});
    }
  }
  const auto num_columns = static_cast<Vertex>(num_vertices / 2);
  return BipartiteGraph::from_edges(static_cast<Vertex>(num_vertices - num_columns), num_columns, std::move(edges));
}

BipartiteGraph complete_graph(Vertex num_rows, Vertex num_columns) {
  check_size("a complete graph of " + times({num_rows, num_columns}), num_rows, num_columns,
             1.0 * num_rows * num_columns);
  std::vector<Edge> edges;
  edges.reserve(std::size_t{num_rows} * num_columns);
  for (Vertex row = 0; row < num_rows; ++row) {
    for (Vertex column = 0; column < num_columns; ++column) edges.push_back({row, column});
  }
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges));
}

BipartiteGraph band_graph(Vertex size, Vertex half_bandwidth) {
  const Vertex reach = size == 0 ? 0 : std::min(half_bandwidth, size - 1);
  check_size("a band of size " + std::to_string(size), size, size, (2.0 * reach + 1) * size);
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) {
    const Vertex first = row < reach ? 0 : row - reach;
    const Vertex last = size - 1 - row < reach ? size - 1 : row + reach;
    for (Vertex column = first; column <= last; ++column) edges.push_back({row, column});
  }
  return BipartiteGraph::from_edges(size, size, std::move(edges));
}

BipartiteGraph random_regular_graph(Vertex size, Vertex degree, std::uint64_t seed) {
  if (degree > size) {
    throw InputError("degree " + std::to_string(degree), "a degree of at most the size " + std::to_string(size));
  }
  check_size("a graph of degree " + std::to_string(degree), size, size, 1.0 * size * degree);
  // Above half the size, the complement of a graph of the complementary degree.
  const bool complement = degree > size / 2;
  RegularStubs stubs(size, complement ? size - degree : degree, seed);
  stubs.make_simple(seed);
  return BipartiteGraph::from_edges(size, size, stubs.edges(complement));
}

BipartiteGraph random_graph(Vertex num_rows, Vertex num_columns, double density, std::uint64_t seed) {
  check_density(density);
  const double expected = density * num_rows * num_columns;
  check_size("a random graph of " + times({num_rows, num_columns}), num_rows, num_columns, expected);
  std::vector<Edge> edges;
  if (1 - density < 1) {
    edges.reserve(static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 4));
    const Gaps gaps(density);
    Random random(seed);
    std::uint64_t left = std::uint64_t{num_rows} * num_columns;  // pairs not yet decided
    std::uint64_t column = 0;
    Vertex row = 0;
    bool done = false;
    while (!done) {
      for (const std::uint64_t gap : gaps.next(random)) {
        done = gap >= left;
        if (done) break;
        left -= gap + 1;
        column += gap;
        if (column >= num_columns) {
          row += static_cast<Vertex>(column / num_columns);
          column %= num_columns;
        }
        edges.push_back({row, static_cast<Vertex>(column)});
        ++column;
      }
    }
  }
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges));
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
  constexpr std::uint64_t stream = 0x77656967;  // apart from the streams of the generators above
  Random random(seed, stream);
  const auto fill = [&](auto&& draw) {
    std::vector<decltype(draw())> values;
    values.reserve(graph.num_edges());
    for (EdgeId edge = 0; edge < graph.num_edges(); ++edge) values.push_back(draw());
    return graph.with_weights(std::move(values));
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
  const std::uint64_t count = static_cast<std::uint64_t>(weights.high) - static_cast<std::uint64_t>(weights.low) + 1;
  return fill([&] {
    const std::uint64_t offset = count == 0 ? random() : random.below(count);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(weights.low) + offset);
  });
}

}  // namespace matchcount
