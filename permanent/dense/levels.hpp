#pragma once
// Lays out the levels of an expansion over vertices: blocks of eight sums, by component, and the weights that kernels
// read. Private to the room, and to derivatives, which walk the same levels back.

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/cpu/dispatch.hpp"
#include "core/numbers/pair.hpp"
#include "permanent/dense/expansion.hpp"

namespace matchcount::dense {

using expansion_kernel::max_digits;
using expansion_kernel::num_lanes;

// A walk has some dozens of places where threads wait for each other, and where others use the machine too a wait is as
// long as a turn of theirs: below some milliseconds of work one thread is faster.
constexpr std::uint64_t blocks_worth_threads = 1 << 17;
constexpr std::uint64_t chunk_blocks = 1 << 10;

using Binomials = std::array<std::uint64_t[max_digits + 1], max_digits + 1>;
const Binomials& binomials();

// Layout says how a number stands in the lanes, and which kernels are for it.
template <class T>
struct Layout {
  static constexpr std::size_t components = 1;
  static void put(double* to, T value, std::size_t) { *to = std::bit_cast<double>(value); }
  static T get(const double* from, std::size_t) { return std::bit_cast<T>(*from); }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    if constexpr (std::is_same_v<T, double>) {
      return kernels.real;
    } else {
      return kernels.word;
    }
  }
};
template <>
struct Layout<std::complex<double>> {
  static constexpr std::size_t components = 2;
  static void put(double* to, std::complex<double> value, std::size_t stride) {
    to[0] = value.real();
    to[stride] = value.imag();
  }
  static std::complex<double> get(const double* from, std::size_t stride) { return {from[0], from[stride]}; }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    return kernels.complex;
  }
};
template <>
struct Layout<ComplexDoubleDouble> {
  static constexpr std::size_t components = 4;
  static void put(double* to, ComplexDoubleDouble value, std::size_t stride) {
    to[0] = value.re.hi;
    to[stride] = value.re.lo;
    to[2 * stride] = value.im.hi;
    to[3 * stride] = value.im.lo;
  }
  static ComplexDoubleDouble get(const double* from, std::size_t stride) {
    return {DoubleDouble(from[0], from[stride]), DoubleDouble(from[2 * stride], from[3 * stride])};
  }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    return kernels.extended;
  }
};
template <class T>
constexpr std::size_t block_doubles = Layout<T>::components* num_lanes;

template <class T>
const expansion_kernel::Arithmetic& arithmetic_for(const RunContext& run) {
  return Layout<T>::arithmetic(kernels_for<expansion_kernel::Kernels>(run.options().max_isa));
}

// Sums many numbers of any sign without losing what two doubles hold.
template <class T>
struct Total {
  T sum{};
  void add(T value) { sum += value; }
  T result() const { return sum; }
};
template <>
struct Total<double> {
  DoubleDouble sum;
  void add(double value) { sum = sum + DoubleDouble(value); }
  double result() const { return sum.hi; }
};
template <>
struct Total<std::complex<double>> {
  Total<double> re, im;
  void add(std::complex<double> value) {
    re.add(value.real());
    im.add(value.imag());
  }
  std::complex<double> result() const { return {re.result(), im.result()}; }
};

// Names weights by bit of a set's number. The last vertex has none if there are no loops: it is in a set of an odd
// number of others if vertices are to be matched among themselves. The highest bit is the first vertex.
template <class T>
struct VertexShape::Weights {
  const T* entries;
  std::size_t n;
  int bits;
  bool loops;

  std::size_t place_of(int a, int b) const { return vertex(a) * n + vertex(b); }
  std::size_t place_of_staying(int a) const { return vertex(a) * n + (loops ? vertex(a) : n - 1); }
  bool may_stay(int members) const { return loops || members % 2 == 0; }
  T between(int a, int b) const { return entries[place_of(a, b)]; }
  // Returns the factor if vertex a leaves the set below as it is: a loop, or the last vertex.
  T staying(int a, int members) const { return may_stay(members) ? entries[place_of_staying(a)] : T(0); }

 private:
  std::size_t vertex(int bit) const { return static_cast<std::size_t>(bits - 1 - bit); }
};

// Names blocks of a level which a thread makes at once.
struct VertexShape::Chunk {
  std::size_t members;
  std::uint64_t begin, count;
};

// Finds the sums for the first eight sets, lane by lane.
template <class T, class Weights>
void sum_first_sets(const Weights& weights, T* value) {
  value[0] = T(1);
  for (unsigned set = 1; set < num_lanes; ++set) {
    const int top = std::bit_width(set) - 1;
    const unsigned below = set ^ (1u << top);
    value[set] = weights.staying(top, std::popcount(below)) * value[below];
    for (int j = 0; j < top; ++j) {
      if (below >> j & 1) value[set] += weights.between(top, j) * value[below ^ (1u << j)];
    }
  }
}

// Writes a vertex's weights by place and lane. On the way back lanes come from those with one bit more.
template <class T, class Weights>
void fill_vertex_tables(const Weights& weights, int top, bool back, Scratch& scratch) {
  constexpr std::size_t components = Layout<T>::components;
  double* const step = scratch.step.zeros(static_cast<std::size_t>(top) * components);
  double* to = scratch.close.zeros(2 * 4 * block_doubles<T>);
  for (int bit = 3; bit < top; ++bit)
    Layout<T>::put(step + static_cast<std::size_t>(bit - 3) * components, weights.between(top, bit), 1);
  for (int parity = 0; parity < 2; ++parity) {
    for (int lane = 0; lane < num_lanes; ++lane)
      Layout<T>::put(to + lane, weights.staying(top, top + parity + std::popcount(static_cast<unsigned>(lane))),
                     num_lanes);
    for (int j = 0; j < 3; ++j) {
      to += block_doubles<T>;
      for (int lane = 0; lane < num_lanes; ++lane)
        if (((lane >> j & 1) != 0) != back) Layout<T>::put(to + lane, weights.between(top, j), num_lanes);
    }
    to += block_doubles<T>;
  }
}

// Describes a vertex that is matched, so that so many places are left for the members of a block.
template <class T>
expansion_kernel::Vertex vertex_of(std::size_t places, std::size_t members, const Scratch& scratch) {
  return {static_cast<int>(places), static_cast<int>(members), scratch.step.data(),
          scratch.close.data() + members % 2 * 4 * block_doubles<T>, binomials().data()};
}

// Returns the sum of the last level, which is one block, of the sets of the last three vertices that are matched
// already.
template <class T>
T sum_of_last(const double* last, const T* first_sets) {
  Total<T> total;
  for (int lane = 0; lane < num_lanes; ++lane)
    total.add(Layout<T>::get(last + lane, num_lanes) * first_sets[num_lanes - 1 - lane]);
  return total.result();
}

}  // namespace matchcount::dense
