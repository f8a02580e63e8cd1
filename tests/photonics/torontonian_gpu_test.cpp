// The text of the kernels of torontonians, on the host, and the kernels on a GPU: against the CPU, which is tested
// against the definition.

#include <cmath>
#include <complex>
#include <stop_token>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "photonics/torontonian.hpp"
#include "photonics/torontonian/cuda/torontonian_gpu.hpp"
#include "photonics/torontonian/torontonian_walk.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

#define MC_STEP inline
using std::sqrt;
const Index gridDim{2};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "photonics/torontonian/cuda/torontonian_kernels.cuh"
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
  return {.run = {.device = {.kind = device}, .precision = precision}};
}

double distance(const RealValue& a, const RealValue& b) {
  const int exponent = static_cast<int>(a.value.exponent - b.value.exponent);
  return std::fabs(
      std::ldexp((ldexp(a.value.mantissa, exponent) - b.value.mantissa).hi, static_cast<int>(b.value.exponent)));
}

// Appends what kernels read: mode by mode, as the CPU's has them.
void put_values(const Instance& instance, std::size_t n, int parts, std::vector<double>& given) {
  const std::size_t rows = 2 * n;
  const auto put = [&](double value) {
    given.push_back(value);
    if (parts == 2) given.push_back(0);
  };
  const auto place = [n](std::size_t i) { return i / 2 + i % 2 * n; };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) put((i == j ? 1 : 0) - instance.o[place(i) * rows + place(j)]);
  }
  for (std::size_t i = 0; i < instance.loop.size(); ++i) put(instance.loop[place(i)]);
  put(0.5);
  put(6);  // squarings
}

// Sums the tasks of each of so many matrices that are given.
template <class Number>
std::vector<RealValue> sum_on_host(const gpu::TorontonianFrame& frame, std::vector<double> given, std::size_t count) {
  const std::size_t in_block = gpu::matrices_of_block(frame), blocks = (count + in_block - 1) / in_block;
  given.resize(given.size() / count * blocks * in_block);
  const std::size_t tasks = blocks << frame.task_bits;
  std::vector<gpu::TorontonianSum> sums(tasks * in_block);
  const auto shared = static_cast<unsigned>(gpu::shared_doubles(frame, Number::parts) * sizeof(double));
  host_gpu::Launch(2, gpu::torontonian_threads, shared, [&] {
    host_gpu::sum_torontonian<Number>(frame, given.data(), 0, static_cast<unsigned>(tasks), sums.data());
  }).run();
  std::vector<RealValue> found;
  for (std::size_t i = 0; i < count; ++i) {
    DoubleDouble sum;
    double magnitude = 0;
    for (std::size_t task = i << frame.task_bits; task < (i + 1) << frame.task_bits; ++task) {
      sum += DoubleDouble(sums[task].high, sums[task].low);
      magnitude += sums[task].magnitude;
    }
    // Some hundred roundings of well-conditioned steps.
    found.push_back({ScaledReal(sum), std::log2(magnitude) + (Number::parts == 1 ? -53 : -102) + 8, 0});
  }
  return found;
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
      const auto found = [&]<class Number>(Number, int piece_bits) {
        std::vector<double> given;
        put_values(instance, n, Number::parts, given);
        const int modes = static_cast<int>(n);
        return sum_on_host<Number>({modes, has_loop, piece_bits, modes - gpu::block_modes, 7}, given, 1).front();
      };
      CHECK(near(found(torontonian_kernel::Real<Doubles>(), n == 16 ? 0 : 1)));
      if (n == 16) CHECK(near(found(torontonian_kernel::DoubleDouble<Doubles>(), 1)));
    }
  }
}

TEST_CASE("blocks that take several matrices, on the host, sum what the CPU sums") {
  using host_gpu::Doubles;
  const auto check = [&]<class Number>(Number, std::size_t n, bool has_loop, std::size_t count) {
    INFO("n=" << n << " loop " << has_loop << " parts " << Number::parts);
    std::vector<double> given;
    std::vector<Instance> instances;
    for (std::size_t i = 0; i < count; ++i) {
      instances.push_back(random_instance(n, has_loop, 20 + i));
      put_values(instances.back(), n, Number::parts, given);
    }
    const gpu::TorontonianFrame frame = gpu::batch_frame(static_cast<int>(n), has_loop);
    REQUIRE(given.size() == count * Number::parts * gpu::values_of_matrix(static_cast<int>(n), has_loop));
    REQUIRE(frame.num_modes - frame.task_bits - frame.thread_bits <= gpu::thread_modes);
    const auto found = sum_on_host<Number>(frame, given, count);
    for (std::size_t i = 0; i < count; ++i) {
      const Instance& one = instances[i];
      const auto truth = torontonian(one.o, 2 * n, one.loop, with(Precision::double_double, DeviceChoice::Kind::cpu));
      REQUIRE(distance(found[i], truth.value) <= std::exp2(found[i].log2_error) + std::exp2(truth.value.log2_error));
      REQUIRE(found[i].log2_error < truth.value.value.log2_abs());
    }
  };
  for (const bool has_loop : {false, true}) {
    for (std::size_t n = gpu::fewest_batch_modes; n < gpu::fewest_torontonian_modes; ++n) {
      const std::size_t count = n < 12 ? 37 : n < 15 ? 5 : 2;
      check(torontonian_kernel::Real<Doubles>(), n, has_loop, count);
      if (n < 14) check(torontonian_kernel::DoubleDouble<Doubles>(), n, has_loop, count / 2);
    }
  }
}

