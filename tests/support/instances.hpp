#pragma once
// Draws seeded random matrices of every kind that the permanent's methods must get right, and prints them. The
// same (family, weights, size, seed) gives the same instance everywhere.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/random.hpp"
#include "graph/bipartite_graph.hpp"
#include "support/permutations.hpp"

namespace matchcount::test {

// A dense row-major matrix and where it came from.
template <class T>
struct Instance {
  std::string name;
  std::uint64_t seed = 0;
  Vertex rows = 0;
  Vertex columns = 0;
  std::vector<T> entries;

  // Makes a graph of the entries that are not 0, as edges with weights.
  BipartiteGraph graph() const {
    std::vector<Edge> edges;
    std::vector<T> weights;
    for (Vertex row = 0; row < rows; ++row) {
      for (Vertex column = 0; column < columns; ++column) {
        const T& entry = entries[std::size_t{row} * columns + column];
        if (entry == T(0)) continue;
        edges.push_back({row, column});
        weights.push_back(entry);
      }
    }
    return BipartiteGraph::from_edges(rows, columns, std::move(edges), std::move(weights));
  }
};

enum class Family {
  complete,
  sparse,       // each entry with probability 1/4: often no perfect matching
  half,         // 1/2
  planted,      // a random permutation and each other entry with probability 3 / n
  deficient,    // half of the columns and one row too few of the rest: no perfect matching
  isolated,     // a row without entries
  empty,        // no entries at all
  tridiagonal,  // band of half bandwidth 1
  band,         // of half bandwidth 3
  cycle,        // one cycle through all vertices: every degree is 2
  path,         // one perfect matching, all edges but those of it useless
  arrow,        // first row, first column and the diagonal
  blocks,       // a direct sum of blocks of sizes 1 to 5
  triangular,   // the same with entries above the blocks, which are in no perfect matching
  twins,        // rows and columns in identical pairs
  circulant,    // I + P + P^3
  regular       // the sum of three random permutations
};

inline constexpr std::array all_families{
    Family::complete, Family::sparse,      Family::half,  Family::planted,   Family::deficient, Family::isolated,
    Family::empty,    Family::tridiagonal, Family::band,  Family::cycle,     Family::path,      Family::arrow,
    Family::blocks,   Family::triangular,  Family::twins, Family::circulant, Family::regular};

inline std::string_view to_string(Family family) {
  constexpr std::array<std::string_view, all_families.size()> names{
      "complete", "sparse", "half",  "planted", "deficient",  "isolated", "empty",     "tridiagonal", "band",
      "cycle",    "path",   "arrow", "blocks",  "triangular", "twins",    "circulant", "regular"};
  return names[static_cast<std::size_t>(family)];
}

namespace detail {

// A matrix under construction: row-major, true where the entry is not zero.
struct Pattern {
  std::size_t n;
  Random& random;
  std::vector<bool> entries = std::vector<bool>(n * n, false);

  void set(std::size_t row, std::size_t column) { entries[row * n + column] = true; }
  void set_each(double probability) {
    for (std::size_t i = 0; i < n * n; ++i) {
      if (random.uniform() < probability) entries[i] = true;
    }
  }
  void set_permutation() {
    const auto permutation = random_permutation(n, random);
    for (std::size_t i = 0; i < n; ++i) set(i, permutation[i]);
  }
  void set_band(std::size_t half_bandwidth) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if ((i > j ? i - j : j - i) <= half_bandwidth) set(i, j);
      }
    }
  }
  void set_blocks(double above) {
    for (std::size_t begin = 0; begin < n;) {
      const std::size_t end = std::min(n, begin + 1 + random.below(5));
      for (std::size_t i = begin; i < end; ++i) {
        set(i, i);
        for (std::size_t j = begin; j < n; ++j) {
          if (random.uniform() < (j < end ? 0.7 : above)) set(i, j);
        }
      }
      begin = end;
    }
  }
  void set_twins() {
    for (std::size_t i = 0; i < n; i += 2) {
      for (std::size_t j = 0; j < n; j += 2) {
        if (i != j && random.uniform() < 0.5) continue;
        for (const std::size_t row : {i, std::min(i + 1, n - 1)}) {
          for (const std::size_t column : {j, std::min(j + 1, n - 1)}) set(row, column);
        }
      }
    }
  }
  void draw(Family family);
};

