// The kernels' text as host code, and GPUs, against the samplers of the CPU, sample by sample.

#include "approx/cuda/gpu_sampler.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "approx/blocks.hpp"
#include "approx/cpu/published.hpp"
#include "approx/cuda/guided_warp.cuh"
#include "approx/cuda/warp_team.cuh"
#include "approx/estimate.hpp"
#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 4711;

constexpr Estimator drawn[] = {Estimator::rasmussen, Estimator::rasmussen_plus, Estimator::scaling,
                               Estimator::scaling_plus, Estimator::guided};
SampleOptions options_of(Estimator estimator, std::size_t turn) {
  SampleOptions options;
  options.estimator = estimator;
  options.scaling_interval = 1 + static_cast<int>(turn % 4);
  options.scaling_rounds = static_cast<int>(turn % 6);
  return options;
}

// Propagates messages as the public functions do.
Problem propagated(Problem problem) {
  const RunContext context;
  propagate(problem, 100, context);
  return problem;
}

// Calls visit(problem, turn, name) for problems of many kinds.
template <class Visit>
void for_problems(std::vector<std::size_t> sizes, const Visit& visit) {
  std::size_t turn = 0;
  for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::arrow,
                              Family::triangular, Family::twins, Family::circulant, Family::regular, Family::path}) {
    for (const std::size_t n : sizes) {
      for (const bool weighted : {false, true}) {
        const BipartiteGraph graph = small_matrix(family, n, weighted, n).graph();
        if (!maximum_matching(graph).is_perfect()) continue;
        visit(propagated(problem_of(graph)), turn++,
              std::string(to_string(family)) + " " + std::to_string(n) + (weighted ? " weighted" : ""));
      }
    }
  }
}

// Exactly as much as a kernel has, so that a sanitizer sees what goes beyond.
std::vector<double> memory_of(std::size_t bytes) {
  REQUIRE(bytes % sizeof(double) == 0);
  return std::vector<double>(bytes / sizeof(double));
}

template <class Index>
std::vector<Sample> draw_guided_on_host(const Problem& problem, std::uint64_t count) {
  const GuidedView view = guided_view(problem);
  std::vector<double> messages = memory_of(gpu::GuidedWarp<Index>::message_bytes(view));
  std::vector<double> indices = memory_of(gpu::GuidedWarp<Index>::index_bytes(view));
  gpu::GuidedWarp<Index> walk(view, reinterpret_cast<char*>(messages.data()), reinterpret_cast<char*>(indices.data()));
  std::vector<Sample> samples;
  for (std::uint64_t i = 0; i < count; ++i)
    samples.push_back(walk.sample(problem.message.data(), problem.mate.data(), seed, i));
  return samples;
}

// Draws by the kernels' warps, of one lane.
std::vector<Sample> draw_on_host(const Problem& problem, const SampleOptions& options, std::uint64_t count) {
  if (options.estimator == Estimator::guided)
    return count % 2 ? draw_guided_on_host<std::uint32_t>(problem, count)
                     : draw_guided_on_host<std::uint16_t>(problem, count);
  const PublishedOptions walk_options = published_options(options);
  const ProblemView view = problem_view(problem);
  std::vector<double> memory = memory_of(gpu::WarpTeam::bytes(problem.size));
  gpu::WarpTeam team(view, memory.data());
  std::vector<Sample> samples;
  for (std::uint64_t i = 0; i < count; ++i)
    samples.push_back(PublishedWalk<gpu::WarpTeam>(view, walk_options, team).sample(seed, i));
  return samples;
}

void check_against_cpu(const Problem& problem, const SampleOptions& options, std::uint64_t first,
                       const std::vector<Sample>& samples) {
  const auto sampler = Sampler::make(problem, options);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double truth = sampler->log_sample(seed, first + i);
    CAPTURE(i, samples[i].mantissa, samples[i].exponent);
    REQUIRE(samples[i].log() == truth);
  }
}

}  // namespace

