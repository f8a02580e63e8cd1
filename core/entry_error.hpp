#pragma once
// Says how right the reals and complex numbers of a file are.

namespace matchcount {

// Every method counts this relative error for the reading of an entry and for the sum of an edge given many times.
constexpr double entry_roundoff = 0x1p-100;

// Bounds how much an entry of this magnitude may differ from its text beyond that, relatively: the low half of a
// double-double below 2^-968 is subnormal. 0 below the normal doubles, which no file gives.
constexpr double subnormal_error(double magnitude) {
  return magnitude >= 0x1p-1022 && magnitude < 0x1p-968 ? 0x1p-1022 / magnitude * 0x1p-52 : 0;
}

}  // namespace matchcount
