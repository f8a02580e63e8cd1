#pragma once
// Computes determinants of dense matrices: modulo primes, exactly of integers and fractions, and of reals and complex
// numbers with a bound on the error.
//
//   const std::vector<std::int64_t> entries{1, 2, 3, 4};
//   determinant(entries, 2);                                     // -2
//   determinants_modulo(entries, 2, std::vector<std::uint32_t>{7});  // {5}
//
// Entries are row-major, n x n. The determinant of the empty matrix is 1. All throw InputError where there are not n *
// n entries, Unable where run.options().memory_limit_bytes or run.options().time_limit_s is passed, Cancelled when
// run.options().stop is raised. The answer does not depend on the number of threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/names.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

enum class DeterminantMethod {
  automatic,    // elimination
  elimination,  // by blocks, n^3 / 3 multiplications
  condensation  // of Salem and Said, as Haque and Moreno Maza (2012, doi:10.1088/1742-6596/341/1/012031): twice as many
};
template <>
struct Names<DeterminantMethod> {
  static constexpr std::string_view what = "method";
  static constexpr Named<DeterminantMethod> all[] = {{DeterminantMethod::automatic, "auto"},
                                                     {DeterminantMethod::elimination, "elimination"},
                                                     {DeterminantMethod::condensation, "condensation"}};
};

struct DeterminantOptions {
  DeterminantMethod method = DeterminantMethod::automatic;
  // Bound the error, which takes four times the work of the value; else log2_error is infinity: nothing is known of it.
  bool bound = true;
  // Precision is that of reals and complex numbers. automatic: double-doubles for small matrices and where doubles
  // leave no digit. compensated and exact are not for determinants of them (InputError). Of reals and complex numbers a
  // GPU does what takes doubles; double-doubles on one are Unable.
  RunOptions run = {};
};

// Reports what a call took, for benchmarks and curious people.
struct DeterminantReport {
  double device_s = 0;  // of that, a GPU's kernels, by its clock
};

// Computes the determinant modulo each of these primes, 2 to 2^31 - 1. Throws InputError for a number that is not such
// a prime. One prime at n = 4000: 1.4 s of one core with AVX-512, 15e9 multiplications a second; that of the loops
// alone is 19e9 below 2^30, 14e9 above. On one H200 the whole call takes 0.19 s, of which starting the GPU is 0.15 s.
std::vector<std::uint32_t> determinants_modulo(std::span<const std::int64_t> entries, std::size_t n,
                                               std::span<const std::uint32_t> primes,
                                               const DeterminantOptions& options = {},
                                               DeterminantReport* report = nullptr);

// Computes the determinant itself, from as many primes below 2^30 as Hadamard's bound asks for (the smaller of that for
// rows and for columns): proven, never ended early. Threads take a prime each where there are enough.
Integer determinant(std::span<const std::int64_t> entries, std::size_t n, const DeterminantOptions& options = {});
Integer determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options = {});

// Every row is multiplied by the least common multiple of its denominators first.
Rational determinant(std::span<const Rational> entries, std::size_t n, const DeterminantOptions& options = {});

// Computes determinants of reals and complex numbers, which are taken as exact. Rows and columns are scaled by powers
// of 2 first, and pivots multiplied as mantissa and exponent, so that nothing over- or underflows. The bound is proven
// from what was computed (linear/cpu/dense_floating.cpp), on a GPU too, and never above Hadamard's. Where it leaves no
// digit, mostly of a singular matrix, the determinant is found exactly by residues, unless that takes seconds (all
// doubles of 500 rows); of a complex matrix, if it is not 0, its absolute value, which is then the bound of 0. n up to
// some thousands in doubles (n = 4000: 1.17 s of one core where OpenBLAS takes 0.97; with a bound n = 1000 takes 0.13
// s; on one H200 n = 4000 takes 0.045 s with a bound and 0.026 without, kernels alone), some hundreds in
// double-doubles. Last digits depend on the instruction set and the device.
RealValue determinant(std::span<const double> entries, std::size_t n, const DeterminantOptions& options = {},
                      DeterminantReport* report = nullptr);
RealValue determinant(std::span<const DoubleDouble> entries, std::size_t n, const DeterminantOptions& options = {},
                      DeterminantReport* report = nullptr);
ComplexValue determinant(std::span<const ComplexDoubleDouble> entries, std::size_t n,
                         const DeterminantOptions& options = {}, DeterminantReport* report = nullptr);

// The numbers that a determinant was found in.
enum class Arithmetic { residues, float64, double_double };
template <>
struct Names<Arithmetic> {
  static constexpr std::string_view what = "arithmetic";
  static constexpr Named<Arithmetic> all[] = {{Arithmetic::residues, "residues"},
                                              {Arithmetic::float64, "double"},
                                              {Arithmetic::double_double, "double-double"}};
};

// Tells the determinant of a matrix as it was read. It is exact if weights are integers or missing (1); reals and
// complex numbers are taken to be right to 2^-100, or as they are read, which the bound covers.
struct DeterminantResult {
  std::variant<Integer, Rational, RealValue, ComplexValue> value;
  DeterminantMethod method = DeterminantMethod::elimination;
  Arithmetic arithmetic = Arithmetic::residues;
  std::size_t primes = 0;        // of residues, also of reals and complex numbers that no float has a digit of
  std::vector<DeviceInfo> gpus;  // that it ran on; empty: the CPU
  std::string note;              // why that is not what was asked for; mostly empty
};
// Throws InputError where the matrix is not square.
DeterminantResult determinant(const Matrix& matrix, const DeterminantOptions& options = {});
// The same where the weights of `matrix` are places in a table of fractions (Input::fractions); an integer where all of
// them are integers.
DeterminantResult determinant(const Matrix& matrix, std::span<const Rational> fractions,
                              const DeterminantOptions& options = {});

}  // namespace matchcount
