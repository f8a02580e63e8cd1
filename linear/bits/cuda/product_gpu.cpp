// A tile is a block of rows of the product by a panel of its columns. Tiles are numbered panel by panel, so that a
// device brings and transposes its panel of b once for many of them.

#include "linear/bits/cuda/product_gpu.hpp"

#include <algorithm>
#include <optional>

#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/kernel_image.hpp"
#include "core/parallel.hpp"

namespace matchcount::gpu {

KernelImage bit_product_image();
KernelImage bit_product_90a_image();

namespace {

// The largest tile, which is started at once. Wide, since rows of a are brought again for every panel of columns: of
// two factors of 524288 rows (34 GB each) they are brought twice. By the speed of its instructions one H200 takes 0.6 s
// for such a tile.
constexpr std::size_t most_columns = 262144, most_rows = 32768;
constexpr std::size_t least_rows = 1024;

std::size_t stride_of(std::size_t columns) {
  return (columns + strip_columns - 1) / strip_columns * strip_words * sizeof(std::uint64_t);
}

const BitTile& tile_of(BitRoute route) { return route == BitRoute::wgmma ? bit_tile_wgmma : bit_tile_mma; }

KernelImage image_of(BitRoute route) {
  return route == BitRoute::wgmma ? bit_product_90a_image() : bit_product_image();
}

BitRoute fastest_route(const DeviceInfo& device) {
  const std::vector<BitRoute> routes = bit_routes(device);
  if (routes.empty()) throw Unable(device.name + " has no tensor cores for bits, or this build no kernels for it");
  return routes.front();
}

struct Tiles {
  std::size_t rows, columns;
};

double tile_bytes(std::size_t rows, std::size_t k, std::size_t columns) {
  return BitMatrix::bytes(rows, k) + BitMatrix::bytes(k, columns) + BitMatrix::bytes(columns, k) +
         BitMatrix::bytes(rows, columns);
}

// As large as the room allows, and so many that several devices have some each.
Tiles choose_tiles(std::size_t m, std::size_t k, std::size_t n, std::size_t devices, std::uint64_t room) {
  const auto up = [](std::size_t size, std::size_t step) { return (size + step - 1) / step * step; };
  Tiles tiles{std::min(most_rows, up(m, least_rows)), std::min(most_columns, up(n, strip_columns))};
  if (devices > 1) tiles.rows = std::min(tiles.rows, up((m + 4 * devices - 1) / (4 * devices), least_rows));
  while (tile_bytes(tiles.rows, k, tiles.columns) > static_cast<double>(room)) {
    if (tiles.rows >= tiles.columns && tiles.rows > least_rows) {
      tiles.rows = up(tiles.rows / 2, least_rows);
    } else if (tiles.columns > strip_columns) {
      tiles.columns = up(tiles.columns / 2, strip_columns);
    } else if (tiles.rows > least_rows) {
      tiles.rows = up(tiles.rows / 2, least_rows);
    } else {
      throw Unable("a device has no room for " + std::to_string(least_rows) + " rows of " + std::to_string(k) +
                   " bits");
    }
  }
  return tiles;
}

// What one device works with.
class Worker {
 public:
  Worker(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const DeviceInfo& device, const Tiles& tiles)
      : sum_(sum), a_(a), b_(b), c_(c), tiles_(tiles), device_(device, fastest_route(device)) {}

  void run(std::size_t panel, std::size_t block) {
    const std::size_t column = panel * tiles_.columns, row = block * tiles_.rows;
    const std::size_t columns = std::min(tiles_.columns, c_.num_columns - column);
    const std::size_t rows = std::min(tiles_.rows, c_.num_rows - row);
    if (panel_ != panel) bring_panel(panel, column, columns);
    if (!left_ || left_->num_rows() != rows) {
      left_.reset();
      result_.reset();
      left_.emplace(device_.context(), rows, a_.num_columns);
    }
    if (!result_ || result_->num_columns() != columns) {
      result_.reset();
      result_.emplace(device_.context(), rows, columns);
    }
    if (block_ != block) left_->upload(a_.block(row, rows, 0, a_.num_columns));
    block_ = block;
    device_.multiply(sum_, *left_, *right_, *result_);
    result_->download(c_.block(row, rows, column, columns));
  }

 private:
  void bring_panel(std::size_t panel, std::size_t column, std::size_t columns) {
    right_.reset();
    DeviceBits given(device_.context(), b_.num_rows, columns);
    right_.emplace(device_.context(), columns, b_.num_rows);
    given.upload(b_.block(0, b_.num_rows, column, columns));
    device_.transpose(given, *right_);
    device_.stream().synchronize();
    panel_ = panel;
  }

