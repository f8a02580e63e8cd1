#include "linear/bits/fit.hpp"

#include <limits>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "linear/bits/cuda/product_gpu.hpp"

namespace matchcount {

void refuse_size(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                 const std::string& whose, double room) {
  std::size_t fits = 0, too_many = n;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= room ? fits : too_many) = middle;
  }
  throw OverLimit(what + " of " + std::to_string(n) + " rows takes " + memory_amount(bytes(n)) + ", and " + whose +
                      " is " + memory_amount(room) + ": " + std::to_string(fits) + " rows would fit",
                  std::numeric_limits<double>::quiet_NaN(), bytes(n));
}

void require_memory(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                    const RunContext& run) {
  if (run.has_memory_for(bytes(n))) return;
  refuse_size(what, n, bytes, "the memory limit", static_cast<double>(run.memory_limit_bytes()));
}

std::optional<DeviceInfo> choose_bit_gpu(const std::string& what, std::size_t n, double cpu_seconds,
                                         const std::function<double(std::size_t)>& device_bytes,
                                         const RunContext& run) {
  // Finding a GPU and making its context takes half a second.
  constexpr double patience_s = 1, share = 0.95;
  const DeviceChoice& choice = run.options().device;
  const bool automatic = choice.kind == DeviceChoice::Kind::automatic;
  if (choice.kind == DeviceChoice::Kind::cpu || (automatic && cpu_seconds < patience_s)) return std::nullopt;
  const std::vector<DeviceInfo> devices = choose_devices(choice);
  if (devices.empty()) return std::nullopt;
  const DeviceInfo& device = devices.front();
  const double room = share * static_cast<double>(device.memory_bytes);
  const bool has_products = !gpu::bit_routes(device).empty(), fits = device_bytes(n) <= room;
  if (automatic) return has_products && fits ? std::optional(device) : std::nullopt;
  if (!has_products) throw Unable(device.name + " has no tensor cores for bits, or this build no kernels for it");
  if (!fits) refuse_size(what, n, device_bytes, "the memory of " + device.name, room);
  return device;
}

}  // namespace matchcount
