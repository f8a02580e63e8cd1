#include "core/kernel_image.hpp"

#include <sstream>

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

}  // namespace matchcount
