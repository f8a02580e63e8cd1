// The text of the kernels of sums over roots of unity, on the host, against exact values.

#include "photonics/cuda/root_sum_plan.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <string>

#include "core/random.hpp"
#include "permanent/reference/oracles.hpp"
#include "photonics/dense_shapes.hpp"
#include "support/batches.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

using std::fabs, std::fmax, std::frexp, std::ldexp, std::max, std::rint, std::sqrt;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "photonics/cuda/root_sum_kernels.cuh"
//
#include "photonics/cuda/hafnian_sum_kernels.cuh"
#pragma GCC diagnostic pop

using Kernel = void (*)(const RootFrame&, const double*, const Root*, const RootStep*, u64, u64, RootSum*);
const std::map<std::string, Kernel> kernels{{"permanent_real_4", sum_permanent<1, 4, 1, 2, 0>},
                                            {"permanent_real_8", sum_permanent<1, 4, 2, 2, 0>},
                                            {"permanent_real_12", sum_permanent<1, 6, 2, 2, 0>},
                                            {"permanent_real_16", sum_permanent<1, 8, 2, 2, 0>},
                                            {"permanent_real_20", sum_permanent<1, 10, 2, 2, 0>},
                                            {"permanent_complex_4", sum_permanent<2, 2, 2, 2, 0>},
                                            {"permanent_complex_8", sum_permanent<2, 4, 2, 2, 0>},
                                            {"permanent_complex_12", sum_permanent<2, 6, 2, 2, 0>},
                                            {"permanent_complex_24", sum_permanent<2, 6, 4, 2, 0>},
                                            {"permanent_powers_4", sum_permanent<2, 2, 2, 2, 1>},
                                            {"permanent_powers_8", sum_permanent<2, 4, 2, 2, 1>},
                                            {"permanent_powers_12", sum_permanent<2, 6, 2, 2, 1>},
                                            {"permanent_powers_24", sum_permanent<2, 6, 4, 2, 1>},
                                            {"hafnian_real", sum_hafnian<1, 0>},
                                            {"hafnian_complex", sum_hafnian<2, 0>},
                                            {"loop_hafnian_real", sum_hafnian<1, 1>},
                                            {"loop_hafnian_complex", sum_hafnian<2, 1>}};

}  // namespace host_gpu

using namespace matchcount;
using test::components, test::factorial, test::ones, test::random_times, test::square;