inline void Pattern::draw(Family family) {
  switch (family) {
    case Family::complete:
      entries.assign(n * n, true);
      break;
    case Family::sparse:
      set_each(0.25);
      break;
    case Family::half:
      set_each(0.5);
      break;
    case Family::planted:
      set_permutation();
      set_each(3.0 / static_cast<double>(n + 1));
      break;
    case Family::deficient:
      set_permutation();
      set_each(0.4);
      for (std::size_t i = 0; i < (n + 2) / 2 && i < n; ++i) {
        for (std::size_t j = n / 2; j < n; ++j) entries[i * n + j] = false;  // n/2 + 1 rows, n/2 columns
      }
      break;
    case Family::isolated:
      set_each(0.6);
      for (std::size_t j = 0; j < n; ++j) entries[j] = false;
      break;
    case Family::empty:
      break;
    case Family::tridiagonal:
      set_band(1);
      break;
    case Family::band:
      set_band(3);
      break;
    case Family::cycle:
      for (std::size_t i = 0; i < n; ++i) {
        set(i, i);
        set(i, (i + 1) % n);
      }
      break;
    case Family::path:
      for (std::size_t i = 0; i < n; ++i) {
        set(i, i);
        if (i + 1 < n) set(i, i + 1);
      }
      break;
    case Family::arrow:
      for (std::size_t i = 0; i < n; ++i) {
        set(i, i);
        set(0, i);
        set(i, 0);
      }
      break;
    case Family::blocks:
      set_blocks(0);
      break;
    case Family::triangular:
      set_blocks(0.4);
      break;
    case Family::twins:
      set_twins();
      break;
    case Family::circulant:
      for (std::size_t i = 0; i < n; ++i) {
        for (const std::size_t step : {0, 1, 3}) set(i, (i + step) % n);
      }
      break;
    case Family::regular:
      for (int i = 0; i < 3; ++i) set_permutation();
      break;
  }
}

}  // namespace detail

// n x n, row-major, true where the entry is not zero. Rows and columns are shuffled, so that no order is a help.
inline std::vector<bool> random_pattern(Family family, std::size_t n, Random& random) {
  detail::Pattern pattern{n, random};
  pattern.draw(family);
  const auto row_order = random_permutation(n, random);
  const auto column_order = random_permutation(n, random);
  std::vector<bool> shuffled(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) shuffled[i * n + j] = pattern.entries[row_order[i] * n + column_order[j]];
  }
  return shuffled;
}

enum class IntegerWeights {
  ones,
  small,     // -3 .. 3 without 0: much cancellation
  positive,  // 1 .. 1000
  large,     // up to 2^62 in absolute value, both signs
  mixed      // any number of bits up to 62, both signs
};
inline constexpr std::array all_integer_weights{IntegerWeights::ones, IntegerWeights::small, IntegerWeights::positive,
                                                IntegerWeights::large, IntegerWeights::mixed};
inline std::string_view to_string(IntegerWeights weights) {
  constexpr std::array<std::string_view, 5> names{"ones", "small", "positive", "large", "mixed"};
  return names[static_cast<std::size_t>(weights)];
}

enum class RealWeights {
  unit,          // [0, 1)
  signs,         // (-1, 1)
  wide_rows,     // signed, every row and column times a power of ten: 1e-200 to 1e200
  wide_entries,  // positive, 1e-12 to 1e12
  halves,        // multiples of 1/2 from -2 to 2 without 0: permanents are often exactly 0
  long_decimals  // double-doubles with a full low half
};
inline constexpr std::array all_real_weights{RealWeights::unit,      RealWeights::signs,
                                             RealWeights::wide_rows, RealWeights::wide_entries,
                                             RealWeights::halves,    RealWeights::long_decimals};
inline std::string_view to_string(RealWeights weights) {
  constexpr std::array<std::string_view, 6> names{"unit",         "signs",  "wide_rows",
                                                  "wide_entries", "halves", "long_decimals"};
  return names[static_cast<std::size_t>(weights)];
}

namespace detail {

inline double random_sign(Random& random) { return random.below(2) == 0 ? 1 : -1; }

inline std::int64_t random_integer(IntegerWeights weights, Random& random) {
  const std::int64_t sign = random.below(2) == 0 ? 1 : -1;
  switch (weights) {
    case IntegerWeights::ones:
      return 1;
    case IntegerWeights::small:
      return sign * (1 + static_cast<std::int64_t>(random.below(3)));
    case IntegerWeights::positive:
      return 1 + static_cast<std::int64_t>(random.below(1000));
    case IntegerWeights::large:
      return sign * static_cast<std::int64_t>((std::uint64_t{1} << 62) - random.below(std::uint64_t{1} << 40));
    case IntegerWeights::mixed:
      return sign * (1 + static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(63))));
  }
  return 0;
}

// Scales are chosen per row and column by the caller.
inline DoubleDouble random_real(RealWeights weights, Random& random) {
  const double fraction = random.uniform() + 0x1p-60;  // never 0
  switch (weights) {
    case RealWeights::unit:
      return fraction;
    case RealWeights::signs:
    case RealWeights::wide_rows:
      return random_sign(random) * fraction;
    case RealWeights::wide_entries:
      return fraction * std::pow(10.0, static_cast<double>(random.below(25)) - 12);
    case RealWeights::halves:
      return random_sign(random) * 0.5 * static_cast<double>(1 + random.below(4));
    case RealWeights::long_decimals:
      return two_sum(random_sign(random) * (1 + random.uniform()), (random.uniform() - 0.5) * 0x1p-53);
  }
  return 0;
}

inline std::string label(Family family, std::string_view weights, std::size_t n) {
  return std::string(to_string(family)) + "/" + std::string(weights) + "/n=" + std::to_string(n);
}

