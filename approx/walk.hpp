#pragma once
// Defines the pieces of all estimators' samples, in text that compilers for CPUs and for GPUs both read. Only
// + - * / and integers, rounded as written, so that a sample has the same bits wherever it is drawn.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/random.hpp"

#ifdef __CUDACC__
#define MATCHCOUNT_ANYWHERE __host__ __device__ __forceinline__
#else
#define MATCHCOUNT_ANYWHERE inline
#endif

namespace matchcount {

// Returns the place of the lowest bit of a word that is not 0.
MATCHCOUNT_ANYWHERE int lowest_bit(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}
MATCHCOUNT_ANYWHERE int count_bits(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}

// mantissa * 2^exponent; 0 for a dead end.
struct Sample {
  double mantissa = 0;
  std::int64_t exponent = 0;

  // Returns the natural logarithm; -infinity for 0.
  double log() const {
    return mantissa == 0 ? -std::numeric_limits<double>::infinity()
                         : std::log(mantissa) + static_cast<double>(exponent) * 0.693147180559945309417;
  }
};

// A product of positive numbers of any magnitude.
class Product {
 public:
  MATCHCOUNT_ANYWHERE void multiply(double factor) {
    sample_.mantissa *= normal(factor);
    sample_.mantissa = normal(sample_.mantissa);
  }
  MATCHCOUNT_ANYWHERE Sample sample() const { return sample_; }

 private:
  // Returns x, less a power of two where it is far from 1.
  MATCHCOUNT_ANYWHERE double normal(double x) {
    if (x > 0x1p-250 && x < 0x1p250) return x;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    sample_.exponent += static_cast<std::int64_t>(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffff) | 0x3ff0000000000000;
    std::memcpy(&x, &bits, sizeof bits);
    return x;
  }

  Sample sample_{1, 0};
};

// The numbers of Random(seed, stream).uniform().
class Uniforms {
 public:
  MATCHCOUNT_ANYWHERE Uniforms(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  MATCHCOUNT_ANYWHERE double next() {
    if (number_ % 2 == 0) {
      const std::uint64_t block = number_ / 2;
      const auto out = philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                   static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                                  {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
      now_ = std::uint64_t{out[1]} << 32 | out[0];
      second_ = std::uint64_t{out[3]} << 32 | out[2];
    } else {
      now_ = second_;
    }
    ++number_;
    return static_cast<double>(now_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t seed_, stream_, number_ = 0, now_ = 0, second_ = 0;
};

}  // namespace matchcount
