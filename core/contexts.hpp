#pragma once
// Starts the contexts of several GPUs side by side.

#include <future>
#include <vector>

#include "core/device.hpp"

namespace matchcount {

// Contexts being made, each on a thread of its own: it takes a fifth of a second, in which a kernel can be planned and
// compiled.
using StartingContexts = std::vector<std::shared_future<DeviceContext>>;
StartingContexts start_contexts(const std::vector<DeviceInfo>& devices);

}  // namespace matchcount
