// Decimal conversion by divide and conquer: a number is split by powers 10^(19 * 2^k), so that nearly all the work is
// in a few products of long numbers, which boost does by Karatsuba's method. Boost's division is quadratic; above a
// threshold the quotient is found with a precomputed reciprocal (Newton's iteration) and put right by at most a few
// subtractions.

#include "core/integer.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace matchcount {
namespace {

namespace mp = boost::multiprecision;

constexpr unsigned chunk_digits = 19;
constexpr std::uint64_t chunk_base = 10'000'000'000'000'000'000u;  // 10^19 < 2^64
// Bits of a divisor from which the reciprocal beats boost's division; measured with boost 1.74, flat between 10^4 and
// 10^5.
constexpr std::size_t reciprocal_bits = 30'000;

std::size_t bit_length(const Integer& value) { return value == 0 ? 0 : mp::msb(value) + 1; }

// About 2^(2b) / value, b its bit length, off by a few units; requires value > 0.
Integer approximate_reciprocal(const Integer& value) {
  const std::size_t bits = bit_length(value);
  // pow, since GCC 13 suspects the loops of a constant that is shifted.
  if (bits < reciprocal_bits / 2) return mp::pow(Integer(2), static_cast<unsigned>(2 * bits)) / value;
  const std::size_t half = bits / 2 + 16;
  const Integer start = approximate_reciprocal(Integer(value >> (bits - half)));  // 2^(2 half) / top half
  Integer residual = (Integer(1) << (bits + half)) - value * start;
  Integer correction = start * residual;
  correction >>= 2 * half;
  return (start << (bits - half)) + correction;
}

struct Power {
  Integer value;       // 10^(19 * 2^k)
  Integer reciprocal;  // 0 where plain division is used
  std::size_t bits;
};

// x = quotient * power + remainder, 0 <= remainder < power, for 0 <= x < power^2.
void divide(const Integer& x, const Power& power, Integer& quotient, Integer& remainder) {
  if (power.reciprocal == 0) {
    mp::divide_qr(x, power.value, quotient, remainder);
    return;
  }
  quotient = ((x >> (power.bits - 1)) * power.reciprocal) >> (power.bits + 1);
  remainder = x - quotient * power.value;
  while (remainder < 0) {
    remainder += power.value;
    --quotient;
  }
  while (remainder >= power.value) {
    remainder -= power.value;
    ++quotient;
  }
}

void append_chunk(std::uint64_t chunk, bool pad, std::string& out) {
  const std::string digits = std::to_string(chunk);
  if (pad) out.append(chunk_digits - digits.size(), '0');
  out += digits;
}

// Appends x < 10^(19 * 2^levels), with leading zeros where pad is set and without (nothing for x = 0) where it is not.
void append_decimal(const Integer& x, std::size_t levels, const std::vector<Power>& powers, bool pad,
                    std::string& out) {
  if (levels == 0) {
    if (pad || x != 0) append_chunk(static_cast<std::uint64_t>(x), pad, out);
    return;
  }
  const Power& power = powers[levels - 1];
  if (!pad && x < power.value) {
    append_decimal(x, levels - 1, powers, false, out);
    return;
  }
  Integer quotient, remainder;
  divide(x, power, quotient, remainder);
  append_decimal(quotient, levels - 1, powers, pad, out);
  append_decimal(remainder, levels - 1, powers, true, out);
}

}  // namespace

double log2_abs(const Integer& value) {
  if (value == 0) return -std::numeric_limits<double>::infinity();
  const Integer magnitude = mp::abs(value);
  const std::size_t top = mp::msb(magnitude);
  if (top < 64) return std::log2(static_cast<double>(static_cast<std::uint64_t>(magnitude)));
  const auto leading = static_cast<std::uint64_t>(Integer(magnitude >> (top - 63)));
  return std::log2(static_cast<double>(leading) * 0x1p-63) + static_cast<double>(top);
}

std::string to_decimal(const Integer& value) {
  if (value == 0) return "0";
  const Integer magnitude = mp::abs(value);
  const std::size_t bits = bit_length(magnitude);
  std::vector<Power> powers;
  if (bits > 63) powers.push_back({Integer(chunk_base), Integer(0), 64});
  while (!powers.empty() && 2 * powers.back().bits - 1 <= bits) {  // power^2 may not exceed the magnitude
    Integer square = powers.back().value * powers.back().value;
    if (square > magnitude) break;
    Power next{std::move(square), Integer(0), 0};
    next.bits = bit_length(next.value);
    if (next.bits >= reciprocal_bits) next.reciprocal = approximate_reciprocal(next.value);
    powers.push_back(std::move(next));
  }
  std::string out = value < 0 ? "-" : "";
  append_decimal(magnitude, powers.size(), powers, false, out);
  return out;
}

}  // namespace matchcount
