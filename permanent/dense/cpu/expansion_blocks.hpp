#pragma once
// Has blocks of eight sums in vectors, for one instruction set, and the places of a block's members. All of it is local
// to the file that includes it (matchcount_isa_sources, cmake/MatchcountModule.cmake).

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

// Floating stands for real and complex numbers, and complex double-doubles: real high and low, imaginary high and low.
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
  static MATCHCOUNT_INLINE Value at(const Vector* from) {
    return simd::value_of<Value>([&](int c) __attribute__((always_inline)) { return from[c]; });
  }
  static MATCHCOUNT_INLINE void put(Vector* to, const Value& value) {
    for (int c = 0; c < components; ++c) to[c] = simd::component_of(value, c);
  }
};
using Real = Floating<Reals>;
using Complex = Floating<lane::Complex<Reals>>;
using Extended = Floating<lane::Complex<lane::Pair<Reals>>>;

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

// Places has the places p_0 < p_1 < ... of a block's members, of which the lowest is told apart: blocks that differ in
// it alone make a run, from 0 up to p_1.
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

}  // namespace
}  // namespace matchcount::expansion_kernel
