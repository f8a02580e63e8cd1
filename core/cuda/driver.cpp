#include "core/cuda/driver.hpp"

#include <array>

#include "core/amounts.hpp"
#include "core/error.hpp"

namespace matchcount::cuda {
namespace {

constexpr const char* driver_library = "libcuda.so.1";

struct Loaded {
  Driver functions;
  std::string reason;  // why it can't be used
};

// Returns the driver's words for a code: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
std::string words(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* description = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "error " + std::to_string(static_cast<int>(result));
  }
  std::string text = name;
  if (driver.cuGetErrorString(result, &description) == CUDA_SUCCESS && description != nullptr) {
    text += std::string(" (") + description + ")";
  }
  return text;
}

Loaded load() {
  const std::array<std::string, 1> names{driver_library};
  Loaded loaded{{Library(names)}, {}};
  const Driver& driver = loaded.functions;
  if (!driver.from.found()) {
    loaded.reason = std::string("no driver (") + driver_library + ")";
    return loaded;
  }
  if (driver.from.missing() != nullptr) {
    loaded.reason = std::string("the driver (") + driver_library + ") is too old: it lacks " + driver.from.missing();
    return loaded;
  }
  const CUresult result = driver.cuInit(0);
  if (result != CUDA_SUCCESS) loaded.reason = "the driver does not start: " + words(driver, result);
  return loaded;
}

const Loaded& loaded_driver() {
  static const Loaded loaded = load();
  return loaded;
}

}  // namespace

const Driver& driver() {
  const Loaded& loaded = loaded_driver();
  if (!loaded.reason.empty()) throw Unable(loaded.reason);
  return loaded.functions;
}

void fail(CUresult result, const std::string& what) {
  const Driver& driver = cuda::driver();
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::string text = what + ": out of device memory";
    std::size_t free = 0, total = 0;
    if (driver.cuMemGetInfo_v2(&free, &total) == CUDA_SUCCESS) {
      text += "; " + memory_amount(static_cast<double>(free)) + " of " + memory_amount(static_cast<double>(total)) +
              " are free";
    }
    throw Unable(text);
  }
  throw DeviceError(what + ": " + words(driver, result));
}

}  // namespace matchcount::cuda
