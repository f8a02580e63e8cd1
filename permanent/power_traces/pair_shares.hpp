#pragma once
// Shares a sum over subsets of pairs among threads, and scales and bounds it. Private to the room, and to derivatives.

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "permanent/power_traces/cpu/pairs_kernel.hpp"

namespace matchcount {

// A piece has 2^13 subsets in each of 8 lanes, of several hundredths of a second.
constexpr int piece_bits = 13;

// PairScratch is memory that kernels work in, kept from piece to piece.
class PairScratch {
 public:
  explicit PairScratch(std::size_t doubles) : doubles_(doubles) {}
  using Buffer = std::unique_ptr<double[], void (*)(double*)>;
  Buffer take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty())
      return {static_cast<double*>(::operator new(doubles_ * sizeof(double), alignment)),
              [](double* memory) { ::operator delete(memory, alignment); }};
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::align_val_t alignment{64};
  std::size_t doubles_;
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

// PairShares says the lanes and pieces of a sum over so many pairs.
struct PairShares {
  explicit PairShares(int num_pairs, int bits = piece_bits)
      : lane_bits(std::min(pairs_kernel::log2_lanes, num_pairs - 1)),
        path_bits(std::max(0, num_pairs - 1 - lane_bits - bits)) {}
  std::uint64_t num_pieces() const { return std::uint64_t{1} << path_bits; }
  std::size_t num_lanes() const { return std::size_t{1} << lane_bits; }
  pairs_kernel::Piece piece(std::uint64_t index) const { return {index, path_bits, lane_bits}; }
  int lane_bits, path_bits;
};

inline const double* data_of(const std::vector<double>& loops) { return loops.empty() ? nullptr : loops.data(); }

// Finds the z at which the value is least, to a quarter of it: a function that is convex in log z.
double best_point(const std::vector<double>& magnitudes, const std::vector<double>& loops, std::size_t num_pairs);
// Returns how many roundings a term meets.
double roundings_of(double num_pairs);
// Returns the power of 2 that is above all magnitudes.
int exponent_of(const std::vector<double>& magnitudes);

}  // namespace matchcount
