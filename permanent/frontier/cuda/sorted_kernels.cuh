#pragma once
// Makes a layer of sorted states from the one before: the text of the kernels, which the tests compile for the host as
// well.
//
// It takes from who includes it: u32 and u64; SHARED; dynamic_shared(); high_product() of 32 bits; fetch_add().
//
// Each move maps the states that it leads from to new ones in the same order (cpu/sparse.hpp). So the new keys are
// divided by splitters, such that few old states lie, for all moves together, between those that lead to one and those
// that lead to the next; a block takes the transitions between two splitters into shared memory, sorts them by their
// targets and adds up the values of each. That is done twice: first it counts the targets, so that blocks know where
// theirs stand.

#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cuda/sorted_frame.hpp"

constexpr u32 sorted_place_bits = 40;  // of a source; its weight stands above

template <class Key>
struct SortedStates {
  static constexpr u32 words = sizeof(Key) / sizeof(u64);

  struct Move {
    Key test, expect, keep, set, free, fixed;  // bits that are taken over, and what the others become

    __device__ explicit Move(const SortedMove& move)
        : test(key_of(move.test)), expect(key_of(move.expect)), keep(key_of(move.keep)), set(key_of(move.set)) {
      free = keep & ~test;
      fixed = (expect & keep) | set;
    }
  };
  const SortedStep& step;

  static __device__ Key joined(u64 high, u64 low) { return static_cast<Key>(Key{high} << 63 << 1) | low; }
  static __device__ Key key_of(const std::uint64_t* pair) { return joined(pair[0], pair[1]); }
  static __device__ Key load(u64 keys, u64 i) {
    const u64* const from = reinterpret_cast<const u64*>(keys) + i * words;
    return words == 1 ? joined(0, from[0]) : joined(from[0], from[words - 1]);
  }
  static __device__ void store(u64 keys, u64 i, Key key) {
    u64* const to = reinterpret_cast<u64*>(keys) + i * words;
    if (words == 2) to[0] = static_cast<u64>(key >> 32 >> 32);
    to[words - 1] = static_cast<u64>(key);
  }
  __device__ const SortedMove& move(u32 j) const { return reinterpret_cast<const SortedMove*>(step.moves)[j]; }
  __device__ u32* places(u64 splitter) const {
    return reinterpret_cast<u32*>(step.places) + splitter * 2 * step.num_moves;
  }

  // Returns the first of the old states [low, end) that is not below any which leads to `bound` or beyond.
  __device__ u32 first_from(const Move& move, Key bound, u32 low, u32 end) const {
    const Key differs = (bound ^ move.fixed) & ~move.free;
    Key least = bound & move.free;
    if (differs != 0) {
      Key upto = differs;  // ones from the highest that differs down
      for (u32 shift = 1; shift < 8 * sizeof(Key); shift *= 2) upto |= upto >> shift;
      const Key rising = move.free & ~bound & ~upto;
      least &= ~upto;
      if ((bound & (upto ^ (upto >> 1))) != 0) {
        if (rising == 0) return end;
        const Key lowest = rising & (~rising + 1);
        least = (least & ~(lowest - 1)) | lowest;
      }
    }
    least |= move.expect;
    while (low < end) {
      const u32 middle = low + (end - low) / 2;
      if (load(step.keys, middle) < least) {
        low = middle + 1;
      } else {
        end = middle;
      }
    }
    return low;
  }
};

