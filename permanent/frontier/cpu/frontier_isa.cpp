// Compiled once per instruction set; see matchcount_isa_sources.
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
    bool cleared = false;
    if (block.num_sources == 0 || s->pairs) {
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

}  // namespace

namespace frontier_isa::MATCHCOUNT_ISA {

extern const FrontierKernels kernels;
const FrontierKernels kernels = {words, floats<RealSum>, floats<DoubleDoubleSum>, floats<ComplexSum>,
                                 floats<ComplexDoubleDoubleSum>};

}  // namespace frontier_isa::MATCHCOUNT_ISA
}  // namespace matchcount
