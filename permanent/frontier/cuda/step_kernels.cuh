#pragma once
// Makes the states of a new layer of the frontier method: the text of the kernels, which the tests compile for the host
// as well.
//
// It takes from who includes it: u32 and u64; UNROLL; SHARED; dynamic_shared(); high_product(), the upper half of a
// product of 64 or of 32 bits; count_ones() and lowest_one() of 64; bits_of() a double;
// atomicMax() of 64 bits; atomicAdd() of 32; fma(). Nothing is contracted to a fused multiply-add but where it says so.
//
// A block of threads takes some high masks in ascending order. First it finds, for each of them, where its new states
// stand, which choices lead to it, few of many, and from which old states, a thread for every such choice; then a warp
// adds up the states of one high mask after another, which lie side by side, and so do those that each choice reads.
// Old and new states may share an array: nothing is read but by plain loads, and what a launch writes, no block of it
// reads (cpu/in_place.cpp).

#include "permanent/frontier/cpu/planes.hpp"
#include "permanent/frontier/cuda/step_frame.hpp"

constexpr u32 frontier_lanes = 32;
constexpr u32 frontier_place_bits = 48, frontier_choice_bits = 8;  // of a source; its low part stands above these

// A step's tables in shared memory.
struct FrontierTables {
  const FrontierGpuStep& step;
  const u64* binomials;
  const u64* sums;
  const u64* places;
  const FrontierChoice* choices;
  const u64* primes;
  const u64* weights;

  __device__ FrontierTables(const FrontierGpuStep& given, const u64* tables) : step(given), binomials(tables) {
    sums = binomials + step.num_rows * step.binomial_columns;
    places = sums + step.num_sums;
    choices = reinterpret_cast<const FrontierChoice*>(places + step.high_width);
    primes = reinterpret_cast<const u64*>(choices + step.num_choices);
    weights = primes + step.num_primes;
  }
  __device__ u32 num_words() const {
    return static_cast<u32>(weights - binomials) + step.num_numbers * step.num_choices * step.words_of_weight;
  }

  __device__ u64 binomial(u32 n, u32 k) const { return binomials[n * step.binomial_columns + k]; }
  // Masks of n bits with at least `low` and at most `high` ones.
  __device__ u64 masks(u32 n, int low, int high) const {
    if (high < low || high < 0) return 0;
    const int most = static_cast<int>(n);
    const int end = (high < most ? high : most) + 1, begin = low > 0 ? low : 0;
    if (begin >= end) return 0;
    const u64* row = sums + n * (step.high_width + 2);
    return row[end] - row[begin];
  }
  // Returns the valid high mask with this number.
  __device__ u64 high_mask(u64 number) const {
    if (step.by_parity) {
      if (step.target_low > 0) return number;
      return number << 1 | ((count_ones(number) ^ step.target_class) & 1);
    }
    int low = static_cast<int>(step.target_class) - static_cast<int>(step.target_low);
    int high = static_cast<int>(step.target_class);
    u64 mask = 0;
    for (u32 n = step.high_width; n-- > 0;) {
      const u64 without = masks(n, low, high);
      if (number >= without) {
        number -= without;
        mask |= u64{1} << n;
        --low;
        --high;
      }
    }
    return mask;
  }
  // Ones that are left for the low bits below a high mask, or their parity.
  __device__ u32 rest(u32 of_class, u64 high) const {
    const u32 ones = count_ones(high);
    return step.by_parity ? (of_class ^ ones) & 1 : of_class - ones;
  }
  __device__ bool is_class(u32 rest, u32 low) const { return step.by_parity ? low > 0 || rest == 0 : rest <= low; }
  // States with a high mask.
  __device__ u32 length(u32 low, u32 rest) const {
    if (!step.by_parity) return static_cast<u32>(binomial(low, rest));
    return low == 0 ? 1 : 1u << (low - 1);
  }
  // Returns the index of the first of them.
  __device__ u64 first_index(u64 high, u32 low, u32 rest) const {
    if (step.by_parity) return high << low >> 1;
    u64 index = 0;
    u32 ones = rest;
    for (; high != 0; high &= high - 1) index += binomial(low + lowest_one(high), ++ones);
    return index;
  }
  // Returns the index of the first old state that a choice leads from to those of a new high mask, with the choice and
  // its low part; any index where no low mask has a source.
  __device__ u64 source(u64 high, u32 number) const {
    const FrontierChoice& choice = choices[number];
    u64 mapped = 0;
    for (u64 left = high; left != 0; left &= left - 1) mapped |= places[lowest_one(left)];
    const u64 old = (mapped & ~choice.fixed) | choice.value;
    const u32 left = rest(step.source_class, old);
    const u64 place = is_class(left, step.source_low) ? first_index(old, step.source_low, left) : 0;
    return (choice.low_part << frontier_choice_bits | number) << frontier_place_bits | place;
  }
};

