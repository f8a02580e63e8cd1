#pragma once
// Starts the contexts of several GPUs side by side, and keeps those that are wanted again and again.

#include <future>
#include <vector>

#include "core/device.hpp"

namespace matchcount {

// Contexts being made, each on a thread of its own: it takes a fifth of a second, in which a kernel can be planned and
// compiled.
using StartingContexts = std::vector<std::shared_future<DeviceContext>>;
StartingContexts start_contexts(const std::vector<DeviceInfo>& devices);

// A context that lasts as long as the process: of a device it is made once. For work that comes in many small calls.
DeviceContext lasting_context(const DeviceInfo& device);
bool has_lasting_contexts(const std::vector<DeviceInfo>& devices);

}  // namespace matchcount
