// The walks of every arithmetic, for one instruction set. Compiled once per instruction set; see
// cmake/MatchcountModule.cmake. Everything but the table of kernels has internal linkage, and nothing of the standard
// library is called.
#include "permanent/ryser/cpu/ryser_kernel.hpp"

#include "permanent/ryser/cpu/ryser_walk.hpp"

namespace matchcount::ryser_kernel {
namespace {

template <class Number, bool unit, int num_primes = 0>
void sum_chunk(const Program& program, const double* start, ChunkSum& sum) {
  for (int lane = 0; lane < num_lanes; lane += width) {
    Walk<Number, unit, num_primes> walk(program, start, lane);
    walk.run(sum);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {ryser_kernel::block_bits,
                                         {{sum_chunk<Real, false>, sum_chunk<Real, true>},
                                          {sum_chunk<Compensated, false>, sum_chunk<Compensated, true>},
                                          {sum_chunk<DoubleDouble, false>, sum_chunk<DoubleDouble, true>},
                                          {sum_chunk<Complex, false>, sum_chunk<Complex, true>},
                                          {sum_chunk<ComplexDouble, false>, sum_chunk<ComplexDouble, true>},
                                          {sum_chunk<Modular, false>, sum_chunk<Modular, true>}},
                                         {{sum_chunk<Exact, false, 1>, sum_chunk<Exact, true, 1>},
                                          {sum_chunk<Exact, false, 2>, sum_chunk<Exact, true, 2>},
                                          {sum_chunk<Exact, false, 3>, sum_chunk<Exact, true, 3>},
                                          {sum_chunk<Exact, false, 4>, sum_chunk<Exact, true, 4>}}};

}  // namespace matchcount::ryser_kernel
