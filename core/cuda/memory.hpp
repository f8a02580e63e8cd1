#pragma once
// Holds memory of one device, or a range of addresses over several. Private to this folder.

#include <algorithm>
#include <memory>
#include <vector>

#include "core/cuda/driver.hpp"

namespace matchcount {

// A range of addresses whose parts lie on several devices in turn.
class SharedRange {
 public:
  using Contexts = std::vector<std::shared_ptr<DeviceContext::State>>;

  SharedRange(Contexts contexts, std::size_t bytes) : contexts_(std::move(contexts)) {
    try {
      make(bytes);
    } catch (...) {
      free();
      throw;
    }
  }
  ~SharedRange() { free(); }
  SharedRange(const SharedRange&) = delete;
  SharedRange& operator=(const SharedRange&) = delete;

  CUdeviceptr address() const { return address_; }

  // copy(address, from, count) for the pieces of [begin, begin + bytes) that lie on one device each, when all earlier
  // work of the devices is done; and waits for them.
  template <class Copy>
  void by_parts(CUdeviceptr begin, std::size_t bytes, const Copy& copy) const {
    for (const auto& context : contexts_) cuda::check(context->current().cuCtxSynchronize(), "cuCtxSynchronize");
    const cuda::Driver& functions = contexts_.front()->current();
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t rest_of_part = part_bytes_ - (begin + done - address_) % part_bytes_;
      const std::size_t count = std::min(bytes - done, rest_of_part);
      copy(functions, begin + done, done, count);
      done += count;
    }
    cuda::check(functions.cuCtxSynchronize(), "cuCtxSynchronize");
  }

 private:
  void make(std::size_t bytes);
  void free() noexcept;

  Contexts contexts_;
  CUdeviceptr address_ = 0;
  std::size_t part_bytes_ = 1, reserved_ = 0, mapped_ = 0;
};

struct DeviceBuffer::State {
  State(std::shared_ptr<DeviceContext::State> device_context, std::size_t size);
  State(SharedRange::Contexts contexts, std::size_t size);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  CUdeviceptr at(std::size_t offset, std::size_t count) const;
  // Returns an address for copies by streams.
  CUdeviceptr on_one_device(std::size_t offset, std::size_t count) const;

  std::shared_ptr<DeviceContext::State> context;
  std::size_t bytes;
  std::unique_ptr<SharedRange> shared;  // where several devices have it
  CUdeviceptr address = 0;
};

}  // namespace matchcount
