#pragma once
// Finds for every edge the sum over the perfect matchings that contain it, and draws perfect matchings, of a matrix
// that is nearly of rank one.

#include <memory>

#include "permanent/block_marginals.hpp"
#include "permanent/complement/cells.hpp"
#include "permanent/complement/pieces.hpp"

namespace matchcount {

// Takes for every component of what a matrix of rank one leaves the sums over its matchings, without each line of it
// and without each two lines; what these sums are together is found once for lines that are alike. Throws Unable where
// too much is left, and as run.check() does.
BlockMarginals<Integer> marginals_by_complement(const NearRankOne& found, const RunContext& run);

// Predicts the seconds of that.
double marginals_seconds(const Piece& root, std::size_t num_edges);

// Draws matchings of the complete graph and accepts some of them. Requires entries above 0.
class ComplementSampler : public PartSampler {
 public:
  // `run` outlives this.
  ComplementSampler(const NearRankOne& found, const RunContext& run);

  // Predicts the seconds of a sample.
  double seconds() const;
  std::size_t matching_size() const override { return cells_.symmetric ? cells_.rows / 2 : cells_.rows; }
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override;

 private:
  Cells cells_;
  std::vector<double> acceptance_;  // of a cell that is drawn
  double log_acceptance_ = 0;       // of a matching, about
  const RunContext& run_;
};

}  // namespace matchcount
