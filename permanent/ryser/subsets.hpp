#pragma once
// Prepares a matrix for inclusion-exclusion wherever it runs: checks that plan and block fit, scales and rounds the
// entries so that all row sums are exact, and sums small blocks without any walk.

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount::subsets {

constexpr Vertex largest_size = 62;
// Smaller matrices (or those with fewer bits than the kernels unroll) are summed directly.
constexpr Vertex smallest_size = 9;

// Throws InputError for a block that is not square or has not one entry an edge, Unable beyond largest_size.
void require_square(const BipartiteGraph& pattern, std::size_t num_entries);
// Throws InputError unless the plan names every column once.
void require_plan(const BipartiteGraph& pattern, const RyserPlan& plan);
bool has_empty_line(const BipartiteGraph& pattern);

// Returns as many primes below 2^50, by which CPUs count, as tell integers of at most 2^log2_bound apart.
std::vector<std::uint64_t> primes_for(double log2_bound);
// Returns the residue in [-prime / 2, prime / 2].
double balanced_residue(std::int64_t value, std::uint64_t prime);

// Columns of the plan are rows of the pattern, where it is transposed.
bool in_special_column(const RyserPlan& plan, const Edge& edge);
Vertex plan_row(const RyserPlan& plan, const Edge& edge);

// Entries of a real or complex block. Each row is scaled by a power of two, or by 1 / (its entry in the special
// column), and its entries outside the special column are rounded to a grid on which all their signed sums are exact
// doubles, or pairs of doubles. Vectors by row are in the plan's orientation.
struct ScaledEntries {
  int components = 1;                  // doubles of a number
  std::vector<double> value;           // by edge id, by component
  bool unit_special = false;           // every entry of the special column is 1
  bool exact_zeros = false;            // entries are exact to 2^-80, so that a row sum of 0 is one
  std::vector<double> row_bound;       // R: at least the sum of |entries| outside the special column
  std::vector<double> row_rms;         // root of the sum of their |entry|^2
  std::vector<double> row_error;       // D: at least what a sum of them may differ from the truth
  std::vector<double> special_bound;   // at least |entry in the special column|
  std::vector<double> special_error;   // its own error
  std::vector<int> row_shift;          // entries were divided by 2^this; 0 where by the special entry
  std::vector<double> relative_error;  // the worst of any entry of the row, relative to the entry
  ComplexDoubleDouble scale{1.0};      // the permanent is scale * 2^exponent times that of the scaled block
  std::int64_t exponent = 0;
};
// Rows are divided by their special entry, which saves a multiplication a row and leaf, where every ratio of row sum
// and entry is within 2^+-log2_ratio, and their logarithms come to at most 10 log2_ratio.
template <class Entry>
ScaledEntries scale_entries(const Block<Entry>& block, const RyserPlan& plan, bool double_double, double log2_ratio);

// Returns the plan, with the special column as one more bit where some row is so small outside it that the scaled
// special entry might overflow a product.
template <class Entry>
RyserPlan tame_plan(const Block<Entry>& block, const RyserPlan& plan);

// Permanents of small blocks, by sums over subsets in increasing order.
Integer small_exact(const Block<std::int64_t>& block);
struct Sum {
  ScaledReal re, im;
  double log2_error = -std::numeric_limits<double>::infinity();
};
template <class Entry>
Sum small_sum(const Block<Entry>& block);

// Sums of chunks, added in pairs of equal size so that the error grows with the logarithm of their number.
struct Partial {
  DoubleDouble re, im;
  double magnitude = 0;
  double skipped = 0;

  void add(const Partial& later);
};
class PairwiseSum {
 public:
  void add(Partial value);
  Partial total() const;

 private:
  std::array<std::optional<Partial>, 64> levels_;
};

}  // namespace matchcount::subsets
