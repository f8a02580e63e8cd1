// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// Arithmetic. Primes have 30 bits, so that 8 products of residues fit into 63 and a dot product is one 32 x 32-bit
// multiplication and one 64-bit addition a term, with a fold every 8 terms and one Montgomery reduction at the end.
// A vector holds 32-bit residues, its even and odd lanes being multiplied apart. A product costs two instructions for
// 30 bits; in fused multiply-adds of doubles it would be five for 50, and 52-bit integer multiply-adds are missing on
// most processors.
//
// Fronts. Left-looking in panels of four pivots: an entry's dot product over the pivots before the panel, then the
// panel's own four by the inverse of its triangle, so that an entry of a panel costs two reductions and any other one.

#include "permanent/planar/cpu/product_kernel.hpp"

#include "core/cpu/simd.hpp"

namespace matchcount {
namespace {

using simd::multiply_low_halves;

constexpr std::size_t lanes = simd::vector_bytes / 4;
using Lanes = simd::HalfWords __attribute__((may_alias));
using Pairs = simd::Words __attribute__((may_alias));

constexpr std::size_t panel = 4;
constexpr std::size_t terms_per_fold = 8;
constexpr std::uint64_t low_half = 0xffffffff;

MATCHCOUNT_INLINE Pairs pairs(Lanes x) { return reinterpret_cast<Pairs>(x); }
MATCHCOUNT_INLINE Lanes single(Pairs x) { return reinterpret_cast<Lanes>(x); }
MATCHCOUNT_INLINE Pairs odd(Lanes x) { return pairs(x) >> 32; }

// The primes of a batch.
struct Field {
  Lanes prime;
  Pairs prime_even, prime_odd;
  Pairs minus_inverse_even, minus_inverse_odd;
  Pairs one_even, one_odd;  // 2^32 modulo p
};

MATCHCOUNT_INLINE Lanes below_prime(Lanes x, const Field& field) {  // from below 2p
  return x - (field.prime & reinterpret_cast<Lanes>(x >= field.prime));
}
MATCHCOUNT_INLINE Lanes add(Lanes a, Lanes b, const Field& field) { return below_prime(a + b, field); }
MATCHCOUNT_INLINE Lanes subtract(Lanes a, Lanes b, const Field& field) {
  return below_prime(a + (field.prime - b), field);
}

// x = low + 2^32 high becomes low + (2^32 mod p) high: from any x below 2^62 + 2^32, and the products of 8 more terms
// take that to below 2^64; where x < 2^63 + 2^62 + 2^32, which is so after 8 terms on a folded number, below 2^32 p.
MATCHCOUNT_INLINE Pairs fold(Pairs x, Pairs one) { return (x & low_half) + multiply_low_halves(x >> 32, one); }

// Returns x / 2^32 modulo p, below 2p, in the high halves; x < 2^32 p.
MATCHCOUNT_INLINE Pairs reduce_half(Pairs x, Pairs minus_inverse, Pairs prime) {
  return x + multiply_low_halves(multiply_low_halves(x, minus_inverse), prime);
}
MATCHCOUNT_INLINE Lanes reduce(Pairs even, Pairs odd_ones, const Field& field) {
  const Pairs e = reduce_half(even, field.minus_inverse_even, field.prime_even);
  const Pairs o = reduce_half(odd_ones, field.minus_inverse_odd, field.prime_odd);
  return below_prime(single((e >> 32) | (o & ~low_half)), field);
}
MATCHCOUNT_INLINE Lanes product(Lanes a, Lanes b, const Field& field) {
  return reduce(multiply_low_halves(pairs(a), pairs(b)), multiply_low_halves(odd(a), odd(b)), field);
}
// Returns the sum of at most four products of residues, which is below 2^62 and so below 2^32 p.
template <int terms>
MATCHCOUNT_INLINE Lanes short_dot(const Lanes* a, const Lanes* b, const Field& field) {
  static_assert(terms <= 4);
  Pairs even = {}, odd_ones = {};
  for (int i = 0; i < terms; ++i) {
    even += multiply_low_halves(pairs(a[i]), pairs(b[i]));
    odd_ones += multiply_low_halves(odd(a[i]), odd(b[i]));
  }
  return reduce(even, odd_ones, field);
}

// Returns x^(p-2), by two bits of the exponent at a time. The primes of a batch differ in their low bits only, but each
// lane has its own.
Lanes inverse(Lanes x, const Field& field) {
  const Lanes exponent = field.prime - 2, square = product(x, x, field), cube = product(square, x, field);
  const auto is = [](Lanes bits, std::uint32_t value) { return reinterpret_cast<Lanes>(bits == value); };
  const Lanes first = is(exponent >> 28 & 3, 3);
  Lanes result = (cube & first) | (square & ~first);
  for (int bit = 26; bit >= 0; bit -= 2) {
    const Lanes bits = exponent >> bit & 3;
    result = product(result, result, field);
    result = product(result, result, field);
    const Lanes factor = (x & is(bits, 1)) | (square & is(bits, 2)) | (cube & is(bits, 3)), unchanged = is(bits, 0);
    result = (product(result, factor, field) & ~unchanged) | (result & unchanged);
  }
  return result;
}

// target[a][b] -= sum over k of left[a][k] right[k][b]; rows of all three are `stride` apart.
template <int num_rows, int num_columns>
MATCHCOUNT_INLINE void tile(Lanes* target, const Lanes* left, const Lanes* right, std::size_t stride,
                            std::size_t num_terms, const Field& field) {
  Pairs even[num_rows][num_columns] = {}, odd_ones[num_rows][num_columns] = {};
  for (std::size_t start = 0; start < num_terms; start += terms_per_fold) {
    if (start > 0) {
      for (int a = 0; a < num_rows; ++a) {
        for (int b = 0; b < num_columns; ++b) {
          even[a][b] = fold(even[a][b], field.one_even);
          odd_ones[a][b] = fold(odd_ones[a][b], field.one_odd);
        }
      }
    }
    const std::size_t end = num_terms - start < terms_per_fold ? num_terms : start + terms_per_fold;
    for (std::size_t k = start; k < end; ++k) {
      Lanes r[num_columns];
      Pairs r_odd[num_columns];
      for (int b = 0; b < num_columns; ++b) {
        r[b] = right[k * stride + b];
        r_odd[b] = odd(r[b]);
      }
      for (int a = 0; a < num_rows; ++a) {
        const Lanes l = left[a * stride + k];
        const Pairs l_odd = odd(l);
        for (int b = 0; b < num_columns; ++b) {
          even[a][b] += multiply_low_halves(pairs(l), pairs(r[b]));
          odd_ones[a][b] += multiply_low_halves(l_odd, r_odd[b]);
        }
      }
    }
  }
  for (int a = 0; a < num_rows; ++a) {
    for (int b = 0; b < num_columns; ++b) {
      const Lanes sum = reduce(fold(even[a][b], field.one_even), fold(odd_ones[a][b], field.one_odd), field);
      target[a * stride + b] = subtract(target[a * stride + b], sum, field);
    }
  }
}

constexpr int tile_columns = simd::width == 8 ? 4 : 2;

template <int num_rows>
MATCHCOUNT_INLINE void strip(Lanes* target, const Lanes* left, const Lanes* right, std::size_t width,
                             std::size_t stride, std::size_t num_terms, const Field& field) {
  std::size_t j = 0;
  for (; j + tile_columns <= width; j += tile_columns)
    tile<num_rows, tile_columns>(target + j, left, right + j, stride, num_terms, field);
  for (; j < width; ++j) tile<num_rows, 1>(target + j, left, right + j, stride, num_terms, field);
}

// The front at hand.
struct Front {
  Lanes* entries;
  std::size_t rows, columns, pivots;
};

// front[i][j] -= sum over k < num_terms of front[i][k] front[k][j], for a rectangle of (i, j); with `lower`, for what
// of it is not above the diagonal, and perhaps a little more.
void update(const Front& front, std::size_t row, std::size_t row_end, std::size_t column, std::size_t column_end,
            std::size_t num_terms, bool lower, const Field& field) {
  if (num_terms == 0 || column >= column_end) return;
  const std::size_t stride = front.columns;
  const Lanes* right = front.entries + column;
  std::size_t i = row;
  for (; i + 2 <= row_end; i += 2) {
    const std::size_t end = lower && i + 2 < column_end ? i + 2 : column_end;
    if (end <= column) continue;
    Lanes* line = front.entries + i * stride;
    strip<2>(line + column, line, right, end - column, stride, num_terms, field);
  }
  if (i < row_end) {
    const std::size_t end = lower && i + 1 < column_end ? i + 1 : column_end;
    if (end <= column) return;
    Lanes* line = front.entries + i * stride;
    strip<1>(line + column, line, right, end - column, stride, num_terms, field);
  }
}

// Returns the reciprocals of the pivots that eliminating u would find, by one inverse: rows are multiplied in place of
// divided, so that pivot m comes out times scales[m].
template <int size>
MATCHCOUNT_INLINE void find_reciprocals(const Lanes (&u)[size][size], Lanes (&reciprocals)[size], const Field& field) {
  if constexpr (size == 1) {
    reciprocals[0] = inverse(u[0][0], field);
  } else {
    Lanes rest[size][size], scales[size] = {};
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) rest[i][j] = u[i][j];
    for (int m = 0; m < size - 1; ++m) {
      const Lanes pivot = rest[m][m];
      scales[m + 1] = m == 0 ? pivot : product(scales[m], pivot, field);
      for (int i = m + 1; i < size; ++i) {
        const Lanes left[] = {pivot, field.prime - rest[i][m]};
        for (int j = m + 1; j < size; ++j) {
          const Lanes right[] = {rest[i][j], rest[m][j]};
          rest[i][j] = short_dot<2>(left, right, field);
        }
      }
    }
    // Is the reciprocal of scales[m + 1], which is scales[m] times the pivot there.
    Lanes inverted = inverse(product(scales[size - 1], rest[size - 1][size - 1], field), field);
    for (int m = size - 1; m > 0; --m) {
      reciprocals[m] = product(inverted, product(scales[m], scales[m], field), field);
      inverted = product(inverted, rest[m][m], field);
    }
    reciprocals[0] = inverted;
  }
}

// Pivots [k, k + size) of a front whose panel is up to date. Below it come the multipliers L = A / U with
// U the panel's upper triangle, to the right of it L^-1 A: both by dot products with a triangle's inverse.
template <int size>
void eliminate_panel(const Front& front, std::size_t k, Lanes& pivots, const Field& field, Lanes one) {
  const std::size_t stride = front.columns;
  Lanes* corner = front.entries + k * stride + k;
  Lanes u[size][size], l[size][size];
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) u[i][j] = corner[i * stride + j];
  Lanes reciprocal[size];
  find_reciprocals(u, reciprocal, field);
  for (int m = 0; m < size; ++m) {
    pivots = product(pivots, u[m][m], field);
    for (int i = m + 1; i < size; ++i) {
      l[i][m] = product(u[i][m], reciprocal[m], field);
      for (int j = m + 1; j < size; ++j) u[i][j] = subtract(u[i][j], product(l[i][m], u[m][j], field), field);
    }
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) corner[i * stride + j] = j < i ? l[i][j] : u[i][j];
  // Columns of the inverse of U, rows of the inverse of L: x[j] = -(sum of x[i] u[i][j], i < j) / u[j][j].
  Lanes u_inverse[size][size], l_inverse[size][size];  // u_inverse[j][i]: by column
  for (int i = 0; i < size; ++i) {
    for (int j = i; j < size; ++j) {
      if (j == i) {
        u_inverse[j][i] = reciprocal[i];
        continue;
      }
      Lanes sum = {};
      for (int m = i; m < j; ++m) sum = add(sum, product(u_inverse[m][i], u[m][j], field), field);
      u_inverse[j][i] = subtract(Lanes{}, product(sum, reciprocal[j], field), field);
    }
    for (int j = i; j >= 0; --j) {
      if (j == i) {
        l_inverse[i][j] = one;
        continue;
      }
      Lanes sum = {};
      for (int m = j + 1; m <= i; ++m) sum = add(sum, product(l_inverse[i][m], l[m][j], field), field);
      l_inverse[i][j] = subtract(Lanes{}, sum, field);
    }
  }
  for (std::size_t i = k + size; i < front.rows; ++i) {
    Lanes* line = front.entries + i * stride + k;
    Lanes a[size];
    for (int j = 0; j < size; ++j) a[j] = line[j];
    line[0] = short_dot<1>(a, u_inverse[0], field);
    if constexpr (size > 1) line[1] = short_dot<2>(a, u_inverse[1], field);
    if constexpr (size > 2) line[2] = short_dot<3>(a, u_inverse[2], field);
    if constexpr (size > 3) line[3] = short_dot<4>(a, u_inverse[3], field);
  }
  if constexpr (size > 1) {
    for (std::size_t j = size; k + j < front.columns; ++j) {
      Lanes a[size];
      for (int i = 0; i < size; ++i) a[i] = corner[i * stride + j];
      corner[stride + j] = short_dot<2>(a, l_inverse[1], field);
      if constexpr (size > 2) corner[2 * stride + j] = short_dot<3>(a, l_inverse[2], field);
      if constexpr (size > 3) corner[3 * stride + j] = short_dot<4>(a, l_inverse[3], field);
    }
  }
}

