#pragma once
// Holds bit matrices in a GPU's memory, multiplies them where they lie, and transposes them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/bit_product_frame.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// Rows of whole strips that somebody else owns, as kernels see them.
struct DeviceBitView {
  std::uint64_t address = 0;
  std::size_t num_rows = 0, num_columns = 0;
  std::size_t stride_bytes = 0;  // from row to row, a multiple of 64

  // Requires that column is a multiple of strip_columns, and that columns is one or ends where this does.
  DeviceBitView block(std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) const {
    return {address + row * stride_bytes + column / 8, rows, columns, stride_bytes};
  }
};

// A bit matrix on a device; its bits are not initialised.
class DeviceBits {
 public:
  DeviceBits(const DeviceContext& context, std::size_t num_rows, std::size_t num_columns);

  operator DeviceBitView() const { return view(); }
  DeviceBitView view() const { return {buffer_.address(), num_rows_, num_columns_, stride_bytes_}; }
  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_columns() const { return num_columns_; }
  std::size_t stride_bytes() const { return stride_bytes_; }
  DeviceBuffer& buffer() { return buffer_; }
  // Copies a view of the same size; through a copy on the host where its rows do not lie one behind the other.
  void upload(ConstBitView view);
  void download(BitView view) const { download(view, 0); }
  // Rows from `first` on, as many as the view has.
  void download(BitView view, std::size_t first) const;

 private:
  std::size_t num_rows_, num_columns_, stride_bytes_;
  DeviceBuffer buffer_;
};

// The instructions of a product: AND and XOR or OR of words, mma of sm_80 and later, wgmma of sm_90a.
enum class BitRoute { words, mma, wgmma };
// Returns the routes that the build and the device have, the fastest first; none: no products there.
std::vector<BitRoute> bit_routes(const DeviceInfo& device);

// Starts kernels on one device. Nothing waits.
class BitDevice {
 public:
  // Throws Unable where the device has not that route; without one it takes the fastest.
  BitDevice(const DeviceInfo& device, BitRoute route);
  explicit BitDevice(const DeviceInfo& device);

  const DeviceContext& context() const { return context_; }
  DeviceStream& stream() { return stream_; }
  // to, of as many rows as `from` has columns and the other way round. With `list`, an address of as many row numbers
  // as `to` has columns, its columns are those rows; no_row stands for zeros.
  void transpose(const DeviceBitView& from, const DeviceBitView& to, std::uint64_t list = 0);
  // c = a b, or c = c + a b: m x n of m x k and, transposed, n x k.
  void multiply(BitSum sum, const DeviceBitView& a, const DeviceBitView& b_transposed, const DeviceBitView& c,
                bool add = false);
  // Strassen's method needs these two beside products (linear/bits/cuda/winograd.hpp).
  void sum_quarters(const BitQuarterSums& quarters);
  void join_quarters(const BitQuarters& quarters);
  // A kernel of linear/bits/cuda/bit_product.cu, of so many blocks, or as many as keep the device busy.
  void start(const std::string& kernel, const LaunchSize& size, const std::vector<KernelArgument>& arguments);
  unsigned busy_blocks() const;

 private:
  BitRoute route_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule common_;
  std::optional<DeviceModule> wgmma_;
};

}  // namespace matchcount::gpu
