#pragma once
// Runs the frontier method on GPUs: a layer and the next at the two ends of one array, or in place (lean_gpu.cpp). Only
// for those sources that have a number type to run it with.

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
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/placement.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"

namespace matchcount::gpu {

// Exchanges go by pieces of so many bytes, two of which are on their way to a device at a time.
constexpr std::size_t bytes_on_the_way = 1 << 25;

struct FrontierDevice::State {
  // A device, and its part of the layers.
  struct Member {
    Member(const DeviceContext& given, std::size_t bytes, bool exchanges)
        : context(given),
          module(context, frontier_image().code()),
          array(context, bytes),
          arriving(context, exchanges ? 4 * bytes_on_the_way : 0),
          largest(context, sizeof(std::uint64_t)),
          done(context),
          sent{DeviceEvent(context), DeviceEvent(context)},
          placed{DeviceEvent(context), DeviceEvent(context)},
          sending(context),
          stream(context) {}

    DeviceContext context;
    DeviceModule module;
    DeviceBuffer array, arriving, largest;
    std::optional<DeviceBuffer> tables[2], gathers[2];  // of this step and the one before
    DeviceEvent done;                                   // what it was given so far
    DeviceEvent sent[2], placed[2];                     // the pieces on the way
    DeviceStream sending;
    DeviceStream stream;  // the last, so that it has ended its work before anything else goes
  };

  State(const std::vector<DeviceContext>& contexts, int num_planes, std::size_t num_states, std::size_t bytes_of_slot)
      : planes(num_planes), span(num_states) {
    if (contexts.size() > 1) connect(contexts);
    members.reserve(contexts.size());
    for (const DeviceContext& context : contexts)
      members.emplace_back(context, static_cast<std::size_t>(num_planes) * num_states * bytes_of_slot,
                           contexts.size() > 1);
  }
  Member& first() { return members.front(); }
  std::string name() const {
    const std::string one = members.front().context.device().name;
    return members.size() == 1 ? one : std::to_string(members.size()) + " x " + one;
  }

  int planes;
  std::size_t span;  // states of each plane, of a member
  std::vector<Member> members;
};

// Prepares step t from a layer with this layout, within `span` states of each member, the old one standing at the front
// of them or at their end. Nothing where it takes more.
std::optional<InPlaceStep> fitting_step(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                        std::size_t t, const std::vector<Vertex>& layout, std::size_t span,
                                        bool at_front, std::uint32_t max_bits, const TeamLayer& team = {});
// Places what members hold of layers of which so many states stand side by side on each, at the most.
Placement placement_on_gpus(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                            std::size_t members, std::size_t span);
// Says how many high masks a block takes, and how many blocks share its numbers, so that all multiprocessors have
// blocks.
struct LaunchShape {
  unsigned highs = 1, splits = 1;
  std::uint64_t blocks = 1;
};
LaunchShape launch_shape(std::uint64_t num_highs, unsigned num_numbers, const DeviceInfo& device);

template <class Slot>
StepNumbers numbers_of(const ResiduesOf<Slot>& number);
StepNumbers numbers_of(const Floats& number);

template <class Number>
class LeanGpuRun final : public ArrayRun<Number> {
  using Base = ArrayRun<Number>;
  using typename Base::Slot;

