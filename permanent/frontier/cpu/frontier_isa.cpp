// Compiled once per instruction set; see matchcount_isa_sources.
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
// So many sources ahead: a tenth to a third less time where blocks are shortest or listed (6 x 6 x 6), no more for
// 4, 8.
// To sum all sources of a block in registers, and so touch the target once, saves nothing: memory is what it waits for.
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
                                                         matchcount::backward};

}  // namespace matchcount