namespace {

constexpr std::uint64_t seed = 20261122;

// Sums as dense_gpu_sums does, in launches of two blocks, which begin within a matrix.
std::map<std::string, int> kernel_runs;
std::vector<DenseSum> sums_on_host(const DenseShape& shape, const std::vector<double>& entries,
                                   std::uint64_t planned_count = 0) {
  const std::size_t columns = shape.hafnian ? shape.row_times.size() : shape.column_times.size();
  const std::size_t doubles = shape.row_times.size() * columns * (shape.complex ? 2 : 1);
  const std::size_t count = entries.size() / doubles;
  REQUIRE(gpu_sums(shape));
  const gpu::RootSumPlan plan = gpu::plan_root_sums(shape, planned_count == 0 ? count : planned_count);
  ++kernel_runs[plan.kernel];
  std::vector<double> widened;
  for (const double entry : entries) widened.insert(widened.end(), {entry, 0});
  const double* const all = plan.widen ? widened.data() : entries.data();
  const std::uint64_t tasks = count * plan.frame.parts;
  std::vector<gpu::RootSum> parts(tasks + 1);
  for (std::uint64_t first = 0; first < tasks; first += 2) {
    const std::uint64_t matrix = first / plan.frame.parts;
    for (std::uint64_t task = first; task < std::min(first + 2, tasks); ++task) {
      const auto block = static_cast<unsigned>(task - first);
      host_gpu::Launch(
          1, plan.threads, plan.shared_bytes,
          [&] {
            host_gpu::kernels.at(plan.kernel)(plan.frame, all + matrix * plan.doubles_of_matrix(), plan.roots.data(),
                                              plan.steps.data(), first, matrix, parts.data() + first);
          },
          block)
          .run();
    }
  }
  std::vector<DenseSum> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(plan.finish(std::span(parts).subspan(i * plan.frame.parts, plan.frame.parts)));
  return values;
}

double log2_difference(double value, std::int64_t exponent, const test::Dyadic& truth) {
  test::Dyadic scaled = test::dyadic(value);
  scaled.exponent += exponent;
  const test::Dyadic difference = scaled - truth;
  return difference.integer == 0 ? -std::numeric_limits<double>::infinity() : test::log2_abs(difference);
}
// Checks that the truth is within the bound, and that the bound says something: of terms that may add up to `largest`,
// the scaled entries below 1.
void check(const DenseSum& sum, const test::ComplexDyadic& truth, double largest) {
  const double log2_error = std::log2(sum.error) + static_cast<double>(sum.exponent);
  const double re = log2_difference(sum.re, sum.exponent, truth.re);
  const double im = log2_difference(sum.im, sum.exponent, truth.im);
  CAPTURE(sum.re, sum.im, sum.error, sum.exponent, re, im, log2_error, largest);
  REQUIRE(re <= log2_error + 1e-9);
  REQUIRE(im <= log2_error + 1e-9);
  REQUIRE(sum.error <= 0x1p-40 * largest);
}

// Exactly, of doubles in one matrix: row-major, n x n.
test::ComplexDyadic exact(const std::vector<std::complex<double>>& entries, std::size_t n, bool hafnian) {
  std::vector<DoubleDouble> flat;
  for (const auto& entry : entries) flat.insert(flat.end(), {entry.real(), entry.imag()});
  const test::IntegerParts parts = test::integer_parts(flat, hafnian ? 1 : n);
  std::vector<test::GaussianInteger> numbers;
  for (std::size_t i = 0; i < parts.parts.size(); i += 2) numbers.emplace_back(parts.parts[i], parts.parts[i + 1]);
  const auto half = static_cast<std::int64_t>(n / 2);
  const auto value = hafnian ? reference::hafnian_by_expansion(numbers, n) : test::detail::permanent_of(numbers, n);
  const std::int64_t exponent = hafnian ? half * parts.exponent : parts.exponent;
  return {{value.re, exponent}, {value.im, exponent}};
}

// Edges in units of 2^(2 unit), loops of 2^unit: every term in units of 2^(n unit).
test::ComplexDyadic exact_loop_hafnian(const std::vector<std::complex<double>>& entries, std::size_t n) {
  const auto loop = [&](std::size_t i) { return i % (n + 1) == 0; };
  std::int64_t unit = 0;
  const auto each_part = [&](const auto& visit) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (const double part : {entries[i].real(), entries[i].imag()}) visit(i, test::dyadic(part));
    }
  };
  each_part([&](std::size_t i, const test::Dyadic& part) {
    if (part.integer != 0) unit = std::min(unit, loop(i) ? part.exponent : (part.exponent - 1) / 2);
  });
  std::vector<Integer> parts;
  each_part([&](std::size_t i, const test::Dyadic& part) {
    const std::int64_t shift = part.exponent - (loop(i) ? unit : 2 * unit);
    parts.push_back(part.integer == 0 ? Integer(0) : part.integer << static_cast<std::size_t>(shift));
  });
  std::vector<test::GaussianInteger> numbers;
  for (std::size_t i = 0; i < parts.size(); i += 2) numbers.emplace_back(parts[i], parts[i + 1]);
  std::vector<bool> used(n, false);
  const test::GaussianInteger value = test::loop_hafnian(numbers, n, used, 0);
  const std::int64_t exponent = static_cast<std::int64_t>(n) * unit;
  return {{value.re, exponent}, {value.im, exponent}};
}

// Returns the matrix in which rows and columns stand as often as they are taken.
std::vector<std::complex<double>> repeated(const std::vector<std::complex<double>>& entries,
                                           const std::vector<std::uint32_t>& row_times,
                                           const std::vector<std::uint32_t>& column_times) {
  std::vector<std::complex<double>> result;
  for (std::size_t row = 0; row < row_times.size(); ++row) {
    for (std::uint32_t copy = 0; copy < row_times[row]; ++copy) {
      for (std::size_t column = 0; column < column_times.size(); ++column)
        result.insert(result.end(), column_times[column], entries[row * column_times.size() + column]);
    }
  }
  return result;
}

// Returns an instance's entries as doubles.
std::vector<std::complex<double>> entries_of(test::Family family, test::RealWeights weights, std::size_t n,
                                             bool complex, std::uint64_t stream) {
  std::vector<std::complex<double>> entries;
  if (complex) {
    for (const auto& entry : test::complex_instance(family, weights, n, stream).entries)
      entries.emplace_back(entry.re.hi, entry.im.hi);
  } else {
    for (const auto& entry : test::real_instance(family, weights, n, stream).entries) entries.emplace_back(entry.hi);
  }
  return entries;
}