// Brings a number below twice the prime below the prime.
inline __device__ u32 frontier_reduced(u32 value, u32 prime) {
  const u32 less = value - prime;
  return less < value ? less : value;
}

// Residues modulo a prime below 2^31, or in 2 bytes below 2^15. A number type has a Value, knows where its old and new
// states stand, and adds.
template <bool weighted, class Slot>
struct FrontierResidues {
  using Value = u32;
  static constexpr u32 states = 8, loads = 8;  // of a lane, at once, at the most

  const Slot* from;
  Slot* to;
  const FrontierWeight* weights;
  u32 prime;

  __device__ FrontierResidues(const FrontierTables& tables, u32 number, u64 target)
      : from(reinterpret_cast<const Slot*>(tables.step.from) + number * tables.step.stride),
        to(reinterpret_cast<Slot*>(tables.step.to) + number * tables.step.stride + target),
        weights(reinterpret_cast<const FrontierWeight*>(tables.weights) + number * tables.step.num_choices),
        prime(static_cast<u32>(tables.primes[number])) {}

  static __device__ Value zero() { return 0; }
  __device__ Value load(u64 place) const { return from[place]; }
  __device__ void store(u32 place, Value value) const { to[place] = static_cast<Slot>(value); }
  __device__ void add(Value& sum, Value state, u32 choice) const {
    if (weighted) {
      // The quotient is at most one too small (Shoup).
      const FrontierWeight weight = weights[choice];
      state = frontier_reduced(weight.factor * state - high_product(weight.quotient, state) * prime, prime);
    }
    sum = frontier_reduced(sum + state, prime);
  }
};

// Doubles: what the number types of cpu/sums.hpp have, in as many planes.
template <class V, u32 states_at_once, u32 loads_at_once>
struct FrontierFloats {
  using Value = V;
  static constexpr u32 states = states_at_once, loads = loads_at_once;

  const double* from;
  double* to;
  const double* weights;
  u64 stride;

  __device__ FrontierFloats(const FrontierTables& tables, u32, u64 target)
      : from(reinterpret_cast<const double*>(tables.step.from)),
        to(reinterpret_cast<double*>(tables.step.to) + target),
        weights(reinterpret_cast<const double*>(tables.weights)),
        stride(tables.step.stride) {}

  static __device__ Value zero() { return {}; }
  __device__ Value load(u64 place) const {
    Value value;
    matchcount::lane::read(value, from + place, stride);
    return value;
  }
  __device__ void store(u32 place, const Value& value) const { matchcount::lane::write(value, to + place, stride); }
  __device__ void add(Value& sum, const Value& state, u32 choice) const {
    Value weight;
    matchcount::lane::read(weight, weights + matchcount::lane::planes_of<V> * choice, u64{1});
    sum = sum + matchcount::lane::weighed(state, weight);
  }
};
using FrontierPair = matchcount::lane::Pair<double>;
using FrontierReals = FrontierFloats<double, 4, 8>;
using FrontierDoubleDoubles = FrontierFloats<FrontierPair, 2, 4>;
using FrontierComplexes = FrontierFloats<matchcount::lane::Complex<double>, 2, 4>;
using FrontierComplexDoubleDoubles = FrontierFloats<matchcount::lane::Complex<FrontierPair>, 1, 2>;

