#pragma once
// Walks one chunk of subsets in the lanes of a vector. Only for sources compiled once per instruction set; see
// core/cpu/simd.hpp.
//
// The walk. Bits are columns; a row is final at the lowest bit that touches it (its stage). Depth first over the bits
// from the high to the low, each node multiplies the rows of its stage into the product that it inherits, so that a
// leaf only pays for the rows of stage 0. In Gray-code order a step switches one bit b, after which the products of the
// stages <= b are stale. A subtree of s bits whose product is zero in every lane is skipped: walking it would have
// switched its top bit s - 1 once and every lower bit an even number of times, so one switch of s - 1 puts the row sums
// right.
//
// The block. The lowest block_bits bits are unrolled: row sums stay at their value with these bits off, and the 2^p
// sums that a row touched by p of them can take are formed from it, so that nothing is stored. The rows touched by
// exactly the bits of a mask are first multiplied together over those 2^p cases, and then into the table of all cases:
// a row that only bit 0 touches costs 2 products a block of 8 leaves, not 8.
//
// The special column. A row with entry a in it does (F0, F1) <- (F0 x, F1 x + a F0); pairs multiply as (F0 G0, F1 G0 +
// F0 G1). Where there is none, F1 starts at 1 and F0 at 0, and all rows are common.

#include "permanent/ryser/cpu/ryser_numbers.hpp"

namespace matchcount::ryser_kernel {
namespace {

// Unrolled bits: as many as keep the products of a block in registers (32 of them with AVX-512, else 16).
constexpr int block_bits = width == 8 ? 3 : 2;
constexpr int block_size = 1 << block_bits;

constexpr int population(unsigned mask) { return __builtin_popcount(mask); }

// Returns the bits of `index` at the places set in `mask`, packed.
constexpr int compressed(unsigned index, unsigned mask) {
  int result = 0;
  for (int bit = 0, place = 0; bit < block_bits; ++bit) {
    if (mask >> bit & 1) result |= static_cast<int>(index >> bit & 1) << place++;
  }
  return result;
}
constexpr int nth_bit(unsigned mask, int n) {
  int bit = 0;
  while (true) {
    if (mask >> bit & 1) {
      if (n-- == 0) return bit;
    }
    ++bit;
  }
}

template <class Number, bool unit, int num_primes>
class Walk {
  using Value = typename Number::Value;
  static constexpr int components = Number::components;
  static constexpr bool has_magnitude = Number::has_magnitude;
  static constexpr bool exact = num_primes > 0;
  static constexpr int stored_primes = exact ? num_primes : 1;

 public:
  Walk(const Program& program, const double* start, int first_lane)
      : program_(program), number_(program), first_lane_(first_lane) {
    for (int row = 0; row < program.rows; ++row)
      row_sum_[row] = read_lanes<Value>(start + row * components * num_lanes + first_lane, num_lanes);
    for (int k = 0; k < num_primes; ++k) prime_[k] = {broadcast(program.prime[k]), broadcast(program.inverse[k])};
  }

  void run(ChunkSum& sum) {
    walk();
    if constexpr (exact) {
      for (int k = 0; k < num_primes; ++k) {
        for (int i = 0; i < width; ++i) sum.residue[k][first_lane_ + i] = residue_[k][i];
      }
    } else {
      total_.write(number_, first_lane_, sum);
    }
    for (int i = 0; i < width; ++i) {
      sum.magnitude[first_lane_ + i] = magnitude_[i];
      sum.skipped[first_lane_ + i] = skipped_[i];
    }
  }

 private:
  // The product of the rows above a point of the tree.
  struct State {
    Value common, f0, f1;
    Reals magnitude;
    Mask dead;
    Reals m0[stored_primes], m1[stored_primes];  // exact: the closed part
  };

  // Products over the cases of the low bits from `stage` up: of common rows, or F0 and F1 of those of the special
  // column.
  template <bool special>
  struct Table {
    static constexpr int parts = special ? 2 : 1;
    Value f[parts][block_size];
    Reals magnitude[block_size];
    int stage;
  };
  struct Tables {
    Table<false> common;
    Table<true> pair;
  };

