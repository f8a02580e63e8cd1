// A tile is a block of rows of the product by a panel of its columns. Tiles are numbered panel by panel, so that a
// device brings and transposes its panel of b once for many of them. The panel is as wide as the device has room for,
// all of b where it can be: two factors of 524288 rows (34 GB each) pass an H200 once.
//
// Bytes go through pinned memory, a few MiB at a time in turn by two lanes each way, into and out of which several
// threads copy: the driver's own copies of other memory reach a fifth of the bus and let nothing else run.

#include "linear/bits/cuda/streamed_gpu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>

#include "core/parallel.hpp"
#include "core/tasks.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/fit.hpp"

namespace matchcount::gpu {
namespace {

// Rows of a tile: enough for the tensor cores, and so few that bringing the first and taking the last home is little.
constexpr std::size_t most_rows = 16384, least_rows = 1024;
// Rows of b that are brought and transposed at once.
constexpr std::size_t slice_rows = 4096;
constexpr std::size_t blocks_a_device = 8;

struct Tiles {
  std::size_t rows, columns;
  bool by_winograd = false;  // those of so many rows
};

// Bytes that a lane copies at once, of rows of any of the matrices: few for small ones, since pinning 64 MB took 25 ms.
std::size_t lane_bytes(ConstBitView a, ConstBitView b, ConstBitView c) {
  constexpr double pieces = 128;
  constexpr std::size_t least = std::size_t{64} << 10, most = std::size_t{16} << 20;
  const double largest =
      std::max({BitMatrix::bytes(a.num_rows, a.num_columns), BitMatrix::bytes(b.num_rows, b.num_columns),
                BitMatrix::bytes(c.num_rows, c.num_columns)});
  const double row = std::max(BitMatrix::bytes(1, a.num_columns), BitMatrix::bytes(1, c.num_columns));
  return std::max(static_cast<std::size_t>(row), std::clamp(static_cast<std::size_t>(largest / pieces), least, most));
}

double tile_bytes(std::size_t rows, std::size_t k, std::size_t columns) {
  return BitMatrix::bytes(columns, k) + BitMatrix::bytes(std::min(slice_rows, k), columns) +
         2 * (BitMatrix::bytes(rows, k) + BitMatrix::bytes(rows, columns));
}

// Chooses tiles as wide as the room allows, and so many blocks that copies hide behind products and devices have some
// each. Where that leaves them two quarters of `least` rows (0: never), such blocks, for Winograd's form.
Tiles choose_tiles(std::size_t m, std::size_t k, std::size_t n, std::size_t devices, std::uint64_t room,
                   std::size_t least) {
  const auto up = [](std::size_t size, std::size_t step) { return (size + step - 1) / step * step; };
  if (least != 0 && quarter_sizes(2 * least, k, n).least() >= least && m >= blocks_a_device * devices * least) {
    const Tiles tiles{2 * least, up(n, strip_columns), true};
    const double bytes = tile_bytes(tiles.rows, k, tiles.columns) + WinogradSpace::bytes(tiles.rows, k, n, least);
    if (bytes <= static_cast<double>(room)) return tiles;
  }
  const std::size_t blocks = blocks_a_device * devices;
  Tiles tiles{std::min(most_rows, up((m + blocks - 1) / blocks, least_rows)), up(n, strip_columns)};
  while (tile_bytes(tiles.rows, k, tiles.columns) > static_cast<double>(room)) {
    const bool can_narrow = tiles.columns > strip_columns;
    if (tiles.rows > least_rows && (tiles.rows >= tiles.columns / 8 || !can_narrow)) {
      tiles.rows = up(tiles.rows / 2, least_rows);
    } else if (can_narrow) {
      tiles.columns = up(tiles.columns / 2, strip_columns);
    } else {
      refuse_size(
          "a tile of a product whose second factor is", k,
          [](std::size_t rows) { return tile_bytes(least_rows, rows, strip_columns); }, "what a device has for it",
          static_cast<double>(room));
    }
  }
  return tiles;
}

// Pinned memory and a stream that copies by it.
struct Lane {
  Lane(const DeviceContext& context, std::size_t bytes) : stream(context), pinned(context, bytes), done(context) {}
  DeviceStream stream;
  PinnedBuffer pinned;
  DeviceEvent done;
};

// Worker holds the buffers and queues that one device works with.
class Worker {
 public:
  Worker(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const DeviceInfo& device, const Tiles& tiles,
         std::size_t least, int num_threads)
      : sum_(sum),
        a_(a),
        b_(b),
        c_(c),
        tiles_(tiles),
        num_threads_(num_threads),
        device_(device),
        right_(device_.context(), std::min(tiles.columns, c.num_columns), b.num_rows),
        slice_(device_.context(), std::min(slice_rows, b.num_rows), std::min(tiles.columns, c.num_columns)),
        slots_{Slot(device_.context(), tiles, a, c), Slot(device_.context(), tiles, a, c)},
        lane_bytes_(lane_bytes(a, b, c)),
        up_{Lane(device_.context(), lane_bytes_), Lane(device_.context(), lane_bytes_)},
        down_{Lane(device_.context(), lane_bytes_), Lane(device_.context(), lane_bytes_)},
        turned_(device_.context()) {
    if (tiles.by_winograd) space_.emplace(device_.context(), tiles.rows, a.num_columns, c.num_columns, least);
  }

