#include "linear/cpu/dense_kernels.hpp"

#include <string>

#include "core/error.hpp"
#include "core/run.hpp"

namespace matchcount {

namespace dense_isa {
namespace baseline {
extern const DenseKernels kernels;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const DenseKernels kernels;
}
namespace avx512 {
extern const DenseKernels kernels;
}
#endif
}  // namespace dense_isa

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

const DenseKernels& dense_kernels([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return dense_isa::avx512::kernels;
  if (isa == Isa::avx2) return dense_isa::avx2::kernels;
#endif
  return dense_isa::baseline::kernels;
}

}  // namespace matchcount
