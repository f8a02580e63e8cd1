// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// A block first gathers what comes from other blocks, a vector a digit. What goes on between its own lanes is a lower
// triangular matrix of eight rows: lanes are broadcast one by one, which takes as many operations as shuffles would for
// three bits, and serves any radix.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/expansion_kernel.hpp"

namespace matchcount::expansion_kernel::MATCHCOUNT_ISA {
namespace {

using simd::Reals;
using simd::width;
using simd::Words;
using error_free::multiply_add;

constexpr int parts = num_lanes / width;

struct Real {
  using Vector = Reals;
  static constexpr int components = 1;
  static MATCHCOUNT_INLINE Vector broadcast(double value) { return simd::broadcast(value); }
  static MATCHCOUNT_INLINE double one() { return 1; }
  static MATCHCOUNT_INLINE void accumulate(Vector* sum, const Vector* a, const Vector* b) {
    sum[0] = multiply_add(a[0], b[0], sum[0]);
  }
};

struct Complex : Real {
  static constexpr int components = 2;
  static MATCHCOUNT_INLINE void accumulate(Vector* sum, const Vector* a, const Vector* b) {
    sum[0] = multiply_add(a[0], b[0], multiply_add(-a[1], b[1], sum[0]));
    sum[1] = multiply_add(a[0], b[1], multiply_add(a[1], b[0], sum[1]));
  }
};

// Integers modulo 2^64, their bits in the place of a double's.
struct Word {
  using Vector = Words;
  static constexpr int components = 1;
  static MATCHCOUNT_INLINE Vector broadcast(double value) {
    return simd::broadcast_word(__builtin_bit_cast(std::uint64_t, value));
  }
  static MATCHCOUNT_INLINE double one() { return __builtin_bit_cast(double, std::uint64_t{1}); }
  static MATCHCOUNT_INLINE void accumulate(Vector* sum, const Vector* a, const Vector* b) { sum[0] += a[0] * b[0]; }
};

template <class Number>
struct Block {
  static constexpr int components = Number::components;
  static constexpr int doubles = components * num_lanes;
  using Vector = typename Number::Vector;
  Vector value[parts][components];

  MATCHCOUNT_INLINE void clear() {
    for (int part = 0; part < parts; ++part) {
      for (int c = 0; c < components; ++c) value[part][c] = Vector{};
    }
  }
  static MATCHCOUNT_INLINE void load(Vector* to, const double* from, int part) {
    for (int c = 0; c < components; ++c) to[c] = simd::load<Vector>(from + c * num_lanes + part * width);
  }
  MATCHCOUNT_INLINE void store(double* to) const {
    for (int part = 0; part < parts; ++part) {
      for (int c = 0; c < components; ++c) simd::store(to + c * num_lanes + part * width, value[part][c]);
    }
  }
  // Lane by lane.
  MATCHCOUNT_INLINE void add_products(const double* a, const double* b) {
    for (int part = 0; part < parts; ++part) {
      Vector left[components], right[components];
      load(left, a, part);
      load(right, b, part);
      Number::accumulate(value[part], left, right);
    }
  }
  // The same number, by component `stride` apart, times every lane of b.
  MATCHCOUNT_INLINE void add_multiple(const double* number, int stride, const double* b) {
    Vector factor[components];
    for (int c = 0; c < components; ++c) factor[c] = Number::broadcast(number[c * stride]);
    for (int part = 0; part < parts; ++part) {
      Vector right[components];
      load(right, b, part);
      Number::accumulate(value[part], factor, right);
    }
  }
  // Sums over so many lanes of a block, each times a row of a matrix; in two sums, since a block mostly waits for the one
  // before.
  MATCHCOUNT_INLINE void add_matrix(const double* from, const double* matrix, int lanes) {
    Block odd;
    odd.clear();
    int lane = 0;
    for (; lane + 1 < lanes; lane += 2) {
      add_multiple(from + lane, num_lanes, matrix + lane * doubles);
      odd.add_multiple(from + lane + 1, num_lanes, matrix + (lane + 1) * doubles);
    }
    if (lane < lanes) add_multiple(from + lane, num_lanes, matrix + lane * doubles);
    for (int part = 0; part < parts; ++part) {
      for (int c = 0; c < components; ++c) value[part][c] += odd.value[part][c];
    }
  }
};

// A program is kept in fields of its own: a store of a state might change it otherwise, for all that the compiler knows.
template <class Number>
void expand(const Columns& given, double* states, std::uint64_t first, std::uint64_t count) {
  constexpr int doubles = Block<Number>::doubles;
  const Columns columns = given;
  std::uint32_t digits[max_digits];
  std::uint64_t sum_of_digits = 0, nonzero = 0;
  for (int j = 0; j < columns.num_digits; ++j) {
    digits[j] = static_cast<std::uint32_t>(first / columns.stride[j] % columns.radix[j]);
    sum_of_digits += digits[j];
    nonzero |= std::uint64_t{digits[j] != 0} << j;
  }
  alignas(64) double gathered[doubles];
  for (std::uint64_t block = first; block < first + count; ++block) {
    double* const here = states + block * doubles;
    const double* const step = columns.step + sum_of_digits * static_cast<std::uint64_t>(columns.num_digits) * doubles;
    const double* const close = columns.close + sum_of_digits * static_cast<std::uint64_t>(columns.lanes) * doubles;
    Block<Number> sum;
    sum.clear();
    for (std::uint64_t left = nonzero; left != 0; left &= left - 1) {
      const int j = __builtin_ctzll(left);
      sum.add_products(here - columns.stride[j] * doubles, step + j * doubles);
    }
    sum.store(gathered);
    if (block == 0) gathered[0] = Number::one();
    sum.clear();
    sum.add_matrix(gathered, close, columns.lanes);
    sum.store(here);
    for (int j = 0; j < columns.num_digits; ++j) {
      if (++digits[j] < columns.radix[j]) {
        ++sum_of_digits;
        nonzero |= std::uint64_t{1} << j;
        break;
      }
      sum_of_digits -= digits[j] - 1;
      digits[j] = 0;
      nonzero &= ~(std::uint64_t{1} << j);
    }
  }
}

template <class Number>
void extend(const Vertices& given, double* states, std::uint64_t first, std::uint64_t count) {
  constexpr int components = Block<Number>::components;
  constexpr int doubles = Block<Number>::doubles;
  const Vertices vertices = given;
  double* const above = states + (std::uint64_t{1} << vertices.bits) * doubles;
  for (std::uint64_t block = first; block < first + count; ++block) {
    const double* const here = states + block * doubles;
    const double* const close =
        vertices.close + static_cast<std::uint64_t>(__builtin_parityll(block)) * num_lanes * doubles;
    Block<Number> sum;
    sum.clear();
    for (std::uint64_t left = block; left != 0; left &= left - 1) {
      const int j = __builtin_ctzll(left);
      sum.add_multiple(vertices.weight + j * components, 1, here - (std::uint64_t{1} << j) * doubles);
    }
    sum.add_matrix(here, close, num_lanes);
    sum.store(above + block * doubles);
  }
}

}  // namespace

extern const Kernels table;
const Kernels table = {{expand<Real>, extend<Real>}, {expand<Complex>, extend<Complex>}, {expand<Word>, extend<Word>}};

}  // namespace matchcount::expansion_kernel::MATCHCOUNT_ISA