  void walk() {
    State first;
    first.common = constant<Value>(1);
    first.f0 = constant<Value>(program_.has_special_column ? 1 : 0);
    first.f1 = constant<Value>(program_.has_special_column ? 0 : 1);
    first.magnitude = broadcast(1);
    first.dead = Mask{};
    multiply_node(first, 0, states_[0]);
    if (program_.skip_zeros && all_set(states_[0].dead)) {
      skip(states_[0], program_.nodes[0]);
      return;
    }
    std::uint32_t first_stale[max_bits];
    for (int bit = 0; bit < program_.walk_bits; ++bit) {
      std::uint32_t node = 1;
      while (node < program_.num_nodes && program_.nodes[node].level > static_cast<std::uint32_t>(bit)) ++node;
      first_stale[bit] = node;
    }
    const std::uint64_t num_blocks = std::uint64_t{1} << (program_.walk_bits - block_bits);
    std::uint64_t block_index = 0;
    std::uint32_t stale = 1;
    while (true) {
      std::uint32_t node = stale;
      for (; node < program_.num_nodes; ++node) {
        multiply_node(states_[node - 1], node, states_[node]);
        if (program_.skip_zeros && all_set(states_[node].dead)) break;
      }
      if (node < program_.num_nodes) {
        skip(states_[node], program_.nodes[node]);
        const int level = static_cast<int>(program_.nodes[node].level);
        block_index |= (std::uint64_t{1} << (level - block_bits)) - 1;
        if (level > block_bits) flip(level - 1);
      } else {
        multiply_block(states_[program_.num_nodes - 1], block_index);
      }
      if (++block_index == num_blocks) return;
      const int bit = __builtin_ctzll(block_index) + block_bits;
      flip(bit);
      stale = first_stale[bit];
    }
  }

  void flip(int bit) {
    const std::uint32_t end = program_.flip_begin[bit + 1];
    const std::uint64_t mask = std::uint64_t{1} << bit;
    const bool on = (set_ & mask) == 0;
    for (std::uint32_t i = program_.flip_begin[bit]; i < end; ++i) {
      Value& x = row_sum_[program_.flip_slot[i]];
      const Value step = read_constant<Value>(program_.flip_value + i * components);
      x = on ? number_.add(x, step) : number_.subtract(x, step);
    }
    set_ ^= mask;
    negative_ = !negative_;
  }

  void skip(const State& state, const Node& node) {
    if constexpr (has_magnitude) {
      skipped_ += Number::magnitude(state.magnitude) * node.tail;
    }
  }

  MATCHCOUNT_INLINE Value special_entry(std::uint32_t slot) const {
    return factor_of(read_constant<Value>(program_.special + slot * components));
  }

  MATCHCOUNT_INLINE void multiply_special(Value x, std::uint32_t slot, Value& f0, Value& f1) const {
    if constexpr (unit) {
      f1 = number_.multiply_plus(f1, x, f0);
    } else {
      f1 = number_.multiply_plus(f1, x, number_.multiply(f0, special_entry(slot)));
    }
    f0 = number_.multiply(f0, x);
  }

  void multiply_node(const State& from, std::uint32_t index, State& state) {
    const Node& node = program_.nodes[index];
    state = from;
    for (std::uint32_t s = node.step_begin; s < node.step_end; ++s) {
      const Step& step = program_.steps[s];
      for (std::uint32_t slot = step.common_begin; slot < step.special_begin; ++slot) {
        const Value x = factor_of(row_sum_[slot]);
        state.common = number_.multiply(state.common, x);
        if constexpr (has_magnitude) {
          state.magnitude *= Number::magnitude_of(x, broadcast(program_.floor[slot]));
        }
      }
      for (std::uint32_t slot = step.special_begin; slot < step.end; ++slot) {
        const Value x = factor_of(row_sum_[slot]);
        multiply_special(x, slot, state.f0, state.f1);
        if constexpr (has_magnitude) {
          state.magnitude *= Number::magnitude_of(x, broadcast(program_.floor[slot]));
        }
      }
      state.dead |= is_zero(state.common) | (is_zero(state.f0) & is_zero(state.f1));
      if constexpr (exact) {
        if (step.close != Close::no) close(state, step.close == Close::again);
      }
    }
  }

  void close(State& state, bool continues) {
    if constexpr (exact) {
      const Reals g0 = state.common * state.f0;
      const Reals g1 = state.common * state.f1;
      for (int k = 0; k < num_primes; ++k) {
        const Prime& prime = prime_[k];
        if (continues) {
          state.m1[k] = prime.multiply(state.m1[k], g0) + prime.multiply(state.m0[k], g1);
          state.m0[k] = prime.multiply(state.m0[k], g0);
        } else {
          state.m0[k] = g0;
          state.m1[k] = g1;
        }
      }
      state.common = broadcast(1);
      state.f0 = broadcast(1);
      state.f1 = Reals{};
    }
  }

  // ---- The block.

  template <unsigned mask>
  MATCHCOUNT_INLINE void case_sums(std::uint32_t slot, Value (&x)[1 << population(mask)]) const {
    constexpr int bits = population(mask);
    Value sum[1 << bits];
    sum[0] = row_sum_[slot];
    const double* low = program_.low_value + slot * (block_bits * components);
    unroll<bits>([&](auto bit) __attribute__((always_inline)) {
      const Value step = read_constant<Value>(low + nth_bit(mask, bit) * components);
      unroll<(1 << bit)>([&](auto i)
                             __attribute__((always_inline)) { sum[i + (1 << bit)] = number_.add(sum[i], step); });
    });
    unroll<(1 << bits)>([&](auto i) __attribute__((always_inline)) { x[i] = factor_of(sum[i]); });
  }

