// Tiles are copied, for their runs are powers of two apart, and would fall upon each other in a cache.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"
#include "permanent/frontier/cpu/cube.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t least_tiles_of_chunk = 16, chunks_of_thread = 64;
constexpr std::size_t line_bytes = 64;
// Smaller groups take less than the threads take to meet.
constexpr double least_places_to_share = 1 << 18;

template <class Slot>
class OnCpu final : public CubeMachine {
 public:
  OnCpu(const CubeProgram& program, int threads, const FrontierKernels& kernels)
      : program_(program),
        threads_(startable_threads(threads)),
        kernels_(kernels),
        tiles_(static_cast<std::size_t>(threads_)) {}

  std::uint32_t run(const CubeStart& start, const std::vector<std::uint32_t>& weights, std::uint32_t prime,
                    const std::function<void(double)>& done) override {
    const std::size_t size = std::size_t{1} << program_.slots;
    array_.resize(size, size);
    std::fill_n(array_.data(), std::size_t{1} << program_.frontier.size(), Slot{0});
    for (const auto& [place, value] : start) array_.data()[place] = static_cast<Slot>(value);
    const std::vector<ResidueWeight> factors = residue_weights(weights, prime, 8 * sizeof(Slot));
    double moved = 0;
    for (const CubeProgram::Group& group : program_.groups) {
      const std::vector<TileOperation> operations = tile_operations(program_, group);
      const TileWork<Slot> work{operations.data(), operations.size(), factors.data(), prime, group.tile_bits()};
      const double share = static_cast<double>(group.num_tiles()) * std::exp2(work.bits) / program_.places_moved;
      for_each_chunk(group.outer, std::exp2(work.bits),
                     [&](std::uint64_t first, std::uint64_t count, std::size_t thread) {
                       done(moved);
                       std::vector<Slot>& tile = tiles_[thread];
                       tile.resize(std::size_t{1} << work.bits);
                       std::uint64_t outer = deposit_bits(first, group.outer);
                       for (std::uint64_t i = 0; i < count; ++i, outer = next(outer, group.outer)) {
                         const std::uint64_t place = outer | group.fixed;
                         copy_tile<false>(group.local, place, tile.data());
                         make(work, place, tile.data());
                         copy_tile<true>(group.local, place, tile.data());
                       }
                     });
      moved += share;
    }
    return program_.is_mirrored ? product(prime, done) : array_.data()[program_.last];
  }

 private:
  static std::uint64_t next(std::uint64_t place, std::uint64_t mask) { return ((place | ~mask) + 1) & mask; }

  void make(const TileWork<Slot>& work, std::uint64_t outer, Slot* tile) const {
    if constexpr (sizeof(Slot) == 2) {
      kernels_.tile16(work, outer, tile);
    } else {
      kernels_.tile32(work, outer, tile);
    }
  }

  template <class Body>
  void for_each_chunk(std::uint64_t mask, double tile_places, const Body& body) const {
    const std::uint64_t count = std::uint64_t{1} << count_ones(mask);
    const std::uint64_t of_chunk =
        std::max(least_tiles_of_chunk, count / (chunks_of_thread * static_cast<std::uint64_t>(threads_)));
    const int threads = static_cast<double>(count) * tile_places < least_places_to_share ? 1 : threads_;
    parallel_for_chunks(threads, (count + of_chunk - 1) / of_chunk, [&](std::uint64_t chunk, int thread) {
      const std::uint64_t first = chunk * of_chunk;
      body(first, std::min(of_chunk, count - first), static_cast<std::size_t>(thread));
    });
  }

  // Takes a tile out of the array, or puts it back.
  template <bool back>
  void copy_tile(std::uint64_t local, std::uint64_t outer, Slot* tile) {
    const std::size_t length = std::size_t{1} << std::countr_one(local);
    const std::uint64_t high = local & ~(length - 1);
    std::uint64_t place = 0;
    do {
      Slot* const run = array_.data() + (outer | place);
      std::memcpy(back ? run : tile, back ? tile : run, length * sizeof(Slot));
      tile += length;
      place = next(place, high);
    } while (place != 0);
  }