  // Starts one tile, and takes the result of the one before home.
  void run(std::size_t panel, std::size_t block) {
    const std::size_t column = panel * tiles_.columns, row = block * tiles_.rows;
    const std::size_t columns = std::min(tiles_.columns, c_.num_columns - column);
    const std::size_t rows = std::min(tiles_.rows, c_.num_rows - row);
    Slot& slot = slots_[next_];
    upload(a_.block(row, rows, 0, a_.num_columns), slot.left, slot.used ? &slot.multiplied : nullptr);
    const DeviceBitView left = slot.left.view().block(0, rows, 0, a_.num_columns);
    const DeviceBitView right = right_.view().block(0, columns, 0, b_.num_rows);
    const DeviceBitView result = slot.result.view().block(0, rows, 0, columns);
    if (panel_ != panel) {
      bring_panel(panel, column, columns, left, result);
    } else if (space_ && rows == tiles_.rows) {
      multiply_winograd(device_, space_->levels(), left, right, result);
    } else {
      device_.multiply(sum_, left, right, result);
    }
    device_.stream().record(slot.multiplied);
    slot.used = true;
    slot.home = c_.block(row, rows, column, columns);
    next_ ^= 1;
    take_home(slots_[next_]);
  }
  void finish() {
    take_home(slots_[next_ ^ 1]);
    device_.stream().synchronize();
  }

 private:
  struct Slot {
    Slot(const DeviceContext& context, const Tiles& tiles, ConstBitView a, BitView c)
        : left(context, std::min(tiles.rows, c.num_rows), a.num_columns),
          result(context, std::min(tiles.rows, c.num_rows), std::min(tiles.columns, c.num_columns)),
          multiplied(context) {}
    DeviceBits left, result;
    DeviceEvent multiplied;
    bool used = false;
    std::optional<BitView> home;  // of a result that is still there
  };

  // Slice by slice, and multiplies each with its columns of `left` while the next is on its way.
  void bring_panel(std::size_t panel, std::size_t column, std::size_t columns, const DeviceBitView& left,
                   const DeviceBitView& result) {
    for (std::size_t row = 0; row < b_.num_rows; row += slice_rows) {
      const std::size_t rows = std::min(slice_rows, b_.num_rows - row);
      upload(b_.block(row, rows, column, columns), slice_, panel_ || row != 0 ? &turned_ : nullptr);
      const DeviceBitView turned = right_.view().block(0, columns, row, rows);
      device_.transpose(slice_.view().block(0, rows, 0, columns), turned);
      device_.stream().record(turned_);
      device_.multiply(sum_, left.block(0, left.num_rows, row, rows), turned, result, row != 0);
    }
    panel_ = panel;
  }

  // Copies rows of the host's memory to the first ones of `to`, from the event on; what is started next on the
  // device's stream waits for it.
  void upload(ConstBitView view, DeviceBits& to, const DeviceEvent* from) {
    const std::size_t width = strip_words_for(view.num_columns) * sizeof(std::uint64_t);
    if (from != nullptr) {
      for (Lane& lane : up_) lane.stream.wait(*from);
    }
    for_lanes(up_, view.num_rows, to.stride_bytes(), [&](Lane& lane, std::size_t first, std::size_t rows) {
      lane.stream.synchronize();
      copy_rows(rows, [&](std::size_t r) {
        std::memcpy(lane.pinned.bytes().data() + r * to.stride_bytes(), view.row(first + r), width);
      });
      lane.stream.upload(to.buffer(), first * to.stride_bytes(), lane.pinned.bytes().first(rows * to.stride_bytes()));
    });
    for (Lane& lane : up_) {
      lane.stream.record(lane.done);
      device_.stream().wait(lane.done);
    }
  }

