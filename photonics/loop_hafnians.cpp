#include "photonics/loop_hafnians.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/engine/batches.hpp"
#include "permanent/engine/limits.hpp"
#include "photonics/means/loop_table.hpp"

namespace matchcount {
namespace {

constexpr double products_worth_threads = 1 << 22;  // of a table, times vectors

template <class T>
std::vector<dense::AnswerOf<T>> find_all(std::span<const T> entries, std::size_t n, std::span<const T> loops,
                                         const RunOptions& options) {
  if (n == 0 || entries.size() != n * n || loops.size() % n != 0)
    throw InputError(std::to_string(entries.size()) + " entries and " + std::to_string(loops.size()) + " loops of " +
                         std::to_string(n) + " vertices",
                     "a square matrix of at least one row, and a loop for each");
  require_finite(entries);
  require_finite(loops);
  require_symmetric(entries, n);
  const std::size_t count = loops.size() / n;
  const RunContext run(options);
  std::vector<std::optional<dense::AnswerOf<T>>> found(count);
  using Table = dense::LoopTable<T>;
  // Measured: a table takes as long as so many vectors one by one.
  constexpr std::size_t vectors_of_vertex = 2, at_once = 2 * Table::lanes;
  const auto is_moderate = [](const T& entry) { return dense::is_moderate(entry); };
  if (n >= Table::least_vertices && n <= Table::most_vertices && count >= vectors_of_vertex * n &&
      dense::doubles_will_do(options) && options.device.kind != DeviceChoice::Kind::cuda &&
      std::ranges::all_of(entries, is_moderate) && std::ranges::all_of(loops, is_moderate)) {
    const double products = Table::products(n) * static_cast<double>(count);
    const int threads = products < products_worth_threads ? 1 : run.num_threads();
    if (run.has_memory_for(Table::memory_bytes(n) + Table::scratch_bytes(n) * threads)) {
      const Table table(entries, n, run, threads);
      std::vector<dense::Lanes> scratch(static_cast<std::size_t>(threads));
      parallel_for_chunks(threads, (count + at_once - 1) / at_once, [&](std::uint64_t chunk, int thread) {
        const std::size_t first = chunk * at_once;
        table.values(loops.data() + first * n, std::min(at_once, count - first), run,
                     scratch[static_cast<std::size_t>(thread)], found.data() + first);
      });
    }
  }
  std::vector<T> matrix(entries.begin(), entries.end());
  std::vector<dense::AnswerOf<T>> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!found[i]) {
      for (std::size_t v = 0; v < n; ++v) matrix[v * (n + 1)] = loops[i * n + v];
      found[i] = std::move(Batch<T>::hafnians(matrix, n, true, what_is_left(run)).front());
    }
    values.push_back(std::move(*found[i]));
  }
  return values;
}

}  // namespace

std::vector<RealValue> loop_hafnians(std::span<const double> entries, std::size_t n, std::span<const double> loops,
                                     const RunOptions& run) {
  return find_all(entries, n, loops, run);
}
std::vector<ComplexValue> loop_hafnians(std::span<const std::complex<double>> entries, std::size_t n,
                                        std::span<const std::complex<double>> loops, const RunOptions& run) {
  return find_all(entries, n, loops, run);
}

}  // namespace matchcount
