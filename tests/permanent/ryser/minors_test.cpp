// All minors against permanents of what is left without a row and a column.

#include "permanent/ryser/minors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "permanent/ryser/cpu/minors_program.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 1310;
constexpr std::array all_isas{Isa::avx512, Isa::avx2, Isa::baseline};

RunContext run_with(int num_threads, Isa isa) { return RunContext({.num_threads = num_threads, .max_isa = isa}); }

// Returns the instance in which an entry's row and column are 0 but there, whose permanent is the sum over the
// matchings with it.
template <class T>
auto forced(Instance<T> instance, const Edge& edge) {
  for (Vertex i = 0; i < instance.rows; ++i) {
    if (i != edge.column) instance.entries[edge.row * instance.columns + i] = T(0);
    if (i != edge.row) instance.entries[i * instance.columns + edge.column] = T(0);
  }
  return test::exact_permanent(instance);
}

void require_within(const RealValue& value, const Dyadic& truth) {
  const double log2_difference = test::log2_abs(test::dyadic(value.value) - truth);
  CAPTURE(log2_difference, value.log2_error, value.value.to_double());
  REQUIRE(log2_difference <= value.log2_error + 1e-9);
  REQUIRE(test::log2_abs(truth) <= value.log2_magnitudes + 1e-9);
}
void require_within(const ComplexValue& value, const test::ComplexDyadic& truth) {
  require_within(RealValue{value.value.re, value.log2_error, value.log2_magnitudes}, truth.re);
  require_within(RealValue{value.value.im, value.log2_error, value.log2_magnitudes}, truth.im);
}

template <class T, class Marginals>
void require_forced(const Instance<T>& instance, const Marginals& marginals) {
  require_within(marginals.total, test::exact_permanent(instance));
  const std::vector<Edge> edges = block_of(instance).pattern.edges();
  REQUIRE(marginals.of_edge.size() == edges.size());
  for (EdgeId e = 0; e < edges.size(); ++e) require_within(marginals.of_edge[e], forced(instance, edges[e]));
}

// Checks the sums over one chunk of sign vectors of a matrix of small integers, by every instruction set.
template <class Number>
void check_chunk(int rows, int first_row) {
  constexpr bool is_complex = std::is_same_v<Number, ComplexDoubleDouble>;
  using Slow = std::conditional_t<is_complex, std::complex<long double>, long double>;
  INFO("rows " << rows << ", complex " << is_complex << ", first row " << first_row);
  const auto n = static_cast<std::size_t>(rows);
  Random random(seed, n);
  minors_kernel::Matrix matrix;
  matrix.rows = rows;
  matrix.components = is_complex ? 2 : 1;
  matrix.floor.assign(n, 1);
  for (std::size_t i = 0; i < n * n * (is_complex ? 2 : 1); ++i)
    matrix.value.push_back(static_cast<double>(random.below(3)) - 1);
  const minors_kernel::BuiltProgram built(matrix, first_row, std::max(0, rows - 12));  // at most 8 walked bits
  const int walked = built.program().walk_bits, chunk_bits = rows - 4 - walked;
  const std::uint64_t chunk = random.below(built.num_chunks());

  std::vector<Slow> minor(built.num_minors());
  Slow total = 0;
  long double magnitude = 0, largest = 0;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << (walked + 3); ++set) {
    const std::uint64_t low = set & ((std::uint64_t{1} << walked) - 1);
    const std::uint64_t on = low | chunk << walked | (set >> walked) << (walked + chunk_bits);
    const auto sign = [&](int column) { return column == rows - 1 || (on >> column & 1) != 0 ? 1.0L : -1.0L; };
    std::vector<Slow> x(n);
    std::vector<long double> size;
    Slow product = (rows - 1 - std::popcount(on)) % 2 == 0 ? 1 : -1;
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < rows; ++j) {
        const double* entry = matrix.value.data() + (i * n + static_cast<std::size_t>(j)) * (is_complex ? 2 : 1);
        if constexpr (is_complex) x[i] += sign(j) * Slow(entry[0], entry[1]);
        if constexpr (!is_complex) x[i] += sign(j) * *entry;
      }
      size.push_back(std::max(std::abs(x[i]), 1.0L));
    }
    std::vector<Slow> behind(n + 1, Slow(1));
    for (std::size_t i = n; i-- > 0;) behind[i] = behind[i + 1] * x[i];
    long double sizes = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < rows && static_cast<int>(i) >= first_row; ++j)
        minor[(i - static_cast<std::size_t>(first_row)) * n + static_cast<std::size_t>(j)] +=
            sign(j) * (product * behind[i + 1]);
      product *= x[i];
      sizes *= size[i];
    }
    total += product;
    magnitude += sizes;
    largest += sizes / *std::ranges::min_element(size);
  }

  for (const Isa isa : all_isas) {
    CAPTURE(to_string(isa));
    const auto& kernels = kernels_for<minors_kernel::Kernels>(isa);
    const auto sums = built.sum_chunk<Number>(is_complex ? kernels.complex : kernels.real, chunk);
    const double relative = built.relative_error(0, false, is_complex) + 0x1p-48;
    const auto difference = [](const Number& sum, Slow truth) {
      if constexpr (is_complex) return std::abs(Slow(sum.re.hi, sum.im.hi) - truth);
      if constexpr (!is_complex) return std::abs(sum.hi - truth);
    };
    REQUIRE(difference(sums.total, total) <= relative * sums.magnitude);
    REQUIRE(sums.minor.size() == minor.size());
    for (std::size_t i = 0; i < minor.size(); ++i)
      REQUIRE(difference(sums.minor[i], minor[i]) <= relative * sums.largest_minor);
    for (const auto& [found, truth] : {std::pair{sums.magnitude, magnitude}, {sums.largest_minor, largest}}) {
      REQUIRE(found >= truth * (1 - 0x1p-40L));
      REQUIRE(found <= truth * (1 + 0x1p-10L));
    }
  }
}

}  // namespace

