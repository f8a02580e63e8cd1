#pragma once
// Adds weight * source to a target, on short runs of states, for every number type of the frontier method. A value is a
// few 64-bit planes; plane k of element i stands at base[k * stride + i]. An index says which elements: each with that
// at its own place, or those of a list.
// Everything is local to the file that includes this, because the kernels are compiled once per instruction set.

#include <cstddef>
#include <cstdint>

#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/planes.hpp"

namespace matchcount {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Element i of the target takes element i of the source.
struct InParallel {
  std::size_t length;
  std::size_t size() const { return length; }
  std::size_t target(std::size_t i) const { return i; }
  std::size_t source(std::size_t i) const { return i; }
};

// The i-th pair names the two.
struct Listed {
  const std::uint16_t* pairs;
  std::size_t length;
  std::size_t size() const { return length; }
  std::size_t target(std::size_t i) const { return pairs[2 * i]; }
  std::size_t source(std::size_t i) const { return pairs[2 * i + 1]; }
};

// Integers modulo 2^(64 D) in two's complement, the source sign-extended from S planes. D = 0: both counts at run time.
template <int D, int S, bool assign, class Index>
inline void add_words(std::uint64_t* target, std::size_t target_stride, int target_planes, const std::uint64_t* source,
                      std::size_t source_stride, int source_planes, std::int64_t weight, Index index) {
  const int d = D ? D : target_planes;
  const int s = D ? S : source_planes;
  if (weight == 1) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::size_t to = index.target(i), from = index.source(i);
      std::uint64_t carry = 0;
      std::uint64_t word = 0;
      for (int k = 0; k < d; ++k) {
        word = k < s ? source[k * source_stride + from]
                     : static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 63);
        std::uint64_t& t = target[k * target_stride + to];
        if (assign) {
          t = word;
        } else {
          const std::uint64_t sum = t + word;
          const std::uint64_t with_carry = sum + carry;
          carry = static_cast<std::uint64_t>(sum < word) | static_cast<std::uint64_t>(with_carry < sum);
          t = with_carry;
        }
      }
    }
    return;
  }
  // |weight| times the source, added or, for a negative weight, subtracted by adding the complement and one.
  const std::uint64_t factor = weight < 0 ? 0 - static_cast<std::uint64_t>(weight) : static_cast<std::uint64_t>(weight);
  const std::uint64_t flip = weight < 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t to = index.target(i), from = index.source(i);
    std::uint64_t high = 0;
    std::uint64_t carry = flip & 1;
    std::uint64_t word = 0;
    for (int k = 0; k < d; ++k) {
      word =
          k < s ? source[k * source_stride + from] : static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 63);
      const Uint128 product = Uint128{word} * factor + high;
      high = static_cast<std::uint64_t>(product >> 64);
      const Uint128 sum =
          Uint128{static_cast<std::uint64_t>(product) ^ flip} + carry + (assign ? 0 : target[k * target_stride + to]);
      carry = static_cast<std::uint64_t>(sum >> 64);
      target[k * target_stride + to] = static_cast<std::uint64_t>(sum);
    }
  }
}

template <bool assign, class Index>
inline void add_words_any(std::uint64_t* target, std::size_t target_stride, int target_planes,
                          const std::uint64_t* source, std::size_t source_stride, int source_planes,
                          std::int64_t weight, Index index) {
  const auto call = [&](auto function) {
    function(target, target_stride, target_planes, source, source_stride, source_planes, weight, index);
  };
  switch (target_planes * 16 + source_planes) {
    case 0x11:
      return call(add_words<1, 1, assign, Index>);
    case 0x21:
      return call(add_words<2, 1, assign, Index>);
    case 0x22:
      return call(add_words<2, 2, assign, Index>);
    case 0x32:
      return call(add_words<3, 2, assign, Index>);
    case 0x33:
      return call(add_words<3, 3, assign, Index>);
    case 0x43:
      return call(add_words<4, 3, assign, Index>);
    case 0x44:
      return call(add_words<4, 4, assign, Index>);
    default:
      return call(add_words<0, 0, assign, Index>);
  }
}

// Returns the lesser of both, in one instruction: of a sum of residues and of that less the prime, which wraps where it
// would be negative.
inline std::uint32_t lesser(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

// Integers modulo a prime below 2^31. The product is Shoup's: factor * source - floor(quotient * source / 2^32) * prime
// is right modulo 2^32 and lies in [0, 2 prime).
template <bool assign, class Slot, class Index>
inline void add_residues(Slot* __restrict target, const Slot* __restrict source, ResidueWeight weight,
                         std::uint32_t prime, Index index) {
  const auto add_each = [&](auto product_of) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      Slot& t = target[index.target(i)];
      const std::uint32_t product = product_of(source[index.source(i)]);
      t = static_cast<Slot>(assign ? product : lesser(t + product, t + product - prime));
    }
  };
  if (weight.factor == 1) {
    add_each([](std::uint32_t value) { return value; });
  } else if (weight.factor == prime - 1) {
    add_each([&](std::uint32_t value) { return lesser(0 - value, prime - value); });
  } else {
    add_each([&](std::uint32_t value) {
      const auto quotient = static_cast<std::uint32_t>((std::uint64_t{weight.quotient} * value) >> 32);
      const std::uint32_t product = weight.factor * value - quotient * prime;
      return lesser(product, product - prime);
    });
  }
}

// Real and complex numbers, V of planes.hpp. A weight has as many doubles as a value, in the order of its planes.
template <class V>
struct FloatSum {
  static constexpr int planes = lane::planes_of<V>;
  template <bool assign, class Index>
  static void add(double* __restrict target, std::size_t target_stride, const double* __restrict source,
                  std::size_t source_stride, const double* weight, Index index) {
    V w;
    lane::read(w, weight, std::size_t{1});
    for (std::size_t i = 0; i < index.size(); ++i) {
      V value, sum;
      lane::read(value, source + index.source(i), source_stride);
      value = lane::weighed(value, w);
      if (!assign) {
        lane::read(sum, target + index.target(i), target_stride);
        value = sum + value;
      }
      lane::write(value, target + index.target(i), target_stride);
    }
  }
};
using RealSum = FloatSum<double>;
using DoubleDoubleSum = FloatSum<lane::Pair<double>>;
using ComplexSum = FloatSum<lane::Complex<double>>;
using ComplexDoubleDoubleSum = FloatSum<lane::Complex<lane::Pair<double>>>;

}  // namespace
}  // namespace matchcount
