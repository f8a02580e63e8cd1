#pragma once
// big() is the number within an Integer: boost's, which sources that do long arithmetic may work on. Private to the
// sources, since boost's header is 169,000 lines that each of its readers compiles.

#include <boost/multiprecision/cpp_int.hpp>
#include <new>
#include <utility>

#include "core/numbers/integer.hpp"

namespace matchcount {

using BigInteger = boost::multiprecision::cpp_int;

struct BigAccess {
  static_assert(sizeof(BigInteger) <= sizeof(Integer::storage_) && alignof(BigInteger) <= alignof(Integer));
  static BigInteger& of(Integer& value) { return *std::launder(reinterpret_cast<BigInteger*>(value.storage_)); }
  static const BigInteger& of(const Integer& value) {
    return *std::launder(reinterpret_cast<const BigInteger*>(value.storage_));
  }
  template <class Expression>
  static Integer integer(Expression&& expression) {
    return Integer(std::in_place,
                   [&](void* storage) { ::new (storage) BigInteger(std::forward<Expression>(expression)); });
  }
};

inline BigInteger& big(Integer& value) { return BigAccess::of(value); }
inline const BigInteger& big(const Integer& value) { return BigAccess::of(value); }
// Converts a number or an expression of boost's.
template <class Expression>
Integer to_integer(Expression&& expression) {
  return BigAccess::integer(std::forward<Expression>(expression));
}

}  // namespace matchcount
