#pragma once
// Runs the frontier method modulo one prime, for counts whose residues are computed by different ranks. Entries are 1:
// a weighted sum would need a modular product for every transition, which costs more than the words that it saves.

#include <cstdint>

#include "core/bytes.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

class ResidueArithmetic {
 public:
  using Slot = Word;

  // prime < 2^63, so that sums of two residues do not wrap.
  explicit ResidueArithmetic(Word prime) : prime_(prime) {}

  static constexpr Slot one() { return 1; }
  int source_planes() const { return 1; }
  int target_planes() const { return 1; }

  template <class Largest>
  void prepare(const FrontierStep&, Layer<Slot>&, const Largest&) {}
  void save(ByteWriter&) const {}
  void load(ByteReader&, const FrontierStep&) {}

  void combine(const FrontierKernels&, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    const FrontierSource* next = batch.sources;
    for (std::size_t b = 0; b < batch.num_blocks; ++b) {
      const FrontierBlock& block = batch.blocks[b];
      Slot* const t = target + block.target;
      for (std::uint32_t i = 0; i < block.length; ++i) t[i] = 0;
      for (std::uint32_t k = 0; k < block.num_sources; ++k, ++next) {
        const Slot* const s = source + next->offset;
        if (next->pairs) {
          for (std::uint32_t i = 0; i < next->num_pairs; ++i) add_to(t[next->pairs[2 * i]], s[next->pairs[2 * i + 1]]);
        } else {
          for (std::uint32_t i = 0; i < block.length; ++i) add_to(t[i], s[i]);
        }
      }
    }
  }
  template <bool assign>
  void add(Slot* target, const Slot* source, std::size_t) const {
    if (assign) *target = 0;
    add_to(*target, *source);
  }

 private:
  void add_to(Slot& sum, Slot value) const {
    sum += value;
    if (sum >= prime_) sum -= prime_;
  }
  Word prime_;
};

}  // namespace matchcount