  // Sums up products with the mirror image. A tile has whole lines of both.
  std::uint32_t product(std::uint32_t prime, const std::function<void(double)>& done) const {
    const std::uint64_t lowest = program_.free & (line_bytes / sizeof(Slot) - 1);
    const auto mirrored = [&](std::uint64_t bits) {
      std::uint64_t result = 0;
      for (; bits != 0; bits &= bits - 1) result |= program_.mirror[static_cast<std::size_t>(std::countr_zero(bits))];
      return result;
    };
    // The mirror is its own inverse, so that what the lowest bits become is what becomes them.
    const std::uint64_t tile = lowest | mirrored(lowest), outer = program_.free & ~tile;
    struct Place {
      std::uint64_t own, image;
    };
    std::vector<Place> places[2];  // those that count negatively stand second
    for (std::uint64_t i = 0; i < std::uint64_t{1} << count_ones(tile); ++i) {
      const std::uint64_t own = deposit_bits(i, tile);
      places[std::popcount(own & program_.sign) % 2].push_back({own, mirrored(own)});
    }
    // Says whether a pair and its mirror image have one product, which is found once then and taken twice.
    const bool is_symmetric = program_.last == program_.mirrored_last;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads_), 0);
    for_each_chunk(outer, static_cast<double>(places[0].size() + places[1].size()),
                   [&](std::uint64_t first, std::uint64_t count, std::size_t thread) {
                     done(1);
                     const Slot* const own = array_.data();
                     std::uint64_t sum = 0, base = deposit_bits(first, outer);
                     for (std::uint64_t i = 0; i < count; ++i, base = next(base, outer)) {
                       const std::uint64_t image = mirrored(base);
                       if (is_symmetric && image < base) continue;
                       const std::uint64_t x = base ^ program_.last, y = image ^ program_.mirrored_last;
                       const auto part = [&](const std::vector<Place>& of) {
                         std::uint64_t low = 0, high = 0;  // halves, so that nothing is divided here
                         for (const Place& place : of) {
                           const std::uint64_t value = std::uint64_t{own[x ^ place.own]} * own[y ^ place.image];
                           low += value & 0xffffffff;
                           high += value >> 32;
                         }
                         return ((high % prime << 32) + low) % prime;
                       };
                       const bool is_negative = std::popcount(base & program_.sign) % 2 == 1;
                       const std::uint64_t more = part(places[is_negative]) + prime - part(places[!is_negative]);
                       sum = (sum + (is_symmetric && image > base ? 2 * more : more)) % prime;
                     }
                     sums[thread] = (sums[thread] + sum) % prime;
                   });
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    return static_cast<std::uint32_t>(total % prime);
  }

  const CubeProgram& program_;
  int threads_;
  const FrontierKernels& kernels_;
  Buffer<Slot> array_;
  std::vector<std::vector<Slot>> tiles_;  // by thread
};

}  // namespace

std::unique_ptr<CubeMachine> cube_on_cpu(const CubeProgram& program, int bytes_of_slot, int threads, Isa isa) {
  const FrontierKernels& kernels = frontier_kernels(isa);
  if (bytes_of_slot == 2) return std::make_unique<OnCpu<std::uint16_t>>(program, threads, kernels);
  return std::make_unique<OnCpu<std::uint32_t>>(program, threads, kernels);
}

// Half a megabyte, so that tiles stay in a second-level cache, of runs of 512 bytes (5 x 6 x 6: 15 % less time than
// tiles of 64 KB, 6 % less than those of 256 KB of shorter runs).
CubeShape cube_shape_of_cpu(int bytes_of_slot) { return bytes_of_slot == 2 ? CubeShape{18, 8} : CubeShape{17, 7}; }

}  // namespace matchcount
