// A host thread a device. It takes as many groups of primes as the device has memory for, launches level after level,
// and looks at the limits while it waits.

#include "permanent/planar/cuda/elimination_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/amounts.hpp"
#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"

namespace matchcount::gpu {
namespace {

constexpr std::size_t lanes = elimination_lanes;
constexpr double share_of_free_memory = 0.95;
// Multiplications between waits for the device: a tenth of a second or two.
constexpr double work_between_waits = 2e11;
constexpr auto poll_interval = std::chrono::microseconds(40);
constexpr unsigned value_threads = 256;
// Blocks for each multiprocessor below which large fronts get twice the warps.
constexpr unsigned few_blocks = 2;

template <class T>
DeviceBuffer uploaded(const DeviceContext& context, const std::vector<T>& values) {
  DeviceBuffer buffer(context, values.size() * sizeof(T));
  buffer.upload(std::as_bytes(std::span(values)));
  return buffer;
}

struct Shared {
  const EliminationLayout& layout;
  const std::vector<EliminationPart>& parts;
  const std::vector<std::uint32_t>& words;
  unsigned num_values, parts_of_value;
  bool skew;
  const RunContext& run;
  Stretch stretch;
  double total;  // multiplications
  std::atomic<double> done{0};

  void report() { run.report("planar", stretch.at(std::min(done.load() / total, 1.0)) * stretch.total, stretch.total); }
};

class Replayer {
 public:
  Replayer(const DeviceInfo& device, Shared& shared, std::uint64_t most_bytes)
      : shared_(shared),
        context_(device),
        module_(context_, elimination_image().code()),
        fronts_(uploaded(context_, shared.layout.fronts)),
        children_(uploaded(context_, shared.layout.children)),
        maps_(uploaded(context_, shared.layout.maps)),
        entries_(uploaded(context_, shared.layout.entries)),
        parts_(uploaded(context_, shared.parts)),
        words_(uploaded(context_, shared.words)),
        most_groups_(groups_that_fit(most_bytes)),
        stream_(context_) {}

  std::size_t most_groups() const { return most_groups_; }
  double kernel_s() const { return kernel_s_; }

  // Replays for so many moduli as fill groups, at most most_groups() of them.
  void run(std::span<const ReplayModulus> moduli, std::uint64_t* results) {
    const EliminationLayout& layout = shared_.layout;
    const auto groups = static_cast<unsigned>(moduli.size() / lanes);
    if (!memory_ || groups > memory_->groups) {
      memory_.reset();
      memory_ = std::make_unique<Memory>(context_, groups, layout, shared_.num_values);
    }
    std::vector<EliminationModulus> constants;
    for (const ReplayModulus& modulus : moduli) constants.push_back(elimination_modulus(modulus));
    memory_->moduli.upload(std::as_bytes(std::span(constants)));

    DeviceEvent begin(context_), end(context_);
    stream_.record(begin);
    module_.launch("reduce_values", {groups, value_threads, 0}, stream_,
                   {argument(parts_), argument(shared_.parts_of_value), argument(words_), argument(shared_.num_values),
                    argument(memory_->moduli), argument(memory_->values)});
    double queued = 0;
    for (const EliminationLayout::Launch& launch : layout.launches) {
      const unsigned blocks = launch.count * groups;
      const bool few = blocks < few_blocks * static_cast<unsigned>(context_.device().multiprocessors);
      const unsigned warps = few ? std::min<unsigned>(2 * launch.warps, most_elimination_warps) : launch.warps;
      module_.launch(shared_.skew ? "eliminate_skew_fronts" : "eliminate_fronts",
                     {blocks, warps * static_cast<unsigned>(lanes), 0}, stream_,
                     {argument(fronts_), argument(launch.first), argument(groups), argument(children_), argument(maps_),
                      argument(entries_), argument(memory_->values), argument(shared_.num_values),
                      argument(memory_->moduli), argument(memory_->arenas), argument(layout.arena_entries)});
      queued += launch.multiplications * static_cast<double>(moduli.size());
      if (queued > work_between_waits) {
        wait(queued);
        queued = 0;
      }
    }
    const auto first_root = static_cast<unsigned>(layout.fronts.size()) - layout.num_roots;
    module_.launch("root_products", {groups, static_cast<unsigned>(lanes), 0}, stream_,
                   {argument(fronts_), argument(first_root), argument(layout.num_roots), argument(memory_->moduli),
                    argument(memory_->arenas), argument(layout.arena_entries), argument(memory_->results)});
    stream_.record(end);
    wait(queued);
    stream_.synchronize();
    std::vector<std::uint32_t> residues(moduli.size());
    memory_->results.download(std::as_writable_bytes(std::span(residues)));
    std::copy(residues.begin(), residues.end(), results);
    kernel_s_ += end.seconds_since(begin);
  }