  void take_home(Slot& slot) {
    if (!slot.home) return;
    const BitView home = *slot.home;
    slot.home.reset();
    const std::size_t stride = slot.result.stride_bytes(),
                      width = strip_words_for(home.num_columns) * sizeof(std::uint64_t);
    struct Waiting {
      Lane* lane;
      std::size_t first, rows;
    };
    std::optional<Waiting> waiting;
    const auto empty = [&] {
      if (!waiting) return;
      waiting->lane->stream.synchronize();
      copy_rows(waiting->rows, [&](std::size_t r) {
        std::memcpy(home.row(waiting->first + r), waiting->lane->pinned.bytes().data() + r * stride, width);
      });
      waiting.reset();
    };
    for (Lane& lane : down_) lane.stream.wait(slot.multiplied);
    for_lanes(down_, home.num_rows, stride, [&](Lane& lane, std::size_t first, std::size_t rows) {
      lane.stream.download(slot.result.buffer(), first * stride, lane.pinned.bytes().first(rows * stride));
      empty();
      waiting = Waiting{&lane, first, rows};
    });
    empty();
  }

  // Calls body(lane, first, rows) for rows that fit into a lane, in turn.
  template <class Body>
  void for_lanes(std::array<Lane, 2>& lanes, std::size_t num_rows, std::size_t stride, const Body& body) const {
    const std::size_t at_once = lane_bytes_ / stride;
    for (std::size_t first = 0, i = 0; first < num_rows; first += at_once, ++i)
      body(lanes[i % 2], first, std::min(at_once, num_rows - first));
  }
  template <class Body>
  void copy_rows(std::size_t rows, const Body& body) const {
    const auto tasks = static_cast<std::size_t>(num_threads_);
    parallel_for_chunks(num_threads_, tasks, [&](std::uint64_t task, int) {
      for (std::size_t r = rows * task / tasks; r < rows * (task + 1) / tasks; ++r) body(r);
    });
  }

  BitSum sum_;
  ConstBitView a_, b_;
  BitView c_;
  Tiles tiles_;
  int num_threads_;
  BitDevice device_;
  std::optional<std::size_t> panel_;
  DeviceBits right_, slice_;
  std::array<Slot, 2> slots_;
  std::size_t next_ = 0, lane_bytes_;
  std::array<Lane, 2> up_, down_;
  DeviceEvent turned_;  // the slice
  std::optional<WinogradSpace> space_;
};

}  // namespace

void multiply_streamed(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const std::vector<DeviceInfo>& devices,
                       const RunContext& run, std::uint64_t most_bytes, std::size_t least) {
  if (c.num_rows == 0 || c.num_columns == 0) return;
  if (a.num_columns == 0) {
    for (std::size_t r = 0; r < c.num_rows; ++r) std::fill_n(c.row(r), strip_words_for(c.num_columns), 0);
    return;
  }
  const StartingContexts contexts = start_contexts(devices);
  for (const auto& context : contexts) {
    constexpr double share = 0.8;
    const auto free = static_cast<std::uint64_t>(share * static_cast<double>(context.get().free_bytes()));
    most_bytes = most_bytes == 0 ? free : std::min(most_bytes, free);
  }
  const Tiles tiles = choose_tiles(c.num_rows, a.num_columns, c.num_columns, devices.size(), most_bytes,
                                   sum == BitSum::binary ? least : 0);
  const std::size_t blocks = (c.num_rows + tiles.rows - 1) / tiles.rows;
  const std::size_t panels = (c.num_columns + tiles.columns - 1) / tiles.columns;
  constexpr int most_copiers = 8;
  const int threads = std::clamp(run.num_threads() / static_cast<int>(devices.size()), 1, most_copiers);
  Dealer dealer(blocks * panels);
  std::atomic<std::uint64_t> done{0};
  work_on_devices(
      devices.size(),
      [&](std::size_t i) { return std::make_unique<Worker>(sum, a, b, c, devices[i], tiles, least, threads); },
      [&](Worker& worker) {
        const auto tile = dealer.take_some(1);
        if (!tile) {
          worker.finish();
          return false;
        }
        run.check();
        worker.run(tile->first / blocks, tile->first % blocks);
        run.report("product", static_cast<double>(++done), static_cast<double>(blocks * panels));
        return true;
      });
}

}  // namespace matchcount::gpu
