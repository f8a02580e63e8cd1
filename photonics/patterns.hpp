#pragma once
// Computes permanents of many selections of rows and columns of one matrix: amplitudes of photons in modes.
//
//   const std::vector<double> matrix{1, 2, 3, 4};
//   const std::vector<std::uint32_t> rows{0, 1, 0, 0}, columns{0, 1, 1, 1};
//   const std::vector<std::size_t> ends{2, 4};
//   pattern_permanents(std::span<const double>(matrix), 2, rows, columns, ends);  // 10, and of (2 2; 2 2) 8
//
// Both throw InputError for entries that are not finite or not as many as rows times columns.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

template <class Answer>
struct PatternValue {
  std::optional<Answer> value;
  std::string reason;  // why there is none
};

// Computes the permanents of the matrices that rows and columns pick, each index as often as it stands there, from one
// matrix, row-major with `num_columns` columns. Pattern p is what stands in both from ends[p - 1] (0 for the first) to
// ends[p]. An index out of range, and what no method answers within the limits, is no value with a reason; the others
// go on. Throws Cancelled where run.stop is raised. 8 photons take 1 us of one core; from 17 on each is a
// repeated_permanent of its own.
std::vector<PatternValue<RealValue>> pattern_permanents(std::span<const double> entries, std::size_t num_columns,
                                                        std::span<const std::uint32_t> rows,
                                                        std::span<const std::uint32_t> columns,
                                                        std::span<const std::size_t> ends, const RunOptions& run = {});
std::vector<PatternValue<ComplexValue>> pattern_permanents(std::span<const std::complex<double>> entries,
                                                           std::size_t num_columns, std::span<const std::uint32_t> rows,
                                                           std::span<const std::uint32_t> columns,
                                                           std::span<const std::size_t> ends,
                                                           const RunOptions& run = {});

// A stream of all amplitudes of one choice of rows: for every choice of as many columns, repeated or not and in
// lexicographic order, the permanent of what both pick, over the root of the product of the factorials of how often
// each row and each column is there. Sums that a choice shares with the one before are kept, an array for each column
// (SLOS of Heurtel, Mansfield, Senellart, Valiron 2023, doi:10.1016/j.cpc.2023.108848, walked in depth): memory
// prod (times + 1) numbers, where SLOS keeps all amplitudes of a size. 92,378 of 10 photons in 10 modes take 35 ms.
class Amplitudes {
 public:
  // Row i is taken row_times[i] times. Throws Unable for more than 64 photons, more than 2^18 sums to keep, or entries
  // so large that doubles might overflow.
  Amplitudes(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> row_times,
             std::size_t num_columns);

  // Goes to the next choice, at first to the first one; returns false where there is none.
  bool next();
  // Returns, of the choice gone to, its columns, ascending; the amplitude; what that is off by at most. The bound is
  // Carlen, Lieb and Loss's (2006, arXiv:math/0508096): |per| <= n! / n^(n/2) times the columns' 2-norms.
  std::span<const std::uint32_t> columns() const { return columns_; }
  std::complex<double> value() const { return value_; }
  double error() const { return error_; }

 private:
  struct Term {
    std::uint32_t row, before;  // a row that is taken, and the state without it
  };
  struct Level {
    std::vector<std::uint32_t> ends;  // of the terms of each state
    std::vector<Term> terms;
    std::vector<std::complex<double>> sums;
    double norms = 1;        // the product of the 2-norms of the columns so far
    double repetitions = 1;  // the product of the factorials of how often they are there
  };
  void sum(std::size_t level);

  std::size_t num_columns_;
  std::vector<std::complex<double>> entries_;  // column by column, of the rows that are taken
  std::size_t num_rows_ = 0;                   // of these
  std::vector<double> norms_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> columns_;
  double factor_ = 1, relative_ = 0, underflow_ = 0, error_ = 0;
  std::complex<double> value_;
  bool begun_ = false;
};

}  // namespace matchcount
