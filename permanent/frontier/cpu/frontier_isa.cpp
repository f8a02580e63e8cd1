// Compiled once per instruction set; see matchcount_isa_sources.
#include <type_traits>

#include "core/cpu/simd.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/sums.hpp"

namespace matchcount {
namespace {

// Calls add(source, target, index, assign) for every source of every block.
template <class Slot, class Add>
void for_each_source(const FrontierBatch& batch, Slot* target, int planes, Add&& add) {
  const FrontierSource* s = batch.sources;
  for (std::size_t b = 0; b < batch.num_blocks; ++b) {
    const FrontierBlock block = batch.blocks[b];
    Slot* t = target + block.target;
    bool cleared = batch.adds;
    if (!cleared && (block.num_sources == 0 || s->pairs)) {
      for (int k = 0; k < planes; ++k) {
        for (std::size_t i = 0; i < block.length; ++i) t[k * batch.target_stride + i] = 0;
      }
      cleared = true;
    }
    for (std::uint32_t i = 0; i < block.num_sources; ++i, ++s) {
      if (s->pairs) {
        add.template operator()<false>(*s, t, Listed{s->pairs, s->num_pairs});
      } else if (cleared) {
        add.template operator()<false>(*s, t, InParallel{block.length});
      } else {
        add.template operator()<true>(*s, t, InParallel{block.length});
        cleared = true;
      }
    }
  }
}

void words(const FrontierBatch& batch, std::uint64_t* target, int target_planes, const std::uint64_t* source,
           int source_planes, const std::int64_t* weights) {
  for_each_source(batch, target, target_planes,
                  [&]<bool assign>(const FrontierSource& s, std::uint64_t* t, auto index) {
                    add_words_any<assign>(t, batch.target_stride, target_planes, source + s.offset, batch.source_stride,
                                          source_planes, weights[s.choice], index);
                  });
}

template <class Sum>
void floats(const FrontierBatch& batch, double* target, const double* source, const double* weights) {
  for_each_source(batch, target, Sum::planes, [&]<bool assign>(const FrontierSource& s, double* t, auto index) {
    Sum::template add<assign>(t, batch.target_stride, source + s.offset, batch.source_stride,
                              weights + s.choice * Sum::planes, index);
  });
}

// Elements are asked for before they are needed: blocks are short, and each begins with lines that nothing foretells.
// Asking for this many sources ahead takes a tenth to a third less time where blocks are shortest or listed (6 x 6 x
// 6); 4 and 8 save no more. To sum all sources of a block in registers, and so touch the target once, saves nothing:
// memory is what it waits for.
constexpr std::ptrdiff_t sources_ahead = 2;
inline void prefetch(const std::uint32_t* first, std::uint32_t length) {
  constexpr std::uint32_t line = 16;
  for (std::uint32_t i = 0; i < length + line; i += line) __builtin_prefetch(first + i);
}

void residues(const FrontierBatch& batch, std::uint32_t* target, const std::uint32_t* source,
              const ResidueWeight* weights, std::uint32_t prime) {
  const FrontierSource* const end = batch.sources + batch.num_sources;
  for_each_source(batch, target, 1, [&]<bool assign>(const FrontierSource& s, std::uint32_t* t, auto index) {
    const FrontierSource* const ahead = &s + sources_ahead;
    if (ahead < end) prefetch(source + ahead->offset, static_cast<std::uint32_t>(index.size()));
    add_residues<assign>(t, source + s.offset, weights[s.choice], prime, index);
  });
}

// Values of a run that a loop takes at once: one or a few vectors.
constexpr std::uint32_t tile_run = 32;

// Calls act(x, length) for runs of places whose bits `test` are `expect`; a length that is not below tile_run is a
// multiple of it.
template <class Act>
MATCHCOUNT_INLINE void for_each_run(std::uint32_t bits, std::uint32_t test, std::uint32_t expect, const Act& act) {
  const std::uint32_t all = (std::uint32_t{1} << bits) - 1;
  const std::uint32_t length = test == 0 ? all + 1 : test & (0 - test);
  const std::uint32_t high = all & ~test & ~(length - 1);
  std::uint32_t place = 0;
  do {
    act(place | expect, length);
    place = ((place | ~high) + 1) & high;
  } while (place != 0);
}

// Adds to, or sets, a run. The two do not overlap, or are the same.
template <bool adds, class Slot, class Product>
MATCHCOUNT_INLINE void combine_run(Slot* target, const Slot* source, std::uint32_t length, Slot prime,
                                   const Product& product_of) {
  const auto combine = [&](std::uint32_t count) {
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < count; ++i) {
      const Slot product = product_of(source[i]);
      const Slot sum = static_cast<Slot>(target[i] + product), less = static_cast<Slot>(sum - prime);
      target[i] = adds ? (less < sum ? less : sum) : product;
    }
  };
  if (length < tile_run) return combine(length);
  for (std::uint32_t done = 0; done < length; done += tile_run, target += tile_run, source += tile_run)
    combine(tile_run);
}

template <bool adds, class Slot>
void make_operation(const TileWork<Slot>& work, const TileOperation& operation, Slot* tile) {
  const ResidueWeight weight = work.weights[operation.weight];
  const auto prime = static_cast<Slot>(work.prime), factor = static_cast<Slot>(weight.factor),
             quotient = static_cast<Slot>(weight.quotient);
  if (factor == 1 && operation.flip == 0) return;
  const auto make = [&](const auto& product_of) {
    for_each_run(work.bits, operation.test, operation.expect, [&](std::uint32_t place, std::uint32_t length) {
      combine_run<adds>(tile + place, tile + (place ^ operation.flip), length, prime, product_of);
    });
  };
  if (factor == 1) return make([](Slot value) { return value; });
  if (factor == 0) return make([](Slot) { return Slot{0}; });
  using Wide = std::conditional_t<sizeof(Slot) == 2, std::uint32_t, std::uint64_t>;
  make([&](Slot value) {
    const Slot estimate = static_cast<Slot>(Wide{quotient} * value >> (8 * sizeof(Slot)));
    const Slot product = static_cast<Slot>(Wide{factor} * value - Wide{estimate} * prime),
               less = static_cast<Slot>(product - prime);
    return less < product ? less : product;
  });
}

// Exchanges the values of x that have bit `half` with those of y that have not.
template <std::uint32_t half, class Slot>
void exchange_halves(Slot* x, Slot* y, std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; i += 2 * half) {
#pragma GCC ivdep
    for (std::uint32_t j = 0; j < half; ++j) {
      const Slot value = x[i + half + j];
      x[i + half + j] = y[i + j];
      y[i + j] = value;
    }
  }
}
// Exchanges the two bits of `flip` of the places.
template <class Slot>
void exchange_bits(const TileWork<Slot>& work, const TileOperation& operation, Slot* tile) {
  const std::uint32_t lower = operation.flip & (0 - operation.flip), upper = operation.flip ^ lower;
  const std::uint32_t others = operation.test & ~operation.flip;
  const auto halves = [&](auto exchange) {
    for_each_run(work.bits, others | upper, operation.expect & others, [&](std::uint32_t place, std::uint32_t length) {
      exchange(tile + place, tile + (place | upper), length);
    });
  };
  if (((others | upper) & (2 * lower - 1)) == 0) {
    if (lower == 1) return halves(exchange_halves<1, Slot>);
    if (lower == 2) return halves(exchange_halves<2, Slot>);
    if (lower == 4) return halves(exchange_halves<4, Slot>);
    if (lower == 8) return halves(exchange_halves<8, Slot>);
    if (lower == 16) return halves(exchange_halves<16, Slot>);
  }
  for_each_run(work.bits, operation.test, operation.expect, [&](std::uint32_t place, std::uint32_t length) {
    Slot* const x = tile + place;
    Slot* const y = tile + (place ^ operation.flip);
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < length; ++i) {
      const Slot value = x[i];
      x[i] = y[i];
      y[i] = value;
    }
  });
}

