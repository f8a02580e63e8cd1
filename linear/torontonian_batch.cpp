#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "linear/torontonian.hpp"

namespace matchcount {
namespace {

template <class T>
std::vector<TorontonianResult> each(std::span<const T> entries, std::size_t rows, const TorontonianOptions& options) {
  if (rows == 0 || entries.size() % (rows * rows) != 0)
    throw InputError(std::to_string(entries.size()) + " entries for matrices of " + std::to_string(rows) + " rows",
                     "as many as some square matrices have");
  const RunContext run(options.run);
  const std::size_t size = rows * rows, count = entries.size() / size;
  std::vector<TorontonianResult> found(count);
  // One thread is through before others have begun; larger ones have threads of their own.
  constexpr double subsets_worth_threads = 1 << 14;
  constexpr std::size_t most_rows_beside = 28;
  const bool beside = rows <= most_rows_beside &&
                      std::ldexp(static_cast<double>(count), static_cast<int>(rows / 2)) >= subsets_worth_threads;
  const auto at_once = static_cast<std::size_t>(std::max(1.0, std::ldexp(4096, -static_cast<int>(rows / 2))));
  parallel_for_chunks(beside ? run.num_threads() : 1, (count + at_once - 1) / at_once, [&](std::uint64_t chunk, int) {
    run.check();
    TorontonianOptions one = options;
    if (beside) one.run.num_threads = 1;
    for (std::size_t i = chunk * at_once; i < std::min(count, (chunk + 1) * at_once); ++i) {
      if (std::isfinite(run.seconds_left())) one.run.time_limit_s = std::max(run.seconds_left(), 1e-9);
      found[i] = torontonian(entries.subspan(i * size, size), rows, {}, one);
    }
  });
  return found;
}

}  // namespace

std::vector<TorontonianResult> torontonians(std::span<const double> entries, std::size_t rows,
                                            const TorontonianOptions& options) {
  return each(entries, rows, options);
}

std::vector<TorontonianResult> torontonians(std::span<const std::complex<double>> entries, std::size_t rows,
                                            const TorontonianOptions& options) {
  return each(entries, rows, options);
}

}  // namespace matchcount
