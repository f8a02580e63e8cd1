#include "bench/record.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "bench/commit.hpp"
#include "apps/machine.hpp"
#include "core/error.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

std::string commit() {
  const char* given = std::getenv("MATCHCOUNT_COMMIT");
  return given != nullptr && *given != '\0' ? given : commit_of_source;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The kernel module's, the first word with a point between digits: "NVRM version: ... Module  580.65.06  Release ...".
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return word;
  }
  return "unknown";
}

std::string capability(const DeviceInfo& device) {
  return std::to_string(device.major) + "." + std::to_string(device.minor);
}

}  // namespace

app::Json record_header(const CommandLine& line, const std::vector<DeviceInfo>& devices) {
  const app::Machine machine = app::this_machine();
  Json gpus = Json::array();
  for (const DeviceInfo& device : devices) {
    gpus.push_back({{"name", device.name},
                    {"index", device.index},
                    {"capability", capability(device)},
                    {"multiprocessors", device.multiprocessors},
                    {"clock_khz", device.clock_khz},
                    {"memory_bytes", device.memory_bytes}});
  }
  Json record;
  record["command"] = line.words[1];
  record["version"] = MATCHCOUNT_VERSION;
  record["commit"] = commit();
  record["date"] = now_utc();
  // Files without their folders, which say nothing elsewhere.
  record["command_line"] = Json::array();
  for (const std::string& word : line.words) {
    const bool is_path = &word == &line.words.front() || word.starts_with('/');
    record["command_line"].push_back(is_path ? std::filesystem::path(word).filename().string() : word);
  }
  record["machine"] = {{"cpu", machine.cpu_model},
                       {"architecture", machine.architecture},
                       {"instruction_set", machine.instruction_set},
                       {"cores", machine.usable_cores},
                       {"memory_bytes", machine.memory_bytes},
                       {"gpus", gpus},
                       {"driver", devices.empty() ? Json() : Json(driver_version())},
                       {"cuda_of_driver", devices.empty() ? Json() : Json(devices[0].driver_version)}};
  return record;
}

std::string machine_line(const std::vector<DeviceInfo>& devices, int num_threads) {
  if (devices.empty()) {
    return app::this_machine().cpu_model + ", " + app::format_count(num_threads, "thread", "threads");
  }
  const std::string count = devices.size() == 1 ? "" : std::to_string(devices.size()) + " x ";
  return count + devices[0].name + ", driver " + driver_version();
}

void write_record(const std::string& file, const app::Json& record) {
  errno = 0;
  std::ofstream stream(file);
  stream << record.dump() << "\n";
  if (!stream.flush()) throw InputError("--json " + file + ": " + std::strerror(errno), "a file that can be written");
}

}  // namespace matchcount::bench
