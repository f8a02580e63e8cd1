// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// A block first gathers what comes from other blocks, a vector a digit. What goes on between its own lanes is a lower
// triangular matrix of eight rows: lanes are broadcast one by one, which takes as many operations as shuffles would for
// three bits, and serves any radix.

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "permanent/dense/cpu/expansion_kernel.hpp"

namespace matchcount::expansion_kernel {
namespace {

using lane::multiply_add;
using simd::Reals;
using simd::width;
using simd::Words;

constexpr int parts = num_lanes / width;

// Real and complex numbers, and complex double-doubles: real high and low, imaginary high and low.
template <class Value>
struct Floating {
  using Vector = Reals;
  static constexpr int components = simd::components_of<Value>;
  static MATCHCOUNT_INLINE Vector broadcast(double value) { return simd::broadcast(value); }
  static MATCHCOUNT_INLINE double one() { return 1; }
  static MATCHCOUNT_INLINE void accumulate(Vector* sum, const Vector* a, const Vector* b) {
    put(sum, multiply_add(at(a), at(b), at(sum)));
  }
  static MATCHCOUNT_INLINE void add(Vector* sum, const Vector* a) { put(sum, lane::quick_sum(at(sum), at(a))); }

 private:
  static MATCHCOUNT_INLINE Value at(const Vector* parts) {
    return simd::value_of<Value>([&](int c) __attribute__((always_inline)) { return parts[c]; });
  }
  static MATCHCOUNT_INLINE void put(Vector* parts, const Value& value) {
    for (int c = 0; c < components; ++c) parts[c] = simd::component_of(value, c);
  }
};
using Real = Floating<Reals>;
using Complex = Floating<lane::Complex<Reals>>;
using Extended = Floating<lane::Complex<lane::Pair<Reals>>>;

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
  // Adds what lanes of a block have, and what those with one bit less have, each times its own factor.
  MATCHCOUNT_INLINE void add_within(const double* from, const double* within) {
    add_products(from, within);
    for (int j = 0; j < 3; ++j) add_products(from - (1 << j), within + (1 + j) * doubles);
  }
  // Sums over so many lanes of a block, each times a row of a matrix; in two sums, since a block mostly waits for the
  // one before.
  MATCHCOUNT_INLINE void add_matrix(const double* from, const double* matrix, int lanes) {
    Block odd;
    odd.clear();
    int lane = 0;
    for (; lane + 1 < lanes; lane += 2) {
      add_multiple(from + lane, num_lanes, matrix + lane * doubles);
      odd.add_multiple(from + lane + 1, num_lanes, matrix + (lane + 1) * doubles);
    }
    if (lane < lanes) add_multiple(from + lane, num_lanes, matrix + lane * doubles);
    add(odd);
  }
  MATCHCOUNT_INLINE void add(const Block& other) {
    for (int part = 0; part < parts; ++part) Number::add(value[part], other.value[part]);
  }
  MATCHCOUNT_INLINE void add(const double* from) {
    Block other;
    for (int part = 0; part < parts; ++part) load(other.value[part], from, part);
    add(other);
  }
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

// The places p_0 < p_1 < ... of a block's members, of which the lowest is told apart: blocks that differ in it alone
// make a run, from 0 up to p_1.
struct Places {
  int place[max_digits + 1];

  MATCHCOUNT_INLINE void set(const Vertex& vertex, std::uint64_t block) {
    for (int j = vertex.members; j-- > 0;) {
      place[j] = j;
      while (vertex.choose[place[j] + 1][j + 1] <= block) ++place[j];
      block -= vertex.choose[place[j]][j + 1];
    }
    place[vertex.members] = vertex.places;
  }
  // Returns which of them is one further in the next run; those below are the lowest again.
  MATCHCOUNT_INLINE int advance(int members) {
    int j = 1;
    for (place[0] = 0; j < members && place[j] + 1 == place[j + 1]; ++j) place[j] = j;
    ++place[j];
    return j;
  }
  // Returns where the run ends, or its first so many blocks.
  MATCHCOUNT_INLINE int end_of_run(int members, std::uint64_t blocks) const {
    const int lowest = members > 0 ? place[0] : 0, end = members > 0 ? place[1] : 1;
    return static_cast<std::uint64_t>(end - lowest) < blocks ? end : lowest + static_cast<int>(blocks);
  }
};

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

// Finds of each place that is in no block of a run, those before its end apart, how far behind a block the one with
// that place as well stands among those of one member more. With k members below place j this is C(j, k + 1) and, for
// each member above, what it adds to the number of a block as the next one. So the next run changes the lowest alone.
struct Absent {
  int place[max_digits];
  std::uint64_t ahead[max_digits];
  int count[max_digits + 1] = {};                 // by k: places that have so many members below, or more
  std::uint64_t of_members[max_digits + 1] = {};  // by k: what the members above add

