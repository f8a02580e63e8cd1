#pragma once
// Finds the GPUs of this machine, and says which of them a run takes.
//
// The driver is loaded when it is first asked for, so that a program built with CUDA starts and counts on a machine
// without one. In a build without CUDA there are no devices.

#include <cstdint>
#include <string>
#include <vector>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

struct DeviceInfo {
  int index = 0;  // as the driver counts
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int clock_khz = 0;               // the highest
  std::uint64_t memory_bytes = 0;  // what is free only a context can tell
  int driver_version = 0;          // the newest CUDA that it runs: 1000 * major + 10 * minor
};

struct FoundDevices {
  std::vector<DeviceInfo> devices;
  std::string reason;  // why there is none: "this build has no CUDA", "no driver (libcuda.so.1)", ...; else empty
};
// A driver that fails is a reason and no exception. The first call of a process starts the driver, which takes an
// eighth of a second where there is one GPU (H200), and longer where there are more.
FoundDevices find_devices();

// Says whether this build has CUDA at all.
bool built_with_cuda();

// DeviceChoice is the meaning of --device.
struct DeviceChoice {
  enum class Kind { automatic, cpu, cuda } kind = Kind::automatic;
  std::vector<int> indices = {};  // of cuda; empty: all
  // One of `shares` processes of a host takes every shares-th of these devices from number `share` on; where there are
  // fewer than processes, the one that is its own modulo their number.
  int share = 0;
  int shares = 1;
  std::vector<DeviceInfo> assumed = {};  // to plan for, whether they are here or not; empty: what is here
};
// Reads "auto", "cpu", "cuda", "cuda:0,2". Throws InputError on anything else, a repeated index included.
DeviceChoice parse_device_choice(const std::string& text);
// Returns a model that plans may be made for on machines without it: "h200", "h100" (both SXM) or "a100". Throws
// InputError.
DeviceInfo known_device(const std::string& name);
// Returns the devices that a choice names, of those that were there at the process's first call. Throws Unable with the
// reason where cuda is asked for and there is none or an index does not exist (NotCompiled in a build without CUDA);
// empty for cpu, and for automatic where there is none.
std::vector<DeviceInfo> choose_devices(const DeviceChoice& choice);
// The same of devices that were found before.
std::vector<DeviceInfo> choose_devices(const DeviceChoice& choice, const FoundDevices& found);

}  // namespace matchcount