// A new block's states, and of what they are made.
struct FrontierBlock {
  const u64* sources;
  u32 num_sources, length;
  const unsigned short* gather;  // of the first low part
};

// Adds up `count` states of a block for each lane, from place `at` on, the last one again where there are no more. All
// of some sources are asked for before any is added: memory is what this waits for.
template <class Number, bool gathered, u32 count>
inline __device__ void add_states(const Number& number, const FrontierBlock& block, u32 target_low, u32 at) {
  constexpr u32 together = Number::loads / count;
  u32 places[count];
  typename Number::Value sums[count];
  UNROLL
  for (u32 k = 0; k < count; ++k) {
    const u32 place = at + k * frontier_lanes;
    places[k] = place < block.length ? place : block.length - 1;
    sums[k] = Number::zero();
  }
  for (u32 s = 0; s < block.num_sources; s += together) {
    typename Number::Value states[together][count];
    u32 choices[together];
    UNROLL
    for (u32 j = 0; j < together; ++j) {
      const bool is_there = s + j < block.num_sources;
      const u64 source = block.sources[is_there ? s + j : s];
      const u32 ids = static_cast<u32>(source >> frontier_place_bits);
      choices[j] = ids & ((1u << frontier_choice_bits) - 1);
      const u64 run = source & ((u64{1} << frontier_place_bits) - 1);
      UNROLL
      for (u32 k = 0; k < count; ++k) {
        u32 place = places[k];
        bool reads = is_there;
        if (gathered) {
          place = block.gather[(ids >> frontier_choice_bits << target_low) + place];
          reads = reads && place != frontier_no_source;
        }
        states[j][k] = reads ? number.load(run + place) : Number::zero();
      }
    }
    UNROLL
    for (u32 j = 0; j < together; ++j) {
      UNROLL
      for (u32 k = 0; k < count; ++k) number.add(sums[k], states[j][k], choices[j]);
    }
  }
  UNROLL
  for (u32 k = 0; k < count; ++k) {
    if (at + k * frontier_lanes < block.length) number.store(places[k], sums[k]);
  }
}
// Adds up all of them by a warp.
template <class Number, bool gathered>
inline __device__ void add_block(const Number& number, const FrontierBlock& block, u32 target_low) {
  constexpr u32 most = Number::states;
  for (u32 begin = 0; begin < block.length; begin += most * frontier_lanes) {
    const u32 left = block.length - begin, at = begin + threadIdx.x % frontier_lanes;
    if (left > most / 2 * frontier_lanes) {
      add_states<Number, gathered, most>(number, block, target_low, at);
    } else if (most > 2 && left > most / 4 * frontier_lanes) {
      add_states<Number, gathered, (most > 2 ? most / 2 : 1)>(number, block, target_low, at);
    } else if (most > 4 && left > frontier_lanes) {
      add_states<Number, gathered, (most > 4 ? 2 : 1)>(number, block, target_low, at);
    } else {
      add_states<Number, gathered, 1>(number, block, target_low, at);
    }
  }
}

// Threads that share the choices of a high mask.
constexpr u32 frontier_testers = frontier_threads / frontier_highs;

