// A kernel can't be told to stop, so samples are drawn in ranges that are short enough to wait for: the first as large
// as keeps a device busy, then larger ones as long as they take little time.

#include "approx/cuda/gpu_sampler.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "approx/cpu/sampler.hpp"
#include "approx/cuda/guided_warp.cuh"
#include "approx/cuda/sampler_kernels.hpp"
#include "approx/cuda/warp_team.cuh"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/tasks.hpp"

namespace matchcount::gpu {
namespace {

constexpr double wanted_range_s = 0.1;
constexpr std::uint32_t largest_range = 1 << 22;
constexpr auto poll_interval = std::chrono::microseconds(20);
// A warp's memory is shared memory where eight of them still fit into a multiprocessor, else the device's.
constexpr std::size_t most_shared_bytes = 24 << 10;
// Guided samples wait for memory most of the time, so that many at once are worth more than shared memory. 400,000 on
// the 24 x 24 grid took 0.48 s with 9 warps a multiprocessor that have all in shared memory, 0.26 s with 31 that have
// messages in the device's, 0.31 s with 24, 0.38 s with 18, and 0.28 s with 32 that have all there (H200).
constexpr std::size_t most_guided_bytes = 7 << 10;
// The samplers take this share of a device's free memory.
constexpr double memory_share = 0.5;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

bool draws(Estimator estimator) {
  return estimator != Estimator::automatic && !is_by_populations(estimator) && !is_by_determinants(estimator);
}

// One device.
class GpuSampler::Worker {
 public:
  Worker(const Problem& problem, const SampleOptions& options, const DeviceContext& context)
      : context_(context),
        module_(context, sampler_image().code()),
        stream_(context),
        next_(context, sizeof(unsigned)) {
    if (options.estimator == Estimator::guided) {
      use_guided(problem);
    } else if (takes_bitmasks(problem, options)) {
      use_bitmasks(problem, options);
    } else {
      use_published(problem, options);
    }
  }

  // Returns the number of samples to draw next.
  std::uint32_t range() const { return range_; }

  void draw(std::uint64_t seed, std::uint64_t first, std::span<Sample> samples) {
    Stopwatch stopwatch;
    if (out_.size_bytes() < samples.size_bytes()) out_ = DeviceBuffer(context_, samples.size_bytes());
    next_.clear();
    const SampleRange range{seed, first, static_cast<std::uint32_t>(samples.size())};
    std::vector<KernelArgument> all = arguments_;
    for (const KernelArgument& more : arguments(range, next_, memory_, out_)) all.push_back(more);
    const auto blocks = static_cast<unsigned>((samples.size() + samples_of_block_ - 1) / samples_of_block_);
    module_.launch(kernel_, {std::min(size_.blocks, blocks), size_.threads, size_.shared_bytes}, stream_, all);
    while (!stream_.finished()) std::this_thread::sleep_for(poll_interval);
    out_.download(std::as_writable_bytes(samples));
    if (samples.size() == range_ && 2 * stopwatch.lap() < wanted_range_s && range_ < largest_range) range_ *= 2;
  }

 private:
  void use_bitmasks(const Problem& problem, const SampleOptions& options) {
    kernel_ = published_options(options).fewest ? "sample_bitmask_fewest" : "sample_bitmask_first";
    const std::vector<SmallBlock> block{bitmask_block<1, 7>(problem)};
    arguments_.push_back(argument(upload(bytes_of(block))));
    // A thread draws several, so that what the threads of a block copy first weighs little.
    set_size(bitmask_threads, 0, bitmask_threads * 8);
  }

  void use_published(const Problem& problem, const SampleOptions& options) {
    arguments_.push_back(argument(PublishedArguments{view_of(problem), published_options(options)}));
    const std::size_t team = WarpTeam::bytes(problem.size);
    constexpr unsigned teams = published_threads / 32;
    if (team <= most_shared_bytes) {
      kernel_ = "sample_published_shared";
      set_size(published_threads, teams * static_cast<unsigned>(team), teams);
    } else {
      kernel_ = "sample_published_global";
      set_size(published_threads, 0, teams);
      set_memory(teams * team);
    }
  }