void eliminate(const Front& front, Lanes& pivots, const Field& field, Lanes one) {
  for (std::size_t k = 0; k < front.pivots;) {
    const std::size_t size = front.pivots - k < panel ? front.pivots - k : panel;
    update(front, k, front.rows, k, k + size, k, false, field);
    update(front, k, k + size, k + size, front.columns, k, false, field);
    switch (size) {
      case 1:
        eliminate_panel<1>(front, k, pivots, field, one);
        break;
      case 2:
        eliminate_panel<2>(front, k, pivots, field, one);
        break;
      case 3:
        eliminate_panel<3>(front, k, pivots, field, one);
        break;
      default:
        eliminate_panel<4>(front, k, pivots, field, one);
    }
    k += size;
  }
  update(front, front.pivots, front.rows, front.pivots, front.columns, front.pivots, false, field);
}

// Pivots of a skew front come in pairs. Eliminating (p, q) with d = A[p][q] does
//   A[i][j] -= A[i][p] (A[j][q] / d) + A[i][q] (-A[j][p] / d),
// which is a product of what stands below the diagonal, A[i][p] and A[i][q], with what is put above it.
void eliminate_pair(const Front& front, std::size_t p, Lanes minus_reciprocal, Lanes& pivots, const Field& field) {
  const std::size_t stride = front.columns, q = p + 1;
  const Lanes zero = {};
  pivots = subtract(zero, product(pivots, front.entries[q * stride + p], field), field);
  const Lanes reciprocal = subtract(zero, minus_reciprocal, field);
  for (std::size_t j = q + 1; j < front.rows; ++j) {
    const Lanes* line = front.entries + j * stride;
    front.entries[p * stride + j] = product(line[q], reciprocal, field);
    front.entries[q * stride + j] = product(line[p], minus_reciprocal, field);
  }
}

