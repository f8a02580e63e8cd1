#include "core/contexts.hpp"

namespace matchcount {

StartingContexts start_contexts(const std::vector<DeviceInfo>& devices) {
  StartingContexts contexts;
  for (const DeviceInfo& device : devices)
    contexts.push_back(std::async(std::launch::async, [device] { return DeviceContext(device); }));
  return contexts;
}

}  // namespace matchcount
