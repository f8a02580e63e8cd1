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
#include "permanent/frontier/cuda/cube_frame.hpp"

namespace matchcount::gpu {
namespace {

constexpr double share_of_memory = 0.96;
constexpr unsigned blocks_of_multiprocessor = 32;
constexpr auto poll_interval = std::chrono::microseconds(100);

template <class T>
DeviceBuffer uploaded(const DeviceContext& context, const std::vector<T>& values) {
  DeviceBuffer buffer(context, values.size() * sizeof(T));
  buffer.upload(std::as_bytes(std::span(values)));
  return buffer;
}

class OnGpu final : public CubeMachine {
 public:
  OnGpu(const CubeProgram& program, int bytes_of_slot, const DeviceContext& context)
      : program_(program),
        bytes_(static_cast<std::size_t>(bytes_of_slot)),
        suffix_("_" + std::to_string(bytes_of_slot)),
        context_(context),
        module_(context, cube_image().code()),
        array_(context, bytes_ << program.slots),
        sum_(context, sizeof(std::uint64_t)),
        stream_(context) {
    std::vector<TileOperation> all;
    for (const CubeProgram::Group& group : program.groups) {
      const auto operations = tile_operations(program, group);
      all.insert(all.end(), operations.begin(), operations.end());
    }
    operations_.emplace(uploaded(context, all));
    std::vector<std::uint64_t> mirror = program.mirror;
    mirror.resize(64, 0);
    mirror_.emplace(uploaded(context, mirror));
  }

  std::uint32_t run(const CubeStart& start, const std::vector<std::uint32_t>& weights, std::uint32_t prime,
                    const std::function<void(double)>& done) override {
    std::vector<std::byte> first(bytes_ << program_.frontier.size());
    for (const auto& [place, value] : start)
      for (std::size_t i = 0; i < bytes_; ++i) first[place * bytes_ + i] = static_cast<std::byte>(value >> (8 * i));
    array_.upload(first);
    const DeviceBuffer factors = uploaded(context_, residue_weights(weights, prime, 8 * static_cast<int>(bytes_)));
    const std::uint64_t most_blocks =
        blocks_of_multiprocessor * static_cast<std::uint64_t>(context_.device().multiprocessors);
    double moved = 0;
    for (const CubeProgram::Group& group : program_.groups) {
      CubeLaunch launch{array_.address(),
                        operations_->address() + group.first * sizeof(TileOperation),
                        factors.address(),
                        group.local,
                        group.outer,
                        group.fixed,
                        group.num_tiles(),
                        static_cast<std::uint32_t>(group.end - group.first),
                        prime,
                        group.tile_bits(),
                        static_cast<std::uint32_t>(std::countr_one(group.local))};
      const std::size_t shared =
          (bytes_ << launch.tile_bits) + (sizeof(std::uint64_t) << (launch.tile_bits - launch.run_bits));
      module_.launch("cube_tiles" + suffix_,
                     {static_cast<unsigned>(std::min(launch.num_tiles, most_blocks)), cube_threads,
                      static_cast<unsigned>(std::max(shared, sizeof(std::uint64_t)))},
                     stream_, {argument(launch)});
      wait(moved, done);
      moved += static_cast<double>(launch.num_tiles) * std::exp2(launch.tile_bits) / program_.places_moved;
    }
    return program_.is_mirrored ? product(prime, done) : value_at(program_.last);
  }

 private:
  void wait(double moved, const std::function<void(double)>& done) const {
    done(moved);
    while (!stream_.finished()) {
      std::this_thread::sleep_for(poll_interval);
      done(moved);
    }
  }

  std::uint32_t value_at(std::uint64_t place) const {
    std::uint32_t value = 0;
    array_.download(std::as_writable_bytes(std::span(&value, 1)).first(bytes_), place * bytes_);
    return value;
  }

  std::uint32_t product(std::uint32_t prime, const std::function<void(double)>& done) {
    sum_.clear();
    const int bits = std::popcount(program_.free);
    const std::uint64_t below = program_.free == 0 ? 0 : std::bit_floor(program_.free) * 2 - 1;
    const CubeProduct work{array_.address(),
                           mirror_->address(),
                           sum_.address(),
                           std::uint64_t{1} << bits,
                           below & ~program_.free,
                           program_.last,
                           program_.mirrored_last,
                           program_.sign,
                           prime,
                           0};
    const std::uint64_t blocks = (work.count + cube_threads - 1) / cube_threads;
    const std::uint64_t most_blocks =
        blocks_of_multiprocessor * static_cast<std::uint64_t>(context_.device().multiprocessors);
    module_.launch("cube_products" + suffix_, {static_cast<unsigned>(std::min(blocks, most_blocks)), cube_threads, 0},
                   stream_, {argument(work)});
    wait(1, done);
    std::uint64_t sum = 0;
    sum_.download(std::as_writable_bytes(std::span(&sum, 1)));
    return static_cast<std::uint32_t>(sum % prime);
  }

  const CubeProgram& program_;
  std::size_t bytes_;
  std::string suffix_;
  DeviceContext context_;
  DeviceModule module_;
  DeviceBuffer array_, sum_;
  std::optional<DeviceBuffer> operations_, mirror_;
  DeviceStream stream_;  // the last, so that it has ended its work before anything else goes
};

}  // namespace

CubeShape cube_shape_of_gpu(int bytes_of_slot) { return bytes_of_slot == 2 ? CubeShape{14, 6} : CubeShape{13, 5}; }

double cube_bytes(const DeviceInfo& device) { return share_of_memory * static_cast<double>(device.memory_bytes); }

double cube_seconds(const CubeProgram& program, int bytes_of_slot) {
  // H200, 6 x 6 x 6.
  constexpr double bytes_per_s = 1.1e12, operations_per_s = 4.5e11, launch_s = 2e-5;
  return 2 * bytes_of_slot * program.places_moved / bytes_per_s + program.transitions / operations_per_s +
         launch_s * static_cast<double>(program.groups.size());
}

std::unique_ptr<CubeMachine> cube_on_gpu(const CubeProgram& program, int bytes_of_slot, const DeviceInfo& device) {
  return std::make_unique<OnGpu>(program, bytes_of_slot, lasting_context(device));
}

}  // namespace matchcount::gpu
