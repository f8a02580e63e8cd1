#include "permanent/ryser/cuda/minors_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>

#include "core/contexts.hpp"
#include "core/error.hpp"

namespace matchcount::gpu {
namespace {

// Blocks that fill a device, those of a launch, so that it is over soon, and of matrices that are on it together.
constexpr std::uint64_t enough_tasks = 1 << 9, tasks_of_launch = 1 << 12, tasks_of_group = 1 << 14;
constexpr double unit_roundoff = 0x1p-53;

// Kernels by device, for the process's life: at its end the driver may be gone before.
DeviceModule& module_of(const DeviceContext& context) {
  static std::mutex mutex;
  static auto& modules = *new std::map<int, DeviceModule>;
  const std::lock_guard lock(mutex);
  auto at = modules.find(context.device().index);
  if (at == modules.end())
    at = modules.emplace(context.device().index, DeviceModule(context, minors_image().code())).first;
  return at->second;
}

double products_error(int rows) { return std::expm1((rows + 2) * std::log1p(4 * unit_roundoff)); }

}  // namespace

// T has 32 roundings of as many terms, and what is added to a low bit's sum 16 times twice that, in 17 additions of at
// most 33 times the magnitudes; then come 2^(walk_bits - 5) sums, those of at most 32 groups, and those of the parts.
double MinorsPlan::relative_error() const {
  return products_error(frame.rows) + 2 * unit_roundoff * (2112 + std::ldexp(1, frame.walk_bits - 5) + frame.parts);
}
double MinorsPlan::relative_error_of_total() const {
  return products_error(frame.rows) + 2 * unit_roundoff * (64 + std::ldexp(1, frame.walk_bits) + frame.parts);
}

MinorsPlan plan_minors(int rows, std::uint64_t count) {
  const int lanes = rows <= 20 ? 4 : 8, of_lane = std::max(3, (rows + lanes - 1) / lanes);
  MinorsPlan plan;
  plan.frame.rows = rows;
  plan.frame.group_bits = std::countr_zero(minors_threads) - std::countr_zero(static_cast<unsigned>(lanes));
  const int bits = rows - 1 - plan.frame.group_bits;  // of walks and parts
  int of_parts = std::max(0, bits - most_walk_bits);
  while (bits - of_parts > low_walk_bits && count << of_parts < enough_tasks) ++of_parts;
  plan.frame.walk_bits = bits - of_parts;
  plan.frame.parts = 1u << of_parts;
  plan.kernel = "find_minors_" + std::to_string(lanes * of_lane);
  plan.shared_bytes = static_cast<unsigned>(2 * sizeof(double) *
                                            (static_cast<std::size_t>(rows * lanes * of_lane) +
                                             minors_threads * static_cast<std::size_t>(plan.frame.walk_bits + 1)));
  return plan;
}

void minors_on_gpu(const MinorsPlan& plan, std::span<double> numbers, std::span<const double> floors,
                   const DeviceInfo& device, const RunContext& run) {
  if (!minors_image().runs_on(device)) throw Unable("this build has no kernels of minors for " + device.name);
  const auto rows = static_cast<std::size_t>(plan.frame.rows);
  const std::size_t entries = 2 * rows * rows, sums = plan.sums(), parts = plan.frame.parts,
                    count = floors.size() / rows;
  const std::size_t group = std::clamp<std::size_t>(tasks_of_group / parts, 1, std::max<std::size_t>(1, count));
  const DeviceContext context = lasting_context(device);
  DeviceModule& module = module_of(context);
  DeviceStream stream(context);
  // One allocation: matrices, floors, and the sums of parts and of matrices, the same where a matrix is one part.
  const std::size_t floors_at = group * entries, parts_at = floors_at + group * rows,
                    sums_at = parts_at + (parts > 1 ? group * parts * sums : 0);
  DeviceBuffer buffer(context, (sums_at + group * sums) * sizeof(double));
  const auto address = [&](std::size_t at) { return argument(buffer.address() + at * sizeof(double)); };
  // From the last group to the first, whose sums take no more room than the matrices that have been read.
  const std::size_t num_groups = (count + group - 1) / group;
  for (std::size_t g = num_groups; g-- > 0;) {
    const std::size_t first = g * group, here = std::min(group, count - first);
    buffer.upload(std::as_bytes(numbers.subspan(first * entries, here * entries)));
    buffer.upload(std::as_bytes(floors.subspan(first * rows, here * rows)), floors_at * sizeof(double));
    const std::uint64_t tasks = here * parts, done = (num_groups - 1 - g) * group * parts;
    for (std::uint64_t task = 0; task < tasks; task += tasks_of_launch) {
      run.report("minors", static_cast<double>(done + task), static_cast<double>(num_groups * group * parts));
      module.launch(plan.kernel,
                    {static_cast<unsigned>(std::min(tasks_of_launch, tasks - task)), minors_threads, plan.shared_bytes},
                    stream, {argument(plan.frame), address(0), address(floors_at), argument(task), address(parts_at)});
      if (parts > 1) stream.synchronize();
    }
    if (parts > 1) {
      const std::uint64_t of_group = here * sums;
      module.launch("add_parts_of_minors",
                    {static_cast<unsigned>((of_group + minors_threads - 1) / minors_threads), minors_threads, 0},
                    stream, {argument(plan.frame), argument(of_group), address(parts_at), address(sums_at)});
    }
    stream.synchronize();
    buffer.download(std::as_writable_bytes(numbers.subspan(first * sums, here * sums)), sums_at * sizeof(double));
  }
}

}  // namespace matchcount::gpu
