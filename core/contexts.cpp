#include "core/contexts.hpp"

#include <algorithm>
#include <map>
#include <mutex>

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

bool has_lasting_contexts(const std::vector<DeviceInfo>& devices) {
  const std::lock_guard lock(lasting().mutex);
  return std::ranges::all_of(devices,
                             [](const DeviceInfo& device) { return lasting().contexts.contains(device.index); });
}

}  // namespace matchcount