 public:
  LeanGpuRun(const FrontierSteps& steps, Number& number, FrontierDevice::State& device, const RunContext& run,
             std::string name, const std::string& description, ShareOfRuns share, bool timed)
      : Base(steps, number, run, std::move(name), description, share),
        device_(device),
        placement_(placement_on_gpus(steps, touches_, indices_, device.members.size(), device.span)),
        timed_(timed) {}

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
  unsigned blocks_for(std::size_t count) const {
    constexpr std::size_t blocks_wanted = 8;  // for each multiprocessor
    const auto most = blocks_wanted * static_cast<std::size_t>(device_.first().context.device().multiprocessors);
    return static_cast<unsigned>(std::clamp<std::size_t>(count / frontier_threads, 1, most));
  }
  // Launches a kernel on every plane of what each member has.
  template <class... Arguments>
  void launch_on_layer(const char* kernel, const Arguments&... arguments) {
    for (std::size_t i = 0; i < device_.members.size(); ++i) {
      Member& member = device_.members[i];
      const std::size_t count = parts_[i].count();
      for (int k = 0; count > 0 && k < layer_.planes; ++k) {
        const unsigned long long address = member.array.address() + first_byte(k, begin_of(count));
        member.module.launch(kernel, {blocks_for(count), frontier_threads, 0}, member.stream,
                             {argument(address), argument(std::uint64_t{count}), arguments(member)...});
      }
    }
  }
  double largest() {
    wait();
    for (Member& member : device_.members) member.largest.clear();
    launch_on_layer("frontier_largest", [](const Member& member) { return argument(member.largest); });
    wait();
    std::uint64_t most = 0;
    for (const Member& member : device_.members) {
      std::uint64_t bits = 0;
      member.largest.download(std::as_writable_bytes(std::span(&bits, 1)));
      most = std::max(most, bits);
    }
    return std::bit_cast<double>(most);
  }
  auto scaler() {
    return [this](double a, double b) {
      launch_on_layer(
          "frontier_scale", [&](const Member&) { return argument(a); }, [&](const Member&) { return argument(b); });
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

  std::vector<Vertex> first_layout(std::size_t t) const override {
    return placement_.arranged(Base::first_layout(t), t);
  }
  // Sets what members have of the layer held, which has so many ones.
  void set_parts(const LeadingBits& leading, std::uint32_t ones) {
    leading_ = leading;
    parts_ = parts_of(leading, ones);
    for (const LayerPart& part : parts_) check_room(part.count());
  }
  std::vector<LayerPart> parts_of(const LeadingBits& leading, std::uint32_t ones) const {
    std::vector<LayerPart> parts;
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    for (int i = 0; i < static_cast<int>(device_.members.size()); ++i)
      parts.push_back(placement_.part(i, leading, width, ones));
    return parts;
  }
  // Sends each member its states of a plane, which stands at the front.
  void upload_plane(int k, std::span<const Slot> states) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      device_.members[i].array.upload(std::as_bytes(states.subspan(parts_[i].states.first, parts_[i].count())),
                                      first_byte(k, 0));
    }
  }

  void put_states(std::size_t t, std::size_t count) override {
    at_front_ = true;
    set_parts(placement_.at(t), steps_.steps[t].ones);
    const auto planes = static_cast<std::size_t>(layer_.planes);
    std::vector<Word> places(layer_.count);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = this->place_of(i);
    std::vector<Slot> states(count);
    for (std::size_t k = 0; k < planes; ++k) {
      std::ranges::fill(states, Slot{0});
      for (std::size_t i = 0; i < places.size(); ++i) states[places[i]] = layer_.sparse[i * planes + k];
      upload_plane(static_cast<int>(k), states);
    }
  }

  // Returns the first place, in a member's array, of so many states of the layer held.
  std::size_t begin_of(std::size_t count) const { return at_front_ ? 0 : device_.span - count; }

  // -- Exchanges between members (placement.hpp).

  void arrange(std::size_t t, bool /*prepared*/) override {
    const LeadingBits& wanted = placement_.at(t);
    if (!layer_.is_dense || wanted == leading_) return;
    if (timed_) {
      wait();
      timed_steps_.push_back({{}, DeviceEvent(device_.first().context), DeviceEvent(device_.first().context)});
      device_.first().stream.record(timed_steps_.back().begin);
    }
    const std::uint32_t ones = this->ones_before(t);
    for (const Placement::Swap& swap : Placement::swaps(leading_, wanted)) exchange(swap, ones);
    Placement::swap(leading_, wanted, layer_.layout);
    if (wanted.first != leading_.first) share(parts_of(wanted, ones));
    set_parts(wanted, ones);
    if (timed_) end_timing();
  }

