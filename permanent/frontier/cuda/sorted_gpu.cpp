#include "permanent/frontier/cuda/sorted_gpu.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace matchcount::gpu {
namespace {

constexpr std::size_t most_key_words = 2;

// A layer on the device.
struct SortedLayer {
  std::optional<DeviceBuffer> keys, values;
};

class SortedGpuRun final : public Drive<Residues> {
 public:
  SortedGpuRun(const FrontierSteps& steps, Residues& number, const DeviceContext& context, const RunContext& run,
               std::string name, const std::string& description, ShareOfRuns share, std::size_t least_states)
      : Drive(steps, number, run, std::move(name), description, share),
        least_states_(least_states),
        suffix_(states_.key_words() == 1 ? "_64" : "_128"),
        context_(context),
        module_(context, sorted_image().code()),
        stream_(context) {}

 private:
  std::size_t bytes_of_key() const { return states_.key_words() * sizeof(Word); }
  std::size_t bytes_of_values() const { return static_cast<std::size_t>(layer_.planes) * sizeof(Slot); }

  // Makes room on the device; what was there is lost.
  void reserve(std::optional<DeviceBuffer>& buffer, std::size_t bytes) {
    if (buffer && buffer->size_bytes() >= bytes) return;
    buffer.reset();
    buffer.emplace(context_, bytes);
  }

  void arrange(std::size_t /*t*/, bool /*prepared*/) override {
    if (layer_.is_dense || layer_.count < least_states_) return;
    reserve(held_.keys, layer_.count * bytes_of_key());
    reserve(held_.values, layer_.count * bytes_of_values());
    held_.keys->upload(std::as_bytes(std::span(states_.keys())));
    held_.values->upload(std::as_bytes(std::span(layer_.sparse)));
    layer_.is_dense = true;
    release();
  }
  void release() {
    layer_.release_sparse();
    states_.keys() = {};
    keys_before_ = {};
    next_ = {};
  }

  void dense_step(std::size_t t) override {
    SparseStates::Step moves = states_.moves_of(steps_.steps[t]);
    SortedTables tables = sorted_tables(moves, number_, layer_.count);
    SortedStep& step = tables.step;
    const std::size_t num_splitters = step.num_tiles + 1;
    if (num_splitters > std::numeric_limits<std::int32_t>::max())
      throw Unable("a layer of more states than a GPU takes");
    reserve(tables_, tables.words.size() * sizeof(std::uint64_t));
    tables_->upload(std::as_bytes(std::span(tables.words)));
    tables.set_address(tables_->address());
    reserve(splitters_, num_splitters * bytes_of_key());
    reserve(places_, num_splitters * 2 * step.num_moves * sizeof(std::uint32_t));
    reserve(counts_, step.num_tiles * sizeof(std::uint64_t));
    step.keys = held_.keys->address();
    step.values = held_.values->address();
    step.splitters = splitters_->address();
    step.places = places_->address();
    step.counts = counts_->address();
    launch("sorted_split", {static_cast<unsigned>(num_splitters), split_threads, 12 * step.num_moves}, step);
    const LaunchSize tiles{static_cast<unsigned>(step.num_tiles), sorted_threads,
                           tables.shared_bytes(states_.key_words())};
    launch("sorted_count", tiles, step);
    wait();
    std::vector<std::uint64_t> counts(step.num_tiles);
    counts_->download(std::as_writable_bytes(std::span(counts)));
    std::uint64_t total = 0;
    for (std::uint64_t& count : counts) total += std::exchange(count, total);
    if (total > 0) {
      counts_->upload(std::as_bytes(std::span(counts)));
      reserve(made_.keys, total * bytes_of_key());
      reserve(made_.values, total * bytes_of_values());
      step.new_keys = made_.keys->address();
      step.new_values = made_.values->address();
      launch("sorted_make", tiles, step);
      wait();
    }
    std::swap(held_, made_);
    states_.finish(moves);
    layer_.count = total;
  }

  void launch(const char* kernel, const LaunchSize& size, const SortedStep& step) {
    module_.launch(kernel + suffix_, size, stream_, {argument(step)});
  }
  void wait() const {
    constexpr auto poll_interval = std::chrono::microseconds(50);
    for (; !stream_.finished(); std::this_thread::sleep_for(poll_interval)) run_.check();
  }

  std::vector<Slot> values() const {
    std::vector<Slot> result(layer_.count * static_cast<std::size_t>(layer_.planes));
    held_.values->download(std::as_writable_bytes(std::span(result)));
    return result;
  }
  std::vector<Slot> last() override { return layer_.is_dense ? values() : layer_.sparse; }

