#pragma once
// Finds determinants of dense matrices by elimination and by condensation, and products, over any Field: residues or
// floating point. Private to permanent/.
//
// Elimination by panels of rows. Rows lie together in memory, so pivots are looked for along rows and columns are
// exchanged: A = L U with ones on the diagonal of U, pivots on that of L. A panel is factored by recursion on its rows,
// so that nearly all of its work is products too; then for every row below it
//   columns of the panel:  L21 = A21 U11^-1   (U11 is inverted once, at the price of a panel's size cubed)
//   columns behind it:     A22 = A22 - L21 U12
// by blocks of rows, each of which exchanges its own columns first, while they are in its cache.
//
// Condensation (Salem and Said, cf. Haque and Moreno Maza, "Determinant computation on the GPU using the condensation
// method", 2012, doi:10.1088/1742-6596/341/1/012031): with a pivot p of the first row in column l, one exchange of
// columns brings it to the front, and det A is that of a matrix smaller by one, of entries
//   p A_ij - A_il A_1j,   over p^(n - 2): residues, nothing is divided under way and the powers are inverted at the
//   end; A_ij - A_il (A_1j / p),   times p: floating point, in which the powers would overflow.
// It touches all of the matrix at every step, and so goes at the speed of memory where elimination goes at that of
// multiplication.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/run.hpp"
#include "linear/cpu/dense_kernels.hpp"

namespace matchcount::dense {

// Says how an operation runs.
struct Execution {
  const DenseKernels& kernels;
  int num_threads;
  const RunContext& run;
  std::function<void(std::size_t)> on_rows = {};  // told how many rows are done, where given
};

// Rows of a panel: of 64 to 256 the fastest at n = 4000 (2 cores, AVX-512). Rows of a block: its packed left factor
// stays in the second-level cache.
constexpr std::size_t panel_rows = 128, block_rows = 96, base_rows = 8;
// Columns that a thread takes of a product.
constexpr std::size_t chunk_columns = 20 * most_strip;
// Products below which another thread is not worth waking.
constexpr std::size_t worth_a_thread = 2'000'000;

template <class T>
std::unique_ptr<T[]> uninitialised(std::size_t size) {
  return std::unique_ptr<T[]>(new T[size]);
}

inline std::size_t pieces(std::size_t size, std::size_t piece) { return (size + piece - 1) / piece; }

// c = c - a b, with a of m x k, b of k x n numbers; c is apart from both. Throws what run.check() throws.
template <class Field>
void subtract_product(const Field& field, typename Field::View c, typename Field::View a, typename Field::View b,
                      std::size_t m, std::size_t n, std::size_t k, const Execution& execution) {
  if (m == 0 || n == 0 || k == 0) return;
  const int threads = m * n * k < 2 * worth_a_thread ? 1 : execution.num_threads;
  const std::size_t depth = std::min(k, panel_rows), height = std::min(m, block_rows);
  using Packed = typename Field::Packed;
  const auto packed = uninitialised<Packed>(field.planes() * packed_size(depth, n));
  const auto spaces =
      uninitialised<Packed>(static_cast<std::size_t>(threads) * field.planes() * space_size(height, depth));
  for (std::size_t i = 0; i < k; i += panel_rows) {
    const std::size_t part = std::min(panel_rows, k - i);
    const auto place = [&](std::size_t column) { return packed.get() + field.planes() * packed_rows(part) * column; };
    parallel_for_chunks(threads, pieces(n, chunk_columns), [&](std::uint64_t chunk, int) {
      const std::size_t begin = chunk * chunk_columns;
      field.pack(b.from(i, begin), part, std::min(chunk_columns, n - begin), place(begin));
    });
    const std::size_t rows = pieces(m, block_rows), columns = pieces(n, chunk_columns);
    parallel_for_chunks(threads, rows * columns, [&](std::uint64_t task, int thread) {
      execution.run.check();
      const std::size_t row = task / columns * block_rows, begin = task % columns * chunk_columns;
      field.multiply(true, a.from(row, i), std::min(block_rows, m - row), part, place(begin),
                     std::min(chunk_columns, n - begin), c.from(row, begin),
                     spaces.get() + static_cast<std::size_t>(thread) * field.planes() * space_size(height, depth));
    });
  }
}

struct Exchange {
  std::size_t a, b;
};

template <class Field>
class Elimination {
 public:
  using View = typename Field::View;

  // Eliminates. With keep_factors the matrix becomes L on and below its diagonal and U behind it; else parts of it are
  // anything.
  Elimination(Field& field, View matrix, std::size_t n, const Execution& execution, bool keep_factors = false)
      : field_(field), matrix_(matrix), n_(n), execution_(execution), keep_factors_(keep_factors) {}

  // The field has the product of pivots. Returns the exchanges of columns in their order; stops, with fewer than n
  // pivots taken, where a row has none.
  std::vector<Exchange> run() {
    for (std::size_t first = 0; first < n_; first += panel_rows) {
      const std::size_t last = std::min(n_, first + panel_rows), before = exchanges_.size();
      if (!factor(first, last)) break;
      if (keep_factors_) exchange(before, 0, first);
      update(before, first, last);
      if (execution_.on_rows) execution_.on_rows(last);
    }
    return std::move(exchanges_);
  }

 private:
  using Packed = typename Field::Packed;

  // Columns, by the exchanges from `begin` on, of rows [first, last).
  void exchange(std::size_t begin, std::size_t first, std::size_t last) const {
    for (std::size_t r = first; r < last; ++r) {
      for (std::size_t i = begin; i < exchanges_.size(); ++i)
        field_.exchange(matrix_.from(r, 0), exchanges_[i].a, exchanges_[i].b);
    }
  }

