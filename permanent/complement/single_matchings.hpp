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

  // Predicts the seconds of a sample where rows accept their cells independently of each other.
  double seconds() const;
  // Draws a sample to see whether that is true: heavy cells of several rows may stand in one column, which accepts one.
  bool draws_within(double most_s) const;
  std::size_t matching_size() const override { return cells_.symmetric ? cells_.rows / 2 : cells_.rows; }
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override;

 private:
  std::vector<Vertex> all_columns() const;
  // Draws line by line; false: a cell was not accepted, and edges hold those before it.
  bool attempt(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint32_t& step,
               std::vector<Vertex>& left, std::vector<EdgeId>& edges) const;

  Cells cells_;
  std::vector<double> acceptance_;  // of a cell that is drawn
  double log_acceptance_ = 0;       // of a matching, about
  const RunContext& run_;
};

}  // namespace matchcount
