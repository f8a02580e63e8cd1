// The precompiled kernels' own text as host code, one thread at a time.

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "permanent/cuda/kernel_choice.hpp"
#include "permanent/cuda/kernel_sum.hpp"
#include "permanent/cuda/precompiled.hpp"
#include "permanent/cuda/task_run.hpp"
#include "permanent/cuda/walk_frame.hpp"
#include "permanent/gpu_cost.hpp"
#include "permanent/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
namespace host_kernels {
using std::fabs, std::fma, std::rint;
float fmaf(float a, float b, float c) { return std::fma(a, b, c); }
#include "permanent/cuda/kernel_library.cuh"
//
#include "permanent/cuda/precompiled_walk.cuh"
}  // namespace host_kernels
#pragma GCC diagnostic pop

using namespace matchcount;
using test::Family;
using test::IntegerWeights;
using test::RealWeights;

namespace {

constexpr std::uint64_t seed = 27182;
const RunOptions run = [] {
  RunOptions options;
  options.num_threads = 2;
  options.seed = seed;
  return options;
}();
const gpu::Precompiled always = [](double, const gpu::Numbers&) { return true; };

template <class Block>
void run_block(const gpu::Kernel& kernel, std::vector<std::byte>& sums) {
  using namespace host_kernels;
  using Row = typename Block::Row;
  using Sum = typename Block::Sum;
  WalkFrame frame;
  REQUIRE(kernel.parameter.size() == sizeof frame);
  std::memcpy(&frame, kernel.parameter.data(), sizeof frame);
  REQUIRE(kernel.shared_bytes >=
          (kernel.threads + Block::low_bits + 1) * static_cast<unsigned>(frame.rows) * sizeof(Row));
  REQUIRE(kernel.out_bytes == Sum::out_words * sizeof(typename Sum::Out));
  std::vector<Row> memory(static_cast<std::size_t>(frame.rows * (1 + Block::low_bits + 1)));
  const auto data = [&](std::size_t i) { return static_cast<const void*>(kernel.data[i].data()); };
  PrecompiledWork<Block> work{frame,
                              static_cast<const Row*>(data(0)),
                              static_cast<const Row*>(data(1)),
                              static_cast<const Row*>(data(2)),
                              static_cast<const double*>(data(3)),
                              static_cast<const unsigned char*>(data(4)),
                              memory.data(),
                              {},
                              0};
  for (std::uint64_t first = 0; first < kernel.num_chunks; first += kernel.threads) {
    Sum total;
    total.clear();
    for (std::uint64_t chunk = first; chunk < std::min(first + kernel.threads, kernel.num_chunks); ++chunk) {
      Sum sum;
      work.prepare(chunk);
      work(chunk, sum);
      total.join(sum);
    }
    std::vector<std::byte> out(kernel.out_bytes);
    total.write(reinterpret_cast<typename Sum::Out*>(out.data()));
    sums.insert(sums.end(), out.begin(), out.end());
  }
}

// Counts what ran, by name.
std::map<std::string, int> runs;

// The sums of all tasks.
std::vector<std::byte> sums_on_host(const gpu::Kernel& kernel, GpuReport& report) {
  using namespace host_kernels;
  REQUIRE(kernel.source.empty());
  REQUIRE(report.precompiled);
  ++runs[kernel.name];
  const std::map<std::string, void (*)(const gpu::Kernel&, std::vector<std::byte>&)> kernels{
      {"sum_real", run_block<FieldBlock<double, false>>},
      {"sum_compensated", run_block<FieldBlock<double, true>>},
      {"sum_double_double", run_block<FieldBlock<DD, false>>},
      {"sum_complex", run_block<FieldBlock<Complex<double>, false>>},
      {"sum_complex_double", run_block<FieldBlock<Complex<DD>, false>>},
      {"sum_exact_1", run_block<ExactBlock<1, false>>},
      {"sum_exact_2", run_block<ExactBlock<2, false>>},
      {"sum_exact_3", run_block<ExactBlock<3, false>>},
      {"sum_exact_4", run_block<ExactBlock<4, false>>},
      {"sum_residues", run_block<ExactBlock<1, true>>}};
  std::vector<std::byte> sums;
  kernels.at(kernel.name)(kernel, sums);
  return sums;
}

Bytes run_on_host(const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
  return sums.record(0, sums_on_host(kernel, report));
}

template <class Instance>
void check_exact(const Instance& instance, RyserVariant variant) {
  const auto block = test::block_of(instance);
  GpuReport report;
  const Integer value =
      gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), run, always, run_on_host, report);
  INFO(to_string(instance));
  CAPTURE(static_cast<int>(variant));
  REQUIRE(value == test::exact_permanent(instance));
}

