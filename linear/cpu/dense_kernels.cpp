#include "linear/cpu/dense_kernels.hpp"

#include <string>

#include "core/error.hpp"

namespace matchcount {

DenseModulus::DenseModulus(std::uint32_t odd_prime) : prime(odd_prime) {
  if (prime % 2 == 0 || prime < 3 || prime >> 31 != 0) {
    throw InputError("the modulus " + std::to_string(prime), "an odd prime below 2^31");
  }
  std::uint32_t inverse = prime;  // right to 3 bits; every step doubles them
  for (int step = 0; step < 4; ++step) inverse *= 2 - prime * inverse;
  negated_inverse = 0 - inverse;
  const std::uint64_t power = (std::uint64_t{1} << 32) % prime;
  to_montgomery = static_cast<std::uint32_t>(power * power % prime);
}

}  // namespace matchcount
