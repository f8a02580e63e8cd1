// The text of the kernels of torontonians, on the host, and the kernels on a GPU: against the CPU, which is tested
// against the definition.

#include <cmath>
#include <complex>
#include <stop_token>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "linear/cuda/torontonian_frame.hpp"
#include "linear/torontonian.hpp"
#include "linear/torontonian_walk.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

#define MC_DEVICE inline
#define MC_STEP inline
using std::sqrt;
const Index gridDim{2};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "linear/cuda/torontonian_kernels.cuh"
#pragma GCC diagnostic pop

}  // namespace host_gpu

using namespace matchcount;

namespace {

struct Instance {
  std::vector<double> o, loop;
};

// I - O is diagonally dominant, and its diagonal exact in doubles.
Instance random_instance(std::size_t n, bool has_loop, std::uint64_t seed) {
  Random random(seed, n);
  const std::size_t rows = 2 * n;
  Instance made{std::vector<double>(rows * rows), std::vector<double>(has_loop ? rows : 0)};
  const auto uniform = [&] { return 2 * random.uniform() - 1; };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      made.o[i * rows + j] = made.o[j * rows + i] = 0.5 * uniform() / static_cast<double>(rows);
    made.o[i * rows + i] = static_cast<double>(205 + random.below(205)) / 1024;
  }
  for (double& entry : made.loop) entry = uniform();
  return made;
}

TorontonianOptions with(Precision precision, DeviceChoice::Kind device) {
  TorontonianOptions options;
  options.run.precision = precision;
  options.run.device.kind = device;
  return options;
}

double distance(const RealValue& a, const RealValue& b) {
  const int exponent = static_cast<int>(a.value.exponent - b.value.exponent);
  return std::fabs(
      std::ldexp((ldexp(a.value.mantissa, exponent) - b.value.mantissa).hi, static_cast<int>(b.value.exponent)));
}

// Sums the tasks of all paths, as if they were one piece's.
template <class Number>
RealValue sum_on_host(const Instance& instance, std::size_t n, int piece_bits) {
  gpu::TorontonianFrame frame{
      static_cast<int>(n), !instance.loop.empty(), piece_bits, static_cast<int>(n) - gpu::block_modes, 6, 0.5};
  // Mode by mode, as the CPU's kernel has them.
  const std::size_t rows = 2 * n;
  std::vector<double> given;
  const auto put = [&](double value) {
    given.push_back(value);
    if (Number::parts == 2) given.push_back(0);
  };
  const auto place = [n](std::size_t i) { return i / 2 + i % 2 * n; };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) put((i == j ? 1 : 0) - instance.o[place(i) * rows + place(j)]);
  }
  for (std::size_t i = 0; i < instance.loop.size(); ++i) put(instance.loop[place(i)]);
  std::vector<gpu::TorontonianSum> sums(std::size_t{1} << frame.task_bits);
  const auto shared = static_cast<unsigned>(
      gpu::shared_doubles(frame, static_cast<unsigned>(given.size()), Number::parts) * sizeof(double));
  host_gpu::Launch(2, gpu::torontonian_threads, shared, [&] {
    host_gpu::sum_torontonian<Number>(frame, given.data(), 0, static_cast<unsigned>(sums.size()), sums.data());
  }).run();
  DoubleDouble sum;
  double magnitude = 0;
  for (const gpu::TorontonianSum& task : sums) {
    sum += DoubleDouble(task.high, task.low);
    magnitude += task.magnitude;
  }
  // Some thousand roundings of well-conditioned steps.
  return {ScaledReal(sum), std::log2(magnitude) + (Number::parts == 1 ? -53 : -102) + 12, 0};
}

}  // namespace

TEST_CASE("the kernels of torontonians, on the host, sum what the CPU sums") {
  using host_gpu::Doubles;
  for (const bool has_loop : {false, true}) {
    for (const std::size_t n : {16, 18}) {
      INFO("n=" << n << " loop " << has_loop);
      const Instance instance = random_instance(n, has_loop, 1);
      const auto truth =
          torontonian(instance.o, 2 * n, instance.loop, with(Precision::double_double, DeviceChoice::Kind::cpu));
      const auto near = [&](const RealValue& found) {
        return distance(found, truth.value) <= std::exp2(found.log2_error) + std::exp2(truth.value.log2_error);
      };
      CHECK(near(sum_on_host<torontonian_kernel::Real<Doubles>>(instance, n, n == 16 ? 0 : 1)));
      if (n == 16) CHECK(near(sum_on_host<torontonian_kernel::DoubleDouble<Doubles>>(instance, n, 1)));
    }
  }
}

TEST_CASE("GPUs find the torontonians that the CPU finds", "[cuda]") {
  const FoundDevices devices = find_devices();
  if (devices.devices.empty()) MATCHCOUNT_SKIP(devices.reason);
  for (const Precision precision : {Precision::float64, Precision::double_double, Precision::automatic}) {
    for (const bool has_loop : {false, true}) {
      for (const std::size_t n : {18, 19, 21, 23}) {
        INFO("n=" << n << " loop " << has_loop << " precision " << to_string(precision));
        const Instance instance = random_instance(n, has_loop, 2);
        const auto here = torontonian(instance.o, 2 * n, instance.loop, with(precision, DeviceChoice::Kind::cpu));
        const auto there = torontonian(instance.o, 2 * n, instance.loop, with(precision, DeviceChoice::Kind::cuda));
        CHECK(there.arithmetic == here.arithmetic);
        CHECK(there.gpus.size() == devices.devices.size());
        CHECK(here.gpus.empty());
        CHECK(distance(here.value, there.value) <=
              std::exp2(here.value.log2_error) + std::exp2(there.value.log2_error));
        CHECK(there.value.log2_error <= here.value.log2_error + 1e-6);
      }
    }
  }
  // Limits hold while it sums: 2^40 subsets take minutes.
  const Instance large = random_instance(40, false, 7);
  auto limited = with(Precision::float64, DeviceChoice::Kind::cuda);
  limited.run.time_limit_s = 0.5;
  CHECK_THROWS_AS(torontonian(large.o, 80, {}, limited), OverLimit);
  limited = with(Precision::float64, DeviceChoice::Kind::cuda);
  std::stop_source stop;
  limited.run.stop = stop.get_token();
  limited.run.on_progress = [&](const Progress&) { stop.request_stop(); };
  CHECK_THROWS_AS(torontonian(large.o, 80, {}, limited), Cancelled);

  std::vector<double> both;
  for (const std::uint64_t seed : {3, 4, 5}) {
    const std::vector<double> one = random_instance(18, false, seed).o;
    both.insert(both.end(), one.begin(), one.end());
  }
  const auto here = torontonians(both, 36, with(Precision::automatic, DeviceChoice::Kind::cpu));
  const auto there = torontonians(both, 36, with(Precision::automatic, DeviceChoice::Kind::cuda));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(distance(here[i].value, there[i].value) <=
          std::exp2(here[i].value.log2_error) + std::exp2(there[i].value.log2_error));
}

TEST_CASE("torontonians that GPUs do not take are refused where a GPU is asked for") {
  const auto on_gpu = with(Precision::automatic, DeviceChoice::Kind::cuda);
  const Instance small = random_instance(17, false, 6);
  CHECK_THROWS_AS(torontonian(small.o, 34, {}, on_gpu), Unable);
  // Hermitian alone: the upper left block is not the lower right one's conjugate.
  std::vector<std::complex<double>> o(36 * 36);
  o[1] = {0, 0.1};
  o[36] = {0, -0.1};
  CHECK_THROWS_AS(torontonian(o, 36, {}, on_gpu), Unable);
}
