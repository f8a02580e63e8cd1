#include "photonics/cuda/minors_gpu.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

namespace matchcount::gpu {
namespace {

// Blocks that fill a device, and those of a launch, so that it is over soon, and of matrices that are on it together.
constexpr std::uint64_t enough_tasks = 1 << 9, tasks_of_launch = 1 << 12;
// More memory of a device is given back after a call.
constexpr std::size_t kept_bytes = std::size_t{1} << 26;
constexpr double unit_roundoff = 0x1p-53;

// Workplace keeps what a device's calls have in common: making it takes longer than many small matrices do.
struct Workplace {
  explicit Workplace(const DeviceContext& of) : context(of), module(of, minors_image().code()), stream(of) {}

  DeviceBuffer on_device(std::size_t bytes) {
    if (bytes > kept_bytes) return {context, bytes};
    if (!buffer || buffer->size_bytes() < bytes) buffer.emplace(context, bytes);
    return *buffer;
  }
  std::span<double> on_host(std::size_t numbers) {
    const std::size_t bytes = numbers * sizeof(double);
    if (!pinned || pinned->bytes().size() < bytes) pinned.emplace(context, bytes);
    return {reinterpret_cast<double*>(pinned->bytes().data()), numbers};
  }

  DeviceContext context;
  DeviceModule module;
  DeviceStream stream;
  std::optional<DeviceBuffer> buffer;
  std::optional<PinnedBuffer> pinned;
  std::timed_mutex in_use;
};

// Returns a device's, which lives as long as the process: at its end the driver may be gone before.
Workplace& workplace_of(const DeviceContext& context) {
  static std::mutex mutex;
  static auto& places = *new std::map<int, Workplace>;
  const std::lock_guard lock(mutex);
  return places.try_emplace(context.device().index, context).first->second;
}

}  // namespace

MinorsPlan plan_minors(int rows, std::uint64_t count, int width) {
  const int lanes = rows <= 20 ? 4 : 8, of_lane = std::max(3, (rows + lanes - 1) / lanes);
  MinorsPlan plan;
  plan.frame.rows = rows;
  plan.frame.group_bits = std::countr_zero(minors_threads) - std::countr_zero(static_cast<unsigned>(lanes));
  const int bits = rows - 1 - plan.frame.group_bits;  // of walks and parts
  int of_parts = std::max(0, bits - most_walk_bits);
  while (bits - of_parts > low_walk_bits && count << of_parts < enough_tasks) ++of_parts;
  plan.frame.walk_bits = bits - of_parts;
  plan.frame.parts = 1u << of_parts;
  plan.frame.width = width;
  // T has 32 roundings of as many terms, and what is added to a low bit's sum 16 times twice that, in 17 additions of
  // at most 33 times the magnitudes; then come 2^(walk_bits - 5) sums, those of at most 32 groups, and those of the
  // parts.
  const double of_products = std::expm1((rows + 2) * std::log1p(4 * unit_roundoff));
  const auto error = [&](double sums) { return of_products + 2 * unit_roundoff * (sums + plan.frame.parts); };
  plan.frame.relative_error = error(2112 + std::ldexp(1, plan.frame.walk_bits - 5));
  plan.frame.relative_error_of_total = error(64 + std::ldexp(1, plan.frame.walk_bits));
  plan.kernel = "find_minors_" + std::to_string(lanes * of_lane);
  plan.shared_bytes = static_cast<unsigned>(2 * sizeof(double) *
                                            (static_cast<std::size_t>(rows * lanes * of_lane) +
                                             minors_threads * static_cast<std::size_t>(plan.frame.walk_bits + 1)));
  return plan;
}

// Entries of the host and answers for it share a place, behind a number that says what was wrong.
void minors_on_gpu(const MinorsPlan& plan, std::size_t count, const MinorsMemory& memory, const DeviceInfo& device,
                   const RunContext& run) {
  minors_image().require(device, "minors");
  Workplace& place = workplace_of(lasting_context(device));
  std::unique_lock lock(place.in_use, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(50))) run.check();
  const auto rows = static_cast<std::size_t>(plan.frame.rows), width = static_cast<std::size_t>(plan.frame.width);
  const std::size_t of_one = rows * rows, sums = plan.sums(), parts = plan.frame.parts;
  const std::size_t group = std::clamp<std::size_t>(tasks_of_launch / parts, 1, std::max<std::size_t>(1, count));
  // Sums of parts and of matrices are the same where a matrix is one part.
  const std::size_t floors_at = 2 * of_one * group, scalings_at = floors_at + rows * group;
  const std::size_t parts_at = scalings_at + sizeof(MinorsScaling) / sizeof(double) * group;
  const std::size_t sums_at = parts_at + (parts > 1 ? group * parts * sums : 0), failed_at = sums_at + group * sums;
  const std::size_t of_answers = (width + 1) * (of_one + 1);
  const std::size_t shared = 1 + (memory.on_device ? 0 : group * of_answers);
  DeviceBuffer buffer = place.on_device((failed_at + shared) * sizeof(double));
  const std::span<double> numbers = place.on_host(shared);
  const auto there = [&](std::size_t at) { return buffer.address() + at * sizeof(double); };
  const auto launch_each = [&](const char* kernel, std::uint64_t threads, const std::vector<KernelArgument>& all) {
    place.module.launch(kernel, {static_cast<unsigned>((threads - 1) / minors_threads + 1), minors_threads, 0},
                        place.stream, all);
  };
  for (std::size_t first = 0; first < count; first += group) {
    const std::size_t here = std::min(group, count - first), given = here * of_one * width;
    // Answers of a group, from a place on.
    const auto behind = [&](double* at) {
      double *const errors = at + here * width, *const derivatives = errors + here;
      return MinorsAnswers{at, errors, derivatives, derivatives + given};
    };
    const double* const entries = memory.entries + first * of_one * width;
    const MinorsAnswers answers{memory.answers.values + first * width, memory.answers.errors + first,
                                memory.answers.derivatives + first * of_one * width,
                                memory.answers.derivative_errors + first * of_one};
    numbers[0] = 0;
    // One thread copies more slowly than devices read and write.
    const auto each_here = [&](const auto& copy) {
      if (!memory.on_device) parallel_for_chunks(run.num_threads(), here, [&](std::uint64_t i, int) { copy(i); });
    };
    each_here([&](std::size_t i) {
      std::copy_n(entries + i * of_one * width, of_one * width, numbers.data() + 1 + i * of_one * width);
    });
    place.stream.upload(buffer, failed_at * sizeof(double),
                        std::as_bytes(numbers.first(1 + (memory.on_device ? 0 : given))));
    place.module.launch(
        "scale_matrices", {static_cast<unsigned>(here), minors_threads, static_cast<unsigned>(rows * sizeof(double))},
        place.stream,
        arguments(plan.frame, memory.on_device ? reinterpret_cast<std::uintptr_t>(entries) : there(failed_at + 1),
                  there(0), there(floors_at), there(scalings_at), there(failed_at)));
    const std::uint64_t tasks = here * parts;
    for (std::uint64_t task = 0; task < tasks; task += tasks_of_launch) {
      run.report("minors", static_cast<double>(first * parts + task), static_cast<double>(count * parts));
      place.module.launch(
          plan.kernel,
          {static_cast<unsigned>(std::min(tasks_of_launch, tasks - task)), minors_threads, plan.shared_bytes},
          place.stream, arguments(plan.frame, there(0), there(floors_at), task, there(parts_at)));
      if (parts > 1) place.stream.synchronize();
    }
    const std::uint64_t of_group = here * sums, num_answers = here * (of_one + 1);
    if (parts > 1)
      launch_each("add_parts_of_minors", of_group, arguments(plan.frame, of_group, there(parts_at), there(sums_at)));
    launch_each("put_answers", num_answers,
                arguments(plan.frame, num_answers, there(sums_at), there(scalings_at),
                          memory.on_device ? answers : behind(reinterpret_cast<double*>(there(failed_at + 1))),
                          there(failed_at)));
    place.stream.download(buffer, failed_at * sizeof(double),
                          std::as_writable_bytes(numbers.first(1 + (memory.on_device ? 0 : here * of_answers))));
    place.stream.synchronize();
    if (numbers[0] == not_finite)
      throw InputError("an entry that is not finite, or whose magnitude is not", "finite numbers");
    if (numbers[0] == beyond_range) throw Unable("a derivative that is beyond the range of doubles");
    const MinorsAnswers found = behind(numbers.data() + 1);
    each_here([&](std::size_t i) {
      std::copy_n(found.values + i * width, width, answers.values + i * width);
      answers.errors[i] = found.errors[i];
      std::copy_n(found.derivatives + i * of_one * width, of_one * width, answers.derivatives + i * of_one * width);
      std::copy_n(found.derivative_errors + i * of_one, of_one, answers.derivative_errors + i * of_one);
    });
  }
}

}  // namespace matchcount::gpu