  void use_guided(const Problem& problem) {
    GuidedArguments own{guided_view(problem)};
    own.message = address<double>(bytes_of(problem.message));
    own.mate = address<std::uint32_t>(bytes_of(problem.mate));
    own.view.problem = view_of(problem);
    own.view.reverse = address<std::uint32_t>(bytes_of(problem.reverse));
    arguments_.push_back(argument(own));
    using Walk = GuidedWarp<std::uint16_t>;
    const std::size_t messages = Walk::message_bytes(own.view), indices = Walk::index_bytes(own.view);
    if (indices <= most_guided_bytes) {
      kernel_ = "sample_guided_shared";
      set_size(guided_threads, static_cast<unsigned>(indices), 1);
      set_memory(messages);
    } else {
      kernel_ = "sample_guided_global";
      set_size(guided_threads, 0, 1);
      set_memory(messages + GuidedWarp<std::uint32_t>::index_bytes(own.view));
    }
  }

  // Uploads a problem, and returns a view of it on the device.
  ProblemView view_of(const Problem& problem) {
    return {problem.size, address<std::uint32_t>(bytes_of(problem.offset)),
            address<std::uint32_t>(bytes_of(problem.target)),
            has_unit_weights(problem) ? nullptr : address<double>(bytes_of(problem.weight))};
  }
  const DeviceBuffer& upload(std::span<const std::byte> bytes) {
    data_.emplace_back(context_, bytes.size());
    data_.back().upload(bytes);
    return data_.back();
  }
  // Returns an address there; this side has no use for it.
  template <class T>
  const T* address(std::span<const std::byte> bytes) {
    return reinterpret_cast<const T*>(upload(bytes).address());
  }

  void set_size(unsigned threads, unsigned shared_bytes, unsigned samples_of_block) {
    const int blocks = module_.info(kernel_, threads, shared_bytes).blocks_per_multiprocessor;
    size_ = {static_cast<unsigned>(std::max(blocks, 1) * context_.device().multiprocessors), threads, shared_bytes};
    samples_of_block_ = samples_of_block;
    range_ = size_.blocks * samples_of_block;
  }

  // Sets aside so much for each block, of as many as there is room for.
  void set_memory(std::size_t bytes) {
    const double room = memory_share * static_cast<double>(context_.free_bytes());
    const auto blocks = static_cast<std::uint64_t>(room / static_cast<double>(bytes));
    if (blocks == 0) {
      throw Unable("samples of so large a block need " + std::to_string(bytes) +
                   " bytes of a GPU's memory, more than half of what is free");
    }
    size_.blocks = static_cast<unsigned>(std::min<std::uint64_t>(size_.blocks, blocks));
    range_ = size_.blocks * samples_of_block_;
    memory_ = DeviceBuffer(context_, size_.blocks * bytes);
  }

  DeviceContext context_;
  DeviceModule module_;
  DeviceStream stream_;
  DeviceBuffer next_, memory_{context_, 0}, out_{context_, 0};
  std::vector<DeviceBuffer> data_;
  std::string kernel_;
  std::vector<KernelArgument> arguments_;  // the first ones, the same for every launch
  LaunchSize size_;
  unsigned samples_of_block_ = 1;
  std::uint32_t range_ = 1;
};

GpuSampler::GpuSampler(const Problem& problem, const SampleOptions& options,
                       const std::vector<DeviceContext>& devices) {
  for (const DeviceContext& context : devices) {
    sampler_image().require(context.device(), "samples");
    workers_.push_back(std::make_unique<Worker>(problem, options, context));
  }
}
GpuSampler::~GpuSampler() = default;

std::uint64_t GpuSampler::range() const {
  std::uint64_t samples = 0;
  for (const auto& worker : workers_) samples += worker->range();
  return samples;
}

std::size_t GpuSampler::draw(std::uint64_t seed, std::uint64_t first, std::span<Sample> samples,
                             const std::function<bool()>& over) {
  Dealer dealer(samples.size());
  on_devices(workers_.size(), [&](std::size_t i) {
    if (over()) return false;
    const auto taken = dealer.take_some(workers_[i]->range());
    if (taken) workers_[i]->draw(seed, first + taken->first, samples.subspan(taken->first, size_of(*taken)));
    return taken.has_value();
  });
  return dealer.num_taken();
}

}  // namespace matchcount::gpu
