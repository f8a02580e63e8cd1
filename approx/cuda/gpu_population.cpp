#include "approx/cuda/gpu_population.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "approx/cpu/population_start.hpp"
#include "approx/cpu/published.hpp"
#include "approx/cuda/population_kernels.hpp"
#include "approx/population_mean.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/tasks.hpp"

namespace matchcount::gpu {
namespace {

constexpr auto stage_poll_interval = std::chrono::microseconds(20);
// The populations of all blocks together take this share of a device's free memory.
constexpr double population_memory_share = 0.9;
constexpr unsigned walks_a_block = walking_threads / 32;
// While the particles of one worker walk, the host ends a stage of another's.
constexpr int workers_a_device = 2;

const char* kernel_of(Guide guide) {
  switch (guide) {
    case Guide::near:
      return "walk_near";
    case Guide::far:
      return "walk_far";
    case Guide::odd_near:
      return "walk_odd_near";
    case Guide::odd_far:
      return "walk_odd_far";
    case Guide::alone:
      break;
  }
  return "walk_alone";
}

template <class T>
std::span<const std::byte> bytes_in(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

// One device. Its particles stand one population behind the other, and behind them the one that all start from.
class GpuPopulations::Worker {
 public:
  Worker(const PopulationStart& start, int size, bool doubles, double share, const DeviceContext& context)
      : start_(start),
        size_(static_cast<std::size_t>(size)),
        doubles_(doubles),
        context_(context),
        module_(context, population_image().code()),
        stream_(context),
        next_(context, sizeof(unsigned)) {
    const double particle_bytes = 8.0 * static_cast<double>(start.particle.size()) + sizeof(ParticleRecord);
    const double scratch_bytes = 8.0 * static_cast<double>(start.scratch_length + search_words);
    const double room = share * population_memory_share * static_cast<double>(context.free_bytes());
    const int blocks = module_.info(kernel_of(start.guide), walking_threads).blocks_per_multiprocessor;
    const int walking_blocks_of_device = std::max(blocks, 1) * context.device().multiprocessors;
    walking_ = {static_cast<unsigned>(std::max(walking_blocks_of_device / workers_a_device, 1)), walking_threads, 0};
    // Memory that walks need is worth less than particles.
    const double most_workers = std::max(room / 4 / scratch_bytes, 1.0 * walks_a_block);
    walking_.blocks = std::min(walking_.blocks, static_cast<unsigned>(most_workers / walks_a_block));
    const double workers = 1.0 * walking_.blocks * walks_a_block;
    capacity_ = static_cast<std::size_t>(std::max((room - workers * scratch_bytes) / particle_bytes - 1, 0.0)) / size_;
    // More than two for each walk would wait for one another.
    capacity_ = std::min(capacity_, std::max(static_cast<std::size_t>(2 * workers) / size_, std::size_t{1}));
    if (capacity_ == 0)
      throw Unable("a population of " + std::to_string(size) +
                   " needs more than a GPU's memory: ask for a smaller one");
    const std::size_t particles = capacity_ * size_ + 1;
    particles_ = DeviceBuffer(context, 8 * particles * start.particle.size());
    records_ = DeviceBuffer(context, particles * sizeof(ParticleRecord));
    scratch_ = DeviceBuffer(context, static_cast<std::size_t>(workers * scratch_bytes));
    scratch_.clear();
    replacements_ = DeviceBuffer(context, particles * sizeof(Replacement));
    pinned_records_ = PinnedBuffer(context, records_.size_bytes());
    pinned_replacements_ = PinnedBuffer(context, replacements_.size_bytes());
    std::ranges::fill(zero_.bytes(), std::byte{0});
    arguments_.view = start.view;
    arguments_.view.problem = {
        start.problem.size, address<std::uint32_t>(bytes_in(start.problem.offset)),
        address<std::uint32_t>(bytes_in(start.problem.target)),
        has_unit_weights(start.problem) ? nullptr : address<double>(bytes_in(start.problem.weight))};
    arguments_.view.reverse = address<std::uint32_t>(bytes_in(start.problem.reverse));
    arguments_.view.position = address<std::uint32_t>(bytes_in(start.position));
    arguments_.particles = reinterpret_cast<std::uint64_t*>(particles_.address());
    arguments_.records = reinterpret_cast<ParticleRecord*>(records_.address());
    arguments_.scratch = reinterpret_cast<std::uint64_t*>(scratch_.address());
    arguments_.particle_length = start.particle.size();
    arguments_.state_length = start.state_length;
    arguments_.scratch_length = start.scratch_length;
    particles_.upload(bytes_in(start.particle), 8 * capacity_ * size_ * start.particle.size());
  }

  // Populations at once.
  std::size_t capacity() const { return capacity_; }

  // False: it was over before they were drawn.
  bool draw(std::uint64_t seed, std::uint64_t first, std::span<DrawnPopulation> drawn,
            const std::function<bool()>& over) {
    const std::size_t particles = drawn.size() * size_;
    begin(seed, first, drawn.size());
    const double log_start = start_.left.sample().log();
    std::vector<PopulationMean> means;
    for (std::size_t p = 0; p < drawn.size(); ++p)
      means.emplace_back(size_, start_.steps, log_start, Uniforms(seed, first + p), 0, doubles_);
    std::vector<double> log_values(particles), log_left(particles);
    const ParticleRecord* const records = in<ParticleRecord>(pinned_records_);
    // All populations have the same stages; one that is over has no particle that walks.
    while (!std::all_of(means.begin(), means.end(), [](const PopulationMean& mean) { return mean.over(); })) {
      if (over()) return false;
      const auto going = std::find_if(means.begin(), means.end(), [](const auto& mean) { return !mean.over(); });
      const auto walking = static_cast<std::uint32_t>(going->size());
      walk(static_cast<std::uint32_t>(particles),
           {static_cast<std::uint32_t>(drawn.size()) * walking, going->first_step(), going->steps(), walking,
            static_cast<std::uint32_t>(size_)});
      std::size_t replacements = 0;
      for (std::size_t p = 0; p < drawn.size(); ++p) {
        if (means[p].over()) continue;
        const std::size_t from = p * size_;
        for (std::size_t k = from; k < from + walking; ++k) {
          const ParticleRecord& record = records[k];
          log_values[k] = record.is_dead ? minus_infinity : record.value.log();
          log_left[k] = record.left.sample().log();
        }
        const auto at = static_cast<std::uint32_t>(from);
        for (const Replacement& one :
             means[p].end_stage(std::span(log_values).subspan(from, size_), std::span(log_left).subspan(from, size_)))
          in<Replacement>(pinned_replacements_)[replacements++] = {at + one.from, at + one.to};
      }
      if (replacements > 0) replace(replacements, false);
    }
    for (std::size_t p = 0; p < drawn.size(); ++p) drawn[p] = {means[p].log_mean(), means[p].log_pieces()};
    return true;
  }

 private:
  void begin(std::uint64_t seed, std::uint64_t first, std::size_t populations) {
    stream_.synchronize();  // with draws that were broken off
    auto* const records = in<ParticleRecord>(pinned_records_);
    auto* const all = in<Replacement>(pinned_replacements_);
    const auto source = static_cast<std::uint32_t>(capacity_ * size_);
    for (std::size_t k = 0; k < populations * size_; ++k) {
      records[k] = {start_.left, PopulationStart::uniforms(seed, first + k / size_, k % size_), {}, 0};
      all[k] = {source, static_cast<std::uint32_t>(k)};
    }
    records[source] = {start_.left, {0, 0}, {}, 0};
    stream_.upload(records_, 0, pinned_records_.bytes());
    replace(populations * size_, true);
  }

  void walk(std::uint32_t particles, const PopulationStage& stage) {
    stream_.upload(next_, 0, zero_.bytes());
    LaunchSize size = walking_;
    size.blocks = std::min(size.blocks, (stage.particles + walks_a_block - 1) / walks_a_block);
    module_.launch(kernel_of(start_.guide), size, stream_, arguments(arguments_, stage, next_));
    stream_.download(records_, 0, pinned_records_.bytes().first(particles * sizeof(ParticleRecord)));
    while (!stream_.finished()) std::this_thread::sleep_for(stage_poll_interval);
  }

  // Makes so many of the replacements that the host has listed; copies are whole or as far as particles may differ.
  void replace(std::size_t replacements, bool whole) {
    stream_.upload(replacements_, 0, pinned_replacements_.bytes().first(replacements * sizeof(Replacement)));
    const auto count = static_cast<unsigned>(replacements), is_whole = static_cast<unsigned>(whole);
    module_.launch("replace", {std::min(count, 1u << 16), copying_threads, 0}, stream_,
                   arguments(arguments_, replacements_, count, is_whole));
  }

  template <class T>
  static T* in(const PinnedBuffer& buffer) {
    return reinterpret_cast<T*>(buffer.bytes().data());
  }

  // Uploads, and returns an address there; this side has no use for it.
  template <class T>
  const T* address(std::span<const std::byte> bytes) {
    data_.emplace_back(context_, bytes.size());
    data_.back().upload(bytes);
    return reinterpret_cast<const T*>(data_.back().address());
  }

  const PopulationStart& start_;
  std::size_t size_;
  bool doubles_;
  std::size_t capacity_ = 0;
  DeviceContext context_;
  DeviceModule module_;
  DeviceStream stream_;
  DeviceBuffer next_, particles_{context_, 0}, records_{context_, 0}, scratch_{context_, 0}, replacements_{context_, 0};
  std::vector<DeviceBuffer> data_;
  PopulationArguments arguments_;
  LaunchSize walking_;
  PinnedBuffer pinned_records_{context_, 1}, pinned_replacements_{context_, 1}, zero_{context_, sizeof(unsigned)};
};

GpuPopulations::GpuPopulations(const Problem& problem, const SampleOptions& options, double share,
                               const std::vector<DeviceContext>& devices)
    : start_(std::make_unique<PopulationStart>(problem, guide_of(problem, options.far_messages))) {
  for (const DeviceContext& context : devices) {
    population_image().require(context.device(), "populations");
    for (int i = 0; i < workers_a_device; ++i)
      workers_.push_back(std::make_unique<Worker>(*start_, options.population, options.doubles,
                                                  share / (workers_a_device - i), context));
  }
}
GpuPopulations::~GpuPopulations() = default;

std::uint64_t GpuPopulations::range() const {
  std::uint64_t populations = 0;
  for (const auto& worker : workers_) populations += worker->capacity();
  return populations;
}

std::size_t GpuPopulations::draw(std::uint64_t seed, std::uint64_t first, std::span<DrawnPopulation> drawn,
                                 const std::function<bool()>& over) {
  Dealer dealer(drawn.size());
  std::atomic<std::size_t> complete{drawn.size()};  // all before it are drawn
  on_devices(workers_.size(), [&](std::size_t i) {
    // Devices of equal capacity get equal shares of what is left for a round.
    const std::size_t share = (drawn.size() + workers_.size() - 1) / workers_.size();
    const std::size_t wanted = std::max(std::min(workers_[i]->capacity(), share), std::size_t{1});
    if (over()) return false;
    const auto taken = dealer.take_some(wanted);
    if (!taken) return false;
    const std::size_t begin = taken->first;
    if (workers_[i]->draw(seed, first + begin, drawn.subspan(begin, size_of(*taken)), over)) return true;
    for (std::size_t now = complete; begin < now && !complete.compare_exchange_weak(now, begin);) {
    }
    return false;
  });
  return std::min<std::size_t>(complete, dealer.num_taken());
}

double GpuPopulations::capacity(const Problem& problem, const DeviceInfo& device) {
  return population_memory_share / workers_a_device * 0.75 * static_cast<double>(device.memory_bytes) /
         (8.0 * PopulationStart::particle_length(problem));
}

}  // namespace matchcount::gpu
