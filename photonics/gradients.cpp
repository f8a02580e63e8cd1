#include "photonics/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>

#include "core/contexts.hpp"
#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/engine/batches.hpp"
#include "photonics/cuda/minors_gpu.hpp"
#include "photonics/derivatives/derivatives.hpp"
#include "photonics/torontonian/torontonian_gradient.hpp"

namespace matchcount {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t most_expanded_vertices = 32;  // as expansions of hafnians alone have
// Measured as those by pairs are: derivatives by an expansion, times 2^(3/4 n).
template <class T>
constexpr double seconds_of_expansion = std::is_same_v<T, double> ? 6e-9 : 1e-8;
// An expansion has more digits in doubles, for which so many times the time is well spent.
constexpr double worth_digits = 2;
constexpr double no_digit = 0.05;  // as supported_digits has it

void require_precision(const RunOptions& options, bool has_double_doubles, bool on_cpu = true) {
  if (on_cpu && options.device.kind == DeviceChoice::Kind::cuda)
    throw Unable("GPUs find derivatives of permanents of 12 to 32 rows alone: the device auto or cpu finds these");
  if (options.precision == Precision::automatic || options.precision == Precision::float64 ||
      (options.precision == Precision::double_double && has_double_doubles))
    return;
  throw InputError("the precision '" + std::string(to_string(options.precision)) + "'",
                   has_double_doubles ? "double or double-double for derivatives" : "double for these derivatives");
}

// Returns how many matrices there are.
std::size_t number_of(std::size_t entries, std::size_t of_one) {
  if (of_one == 0 || entries % of_one != 0)
    throw InputError(std::to_string(entries) + " entries", "those of square matrices, from 1 x 1 on");
  return entries / of_one;
}
template <class T>
std::size_t number_of(std::span<const T> entries, std::size_t of_one) {
  const std::size_t count = number_of(entries.size(), of_one);
  require_finite(entries);
  return count;
}

// Calls body(matrix, thread, threads for it) for each, side by side where there are many.
template <class Body>
void each_matrix(std::size_t count, int num_threads, const RunContext& run, const Body& body) {
  const int within = count < static_cast<std::size_t>(num_threads) ? num_threads : 1;
  parallel_for_chunks(within > 1 ? 1 : num_threads, count, [&](std::uint64_t i, int thread) {
    run.check();
    body(i, thread, within);
  });
}

bool gpu_finds_minors(std::size_t n) { return n >= gpu::fewest_minor_rows && n <= gpu::most_minor_rows; }

// Finds permanents and derivatives of many matrices at once on a GPU, where gpu_finds_minors(n); `out` names where
// those of the first go, behind which those of the others do. Entries and answers are here, or all `on_device`.
template <class T>
void permanent_gradients_on_gpu(bool on_device, const T* entries, std::size_t count, std::size_t n,
                                const GradientView<T>& out, const DeviceInfo& device, const RunContext& run) {
  const gpu::MinorsAnswers answers{reinterpret_cast<double*>(out.value), out.error,
                                   reinterpret_cast<double*>(out.derivatives), out.derivative_errors};
  gpu::minors_on_gpu(gpu::plan_minors(static_cast<int>(n), count, sizeof(T) / sizeof(double)), count,
                     {on_device, reinterpret_cast<const double*>(entries), answers}, device, run);
}

template <class T>
Gradients<T> of_permanents(std::span<const T> entries, std::size_t n, const RunOptions& options) {
  if (options.device.kind == DeviceChoice::Kind::cuda && gpu_finds_minors(n)) {
    require_precision(options, false, false);
    Gradients<T> found(number_of(entries, n * n), n * n);
    if (!found.values.empty())
      permanent_gradients_on_gpu(false, entries.data(), found.values.size(), n, found.of(0),
                                 choose_devices(options.device).front(), RunContext(options));
    return found;
  }
  require_precision(options, false);
  const RunContext run(options);
  Gradients<T> found(number_of(entries, n * n), n * n);
  each_matrix(found.values.size(), run.num_threads(), run, [&](std::size_t i, int, int threads) {
    permanent_gradient(entries.data() + i * n * n, n, run, threads, found.of(i));
  });
  return found;
}

template <class T>
bool of_permanents(const OnDevice<T>& entries, std::size_t n, const GradientsOnDevice<T>& out,
                   const RunOptions& options) {
  require_precision(options, false, false);
  const std::size_t of_one = n * n, count = number_of(entries.size, of_one);
  if (!gpu_finds_minors(n) || options.device.kind == DeviceChoice::Kind::cpu) return false;
  if (count == 0) return true;
  const RestoredContext restored;
  const DeviceInfo device = context_holding(entries.address, entries.size * sizeof(T)).device();
  const auto chosen = choose_devices(options.device);
  if (std::ranges::count(chosen, device.index, &DeviceInfo::index) == 0) return false;
  const auto place = [&](std::uint64_t address, std::size_t bytes) {
    if (address % sizeof(double) != 0) throw InputError("an address that is no double's", "a multiple of 8");
    if (device_holding(address, bytes) != device.index)
      throw InputError("answers on another GPU than the entries", "both on one");
    return reinterpret_cast<double*>(address);
  };
  const std::size_t size = count * of_one;
  permanent_gradients_on_gpu<T>(
      true, reinterpret_cast<const T*>(place(entries.address, size * sizeof(T))), count, n,
      {reinterpret_cast<T*>(place(out.values, count * sizeof(T))), place(out.errors, count * sizeof(double)),
       reinterpret_cast<T*>(place(out.derivatives, size * sizeof(T))),
       place(out.derivative_errors, size * sizeof(double))},
      device, RunContext(options));
  return true;
}

// Expansions nearly always have in doubles the digits that are asked for, pairs of vertices in double-doubles alone.
template <class T>
Gradients<T> of_hafnians(std::span<const T> entries, std::size_t n, bool loops, const RunOptions& options) {
  require_precision(options, true);
  const RunContext run(options);
  Gradients<T> found(number_of(entries, n * n), n * n);
  const std::size_t count = found.values.size();
  require_symmetric(entries, n);
  if (n % 2 != 0 && !loops) return found;
  const Precision precision = options.precision;
  const bool is_double = precision == Precision::float64;
  const double pairs_s = pair_gradient_seconds<T>(n, is_double ? precision : Precision::double_double);
  std::optional<dense::VertexGradient> shape;
  if (precision != Precision::double_double && n >= 4 && n <= most_expanded_vertices &&
      seconds_of_expansion<T> * std::exp2(0.75 * static_cast<double>(n)) <= worth_digits * pairs_s)
    shape.emplace(n, loops);
  // To look how many there may be takes as long as a small hafnian.
  const int num_threads = shape && !shape->is_worth_threads(count) ? 1 : run.num_threads();
  const std::size_t at_once = count < static_cast<std::size_t>(num_threads) ? 1 : static_cast<std::size_t>(num_threads);
  if (shape && !run.has_memory_for(shape->bytes(dense::components_of<T>) * static_cast<double>(at_once))) shape.reset();
  std::vector<dense::Scratch> scratch(at_once);
  each_matrix(count, num_threads, run, [&](std::size_t i, int thread, int threads) {
    const T* const matrix = entries.data() + i * n * n;
    Precision by_pairs = precision;
    if (shape) {
      const double relative = shape->find(matrix, run, threads, scratch[static_cast<std::size_t>(thread)], found.of(i));
      const double of_value = found.errors[i] / std::abs(found.values[i]);
      const bool is_good = relative <= std::max(good_relative_error, of_value < no_digit ? of_value : 0.0);
      if (is_good || is_double) return;
      if (count == 1) threads = run.num_threads();
      if (pairs_s / threads > run.seconds_left()) return;
      by_pairs = Precision::double_double;
    }
    hafnian_gradient_by_pairs(matrix, n, loops, by_pairs, run, threads, found.of(i));
  });
  return found;
}

template <class T>
TorontonianGradients<T> of_torontonians(std::span<const T> entries, std::size_t rows, std::span<const T> loops,
                                        std::span<const T> along, std::span<const T> loops_along,
                                        const RunOptions& options) {
  require_precision(options, false);
  const std::size_t of_one = rows * rows, count = number_of(entries, of_one);
  const auto require = [&](std::span<const T> given, std::size_t size, const char* what) {
    if (given.empty()) return;
    if (number_of(given, size) != count)
      throw InputError(std::to_string(given.size()) + what, "as many as the matrices have");
  };
  require(loops, rows, " loops");
  require(along, of_one, " entries of directions");
  require(loops_along, loops.empty() ? 0 : rows, " entries of the loops' directions");
  const RunContext run(options);
  TorontonianGradients<T> found{std::vector<double>(count), std::vector<T>(entries.size()),
                                std::vector<T>(loops.size())};
  each_matrix(count, run.num_threads(), run, [&](std::size_t i, int, int threads) {
    const auto part = [i](std::span<const T> of, std::size_t size) {
      return of.empty() ? nullptr : of.data() + i * size;
    };
    torontonian_gradient<T>(
        {rows, part(entries, of_one), part(loops, rows), part(along, of_one), part(loops_along, rows)}, run, threads,
        found.values[i], found.derivatives.data() + i * of_one,
        loops.empty() ? nullptr : found.loop_derivatives.data() + i * rows);
  });
  return found;
}

}  // namespace

