#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "photonics/torontonian/cuda/torontonian_gpu.hpp"
#include "photonics/torontonian/torontonian_sum.hpp"

namespace matchcount {
namespace {

using namespace torontonian_sum;

// Bytes that are written and copied to a GPU in a second, from 10,000 of 8 to 16 modes on an H200; entries that are on
// their way at once, and what each takes here.
constexpr double copied_bytes_per_s = 1.2e9, bytes_of_entry = 32;
constexpr std::size_t entries_at_once = 1 << 22;

template <class T>
struct TorontonianBatch {
  std::span<const T> entries, loops;
  std::size_t rows;
  const TorontonianOptions& options;

  std::size_t count() const { return entries.size() / (rows * rows); }
  std::span<const T> matrix(std::size_t i) const { return entries.subspan(i * rows * rows, rows * rows); }
  std::span<const T> loop(std::size_t i) const { return loops.empty() ? loops : loops.subspan(i * rows, rows); }
};

// Returns the GPU that takes a batch; none for the CPU.
template <class T>
std::vector<DeviceInfo> gpu_for(const TorontonianBatch<T>& batch, const RunContext& run) {
  const DeviceChoice& choice = batch.options.run.device;
  const std::size_t modes = batch.rows / 2;
  if (choice.kind == DeviceChoice::Kind::cpu || batch.rows % 2 != 0 || modes < gpu::fewest_batch_modes ||
      modes >= gpu::fewest_torontonian_modes)
    return {};
  const bool asked = choice.kind == DeviceChoice::Kind::cuda,
             is_double = run.options().precision != Precision::double_double;
  Problem like;
  like.num_modes = modes;
  like.loops.resize(batch.loops.empty() ? 0 : batch.rows);
  const auto count = static_cast<double>(batch.count());
  const double cpu_s = forecast_s(like, is_double) * count;
  if (!asked && cpu_s < worth_a_gpu_s) return {};
  std::vector<DeviceInfo> devices = choose_devices(choice);
  if (devices.empty()) return {};
  devices.resize(1);
  const double bytes = sizeof(double) * gpu::values_of_matrix(static_cast<int>(modes), !batch.loops.empty()) * count;
  const double gpu_s = (has_lasting_contexts(devices) ? 0 : gpu_start_s) + bytes / copied_bytes_per_s +
                       gpu_forecast_s(like, is_double, devices) * count;
  if (!asked && (!gpu::torontonian_image().runs_on(devices.front()) || gpu_s >= cpu_s / run.num_threads())) return {};
  return devices;
}

// Finds those from `first` on, as many as `problems` has room for; what is known of them, so that doubles come first.
template <class T>
void find_on_gpu(const TorontonianBatch<T>& batch, const std::vector<DeviceInfo>& gpus, std::size_t first,
                 std::vector<Problem>& problems, const RunContext& run, std::vector<TorontonianResult>& found) {
  const Precision precision = batch.options.run.precision;
  const bool is_asked = batch.options.run.device.kind == DeviceChoice::Kind::cuda;
  const gpu::TorontonianFrame frame = gpu::batch_frame(static_cast<int>(batch.rows / 2), !batch.loops.empty());
  enum class Next : char { in_doubles, in_double_doubles, on_cpu };
  std::vector<Next> next(problems.size());
  parallel_for_chunks(run.num_threads(), problems.size(), [&](std::uint64_t i, int) {
    run.check();
    Problem& problem = problems[i] =
        problem_of(batch.matrix(first + i), batch.rows, batch.loop(first + i), batch.options);
    const bool will_do = bound_in_doubles(problem, run);
    if (problem.rows != 2 && is_asked) refuse_on_gpus();
    next[i] = problem.rows != 2                 ? Next::on_cpu
              : precision == Precision::float64 ? Next::in_doubles
              : precision == Precision::double_double || !will_do || is_in_vain_in_doubles(problem)
                  ? Next::in_double_doubles
                  : Next::in_doubles;
  });
  const auto sum = [&]<class Number>(Number, Next which, Arithmetic arithmetic) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < problems.size(); ++i)
      if (next[i] == which) taken.push_back(i);
    if (taken.empty()) return;
    constexpr std::size_t parts = sizeof(Number) / sizeof(double);
    const std::size_t size = parts * gpu::values_of_matrix(frame.num_modes, frame.has_loops != 0);
    std::vector<double> values(taken.size() * size);
    for (std::size_t k = 0; k < taken.size(); ++k) write_values<Number>(problems[taken[k]], values.data() + k * size);
    const auto sums = gpu::torontonians_on_gpu(frame, std::move(values), parts == 1, gpus.front(), run);
    for (std::size_t k = 0; k < taken.size(); ++k) {
      const std::size_t i = taken[k];
      Partial total;
      for (std::size_t task = k << frame.task_bits; task < (k + 1) << frame.task_bits; ++task)
        total.add({{sums[task].high, sums[task].low}, sums[task].magnitude});
      const RealValue value = value_of<Number>(problems[i], total);
      found[first + i] = {value, arithmetic, batch.rows / 2, gpus};
      if (precision == Precision::automatic && !is_good(value)) next[i] = Next::in_double_doubles;
    }
  };
  sum(double(), Next::in_doubles, Arithmetic::float64);
  sum(DoubleDouble(), Next::in_double_doubles, Arithmetic::double_double);
  TorontonianOptions one = batch.options;
  one.run.device.kind = DeviceChoice::Kind::cpu;
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (next[i] == Next::on_cpu)
      found[first + i] = torontonian(batch.matrix(first + i), batch.rows, batch.loop(first + i), one);
}

