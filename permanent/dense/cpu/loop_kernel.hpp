#pragma once
// Finds the loop hafnians of all sets of a few vertices, and bilinear forms of two such lists, for several vectors of
// loops side by side: the inner loops of many loop hafnians.

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
