#pragma once
// Builds from a matrix what the inner loops of all minors read (minors_kernel.hpp), and adds up what chunks give.

#include <cstdint>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/ryser/cpu/minors_kernel.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount::minors_kernel {

// A matrix as the kernels hold it.
struct Matrix {
  int rows = 0;                // at most max_rows
  int components = 1;          // doubles of a number
  std::vector<double> value;   // [row][column][component]
  std::vector<double> floor;   // by row; empty for residues
  std::vector<int> group_end;  // of residues
  double prime = 0;            // of residues
  bool is_reduced = false;     // of residues: the values are, balanced
};
// A diagonal of ones below and to the right of it, so that it has as many rows as a walk needs: the permanent stays,
// and so do the minors.
void enlarge(Matrix& matrix);
constexpr int least_rows = 7;

// Returns a plan with the rows and columns in their order, for scaling and progress, which ask for no more.
RyserPlan plain_plan(Vertex n);

// Real or complex entries, each row over a power of two and rounded so that its signed sums are exact; enlarged. The
// permanent is 2^exponent times that of the matrix.
struct ScaledMatrix {
  Matrix matrix;
  std::vector<int> row_shift;  // by row
  std::int64_t exponent = 0;
  double perturbation = 0;  // prod (1 + e_i) - 1, of the errors e_i of row sums relative to the floors (minors.cpp)
};
template <class Entry>
ScaledMatrix scaled_matrix(const Block<Entry>& block, bool double_double);

// Sums over chunks: DoubleDouble, ComplexDoubleDouble, or std::int64_t for balanced residues that are not reduced
// again.
template <class Number>
struct SignSums {
  std::vector<Number> minor;  // [(i - first_row) * rows + j]: of the products without row i, with the sign of column j
  Number total{};             // of those of all rows
  double magnitude = 0;       // of the products of max(|row sum|, floor)
  double largest_minor = 0;   // of the same without the least factor of each

  auto fields() { return std::tie(minor, total, magnitude, largest_minor); }
  void add(const SignSums& later) {
    for (std::size_t i = 0; i < minor.size(); ++i) minor[i] += later.minor[i];
    total += later.total;
    magnitude += later.magnitude;
    largest_minor += later.largest_minor;
  }
};

class BuiltProgram {
 public:
  // Requires an enlarged matrix. Rows from first_row on are left out in turn. Of more than 11 rows at least
  // 2^least_chunk_bits chunks are made.
  BuiltProgram(Matrix matrix, int first_row, int least_chunk_bits = 5);
  BuiltProgram(const BuiltProgram&) = delete;
  BuiltProgram& operator=(const BuiltProgram&) = delete;

  const Program& program() const { return program_; }
  int num_bits() const { return num_bits_; }
  bool is_reduced() const { return matrix_.is_reduced; }
  std::uint64_t num_chunks() const { return std::uint64_t{1} << (num_bits_ - 3 - program_.walk_bits); }
  std::size_t num_minors() const;
  // Bounds the error of a sum of products, relative to that of their magnitudes, by roundings and by the entries' own
  // errors.
  double relative_error(double perturbation, bool double_double, bool is_complex) const;

  // Returns the sums over a chunk, all signs applied. A pure function of its arguments.
  template <class Number>
  SignSums<Number> sum_chunk(ChunkKernel kernel, std::uint64_t chunk) const;

 private:
  // Returns the row sums at a chunk's first sign vector, all walked signs -1.
  std::vector<double> start(std::uint64_t chunk) const;
  // Returns the sign of a column beyond the walked ones.
  bool is_on(int bit, std::uint64_t chunk, std::size_t lane) const;

  Matrix matrix_;
  Program program_;
  int num_bits_;
  std::vector<double> flip_, base_;
};

}  // namespace matchcount::minors_kernel
