#pragma once
// What the bound on a floating determinant is made of, on the CPU and on GPUs. Plain, so that both compilers lay it out
// alike. Private to permanent/.

namespace matchcount::dense {

// What row i, or column i, of the matrices of the bound adds to it (linear/cpu/dense_floating.cpp): squares are sums
// of |entries|^2.
struct BoundRow {
  double row_sum = 0, column_sum = 0;  // of |entries| of A
  double x = 0, d = 0, e = 0, l = 0;   // squares of a row
  double y = 0;                        // squares of a column
  double trace_re = 0, trace_im = 0;   // entry i of the diagonal of -X D
};

}  // namespace matchcount::dense
