// A layer stands at one end of the array, and the next is written to the other, from its far end on. Where the two fit
// side by side a step is one launch. Elsewhere it is in place, by pieces of the same highest bits (cpu/in_place.cpp):
// as many as may be made at once are one launch, and launches follow each other. Whoever stands at the front is read
// downwards, whoever stands at the end upwards; so the next layer again has an end to itself.

#include "permanent/frontier/cuda/lean_gpu.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"

namespace matchcount::gpu {
namespace {

using Slot = std::uint32_t;

constexpr double share_of_free_memory = 0.98, bytes_of_tables = 1 << 24;
constexpr auto poll_interval = std::chrono::microseconds(50);
constexpr int polls_before_sleep = 200;
// A piece is many blocks of threads; as for so many threads of a CPU, a few of which a launch makes at once.
constexpr int threads_of_walk = 32;
// Low bits that are touched cost less than short blocks (6 x 6 x 6: twice as many transitions a second).
constexpr std::uint32_t least_low = max_low_positions;
// Blocks of threads that a launch should have for each multiprocessor.
constexpr std::uint64_t blocks_wanted = 8;
constexpr std::uint64_t least_highs = 8;
// Layers of so many states are dense from the first step on.
constexpr double least_worth_sorting = 1 << 18;

// Step t from a layer with this layout, within `span` states, the old one standing at the front of them or at their
// end. Nothing where it takes more.
std::optional<InPlaceStep> fitting_step(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                        std::size_t t, const std::vector<Vertex>& layout, std::size_t span,
                                        bool at_front, std::uint32_t max_bits) {
  constexpr std::uint32_t most_kept = 6;
  InPlaceStep result;
  result.old_states = indices.count(static_cast<std::uint32_t>(layout.size()), t == 0 ? 0 : steps.steps[t - 1].ones);
  result.new_states = indices.count(steps.steps[t].width, steps.steps[t].ones);
  if (std::max(result.old_states, result.new_states) > span) return std::nullopt;
  const auto make = [&](LayoutRule rule) {
    result.rule = rule;
    result.step = std::make_unique<DenseStep>(steps, touches, indices, t, layout, result.old_states, rule);
  };
  const auto place = [&] {
    const auto room = static_cast<std::ptrdiff_t>(span);
    result.walk.span = span;
    result.walk.shift = at_front ? room - static_cast<std::ptrdiff_t>(result.new_states)
                                 : static_cast<std::ptrdiff_t>(result.old_states) - room;
  };
  if (result.old_states + result.new_states <= span) {
    make({true, 0, false, least_low});
    result.walk.downwards = at_front;
    result.walk.in_flight = std::numeric_limits<std::uint64_t>::max();
    place();
    return result;
  }
  const auto fits = [&](LayoutRule rule) {
    make(rule);
    result.walk =
        walk_in_place(*result.step, result.old_states, result.new_states, at_front, max_bits, threads_of_walk);
    return result.walk.span <= span;
  };
  bool found = fits({true, 0, false, least_low});
  for (std::uint32_t kept = 1; !found && kept <= most_kept; ++kept) {
    found = fits({true, kept, false, least_low}) || fits({true, kept, true, least_low});
  }
  if (!found) return std::nullopt;
  place();
  return result;
}

}  // namespace

struct FrontierDevice::State {
  State(const DeviceContext& given, int num_planes, std::size_t num_words)
      : context(given),
        module(context, frontier_image().code()),
        planes(num_planes),
        span(num_words),
        array(context, static_cast<std::size_t>(num_planes) * num_words * sizeof(Slot)),
        stream(context) {}

  DeviceContext context;
  DeviceModule module;
  int planes;
  std::size_t span;  // words of each plane
  DeviceBuffer array;
  std::optional<DeviceBuffer> tables[2], gathers[2];  // of this step and the one before
  DeviceStream stream;  // the last, so that it has ended its work before anything else goes
};

FrontierDevice::FrontierDevice(const DeviceContext& context, int planes, std::size_t span)
    : state_(std::make_unique<State>(context, planes, span)) {}
FrontierDevice::~FrontierDevice() = default;

bool frontier_runs_on(const std::vector<DeviceInfo>& gpus) {
  return std::ranges::all_of(gpus, [](const DeviceInfo& gpu) { return frontier_image().runs_on(gpu); });
}

double bytes_for_layers(double free_bytes) { return share_of_free_memory * free_bytes - bytes_of_tables; }

namespace {

// Pairs of an old state and a new one that is made of it.
double transitions_of(const DenseStep& step, const StateIndices& indices) {
  const DenseStep::Shape target = step.target_shape();
  double transitions = 0;
  for (const DenseStep::Choice& choice : step.choices()) {
    const std::uint32_t tested = count_ones(choice.low.test) + count_ones(choice.high.test);
    const std::uint32_t rest = indices.rest(target.of_class, choice.low.expect | choice.high.expect << target.low);
    if (tested <= target.width) transitions += static_cast<double>(indices.count(target.width - tested, rest));
  }
  return transitions;
}

class LeanGpuRun final : public LeanRun {
 public:
  LeanGpuRun(const FrontierSteps& steps, ResidueArithmetic& arithmetic, FrontierDevice::State& device,
             const RunContext& run, std::string name, std::string description, ShareOfRuns share, bool timed)
      : LeanRun(steps, arithmetic, run, std::move(name), std::move(description), share),
        device_(device),
        timed_(timed) {}

