#pragma once
// Walks one chunk of sign vectors in the lanes of a vector, for the sums over the vectors in which a column has a sign.
// Only for sources compiled once per instruction set; see core/cpu/simd.hpp.
//
// A block. The lowest bits are unrolled: 2^b cases at a time, whose row sums come from the sum with these bits off. The
// products of all rows but one are made of the products of the rows before it, which are kept, and those behind it,
// which begin with the product of the signs above the block.
//
// The tree. Over a subtree of l bits each row has l + 1 sums: T of s(d) p, s(d) the product of all walked signs, and
// E_k of s(d) d_k p for every bit k < l. Of a node with the halves `on` and `off` of bit l
//   T = T_on + T_off,  E_l = T_on - T_off,  E_k = E_k,on + E_k,off,
// so that a leaf costs a row 1 + 1/2 (2 + 1/2 (3 + ...)) = 3 additions or so, and each sum meets one rounding a level.
// In Gray-code order the half that is walked first waits for the other. Memory is what these sums wait for: those of
// the lowest levels meet in registers, before the next row's are made. To add up runs of eight blocks in place instead
// saves nothing.
//
// A row and vector of eight sign vectors takes 8.3 cycles of an AMD EPYC (Zen 4) with AVX-512 where there are 20 rows,
// or 23 of complex numbers; its units for products and for sums would take 6.6, or 15, if neither ever waited.
//
// Residues are those of ryser_numbers.hpp. Up to eight of at most 3p/4 are added before they are reduced.

#include "permanent/ryser/cpu/minors_kernel.hpp"
#include "permanent/ryser/cpu/ryser_numbers.hpp"

namespace matchcount::ryser_kernel {
namespace {

// Row sums modulo a prime, or exact, whose products and sums stay integers until they are reduced.
template <class Of>
struct Unreduced : Of {
  using Of::Of;
  MATCHCOUNT_INLINE Reals multiply(Reals a, Reals b) const { return a * b; }
  MATCHCOUNT_INLINE Reals difference(Reals a, Reals b) const { return a - b; }
};

template <class Number, bool is_residue>
class MinorsWalk {
  using Value = typename Number::Value;
  static constexpr int components = Number::components;
  // block_bits is as large as keeps the products of a block in registers.
  static constexpr int block_bits = (width == 8 ? 3 : 2) - (components > 1) - (components > 2 && width == 8);
  static constexpr int block_size = 1 << block_bits;
  static constexpr int most_levels = 2;  // of the tree that meet in registers; more take no less time

 public:
  MinorsWalk(const minors_kernel::Program& program, const double* start, int first_lane, double* scratch)
      : program_(program),
        number_(as_program(program)),
        wanted_(program.rows - program.first_row),
        first_lane_(first_lane) {
    for (int row = 0; row < program.rows; ++row)
      row_sum_[row] = read_lanes<Value>(start + row * components * num_lanes + first_lane, num_lanes);
    prime_ = {broadcast(program.prime), broadcast(program.inverse)};
    auto* next = reinterpret_cast<Value*>(scratch);
    for (int level = block_bits; level <= program.walk_bits; ++level) {
      waiting_[level] = next;
      next += wanted_ * (level + 1);
    }
  }

  void run(minors_kernel::ChunkSums& out) {
    const std::uint64_t num_blocks = std::uint64_t{1} << (program_.walk_bits - block_bits);
    for (std::uint64_t block = 0; block < num_blocks; ++block) {
      if (block > 0) flip(__builtin_ctzll(block) + block_bits);
      multiply(block);
      if constexpr (is_residue) multiply_groups();
      const int ended = __builtin_ctzll(~block) + block_bits;  // a subtree of so many bits ends here
      finish<0>(ended, waiting_[ended]);
    }
    write(out);
  }

 private:
  // Returns the part of a program that the numbers look at.
  static ryser_kernel::Program as_program(const minors_kernel::Program& program) {
    ryser_kernel::Program result;
    result.prime[0] = program.prime;
    result.inverse[0] = program.inverse;
    return result;
  }

  const double* flip_values(int bit) const { return program_.flip + bit * program_.rows * components; }

  void flip(int bit) {
    const double* by = flip_values(bit);
    const std::uint64_t mask = std::uint64_t{1} << bit;
    for (int row = 0; row < program_.rows; ++row, by += components) {
      const Value step = read_constant<Value>(by);
      Value& x = row_sum_[row];
      x = (set_ & mask) == 0 ? number_.add(x, step) : number_.subtract(x, step);
    }
    set_ ^= mask;
  }

