// Sums over roots of unity: the kernels' own text on the host, and on GPUs where there are some, against exact values.

#include "permanent/dense/dense_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"
#include "permanent/dense.hpp"
#include "permanent/dense/cuda/root_sum_plan.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/skip.hpp"
#include "support/truth.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

using std::fabs, std::fmax, std::frexp, std::ldexp, std::max, std::rint, std::sqrt;

#define MC_DEVICE inline
#define MC_UNROLL
#define MC_ROLLED

double partner(double value) {
  SHARED(double, exchanged, matchcount::gpu::root_threads);
  exchanged[threadIdx.x] = value;
  __syncthreads();
  const double result = exchanged[threadIdx.x ^ 1];
  __syncthreads();
  return result;
}
int lowest_one(unsigned mask) { return __builtin_ctz(mask); }
int count_ones(unsigned mask) { return __builtin_popcount(mask); }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/dense/cuda/root_sum_kernels.cuh"
#pragma GCC diagnostic pop

using Kernel = void (*)(const RootFrame&, const double*, const Root*, const RootStep*, u64, u64, RootSum*);
const std::map<std::string, Kernel> kernels{{"permanent_real_4", sum_permanent<1, 4, 1, 0>},
                                            {"permanent_real_8", sum_permanent<1, 8, 1, 0>},
                                            {"permanent_real_12", sum_permanent<1, 12, 1, 0>},
                                            {"permanent_real_16", sum_permanent<1, 16, 1, 0>},
                                            {"permanent_real_20", sum_permanent<1, 20, 1, 0>},
                                            {"permanent_complex_4", sum_permanent<2, 4, 1, 0>},
                                            {"permanent_complex_8", sum_permanent<2, 8, 1, 0>},
                                            {"permanent_complex_12", sum_permanent<2, 12, 1, 0>},
                                            {"permanent_complex_24", sum_permanent<2, 12, 2, 0>},
                                            {"permanent_powers_4", sum_permanent<2, 4, 1, 1>},
                                            {"permanent_powers_8", sum_permanent<2, 8, 1, 1>},
                                            {"permanent_powers_12", sum_permanent<2, 12, 1, 1>},
                                            {"permanent_powers_24", sum_permanent<2, 12, 2, 1>},
                                            {"hafnian_real", sum_hafnian<1, 0>},
                                            {"hafnian_complex", sum_hafnian<2, 0>},
                                            {"loop_hafnian_real", sum_hafnian<1, 1>},
                                            {"loop_hafnian_complex", sum_hafnian<2, 1>}};

}  // namespace host_gpu

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20261122;

// As dense_gpu_sums, in launches of two blocks, which begin within a matrix.
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
          1, gpu::root_threads, plan.shared_bytes,
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

std::vector<std::uint32_t> ones(std::size_t n) { return std::vector<std::uint32_t>(n, 1); }
DenseShape square(std::size_t n, bool complex) { return {false, complex, ones(n), ones(n)}; }

double log2_difference(double value, std::int64_t exponent, const test::Dyadic& truth) {
  test::Dyadic scaled = test::dyadic(value);
  scaled.exponent += exponent;
  const test::Dyadic difference = scaled - truth;
  return difference.integer == 0 ? -std::numeric_limits<double>::infinity() : test::log2_abs(difference);
}
// Within the bound; and the bound says something: of terms that may add up to `largest`, the scaled entries below 1.
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

// The sum over ways to leave vertices to their loops and to match the others.
test::GaussianInteger loop_hafnian(const std::vector<test::GaussianInteger>& a, std::size_t n, std::vector<bool>& used,
                                   std::size_t first) {
  while (first < n && used[first]) ++first;
  if (first == n) return Integer(1);
  used[first] = true;
  test::GaussianInteger sum = a[first * n + first] * loop_hafnian(a, n, used, first + 1);
  for (std::size_t v = first + 1; v < n; ++v) {
    if (used[v]) continue;
    used[v] = true;
    sum += a[first * n + v] * loop_hafnian(a, n, used, first + 1);
    used[v] = false;
  }
  used[first] = false;
  return sum;
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
  const test::GaussianInteger value = loop_hafnian(numbers, n, used, 0);
  const std::int64_t exponent = static_cast<std::int64_t>(n) * unit;
  return {{value.re, exponent}, {value.im, exponent}};
}

