// The precompiled kernels' own text as host code, one thread at a time.

#include <cmath>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "permanent/ryser/cuda/precompiled.hpp"
#include "permanent/ryser/host_kernels.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "permanent/ryser/task_run.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using test::Family;
using test::IntegerWeights;
using test::RealWeights;

namespace {

constexpr std::uint64_t seed = 27182;
const RunContext context = [] {
  RunOptions options;
  options.num_threads = 2;
  options.seed = seed;
  return RunContext(options);
}();
const gpu::Precompiled always = [](double, const gpu::Numbers&) { return true; };

const gpu::TaskRunner run_on_host = test::runner_of(test::precompiled_sums);

template <class Instance>
void check_exact(const Instance& instance, Method variant) {
  const auto block = test::block_of(instance);
  GpuReport report;
  const Integer value =
      gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), context, always, run_on_host, report);
  INFO(to_string(instance));
  CAPTURE(static_cast<int>(variant));
  REQUIRE(value == test::exact_permanent(instance));
}

template <class Instance>
void check_field(const Instance& instance, Method variant, Precision precision) {
  const auto block = test::block_of(instance);
  GpuReport report;
  const auto result =
      gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), precision, context, always, run_on_host, report);
  INFO(to_string(instance));
  const double log2_difference = test::log2_distance(result, test::exact_permanent(instance));
  CAPTURE(static_cast<int>(variant), static_cast<int>(precision), log2_difference, result.log2_error);
  REQUIRE(log2_difference <= result.log2_error + 1e-9);
}

}  // namespace

TEST_CASE("precompiled kernels are exact on integers of every kind and variant") {
  test::precompiled_runs.clear();
  std::size_t turn = 0;
  for (std::size_t n = 9; n <= 15; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        if (n > 12 && turn % 5 != 0) {
          ++turn;
          continue;
        }
        check_exact(test::integer_instance(family, weights, n, seed), test::all_ryser_variants[turn++ / 2 % 4]);
      }
    }
  }
  for (const char* name : {"sum_exact_1", "sum_exact_2", "sum_exact_3", "sum_exact_4", "sum_residues"}) {
    CAPTURE(name);
    CHECK(test::precompiled_runs[name] > 0);
  }
}

TEST_CASE("precompiled kernels are exact where products just fit into a double, and just do not") {
  // Row sums around 2^49, of which exact kernels can do with those below.
  for (const std::int64_t shift : {46, 47, 48, 49, 62}) {
    test::Instance<std::int64_t> instance{"edge of exactness", seed, 10, 10, {}};
    Random random(seed, static_cast<std::uint64_t>(shift));
    for (std::size_t i = 0; i < 100; ++i) {
      const std::int64_t size =
          i % 10 == i / 10 ? (std::int64_t{1} << shift) - 1 : 1 + static_cast<std::int64_t>(i % 3);
      instance.entries.push_back(random.below(2) ? size : -size);
    }
    for (const Method variant : test::all_ryser_variants) check_exact(instance, variant);
  }
}

TEST_CASE("precompiled kernels keep within the bound on reals and complex numbers of every kind") {
  test::precompiled_runs.clear();
  std::size_t turn = 0;
  for (std::size_t n = 9; n <= 14; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        const Method variant = test::all_ryser_variants[turn / 3 % 4];
        const Precision precision = test::all_precisions[turn / 2 % 3];
        ++turn;
        if (n > 11 && turn % 5 != 0) continue;
        check_field(test::real_instance(family, weights, n, seed), variant, precision);
        if (n < 14) check_field(test::complex_instance(family, weights, n, seed), variant, precision);
      }
    }
  }
  for (const char* name : {"sum_real", "sum_compensated", "sum_double_double", "sum_complex", "sum_complex_double"}) {
    CAPTURE(name);
    CHECK(test::precompiled_runs[name] > 0);
  }
}

TEST_CASE("precompiled kernels bound what the rounding of entries leaves where every computed product is 0") {
  for (const std::size_t n : {std::size_t{9}, std::size_t{12}}) {
    const auto instance = test::cancelling_instance(n, seed);
    for (const Method variant : test::all_ryser_variants) {
      for (const Precision precision : {Precision::float64, Precision::compensated}) {
        check_field(instance, variant, precision);
        check_field(test::complex_of(instance), variant, precision);
      }
    }
  }
}

TEST_CASE("precompiled double-double keeps 24 digits, double 11, of a permanent without cancellation") {
  const auto instance = test::real_instance(Family::complete, RealWeights::unit, 13, seed);
  const auto block = test::block_of(instance);
  for (const auto& [precision, bits] :
       {std::pair{Precision::float64, 38.0}, std::pair{Precision::double_double, 80.0}}) {
    GpuReport report;
    const RealValue result = gpu::kernel_sum(block, plan_ryser(block.pattern, Method::staged, seed), precision, context,
                                             always, run_on_host, report);
    CAPTURE(bits, result.log2_error, result.value.log2_abs());
    REQUIRE(result.log2_error < result.value.log2_abs() - bits);
  }
}