TEST_CASE("GPUs find the torontonians that the CPU finds", "[cuda]") {
  MATCHCOUNT_DEVICES(devices);
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
  const auto here = torontonians(both, 36, {}, with(Precision::automatic, DeviceChoice::Kind::cpu));
  const auto there = torontonians(both, 36, {}, with(Precision::automatic, DeviceChoice::Kind::cuda));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(distance(here[i].value, there[i].value) <=
          std::exp2(here[i].value.log2_error) + std::exp2(there[i].value.log2_error));
}

TEST_CASE("a GPU finds the torontonians of a batch that the CPU finds", "[cuda]") {
  MATCHCOUNT_DEVICES(devices);
  for (const Precision precision : {Precision::float64, Precision::double_double, Precision::automatic}) {
    for (const bool has_loop : {false, true}) {
      for (std::size_t n = gpu::fewest_batch_modes; n <= gpu::fewest_torontonian_modes; ++n) {
        INFO("n=" << n << " loop " << has_loop << " precision " << to_string(precision));
        const std::size_t count = n < 14 ? 333 : n < 17 ? 20 : 3;
        std::vector<double> all, loops;
        for (std::size_t i = 0; i < count; ++i) {
          Instance one = random_instance(n, has_loop, 30 + i);
          // Every seventh has modes that nearly cancel: it may need double-doubles.
          if (i % 7 == 6)
            for (double& entry : one.o) entry *= 1e-4;
          all.insert(all.end(), one.o.begin(), one.o.end());
          loops.insert(loops.end(), one.loop.begin(), one.loop.end());
        }
        const auto here = torontonians(all, 2 * n, loops, with(precision, DeviceChoice::Kind::cpu));
        const auto there = torontonians(all, 2 * n, loops, with(precision, DeviceChoice::Kind::cuda));
        REQUIRE(there.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
          REQUIRE(there[i].arithmetic == here[i].arithmetic);
          REQUIRE(there[i].num_modes == n);
          REQUIRE_FALSE(there[i].gpus.empty());
          REQUIRE(distance(here[i].value, there[i].value) <=
                  std::exp2(here[i].value.log2_error) + std::exp2(there[i].value.log2_error));
          REQUIRE(there[i].value.log2_error <= here[i].value.log2_error + 1e-6);
        }
      }
    }
  }
  for (const std::size_t n : {8, 10, 12, 14, 16}) {
    std::vector<double> all;
    for (std::size_t i = 0; i < 10000; ++i) {
      const Instance one = random_instance(n, false, i);
      all.insert(all.end(), one.o.begin(), one.o.end());
    }
    for (const auto kind : {DeviceChoice::Kind::cpu, DeviceChoice::Kind::cuda}) {
      Stopwatch stopwatch;
      torontonians(all, 2 * n, {}, with(Precision::float64, kind));
      const double first_s = stopwatch.lap();
      torontonians(all, 2 * n, {}, with(Precision::float64, kind));
      WARN("10,000 of " << n << " modes, " << (kind == DeviceChoice::Kind::cpu ? "CPU: " : "GPU: ") << first_s
                        << " s, then " << stopwatch.lap() << " s");
    }
  }
  // A matrix without a torontonian ends the batch, as on the CPU, and limits hold.
  std::vector<double> faulty = random_instance(9, false, 1).o;
  faulty.resize(2 * faulty.size());
  faulty.back() = 2;
  CHECK_THROWS_AS(torontonians(faulty, 18, {}, with(Precision::automatic, DeviceChoice::Kind::cuda)), InputError);
  auto limited = with(Precision::float64, DeviceChoice::Kind::cuda);
  limited.run.time_limit_s = 1e-9;
  CHECK_THROWS_AS(torontonians(random_instance(12, false, 1).o, 24, {}, limited), OverLimit);
  // Hermitian alone.
  std::vector<std::complex<double>> o(18 * 18);
  o[1] = {0, 0.1};
  o[18] = {0, -0.1};
  CHECK_THROWS_AS(torontonians(o, 18, {}, with(Precision::automatic, DeviceChoice::Kind::cuda)), Unable);
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
