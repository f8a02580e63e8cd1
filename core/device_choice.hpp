#pragma once
// Says which devices a computation may use: the CPU, GPUs, some of them.

#include <cstdint>
#include <string>
#include <vector>

namespace matchcount {

struct DeviceInfo {
  int index = 0;  // as the driver counts
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int clock_khz = 0;               // the highest
  std::uint64_t memory_bytes = 0;  // what is free only a context can tell
  int driver_version = 0;          // the newest CUDA that it runs: 1000 * major + 10 * minor
};

struct DeviceChoice {
  enum class Kind { automatic, cpu, cuda } kind = Kind::automatic;
  std::vector<int> indices;  // of cuda; empty: all
  // Of these, one of `shares` processes of a host takes every shares-th from number `share` on; where there are fewer
  // than processes, the one that is its own modulo their number.
  int share = 0;
  int shares = 1;
  std::vector<DeviceInfo> assumed = {};  // to plan for, whether they are here or not; empty: what is here
};
// "auto", "cpu", "cuda", "cuda:0,2". Throws InputError on anything else, a repeated index included.
DeviceChoice parse_device_choice(const std::string& text);

}  // namespace matchcount
