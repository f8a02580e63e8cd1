#include "core/kernel_image.hpp"

#include <sstream>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

bool image_is_for(const std::string& architectures, const DeviceInfo& device) {
  std::istringstream list(architectures);
  const int capability = 10 * device.major + device.minor;
  bool found = false;
  int newest = 0;
  for (std::string item; std::getline(list, item, ',');) {
    const int compiled = std::stoi(item);
    const bool portable = item.find_first_not_of("0123456789") == std::string::npos;
    found = found || compiled == capability || (portable && compiled / 10 == device.major && compiled <= capability);
    if (compiled > newest) newest = portable ? compiled : 1000;
  }
  return found || capability >= newest;
}

KernelImage::KernelImage(std::span<const std::byte> code, std::string architectures)
    : code_(code), architectures_(std::move(architectures)) {}

std::span<const std::byte> KernelImage::code() const {
  if (code_.empty()) throw NotCompiled("this build has no CUDA");
  return code_;
}

bool KernelImage::runs_on(const DeviceInfo& device) const {
  return !code_.empty() && image_is_for(architectures_, device);
}

void KernelImage::require(const DeviceInfo& device, const std::string& what) const {
  if (!runs_on(device)) throw Unable("this build has no kernels of " + what + " for " + device.name);
}

}  // namespace matchcount
