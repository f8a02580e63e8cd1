#pragma once
// Finds GPUs at run time; values hold them and clean up after themselves, and failures are exceptions.
//
// The driver and the run-time compiler are loaded when they are first asked for, so that a program built with CUDA
// starts and counts on a machine without either. In a build without CUDA the same functions exist: there are no
// devices, and whatever needs one throws NotCompiled. Every failure of the driver is a DeviceError with the driver's
// own words, memory that can't be had is Unable; after a DeviceError nothing that came from the device is used.
//
//   const DeviceInfo device = find_devices().devices.at(0);
//   DeviceContext context(device);
//   DeviceStream stream(context);
//   DeviceModule module(context, compile_kernel(source, device.major, device.minor, default_kernel_cache()).image);
//   DeviceBuffer sums(context, 8 * num_blocks);
//   module.launch("sum_chunks", {num_blocks, 128, 0}, stream, {argument(sums), argument(first)});
//   stream.synchronize();  // or download, which waits for it
//
// Copies of an object share what it holds. Objects may be used from several threads, each by one thread at a time;
// contexts and modules by several at once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/device_choice.hpp"

namespace matchcount {

// A device's primary context, shared by its copies and by all that is made with it. Making the first one of a process
// takes about an eighth of a second (H200) and some hundred MB of the device. Calls below make it current on their
// thread.
class DeviceContext {
 public:
  explicit DeviceContext(const DeviceInfo& device);
  const DeviceInfo& device() const;
  std::uint64_t free_bytes() const;
  void synchronize() const;

  struct State;
  std::shared_ptr<State> state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// Makes current again, at its end, what context its thread had, by which others tell their device.
class RestoredContext {
 public:
  RestoredContext();
  RestoredContext(const RestoredContext&) = delete;
  RestoredContext& operator=(const RestoredContext&) = delete;
  ~RestoredContext();

 private:
  void* context_ = nullptr;
};

// Additions and multiplications of doubles, an fma as one, that the devices do in a second at most, together.
double operations_per_second(const std::vector<DeviceInfo>& devices);

// Says whether each of these copies to and from all of them without the host. Does not throw.
bool reach_each_other(const std::vector<DeviceInfo>& devices);
// Lets them do so.
void connect(const std::vector<DeviceContext>& contexts);

// Bytes of device memory, not initialised. Throws Unable, with the amount asked for and what is free, when they can't
// be had. Zero bytes are fine.
class DeviceBuffer {
 public:
  DeviceBuffer(const DeviceContext& context, std::size_t bytes);

  std::size_t size_bytes() const;
  std::uint64_t address() const;
  // Copy in order with the work of every stream of the contexts, whose earlier work they wait for; upload and download
  // return when the bytes have been read or written here. Ranges are checked (InputError).
  void upload(std::span<const std::byte> bytes, std::size_t offset = 0);
  void download(std::span<std::byte> bytes, std::size_t offset = 0) const;
  void clear();

 private:
  friend class DeviceStream;  // which copies
  struct State;
  std::shared_ptr<State> state_;
};

// Memory of the host that devices copy from and to while it works, by streams. Throws Unable where it can't be had.
class PinnedBuffer {
 public:
  PinnedBuffer(const DeviceContext& context, std::size_t bytes);
  std::span<std::byte> bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Returns the number of the device in whose memory these bytes are, and copies them from there. Throws InputError where
// they are not within one allocation of a device's memory.
int device_holding(std::uint64_t address, std::size_t bytes);
void copy_from(const DeviceContext& context, std::uint64_t address, std::span<std::byte> to);

class DeviceEvent;

// Work in order. Destroying it waits for its work.
class DeviceStream {
 public:
  explicit DeviceStream(const DeviceContext& context);

  void record(DeviceEvent& event);
  // Makes later work in this stream wait for an event that was recorded before.
  void wait(const DeviceEvent& event);
  // Copies between a buffer of the device, from byte `offset` on, and bytes of a PinnedBuffer, in this stream's order.
  // Ranges are checked (InputError).
  void upload(DeviceBuffer& to, std::size_t offset, std::span<const std::byte> pinned);
  void download(const DeviceBuffer& from, std::size_t offset, std::span<std::byte> pinned);
  // Copies between buffers, each of any device, in this stream's order.
  void copy(DeviceBuffer& to, std::size_t to_offset, const DeviceBuffer& from, std::size_t from_offset,
            std::size_t bytes);
  void synchronize() const;
  bool finished() const;  // without waiting

  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

class DeviceEvent {
 public:
  explicit DeviceEvent(const DeviceContext& context);

