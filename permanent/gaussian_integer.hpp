#pragma once
// GaussianInteger is an integer of any size with an imaginary part. Private to permanent/.

#include "core/numbers/integer.hpp"

namespace matchcount {

struct GaussianInteger {
  Integer re, im;
  friend bool operator==(const GaussianInteger&, const GaussianInteger&) = default;
};
inline GaussianInteger operator-(const GaussianInteger& value) { return {-value.re, -value.im}; }
// sum += factor value
inline void add_multiple(int factor, const GaussianInteger& value, GaussianInteger& sum) {
  sum.re += factor * value.re;
  sum.im += factor * value.im;
}

}  // namespace matchcount