std::complex<double> random_entry(Random& random, bool complex) {
  const auto part = [&] { return random.below(6) == 0 ? 0 : 2 * random.uniform() - 1; };
  const double re = part();
  return {re, complex ? part() : 0};
}

}  // namespace

TEST_CASE("sums over signs on the host lie within their bounds of the permanent, of every kind of matrix") {
  kernel_runs.clear();
  for (std::size_t n = 1; n <= 9; ++n) {
    for (const test::Family family : test::all_families) {
      for (const test::RealWeights weights : test::all_real_weights) {
        for (const bool complex : {false, true}) {
          if (n > 6 && (static_cast<std::size_t>(family) + static_cast<std::size_t>(weights) + n) % 4 != 0) continue;
          CAPTURE(n, static_cast<int>(family), static_cast<int>(weights), complex, seed);
          const auto entries = entries_of(family, weights, n, complex, seed + n);
          const auto sums = sums_on_host(square(n, complex), components(entries, complex));
          check(sums[0], exact(entries, n, false), std::pow(n, n));
        }
      }
    }
  }
  CHECK(kernel_runs.size() == 6);
}

TEST_CASE("sums over signs keep 11 digits of permanents and hafnians of positive entries") {
  Random random(seed, 1);
  for (const std::size_t n : {4, 8, 10}) {
    std::vector<double> entries(n * n);
    for (double& entry : entries) entry = random.uniform();
    const DenseSum sum = sums_on_host(square(n, false), entries)[0];
    CHECK(sum.error < 1e-11 * sum.re);
    for (std::size_t i = 0; i < n * n; ++i) entries[i] = entries[i % n * n + i / n];
    const DenseSum hafnian = sums_on_host({true, false, ones(n), {}}, entries)[0];
    CHECK(hafnian.error < 1e-11 * hafnian.re);
  }
}

TEST_CASE("sums over roots of unity lie within their bounds of permanents with rows and columns repeated") {
  kernel_runs.clear();
  Random random(seed, 2);
  for (int turn = 0; turn < 150; ++turn) {
    const bool complex = turn % 3 != 0;
    const std::size_t total = 1 + random.below(9), rows = 1 + random.below(total), columns = 1 + random.below(total);
    DenseShape shape{false, complex, random_times(rows, total, random), random_times(columns, total, random)};
    std::vector<std::complex<double>> entries(rows * columns);
    for (auto& entry : entries) entry = random_entry(random, complex);
    CAPTURE(turn, shape.row_times, shape.column_times, complex, seed);
    const DenseSum sum = sums_on_host(shape, components(entries, complex))[0];
    const auto whole = repeated(entries, shape.row_times, shape.column_times);
    check(sum, exact(whole, total, false), factorial(total) * std::pow(std::max(rows, columns), total));
    if (!complex) REQUIRE(sum.im == 0);
  }
  CHECK(kernel_runs.size() >= 6);
}

TEST_CASE("columns that neighbouring threads share make the same permanent") {
  // One row more of many columns, that the whole is small: (a_0, ..., a_19) twenty times over is 20! times their
  // product.
  std::vector<double> entries;
  double product = 1;
  for (int column = 0; column < 20; ++column) {
    entries.insert(entries.end(), {1.0 + column % 3, column % 2 - 0.5});
    const std::complex<double> entry(entries[2 * column], entries[2 * column + 1]);
    product *= std::norm(entry);
  }
  DenseShape shape{false, true, {20}, ones(20)};
  const DenseSum sum = sums_on_host(shape, entries)[0];
  const double magnitude = std::ldexp(std::hypot(sum.re, sum.im), static_cast<int>(sum.exponent));
  CHECK(kernel_runs["permanent_powers_24"] > 0);
  CHECK(std::fabs(magnitude / (factorial(20) * std::sqrt(product)) - 1) < 1e-12);
  // Two rows, ten times each: the same columns, by the permanent of rows that differ in sign.
  shape.row_times = {10, 10};
  std::vector<double> both = entries;
  both.insert(both.end(), entries.begin(), entries.end());
  const DenseSum same = sums_on_host(shape, both)[0];
  const double again = std::ldexp(std::hypot(same.re, same.im), static_cast<int>(same.exponent));
  CHECK(std::fabs(again / magnitude - 1) < 1e-10);
}