TEST_CASE("sums over a chunk of sign vectors are those of the vectors one by one") {
  for (const int rows : {7, 8, 9, 12, 13, 16, 20, 31, 32, 33}) {
    for (const int first_row : {0, rows - 2}) {
      check_chunk<DoubleDouble>(rows, first_row);
      check_chunk<ComplexDoubleDouble>(rows, first_row);
    }
  }
}

TEST_CASE("minors of integers of every kind are the permanents with an entry forced, by any instructions and threads") {
  int turn = 0;
  for (std::size_t n = 0; n <= 11; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        if (n > 8 && turn++ % (n == 9 ? 7 : 23) != 0) continue;
        const auto instance = test::integer_instance(family, weights, n, seed);
        INFO(to_string(instance));
        const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
        const int num_threads = 1 + turn / 3 % 3;
        CAPTURE(to_string(isa), num_threads);
        const auto block = block_of(instance);
        const BlockMarginals<Integer> marginals = marginals_ryser(block, run_with(num_threads, isa));
        REQUIRE(marginals.total == test::exact_permanent(instance));
        const std::vector<Edge> edges = block.pattern.edges();
        for (EdgeId e = 0; e < edges.size(); ++e) REQUIRE(marginals.of_edge[e] == forced(instance, edges[e]));
      }
    }
  }
}

TEST_CASE("minors of reals are within their bounds, which are not loose") {
  int turn = 0;
  for (std::size_t n = 0; n <= 10; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        if (weights == RealWeights::wide_rows) continue;  // must be scaled first
        if (n > 7 && turn++ % 11 != 0) continue;
        const auto instance = test::real_instance(family, weights, n, seed + 1);
        INFO(to_string(instance));
        auto magnitudes = instance;
        for (DoubleDouble& entry : magnitudes.entries) entry = abs(entry);
        const double log2_magnitude = test::log2_abs(test::exact_permanent(magnitudes));
        for (const Precision precision : {Precision::float64, Precision::double_double, Precision::automatic}) {
          const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
          CAPTURE(static_cast<int>(precision), to_string(isa));
          const auto marginals = marginals_ryser(block_of(instance), precision, run_with(1 + turn % 2, isa));
          require_forced(instance, marginals);
          if (weights == RealWeights::wide_entries || !std::isfinite(log2_magnitude)) continue;
          const double bits = precision == Precision::double_double ? 94 : 44;
          for (const RealValue& sum : marginals.of_edge)
            REQUIRE(sum.log2_error <= log2_magnitude - bits + 2.5 * static_cast<double>(n) + 8);
        }
      }
    }
  }
}

