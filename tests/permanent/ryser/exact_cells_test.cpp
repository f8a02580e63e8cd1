// Exact sums that CPUs and GPUs go on with where the other ended. GPU kernels run on the host here; ryser_gpu_test has
// the same with a device.

#include "permanent/ryser/exact_cells.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/host_kernels.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 16180339;

enum class Engine { cpu, gpu };

RunContext context_of(Work* work) { return RunContext({.num_threads = 2, .seed = seed}, work).in_part("block 1"); }

Integer sum_by(Engine engine, const Block<std::int64_t>& block, Method variant, HostKernels& kernels, Work* work) {
  const RunContext context = context_of(work);
  const RyserPlan plan = plan_ryser(block.pattern, variant, seed);
  if (engine == Engine::cpu) return permanent_ryser(block, plan, context);
  GpuReport report;
  return gpu::kernel_sum(block, plan, context, kernels.runner(work), report);
}

// Returns the answer that engines come to in turn, each of which ends after so many pieces, and how many runs it took.
std::pair<Integer, int> in_turns(const std::vector<Engine>& engines, const Block<std::int64_t>& block, Method variant,
                                 HostKernels& kernels, std::uint64_t pieces) {
  const test::Folder folder;
  for (std::size_t attempt = 0; attempt < 1000; ++attempt) {
    Checkpoint checkpoint({.file = folder.path() / "c", .resume = true, .program = "tests"});
    ShortWork work(&checkpoint, pieces);
    try {
      return {sum_by(engines[attempt % engines.size()], block, variant, kernels, &work), static_cast<int>(attempt) + 1};
    } catch (const Cancelled&) {
      checkpoint.write();
    }
  }
  throw Error("never done");
}

Integer by_frontier(const test::Instance<std::int64_t>& instance) {
  return std::get<Integer>(permanent(instance.graph(), {.method = Method::frontier}).value);
}

}  // namespace

TEST_CASE("CPUs and GPUs' kernels go on with each other's exact sums") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    std::size_t turn = 0;
    for (const std::size_t n : {12, 17, 18}) {
      for (const Family family : {Family::half, Family::complete, Family::planted}) {
        for (const IntegerWeights weights : {IntegerWeights::ones, IntegerWeights::small, IntegerWeights::large}) {
          const Method variant = test::all_ryser_variants[turn % 4];
          ++turn;
          if (variant == Method::sparyser || (n != 17 && turn % 4 != 1)) continue;
          const auto instance = test::integer_instance(family, weights, n, seed);
          const auto block = test::block_of(instance);
          const Integer expected = check ? by_frontier(instance) : Integer(0);
          for (const auto& engines : {std::vector{Engine::cpu, Engine::gpu}, std::vector{Engine::gpu, Engine::cpu}}) {
            INFO(to_string(instance));
            CAPTURE(static_cast<int>(variant), static_cast<int>(engines[0]), static_cast<int>(engines[1]));
            const auto [value, runs] = in_turns(engines, block, variant, kernels, n < 18 ? 1 : 2);
            if (!check) continue;
            REQUIRE(value == expected);
            if (n > 16) REQUIRE(runs > 1);
          }
        }
      }
    }
  });
}

TEST_CASE("sums of a GPU's checkpoint are gone on with on a CPU, and a device of any kind may be asked for") {
  const auto instance = test::integer_instance(Family::half, IntegerWeights::ones, 18, seed);
  CountOptions options{.method = Method::staged, .prune = false, .reduce = false};
  const test::Folder folder;
  const CheckpointOptions kept{.file = folder.path() / "c", .resume = true, .program = "tests"};
  {
    Checkpoint checkpoint(kept);
    Work work(&checkpoint);
    work.decide("block 1, method", "staged on cuda");
    options.run.device.kind = DeviceChoice::Kind::cpu;
    REQUIRE(std::get<Integer>(permanent(instance.graph(), options, &work).value) == by_frontier(instance));
  }
  // Sums of reals are of one device.
  const auto real = test::real_instance(Family::half, test::RealWeights::unit, 18, seed);
  Checkpoint checkpoint(kept);
  Work other(&checkpoint);
  other.decide("block 1, method", "staged on cuda");
  REQUIRE_THROWS_WITH(permanent(real.graph(), options, &other), ContainsSubstring("device"));
}

TEST_CASE("an integer comes back from its residues, and large ones only where the primes allow for them") {
  for (const std::size_t count : {1, 2, 3, 8, 40}) {
    const std::vector<std::uint64_t> primes = primes_below(std::uint64_t{1} << 50, count);
    const ChineseRemainder remainders(primes);
    Random random(seed, count);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<std::uint64_t> residues;
      for (const std::uint64_t prime : primes)
        residues.push_back(trial == 0 ? 0 : trial == 1 ? prime - 1 : random.below(prime));
      const Integer value = remainders.value(residues);
      REQUIRE(2 * abs(value) <= remainders.product());
      for (std::size_t i = 0; i < count; ++i) REQUIRE((value - residues[i]) % primes[i] == 0);
    }
    REQUIRE(remainders.value(std::vector<std::uint64_t>(count, 0)) == 0);
  }
}

TEST_CASE("cells of another matrix, or of too small a modulus, are refused") {
  const auto instance = test::integer_instance(Family::half, IntegerWeights::ones, 18, seed);
  const auto block = test::block_of(instance);
  const Integer expected = by_frontier(instance);
  HostKernels unused;
  std::string text;
  {
    const test::Folder folder;
    Checkpoint checkpoint({.file = folder.path() / "c", .program = "tests"});
    Work work(&checkpoint);
    REQUIRE(sum_by(Engine::cpu, block, Method::staged, unused, &work) == expected);
    text = *work.decided("block 1, cells");
  }
  class Decided : public Work {
   public:
    explicit Decided(std::string text) : text_(std::move(text)) {}
    std::optional<std::string> decided(const std::string&) override { return text_; }

   private:
    std::string text_;
  };
  const auto sum_with = [&](const std::string& cells) {
    Decided work(cells);
    return sum_by(Engine::cpu, block, Method::staged, unused, &work);
  };
  REQUIRE(sum_with(text) == expected);
  const std::string modulus = text.substr(text.find("modulo ") + 7);
  const auto with_modulus = [&](const std::string& other) { return text.substr(0, text.find("modulo ") + 7) + other; };
  CHECK_THROWS_AS(sum_with(""), InputError);
  CHECK_THROWS_AS(sum_with(text + " 1"), InputError);
  CHECK_THROWS_AS(sum_with(with_modulus("65537")), InputError);
  CHECK_THROWS_AS(sum_with(with_modulus("4096")), InputError);
  CHECK_THROWS_AS(sum_with(with_modulus(to_decimal(Integer(1) << 40))), InputError);
  CHECK_THROWS_AS(sum_with(with_modulus(to_decimal(2 * Integer(modulus)))), InputError);
  CHECK(sum_with(with_modulus(to_decimal(Integer(1) << 256))) == expected);
  CHECK(sum_with(with_modulus(to_decimal(Integer(modulus) * 3))) == expected);
  // Any change of a byte gives the same permanent or is refused.
  Random random(seed);
  for (int trial = 0; trial < 300; ++trial) {
    std::string changed = text;
    changed[random.below(changed.size())] = "0123456789 acdefilmnorstuwx-"[random.below(28)];
    CAPTURE(changed);
    std::optional<Integer> sum;
    try {
      sum = sum_with(changed);
    } catch (const InputError&) {
    }
    if (sum) REQUIRE(*sum == expected);
  }
}
