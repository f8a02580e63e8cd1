// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "permanent/power_traces/cpu/pairs_walk.hpp"

namespace matchcount::pairs_kernel {
namespace {

template <class Numbers>
void sum_piece(const Problem& problem, const Piece& piece, double* scratch, double* sum) {
  Walk<Numbers> walk(problem, scratch);
  for (int lane = 0; lane < num_lanes; lane += width) walk.run(piece, lane, sum);
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {sum_piece<Real>,          sum_piece<DoubleDouble>, sum_piece<Complex>,
                                         sum_piece<ComplexDouble>, sum_piece<Residue>,      sum_piece<Magnitude>};

}  // namespace matchcount::pairs_kernel
