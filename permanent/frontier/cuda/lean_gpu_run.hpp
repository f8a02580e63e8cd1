#pragma once
// Runs the frontier method on a GPU: a layer and the next at the two ends of one array, or in place (lean_gpu.cpp).
// Only for those sources that have a number type to run it with.

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"

namespace matchcount::gpu {

struct FrontierDevice::State {
  // One of the devices.
  struct Member {
    explicit Member(const DeviceContext& given)
        : context(given), module(context, frontier_image().code()), done(context), stream(context) {}

    DeviceContext context;
    DeviceModule module;
    std::optional<DeviceBuffer> tables[2], gathers[2];  // of this step and the one before
    DeviceEvent done;                                   // its part of the last launch
    DeviceStream stream;  // the last, so that it has ended its work before anything else goes
  };

  State(const std::vector<DeviceContext>& contexts, int num_planes, std::size_t num_states, std::size_t bytes_of_slot)
      : planes(num_planes),
        span(num_states),
        array(contexts, static_cast<std::size_t>(num_planes) * num_states * bytes_of_slot),
        largest(contexts.front(), sizeof(std::uint64_t)),
        members(contexts.begin(), contexts.end()) {}
  Member& first() { return members.front(); }
  std::string name() const {
    const std::string one = members.front().context.device().name;
    return members.size() == 1 ? one : std::to_string(members.size()) + " x " + one;
  }

  int planes;
  std::size_t span;  // states of each plane
  DeviceBuffer array;
  DeviceBuffer largest;  // on the first
  std::vector<Member> members;
};

// Prepares step t from a layer with this layout, within `span` states, the old one standing at the front of them or at
// their end. Nothing where it takes more.
std::optional<InPlaceStep> fitting_step(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                        std::size_t t, const std::vector<Vertex>& layout, std::size_t span,
                                        bool at_front, std::uint32_t max_bits);
// Pairs of an old state and a new one that is made of it.
double transitions_of(const DenseStep& step, const StateIndices& indices);
// Says how many high masks a block takes, and how many blocks share its numbers, so that all multiprocessors have
// blocks.
struct LaunchShape {
  unsigned highs = 1, splits = 1;
  std::uint64_t blocks = 1;
};
LaunchShape launch_shape(std::uint64_t num_highs, unsigned num_numbers, const DeviceInfo& device);

StepNumbers numbers_of(const Residues& number);
StepNumbers numbers_of(const Floats& number);

template <class Number>
class LeanGpuRun final : public LeanRun<Number> {
  using Base = LeanRun<Number>;
  using typename Base::Slot;

 public:
  LeanGpuRun(const FrontierSteps& steps, Number& number, FrontierDevice::State& device, const RunContext& run,
             std::string name, const std::string& description, ShareOfRuns share, bool timed)
      : Base(steps, number, run, std::move(name), description, share), device_(device), timed_(timed) {}

  // Returns the times of the steps so far, if they were to be timed.
  std::vector<StepTime> times() const {
    for (const auto& member : device_.members) member.stream.synchronize();
    std::vector<StepTime> result;
    for (const Timed& step : timed_steps_) {
      result.push_back(step.time);
      result.back().seconds = step.end.seconds_since(step.begin);
    }
    return result;
  }

 private:
  using Member = FrontierDevice::State::Member;

  static constexpr auto poll_interval = std::chrono::microseconds(50);
  static constexpr int polls_before_sleep = 200;
  // Layers of so many states are dense from the first step on.
  static constexpr double least_worth_sorting = 1 << 18;
  using Base::at_, Base::indices_, Base::layer_, Base::number_, Base::run_, Base::steps_, Base::touches_;
  using Base::check_memory, Base::dense_states;

  bool fills(std::size_t t) const override {
    return dense_states(steps_.steps[t]) <= least_worth_sorting || Base::fills(t);
  }

  void prepare(std::size_t t) override {
    if constexpr (std::is_same_v<Slot, double>) {
      if (layer_.is_dense)
        return number_.prepare_values(
            steps_.steps[t], [&] { return largest(); }, scaler());
    }
    Base::prepare(t);
  }
  // Returns the address at which a plane of the layer begins.
  unsigned long long address_of(int plane) const {
    return device_.array.address() + first_byte(plane, begin_of(layer_.count));
  }
  unsigned blocks_for(std::size_t count) const {
    constexpr std::size_t blocks_wanted = 8;  // for each multiprocessor
    const auto most = blocks_wanted * static_cast<std::size_t>(device_.first().context.device().multiprocessors);
    return static_cast<unsigned>(std::clamp<std::size_t>(count / frontier_threads, 1, most));
  }
  double largest() {
    wait();
    device_.largest.clear();
    for (int k = 0; k < layer_.planes; ++k) {
      device_.first().module.launch(
          "frontier_largest", {blocks_for(layer_.count), frontier_threads, 0}, device_.first().stream,
          {argument(address_of(k)), argument(std::uint64_t{layer_.count}), argument(device_.largest)});
    }
    wait();
    std::uint64_t bits = 0;
    device_.largest.download(std::as_writable_bytes(std::span(&bits, 1)));
    return std::bit_cast<double>(bits);
  }
  auto scaler() {
    return [this](double a, double b) {
      for (int k = 0; k < layer_.planes; ++k) {
        device_.first().module.launch(
            "frontier_scale", {blocks_for(layer_.count), frontier_threads, 0}, device_.first().stream,
            {argument(address_of(k)), argument(std::uint64_t{layer_.count}), argument(a), argument(b)});
      }
    };
  }

