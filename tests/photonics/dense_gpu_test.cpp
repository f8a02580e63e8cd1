// Sums over roots of unity on GPUs, where there are some, against the CPU.

#include "photonics/cuda/dense_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "matchcount/batches.hpp"
#include "photonics/dense_shapes.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using test::components, test::factorial, test::ones, test::random_times, test::square;

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

namespace {

constexpr std::uint64_t seed = 20261122;

// Compares with the CPU, to within both bounds. If the CPU has no value, bounds can tell none.
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

RunOptions on_cpu() { return {.device = {.kind = DeviceChoice::Kind::cpu}}; }

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
  MATCHCOUNT_DEVICES(found);
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
        // The CPU takes long for larger ones.
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
  MATCHCOUNT_DEVICES(found);
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
  MATCHCOUNT_DEVICES(found);
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
  MATCHCOUNT_DEVICES(found);
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

TEST_CASE("calls side by side and after failed ones on a GPU have the sums of calls alone", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::vector<DeviceInfo> devices{found.devices.front()};
  Random random(seed, 10);
  std::vector<std::pair<DenseShape, std::vector<double>>> batches;
  for (const std::size_t count : {1, 20'000, 3, 500})
    batches.emplace_back(square(10, count < 100), random_entries(square(10, count < 100), count, random));
  batches.emplace_back(DenseShape{false, true, {3, 2}, {1, 4}},
                       random_entries({false, true, {3, 2}, {1, 4}}, 9, random));
  std::vector<std::vector<DenseSum>> alone;
  for (const auto& [shape, entries] : batches) {
    alone.push_back(dense_gpu_sums(shape, entries, devices, RunContext()));
    check_batch(shape, entries, alone.back(), 1);
    CHECK_THROWS_AS(dense_gpu_sums(shape, entries, devices, RunContext({.time_limit_s = 1e-9})), Unable);
  }
  std::atomic<int> different{0};
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t turn = 0; turn < 10; ++turn) {
        const std::size_t which = (thread + turn) % batches.size();
        const auto sums = dense_gpu_sums(batches[which].first, batches[which].second, devices, RunContext());
        const auto is_same = [](const DenseSum& a, const DenseSum& b) { return a.re == b.re && a.im == b.im; };
        if (!std::ranges::equal(sums, alone[which], is_same)) ++different;
      }
    });
  }
  threads.clear();
  CHECK(different == 0);
}

TEST_CASE("permanents with rows and columns repeated on a GPU are those of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
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
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 7);
  const DenseShape shape = square(30, false), small = square(12, false);
  const auto entries = random_entries(shape, 2000, random);
  RunOptions options{.time_limit_s = 0.2};
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

TEST_CASE("permanents and hafnians that are asked of GPUs are those of CPUs, with rows repeated too", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  Random random(seed, 9);
  RunOptions on_gpu, on_cpu;
  on_gpu.device.kind = DeviceChoice::Kind::cuda;
  on_cpu.device.kind = DeviceChoice::Kind::cpu;
  const auto is_near = [](const ComplexValue& a, const ComplexValue& b) {
    const ScaledComplex difference{a.value.re + -b.value.re, a.value.im + -b.value.im};
    return log2_abs(difference) <= log2_sum(a.log2_error, b.log2_error) + 1e-9 &&
           a.log2_error <= log2_abs(a.value) - 10;
  };
  const auto draw = [&](std::size_t count) {
    std::vector<std::complex<double>> entries;
    for (std::size_t i = 0; i < count; ++i)
      entries.emplace_back(static_cast<double>(random.below(2001)) / 1000 - 1,
                           static_cast<double>(random.below(2001)) / 1000 - 1);
    return entries;
  };
  for (const std::size_t n : {1, 2, 5, 12, 18}) {
    const auto entries = draw(3 * n * n);
    const auto theirs = permanents(entries, n, on_gpu), ours = permanents(entries, n, on_cpu);
    for (std::size_t i = 0; i < 3; ++i) CHECK(is_near(theirs[i], ours[i]));
  }
  using Times = std::vector<std::uint32_t>;
  for (const auto& [rows, columns] : std::vector<std::pair<Times, Times>>{{{5, 5, 5}, {3, 3, 3, 3, 3}},
                                                                          {{1, 0, 8}, {2, 2, 5}},
                                                                          {{8, 8, 8, 8, 8}, {8, 8, 8, 8, 8}},
                                                                          {{40}, {20, 20}}}) {
    const auto entries = draw(rows.size() * columns.size());
    CHECK(is_near(repeated_permanent(entries, rows, columns, on_gpu),
                  repeated_permanent(entries, rows, columns, on_cpu)));
  }
  const std::vector<std::complex<double>> symmetric{{1, 1}, {0, -2}, {0, -2}, {3, 0}};
  const Times twelve{12, 12};
  CHECK(is_near(repeated_hafnian(symmetric, twelve, true, on_gpu), repeated_hafnian(symmetric, twelve, true, on_cpu)));
}
