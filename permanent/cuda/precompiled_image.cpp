// The image that matchcount_fatbin puts into the library, and which devices it is for.

#include <sstream>
#include <string>

#include "permanent/cuda/precompiled.hpp"

extern "C" {
extern const unsigned char precompiled_kernels_begin[];
extern const std::size_t precompiled_kernels_size;
}

namespace matchcount::gpu {

std::span<const std::byte> precompiled_image() {
  return std::as_bytes(std::span(precompiled_kernels_begin, precompiled_kernels_size));
}

bool precompiled_for(const DeviceInfo& device) {
  // "80,90a": machine code runs on later devices of the same major version, PTX of the newest on whatever is newer;
  // code for 90a on 9.0 alone.
  std::istringstream list(MATCHCOUNT_CUDA_ARCHITECTURES);
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

}  // namespace matchcount::gpu
