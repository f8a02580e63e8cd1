// Ways to values of dense matrices that a build with the wing has besides expansions. A sum over roots of unity takes
// less time, but where no entry of a matrix is negative, whose expansion is as good as exact.

#include "permanent/dense/ways.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <mutex>

#include "core/device_choice.hpp"
#include "core/parallel.hpp"
#include "photonics/means/permanent_mean.hpp"

namespace matchcount::dense {
namespace {

constexpr double most_points = 0x1p50;
constexpr std::size_t most_kept_rows = 16;
constexpr double seconds_worth_a_driver = 0.5;
// Points of all matrices that are worth threads: one thread takes as long for fewer as others would take to start.
constexpr double points_worth_threads = 1 << 15;

bool is_repeated(const DenseShape& shape) {
  const auto repeats = [](std::uint32_t times) { return times > 1; };
  return std::ranges::any_of(shape.row_times, repeats) || std::ranges::any_of(shape.column_times, repeats);
}

// Answers a batch on GPUs if they are asked for, or take less than the seconds that CPUs are predicted to take; all
// other values, and those with too few digits in doubles, are nothing.
template <class T>
std::vector<std::optional<AnswerOf<T>>> on_gpus(const DenseShape& shape, std::span<const T> entries, std::size_t count,
                                                const RunContext& run) {
  std::vector<std::optional<AnswerOf<T>>> found(count);
  const RunOptions& options = run.options();
  const bool asked = options.device.kind == DeviceChoice::Kind::cuda;
  if (options.device.kind == DeviceChoice::Kind::cpu || !doubles_will_do(options) || count == 0 || !gpu_sums(shape))
    return found;
  // A search for a GPU starts the driver.
  const double cpu_s = cpu_seconds(shape) * static_cast<double>(count);
  if (!asked && cpu_s < seconds_worth_a_driver) return found;
  if (!std::ranges::all_of(entries, [](const T& entry) { return is_moderate(entry); })) return found;
  const std::vector<DeviceInfo> devices = choose_devices(options.device);
  const double gpu_s = dense_gpu_seconds(shape, count, devices);
  if (std::isinf(gpu_s) || (!asked && gpu_s > cpu_s / run.num_threads())) return found;
  const auto* const doubles = reinterpret_cast<const double*>(entries.data());
  const auto sums = dense_gpu_sums(shape, {doubles, entries.size() * components_of<T>}, devices, run);
  std::ranges::transform(sums, found.begin(), [](const DenseSum& sum) { return value_of<T>(sum); });
  return found;
}

// Finds permanents of n x n matrices side by side; nothing where one by one they have more digits.
template <class T>
void side_by_side(std::size_t n, std::span<const T> entries, const RunContext& run,
                  std::span<std::optional<AnswerOf<T>>> found) {
  constexpr std::size_t beside = 8, at_once = 32 * beside;
  const std::size_t count = found.size();
  const double points = std::exp2(static_cast<double>(n - 1));
  const int threads = 2 * points * static_cast<double>(count) < points_worth_threads ? 1 : run.num_threads();
  parallel_for_chunks(threads, (count + at_once - 1) / at_once, [&](std::uint64_t chunk, int) {
    run.check();
    const std::size_t end = std::min<std::size_t>(count, (chunk + 1) * at_once);
    for (std::size_t first = chunk * at_once; first < end; first += beside) {
      const std::size_t taken = std::min(beside, end - first);
      const auto means = means_of_eight(entries.data() + first * n * n, n, taken, run.options().max_isa);
      for (std::size_t i = 0; i < taken; ++i) {
        const double size = std::hypot(means[i].value.real(), means[i].value.imag());
        if (means[i].error <= enough_digits * size) found[first + i] = value_of<T>(means[i], n, points);
      }
    }
  });
}

// Rows of a GPU make its points; of a matrix with repeated ones, columns make fewer.
template <class T>
std::vector<std::optional<AnswerOf<T>>> of_batch(const DenseShape& shape, std::span<const T> entries, std::size_t count,
                                                 const RunContext& run) {
  const std::size_t rows = shape.row_times.size(), columns = shape.column_times.size();
  if (is_repeated(shape)) {
    std::vector<T> turned(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) turned[i % columns * rows + i / columns] = entries[i];
    return on_gpus<T>({false, shape.complex, shape.column_times, shape.row_times, false}, turned, count, run);
  }
  auto found = on_gpus(shape, entries, count, run);
  const RunOptions& options = run.options();
  if (!shape.hafnian && count > 1 && !found.front() && rows >= 2 && rows <= most_rows_of_eight &&
      doubles_will_do(options) && options.device.kind != DeviceChoice::Kind::cuda)
    side_by_side<T>(rows, entries, run, found);
  return found;
}

// Returns the points of n x n matrices, which are kept, because to make them takes as long as a small permanent.
const PermanentMean& square_mean(std::size_t n) {
  static std::array<std::once_flag, most_kept_rows + 1> made;
  static std::array<std::unique_ptr<PermanentMean>, most_kept_rows + 1> means;
  std::call_once(made[n], [&] {
    const std::vector<std::uint32_t> once(n, 1);
    means[n] = std::make_unique<PermanentMean>(once, once);
  });
  return *means[n];
}

template <class T>
std::optional<AnswerOf<T>> of_one(const DenseShape& shape, std::span<const T> entries, const RunContext& run,
                                  int num_threads) {
  if (shape.hafnian) {
    const HafnianMean mean(shape.row_times, shape.loops);
    if (!(mean.num_points() < most_points)) return std::nullopt;
    const std::vector<std::complex<double>> numbers(entries.begin(), entries.end());
    return value_of<T>(mean.of(numbers, run, num_threads), mean.size(), mean.num_points());
  }
  if (std::ranges::all_of(entries, [](const T& entry) { return is_positive(entry); })) return std::nullopt;
  const auto value = [&](const PermanentMean& mean) -> std::optional<AnswerOf<T>> {
    if (!(mean.num_points() < most_points)) return std::nullopt;
    return value_of<T>(mean.of(entries.data(), run, num_threads), mean.size(), mean.num_points());
  };
  if (shape.row_times.size() <= most_kept_rows && !is_repeated(shape))
    return value(square_mean(shape.row_times.size()));
  return value(PermanentMean(shape.row_times, shape.column_times));
}

}  // namespace

template <class T>
const Ways<T>* ways() {
  static constexpr Ways<T> of_wing{of_batch<T>, of_one<T>};
  return &of_wing;
}
template const Ways<double>* ways();
template const Ways<std::complex<double>>* ways();

}  // namespace matchcount::dense
