#include "matchcount/batches.hpp"

#include "permanent/engine/batches.hpp"

namespace matchcount {

std::vector<Integer> permanents(std::span<const std::int64_t> entries, std::size_t n, const RunOptions& run) {
  return Batch<std::int64_t>::permanents(entries, n, run);
}
std::vector<Integer> hafnians(std::span<const std::int64_t> entries, std::size_t n, bool loops, const RunOptions& run) {
  return Batch<std::int64_t>::hafnians(entries, n, loops, run);
}
Integer repeated_permanent(std::span<const std::int64_t> entries, std::span<const std::uint32_t> row_times,
                           std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return Batch<std::int64_t>::repeated_permanent(entries, row_times, column_times, run);
}
Integer repeated_hafnian(std::span<const std::int64_t> entries, std::span<const std::uint32_t> times, bool loops,
                         const RunOptions& run) {
  return Batch<std::int64_t>::repeated_hafnian(entries, times, loops, run);
}

std::vector<RealValue> permanents(std::span<const double> entries, std::size_t n, const RunOptions& run) {
  return Batch<double>::permanents(entries, n, run);
}
std::vector<RealValue> hafnians(std::span<const double> entries, std::size_t n, bool loops, const RunOptions& run) {
  return Batch<double>::hafnians(entries, n, loops, run);
}
RealValue repeated_permanent(std::span<const double> entries, std::span<const std::uint32_t> row_times,
                             std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return Batch<double>::repeated_permanent(entries, row_times, column_times, run);
}
RealValue repeated_hafnian(std::span<const double> entries, std::span<const std::uint32_t> times, bool loops,
                           const RunOptions& run) {
  return Batch<double>::repeated_hafnian(entries, times, loops, run);
}

std::vector<ComplexValue> permanents(std::span<const std::complex<double>> entries, std::size_t n,
                                     const RunOptions& run) {
  return Batch<std::complex<double>>::permanents(entries, n, run);
}
std::vector<ComplexValue> hafnians(std::span<const std::complex<double>> entries, std::size_t n, bool loops,
                                   const RunOptions& run) {
  return Batch<std::complex<double>>::hafnians(entries, n, loops, run);
}
ComplexValue repeated_permanent(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> row_times,
                                std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return Batch<std::complex<double>>::repeated_permanent(entries, row_times, column_times, run);
}
ComplexValue repeated_hafnian(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> times,
                              bool loops, const RunOptions& run) {
  return Batch<std::complex<double>>::repeated_hafnian(entries, times, loops, run);
}

}  // namespace matchcount