  MATCHCOUNT_INLINE void row_sums(int row, Value (&x)[block_size]) const {
    Value sum[block_size];
    sum[0] = row_sum_[row];
    unroll<block_bits>([&](auto bit) __attribute__((always_inline)) {
      const Value step = read_constant<Value>(flip_values(bit) + row * components);
      unroll<(1 << bit)>([&](auto i)
                             __attribute__((always_inline)) { sum[i + (1 << bit)] = number_.add(sum[i], step); });
    });
    unroll<block_size>([&](auto i) __attribute__((always_inline)) { x[i] = factor_of(sum[i]); });
  }
  MATCHCOUNT_INLINE Value reduced(Value a) const {
    if constexpr (is_residue)
      return prime_.reduce(a);
    else
      return a;
  }
  // Says whether the product of the walked signs is -1, those of the block taken as +1.
  bool is_negative() const { return (__builtin_popcountll(set_) + program_.walk_bits - block_bits) % 2 != 0; }
  int num_groups() const { return is_residue ? program_.num_groups : 1; }
  int group_end(int group) const { return is_residue ? program_.group_end[group] : program_.rows; }

  // The products before each row of a group, and of all. Magnitudes stay normal, as floors are 2^-7 or more and row
  // sums below 2^8.
  void multiply(std::uint64_t block) {
    Reals y[block_size], least[block_size];
    for (int i = 0; i < block_size; ++i) {
      y[i] = broadcast(1);
      least[i] = broadcast(0x1p1000);
    }
    Value product_of_rows[block_size];
    int row = 0;
    for (int group = 0; group < num_groups(); ++group) {
      for (int i = 0; i < block_size; ++i) product_of_rows[i] = constant<Value>(1);
      for (; row < group_end(group); ++row) {
        Value x[block_size];
        row_sums(row, x);
        if (row >= program_.first_row) {
          unroll<block_size>([&](auto i) __attribute__((always_inline)) { before_[row][i] = product_of_rows[i]; });
        }
        const Reals floor = is_residue ? Reals{} : broadcast(program_.floor[row]);
        unroll<block_size>([&](auto i) __attribute__((always_inline)) {
          product_of_rows[i] = number_.multiply(product_of_rows[i], x[i]);
          if constexpr (!is_residue) {
            const Reals factor = Number::magnitude_of(x[i], floor);
            y[i] *= factor;
            least[i] = lesser(least[i], factor);
          }
        });
      }
      if constexpr (is_residue) {
        for (int i = 0; i < block_size; ++i) others_[group][i] = product_of_rows[i];
      }
    }
    if constexpr (!is_residue) {
      for (int i = 0; i < block_size; ++i) {
        const Reals size = Number::rough_magnitude(y[i]);
        magnitude_ += size;
        largest_minor_ += size * Number::inverse_magnitude(least[i]);
      }
      add_total(product_of_rows, block);
    }
  }

  // The total has no other levels than blocks: Number::Total keeps their errors.
  MATCHCOUNT_INLINE void add_total(Value (&v)[block_size], std::uint64_t block) {
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      unroll<(block_size >> (level + 1))>([&](auto i) __attribute__((always_inline)) {
        v[i] = number_.difference(v[2 * i + 1], v[2 * i]);
      });
    });
    const Value term = is_negative() ? number_.difference(constant<Value>(0), v[0]) : v[0];
    if constexpr (is_residue)
      total_residue_ = reduced(total_residue_ + reduced(term));
    else
      total_.add(number_, term, block);
  }

  // Turns each group's products into those of all other groups, residues.
  void multiply_groups() {
    Value before[block_size], behind[block_size];
    for (int i = 0; i < block_size; ++i) {
      before[i] = others_[0][i];
      behind[i] = broadcast(1);
    }
    const int last = program_.num_groups - 1;
    Value own[block_size];
    for (int i = 0; i < block_size; ++i) own[i] = others_[last][i];
    for (int i = 0; i < block_size; ++i) before_groups_[0][i] = broadcast(1);
    for (int group = 1; group <= last; ++group) {
      for (int i = 0; i < block_size; ++i) {
        before_groups_[group][i] = before[i];
        before[i] = prime_.multiply(before[i], others_[group][i]);
      }
    }
    for (int group = last; group >= 0; --group) {
      for (int i = 0; i < block_size; ++i) {
        own[i] = others_[group][i];
        others_[group][i] = prime_.multiply(before_groups_[group][i], behind[i]);
        behind[i] = prime_.multiply(behind[i], own[i]);
      }
    }
    add_total(before, 0);
  }

