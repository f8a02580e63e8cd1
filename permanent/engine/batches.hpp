#pragma once
// Finds permanents and hafnians of small dense matrices, many at once or with repeated rows, without a plan; what is
// too large for that is a question for the engine (answer.hpp).

#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount {

// Does what matchcount/batches.hpp says. T is std::int64_t, double or std::complex<double>.
template <class T>
struct Batch {
  using Answer = dense::AnswerOf<T>;
  using Entries = std::span<const T>;
  using Repeats = std::span<const std::uint32_t>;
  static std::vector<Answer> permanents(Entries entries, std::size_t n, const RunOptions& options);
  static std::vector<Answer> hafnians(Entries entries, std::size_t n, bool loops, const RunOptions& options);
  static Answer repeated_permanent(Entries entries, Repeats row_times, Repeats column_times, const RunOptions& options);
  static Answer repeated_hafnian(Entries entries, Repeats times, bool loops, const RunOptions& options);
};

// Throw InputError for what is not finite, and for n x n matrices that are not symmetric.
template <class T>
void require_finite(std::span<const T> entries);
template <class T>
void require_symmetric(std::span<const T> entries, std::size_t n);

}  // namespace matchcount
