#pragma once
// Machine code that was compiled with the program, and the devices that it is for.

#include <string>

#include "core/device.hpp"

namespace matchcount {

// Whether an image for these compute capabilities, such as "80,90a", has code for the device: machine code runs on
// later devices of the same major version, and PTX of the newest on whatever is newer; code for 90a on 9.0 alone.
bool image_is_for(const std::string& architectures, const DeviceInfo& device);

}  // namespace matchcount
