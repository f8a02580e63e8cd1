#pragma once
// Starts the contexts of several GPUs side by side, keeps those that are wanted again and again, and shares work among
// GPUs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "core/device.hpp"

namespace matchcount {

// Contexts being made, each on a thread of its own: it takes a fifth of a second, in which a kernel can be planned and
// compiled.
using StartingContexts = std::vector<std::shared_future<DeviceContext>>;
StartingContexts start_contexts(const std::vector<DeviceInfo>& devices);

// Returns a context that lasts as long as the process: of a device it is made once. For work that comes in many small
// calls.
DeviceContext lasting_context(const DeviceInfo& device);
// Returns that of the device in whose memory these bytes are, when all its work is done. Throws as device_holding does.
DeviceContext context_holding(std::uint64_t address, std::size_t bytes);
StartingContexts lasting_contexts(const std::vector<DeviceInfo>& devices);
bool has_lasting_contexts(const std::vector<DeviceInfo>& devices);

// Calls body(i) for each of `count` >= 1 devices, or as many as threads can be had for, on a host thread of its own,
// the first on this one, again and again until it returns false there. The first exception ends it on all of them and
// is rethrown here.
void on_devices(std::size_t count, const std::function<bool(std::size_t)>& body);

// The same with a worker for each device, which make(i) returns on its thread: calls run(worker). Returns the workers,
// null where a device had none.
template <class Make, class Run>
auto work_on_devices(std::size_t count, const Make& make, const Run& run) {
  std::vector<decltype(make(count))> workers(count);
  on_devices(count, [&](std::size_t i) {
    if (!workers[i]) workers[i] = make(i);
    return run(*workers[i]);
  });
  return workers;
}

}  // namespace matchcount