  // Rows [first, last) become L on and below the diagonal and U behind it; false where they are dependent.
  bool factor(std::size_t first, std::size_t last) {
    if (last - first > base_rows) {
      const std::size_t middle = first + (last - first) / 2, before = exchanges_.size();
      if (!factor(first, middle)) return false;
      exchange(before, middle, last);
      for (std::size_t r = middle; r < last; ++r) {
        for (std::size_t k = first; k + 1 < middle; ++k)
          field_.combine(matrix_.from(r, k + 1), matrix_.from(r, k), matrix_.from(k, k + 1), middle - k - 1);
      }
      subtract_product(field_, matrix_.from(middle, middle), matrix_.from(middle, first), matrix_.from(first, middle),
                       last - middle, n_ - middle, middle - first, execution_);
      const std::size_t between = exchanges_.size();
      if (!factor(middle, last)) return false;
      exchange(between, first, middle);
      return true;
    }
    for (std::size_t r = first; r < last; ++r) {
      const std::size_t behind = n_ - r - 1, pivot = r + field_.find_pivot(matrix_.from(r, r), n_ - r);
      if (pivot == n_) return false;
      if (pivot != r) {
        exchanges_.push_back({r, pivot});
        exchange(exchanges_.size() - 1, first, last);
      }
      field_.take_pivot(matrix_.from(r, r), behind);
      for (std::size_t other = r + 1; other < last; ++other)
        field_.combine(matrix_.from(other, r + 1), matrix_.from(other, r), matrix_.from(r, r + 1), behind);
    }
    return true;
  }

  // Applies a panel to the rows below it.
  void update(std::size_t exchanged, std::size_t first, std::size_t last) {
    if (last == n_) return;
    const std::size_t k = last - first, columns = n_ - last, planes = field_.planes(), strip = field_.strip();
    const int threads = columns * columns * k < 2 * worth_a_thread ? 1 : execution_.num_threads;
    typename Field::Matrix inverse = inverse_of_upper(first, k);
    const auto packed_inverse = uninitialised<Packed>(planes * packed_size(k, k));
    field_.pack(inverse.view(), k, k, packed_inverse.get());
    const auto packed = uninitialised<Packed>(planes * packed_size(k, columns));
    parallel_for_chunks(threads, pieces(columns, strip), [&](std::uint64_t chunk, int) {
      const std::size_t begin = chunk * strip;
      field_.pack(matrix_.from(first, last + begin), k, std::min(strip, columns - begin),
                  packed.get() + planes * packed_rows(k) * begin);
    });
    const std::size_t rows = rows_of_block(n_ - last, threads);
    const auto spaces = uninitialised<Packed>(static_cast<std::size_t>(threads) * planes * space_size(rows, k));
    parallel_for_chunks(threads, pieces(n_ - last, rows), [&](std::uint64_t block, int thread) {
      execution_.run.check();
      const std::size_t begin = last + block * rows, end = std::min(n_, begin + rows);
      Packed* const space = spaces.get() + static_cast<std::size_t>(thread) * planes * space_size(rows, k);
      exchange(exchanged, begin, end);
      const View left = matrix_.from(begin, first);
      field_.multiply(false, left, end - begin, k, packed_inverse.get(), k, left, space);
      field_.multiply(true, left, end - begin, k, packed.get(), columns, matrix_.from(begin, last), space);
    });
  }

  static std::size_t rows_of_block(std::size_t rows, int threads) {
    const std::size_t wanted = rows / (4 * static_cast<std::size_t>(threads)) / most_tile_rows * most_tile_rows;
    return std::clamp(wanted, most_tile_rows, block_rows);
  }

  // Inverts the k x k unit upper triangle at (first, first): row by row from the last up.
  typename Field::Matrix inverse_of_upper(std::size_t first, std::size_t k) const {
    typename Field::Matrix inverse(k);
    const View rows = inverse.view();
    for (std::size_t r = k; r-- > 0;) {
      field_.set_one(rows.from(r, r));
      for (std::size_t i = r + 1; i < k; ++i)
        field_.combine(rows.from(r, i), matrix_.from(first + r, first + i), rows.from(i, i), k - i);
    }
    return inverse;
  }

  Field& field_;
  View matrix_;
  std::size_t n_;
  const Execution& execution_;
  bool keep_factors_;
  std::vector<Exchange> exchanges_;
};

// The field has the determinant but for the sign of the exchanges, whose number is returned; it has fewer than n pivots
// where a row has none. The matrix is used up.
template <class Field>
std::size_t condense(Field& field, typename Field::View matrix, std::size_t n, const Execution& execution) {
  std::size_t exchanges = 0;
  for (std::size_t first = 0; first < n; ++first) {
    const std::size_t rows = n - first - 1, l = field.find_pivot(matrix.from(first, first), n - first);
    if (l == n - first) break;
    if (l != 0) {
      ++exchanges;
      field.exchange(matrix.from(first, first), 0, l);
    }
    const auto step = field.take_condensing_pivot(matrix.from(first, first), rows);
    const int threads = 2 * rows * rows < worth_a_thread ? 1 : execution.num_threads;
    const std::size_t piece = std::max<std::size_t>(1, pieces(rows, 4 * static_cast<std::size_t>(threads)));
    execution.run.check();
    parallel_for_chunks(threads, pieces(rows, piece), [&](std::uint64_t chunk, int) {
      const std::size_t begin = first + 1 + chunk * piece;
      for (std::size_t r = begin; r < std::min(n, begin + piece); ++r) {
        const auto row = matrix.from(r, first);
        if (l != 0) field.exchange(row, 0, l);
        field.condense_row(step, row.from(0, 1), row, matrix.from(first, first + 1), rows);
      }
    });
    if (execution.on_rows) execution.on_rows(first + 1);
  }
  return exchanges;
}

}  // namespace matchcount::dense
