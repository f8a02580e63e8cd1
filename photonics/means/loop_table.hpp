#pragma once
// Holds what the loop hafnians of one matrix have in common, whatever the loops.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "photonics/means/cpu/point_kernel.hpp"
#include "photonics/means/permanent_mean.hpp"

namespace matchcount::dense {

// T: double or std::complex<double>.
template <class T>
class LoopTable {
 public:
  static constexpr std::size_t least_vertices = 6, most_vertices = 22, lanes = loop_kernel::num_lanes;
  static double products(std::size_t n);      // of a vector
  static double memory_bytes(std::size_t n);  // of the table, and of each thread that sums
  static double scratch_bytes(std::size_t n);

  // Takes a symmetric matrix, row-major, n x n, no part above 2^300; the diagonal is not read.
  LoopTable(std::span<const T> entries, std::size_t n, const RunContext& run, int num_threads);

  // Writes the loop hafnians for count vectors of n loops each; nothing where doubles leave too few digits.
  void values(const T* loops, std::size_t count, const RunContext& run, Lanes& scratch,
              std::optional<AnswerOf<T>>* found) const;

 private:
  static constexpr std::size_t parts = components_of<T>;

  // One part of the vertices, and its sets by size.
  struct Part {
    explicit Part(std::size_t num_vertices);
    std::size_t vertices;
    std::vector<std::uint32_t> sets, place;  // and where a set stands
    std::vector<std::size_t> begin;          // by size
    std::vector<T> entries;
    std::vector<double> magnitudes;
  };

  template <class Number>
  std::vector<Number> permanents(const std::vector<Number>& across, std::size_t size,
                                 const std::vector<Number>& smaller, const RunContext& run, int num_threads) const;
  double roundings(std::size_t size) const;

  std::size_t n_;
  Part few_, many_;   // the first vertices and the others
  int exponent_ = 0;  // entries are divided by its square as a power of 2, loops by itself
  // By size of the sets that are matched across: permanents, as a kernel takes them, and roundings; and for what few_
  // has left then, as its sets stand, the 2-norms over many_ of permanents of magnitudes.
  std::vector<std::vector<T>> tables_;
  std::vector<double> roundings_, norms_;
};

}  // namespace matchcount::dense
