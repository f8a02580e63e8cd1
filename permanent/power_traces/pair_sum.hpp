#pragma once
// Computes hafnians of dense graphs by the subsets of pairs of vertices, in little memory.
//
// Vertices 2 i and 2 i + 1 make the pair i of m, whatever edges there are. A perfect matching and the pairs together
// are closed walks that pass every pair once, and inclusion and exclusion over the pairs finds these among all closed
// walks:
//   haf A = sum over subsets S of (-1)^(m - |S|) [z^m] exp(sum over k of tr((X A_S)^k) z^k / 2k)
// (Bjorklund, Gupt and Quesada 2019, doi:10.1145/3325111), X swapping the vertices of each pair. The series are carried
// down the tree of subsets (cpu/pairs_isa.cpp): about 5 m^2 2^m multiplications. Pieces of the tree are what threads
// and ranks share and a checkpoint keeps, under run.part().

#include "core/device.hpp"
#include "core/run.hpp"
#include "matching/reduce_graph.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// The largest block in vertices.
constexpr Vertex max_pair_vertices = 80;

// Computes the hafnian exactly, modulo primes below 2^24. Requires an even number of vertices, 2 to max_pair_vertices.
// On GPUs where some are given and 14 vertices or more; their pieces and records are those of a CPU. Throws as
// run.check() does, and DeviceError.
Integer hafnian_by_pairs(const GraphBlock<std::int64_t>& block, const RunContext& run,
                         const std::vector<DeviceInfo>& gpus = {});
// Computes it in doubles (float64) or double-doubles; requires an edge. The bound on the error is the number of
// roundings on the way of a term, times the sum of the terms' magnitudes, which a walk of the same kind bounds.
Value hafnian_by_pairs(const GraphBlock<RealEntry>& block, Precision precision, const RunContext& run);
Value hafnian_by_pairs(const GraphBlock<ComplexEntry>& block, Precision precision, const RunContext& run);

// Predicts multiplications, of one prime or real, and seconds and bytes on one thread.
double multiplications_by_pairs(Vertex vertices);
double seconds_by_pairs(Vertex vertices, const NumberType& number, Isa isa);
double bytes_by_pairs(Vertex vertices, const NumberType& number);
std::size_t primes_by_pairs(double log2_bound);
// Predicts seconds of integers on GPUs; infinity where they have no kernels or there are fewer than 14 vertices.
double seconds_by_pairs(Vertex vertices, const NumberType& number, const std::vector<DeviceInfo>& gpus);

}  // namespace matchcount
