#pragma once
// Gives an Integer as boost's number, whose arithmetic shares nothing with it.

#include <boost/multiprecision/cpp_int.hpp>

#include "core/numbers/integer.hpp"

namespace matchcount {

using BigInteger = boost::multiprecision::cpp_int;

inline BigInteger big(const Integer& value) {
  BigInteger result;
  const auto words = value.words();
  if (!words.empty()) import_bits(result, words.begin(), words.end(), 64, false);
  return value.sign() < 0 ? -result : result;
}

}  // namespace matchcount