// Finds splitter number blockIdx.x: the greatest key before which at most so many shares of old states lie. Shared
// memory, dynamic: three words of 32 bits a move.
template <class Key>
inline __device__ void find_splitter(const SortedStep& step) {
  SHARED(u64, total, 1);
  const SortedStates<Key> old{step};
  const u32 count = step.num_moves, end = static_cast<u32>(step.num_states);
  u32* const low = reinterpret_cast<u32*>(dynamic_shared());  // the places of the key so far
  u32 *const high = low + count, *const middle = high + count;
  const u64 splitter = blockIdx.x;
  const bool is_last = splitter == step.num_tiles;
  using Move = typename SortedStates<Key>::Move;
  for (u32 j = threadIdx.x; j < count; j += blockDim.x) {
    low[j] = is_last ? end : old.first_from(Move(old.move(j)), 0, 0, end);
    high[j] = end;
  }
  Key key = 0;
  for (u32 bit = is_last ? 0 : step.bits; bit-- > 0;) {
    const Key higher = key | Key{1} << bit;
    if (threadIdx.x == 0) *total = 0;
    __syncthreads();
    u64 mine = 0;
    for (u32 j = threadIdx.x; j < count; j += blockDim.x) {
      middle[j] = old.first_from(Move(old.move(j)), higher, low[j], high[j]);
      mine += middle[j];
    }
    fetch_add(total, mine);
    __syncthreads();
    const bool takes = *total <= splitter * step.share;
    for (u32 j = threadIdx.x; j < count; j += blockDim.x) (takes ? low : high)[j] = middle[j];
    if (takes) key = higher;
    __syncthreads();
  }
  // The least key that was not taken is the next one.
  u32* const places = old.places(splitter);
  for (u32 j = threadIdx.x; j < count; j += blockDim.x) {
    places[j] = low[j];
    places[count + j] = high[j];
  }
  if (threadIdx.x == 0) old.store(step.splitters, splitter, key);
}

// Sorts `size` pairs, a power of two.
template <class Key>
inline __device__ void sort_pairs(Key* keys, u64* sources, u32 size) {
  for (u32 run = 2; run <= size; run *= 2) {
    for (u32 stride = run / 2; stride > 0; stride /= 2) {
      for (u32 i = threadIdx.x; i < size / 2; i += blockDim.x) {
        const u32 a = 2 * i - (i & (stride - 1)), b = a + stride;
        const Key first = keys[a], second = keys[b];
        const bool falls = second < first || (second == first && sources[b] < sources[a]);
        if (falls == ((a & run) != 0)) continue;
        keys[a] = second;
        keys[b] = first;
        const u64 source = sources[a];
        sources[a] = sources[b];
        sources[b] = source;
      }
      __syncthreads();
    }
  }
}

// Writes down the transitions of a tile, keys of new states and their sources, sorted by these, and returns how many
// there are. `offsets` has as many words as moves, and one.
template <class Key>
inline __device__ u32 sort_transitions(const SortedStep& step, const SortedStates<Key>& old, u64 tile, u32* offsets,
                                       u32* found, Key* keys, u64* sources) {
  // Old states that may lead to the splitter, one for each move, and those between.
  const u32 *const first = old.places(tile), *const next = first + step.num_moves, *const end = old.places(tile + 1);
  for (u32 j = threadIdx.x; j < step.num_moves; j += blockDim.x)
    offsets[j + 1] = (first[j] < next[j]) + end[j] - next[j];
  __syncthreads();
  if (threadIdx.x == 0) {
    *found = offsets[0] = 0;
    for (u32 j = 0; j < step.num_moves; ++j) offsets[j + 1] += offsets[j];
  }
  __syncthreads();
  u32 j = 0;
  for (u32 i = threadIdx.x; i < offsets[step.num_moves]; i += blockDim.x) {
    while (offsets[j + 1] <= i) ++j;
    const u32 at = i - offsets[j], has_first = first[j] < next[j];
    const u32 place = has_first && at == 0 ? first[j] : next[j] + at - has_first;
    const SortedMove& move = old.move(j);
    const Key key = old.load(step.keys, place);
    if ((key & old.key_of(move.test)) != old.key_of(move.expect)) continue;
    const u32 to = fetch_add(found, 1u);
    keys[to] = (key & old.key_of(move.keep)) | old.key_of(move.set);
    sources[to] = place | move.weight << sorted_place_bits;
  }
  __syncthreads();
  const u32 count = *found;
  u32 size = 1;
  while (size < count) size *= 2;
  for (u32 i = count + threadIdx.x; i < size; i += blockDim.x) {
    keys[i] = ~Key{0};
    sources[i] = ~u64{0};
  }
  __syncthreads();
  sort_pairs(keys, sources, size);
  return count;
}