  // Saves the layer as a CPU would, which may go on with it.
  void save_dense(const Bytes& head) override {
    auto sorted = from_bytes<LayerHead>(head);
    check_memory(static_cast<double>(layer_.count * (bytes_of_key() + bytes_of_values())));
    std::vector<Word> keys(layer_.count * states_.key_words());
    stream_.synchronize();
    held_.keys->download(std::as_writable_bytes(std::span(keys)));
    const std::vector<Slot> slots = values();
    sorted.is_dense = false;
    sorted.num_keys = keys.size();
    const Bytes own_head = to_bytes(sorted);
    file_.write({own_head, std::as_bytes(std::span(keys)), std::as_bytes(std::span(slots))});
  }

  void load_dense(const LayerHead& /*head*/, ByteReader& /*in*/) override {
    throw Unable("the checkpoint has an array of all states of a layer, with which a CPU has to go on (--device cpu)");
  }

  std::size_t least_states_;
  std::string suffix_;  // of kernels
  DeviceContext context_;
  DeviceModule module_;
  SortedLayer held_, made_;
  std::optional<DeviceBuffer> tables_, splitters_, places_, counts_;
  DeviceStream stream_;  // the last, so that it has ended its work before anything else goes
};

}  // namespace

bool sorts(const FrontierSteps& steps) {
  return SparseStates(steps).key_words() <= most_key_words &&
         std::ranges::all_of(steps.steps, [](const auto& step) { return step.moves.size() <= sorted_tile / 2; });
}

SortedWork sorted_work(const FrontierSteps& steps, std::size_t num_primes) {
  const double key = 8.0 * static_cast<double>(SparseStates(steps).key_words());
  const double state = key + sizeof(std::uint32_t) * static_cast<double>(num_primes);
  SortedWork work;
  double before = 1, most_states = 1, most_tiles = 0;
  for (const FrontierStep& step : steps.steps) {
    const auto moves = static_cast<double>(step.moves.size());
    const double looks = before * moves, tiles = 2 + looks / (sorted_tile - moves);
    work.looks += looks;
    most_tiles = std::max(most_tiles, tiles * (key + 8 + 2 * sizeof(std::uint32_t) * moves));
    most_states = std::max(most_states, step.states);
    before = step.states;
  }
  work.bytes = 2 * most_states * state + most_tiles;
  return work;
}

void SortedTables::set_address(std::uint64_t address) {
  step.moves = address;
  step.weights = step.moves + step.num_moves * sizeof(SortedMove);
  step.primes = step.weights + std::uint64_t{step.num_weights} * step.num_primes * sizeof(ResidueWeight);
}

SortedTables sorted_tables(const SparseStates::Step& moves, const Residues& number, std::size_t num_states,
                           unsigned tile) {
  if (num_states > std::numeric_limits<std::uint32_t>::max()) throw Unable("a layer of more states than a GPU sorts");
  SortedTables tables{};
  SortedStep& step = tables.step;
  step.num_states = num_states;
  step.num_moves = static_cast<unsigned>(moves.streams.size());
  step.num_weights = static_cast<unsigned>(number.num_weights());
  step.num_primes = static_cast<unsigned>(number.source_planes());
  step.bits = std::max(moves.slots.count, 1u);
  step.tile = tile;
  step.share = tile - step.num_moves;
  step.num_tiles = std::max<std::uint64_t>(1, (num_states * step.num_moves + step.share - 1) / step.share);
  const auto append = [&words = tables.words](const void* from, std::size_t bytes) {
    const std::size_t at = words.size();
    words.resize(at + (bytes + sizeof(Word) - 1) / sizeof(Word));
    std::memcpy(words.data() + at, from, bytes);
  };
  for (const SparseStates::Stream& stream : moves.streams) {
    SortedMove move{};
    const auto copy = [](const std::vector<Word>& from, std::uint64_t* to) {
      std::ranges::copy_backward(from, to + most_key_words);
    };
    copy(stream.test, move.test);
    copy(stream.expect, move.expect);
    copy(stream.keep, move.keep);
    copy(stream.set, move.set);
    move.weight = stream.weight;
    append(&move, sizeof(move));
  }
  append(number.weights().data(), number.weights().size() * sizeof(ResidueWeight));
  append(number.primes().data(), number.primes().size() * sizeof(std::uint32_t));
  return tables;
}

std::vector<std::uint32_t> run_sorted_on_gpu(const FrontierSteps& steps, Residues& number, const DeviceContext& device,
                                             const RunContext& run, std::string name, const std::string& description,
                                             ShareOfRuns share, std::size_t least_states) {
  return SortedGpuRun(steps, number, device, run, std::move(name), description, share, least_states).run();
}

}  // namespace matchcount::gpu