  std::size_t first_byte(int plane, std::size_t word) const {
    return (static_cast<std::size_t>(plane) * device_.span + word) * sizeof(Slot);
  }
  void check_room(std::size_t count) const {
    if (count <= device_.span) return;
    throw Unable("a layer of " + memory_amount(static_cast<double>(count * sizeof(Slot))) + " is more than " +
                 device_.name() + " has room for");
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

  // Returns the first place, in the array, of a layer of so many states.
  std::size_t begin_of(std::size_t count) const { return at_front_ ? 0 : device_.span - count; }

  void step_in_array(std::size_t t) override {
    if (!at_.step) {
      auto step = fitting_step(steps_, touches_, indices_, t, layer_.layout, device_.span, at_front_, max_piece_bits);
      if (!step) {
        throw Unable("a step of the frontier does not fit into " +
                     memory_amount(static_cast<double>(device_.span * sizeof(Slot))) + " of " + device_.name());
      }
      at_ = std::move(*step);
    }
    const StepTables tables = step_tables(*at_.step, steps_.by_parity, numbers_of(number_));
    wait();
    slot_ ^= 1;
    for (Member& member : device_.members) upload(tables, member);
    const InPlaceWalk& walk = at_.walk;
    if (timed_) begin_timing(tables);
    const std::uint64_t at_once = walk.in_flight < walk.num_pieces() ? walk.in_flight + 1 : walk.num_pieces();
    for (std::uint64_t first = 0; first < walk.num_pieces();) {
      const std::uint64_t end = std::min(first + at_once, walk.num_pieces());
      launch(tables, first, end);
      first = end;
    }
    if (timed_) {
      wait_for_all(device_.first());
      device_.first().stream.record(timed_steps_.back().end);
    }
    at_front_ = !at_front_;
  }

  void begin_timing(const StepTables& tables) {
    const FrontierGpuStep& step = tables.step;
    timed_steps_.push_back({{step.high_width + step.target_low, step.num_choices, !tables.gather.empty(),
                             at_.old_states + at_.new_states > device_.span, static_cast<double>(at_.new_states),
                             transitions_of(*at_.step, indices_), 0},
                            DeviceEvent(device_.first().context),
                            DeviceEvent(device_.first().context)});
    device_.first().stream.record(timed_steps_.back().begin);
  }

  void upload(const StepTables& tables, Member& member) const {
    const auto send = [&](std::optional<DeviceBuffer>& buffer, std::span<const std::byte> bytes) {
      if (!buffer || buffer->size_bytes() < bytes.size()) buffer.emplace(member.context, 2 * bytes.size());
      buffer->upload(bytes);
    };
    send(member.tables[slot_], std::as_bytes(std::span(tables.words)));
    if (!tables.gather.empty()) send(member.gathers[slot_], std::as_bytes(std::span(tables.gather)));
  }
  // Lets this device's next work wait for all that the others were given before.
  void wait_for_all(Member& member) const {
    for (const Member& other : device_.members) {
      if (&other != &member) member.stream.wait(other.done);
    }
  }

  // Pieces [first, end).
  void launch(const StepTables& tables, std::uint64_t first, std::uint64_t end) {
    const InPlaceWalk& walk = at_.walk;
    const std::uint32_t rest = tables.step.high_width - walk.num_bits;
    const Word least = std::min(walk.top_of(first), walk.top_of(end - 1));
    const Word most = std::max(walk.top_of(first), walk.top_of(end - 1));
    const std::uint64_t begin = tables.highs_below(least << rest);
    const std::uint64_t count = tables.highs_below((most + 1) << rest) - begin;
    for (Member& member : device_.members) wait_for_all(member);
    const std::uint64_t sharers = device_.members.size();
    for (std::uint64_t i = 0; i < sharers; ++i) {
      launch_highs(tables, begin + count * i / sharers, begin + count * (i + 1) / sharers, device_.members[i]);
    }
    for (Member& member : device_.members) member.stream.record(member.done);
  }
  // Launches the kernel for high masks [first, end) on one device.
  void launch_highs(const StepTables& tables, std::uint64_t first, std::uint64_t end, Member& member) {
    if (first == end) return;
    FrontierGpuStep step = tables.step;
    step.first_high = first;
    step.end_high = end;
    const std::size_t from = begin_of(at_.old_states);
    step.tables = member.tables[slot_]->address();
    step.gather = tables.gather.empty() ? 0 : member.gathers[slot_]->address();
    step.from = device_.array.address() + sizeof(Slot) * from;
    step.to = static_cast<unsigned long long>(static_cast<std::int64_t>(step.from) +
                                              static_cast<std::int64_t>(sizeof(Slot)) * at_.walk.shift);
    step.stride = device_.span;
    const auto [highs, splits, blocks] = launch_shape(end - first, step.num_numbers, member.context.device());
    step.highs = highs;
    step.splits = splits;
    if (blocks > std::numeric_limits<std::int32_t>::max()) throw Unable("a layer of more high masks than a GPU takes");
    member.module.launch(tables.kernel,
                         {static_cast<unsigned>(blocks), frontier_threads, tables.shared_bytes(step.highs)},
                         member.stream, {argument(step)});
  }

  // Waits until the devices have done all that they were given.
  void wait() {
    const auto finished = [&] {
      return std::ranges::all_of(device_.members, [](const Member& member) { return member.stream.finished(); });
    };
    for (int poll = 0; !finished(); ++poll) {
      run_.check();
      if (poll < polls_before_sleep) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(poll_interval);
      }
    }
  }

  std::vector<std::span<const Slot>> held(std::ptrdiff_t first, std::ptrdiff_t end) override {
    // Work that was launched is finished even if the run is over.
    for (const Member& member : device_.members) member.stream.synchronize();
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

}  // namespace matchcount::gpu
