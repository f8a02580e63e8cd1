// Inclusion-exclusion on GPUs against the same on the CPU, which the slow oracles test in turn.

#include "permanent/ryser/ryser_gpu.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/frontier.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 16180;

// Cases keep a context, since every sum would make it anew, which takes a tenth of a second.

RunOptions run_options() { return {.seed = seed}; }

bool agree(const Integer& a, const Integer& b) { return a == b; }
bool agree(const RealValue& a, const RealValue& b) {
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-9;
}
bool agree(const ComplexValue& a, const ComplexValue& b) {
  return std::max((a.value.re + -b.value.re).log2_abs(), (a.value.im + -b.value.im).log2_abs()) <=
         log2_sum(a.log2_error, b.log2_error) + 1e-9;
}
std::string text(const Integer& value) { return to_decimal(value); }
std::string text(const RealValue& value) { return to_string(Value(value)) + " 2^" + std::to_string(value.log2_error); }
std::string text(const ComplexValue& value) {
  return to_string(Value(value)) + " 2^" + std::to_string(value.log2_error);
}

// Same bits.
bool same(const Integer& a, const Integer& b) { return a == b; }
bool same(const ScaledReal& a, const ScaledReal& b) {
  return a.mantissa.hi == b.mantissa.hi && a.mantissa.lo == b.mantissa.lo && a.exponent == b.exponent;
}
bool same(const RealValue& a, const RealValue& b) { return same(a.value, b.value) && a.log2_error == b.log2_error; }
bool same(const ComplexValue& a, const ComplexValue& b) {
  return same(a.value.re, b.value.re) && same(a.value.im, b.value.im) && a.log2_error == b.log2_error;
}

// Counts on devices and on the CPU; precision, if any, comes between plan and devices.
template <class T, class... Precision>
void check(const std::vector<DeviceInfo>& devices, const Instance<T>& instance, Method variant,
           Precision... precision) {
  const auto block = test::block_of(instance);
  const RunContext context(run_options());
  const RyserPlan plan = plan_ryser(block.pattern, variant, seed);
  const auto value = permanent_ryser(block, plan, precision..., devices, context);
  const auto truth = permanent_ryser(block, plan, precision..., context);
  INFO(to_string(instance));
  // No pack in CAPTURE: Catch2 3 counts names and values.
  const std::string precisions = (std::string() + ... + std::to_string(static_cast<int>(precision)));
  CAPTURE(static_cast<int>(variant), precisions, text(value), text(truth));
  REQUIRE(agree(value, truth));
}

// Rows times powers of ten as far apart as 1e-7 and 1e200, where that is in a double's range.
Instance<DoubleDouble> scaled_rows(Instance<DoubleDouble> instance, RealWeights weights) {
  if (weights == RealWeights::wide_rows) return instance;
  for (std::size_t i = 0; i < instance.entries.size(); ++i) {
    const std::size_t row = i / instance.columns;
    if (row % 3 == 1) instance.entries[i] = instance.entries[i] * DoubleDouble(1e-7);
    if (row % 5 == 2) instance.entries[i] = instance.entries[i] * DoubleDouble(1e200);
  }
  instance.name += " with scaled rows";
  return instance;
}

// Draws 0/1, or signs, of a density, with a permutation in it.
Instance<std::int64_t> random_integers(std::size_t n, double density, bool signs, std::uint64_t stream) {
  Random random(seed, stream);
  const auto size = static_cast<Vertex>(n);
  Instance<std::int64_t> instance{"density " + std::to_string(density), seed, size, size, {}};
  for (std::size_t i = 0; i < n * n; ++i) {
    const bool present = i / n == i % n || random.uniform() < density;
    instance.entries.push_back(present ? (signs && random.below(2) ? -1 : 1) : 0);
  }
  return instance;
}

}  // namespace

TEST_CASE("kernels on a GPU agree with the CPU on numbers of every kind", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  const std::vector<DeviceInfo> device{found.devices[0]};
  std::size_t turn = 0;
  for (const std::size_t n : {std::size_t{3}, std::size_t{10}, std::size_t{15}, std::size_t{20}, std::size_t{24}}) {
    for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::twins}) {
      ++turn;
      const Method variant = test::all_ryser_variants[turn % 4];
      const auto integer_weights =
          n > 16 ? (turn % 2 ? IntegerWeights::ones : IntegerWeights::positive) : test::all_integer_weights[turn % 5];
      check(device, test::integer_instance(family, integer_weights, n, seed), variant);
      const RealWeights weights = test::all_real_weights[turn % 6];
      const auto reals = test::real_instance(family, weights, std::min<std::size_t>(n, 22), seed);
      check(device, turn % 4 == 3 ? scaled_rows(reals, weights) : reals, variant, test::all_precisions[turn / 2 % 3]);
      check(device,
            test::complex_instance(family, test::all_real_weights[turn % 6], std::min<std::size_t>(n, 18), seed),
            variant, test::all_precisions[turn % 3]);
    }
  }
}

TEST_CASE("integers of densities 0.05 to 1, signed or not, come out on a GPU as on the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  const std::vector<DeviceInfo> device{found.devices[0]};
  std::uint64_t stream = 0;
  for (const double density : {0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0}) {
    for (const bool signs : {false, true}) {
      ++stream;
      for (const std::size_t n : {std::size_t{17}, std::size_t{23}}) {
        const auto instance = random_integers(n, density, signs, 10 * stream + n);
        check(device, instance, Method::staged);
      }
    }
  }
}

