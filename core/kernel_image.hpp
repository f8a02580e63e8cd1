#pragma once
// Holds machine code that was compiled with the program, and says which devices it is for.

#include <cstddef>
#include <span>
#include <string>

#include "core/device.hpp"

namespace matchcount {

// Says whether an image for these compute capabilities, such as "80,90a", has code for the device: machine code runs on
// later devices of the same major version, and PTX of the newest on whatever is newer; code for 90a on 9.0 alone.
bool image_is_for(const std::string& architectures, const DeviceInfo& device);

// KernelImage holds what matchcount_fatbin (cmake/MatchcountCuda.cmake) puts into a library; a function of the image's
// name gives it.
class KernelImage {
 public:
  KernelImage() = default;  // a build without CUDA has nothing else
  KernelImage(std::span<const std::byte> code, std::string architectures);

  // Returns the code for DeviceModule. Throws NotCompiled in a build without CUDA.
  std::span<const std::byte> code() const;
  bool runs_on(const DeviceInfo& device) const;
  // Throws Unable, with what the kernels are of, where it does not run on the device.
  void require(const DeviceInfo& device, const std::string& what) const;

 private:
  std::span<const std::byte> code_;
  std::string architectures_;
};

}  // namespace matchcount
