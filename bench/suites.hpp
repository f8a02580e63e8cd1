#pragma once
// Lists the benchmarks. A further one is a function here, which returns its name, options and cases, and a line in
// main.cpp.

#include "bench/runner.hpp"

namespace matchcount::bench {

Suite bitmatrix_suite();
Suite compare_suite();
Suite dense_suite();
Suite determinant_suite();
Suite forecasts_suite();
Suite grid_suite();
Suite layers_suite();
Suite orders_suite();
Suite planar_suite();
Suite published_suite();
Suite ryser_suite();
Suite small_suite();

}  // namespace matchcount::bench
