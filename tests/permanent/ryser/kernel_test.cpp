// The kernels' source, without a GPU: the same text compiled as C++ and run, and compiled for GPUs by NVRTC.

#include <cmath>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "permanent/ryser/host_kernels.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/skip.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 31415;
const RunContext context({.num_threads = 2, .seed = seed});

}  // namespace

TEST_CASE("GPU kernels are exact on integers of every kind and variant") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    std::size_t turn = 0;
    for (std::size_t n = 9; n <= 15; ++n) {
      for (const Family family : test::all_families) {
        const auto weights = test::all_integer_weights[turn % test::all_integer_weights.size()];
        const Method variant = test::all_ryser_variants[turn / 2 % 4];
        ++turn;
        const auto instance = test::integer_instance(family, weights, n, seed);
        const auto block = test::block_of(instance);
        GpuReport report;
        const Integer value =
            gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), context, kernels.runner(), report);
        if (!check) continue;
        INFO(to_string(instance));
        CAPTURE(static_cast<int>(variant), report.inner_bits);
        REQUIRE(value == test::exact_permanent(instance));
      }
    }
  });
}

namespace {

// make(family, weights, n) of every size, family and weights, variants and precisions in turn.
template <class Make>
void check_fields(std::size_t largest, const Make& make) {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    std::size_t turn = 0;
    for (std::size_t n = 9; n <= largest; ++n) {
      for (const Family family : test::all_families) {
        const auto weights = test::all_real_weights[turn % test::all_real_weights.size()];
        const Method variant = test::all_ryser_variants[turn / 3 % 4];
        const Precision precision = test::all_precisions[turn / 2 % 3];
        ++turn;
        const auto instance = make(family, weights, n);
        const auto block = test::block_of(instance);
        GpuReport report;
        const auto result = gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), precision, context,
                                            kernels.runner(), report);
        if (!check) continue;
        INFO(to_string(instance));
        const double log2_difference = test::log2_distance(result, test::exact_permanent(instance));
        CAPTURE(static_cast<int>(variant), static_cast<int>(precision), log2_difference, result.log2_error);
        REQUIRE(log2_difference <= result.log2_error + 1e-9);
      }
    }
  });
}

}  // namespace

TEST_CASE("GPU kernels keep within the bound on reals of every kind, variant and precision") {
  check_fields(14, [](Family family, RealWeights weights, std::size_t n) {
    return test::real_instance(family, weights, n, seed);
  });
}

TEST_CASE("GPU kernels keep within the bound on complex numbers of every kind, variant and precision") {
  check_fields(12, [](Family family, RealWeights weights, std::size_t n) {
    return test::complex_instance(family, weights, n, seed);
  });
}

TEST_CASE("GPU kernels keep within the bound on dense reals without negative entries") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    for (std::size_t n = 9; n <= 14; ++n) {
      for (const RealWeights weights : {RealWeights::unit, RealWeights::wide_entries}) {
        for (const Method variant : test::all_ryser_variants) {
          auto instance = test::real_instance(Family::complete, weights, n, seed);
          // A few zeros: rows without an entry in the special column.
          if (n % 2 == 0) instance.entries[1] = instance.entries[3 * n + 2] = DoubleDouble(0);
          const auto block = test::block_of(instance);
          GpuReport report;
          const auto result = gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), Precision::float64,
                                              context, kernels.runner(), report);
          if (!check) continue;
          INFO(to_string(instance));
          const double log2_difference = test::log2_distance(result, test::exact_permanent(instance));
          CAPTURE(static_cast<int>(variant), log2_difference, result.log2_error, result.value.log2_abs());
          REQUIRE(log2_difference <= result.log2_error + 1e-9);
          if (weights == RealWeights::unit) REQUIRE(result.log2_error < result.value.log2_abs() - 30);
        }
      }
    }
  });
}

TEST_CASE("GPU kernels bound what the rounding of entries leaves where every computed product is 0") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    for (const Method variant : test::all_ryser_variants) {
      const auto reals = test::cancelling_instance(10, seed);
      const auto check_one = [&](const auto& instance) {
        const auto block = test::block_of(instance);
        GpuReport report;
        const auto result = gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), Precision::float64,
                                            context, kernels.runner(), report);
        if (!check) return;
        const double log2_difference = test::log2_distance(result, test::exact_permanent(instance));
        INFO(to_string(instance));
        CAPTURE(static_cast<int>(variant), log2_difference, result.log2_error);
        REQUIRE(log2_difference <= result.log2_error + 1e-9);
      };
      check_one(reals);
      check_one(test::complex_of(reals));
    }
  });
}

