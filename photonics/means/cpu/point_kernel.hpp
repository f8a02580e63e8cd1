#pragma once
// Sums products of powers of forms over points, eight side by side: the inner loops. So are those of many loop
// hafnians: of all sets of a few vertices, and bilinear forms of two such lists, for several vectors of loops side by
// side.

#include <cstdint>

namespace matchcount::loop_kernel {

constexpr int num_lanes = 8, rows_at_once = 4, columns_at_once = 64;

// Writes the loop hafnian of each set of so many vertices to found[place[set]][component][lane]. Takes a symmetric
// matrix, entries[vertex][vertex][component], without its diagonal, and loops[vertex][component][lane].
using OfSets = void (*)(const double* entries, const double* loops, int vertices, const std::uint32_t* place,
                        double* found);

// Adds to out[component][lane] the sum of by_row[row][component][lane] times the entry times
// by_column[column][component][lane]. Rows stand by rows_at_once, [group][column][row][component], those that fill the
// last group 0. Sums columns_at_once columns one after another, such sums, then the products of a group's rows.
using Form = void (*)(const double* matrix, int rows, int columns, const double* by_row, const double* by_column,
                      double* out);

struct Kernels {
  OfSets of_sets[2];  // by components less 1
  Form form[2];
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::loop_kernel

namespace matchcount::point_kernel {

constexpr int num_lanes = 8;

// Products of linear forms, over points that differ in a few coordinates alone, those of a block. A form's value is
// what the other coordinates make of it, `base`, plus what those of the block do, `inner`.
struct Forms {
  int vectors = 0;                     // of eight points
  int num_powers = 0;                  // groups of forms that are taken equally often
  const int* end = nullptr;            // by group: one behind its last form
  const unsigned* exponent = nullptr;  // by group, at least 1
  const double* inner = nullptr;       // [vector][form][component][lane]
  const double* weight = nullptr;      // [vector][component][lane]; 0 where there is no point
  const double* floor = nullptr;       // by form: its size where that is less; of complex numbers the squares of both
};

// The powers of a quadratic form q, or with a linear form l the sum over k of coefficient[k] q^k l^(2 half - 2k + odd),
// in complex numbers. q is base[0] + inner + the sum over the block's coordinates of x * base[2 + coordinate], l is
// base[1] + inner.
struct Pairs {
  int vectors = 0;
  int num_coordinates = 0;             // of the block
  const double* coordinate = nullptr;  // [vector][coordinate][component][lane]: x
  const double* inner = nullptr;       // [vector][of q, of l][component][lane]
  const double* weight = nullptr;      // as above
  unsigned half = 0;                   // the power of q
  bool odd = false;
  const double* coefficient = nullptr;  // null: there is no l
  double floor = 0, linear_floor = 0;   // of |q| and |l|
};

// base: by number, component. Writes the sum of weight * product of form^exponent, by component, and behind it that of
// the product of size^exponent over points whose weight is not 0, |weight| = 1 there: of complex forms of squares.
using SumForms = void (*)(const Forms& forms, const double* base, double* out);
// The same of Pairs; sizes are no squares.
using SumPairs = void (*)(const Pairs& pairs, const double* base, double* out);

// The signed sums over signs of Glynn's formula, 2^(n - 1) times the permanent, of eight n x n matrices side by side,
// 2 <= n <= most_rows. entries: [row][column][component][lane]. A column's size counts as at least a third of its
// magnitudes' sum over the square root of n.
struct Eight {
  double sum[2][num_lanes];  // by component
  double size[num_lanes];    // the sum of the products of the columns' sizes; of complex numbers of their squares
  double least[num_lanes];   // of the sums of a column's magnitudes
  double largest[num_lanes];
  double not_positive[num_lanes];  // 0 where all entries are positive reals or 0
};
constexpr int most_rows = 12;
constexpr int inner_bits = 4;  // of the signs: sums over the rows of these are kept
using SumEight = void (*)(int n, const double* entries, Eight* out);

struct Kernels {
  SumForms real_forms, complex_forms;
  SumPairs pairs;
  SumEight eight_reals, eight_complex;
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::point_kernel
