#include "core/device.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/error.hpp"

namespace matchcount {
namespace {

std::string listed(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    if (!text.empty()) text += ", ";
    text += "cuda:" + std::to_string(device.index) + " (" + device.name + ")";
  }
  return text;
}

std::vector<DeviceInfo> all_chosen(const DeviceChoice& choice, const FoundDevices& found) {
  if (choice.kind == DeviceChoice::Kind::cpu) return {};
  if (choice.kind == DeviceChoice::Kind::automatic) return found.devices;
  if (found.devices.empty()) throw Unable("no GPU: " + found.reason);
  if (choice.indices.empty()) return found.devices;
  std::vector<DeviceInfo> chosen;
  for (const int index : choice.indices) {
    const auto at = std::find_if(found.devices.begin(), found.devices.end(),
                                 [index](const DeviceInfo& device) { return device.index == index; });
    if (at == found.devices.end()) {
      throw Unable("there is no device cuda:" + std::to_string(index) + "; found: " + listed(found.devices));
    }
    chosen.push_back(*at);
  }
  return chosen;
}

}  // namespace

double operations_per_second(const std::vector<DeviceInfo>& devices) {
  double rate = 0;
  for (const DeviceInfo& device : devices) {
    // Units for doubles of a multiprocessor: those of servers have many, those of other cards two.
    const double units = device.minor == 0 && device.major >= 8 ? 64 : 2;
    rate += units * device.multiprocessors * 1e3 * device.clock_khz;
  }
  return rate;
}

DeviceInfo known_device(const std::string& name) {
  const auto server = [](const char* full_name, int major, int multiprocessors, int clock_khz,
                         std::uint64_t gibibytes) {
    DeviceInfo device;
    device.name = full_name;
    device.major = major;
    device.multiprocessors = multiprocessors;
    device.clock_khz = clock_khz;
    device.memory_bytes = gibibytes << 30;
    return device;
  };
  if (name == "h200") return server("NVIDIA H200", 9, 132, 1'980'000, 139);
  if (name == "h100") return server("NVIDIA H100", 9, 132, 1'980'000, 79);
  if (name == "a100") return server("NVIDIA A100", 8, 108, 1'410'000, 79);
  throw InputError("device '" + name + "'", "auto, cpu, cuda, cuda:0,1,.. or, to plan for, h200, h100 or a100");
}

DeviceChoice parse_device_choice(const std::string& text) {
  using Kind = DeviceChoice::Kind;
  if (text == "auto") return {Kind::automatic, {}};
  if (text == "cpu") return {Kind::cpu, {}};
  if (text == "cuda") return {Kind::cuda, {}};
  const InputError refusal("device '" + text + "'", "auto, cpu, cuda or cuda:0,1,..");
  constexpr std::string_view prefix = "cuda:";
  if (!text.starts_with(prefix)) throw refusal;
  DeviceChoice choice{Kind::cuda, {}};
  const char* at = text.data() + prefix.size();
  const char* const end = text.data() + text.size();
  while (true) {
    unsigned index = 0;  // unsigned: no minus sign
    const auto [next, error] = std::from_chars(at, end, index);
    // No machine has so many; it also keeps the index an int.
    constexpr unsigned max_index = 9999;
    if (error != std::errc() || index > max_index) throw refusal;
    const int number = static_cast<int>(index);
    if (std::find(choice.indices.begin(), choice.indices.end(), number) != choice.indices.end()) {
      throw InputError("device '" + text + "', which names " + std::to_string(number) + " twice", "each device once");
    }
    choice.indices.push_back(number);
    if (next == end) return choice;
    if (*next != ',') throw refusal;
    at = next + 1;
  }
}

std::vector<DeviceInfo> choose_devices(const DeviceChoice& choice, const FoundDevices& found) {
  const std::vector<DeviceInfo> all = all_chosen(choice, found);
  if (choice.shares <= 1 || all.empty()) return all;
  const auto share = static_cast<std::size_t>(choice.share), shares = static_cast<std::size_t>(choice.shares);
  std::vector<DeviceInfo> mine;
  for (std::size_t i = share % all.size(); i < all.size(); i += shares) mine.push_back(all[i]);
  return mine;
}

std::vector<DeviceInfo> choose_devices(const DeviceChoice& choice) {
  if (!choice.assumed.empty()) return choice.assumed;
  if (choice.kind == DeviceChoice::Kind::cpu) return {};  // nobody starts the driver for nothing
  if (choice.kind == DeviceChoice::Kind::cuda && !built_with_cuda()) throw NotCompiled("this build has no CUDA");
  static const FoundDevices found = find_devices();  // to ask the driver again takes longer than a small batch
  return choose_devices(choice, found);
}

std::string default_kernel_cache() {
  if (const char* folder = std::getenv("MATCHCOUNT_CACHE_DIR")) return folder;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/matchcount";  // relative ones are to be ignored
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/matchcount";
  return {};
}

}  // namespace matchcount
