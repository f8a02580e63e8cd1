#pragma once
// Finds the entries of the inverse of a sparse matrix where the matrix itself has entries, modulo primes, by selected
// inversion along an elimination (Erisman and Tinney 1975, doi:10.1145/360680.360704; Lin, Lu, Ying, Car and E 2009).
// Private to permanent/.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"

namespace matchcount {

// Finds the inverse of the matrix that is left over for the last front, rows by columns, residues below half of the
// prime either way; false where there is none.
using InverseOfLeft = std::function<bool(const std::vector<double>& left, std::vector<double>& inverse)>;

// The matrix of a program that is complete, or that kept its last node, once for all primes.
class SelectedInverse {
 public:
  // The graph, the places of its entries and the dissection are those that the program was found with; program and
  // table outlive this. Throws InputError where the program has other entries than the graph.
  SelectedInverse(const EliminationProgram& program, const UndirectedGraph& graph, const EntryTable& table,
                  const Dissection& dissection, Isa isa);

  // Finds for each edge, by EdgeId, K_uv (K^-1)_vu modulo the prime, which is below elimination_prime_limit: times K's
  // Pfaffian (or, of rows and columns, determinant), which is the sum over all perfect matchings, this is the part of
  // those with the edge. Nothing if the prime divides a pivot. Any number of threads may call it at once. About four
  // times the multiplications of the program. `root` is that of -1 where entries are complex.
  // A last node that was kept gets its inverse from `last`.
  std::optional<std::vector<std::uint32_t>> shares(std::uint64_t prime, std::uint64_t root,
                                                   const InverseOfLeft& last = {}) const;

  // Returns the bytes that one call of `shares` holds.
  double bytes() const { return 8.0 * (stored_ + 3 * largest_); }

 private:
  struct Front {
    std::uint32_t parent = none;
    std::size_t first_map = 0, first_entry = 0, num_entries = 0;  // maps: of its places in the parent
    std::size_t rows = 0, columns = 0, pivots = 0;
    std::size_t first_child = 0, num_children = 0;  // in children_
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  class Run;

  void list_edges(const UndirectedGraph& graph, const Dissection& dissection);

  const EliminationProgram& program_;
  const EntryTable& table_;
  const ProductKernel& kernel_;
  std::vector<Front> fronts_;
  std::vector<std::uint32_t> children_;  // of one front after the other
  std::vector<EdgeId> edges_;            // by entry of the program
  std::size_t num_edges_;
  double stored_ = 0, largest_ = 0;  // numbers: of all fronts together, of the largest front
};

}  // namespace matchcount