TEST_CASE("the kernels' text gives the samples of the CPU, to the last bit") {
  for_problems({1, 2, 31, 32, 33, 63, 64, 65}, [](const Problem& problem, std::size_t turn, const std::string& name) {
    for (const Estimator estimator : {drawn[turn % 5], drawn[turn / 3 % 5], Estimator::guided}) {
      const SampleOptions options = options_of(estimator, turn);
      INFO(name << " " << to_string(estimator));
      check_against_cpu(problem, options, 0, draw_on_host(problem, options, 10 + turn % 2));
    }
  });
  for (const Estimator estimator : drawn) {
    INFO(to_string(estimator));
    const Problem grid = propagated(problem_of(grid_graph(20, 22)));
    const SampleOptions options = options_of(estimator, 4);
    check_against_cpu(grid, options, 0, draw_on_host(grid, options, 20));
  }
}

TEST_CASE("a guided walk of a warp outlives its numbers of searches") {
  // 16 bits count 65535 searches; a sample of this grid takes about 50.
  const Problem grid = propagated(problem_of(grid_graph(6, 6)));
  const SampleOptions options = options_of(Estimator::guided, 0);
  check_against_cpu(grid, options, 0, draw_guided_on_host<std::uint16_t>(grid, 5000));
}

TEST_CASE("estimates on a GPU that is not there are refused") {
  const EstimateOptions options{.run = {.device = parse_device_choice("cuda:1000")}};
  if (built_with_cuda()) {
    CHECK_THROWS_AS(estimate_perfect_matchings(grid_graph(10, 10), options), Unable);
  } else {
    CHECK_THROWS_AS(estimate_perfect_matchings(grid_graph(10, 10), options), NotCompiled);
    CHECK_THROWS_AS(gpu::sampler_image().code(), NotCompiled);
  }
}

namespace {

std::vector<Sample> draw(gpu::GpuSampler& sampler, std::uint64_t first, std::size_t count) {
  std::vector<Sample> samples(count);
  REQUIRE(sampler.draw(seed, first, samples, [] { return false; }) == count);
  return samples;
}

}  // namespace

TEST_CASE("samples from a GPU are those of the CPU, to the last bit", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::vector<DeviceContext> device{DeviceContext(found.devices[0])};
  const auto check = [&](const Problem& problem, const SampleOptions& options, std::size_t count) {
    gpu::GpuSampler sampler(problem, options, device);
    check_against_cpu(problem, options, 5, draw(sampler, 5, count));
  };
  for_problems({1, 2, 31, 33, 64, 65, 111}, [&](const Problem& problem, std::size_t turn, const std::string& name) {
    const SampleOptions options = options_of(drawn[turn % 5], turn);
    INFO(name << " " << to_string(options.estimator));
    check(problem, options, 200);
  });
  for (const Estimator estimator : drawn) {
    const SampleOptions options = options_of(estimator, 4);
    INFO(to_string(estimator));
    check(propagated(problem_of(grid_graph(16, 16))), options, 500);
    check(propagated(problem_of(grid_graph(24, 24))), options, 500);
    // Walks of these keep their state in the device's memory.
    check(problem_of(random_regular_graph(3000, 4, 1)), options, 6);
    check(problem_of(random_graph(900, 900, 0.02, 1)), options, 6);
  }
}

TEST_CASE("several devices, or one of them named twice, draw the samples that one does", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  std::vector<DeviceContext> several;
  for (const DeviceInfo& device : found.devices) several.emplace_back(device);
  several.push_back(several.front());
  for (const Estimator estimator : {Estimator::rasmussen_plus, Estimator::scaling, Estimator::guided}) {
    for (const BipartiteGraph& graph : {random_graph(40, 40, 0.2, 1), grid_graph(10, 10)}) {
      const Problem problem = problem_of(graph);
      const SampleOptions options = options_of(estimator, 5);
      gpu::GpuSampler one(problem, options, {several.front()}), all(problem, options, several);
      // These are more than a range.
      const std::size_t count = estimator == Estimator::scaling ? 200'000 : 1'000'000;
      const std::vector<Sample> a = draw(one, 7, count), b = draw(all, 7, count);
      CHECK(std::memcmp(a.data(), b.data(), count * sizeof(Sample)) == 0);
    }
  }
}

