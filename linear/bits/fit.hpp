#pragma once
// Refuses sizes that would pass the memory limit before anything begins.

#include <cstddef>
#include <functional>
#include <string>

#include "core/run.hpp"

namespace matchcount {

// Throws OverLimit where bytes(n), which rises with n, is past the limit of `run`; the message says what `what` of n
// rows would take, and how many rows would fit.
void require_memory(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                    const RunContext& run);

}  // namespace matchcount
