#include "permanent/frontier/cuda/cube_gpu.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "core/contexts.hpp"
#include "permanent/frontier/costs.hpp"
#include "permanent/frontier/cuda/cube_frame.hpp"

namespace matchcount::gpu {
namespace {

constexpr double share_of_memory = 0.96;
constexpr unsigned blocks_of_multiprocessor = 32;
constexpr std::size_t exchanged_word = 16;  // bytes
constexpr auto poll_interval = std::chrono::microseconds(100);

template <class T>
DeviceBuffer uploaded(const DeviceContext& context, const std::vector<T>& values) {
  DeviceBuffer buffer(context, values.size() * sizeof(T));
  buffer.upload(std::as_bytes(std::span(values)));
  return buffer;
}

class OnGpus final : public CubeMachine {
  // A device, and the array of its places.
  struct Member {
    Member(const DeviceContext& given, std::size_t bytes, const std::vector<TileOperation>& all,
           const std::vector<std::uint64_t>& mirrored)
        : context(given),
          module(context, cube_image().code()),
          array(context, bytes),
          sum(context, sizeof(std::uint64_t)),
          operations(uploaded(context, all)),
          mirror(uploaded(context, mirrored)) {}

    DeviceContext context;
    DeviceModule module;
    DeviceBuffer array, sum, operations, mirror;
    std::optional<DeviceBuffer> weights, arrays;
  };

 public:
  OnGpus(const CubeProgram& program, int bytes_of_slot, const std::vector<DeviceContext>& contexts)
      : program_(program),
        bytes_(static_cast<std::size_t>(bytes_of_slot)),
        suffix_("_" + std::to_string(bytes_of_slot)),
        own_slots_(program.slots - program.leading_bits) {
    std::vector<TileOperation> all;
    for (const CubeProgram::Group& group : program.groups) {
      const auto operations = tile_operations(program, group);
      all.insert(all.end(), operations.begin(), operations.end());
    }
    std::vector<std::uint64_t> mirror = program.mirror;
    mirror.resize(64, 0);
    if (contexts.size() > 1) connect(contexts);
    for (const DeviceContext& context : contexts) {
      members_.emplace_back(context, bytes_ << own_slots_, all, mirror);
      streams_.emplace_back(context);
    }
    std::vector<std::uint64_t> arrays;
    for (std::size_t m = 0; m < members_.size(); ++m) arrays.push_back(array_of(m));
    for (Member& member : members_) member.arrays.emplace(uploaded(member.context, arrays));
  }

  std::uint32_t run(const CubeStart& start, const std::vector<std::uint32_t>& weights, std::uint32_t prime,
                    const std::function<void(double)>& done) override {
    std::vector<std::byte> first(bytes_ << program_.frontier.size());
    for (const auto& [place, value] : start)
      for (std::size_t i = 0; i < bytes_; ++i) first[place * bytes_ + i] = static_cast<std::byte>(value >> (8 * i));
    const std::size_t own = bytes_ << own_slots_;
    for (std::size_t m = 0; m * own < first.size(); ++m)
      members_[m].array.upload(std::span(first).subspan(m * own, std::min(own, first.size() - m * own)));
    const std::vector<ResidueWeight> factors = residue_weights(weights, prime, 8 * static_cast<int>(bytes_));
    for (Member& member : members_) member.weights.emplace(uploaded(member.context, factors));
    double moved = 0;
    for (const CubeProgram::Group& group : program_.groups) {
      const bool is_exchange = (group.local & program_.leading()) != 0;
      for (std::size_t m = 0; m < members_.size(); ++m) is_exchange ? exchange(group, m) : make(group, prime, m);
      wait(moved, done);
      moved += static_cast<double>(group.num_tiles()) * std::exp2(group.tile_bits()) / program_.places_moved;
    }
    return program_.is_mirrored ? product(prime, done) : value_at(program_.last);
  }

 private:
  // Returns where a member's array would have place 0.
  std::uint64_t array_of(std::size_t m) const {
    return members_[m].array.address() - ((static_cast<std::uint64_t>(m) << own_slots_) * bytes_);
  }
  unsigned blocks_for(const Member& member, std::uint64_t blocks) const {
    const auto most = blocks_of_multiprocessor * static_cast<std::uint64_t>(member.context.device().multiprocessors);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, most));
  }

  // Makes a group's operations in the tiles of a member.
  void make(const CubeProgram::Group& group, std::uint32_t prime, std::size_t m) {
    const std::uint64_t leading = program_.leading(), own = static_cast<std::uint64_t>(m) << own_slots_;
    if ((own & ~group.outer) != (group.fixed & leading)) return;
    Member& member = members_[m];
    const std::uint64_t outer = group.outer & ~leading;
    const CubeLaunch launch{array_of(m),
                            member.operations.address() + group.first * sizeof(TileOperation),
                            member.weights->address(),
                            group.local,
                            outer,
                            group.fixed | own,
                            std::uint64_t{1} << std::popcount(outer),
                            static_cast<std::uint32_t>(group.end - group.first),
                            prime,
                            group.tile_bits(),
                            static_cast<std::uint32_t>(std::countr_one(group.local))};
    const std::size_t shared =
        (bytes_ << launch.tile_bits) + (sizeof(std::uint64_t) << (launch.tile_bits - launch.run_bits));
    member.module.launch("cube_tiles" + suffix_,
                         {blocks_for(member, launch.num_tiles), cube_threads,
                          static_cast<unsigned>(std::max(shared, sizeof(std::uint64_t)))},
                         streams_[m], {argument(launch)});
  }