template <class T>
std::vector<TorontonianResult> each(const TorontonianBatch<T>& batch) {
  const std::size_t rows = batch.rows;
  if (rows == 0 || batch.entries.size() % (rows * rows) != 0)
    throw InputError(
        std::to_string(batch.entries.size()) + " entries for matrices of " + std::to_string(rows) + " rows",
        "as many as some square matrices have");
  const std::size_t count = batch.count();
  if (!batch.loops.empty() && batch.loops.size() != count * rows)
    throw InputError(std::to_string(batch.loops.size()) + " numbers of loops", "one for each row of each matrix");
  const RunContext run(batch.options.run);
  std::vector<TorontonianResult> found(count);
  if (const auto gpus = gpu_for(batch, run); !gpus.empty() && count > 0) {
    require_options(rows / 2, batch.options);
    std::size_t at_once = entries_at_once / (rows * rows);
    while (at_once > 1 && !run.has_memory_for(bytes_of_entry * static_cast<double>(at_once * rows * rows)))
      at_once /= 2;
    for (std::size_t first = 0; first < count; first += at_once) {
      std::vector<Problem> problems(std::min(at_once, count - first));
      find_on_gpu(batch, gpus, first, problems, run, found);
    }
    return found;
  }
  // One thread is through before others have begun; of larger ones each has all threads, unless there are many.
  constexpr double subsets_worth_threads = 1 << 14;
  constexpr std::size_t most_rows_beside = 28;
  const bool beside =
      (rows <= most_rows_beside || count >= std::size_t{8} * static_cast<unsigned>(run.num_threads())) &&
      std::ldexp(static_cast<double>(count), static_cast<int>(rows / 2)) >= subsets_worth_threads;
  const auto at_once = static_cast<std::size_t>(std::max(1.0, std::ldexp(4096, -static_cast<int>(rows / 2))));
  parallel_for_chunks(beside ? run.num_threads() : 1, (count + at_once - 1) / at_once, [&](std::uint64_t chunk, int) {
    run.check();
    TorontonianOptions one = batch.options;
    if (beside) one.run.num_threads = 1;
    for (std::size_t i = chunk * at_once; i < std::min<std::size_t>(count, (chunk + 1) * at_once); ++i) {
      if (std::isfinite(run.seconds_left())) one.run.time_limit_s = std::max(run.seconds_left(), 1e-9);
      found[i] = torontonian(batch.matrix(i), rows, batch.loop(i), one);
    }
  });
  return found;
}

}  // namespace

std::vector<TorontonianResult> torontonians(std::span<const double> entries, std::size_t rows,
                                            std::span<const double> loops, const TorontonianOptions& options) {
  return each(TorontonianBatch<double>{entries, loops, rows, options});
}

std::vector<TorontonianResult> torontonians(std::span<const std::complex<double>> entries, std::size_t rows,
                                            std::span<const std::complex<double>> loops,
                                            const TorontonianOptions& options) {
  return each(TorontonianBatch<std::complex<double>>{entries, loops, rows, options});
}

}  // namespace matchcount
