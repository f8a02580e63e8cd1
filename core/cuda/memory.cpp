// Memory on the driver. Destructors ask the driver to free and don't look at its answer: after a failed kernel it
// refuses everything, and the failure has been reported by then.

#include "core/cuda/memory.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

using cuda::check;
using cuda::fail;

namespace {

// A range over several devices has so many parts: more than a launch works on at a time, so that it is spread over all
// of them.
constexpr std::size_t parts_wanted = 1024;

CUmemAllocationProp memory_of(CUdevice device) {
  CUmemAllocationProp memory{};
  memory.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  memory.location.id = device;
  return memory;
}

}  // namespace

void SharedRange::make(std::size_t bytes) {
  const cuda::Driver& functions = contexts_.front()->current();
  std::size_t granularity = 1;
  std::vector<CUmemAccessDesc> access;
  for (const auto& context : contexts_) {
    std::size_t own = 0;
    const CUmemAllocationProp memory = memory_of(context->device);
    check(functions.cuMemGetAllocationGranularity(&own, &memory, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
          "cuMemGetAllocationGranularity");
    granularity = std::max(granularity, own);
    const auto is_it = [&](const CUmemAccessDesc& given) { return given.location.id == context->device; };
    if (std::none_of(access.begin(), access.end(), is_it))
      access.push_back({memory.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  }
  part_bytes_ = (bytes / parts_wanted / granularity + 1) * granularity;
  const std::size_t parts = (bytes + part_bytes_ - 1) / part_bytes_;
  check(functions.cuMemAddressReserve(&address_, parts * part_bytes_, 0, 0, 0), "cuMemAddressReserve");
  reserved_ = parts * part_bytes_;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto& context = contexts_[i % contexts_.size()];
    const CUmemAllocationProp memory = memory_of(context->device);
    CUmemGenericAllocationHandle part = 0;
    const CUresult result = context->current().cuMemCreate(&part, part_bytes_, &memory, 0);
    if (result != CUDA_SUCCESS) {
      fail(result, "part " + std::to_string(i + 1) + " of " + std::to_string(parts) + ", of " +
                       std::to_string(part_bytes_) + " bytes each, on " + context->name());
    }
    // The mapping keeps it.
    const CUresult mapped = functions.cuMemMap(address_ + i * part_bytes_, part_bytes_, 0, part, 0);
    functions.cuMemRelease(part);
    check(mapped, "cuMemMap");
    ++mapped_;
  }
  check(functions.cuMemSetAccess(address_, reserved_, access.data(), access.size()), "cuMemSetAccess");
}
void SharedRange::free() noexcept {
  const cuda::Driver& functions = contexts_.front()->try_current();
  for (const auto& context : contexts_) context->try_current().cuCtxSynchronize();
  for (std::size_t i = 0; i < mapped_; ++i) functions.cuMemUnmap(address_ + i * part_bytes_, part_bytes_);
  if (reserved_ != 0) functions.cuMemAddressFree(address_, reserved_);
}

DeviceBuffer::State::State(std::shared_ptr<DeviceContext::State> device_context, std::size_t size)
    : context(std::move(device_context)), bytes(size) {
  if (bytes == 0) return;
  const CUresult result = context->current().cuMemAlloc_v2(&address, bytes);
  if (result != CUDA_SUCCESS) fail(result, std::to_string(bytes) + " bytes on " + context->name());
}
DeviceBuffer::State::State(SharedRange::Contexts contexts, std::size_t size)
    : context(contexts.front()),
      bytes(size),
      shared(std::make_unique<SharedRange>(std::move(contexts), std::max<std::size_t>(size, 1))),
      address(shared->address()) {}
DeviceBuffer::State::~State() {
  if (bytes != 0 && !shared) context->try_current().cuMemFree_v2(address);
}
CUdeviceptr DeviceBuffer::State::at(std::size_t offset, std::size_t count) const {
  if (offset > bytes || count > bytes - offset) {
    throw InputError(std::to_string(count) + " bytes from byte " + std::to_string(offset) + " on",
                     "a range inside a buffer of " + std::to_string(bytes) + " bytes");
  }
  return address + offset;
}
CUdeviceptr DeviceBuffer::State::on_one_device(std::size_t offset, std::size_t count) const {
  if (shared) throw InputError("a buffer on several devices", "a buffer on one, for a stream to copy");
  return at(offset, count);
}

DeviceBuffer::DeviceBuffer(const DeviceContext& context, std::size_t bytes)
    : state_(std::make_shared<State>(context.state(), bytes)) {}
DeviceBuffer::DeviceBuffer(const std::vector<DeviceContext>& contexts, std::size_t bytes) {
  SharedRange::Contexts states;
  for (const DeviceContext& context : contexts) states.push_back(context.state());
  if (states.empty()) throw InputError("no device", "at least one, for a buffer");
  state_ = states.size() == 1 ? std::make_shared<State>(states.front(), bytes)
                              : std::make_shared<State>(std::move(states), bytes);
}
std::size_t DeviceBuffer::size_bytes() const { return state_->bytes; }
std::uint64_t DeviceBuffer::address() const { return state_->address; }

void DeviceBuffer::upload(std::span<const std::byte> bytes, std::size_t offset) {
  const CUdeviceptr target = state_->at(offset, bytes.size());
  if (bytes.empty()) return;
  const auto copy = [&](const cuda::Driver& functions, CUdeviceptr to, std::size_t from, std::size_t count) {
    check(functions.cuMemcpyHtoD_v2(to, bytes.data() + from, count), "cuMemcpyHtoD");
  };
  if (state_->shared) return state_->shared->by_parts(target, bytes.size(), copy);
  copy(state_->context->current(), target, 0, bytes.size());
}
void DeviceBuffer::download(std::span<std::byte> bytes, std::size_t offset) const {
  const CUdeviceptr source = state_->at(offset, bytes.size());
  if (bytes.empty()) return;
  const auto copy = [&](const cuda::Driver& functions, CUdeviceptr from, std::size_t to, std::size_t count) {
    check(functions.cuMemcpyDtoH_v2(bytes.data() + to, from, count), "cuMemcpyDtoH");
  };
  if (state_->shared) return state_->shared->by_parts(source, bytes.size(), copy);
  copy(state_->context->current(), source, 0, bytes.size());
}
void DeviceBuffer::clear() {
  if (state_->bytes == 0) return;
  const auto set = [](const cuda::Driver& functions, CUdeviceptr at, std::size_t, std::size_t count) {
    check(functions.cuMemsetD8_v2(at, 0, count), "cuMemsetD8");
  };
  if (state_->shared) return state_->shared->by_parts(state_->address, state_->bytes, set);
  set(state_->context->current(), state_->address, 0, state_->bytes);
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