  // Exchanges a member's half of what it and the one that differs from it in the slot that leads exchange.
  void exchange(const CubeProgram::Group& group, std::size_t m) {
    const std::uint64_t leading = program_.leading(), own = static_cast<std::uint64_t>(m) << own_slots_;
    const std::uint64_t flip = program_.operations[group.first].flip, slot = flip & leading;
    if ((own & ~(group.outer | slot)) != (group.fixed & leading)) return;
    const std::uint64_t free = (group.outer & ~leading) | (group.local & ~flip);
    const std::uint64_t words = (bytes_ << std::popcount(free)) / exchanged_word, half = words / 2;
    const bool is_second = (own & slot) != 0;
    const CubeExchange work{members_[(own & ~slot) >> own_slots_].array.address(),
                            members_[(own | slot) >> own_slots_].array.address(),
                            flip & ~leading,
                            group.fixed & ~leading,
                            (std::bit_floor(free) * 2 - 1) & ~free,
                            is_second ? half : 0,
                            is_second ? words : half};
    Member& member = members_[m];
    member.module.launch(
        "cube_exchange" + suffix_,
        {blocks_for(member, (work.end - work.first + cube_threads - 1) / cube_threads), cube_threads, 0}, streams_[m],
        {argument(work)});
  }

  void wait(double moved, const std::function<void(double)>& done) const {
    done(moved);
    for (const DeviceStream& stream : streams_) {
      while (!stream.finished()) {
        std::this_thread::sleep_for(poll_interval);
        done(moved);
      }
    }
  }

  std::uint32_t value_at(std::uint64_t place) const {
    std::uint32_t value = 0;
    const std::uint64_t own = place & ~program_.leading();
    members_[place >> own_slots_].array.download(std::as_writable_bytes(std::span(&value, 1)).first(bytes_),
                                                 own * bytes_);
    return value;
  }

  std::uint32_t product(std::uint32_t prime, const std::function<void(double)>& done) {
    std::uint64_t total = 0;
    const std::uint64_t leading = program_.leading(), free = program_.free & ~leading;
    const std::uint64_t below = free == 0 ? 0 : std::bit_floor(free) * 2 - 1;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Member& member = members_[m];
      member.sum.clear();
      const std::uint64_t own = (static_cast<std::uint64_t>(m) << own_slots_) ^ (program_.last & leading);
      if ((own & ~program_.free) != 0) continue;
      const CubeProduct work{member.arrays->address(),
                             member.mirror.address(),
                             member.sum.address(),
                             std::uint64_t{1} << std::popcount(free),
                             below & ~free,
                             own,
                             program_.last,
                             program_.mirrored_last,
                             program_.sign,
                             prime,
                             own_slots_};
      member.module.launch("cube_products" + suffix_,
                           {blocks_for(member, (work.count + cube_threads - 1) / cube_threads), cube_threads, 0},
                           streams_[m], {argument(work)});
    }
    wait(1, done);
    for (Member& member : members_) {
      std::uint64_t sum = 0;
      member.sum.download(std::as_writable_bytes(std::span(&sum, 1)));
      total += sum % prime;
    }
    return static_cast<std::uint32_t>(total % prime);
  }

  const CubeProgram& program_;
  std::size_t bytes_;
  std::string suffix_;
  std::uint32_t own_slots_;
  std::vector<Member> members_;
  std::vector<DeviceStream> streams_;  // the last, so that all have ended their work before anything else goes
};

}  // namespace

CubeShape cube_shape_of_gpu(int bytes_of_slot, std::uint32_t log2_members) {
  return bytes_of_slot == 2 ? CubeShape{14, 6, log2_members} : CubeShape{13, 5, log2_members};
}

double cube_bytes(const DeviceInfo& device) { return share_of_memory * static_cast<double>(device.memory_bytes); }

double cube_seconds(const CubeProgram& program, int bytes_of_slot) {
  namespace costs = frontier_costs::gpu;
  const auto exchanges =
      std::ranges::count_if(program.groups, [&](const auto& group) { return (group.local & program.leading()) != 0; });
  const double own_bytes = bytes_of_slot * std::exp2(program.slots - program.leading_bits);
  return std::exp2(-static_cast<double>(program.leading_bits)) *
             (2 * bytes_of_slot * program.places_moved / costs::program_bytes_per_s +
              program.transitions / costs::program_operations_per_s) +
         static_cast<double>(exchanges) * own_bytes / 2 / costs::link_bytes_per_s +
         costs::launch_s * static_cast<double>(program.groups.size());
}

std::unique_ptr<CubeMachine> cube_on_gpus(const CubeProgram& program, int bytes_of_slot,
                                          std::span<const DeviceInfo> members) {
  std::vector<DeviceContext> contexts;
  for (const DeviceInfo& device : members) contexts.push_back(lasting_context(device));
  return std::make_unique<OnGpus>(program, bytes_of_slot, contexts);
}

}  // namespace matchcount::gpu
