#pragma once
// Refuses sizes that would pass the memory limit, or a GPU's memory, before anything begins, and chooses that GPU.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/device_choice.hpp"
#include "core/run.hpp"

namespace matchcount {

// Throws OverLimit where bytes(n), which rises with n, is past the limit of `run`; the message says what `what` of n
// rows would take, and how many rows would fit.
void require_memory(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                    const RunContext& run);

// Throws OverLimit: bytes(n), which rises with n, is past the room that `whose` is; how many rows would fit.
[[noreturn]] void refuse_size(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                              const std::string& whose, double room);

// Returns the GPU that a task of n rows takes, of device_bytes(n) there: the first that run's options name, or, where
// they leave the choice, one with room for it if the CPU would take seconds. Nothing: the CPU. Throws OverLimit, and
// says how many rows would fit, where the GPU that was asked for has too little memory, and Unable where it has no
// products of bits.
std::optional<DeviceInfo> choose_bit_gpu(const std::string& what, std::size_t n, double cpu_seconds,
                                         const std::function<double(std::size_t)>& device_bytes, const RunContext& run);

}  // namespace matchcount