TEST_CASE("sums over signs on the host lie within their bounds of the hafnian, of every kind of matrix") {
  kernel_runs.clear();
  for (std::size_t n = 4; n <= 12; n += 2) {
    for (const test::Family family : test::all_families) {
      for (const test::RealWeights weights : test::all_real_weights) {
        for (const bool complex : {false, true}) {
          if (n > 6 && (static_cast<std::size_t>(family) + static_cast<std::size_t>(weights) + n) % 4 != 0) continue;
          CAPTURE(n, static_cast<int>(family), static_cast<int>(weights), complex, seed);
          auto entries = entries_of(family, weights, n, complex, seed + n);
          for (std::size_t i = 0; i < n * n; ++i) entries[i] = entries[i % n * n + i / n];
          auto given = components(entries, complex);
          // The diagonal is not read.
          for (std::size_t v = 0; v < n; ++v) given[v * (n + 1) * (complex ? 2 : 1)] = 1e300;
          const DenseSum sum = sums_on_host({true, complex, ones(n), {}}, given)[0];
          check(sum, exact(entries, n, true), std::pow(static_cast<double>(n * n) / 2, n / 2));
        }
      }
    }
  }
  CHECK(kernel_runs.size() == 2);
}

TEST_CASE("sums over signs on the host lie within their bounds of the loop hafnian, of every kind of matrix") {
  kernel_runs.clear();
  for (std::size_t n = 3; n <= 9; ++n) {
    for (const test::Family family : test::all_families) {
      for (const test::RealWeights weights : test::all_real_weights) {
        for (const bool complex : {false, true}) {
          if (n > 6 && (static_cast<std::size_t>(family) + static_cast<std::size_t>(weights) + n) % 4 != 0) continue;
          CAPTURE(n, static_cast<int>(family), static_cast<int>(weights), complex, seed);
          auto entries = entries_of(family, weights, n, complex, seed + n);
          for (std::size_t i = 0; i < n * n; ++i) entries[i] = entries[i % n * n + i / n];
          const DenseSum sum = sums_on_host({true, complex, ones(n), {}, true}, components(entries, complex))[0];
          check(sum, exact_loop_hafnian(entries, n), std::pow(n * n, n));
        }
      }
    }
  }
  CHECK(kernel_runs.size() == 2);
}

TEST_CASE("loop hafnians of ones are numbers of involutions, and keep 10 digits") {
  std::vector<double> involutions{1, 1};
  for (std::size_t n = 2; n <= 15; ++n)
    involutions.push_back(involutions[n - 1] + static_cast<double>(n - 1) * involutions[n - 2]);
  for (const std::size_t n : {4, 11, 15}) {
    const DenseSum sum = sums_on_host({true, false, ones(n), {}, true}, std::vector<double>(n * n, 1))[0];
    const double value = std::ldexp(sum.re, static_cast<int>(sum.exponent));
    CAPTURE(n, value, involutions[n], sum.error);
    CHECK(std::fabs(value - involutions[n]) <= std::ldexp(sum.error, static_cast<int>(sum.exponent)));
    CHECK(sum.error <= 1e-10 * sum.re);
  }
}

TEST_CASE("a batch's sums are those of its matrices, however points are shared among threads and blocks") {
  Random random(seed, 3);
  for (const bool hafnian : {false, true}) {
    const std::size_t n = 14, count = 2;
    std::vector<double> entries(count * n * n);
    for (double& entry : entries) entry = random.uniform() - 0.5;
    for (std::size_t i = 0; i < entries.size() && hafnian; ++i)
      entries[i] = entries[i / (n * n) * n * n + i % n * n + i / n % n];
    DenseShape shape = square(n, false);
    shape.hafnian = hafnian;
    std::vector<test::ComplexDyadic> truth;
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = entries.begin() + static_cast<std::ptrdiff_t>(i * n * n);
      truth.push_back(exact({first, first + static_cast<std::ptrdiff_t>(n * n)}, n, hafnian));
    }
    for (const std::uint64_t planned : {1, 3'000'000}) {
      CHECK((gpu::plan_root_sums(shape, planned).frame.parts > 1) == (planned == 1));
      const auto sums = sums_on_host(shape, entries, planned);
      for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(hafnian, planned, i, seed);
        check(sums[i], truth[i], std::pow(n, n));
      }
    }
  }
}

