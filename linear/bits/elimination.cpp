// P A = L U in place, after Albrecht and Pernet (2010, "Efficient decomposition of dense matrices over GF(2)",
// arXiv:1006.1744), by recursion on columns: the left half is factored, its pivot rows are solved for the right half's
// columns, and a product takes them from the rows below, before the right half is factored. A strip of 512 columns is
// factored word by word, with its lines brought together.
//
// Where a column has no pivot the right factor of the product has a row of zeros at its place, so that bits of L select
// by their column and nothing is moved together: with full rank nothing is lost, and without it never more than the
// product of full rank.

#include "linear/bits/elimination.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "linear/bits/cpu/lookups.hpp"
#include "linear/bits/cuda/elimination_gpu.hpp"
#include "linear/bits/fit.hpp"

namespace matchcount {
namespace {

constexpr std::size_t no_row = static_cast<std::size_t>(-1);

// Returns a place between first and last, at a multiple of `step` from first.
std::size_t middle_of(std::size_t first, std::size_t last, std::size_t step) {
  return first + ((last - first + step - 1) / step + 1) / 2 * step;
}

class Elimination {
 public:
  // Pivots are looked for in the first `columns` columns; others are carried along. full: it ends at the first column
  // without one.
  Elimination(BitView matrix, std::size_t columns, bool full, const RunContext& run)
      : matrix_(matrix),
        columns_(columns),
        full_(full),
        run_(run),
        kernels_(kernels_for<BitKernels>(run.options().max_isa)),
        pivot_(columns, no_row) {}

  std::size_t run() {
    if (columns_ != 0) factor(0, columns_);
    return rank_;
  }

  // Solves after a run that found `columns` pivots: the columns from `begin` on, a whole number of strips, become those
  // of the solution X of A X = B that they were B of.
  void solve(std::size_t begin) {
    apply(0, 0, columns_, begin);
    solve_upper(0, columns_, begin);
  }

 private:
  bool is_over() const { return rank_ == matrix_.num_rows || failed_; }
  std::uint64_t* at(std::size_t row, std::size_t column) const { return matrix_.row(row) + column / 64; }
  BitView part(std::size_t row, std::size_t rows, std::size_t column, std::size_t end) const {
    return matrix_.block(row, rows, column, end - column);
  }

  // Columns [first, last) of the rows from rank_ on.
  void factor(std::size_t first, std::size_t last) {
    if (is_over()) return;
    if (last - first <= strip_columns) {
      factor_strip(first, last);
      run_.report("elimination", static_cast<double>(last), static_cast<double>(columns_));
      return;
    }
    const std::size_t middle = middle_of(first, last, strip_columns), top = rank_;
    factor(first, middle);
    if (is_over() && rank_ != matrix_.num_rows) return;
    apply(top, first, middle, middle, last);
    factor(middle, last);
  }

  // Applies the pivots of columns [first, last), whose rows are [top, rank_), to columns [begin, end).
  void apply(std::size_t top, std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
    if (rank_ == top) return;
    solve_lower(top, rank_, first, last, begin, end);
    subtract(rank_, matrix_.num_rows, first, last, begin, end);
  }
  void apply(std::size_t top, std::size_t first, std::size_t last, std::size_t begin) {
    apply(top, first, last, begin, matrix_.num_columns);
  }

  // Subtracts, from columns [begin, end) of rows [from, to), the pivot rows that their bits in columns [first, last)
  // select.
  void subtract(std::size_t from, std::size_t to, std::size_t first, std::size_t last, std::size_t begin,
                std::size_t end) {
    if (from == to) return;
    std::vector<const std::uint64_t*> rows(last - first, nullptr);
    for (std::size_t c = first; c < last; ++c) {
      if (pivot_[c] != no_row) rows[c - first] = at(pivot_[c], begin);
    }
    add_product(BitSum::binary, part(from, to - from, begin, end), part(from, to - from, first, last), rows, run_);
  }

  void add_row(std::size_t from, std::size_t to, std::size_t begin, std::size_t end) const {
    const std::size_t words = strip_words_for(end - begin);
    kernels_.of(BitSum::binary).combine(at(to, begin), at(from, begin), at(to, begin), words);
  }

  // U = L^-1 U in columns [begin, end) of the pivot rows [top, bottom), whose pivots are in columns [first, last).
  void solve_lower(std::size_t top, std::size_t bottom, std::size_t first, std::size_t last, std::size_t begin,
                   std::size_t end) {
    if (top == bottom) return;
    if (last - first <= 64) {
      run_.check();
      std::size_t row = top;
      for (std::size_t c = first; c < last; ++c) {
        if (pivot_[c] == no_row) continue;
        for (std::size_t before = first; before < c; ++before) {
          if (pivot_[before] != no_row && matrix_.row(row)[before / 64] >> before % 64 & 1)
            add_row(pivot_[before], row, begin, end);
        }
        ++row;
      }
      return;
    }
    const std::size_t half = middle_of(first, last, 64);
    std::size_t between = top;
    for (std::size_t c = first; c < half; ++c) between += pivot_[c] != no_row ? 1 : 0;
    solve_lower(top, between, first, half, begin, end);
    subtract(between, bottom, first, half, begin, end);
    solve_lower(between, bottom, half, last, begin, end);
  }

