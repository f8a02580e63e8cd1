#pragma once
// Samples of the published estimators on one thread: approx/published_walk.hpp, or approx/bitmask_walk.hpp where the
// block is small and of 0 and 1.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "approx/bitmask_walk.hpp"
#include "approx/cpu/sampler.hpp"
#include "approx/degree_sets.hpp"
#include "approx/published_walk.hpp"

namespace matchcount {

// Keeps the buffers of one thread. Borrows the problem. A sample of the sparse walk looks at the slots of a vertex when
// it is taken away and, of the scaling estimators, at all that are left once for every half of a round.
class PublishedSampler final : public Sampler {
 public:
  PublishedSampler(const Problem& problem, const SampleOptions& options);
  Sample sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll);
  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override {
    return sample(seed, i, poll).log();
  }
  std::uint64_t work() const override { return work_; }

 private:
  // A team of one lane.
  class Thread {
   public:
    Thread(const Problem& problem, std::uint64_t& work);

    static constexpr std::uint32_t lane() { return 0; }
    static constexpr std::uint32_t width() { return 1; }
    static void sync() {}
    double* factor = nullptr;
    std::uint32_t* list = nullptr;
    void start();
    std::uint32_t forced() const;
    std::uint32_t fewest_row() { return rows_.first(rows_.least_degree()); }
    std::uint32_t list_left(std::uint32_t first);
    void lower(std::uint32_t vertex);
    void remove(std::uint32_t vertex);
    bool dead() const { return dead_; }
    void work(std::uint32_t edges) {
      work_ += edges;
      if (work_ < next_poll_) return;
      next_poll_ = work_ + work_a_poll;
      if (*poll) (*poll)();
    }
    const std::function<void()>* poll = nullptr;

   private:
    static constexpr std::uint64_t work_a_poll = 1 << 14;

    DegreeSets& side(std::uint32_t vertex) { return vertex < size_ ? rows_ : columns_; }
    std::uint32_t local(std::uint32_t vertex) const { return vertex < size_ ? vertex : vertex - size_; }

    std::uint32_t size_;
    std::uint64_t& work_;
    std::uint64_t next_poll_ = 0;
    bool dead_ = false, starts_dead_ = false;
    std::vector<double> factors_;
    std::vector<std::uint32_t> list_, degree_, start_degree_;
    DegreeSetsSize sets_;
    std::vector<std::uint64_t> set_words_, start_set_words_;  // of the rows, then of the columns
    DegreeSets rows_, columns_;
  };

  PublishedOptions options_;
  std::uint64_t work_ = 0;
  std::unique_ptr<BitmaskBlock<1, 7>> bits_;
  ProblemView view_;
  std::unique_ptr<Thread> thread_;
};

// Says whether all weights are 1.
bool has_unit_weights(const Problem& problem);
// Says whether samples are drawn on masks of bits of one word.
bool takes_bitmasks(const Problem& problem, const SampleOptions& options);
// Borrows the problem.
ProblemView problem_view(const Problem& problem);
// Requires unit weights, at most 64 * WORDS rows and degrees below 2^DIGITS.
template <int WORDS, int DIGITS>
BitmaskBlock<WORDS, DIGITS> bitmask_block(const Problem& problem) {
  BitmaskBlock<WORDS, DIGITS> block{};
  block.size = static_cast<int>(problem.size);
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    const bool is_row = v < problem.size;
    const std::uint32_t at = is_row ? v : v - problem.size;
    auto& side = is_row ? block.rows : block.columns;
    side.left.word[at / 64] |= std::uint64_t{1} << at % 64;
    for (int k = 0; k < DIGITS; ++k)
      side.digit[k].word[at / 64] |= std::uint64_t{problem.degree(v) >> k & 1} << at % 64;
    for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) {
      const std::uint32_t other = is_row ? problem.target[s] - problem.size : problem.target[s];
      (is_row ? block.row : block.column)[at].word[other / 64] |= std::uint64_t{1} << other % 64;
    }
  }
  return block;
}

}  // namespace matchcount