TEST_CASE("blocks of few threads, which many small matrices have, sum the same permanents") {
  Random random(seed, 11);
  for (const std::size_t n : {1, 5, 9, 12}) {
    for (const bool complex : {false, true}) {
      std::vector<std::complex<double>> entries(n * n);
      for (auto& entry : entries) entry = {random.uniform() - 0.5, complex ? random.uniform() - 0.5 : 0};
      CAPTURE(n, complex, seed);
      CHECK(gpu::plan_root_sums(square(n, complex), 100'000).threads < gpu::root_threads);
      check(sums_on_host(square(n, complex), components(entries, complex), 100'000)[0], exact(entries, n, false),
            std::pow(n, n));
    }
  }
}

TEST_CASE("threads that go through several chunks of points sum the permanents and hafnians of products") {
  // a_ij = x_i y_j: n! times their products. a_ij = x_i x_j: (n - 1)!! times the product of the x_i.
  constexpr std::size_t n = 18;
  std::vector<double> x, entries, symmetric;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(1 + i % 3) * (i % 4 == 1 ? -1 : 1));
  Integer permanent = 1, hafnian = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      entries.push_back(x[i] * (j % 2 == 0 ? 1 : 3));
      symmetric.push_back(x[i] * x[j]);
    }
    permanent *= static_cast<std::int64_t>(x[i]) * (i % 2 == 0 ? 1 : 3) * static_cast<std::int64_t>(i + 1);
    hafnian *= static_cast<std::int64_t>(x[i]) * (i % 2 == 0 ? 1 : static_cast<std::int64_t>(i));
  }
  constexpr std::uint64_t planned = 100'000;
  DenseShape shape = square(n, false);
  CHECK(gpu::plan_root_sums(shape, planned).frame.chunks_of_thread > 1);
  check(sums_on_host(shape, entries, planned)[0], {{permanent, 0}, {}}, std::pow(n, n));
  // Times i, whose 18th power is -1; neighbouring threads share 24 columns.
  std::vector<std::complex<double>> imaginary;
  for (const double entry : entries) imaginary.emplace_back(0, entry);
  check(sums_on_host(square(n, true), components(imaginary, true), planned)[0], {{-permanent, 0}, {}}, std::pow(n, n));
  CHECK(kernel_runs["permanent_complex_24"] > 0);
  shape.hafnian = true;
  CHECK(gpu::plan_root_sums(shape, planned).frame.chunks_of_thread > 1);
  check(sums_on_host(shape, symmetric, planned)[0], {{hafnian, 0}, {}}, std::pow(n, n));
}

TEST_CASE("entries on a device are looked at: their magnitudes, and whether hafnians' matrices are symmetric") {
  constexpr double least = 0x1p-300, most = 0x1p300, nan = std::numeric_limits<double>::quiet_NaN();
  // Two matrices of 3 rows, complex.
  std::vector<double> entries(2 * 9 * 2);
  for (std::size_t i = 0; i < 18; ++i) {
    const std::size_t row = i % 9 / 3, column = i % 3;
    entries[2 * i] = static_cast<double>(i / 9 + row + column);
    entries[2 * i + 1] = -static_cast<double>(row * column);
  }
  const auto is_odd = [&](std::size_t at, double value, unsigned rows) {
    std::vector<double> changed = entries;
    changed[at] = value;
    double verdict = 0;
    host_gpu::Launch(2, 32, 0, [&] {
      host_gpu::examine(changed.data(), changed.size(), 2, rows, least, most, &verdict);
    }).run();
    return verdict == 1;
  };
  for (const unsigned rows : {0u, 3u}) {
    CHECK_FALSE(is_odd(1, entries[1], rows));
    CHECK_FALSE(is_odd(0, most, rows));  // on the diagonal
    for (const double value : {nan, most * 2, -least / 2, std::numeric_limits<double>::infinity()})
      for (const std::size_t at : {std::size_t{0}, std::size_t{17}, std::size_t{35}}) CHECK(is_odd(at, value, rows));
  }
  for (const std::size_t at : {2, 3, 29, 33}) {
    CHECK_FALSE(is_odd(at, 0.5, 0));
    CHECK(is_odd(at, 0.5, 3));
  }
}
