#pragma once
// Builds from a matrix and a plan what the inner loops read (ryser_kernel.hpp), and sums all chunks.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/ryser/cpu/ryser_kernel.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount::ryser_kernel {

// Numbers of a matrix, as the kernels hold them. Rows and columns are those of the plan: swapped where it is
// transposed.
struct Coefficients {
  int components = 1;
  std::vector<double> value;          // by edge id of the block's pattern, by component
  std::vector<double> row_bound;      // by row: at least the sum of |entries| outside the special column
  std::vector<double> special_bound;  // by row: at least |entry in the special column|
  std::vector<double> floor;          // by row: the least magnitude of a row sum; empty where none is carried
  bool unit_special = false;
  bool skip_zeros = false;
  bool exact = false;  // products are split where they may pass 2^50
  double modulus = 0;  // modular: values are balanced residues modulo this prime
};

struct SlotRow;
class ExactProducts;

// Owns the arrays behind a Program.
class BuiltProgram {
 public:
  // A chunk walks at most `most_walk_bits`.
  BuiltProgram(const BipartiteGraph& pattern, const RyserPlan& plan, const Coefficients& coefficients, int block_bits,
               int most_walk_bits = max_bits);
  BuiltProgram(const BuiltProgram&) = delete;
  BuiltProgram& operator=(const BuiltProgram&) = delete;

  const Program& program() const { return program_; }
  void set_primes(const std::uint64_t* primes, int count);
  int num_bits() const { return num_bits_; }
  // Chunks are numbered by their fixed bits, without the lanes' three.
  std::uint64_t num_chunks() const { return std::uint64_t{1} << (num_bits_ - 3 - program_.walk_bits); }
  // Roundings between an entry and a block's sum: multiplications and additions on the longest path.
  int depth() const { return depth_; }

  // The sum over a chunk, signs of the lanes' and the chunk's bits applied. A pure function of its arguments.
  void sum_chunk(ChunkKernel kernel, std::uint64_t chunk, ChunkSum& sum) const;

 private:
  // Places the slots before the first subset: their sums, what the low bits add to them, special entries, floors.
  void place_entries(const std::vector<SlotRow>& rows, const Coefficients& coefficients, int block_bits);
  // Places the changes that each bit makes when it is switched.
  void place_flips(const std::vector<SlotRow>& rows, const Coefficients& coefficients);
  // Adds the nodes above the block, by falling level, with their steps. Returns the block's first slot.
  std::uint32_t add_nodes(const std::vector<SlotRow>& rows, std::uint32_t walk_bits, ExactProducts& products);
  void close_above_block(std::uint32_t in_block, ExactProducts& products);
  // The block's groups of rows, in segments whose products stay exact.
  void add_segments(const std::vector<SlotRow>& rows, std::uint32_t in_block, ExactProducts& products);
  // Bounds the product of the rows below each node.
  void bound_tails(const std::vector<SlotRow>& rows, const Coefficients& coefficients);
  void point_to_arrays();

  Program program_;
  int num_bits_ = 0;
  int depth_ = 0;
  std::uint32_t num_segments_ = 0;
  double modulus_ = 0;
  int components_ = 1;
  std::vector<std::uint32_t> flip_begin_, flip_slot_;
  std::vector<double> flip_value_, low_value_, special_, floor_, base_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  std::vector<RowGroup> groups_;
  std::vector<Segment> segments_;
};

// Writes "double-doubles"
std::string_view name_of(Arithmetic arithmetic);

// Sums over all pieces of the job, whose records `sum_piece` returns, on threads of its own; job.merge joins them in
// the order of a tree over the pieces, whatever the number of threads and ranks. Progress is that of the plan's
// variant, in subsets.
Bytes sum_pieces(const Job& job, const RyserPlan& plan, const RunContext& run,
                 const std::function<Bytes(std::uint64_t piece)>& sum_piece);

}  // namespace matchcount::ryser_kernel