  // Of the steps so far, where they were to be timed.
  std::vector<StepTime> times() const {
    device_.stream.synchronize();
    std::vector<StepTime> result;
    for (const Timed& step : timed_steps_) {
      result.push_back(step.time);
      result.back().seconds = step.end.seconds_since(step.begin);
    }
    return result;
  }

 private:
  bool fills(const FrontierStep& step) const override {
    return dense_states(step) <= least_worth_sorting || LeanRun::fills(step);
  }

  std::size_t first_byte(int plane, std::size_t word) const {
    return (static_cast<std::size_t>(plane) * device_.span + word) * sizeof(Slot);
  }
  void check_room(std::size_t count) const {
    if (count <= device_.span) return;
    throw Unable("a layer of " + memory_amount(static_cast<double>(count * sizeof(Slot))) + " is more than " +
                 device_.context.device().name + " has room for");
  }

  void put_states(std::size_t count, const std::vector<Word>& places) override {
    check_room(count);
    at_front_ = true;
    const auto planes = static_cast<std::size_t>(layer_.planes);
    std::vector<Slot> states(count);
    for (std::size_t k = 0; k < planes; ++k) {
      std::ranges::fill(states, Slot{0});
      for (std::size_t i = 0; i < places.size(); ++i) states[places[i]] = layer_.sparse[i * planes + k];
      device_.array.upload(std::as_bytes(std::span(states)), first_byte(static_cast<int>(k), 0));
    }
  }

  // Of the layer held, its first word.
  std::size_t begin_of(std::size_t count) const { return at_front_ ? 0 : device_.span - count; }

  void dense_step(std::size_t t) override {
    if (!at_.step) {
      auto step = fitting_step(steps_, touches_, indices_, t, layer_.layout, device_.span, at_front_, max_piece_bits);
      if (!step) {
        throw Unable("a step of the frontier does not fit into " +
                     memory_amount(static_cast<double>(device_.span * sizeof(Slot))) + " of " +
                     device_.context.device().name);
      }
      at_ = std::move(*step);
    }
    const StepTables tables = step_tables(*at_.step, steps_.by_parity, arithmetic_);
    wait();
    upload(tables);
    const InPlaceWalk& walk = at_.walk;
    if (timed_) begin_timing(tables);
    const std::uint64_t at_once = walk.in_flight < walk.num_pieces() ? walk.in_flight + 1 : walk.num_pieces();
    for (std::uint64_t first = 0; first < walk.num_pieces();) {
      const std::uint64_t end = std::min(first + at_once, walk.num_pieces());
      launch(tables, first, end);
      first = end;
    }
    if (timed_) device_.stream.record(timed_steps_.back().end);
    at_front_ = !at_front_;
  }

  void begin_timing(const StepTables& tables) {
    const FrontierGpuStep& step = tables.step;
    timed_steps_.push_back({{step.high_width + step.target_low, step.num_choices, !tables.gather.empty(),
                             at_.old_states + at_.new_states > device_.span, static_cast<double>(at_.new_states),
                             transitions_of(*at_.step, indices_), 0},
                            DeviceEvent(device_.context),
                            DeviceEvent(device_.context)});
    device_.stream.record(timed_steps_.back().begin);
  }

  void upload(const StepTables& tables) {
    slot_ ^= 1;
    const auto send = [&](std::optional<DeviceBuffer>& buffer, std::span<const std::byte> bytes) {
      if (!buffer || buffer->size_bytes() < bytes.size()) buffer.emplace(device_.context, 2 * bytes.size());
      buffer->upload(bytes);
    };
    send(device_.tables[slot_], std::as_bytes(std::span(tables.words)));
    if (!tables.gather.empty()) send(device_.gathers[slot_], std::as_bytes(std::span(tables.gather)));
  }

