#pragma once
// Expands permanents and hafnians over sets and multisets, eight states side by side: the inner loops.
//
// States stand in blocks of eight lanes, [component][lane]: one component for doubles and words modulo 2^64, two for
// complex numbers, four for those of double-doubles. Nothing is subtracted but what the entries' signs subtract, so
// that the error of a result is a few hundred roundings of the same sum over the entries' magnitudes.

#include <cstdint>

namespace matchcount::expansion_kernel {

constexpr int num_lanes = 8;
constexpr int max_digits = 64;

// The permanent of a matrix whose columns are taken several times each: f(k) for the vector k of how often each was
// taken so far is the sum over j of f(k - e_j) a[|k| - 1][j]. A few columns tell the lanes apart, the others are the
// digits of a block's number, in mixed radix.
struct Columns {
  int lanes = 0;                          // of the eight that are states
  int num_digits = 0;                     // at most max_digits
  const std::uint32_t* radix = nullptr;   // by digit
  const std::uint64_t* stride = nullptr;  // in blocks
  const double* step = nullptr;           // [sum of digits][digit][component][lane]: taking one of the digit's column
  const double* close = nullptr;          // [sum of digits][lane from][component][lane to]: of the lanes' columns
};

// One more vertex, v, of a hafnian: f(x + v) = sum over j in x of a_vj f(x - j), plus what leaves x as it is, for sets
// x of the vertices before, by bits. The lanes are the three lowest.
struct Vertices {
  int bits = 0;                    // of a block's number
  const double* weight = nullptr;  // [bit][component]
  // [parity of the block's members][what comes in][component][lane]: the lane itself, and those with one bit less.
  const double* within = nullptr;
};

// The same for the vertex that is left last, and sets x of those that were matched before it: g(x) is what it is with v
// matched already, plus sums over j in x and what leaves x as it is. Blocks with so many members follow each other in
// the order of their numbers, colexicographic: that of p_0 < p_1 < ... is the sum of C(p_i, i + 1).
struct Leaving {
  Vertices vertices;
  int members = 0;
  const double *same = nullptr, *fewer = nullptr, *matched = nullptr;  // blocks to come from; null: there are none
  const std::uint64_t (*choose)[max_digits + 1] = nullptr;             // C(n, k)
};

// Blocks [first, first + count). Block 0 of `expand` starts from 1. `extend` reads blocks x and writes 2^bits + x. Both
// it and `leave` read up to four doubles in front of blocks, finite ones.
using Expand = void (*)(const Columns& columns, double* states, std::uint64_t first, std::uint64_t count);
using Extend = void (*)(const Vertices& vertices, double* states, std::uint64_t first, std::uint64_t count);
using Leave = void (*)(const Leaving& leaving, double* to, std::uint64_t first, std::uint64_t count);

struct Arithmetic {
  Expand expand;
  Extend extend;
  Leave leave;
};
struct Kernels {
  Arithmetic real, complex, extended, word;     // extended: complex, of double-doubles
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::expansion_kernel