  // Returns the time between two recorded and finished events: seconds from `start` to this one, by the device's clock
  // (about 1 us). Throws InputError when they are not.
  double seconds_since(const DeviceEvent& start) const;

  struct State;
  const State& state() const { return *state_; }

 private:
  friend class DeviceStream;  // which records it
  std::shared_ptr<State> state_;
};

// A kernel argument: the bytes of a value, or a buffer's address. A host pointer is none.
struct KernelArgument {
  std::vector<std::byte> bytes;
};
KernelArgument argument(const DeviceBuffer& buffer);
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_array_v<T>) KernelArgument
    argument(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {{bytes.begin(), bytes.end()}};
}

// Lists those of a call.
template <class... Values>
std::vector<KernelArgument> arguments(const Values&... values) {
  return {argument(values)...};
}

// TileMap tells the bulk copies of kernels for sm_90 where rows of bytes are: an argument that a kernel takes as a
// __grid_constant__.
struct alignas(64) TileMap {
  std::byte bytes[128];
};
// Tiles of 128 bytes, swizzled by as many, of `tile_rows` rows, at most 256. Bytes outside of the rows are read as 0.
// Address, row_bytes and stride_bytes are multiples of 16. Throws Unable where the driver has no such copies.
TileMap tile_map(std::uint64_t address, std::uint64_t num_rows, std::uint64_t row_bytes, std::uint64_t stride_bytes,
                 unsigned tile_rows);

struct LaunchSize {
  unsigned blocks = 1;        // at least 1
  unsigned threads = 1;       // a block, at least 1
  unsigned shared_bytes = 0;  // dynamic, a block
};

struct KernelInfo {
  int registers = 0;     // a thread
  int local_bytes = 0;   // spills and the like, a thread
  int shared_bytes = 0;  // static, a block
  int blocks_per_multiprocessor = 0;
};

// DeviceModule holds loaded machine code. Kernels are found by name (extern "C"); one that is not there is a
// DeviceError.
class DeviceModule {
 public:
  // `image`: cubin, fatbin or PTX. Throws DeviceError when it is cut off, damaged or for other devices.
  DeviceModule(const DeviceContext& context, std::span<const std::byte> image);

  // Asynchronous; a failure of the kernel shows at the next synchronisation, as a DeviceError. Shared memory above
  // 48 KB a block is asked for here. Throws InputError for arguments that differ from the kernel's parameters in number
  // or size, where the driver tells those (CUDA 12.4).
  void launch(const std::string& kernel, const LaunchSize& size, DeviceStream& stream,
              const std::vector<KernelArgument>& arguments);
  KernelInfo info(const std::string& kernel, unsigned threads, unsigned shared_bytes = 0) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Machine code from CUDA C++ source, for one compute capability.
struct CompiledKernel {
  std::vector<std::byte> image;
  double seconds = 0;  // spent here, the loading of NVRTC included
  bool from_cache = false;
  std::string log;  // the compiler's; empty from the cache
};

// Returns the folder of compiled kernels: $MATCHCOUNT_CACHE_DIR, else $XDG_CACHE_HOME/matchcount, else
// ~/.cache/matchcount; empty where there is no such place or $MATCHCOUNT_CACHE_DIR is empty, which turns the cache off.
std::string default_kernel_cache();

// Compiles C++17 in which functions are device functions unless they say otherwise, for the capability major.minor: to
// machine code, or to PTX for the nearest older capability where NVRTC does not know this one. Takes the image from the
// folder `cache` (empty: no cache) when it is there: see core/file_cache.hpp. Several threads and processes may compile
// at once. Needs no device. About a second for a long kernel. Throws NotCompiled in a build without CUDA, Unable when
// NVRTC can't be loaded or has nothing for the capability, DeviceError with the log when the source does not compile.
CompiledKernel compile_kernel(const std::string& source, int major, int minor, const std::string& cache);
// Says why NVRTC can't be used and what to install; empty where it can.
std::string why_no_kernel_compiler();

}  // namespace matchcount
