#pragma once
// Finds all minors of a matrix, each times its entry, at the price of a few permanents, and draws permutations by them,
// with probabilities proportional to the products of their entries.
//
// By Glynn's form of inclusion-exclusion (2010, doi:10.1016/j.ejc.2010.01.010), with x_i(d) = sum_j d_j a_ij over all
// signs d that leave the last column's +1,
//   perm(A) = 2^-(n-1) sum over d of (prod_j d_j) prod_i x_i(d),
// so that its derivative by a_ij, the permanent without row i and column j, is
//   2^-(n-1) sum over d of (prod_k d_k) d_j prod_{k != i} x_k(d).
// The products without a row come from those of the rows before it and of those behind it, 3 n multiplications in all.
// They are summed for both signs of every column level by level of the tree of sign vectors: 3 n additions a vector.

#include <cstdint>
#include <vector>

#include "core/device_choice.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// Row after row is given a column, with the minors of what is left as the probabilities of its entries. A row of a
// sample takes about as long as a permanent of what is left, and each row half of the one before; samples of one call
// share the rows before which they have used the same columns. The probabilities of a row are right to 2^-30 of their
// sum, by a proven bound: in doubles, in double-doubles where they do not prove it; else Unable is thrown.
class RyserSampler : public PartSampler {
 public:
  // Throws InputError for entries that are not above 0 and for a block that is not square, Unable beyond 62 rows.
  // Requires entries scaled to magnitudes near 1 (maximum_product_scaling) and a perfect matching. `run` outlives this.
  RyserSampler(const Block<RealEntry>& block, const RunContext& run);

  std::size_t matching_size() const override { return num_rows_; }
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override;

 private:
  // The edges that a row may take, and up to each the sum of their parts of the permanent of what is left.
  struct Choices {
    std::vector<EdgeId> edges;
    std::vector<double> sums;
  };
  // Returns the choices of the row behind those that took the columns `used`.
  Choices choices(std::uint64_t used, int num_threads) const;
  Block<RealEntry> left(std::uint64_t used) const;
  Vertex column_of(Vertex row, EdgeId edge) const {
    return block_.pattern.row(row)[edge - block_.pattern.row_begin(row)];
  }

  Vertex num_rows_;
  Block<RealEntry> block_;
  const RunContext& run_;
};

// Predicts the seconds of one sample, on the machine where the constants were measured; infinity where n is too large.
double sample_ryser_seconds(Vertex n, Isa isa, int num_threads);

// Finds for every edge of a square block the part of its permanent that the matchings with this edge make up. Exactly,
// modulo as many primes below 2^50 as log2_sum_bound asks for. Throws InputError for a block that is not square,
// Unable beyond 62 rows, and as run.check() does. The same on any number of threads.
BlockMarginals<Integer> marginals_ryser(const Block<std::int64_t>& block, const RunContext& run);

// The same of reals and complex numbers, with a proven bound on each error, relative to a sum over magnitudes that all
// edges share. Precision::automatic takes doubles for more than 20 rows without negative entries, where they are right
// to 2^-24 of the permanent; else, as for `compensated`, double-doubles. Requires entries scaled to magnitudes near 1
// (maximum_product_scaling).
BlockMarginals<RealValue> marginals_ryser(const Block<RealEntry>& block, Precision precision, const RunContext& run);
BlockMarginals<ComplexValue> marginals_ryser(const Block<ComplexEntry>& block, Precision precision,
                                             const RunContext& run);

// Predicts the seconds on the machine where the constants were measured (minors.cpp), in the precision that is taken
// first; infinity where n is too large.
double marginals_ryser_seconds(Vertex n, const NumberType& number, Isa isa, int num_threads);

}  // namespace matchcount
