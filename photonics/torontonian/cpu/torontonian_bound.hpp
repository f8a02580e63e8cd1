#pragma once
// Bounds what the terms of a torontonian, summed up by the kernel, are off by.

#include <cmath>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/run.hpp"

namespace matchcount::torontonian_bound {

template <class T>
constexpr double unit_of = std::is_same_v<T, double> ? 0x1p-53 : DoubleDouble::unit_roundoff;

// Holds what is summed up: a real matrix up to its diagonal, row by row, and loops. Letters are those of
// torontonian_bound.cpp.
struct Problem {
  std::size_t num_modes = 0, rows = 2;  // rows of a mode
  std::vector<DoubleDouble> entries, loops;
  double factor = 0.5;                        // of exponents
  double entries_error = 0, loops_error = 0;  // d and e
  double least = 0;                           // q, or less
  double exponent = 0;                        // factor Q, or more; 0 without loops
  double pairs = 0, squares = 0;              // what g_i / u and d are multiplied by in t, or more

  std::size_t size() const { return rows * num_modes; }
  DoubleDouble diagonal(std::size_t i) const { return entries[i * (i + 3) / 2]; }
};

// The parts of the bound in numbers T.
struct Roundings {
  Roundings(const Problem& problem, double roundoff)
      : unit(roundoff * (1 + 0x1p-20)), size(static_cast<double>(problem.size())), g((size + 10) * unit) {
    r = (size * g + problem.entries_error) / problem.least * (1 + 0x1p-40);
  }
  // Returns the most that log det(A_S) differs by.
  double of_determinants(const Problem& problem) const {
    const double trace = unit * problem.pairs + problem.entries_error * problem.squares;
    return trace * (1 + trace / (2 * (1 - r))) * (1 + 0x1p-30);
  }
  // Returns the most that v_S^T A_S^-1 v_S differs by, where v^T A^-1 v is at most this and v has such an error.
  double of_squares(double least, double squares, double error_of_loops) const {
    const double root = std::sqrt(squares);
    const double b = (g * std::sqrt(size) * root + error_of_loops) / std::sqrt(least);
    return ((2 * root + b) * b + squares * r) / (1 - r) * (1 + 0x1p-40);
  }
  double unit, size, g, r;
};

// Doubles at a multiple of 64 bytes; so few on the stack, for memory takes as long as a small torontonian.
template <std::size_t few>
class Room {
 public:
  explicit Room(std::size_t doubles) {
    if (doubles > few) more_.reset(static_cast<double*>(::operator new(doubles * sizeof(double), alignment)));
  }
  double* data() { return more_ ? more_.get() : few_; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* memory) const { ::operator delete(memory, alignment); }
  };
  alignas(64) double few_[few];
  std::unique_ptr<double, Free> more_;
};

// Finds what the bound needs to know of the matrix with numbers T: double or DoubleDouble. Returns whether these prove
// I - O positive definite. Throws Unable where terms would be beyond doubles.
template <class T>
bool find_bounds(Problem& problem, const RunContext& run);

}  // namespace matchcount::torontonian_bound
