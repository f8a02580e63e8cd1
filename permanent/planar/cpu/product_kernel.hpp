#pragma once
// Multiplies matrices: of residues modulo a prime below 2^25, held as doubles of least absolute value; of
// double-doubles; and of doubles, which are bounds. Replays an elimination program modulo a batch of primes, one a
// vector lane.

#include <cstddef>
#include <cstdint>

#include "permanent/planar/cpu/elimination_front.hpp"

namespace matchcount {

// Holds the state of a replay. All numbers are residues in Montgomery's form, x 2^32 modulo p, that of lane l of entry
// i at [i * lanes + l], and arrays of them are aligned to 64 bytes.
struct EliminationReplay {
  const EliminationFront* fronts;
  const EliminationChild* children;
  const std::uint32_t* maps;
  const EliminationEntry* entries;
  bool skew;

  const std::uint32_t* primes;          // 2^29 < p < 2^30, odd
  const std::uint32_t* minus_inverses;  // -1/p modulo 2^32
  const std::uint32_t* ones;            // 2^32 modulo p
  const std::uint32_t* values;          // of the program's values
  std::uint32_t* arena;                 // peak_entries of the program
  std::size_t held = 0;                 // entries of the arena that earlier fronts left
  std::uint32_t* product;               // of the pivots so far: one entry
};

// The numbers that a program's values are: value i is parts[i], or parts[2 i] + sqrt(-1) parts[2 i + 1].
struct EliminationNumbers {
  const EliminationPart* parts;
  std::size_t num_values;
  const std::uint32_t* words;
  std::size_t most_words;  // of a part
  bool complex;
};

struct EliminationKernel {
  std::size_t lanes;
  // Writes values of a replay, whose primes, minus_inverses and ones are read. roots: of -1, read where numbers are
  // complex; powers: room for max(most_words, 1) entries.
  void (*reduce)(const EliminationNumbers& numbers, const EliminationReplay& replay, const std::uint32_t* roots,
                 std::uint32_t* powers, std::uint32_t* values);
  // Runs the next num_fronts fronts and moves the pointers on. A lane whose product is 0 met a pivot that its prime
  // divides: nothing that it holds means anything.
  void (*run)(EliminationReplay& replay, std::size_t num_fronts);
  static const EliminationKernel baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

// Row r of a matrix begins at data + r * stride.
struct ResidueMatrix {
  double* data;
  std::size_t stride;
};
struct ConstResidueMatrix {
  const double* data;
  std::size_t stride;
};

// The same of double-doubles, high and low parts each in a plane of their own.
struct DoubledMatrix {
  double *high, *low;
  std::size_t stride;
};
struct ConstDoubledMatrix {
  const double *high, *low;
  std::size_t stride;
};

struct ProductKernel {
  // c -= a b, c being rows x columns and a rows x inner. All residues are within 0.51 prime, and the results are.
  void (*subtract_product)(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows,
                           std::size_t inner, std::size_t columns, double prime, double inverse_of_prime);
  // c -= a b. An entry errs by at most doubled_product_error(inner) times the sum of |c| and of all |a| |b|.
  void (*subtract_doubled)(DoubledMatrix c, ConstDoubledMatrix a, ConstDoubledMatrix b, std::size_t rows,
                           std::size_t inner, std::size_t columns);
  // c += a b of doubles that are not negative: less than the truth by at most 2^-52 (inner + 1) of it.
  void (*add)(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
              std::size_t columns);
  static const ProductKernel baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

// Each low part is less than (inner + 3) 2^-53 times the sum of magnitudes, and is made by as many roundings.
constexpr double doubled_product_error(std::size_t inner) {
  const double terms = static_cast<double>(inner) + 5;
  return terms * terms * 0x1p-106;
}

}  // namespace matchcount
