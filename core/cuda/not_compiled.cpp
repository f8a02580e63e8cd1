// A build without CUDA: there are no devices, and what needs one says why.

#include "core/device.hpp"
#include "core/error.hpp"

namespace matchcount {
namespace {

[[noreturn]] void refuse() { throw NotCompiled("this build has no CUDA"); }

}  // namespace

FoundDevices find_devices() { return {{}, "this build has no CUDA"}; }
bool built_with_cuda() { return false; }
std::string why_no_kernel_compiler() { return "this build has no CUDA"; }
CompiledKernel compile_kernel(const std::string&, int, int, const std::string&) { refuse(); }

// No context can be made, and so nothing that needs one.
DeviceContext::DeviceContext(const DeviceInfo&) { refuse(); }
const DeviceInfo& DeviceContext::device() const { refuse(); }
std::uint64_t DeviceContext::free_bytes() const { refuse(); }
void DeviceContext::synchronize() const { refuse(); }

RestoredContext::RestoredContext() = default;
RestoredContext::~RestoredContext() = default;

bool reach_each_other(const std::vector<DeviceInfo>&) { return true; }  // those that plans assume
void connect(const std::vector<DeviceContext>&) { refuse(); }
DeviceBuffer::DeviceBuffer(const DeviceContext&, std::size_t) { refuse(); }
std::size_t DeviceBuffer::size_bytes() const { refuse(); }
std::uint64_t DeviceBuffer::address() const { refuse(); }
void DeviceBuffer::upload(std::span<const std::byte>, std::size_t) { refuse(); }
void DeviceBuffer::download(std::span<std::byte>, std::size_t) const { refuse(); }
void DeviceBuffer::clear() { refuse(); }

int device_holding(std::uint64_t, std::size_t) { refuse(); }
void copy_from(const DeviceContext&, std::uint64_t, std::span<std::byte>) { refuse(); }

PinnedBuffer::PinnedBuffer(const DeviceContext&, std::size_t) { refuse(); }
std::span<std::byte> PinnedBuffer::bytes() const { refuse(); }

DeviceStream::DeviceStream(const DeviceContext&) { refuse(); }
void DeviceStream::record(DeviceEvent&) { refuse(); }
void DeviceStream::wait(const DeviceEvent&) { refuse(); }
void DeviceStream::upload(DeviceBuffer&, std::size_t, std::span<const std::byte>) { refuse(); }
void DeviceStream::download(const DeviceBuffer&, std::size_t, std::span<std::byte>) { refuse(); }
void DeviceStream::copy(DeviceBuffer&, std::size_t, const DeviceBuffer&, std::size_t, std::size_t) { refuse(); }
void DeviceStream::synchronize() const { refuse(); }
bool DeviceStream::finished() const { refuse(); }

DeviceEvent::DeviceEvent(const DeviceContext&) { refuse(); }
double DeviceEvent::seconds_since(const DeviceEvent&) const { refuse(); }

TileMap tile_map(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, unsigned) { refuse(); }

KernelArgument argument(const DeviceBuffer&) { refuse(); }

DeviceModule::DeviceModule(const DeviceContext&, std::span<const std::byte>) { refuse(); }
void DeviceModule::launch(const std::string&, const LaunchSize&, DeviceStream&, const std::vector<KernelArgument>&) {
  refuse();
}
KernelInfo DeviceModule::info(const std::string&, unsigned, unsigned) const { refuse(); }

}  // namespace matchcount
