#pragma once
// Draws permutations of a matrix with probabilities proportional to the products of their entries, by its minors.

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"

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

}  // namespace matchcount
