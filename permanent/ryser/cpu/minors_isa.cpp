// The walks of every arithmetic, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.
#include "permanent/ryser/cpu/minors_kernel.hpp"

#include "permanent/ryser/cpu/minors_walk.hpp"

namespace matchcount::minors_kernel {
namespace {

template <class Number, bool is_residue = false>
void sum_chunk(const Program& program, const double* start, double* scratch, ChunkSums& out) {
  for (int lane = 0; lane < num_lanes; lane += simd::width) {
    ryser_kernel::MinorsWalk<Number, is_residue> walk(program, start, lane, scratch);
    walk.run(out);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {sum_chunk<ryser_kernel::Real>,
                                         sum_chunk<ryser_kernel::DoubleDouble>,
                                         sum_chunk<ryser_kernel::Complex>,
                                         sum_chunk<ryser_kernel::ComplexDouble>,
                                         sum_chunk<ryser_kernel::Unreduced<ryser_kernel::Exact>, true>,
                                         sum_chunk<ryser_kernel::Unreduced<ryser_kernel::Modular>, true>};

}  // namespace matchcount::minors_kernel