  // X = U^-1 X in columns from `begin` on, of rows [first, last), whose pivots are in the columns of the same numbers.
  void solve_upper(std::size_t first, std::size_t last, std::size_t begin) {
    const std::size_t end = matrix_.num_columns;
    if (last - first <= 64) {
      run_.check();
      for (std::size_t c = last; c-- > first;) {
        for (std::size_t row = first; row < c; ++row) {
          if (matrix_.row(row)[c / 64] >> c % 64 & 1) add_row(c, row, begin, end);
        }
      }
      return;
    }
    const std::size_t half = middle_of(first, last, 64);
    solve_upper(half, last, begin);
    subtract(first, half, half, last, begin, end);
    solve_upper(first, half, begin);
  }

  // Factors at most a strip, from its first column on.
  void factor_strip(std::size_t first, std::size_t last) {
    const std::size_t top = rank_, height = matrix_.num_rows - top;
    lines_.resize(height * strip_words);
    selectors_.resize(height);
    for_lines(height, [&](std::size_t i) { std::copy_n(at(top + i, first), strip_words, line(i)); });
    for (std::size_t column = first; column < last && !is_over(); column += 64) {
      run_.check();
      const std::size_t word = (column - first) / 64, before = rank_ - top;
      for (std::size_t i = before; i < height; ++i) selectors_[i] = line(i)[word];
      factor_word(top, column, std::min(last, column + 64));
      for (std::size_t i = before; i < height; ++i) line(i)[word] = selectors_[i];
      if (rank_ - top != before && word + 1 < strip_words && column + 64 < matrix_.num_columns)
        update_lines(top, before, column, word);
    }
    for_lines(height, [&](std::size_t i) { std::copy_n(line(i), strip_words, at(top + i, first)); });
  }

  template <class Body>
  void for_lines(std::size_t count, const Body& body) const {
    constexpr std::size_t lines_a_task = 1024, worth_a_thread = 4096;
    const int threads = count < 2 * worth_a_thread ? 1 : run_.num_threads();
    parallel_for_chunks(threads, (count + lines_a_task - 1) / lines_a_task, [&](std::uint64_t task, int) {
      for (std::size_t i = task * lines_a_task; i < std::min<std::size_t>(count, (task + 1) * lines_a_task); ++i)
        body(i);
    });
  }

  // Columns [column, end) of a word, which selectors_ has of every row from the old rank on.
  void factor_word(std::size_t top, std::size_t column, std::size_t end) {
    const std::size_t height = matrix_.num_rows - top;
    for (std::size_t c = column; c < end && !is_over(); ++c) {
      const std::uint64_t bit = std::uint64_t{1} << c % 64;
      std::size_t row = rank_ - top, found = row;
      while (found < height && !(selectors_[found] & bit)) ++found;
      if (found == height) {
        failed_ = full_;
        continue;
      }
      if (found != row) {
        std::swap(selectors_[found], selectors_[row]);
        std::swap_ranges(line(found), line(found) + strip_words, line(row));
        std::swap_ranges(matrix_.row(top + found), matrix_.row(top + found) + matrix_.stride, matrix_.row(top + row));
      }
      pivot_[c] = rank_++;
      ++row;
      // The bit itself stays, as one of L.
      const std::uint64_t behind = selectors_[row - 1] & ~(bit | (bit - 1));
      kernels_.eliminate(selectors_.data() + row, height - row, static_cast<unsigned>(c % 64), behind);
    }
  }

  // The words behind this one, of the rows from `before` on, by the pivots that were found in it.
  void update_lines(std::size_t top, std::size_t before, std::size_t column, std::size_t word) {
    const std::size_t behind = word + 1, found = rank_ - top;
    std::vector<std::uint64_t> copies(64 * strip_words, 0);
    const std::uint64_t* chosen[64] = {};
    for (std::size_t i = before; i < found; ++i) {
      // The pivot's column, and what the earlier pivots of this word do to its row.
      for (std::size_t c = column; c < std::min(columns_, column + 64) && pivot_[c] != top + i; ++c) {
        if (pivot_[c] == no_row || !(line(i)[word] >> c % 64 & 1)) continue;
        for (std::size_t w = behind; w < strip_words; ++w) line(i)[w] ^= line(pivot_[c] - top)[w];
      }
    }
    for (std::size_t c = column; c < std::min(columns_, column + 64); ++c) {
      if (pivot_[c] == no_row) continue;
      std::uint64_t* const copy = &copies[c % 64 * strip_words];
      std::copy(line(pivot_[c] - top) + behind, line(pivot_[c] - top) + strip_words, copy + behind);
      chosen[c % 64] = copy;
    }
    const std::size_t height = matrix_.num_rows - top;
    if (found == height) return;
    const BitKernels::Sums& kernels = kernels_.of(BitSum::binary);
    if (!tables_) tables_ = aligned_zeros(table_words);
    kernels.tabulate(chosen, tables_.get());
    kernels.add(selectors_.data() + found, height - found, tables_.get(), line(found));
  }

