#pragma once
// Multiplies bit matrices on GPUs: those that lie there, and those of the host's memory, tile by tile.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/bit_product_frame.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// The instructions of a product: mma of sm_80 and later, wgmma of sm_90a.
enum class BitRoute { mma, wgmma };
// Those that the build and the device have, the fastest first; none: no products there.
std::vector<BitRoute> bit_routes(const DeviceInfo& device);

// A bit matrix on a device, of rows of whole strips.
class DeviceBits {
 public:
  DeviceBits(const DeviceContext& context, std::size_t num_rows, std::size_t num_columns);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_columns() const { return num_columns_; }
  std::size_t stride_bytes() const { return stride_bytes_; }
  std::uint64_t address() const { return buffer_.address(); }
  // Of a view of the same size; through a copy on the host where its rows do not lie one behind the other.
  void upload(ConstBitView view);
  void download(BitView view) const;

 private:
  std::size_t num_rows_, num_columns_, stride_bytes_;
  DeviceBuffer buffer_;
};

// Starts kernels on one device. Nothing waits.
class BitDevice {
 public:
  // Throws Unable where the device has not that route.
  BitDevice(const DeviceInfo& device, BitRoute route);

  const DeviceContext& context() const { return context_; }
  DeviceStream& stream() { return stream_; }
  // to, of as many rows as `from` has columns and the other way round.
  void transpose(const DeviceBits& from, DeviceBits& to);
  // c = a b: m x n of m x k and, transposed, n x k.
  void multiply(BitSum sum, const DeviceBits& a, const DeviceBits& b_transposed, DeviceBits& c);

 private:
  BitRoute route_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule common_, product_;
};

// c = a b of matrices in the host's memory, which may be larger than a device's: a device takes columns of b and blocks
// of rows of a. Devices take tiles as they come to an end. At most so many bytes of each device; 0: four fifths of what
// is free. Throws Unable where a device has no route or no room for the least tile, and what run.check() throws.
void multiply_streamed(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const std::vector<DeviceInfo>& devices,
                       const RunContext& run, std::uint64_t most_bytes = 0);

}  // namespace matchcount::gpu