  // Exchanges the states in which a leading bit and that of another vertex differ, each in its place.
  void exchange(const Placement::Swap& swap, std::uint32_t ones) {
    for (Member& member : device_.members) {
      member.stream.record(member.done);
      member.sending.wait(member.done);
    }
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    const auto position =
        static_cast<std::uint32_t>(std::ranges::find(layer_.layout, swap.entering) - layer_.layout.begin());
    placement_.for_each_run(leading_, swap.slot, position, width, ones, [&](const Placement::Runs& runs) {
      for (int k = 0; k < layer_.planes; ++k) exchange(runs, k);
    });
  }
  void exchange(const Placement::Runs& runs, int plane) {
    Member* ends[2];
    std::size_t places[2];
    for (const std::size_t e : {0, 1}) {
      const auto member = static_cast<std::size_t>(runs.members[e]);
      ends[e] = &device_.members[member];
      const LayerPart& part = parts_[member];
      places[e] = first_byte(plane, begin_of(part.count()) + (runs.first[e] - part.states.first));
    }
    const std::size_t bytes = runs.count * sizeof(Slot);
    for (std::size_t at = 0, count = 0; at < bytes; at += count) {
      count = std::min(bytes_on_the_way, bytes - at);
      const std::size_t turn = turn_++ % 2;
      const auto arriving_from = [&](std::size_t e) { return (2 * turn + e) * bytes_on_the_way; };
      for (const std::size_t e : {0, 1}) {
        Member &from = *ends[e], &to = *ends[1 - e];
        from.sending.wait(to.placed[turn]);
        from.sending.copy(to.arriving, arriving_from(e), from.array, places[e] + at, count);
        from.sending.record(from.sent[turn]);
      }
      for (const std::size_t e : {0, 1}) {
        Member &to = *ends[e], &from = *ends[1 - e];
        to.stream.wait(from.sent[turn]);
        to.stream.wait(to.sent[turn]);
        to.stream.copy(to.array, places[e] + at, to.arriving, arriving_from(1 - e), count);
        to.stream.record(to.placed[turn]);
      }
      if (timed_) timed_steps_.back().time.exchanged_bytes += static_cast<double>(count);
    }
  }

