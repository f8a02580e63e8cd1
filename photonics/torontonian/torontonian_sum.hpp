#pragma once
// Names the steps from the entries of a torontonian to its value and bound, for one and for a batch.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "photonics/torontonian/cpu/torontonian_bound.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"
#include "photonics/torontonian.hpp"

namespace matchcount::torontonian_sum {

using torontonian_bound::Problem;

// Throws InputError for a number of rows, entries or loops that no torontonian has, a precision or tolerances that it
// has not; Unable for too many modes.
void require_shape(std::size_t rows, std::size_t num_entries, std::size_t num_loops);
void require_options(std::size_t num_modes, const TorontonianOptions& options);

// Makes entries real (torontonian_problem.cpp). T: double or std::complex<double>. Throws as torontonian does.
template <class T>
Problem problem_of(std::span<const T> entries, std::size_t rows, std::span<const T> loop,
                   const TorontonianOptions& options);
Problem problem_of(const Matrix& matrix, bool has_loop, std::span<const Rational> fractions,
                   const TorontonianOptions& options);

// Throws what a matrix of four rows a mode gets where a GPU is asked for.
[[noreturn]] void refuse_on_gpus();

// Finds what the bound needs to know. Returns whether doubles will do for that. Throws InputError where I - O is not
// positive definite, Unable where the precision is float64 and doubles do not tell.
bool bound_in_doubles(Problem& problem, const RunContext& run);
// Says whether doubles leave far too few digits, if modes cancel as they would that know nothing of each other.
bool is_in_vain_in_doubles(const Problem& problem);
// Says whether doubles that gave this need not be computed again.
bool is_good(const RealValue& value);

// Returns how often an exponent is halved until it is at most 1/4.
inline int squarings_of(const Problem& problem) {
  int squarings = 0;
  while (!problem.loops.empty() && std::ldexp(problem.exponent, -squarings) > 0.25) ++squarings;
  return squarings;
}

// Writes entries, loops, the factor of exponents and their squarings, both parts of each for T DoubleDouble, or the
// first for T double; returns what is behind them.
template <class T>
double* write_values(const Problem& problem, double* to) {
  const auto write = [&](const DoubleDouble& value) {
    *to++ = value.hi;
    if constexpr (sizeof(T) > sizeof(double)) *to++ = value.lo;
  };
  std::ranges::for_each(problem.entries, write);
  std::ranges::for_each(problem.loops, write);
  write(problem.factor);
  write(squarings_of(problem));
  return to;
}

struct Partial {
  DoubleDouble sum;
  double magnitude = 0;
  void add(const Partial& other) {
    sum += other.sum;
    magnitude += other.magnitude;
  }
};
// Returns the value of all terms, summed up with numbers T. Throws Unable where they leave the range of doubles.
template <class T>
RealValue value_of(const Problem& problem, const Partial& total);

// Predicts the seconds of one core, and of GPUs together once they have begun.
double forecast_s(const Problem& problem, bool is_double);
double gpu_forecast_s(const Problem& problem, bool is_double, const std::vector<DeviceInfo>& gpus);
constexpr double gpu_start_s = 0.25, worth_a_gpu_s = 0.5;

}  // namespace matchcount::torontonian_sum
