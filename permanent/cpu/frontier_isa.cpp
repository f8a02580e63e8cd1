// Compiled once per instruction set; see matchcount_isa_sources.
#include "permanent/cpu/frontier_kernels.hpp"
#include "permanent/cpu/frontier_sums.hpp"

namespace matchcount {
namespace {

void words(const FrontierBatch& batch, std::uint64_t* target, int target_planes, const std::uint64_t* source,
           int source_planes, const std::int64_t* weights) {
  const FrontierSource* s = batch.sources;
  for (std::size_t b = 0; b < batch.num_blocks; ++b) {
    const FrontierBlock block = batch.blocks[b];
    std::uint64_t* t = target + block.target;
    if (block.num_sources == 0) {
      for (int k = 0; k < target_planes; ++k) {
        for (std::size_t i = 0; i < block.length; ++i) t[k * batch.target_stride + i] = 0;
      }
      continue;
    }
    add_words_any<true>(t, batch.target_stride, target_planes, source + s->offset, batch.source_stride, source_planes,
                        weights[s->choice], block.length);
    ++s;
    for (std::uint32_t i = 1; i < block.num_sources; ++i, ++s) {
      add_words_any<false>(t, batch.target_stride, target_planes, source + s->offset, batch.source_stride, source_planes,
                           weights[s->choice], block.length);
    }
  }
}

template <class Sum>
void floats(const FrontierBatch& batch, double* target, const double* source, const double* weights) {
  const FrontierSource* s = batch.sources;
  for (std::size_t b = 0; b < batch.num_blocks; ++b) {
    const FrontierBlock block = batch.blocks[b];
    double* t = target + block.target;
    if (block.num_sources == 0) {
      for (int k = 0; k < Sum::planes; ++k) {
        for (std::size_t i = 0; i < block.length; ++i) t[k * batch.target_stride + i] = 0;
      }
      continue;
    }
    Sum::template add<true>(t, batch.target_stride, source + s->offset, batch.source_stride,
                            weights + s->choice * Sum::planes, block.length);
    ++s;
    for (std::uint32_t i = 1; i < block.num_sources; ++i, ++s) {
      Sum::template add<false>(t, batch.target_stride, source + s->offset, batch.source_stride,
                               weights + s->choice * Sum::planes, block.length);
    }
  }
}

}  // namespace

namespace frontier_isa::MATCHCOUNT_ISA {

extern const FrontierKernels kernels;
const FrontierKernels kernels = {words, floats<RealSum>, floats<DoubleDoubleSum>, floats<ComplexSum>,
                                 floats<ComplexDoubleDoubleSum>};

}  // namespace frontier_isa::MATCHCOUNT_ISA
}  // namespace matchcount
