#pragma once
// Computes hafnians and loop hafnians of dense graphs by the subsets of pairs of vertices, in little memory.
//
// Vertices 2 i and 2 i + 1 make the pair i of m, whatever edges there are. A perfect matching and the pairs together
// are closed walks that pass every pair once, and inclusion and exclusion over the pairs finds these among all closed
// walks:
//   haf A = sum over subsets S of (-1)^(m - |S|) [z^m] exp(sum over k of tr((X A_S)^k) z^k / 2k)
// (Bjorklund, Gupt and Quesada 2019, doi:10.1145/3325111), X swapping the vertices of each pair. The series are carried
// down the tree of subsets (cpu/pairs_isa.cpp): about 5 m^2 2^m multiplications. Pieces of the tree are what threads
// and ranks share and a checkpoint keeps, under run.part().
//
// A sum over all matchings, the loop hafnian, has weights of the vertices that a matching leaves out: walks may begin
// and end at such loops, too. Where the number of vertices is odd, one more is left out always, with weight 1.

#include "core/device.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/gaussian_integer.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// The largest block in vertices.
constexpr Vertex max_pair_vertices = 80;
// GPUs take none of fewer.
constexpr Vertex fewest_gpu_pair_vertices = 13;

// Computes the hafnian exactly, modulo primes below 2^24. Requires an even number of vertices, 2 to max_pair_vertices.
// All of these run on GPUs where some are given that take so many; their pieces and records are those of a CPU. Throws
// as run.check() does, and DeviceError.
Integer hafnian_by_pairs(const GraphBlock<std::int64_t>& block, const RunContext& run,
                         const std::vector<DeviceInfo>& gpus = {});
// Computes it in doubles (float64) or double-doubles; requires an edge. The bound on the error is the number of
// roundings on the way of a term, times the sum of the terms' magnitudes, which a walk of the same kind bounds.
Value hafnian_by_pairs(const GraphBlock<RealEntry>& block, Precision precision, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus = {});
Value hafnian_by_pairs(const GraphBlock<ComplexEntry>& block, Precision precision, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus = {});

// Sums up all matchings' products of the weights of their edges, by EdgeId, and of the vertices that they leave out, in
// the same ways. Integers have no imaginary parts; nor have other weights where all `are_real`. Requires 1 to
// max_pair_vertices vertices.
GaussianInteger matchings_by_pairs(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& edges,
                                   const std::vector<GaussianInteger>& vertices, const RunContext& run,
                                   const std::vector<DeviceInfo>& gpus = {});
ComplexValue matchings_by_pairs(const UndirectedGraph& pattern, const std::vector<ComplexEntry>& edges,
                                const std::vector<ComplexEntry>& vertices, bool are_real, Precision precision,
                                const RunContext& run, const std::vector<DeviceInfo>& gpus = {});

// Bounds log2 of that sum of the magnitudes, Z: half of the sum over vertices v of log2 (l(v)^2 + sum over u of
// w(u, v)). By induction over v: Z = l(v) Z' + sum over u of w(u, v) Z'(u), of the graphs without v, and without v and
// u; and Z^2 is at most (l(v)^2 + sum over u of w(u, v)) (Z'^2 + sum over u of w(u, v) Z'(u)^2) by Cauchy's inequality,
// whose second factor is at most the product over the other vertices x of their factors, that of v in them: this has
// the product of those without v and, for each u, w(u, v) times such a product over all but u.
double log2_matchings_bound(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& edges,
                            const std::vector<GaussianInteger>& vertices);

// Predicts what a hafnian, or with loops a sum over all matchings, of so many vertices takes; infinitely long on GPUs
// that do not take it.
Cost cost_by_pairs(Vertex vertices, bool has_loops, const NumberType& number, const Machine& machine);

}  // namespace matchcount
