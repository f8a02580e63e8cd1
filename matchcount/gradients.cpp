#include "matchcount/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/ryser/minors.hpp"

namespace matchcount {
namespace {

// Calls gradient(entries of one matrix, run, threads, where they go) for every matrix of so many entries.
template <class T, class Gradient>
Gradients<T> each_gradient(std::span<const T> entries, std::size_t of_one, const RunOptions& options,
                           bool has_double_doubles, const Gradient& gradient) {
  if (of_one == 0 || entries.size() % of_one != 0)
    throw InputError(std::to_string(entries.size()) + " entries", "those of square matrices, from 1 x 1 on");
  if (!std::ranges::all_of(entries, [](const T& entry) { return std::isfinite(std::abs(entry)); }))
    throw InputError("an entry that is not finite, or whose magnitude is not", "finite numbers");
  if (options.precision != Precision::automatic && options.precision != Precision::float64 &&
      (options.precision != Precision::double_double || !has_double_doubles))
    throw InputError("the precision '" + std::string(to_string(options.precision)) + "'",
                     has_double_doubles ? "double or double-double for derivatives" : "double for these derivatives");
  const RunContext run(options);
  const std::size_t count = entries.size() / of_one;
  Gradients<T> found(count, of_one);
  const int within = count < static_cast<std::size_t>(run.num_threads()) ? run.num_threads() : 1;
  parallel_for_chunks(within > 1 ? 1 : run.num_threads(), count, [&](std::uint64_t i, int) {
    run.check();
    gradient(entries.data() + i * of_one, run, within, found.of(i));
  });
  return found;
}

}  // namespace

template <class T>
Gradients<T> permanent_gradients(std::span<const T> entries, std::size_t n, const RunOptions& options) {
  return each_gradient(entries, n * n, options, false,
                       [n](const T* matrix, const RunContext& run, int threads, const GradientView<T>& out) {
                         permanent_gradient(matrix, n, run, threads, out);
                       });
}
template Gradients<double> permanent_gradients(std::span<const double>, std::size_t, const RunOptions&);
template Gradients<std::complex<double>> permanent_gradients(std::span<const std::complex<double>>, std::size_t,
                                                             const RunOptions&);

template <class T>
Gradients<T> hafnian_gradients(std::span<const T> entries, std::size_t n, bool loops, const RunOptions& options) {
  return each_gradient(entries, n * n, options, true,
                       [&](const T* matrix, const RunContext& run, int threads, const GradientView<T>& out) {
                         for (std::size_t i = 0; i < n; ++i) {
                           for (std::size_t j = 0; j < i; ++j) {
                             if (matrix[i * n + j] != matrix[j * n + i])
                               throw InputError("entries (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                                    ") and their mirror images, counted from 1, that differ",
                                                "a symmetric matrix: (A + A.T) / 2");
                           }
                         }
                         hafnian_gradient(matrix, n, loops, run, threads, out);
                       });
}
template Gradients<double> hafnian_gradients(std::span<const double>, std::size_t, bool, const RunOptions&);
template Gradients<std::complex<double>> hafnian_gradients(std::span<const std::complex<double>>, std::size_t, bool,
                                                           const RunOptions&);

}  // namespace matchcount