TEST_CASE("sparse integers of n up to 40 come out on a GPU as by the frontier method", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  const std::vector<DeviceInfo> device{found.devices[0]};
  const RunOptions run = run_options();
  for (const auto& [n, density] : {std::pair<std::size_t, double>{30, 0.1}, {33, 0.08}, {36, 0.06}, {40, 0.05}}) {
    for (const bool signs : {false, true}) {
      const auto instance = random_integers(n, density, signs, n);
      const auto block = test::block_of(instance);
      const RunContext context(run);
      const FrontierOrder order = find_frontier_order(block.pattern, FrontierStrategy::automatic, seed, context);
      const Integer truth = frontier_value(block, order, FrontierEngine::automatic, context);
      const RyserPlan plan = plan_ryser(block.pattern, Method::staged, seed);
      INFO(to_string(instance));
      REQUIRE(permanent_ryser(block, plan, device, context) == truth);
    }
  }
}

namespace {

template <class T, class... Precision>
void check_devices(const std::vector<DeviceInfo>& one, const std::vector<DeviceInfo>& several,
                   const Instance<T>& instance, Precision... precision) {
  const auto block = test::block_of(instance);
  const RunContext context(run_options());
  const RyserPlan plan = plan_ryser(block.pattern, Method::staged, seed);
  GpuReport report;
  const auto alone = permanent_ryser(block, plan, precision..., one, context);
  const auto together = permanent_ryser(block, plan, precision..., several, context, &report);
  INFO(to_string(instance));
  CAPTURE(several.size(), text(alone), text(together));
  REQUIRE(same(alone, together));
  REQUIRE(report.tasks_of_device.size() == several.size());
}

}  // namespace

TEST_CASE("several devices, or one of them named twice, give the bits that one gives", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  const std::vector<DeviceInfo> one{found.devices[0]};
  std::vector<DeviceInfo> several = found.devices;
  several.push_back(found.devices[0]);
  check_devices(one, several, random_integers(28, 0.4, true, 1));
  check_devices(one, several, test::integer_instance(Family::half, IntegerWeights::large, 16, seed));
  check_devices(one, several, test::real_instance(Family::complete, RealWeights::signs, 28, seed), Precision::float64);
  check_devices(one, several, test::real_instance(Family::half, RealWeights::wide_rows, 24, seed),
                Precision::double_double);
  check_devices(one, several, test::complex_instance(Family::complete, RealWeights::signs, 22, seed),
                Precision::float64);
}

TEST_CASE("a count on a GPU ends when it is told to", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  const auto large = test::block_of(test::real_instance(Family::complete, RealWeights::signs, 48, seed));
  RunOptions run = run_options();
  run.time_limit_s = 0.3;
  const RunContext context(run);
  REQUIRE_THROWS_AS(permanent_ryser(large, plan_ryser(large.pattern, Method::staged, seed), Precision::float64,
                                    {found.devices[0]}, context),
                    Unable);
}

TEST_CASE("a GPU goes on with a CPU's exact sums, and a CPU with a GPU's", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  for (const auto& instance : {random_integers(27, 0.5, false, 1), random_integers(26, 0.6, true, 2),
                               test::integer_instance(Family::half, IntegerWeights::positive, 24, seed)}) {
    const auto block = test::block_of(instance);
    const RyserPlan plan = plan_ryser(block.pattern, Method::staged, seed);
    const RunContext alone_context(run_options());
    const Integer expected = permanent_ryser(block, plan, alone_context);
    for (const bool gpu_first : {true, false}) {
      const test::Folder folder;
      const CheckpointOptions options{.file = folder.path() / "c", .resume = true, .program = "tests"};
      std::optional<Integer> sum;
      int runs = 0;
      for (; !sum; ++runs) {
        REQUIRE(runs < 1000);
        Checkpoint checkpoint(options);
        // A launch holds many pieces, a thread of a CPU one.
        const bool on_gpu = (runs % 2 == 0) == gpu_first;
        test::ShortWork work(&checkpoint, runs == 0 ? 1 : 20 * static_cast<std::uint64_t>(runs));
        const RunContext context = RunContext(run_options(), &work).in_part("block 1");
        try {
          sum = on_gpu ? permanent_ryser(block, plan, found.devices, context) : permanent_ryser(block, plan, context);
        } catch (const Cancelled&) {
          checkpoint.write();
        }
      }
      INFO(to_string(instance));
      CAPTURE(gpu_first, runs);
      REQUIRE(*sum == expected);
    }
  }
}

TEST_CASE("a build without CUDA says so, and needs a device") {
  const auto block = test::block_of(random_integers(12, 0.5, false, 1));
  const RunContext context(run_options());
  const RyserPlan plan = plan_ryser(block.pattern, Method::staged, seed);
  REQUIRE_THROWS_AS(permanent_ryser(block, plan, std::vector<DeviceInfo>{}, context), InputError);
  if (built_with_cuda()) return;
  REQUIRE_THROWS_AS(permanent_ryser(block, plan, {DeviceInfo{}}, context), NotCompiled);
}
