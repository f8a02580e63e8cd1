#pragma once
// Holds bit matrices in a GPU's memory.

#include <cstddef>
#include <cstdint>

#include "core/device.hpp"
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

}  // namespace matchcount::gpu