void eliminate_skew(const Front& front, Lanes& pivots, const Field& field) {
  for (std::size_t k = 0; k < front.pivots;) {
    const std::size_t size = front.pivots - k < panel ? front.pivots - k : panel;
    update(front, k, front.rows, k, k + size, k, true, field);
    const std::size_t stride = front.columns;
    const Lanes* corner = front.entries + k * stride + k;
    const Lanes minus_d = corner[stride];
    if (size < panel) {
      eliminate_pair(front, k, inverse(minus_d, field), pivots, field);
    } else {
      // One inverse for both pairs: the second one's d is the Pfaffian of the four over the first one's d.
      const Lanes left[] = {minus_d, field.prime - corner[2 * stride], corner[3 * stride]};
      const Lanes right[] = {corner[3 * stride + 2], corner[3 * stride + 1], corner[2 * stride + 1]};
      const Lanes pfaffian = short_dot<3>(left, right, field);
      const Lanes inverted = inverse(product(minus_d, pfaffian, field), field);
      eliminate_pair(front, k, product(inverted, pfaffian, field), pivots, field);
      for (std::size_t i = k + 2; i < front.rows; ++i) {
        Lanes* line = front.entries + i * stride;
        tile<1, 2>(line + k + 2, line + k, corner + 2, stride, 2, field);
      }
      eliminate_pair(front, k + 2, product(inverted, product(minus_d, minus_d, field), field), pivots, field);
    }
    k += size;
  }
  update(front, front.pivots, front.rows, front.pivots, front.columns, front.pivots, true, field);
}

