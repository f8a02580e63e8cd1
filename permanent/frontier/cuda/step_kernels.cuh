#pragma once
// Makes the states of a new layer of the frontier method: the text of the kernels, which the tests compile for the host
// as well.
//
// It takes from who includes it: u32 and u64; UNROLL; SHARED; dynamic_shared(); high_product(), the upper half of a
// product of 64 or of 32 bits; count_ones() and lowest_one() of 64.
//
// A block of threads takes some high masks in ascending order. First it finds, for each of them, where its new states
// stand and from which old ones they are made, a thread for every choice; then a warp adds up the states of one high
// mask after another, which lie side by side, and so do those that each choice reads. Old and new states may share an
// array: nothing is read but by plain loads, and what a launch writes, no block of it reads (cpu/in_place.cpp).

#include "permanent/frontier/cuda/step_frame.hpp"

constexpr u32 frontier_lanes = 32;
constexpr u64 frontier_nowhere = ~u64{0};
constexpr u32 frontier_place_bits = 48;  // of a source; its choice stands above

template <u32 number>
struct FrontierCount {
  static constexpr u32 value = number;
};

// A step's tables in shared memory.
struct FrontierTables {
  const FrontierGpuStep& step;
  const u64* binomials;
  const u64* sums;
  const u64* places;
  const FrontierChoice* choices;
  const FrontierModulus* moduli;
  const FrontierWeight* weights;

