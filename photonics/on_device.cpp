#include "photonics/on_device.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/contexts.hpp"
#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "permanent/engine/batches.hpp"
#include "permanent/engine/limits.hpp"
#include "photonics/cuda/dense_gpu.hpp"
#include "photonics/means/permanent_mean.hpp"

namespace matchcount {
namespace {

// Copies to the host what the device does not answer: all, if one of the entries needs another way.
template <class T>
std::vector<dense::AnswerOf<T>> find_all(const OnDevice<T>& entries, std::size_t n, bool hafnian, bool loops,
                                         const RunOptions& options) {
  const std::size_t of_one = n * n, count = of_one == 0 ? 0 : entries.size / of_one;
  if (of_one == 0 || count * of_one != entries.size)
    throw InputError(std::to_string(entries.size) + " entries", "those of matrices of at least one row");
  if (count == 0) return {};
  const RestoredContext restored;
  const RunContext run(options);
  const DeviceContext context = context_holding(entries.address, entries.size * sizeof(T));
  const DeviceInfo& device = context.device();
  std::vector<std::optional<dense::AnswerOf<T>>> found(count);
  const std::vector<DeviceInfo> chosen = choose_devices(options.device);
  const std::vector<std::uint32_t> once(n, 1);
  const DenseShape shape{hafnian, dense::components_of<T> == 2, once, once, loops};
  const double cpu_s = dense::cpu_seconds(shape) * static_cast<double>(count) / run.num_threads();
  if (std::ranges::count(chosen, device.index, &DeviceInfo::index) != 0 && dense::doubles_will_do(options) &&
      gpu_sums(shape) && entries.address % sizeof(double) == 0 &&
      dense_gpu_seconds(shape, count, {device}) <=
          (options.device.kind == DeviceChoice::Kind::cuda ? std::numeric_limits<double>::max() : cpu_s)) {
    const auto sums =
        dense_gpu_sums(shape, entries.address, count, dense::least_part, dense::largest_part, device, run);
    if (sums) std::ranges::transform(*sums, found.begin(), [](const DenseSum& sum) { return dense::value_of<T>(sum); });
  }
  std::vector<T> rest;
  if (!std::ranges::all_of(found, [](const auto& value) { return value.has_value(); })) {
    rest.resize(entries.size);
    copy_from(context, entries.address, std::as_writable_bytes(std::span(rest)));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i]) continue;
      std::copy_n(rest.begin() + static_cast<std::ptrdiff_t>(i * of_one), of_one,
                  rest.begin() + static_cast<std::ptrdiff_t>(kept++ * of_one));
    }
    rest.resize(kept * of_one);
  }
  const RunOptions left = what_is_left(run);
  auto others = hafnian ? Batch<T>::hafnians(rest, n, loops, left) : Batch<T>::permanents(rest, n, left);
  std::vector<dense::AnswerOf<T>> values;
  values.reserve(count);
  auto other = others.begin();
  for (auto& value : found) values.push_back(std::move(value ? *value : *other++));
  return values;
}

}  // namespace

std::vector<RealValue> permanents(const OnDevice<double>& entries, std::size_t n, const RunOptions& run) {
  return find_all(entries, n, false, false, run);
}
std::vector<ComplexValue> permanents(const OnDevice<std::complex<double>>& entries, std::size_t n,
                                     const RunOptions& run) {
  return find_all(entries, n, false, false, run);
}
std::vector<RealValue> hafnians(const OnDevice<double>& entries, std::size_t n, bool loops, const RunOptions& run) {
  return find_all(entries, n, true, loops, run);
}
std::vector<ComplexValue> hafnians(const OnDevice<std::complex<double>>& entries, std::size_t n, bool loops,
                                   const RunOptions& run) {
  return find_all(entries, n, true, loops, run);
}

}  // namespace matchcount