  std::uint64_t* line(std::size_t row) { return lines_.data() + row * strip_words; }

  BitView matrix_;
  std::size_t columns_;
  bool full_;
  const RunContext& run_;
  const BitKernels& kernels_;
  std::vector<std::size_t> pivot_;  // the row with the pivot of a column, or no_row
  std::size_t rank_ = 0;
  bool failed_ = false;
  std::vector<std::uint64_t> lines_, selectors_;  // of the rows from the strip's first on
  AlignedWords tables_;
};

// Returns the memory of the matrix, words that select among the left half's rows, and the lines of a strip.
double elimination_bytes(std::size_t rows, std::size_t columns) {
  return 2 * BitMatrix::bytes(rows, columns) + static_cast<double>(rows) * 72;
}

// Returns the GPU for pivots in so many columns; nothing: the CPU, of which a core takes 3e12 pairs of bits a second (n
// = 32768 took 4 s).
std::optional<DeviceInfo> gpu_for(const std::string& what, std::size_t rows, std::size_t columns,
                                  const RunContext& run) {
  constexpr double pairs_a_second = 3e12;
  const double size = static_cast<double>(std::min(rows, columns));
  const double pairs = size * static_cast<double>(rows) * static_cast<double>(columns) / 3;
  // Threads are looked for where it matters.
  const double seconds = pairs < pairs_a_second ? pairs / pairs_a_second : pairs / pairs_a_second / run.num_threads();
  return choose_bit_gpu(
      what, rows, seconds, [&](std::size_t n) { return gpu::elimination_device_bytes(n, n * columns / rows); }, run);
}

void require_square(ConstBitView matrix) {
  if (matrix.num_rows == matrix.num_columns) return;
  throw InputError("a matrix of " + std::to_string(matrix.num_rows) + " x " + std::to_string(matrix.num_columns),
                   "a square matrix");
}

}  // namespace

std::size_t binary_rank(BitMatrix matrix, const RunContext& run) {
  const std::size_t columns = matrix.num_columns();
  require_memory(
      "the rank of a bit matrix with " + std::to_string(columns) + " columns", matrix.num_rows(),
      [&](std::size_t rows) { return elimination_bytes(rows, columns); }, run);
  if (matrix.num_rows() == 0) return 0;
  if (const auto device = gpu_for("the rank of a bit matrix", matrix.num_rows(), columns, run))
    return gpu::binary_rank_on(*device, matrix, false, run);
  return Elimination(matrix.view(), columns, false, run).run();
}

double binary_determinant_bytes(std::size_t n) { return elimination_bytes(n, n); }

std::optional<DeviceInfo> binary_determinant_gpu(std::size_t n, const RunContext& run) {
  return n == 0 ? std::nullopt : gpu_for("the determinant of a bit matrix", n, n, run);
}

bool binary_determinant(BitMatrix matrix, const RunContext& run) {
  require_square(matrix);
  const std::size_t n = matrix.num_rows();
  require_memory("the determinant of a bit matrix", n, binary_determinant_bytes, run);
  if (const auto device = binary_determinant_gpu(n, run)) return gpu::binary_rank_on(*device, matrix, true, run) == n;
  return Elimination(matrix.view(), n, true, run).run() == n;
}

std::optional<BitMatrix> binary_inverse(ConstBitView matrix, const RunContext& run) {
  require_square(matrix);
  const std::size_t n = matrix.num_rows, begin = strips_for(n) * strip_columns;
  require_memory(
      "the inverse of a bit matrix", n,
      [](std::size_t rows) { return elimination_bytes(rows, 2 * rows + strip_columns); }, run);
  // `both` has the matrix beside the unit matrix, which becomes the inverse.
  BitMatrix both(n, begin + n);
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(matrix.row(r), begin / 64, both.row(r));
    both.set(r, begin + r, true);
  }
  Elimination elimination(both.view(), n, true, run);
  if (elimination.run() < n) return std::nullopt;
  elimination.solve(begin);
  return BitMatrix(both.view().block(0, n, begin, n));
}

}  // namespace matchcount