template <class Instance>
void check_field(const Instance& instance, RyserVariant variant, Precision precision) {
  const auto block = test::block_of(instance);
  GpuReport report;
  const auto result =
      gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), precision, run, always, run_on_host, report);
  INFO(to_string(instance));
  const double log2_difference = test::log2_distance(result, test::exact_permanent(instance));
  CAPTURE(static_cast<int>(variant), static_cast<int>(precision), log2_difference, result.log2_error);
  REQUIRE(log2_difference <= result.log2_error + 1e-9);
}

}  // namespace

TEST_CASE("precompiled kernels are exact on integers of every kind and variant") {
  runs.clear();
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
    CHECK(runs[name] > 0);
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
    for (const RyserVariant variant : test::all_ryser_variants) check_exact(instance, variant);
  }
}

TEST_CASE("precompiled kernels keep within the bound on reals and complex numbers of every kind") {
  runs.clear();
  std::size_t turn = 0;
  for (std::size_t n = 9; n <= 14; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        const RyserVariant variant = test::all_ryser_variants[turn / 3 % 4];
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
    CHECK(runs[name] > 0);
  }
}

TEST_CASE("precompiled kernels bound what the rounding of entries leaves where every computed product is 0") {
  for (const std::size_t n : {std::size_t{9}, std::size_t{12}}) {
    const auto instance = test::cancelling_instance(n, seed);
    for (const RyserVariant variant : test::all_ryser_variants) {
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
    const RealValue result = gpu::kernel_sum(block, plan_ryser(block.pattern, RyserVariant::staged, seed), precision,
                                             run, always, run_on_host, report);
    CAPTURE(bits, result.log2_error, result.value.log2_abs());
    REQUIRE(result.log2_error < result.value.log2_abs() - bits);
  }
}

TEST_CASE("sums of tasks come to the same bits however they fall into pieces") {
  const auto pieces = [](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
    const std::vector<std::byte> all = sums_on_host(kernel, report);
    const std::uint64_t tasks = all.size() / kernel.out_bytes;
    for (const std::uint64_t size : {1, 2, 4}) {
      Ledger ledger((tasks + size - 1) / size, sums.merge);
      for (std::uint64_t piece = ledger.num_pieces(); piece-- > 0;) {
        const std::uint64_t first = piece * size, last = std::min(tasks, first + size);
        ledger.add(
            {piece, 1,
             sums.record(first, std::span(all).subspan(first * kernel.out_bytes, (last - first) * kernel.out_bytes))});
      }
      REQUIRE(ledger.prefix().record == sums.record(0, all));
    }
    REQUIRE(gpu::batches_of(kernel, "name", sums).num_tasks >= tasks);
    return sums.record(0, all);
  };
  GpuReport report;
  const auto integers = test::integer_instance(Family::half, IntegerWeights::mixed, 14, seed);
  const auto exact = test::block_of(integers);
  REQUIRE(gpu::kernel_sum(exact, plan_ryser(exact.pattern, RyserVariant::staged, seed), run, always, pieces, report) ==
          test::exact_permanent(integers));
  const auto real = test::block_of(test::real_instance(Family::complete, RealWeights::signs, 16, seed));
  gpu::kernel_sum(real, plan_ryser(real.pattern, RyserVariant::staged, seed), Precision::double_double, run, always,
                  pieces, report);
}

TEST_CASE("a result above the bound on the permanent is a device's error") {
  const auto block = test::block_of(test::integer_instance(Family::half, IntegerWeights::ones, 12, seed));
  const gpu::TaskRunner wrong = [](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
    std::vector<std::byte> changed = sums_on_host(kernel, report);
    changed[0] ^= std::byte{1};
    return sums.record(0, changed);
  };
  GpuReport report;
  REQUIRE_THROWS_AS(
      gpu::kernel_sum(block, plan_ryser(block.pattern, RyserVariant::staged, seed), run, always, wrong, report),
      DeviceError);
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
  const RyserPlan plan = plan_ryser(dense, RyserVariant::staged, seed);
  const double log2_factorial = std::lgamma(29.0) / std::log(2.0);
  const GpuCost narrow = gpu_cost(dense, plan, WeightKind::integer, Precision::float64, log2_factorial, devices),
                wide =
                    gpu_cost(dense, plan, WeightKind::integer, Precision::float64, log2_factorial + 28 * 62, devices);
  // Written out for the matrix, a leaf would be thousands of products of words, and their compilation take 20 s.
  REQUIRE(wide.operations_per_leaf > 20 * narrow.operations_per_leaf);
  REQUIRE(wide.seconds < 2);
  REQUIRE(gpu::compile_seconds({gpu::Arithmetic::exact, true, 57}) > 10);
}
