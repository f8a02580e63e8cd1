#pragma once
// Lists what a GPU thread does for one block of subsets, as operations on named values.
//
// A block is the 2^b settings of the low Gray bits. Its sum factors: a row that no bit of the block touches is the same
// in all of it, and a bit can be summed out as soon as every row that it touches has been multiplied in,
//   sum over s_m = +-1 of s_m * (rows touched by m) * (sums over lower bits that depend on m),
// which leaves a table over the bits that those rows share with m (variable elimination, as in the frontier method).
// Rows touched by the same bits of the block are multiplied together once for each setting of those bits. Columns
// without a common row then cost their own rows only, and dense matrices come out as a tree of products.
//
// The list knows nothing of values: it is built from a pattern for its cost, and for a matrix by kernel_source.cpp,
// which writes it as CUDA C++.

#include <cstdint>
#include <vector>

#include "permanent/ryser/kernel.hpp"

namespace matchcount::gpu {

// A row as the walk sees it.
struct WalkRow {
  std::uint32_t mask = 0;   // bits of the block that touch it
  int stage = 0;            // the lowest bit of the walk that touches it
  bool special = false;     // has an entry in the special column
  double bits = 0;          // exact: log2 of a bound on |row sum|
  double special_bits = 0;  // exact: log2 |entry in the special column|
};

struct Operation {
  enum class Kind : std::uint8_t {
    flipped,        // scalar: value a (row sum) plus the constant of `row` for the bits in `subset`
    row_sum,        // scalar: the row sum itself
    multiply,       // scalar a * b
    subtract,       // a - b, scalars or pairs
    pair_start,     // pair of row sum a and the special entry of `row`
    pair_row,       // pair a times (row sum b, special entry of `row`)
    pair_scale,     // pair a times scalar b
    pair_multiply,  // pair a times pair b
    // Magnitudes: floats beside scalars, doubles beside pairs, which `pair` tells.
    size,           // of value a, plus the floor of `rows`
    size_multiply,  // a * b; a is the pair's where one is
    size_add        // a + b
  };
  Kind kind = Kind::row_sum;
  int a = -1, b = -1;
  int row = -1;
  std::uint32_t subset = 0;
  bool pair = false;
  double bits = 0;         // exact: log2 of a bound on the value
  std::uint64_t rows = 0;  // size of a scalar: the rows in it, to be scaled and to have a floor
};

// A value with what bounds it: `size` is the operation of its magnitude, or -1: |value| plus the floor of `rows`.
struct Factor {
  int value = -1;
  bool pair = false;
  double bits = 0;
  int size = -1;
  // Rows are bits: common rows in it that no magnitude of a scalar covers yet, and those that one does, scaled for it.
  std::uint64_t rows = 0, scaled = 0;
};

class BlockProgram {
 public:
  BlockProgram() = default;
  // `inner_bits` up to 8. Rows are used whose stage is below it.
  BlockProgram(const std::vector<WalkRow>& rows, int inner_bits, const Numbers& numbers);

  const std::vector<Operation>& operations() const { return operations_; }
  // Factors whose product is the block's sum, up to the rows that the block does not touch; at most one is a pair.
  const std::vector<Factor>& results() const { return results_; }
  double cost() const { return cost_; }                   // in the arithmetic's multiplications
  int live_registers() const { return live_registers_; }  // of 32 bits, tables at their widest, an estimate

  // Appends the product of `rows` at their present row sums; rows above the block use it as well.
  static std::vector<Factor> append_products(std::vector<Operation>& operations, const std::vector<WalkRow>& all,
                                             const std::vector<int>& rows, const Numbers& numbers);

 private:
  friend class Builder;
  std::vector<Operation> operations_;
  std::vector<Factor> results_;
  double cost_ = 0;
  int live_registers_ = 0;
};

// Appends the product of two factors to the list; magnitudes too where `numbers` carries them.
Factor append_product(std::vector<Operation>& operations, Factor a, Factor b, const Numbers& numbers);
// Multiplies any number of factors, the cheap ones first; at most one pair is left and is the last to be multiplied.
Factor append_product(std::vector<Operation>& operations, std::vector<Factor> factors, const Numbers& numbers);
// Appends the operation that is a factor's magnitude, after which it has one.
int append_size(std::vector<Operation>& operations, Factor& factor);

double operation_cost(const Operation& operation, const Numbers& numbers);

}  // namespace matchcount::gpu