Gradients<double> permanent_gradients(std::span<const double> entries, std::size_t n, const RunOptions& run) {
  return of_permanents(entries, n, run);
}
Gradients<Complex> permanent_gradients(std::span<const Complex> entries, std::size_t n, const RunOptions& run) {
  return of_permanents(entries, n, run);
}
bool permanent_gradients(const OnDevice<double>& entries, std::size_t n, const GradientsOnDevice<double>& out,
                         const RunOptions& run) {
  return of_permanents(entries, n, out, run);
}
bool permanent_gradients(const OnDevice<Complex>& entries, std::size_t n, const GradientsOnDevice<Complex>& out,
                         const RunOptions& run) {
  return of_permanents(entries, n, out, run);
}
Gradients<double> hafnian_gradients(std::span<const double> entries, std::size_t n, bool loops, const RunOptions& run) {
  return of_hafnians(entries, n, loops, run);
}
Gradients<Complex> hafnian_gradients(std::span<const Complex> entries, std::size_t n, bool loops,
                                     const RunOptions& run) {
  return of_hafnians(entries, n, loops, run);
}
TorontonianGradients<double> torontonian_gradients(std::span<const double> entries, std::size_t rows,
                                                   std::span<const double> loops, std::span<const double> along,
                                                   std::span<const double> loops_along, const RunOptions& run) {
  return of_torontonians(entries, rows, loops, along, loops_along, run);
}
TorontonianGradients<Complex> torontonian_gradients(std::span<const Complex> entries, std::size_t rows,
                                                    std::span<const Complex> loops, std::span<const Complex> along,
                                                    std::span<const Complex> loops_along, const RunOptions& run) {
  return of_torontonians(entries, rows, loops, along, loops_along, run);
}

}  // namespace matchcount
