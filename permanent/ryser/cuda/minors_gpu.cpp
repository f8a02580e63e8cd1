#include "permanent/ryser/cuda/minors_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/contexts.hpp"
#include "core/error.hpp"

namespace matchcount::gpu {
namespace {

// Blocks of a launch, so that it is over soon, and of matrices that are on the device together.
constexpr std::uint64_t tasks_of_launch = 1 << 10, tasks_of_group = 1 << 14;
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
// most 33 times the magnitudes; then come 2^(walk_bits - 5) sums, those of the threads, and those of the parts.
double MinorsPlan::relative_error() const {
  return products_error(frame.rows) + 2 * unit_roundoff * (2112 + std::ldexp(1, frame.walk_bits - 5) + frame.parts);
}
double MinorsPlan::relative_error_of_total() const {
  return products_error(frame.rows) + 2 * unit_roundoff * (64 + std::ldexp(1, frame.walk_bits) + frame.parts);
}

MinorsPlan plan_minors(int rows, std::uint64_t count) {
  MinorsPlan plan;
  plan.frame.rows = rows;
  const int bits = rows - 1 - minors_thread_bits;  // of walks and parts
  int of_parts = std::max(0, bits - most_walk_bits);
  while (bits - of_parts > low_walk_bits && count << of_parts < tasks_of_launch) ++of_parts;
  plan.frame.walk_bits = bits - of_parts;
  plan.frame.parts = 1u << of_parts;
  plan.kernel = "find_minors_" + std::to_string(rows <= 12 ? 12 : rows <= 20 ? 20 : 32);
  plan.shared_bytes = static_cast<unsigned>(
      2 * sizeof(double) *
      (static_cast<std::size_t>(rows * rows) + minors_threads * static_cast<std::size_t>(plan.frame.walk_bits + 1)));
  return plan;
}

std::vector<double> minors_on_gpu(const MinorsPlan& plan, std::span<const double> matrices,
                                  std::span<const double> floors, const DeviceInfo& device, const RunContext& run) {
  if (!minors_image().runs_on(device)) throw Unable("this build has no kernels of minors for " + device.name);
  const auto rows = static_cast<std::size_t>(plan.frame.rows);
  const std::size_t entries = 2 * rows * rows, sums = plan.sums(), count = floors.size() / rows;
  const std::size_t group =
      std::clamp<std::size_t>(tasks_of_group / plan.frame.parts, 1, std::max<std::size_t>(1, count));
  const DeviceContext context = lasting_context(device);
  DeviceModule& module = module_of(context);
  DeviceStream stream(context);
  DeviceBuffer to_matrices(context, group * entries * sizeof(double)),
      to_floors(context, group * rows * sizeof(double));
  DeviceBuffer out(context, group * plan.frame.parts * sums * sizeof(double));
  std::vector<double> found(count * sums), parts(group * plan.frame.parts * sums);
  for (std::size_t first = 0; first < count; first += group) {
    const std::size_t here = std::min(group, count - first);
    to_matrices.upload(std::as_bytes(matrices.subspan(first * entries, here * entries)));
    to_floors.upload(std::as_bytes(floors.subspan(first * rows, here * rows)));
    const std::uint64_t tasks = here * plan.frame.parts;
    for (std::uint64_t task = 0; task < tasks; task += tasks_of_launch) {
      run.report("minors", static_cast<double>(first * plan.frame.parts + task),
                 static_cast<double>(count * plan.frame.parts));
      module.launch(plan.kernel,
                    {static_cast<unsigned>(std::min(tasks_of_launch, tasks - task)), minors_threads, plan.shared_bytes},
                    stream,
                    {argument(plan.frame), argument(to_matrices), argument(to_floors), argument(task), argument(out)});
      if (plan.frame.parts > 1) stream.synchronize();
    }
    stream.synchronize();
    out.download(std::as_writable_bytes(std::span(parts).first(tasks * sums)));
    for (std::size_t i = 0; i < tasks * sums; ++i)
      found[(first + i / sums / plan.frame.parts) * sums + i % sums] += parts[i];
  }
  return found;
}

}  // namespace matchcount::gpu