  __device__ FrontierTables(const FrontierGpuStep& given, const u64* tables) : step(given), binomials(tables) {
    sums = binomials + step.num_rows * step.binomial_columns;
    places = sums + step.num_sums;
    choices = reinterpret_cast<const FrontierChoice*>(places + step.high_width);
    moduli = reinterpret_cast<const FrontierModulus*>(choices + step.num_choices);
    weights = reinterpret_cast<const FrontierWeight*>(moduli + step.planes);
  }
  __device__ u32 num_words() const {
    return static_cast<u32>(reinterpret_cast<const u64*>(weights + step.planes * step.num_choices) - binomials);
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
  // The valid high mask with this number.
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
  // The index of the first of them.
  __device__ u64 first_index(u64 high, u32 low, u32 rest) const {
    if (step.by_parity) return high << low >> 1;
    u64 index = 0;
    u32 ones = rest;
    for (; high != 0; high &= high - 1) index += binomial(low + lowest_one(high), ++ones);
    return index;
  }
  // By its choice's bits, of what a new high mask is made; nowhere where the choice does not lead to it.
  __device__ u64 source(u64 high, const FrontierChoice& choice) const {
    if ((high & choice.test) != choice.expect) return frontier_nowhere;
    u64 mapped = 0;
    for (u64 left = high; left != 0; left &= left - 1) mapped |= places[lowest_one(left)];
    const u64 old = (mapped & ~choice.fixed) | choice.value;
    const u32 left = rest(step.source_class, old);
    return is_class(left, step.source_low) ? first_index(old, step.source_low, left) : frontier_nowhere;
  }
};

template <bool weighted>
inline __device__ u32 frontier_term(u32 state, FrontierWeight weight, u32 prime) {
  // Below twice the prime: the quotient is at most one too small (Shoup).
  return weighted ? weight.factor * state - high_product(weight.quotient, state) * prime : state;
}

// `count` states of a block for each lane, from place `at` on, the last one again where there are no more.
template <bool weighted, bool gathered, u32 count>
inline __device__ void add_states(const FrontierTables& tables, const u64* sources, u32 num_sources, u32 table,
                                  const u32* from, u32* to, u32 at, u32 length, u32 plane) {
  const FrontierModulus modulus = tables.moduli[plane];
  const u32 num_choices = tables.step.num_choices;
  const unsigned short* const gather = reinterpret_cast<const unsigned short*>(tables.step.gather);
  u32 places[count];
  u64 sums[count];
  UNROLL
  for (u32 k = 0; k < count; ++k) {
    const u32 place = at + k * frontier_lanes;
    places[k] = place < length ? place : length - 1;
    sums[k] = 0;
  }
  for (u32 s = 0; s < num_sources; ++s) {
    const u32 choice = static_cast<u32>(sources[s] >> frontier_place_bits);
    const u32* const run = from + (sources[s] & ((u64{1} << frontier_place_bits) - 1));
    const FrontierWeight weight = weighted ? tables.weights[plane * num_choices + choice] : FrontierWeight{1, 0};
    UNROLL
    for (u32 k = 0; k < count; ++k) {
      if (gathered) {
        const u32 source = gather[(choice << tables.step.target_low) + table + places[k]];
        if (source != frontier_no_source) sums[k] += frontier_term<weighted>(run[source], weight, modulus.prime);
      } else {
        sums[k] += frontier_term<weighted>(run[places[k]], weight, modulus.prime);
      }
    }
  }
  UNROLL
  for (u32 k = 0; k < count; ++k) {
    const u32 rest = static_cast<u32>(sums[k] - high_product(sums[k], modulus.inverse) * modulus.prime);
    if (at + k * frontier_lanes < length) to[places[k]] = rest >= modulus.prime ? rest - modulus.prime : rest;
  }
}

// Shared memory, dynamic: the tables, and a word for every choice of every high mask of a block.
template <bool weighted, bool gathered>
inline __device__ void make_states(const FrontierGpuStep& step) {
  SHARED(u64, highs, frontier_highs);
  SHARED(u64, targets, frontier_highs);
  SHARED(u32, lengths, frontier_highs);
  SHARED(u32, nums_sources, frontier_highs);
  SHARED(u32, gathers, frontier_highs);
  u64* const memory = reinterpret_cast<u64*>(dynamic_shared());
  const FrontierTables tables(step, memory);
  u64* const sources = memory + tables.num_words();
  const u64* const given = reinterpret_cast<const u64*>(step.tables);
  for (u32 i = threadIdx.x; i < tables.num_words(); i += frontier_threads) memory[i] = given[i];
  __syncthreads();

  const u64 first = step.first_high + u64{blockIdx.x} * frontier_highs;
  for (u32 i = threadIdx.x; i < frontier_highs; i += frontier_threads) {
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
  for (u32 task = threadIdx.x; task < frontier_highs * step.num_choices; task += frontier_threads) {
    const u32 i = task / step.num_choices, choice = task % step.num_choices;
    if (lengths[i] == 0) continue;
    const u64 source = tables.source(highs[i], tables.choices[choice]);
    sources[task] = source == frontier_nowhere ? source : source | u64{choice} << frontier_place_bits;
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < frontier_highs; i += frontier_threads) {
    u64* const mine = sources + i * step.num_choices;
    u32 found = 0;
    for (u32 c = 0; lengths[i] != 0 && c < step.num_choices; ++c) {
      const u64 source = mine[c];
      if (source != frontier_nowhere) mine[found++] = source;
    }
    nums_sources[i] = found;
  }
  __syncthreads();

  const u32 lane = threadIdx.x % frontier_lanes;
  for (u32 i = threadIdx.x / frontier_lanes; i < frontier_highs; i += frontier_threads / frontier_lanes) {
    const u32 length = lengths[i];
    const u64* const mine = sources + i * step.num_choices;
    for (u32 plane = 0; plane < step.planes; ++plane) {
      const u32* const from = reinterpret_cast<const u32*>(step.from) + plane * step.stride;
      u32* const to = reinterpret_cast<u32*>(step.to) + plane * step.stride + targets[i];
      for (u32 begin = 0; begin < length; begin += 4 * frontier_lanes) {
        const u32 left = length - begin, at = begin + lane;
        const auto add = [&](auto count) {
          add_states<weighted, gathered, decltype(count)::value>(tables, mine, nums_sources[i], gathers[i], from, to, at,
                                                                 length, plane);
        };
        if (left > 2 * frontier_lanes) {
          add(FrontierCount<4>());
        } else if (left > frontier_lanes) {
          add(FrontierCount<2>());
        } else {
          add(FrontierCount<1>());
        }
      }
    }
  }
}