inline DoubleDouble times(DoubleDouble value, double scale) { return value * DoubleDouble(scale); }
inline ComplexDoubleDouble times(ComplexDoubleDouble value, double scale) {
  return {value.re * DoubleDouble(scale), value.im * DoubleDouble(scale)};
}

// Every row and every column times a power of ten of its own, 1e-100 to 1e100 each.
template <class T>
void scale_rows_and_columns(std::vector<T>& entries, std::size_t n, Random& random) {
  const auto factor = [&] { return std::pow(10.0, static_cast<double>(random.below(201)) - 100); };
  std::vector<double> column_factor(n);
  for (double& c : column_factor) c = factor();
  for (std::size_t i = 0; i < n; ++i) {
    const double row_factor = factor();
    for (std::size_t j = 0; j < n; ++j)
      entries[i * n + j] = times(times(entries[i * n + j], row_factor), column_factor[j]);
  }
}

}  // namespace detail

inline Instance<std::int64_t> integer_instance(Family family, IntegerWeights weights, std::size_t n,
                                               std::uint64_t seed) {
  Random random(seed, n * 1000 + static_cast<std::uint64_t>(family) * 10 + static_cast<std::uint64_t>(weights));
  const auto size = static_cast<Vertex>(n);
  Instance<std::int64_t> instance{detail::label(family, to_string(weights), n), seed, size, size, {}};
  for (const bool present : random_pattern(family, n, random)) {
    instance.entries.push_back(present ? detail::random_integer(weights, random) : 0);
  }
  return instance;
}

inline Instance<DoubleDouble> real_instance(Family family, RealWeights weights, std::size_t n, std::uint64_t seed) {
  Random random(seed,
                1'000'000 + n * 1000 + static_cast<std::uint64_t>(family) * 10 + static_cast<std::uint64_t>(weights));
  const auto size = static_cast<Vertex>(n);
  Instance<DoubleDouble> instance{detail::label(family, to_string(weights), n), seed, size, size, {}};
  for (const bool present : random_pattern(family, n, random)) {
    instance.entries.push_back(present ? detail::random_real(weights, random) : DoubleDouble(0));
  }
  if (weights == RealWeights::wide_rows) detail::scale_rows_and_columns(instance.entries, n, random);
  return instance;
}

// Real and imaginary parts drawn independently; one in four entries is real and one in four imaginary.
inline Instance<ComplexDoubleDouble> complex_instance(Family family, RealWeights weights, std::size_t n,
                                                      std::uint64_t seed) {
  Random random(seed,
                2'000'000 + n * 1000 + static_cast<std::uint64_t>(family) * 10 + static_cast<std::uint64_t>(weights));
  const auto size = static_cast<Vertex>(n);
  Instance<ComplexDoubleDouble> instance{
      detail::label(family, to_string(weights), n) + "/complex", seed, size, size, {}};
  for (const bool present : random_pattern(family, n, random)) {
    ComplexDoubleDouble entry;
    if (present) {
      const std::uint64_t parts = random.below(4);
      if (parts != 0) entry.re = detail::random_real(weights, random);
      if (parts != 1) entry.im = detail::random_real(weights, random);
    }
    instance.entries.push_back(entry);
  }
  if (weights == RealWeights::wide_rows) detail::scale_rows_and_columns(instance.entries, n, random);
  return instance;
}

// Draws rows x columns, each entry with this probability, 0/1.
inline Instance<std::int64_t> rectangular_instance(std::size_t rows, std::size_t columns, double density,
                                                   std::uint64_t seed) {
  Random random(seed, 3'000'000 + rows * 1000 + columns);
  Instance<std::int64_t> instance{"rectangular " + std::to_string(rows) + "x" + std::to_string(columns),
                                  seed,
                                  static_cast<Vertex>(rows),
                                  static_cast<Vertex>(columns),
                                  {}};
  for (std::size_t i = 0; i < rows * columns; ++i) instance.entries.push_back(random.uniform() < density ? 1 : 0);
  return instance;
}

namespace detail {

inline std::string text(std::int64_t value) { return std::to_string(value); }
inline std::string text(DoubleDouble value) {  // hexadecimal: nothing is lost
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, value.lo == 0 ? "%a" : "%a%+a", value.hi, value.lo);
  return buffer;
}
inline std::string text(ComplexDoubleDouble value) { return "(" + text(value.re) + "," + text(value.im) + ")"; }

}  // namespace detail

// Writes all of it, as "name seed=.. 3x3 {1 0 2; 0 1 0; ...}".
template <class T>
std::string to_string(const Instance<T>& instance) {
  std::string out = instance.name + " seed=" + std::to_string(instance.seed) + " " + std::to_string(instance.rows) +
                    "x" + std::to_string(instance.columns) + " {";
  for (std::size_t i = 0; i < instance.rows; ++i) {
    if (i != 0) out += "; ";
    for (std::size_t j = 0; j < instance.columns; ++j) {
      if (j != 0) out += " ";
      out += detail::text(instance.entries[i * instance.columns + j]);
    }
  }
  return out + "}";
}

}  // namespace matchcount::test