  BitSum sum_;
  ConstBitView a_, b_;
  BitView c_;
  Tiles tiles_;
  BitDevice device_;
  std::optional<std::size_t> panel_, block_;
  std::optional<DeviceBits> left_, right_, result_;
};

}  // namespace

std::vector<BitRoute> bit_routes(const DeviceInfo& device) {
  std::vector<BitRoute> routes;
  for (const BitRoute route : {BitRoute::wgmma, BitRoute::mma}) {
    // Transposing is in the image of mma.
    if (image_of(route).runs_on(device) && bit_product_image().runs_on(device) && device.major >= 8)
      routes.push_back(route);
  }
  return routes;
}

DeviceBits::DeviceBits(const DeviceContext& context, std::size_t num_rows, std::size_t num_columns)
    : num_rows_(num_rows),
      num_columns_(num_columns),
      stride_bytes_(stride_of(num_columns)),
      buffer_(context, num_rows * stride_bytes_) {}

void DeviceBits::upload(ConstBitView view) {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) return buffer_.upload(std::as_bytes(std::span(view.words, num_rows_ * words)));
  // A few MiB at a time.
  const std::size_t rows_at_once = std::max<std::size_t>(1, (std::size_t{1} << 26) / stride_bytes_);
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < num_rows_; first += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, num_rows_ - first);
    copy.resize(rows * words);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(view.row(first + r), words, copy.data() + r * words);
    buffer_.upload(std::as_bytes(std::span(copy)), first * stride_bytes_);
  }
}

void DeviceBits::download(BitView view) const {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) return buffer_.download(std::as_writable_bytes(std::span(view.words, num_rows_ * words)));
  const std::size_t rows_at_once = std::max<std::size_t>(1, (std::size_t{1} << 26) / stride_bytes_);
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < num_rows_; first += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, num_rows_ - first);
    copy.resize(rows * words);
    buffer_.download(std::as_writable_bytes(std::span(copy)), first * stride_bytes_);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(copy.data() + r * words, words, view.row(first + r));
  }
}

BitDevice::BitDevice(const DeviceInfo& device, BitRoute route)
    : route_(route),
      context_(device),
      stream_(context_),
      common_(context_, bit_product_image().code()),
      product_(context_, image_of(route).code()) {}

void BitDevice::transpose(const DeviceBits& from, DeviceBits& to) {
  if (from.num_rows() == 0 || from.num_columns() == 0) return;
  constexpr unsigned threads = 256, blocks_a_multiprocessor = 8;
  const unsigned blocks = blocks_a_multiprocessor * static_cast<unsigned>(context_.device().multiprocessors);
  common_.launch(
      "transpose_bits", {blocks, threads, 0}, stream_,
      {argument(from.address()), argument(static_cast<std::uint64_t>(from.stride_bytes())),
       argument(static_cast<std::uint32_t>(from.num_rows())), argument(static_cast<std::uint32_t>(from.num_columns())),
       argument(to.address()), argument(static_cast<std::uint64_t>(to.stride_bytes()))});
}

void BitDevice::multiply(BitSum sum, const DeviceBits& a, const DeviceBits& b_transposed, DeviceBits& c) {
  if (c.num_rows() == 0 || c.num_columns() == 0) return;
  BitProduct product{};
  product.a = a.address();
  product.b_transposed = b_transposed.address();
  product.c = c.address();
  product.a_stride = a.stride_bytes();
  product.b_stride = b_transposed.stride_bytes();
  product.c_stride = c.stride_bytes();
  product.m = static_cast<unsigned>(c.num_rows());
  product.n = static_cast<unsigned>(c.num_columns());
  product.k_bytes = static_cast<unsigned>(a.stride_bytes());
  product.binary = sum == BitSum::binary ? 1 : 0;
  const BitTile& tile = tile_of(route_);
  product_.launch(route_ == BitRoute::wgmma ? "multiply_bits_wgmma" : "multiply_bits_mma",
                  {tile.blocks(product.m, product.n), static_cast<unsigned>(tile.threads), tile.shared_bytes()},
                  stream_, {argument(product)});
}

void multiply_streamed(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const std::vector<DeviceInfo>& devices,
                       const RunContext& run, std::uint64_t most_bytes) {
  if (c.num_rows == 0 || c.num_columns == 0) return;
  const StartingContexts contexts = start_contexts(devices);
  for (const auto& context : contexts) {
    constexpr double share = 0.8;
    const auto free = static_cast<std::uint64_t>(share * static_cast<double>(context.get().free_bytes()));
    most_bytes = most_bytes == 0 ? free : std::min(most_bytes, free);
  }
  const Tiles tiles = choose_tiles(c.num_rows, a.num_columns, c.num_columns, devices.size(), most_bytes);
  const std::size_t blocks = (c.num_rows + tiles.rows - 1) / tiles.rows;
  const std::size_t panels = (c.num_columns + tiles.columns - 1) / tiles.columns;
  const int threads = static_cast<int>(std::min(devices.size(), blocks * panels));
  std::vector<std::optional<Worker>> workers(devices.size());
  std::atomic<std::uint64_t> done{0};
  parallel_for_chunks(threads, blocks * panels, [&](std::uint64_t tile, int thread) {
    run.check();
    const auto place = static_cast<std::size_t>(thread);
    if (!workers[place]) workers[place].emplace(sum, a, b, c, devices[place], tiles);
    workers[place]->run(tile / blocks, tile % blocks);
    run.report("product", static_cast<double>(++done), static_cast<double>(blocks * panels));
  });
}

}  // namespace matchcount::gpu