// The matrix in which rows and columns stand as often as they are taken.
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

double factorial(std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); }

std::vector<double> components(const std::vector<std::complex<double>>& entries, bool complex) {
  std::vector<double> result;
  for (const auto& entry : entries) {
    result.push_back(entry.real());
    if (complex) result.push_back(entry.imag());
  }
  return result;
}

// An instance's entries as doubles.
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

// Of `total` things so many parts, each at least 1.
std::vector<std::uint32_t> random_times(std::size_t parts, std::size_t total, Random& random) {
  std::vector<std::uint32_t> times = ones(parts);
  for (std::size_t left = total - parts; left > 0; --left) ++times[random.below(parts)];
  return times;
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

TEST_CASE("kernels are said to be there for what they sum, and for nothing else") {
  CHECK(gpu_sums(square(1, false)));
  CHECK(gpu_sums(square(32, true)));
  CHECK_FALSE(gpu_sums(square(33, true)));
  CHECK_FALSE(gpu_sums(square(0, true)));
  CHECK(gpu_sums({false, true, {8, 8, 8, 8, 8}, ones(32)}) == false);
  CHECK(gpu_sums({false, true, {8, 8, 8, 8}, ones(32)}));
  CHECK(gpu_sums({false, true, {64}, {32, 32}}));
  CHECK_FALSE(gpu_sums({false, true, {65}, {33, 32}}));
  CHECK_FALSE(gpu_sums({false, true, {2, 0}, {1, 1}}));
  CHECK_FALSE(gpu_sums({false, true, {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, {30, 30}}));
  CHECK(gpu_sums({true, true, ones(32), {}}));
  CHECK(gpu_sums({true, true, ones(4), {}}));
  CHECK_FALSE(gpu_sums({true, true, ones(2), {}}));
  CHECK_FALSE(gpu_sums({true, true, ones(3), {}}));
  CHECK_FALSE(gpu_sums({true, true, ones(34), {}}));
  CHECK(gpu_sums({true, true, ones(3), {}, true}));
  CHECK_FALSE(gpu_sums({true, true, ones(2), {}, true}));
}

TEST_CASE("a GPU's time is predicted where the build has kernels, and grows with a batch") {
  const std::vector<DeviceInfo> devices{known_device("h200")};
  if (!built_with_cuda()) {
    CHECK(std::isinf(dense_gpu_seconds(square(12, false), 1000, devices)));
    return;
  }
  const double once = dense_gpu_seconds(square(12, false), 1000, devices);
  CHECK(once < dense_gpu_seconds(square(12, false), 1'000'000, devices));
  CHECK(once < dense_gpu_seconds(square(32, false), 1000, devices));
  CHECK(once < 1);
}

// ---- On a GPU

namespace {

// By the CPU, to within both bounds. Values of the CPU that are not there are none that the bounds can tell.
template <class Value>
void check_like(const DenseSum& sum, const Value& truth, bool complex) {
  ScaledReal re, im;
  if constexpr (std::is_same_v<Value, ComplexValue>) {
    re = truth.value.re, im = truth.value.im;
  } else {
    re = truth.value;
  }
  const double log2_error = log2_sum(truth.log2_error, std::log2(sum.error) + static_cast<double>(sum.exponent)) + 1e-6;
  const double re_difference = (ScaledReal(sum.re, sum.exponent) + -re).log2_abs();
  const double im_difference = (ScaledReal(sum.im, sum.exponent) + -im).log2_abs();
  CAPTURE(sum.re, sum.im, sum.error, sum.exponent, to_string(truth), complex);
  REQUIRE(re_difference <= log2_error);
  REQUIRE(im_difference <= log2_error);
}

RunOptions on_cpu() {
  RunOptions options;
  options.device.kind = DeviceChoice::Kind::cpu;
  return options;
}

std::vector<double> random_entries(const DenseShape& shape, std::size_t count, Random& random) {
  const std::size_t n = shape.row_times.size(), columns = shape.hafnian ? n : shape.column_times.size();
  const std::size_t parts = shape.complex ? 2 : 1, doubles = n * columns * parts;
  std::vector<double> entries(count * doubles);
  for (double& entry : entries) entry = 2 * random.uniform() - 1;
  if (!shape.hafnian) return entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t place = i % doubles / parts;
    entries[i] = entries[i / doubles * doubles + (place % n * n + place / n) * parts + i % parts];
  }
  return entries;
}

// Some of a batch's sums, against the CPU's.
void check_batch(const DenseShape& shape, const std::vector<double>& entries, const std::vector<DenseSum>& sums,
                 std::size_t checked) {
  const std::size_t n = shape.row_times.size(), doubles = entries.size() / sums.size();
  for (std::size_t turn = 0; turn < checked; ++turn) {
    const std::size_t i = turn * (sums.size() - 1) / std::max<std::size_t>(checked - 1, 1);
    const std::span<const double> own = std::span(entries).subspan(i * doubles, doubles);
    CAPTURE(i, n, shape.row_times, shape.column_times, shape.hafnian);
    if (shape.complex) {
      std::vector<std::complex<double>> matrix;
      for (std::size_t k = 0; k < own.size(); k += 2) matrix.emplace_back(own[k], own[k + 1]);
      const std::span<const std::complex<double>> given(matrix);
      check_like(sums[i],
                 shape.hafnian ? hafnians(given, n, shape.loops, on_cpu())[0]
                               : repeated_permanent(given, shape.row_times, shape.column_times, on_cpu()),
                 true);
    } else {
      check_like(sums[i],
                 shape.hafnian ? hafnians(own, n, shape.loops, on_cpu())[0]
                               : repeated_permanent(own, shape.row_times, shape.column_times, on_cpu()),
                 false);
    }
  }
}

}  // namespace

TEST_CASE("batches of every size on a GPU have the permanents and hafnians of the CPU, n = 1 to 32", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 4);
  const RunContext run;
  for (std::size_t n = 1; n <= 32; ++n) {
    for (const bool complex : {false, true}) {
      for (const bool hafnian : {false, true}) {
        if (hafnian && (n % 2 == 1 || n < 4)) continue;
        DenseShape shape = square(n, complex);
        shape.hafnian = hafnian;
        const std::size_t count = n <= 16 ? 31 : n <= 22 ? 3 : 1;
        // By the CPU larger ones take long.
        const bool checked = hafnian ? n <= (complex ? 24u : 28u) : n <= (complex ? 20u : 24u);
        const auto entries = random_entries(shape, count, random);
        const auto sums = dense_gpu_sums(shape, entries, {found.devices.front()}, run);
        REQUIRE(sums.size() == count);
        if (checked) check_batch(shape, entries, sums, n <= 16 ? 3 : 1);
      }
    }
  }
}

