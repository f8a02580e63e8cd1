#include "core/run.hpp"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr double report_interval_s = 0.1;

// Returns the first number of a file of the kernel's; empty where the file is missing or says "max".
std::optional<std::uint64_t> read_number(const std::string& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

// Returns the number behind `key` in lines of "key number", the key without its colon.
std::optional<std::uint64_t> read_field(const std::string& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if (words >> word >> number && (word == key || word == key + ":")) return number;
  }
  return std::nullopt;
}

// Returns the folder and every folder above it, down to the root of the control groups.
std::vector<std::string> with_parents(const std::string& root, std::string path) {
  std::vector<std::string> folders;
  while (!path.empty() && path != "/") {
    folders.push_back(root + path);
    path.erase(path.rfind('/'));
  }
  folders.push_back(root);
  return folders;
}

struct ControlGroups {
  std::vector<std::string> unified;  // version 2, and the folders above
  std::vector<std::string> memory;   // version 1
  std::vector<std::string> cpu;      // version 1
};

ControlGroups find_control_groups() {
  ControlGroups groups;
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {  // "0::/path" or "4:memory:/path" or "3:cpu,cpuacct:/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") groups.unified = with_parents("/sys/fs/cgroup", path);
    if (controllers.find(",memory,") != std::string::npos) groups.memory = with_parents("/sys/fs/cgroup/memory", path);
    if (controllers.find(",cpu,") != std::string::npos) groups.cpu = with_parents("/sys/fs/cgroup/cpu", path);
  }
  return groups;
}

// Returns the room below a limit; pages of files that are not in use count as free, as the kernel gives them up first.
std::uint64_t room_below(std::uint64_t limit, const std::string& usage_file, const std::string& folder,
                         const std::string& inactive_key) {
  const std::uint64_t usage = read_number(usage_file).value_or(0);
  const std::uint64_t inactive = read_field(folder + "/memory.stat", inactive_key).value_or(0);
  const std::uint64_t used = usage - std::min(usage, inactive);
  return limit - std::min(limit, used);
}

std::uint64_t control_group_memory() {
  const ControlGroups groups = find_control_groups();
  std::uint64_t room = no_limit;
  for (const std::string& folder : groups.unified) {
    if (const auto limit = read_number(folder + "/memory.max")) {
      room = std::min(room, room_below(*limit, folder + "/memory.current", folder, "inactive_file"));
    }
  }
  for (const std::string& folder : groups.memory) {
    if (const auto limit = read_number(folder + "/memory.limit_in_bytes")) {
      room = std::min(room, room_below(*limit, folder + "/memory.usage_in_bytes", folder, "total_inactive_file"));
    }
  }
  return room;
}

// Cores that the quotas of the control groups amount to, rounded up.
int control_group_cores() {
  const ControlGroups groups = find_control_groups();
  double cores = std::numeric_limits<int>::max();
  const auto apply = [&](double quota, double period) {
    if (quota > 0 && period > 0) cores = std::min(cores, std::ceil(quota / period));
  };
  for (const std::string& folder : groups.unified) {
    std::ifstream stream(folder + "/cpu.max");  // "max 100000" or "200000 100000"
    double quota = 0, period = 0;
    if (stream >> quota >> period) apply(quota, period);
  }
  for (const std::string& folder : groups.cpu) {
    std::ifstream quota_stream(folder + "/cpu.cfs_quota_us");  // -1: none
    std::ifstream period_stream(folder + "/cpu.cfs_period_us");
    double quota = 0, period = 0;
    if (quota_stream >> quota && period_stream >> period) apply(quota, period);
  }
  return static_cast<int>(cores);
}

}  // namespace

Isa detected_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? Isa::avx512 : v3 ? Isa::avx2 : Isa::baseline;
#else
  return Isa::baseline;
#endif
}

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

int resolve_num_threads(const RunOptions& options) {
  if (options.num_threads < 0) {
    throw InputError(std::to_string(options.num_threads) + " threads", "1 or more, or 0 for every core");
  }
  if (options.num_threads > 0) return startable_threads(options.num_threads);
  int threads = omp_get_max_threads();
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) threads = std::min(threads, CPU_COUNT(&allowed));
#endif
  return startable_threads(std::max(1, std::min(threads, control_group_cores())));
}

std::uint64_t resolve_memory_limit(const RunOptions& options) {
  if (options.memory_limit_bytes != 0) return options.memory_limit_bytes;
  return available_memory_bytes() / 10 * 9;
}

RunOptions resolved(RunOptions options) {
  options.num_threads = resolve_num_threads(options);
  options.memory_limit_bytes = resolve_memory_limit(options);
  return options;
}

std::uint64_t available_memory_bytes() {
  std::uint64_t available = 0;
  if (const auto kilobytes = read_field("/proc/meminfo", "MemAvailable")) {
    available = *kilobytes * 1024;
  } else {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0) {
      available = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    }
  }
  return std::min(available, control_group_memory());
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

struct RunContext::State {
  explicit State(RunOptions given) : options(std::move(given)) {}
  double now_s() const {
    if (options.clock_s) return options.clock_s();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  RunOptions options;
  double start_s = now_s();
  std::once_flag threads_resolved, memory_resolved;
  int num_threads = 0;
  std::uint64_t memory_limit_bytes = 0;
  std::mutex mutex;  // of what follows
  double last_report_s = start_s;
};

RunContext::RunContext(RunOptions options, Work* work)
    : state_(std::make_shared<State>(std::move(options))), work_(work) {
  if (state_->options.num_threads < 0) resolve_num_threads(state_->options);  // throws
  if (std::isnan(state_->options.time_limit_s)) throw InputError("a time limit that is no number", "seconds");
}

const RunOptions& RunContext::options() const { return state_->options; }

int RunContext::num_threads() const {
  std::call_once(state_->threads_resolved, [&] { state_->num_threads = resolve_num_threads(state_->options); });
  return state_->num_threads;
}

std::uint64_t RunContext::memory_limit_bytes() const {
  std::call_once(state_->memory_resolved, [&] { state_->memory_limit_bytes = resolve_memory_limit(state_->options); });
  return state_->memory_limit_bytes;
}

bool RunContext::has_memory_for(double bytes) const {
  constexpr double next_to_nothing = 1 << 24;
  if (options().memory_limit_bytes == 0 && bytes <= next_to_nothing) return true;
  return bytes <= static_cast<double>(memory_limit_bytes());
}

int RunContext::num_ranks() const { return work_ ? work_->num_ranks() : 1; }

RunContext RunContext::in_part(std::string name) const {
  RunContext result = *this;
  result.part_ = std::move(name);
  return result;
}

double RunContext::elapsed_s() const { return state_->now_s() - state_->start_s; }

double RunContext::seconds_left() const {
  const double limit = options().time_limit_s;
  return std::isinf(limit) ? limit : limit - elapsed_s();  // to look at the clock takes 30 ns
}

void RunContext::check() const {
  const RunOptions& limits = options();
  if (limits.stop.stop_requested()) throw Cancelled("cancelled by the caller");
  if (limits.time_limit_s != std::numeric_limits<double>::infinity() && elapsed_s() > limits.time_limit_s)
    throw OverLimit("the time limit is over");
}

void RunContext::report(std::string_view phase, double done, double total) const {
  check();
  if (!options().on_progress) return;
  const std::unique_lock lock(state_->mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const double now_s = state_->now_s();
  if (now_s - state_->last_report_s < report_interval_s) return;
  state_->last_report_s = now_s;
  options().on_progress({phase, done, total});
}

}  // namespace matchcount