TEST_CASE("an estimate on a GPU is that of the CPU, to the last bit", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  for (const Estimator method : drawn) {
    for (const BipartiteGraph& graph : {random_graph(40, 40, 0.2, 3), grid_graph(10, 10)}) {
      EstimateOptions options{.method = method, .samples = 30000, .run = {.device = parse_device_choice("cpu")}};
      const Estimate cpu = estimate_perfect_matchings(graph, options);
      options.run.device = parse_device_choice("cuda");
      const Estimate gpu = estimate_perfect_matchings(graph, options);
      INFO(to_string(method));
      CHECK(cpu.gpus.empty());
      CHECK(gpu.gpus.size() == found.devices.size());
      CHECK(gpu.samples == 30000);
      CHECK(gpu.log_value == cpu.log_value);
      CHECK(gpu.relative_error == cpu.relative_error);
      CHECK(gpu.zero_fraction == cpu.zero_fraction);
      CHECK(gpu.blocks[0].tail_index == cpu.blocks[0].tail_index);
    }
  }
}

TEST_CASE("a rank's GPU takes the chunks of a launch at once, and draws the samples of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  // One of two ranks, the other of which never asks for anything.
  class OneOfTwo : public Work {
   public:
    int num_ranks() const override { return 2; }
    CompletedRanges run(const Job& job, const std::function<void(Pieces&)>& execute) override {
      return Work::run(job, [&](Pieces& pieces) {
        Watched watched(pieces, *this);
        execute(watched);
      });
    }
    std::uint64_t most = 0;

   private:
    class Watched : public Pieces {
     public:
      Watched(Pieces& pieces, OneOfTwo& work) : pieces_(pieces), work_(work) {}
      std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
        const auto span = pieces_.take_some(most);
        const std::lock_guard lock(mutex_);
        if (span) work_.most = std::max(work_.most, span->end - span->first);
        return span;
      }
      void give(CompletedRanges::Range range) override { pieces_.give(std::move(range)); }
      double share_done() override { return pieces_.share_done(); }

     private:
      Pieces& pieces_;
      OneOfTwo& work_;
      std::mutex mutex_;
    };
  };
  for (const Estimator method : {Estimator::rasmussen_plus, Estimator::guided}) {
    EstimateOptions options{.method = method, .samples = 300000, .run = {.device = parse_device_choice("cpu")}};
    const Estimate cpu = estimate_perfect_matchings(grid_graph(10, 10), options);
    options.run.device = parse_device_choice("cuda");
    OneOfTwo work;
    const Estimate gpu = estimate_perfect_matchings(grid_graph(10, 10), options, &work);
    CAPTURE(static_cast<int>(method), work.most);
    CHECK(work.most > 1);
    CHECK(gpu.samples == cpu.samples);
    CHECK(gpu.log_value == cpu.log_value);
    CHECK(gpu.relative_error == cpu.relative_error);
  }
}

TEST_CASE("a time limit and a stop token end the sampling on a GPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  EstimateOptions options{.method = Estimator::rasmussen_plus,
                          .relative_error = 1e-9,
                          .run = {.device = parse_device_choice("cuda"), .time_limit_s = 2}};
  const Estimate estimate = estimate_perfect_matchings(grid_graph(12, 12), options);
  CHECK(estimate.out_of_time);
  CHECK(estimate.samples >= 1024);
  CHECK(estimate.time_s.total < 5);
  options.run.stop = raised_stop();
  CHECK_THROWS_AS(estimate_perfect_matchings(grid_graph(12, 12), options), Cancelled);
}
