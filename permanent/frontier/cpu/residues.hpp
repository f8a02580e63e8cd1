#pragma once
// Runs the frontier method modulo primes below 2^31, several side by side: 4 bytes a state and a prime. Entries may be
// any integers.

#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cpu/sums.hpp"

namespace matchcount {

// Above all primes of a run; the sum of two residues fits into 32 bits.
constexpr std::uint64_t residue_limit = std::uint64_t{1} << 31;

class ResidueArithmetic {
 public:
  using Slot = std::uint32_t;

  // Plane k counts modulo primes[k], all below residue_limit. `entries` outlive this.
  ResidueArithmetic(const std::vector<std::int64_t>& entries, std::span<const std::uint64_t> primes)
      : entries_(entries), primes_(primes.begin(), primes.end()) {}

  static constexpr Slot one(int /*plane*/) { return 1; }
  int source_planes() const { return static_cast<int>(primes_.size()); }
  int target_planes() const { return source_planes(); }

  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>&, const Largest&) {
    take_weights(step);
  }
  // What it was prepared with: of each prime, the weight of what is matched already and those of the step's choices.
  const std::vector<ResidueWeight>& weights() const { return weights_; }
  const std::vector<std::uint32_t>& primes() const { return primes_; }

  void save(ByteWriter&) const {}
  void load(ByteReader&, const FrontierStep& step) { take_weights(step); }

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    for (std::size_t k = 0; k < primes_.size(); ++k) {
      kernels.residues(batch, target + k * batch.target_stride, source + k * batch.source_stride,
                       weights_.data() + k * num_choices_, primes_[k]);
    }
  }
  // Planes side by side.
  void add(Slot* target, const Slot* source, std::size_t choice) const {
    for (std::size_t k = 0; k < primes_.size(); ++k) {
      add_residues<false>(target + k, source + k, weights_[k * num_choices_ + choice], primes_[k], InParallel{1});
    }
  }

 private:
  void take_weights(const FrontierStep& step) {
    num_choices_ = step.choices.size() + 1;
    weights_.clear();
    for (const std::uint32_t prime : primes_) {
      weights_.push_back(weight(1, prime));
      for (const auto& choice : step.choices) weights_.push_back(weight(entries_[choice.edge], prime));
    }
  }
  static ResidueWeight weight(std::int64_t entry, std::uint32_t prime) {
    const std::int64_t rest = entry % static_cast<std::int64_t>(prime);
    const auto factor = static_cast<std::uint64_t>(rest < 0 ? rest + prime : rest);
    return {static_cast<std::uint32_t>(factor), static_cast<std::uint32_t>((factor << 32) / prime)};
  }

  const std::vector<std::int64_t>& entries_;
  std::vector<std::uint32_t> primes_;
  std::size_t num_choices_ = 1;
  std::vector<ResidueWeight> weights_;  // of each prime: of what is matched already, and of every choice
};

}  // namespace matchcount
