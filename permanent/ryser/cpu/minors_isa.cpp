// The walks of every arithmetic, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.
#include "permanent/ryser/cpu/minors_kernel.hpp"

#include "permanent/ryser/cpu/minors_walk.hpp"

namespace matchcount::minors_kernel::MATCHCOUNT_ISA {
namespace {

namespace walks = ryser_kernel::MATCHCOUNT_ISA;

template <class Number, bool is_residue = false>
void sum_chunk(const Program& program, const double* start, double* scratch, ChunkSums& out) {
  for (int lane = 0; lane < num_lanes; lane += simd::width) {
    walks::MinorsWalk<Number, is_residue> walk(program, start, lane, scratch);
    walk.run(out);
  }
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {sum_chunk<walks::Real>,        sum_chunk<walks::DoubleDouble>,
                         sum_chunk<walks::Complex>,     sum_chunk<walks::ComplexDouble>,
                         sum_chunk<walks::Exact, true>, sum_chunk<walks::Modular, true>};

}  // namespace matchcount::minors_kernel::MATCHCOUNT_ISA
