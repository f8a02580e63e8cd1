#pragma once
// Names numbers that others have put into a GPU's memory, where kernels read them; and copies them to the host.
//
//   permanents(OnDevice<double>{address, 1000 * 12 * 12}, 12);  // photonics/on_device.hpp

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

// OnDevice says where numbers are, one behind the other; the address is that of the driver, which knows the device. The
// caller keeps them. Functions wait for all that the device was given to do in its primary context, and are done with
// them when they return.
template <class T>
struct OnDevice {
  std::uint64_t address = 0;
  std::size_t size = 0;
};

// Copies bytes to the host. Throws InputError where they are not within one allocation of a GPU's memory, Unable where
// there is no GPU, NotCompiled in a build without CUDA, DeviceError.
void copy_from_device(std::uint64_t address, std::span<std::byte> to);

}  // namespace matchcount
