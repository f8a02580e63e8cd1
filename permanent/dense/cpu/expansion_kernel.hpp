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

// One vertex of a hafnian is matched, v, the last of those that are left: g(x) is the sum over the sets x of vertices
// before v that are matched with v or those after it. It is what it was with v in x as well, plus the sums over j in x
// of a_vj times what it was without j, plus what leaves x as it is. The lanes are the three lowest vertices. Blocks
// with so many members follow each other in the order of their numbers, colexicographic: that of p_0 < p_1 < ... is the
// sum of C(p_i, i + 1).
struct Vertex {
  int places = 0;                  // bits of a block's number
  int members = 0;                 // of a block
  const double* weight = nullptr;  // [place][component]
  // [what comes in][component][lane]: the lane itself, and those with one bit less, of derivatives one more.
  const double* within = nullptr;
  const std::uint64_t (*choose)[max_digits + 1] = nullptr;  // C(n, k)
};
struct Leaving {
  Vertex vertex;
  const double *same = nullptr, *fewer = nullptr, *matched = nullptr;  // blocks to come from; null: there are none
};

// Blocks [first, first + count). Block 0 of `expand` starts from 1. `leave` reads up to four doubles in front of
// blocks, finite ones.
using Expand = void (*)(const Columns& columns, double* states, std::uint64_t first, std::uint64_t count);
using Leave = void (*)(const Leaving& leaving, double* to, std::uint64_t first, std::uint64_t count);

struct Arithmetic {
  Expand expand;
  Leave leave;
};
struct Kernels {
  Arithmetic real, complex, extended, word;     // extended: complex, of double-doubles
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::expansion_kernel
