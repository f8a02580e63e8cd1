// Memory on the driver. Destructors ask the driver to free and don't look at its answer: after a failed kernel it
// refuses everything, and the failure has been reported by then.

#include "core/cuda/memory.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

using cuda::check;
using cuda::fail;

DeviceBuffer::State::State(std::shared_ptr<DeviceContext::State> device_context, std::size_t size)
    : context(std::move(device_context)), bytes(size) {
  if (bytes == 0) return;
  const CUresult result = context->current().cuMemAlloc_v2(&address, bytes);
  if (result != CUDA_SUCCESS) fail(result, std::to_string(bytes) + " bytes on " + context->name());
}
DeviceBuffer::State::~State() {
  if (bytes != 0) context->try_current().cuMemFree_v2(address);
}
CUdeviceptr DeviceBuffer::State::at(std::size_t offset, std::size_t count) const {
  if (offset > bytes || count > bytes - offset) {
    throw InputError(std::to_string(count) + " bytes from byte " + std::to_string(offset) + " on",
                     "a range inside a buffer of " + std::to_string(bytes) + " bytes");
  }
  return address + offset;
}

DeviceBuffer::DeviceBuffer(const DeviceContext& context, std::size_t bytes)
    : state_(std::make_shared<State>(context.state(), bytes)) {}
std::size_t DeviceBuffer::size_bytes() const { return state_->bytes; }
std::uint64_t DeviceBuffer::address() const { return state_->address; }

void DeviceBuffer::upload(std::span<const std::byte> bytes, std::size_t offset) {
  const CUdeviceptr target = state_->at(offset, bytes.size());
  if (bytes.empty()) return;
  check(state_->context->current().cuMemcpyHtoD_v2(target, bytes.data(), bytes.size()), "cuMemcpyHtoD");
}
void DeviceBuffer::download(std::span<std::byte> bytes, std::size_t offset) const {
  const CUdeviceptr source = state_->at(offset, bytes.size());
  if (bytes.empty()) return;
  check(state_->context->current().cuMemcpyDtoH_v2(bytes.data(), source, bytes.size()), "cuMemcpyDtoH");
}
void DeviceBuffer::clear() {
  if (state_->bytes == 0) return;
  check(state_->context->current().cuMemsetD8_v2(state_->address, 0, state_->bytes), "cuMemsetD8");
}

int device_holding(std::uint64_t address, std::size_t bytes) {
  const cuda::Driver& functions = cuda::driver();
  unsigned kind = 0;
  int device = 0;
  CUdeviceptr first = 0;
  std::size_t size = 0;
  const auto ask = [&](CUpointer_attribute what, auto& answer) {
    return functions.cuPointerGetAttribute(&answer, what, address) == CUDA_SUCCESS;
  };
  const bool known = ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, kind) && kind == CU_MEMORYTYPE_DEVICE &&
                     ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device) &&
                     ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, first) && ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, size);
  if (!known) throw InputError("an address that is none of a GPU's memory", "numbers on a GPU");
  if (address - first > size || bytes > size - (address - first)) {
    throw InputError(std::to_string(bytes) + " bytes, of which a GPU's memory has " +
                         std::to_string(size - std::min<std::size_t>(address - first, size)) + " there",
                     "numbers within one allocation");
  }
  return device;
}
void copy_from(const DeviceContext& context, std::uint64_t address, std::span<std::byte> to) {
  check(context.state()->current().cuMemcpyDtoH_v2(to.data(), address, to.size()), "cuMemcpyDtoH");
}

struct PinnedBuffer::State {
  State(std::shared_ptr<DeviceContext::State> device_context, std::size_t size)
      : context(std::move(device_context)), bytes(size) {
    if (bytes == 0) return;
    const CUresult result = context->current().cuMemAllocHost_v2(&memory, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
      throw Unable("the system gives no " + std::to_string(bytes) + " bytes to copy by");
    check(result, "cuMemAllocHost");
  }
  ~State() {
    if (bytes != 0) context->try_current().cuMemFreeHost(memory);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<DeviceContext::State> context;
  std::size_t bytes;
  void* memory = nullptr;
};

PinnedBuffer::PinnedBuffer(const DeviceContext& context, std::size_t bytes)
    : state_(std::make_shared<State>(context.state(), bytes)) {}
std::span<std::byte> PinnedBuffer::bytes() const { return {static_cast<std::byte*>(state_->memory), state_->bytes}; }

}  // namespace matchcount