TEST_CASE("sums of tasks come to the same bits however they fall into ranges") {
  const auto ranges = [](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
    const std::uint64_t count = sums.job.num_pieces;
    const auto record = [&](std::uint64_t first, std::uint64_t end) {
      return sums.record(test::sums_of_pieces(kernel, report, sums, {first, end}, test::precompiled_sums));
    };
    for (const std::uint64_t size : {1, 2, 4}) {
      CompletedRanges ledger(count, sums.job.merge);
      for (std::uint64_t first = (count - 1) / size * size;; first -= size) {
        for (CompletedRanges::Span span{first, std::min(count, first + size)}; span.first < span.end;) {
          const CompletedRanges::Span range = span.cut_range();
          ledger.add({range.first, range.end - range.first, record(range.first, range.end)});
        }
        if (first == 0) break;
      }
      REQUIRE(ledger.prefix().record == record(0, count));
    }
    REQUIRE(count > 1);
    REQUIRE(gpu::pieces_of_launch(kernel, sums) >= 1);
    return record(0, count);
  };
  GpuReport report;
  const auto integers = test::integer_instance(Family::half, IntegerWeights::mixed, 17, seed);
  const auto exact = test::block_of(integers);
  REQUIRE(gpu::kernel_sum(exact, plan_ryser(exact.pattern, Method::staged, seed), context, always, ranges, report) ==
          test::exact_permanent(integers));
  const auto real = test::block_of(test::real_instance(Family::complete, RealWeights::signs, 16, seed));
  gpu::kernel_sum(real, plan_ryser(real.pattern, Method::staged, seed), Precision::double_double, context, always,
                  ranges, report);
}

TEST_CASE("a result above the bound on the permanent is a device's error") {
  const auto block = test::block_of(test::integer_instance(Family::half, IntegerWeights::ones, 12, seed));
  const gpu::TaskRunner wrong = [](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
    std::vector<std::byte> changed =
        test::sums_of_pieces(kernel, report, sums, {0, sums.job.num_pieces}, test::precompiled_sums);
    changed[0] ^= std::byte{1};
    return sums.record(changed);
  };
  GpuReport report;
  REQUIRE_THROWS_AS(
      gpu::kernel_sum(block, plan_ryser(block.pattern, Method::staged, seed), context, always, wrong, report),
      DeviceError);
}

TEST_CASE("a GPU's cost is found for blocks of any size, those of no bits too") {
  DeviceInfo device;
  device.major = 9;
  device.multiprocessors = 132;
  device.clock_khz = 1980000;
  for (std::size_t n = 0; n <= 14; ++n) {
    for (const Family family : {Family::complete, Family::planted, Family::path, Family::half}) {
      const auto block = test::block_of(test::integer_instance(family, IntegerWeights::ones, n, seed));
      for (const Method variant : test::all_ryser_variants) {
        const RyserPlan plan = plan_ryser(block.pattern, variant, seed);
        for (const WeightKind kind : {WeightKind::none, WeightKind::integer, WeightKind::real, WeightKind::complex}) {
          for (const Precision precision : test::all_precisions) {
            CAPTURE(n, static_cast<int>(family), static_cast<int>(variant), static_cast<int>(kind));
            const GpuCost cost = gpu_cost(block.pattern, plan, kind, precision, 20, {device});
            CHECK(cost.seconds > 0);
            CHECK(cost.seconds < 10);
            CHECK(cost.log2_leaves <= static_cast<double>(n));
            CHECK(cost.operations_per_leaf < 1e4);
          }
        }
      }
    }
  }
}

TEST_CASE("integers of many bits are left to precompiled kernels, which others would be compiled too long for") {
  if (!built_with_cuda()) MATCHCOUNT_SKIP("no CUDA in this build");
  DeviceInfo device;
  device.major = 9;
  device.multiprocessors = 132;
  device.clock_khz = 1980000;
  const std::vector<DeviceInfo> devices{device};
  const BipartiteGraph dense =
      test::block_of(test::integer_instance(Family::complete, IntegerWeights::ones, 28, seed)).pattern;
  const RyserPlan plan = plan_ryser(dense, Method::staged, seed);
  const double log2_factorial = std::lgamma(29.0) / std::log(2.0);
  const GpuCost narrow = gpu_cost(dense, plan, WeightKind::integer, Precision::float64, log2_factorial, devices),
                wide =
                    gpu_cost(dense, plan, WeightKind::integer, Precision::float64, log2_factorial + 28 * 62, devices);
  // Written out for the matrix, a leaf would be thousands of products of words, and their compilation take 20 s.
  REQUIRE(wide.operations_per_leaf > 20 * narrow.operations_per_leaf);
  REQUIRE(wide.seconds < 2);
  REQUIRE(gpu::compile_seconds({gpu::Arithmetic::exact, true, 57}) > 10);
}
