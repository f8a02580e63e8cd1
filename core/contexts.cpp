#include "core/contexts.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "core/device_memory.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

namespace matchcount {
namespace {

struct Lasting {
  std::mutex mutex;
  std::map<int, DeviceContext> contexts;
};
// Never freed: at the process's end the driver may be gone before.
Lasting& lasting() {
  static Lasting& kept = *new Lasting;
  return kept;
}

}  // namespace

StartingContexts start_contexts(const std::vector<DeviceInfo>& devices) {
  StartingContexts contexts;
  for (const DeviceInfo& device : devices)
    contexts.push_back(std::async(std::launch::async, [device] { return DeviceContext(device); }));
  return contexts;
}

DeviceContext lasting_context(const DeviceInfo& device) {
  const std::lock_guard lock(lasting().mutex);
  return lasting().contexts.try_emplace(device.index, device).first->second;
}

StartingContexts lasting_contexts(const std::vector<DeviceInfo>& devices) {
  StartingContexts contexts;
  for (const DeviceInfo& device : devices)
    contexts.push_back(std::async(std::launch::deferred, [device] { return lasting_context(device); }));
  return contexts;
}

DeviceContext context_holding(std::uint64_t address, std::size_t bytes) {
  const int index = device_holding(address, bytes);
  const std::vector<DeviceInfo> devices = choose_devices({DeviceChoice::Kind::cuda, {}});
  const auto at = std::ranges::find(devices, index, &DeviceInfo::index);
  if (at == devices.end()) throw Unable("the GPU " + std::to_string(index) + " is none that this program takes");
  const DeviceContext context = lasting_context(*at);
  context.synchronize();
  return context;
}

void copy_from_device(std::uint64_t address, std::span<std::byte> to) {
  const RestoredContext restored;
  if (!to.empty()) copy_from(context_holding(address, to.size()), address, to);
}

bool has_lasting_contexts(const std::vector<DeviceInfo>& devices) {
  const std::lock_guard lock(lasting().mutex);
  return std::ranges::all_of(devices,
                             [](const DeviceInfo& device) { return lasting().contexts.contains(device.index); });
}

// Starts threads of its own, no team of OpenMP's: within one, the threads that a worker asks for would be one.
void on_devices(std::size_t count, const std::function<bool(std::size_t)>& body) {
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  const auto work = [&](std::size_t i) {
    try {
      while (!failed && body(i)) {
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  const auto threads = static_cast<std::size_t>(startable_threads(static_cast<int>(count)));
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  others.clear();
  if (error) std::rethrow_exception(error);
}

}  // namespace matchcount