// Shared memory, dynamic: the tables, and the sources of the block's high masks.
template <class Number, bool gathered>
inline __device__ void make_states(const FrontierGpuStep& step) {
  SHARED(u64, highs, frontier_highs);
  SHARED(u64, targets, frontier_highs);
  SHARED(u32, lengths, frontier_highs);
  SHARED(u32, first_sources, frontier_highs);
  SHARED(u32, nums_sources, frontier_threads);  // found by each tester
  SHARED(u32, gathers, frontier_highs);
  SHARED(u32, num_sources, 1);
  u64* const memory = reinterpret_cast<u64*>(dynamic_shared());
  const FrontierTables tables(step, memory);
  u64* const sources = memory + tables.num_words();
  const u64* const given = reinterpret_cast<const u64*>(step.tables);
  for (u32 i = threadIdx.x; i < tables.num_words(); i += frontier_threads) memory[i] = given[i];
  if (threadIdx.x == 0) num_sources[0] = 0;
  __syncthreads();

  const u64 first = step.first_high + u64{blockIdx.x / step.splits} * step.highs;
  for (u32 i = threadIdx.x; i < step.highs; i += frontier_threads) {
    lengths[i] = 0;
    if (first + i >= step.end_high) continue;
    const u64 high = tables.high_mask(first + i);
    const u32 rest = tables.rest(step.target_class, high);
    highs[i] = high;
    targets[i] = tables.first_index(high, step.target_low, rest);
    lengths[i] = tables.length(step.target_low, rest);
    // Classes before this one have all their low masks.
    gathers[i] = 0;
    for (u32 c = 0; c < rest; ++c) gathers[i] += tables.length(step.target_low, c);
  }
  __syncthreads();
  // Visits the choices of this thread's share that lead to its high mask.
  const u32 own = threadIdx.x / frontier_testers, tester = threadIdx.x % frontier_testers;
  const auto for_each_choice = [&](const auto& visit) {
    if (own >= step.highs || lengths[own] == 0) return;
    const u32 share = (step.num_choices + frontier_testers - 1) / frontier_testers, end = share * (tester + 1);
    for (u32 c = share * tester; c < end && c < step.num_choices; ++c) {
      if ((highs[own] & tables.choices[c].test) == tables.choices[c].expect) visit(c);
    }
  };
  u32 found = 0;
  for_each_choice([&](u32) { ++found; });
  nums_sources[threadIdx.x] = found;
  __syncthreads();
  if (tester == 0) {
    u32 all = 0;
    for (u32 i = 0; i < frontier_testers; ++i) all += nums_sources[threadIdx.x + i];
    first_sources[own] = atomicAdd(num_sources, all);
  }
  __syncthreads();
  u32 at = first_sources[own];
  for (u32 i = 0; i < tester; ++i) at += nums_sources[threadIdx.x - tester + i];
  for_each_choice([&](u32 c) { sources[at++] = u64{own} << frontier_choice_bits | c; });
  __syncthreads();
  for (u32 i = threadIdx.x; i < num_sources[0]; i += frontier_threads) {
    const u32 of_high = static_cast<u32>(sources[i] >> frontier_choice_bits);
    sources[i] = tables.source(highs[of_high], static_cast<u32>(sources[i]) & ((1u << frontier_choice_bits) - 1));
  }
  __syncthreads();

  for (u32 i = threadIdx.x / frontier_lanes; i < step.highs; i += frontier_threads / frontier_lanes) {
    u32 num = 0;
    for (u32 j = 0; j < frontier_testers; ++j) num += nums_sources[i * frontier_testers + j];
    const FrontierBlock block{sources + first_sources[i], num, lengths[i],
                              reinterpret_cast<const unsigned short*>(step.gather) + gathers[i]};
    for (u32 number = blockIdx.x % step.splits; number < step.num_numbers; number += step.splits) {
      add_block<Number, gathered>(Number(tables, number, targets[i]), block, step.target_low);
    }
  }
}

// Writes the bits of the largest absolute value of a plane, into `largest`, which is 0 before; those of positive
// doubles stand in the order of their values.
inline __device__ void find_largest(const double* values, u64 count, u64* largest) {
  u64 mine = 0;
  for (u64 i = u64{blockIdx.x} * frontier_threads + threadIdx.x; i < count; i += u64{gridDim.x} * frontier_threads) {
    const u64 bits = bits_of(values[i] < 0 ? -values[i] : values[i]);
    mine = bits > mine ? bits : mine;
  }
  atomicMax(largest, mine);
}
inline __device__ void scale_values(double* values, u64 count, double a, double b) {
  for (u64 i = u64{blockIdx.x} * frontier_threads + threadIdx.x; i < count; i += u64{gridDim.x} * frontier_threads) {
    values[i] = values[i] * a * b;
  }
}
