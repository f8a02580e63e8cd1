#pragma once
// Defines the parts of the bound on a floating determinant, on the CPU and on GPUs. Plain, so that both compilers lay
// it out alike. Private to permanent/.

namespace matchcount::dense {

// BoundRow is the share of row i, or column i, in the matrices of the bound (linear/cpu/dense_floating.cpp): squares
// are sums of |entries|^2.
struct BoundRow {
  double row_sum = 0, column_sum = 0;  // of |entries| of A
  double x = 0, d = 0, e = 0, l = 0;   // squares of a row
  double y = 0;                        // squares of a column
  double trace_re = 0, trace_im = 0;   // entry i of the diagonal of -X D
};

}  // namespace matchcount::dense