  // Writes what each row's sums are over the subtree of block_bits + levels bits that ends with the block.
  template <int levels>
  void leave_out(Value* to) {
    Value behind[block_size];
    for (int group = num_groups() - 1, row = program_.rows - 1; row >= program_.first_row; --group) {
      for (int i = 0; i < block_size; ++i) behind[i] = constant<Value>(is_negative() ? -1 : 1);
      const int first = group > 0 ? group_end(group - 1) : 0;
      for (; row >= first && row >= program_.first_row; --row) {
        Value p[block_size], x[block_size];
        row_sums(row, x);
        unroll<block_size>([&](auto i) __attribute__((always_inline)) {
          p[i] = number_.multiply(before_[row][i], behind[i]);
          if constexpr (is_residue) p[i] = prime_.multiply(others_[group][i], p[i]);
          behind[i] = number_.multiply(behind[i], x[i]);
        });
        write_row<levels>(p, row - program_.first_row, to);
      }
    }
  }

  template <int levels>
  MATCHCOUNT_INLINE void write_row(Value (&p)[block_size], int row, Value* to) {
    Value next[block_size];
    Value sums[block_bits + levels + 1];  // T and E_k
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      constexpr int halves = block_size >> (level + 1);
      // E_k of a lower bit k needs each half's T only: the sum over the subtrees of its own level, with their signs.
      unroll<halves>([&](auto i) __attribute__((always_inline)) {
        next[i] = number_.plus(p[2 * i + 1], p[2 * i]);
        p[i] = number_.difference(p[2 * i + 1], p[2 * i]);
      });
      unroll<block_bits - 1 - level>([&](auto above) __attribute__((always_inline)) {
        unroll<(halves >> (above + 1))>([&](auto i) __attribute__((always_inline)) {
          next[i] = number_.difference(next[2 * i + 1], next[2 * i]);
        });
      });
      sums[level + 1] = reduced(next[0]);
    });
    sums[0] = reduced(p[0]);
    unroll<levels>([&](auto above) __attribute__((always_inline)) {
      constexpr int level = block_bits + above;
      const Value* const first = waiting_[level] + row;
      sums[level + 1] = of_halves(level, first[0], sums[0]);
      unroll<level + 1>([&](auto k) __attribute__((always_inline)) {
        sums[k] = reduced(number_.plus(sums[k], first[k * wanted_]));
      });
    });
    unroll<block_bits + levels + 1>([&](auto k) __attribute__((always_inline)) { to[k * wanted_ + row] = sums[k]; });
  }

  // Writes what each row's sums are over the subtree of so many bits that ends with the block.
  template <int levels>
  void finish(int ended, Value* sums) {
    if constexpr (levels < most_levels) {
      if (ended > block_bits + levels) return finish<levels + 1>(ended, sums);
    }
    leave_out<levels>(sums);
    for (int level = block_bits + levels; level < ended; ++level) merge(level, sums);
  }

  // Returns E of a bit from T of the half that was walked first, and of the other.
  MATCHCOUNT_INLINE Value of_halves(int bit, Value first, Value second) const {
    return reduced((set_ >> bit & 1) != 0 ? number_.difference(second, first) : number_.difference(first, second));
  }
  // Makes the sums over a subtree of level + 1 bits of those over its second half.
  void merge(int level, Value* sums) const {
    const Value* const first = waiting_[level];
    const int count = (level + 1) * wanted_;
    for (int i = 0; i < wanted_; ++i) sums[count + i] = of_halves(level, first[i], sums[i]);
    for (int i = 0; i < count; ++i) sums[i] = reduced(number_.plus(sums[i], first[i]));
  }

  void write(minors_kernel::ChunkSums& out) {
    const int count = wanted_ * (program_.walk_bits + 1);
    for (int i = 0; i < count; ++i) {
      write_lanes(waiting_[program_.walk_bits][i], out.sums + i * components * num_lanes + first_lane_, num_lanes);
    }
    ChunkSum sum;
    if constexpr (is_residue) {
      store(out.total[0] + first_lane_, total_residue_);
    } else {
      total_.write(number_, first_lane_, sum);
      for (int c = 0; c < max_components; ++c)
        store(out.total[c] + first_lane_, load<Reals>(sum.value[c] + first_lane_));
      store(out.magnitude + first_lane_, magnitude_);
      store(out.largest_minor + first_lane_, largest_minor_);
    }
  }

  static constexpr int stored_groups = is_residue ? max_rows : 1;

  const minors_kernel::Program& program_;
  Number number_;
  Prime prime_;
  int wanted_;  // how many rows are left out
  int first_lane_;
  std::uint64_t set_ = 0;  // walked bits that are on; none of the block's
  Value row_sum_[max_rows];
  Value before_[max_rows][block_size];
  Value others_[stored_groups][block_size], before_groups_[stored_groups][block_size];
  Value* waiting_[max_bits + 1] = {};  // by level: [k][row], k = 0: T, k > 0: E of bit k - 1
  typename Number::Total total_;
  Reals total_residue_ = {};
  Reals magnitude_ = {}, largest_minor_ = {};
};

}  // namespace
}  // namespace matchcount::ryser_kernel
