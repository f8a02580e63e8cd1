#include "bench/bits.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "linear/bits/product.hpp"

namespace matchcount::bench {

BitMatrix random_bits(std::size_t n, std::uint64_t seed, std::uint64_t matrix) {
  BitMatrix result(n, n);
  parallel_for_chunks(resolve_num_threads({}), n, [&](std::uint64_t row, int) {
    Random random(seed, 2 * row + matrix);
    std::uint64_t* const words = result.row(row);
    for (std::size_t w = 0; w < (n + 63) / 64; ++w) words[w] = random();
    if (n % 64 != 0) words[n / 64] &= (std::uint64_t{1} << n % 64) - 1;
  });
  return result;
}

BitMatrix product_on_cpu(BitSum sum, const BitMatrix& a, const BitMatrix& b, RunOptions options) {
  options.device.kind = DeviceChoice::Kind::cpu;
  const RunContext run(options);
  return sum == BitSum::boolean ? boolean_product(a, b, run) : binary_product(a, b, run);
}

bool is_product(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c) {
  const std::size_t n = a.num_rows(), words = (n + 63) / 64;
  constexpr std::size_t samples = 8;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t row = (n - 1) * i / (samples - 1);
    std::vector<std::uint64_t> expected(words, 0);
    for (std::size_t k = 0; k < n; ++k) {
      if (!a.get(row, k)) continue;
      for (std::size_t w = 0; w < words; ++w)
        expected[w] = sum == BitSum::boolean ? expected[w] | b.row(k)[w] : expected[w] ^ b.row(k)[w];
    }
    if (!std::equal(expected.begin(), expected.end(), c.row(row))) return false;
  }
  return true;
}

}  // namespace matchcount::bench