  // Adds those with k members below, from..end - 1, member k at `end`; those with more are known.
  MATCHCOUNT_INLINE void add(const Vertex& vertex, int k, int from, int end) {
    const bool topmost = k == vertex.members;
    int number = topmost ? 0 : count[k + 1];
    of_members[k] = topmost ? 0 : of_members[k + 1] + vertex.choose[end][k + 2] - vertex.choose[end][k + 1];
    for (int j = end; j-- > from;) {
      place[number] = j;
      ahead[number++] = of_members[k] + vertex.choose[j][k + 1];
    }
    count[k] = number;
  }
};

// Adds to each of so many sums a block times the factor, and to what that factor gains these blocks times those that
// they meet.
template <class Number, int size>
MATCHCOUNT_INLINE void take(Block<Number>* sum, const Block<Number>* met, const Block<Number>& factor,
                            const double* const* from, double* gain) {
  constexpr int components = Block<Number>::components;
  for (int part = 0; part < parts; ++part) {
    typename Number::Vector gained[components];
    Block<Number>::load(gained, gain, part);
    for (int i = 0; i < size; ++i) {
      typename Number::Vector block[components];
      Block<Number>::load(block, from[i], part);
      Number::accumulate(sum[i].value[part], factor.value[part], block);
      Number::accumulate(gained, met[i].value[part], block);
    }
    for (int c = 0; c < components; ++c) simd::store(gain + c * num_lanes + part * width, gained[c]);
  }
}

template <class Number>
MATCHCOUNT_INLINE Block<Number> number_at(const double* number) {
  Block<Number> result;
  for (int part = 0; part < parts; ++part) {
    for (int c = 0; c < Block<Number>::components; ++c) result.value[part][c] = Number::broadcast(number[c]);
  }
  return result;
}

constexpr int ways_within = 4;

// Makes blocks of a run, from a lowest member on.
template <class Number, int size>
MATCHCOUNT_INLINE void give_back_blocks(const Returning& returning, const Absent& absent, int lowest, int end,
                                        std::uint64_t block, double* to, double* gains) {
  constexpr int components = Block<Number>::components;
  constexpr int doubles = Block<Number>::doubles;
  const Vertex& vertex = returning.vertex;
  Block<Number> sum[size], met[size];
  const double* from[size];
  for (int i = 0; i < size; ++i) {
    sum[i].clear();
    for (int part = 0; part < parts; ++part)
      Block<Number>::load(met[i].value[part], returning.met + (block + static_cast<std::uint64_t>(i)) * doubles, part);
  }
  const auto take_place = [&](int j) {
    take<Number, size>(sum, met, number_at<Number>(vertex.weight + j * components), from,
                       gains + (ways_within + j) * doubles);
  };
  // Two members below p_1 are at C(higher, 2) + lower.
  const int known = vertex.members > 0;
  const double* const run =
      returning.more + (block - static_cast<std::uint64_t>(lowest) + absent.of_members[known]) * doubles;
  for (int j = 0; j < lowest; ++j) {
    for (int i = 0; i < size; ++i)
      from[i] = run + (vertex.choose[lowest + i][2] + static_cast<std::uint64_t>(j)) * doubles;
    take_place(j);
  }
  for (int i = 1; i < size; ++i) {
    for (int j = 0; j < i; ++j) {
      from[0] = run + (vertex.choose[lowest + i][2] + static_cast<std::uint64_t>(lowest + j)) * doubles;
      take<Number, 1>(sum + j, met + j, number_at<Number>(vertex.weight + (lowest + i) * components), from,
                      gains + (ways_within + lowest + i) * doubles);
      take<Number, 1>(sum + i, met + i, number_at<Number>(vertex.weight + (lowest + j) * components), from,
                      gains + (ways_within + lowest + j) * doubles);
    }
  }
  for (int j = lowest + size; j < end; ++j) {
    for (int i = 0; i < size; ++i)
      from[i] = run + (vertex.choose[j][2] + static_cast<std::uint64_t>(lowest + i)) * doubles;
    take_place(j);
  }
  for (int k = 0; k < absent.count[known]; ++k) {
    for (int i = 0; i < size; ++i)
      from[i] = returning.more + (block + static_cast<std::uint64_t>(i) + absent.ahead[k]) * doubles;
    take_place(absent.place[k]);
  }
  for (int way = 0; way < ways_within; ++way) {
    Block<Number> factor;
    for (int part = 0; part < parts; ++part)
      Block<Number>::load(factor.value[part], vertex.within + way * doubles, part);
    for (int i = 0; i < size; ++i)
      from[i] = returning.same + (block + static_cast<std::uint64_t>(i)) * doubles + (1 << way >> 1);
    take<Number, size>(sum, met, factor, from, gains + way * doubles);
  }
  for (int i = 0; i < size; ++i) sum[i].store(to + (block + static_cast<std::uint64_t>(i)) * doubles);
}

// Adds up what factors gain in two sums by turns, since each mostly waits for the one before.
template <class Number>
void give_back(const Returning& given, double* to, std::uint64_t first, std::uint64_t count) {
  constexpr int doubles = Block<Number>::doubles;
  const Returning returning = given;
  const Vertex& vertex = returning.vertex;
  const int members = vertex.members, used = (ways_within + vertex.places) * doubles;
  alignas(64) double gains[2][(ways_within + max_digits) * doubles];
  for (int i = 0; i < used; ++i) gains[0][i] = gains[1][i] = 0;
  Places places;
  places.set(vertex, first);
  Absent absent;
  const auto add_absent = [&](int k) {
    for (; k > 0; --k) absent.add(vertex, k, k > 1 ? places.place[k - 1] + 1 : places.place[1], places.place[k]);
  };
  if (members == 0) absent.add(vertex, 0, 0, vertex.places);
  add_absent(members);
  double* gain = gains[0];
  for (std::uint64_t block = first;;) {
    int lowest = members > 0 ? places.place[0] : 0;
    const int run = members > 0 ? places.place[1] : 1, end = places.end_of_run(members, first + count - block);
    while (lowest < end) {
      const int size = end - lowest >= 4 ? 4 : end - lowest >= 2 ? 2 : 1;
      if (size == 4) {
        give_back_blocks<Number, 4>(returning, absent, lowest, run, block, to, gain);
      } else if (size == 2) {
        give_back_blocks<Number, 2>(returning, absent, lowest, run, block, to, gain);
      } else {
        give_back_blocks<Number, 1>(returning, absent, lowest, run, block, to, gain);
      }
      lowest += size;
      block += static_cast<std::uint64_t>(size);
      gain = gain == gains[0] ? gains[1] : gains[0];
    }
    if (block == first + count) break;
    const int moved = places.advance(members);
    --absent.count[moved + 1];  // where it is now
    add_absent(moved);
  }
  for (int i = 0; i < used; i += width) {
    const Reals sum = simd::load<Reals>(gains[0] + i) + simd::load<Reals>(gains[1] + i);
    simd::store(returning.derivatives + i, simd::load<Reals>(returning.derivatives + i) + sum);
  }
}

}  // namespace

const Kernels Kernels::MATCHCOUNT_ISA = {{expand<Real>, leave<Real>, give_back<Real>},
                                         {expand<Complex>, leave<Complex>, give_back<Complex>},
                                         {expand<Extended>, nullptr, nullptr},
                                         {expand<Word>, leave<Word>, nullptr}};

}  // namespace matchcount::expansion_kernel
