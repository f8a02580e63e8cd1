#include "linear/bits/cuda/product_gpu.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/kernel_image.hpp"

namespace matchcount::gpu {

KernelImage bit_product_image();
KernelImage bit_product_90a_image();

namespace {

// Some MiB at a time, of rows that do not lie one behind the other.
std::size_t rows_at_once(std::size_t stride_bytes) {
  return std::max<std::size_t>(1, (std::size_t{1} << 26) / std::max<std::size_t>(1, stride_bytes));
}

const BitTile& tile_of(BitRoute route) {
  return route == BitRoute::words ? bit_tile_words : route == BitRoute::mma ? bit_tile_mma : bit_tile_wgmma;
}

KernelImage image_of(BitRoute route) {
  return route == BitRoute::wgmma ? bit_product_90a_image() : bit_product_image();
}

// Bytes of shared memory that a block may ask for, by compute capability (CUDA C++ Programming Guide 13.0, table of
// technical specifications); of those that it does not name, what all of them have.
unsigned most_shared_bytes(const DeviceInfo& device) {
  const int capability = 10 * device.major + device.minor;
  const unsigned kib = capability == 80 || capability == 87                          ? 163
                       : capability == 90 || (capability >= 100 && capability < 120) ? 227
                                                                                     : 99;
  return kib << 10;
}

BitRoute fastest_route(const DeviceInfo& device) {
  const std::vector<BitRoute> routes = bit_routes(device);
  if (routes.empty()) throw Unable(device.name + " has no tensor cores for bits, or this build no kernels for it");
  return routes.front();
}

std::uint32_t as_uint32(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

DeviceBits::DeviceBits(const DeviceContext& context, std::size_t num_rows, std::size_t num_columns)
    : num_rows_(num_rows),
      num_columns_(num_columns),
      stride_bytes_(strip_words_for(num_columns) * sizeof(std::uint64_t)),
      buffer_(context, num_rows * stride_bytes_) {}

void DeviceBits::upload(ConstBitView view) {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) return buffer_.upload(std::as_bytes(std::span(view.words, num_rows_ * words)));
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < num_rows_; first += rows_at_once(stride_bytes_)) {
    const std::size_t rows = std::min(rows_at_once(stride_bytes_), num_rows_ - first);
    copy.resize(rows * words);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(view.row(first + r), words, copy.data() + r * words);
    buffer_.upload(std::as_bytes(std::span(copy)), first * stride_bytes_);
  }
}

void DeviceBits::download(BitView view, std::size_t from) const {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) {
    return buffer_.download(std::as_writable_bytes(std::span(view.words, view.num_rows * words)), from * stride_bytes_);
  }
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < view.num_rows; first += rows_at_once(stride_bytes_)) {
    const std::size_t rows = std::min(rows_at_once(stride_bytes_), view.num_rows - first);
    copy.resize(rows * words);
    buffer_.download(std::as_writable_bytes(std::span(copy)), (from + first) * stride_bytes_);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(copy.data() + r * words, words, view.row(first + r));
  }
}

std::vector<BitRoute> bit_routes(const DeviceInfo& device) {
  std::vector<BitRoute> routes;
  for (const BitRoute route : {BitRoute::wgmma, BitRoute::mma, BitRoute::words}) {
    if (tile_of(route).shared_bytes() > most_shared_bytes(device)) continue;
    // The image of mma has the other kernels that all routes take.
    if (image_of(route).runs_on(device) && bit_product_image().runs_on(device) && device.major >= 8)
      routes.push_back(route);
  }
  return routes;
}

BitDevice::BitDevice(const DeviceInfo& device) : BitDevice(device, fastest_route(device)) {}

BitDevice::BitDevice(const DeviceInfo& device, BitRoute route)
    : route_(route), context_(device), stream_(context_), common_(context_, bit_product_image().code()) {
  if (route == BitRoute::wgmma) wgmma_.emplace(context_, bit_product_90a_image().code());
}

unsigned BitDevice::busy_blocks() const {
  constexpr unsigned blocks_a_multiprocessor = 8;
  return blocks_a_multiprocessor * static_cast<unsigned>(context_.device().multiprocessors);
}

void BitDevice::start(const std::string& kernel, const LaunchSize& size, const std::vector<KernelArgument>& arguments) {
  common_.launch(kernel, size, stream_, arguments);
}

void BitDevice::transpose(const DeviceBitView& from, const DeviceBitView& to, std::uint64_t list) {
  if (to.num_rows == 0 || to.num_columns == 0) return;
  start("transpose_bits", {busy_blocks(), bit_threads, 0},
        arguments(from.address, std::uint64_t{from.stride_bytes}, as_uint32(to.num_columns), as_uint32(to.num_rows),
                  to.address, std::uint64_t{to.stride_bytes}, list));
}

void BitDevice::sum_quarters(const BitQuarterSums& quarters) {
  start("sum_bit_quarters", {busy_blocks(), bit_threads, 0}, arguments(quarters));
}
void BitDevice::join_quarters(const BitQuarters& quarters) {
  start("join_bit_quarters", {busy_blocks(), bit_threads, 0}, arguments(quarters));
}

void BitDevice::multiply(BitSum sum, const DeviceBitView& a, const DeviceBitView& b_transposed, const DeviceBitView& c,
                         bool add) {
  if (c.num_rows == 0 || c.num_columns == 0) return;
  const BitProduct product{.a = a.address,
                           .b_transposed = b_transposed.address,
                           .c = c.address,
                           .a_stride = a.stride_bytes,
                           .b_stride = b_transposed.stride_bytes,
                           .c_stride = c.stride_bytes,
                           .m = as_uint32(c.num_rows),
                           .n = as_uint32(c.num_columns),
                           .k_bytes = as_uint32(strips_for(a.num_columns) * strip_columns / 8),
                           .binary = sum == BitSum::binary,
                           .add = add};
  // Without an inner dimension there is nothing to be copied in bulk.
  const BitRoute route = product.k_bytes == 0 ? BitRoute::words : route_;
  const BitTile& tile = tile_of(route);
  const unsigned threads = static_cast<unsigned>(tile.threads);
  if (route != BitRoute::wgmma) {
    common_.launch(route == BitRoute::mma ? "multiply_bits_mma" : "multiply_bits_words",
                   {tile.blocks(product.m, product.n), threads, tile.shared_bytes()}, stream_, arguments(product));
    return;
  }
  // Pairs of blocks, one a multiprocessor, take pairs of tiles in turn.
  const unsigned pairs = std::min(bit_pairs(product.m, product.n),
                                  std::max(1u, static_cast<unsigned>(context_.device().multiprocessors) / 2));
  wgmma_->launch(
      "multiply_bits_wgmma", {2 * pairs, threads, tile.shared_bytes()}, stream_,
      arguments(product,
                tile_map(a.address, product.m, product.k_bytes, product.a_stride, static_cast<unsigned>(tile.rows)),
                tile_map(b_transposed.address, product.n, product.k_bytes, product.b_stride,
                         static_cast<unsigned>(tile.columns) / 2)));
}

}  // namespace matchcount::gpu