TEST_CASE("minors of complex numbers are within their bounds") {
  int turn = 0;
  for (std::size_t n = 0; n <= 9; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : {RealWeights::signs, RealWeights::halves, RealWeights::long_decimals}) {
        if (n > 7 && turn++ % 5 != 0) continue;
        const auto instance = test::complex_instance(family, weights, n, seed + 2);
        INFO(to_string(instance));
        for (const Precision precision : {Precision::float64, Precision::double_double}) {
          const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
          CAPTURE(static_cast<int>(precision), to_string(isa));
          require_forced(instance, marginals_ryser(block_of(instance), precision, run_with(1 + turn % 2, isa)));
        }
      }
    }
  }
}

TEST_CASE("minors of all ones are factorials, by many chunks and lanes") {
  const std::size_t n = 19;
  const Instance<std::int64_t> ones{"ones", 0, n, n, std::vector<std::int64_t>(n * n, 1)};
  Integer factorial = 1;
  for (unsigned i = 2; i < n; ++i) factorial *= i;
  for (const Isa isa : all_isas) {
    const auto marginals = marginals_ryser(block_of(ones), run_with(2, isa));
    REQUIRE(marginals.total == factorial * n);
    for (const Integer& sum : marginals.of_edge) REQUIRE(sum == factorial);
  }
}

TEST_CASE("minors are the same on any number of threads") {
  const auto reals = block_of(test::real_instance(Family::complete, RealWeights::signs, 17, seed + 3));
  for (const Precision precision : {Precision::float64, Precision::double_double}) {
    const auto one = marginals_ryser(reals, precision, run_with(1, Isa::avx512));
    const auto three = marginals_ryser(reals, precision, run_with(3, Isa::avx512));
    REQUIRE(one.total.value.mantissa == three.total.value.mantissa);
    for (std::size_t e = 0; e < one.of_edge.size(); ++e) {
      REQUIRE(one.of_edge[e].value.mantissa == three.of_edge[e].value.mantissa);
      REQUIRE(one.of_edge[e].log2_error == three.of_edge[e].log2_error);
    }
  }
}

TEST_CASE("doubles that leave too little are taken again in double-doubles") {
  // All rows have their 19 large entries in the same columns, so that matchings have two small ones, of 2^-30.
  const std::size_t n = 21;
  auto instance = test::real_instance(Family::complete, RealWeights::unit, n, seed + 4);
  for (std::size_t i = 0; i < n * n; ++i)
    instance.entries[i] = (i % n < n - 2 ? 1 : 0x1p-30) * (1 + instance.entries[i].hi);
  const RunContext run = run_with(2, Isa::avx512);
  const auto rough = marginals_ryser(block_of(instance), Precision::float64, run);
  const auto fine = marginals_ryser(block_of(instance), Precision::automatic, run);
  const double log2_total = fine.total.value.log2_abs();
  for (EdgeId e = 0; e < n * n; ++e) {
    REQUIRE(rough.of_edge[e].log2_error > log2_total - 24);
    REQUIRE(fine.of_edge[e].log2_error < log2_total - 24);
    require_within(rough.of_edge[e], test::dyadic(fine.of_edge[e].value));
  }
}

TEST_CASE("minors of blocks that are not square, or too large, are refused") {
  const RunContext run;
  const Block<std::int64_t> wide{BipartiteGraph::from_edges(1, 2, {{0, 0}, {0, 1}}), {1, 1}};
  REQUIRE_THROWS_AS(marginals_ryser(wide, run), InputError);
  std::vector<Edge> edges;
  for (Vertex i = 0; i < 63; ++i) edges.push_back({i, i});
  const Block<std::int64_t> large{BipartiteGraph::from_edges(63, 63, edges), std::vector<std::int64_t>(63, 1)};
  REQUIRE_THROWS_AS(marginals_ryser(large, run), Unable);
}
