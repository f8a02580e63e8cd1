// The text of the kernels of all minors, on the host, and the kernels on a GPU: against the CPU, which is tested
// against the definition.

#include <bit>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "photonics/cuda/minors_gpu.hpp"
#include "photonics/derivatives/minors_scaling.hpp"
#include "photonics/gradients.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

using std::fabs, std::fmax, std::fmin, std::hypot, std::isfinite, std::ldexp, std::sqrt;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "photonics/cuda/minors_kernels.cuh"
#pragma GCC diagnostic pop

using Kernel = void (*)(const MinorsFrame&, const double*, const double*, u64, double*);
const std::map<std::string, Kernel> kernels{{"find_minors_12", find_minors<4, 3>},
                                            {"find_minors_16", find_minors<4, 4>},
                                            {"find_minors_20", find_minors<4, 5>},
                                            {"find_minors_24", find_minors<8, 3>},
                                            {"find_minors_32", find_minors<8, 4>}};

}  // namespace host_gpu

using namespace matchcount;

namespace {

using Complex = std::complex<double>;

std::vector<Complex> random_matrices(std::uint64_t seed, std::size_t entries) {
  Random random(seed);
  std::vector<Complex> made;
  for (std::size_t i = 0; i < entries; ++i)
    made.emplace_back(static_cast<double>(random.below(7)) - 3, static_cast<double>(random.below(7)) - 3);
  return made;
}

}  // namespace

TEST_CASE("the kernels of minors, on the host, find what the CPU finds", "[gradients]") {
  for (const int rows : {12, 13, 15}) {
    for (const std::uint64_t planned : {1, 600}) {  // matrices that the plan is for: with parts, and without
      const auto n = static_cast<std::size_t>(rows);
      INFO("rows " << rows << ", plan for " << planned);
      const gpu::MinorsPlan plan = gpu::plan_minors(rows, planned);
      REQUIRE(rows - 1 == plan.frame.walk_bits + plan.frame.group_bits + std::countr_zero(plan.frame.parts));
      const std::vector<Complex> matrices = random_matrices(n, 2 * n * n);
      const std::vector<double> floors(2 * n, 0.25);
      std::vector<double> found(2 * plan.sums());
      std::vector<double> of_tasks(2 * plan.frame.parts * plan.sums());
      for (unsigned task = 0; task < 2 * plan.frame.parts; ++task) {
        host_gpu::Launch(1, gpu::minors_threads, plan.shared_bytes, [&] {
          const auto find = host_gpu::kernels.at(plan.kernel);
          find(plan.frame, reinterpret_cast<const double*>(matrices.data()), floors.data(), task, of_tasks.data());
        }).run();
      }
      const auto blocks = static_cast<unsigned>(found.size() / gpu::minors_threads + 1);
      host_gpu::Launch(blocks, gpu::minors_threads, 0, [&] {
        host_gpu::add_parts(plan.frame, found.size(), of_tasks.data(), found.data());
      }).run();
      const Gradients<Complex> truth = permanent_gradients(matrices, n);
      for (std::size_t m = 0; m < 2; ++m) {
        const double* sums = found.data() + m * plan.sums();
        const double scale = std::ldexp(1, 1 - rows), magnitude = sums[2 * n * n + 2], largest = sums[2 * n * n + 3];
        const auto number = [&](std::size_t at) { return Complex(sums[2 * at], sums[2 * at + 1]) * scale; };
        REQUIRE(std::abs(number(n * n) - truth.values[m]) <=
                truth.errors[m] + plan.frame.relative_error_of_total * magnitude * scale);
        for (std::size_t i = 0; i < n * n; ++i) {
          const std::size_t at = m * n * n + i;
          REQUIRE(std::abs(number(i) - truth.derivatives[at]) <=
                  truth.derivative_errors[at] + plan.frame.relative_error * largest * scale);
          REQUIRE(truth.derivative_errors[at] < 1e-9 * largest * scale);
        }
      }
    }
  }
}

// Runs all kernels in their order; returns what they say was wrong.
template <class T>
double gradients_on_host(const std::vector<T>& matrices, std::size_t n, Gradients<T>& found) {
  const std::size_t count = matrices.size() / (n * n);
  const gpu::MinorsPlan plan = gpu::plan_minors(static_cast<int>(n), 600, sizeof(T) / sizeof(double));
  REQUIRE(plan.frame.parts == 1);
  std::vector<double> scaled(2 * count * n * n), floors(count * n), sums(count * plan.sums());
  std::vector<MinorsScaling> scalings(count);
  double failed = 0;
  const auto blocks = static_cast<unsigned>(count);
  host_gpu::Launch(blocks, gpu::minors_threads, static_cast<unsigned>(n * sizeof(double)), [&] {
    host_gpu::scale_minors(plan.frame, reinterpret_cast<const double*>(matrices.data()), scaled.data(), floors.data(),
                           scalings.data(), &failed);
  }).run();
  host_gpu::Launch(blocks, gpu::minors_threads, plan.shared_bytes, [&] {
    host_gpu::kernels.at(plan.kernel)(plan.frame, scaled.data(), floors.data(), blockIdx.x, sums.data());
  }).run();
  const std::size_t numbers = count * (n * n + 1);
  const auto out = found.of(0);
  const gpu::MinorsAnswers answers{reinterpret_cast<double*>(out.value), out.error,
                                   reinterpret_cast<double*>(out.derivatives), out.derivative_errors};
  host_gpu::Launch(static_cast<unsigned>(numbers / gpu::minors_threads + 1), gpu::minors_threads, 0, [&] {
    host_gpu::put_minors(plan.frame, numbers, sums.data(), scalings.data(), answers, &failed);
  }).run();
  return failed;
}