TEST_CASE("loop hafnians on a GPU are those of the CPU, n = 3 to 24, and of ones to 32", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 8);
  const RunContext run;
  double before = 1, involutions = 2;
  for (std::size_t n = 3; n <= 32; ++n) {
    for (const bool complex : {false, true}) {
      const DenseShape shape{true, complex, ones(n), {}, true};
      const auto entries = random_entries(shape, 4, random);
      if (n <= 24) check_batch(shape, entries, dense_gpu_sums(shape, entries, {found.devices.front()}, run), 2);
    }
    before = std::exchange(involutions, involutions + static_cast<double>(n - 1) * before);
    const std::vector<double> all(n * n, 1);
    const DenseSum sum = dense_gpu_sums({true, false, ones(n), {}, true}, all, {found.devices.front()}, run)[0];
    const double value = std::ldexp(sum.re, static_cast<int>(sum.exponent));
    CAPTURE(n, value, involutions, sum.error);
    CHECK(std::fabs(value - involutions) <= std::ldexp(sum.error, static_cast<int>(sum.exponent)));
    CHECK(sum.error < 1e-6 * sum.re);
  }
}

TEST_CASE("permanents of ones have their known values on a GPU, n = 25 to 32", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  const RunContext run;
  for (std::size_t n = 25; n <= 32; ++n) {
    for (const bool complex : {false, true}) {
      std::vector<std::complex<double>> entries(n * n, complex ? std::complex<double>(0, 1) : 1.0);
      const DenseSum sum =
          dense_gpu_sums(square(n, complex), components(entries, complex), {found.devices.front()}, run)[0];
      // i^n n!
      const double value = std::ldexp(n % 2 == 0 || !complex ? sum.re : sum.im, static_cast<int>(sum.exponent));
      const double sign = complex && n / 2 % 2 == 1 ? -1 : 1;
      CAPTURE(n, complex, value);
      CHECK(std::fabs(value - sign * factorial(n)) <=
            std::ldexp(sum.error, static_cast<int>(sum.exponent)) + 1e-14 * factorial(n));
      CHECK(std::ldexp(sum.error, static_cast<int>(sum.exponent)) < 1e-6 * factorial(n));
    }
  }
}

