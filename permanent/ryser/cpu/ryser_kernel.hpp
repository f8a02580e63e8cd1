#pragma once
// Sums the terms of inclusion-exclusion over one chunk of subsets, in eight lanes: the inner loops.
//
// A chunk fixes the Gray bits from walk_bits up, apart from three that differ from lane to lane; all lanes walk the
// same subsets of the bits below. A program says in plain arrays what the walk does; ryser.cpp builds it from a matrix
// and a plan. Rows stand in slots, in the order in which the walk multiplies them.

#include <cstdint>

namespace matchcount::ryser_kernel {

constexpr int num_lanes = 8;
constexpr int max_rows = 64;
constexpr int max_bits = 63;
constexpr int max_primes = 4;      // residues carried in one pass
constexpr int max_components = 4;  // doubles that make one number

// Names how numbers are held and added up. The first five carry a magnitude beside the product.
enum class Arithmetic {
  real,            // 1 component
  compensated,     // 1; sums of terms in two doubles
  double_double,   // 2: high and low parts
  complex,         // 2: real and imaginary parts
  complex_double,  // 4: real high, real low, imaginary high, imaginary low
  modular,         // 1: residues modulo one prime throughout
  exact            // 1: integers below 2^50 in doubles, products of groups of rows reduced modulo the primes
};
constexpr int num_arithmetics = 7;

// Exact: whether the product so far goes into the residues and a new one begins; `again` where that happened above.
enum class Close : std::uint8_t { no, first, again };

// Rows [common_begin, special_begin) are multiplied into the common factor, [special_begin, end) into the pair (F0,
// F1).
struct Step {
  std::uint32_t common_begin;
  std::uint32_t special_begin;
  std::uint32_t end;
  Close close;
};

// The rows that are final once the bits from `level` up are set.
struct Node {
  std::uint32_t level;
  std::uint32_t step_begin;
  std::uint32_t step_end;
  double tail;  // bound on the magnitude of the product of the rows of lower nodes and of the block
};

// Slots [begin, end) of rows in the unrolled block that are touched by exactly the low bits in `mask`.
struct RowGroup {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t mask;
  bool special;
};

// Groups whose product (with the product of the nodes, in the first segment) stays exact. Common groups come first, in
// each kind those with the highest low bit first.
struct Segment {
  std::uint32_t group_begin;
  std::uint32_t special_begin;
  std::uint32_t group_end;
};

struct Program {
  int rows = 0;
  int walk_bits = 0;
  bool has_special_column = false;
  bool unit_special = false;  // every entry of the special column is 1
  bool skip_zeros = false;
  const std::uint32_t* flip_begin = nullptr;  // by bit, walk_bits + 1
  const std::uint32_t* flip_slot = nullptr;
  const double* flip_value = nullptr;  // twice the entry, by component
  const double* low_value = nullptr;   // by slot and low bit: twice the entry
  const double* special = nullptr;     // by slot: the entry in the special column
  const double* floor = nullptr;       // by slot: the least magnitude a row sum counts with
  const Node* nodes = nullptr;  // highest level first; the first has level walk_bits, the last at least block_bits
  std::uint32_t num_nodes = 0;
  const Step* steps = nullptr;
  const RowGroup* groups = nullptr;
  const Segment* segments = nullptr;
  std::uint32_t num_segments = 0;
  bool closed_above = false;  // exact: some step closes before the block
  int num_primes = 0;
  double prime[max_primes] = {};
  double inverse[max_primes] = {};
};

// Sums over a chunk, lane by lane, without the sign of the lane's fixed bits.
struct ChunkSum {
  double value[max_components][num_lanes] = {};  // real: high and low part; complex: of both parts
  double magnitude[num_lanes] = {};              // sum over the leaves of the product of max(|row sum|, floor)
  double skipped[num_lanes] = {};                // an upper bound on what skipped subtrees would have added to it
  double residue[max_primes][num_lanes] = {};    // modular and exact: balanced residues
};

// `start` holds the row sums at the chunk's first subset, all walked bits off: [slot][component][lane].
using ChunkKernel = void (*)(const Program& program, const double* start, ChunkSum& sum);

struct Kernels {
  int block_bits;                               // low bits that are unrolled; programs are built for this number
  ChunkKernel field[num_arithmetics - 1][2];    // by arithmetic and unit_special
  ChunkKernel exact[max_primes][2];             // by number of primes, less one, and unit_special
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::ryser_kernel
