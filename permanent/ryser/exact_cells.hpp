#pragma once
// Keeps exact sums over subsets in a form that CPUs and GPUs share, and resume where the other ended. Private to
// permanent/.
//
// A cell is the subsets that agree on all columns but those `within` it. Its sum (ryser.cpp)
//   sum over the signs of the columns within of (product of all signs) F1(row sums)
// is an integer, whoever computes it, in whatever arithmetic and order. It is kept modulo a number large enough for the
// sum of all cells, which the engine that begins chooses as suits it: the product of some primes, or a power of two.
// An engine of other arithmetic finds the cell's sum itself, which takes a word or a prime more, and reduces it.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount::subsets {

// A cell has at least so many columns within, where there are that many: every engine can walk it.
constexpr int smallest_cell = 13;

struct Cells {
  bool transposed = false;
  Vertex special_column = unmatched, fixed_column = 0;
  std::vector<Vertex> within;
  std::vector<Vertex> across;  // bit k of a cell's number is set where the sign of across[k] is +
  Integer modulus;

  bool operator==(const Cells&) const = default;
  int cell_bits() const { return static_cast<int>(within.size()); }
  int num_bits() const { return static_cast<int>(within.size() + across.size()); }
  std::uint64_t num_cells() const { return std::uint64_t{1} << across.size(); }
};

// Returns the cells that a plan's first columns are within, and `modulus`.
Cells cells_of(const RyserPlan& plan, int cell_bits, const Integer& modulus);

// Returns the cells that all follow: those of the checkpoint or of the first rank, else what `propose` returns. Throws
// InputError where they are not of the block or the modulus does not determine a permanent below 2^log2_bound.
Cells agreed_cells(const BipartiteGraph& pattern, double log2_bound, const RunContext& run,
                   const std::function<Cells()>& propose);

// Returns the plan for these cells: the columns within first, in the order in which `mine` has them, then those across.
RyserPlan arranged(const RyserPlan& mine, const Cells& cells);

// Returns log2 of a bound on |sum of a cell|: 2^cell_bits times the product of the rows' sums of magnitudes.
double log2_cell_bound(const Block<std::int64_t>& block, const Cells& cells);

// Makes the job of all cells. A piece is a cell, its record its sum modulo cells.modulus.
Job cells_job(const Cells& cells, const RunContext& run);
Bytes cell_record(const Integer& sum, const Integer& modulus);
// Finds the permanent from the record of all cells. Throws DeviceError for a total that can't be the sum of a permanent
// of at most 2^log2_bound.
Integer permanent_of(const Bytes& total, const Cells& cells, double log2_bound);

}  // namespace matchcount::subsets
