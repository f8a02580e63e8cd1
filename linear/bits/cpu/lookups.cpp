// A task is a block of rows of a strip of c. Its lines are brought together, so that they stay in the second-level
// cache while every word of a selects from tables of 64 rows of b; words of a are brought together beforehand, column
// by column, once for all strips.

#include "linear/bits/cpu/lookups.hpp"

#include <algorithm>
#include <memory>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"

namespace matchcount {
namespace {

// Rows of a block: 256 KiB of lines, or half of that where threads would be left without work. Making the tables, whose
// rows come from afar, takes a tenth of the time of those of 2048.
constexpr std::size_t most_block_rows = 4096, least_block_rows = 2048;

std::size_t pieces(std::size_t size, std::size_t piece) { return (size + piece - 1) / piece; }

// Words of a by blocks of rows, and by columns in each.
class Selectors {
 public:
  Selectors(ConstBitView a, std::size_t block_rows, int threads, const RunContext& run)
      : rows_(a.num_rows),
        block_rows_(block_rows),
        words_(pieces(a.num_columns, 64)),
        data_(aligned_zeros(rows_ * words_)) {
    constexpr std::size_t worth_threads = 1 << 18;
    if (rows_ * words_ < worth_threads) threads = 1;
    parallel_for_chunks(threads, pieces(rows_, block_rows_), [&](std::uint64_t block, int) {
      run.check();
      const std::size_t begin = block * block_rows_, count = rows_in(block);
      std::uint64_t* const to = data_.get() + begin * words_;
      // Eight rows at a time, so that whole lines are read and written.
      for (std::size_t i = 0; i < count; i += strip_words) {
        const std::size_t height = std::min(strip_words, count - i);
        for (std::size_t first = 0; first < words_; first += strip_words) {
          const std::size_t width = std::min(strip_words, words_ - first);
          std::uint64_t lines[strip_words][strip_words];
          for (std::size_t r = 0; r < height; ++r) std::copy_n(a.row(begin + i + r) + first, width, lines[r]);
          for (std::size_t w = 0; w < width; ++w) {
            std::uint64_t* const column = to + (first + w) * count + i;
            for (std::size_t r = 0; r < height; ++r) column[r] = lines[r][w];
          }
        }
      }
    });
  }
  std::size_t words() const { return words_; }
  std::size_t rows_in(std::size_t block) const { return std::min(block_rows_, rows_ - block * block_rows_); }
  const std::uint64_t* column(std::size_t block, std::size_t word) const {
    return data_.get() + block * block_rows_ * words_ + word * rows_in(block);
  }

 private:
  std::size_t rows_, block_rows_, words_;
  AlignedWords data_;
};

}  // namespace

std::vector<const std::uint64_t*> rows_of(ConstBitView matrix) {
  std::vector<const std::uint64_t*> rows(matrix.num_rows);
  for (std::size_t r = 0; r < matrix.num_rows; ++r) rows[r] = matrix.row(r);
  return rows;
}

void add_product(BitSum sum, BitView c, ConstBitView a, std::span<const std::uint64_t* const> rows,
                 const RunContext& run) {
  const std::size_t strips = strips_for(c.num_columns);
  if (c.num_rows == 0 || strips == 0 || rows.empty()) return;
  // Words of selectors by strips: 0.4 ms.
  constexpr std::size_t worth_a_thread = 100'000;
  const bool is_small = c.num_rows * pieces(a.num_columns, 64) * strips < 2 * worth_a_thread;
  const int threads = is_small ? 1 : run.num_threads();
  const BitKernels::Sums& kernels = kernels_for<BitKernels>(run.options().max_isa).of(sum);
  const bool many = pieces(c.num_rows, most_block_rows) * strips >= 8 * static_cast<std::size_t>(threads);
  const std::size_t block_rows = many ? most_block_rows : least_block_rows, blocks = pieces(c.num_rows, block_rows);
  const Selectors selectors(a, block_rows, threads, run);
  struct Space {
    AlignedWords tables = aligned_zeros(table_words), lines;
    explicit Space(std::size_t rows) : lines(aligned_zeros(rows * strip_words)) {}
  };
  std::vector<std::unique_ptr<Space>> spaces(static_cast<std::size_t>(threads));
  parallel_for_chunks(threads, blocks * strips, [&](std::uint64_t task, int thread) {
    auto& space = spaces[static_cast<std::size_t>(thread)];
    if (!space) space = std::make_unique<Space>(block_rows);
    const std::size_t block = task / strips, strip = task % strips * strip_words;
    const std::size_t begin = block * block_rows, count = selectors.rows_in(block);
    std::uint64_t* const lines = space->lines.get();
    for (std::size_t i = 0; i < count; ++i) std::copy_n(c.row(begin + i) + strip, strip_words, lines + i * strip_words);
    for (std::size_t word = 0; word < selectors.words(); ++word) {
      const std::uint64_t* chosen[64] = {};
      bool any = false;
      for (std::size_t j = 0; j < 64 && 64 * word + j < rows.size(); ++j) {
        const std::uint64_t* const row = rows[64 * word + j];
        chosen[j] = row == nullptr ? nullptr : row + strip;
        any = any || row != nullptr;
      }
      if (!any) continue;
      run.check();
      kernels.tabulate(chosen, space->tables.get());
      kernels.add(selectors.column(block, word), count, space->tables.get(), lines);
    }
    for (std::size_t i = 0; i < count; ++i) std::copy_n(lines + i * strip_words, strip_words, c.row(begin + i) + strip);
  });
}

void add(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const RunContext& run) {
  auto* const combine = kernels_for<BitKernels>(run.options().max_isa).of(sum).combine;
  const std::size_t words = strip_words_for(c.num_columns);
  constexpr std::size_t rows_a_task = 64, worth_a_thread = 1 << 16;
  parallel_for_chunks(c.num_rows * words < 2 * worth_a_thread ? 1 : run.num_threads(), pieces(c.num_rows, rows_a_task),
                      [&](std::uint64_t task, int) {
                        run.check();
                        const std::size_t last = std::min<std::size_t>(c.num_rows, (task + 1) * rows_a_task);
                        for (std::size_t r = task * rows_a_task; r < last; ++r)
                          combine(a.row(r), b.row(r), c.row(r), words);
                      });
}

}  // namespace matchcount