TEST_CASE("batches of 1 to 100000 matrices on a GPU are each what the CPU says, and the same on two GPUs", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 5);
  const RunContext run;
  for (const std::size_t count : {1, 31, 1000, 100'000}) {
    for (const bool complex : {false, true}) {
      const DenseShape shape = square(12, complex);
      const auto entries = random_entries(shape, count, random);
      const auto sums = dense_gpu_sums(shape, entries, {found.devices.front()}, run);
      REQUIRE(sums.size() == count);
      check_batch(shape, entries, sums, std::min<std::size_t>(count, 100));
      if (found.devices.size() < 2) continue;
      const auto both = dense_gpu_sums(shape, entries, {found.devices[0], found.devices[1]}, run);
      for (std::size_t i = 0; i < count; ++i) REQUIRE((both[i].re == sums[i].re && both[i].im == sums[i].im));
    }
  }
}

TEST_CASE("permanents with rows and columns repeated on a GPU are those of the CPU", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 6);
  const RunContext run;
  for (int turn = 0; turn < 100; ++turn) {
    const std::size_t total = 1 + random.below(16), rows = 1 + random.below(std::min<std::size_t>(total, 8));
    const std::size_t columns = 1 + random.below(total);
    const DenseShape shape{false, turn % 3 != 0, random_times(rows, total, random),
                           random_times(columns, total, random)};
    const auto entries = random_entries(shape, 5, random);
    check_batch(shape, entries, dense_gpu_sums(shape, entries, {found.devices.front()}, run), 5);
  }
}

TEST_CASE("a batch on a GPU ends where time is over or somebody asks for it, and keeps within memory", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 7);
  const DenseShape shape = square(30, false), small = square(12, false);
  const auto entries = random_entries(shape, 2000, random);
  RunOptions options;
  options.time_limit_s = 0.2;
  CHECK_THROWS_AS(dense_gpu_sums(shape, entries, found.devices, RunContext(options)), Unable);
  std::stop_source stop;
  options = {};
  options.stop = stop.get_token();
  options.on_progress = [&](const Progress& progress) {
    if (progress.done > 0) stop.request_stop();
  };
  CHECK_THROWS_AS(dense_gpu_sums(shape, entries, found.devices, RunContext(options)), Cancelled);
  const auto some = random_entries(small, 3000, random);
  const auto sums = dense_gpu_sums(small, some, {found.devices.front()}, RunContext());
  options = {};
  options.memory_limit_bytes = 200'000;
  const auto little = dense_gpu_sums(small, some, {found.devices.front()}, RunContext(options));
  for (std::size_t i = 0; i < sums.size(); ++i) REQUIRE(little[i].re == sums[i].re);
  options.memory_limit_bytes = 100;
  CHECK_THROWS_AS(dense_gpu_sums(small, some, {found.devices.front()}, RunContext(options)), Unable);
}