template <class Slot>
void make_tile(const TileWork<Slot>& work, std::uint64_t outer, Slot* tile) {
  for (std::size_t k = 0; k < work.num_operations; ++k) {
    const TileOperation& operation = work.operations[k];
    if ((outer & operation.outer_test) != operation.outer_expect) continue;
    if (operation.kind == TileOperation::add) {
      make_operation<true>(work, operation, tile);
    } else if (operation.kind == TileOperation::set) {
      make_operation<false>(work, operation, tile);
    } else {
      exchange_bits(work, operation, tile);
    }
  }
}

// Eight sums side by side, whatever the width of a vector, so that they are rounded alike.
constexpr std::size_t partial_sums = 8;
double sum_of(const double* parts) {
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

double backward_source(const double* forward, double* before, const double* after, double weight, InParallel index) {
  constexpr std::size_t width = simd::width, vectors = partial_sums / width;
  simd::Reals sums[vectors] = {};
  const simd::Reals factor = simd::broadcast(weight);
  std::size_t i = 0;
  for (; i + partial_sums <= index.length; i += partial_sums) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t at = i + v * width;
      const auto b = simd::load<simd::Reals>(after + at);
      sums[v] += simd::load<simd::Reals>(forward + at) * b;
      simd::store(before + at, simd::load<simd::Reals>(before + at) + factor * b);
    }
  }
  double parts[partial_sums];
  for (std::size_t v = 0; v < vectors; ++v) simd::store(parts + v * width, sums[v]);
  for (std::size_t rest = 0; i < index.length; ++i, ++rest) {
    parts[rest] += forward[i] * after[i];
    before[i] += weight * after[i];
  }
  return sum_of(parts);
}

double backward_source(const double* forward, double* before, const double* after, double weight, Listed index) {
  double parts[partial_sums] = {};
  for (std::size_t i = 0; i < index.length; ++i) {
    const std::size_t s = index.source(i);
    const double b = after[index.target(i)];
    parts[i % partial_sums] += forward[s] * b;
    before[s] += weight * b;
  }
  return sum_of(parts);
}

void backward(const FrontierBatch& batch, std::uint32_t choice, const double* forward, double* before,
              const double* after, const double* weights, double* products) {
  const FrontierSource* s = batch.sources;
  for (std::size_t b = 0; b < batch.num_blocks; ++b) {
    const FrontierBlock block = batch.blocks[b];
    const double* const from = after + block.target;
    for (std::uint32_t i = 0; i < block.num_sources; ++i, ++s, ++products) {
      if (choice != FrontierKernels::all_choices && s->choice != choice) continue;
      const double weight = weights[s->choice];
      *products =
          s->pairs
              ? backward_source(forward + s->offset, before + s->offset, from, weight, Listed{s->pairs, s->num_pairs})
              : backward_source(forward + s->offset, before + s->offset, from, weight, InParallel{block.length});
    }
  }
}

}  // namespace

const FrontierKernels FrontierKernels::MATCHCOUNT_ISA = {matchcount::words,
                                                         floats<RealSum>,
                                                         floats<DoubleDoubleSum>,
                                                         floats<ComplexSum>,
                                                         floats<ComplexDoubleDoubleSum>,
                                                         matchcount::residues,
                                                         matchcount::backward,
                                                         make_tile<std::uint32_t>,
                                                         make_tile<std::uint16_t>};

}  // namespace matchcount
