// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// A block first gathers what comes from other blocks, a vector a digit. What goes on between its own lanes is a lower
// triangular matrix of eight rows: lanes are broadcast one by one, which takes as many operations as shuffles would for
// three bits, and serves any radix.

#include "permanent/dense/cpu/expansion_blocks.hpp"

namespace matchcount::expansion_kernel {
namespace {

// Integers modulo 2^64, their bits in the place of a double's.
struct Word {
  using Vector = Words;
  static constexpr int components = 1;
  static MATCHCOUNT_INLINE Vector broadcast(double value) {
    return simd::broadcast_word(__builtin_bit_cast(std::uint64_t, value));
  }
  static MATCHCOUNT_INLINE double one() { return __builtin_bit_cast(double, std::uint64_t{1}); }
  static MATCHCOUNT_INLINE void accumulate(Vector* sum, const Vector* a, const Vector* b) { sum[0] += a[0] * b[0]; }
  static MATCHCOUNT_INLINE void add(Vector* sum, const Vector* a) { sum[0] += a[0]; }
};

// The position in the mixed radix of the digits behind those of a group.
struct Counter {
  std::uint32_t digits[max_digits];
  std::uint64_t sum = 0, nonzero = 0;

  MATCHCOUNT_INLINE void set(const Columns& columns, std::uint64_t block, int skipped) {
    for (int j = skipped; j < columns.num_digits; ++j) {
      digits[j] = static_cast<std::uint32_t>(block / columns.stride[j] % columns.radix[j]);
      sum += digits[j];
      nonzero |= std::uint64_t{digits[j] != 0} << j;
    }
  }
  MATCHCOUNT_INLINE void advance(const Columns& columns, int skipped) {
    for (int j = skipped; j < columns.num_digits; ++j) {
      if (++digits[j] < columns.radix[j]) {
        ++sum;
        nonzero |= std::uint64_t{1} << j;
        return;
      }
      sum -= digits[j] - 1;
      digits[j] = 0;
      nonzero &= ~(std::uint64_t{1} << j);
    }
  }
};

// Blocks are taken in groups: those that differ in their first digit alone, or the first two. The loop over the other
// digits, whose end a processor can't foresee, then is one for all of them.
template <class Number, int first_radix, int second_radix>
MATCHCOUNT_INLINE void expand_groups(const Columns& columns, double* states, std::uint64_t first, std::uint64_t count) {
  constexpr int doubles = Block<Number>::doubles;
  constexpr int size = first_radix * second_radix;
  constexpr int skipped = (first_radix > 1) + (second_radix > 1);
  const std::uint64_t step_size = static_cast<std::uint64_t>(columns.num_digits) * doubles;
  const std::uint64_t close_size = static_cast<std::uint64_t>(columns.lanes) * doubles;
  Counter counter;
  counter.set(columns, first, skipped);
  alignas(64) double gathered[doubles];
  for (std::uint64_t block = first; block < first + count; block += size) {
    double* const here = states + block * doubles;
    const double* const step = columns.step + counter.sum * step_size;
    const double* const close = columns.close + counter.sum * close_size;
    Block<Number> sum[size];
    for (int i = 0; i < size; ++i) sum[i].clear();
    for (std::uint64_t left = counter.nonzero; left != 0; left &= left - 1) {
      const int j = __builtin_ctzll(left);
      const double* const from = here - columns.stride[j] * doubles;
      for (int i = 0; i < size; ++i) {
        const int within = i % first_radix + i / first_radix;
        sum[i].add_products(from + i * doubles, step + static_cast<std::uint64_t>(within) * step_size + j * doubles);
      }
    }
    for (int i = 0; i < size; ++i) {
      const int within = i % first_radix + i / first_radix;
      const double* const own = step + static_cast<std::uint64_t>(within) * step_size;
      if (i % first_radix > 0) sum[i].add_products(here + (i - 1) * doubles, own);
      if (i / first_radix > 0) sum[i].add_products(here + (i - first_radix) * doubles, own + doubles);
      sum[i].store(gathered);
      if (block == 0 && i == 0) gathered[0] = Number::one();
      sum[i].clear();
      sum[i].add_matrix(gathered, close + static_cast<std::uint64_t>(within) * close_size, columns.lanes);
      sum[i].store(here + i * doubles);
    }
    counter.advance(columns, skipped);
  }
}

// A program is kept in fields of its own: a store of a state might change it otherwise, for all that the compiler
// knows. Groups begin at multiples of their size, which `first` and `count` are where they are not all blocks.
template <class Number>
void expand(const Columns& given, double* states, std::uint64_t first, std::uint64_t count) {
  const Columns columns = given;
  const std::uint32_t radix = columns.num_digits > 0 ? columns.radix[0] : 1;
  if (columns.num_digits > 1 && radix == 2 && columns.radix[1] == 2 && first % 4 == 0 && count % 4 == 0) {
    expand_groups<Number, 2, 2>(columns, states, first, count);
  } else if (radix == 3 && first % 3 == 0 && count % 3 == 0) {
    expand_groups<Number, 3, 1>(columns, states, first, count);
  } else if (radix == 4 && first % 4 == 0 && count % 4 == 0) {
    expand_groups<Number, 4, 1>(columns, states, first, count);
  } else if (radix == 5 && first % 5 == 0 && count % 5 == 0) {
    expand_groups<Number, 5, 1>(columns, states, first, count);
  } else {
    expand_groups<Number, 1, 1>(columns, states, first, count);
  }
}

// Makes `size` blocks, which differ in their lowest member alone. `from` has for each other member the blocks without
// it, `above` is the block without the lowest.
template <class Number, int size>
MATCHCOUNT_INLINE void leave_blocks(const Leaving& leaving, const int* place, int lowest, const double* const* from,
                                    const double* above, std::uint64_t block, double* to) {
  constexpr int components = Block<Number>::components;
  constexpr int doubles = Block<Number>::doubles;
  Block<Number> sum[size];
  for (int i = 0; i < size; ++i) {
    sum[i].clear();
    if (leaving.vertex.members > 0) sum[i].add_multiple(leaving.vertex.weight + (lowest + i) * components, 1, above);
  }
  for (int j = 1; j < leaving.vertex.members; ++j) {
    for (int i = 0; i < size; ++i)
      sum[i].add_multiple(leaving.vertex.weight + place[j] * components, 1, from[j] + (lowest + i) * doubles);
  }
  for (int i = 0; i < size; ++i) {
    const std::uint64_t at = (block + static_cast<std::uint64_t>(i)) * doubles;
    if (leaving.same) sum[i].add_within(leaving.same + at, leaving.vertex.within);
    if (leaving.matched) sum[i].add(leaving.matched + at);
    sum[i].store(to + at);
  }
}

template <class Number>
void leave(const Leaving& given, double* to, std::uint64_t first, std::uint64_t count) {
  constexpr int doubles = Block<Number>::doubles;
  const Leaving leaving = given;
  const int members = leaving.vertex.members;
  const auto* const choose = leaving.vertex.choose;
  const double* from[max_digits + 1];
  Places places;
  places.set(leaving.vertex, first);
  const int* const place = places.place;
  for (std::uint64_t block = first; block < first + count;) {
    std::uint64_t without = 0;
    for (int j = 2; j < members; ++j) without += choose[place[j]][j];
    for (int j = 1; j < members; ++j) {
      from[j] = leaving.fewer + without * doubles;
      without += choose[place[j]][j + 1];
      if (j + 1 < members) without -= choose[place[j + 1]][j + 1];
    }
    without = 0;
    for (int j = 1; j < members; ++j) without += choose[place[j]][j];
    const double* const above = leaving.fewer + without * doubles;
    int lowest = members > 0 ? place[0] : 0;
    const int end = places.end_of_run(members, first + count - block);
    for (; lowest + 4 <= end; lowest += 4, block += 4)
      leave_blocks<Number, 4>(leaving, place, lowest, from, above, block, to);
    for (; lowest < end; ++lowest, ++block) leave_blocks<Number, 1>(leaving, place, lowest, from, above, block, to);
    places.advance(members);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{expand<Real>, leave<Real>},
                                         {expand<Complex>, leave<Complex>},
                                         {expand<Extended>, nullptr},
                                         {expand<Word>, leave<Word>}};

}  // namespace matchcount::expansion_kernel