  // Gives members other parts, at the other ends of their arrays.
  void share(const std::vector<LayerPart>& wanted) {
    for (Member& member : device_.members) member.stream.record(member.done);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      Member& to = device_.members[i];
      wait_for_all(to);
      check_room(parts_[i].count() + wanted[i].count());
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        const Word first = std::max(wanted[i].states.first, parts_[j].states.first);
        const Word end = std::min(wanted[i].states.end, parts_[j].states.end);
        if (first >= end) continue;
        const std::size_t old_begin = begin_of(parts_[j].count());
        const std::size_t new_begin = at_front_ ? device_.span - wanted[i].count() : 0;
        for (int k = 0; k < layer_.planes; ++k) {
          to.stream.copy(to.array, first_byte(k, new_begin + (first - wanted[i].states.first)),
                         device_.members[j].array, first_byte(k, old_begin + (first - parts_[j].states.first)),
                         (end - first) * sizeof(Slot));
        }
        if (timed_ && i != j)
          timed_steps_.back().time.exchanged_bytes += static_cast<double>((end - first) * sizeof(Slot));
      }
    }
    // Nobody writes over what another reads.
    for (Member& member : device_.members) member.stream.record(member.done);
    for (Member& member : device_.members) wait_for_all(member);
    at_front_ = !at_front_;
  }

  // -- Steps.

  void step_in_array(std::size_t t) override {
    if (!at_.step) {
      auto step = fitting_step(steps_, touches_, indices_, t, layer_.layout, device_.span, at_front_, max_piece_bits,
                               {parts_, placement_.top(t)});
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
    if (timed_) begin_timing(t, tables);
    std::vector<LayerPart> made;
    for (std::size_t i = 0; i < device_.members.size(); ++i) {
      made.push_back(at_.step->target_of(parts_[i]));
      const InPlaceWalk& walk = at_.walks[i];
      const std::uint64_t at_once = walk.in_flight < walk.num_pieces() ? walk.in_flight + 1 : walk.num_pieces();
      for (std::uint64_t first = 0; first < walk.num_pieces();) {
        const std::uint64_t end = std::min(first + at_once, walk.num_pieces());
        launch(tables, walk, first, end, i, made.back());
        first = end;
      }
      device_.members[i].stream.record(device_.members[i].done);
    }
    if (timed_) end_timing();
    parts_ = std::move(made);
    at_front_ = !at_front_;
  }

  void begin_timing(std::size_t t, const StepTables& tables) {
    const FrontierGpuStep& step = tables.step;
    double transitions = 0;
    for (const FrontierStep& single : steps_.steps[t].singles())
      transitions += transitions_of(steps_, single, indices_);
    timed_steps_.push_back(
        {{step.high_width + step.target_low, step.num_choices, !tables.gather.empty(),
          std::ranges::any_of(at_.walks, [](const auto& walk) { return walk.in_flight < walk.num_pieces(); }),
          static_cast<double>(at_.new_states), transitions},
         DeviceEvent(device_.first().context),
         DeviceEvent(device_.first().context)});
    device_.first().stream.record(timed_steps_.back().begin);
  }

  // Records when all have done what they were given.
  void end_timing() {
    for (Member& member : device_.members) member.stream.record(member.done);
    wait_for_all(device_.first());
    device_.first().stream.record(timed_steps_.back().end);
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

  // Launches the kernel for pieces [first, end) on the i-th member.
  void launch(const StepTables& tables, const InPlaceWalk& walk, std::uint64_t first, std::uint64_t end, std::size_t i,
              const LayerPart& made) {
    const std::uint32_t rest = tables.step.high_width - walk.num_bits;
    const Word least = std::min(walk.top_of(first), walk.top_of(end - 1));
    const Word most = std::max(walk.top_of(first), walk.top_of(end - 1));
    FrontierGpuStep step = tables.step;
    step.first_high = tables.highs_below(least << rest);
    step.end_high = tables.highs_below((most + 1) << rest);
    if (step.first_high == step.end_high) return;
    Member& member = device_.members[i];
    step.tables = member.tables[slot_]->address();
    step.gather = tables.gather.empty() ? 0 : member.gathers[slot_]->address();
    // Kernels count states in the whole layer; addresses wrap around.
    const std::size_t from = begin_of(parts_[i].count());
    step.from = member.array.address() + sizeof(Slot) * (from - parts_[i].states.first);
    step.to = member.array.address() + sizeof(Slot) * (from + static_cast<std::size_t>(walk.shift) - made.states.first);
    step.stride = device_.span;
    const auto [highs, splits, blocks] =
        launch_shape(step.end_high - step.first_high, step.num_numbers, member.context.device());
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
    const IndexRange range{static_cast<Word>(first), static_cast<Word>(end)};
    const std::size_t count = range.end - range.first;
    check_memory(static_cast<double>(count * sizeof(Slot)) * layer_.planes);
    downloaded_.resize(count * static_cast<std::size_t>(layer_.planes));
    std::vector<std::span<const Slot>> result;
    for (int k = 0; k < layer_.planes; ++k) {
      const std::span<Slot> plane(downloaded_.data() + static_cast<std::size_t>(k) * count, count);
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        const IndexRange& own = parts_[i].states;
        const Word begin = std::max(range.first, own.first), over = std::min(range.end, own.end);
        if (begin >= over) continue;
        device_.members[i].array.download(std::as_writable_bytes(plane.subspan(begin - range.first, over - begin)),
                                          first_byte(k, begin_of(parts_[i].count()) + (begin - own.first)));
      }
      result.push_back(plane);
    }
    return result;
  }
  // Bits may stand in another order in the file.
  void restore(std::size_t t, ByteReader& in, std::ptrdiff_t first, std::ptrdiff_t end) override {
    const auto count = static_cast<std::size_t>(end - first);
    if (first != 0 || count != layer_.count) {
      throw Unable("the checkpoint has a step half done by a CPU, which has to go on with it (--device cpu)");
    }
    at_front_ = true;
    const std::uint32_t ones = this->ones_before(t);
    const std::vector<Vertex> in_file = std::exchange(layer_.layout, placement_.arranged(layer_.layout, t));
    set_parts(placement_.at(t), ones);
    std::vector<Slot> states(count), arranged;
    for (int k = 0; k < layer_.planes; ++k) {
      in.get_raw(std::as_writable_bytes(std::span(states)));
      if (in_file != layer_.layout) {
        arranged.clear();
        for_each_place(in_file, layer_.layout, indices_, ones, [&](Word place) { arranged.push_back(states[place]); });
      }
      upload_plane(k, in_file == layer_.layout ? states : arranged);
    }
  }

  struct Timed {
    StepTime time;
    DeviceEvent begin, end;
  };

  FrontierDevice::State& device_;
  Placement placement_;
  LeadingBits leading_;           // of the layer held
  std::vector<LayerPart> parts_;  // its, of each member
  std::size_t turn_ = 0;          // of pieces on the way
  bool timed_;
  std::vector<Timed> timed_steps_;
  bool at_front_ = true;  // of the array: the layer held
  unsigned slot_ = 0;     // of the tables that are in use
  std::vector<Slot> downloaded_;
};

}  // namespace matchcount::gpu
