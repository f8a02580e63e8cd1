#pragma once
// Expands one permanent or hafnian over sets of columns or vertices, in doubles, complex numbers or words modulo 2^64.

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/cpu/expansion_kernel.hpp"

namespace matchcount::dense {

// Doubles at a multiple of 64 bytes, whose memory is used again and again. Eight more in front are 0.
class Lanes {
 public:
  double* resize(std::size_t doubles);  // what they are is not said
  double* zeros(std::size_t doubles);
  double* data() const { return begin_; }

 private:
  std::unique_ptr<double[]> memory_;
  std::size_t size_ = 0;
  double* begin_ = nullptr;
};

// Scratch is one thread's memory.
struct Scratch {
  Lanes states, step, close, levels[2];
};

// Says how the sets are walked, and how many roundings a sum passes on its way: the relative error of a result is at
// most that many times 2^-53 (of double-doubles 2^-102), times three for complex numbers, of the same sum over
// magnitudes.
class ColumnShape {
 public:
  // Takes how often each column is taken, at least once.
  explicit ColumnShape(std::span<const std::uint32_t> multiplicity);

  static double states(std::span<const std::uint32_t> multiplicity);
  std::uint64_t num_blocks() const { return num_blocks_; }
  double memory_bytes() const { return static_cast<double>(num_blocks_) * 4 * 8 * 8; }  // of double-doubles
  std::size_t size() const { return size_; }  // rows and, counted as often as they are taken, columns
  double roundings() const;

  // Takes the matrix of size() rows and a column for each of the multiplicities, row-major: its permanent divided by
  // the factorials of the multiplicities. T: double, std::complex<double>, ComplexDoubleDouble, std::uint64_t.
  template <class T>
  T expand(const T* entries, Scratch& scratch, const RunContext& run, int num_threads) const;

 private:
  template <class T>
  void fill_tables(const T* entries, Scratch& scratch) const;
  std::vector<std::vector<std::uint64_t>> independent_tiles() const;

  struct Lane {
    std::uint32_t sum = 0;                  // of its digits
    std::vector<std::int32_t> before = {};  // by column of the lanes: the lane with one less of it, or -1
  };
  std::size_t size_ = 0, num_columns_ = 0;
  std::vector<std::size_t> digit_column_, lane_column_;
  std::vector<std::uint32_t> radix_;
  std::vector<std::uint64_t> stride_;
  std::vector<Lane> lanes_;
  std::uint64_t num_blocks_ = 1;
  std::size_t largest_sum_ = 0;  // of a block's digits
  std::uint64_t tile_blocks_ = 1;
};

// The hafnian of a symmetric matrix by matching its first vertex that is left, for every set of those that may be
// matched by then; n >= 4, and even unless there are loops.
class VertexShape {
 public:
  VertexShape(std::size_t n, bool loops);

  std::uint64_t num_blocks() const;  // once as many vertices are matched as give the most
  // Says whether threads save time, each with matrices of its own if there are several.
  bool is_worth_threads(std::size_t matrices) const;
  double memory_bytes(int components) const;
  double roundings() const;
  // Row-major, n x n; of the diagonal only with loops.
  template <class T>
  T expand(const T* entries, Scratch& scratch, const RunContext& run, int num_threads) const;

 protected:
  template <class T>
  struct Weights;
  struct Chunk;
  template <class T>
  void expand_levels(const Weights<T>& weights, const std::vector<double*>& levels, Scratch& scratch,
                     const RunContext& run, int num_threads) const;
  std::vector<Chunk> chunks_of(std::size_t level) const;

  std::size_t n_;
  bool loops_;
  int bits_;  // of the number of a set: vertices, but for the last one without loops
  // By level, which is how many vertices are matched, down to three; by members of a block: its blocks that have fewer.
  std::vector<std::vector<std::uint64_t>> first_;
};

}  // namespace matchcount::dense
