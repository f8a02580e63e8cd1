#include "matchcount/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/ryser/minors.hpp"

namespace matchcount {
namespace {

// Calls gradient(entries of one matrix, run, threads, where they go) for every matrix of so many entries.
template <class T, class Gradient>
Gradients<T> each_gradient(std::span<const T> entries, std::size_t of_one, const RunOptions& options,
                           const Gradient& gradient) {
  if (of_one == 0 || entries.size() % of_one != 0)
    throw InputError(std::to_string(entries.size()) + " entries", "those of square matrices, from 1 x 1 on");
  if (!std::ranges::all_of(entries, [](const T& entry) { return std::isfinite(std::abs(entry)); }))
    throw InputError("an entry that is not finite, or whose magnitude is not", "finite numbers");
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
  return each_gradient(entries, n * n, options,
                       [n](const T* matrix, const RunContext& run, int threads, const GradientView<T>& out) {
                         permanent_gradient(matrix, n, run, threads, out);
                       });
}
template Gradients<double> permanent_gradients(std::span<const double>, std::size_t, const RunOptions&);
template Gradients<std::complex<double>> permanent_gradients(std::span<const std::complex<double>>, std::size_t,
                                                             const RunOptions&);

}  // namespace matchcount
