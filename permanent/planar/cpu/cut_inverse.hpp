#pragma once
// Finds the mean, modulo primes, of the inverses that the Pfaffians of a graph in a surface have on the vertices along
// which it is cut. Private to permanent/.

#include <cstdint>
#include <vector>

#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/entry_table.hpp"
#include "permanent/planar/surface_cut.hpp"

namespace matchcount {

// One of the matrices of the given graph.
struct CutTerm {
  const std::vector<std::int8_t>& orientation;  // by EdgeId
  const EntryTable& table;                      // those of twisted edges times i
  const std::vector<std::uint8_t>& powers;      // SurfaceCut's
};

// The program eliminates the cut's graph but for its last node; all arguments outlive this.
class CutInverse {
 public:
  CutInverse(const SurfaceCut& cut, const EliminationProgram& program);

  // Adds `weight` times a term's inverse on what the program left over to `inverse`, and to `sums`, by EdgeId of the
  // given graph, weight K_uv (K^-1)_vu for edges of the cut. `root` is that of -1. False where the prime, below 2^25,
  // divides the term's Pfaffian. O(size^3).
  bool add(const CutTerm& term, std::uint64_t weight, std::uint64_t prime, std::uint64_t root,
           const std::vector<double>& left, std::vector<double>& inverse, std::vector<std::uint32_t>& sums) const;
  // Says whether the term has no part, modulo the prime, in the sum of any edge: its matrix lacks four ranks or more.
  bool vanishes(const CutTerm& term, std::uint64_t prime, std::uint64_t root, const std::vector<double>& left) const;
  double bytes() const { return 8.0 * static_cast<double>(size_ * size_); }

 private:
  std::vector<double> matrix_of(const CutTerm& term, std::uint64_t prime, std::uint64_t root,
                                const std::vector<double>& left) const;

  const SurfaceCut& cut_;
  bool skew_;
  std::vector<Vertex> rows_, columns_;  // left over; skew: the same
  CutFront front_;
  std::size_t size_;
};

}  // namespace matchcount
