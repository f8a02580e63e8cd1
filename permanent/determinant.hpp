#pragma once
// Determinants of dense matrices: modulo primes, and exactly of integers and fractions.
//
//   const std::vector<std::int64_t> entries{1, 2, 3, 4};
//   determinant(entries, 2);                                     // -2
//   determinants_modulo(entries, 2, std::vector<std::uint32_t>{7});  // {5}
//
// Entries are row-major, n x n. The determinant of the empty matrix is 1. All throw InputError where there are not n *
// n entries, Unable where run.memory_limit_bytes or run.time_limit_s is passed, Cancelled when run.stop is raised. The
// answer does not depend on the number of threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/integer.hpp"
#include "core/run.hpp"

namespace matchcount {

enum class DeterminantMethod {
  automatic,    // elimination
  elimination,  // by blocks, n^3 / 3 multiplications
  condensation  // of Salem and Said, as Haque and Moreno Maza (2012, doi:10.1088/1742-6596/341/1/012031): twice as many
};
std::string_view to_string(DeterminantMethod method);

struct DeterminantOptions {
  DeterminantMethod method = DeterminantMethod::automatic;
  RunOptions run;
};

// The determinant modulo each of these primes, 2 to 2^31 - 1. Throws InputError for a number that is not such a prime.
// One prime at n = 4000: 1.4 s of one core with AVX-512, 15e9 multiplications a second; that of the loops alone is 19e9
// below 2^30, 14e9 above.
std::vector<std::uint32_t> determinants_modulo(std::span<const std::int64_t> entries, std::size_t n,
                                               std::span<const std::uint32_t> primes,
                                               const DeterminantOptions& options = {});

// The determinant itself, from as many primes below 2^30 as Hadamard's bound asks for (the smaller of that for rows and
// for columns): proven, never ended early. Threads take a prime each where there are enough.
Integer determinant(std::span<const std::int64_t> entries, std::size_t n, const DeterminantOptions& options = {});
Integer determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options = {});

// Every row is multiplied by the least common multiple of its denominators first.
Rational determinant(std::span<const Rational> entries, std::size_t n, const DeterminantOptions& options = {});

}  // namespace matchcount