void assemble(const Front& front, const Lanes* left, const EliminationChild& child, const std::uint32_t* maps,
              bool skew, const Field& field) {
  for (std::size_t i = 0; i < child.rows; ++i) {
    const Lanes* source = left + i * child.columns;
    if (!skew) {
      Lanes* line = front.entries + maps[i] * front.columns;
      const std::uint32_t* columns = maps + child.rows;
      for (std::size_t j = 0; j < child.columns; ++j) line[columns[j]] = add(line[columns[j]], source[j], field);
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (maps[i] > maps[j]) {
        Lanes& target = front.entries[maps[i] * front.columns + maps[j]];
        target = add(target, source[j], field);
      } else {
        Lanes& target = front.entries[maps[j] * front.columns + maps[i]];
        target = subtract(target, source[j], field);
      }
    }
  }
}

Lanes load(const std::uint32_t* from) { return *reinterpret_cast<const Lanes*>(from); }

Field field_of(const EliminationReplay& replay) {
  Field field;
  field.prime = load(replay.primes);
  field.prime_even = pairs(field.prime);
  field.prime_odd = odd(field.prime);
  const Lanes minus_inverse = load(replay.minus_inverses), one = load(replay.ones);
  field.minus_inverse_even = pairs(minus_inverse);
  field.minus_inverse_odd = odd(minus_inverse);
  field.one_even = pairs(one);
  field.one_odd = odd(one);
  return field;
}

