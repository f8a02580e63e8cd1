// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.

#include "permanent/dense/cpu/expansion_blocks.hpp"
#include "photonics/derivatives/cpu/expansion_back_kernel.hpp"

namespace matchcount::expansion_back_kernel {
namespace {

using namespace expansion_kernel;

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

const Kernels Kernels::MATCHCOUNT_ISA = {give_back<Real>, give_back<Complex>};

}  // namespace matchcount::expansion_back_kernel
