#pragma once
// BitMatrix owns a dense matrix of bits, packed 64 to a word and row by row; views borrow one.
//
// Rows begin at multiples of 64 bytes and take a whole number of strips of 512 columns, so that every loop goes over
// whole vectors. Bits behind the last column are 0 and stay so.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// Columns, and words of 64 bits, of a strip.
constexpr std::size_t strip_columns = 512, strip_words = 8;

// Returns the strips, and the words of whole strips, that so many columns take.
constexpr std::size_t strips_for(std::size_t columns) { return (columns + strip_columns - 1) / strip_columns; }
constexpr std::size_t strip_words_for(std::size_t columns) { return strips_for(columns) * strip_words; }

// Rows and columns of a matrix that somebody else owns. Word w of a row has columns 64 w to 64 w + 63, lowest bit
// first.
template <class Word>
struct BitViewOf {
  Word* words = nullptr;
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;
  std::size_t stride = 0;  // words from row to row, a multiple of strip_words

  Word* row(std::size_t row) const { return words + row * stride; }
  bool get(std::size_t row, std::size_t column) const { return (words[row * stride + column / 64] >> column % 64) & 1; }
  // Requires that column is a multiple of strip_columns, and that columns is one or ends where this does.
  BitViewOf block(std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) const {
    return {words + row * stride + column / 64, rows, columns, stride};
  }
  operator BitViewOf<const Word>() const requires(!std::is_const_v<Word>) {
    return {words, num_rows, num_columns, stride};
  }
};
using ConstBitView = BitViewOf<const std::uint64_t>;
using BitView = BitViewOf<std::uint64_t>;

// Words at a multiple of 64 bytes; zeros take no memory before they are touched, where there are many.
struct FreeAligned {
  void operator()(std::uint64_t* words) const;
};
using AlignedWords = std::unique_ptr<std::uint64_t[], FreeAligned>;
AlignedWords aligned_zeros(std::size_t words);

class BitMatrix {
 public:
  BitMatrix() = default;
  // All zeros. Throws std::bad_alloc where memory is short.
  BitMatrix(std::size_t num_rows, std::size_t num_columns);
  explicit BitMatrix(ConstBitView view);  // a copy
  BitMatrix(const BitMatrix& other) : BitMatrix(ConstBitView(other)) {}
  BitMatrix(BitMatrix&&) noexcept = default;
  BitMatrix& operator=(BitMatrix&&) noexcept = default;
  static BitMatrix identity(std::size_t n);
  // Takes the entries of a matrix modulo 2: edges without weights are 1, repeated edges do not occur. Throws InputError
  // for weights that are not integers.
  static BitMatrix modulo_two(const BipartiteGraph& matrix, const RunContext& run = {});
  static BitMatrix modulo_two(const UndirectedGraph& graph, const RunContext& run = {});  // of its symmetric matrix

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_columns() const { return num_columns_; }
  std::size_t stride() const { return stride_; }
  bool get(std::size_t row, std::size_t column) const { return ConstBitView(*this).get(row, column); }
  void set(std::size_t row, std::size_t column, bool value) {
    std::uint64_t& word = words_[row * stride_ + column / 64];
    const std::uint64_t bit = std::uint64_t{1} << column % 64;
    word = value ? word | bit : word & ~bit;
  }
  std::uint64_t* row(std::size_t row) { return words_.get() + row * stride_; }
  const std::uint64_t* row(std::size_t row) const { return words_.get() + row * stride_; }
  BitView view() { return {words_.get(), num_rows_, num_columns_, stride_}; }
  operator ConstBitView() const { return {words_.get(), num_rows_, num_columns_, stride_}; }

  // Returns the bytes that such a matrix takes.
  static double bytes(std::size_t num_rows, std::size_t num_columns);

 private:
  AlignedWords words_;
  std::size_t num_rows_ = 0;
  std::size_t num_columns_ = 0;
  std::size_t stride_ = 0;
};

bool operator==(ConstBitView a, ConstBitView b);

// Rows and columns exchanged, by blocks of 64 x 64. Throws as run.check() does.
BitMatrix transposed(ConstBitView matrix, const RunContext& run = {});

}  // namespace matchcount