// Returns the sum of word w times powers[w], powers being 2^(32 (w + 2)): Montgomery's form of the number. A word's
// product is below 2^62; see fold.
Lanes residue(const EliminationPart& part, const std::uint32_t* words, const Lanes* powers, const Field& field) {
  Pairs even = {}, odd_ones = {};
  for (std::uint32_t w = part.begin; w < part.end; ++w) {
    if ((w - part.begin) % 2 == 0) {
      even = fold(even, field.one_even);
      odd_ones = fold(odd_ones, field.one_odd);
    }
    const Pairs word = Pairs{} + words[w];
    even += multiply_low_halves(word, pairs(powers[w - part.begin]));
    odd_ones += multiply_low_halves(word, odd(powers[w - part.begin]));
  }
  const auto settle = [](Pairs x, Pairs one) { return fold(fold(x, one), one); };
  const Lanes magnitude = reduce(settle(even, field.one_even), settle(odd_ones, field.one_odd), field);
  return part.negative ? subtract(Lanes{}, magnitude, field) : magnitude;
}

void reduce_values(const EliminationNumbers& numbers, const EliminationReplay& replay, const std::uint32_t* roots,
                   std::uint32_t* powers_memory, std::uint32_t* values) {
  const Field field = field_of(replay);
  auto* const powers = reinterpret_cast<Lanes*>(powers_memory);
  // 2^32 in Montgomery's form, and so 2^64 itself: of the sum of 2^32 such ones, by doubling.
  Lanes power = load(replay.ones);
  for (int i = 0; i < 32; ++i) power = add(power, power, field);
  const Lanes shift = power;
  for (std::size_t w = 0; w < numbers.most_words; ++w) {
    powers[w] = power;
    power = product(power, shift, field);
  }
  for (std::size_t i = 0; i < numbers.num_values; ++i) {
    const EliminationPart* part = numbers.parts + (numbers.complex ? 2 * i : i);
    Lanes value = residue(part[0], numbers.words, powers, field);
    if (numbers.complex)
      value = add(value, product(load(roots), residue(part[1], numbers.words, powers, field), field), field);
    *reinterpret_cast<Lanes*>(values + i * lanes) = value;
  }
}

void run(EliminationReplay& replay, std::size_t num_fronts) {
  const Field field = field_of(replay);
  const Lanes one = load(replay.ones);
  auto* const arena = reinterpret_cast<Lanes*>(replay.arena);
  Lanes pivots = load(replay.product);

  for (std::size_t f = 0; f < num_fronts; ++f) {
    const EliminationFront& record = *replay.fronts++;
    const Front front = {arena + replay.held, record.rows, record.columns, record.pivots};
    for (std::size_t i = 0; i < front.rows * front.columns; ++i) front.entries[i] = Lanes{};
    // The children's leftovers are the last that is held, in their order.
    std::size_t total = 0;
    for (std::size_t c = 0; c < record.num_children; ++c)
      total += std::size_t{replay.children[c].rows} * replay.children[c].columns;
    const Lanes* left = arena + replay.held - total;
    for (std::size_t c = 0; c < record.num_children; ++c) {
      const EliminationChild& child = *replay.children++;
      assemble(front, left, child, replay.maps, replay.skew, field);
      left += std::size_t{child.rows} * child.columns;
      replay.maps += replay.skew ? child.rows : child.rows + child.columns;
    }
    for (std::size_t e = 0; e < record.num_entries; ++e) {
      const EliminationEntry& entry = *replay.entries++;
      Lanes& target = front.entries[entry.row * front.columns + entry.column];
      target = add(target, load(replay.values + entry.value * lanes), field);
    }
    if (replay.skew)
      eliminate_skew(front, pivots, field);
    else
      eliminate(front, pivots, field, one);
    // Moves the rest down to where the children's was.
    replay.held -= total;
    Lanes* target = arena + replay.held;
    for (std::size_t i = front.pivots; i < front.rows; ++i) {
      const Lanes* source = front.entries + i * front.columns;
      for (std::size_t j = front.pivots; j < front.columns; ++j) *target++ = source[j];
    }
    replay.held = static_cast<std::size_t>(target - arena);
  }
  *reinterpret_cast<Lanes*>(replay.product) = pivots;
}

}  // namespace

const EliminationKernel EliminationKernel::MATCHCOUNT_ISA = {matchcount::lanes, reduce_values, matchcount::run};

}  // namespace matchcount