  template <bool special>
  static MATCHCOUNT_INLINE void widen(Table<special>& t, int stage) {
    if (t.stage == stage) return;
    const int shift = t.stage - stage;
    for (int i = (block_size >> stage) - 1; i > 0; --i) {
      for (int part = 0; part < Table<special>::parts; ++part) t.f[part][i] = t.f[part][i >> shift];
      if constexpr (has_magnitude) t.magnitude[i] = t.magnitude[i >> shift];
    }
    t.stage = stage;
  }

  // Multiplies the rows that the bits in `mask` touch, over their cases, and then into the table of all cases.
  template <bool special, unsigned mask>
  void multiply_group(const RowGroup& group, Table<special>& t) const {
    constexpr int stage = __builtin_ctz(mask), cases = 1 << population(mask), size = block_size >> stage;
    constexpr int parts = Table<special>::parts, last = parts - 1;
    widen<special>(t, stage);
    Value f[parts][cases], x[cases];
    Reals magnitude[cases];
    std::uint32_t slot = group.begin;
    if constexpr (cases == size) {
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        f[0][i] = t.f[0][i];
        if constexpr (special) f[last][i] = t.f[last][i];
        if constexpr (has_magnitude) magnitude[i] = t.magnitude[i];
      });
    } else {
      case_sums<mask>(slot, f[0]);
      const Value entry = !special || unit ? constant<Value>(1) : special_entry(slot);
      const Reals floor = has_magnitude ? broadcast(program_.floor[slot]) : Reals{};
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        if constexpr (special) f[last][i] = entry;
        if constexpr (has_magnitude) magnitude[i] = Number::magnitude_of(f[0][i], floor);
      });
      ++slot;
    }
    for (; slot < group.end; ++slot) {
      case_sums<mask>(slot, x);
      const Reals floor = has_magnitude ? broadcast(program_.floor[slot]) : Reals{};
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        if constexpr (special) {
          multiply_special(x[i], slot, f[0][i], f[last][i]);
        } else {
          f[0][i] = number_.multiply(f[0][i], x[i]);
        }
        if constexpr (has_magnitude) magnitude[i] *= Number::magnitude_of(x[i], floor);
      });
    }
    unroll<size>([&](auto i) __attribute__((always_inline)) {
      constexpr int from = compressed(static_cast<unsigned>(i) << stage, mask);
      if constexpr (cases == size) {
        t.f[0][i] = f[0][i];
        if constexpr (special) t.f[last][i] = f[last][i];
        if constexpr (has_magnitude) t.magnitude[i] = magnitude[i];
      } else {
        if constexpr (special)
          t.f[last][i] = number_.multiply_plus(t.f[last][i], f[0][from], number_.multiply(t.f[0][i], f[last][from]));
        t.f[0][i] = number_.multiply(t.f[0][i], f[0][from]);
        if constexpr (has_magnitude) t.magnitude[i] *= magnitude[from];
      }
    });
  }

  template <bool special, unsigned mask = 1>
  MATCHCOUNT_INLINE void dispatch(const RowGroup& group, Table<special>& t) const {
    if constexpr (mask < block_size) {
      if (group.mask == mask) {
        multiply_group<special, mask>(group, t);
      } else {
        dispatch<special, mask + 1>(group, t);
      }
    }
  }

  void multiply_segment(const Segment& segment, Tables& t) const {
    for (std::uint32_t r = segment.group_begin; r < segment.special_begin; ++r)
      dispatch<false>(program_.groups[r], t.common);
    for (std::uint32_t r = segment.special_begin; r < segment.group_end; ++r)
      dispatch<true>(program_.groups[r], t.pair);
  }

  // Returns v[0] - v[1] - v[2] + v[3] - ...: the signs of the subsets of the low bits. Overwrites v.
  MATCHCOUNT_INLINE Value signed_sum(Value (&v)[block_size]) const {
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      unroll<(block_size >> (level + 1))>([&](auto i) __attribute__((always_inline)) {
        v[i] = number_.difference(v[2 * i], v[2 * i + 1]);
      });
    });
    return v[0];
  }
  static MATCHCOUNT_INLINE Reals plain_sum(Reals (&v)[block_size]) {
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      unroll<(block_size >> (level + 1))>([&](auto i)
                                              __attribute__((always_inline)) { v[i] = v[2 * i] + v[2 * i + 1]; });
    });
    return v[0];
  }

  void multiply_block(const State& state, std::uint64_t block_index) {
    Tables t;
    t.common.f[0][0] = state.common;
    t.pair.f[0][0] = state.f0;
    t.pair.f[1][0] = state.f1;
    t.common.magnitude[0] = state.magnitude;
    t.pair.magnitude[0] = broadcast(1);
    t.common.stage = t.pair.stage = block_bits;
    if constexpr (exact) {
      multiply_exact_block(state, t);
    } else {
      multiply_segment(program_.segments[0], t);
      if constexpr (has_magnitude) {
        Reals y[block_size];
        for (int i = 0; i < block_size; ++i) {
          y[i] = Number::magnitude(t.common.magnitude[i >> t.common.stage] * t.pair.magnitude[i >> t.pair.stage]);
        }
        magnitude_ += plain_sum(y);
      }
      Value v[block_size];
      if (Number::factor_out && t.common.stage == block_bits) {
        widen<true>(t.pair, 0);
        for (int i = 0; i < block_size; ++i) v[i] = t.pair.f[1][i];
        add(number_.multiply(signed_sum(v), t.common.f[0][0]), block_index);
      } else {
        for (int i = 0; i < block_size; ++i) {
          v[i] = number_.multiply(t.pair.f[1][i >> t.pair.stage], t.common.f[0][i >> t.common.stage]);
        }
        if constexpr (Number::factor_out) {
          add(signed_sum(v), block_index);
        } else {
          for (int i = 0; i < block_size; ++i) {
            if ((__builtin_popcount(static_cast<unsigned>(i)) & 1) != 0) v[i] = -v[i];
            add(v[i], block_index);
          }
        }
      }
    }
  }

  MATCHCOUNT_INLINE void add(Value v, std::uint64_t block_index) {
    if (negative_) v = number_.difference(constant<Value>(0), v);
    total_.add(number_, v, block_index);
  }

  void multiply_exact_block(const State& state, Tables& t) {
    if constexpr (exact) {
      Reals m0[num_primes][block_size], m1[num_primes][block_size], r0[block_size], r1[block_size];
      bool raw = false;  // the residues are still the integers r0, r1
      bool begun = program_.closed_above;
      if (begun) {
        for (int k = 0; k < num_primes; ++k) {
          for (int i = 0; i < block_size; ++i) {
            m0[k][i] = state.m0[k];
            m1[k][i] = state.m1[k];
          }
        }
      }
      for (std::uint32_t s = 0; s < program_.num_segments; ++s) {
        if (s > 0) {
          t.common.f[0][0] = t.pair.f[0][0] = broadcast(1);
          t.pair.f[1][0] = Reals{};
          t.common.stage = t.pair.stage = block_bits;
        }
        multiply_segment(program_.segments[s], t);
        Reals g0[block_size], g1[block_size];
        for (int i = 0; i < block_size; ++i) {
          const Reals c = t.common.f[0][i >> t.common.stage];
          g0[i] = c * t.pair.f[0][i >> t.pair.stage];
          g1[i] = c * t.pair.f[1][i >> t.pair.stage];
        }
        if (!begun) {
          for (int i = 0; i < block_size; ++i) {
            r0[i] = g0[i];
            r1[i] = g1[i];
          }
          begun = raw = true;
          continue;
        }
        const bool last = s + 1 == program_.num_segments;
        for (int k = 0; k < num_primes; ++k) {
          const Prime prime = prime_[k];
          const Reals* from0 = raw ? r0 : m0[k];
          const Reals* from1 = raw ? r1 : m1[k];
          for (int i = 0; i < block_size; ++i) {
            const Reals old0 = from0[i];
            m1[k][i] = prime.multiply(from1[i], g0[i]) + prime.multiply(old0, g1[i]);
            if (!last) m0[k][i] = prime.multiply(old0, g0[i]);
          }
        }
        raw = false;
      }
      for (int k = 0; k < num_primes; ++k) {
        Reals v[block_size];
        for (int i = 0; i < block_size; ++i) v[i] = raw ? r1[i] : m1[k][i];
        unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
          unroll<(block_size >> (level + 1))>([&](auto i) __attribute__((always_inline)) {
            v[i] = prime_[k].reduce(v[2 * i] - v[2 * i + 1]);
          });
        });
        residue_[k] = prime_[k].reduce(negative_ ? residue_[k] - v[0] : residue_[k] + v[0]);
      }
    }
  }

  const Program& program_;
  Number number_;
  int first_lane_;
  std::uint64_t set_ = 0;  // walked bits that are on
  bool negative_ = false;
  Value row_sum_[max_rows];
  State states_[max_bits + 1];
  Prime prime_[stored_primes];
  Reals residue_[stored_primes] = {};
  typename Number::Total total_;
  Reals magnitude_ = {};
  Reals skipped_ = {};
};

}  // namespace
}  // namespace matchcount::ryser_kernel
