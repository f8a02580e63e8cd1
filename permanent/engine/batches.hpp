#pragma once
// Finds permanents and hafnians of small dense matrices, many at once or with repeated rows, without a plan; what is
// too large for that is a question for the engine (answer.hpp).

#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount {

// These do what matchcount/batches.hpp says. T is std::int64_t, double or std::complex<double>.
template <class T>
std::vector<dense::AnswerOf<T>> permanents_of(std::span<const T> entries, std::size_t n, const RunOptions& options);
template <class T>
std::vector<dense::AnswerOf<T>> hafnians_of(std::span<const T> entries, std::size_t n, bool loops,
                                            const RunOptions& options);
template <class T>
dense::AnswerOf<T> repeated_permanent_of(std::span<const T> entries, std::span<const std::uint32_t> row_times,
                                         std::span<const std::uint32_t> column_times, const RunOptions& options);
template <class T>
dense::AnswerOf<T> repeated_hafnian_of(std::span<const T> entries, std::span<const std::uint32_t> times, bool loops,
                                       const RunOptions& options);

}  // namespace matchcount
