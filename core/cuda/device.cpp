// Devices, buffers, streams, events and modules on the driver. Destructors ask the driver to free and don't look at its
// answer: after a failed kernel it refuses everything, and the failure has been reported by then.
//
// Streams are of the kind that waits for the default stream and is waited for by it. So a download that follows a
// launch reads what the kernel wrote, and a kernel that follows an upload sees the bytes, of which the driver may still
// hold some in its staging memory when the upload returns. Non-blocking streams promise neither.

#include "core/device.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "core/cuda/driver.hpp"
#include "core/cuda/memory.hpp"
#include "core/error.hpp"

namespace matchcount {

using cuda::check;
using cuda::driver;
using cuda::fail;

// ---- finding

namespace {

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

DeviceInfo describe(int index, int driver_version) {
  DeviceInfo info;
  info.index = index;
  info.driver_version = driver_version;
  CUdevice device = 0;
  check(driver().cuDeviceGet(&device, index), "cuDeviceGet");
  char name[256] = "";
  check(driver().cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
  info.name = name;
  info.major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.clock_khz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  std::size_t bytes = 0;
  check(driver().cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem");
  info.memory_bytes = bytes;
  return info;
}

}  // namespace

bool built_with_cuda() { return true; }

FoundDevices find_devices() {
  FoundDevices found;
  try {
    int version = 0, count = 0;
    check(driver().cuDriverGetVersion(&version), "cuDriverGetVersion");
    check(driver().cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int index = 0; index < count; ++index) found.devices.push_back(describe(index, version));
    if (count == 0) found.reason = "the driver finds no GPU";
  } catch (const Error& error) {
    found.devices.clear();
    found.reason = error.what();
  }
  return found;
}

bool reach_each_other(const std::vector<DeviceInfo>& devices) {
  try {
    for (const DeviceInfo& one : devices) {
      for (const DeviceInfo& other : devices) {
        if (other.index == one.index) continue;
        CUdevice device = 0, peer = 0;
        int reached = 0;
        check(driver().cuDeviceGet(&device, one.index), "cuDeviceGet");
        check(driver().cuDeviceGet(&peer, other.index), "cuDeviceGet");
        check(driver().cuDeviceCanAccessPeer(&reached, device, peer), "cuDeviceCanAccessPeer");
        if (reached == 0) return false;
      }
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

void connect(const std::vector<DeviceContext>& contexts) {
  for (const DeviceContext& one : contexts) {
    for (const DeviceContext& other : contexts) {
      if (other.state()->device == one.state()->device) continue;
      const CUresult result = one.state()->current().cuCtxEnablePeerAccess(other.state()->context, 0);
      if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) check(result, "cuCtxEnablePeerAccess");
    }
  }
}

// ---- contexts

DeviceContext::DeviceContext(const DeviceInfo& device) : state_(std::make_shared<State>(device)) {}
const DeviceInfo& DeviceContext::device() const { return state_->info; }
std::uint64_t DeviceContext::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(state_->current().cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return free;
}
void DeviceContext::synchronize() const { check(state_->current().cuCtxSynchronize(), "cuCtxSynchronize"); }

RestoredContext::RestoredContext() {
  CUcontext context = nullptr;
  check(driver().cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  context_ = context;
}
RestoredContext::~RestoredContext() { driver().cuCtxSetCurrent(static_cast<CUcontext>(context_)); }

// ---- streams and events

struct DeviceStream::State {
  explicit State(std::shared_ptr<DeviceContext::State> device_context) : context(std::move(device_context)) {
    check(context->current().cuStreamCreate(&stream, CU_STREAM_DEFAULT), "cuStreamCreate");
  }
  ~State() {
    const cuda::Driver& functions = context->try_current();
    functions.cuStreamSynchronize(stream);
    functions.cuStreamDestroy_v2(stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<DeviceContext::State> context;
  CUstream stream = nullptr;
};

struct DeviceEvent::State {
  explicit State(std::shared_ptr<DeviceContext::State> device_context) : context(std::move(device_context)) {
    check(context->current().cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  }
  ~State() { context->try_current().cuEventDestroy_v2(event); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<DeviceContext::State> context;
  CUevent event = nullptr;
  bool recorded = false;
};

DeviceStream::DeviceStream(const DeviceContext& context) : state_(std::make_shared<State>(context.state())) {}

void DeviceStream::record(DeviceEvent& event) {
  check(state_->context->current().cuEventRecord(event.state_->event, state_->stream), "cuEventRecord");
  event.state_->recorded = true;
}
void DeviceStream::wait(const DeviceEvent& event) {
  check(state_->context->current().cuStreamWaitEvent(state_->stream, event.state().event, 0), "cuStreamWaitEvent");
}
void DeviceStream::upload(DeviceBuffer& to, std::size_t offset, std::span<const std::byte> pinned) {
  const CUdeviceptr target = to.state_->at(offset, pinned.size());
  if (pinned.empty()) return;
  check(state_->context->current().cuMemcpyHtoDAsync_v2(target, pinned.data(), pinned.size(), state_->stream),
        "cuMemcpyHtoDAsync");
}
void DeviceStream::download(const DeviceBuffer& from, std::size_t offset, std::span<std::byte> pinned) {
  const CUdeviceptr source = from.state_->at(offset, pinned.size());
  if (pinned.empty()) return;
  check(state_->context->current().cuMemcpyDtoHAsync_v2(pinned.data(), source, pinned.size(), state_->stream),
        "cuMemcpyDtoHAsync");
}
void DeviceStream::copy(DeviceBuffer& to, std::size_t to_offset, const DeviceBuffer& from, std::size_t from_offset,
                        std::size_t bytes) {
  const CUdeviceptr target = to.state_->at(to_offset, bytes), source = from.state_->at(from_offset, bytes);
  if (bytes == 0) return;
  check(state_->context->current().cuMemcpyPeerAsync(target, to.state_->context->context, source,
                                                     from.state_->context->context, bytes, state_->stream),
        "cuMemcpyPeerAsync");
}
void DeviceStream::synchronize() const {
  check(state_->context->current().cuStreamSynchronize(state_->stream), "cuStreamSynchronize");
}
bool DeviceStream::finished() const {
  const CUresult result = state_->context->current().cuStreamQuery(state_->stream);
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuStreamQuery");
  return true;
}

DeviceEvent::DeviceEvent(const DeviceContext& context) : state_(std::make_shared<State>(context.state())) {}

double DeviceEvent::seconds_since(const DeviceEvent& start) const {
  const char* const expected = "two events that are recorded and finished";
  if (!state_->recorded || !start.state_->recorded) throw InputError("an event that was never recorded", expected);
  const cuda::Driver& functions = state_->context->current();
  float milliseconds = 0;
  const CUresult result = functions.elapsed_time(&milliseconds, start.state_->event, state_->event);
  if (result == CUDA_ERROR_NOT_READY) throw InputError("an event that is not finished", expected);
  check(result, "cuEventElapsedTime");
  return static_cast<double>(milliseconds) / 1000;
}

// ---- modules

namespace {

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The driver is told where an image begins and not where it ends; it would read past one that is cut off. So the
// lengths that a cubin (ELF, 64 bits) or a fatbin has in its header are compared with the bytes that are there.
void check_length(std::span<const std::byte> image) {
  constexpr std::uint32_t elf_magic = 0x464c457f, fatbin_magic = 0xba55ed50;
  constexpr std::size_t elf_header_bytes = 64, fatbin_header_bytes = 16;
  const auto cut_off = [] { return DeviceError("the image of a kernel is cut off or damaged"); };
  if (image.size() < sizeof elf_magic) throw cut_off();
  const auto magic = read_at<std::uint32_t>(image, 0);
  const auto needs = [&](std::uint64_t start, std::uint64_t bytes) {
    if (start > image.size() || bytes > image.size() - start) throw cut_off();
  };
  if (magic == elf_magic) {
    needs(0, elf_header_bytes);
    const auto table_at = [&](std::size_t place, std::size_t entry_bytes, std::size_t count) {
      needs(read_at<std::uint64_t>(image, place),
            std::uint64_t{read_at<std::uint16_t>(image, entry_bytes)} * read_at<std::uint16_t>(image, count));
    };
    table_at(32, 54, 56);  // segments
    table_at(40, 58, 60);  // sections
  } else if (magic == fatbin_magic) {
    needs(0, fatbin_header_bytes);
    needs(read_at<std::uint16_t>(image, 6), read_at<std::uint64_t>(image, 8));
  }
}

// Kernel keeps what is asked of the driver once a kernel.
struct Kernel {
  CUfunction function = nullptr;
  unsigned static_shared_bytes = 0;
  unsigned allowed_shared_bytes = 0;  // dynamic
  bool sizes_known = false;
  std::vector<std::size_t> parameter_bytes;
};

int kernel_attribute(const cuda::Driver& functions, const Kernel& kernel, CUfunction_attribute which) {
  int value = 0;
  check(functions.cuFuncGetAttribute(&value, which, kernel.function), "cuFuncGetAttribute");
  return value;
}

}  // namespace

struct DeviceModule::State {
  State(std::shared_ptr<DeviceContext::State> device_context, std::span<const std::byte> image)
      : context(std::move(device_context)) {
    check_length(image);
    // PTX is text, which the driver reads up to a 0.
    std::vector<std::byte> terminated(image.begin(), image.end());
    terminated.push_back(std::byte{0});
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const CUresult result =
        context->current().cuModuleLoadDataEx(&module, terminated.data(), std::size(options), options, values);
    log[sizeof log - 1] = '\0';
    if (result != CUDA_SUCCESS) {
      fail(result, "loading a kernel on " + context->name() + (log[0] == '\0' ? "" : std::string(": ") + log));
    }
  }
  ~State() { context->try_current().cuModuleUnload(module); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Finds a kernel, with room for this much dynamic shared memory. Makes the context current.
  Kernel find(const std::string& name, unsigned shared_bytes) {
    const cuda::Driver& functions = context->current();
    const std::lock_guard lock(mutex);
    auto at = kernels.find(name);
    if (at == kernels.end()) {
      Kernel kernel;
      const CUresult result = functions.cuModuleGetFunction(&kernel.function, module, name.c_str());
      if (result != CUDA_SUCCESS) fail(result, "kernel '" + name + "'");
      kernel.static_shared_bytes =
          static_cast<unsigned>(kernel_attribute(functions, kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
      kernel.sizes_known = functions.parameter_info != nullptr;
      // The end is where the driver refuses, which compute-sanitizer reports; before CUDA 13.1 it can't be asked for.
      for (std::size_t offset = 0, bytes = 0, i = 0; kernel.sizes_known; ++i) {
        if (functions.parameter_info(kernel.function, i, &offset, &bytes) != CUDA_SUCCESS) break;
        kernel.parameter_bytes.push_back(bytes);
      }
      at = kernels.emplace(name, std::move(kernel)).first;
    }
    Kernel& kernel = at->second;
    // A block gets so many bytes without asking.
    constexpr unsigned usual_shared_bytes = 48 << 10;
    if (std::uint64_t{shared_bytes} + kernel.static_shared_bytes > usual_shared_bytes &&
        shared_bytes > kernel.allowed_shared_bytes) {
      const CUresult result = functions.cuFuncSetAttribute(
          kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes));
      if (result != CUDA_SUCCESS) {
        fail(result, std::to_string(shared_bytes) + " bytes of shared memory for kernel '" + name + "'");
      }
      kernel.allowed_shared_bytes = shared_bytes;
    }
    return kernel;
  }

  std::shared_ptr<DeviceContext::State> context;
  CUmodule module = nullptr;
  std::mutex mutex;  // of `kernels`
  std::map<std::string, Kernel> kernels;
};

DeviceModule::DeviceModule(const DeviceContext& context, std::span<const std::byte> image)
    : state_(std::make_shared<State>(context.state(), image)) {}

TileMap tile_map(std::uint64_t address, std::uint64_t num_rows, std::uint64_t row_bytes, std::uint64_t stride_bytes,
                 unsigned tile_rows) {
  if (driver().encode_tiled == nullptr) throw Unable("the driver has no bulk copies of tiles");
  TileMap map{};
  const cuuint64_t sizes[2] = {row_bytes, num_rows}, strides[1] = {stride_bytes};
  const cuuint32_t box[2] = {128, tile_rows}, steps[2] = {1, 1};
  // Bytes, not interleaved, swizzled by 128 bytes, fetched by 256, zeros outside.
  constexpr int bytes = 0, plain = 0, swizzle_128 = 3, fetch_256 = 3, zeros = 0;
  check(driver().encode_tiled(&map, bytes, 2, reinterpret_cast<void*>(address), sizes, strides, box, steps, plain,
                              swizzle_128, fetch_256, zeros),
        "cuTensorMapEncodeTiled");
  return map;
}

KernelArgument argument(const DeviceBuffer& buffer) { return argument(buffer.address()); }

void DeviceModule::launch(const std::string& name, const LaunchSize& size, DeviceStream& stream,
                          const std::vector<KernelArgument>& arguments) {
  if (size.blocks == 0 || size.threads == 0) {
    throw InputError(std::to_string(size.blocks) + " blocks of " + std::to_string(size.threads) + " threads",
                     "at least one of each");
  }
  const Kernel kernel = state_->find(name, size.shared_bytes);
  const auto refuse = [&name](const std::string& found, const std::string& expected) {
    throw InputError(found + " for kernel '" + name + "'", expected);
  };
  if (kernel.sizes_known) {
    const std::vector<std::size_t>& wanted = kernel.parameter_bytes;
    if (arguments.size() != wanted.size()) {
      refuse(std::to_string(arguments.size()) + " arguments", std::to_string(wanted.size()));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (arguments[i].bytes.size() == wanted[i]) continue;
      refuse("argument " + std::to_string(i) + " of " + std::to_string(arguments[i].bytes.size()) + " bytes",
             std::to_string(wanted[i]));
    }
  }
  std::vector<void*> pointers;  // the driver copies from them before it returns, and writes nothing
  for (const KernelArgument& argument : arguments) {
    pointers.push_back(const_cast<std::byte*>(argument.bytes.data()));
  }
  const CUresult result = driver().cuLaunchKernel(kernel.function, size.blocks, 1, 1, size.threads, 1, 1,
                                                  size.shared_bytes, stream.state().stream, pointers.data(), nullptr);
  if (result != CUDA_SUCCESS) fail(result, "launching kernel '" + name + "' on " + state_->context->name());
}

KernelInfo DeviceModule::info(const std::string& name, unsigned threads, unsigned shared_bytes) const {
  const Kernel kernel = state_->find(name, shared_bytes);
  const cuda::Driver& functions = driver();
  KernelInfo info;
  info.registers = kernel_attribute(functions, kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
  info.local_bytes = kernel_attribute(functions, kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  info.shared_bytes = static_cast<int>(kernel.static_shared_bytes);
  check(functions.cuOccupancyMaxActiveBlocksPerMultiprocessor(&info.blocks_per_multiprocessor, kernel.function,
                                                              static_cast<int>(threads), shared_bytes),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return info;
}

}  // namespace matchcount