TEST_CASE("matrices as they are become derivatives as they are, by kernels on the host", "[gradients]") {
  constexpr std::size_t n = 12, count = 3;
  const auto compare = [&](const auto& matrices) {
    const auto truth = permanent_gradients(matrices, n);
    auto found = decltype(truth)(count, n * n);
    CHECK(gradients_on_host(matrices, n, found) == 0);
    const auto close = [](const auto& one, const auto& errors, const auto& other, const auto& their_errors) {
      REQUIRE(one.size() == other.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        REQUIRE(std::abs(one[i] - other[i]) <= errors[i] + their_errors[i]);
        REQUIRE(errors[i] <= 100 * their_errors[i] + 1e-300);
      }
    };
    close(found.values, found.errors, truth.values, truth.errors);
    close(found.derivatives, found.derivative_errors, truth.derivatives, truth.derivative_errors);
  };
  // Rows and columns of very different sizes, entries of many digits, a column of zeros.
  std::vector<Complex> matrices = random_matrices(1, count * n * n);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    matrices[i] *= std::ldexp(1 + static_cast<double>(i) * 0x1p-33, static_cast<int>(i / n % n) * 9 - 40);
    matrices[i] = std::ldexp(1.0, 50 - static_cast<int>(i % n) * 11) * matrices[i] / 3.0;
    if (i / (n * n) == 1 && i % n == 4) matrices[i] = 0;
  }
  compare(matrices);
  std::vector<double> real;
  for (const Complex& entry : matrices) real.push_back(entry.real());
  compare(real);

  Gradients<Complex> found(count, n * n);
  for (const Complex& odd : {Complex(0, INFINITY), Complex(NAN, 0), Complex(1.5e308, 1.5e308)}) {
    std::vector<Complex> changed = matrices;
    changed[200] = odd;
    CHECK(gradients_on_host(changed, n, found) == gpu::not_finite);
    CHECK_THROWS_AS(permanent_gradients(changed, n), InputError);
  }
  for (Complex& entry : matrices) entry *= 1e100;
  CHECK(gradients_on_host(matrices, n, found) == gpu::beyond_range);
  CHECK_THROWS_AS(permanent_gradients(matrices, n), Unable);
}

TEST_CASE("a GPU finds the derivatives of permanents that the CPU finds", "[cuda][gradients]") {
  MATCHCOUNT_DEVICES(devices);
  const RunOptions run{.device = {.kind = DeviceChoice::Kind::cuda}};
  const auto close = [](const auto& one, const auto& other) {
    REQUIRE(one.derivatives.size() == other.derivatives.size());
    for (std::size_t m = 0; m < one.values.size(); ++m)
      REQUIRE(std::abs(one.values[m] - other.values[m]) <= one.errors[m] + other.errors[m]);
    double largest = 0;
    for (const auto& derivative : other.derivatives) largest = std::max(largest, std::abs(derivative));
    for (std::size_t i = 0; i < one.derivatives.size(); ++i) {
      REQUIRE(std::abs(one.derivatives[i] - other.derivatives[i]) <=
              one.derivative_errors[i] + other.derivative_errors[i]);
      REQUIRE(one.derivative_errors[i] <= 1e-7 * largest);
    }
  };
  for (const std::size_t n : {12, 13, 16, 19, 22, 25}) {
    const std::vector<Complex> matrices = random_matrices(n, (n < 16 ? 300 : 1) * n * n);
    close(permanent_gradients(matrices, n, run), permanent_gradients(matrices, n));
  }
  std::vector<double> real;
  for (const Complex& entry : random_matrices(5, 14 * 14 * 9)) real.push_back(entry.real() * 1e100);
  for (double& entry : real) entry *= 1e-95;
  close(permanent_gradients(real, 14, run), permanent_gradients(real, 14));
}

TEST_CASE("a GPU's permanents are the sums of any row's entries times their derivatives", "[cuda][gradients]") {
  MATCHCOUNT_DEVICES(devices);
  const RunOptions run{.device = {.kind = DeviceChoice::Kind::cuda}};
  for (const auto& [n, count] :
       {std::pair<std::size_t, std::size_t>{12, 1000}, {12, 1000}, {20, 20}, {27, 1}, {30, 1}, {30, 1}}) {
    const std::vector<Complex> matrices = random_matrices(n, count * n * n);
    Stopwatch stopwatch;
    const auto found = permanent_gradients(matrices, n, run);
    WARN(count << " of " << n << " rows: " << stopwatch.lap() << " s");
    for (std::size_t m = 0; m < count; ++m) {
      for (const std::size_t row : {std::size_t{0}, n - 1}) {
        Complex sum = 0;
        double error = found.errors[m];
        for (std::size_t at = m * n * n + row * n; at < m * n * n + (row + 1) * n; ++at) {
          sum += matrices[at] * found.derivatives[at];
          error += std::abs(matrices[at]) * (found.derivative_errors[at] + 1e-14 * std::abs(found.derivatives[at]));
        }
        REQUIRE(std::abs(sum - found.values[m]) <= error);
      }
    }
  }
}