 private:
  // Holds the device's memory for groups of primes.
  struct Memory {
    Memory(const DeviceContext& context, std::size_t num_groups, const EliminationLayout& layout, unsigned num_values)
        : groups(num_groups),
          moduli(context, num_groups * lanes * sizeof(EliminationModulus)),
          values(context, num_groups * num_values * entry_bytes),
          arenas(context, (num_groups * layout.arena_entries + layout.slack_entries) * entry_bytes),
          results(context, num_groups * entry_bytes) {}

    std::size_t groups;
    DeviceBuffer moduli, values, arenas, results;
  };
  static constexpr std::size_t entry_bytes = lanes * sizeof(std::uint32_t);

  std::size_t groups_that_fit(std::uint64_t most_bytes) const {
    const EliminationLayout& layout = shared_.layout;
    const double bytes =
        std::min(share_of_free_memory * static_cast<double>(context_.free_bytes()), static_cast<double>(most_bytes));
    const double slack = static_cast<double>(layout.slack_entries * entry_bytes);
    const double of_group = static_cast<double>((layout.arena_entries + shared_.num_values + 1) * entry_bytes +
                                                lanes * sizeof(EliminationModulus));
    if (bytes < slack + of_group) {
      throw Unable("eliminating modulo " + std::to_string(lanes) + " primes needs " + memory_amount(slack + of_group) +
                   " of " + context_.device().name + ", which has " + memory_amount(bytes) + " free");
    }
    // A launch has fewer than 2^31 blocks.
    unsigned most_fronts = 1;
    for (const auto& launch : layout.launches) most_fronts = std::max(most_fronts, launch.count);
    return std::min(static_cast<std::size_t>((bytes - slack) / of_group),
                    std::max<std::size_t>(0x7fffffff / most_fronts, 1));
  }

  void wait(double multiplications) {
    while (!stream_.finished()) {
      shared_.report();
      std::this_thread::sleep_for(poll_interval);
    }
    shared_.done += multiplications;
    shared_.report();
  }

  Shared& shared_;
  DeviceContext context_;
  DeviceModule module_;
  DeviceBuffer fronts_, children_, maps_, entries_, parts_, words_;
  std::size_t most_groups_;
  std::unique_ptr<Memory> memory_;
  double kernel_s_ = 0;
  DeviceStream stream_;  // the last, so that it has ended its work before anything else goes
};

}  // namespace

EliminationModulus elimination_modulus(const ReplayModulus& modulus) {
  const std::uint64_t prime = modulus.prime;
  const std::uint64_t one = (std::uint64_t{1} << 32) % prime;
  const auto small = static_cast<std::uint32_t>(prime);
  return {small, minus_inverse_mod_2_32(small), static_cast<std::uint32_t>(one),
          static_cast<std::uint32_t>(one * one % prime), static_cast<std::uint32_t>(modulus.root * one % prime)};
}

std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const EntryTable& table,
                                              std::span<const ReplayModulus> moduli,
                                              const std::vector<DeviceInfo>& devices, const RunContext& run,
                                              Stretch stretch, ReplayReport* report, std::uint64_t most_bytes) {
  if (program.fronts.empty() || moduli.empty()) return std::vector<std::uint64_t>(moduli.size(), 1);
  const EliminationLayout layout = layout_of(program);
  const std::vector<EliminationPart> parts = parts_of_values(program, table);
  const std::size_t num_groups = (moduli.size() + lanes - 1) / lanes;
  // Lanes that are left over do the last modulus again.
  std::vector<ReplayModulus> padded(moduli.begin(), moduli.end());
  padded.resize(num_groups * lanes, moduli.back());
  std::vector<std::uint64_t> values(padded.size());
  double total = 0;
  for (const auto& launch : layout.launches) total += launch.multiplications * static_cast<double>(padded.size());
  Shared shared{layout,
                parts,
                table.words(),
                static_cast<unsigned>(program.values.size()),
                table.is_complex() ? 2u : 1u,
                program.skew,
                run,
                stretch,
                std::max(total, 1.0)};

  std::mutex mutex;
  std::size_t taken = 0;
  const auto replayers = work_on_devices(
      devices.size(), [&](std::size_t i) { return std::make_unique<Replayer>(devices[i], shared, most_bytes); },
      [&](Replayer& replayer) {
        std::size_t first = 0, count = 0;
        {
          const std::lock_guard lock(mutex);
          first = taken;
          const std::size_t share = (num_groups + devices.size() - 1) / devices.size();
          count = std::min({replayer.most_groups(), share, num_groups - taken});
          taken += count;
        }
        if (count == 0) return false;
        replayer.run(std::span(padded).subspan(first * lanes, count * lanes), values.data() + first * lanes);
        return true;
      });
  if (report != nullptr) {
    for (const auto& replayer : replayers)
      if (replayer) report->kernel_s = std::max(report->kernel_s, replayer->kernel_s());
  }
  values.resize(moduli.size());
  return values;
}

}  // namespace matchcount::gpu
