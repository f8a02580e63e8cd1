#pragma once
// Draws counter-based random numbers: the i-th block of a stream is a pure function of (seed, stream, i), so that any
// thread, rank or device draws the same numbers. Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011,
// doi:10.1145/2063384.2063405).

#include <array>
#include <cstdint>

namespace matchcount {

constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// A uniform random bit generator (the standard's concept) over one Philox stream. Cheap to make: one per task.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    if (have_second_) {
      have_second_ = false;
      return second_;
    }
    const auto out = philox4x32({static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32),
                                 static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                                key_);
    ++block_;
    second_ = (std::uint64_t{out[3]} << 32) | out[2];
    have_second_ = true;
    return (std::uint64_t{out[1]} << 32) | out[0];
  }

  // Draws uniformly in [0, 1), 53 bits. The standard's distributions differ between libraries; these two do not.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  // Draws uniformly in {0, ..., bound - 1}; bound >= 1. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using uint128 = unsigned __int128;
    return static_cast<std::uint64_t>((uint128{(*this)()} * bound) >> 64);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::uint64_t second_ = 0;
  bool have_second_ = false;
};

}  // namespace matchcount