// Counts the new states of tile blockIdx.x, or makes them. Shared memory, dynamic: for each of `tile` transitions a
// key, a source and the number of a new state's first; and as many words of 32 bits as moves, and two.
template <class Key, bool makes>
inline __device__ void make_tile(const SortedStep& step) {
  SHARED(u32, found, 1);
  SHARED(u32, sums, sorted_threads);
  const SortedStates<Key> old{step};
  const u64 tile = blockIdx.x;
  u64* const counts = reinterpret_cast<u64*>(step.counts);
  Key* const keys = reinterpret_cast<Key*>(dynamic_shared());
  u64* const sources = reinterpret_cast<u64*>(keys + step.tile);
  u32* const starts = reinterpret_cast<u32*>(sources + step.tile);
  u32* const offsets = starts + step.tile + 1;
  if (tile + 1 < step.num_tiles && old.load(step.splitters, tile) == old.load(step.splitters, tile + 1)) {
    if (!makes && threadIdx.x == 0) counts[tile] = 0;
    return;
  }

  const u32 count = sort_transitions(step, old, tile, offsets, found, keys, sources);
  // Each thread finds the new states among its share of what was sorted.
  const u32 share = (count + blockDim.x - 1) / blockDim.x;
  const u32 begin = threadIdx.x * share < count ? threadIdx.x * share : count;
  const u32 stop = begin + share < count ? begin + share : count;
  const auto is_new = [&](u32 i) { return i == 0 || keys[i] != keys[i - 1]; };
  u32 mine = 0;
  for (u32 i = begin; i < stop; ++i) mine += is_new(i);
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (u32 reach = 1; reach < blockDim.x; reach *= 2) {
    const u32 before = threadIdx.x >= reach ? sums[threadIdx.x - reach] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  const u32 num_new = sums[blockDim.x - 1];
  if (!makes) {
    if (threadIdx.x == 0) counts[tile] = num_new;
    return;
  }
  u32 at = sums[threadIdx.x] - mine;
  for (u32 i = begin; i < stop; ++i) {
    if (is_new(i)) starts[at++] = i;
  }
  if (threadIdx.x == 0) starts[num_new] = count;
  __syncthreads();
  for (u32 i = threadIdx.x; i < num_new; i += blockDim.x) old.store(step.new_keys, counts[tile] + i, keys[starts[i]]);
  const ResidueWeight* const weights = reinterpret_cast<const ResidueWeight*>(step.weights);
  const u32* const values = reinterpret_cast<const u32*>(step.values);
  u32* const to = reinterpret_cast<u32*>(step.new_values) + counts[tile] * step.num_primes;
  for (u32 i = threadIdx.x; i < num_new * step.num_primes; i += blockDim.x) {
    const u32 state = i / step.num_primes, k = i % step.num_primes;
    const u32 prime = reinterpret_cast<const u32*>(step.primes)[k];
    const auto reduced = [prime](u32 value) { return value < prime ? value : value - prime; };
    u32 sum = 0;
    for (u32 s = starts[state]; s < starts[state + 1]; ++s) {
      const u64 place = sources[s] & ((u64{1} << sorted_place_bits) - 1);
      u32 value = values[place * step.num_primes + k];
      const ResidueWeight weight = weights[k * step.num_weights + (sources[s] >> sorted_place_bits)];
      // The quotient is at most one too small (Shoup).
      if (weight.factor != 1) value = reduced(weight.factor * value - high_product(weight.quotient, value) * prime);
      sum = reduced(sum + value);
    }
    to[i] = sum;
  }
}