TEST_CASE("sums of tasks come to the same bits however they fall into ranges") {
  HostKernels kernels;
  const gpu::TaskRunner ranges = [&](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
    const std::uint64_t count = sums.job.num_pieces, of_piece = sums.tasks_of_piece;
    const auto record = [&](std::uint64_t first, std::uint64_t end) {
      return sums.record(kernels.sums_of_tasks()(kernel, first * of_piece, (end - first) * of_piece));
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
    return record(0, count);
  };
  const auto integers = test::integer_instance(Family::half, IntegerWeights::mixed, 17, seed);
  const auto exact = test::block_of(integers);
  const auto real = test::block_of(test::real_instance(Family::complete, RealWeights::signs, 16, seed));
  in_two_passes(kernels, [&](bool check) {
    const gpu::TaskRunner runner = check ? ranges : kernels.runner();
    GpuReport report;
    const Integer sum =
        gpu::kernel_sum(exact, plan_ryser(exact.pattern, Method::staged, seed), context, runner, report);
    if (check) REQUIRE(sum == test::exact_permanent(integers));
    gpu::kernel_sum(real, plan_ryser(real.pattern, Method::staged, seed), Precision::double_double, context, runner,
                    report);
  });
}

TEST_CASE("a sum that the number of subsets does not divide is a device's error") {
  HostKernels kernels;
  const auto block = test::block_of(test::integer_instance(Family::half, IntegerWeights::ones, 12, seed));
  in_two_passes(kernels, [&](bool check) {
    const gpu::TaskRunner wrong = [&](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
      std::vector<std::byte> changed = kernels.sums_of_tasks()(kernel, 0, kernel.num_tasks);
      changed[0] ^= std::byte{1};
      return sums.record(changed);
    };
    GpuReport report;
    const auto sum = [&](const gpu::TaskRunner& runner) {
      gpu::kernel_sum(block, plan_ryser(block.pattern, Method::staged, seed), context, runner, report);
    };
    if (check) REQUIRE_THROWS_AS(sum(wrong), DeviceError);
    if (!check) sum(kernels.runner());
  });
}

namespace {

DeviceInfo h200() { return known_device("h200"); }

}  // namespace

TEST_CASE("a GPU's cost is found for blocks of any size, those of no bits too") {
  for (std::size_t n = 0; n <= 14; ++n) {
    for (const Family family : {Family::complete, Family::planted, Family::path, Family::half}) {
      const auto block = test::block_of(test::integer_instance(family, IntegerWeights::ones, n, seed));
      for (const Method variant : test::all_ryser_variants) {
        const RyserPlan plan = plan_ryser(block.pattern, variant, seed);
        for (const WeightKind kind : {WeightKind::none, WeightKind::integer, WeightKind::real, WeightKind::complex}) {
          for (const Precision precision : test::all_precisions) {
            CAPTURE(n, static_cast<int>(family), static_cast<int>(variant), static_cast<int>(kind));
            const GpuCost cost = gpu_cost(block.pattern, plan, kind, precision, 20, {h200()});
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

TEST_CASE("a GPU's cost for integers of many bits has the compilation of their products, which takes long") {
  const BipartiteGraph dense =
      test::block_of(test::integer_instance(Family::complete, IntegerWeights::ones, 28, seed)).pattern;
  const RyserPlan plan = plan_ryser(dense, Method::staged, seed);
  const double log2_factorial = std::lgamma(29.0) / std::log(2.0);
  const auto cost = [&](double bits) {
    return gpu_cost(dense, plan, WeightKind::integer, Precision::float64, log2_factorial + 28 * bits, {h200()});
  };
  REQUIRE(cost(0).seconds < 1);
  REQUIRE(cost(62).seconds > 10);
  REQUIRE(cost(62).operations_per_leaf > 4 * cost(0).operations_per_leaf);
  REQUIRE(std::isfinite(cost(62).seconds));
}

TEST_CASE("NVRTC compiles kernels for compute capabilities 8.0 and 9.0") {
  if (const std::string why_not = why_no_kernel_compiler(); !why_not.empty()) MATCHCOUNT_SKIP(why_not);
  std::vector<std::string> sources;
  const gpu::TaskRunner collect = [&](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
    sources.push_back(kernel.source);
    return sums.record({});
  };
  const auto add = [&](const auto& instance, Method variant, auto... precision) {
    const auto block = test::block_of(instance);
    GpuReport report;
    gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), precision..., context, collect, report);
  };
  add(test::integer_instance(Family::half, IntegerWeights::ones, 24, seed), Method::staged);
  add(test::integer_instance(Family::band, IntegerWeights::mixed, 14, seed), Method::sparyser);
  add(test::real_instance(Family::complete, RealWeights::signs, 20, seed), Method::staged, Precision::float64);
  add(test::real_instance(Family::planted, RealWeights::unit, 24, seed), Method::skipper, Precision::compensated);
  add(test::real_instance(Family::half, RealWeights::signs, 16, seed), Method::staged, Precision::double_double);
  add(test::complex_instance(Family::regular, RealWeights::signs, 14, seed), Method::staged, Precision::float64);
  add(test::complex_instance(Family::band, RealWeights::signs, 12, seed), Method::ryser, Precision::double_double);
  REQUIRE(sources.size() == 7);
  for (const std::string& source : sources) {
    for (const int major : {8, 9}) {
      CAPTURE(major, source);
      const CompiledKernel compiled = compile_kernel(source, major, 0, "");
      REQUIRE(compiled.image.size() > 1000);
    }
  }
}