  // Pieces [first, end).
  void launch(const StepTables& tables, std::uint64_t first, std::uint64_t end) {
    const InPlaceWalk& walk = at_.walk;
    const std::uint32_t rest = tables.step.high_width - walk.num_bits;
    const Word least = std::min(walk.top_of(first), walk.top_of(end - 1));
    const Word most = std::max(walk.top_of(first), walk.top_of(end - 1));
    FrontierGpuStep step = tables.step;
    step.first_high = tables.highs_below(least << rest);
    step.end_high = tables.highs_below((most + 1) << rest);
    if (step.first_high == step.end_high) return;
    const std::size_t from = begin_of(at_.old_states);
    step.tables = device_.tables[slot_]->address();
    step.gather = tables.gather.empty() ? 0 : device_.gathers[slot_]->address();
    step.from = device_.array.address() + sizeof(Slot) * from;
    step.to = static_cast<unsigned long long>(static_cast<std::int64_t>(step.from) +
                                              static_cast<std::int64_t>(sizeof(Slot)) * walk.shift);
    step.stride = device_.span;
    const std::uint64_t highs = step.end_high - step.first_high;
    const auto wanted = blocks_wanted * static_cast<std::uint64_t>(device_.context.device().multiprocessors);
    step.highs = static_cast<unsigned>(std::clamp<std::uint64_t>(highs / wanted, least_highs, frontier_highs));
    const std::uint64_t groups = (highs + step.highs - 1) / step.highs;
    step.splits = static_cast<unsigned>(std::clamp<std::uint64_t>(wanted / groups, 1, step.planes));
    const std::uint64_t blocks = groups * step.splits;
    if (blocks > std::numeric_limits<std::int32_t>::max()) throw Unable("a layer of more high masks than a GPU takes");
    device_.module.launch(tables.kernel(),
                          {static_cast<unsigned>(blocks), frontier_threads, tables.shared_bytes(step.highs)},
                          device_.stream, {argument(step)});
  }

  // Until the device has done all that it was given.
  void wait() {
    for (int poll = 0; !device_.stream.finished(); ++poll) {
      run_.check();
      if (poll < polls_before_sleep) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(poll_interval);
      }
    }
  }

  std::vector<std::span<const Slot>> states(std::ptrdiff_t first, std::ptrdiff_t end) override {
    // What was launched is done, even where the run is over.
    device_.stream.synchronize();
    const auto count = static_cast<std::size_t>(end - first);
    const auto begin = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_of(layer_.count)) + first);
    check_memory(static_cast<double>(count * sizeof(Slot)) * layer_.planes);
    downloaded_.resize(count * static_cast<std::size_t>(layer_.planes));
    std::vector<std::span<const Slot>> result;
    for (int k = 0; k < layer_.planes; ++k) {
      const std::span<Slot> plane(downloaded_.data() + static_cast<std::size_t>(k) * count, count);
      device_.array.download(std::as_writable_bytes(plane), first_byte(k, begin));
      result.push_back(plane);
    }
    return result;
  }
  // Places stand in the array as in the file, the first at its front.
  void restore(ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) override {
    const auto span = static_cast<std::size_t>(end - first);
    check_room(span);
    if (first != 0 || span != layer_.count) {
      throw Unable("the checkpoint has a step half done by a CPU, which has to go on with it (--device cpu)");
    }
    at_front_ = true;
    std::vector<Slot> states(span);
    for (int k = 0; k < layer_.planes; ++k) {
      in.get_raw(std::as_writable_bytes(std::span(states)));
      device_.array.upload(std::as_bytes(std::span(states)), first_byte(k, 0));
    }
  }

  struct Timed {
    StepTime time;
    DeviceEvent begin, end;
  };

  FrontierDevice::State& device_;
  bool timed_;
  std::vector<Timed> timed_steps_;
  bool at_front_ = true;  // of the array: the layer held
  unsigned slot_ = 0;     // of the tables that are in use
  std::vector<Slot> downloaded_;
};

}  // namespace

std::size_t side_by_side_states(const FrontierSteps& steps) {
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  std::size_t most = 1, before = 1;
  for (const FrontierStep& step : steps.steps) {
    const std::size_t states = indices.count(step.width, step.ones);
    most = std::max(most, before + states);
    before = states;
  }
  return most;
}

std::size_t in_place_states(const FrontierSteps& steps) {
  return in_place_needs(steps, 1, max_forecast_bits, threads_of_walk).span;
}

std::vector<std::uint32_t> run_on_gpu(const FrontierSteps& steps, ResidueArithmetic& arithmetic, FrontierDevice& device,
                                      const RunContext& run, std::string name, std::string description,
                                      ShareOfRuns share, std::vector<StepTime>* times) {
  if (arithmetic.source_planes() > device.state().planes) throw Error("more primes than a device has planes for");
  LeanGpuRun pass(steps, arithmetic, device.state(), run, std::move(name), std::move(description), share,
                  times != nullptr);
  std::vector<std::uint32_t> residues = pass.run();
  if (times) std::ranges::copy(pass.times(), std::back_inserter(*times));
  return residues;
}

}  // namespace matchcount::gpu
